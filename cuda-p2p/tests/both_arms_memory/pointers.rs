//! Questions about addresses.

use cuda_p2p::{AddressRange, Device, MemPoolOptions, PointerInfo, PointerKind, Residence};

use crate::{Pair, pair, part_of, shared_range};

/// Who can use an address now, by ordinal.
fn users(pair: &Pair, address: *const u8) -> Vec<u32> {
    let info = pair.runtime.pointer_info(address).unwrap();
    info.accessible_from.iter().map(Device::ordinal).filter(|ordinal| *ordinal < 2).collect()
}

#[test]
fn an_address_tells_what_it_is() {
    let pair = pair();
    let (runtime, stream) = (pair.runtime, pair.b.new_stream().unwrap());
    let word = 7u32;
    let unknown = runtime.pointer_info(&raw const word).unwrap();
    let nothing = PointerInfo {
        kind: PointerKind::Unregistered,
        residence: None,
        accessible_from: Vec::new(),
        allocation: None,
    };
    assert_eq!(unknown, nothing);
    assert_eq!(runtime.pointer_info(std::ptr::null::<u8>()).unwrap(), nothing);

    let pinned = pair.a.alloc_pinned_zeroed::<u8>(5000).unwrap();
    let info = runtime.pointer_info(pinned.as_raw().wrapping_add(11)).unwrap();
    assert_eq!((info.kind, info.residence), (PointerKind::PinnedHost, Some(Residence::Host)));
    assert_eq!(info.accessible_from, runtime.devices().unwrap());
    assert_eq!(info.allocation, Some(AddressRange { base: pinned.as_raw().addr(), bytes: 5000 }));

    // Registered memory, which is asked about more than once, and left registered.
    let mut pages = vec![7u8; 1 << 16];
    let (start, table) = (pages.as_mut_ptr().cast::<std::ffi::c_void>(), runtime.table());
    let (register, unregister) = (table.cudaHostRegister.unwrap(), table.cudaHostUnregister.unwrap());
    // SAFETY: the memory is this test's, and stays until it is unregistered below.
    assert_eq!(unsafe { register(start, 1 << 16, 0) }.0, 0);
    for offset in [0, 1, 8191, (1 << 16) - 1] {
        let info = runtime.pointer_info(start.cast::<u8>().wrapping_add(offset)).unwrap();
        assert_eq!((info.kind, info.residence), (PointerKind::RegisteredHost, Some(Residence::Host)));
        assert_eq!(info.accessible_from, runtime.devices().unwrap());
        assert_eq!(info.allocation, Some(AddressRange { base: start.addr(), bytes: 1 << 16 }));
    }
    // SAFETY: as above.
    assert_eq!(unsafe { unregister(start) }.0, 0);
    assert_eq!(runtime.pointer_info(start).unwrap(), nothing);

    let plain = pair.b.alloc_zeroed::<u8>(5000).unwrap();
    let info = runtime.pointer_info(plain.as_raw().wrapping_add(4999)).unwrap();
    assert_eq!((info.kind, info.residence), (PointerKind::Device, Some(Residence::Device(pair.b))));
    assert_eq!(info.allocation, Some(AddressRange { base: plain.as_raw().addr(), bytes: 5000 }));

    let pool = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
    let pooled = stream.alloc_zeroed_async::<u8>(&pool, 5000).unwrap();
    stream.synchronize().unwrap();
    let info = runtime.pointer_info(pooled.as_raw()).unwrap();
    assert_eq!((info.kind, info.residence), (PointerKind::Pool, Some(Residence::Device(pair.b))));
    assert_eq!(info.allocation, Some(AddressRange { base: pooled.as_raw().addr(), bytes: 5000 }));

    let range = shared_range(&pair);
    let part = part_of(&pair);
    let start = range.slice::<u8>(&pair.a, ..).unwrap().as_raw();
    for (offset, owner) in [(3, pair.a), (part + 3, pair.b)] {
        let info = runtime.pointer_info(start.wrapping_add(offset)).unwrap();
        assert_eq!((info.kind, info.residence), (PointerKind::Virtual, Some(Residence::Device(owner))));
        assert_eq!(info.allocation, Some(AddressRange { base: start.addr(), bytes: 2 * part }));
    }
    let empty = runtime.reserve_virtual_range(part).unwrap();
    drop((empty, range, pooled));
    pair.ends_clean();
}

/// Right before and after each of them is enabled and disabled.
#[test]
fn who_can_use_an_address_is_told_as_of_now() {
    let pair = pair();
    let stream = pair.b.new_stream().unwrap();
    let plain = pair.b.alloc_zeroed::<u8>(100).unwrap();
    let pool = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
    let pooled = stream.alloc_zeroed_async::<u8>(&pool, 100).unwrap();
    let mut range = pair.runtime.reserve_virtual_range(part_of(&pair)).unwrap();
    range.map(0, pair.b.alloc_physical_zeroed(part_of(&pair)).unwrap()).unwrap();
    range.enable_access_from(&[pair.b]).unwrap();
    let (plain, pooled_at) = (plain.as_raw(), pooled.as_raw());
    let mapped = range.slice::<u8>(&pair.b, ..).unwrap().as_raw();
    let all = |pair: &Pair| [users(pair, plain), users(pair, pooled_at), users(pair, mapped)];
    assert!(pair.a.can_access_peer(&pair.b).unwrap(), "which is another question");
    assert_eq!(all(&pair), [vec![1], vec![1], vec![1]]);
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    assert_eq!(all(&pair), [vec![0, 1], vec![1], vec![1]]);
    pool.enable_access_from(&[pair.a]).unwrap();
    assert_eq!(all(&pair), [vec![0, 1], vec![0, 1], vec![1]]);
    range.enable_access_from(&[pair.a]).unwrap();
    assert_eq!(all(&pair), [vec![0, 1], vec![0, 1], vec![0, 1]]);
    access.disable().unwrap();
    assert_eq!(all(&pair), [vec![1], vec![0, 1], vec![0, 1]]);
    pool.disable_access_from(&[pair.a]).unwrap();
    assert_eq!(all(&pair), [vec![1], vec![1], vec![0, 1]]);
    range.disable_access_from(&[pair.a, pair.b]).unwrap();
    assert_eq!(all(&pair), [vec![1], vec![1], vec![]]);
    drop((range, pooled));
    assert_eq!(pair.runtime.pointer_info(mapped).unwrap().kind, PointerKind::Unregistered);
    pair.ends_clean();
}
