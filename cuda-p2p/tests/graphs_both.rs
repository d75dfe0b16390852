//! Graphs where they are used: on GPUs if there are two, on a simulated pair otherwise.

#[path = "common/pair.rs"]
mod pair;

use pair::pair;

use cuda_p2p::{CopyPath, LaunchConfig, PeerAccess, Shape};

const MANY: LaunchConfig = LaunchConfig::new(2, 64);
/// Elements of each buffer.
const N: usize = 1000;

/// What depends on every element and its place.
fn elements(round: u32) -> Vec<f32> {
    (0..N as u32).map(|i| ((i * 7 + round * 13) % 251) as f32).collect()
}

/// 100 nodes: 50 times there and back, each time with something added there by a stream of the other device; and every
/// element, after every one of the launches, is what it must be.
#[test]
fn a_hundred_copies_and_kernels_are_exact_each_time() {
    let pair = pair();
    let (a, b) = (pair.a, pair.b);
    let rounds = if pair.runtime.is_simulated() { 20 } else { 1000 };
    let (access, back) = PeerAccess::enable_both(&a, &b).expect("enabled");
    let (stream, there) = (a.new_stream().expect("stream"), b.new_stream().expect("stream"));
    let mut ours = a.alloc_zeroed::<f32>(N).expect("memory");
    let mut theirs = b.alloc_zeroed::<f32>(N).expect("memory");
    let one = b.alloc_from(&[1.0f32; N]).expect("memory");
    let graph = stream
        .capture(|capture| {
            capture.fork(&there)?;
            for step in 0..25 {
                assert_eq!(stream.copy_peer_async(&mut theirs, &ours)?, CopyPath::Direct);
                // On the owner's stream, then on the other device's, by the link.
                pair.kernels.add_f32(&there, MANY, &mut theirs, &one, N as u64)?;
                pair.kernels.add_f32(
                    &stream,
                    MANY,
                    access.slice_mut(&mut theirs)?,
                    access.slice(&one)?,
                    N as u64,
                )?;
                let from = if step % 2 == 0 { &stream } else { &there };
                assert_eq!(from.copy_peer_async(&mut ours, &theirs)?, CopyPath::Direct);
            }
            capture.join(&there)
        })
        .expect("captured");
    assert_eq!(graph.node_count().expect("counted"), 100);
    let exec = graph.instantiate().expect("instantiated");
    let mut wrong = 0;
    for round in 0..rounds {
        let input = elements(round);
        stream.copy_from_host(&mut ours, &input).expect("copied");
        exec.launch(&stream).expect("launched");
        let found = ours.to_vec().expect("read");
        wrong += found.iter().zip(&input).filter(|(found, input)| **found != **input + 50.0).count();
        wrong += usize::from(theirs.to_vec().expect("read") != found);
    }
    println!("{rounds} launches of 100 nodes, {wrong} elements wrong");
    assert_eq!(wrong, 0);
    drop((graph, exec));
    access.disable().expect("nobody uses it");
    back.disable().expect("nobody uses it");
    assert_eq!(pair.runtime.deferred_errors(), []);
}

/// Without access the driver stages the copies of a graph; with access, later, it stays so for what was made before.
#[test]
fn a_graph_without_access_is_exact() {
    let pair = pair();
    let (a, b) = (pair.a, pair.b);
    let stream = a.new_stream().expect("stream");
    let mut ours = a.alloc_zeroed::<f32>(N).expect("memory");
    let mut theirs = b.alloc_zeroed::<f32>(N).expect("memory");
    let mut copies = b.alloc_zeroed::<f32>(N).expect("memory");
    let shape = Shape::new_2d(30, 20).with_row_pitch(50);
    let graph = stream
        .capture(|_| {
            let path = stream.copy_peer_async(&mut theirs, &ours)?;
            assert!(matches!(path, CopyPath::Staged { .. }), "{path}");
            let path = stream.copy_peer_pitched_async(copies.pitched_mut(shape)?, ours.pitched(shape)?)?;
            assert!(matches!(path, CopyPath::Staged { .. }), "{path}");
            Ok(())
        })
        .expect("captured");
    let before = graph.instantiate().expect("instantiated");
    let mut check = |exec: &cuda_p2p::GraphExec, round: u32| {
        let input = elements(round);
        stream.copy_from_host(&mut ours, &input).expect("copied");
        exec.launch(&stream).expect("launched");
        assert_eq!(theirs.to_vec().expect("read"), input);
        let found = copies.to_vec().expect("read");
        for (i, (found, input)) in found.iter().zip(&input).enumerate() {
            let inside = i / 50 < 20 && i % 50 < 30;
            assert_eq!(*found, if inside { *input } else { 0.0 }, "element {i} of round {round}");
        }
    };
    check(&before, 1);
    let (access, back) = PeerAccess::enable_both(&a, &b).expect("enabled");
    check(&before, 2);
    let after = graph.instantiate().expect("instantiated");
    check(&after, 3);
    let error = access.disable().expect_err("what was instantiated meanwhile relies on it");
    drop(after);
    error.access.disable().expect("nobody uses it");
    back.disable().expect("nobody uses it");
    check(&before, 4);
    assert_eq!(pair.runtime.deferred_errors(), []);
}

/// A graph whose launches follow each other in different streams, with work of others in between.
#[test]
fn a_launch_is_ordered_with_all_other_work() {
    let pair = pair();
    let (a, b) = (pair.a, pair.b);
    let (access, back) = PeerAccess::enable_both(&a, &b).expect("enabled");
    let streams =
        [a.new_stream().expect("stream"), b.new_stream().expect("stream"), a.new_stream().expect("stream")];
    let mut ours = a.alloc_zeroed::<f32>(N).expect("memory");
    let one = b.alloc_from(&[1.0f32; N]).expect("memory");
    let mut copy = b.alloc_zeroed::<f32>(N).expect("memory");
    let [stream, theirs, third] = &streams;
    let exec = stream
        .capture(|_| {
            pair.kernels.delay(stream, LaunchConfig::new(1, 1), 20_000)?;
            pair.kernels.add_f32(stream, MANY, &mut ours, access.slice(&one)?, N as u64)
        })
        .expect("captured")
        .instantiate()
        .expect("instantiated");
    let rounds = if pair.runtime.is_simulated() { 5 } else { 200 };
    for round in 0..rounds {
        exec.launch(third).expect("launched");
        theirs.copy_peer_async(&mut copy, &ours).expect("copied");
        exec.launch(theirs).expect("launched");
        assert_eq!(copy.to_vec().expect("read"), [2.0 * round as f32 + 1.0; N]);
    }
    assert_eq!(ours.to_vec().expect("read"), [2.0 * rounds as f32; N]);
    // Changed while a launch is under way, which goes on with what it had.
    let mut other = a.alloc_zeroed::<f32>(N).expect("memory");
    let changed = stream
        .capture(|_| {
            pair.kernels.delay(stream, LaunchConfig::new(1, 1), 10_000)?;
            pair.kernels.add_f32(stream, MANY, &mut other, access.slice(&one)?, N as u64)
        })
        .expect("captured");
    exec.launch(third).expect("launched");
    exec.update(&changed).expect("the same nodes");
    exec.launch(theirs).expect("launched");
    drop((exec, changed));
    assert_eq!(ours.to_vec().expect("read"), [2.0 * rounds as f32 + 1.0; N]);
    assert_eq!(other.to_vec().expect("read"), [1.0; N]);
    access.disable().expect("nobody uses it");
    back.disable().expect("nobody uses it");
    assert_eq!(pair.runtime.deferred_errors(), []);
}
