//! Virtual memory in graphs: mapped where it is, and opened to whom it is, for as long as a graph has it.

use cuda_p2p::{
    CaptureError, CopyPath, Device, Error, GraphExec, MemPoolOptions, PhysicalMemory, Shape, Stream,
    VirtualRange,
};
use cuda_p2p_model::{World, under_seeds};

use crate::{ONE, PAIR, SLOW};

fn pair(world: &World) -> (Device, Device, usize) {
    let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
    (a, b, a.virtual_memory_granularity().unwrap())
}

fn physical(device: Device, bytes: usize) -> PhysicalMemory {
    device.alloc_physical_zeroed(bytes).unwrap()
}

/// Two parts, of device 0 and of device 1, opened to some devices.
fn opened_to(world: &World, devices: &[Device]) -> VirtualRange {
    let (a, b, part) = pair(world);
    let mut range = world.runtime.reserve_virtual_range(2 * part).unwrap();
    range.map(0, physical(a, part)).unwrap();
    range.map(part, physical(b, part)).unwrap();
    range.enable_access_from(devices).unwrap();
    range
}

/// What `work` puts into `stream`, ready to be launched.
fn exec(stream: &Stream, work: impl FnOnce() -> cuda_p2p::Result<()>) -> GraphExec {
    stream.capture(|_| work()).unwrap().instantiate().unwrap()
}

/// A kernel of device 0 that stores 7 in the second part, slowly.
fn storing(world: &World, range: &mut VirtualRange, stream: &Stream) -> GraphExec {
    let (a, _, part) = pair(world);
    let mut word = range.slice_mut::<u32>(&a, part / 4..part / 4 + 1).unwrap();
    exec(stream, || world.kernels.delayed_store(stream, ONE, &mut word, 7, SLOW))
}

#[test]
fn memory_that_a_graph_has_is_not_taken_out() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let stream = a.new_stream().unwrap();
        let mut range = opened_to(world, &[a, b]);
        let exec = storing(world, &mut range, &stream);
        let in_use = Error::RangeInUse { start: part, end: 2 * part };
        assert_eq!(range.unmap(part).unwrap_err(), in_use);
        drop(range.unmap(0).unwrap());
        exec.launch(&stream).unwrap();
        assert_eq!(range.unmap(part).unwrap_err(), in_use);
        stream.synchronize().unwrap();
        drop(exec);
        drop(range.unmap(part).unwrap());
    });
}

#[test]
fn access_to_what_a_graph_has_is_not_taken_away() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let stream = a.new_stream().unwrap();
        let mut range = opened_to(world, &[a, b]);
        let exec = storing(world, &mut range, &stream);
        let in_use = Error::RangeInUse { start: part, end: 2 * part };
        assert_eq!(range.disable_access_from(&[a]).unwrap_err(), in_use);
        exec.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        drop(exec);
        range.disable_access_from(&[a]).unwrap();
    });
}

#[test]
fn unmapping_waits_for_the_launches_of_a_graph_that_is_gone() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let stream = a.new_stream().unwrap();
        let theirs = b.new_stream().unwrap();
        let mut range = opened_to(world, &[a, b]);
        let exec = storing(world, &mut range, &stream);
        exec.launch(&theirs).unwrap();
        drop(exec);
        drop(range.unmap(part).unwrap());
        theirs.synchronize().unwrap();
    });
}

#[test]
fn a_range_that_is_dropped_is_kept_for_the_launches_to_come() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let before = cuda_p2p_sim::counters();
        let (stream, mut seen) = (a.new_stream().unwrap(), a.alloc_zeroed::<u8>(64).unwrap());
        let mut range = opened_to(world, &[a, b]);
        stream.fill_bytes_async(range.slice_mut::<u8>(&a, part..part + 64).unwrap(), 7).unwrap();
        let source = range.slice::<u8>(&a, part..part + 64).unwrap();
        let exec = exec(&stream, || {
            world.kernels.delay(&stream, ONE, SLOW)?;
            stream.copy_async(&mut seen, source)
        });
        drop(range);
        for device in [a, b] {
            device.synchronize().unwrap();
        }
        exec.launch(&stream).unwrap();
        drop(exec);
        assert_eq!(seen.to_vec().unwrap(), [7; 64]);
        drop(seen);
        for device in [a, b] {
            device.synchronize().unwrap();
        }
        let after = cuda_p2p_sim::counters();
        assert_eq!((after.ranges, after.allocations), (before.ranges, before.allocations));
        assert_eq!(world.runtime.deferred_errors(), []);
    });
}

#[test]
fn launches_and_other_work_on_a_range_are_in_order() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let (stream, theirs) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let mut range = opened_to(world, &[a, b]);
        let exec = storing(world, &mut range, &stream);
        let word = part / 4..part / 4 + 1;
        let mut found = [0u32];
        exec.launch(&stream).unwrap();
        theirs.copy_to_host(range.slice::<u32>(&b, word.clone()).unwrap(), &mut found).unwrap();
        assert_eq!(found, [7]);
        // And the other way round.
        let store = range.slice_mut::<u32>(&b, word.clone()).unwrap();
        world.kernels.delayed_store(&theirs, ONE, store, 9, SLOW).unwrap();
        exec.launch(&stream).unwrap();
        stream.copy_to_host(range.slice::<u32>(&a, word).unwrap(), &mut found).unwrap();
        assert_eq!(found, [7]);
    });
}

