//! Virtual memory: kept while work uses it, and used by those alone that have access.

use cuda_p2p::{Device, Error, PhysicalMemory, VirtualRange};
use cuda_p2p_model::{World, under_seeds};

use crate::{ONE, PAIR, SLOW};

fn pair(world: &World) -> (Device, Device, usize) {
    let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
    (a, b, a.virtual_memory_granularity().unwrap())
}

fn physical(device: Device, bytes: usize) -> PhysicalMemory {
    device.alloc_physical_zeroed(bytes).unwrap()
}

/// Two parts, of device 0 and of device 1; both have access.
fn shared(world: &World) -> VirtualRange {
    let (a, b, part) = pair(world);
    let mut range = world.runtime.reserve_virtual_range(2 * part).unwrap();
    range.map(0, physical(a, part)).unwrap();
    range.map(part, physical(b, part)).unwrap();
    range.enable_access_from(&[a, b]).unwrap();
    range
}

#[test]
fn unmapping_waits_for_the_work_on_it() {
    under_seeds(PAIR, |world| {
        let (a, _, part) = pair(world);
        let stream = a.new_stream().unwrap();
        let mut range = shared(world);
        let mut word = range.slice_mut::<u32>(&a, part / 4..part / 4 + 1).unwrap();
        world.kernels.delayed_store(&stream, ONE, &mut word, 7, SLOW).unwrap();
        drop(range.unmap(part).unwrap());
        stream.synchronize().unwrap();
    });
}

#[test]
fn taking_access_away_waits_for_the_work_on_it() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let stream = a.new_stream().unwrap();
        let mut range = shared(world);
        let mut word = range.slice_mut::<u32>(&a, part / 4..part / 4 + 1).unwrap();
        world.kernels.delayed_store(&stream, ONE, &mut word, 7, SLOW).unwrap();
        range.disable_access_from(&[a]).unwrap();
        stream.synchronize().unwrap();
        assert!(range.slice::<u8>(&a, ..).is_err() && range.slice::<u8>(&b, ..).is_ok());
    });
}

/// Both parts: the work is on the second.
#[test]
fn a_range_that_is_dropped_is_kept_until_its_work_is_done() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let stream = a.new_stream().unwrap();
        let mut range = shared(world);
        let mut word = range.slice_mut::<u32>(&a, part / 4..part / 4 + 1).unwrap();
        world.kernels.delayed_store(&stream, ONE, &mut word, 7, SLOW).unwrap();
        drop(range);
        b.synchronize().unwrap();
        stream.synchronize().unwrap();
    });
}

#[test]
fn work_on_several_parts_is_ordered_on_each() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let (ours, theirs) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let mut range = shared(world);
        for index in [0, part / 4] {
            let mut word = range.slice_mut::<u32>(&a, index..=index).unwrap();
            world.kernels.delayed_store(&ours, ONE, &mut word, 7, SLOW).unwrap();
            let mut found = vec![0u32; part / 4 + 1];
            theirs.copy_to_host(range.slice::<u32>(&b, ..=part / 4).unwrap(), &mut found).unwrap();
            assert_eq!(found[index], 7, "word {index}");
        }
    });
}

#[test]
fn a_slice_asks_for_access_and_for_memory() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let mut range = world.runtime.reserve_virtual_range(3 * part).unwrap();
        range.map(part, physical(b, part)).unwrap();
        let of_b = part..2 * part;
        let not_granted = Error::RangeNotGranted { accessor: 0, owner: 1 };
        assert_eq!(range.slice::<u8>(&a, of_b.clone()).unwrap_err(), not_granted);
        range.enable_access_from(&[b]).unwrap();
        assert_eq!(range.slice::<u8>(&a, of_b.clone()).unwrap_err(), not_granted);
        let access = a.enable_peer_access(&b).unwrap();
        let view = range.slice::<u8>(&b, of_b).unwrap();
        assert_eq!(view.for_device(&a).unwrap_err(), not_granted);
        assert_eq!(access.slice(view).unwrap_err(), not_granted);
        let before = Error::NotMapped { start: 0, end: part };
        assert_eq!(range.slice::<u8>(&b, ..2 * part).unwrap_err(), before);
        let behind = Error::NotMapped { start: 2 * part, end: 3 * part };
        assert_eq!(range.slice::<u8>(&b, part..).unwrap_err(), behind);
    });
}

/// A reset of a device leaves virtual memory, so it can be used afterwards, and is given back at its end.
#[test]
fn a_range_outlives_a_reset() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let before = cuda_p2p_sim::counters().allocations;
        let mut range = shared(world);
        let stream = b.new_stream().unwrap();
        stream.fill_bytes_async(range.slice_mut::<u8>(&b, ..).unwrap(), 5).unwrap();
        b.synchronize().unwrap();
        // SAFETY: nothing but the range is on the device, and no work is unfinished.
        unsafe { a.reset() }.unwrap();
        let mut found = vec![0u8; 2 * part];
        stream.copy_to_host(range.slice::<u8>(&b, ..).unwrap(), &mut found).unwrap();
        assert!(found.iter().all(|byte| *byte == 5));
        drop(range);
        drop(b.alloc_zeroed::<u8>(1).unwrap());
        b.synchronize().unwrap();
        assert_eq!(cuda_p2p_sim::counters().allocations, before);
    });
}
