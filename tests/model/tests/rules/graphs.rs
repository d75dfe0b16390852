//! What a graph keeps, and the order of a launch.

use cuda_p2p::{Error, GraphExec, Stream};
use cuda_p2p_model::{World, under_seeds};

use crate::{ONE, PAIR, SLOW, STRANGERS};

fn pair(world: &World) -> (cuda_p2p::Device, cuda_p2p::Device) {
    (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap())
}

/// What `work` puts into `stream`, ready to be launched.
fn exec(stream: &Stream, work: impl FnOnce() -> cuda_p2p::Result<()>) -> GraphExec {
    stream.capture(|_| work()).unwrap().instantiate().unwrap()
}

#[test]
fn memory_is_kept_for_the_launches_to_come() {
    under_seeds(PAIR, |world| {
        let (device, _) = pair(world);
        let stream = device.new_stream().unwrap();
        let mut seen = device.alloc_zeroed::<u8>(64).unwrap();
        let source = device.alloc_from(&[7u8; 64]).unwrap();
        let exec = exec(&stream, || stream.copy_async(&mut seen, &source));
        drop(source);
        device.synchronize().unwrap();
        // What is freed too early is given to somebody else.
        let other = device.alloc_from(&[9u8; 64]).unwrap();
        exec.launch(&stream).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7; 64]);
        drop(other);
    });
}

#[test]
fn memory_is_kept_until_the_launch_is_done() {
    under_seeds(PAIR, |world| {
        let (device, other) = pair(world);
        let stream = device.new_stream().unwrap();
        let theirs = other.new_stream().unwrap();
        let mut seen = device.alloc_zeroed::<u8>(64).unwrap();
        let source = device.alloc_from(&[7u8; 64]).unwrap();
        let exec = exec(&stream, || {
            world.kernels.delay(&stream, ONE, SLOW)?;
            stream.copy_async(&mut seen, &source)
        });
        device.synchronize().unwrap();
        exec.launch(&theirs).unwrap();
        drop((exec, source));
        // Nothing of the device's own streams has work: only the launch says that the memory is in use.
        drop(device.alloc_zeroed::<u8>(64).unwrap());
        assert_eq!(seen.to_vec().unwrap(), [7; 64]);
    });
}

#[test]
fn a_launch_waits_for_the_work_of_other_streams() {
    under_seeds(PAIR, |world| {
        let (device, other) = pair(world);
        let access = device.enable_peer_access(&other).unwrap();
        let (stream, writer) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut word = other.alloc_zeroed::<u32>(1).unwrap();
        let mut seen = device.alloc_zeroed::<u32>(1).unwrap();
        let exec = exec(&stream, || stream.copy_peer_async(&mut seen, &word).map(drop));
        let view = access.slice_mut(&mut word).unwrap();
        world.kernels.delayed_store(&writer, ONE, view, 7, SLOW).unwrap();
        exec.launch(&stream).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7]);
    });
}

#[test]
fn other_streams_wait_for_a_launch() {
    under_seeds(PAIR, |world| {
        let (device, _) = pair(world);
        let (stream, reader) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut word = device.alloc_zeroed::<u32>(1).unwrap();
        let mut seen = device.alloc_zeroed::<u32>(1).unwrap();
        let exec = exec(&stream, || world.kernels.delayed_store(&stream, ONE, &mut word, 7, SLOW));
        exec.launch(&stream).unwrap();
        reader.copy_async(&mut seen, &word).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7]);
    });
}

/// A write is one, also if the graph reads the memory as well, and whichever comes first.
#[test]
fn a_launch_that_writes_and_reads_is_a_write() {
    under_seeds(PAIR, |world| {
        let (device, _) = pair(world);
        let (stream, reader) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut word = device.alloc_zeroed::<u32>(1).unwrap();
        let mut seen = device.alloc_zeroed::<u32>(1).unwrap();
        let mut other = device.alloc_zeroed::<u32>(1).unwrap();
        let exec = exec(&stream, || {
            world.kernels.delayed_store(&stream, ONE, &mut word, 7, SLOW)?;
            stream.copy_async(&mut other, &word)
        });
        exec.launch(&stream).unwrap();
        reader.copy_async(&mut seen, &word).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7]);
    });
}

#[test]
fn the_streams_of_a_capture_wait_for_each_other() {
    under_seeds(PAIR, |world| {
        let (device, _) = pair(world);
        let (stream, second) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut word = device.alloc_zeroed::<u32>(1).unwrap();
        let mut seen = device.alloc_zeroed::<u32>(1).unwrap();
        let graph = stream
            .capture(|capture| {
                capture.fork(&second)?;
                world.kernels.delayed_store(&stream, ONE, &mut word, 7, SLOW)?;
                second.copy_async(&mut seen, &word)?;
                capture.join(&second)
            })
            .unwrap();
        graph.instantiate().unwrap().launch(&stream).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7]);
    });
}

/// Not by memory: the kernel is given none that the other streams use.
#[test]
fn a_join_waits_for_the_stream() {
    under_seeds(PAIR, |world| {
        let (device, _) = pair(world);
        let (stream, second) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut word = device.alloc_zeroed::<u32>(1).unwrap();
        let graph = stream
            .capture(|capture| {
                capture.fork(&second)?;
                world.kernels.delayed_store(&second, ONE, &mut word, 7, SLOW)?;
                capture.join(&second)
            })
            .unwrap();
        graph.instantiate().unwrap().launch(&stream).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(word.to_vec().unwrap(), [7]);
    });
}

