//! Memory pools.

use cuda_p2p::{CopyPath, Error, ErrorClass, MemPoolOptions, MemPoolReuse, PeerAccess, StagedReason, Stream};

use crate::{MANY, ONE, SLOW_NS, bytes, pair};

#[test]
fn memory_of_a_pool_is_memory_like_any_other() {
    let pair = pair();
    for pool in [pair.a.default_mem_pool().unwrap(), pair.a.new_mem_pool(MemPoolOptions::default()).unwrap()]
    {
        let (first, second) = (pair.a.new_stream().unwrap(), pair.a.new_stream().unwrap());
        let mut y = first.alloc_zeroed_async::<f32>(&pool, 1000).unwrap();
        let x = second.alloc_from(&pool, &[1.5f32; 1000]).unwrap();
        assert_eq!((y.device(), y.len()), (pair.a, 1000));
        // Allocated in one stream, used in another, read by the host.
        pair.kernels.add_f32(&second, MANY, &mut y, &x, 1000).unwrap();
        pair.kernels.add_f32(&first, MANY, &mut y, &x, 500).unwrap();
        let found = y.to_vec().unwrap();
        assert!(found[..500].iter().all(|it| *it == 3.0) && found[500..].iter().all(|it| *it == 1.5));
        first.copy_async(&mut y, &x).unwrap();
        assert_eq!(y.to_vec().unwrap(), [1.5; 1000]);
        assert!(first.alloc_zeroed_async::<u8>(&pool, 0).unwrap().is_empty());
    }
    pair.ends_clean();
}

#[test]
fn a_pool_belongs_to_one_device() {
    let pair = pair();
    let (pool, stream) = (pair.a.default_mem_pool().unwrap(), pair.b.new_stream().unwrap());
    let error = stream.alloc_zeroed_async::<u8>(&pool, 1).unwrap_err();
    assert_eq!(error, Error::WrongDevice { what: "the memory pool", expected: 1, found: 0 });
    assert_eq!(pair.a.default_mem_pool().unwrap(), pool);
    assert_ne!(pair.a.new_mem_pool(MemPoolOptions::default()).unwrap(), pool);
}

/// Dropped while two streams use it, one of them slowly: what comes next must not meet it.
#[test]
fn memory_is_freed_behind_its_last_use() {
    let pair = pair();
    let pool = pair.a.new_mem_pool(MemPoolOptions::default()).unwrap();
    pool.set_release_threshold(u64::MAX).unwrap();
    let streams = [pair.a.new_stream().unwrap(), pair.a.new_stream().unwrap()];
    let out = pair.a.alloc_zeroed::<u32>(1 << 18).unwrap();
    for round in 0..4u32 {
        let mut old = streams[0].alloc_zeroed_async::<u32>(&pool, 1 << 18).unwrap();
        pair.kernels.delayed_store(&streams[1], ONE, &mut old, round + 1, SLOW_NS / 10).unwrap();
        let mut kept = pair.a.alloc_zeroed::<u32>(1).unwrap();
        streams[usize::from(round % 2 == 0)].copy_async(&mut kept, old.slice(..1).unwrap()).unwrap();
        drop(old);
        // Of the same size: it may be the same memory.
        let new = streams[0].alloc_from(&pool, &vec![77u32; 1 << 18]).unwrap();
        assert_eq!(kept.to_vec().unwrap(), [round + 1]);
        assert!(new.to_vec().unwrap().iter().all(|word| *word == 77));
    }
    drop(out);
    pair.a.synchronize().unwrap();
    assert_eq!(pool.usage().unwrap().used, 0);
    pair.ends_clean();
}

#[test]
fn dropping_memory_of_a_pool_does_not_wait() {
    let pair = pair();
    let pool = pair.a.new_mem_pool(MemPoolOptions::default()).unwrap();
    let (busy, other) = (pair.a.new_stream().unwrap(), pair.a.new_stream().unwrap());
    let mut memory = busy.alloc_zeroed_async::<u32>(&pool, 1).unwrap();
    let mut more = busy.alloc_zeroed_async::<u32>(&pool, 1).unwrap();
    let kept = pair.a.alloc_zeroed::<u32>(1).unwrap();
    pair.a.synchronize().unwrap();
    other.copy_async(&mut more, &kept).unwrap();
    pair.kernels.delayed_store(&busy, ONE, &mut memory, 1, 4 * SLOW_NS).unwrap();
    let mut theirs = more.as_slice_mut();
    pair.kernels.delayed_store(&busy, ONE, &mut theirs, 1, 0).unwrap();
    // One was used last by one stream, the other by two.
    drop(memory);
    drop(more);
    assert!(!busy.is_done().unwrap(), "the drops waited for the kernel");
    pair.a.synchronize().unwrap();
    assert_eq!(pool.usage().unwrap().used, 0);
    pair.ends_clean();
}

