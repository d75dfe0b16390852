//! Virtual memory in graphs: on GPUs if there are two, on a simulated pair otherwise.

#[path = "common/pair.rs"]
mod pair;

use pair::{Pair, pair};

use cuda_p2p::{CopyPath, Error, LaunchConfig, PeerAccess, Shape, VirtualRange};

const MANY: LaunchConfig = LaunchConfig::new(2, 64);
const ONE: LaunchConfig = LaunchConfig::new(1, 1);
/// Elements of each buffer.
const N: usize = 1000;
/// Nanoseconds of a kernel that others have time to overtake.
const SLOW_NS: u64 = 20_000_000;

/// What depends on every element and its place.
fn elements(round: u32) -> Vec<f32> {
    (0..N as u32).map(|i| ((i * 7 + round * 13) % 251) as f32).collect()
}

fn part_of(pair: &Pair) -> usize {
    pair.a.virtual_memory_granularity().expect("told")
}

/// Two parts, the first in the memory of device 0, the second in that of device 1; both have access.
fn shared_range(pair: &Pair) -> VirtualRange {
    let part = part_of(pair);
    let mut range = pair.runtime.reserve_virtual_range(2 * part).expect("addresses");
    for (device, offset) in [(pair.a, 0), (pair.b, part)] {
        range.map(offset, device.alloc_physical_zeroed(part).expect("memory")).expect("mapped");
    }
    range.enable_access_from(&[pair.a, pair.b]).expect("opened");
    range
}

/// From pinned memory into the second part, through kernels of both devices, and by a copy back to pinned memory: with other input each
/// time. In the midst of it the range is dropped.
#[test]
fn a_hundred_replays_on_a_range_are_exact_each_time() {
    let pair = pair();
    let (a, b) = (pair.a, pair.b);
    let (stream, there) = (a.new_stream().expect("stream"), b.new_stream().expect("stream"));
    let mut input = a.alloc_pinned_zeroed::<f32>(N).expect("memory");
    let mut output = a.alloc_pinned_zeroed::<f32>(N).expect("memory");
    let one = [a, b].map(|device| device.alloc_from(&[1.0f32; N]).expect("memory"));
    let mut range = shared_range(&pair);
    // The access to the range is enough, and peer access changes nothing.
    let access = PeerAccess::enable_both(&a, &b).expect("enabled");
    let second = part_of(&pair) / 4..part_of(&pair) / 4 + N;
    let graph = stream
        .capture(|capture| {
            capture.fork(&there)?;
            stream.copy_from_pinned_async(range.slice_mut(&a, second.clone())?, &input)?;
            pair.kernels.add_f32(&stream, MANY, range.slice_mut(&a, second.clone())?, &one[0], N as u64)?;
            pair.kernels.add_f32(&there, MANY, range.slice_mut(&b, second.clone())?, &one[1], N as u64)?;
            stream.copy_to_pinned_async(range.slice(&a, second.clone())?, &mut output)?;
            capture.join(&there)
        })
        .expect("captured");
    assert_eq!(graph.node_count().expect("counted"), 4);
    let exec = graph.instantiate().expect("instantiated");
    drop(graph);
    let (mut wrong, mut range) = (0, Some(range));
    for round in 0..100 {
        let elements = elements(round);
        input.write().expect("to write").copy_from_slice(&elements);
        exec.launch(if round % 2 == 0 { &stream } else { &there }).expect("launched");
        let found = output.read().expect("to read");
        wrong += found.iter().zip(&elements).filter(|(found, input)| **found != **input + 2.0).count();
        if round == 50 {
            range = None;
        }
    }
    assert!(range.is_none());
    println!("100 launches, {wrong} elements wrong");
    assert_eq!(wrong, 0);
    drop(exec);
    let (there, back) = access;
    there.disable().expect("nobody uses it");
    back.disable().expect("nobody uses it");
    assert_eq!(pair.runtime.deferred_errors(), []);
}

/// Neither memory nor access is taken away from a graph, and both can be when it is gone, behind its launches.
#[test]
fn what_a_graph_has_of_a_range_stays() {
    let pair = pair();
    let (a, b, part) = (pair.a, pair.b, part_of(&pair));
    let (stream, theirs) = (a.new_stream().expect("stream"), b.new_stream().expect("stream"));
    let mut range = shared_range(&pair);
    let word = part / 4..part / 4 + 1;
    let mut graph = Some({
        let mut word = range.slice_mut::<u32>(&a, word.clone()).expect("a slice");
        stream.capture(|_| pair.kernels.delayed_store(&stream, ONE, &mut word, 7, SLOW_NS)).expect("captured")
    });
    let in_use = || Error::RangeInUse { start: part, end: 2 * part };
    let mut exec = None;
    for _ in 0..2 {
        assert_eq!(range.unmap(part).map(drop), Err(in_use()));
        for device in [a, b] {
            assert_eq!(range.disable_access_from(&[device]), Err(in_use()));
        }
        // By the graph first, and then by what was made of it alone.
        if let Some(graph) = graph.take() {
            exec = Some(graph.instantiate().expect("instantiated"));
        }
    }
    let exec = exec.expect("made of the graph");
    exec.launch(&theirs).expect("launched");
    let mut found = [0u32];
    stream.copy_to_host(range.slice::<u32>(&a, word.clone()).expect("a slice"), &mut found).expect("copied");
    assert_eq!(found, [7]);
    exec.launch(&stream).expect("launched");
    drop(exec);
    drop(range.unmap(part).expect("nobody has it"));
    assert!(stream.is_done().expect("asked"), "the launch was waited for");
    range.disable_access_from(&[a]).expect("nobody needs it");
    drop(range);
    assert_eq!(pair.runtime.deferred_errors(), []);
}

/// Lines and boxes, from the memory of both devices to memory of the other device, by the access to the range alone.
#[test]
fn copies_of_a_range_go_directly_to_the_other_device() {
    let pair = pair();
    let (a, b, part) = (pair.a, pair.b, part_of(&pair));
    let stream = b.new_stream().expect("stream");
    let shape = Shape::new_2d(30, 20).with_row_pitch(50);
    let mut range = shared_range(&pair);
    let mut line = b.alloc_zeroed::<f32>(N).expect("memory");
    let mut rows = b.alloc_zeroed::<f32>(N).expect("memory");
    // Half of it in the one, half in the other.
    let middle = part / 4 - N / 2..part / 4 + N / 2;
    let exec = stream
        .capture(|_| {
            let source = || range.slice::<f32>(&a, middle.clone());
            assert_eq!(stream.copy_peer_async(&mut line, source()?)?, CopyPath::Direct);
            let path = stream.copy_peer_pitched_async(rows.pitched_mut(shape)?, source()?.pitched(shape)?)?;
            assert_eq!(path, CopyPath::Direct);
            Ok(())
        })
        .expect("captured")
        .instantiate()
        .expect("instantiated");
    for round in 0..10 {
        let input = elements(round);
        stream
            .copy_from_host(range.slice_mut::<f32>(&b, middle.clone()).expect("a slice"), &input)
            .expect("copied");
        exec.launch(&stream).expect("launched");
        assert_eq!(line.to_vec().expect("read"), input);
        for (i, (found, input)) in rows.to_vec().expect("read").iter().zip(&input).enumerate() {
            let inside = i / 50 < 20 && i % 50 < 30;
            assert_eq!(*found, if inside { *input } else { 0.0 }, "element {i} of round {round}");
        }
    }
    drop((exec, range));
    assert_eq!(pair.runtime.deferred_errors(), []);
}
