//! Pinned memory in graphs: on GPUs if there are two, on a simulated pair otherwise.

#[path = "common/pair.rs"]
mod pair;

use pair::pair;

use cuda_p2p::{
    CopyPath, Error, GraphChange, GraphError, GraphExec, LaunchConfig, PeerAccess, PinnedBuffer, Shape,
    Stream,
};

const MANY: LaunchConfig = LaunchConfig::new(2, 64);
const ONE: LaunchConfig = LaunchConfig::new(1, 1);
/// Elements of each buffer.
const N: usize = 1000;
/// Nanoseconds of a kernel that others have time to overtake.
const SLOW_NS: u64 = 20_000_000;
const LENT: Result<(), Error> = Err(Error::Graph(GraphError::MemoryLent));

/// What depends on every element and its place.
fn elements(round: u32) -> Vec<f32> {
    (0..N as u32).map(|i| ((i * 7 + round * 13) % 251) as f32).collect()
}

fn exec(stream: &Stream, work: impl FnOnce() -> cuda_p2p::Result<()>) -> GraphExec {
    stream.capture(|_| work()).expect("captured").instantiate().expect("instantiated")
}

/// From pinned memory to one device, on to the other, through kernels of both, and back to pinned memory: with other input each time.
#[test]
fn a_hundred_replays_with_changed_input_are_exact_each_time() {
    let pair = pair();
    let (a, b) = (pair.a, pair.b);
    let (access, back) = PeerAccess::enable_both(&a, &b).expect("enabled");
    let (stream, there, third) =
        (a.new_stream().expect("stream"), b.new_stream().expect("stream"), a.new_stream().expect("stream"));
    let mut input = a.alloc_pinned_zeroed::<f32>(N).expect("memory");
    let mut output = b.alloc_pinned_zeroed::<f32>(N).expect("memory");
    let exec = {
        let mut ours = a.alloc_zeroed::<f32>(N).expect("memory");
        let mut theirs = b.alloc_zeroed::<f32>(N).expect("memory");
        let one = b.alloc_from(&[1.0f32; N]).expect("memory");
        let graph = stream
            .capture(|capture| {
                capture.fork(&there)?;
                stream.copy_from_pinned_async(&mut ours, &input)?;
                assert_eq!(stream.copy_peer_async(&mut theirs, &ours)?, CopyPath::Direct);
                pair.kernels.add_f32(&there, MANY, &mut theirs, &one, N as u64)?;
                let (y, x) = (access.slice_mut(&mut theirs)?, access.slice(&one)?);
                pair.kernels.add_f32(&stream, MANY, y, x, N as u64)?;
                there.copy_to_pinned_async(&theirs, &mut output)?;
                capture.join(&there)
            })
            .expect("captured");
        assert_eq!(graph.node_count().expect("counted"), 5);
        graph.instantiate().expect("instantiated")
    };
    let mut wrong = 0;
    for round in 0..100 {
        let elements = elements(round);
        input.write().expect("to write").copy_from_slice(&elements);
        exec.launch([&stream, &there, &third][round as usize % 3]).expect("launched");
        let found = output.read().expect("to read");
        wrong += found.iter().zip(&elements).filter(|(found, input)| **found != **input + 2.0).count();
    }
    println!("100 launches, {wrong} elements wrong");
    assert_eq!(wrong, 0);
    drop(exec);
    access.disable().expect("nobody uses it");
    back.disable().expect("nobody uses it");
    assert_eq!(pair.runtime.deferred_errors(), []);
}

/// What the host has to read is written by no launch, what it has to write is used by none, and each looks at it behind the launches.
#[test]
fn a_launch_and_the_host_are_never_at_the_same_memory() {
    let pair = pair();
    let a = pair.a;
    let stream = a.new_stream().expect("stream");
    let mut input = a.alloc_pinned_from(&[1u32]).expect("memory");
    let mut output = a.alloc_pinned_zeroed::<u32>(1).expect("memory");
    let mut word = a.alloc_zeroed::<u32>(1).expect("memory");
    let exec = exec(&stream, || {
        pair.kernels.delay(&stream, ONE, SLOW_NS)?;
        stream.copy_from_pinned_async(&mut word, &input)?;
        stream.copy_to_pinned_async(&word, &mut output)
    });
    for round in 1..4 {
        exec.launch(&stream).expect("launched");
        // Reading what is read need not wait, and writing it must.
        assert_eq!(input.read().expect("to read"), [round]);
        input.write().expect("to write")[0] = round + 1;
        assert_eq!(output.read().expect("to read"), [round]);
    }
    let read = output.read().expect("to read");
    assert_eq!(exec.launch(&stream), LENT);
    drop(read);
    let mut written = input.write().expect("to write");
    assert_eq!(exec.launch(&stream), LENT);
    written[0] = 9;
    drop(written);
    let read = input.read().expect("to read");
    exec.launch(&stream).expect("both read");
    assert_eq!(read, [9]);
    assert_eq!(output.read().expect("to read"), [9]);
    // A reference that was forgotten counts for good.
    drop(read);
    std::mem::forget(output.read().expect("to read"));
    assert_eq!(exec.launch(&stream), LENT);
    assert_eq!(output.read().expect("to read"), [9]);
    assert_eq!(pair.runtime.deferred_errors(), []);
}

