//! Memory of pools: freed behind its uses, and used by those alone that it is opened to.

use std::time::Duration;

use cuda_p2p::{CopyPath, Device, Error, ErrorClass, MemPool, MemPoolOptions, Shape, StagedReason};
use cuda_p2p_model::{World, on_machine, under_seeds};

use crate::{ONE, PAIR, SLOW, STRANGERS};

const NOT_GRANTED: Error = Error::PoolNotGranted { accessor: 0, owner: 1 };

fn pair(world: &World) -> (Device, Device, MemPool) {
    let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
    (a, b, b.new_mem_pool(MemPoolOptions::default()).unwrap())
}

#[test]
fn memory_is_freed_behind_the_work_of_its_only_stream() {
    under_seeds(PAIR, |world| {
        let (_, b, pool) = pair(world);
        let stream = b.new_stream().unwrap();
        let mut seen = b.alloc_zeroed::<u8>(64).unwrap();
        let source = stream.alloc_from(&pool, &[7u8; 64]).unwrap();
        world.kernels.delay(&stream, ONE, SLOW).unwrap();
        world.kernels.copy(&stream, ONE, &mut seen, &source, 64).unwrap();
        drop(source);
        assert_eq!(seen.to_vec().unwrap(), [7; 64]);
    });
}

/// One of the streams is a peer's.
#[test]
fn memory_is_freed_behind_the_work_of_all_its_streams() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        pool.enable_access_from(&[a]).unwrap();
        let access = a.enable_peer_access(&b).unwrap();
        let streams = [a.new_stream().unwrap(), b.new_stream().unwrap(), b.new_stream().unwrap()];
        let mut seen = [a, b, b].map(|device| device.alloc_zeroed::<u8>(64).unwrap());
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let source = streams[1].alloc_from(&pool, &[7u8; 64]).unwrap();
            for index in order {
                let (stream, seen) = (&streams[index], &mut seen[index]);
                world.kernels.delay(stream, ONE, SLOW).unwrap();
                if index == 0 {
                    world.kernels.fetch(stream, ONE, seen, access.slice(&source).unwrap(), 64).unwrap();
                } else {
                    world.kernels.copy(stream, ONE, seen, &source, 64).unwrap();
                }
            }
            drop(source);
            for seen in &seen {
                assert_eq!(seen.to_vec().unwrap(), [7; 64]);
            }
        }
    });
}

/// In order, where a kernel runs for as long as it says.
#[test]
fn dropping_does_not_wait() {
    on_machine(&"devices=2 quiet".parse().expect("a machine"), |world| {
        let (_, b, pool) = pair(world);
        let streams = [b.new_stream().unwrap(), b.new_stream().unwrap()];
        let memory = streams[0].alloc_zeroed_async::<u8>(&pool, 64).unwrap();
        let mut seen = b.alloc_zeroed::<u8>(64).unwrap();
        b.synchronize().unwrap();
        world.kernels.delay(&streams[1], ONE, 8_000 * SLOW).unwrap();
        world.kernels.copy(&streams[1], ONE, &mut seen, &memory, 64).unwrap();
        drop(memory);
        assert!(!streams[1].is_done().unwrap());
        // Nor does the stream that it came from.
        assert!(streams[0].is_done().unwrap());
        b.synchronize().unwrap();
    });
}

#[test]
fn memory_that_was_dropped_is_waited_for() {
    under_seeds("devices=2 memory=1MiB", |world| {
        let (_, b, pool) = pair(world);
        let (stream, other) = (b.new_stream().unwrap(), b.new_stream().unwrap());
        for round in 0..2 {
            let memory = stream.alloc_zeroed_async::<u8>(&pool, 700_000).unwrap();
            world.kernels.delay(&stream, ONE, SLOW).unwrap();
            drop(memory);
            if round == 0 {
                drop(other.alloc_zeroed_async::<u8>(&pool, 700_000).unwrap());
            } else {
                drop(b.alloc_zeroed::<u8>(700_000).unwrap());
            }
        }
        let _held = stream.alloc_zeroed_async::<u8>(&pool, 700_000).unwrap();
        let error = stream.alloc_zeroed_async::<u8>(&pool, 700_000).unwrap_err();
        assert_eq!(error.class(), Some(ErrorClass::OutOfMemory));
    });
}

#[test]
fn a_view_asks_whether_the_pool_is_opened() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        let access = a.enable_peer_access(&b).unwrap();
        let mut memory = b.new_stream().unwrap().alloc_zeroed_async::<u32>(&pool, 1).unwrap();
        assert_eq!(access.slice(&memory).unwrap_err(), NOT_GRANTED);
        assert_eq!(access.slice_mut(&mut memory).unwrap_err(), NOT_GRANTED);
        pool.enable_access_from(&[a]).unwrap();
        assert!(access.slice(&memory).is_ok());
    });
}

/// It was made when the pool was open.
#[test]
fn a_view_is_refused_when_the_pool_has_been_closed() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        let access = a.enable_peer_access(&b).unwrap();
        let (ours, theirs) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        pool.enable_access_from(&[a]).unwrap();
        let source = theirs.alloc_from(&pool, &[7u8; 64]).unwrap();
        let mut seen = a.alloc_zeroed::<u8>(64).unwrap();
        let view = access.slice(&source).unwrap();
        pool.disable_access_from(&[a]).unwrap();
        assert_eq!(world.kernels.fetch(&ours, ONE, &mut seen, view, 64).unwrap_err(), NOT_GRANTED);
        assert_eq!(seen.to_vec().unwrap(), [0; 64]);
    });
}

