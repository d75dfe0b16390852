//! Work of two streams and two devices on the same memory is in order by itself, under schedules that try not to be;
//! left to hand, it is not. Memory that is dropped while in use is freed after the use.

mod common;

use common::{in_child, isolated, machine, seeded, under_seeds};
use cuda_p2p::LaunchConfig;
use cuda_p2p::builtin::Kernels;

const ONE: LaunchConfig = LaunchConfig::new(1, 1);

#[test]
fn a_second_stream_sees_what_the_first_one_wrote() {
    under_seeds("a_second_stream_sees_what_the_first_one_wrote", || {
        let (runtime, kernels) = seeded();
        let (a, b) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        let (on_a, on_b) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let mut theirs = b.alloc_zeroed::<u32>(1).unwrap();
        let mut ours = a.alloc_zeroed::<u32>(1).unwrap();
        for round in 1..=20 {
            // The owner writes late, the accessor copies; the accessor writes late over the link, the owner's stream
            // reads.
            kernels.delayed_store(&on_b, ONE, &mut theirs, round, 20_000).unwrap();
            on_a.copy_peer_async(&mut ours, &theirs).unwrap();
            assert_eq!(ours.to_vec().unwrap(), [round]);
            let view = access.slice_mut(&mut theirs).unwrap();
            kernels.delayed_store(&on_a, ONE, view, round + 100, 20_000).unwrap();
            let mut found = [0];
            on_b.copy_to_host(&theirs, &mut found).unwrap();
            assert_eq!(found, [round + 100]);
        }
        access.disable().unwrap();
    });
}

#[test]
fn order_that_is_left_to_hand_and_left_out_shows() {
    let printed = under_seeds("order_that_is_left_to_hand_and_left_out_shows", || {
        let (runtime, kernels) = seeded();
        let a = runtime.device(0).unwrap();
        let (first, second) = (a.new_stream().unwrap(), a.new_stream().unwrap());
        let mut memory = a.alloc_zeroed::<u32>(1).unwrap();
        let mut seen = a.alloc_zeroed::<u32>(1).unwrap();
        a.synchronize().unwrap();
        kernels.delayed_store(&first, ONE, &mut memory, 1, 50_000).unwrap();
        // SAFETY: it is not ordered, which is what this test shows; on the simulator a race is a stale value, no
        // more.
        let unordered = unsafe { memory.as_slice().unordered() };
        second.copy_async(&mut seen, unordered).unwrap();
        println!("seen {:?}", seen.to_vec().unwrap());
        // The memory still remembers both streams: an ordered use waits for the write.
        assert_eq!(memory.to_vec().unwrap(), [1]);
    });
    assert!(in_child() || printed.iter().any(|text| text.contains("seen [0]")), "{printed:?}");
}

#[test]
fn two_readers_do_not_wait_for_each_other() {
    under_seeds("two_readers_do_not_wait_for_each_other", || {
        let (runtime, kernels) = seeded();
        let (a, b) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
        let (access, _back) = cuda_p2p::PeerAccess::enable_both(&a, &b).unwrap();
        let (on_a, on_b) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let source = b.alloc_from(&[1.0f32; 64]).unwrap();
        let mut on = (a.alloc_zeroed::<f32>(64).unwrap(), b.alloc_zeroed::<f32>(64).unwrap());
        // The first reader waits for a flag that is set only after the second one was queued.
        let (mut mine, mut theirs) = (a.alloc_zeroed::<u32>(1).unwrap(), b.alloc_zeroed::<u32>(1).unwrap());
        let mut status = a.alloc_from(&[7u32]).unwrap();
        a.synchronize().unwrap();
        b.synchronize().unwrap();
        let polled = mine.as_slice_mut();
        // SAFETY: the flag is polled with acquire and set with release.
        let polled = unsafe { polled.unordered() };
        kernels
            .ping_pong(
                &on_a,
                ONE,
                polled,
                access.slice_mut(&mut theirs).unwrap(),
                1,
                0,
                10_000_000_000,
                &mut status,
            )
            .unwrap();
        kernels.add_f32(&on_a, ONE, &mut on.0, access.slice(&source).unwrap(), 64).unwrap();
        kernels.add_f32(&on_b, ONE, &mut on.1, &source, 64).unwrap();
        let flag = _back.slice_mut(&mut mine).unwrap();
        // SAFETY: as above.
        kernels.delayed_store(&on_b, ONE, unsafe { flag.unordered() }, 1, 1000).unwrap();
        assert_eq!(status.to_vec().unwrap(), [0], "the game was played");
        assert_eq!((on.0.to_vec().unwrap(), on.1.to_vec().unwrap()), (vec![1.0; 64], vec![1.0; 64]));
    });
}

