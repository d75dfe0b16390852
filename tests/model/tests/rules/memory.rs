//! Memory is kept until the work on it is done, and no longer.

use std::sync::OnceLock;

use cuda_p2p::sys::{CudaRuntime, cudaError_t, cudaStream_t};
use cuda_p2p::{ErrorClass, Runtime};
use cuda_p2p_model::{Kernels, World, on_machine, under_seeds};

use crate::stop::{Stop, stopped};
use crate::{ONE, PAIR, SLOW};

/// What the program has and the crate keeps, in device memory and in pinned memory.
fn allocations() -> (usize, usize) {
    let counters = cuda_p2p_sim::counters();
    (counters.allocations, counters.pinned)
}

#[test]
fn memory_is_kept_until_the_devices_own_work_is_done() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let stream = device.new_stream().unwrap();
        let mut seen = device.alloc_zeroed::<u8>(64).unwrap();
        let source = device.alloc_from(&[7u8; 64]).unwrap();
        world.kernels.delay(&stream, ONE, SLOW).unwrap();
        world.kernels.copy(&stream, ONE, &mut seen, &source, 64).unwrap();
        drop(source);
        assert_eq!(seen.to_vec().unwrap(), [7; 64]);
    });
}

/// The owner has nothing to do meanwhile: that it is idle says nothing.
#[test]
fn memory_is_kept_until_a_peers_work_is_done() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        let stream = a.new_stream().unwrap();
        let mut ours = a.alloc_zeroed::<u8>(64).unwrap();
        let theirs = b.alloc_from(&[7u8; 64]).unwrap();
        b.synchronize().unwrap();
        world.kernels.delay(&stream, ONE, SLOW).unwrap();
        world.kernels.fetch(&stream, ONE, &mut ours, access.slice(&theirs).unwrap(), 64).unwrap();
        drop(theirs);
        // Frees what can be freed, and waits for the owner alone.
        b.synchronize().unwrap();
        assert_eq!(ours.to_vec().unwrap(), [7; 64]);
    });
}

#[test]
fn both_ends_of_a_staged_copy_are_kept() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let stream = a.new_stream().unwrap();
        for _ in 0..2 {
            let source = b.alloc_from(&[7u8; 64]).unwrap();
            let mut destination = a.alloc_zeroed::<u8>(64).unwrap();
            world.kernels.delay(&stream, ONE, SLOW).unwrap();
            stream.copy_peer_async(&mut destination, &source).unwrap();
            drop(source);
            drop(destination);
            b.synchronize().unwrap();
        }
        stream.synchronize().unwrap();
    });
}

#[test]
fn pinned_memory_is_kept_until_the_copy_is_done() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let stream = a.new_stream().unwrap();
        let mut memory = a.alloc_zeroed::<u8>(64).unwrap();
        // By another device: when that is idle, the copy may still be on its way.
        let pinned = b.alloc_pinned_from(&[7u8; 64]).unwrap();
        world.kernels.delay(&stream, ONE, SLOW).unwrap();
        stream.copy_from_pinned_async(&mut memory, &pinned).unwrap();
        drop(pinned);
        b.synchronize().unwrap();
        assert_eq!(memory.to_vec().unwrap(), [7; 64]);
    });
}

#[test]
fn what_was_kept_is_freed() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        let stream = a.new_stream().unwrap();
        let mut theirs = b.alloc_zeroed::<u32>(1).unwrap();
        world.kernels.delayed_store(&stream, ONE, access.slice_mut(&mut theirs).unwrap(), 1, SLOW).unwrap();
        drop(theirs);
        a.synchronize().unwrap();
        b.synchronize().unwrap();
        assert_eq!(allocations(), (0, 0));
    });
}

#[test]
fn an_allocation_that_finds_no_memory_waits_for_what_was_dropped() {
    under_seeds("devices=1 memory=1MiB", |world| {
        let device = world.runtime.device(0).unwrap();
        let stream = device.new_stream().unwrap();
        for _ in 0..3 {
            let mut memory = device.alloc_zeroed::<u32>(200_000).unwrap();
            world.kernels.delayed_store(&stream, ONE, memory.slice_mut(..1).unwrap(), 1, SLOW).unwrap();
        }
        let error = device.alloc_zeroed::<u32>(400_000).unwrap_err();
        assert_eq!(error.class(), Some(ErrorClass::OutOfMemory));
    });
}