#[test]
fn a_grant_is_asked_for_before_the_launch() {
    let pair = pair();
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    let (ours, theirs) = (pair.a.new_stream().unwrap(), pair.b.new_stream().unwrap());
    let pool = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
    let mut memory = theirs.alloc_zeroed_async::<u32>(&pool, 4).unwrap();
    let not_granted = Error::PoolNotGranted { accessor: 0, owner: 1 };

    assert!(!pool.is_accessible_from(&pair.a).unwrap());
    assert!(pool.is_accessible_from(&pair.b).unwrap());
    assert_eq!(access.slice(&memory).unwrap_err(), not_granted);
    assert_eq!(access.slice_mut(&mut memory).unwrap_err(), not_granted);
    assert!(not_granted.to_string().contains("enable_access_from"), "{not_granted}");

    pool.enable_access_from(&[pair.a]).unwrap();
    // Twice is no error.
    pool.enable_access_from(&[pair.a]).unwrap();
    assert!(pool.is_accessible_from(&pair.a).unwrap());
    pair.kernels.delayed_store(&ours, ONE, access.slice_mut(&mut memory).unwrap(), 9, 0).unwrap();
    assert_eq!(memory.to_vec().unwrap(), [9, 0, 0, 0]);

    // It covers what comes later, and no other pool.
    let later = theirs.alloc_from(&pool, &[5u32]).unwrap();
    let mut here = pair.a.alloc_zeroed::<u8>(4).unwrap();
    pair.kernels
        .copy(&ours, ONE, &mut here, access.slice(later.as_slice().cast::<u8>().unwrap()).unwrap(), 4)
        .unwrap();
    assert_eq!(here.to_vec().unwrap(), [5, 0, 0, 0]);
    let other = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
    let elsewhere = theirs.alloc_zeroed_async::<u32>(&other, 1).unwrap();
    assert_eq!(access.slice(&elsewhere).unwrap_err(), not_granted);

    // A view that is there when the pool is closed is refused where it is used.
    let view = access.slice(later.as_slice().cast::<u8>().unwrap()).unwrap();
    pool.disable_access_from(&[pair.a]).unwrap();
    assert!(!pool.is_accessible_from(&pair.a).unwrap());
    assert_eq!(access.slice(&later).unwrap_err(), not_granted);
    assert_eq!(pair.kernels.copy(&ours, ONE, &mut here, view, 4).unwrap_err(), not_granted);
    assert_eq!(view.as_raw_on(&ours).unwrap_err(), not_granted);
    // The context is sound, and with a new grant the same view works.
    pool.enable_access_from(&[pair.a]).unwrap();
    pair.kernels.copy(&ours, ONE, &mut here, view, 4).unwrap();
    ours.synchronize().unwrap();
    access.disable().unwrap();
    pair.ends_clean();
}

/// Work that was put in with a view may still run.
#[test]
fn closing_a_pool_waits_for_the_work_that_uses_it() {
    let pair = pair();
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    let (ours, theirs) = (pair.a.new_stream().unwrap(), pair.b.new_stream().unwrap());
    let pool = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
    pool.enable_access_from(&[pair.a]).unwrap();
    let mut memory = theirs.alloc_zeroed_async::<u32>(&pool, 1).unwrap();
    pair.kernels.delayed_store(&ours, ONE, access.slice_mut(&mut memory).unwrap(), 9, SLOW_NS).unwrap();
    pool.disable_access_from(&[pair.a]).unwrap();
    assert!(ours.is_done().unwrap());
    assert_eq!(memory.to_vec().unwrap(), [9]);
    access.disable().unwrap();
    pair.ends_clean();
}

#[test]
fn grants_that_make_no_sense_are_refused() {
    let pair = pair();
    let pool = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
    assert_eq!(pool.enable_access_from(&[pair.b]).unwrap_err(), Error::SameDevice { device: 1 });
    assert_eq!(pool.disable_access_from(&[pair.b]).unwrap_err(), Error::SameDevice { device: 1 });
    // None of a list that has a wrong one.
    assert_eq!(pool.enable_access_from(&[pair.a, pair.b]).unwrap_err(), Error::SameDevice { device: 1 });
    assert!(!pool.is_accessible_from(&pair.a).unwrap());
    pool.enable_access_from(&[]).unwrap();
    pool.disable_access_from(&[pair.a]).unwrap();
}

/// What a new pool is opened to is asked, not remembered: nobody, although the one before was opened.
#[test]
fn a_new_pool_is_asked_whom_it_is_opened_to() {
    let pair = pair();
    for _ in 0..3 {
        let pool = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
        assert!(!pool.is_accessible_from(&pair.a).unwrap());
        pool.enable_access_from(&[pair.a]).unwrap();
        assert!(pool.is_accessible_from(&pair.a).unwrap());
    }
    pair.ends_clean();
}

