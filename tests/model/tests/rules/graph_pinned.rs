//! Pinned memory in graphs: kept, and never looked at by the host while a launch may be at it.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};

use cuda_p2p::{Device, Error, GraphError, GraphExec, Stream};
use cuda_p2p_model::{World, under_seeds};

use crate::{ONE, PAIR, SLOW};

const LENT: Result<(), Error> = Err(Error::Graph(GraphError::MemoryLent));

fn first(world: &World) -> (Device, Stream) {
    let device = world.runtime.device(0).unwrap();
    (device, device.new_stream().unwrap())
}

/// What `work` puts into `stream`, ready to be launched.
fn exec(stream: &Stream, work: impl FnOnce() -> cuda_p2p::Result<()>) -> GraphExec {
    stream.capture(|_| work()).unwrap().instantiate().unwrap()
}

#[test]
fn a_launch_reads_what_the_host_wrote_last() {
    under_seeds(PAIR, |world| {
        let (device, stream) = first(world);
        let mut input = device.alloc_pinned_zeroed::<u8>(64).unwrap();
        let mut seen = device.alloc_zeroed::<u8>(64).unwrap();
        let exec = exec(&stream, || {
            world.kernels.delay(&stream, ONE, SLOW)?;
            stream.copy_from_pinned_async(&mut seen, &input)
        });
        for round in 1..4 {
            input.write().unwrap().fill(round);
            exec.launch(&stream).unwrap();
            assert_eq!(seen.to_vec().unwrap(), [round; 64]);
        }
        // Written only when the launch has read it.
        exec.launch(&stream).unwrap();
        input.write().unwrap().fill(9);
        assert_eq!(seen.to_vec().unwrap(), [3; 64]);
    });
}

#[test]
fn reading_waits_for_the_launch() {
    under_seeds(PAIR, |world| {
        let (device, stream) = first(world);
        let other = world.runtime.device(1).unwrap().new_stream().unwrap();
        let mut output = device.alloc_pinned_zeroed::<u8>(64).unwrap();
        let source = device.alloc_from(&[7u8; 64]).unwrap();
        let exec = exec(&stream, || {
            world.kernels.delay(&stream, ONE, SLOW)?;
            stream.copy_to_pinned_async(&source, &mut output)
        });
        exec.launch(&other).unwrap();
        assert_eq!(output.read().unwrap(), [7; 64]);
    });
}

#[test]
fn pinned_memory_is_kept_until_the_launch_is_done() {
    under_seeds(PAIR, |world| {
        let (device, stream) = first(world);
        let theirs = world.runtime.device(1).unwrap().new_stream().unwrap();
        let mut seen = device.alloc_zeroed::<u8>(64).unwrap();
        let source = device.alloc_pinned_from(&[7u8; 64]).unwrap();
        let exec = exec(&stream, || {
            world.kernels.delay(&stream, ONE, SLOW)?;
            stream.copy_from_pinned_async(&mut seen, &source)
        });
        drop(source);
        drop(device.alloc_pinned_from(&[9u8; 64]).unwrap());
        exec.launch(&theirs).unwrap();
        drop(exec);
        drop(device.alloc_pinned_from(&[9u8; 64]).unwrap());
        assert_eq!(seen.to_vec().unwrap(), [7; 64]);
    });
}

#[test]
fn a_launch_waits_for_copies_of_other_streams_to_pinned_memory() {
    under_seeds(PAIR, |world| {
        let (device, stream) = first(world);
        let writer = device.new_stream().unwrap();
        let mut through = device.alloc_pinned_zeroed::<u8>(64).unwrap();
        let source = device.alloc_from(&[7u8; 64]).unwrap();
        let mut seen = device.alloc_zeroed::<u8>(64).unwrap();
        let exec = exec(&stream, || stream.copy_from_pinned_async(&mut seen, &through));
        world.kernels.delay(&writer, ONE, SLOW).unwrap();
        writer.copy_to_pinned_async(&source, &mut through).unwrap();
        exec.launch(&stream).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7; 64]);
    });
}

#[test]
fn what_the_host_reads_no_launch_writes() {
    under_seeds(PAIR, |world| {
        let (device, stream) = first(world);
        let mut output = device.alloc_pinned_zeroed::<u8>(64).unwrap();
        let source = device.alloc_from(&[7u8; 64]).unwrap();
        let exec = exec(&stream, || stream.copy_to_pinned_async(&source, &mut output));
        let read = output.read().unwrap();
        assert_eq!(exec.launch(&stream), LENT);
        stream.synchronize().unwrap();
        assert_eq!(read, [0; 64]);
        drop(read);
        exec.launch(&stream).unwrap();
        assert_eq!(output.read().unwrap(), [7; 64]);
    });
}

#[test]
fn what_the_host_writes_no_launch_reads() {
    under_seeds(PAIR, |world| {
        let (device, stream) = first(world);
        let mut input = device.alloc_pinned_zeroed::<u8>(64).unwrap();
        let mut seen = device.alloc_zeroed::<u8>(64).unwrap();
        let exec = exec(&stream, || stream.copy_from_pinned_async(&mut seen, &input));
        let mut written = input.write().unwrap();
        assert_eq!(exec.launch(&stream), LENT);
        written.fill(7);
        drop(written);
        exec.launch(&stream).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7; 64]);
    });
}

/// Launches of another thread that come as they like: while the host has the memory, it stays as it is.
#[test]
fn a_launch_that_is_just_being_made_is_waited_for() {
    under_seeds(PAIR, |world| {
        let (device, stream) = first(world);
        let mut output = device.alloc_pinned_zeroed::<f32>(1).unwrap();
        let mut word = device.alloc_zeroed::<f32>(1).unwrap();
        let one = device.alloc_from(&[1.0f32]).unwrap();
        // So that a launch takes its time to begin.
        let mut more = [(); 32].map(|()| device.alloc_zeroed::<u8>(1).unwrap());
        let exec = exec(&stream, || {
            world.kernels.add_f32(&stream, ONE, &mut word, &one, 1)?;
            stream.copy_to_pinned_async(&word, &mut output)?;
            more.iter_mut().try_for_each(|it| stream.fill_bytes_async(it, 1))
        });
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let outcome = exec.launch(&stream);
                    assert!(outcome == Ok(()) || outcome == LENT, "{outcome:?}");
                    std::thread::yield_now();
                }
            });
            let unchanged = (0..20).all(|_| {
                let read = output.read().unwrap();
                let before = black_box(&read)[0];
                (0..200).all(|_| {
                    std::thread::yield_now();
                    black_box(&read)[0] == before
                })
            });
            over.store(true, Ordering::Relaxed);
            assert!(unchanged);
        });
    });
}