/// The buffers go, and the memory stays for launches to come and until the last one is done. What was given away is not touched.
#[test]
fn pinned_memory_is_kept_and_not_when_it_was_given_away() {
    let pair = pair();
    let a = pair.a;
    let (stream, other) = (a.new_stream().expect("stream"), a.new_stream().expect("stream"));
    let shape = Shape::new_2d(10, 20).with_row_pitch(50);
    let mut there = a.alloc_zeroed::<f32>(N).expect("memory");
    let launch = {
        let input = a.alloc_pinned_from(&elements(3)).expect("memory");
        let mut through = a.alloc_pinned_zeroed::<f32>(N).expect("memory");
        exec(&stream, || {
            stream.copy_from_pinned_async(&mut there, &input)?;
            stream.copy_to_pinned_async(&there, &mut through)?;
            stream.fill_bytes_async(&mut there, 0)?;
            pair.kernels.delay(&stream, ONE, SLOW_NS)?;
            stream.copy_pitched_from_pinned_async(there.pitched_mut(shape)?, &through, shape)
        })
    };
    // What is allocated next is not theirs.
    let mut next = a.alloc_pinned_from(&[7.0f32; N]).expect("memory");
    launch.launch(&other).expect("launched");
    drop(launch);
    let more = a.alloc_pinned_from(&[8.0f32; N]).expect("memory");
    for (i, (found, input)) in there.to_vec().expect("read").iter().zip(elements(3)).enumerate() {
        let inside = i / 50 < 20 && i % 50 < 10;
        assert_eq!(*found, if inside { input } else { 0.0 }, "element {i}");
    }
    assert_eq!(more.read().expect("to read"), [8.0; N]);

    let exec = exec(&stream, || stream.copy_to_pinned_async(&there, &mut next));
    exec.launch(&stream).expect("launched");
    stream.synchronize().expect("done");
    let address = next.into_raw();
    assert_eq!(exec.launch(&stream), Err(GraphError::MemoryGone.into()));
    // SAFETY: it was this crate's, of so many elements, and nobody else has it.
    drop(unsafe { PinnedBuffer::from_raw(&a, address, N) }.expect("taken back"));
    assert_eq!(pair.runtime.deferred_errors(), []);
}

/// Changed to other pinned memory while a launch is under way. Whether GPUs take that is up to them; what is launched is exact.
#[test]
fn an_update_takes_other_pinned_memory() {
    let pair = pair();
    let a = pair.a;
    let stream = a.new_stream().expect("stream");
    let mut word = a.alloc_zeroed::<u32>(1).expect("memory");
    let mut inputs = [1u32, 2].map(|value| a.alloc_pinned_from(&[value]).expect("memory"));
    let mut outputs = [(); 2].map(|()| a.alloc_pinned_zeroed::<u32>(1).expect("memory"));
    let [first, second] = [0, 1].map(|i| {
        let graph = stream.capture(|_| {
            pair.kernels.delay(&stream, ONE, SLOW_NS)?;
            stream.copy_from_pinned_async(&mut word, &inputs[i])?;
            stream.copy_to_pinned_async(&word, &mut outputs[i])
        });
        graph.expect("captured")
    });
    let exec = first.instantiate().expect("instantiated");
    exec.launch(&stream).expect("launched");
    let updated = match exec.update(&second) {
        Ok(()) => true,
        Err(Error::Graph(GraphError::NotUpdated { .. })) if !pair.runtime.is_simulated() => false,
        Err(error) => panic!("{error}"),
    };
    drop((first, second));
    // Only what the executable graph is of now is its to write; the launch before still has the other.
    assert_eq!(outputs[0].read().expect("to read"), [1]);
    for input in &mut inputs {
        input.write().expect("to write")[0] += 10;
    }
    let not_its = outputs[usize::from(!updated)].read().expect("to read");
    exec.launch(&stream).expect("launched");
    drop(not_its);
    let expected = if updated { [1, 12] } else { [11, 0] };
    assert_eq!(outputs.map(|output| output.read().expect("to read")[0]), expected);
    drop(exec);
    assert_eq!(pair.runtime.deferred_errors(), []);
}

/// Whose pinned memory it is makes no difference. The direction does, as the runtime is told of it: seen on H200, where a copy of one
/// direction becomes one of the other if the calls leave the direction open.
#[test]
fn an_update_takes_pinned_memory_of_another_device_and_not_the_other_direction() {
    let pair = pair();
    let (stream, mut buffer) =
        (pair.a.new_stream().expect("stream"), pair.a.alloc_zeroed::<u8>(64).expect("memory"));
    let inputs = [(pair.a, 1), (pair.b, 2)]
        .map(|(device, value)| device.alloc_pinned_from(&[value; 64]).expect("memory"));
    let mut output = pair.a.alloc_pinned_zeroed::<u8>(64).expect("memory");
    let [first, other] = inputs.each_ref().map(|input| {
        stream.capture(|_| stream.copy_from_pinned_async(&mut buffer, input)).expect("captured")
    });
    let down = stream.capture(|_| stream.copy_to_pinned_async(&buffer, &mut output)).expect("captured");
    let exec = first.instantiate().expect("instantiated");
    exec.update(&other).expect("updated");
    let refused = Err(Error::Graph(GraphError::NotUpdated { change: GraphChange::Parameters }));
    assert_eq!(exec.update(&down), refused);
    exec.launch(&stream).expect("launched");
    assert_eq!(buffer.to_vec().expect("read"), [2; 64]);
}
