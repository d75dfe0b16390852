//! Several threads use one allocation, or one token, at the same moment. The schedule of threads is the system's, so here a seed
//! decides only what the machine does.

use std::sync::Barrier;
use std::time::Duration;

use cuda_p2p::Disabled;
use cuda_p2p_model::under_seeds;

use crate::{ONE, PAIR, SLOW};

/// A fence that one thread records for another stream may stand before work that a third is just putting in.
#[test]
fn halves_used_by_two_threads_are_both_waited_for() {
    under_seeds("devices=1", |world| {
        let device = world.runtime.device(0).unwrap();
        let streams = [(); 2].map(|()| device.new_stream().unwrap());
        let reader = device.new_stream().unwrap();
        let mut memory = device.alloc_zeroed::<u32>(2).unwrap();
        let start = Barrier::new(2);
        for round in 1..=4 {
            let (left, right) = memory.as_slice_mut().split_at_mut(1).unwrap();
            std::thread::scope(|scope| {
                for (mut half, stream) in [left, right].into_iter().zip(&streams) {
                    let start = &start;
                    scope.spawn(move || {
                        start.wait();
                        world.kernels.delayed_store(stream, ONE, &mut half, round, SLOW).unwrap();
                    });
                }
            });
            let mut found = [0; 2];
            reader.copy_to_host(&memory, &mut found).unwrap();
            assert_eq!(found, [round; 2]);
        }
    });
}

/// The same with copies through the host, which take many calls to submit: the second thread comes in the midst of the first's. A
/// large part and a small one, so that who waits for the small one alone is early.
#[test]
fn parts_that_two_threads_copy_to_are_both_waited_for() {
    const LARGE: usize = 1 << 19;
    under_seeds("devices=3 peers=none", |world| {
        let devices = world.runtime.devices().unwrap();
        let streams = [(); 2].map(|()| devices[0].new_stream().unwrap());
        let reader = devices[0].new_stream().unwrap();
        let mut memory = devices[0].alloc_zeroed::<u32>(LARGE + 1).unwrap();
        let sources =
            [(1, LARGE), (2, 1)].map(|(owner, len)| devices[owner].alloc_from(&vec![7u32; len]).unwrap());
        devices[0].synchronize().unwrap();
        let start = Barrier::new(2);
        let (large, small) = memory.as_slice_mut().split_at_mut(LARGE).unwrap();
        std::thread::scope(|scope| {
            for ((part, stream), source) in [large, small].into_iter().zip(&streams).zip(&sources) {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    if source.len() == 1 {
                        // The other copy is the first of its pair and allocates for a while, before it is submitted.
                        std::thread::sleep(Duration::from_micros(300));
                    }
                    stream.copy_peer_async(part, source).unwrap();
                });
            }
        });
        let mut found = vec![0; LARGE + 1];
        reader.copy_to_host(&memory, &mut found).unwrap();
        assert!(found.iter().all(|word| *word == 7));
    });
}

#[test]
fn tokens_of_two_threads_count() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let first = a.enable_peer_access(&b).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| drop(first.clone()));
            }
        });
        assert_eq!(first.disable().unwrap(), Disabled::Disabled);
    });
}

/// One thread disables, and waits for a kernel; another makes a token meanwhile, launches with it, and drops it.
#[test]
fn a_token_that_comes_and_goes_while_access_is_disabled_is_waited_for() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        let streams = [(); 2].map(|()| a.new_stream().unwrap());
        let mut theirs = b.alloc_from(&[1u32]).unwrap();
        world.kernels.delay(&streams[0], ONE, 60 * SLOW).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // Refused if the other token is alive just then.
                drop(access.disable());
            });
            // Long enough for the other thread to begin to wait, most of the time.
            std::thread::sleep(Duration::from_micros(500));
            let other = a.enable_peer_access(&b).unwrap();
            let view = other.slice_mut(&mut theirs).unwrap();
            world.kernels.delayed_store(&streams[1], ONE, view, 7, 120 * SLOW).unwrap();
        });
        assert_eq!(theirs.to_vec().unwrap(), [7]);
    });
}