#[test]
fn a_pool_tells_and_takes_its_attributes() {
    let pair = pair();
    let pool = pair.a.new_mem_pool(MemPoolOptions::default()).unwrap();
    let all = MemPoolReuse {
        follow_event_dependencies: true,
        allow_opportunistic: true,
        allow_internal_dependencies: true,
    };
    assert_eq!(pool.reuse().unwrap(), all);
    let some = MemPoolReuse { allow_opportunistic: false, ..all };
    pool.set_reuse(some).unwrap();
    assert_eq!(pool.reuse().unwrap(), some);
    assert_eq!(pool.release_threshold().unwrap(), 0);
    pool.set_release_threshold(u64::MAX).unwrap();
    assert_eq!(pool.release_threshold().unwrap(), u64::MAX);

    let stream = pair.a.new_stream().unwrap();
    let memory = stream.alloc_zeroed_async::<u8>(&pool, 8 << 20).unwrap();
    stream.synchronize().unwrap();
    let full = pool.usage().unwrap();
    assert!(full.used >= 8 << 20 && full.reserved >= full.used, "{full:?}");
    drop(memory);
    pair.a.synchronize().unwrap();
    let kept = pool.usage().unwrap();
    assert_eq!((kept.used, kept.used_high), (0, full.used));
    assert!(kept.reserved >= 8 << 20, "{kept:?}");
    pool.trim_to(0).unwrap();
    pool.reset_high_water_marks().unwrap();
    let trimmed = pool.usage().unwrap();
    assert_eq!((trimmed.reserved, trimmed.reserved_high, trimmed.used_high), (0, 0, 0));
    pair.ends_clean();
}

#[test]
fn a_pool_of_a_size_gives_no_more() {
    let pair = pair();
    let options = MemPoolOptions { max_size: Some(64 << 20), ..MemPoolOptions::default() };
    let pool = pair.a.new_mem_pool(options).unwrap();
    let stream = pair.a.new_stream().unwrap();
    let most = stream.alloc_zeroed_async::<u8>(&pool, 40 << 20).unwrap();
    let error = stream.alloc_zeroed_async::<u8>(&pool, 40 << 20).unwrap_err();
    assert_eq!(error.class(), Some(ErrorClass::OutOfMemory), "{error}");
    // Dropped while in use, and waited for.
    pair.kernels.delay(&stream, ONE, SLOW_NS).unwrap();
    drop(most);
    drop(stream.alloc_zeroed_async::<u8>(&pool, 40 << 20).unwrap());
    drop(pair.a.new_mem_pool(MemPoolOptions { shareable: true, ..MemPoolOptions::default() }));
    pair.ends_clean();
}

/// A copy goes direct if either device reaches the other's end, whichever way that is allowed.
#[test]
fn the_path_of_a_copy_depends_on_grants_too() {
    use CopyPath::{Direct, Staged};
    let not_enabled = Staged { reason: StagedReason::NotEnabled };
    let not_granted = Staged { reason: StagedReason::PoolNotGranted };
    let pair = pair();
    let streams = [pair.a.new_stream().unwrap(), pair.b.new_stream().unwrap()];
    let pools = [
        pair.a.new_mem_pool(MemPoolOptions::default()).unwrap(),
        pair.b.new_mem_pool(MemPoolOptions::default()).unwrap(),
    ];
    let mut plain_to = pair.a.alloc_zeroed::<u8>(5000).unwrap();
    let mut pool_to = streams[0].alloc_zeroed_async::<u8>(&pools[0], 5000).unwrap();
    let data = bytes(5000, 9);
    let plain_from = pair.b.alloc_from(&data).unwrap();
    let pool_from = streams[1].alloc_from(&pools[1], &data).unwrap();
    let mut paths = |stream: &Stream| {
        let mut found = Vec::new();
        for to in [&mut plain_to, &mut pool_to] {
            for from in [&plain_from, &pool_from] {
                stream.fill_bytes_async(&mut *to, 0).err();
                found.push(stream.copy_peer_async(&mut *to, from).unwrap());
                assert_eq!(to.to_vec().unwrap(), data);
            }
        }
        found
    };
    assert_eq!(paths(&streams[0]), [not_enabled, not_enabled, not_enabled, not_granted]);
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    assert_eq!(paths(&streams[0]), [Direct, not_granted, Direct, not_granted]);
    pools[1].enable_access_from(&[pair.a]).unwrap();
    assert_eq!(paths(&streams[1]), [Direct; 4]);
    access.disable().unwrap();
    assert_eq!(paths(&streams[1]), [not_enabled, Direct, not_enabled, Direct]);
    pools[1].disable_access_from(&[pair.a]).unwrap();
    pools[0].enable_access_from(&[pair.b]).unwrap();
    assert_eq!(paths(&streams[0]), [not_enabled, not_enabled, Direct, Direct]);
    drop((plain_to, pool_to, plain_from, pool_from));
    pair.ends_clean();
}

/// Tokens of peer access and grants are two things: either can be there without the other.
#[test]
fn peer_access_and_grants_are_separate() {
    let pair = pair();
    let pool = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
    pool.enable_access_from(&[pair.a]).unwrap();
    let access: PeerAccess = pair.a.enable_peer_access(&pair.b).unwrap();
    access.disable().unwrap();
    assert!(pool.is_accessible_from(&pair.a).unwrap());
    pair.ends_clean();
}
