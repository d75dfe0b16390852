//! Bounds, rights and sizes of one address space.

use super::*;

const DEVICE_0: Owner = Owner::Device { ordinal: 0, pool: None };

fn space() -> Space {
    Space::new().expect("addresses for a machine")
}

fn byte(address: usize) -> u8 {
    // SAFETY: the tests pass addresses of their own live allocations.
    unsafe { ptr::with_exposed_provenance::<u8>(address).read_volatile() }
}

#[test]
fn bounds_are_exact_to_the_byte() {
    let space = space();
    let base = space.allocate(DEVICE_0, 100).expect("100 bytes");
    assert_eq!(base % 256, 0);
    assert_eq!(space.find(base + 99).map(|it| it.base), Some(base));
    assert_eq!(space.find(base + 100), None);
    assert!(space.find_range(base + 96, 4).is_ok());
    assert!(space.find_range(base + 100, 0).is_ok());
    let Err(AccessError::OutOfBounds { offset: 97, past: 1, .. }) = space.find_range(base + 97, 4) else {
        panic!("one byte past the end must be an error");
    };
    let Err(AccessError::OutOfBounds { offset: 100, past: 1, .. }) = space.find_range(base + 100, 1) else {
        panic!("a range behind the end must be an error");
    };
    let Err(AccessError::Before { by: 4, .. }) = space.find_range(base - 4, 4) else {
        panic!("a range before the start must be an error");
    };
    assert!(space.find_range(base, usize::MAX).is_err());
    assert_eq!(space.find_range(8, 4), Err(AccessError::Unknown));
}

#[test]
fn new_memory_is_poisoned_and_freed_memory_is_known_as_such() {
    let space = space();
    let base = space.allocate(DEVICE_0, 5 << 20).expect("5 MiB");
    assert_eq!([byte(base), byte(base + (5 << 20) - 1)], [POISON; 2]);
    let epoch = space.epoch();
    let freed = space.free(base).expect("live");
    assert_ne!(space.epoch(), epoch);
    assert_eq!(space.find(base), None);
    assert_eq!(space.find_range(base + 5, 1), Err(AccessError::Freed { allocation: freed, offset: 5 }));
    assert_eq!(space.free(base), Err(SpaceError::NotABase { address: base }));
    assert_ne!(space.allocate(DEVICE_0, 5 << 20), Ok(base));
}

#[test]
fn a_check_names_the_owner() {
    let space = space();
    let base = space.allocate(Owner::Device { ordinal: 1, pool: None }, 16).expect("16 bytes");
    assert!(space.check(1, base, 16).is_ok());
    let denied = space.check(0, base, 4).expect_err("no peer access yet");
    assert_eq!(denied.to_string(), "memory of device 1, to which device 0 has no peer access");
    space.set_peer(0, 1, true);
    assert!(space.check(0, base, 4).is_ok());
    let epoch = space.epoch();
    space.set_peer(0, 1, false);
    assert_ne!(space.epoch(), epoch, "what was cached as allowed must be asked again");
    assert!(space.check(0, base, 4).is_err());
}

#[test]
fn registered_host_memory_is_everybodys_until_it_is_forgotten() {
    let space = space();
    let buffer = [0u8; 64];
    let base = buffer.as_ptr().expose_provenance();
    assert_eq!(space.check(3, base, 64), Err(AccessError::Unknown));
    space.register_host(base, 64).expect("new");
    assert!(space.check(3, base, 64).is_ok());
    assert_eq!(space.register_host(base + 63, 1), Err(SpaceError::Overlap { address: base + 63 }));
    assert_eq!(space.free(base), Err(SpaceError::NotABase { address: base }));
    space.unregister_host(base).expect("registered");
    assert!(space.check(3, base, 64).is_err());
    let device = space.allocate(DEVICE_0, 16).expect("16 bytes");
    assert!(space.register_host(device, 1).is_err());
}

#[test]
fn absurd_sizes_are_out_of_memory() {
    let space = space();
    for bytes in [usize::MAX, usize::MAX / 2, WANTED] {
        assert_eq!(space.allocate(DEVICE_0, bytes), Err(SpaceError::OutOfMemory { bytes }));
    }
    assert_eq!(space.allocate(DEVICE_0, 0), Err(SpaceError::Empty));
}