/// Work that was put in with a view may still run.
#[test]
fn closing_waits_for_the_accessor() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        let access = a.enable_peer_access(&b).unwrap();
        let (ours, theirs) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        pool.enable_access_from(&[a]).unwrap();
        let mut memory = theirs.alloc_zeroed_async::<u32>(&pool, 1).unwrap();
        b.synchronize().unwrap();
        world.kernels.delayed_store(&ours, ONE, access.slice_mut(&mut memory).unwrap(), 7, SLOW).unwrap();
        pool.disable_access_from(&[a]).unwrap();
        assert_eq!(memory.to_vec().unwrap(), [7]);
    });
}

#[test]
fn closing_waits_for_the_owner() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        let theirs = b.new_stream().unwrap();
        pool.enable_access_from(&[a]).unwrap();
        let source = theirs.alloc_from(&pool, &[7u8; 64]).unwrap();
        let mut ours = a.alloc_zeroed::<u8>(64).unwrap();
        a.synchronize().unwrap();
        // The owner's copy engine pushes.
        world.kernels.delay(&theirs, ONE, SLOW).unwrap();
        assert_eq!(theirs.copy_peer_async(&mut ours, &source).unwrap(), CopyPath::Direct);
        pool.disable_access_from(&[a]).unwrap();
        assert!(theirs.is_done().unwrap());
    });
}

/// One thread closes the pool, and waits for a kernel; another puts one in meanwhile.
#[test]
fn work_that_comes_while_a_pool_is_closed_is_waited_for() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        let access = a.enable_peer_access(&b).unwrap();
        pool.enable_access_from(&[a]).unwrap();
        let streams = [(); 2].map(|()| a.new_stream().unwrap());
        let mut memory = b.new_stream().unwrap().alloc_from(&pool, &[1u32]).unwrap();
        let view = access.slice_mut(&mut memory).unwrap();
        world.kernels.delay(&streams[0], ONE, 60 * SLOW).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| pool.disable_access_from(&[a]).unwrap());
            // Long enough for the other thread to begin to wait, most of the time.
            std::thread::sleep(Duration::from_micros(500));
            match world.kernels.delayed_store(&streams[1], ONE, view, 7, 120 * SLOW) {
                Ok(()) | Err(Error::PoolNotGranted { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        });
        let found = memory.to_vec().unwrap()[0];
        assert!([1, 7].contains(&found), "{found}");
    });
}

#[test]
fn a_copy_knows_whether_a_pool_is_opened() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        let _access = a.enable_peer_access(&b).unwrap();
        let (ours, theirs) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let source = theirs.alloc_from(&pool, &[7u8; 64]).unwrap();
        let mut to = a.alloc_zeroed::<u8>(64).unwrap();
        let staged = CopyPath::Staged { reason: StagedReason::PoolNotGranted };
        assert_eq!(ours.copy_peer_async(&mut to, &source).unwrap(), staged);
        pool.enable_access_from(&[a]).unwrap();
        assert_eq!(ours.copy_peer_async(&mut to, &source).unwrap(), CopyPath::Direct);
        assert_eq!(to.to_vec().unwrap(), [7; 64]);
    });
}

/// The runtime asks for the access of the current device, which is not the owner here, and has no grant.
#[test]
fn memory_is_copied_whatever_device_is_current() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        a.set_current().unwrap();
        let (stream, pinned) = (b.new_stream().unwrap(), b.alloc_pinned_from(&[9u8; 64]).unwrap());
        let mut memory = stream.alloc_from(&pool, &[7u8; 64]).unwrap();
        assert_eq!(memory.to_vec().unwrap(), [7; 64]);
        stream.copy_from_pinned_async(&mut memory, &pinned).unwrap();
        let mut elsewhere = a.alloc_zeroed::<u8>(64).unwrap();
        stream.copy_peer_async(&mut elsewhere, &memory).unwrap();
        assert_eq!(elsewhere.to_vec().unwrap(), [9; 64]);
    });
}

#[test]
fn grants_that_make_no_sense_are_refused() {
    under_seeds(STRANGERS, |world| {
        let (a, b, pool) = pair(world);
        let unreachable = Error::PeerUnreachable { accessor: 0, owner: 1 };
        assert_eq!(pool.enable_access_from(&[a]).unwrap_err(), unreachable);
        assert_eq!(pool.enable_access_from(&[b]).unwrap_err(), Error::SameDevice { device: 1 });
        assert_eq!(pool.disable_access_from(&[b]).unwrap_err(), Error::SameDevice { device: 1 });
        // The pool works as before.
        assert_eq!(b.new_stream().unwrap().alloc_from(&pool, &[3u8]).unwrap().to_vec().unwrap(), [3]);
    });
}

#[test]
fn trimming_keeps_what_it_is_told_to() {
    under_seeds(PAIR, |world| {
        let (_, b, pool) = pair(world);
        pool.set_release_threshold(u64::MAX).unwrap();
        drop(b.new_stream().unwrap().alloc_zeroed_async::<u8>(&pool, 4 << 20).unwrap());
        b.synchronize().unwrap();
        pool.trim_to(1 << 20).unwrap();
        assert_eq!(pool.usage().unwrap().reserved, 1 << 20);
    });
}

#[test]
fn boxes_are_copied_in_streams_of_either_device() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        let (ours, theirs) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let source = theirs.alloc_from(&pool, &[7u8; 100]).unwrap();
        let shape = Shape::new_2d(5, 10).with_row_pitch(10);
        for stream in [&ours, &theirs] {
            let mut to = a.alloc_zeroed::<u8>(100).unwrap();
            let (destination, source) = (to.pitched_mut(shape).unwrap(), source.pitched(shape).unwrap());
            stream.copy_peer_pitched_async(destination, source).unwrap();
            assert_eq!(to.to_vec().unwrap()[..15], [[7; 5], [0; 5], [7; 5]].concat());
        }
    });
}