/// For device 0 both ends are its own, and part of the memory is device 1's.
#[test]
fn peer_access_by_which_a_copy_of_a_range_may_go_is_held() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let (access, stream) = (a.enable_peer_access(&b).unwrap(), a.new_stream().unwrap());
        let (range, mut ours) = (opened_to(world, &[a, b]), a.alloc_zeroed::<u8>(64).unwrap());
        let source = || range.slice::<u8>(&a, part..part + 64);
        let line = exec(&stream, || stream.copy_async(&mut ours, source()?));
        let refused = access.disable().expect_err("the copy may go by it");
        assert!(matches!(refused.error, Error::PeerAccessInUse { .. }), "{refused}");
        drop(line);
        let shape = Shape::new_2d(4, 4).with_row_pitch(16);
        let rows =
            exec(&stream, || stream.copy_pitched_async(ours.pitched_mut(shape)?, source()?.pitched(shape)?));
        let refused = refused.access.disable().expect_err("the copy of rows may go by it");
        rows.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        drop(rows);
        refused.access.disable().unwrap();
    });
}

/// Who has the bytes may push them, into memory of a pool that is opened to it.
#[test]
fn the_grant_by_which_a_copy_of_a_range_may_go_is_held() {
    under_seeds(PAIR, |world| {
        let (a, b, part) = pair(world);
        let (stream, pool) = (a.new_stream().unwrap(), a.new_mem_pool(MemPoolOptions::default()).unwrap());
        pool.enable_access_from(&[b]).unwrap();
        let range = opened_to(world, &[a, b]);
        let mut ours = stream.alloc_zeroed_async::<u8>(&pool, 64).unwrap();
        let exec = exec(&stream, || stream.copy_async(&mut ours, range.slice(&a, part..part + 64)?));
        assert_eq!(pool.disable_access_from(&[b]), Err(Error::GrantInUse { accessor: 1, owner: 0 }));
        exec.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        drop(exec);
        pool.disable_access_from(&[b]).unwrap();
    });
}

/// Device 2 takes memory of device 1 as its own, and device 0 copies it.
#[test]
fn peer_access_to_the_owner_of_what_a_third_device_takes_is_held() {
    under_seeds("devices=3", |world| {
        let (a, b, part) = pair(world);
        let third = world.runtime.device(2).unwrap();
        let (access, stream) = (a.enable_peer_access(&b).unwrap(), a.new_stream().unwrap());
        let (range, mut ours) = (opened_to(world, &[a, b, third]), a.alloc_zeroed::<u8>(64).unwrap());
        let exec = exec(&stream, || {
            let source = range.slice::<u8>(&third, part..part + 64)?;
            assert_eq!(stream.copy_peer_async(&mut ours, source)?, CopyPath::Direct);
            Ok(())
        });
        let refused = access.disable().expect_err("the copy may go by it");
        exec.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        drop(exec);
        refused.access.disable().unwrap();
    });
}

/// The runtime takes addresses that the current device has access to.
#[test]
fn a_copy_needs_a_stream_whose_device_sees_the_range() {
    under_seeds(PAIR, |world| {
        let (a, b, _) = pair(world);
        let _access = a.enable_peer_access(&b).unwrap();
        let (ours, theirs) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let (range, mut there) = (opened_to(world, &[a]), b.alloc_from(&[9u8; 64]).unwrap());
        let source = || range.slice::<u8>(&a, ..64);
        let outcome = theirs.capture(|_| theirs.copy_peer_async(&mut there, source()?).map(drop));
        assert_eq!(outcome.unwrap_err(), Error::RangeNotGranted { accessor: 1, owner: 0 });
        let exec = exec(&ours, || ours.copy_peer_async(&mut there, source()?).map(drop));
        exec.launch(&ours).unwrap();
        assert_eq!(there.to_vec().unwrap(), [0; 64]);
    });
}

#[test]
fn a_copy_of_a_range_through_the_host_goes_into_no_graph() {
    under_seeds(PAIR, |world| {
        let (a, b, _) = pair(world);
        let (ours, range) = (a.new_stream().unwrap(), opened_to(world, &[a]));
        let mut there = b.alloc_zeroed::<u8>(64).unwrap();
        let outcome = ours.capture(|_| ours.copy_peer_async(&mut there, range.slice(&a, ..64)?).map(drop));
        assert!(matches!(outcome, Err(Error::Capture(CaptureError::Refused { .. }))), "{outcome:?}");
    });
}

/// They are of no memory, so nothing is kept for them.
#[test]
fn no_bytes_of_a_range_are_no_use_of_it() {
    under_seeds(PAIR, |world| {
        let (a, b, _) = pair(world);
        let stream = a.new_stream().unwrap();
        let mut range = opened_to(world, &[a, b]);
        let nothing = range.slice_mut::<u8>(&a, ..0).unwrap();
        let exec = exec(&stream, || world.kernels.fill(&stream, ONE, nothing, 0, 1));
        range.disable_access_from(&[a]).unwrap();
        drop(range);
        exec.launch(&stream).unwrap();
        stream.synchronize().unwrap();
    });
}