#[test]
fn access_is_held_by_what_a_kernel_of_a_graph_was_given() {
    under_seeds(PAIR, |world| {
        let (a, b) = pair(world);
        let access = a.enable_peer_access(&b).unwrap();
        let stream = a.new_stream().unwrap();
        let theirs = b.alloc_from(&[7u8; 64]).unwrap();
        let mut ours = a.alloc_zeroed::<u8>(64).unwrap();
        let exec = exec(&stream, || world.kernels.fetch(&stream, ONE, &mut ours, access.slice(&theirs)?, 64));
        let error = access.disable().expect_err("the graph relies on it");
        assert!(matches!(error.error, Error::PeerAccessInUse { .. }), "{error}");
        exec.launch(&stream).unwrap();
        assert_eq!(ours.to_vec().unwrap(), [7; 64]);
        drop(exec);
        error.access.disable().unwrap();
    });
}

#[test]
fn access_is_held_by_what_was_instantiated_with_it() {
    under_seeds(PAIR, |world| {
        let (a, b) = pair(world);
        let stream = a.new_stream().unwrap();
        let theirs = b.alloc_from(&[7u8; 64]).unwrap();
        let mut ours = a.alloc_zeroed::<u8>(64).unwrap();
        let graph = stream.capture(|_| stream.copy_peer_async(&mut ours, &theirs).map(drop)).unwrap();
        let access = a.enable_peer_access(&b).unwrap();
        let exec = graph.instantiate().unwrap();
        let outcome = access.disable();
        exec.launch(&stream).unwrap();
        assert_eq!(ours.to_vec().unwrap(), [7; 64]);
        outcome.expect_err("the executable graph relies on it");
    });
}

/// The graph runs on a device that has nothing in its streams, and for which waiting for that device does not wait.
#[test]
fn disabling_waits_for_launches_in_streams_of_other_devices() {
    under_seeds("devices=3", |world| {
        let (a, b) = pair(world);
        let third = world.runtime.device(2).unwrap();
        let access = a.enable_peer_access(&b).unwrap();
        let (stream, elsewhere) = (a.new_stream().unwrap(), third.new_stream().unwrap());
        let mut theirs = b.alloc_zeroed::<u32>(1).unwrap();
        theirs.to_vec().unwrap();
        let exec = exec(&stream, || {
            world.kernels.delayed_store(&stream, ONE, access.slice_mut(&mut theirs)?, 7, SLOW)
        });
        exec.launch(&elsewhere).unwrap();
        drop(exec);
        access.disable().unwrap();
        assert_eq!(theirs.to_vec().unwrap(), [7]);
    });
}

/// A stream that waits for one which is being captured waits for what was in it before.
#[test]
fn what_was_in_a_stream_before_its_capture_is_waited_for() {
    under_seeds(PAIR, |world| {
        let (device, _) = pair(world);
        let (stream, reader) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut word = device.alloc_zeroed::<u32>(1).unwrap();
        let mut seen = device.alloc_zeroed::<u32>(1).unwrap();
        world.kernels.delayed_store(&stream, ONE, &mut word, 7, SLOW).unwrap();
        stream.capture(|_| reader.copy_async(&mut seen, &word)).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7]);
    });
}

#[test]
fn memory_that_was_given_away_is_left_alone() {
    under_seeds(PAIR, |world| {
        let (device, _) = pair(world);
        let stream = device.new_stream().unwrap();
        let mut word = device.alloc_zeroed::<u32>(1).unwrap();
        let exec = exec(&stream, || world.kernels.delayed_store(&stream, ONE, &mut word, 7, 0));
        let address = word.into_raw();
        let outcome = exec.launch(&stream);
        stream.synchronize().unwrap();
        assert!(matches!(outcome, Err(Error::Graph(cuda_p2p::GraphError::MemoryGone))), "{outcome:?}");
        // SAFETY: it was this crate's, of so many elements, and nobody else has it.
        drop(unsafe { cuda_p2p::DeviceBuffer::from_raw(&device, address, 1) }.unwrap());
    });
}

/// Memory of a Rust slice is the caller's again when the call has returned.
#[test]
fn host_memory_goes_into_no_graph() {
    under_seeds(STRANGERS, |world| {
        let (device, _) = pair(world);
        let stream = device.new_stream().unwrap();
        let source = device.alloc_from(&[7u8; 64]).unwrap();
        let mut host = [0u8; 64];
        let graph = stream.capture(|_| {
            let outcome = stream.copy_to_host(&source, &mut host);
            assert!(
                matches!(outcome, Err(Error::Capture(cuda_p2p::CaptureError::Refused { .. }))),
                "{outcome:?}"
            );
            Ok(())
        });
        graph.expect("the capture goes on");
    });
}

/// So that the answer that the copy gave stays true.
#[test]
fn access_is_held_by_a_graph_whose_copy_is_direct() {
    under_seeds(PAIR, |world| {
        let (a, b) = pair(world);
        let access = a.enable_peer_access(&b).unwrap();
        let stream = a.new_stream().unwrap();
        let theirs = b.alloc_from(&[7u8; 64]).unwrap();
        let mut ours = a.alloc_zeroed::<u8>(64).unwrap();
        let graph = stream.capture(|_| stream.copy_peer_async(&mut ours, &theirs).map(drop)).unwrap();
        let error = access.disable().expect_err("the graph relies on it");
        drop(graph);
        error.access.disable().unwrap();
    });
}
