//! Memory of pools in graphs: on GPUs if there are two, on a simulated pair otherwise.

#[path = "common/pair.rs"]
mod pair;

use pair::{Pair, pair};

use cuda_p2p::{
    CaptureError, CopyPath, CopyRoute, DeviceBuffer, Error, GraphChange, GraphError, LaunchConfig, MemPool,
    MemPoolOptions, Shape,
};

const MANY: LaunchConfig = LaunchConfig::new(2, 64);
const ONE: LaunchConfig = LaunchConfig::new(1, 1);
/// Elements of each buffer.
const N: usize = 1000;
/// Nanoseconds of a kernel that others have time to overtake.
const SLOW_NS: u64 = 20_000_000;
const GRANT_IN_USE: Error = Error::GrantInUse { accessor: 0, owner: 1 };

/// What depends on every element and its place.
fn elements(round: u32) -> Vec<f32> {
    (0..N as u32).map(|i| ((i * 7 + round * 13) % 251) as f32).collect()
}

fn of_b(pair: &Pair) -> MemPool {
    pair.b.new_mem_pool(MemPoolOptions::default()).expect("a pool")
}

/// There and back between memory of both devices' pools, with kernels of both devices on it: exact at each launch, and the memory and
/// the grants stay for as long as the graph, whatever becomes of buffers and pools.
#[test]
fn memory_of_pools_is_used_by_a_graph() {
    let pair = pair();
    let (a, b) = (pair.a, pair.b);
    let rounds = if pair.runtime.is_simulated() { 20 } else { 1000 };
    let (own, pool) = (a.new_mem_pool(MemPoolOptions::default()).expect("a pool"), of_b(&pair));
    pool.enable_access_from(&[a]).expect("granted");
    let access = a.enable_peer_access(&b).expect("enabled");
    let (stream, there) = (a.new_stream().expect("stream"), b.new_stream().expect("stream"));
    let mut plain = a.alloc_zeroed::<f32>(N).expect("memory");
    let mut ours = stream.alloc_zeroed_async::<f32>(&own, N).expect("memory");
    let mut theirs = there.alloc_zeroed_async::<f32>(&pool, N).expect("memory");
    let one = there.alloc_from(&pool, &[1.0f32; N]).expect("memory");
    let graph = stream
        .capture(|capture| {
            capture.fork(&there)?;
            for _ in 0..5 {
                stream.copy_async(&mut ours, &plain)?;
                assert_eq!(stream.copy_peer_async(&mut theirs, &ours)?, CopyPath::Direct);
                pair.kernels.add_f32(&there, MANY, &mut theirs, &one, N as u64)?;
                // Memory of the pool by the link.
                let (y, x) = (access.slice_mut(&mut theirs)?, access.slice(&one)?);
                pair.kernels.add_f32(&stream, MANY, y, x, N as u64)?;
                assert_eq!(stream.copy_peer_async(&mut plain, &theirs)?, CopyPath::Direct);
            }
            capture.join(&there)
        })
        .expect("captured");
    let exec = graph.instantiate().expect("instantiated");
    drop(graph);
    let mut wrong = 0;
    for round in 0..rounds {
        let input = elements(round);
        stream.copy_from_host(&mut plain, &input).expect("copied");
        exec.launch(&stream).expect("launched");
        let found = plain.to_vec().expect("read");
        wrong += found.iter().zip(&input).filter(|(found, input)| **found != **input + 10.0).count();
    }
    assert_eq!(wrong, 0, "of {rounds} rounds");
    assert_eq!(pool.disable_access_from(&[a]).expect_err("the graph relies on it"), GRANT_IN_USE);
    // The buffers go, and the memory stays.
    drop((ours, theirs, one));
    let used = pool.usage().expect("told").used;
    assert!(used >= 2 * (N * 4) as u64, "{used}");
    stream.copy_from_host(&mut plain, &elements(1)).expect("copied");
    exec.launch(&stream).expect("launched");
    assert!(
        plain.to_vec().expect("read").iter().zip(elements(1)).all(|(found, input)| *found == input + 10.0)
    );
    drop(exec);
    for device in [a, b] {
        device.synchronize().expect("synchronized");
    }
    assert_eq!((own.usage().expect("told").used, pool.usage().expect("told").used), (0, 0));
    pool.disable_access_from(&[a]).expect("nobody relies on it");
    access.disable().expect("nobody uses it");
    assert_eq!(pair.runtime.deferred_errors(), []);
}