/// Two threads submit on disjoint halves of one buffer at the same moment; a third stream then reads all of it.
#[test]
fn halves_used_by_two_threads_are_both_waited_for() {
    under_seeds("halves_used_by_two_threads_are_both_waited_for", || {
        let (runtime, kernels) = seeded();
        let a = runtime.device(0).unwrap();
        let streams = [a.new_stream().unwrap(), a.new_stream().unwrap()];
        let reader = a.new_stream().unwrap();
        let mut memory = a.alloc_zeroed::<u32>(2).unwrap();
        for round in 1..=25 {
            let (left, right) = memory.as_slice_mut().split_at_mut(1).unwrap();
            std::thread::scope(|scope| {
                for (mut half, stream) in [left, right].into_iter().zip(&streams) {
                    scope.spawn(move || {
                        for value in [0, round] {
                            kernels.delayed_store(stream, ONE, &mut half, value, 5_000).unwrap();
                        }
                    });
                }
            });
            let mut found = [0; 2];
            reader.copy_to_host(&memory, &mut found).unwrap();
            assert_eq!(found, [round; 2]);
        }
    });
}

#[test]
fn memory_dropped_while_in_use_is_freed_after_the_use() {
    isolated("memory_dropped_while_in_use_is_freed_after_the_use", &[], || {
        let (runtime, kernels) = seeded();
        let (a, b) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        let stream = a.new_stream().unwrap();
        let before = cuda_p2p_sim::counters();
        let mut memory = b.alloc_zeroed::<u32>(1).unwrap();
        memory.to_vec().unwrap();
        // 300 ms: longer than the drops below take.
        kernels.delayed_store(&stream, ONE, access.slice_mut(&mut memory).unwrap(), 1, 300_000_000).unwrap();
        drop(memory);
        assert!(!stream.is_done().unwrap(), "the kernel ended too early for this test");
        assert_eq!(
            cuda_p2p_sim::counters().allocations,
            before.allocations + 1,
            "freed while a kernel uses it"
        );
        // Dropped with work in it: the work is done all the same, and the memory goes when that is noticed.
        drop(stream);
        a.synchronize().unwrap();
        let after = cuda_p2p_sim::counters();
        assert_eq!((after.allocations, after.operations), (before.allocations, 0));
        access.disable().unwrap();
        assert_eq!(runtime.deferred_errors(), []);
    });
}

#[test]
fn dropping_does_not_wait_for_what_else_the_device_does() {
    isolated("dropping_does_not_wait_for_what_else_the_device_does", &[], || {
        let (runtime, kernels) = seeded();
        let a = runtime.device(0).unwrap();
        let stream = a.new_stream().unwrap();
        let memory = a.alloc_from(&[1u32; 16]).unwrap();
        let before = cuda_p2p_sim::counters().allocations;
        kernels.delay(&stream, ONE, 300_000_000).unwrap();
        drop(memory);
        assert!(!stream.is_done().unwrap(), "the drop waited, or the kernel ended too early for this test");
        assert_eq!(cuda_p2p_sim::counters().allocations, before, "cudaFree would have waited for the kernel");
        a.synchronize().unwrap();
        assert_eq!(cuda_p2p_sim::counters().allocations, before - 1);
    });
}

#[test]
fn no_memory_left_waits_for_what_was_dropped() {
    isolated("no_memory_left_waits_for_what_was_dropped", &[], || {
        let runtime = machine("devices=1 memory=64MiB quiet");
        let kernels = Kernels::load(&runtime).unwrap();
        let a = runtime.device(0).unwrap();
        let stream = a.new_stream().unwrap();
        let mut memory = a.alloc_zeroed::<u32>(10 << 20).unwrap();
        kernels.delayed_store(&stream, ONE, &mut memory, 1, 50_000_000).unwrap();
        drop(memory);
        assert!(a.alloc_zeroed::<u32>(10 << 20).is_ok());
        let error = a.alloc_zeroed::<u32>(1 << 30).unwrap_err();
        assert_eq!(error.class(), Some(cuda_p2p::ErrorClass::OutOfMemory));
    });
}
