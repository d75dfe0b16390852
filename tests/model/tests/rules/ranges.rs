//! Virtual memory: kept while work uses it, and used by those alone that have access.

use cuda_p2p::{CopyPath, Device, Error, ErrorClass, PhysicalMemory, StagedReason, VirtualRange};
use cuda_p2p_model::{World, under_seeds};

use crate::{ONE, PAIR, SLOW, STRANGERS};

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

#[test]
fn what_is_mapped_later_is_opened_to_those_who_have_the_rest() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let mut range = world.runtime.reserve_virtual_range(2 * part).unwrap();
        range.enable_access_from(&[a, b]).unwrap();
        range.map(part, physical(b, part)).unwrap();
        range.map(0, physical(a, part)).unwrap();
        for device in [a, b] {
            let stream = device.new_stream().unwrap();
            stream.fill_bytes_async(range.slice_mut::<u8>(&device, part - 4..part + 4).unwrap(), 7).unwrap();
            stream.synchronize().unwrap();
        }
    });
}

#[test]
fn memory_is_mapped_only_where_nothing_is() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let mut range = world.runtime.reserve_virtual_range(3 * part).unwrap();
        range.map(part, physical(a, part)).unwrap();
        for (offset, bytes) in [(part, part), (0, 2 * part), (part, 2 * part)] {
            let refused = range.map(offset, physical(b, bytes)).unwrap_err();
            assert_eq!(refused.error, Error::AlreadyMapped { start: part, end: 2 * part });
        }
        range.map(0, physical(b, part)).unwrap();
        range.map(2 * part, physical(b, part)).unwrap();
    });
}

#[test]
fn memory_is_opened_to_peers_alone() {
    under_seeds(STRANGERS, |world| {
        let (a, b, part) = pair(world);
        let mut range = world.runtime.reserve_virtual_range(2 * part).unwrap();
        range.map(0, physical(b, part)).unwrap();
        let unreachable = Error::PeerUnreachable { accessor: 0, owner: 1 };
        assert_eq!(range.enable_access_from(&[b, a]).unwrap_err(), unreachable);
        assert!(!range.is_accessible_from(&b).unwrap());
        drop(range.unmap(0).unwrap());
        range.enable_access_from(&[a]).unwrap();
        assert_eq!(range.map(part, physical(b, part)).unwrap_err().error, unreachable);
        range.map(part, physical(a, part)).unwrap();
    });
}

/// Neither device reaches the other's end, and then one does.
#[test]
fn a_copy_knows_who_has_access() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let mut range = world.runtime.reserve_virtual_range(part).unwrap();
        range.map(0, physical(a, part)).unwrap();
        range.enable_access_from(&[a]).unwrap();
        let (ours, mut theirs) = (a.new_stream().unwrap(), b.alloc_zeroed::<u8>(64).unwrap());
        ours.fill_bytes_async(range.slice_mut::<u8>(&a, ..64).unwrap(), 7).unwrap();
        let slice = range.slice::<u8>(&a, ..64).unwrap();
        let staged = CopyPath::Staged { reason: StagedReason::NotEnabled };
        assert_eq!(ours.copy_peer_async(&mut theirs, slice).unwrap(), staged);
        assert_eq!(theirs.to_vec().unwrap(), [7; 64]);
        range.enable_access_from(&[b]).unwrap();
        let slice = range.slice::<u8>(&a, ..64).unwrap();
        assert_eq!(ours.copy_peer_async(&mut theirs, slice).unwrap(), CopyPath::Direct);
        assert_eq!(theirs.to_vec().unwrap(), [7; 64]);
    });
}

/// Dropped with work in flight, and with memory unmapped, mapped, and left over.
#[test]
fn ranges_leave_nothing_behind() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let before = cuda_p2p_sim::counters();
        let stream = a.new_stream().unwrap();
        let mut range = shared(world);
        let mut word = range.slice_mut::<u32>(&a, part / 4..part / 4 + 1).unwrap();
        world.kernels.delayed_store(&stream, ONE, &mut word, 7, SLOW).unwrap();
        let left_over = range.unmap(0).unwrap();
        drop((range, left_over, world.runtime.reserve_virtual_range(part).unwrap()));
        for device in [a, b] {
            device.synchronize().unwrap();
        }
        let after = cuda_p2p_sim::counters();
        assert_eq!((after.ranges, after.allocations), (before.ranges, before.allocations));
    });
}

#[test]
fn physical_memory_waits_for_what_was_dropped() {
    under_seeds("devices=2 memory=5MiB", |world| {
        let (a, b, part) = pair(world);
        let stream = b.new_stream().unwrap();
        for _ in 0..3 {
            let mut range = world.runtime.reserve_virtual_range(2 * part).unwrap();
            range.map(0, physical(a, 2 * part)).unwrap();
            range.enable_access_from(&[b]).unwrap();
            let mut word = range.slice_mut::<u32>(&b, ..1).unwrap();
            world.kernels.delayed_store(&stream, ONE, &mut word, 7, SLOW).unwrap();
        }
        let error = a.alloc_physical_zeroed(3 * part).unwrap_err();
        assert_eq!(error.class(), Some(ErrorClass::OutOfMemory));
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