/// By a graph of one copy, each way that it may have: by the grant, and by peer access to the end that is no pool's.
#[test]
fn copies_of_a_pools_memory_go_direct_in_a_graph() {
    let pair = pair();
    let (a, b) = (pair.a, pair.b);
    let pool = of_b(&pair);
    let (on_a, on_b) = (a.new_stream().expect("stream"), b.new_stream().expect("stream"));
    let mut plain = a.alloc_zeroed::<f32>(N).expect("memory");
    let mut pooled = on_b.alloc_zeroed_async::<f32>(&pool, N).expect("memory");
    let not_granted = Error::PoolNotGranted { accessor: 0, owner: 1 };

    // Without any access it would go through the host, in a way that is not recorded.
    let staged = on_b.capture(|_| on_b.copy_peer_async(&mut plain, &pooled).map(drop)).expect_err("staged");
    assert!(matches!(staged, Error::Capture(CaptureError::Refused { .. })), "{staged}");

    let back = b.enable_peer_access(&a).expect("enabled");
    for granted in [false, true] {
        if granted {
            pool.enable_access_from(&[a]).expect("granted");
        }
        for stream in [&on_b, &on_a] {
            let mut check = |round: u32, to_plain: bool| {
                let graph = stream.capture(|_| {
                    let path = match to_plain {
                        true => stream.copy_peer_async(&mut plain, &pooled),
                        false => stream.copy_peer_async(&mut pooled, &plain),
                    };
                    path.map(|path| assert_eq!(path, CopyPath::Direct))
                })?;
                let exec = graph.instantiate()?;
                for round in round..round + 3 {
                    let input = elements(round);
                    let (from, to) = if to_plain { (&mut pooled, &plain) } else { (&mut plain, &pooled) };
                    let own = if to_plain { &on_b } else { &on_a };
                    own.copy_from_host(&mut *from, &input)?;
                    exec.launch(stream)?;
                    assert!(to.to_vec()? == input, "granted {granted}, to plain {to_plain}, round {round}");
                }
                // What it goes by cannot be taken away, and without the graph it can.
                if granted {
                    assert_eq!(pool.disable_access_from(&[a]).expect_err("in use"), GRANT_IN_USE);
                }
                Ok::<_, Error>(())
            };
            for to_plain in [true, false] {
                let outcome = check(if granted { 10 } else { 20 }, to_plain);
                // The stream's device has to see the pool's memory.
                if stream.device() == a && !granted {
                    assert_eq!(outcome, Err(not_granted.clone()));
                } else {
                    outcome.expect("exact");
                }
            }
        }
    }
    pool.disable_access_from(&[a]).expect("nobody relies on it");
    back.disable().expect("nobody uses it");
    assert_eq!(pair.runtime.deferred_errors(), []);
}

/// Launched in streams of the owner and of the peer, and dropped while it runs.
#[test]
fn memory_of_a_pool_is_freed_behind_the_launches() {
    let pair = pair();
    let (a, b, pool) = (pair.a, pair.b, of_b(&pair));
    pool.enable_access_from(&[a]).expect("granted");
    let (on_a, on_b) = (a.new_stream().expect("stream"), b.new_stream().expect("stream"));
    let access = a.enable_peer_access(&b).expect("enabled");
    for (value, launched_in) in [(1, &on_a), (2, &on_b)] {
        let mut word: DeviceBuffer<u32> = on_b.alloc_zeroed_async(&pool, 1).expect("memory");
        let exec = on_a
            .capture(|_| {
                let there = access.slice_mut(&mut word)?;
                pair.kernels.delayed_store(&on_a, ONE, there, value, SLOW_NS)
            })
            .expect("captured")
            .instantiate()
            .expect("instantiated");
        exec.launch(launched_in).expect("launched");
        drop((word, exec));
        assert!(!launched_in.is_done().expect("asked"), "dropping waited");
        // What is allocated next is not what the launch still writes to.
        let next = on_b.alloc_from(&pool, &[7u32]).expect("memory");
        // The launch is waited for, whichever device its stream is of.
        pool.disable_access_from(&[a]).expect("nobody relies on it");
        assert!(launched_in.is_done().expect("asked"));
        assert_eq!(next.to_vec().expect("read"), [7]);
        pool.enable_access_from(&[a]).expect("granted");
    }
    access.disable().expect("nobody uses it");
    assert_eq!(pair.runtime.deferred_errors(), []);
}

#[test]
fn what_a_graph_does_not_take_of_a_pools_memory_is_refused() {
    let pair = pair();
    let (a, b, pool) = (pair.a, pair.b, of_b(&pair));
    pool.enable_access_from(&[a]).expect("granted");
    let (on_a, on_b) = (a.new_stream().expect("stream"), b.new_stream().expect("stream"));
    let mut plain = a.alloc_zeroed::<f32>(N).expect("memory");
    let mut other = b.alloc_zeroed::<f32>(N).expect("memory");
    let pooled = on_b.alloc_zeroed_async::<f32>(&pool, N).expect("memory");
    let own = a.new_mem_pool(MemPoolOptions::default()).expect("a pool");
    let refused = |outcome: cuda_p2p::Result<CopyPath>| match outcome {
        Err(Error::Capture(CaptureError::Refused { what })) => what,
        outcome => panic!("{outcome:?}"),
    };
    let graph = on_a
        .capture(|_| {
            let what = refused(on_a.copy_peer_async_by(CopyRoute::Staged, &mut plain, &pooled));
            assert_eq!(what, "a copy through the host of memory of a pool");
            let allocated = on_a.alloc_zeroed_async::<f32>(&own, N);
            assert_eq!(refused(allocated.map(|_| CopyPath::Direct)), "an allocation in the captured stream");
            let shape = Shape::new_2d(10, 10);
            let copied = on_a.copy_peer_pitched_async(
                plain.slice_mut(..100)?.pitched(shape)?,
                pooled.slice(..100)?.pitched(shape)?,
            );
            assert_eq!(refused(copied), "a copy of boxes of a pool's memory between devices");
            on_a.copy_peer_async(&mut plain, &pooled).map(drop)
        })
        .expect("the capture goes on");
    let exec = graph.instantiate().expect("instantiated");
    // Which way a copy has is settled at the instantiation: not for other memory by an update.
    let other_way = on_a.capture(|_| on_a.copy_peer_async(&mut plain, &other).map(drop)).expect("captured");
    let changed = Error::from(GraphError::NotUpdated { change: GraphChange::Way });
    assert_eq!(exec.update(&other_way).expect_err("another way"), changed);
    let plain_exec = other_way.instantiate().expect("instantiated");
    assert_eq!(plain_exec.update(&graph).expect_err("another way"), changed);
    on_b.fill_bytes_async(&mut other, 0).expect("filled");
    exec.launch(&on_a).expect("as before");
    assert_eq!(plain.to_vec().expect("read"), [0.0; N]);
    drop((exec, plain_exec, graph, other_way));
    assert_eq!(pair.runtime.deferred_errors(), []);
}