#[test]
fn exhausted_memory_frees_nothing_in_use() {
    under_seeds("devices=2 memory=1MiB", |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        let stream = a.new_stream().unwrap();
        let mut ours = a.alloc_zeroed::<u8>(64).unwrap();
        let theirs = b.alloc_from(&[7u8; 700_000]).unwrap();
        let view = access.slice(theirs.slice(..64).unwrap()).unwrap();
        world.kernels.delay(&stream, ONE, SLOW).unwrap();
        world.kernels.fetch(&stream, ONE, &mut ours, view, 64).unwrap();
        drop(theirs);
        b.alloc_zeroed::<u8>(700_000).unwrap();
        assert_eq!(ours.to_vec().unwrap(), [7; 64]);
    });
}

/// In order, where a kernel runs for as long as it says.
#[test]
fn dropping_does_not_wait() {
    on_machine(&"devices=1 quiet".parse().expect("a machine"), |world| {
        let device = world.runtime.device(0).unwrap();
        let stream = device.new_stream().unwrap();
        let mut memory = device.alloc_zeroed::<u32>(1).unwrap();
        let other = device.alloc_from(&[1u8; 16]).unwrap();
        world.kernels.delayed_store(&stream, ONE, &mut memory, 1, 400_000_000).unwrap();
        drop((memory, other));
        assert!(!stream.is_done().unwrap(), "the drop waited, or the machine is very slow");
    });
}

/// The same where the stream with the work is gone, and nothing but the device knows of it.
#[test]
fn dropping_does_not_wait_for_streams_that_are_gone() {
    on_machine(&"devices=1 quiet".parse().expect("a machine"), |world| {
        let device = world.runtime.device(0).unwrap();
        let other = device.alloc_from(&[1u8; 16]).unwrap();
        let stream = device.new_stream().unwrap();
        world.kernels.delay(&stream, ONE, 400_000_000).unwrap();
        drop(stream);
        drop(other);
        assert_ne!(cuda_p2p_sim::counters().operations, 0, "the drop waited, or the machine is very slow");
    });
}

/// The table of the machine, whose functions stay the same from one to the next.
static TABLE: OnceLock<CudaRuntime> = OnceLock::new();

unsafe extern "C" fn query(stream: cudaStream_t) -> cudaError_t {
    let function = TABLE.get().and_then(|table| table.cudaStreamQuery).expect("the function");
    // SAFETY: what the caller gave.
    stopped(|| unsafe { function(stream) })
}

/// A runtime in which a thread can be stopped where it asks whether a stream has work.
fn with_stops(world: &World) -> (Runtime, Kernels) {
    let table = TABLE.get_or_init(|| *world.runtime.table());
    let table = CudaRuntime { cudaStreamQuery: Some(query), ..*table };
    // SAFETY: the functions are those of the machine, which nothing else of this test uses.
    let runtime = unsafe { Runtime::from_table(Box::leak(Box::new(table))) };
    (runtime, Kernels::load(&runtime).unwrap())
}

/// The same while it is just going: nobody can ask it any more, and its work is not noted yet.
#[test]
fn dropping_does_not_wait_for_a_stream_that_is_just_going() {
    on_machine(&"devices=1 quiet".parse().expect("a machine"), |world| {
        let (runtime, kernels) = with_stops(world);
        let device = runtime.device(0).unwrap();
        let other = device.alloc_from(&[1u8; 16]).unwrap();
        let stream = device.new_stream().unwrap();
        kernels.delay(&stream, ONE, 400_000_000).unwrap();
        let (before, stop) = (allocations(), Stop::new());
        std::thread::scope(|scope| {
            scope.spawn(move || {
                stop.arm();
                drop(stream);
            });
            stop.wait_until_inside();
            drop(other);
            let after = allocations();
            stop.go();
            assert_eq!(after, before, "the memory was freed, which waits for the device");
        });
    });
}
