//! Memory pools, virtual memory and questions about pointers where they are used: on GPUs if there are two, on a simulated pair
//! otherwise. As in `both_arms.rs`, one test runs at a time, and the machine has to have a pair of peers.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_p2p::builtin::{CheckResult, Kernels};
use cuda_p2p::{
    AddressRange, CopyPath, Device, Error, LaunchConfig, MemPoolOptions, MemPoolReuse, PeerAccess,
    PointerInfo, PointerKind, Residence, Runtime, SimulatorPolicy, StagedReason, Stream, VirtualRange,
};

const ONE: LaunchConfig = LaunchConfig::new(1, 1);
const MANY: LaunchConfig = LaunchConfig::new(8, 64);
/// Long enough for whatever does not wait to be over first.
const SLOW_NS: u64 = 50_000_000;

struct Pair {
    runtime: Runtime,
    kernels: Kernels,
    a: Device,
    b: Device,
    _alone: MutexGuard<'static, ()>,
}

fn pair() -> Pair {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // A run that is to be on hardware must not pass on the simulator.
    let policy = match std::env::var("CUDA_P2P_TEST_ARM").as_deref() {
        Ok("real") => SimulatorPolicy::Never,
        _ => SimulatorPolicy::WhenNoDevice,
    };
    let runtime = Runtime::builder().simulator(policy).open().expect("a runtime");
    let (a, b) = (runtime.device(0).expect("device 0"), runtime.device(1).expect("device 1"));
    assert!(a.can_access_peer(&b).expect("asked"), "these tests are for a pair of peers");
    Pair { runtime, kernels: Kernels::load(&runtime).expect("the kernels"), a, b, _alone: alone }
}

fn bytes(len: usize, seed: u8) -> Vec<u8> {
    (0..len).map(|i| (i as u8).wrapping_mul(31) ^ (i >> 8) as u8 ^ seed).collect()
}

impl Pair {
    /// Nothing that could not be done in a destructor.
    fn ends_clean(&self) {
        assert_eq!(self.runtime.deferred_errors(), []);
    }
}

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
    assert_eq!(error.class(), Some(cuda_p2p::ErrorClass::OutOfMemory), "{error}");
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
    let data: Vec<u8> = (0..5000u32).map(|i| (i * 7 >> 3) as u8).collect();
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

/// Bytes of one part of the ranges below.
fn part_of(pair: &Pair) -> usize {
    pair.a.virtual_memory_granularity().unwrap()
}

/// A range of two parts, the first in the memory of device 0, the second in that of device 1; both have access.
fn shared_range(pair: &Pair) -> VirtualRange {
    let part = part_of(pair);
    let mut range = pair.runtime.reserve_virtual_range(2 * part).unwrap();
    range.map(part, pair.b.alloc_physical_zeroed(part).unwrap()).unwrap();
    range.map(0, pair.a.alloc_physical_zeroed(part).unwrap()).unwrap();
    range.enable_access_from(&[pair.a, pair.b]).unwrap();
    range
}

#[test]
fn one_range_of_two_devices_is_used_by_kernels_of_both() {
    let pair = pair();
    let (part, streams) = (part_of(&pair), [pair.a.new_stream().unwrap(), pair.b.new_stream().unwrap()]);
    let mut range = shared_range(&pair);
    let found: Vec<_> = range.mappings().collect();
    assert_eq!(found, [(0, part, pair.a), (part, part, pair.b)]);
    let all = 2 * part as u64;
    // New memory is zeroed.
    let mut host = vec![1u8; 2 * part];
    streams[0].copy_to_host(range.slice::<u8>(&pair.a, ..).unwrap(), &mut host).unwrap();
    assert!(host.iter().all(|byte| *byte == 0));
    // Each fills all of it, and the other checks.
    for (seed, (writer, reader)) in [(pair.a, pair.b), (pair.b, pair.a)].into_iter().enumerate() {
        let (ours, theirs) =
            if writer == pair.a { (&streams[0], &streams[1]) } else { (&streams[1], &streams[0]) };
        let seed = seed as u64 + 5;
        let mut result = reader.alloc_from(&[CheckResult::CLEAN]).unwrap();
        pair.kernels.fill(ours, MANY, range.slice_mut::<u8>(&writer, ..).unwrap(), all, seed).unwrap();
        let slice = range.slice::<u8>(&reader, ..).unwrap();
        pair.kernels.check(theirs, MANY, slice, all, seed, &mut result).unwrap();
        assert!(result.to_vec().unwrap()[0].is_clean(all), "{:?}", result.to_vec().unwrap());
    }
    drop(range);
    pair.ends_clean();
}

/// Copies and fills cross from the memory of one device to that of the other.
#[test]
fn copies_and_fills_of_a_range_cross_devices() {
    let pair = pair();
    let (part, stream) = (part_of(&pair), pair.a.new_stream().unwrap());
    let mut range = shared_range(&pair);
    let middle = part - 700..part + 900;
    let data = bytes(1600, 3);
    stream.copy_from_host(range.slice_mut::<u8>(&pair.a, middle.clone()).unwrap(), &data).unwrap();
    let mut buffer = pair.a.alloc_zeroed::<u8>(1600).unwrap();
    stream.copy_async(&mut buffer, range.slice::<u8>(&pair.a, middle.clone()).unwrap()).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), data);
    stream.fill_bytes_async(range.slice_mut::<u8>(&pair.a, part - 5..part + 5).unwrap(), 9).unwrap();
    let mut back = vec![0u8; 20];
    stream.copy_to_host(range.slice::<u8>(&pair.a, part - 10..part + 10).unwrap(), &mut back).unwrap();
    assert_eq!(back[5..15], [9; 10]);
    assert!(back[..5] == data[690..695] && back[15..] == data[705..710]);
    // Between devices the stream's device has to reach both ends to copy direct.
    let mut theirs = pair.b.alloc_zeroed::<u8>(1600).unwrap();
    let slice = range.slice::<u8>(&pair.a, middle.clone()).unwrap();
    let staged = CopyPath::Staged { reason: StagedReason::NotEnabled };
    assert_eq!(stream.copy_peer_async(&mut theirs, slice).unwrap(), staged);
    assert_eq!(theirs.to_vec().unwrap()[..690], data[..690]);
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    assert_eq!(stream.copy_peer_async(&mut theirs, slice).unwrap(), CopyPath::Direct);
    access.disable().unwrap();
    let slice = range.slice::<u8>(&pair.b, middle).unwrap();
    let on_b = pair.b.new_stream().unwrap();
    assert_eq!(on_b.copy_peer_async(&mut theirs, slice).unwrap(), CopyPath::Direct);
    on_b.synchronize().unwrap();
    drop(range);
    pair.ends_clean();
}

/// Two devices at once, each in its part: no part waits for the other.
#[test]
fn parts_of_a_range_are_ordered_apart() {
    let pair = pair();
    let (part, ours, theirs) = (part_of(&pair), pair.a.new_stream().unwrap(), pair.b.new_stream().unwrap());
    let mut range = shared_range(&pair);
    let slice = range.slice_mut::<u32>(&pair.a, ..).unwrap();
    let (mut first, second) = slice.split_at_mut(part / 4).unwrap();
    let mut second = second.for_device(&pair.b).unwrap();
    pair.kernels.delayed_store(&ours, ONE, &mut first, 1, 4 * SLOW_NS).unwrap();
    pair.kernels.delayed_store(&theirs, ONE, &mut second, 2, 0).unwrap();
    theirs.synchronize().unwrap();
    assert!(!ours.is_done().unwrap(), "the second part waited for the first");
    // A use of both parts waits for both.
    let mut found = vec![0u32; part / 4 + 1];
    theirs.copy_to_host(range.slice::<u32>(&pair.b, ..=part / 4).unwrap(), &mut found).unwrap();
    assert_eq!((found[0], found[part / 4]), (1, 2));
    drop(range);
    pair.ends_clean();
}

#[test]
fn what_a_device_may_not_use_is_refused() {
    let pair = pair();
    let part = part_of(&pair);
    let not_granted = Error::RangeNotGranted { accessor: 0, owner: 1 };
    let mut range = pair.runtime.reserve_virtual_range(3 * part).unwrap();
    assert!(!range.is_accessible_from(&pair.a).unwrap());
    assert_eq!(range.slice::<u8>(&pair.a, ..1).unwrap_err(), Error::NotMapped { start: 0, end: 1 });
    range.map(part, pair.b.alloc_physical_zeroed(part).unwrap()).unwrap();
    assert_eq!(range.slice::<u8>(&pair.a, ..).unwrap_err(), Error::NotMapped { start: 0, end: part });
    let word = part / 4..part / 4 + 1;
    assert_eq!(range.slice::<u32>(&pair.a, word.clone()).unwrap_err(), not_granted);
    // The owner needs access too.
    let owner = Error::RangeNotGranted { accessor: 1, owner: 1 };
    assert_eq!(range.slice::<u32>(&pair.b, word.clone()).unwrap_err(), owner);
    assert!(not_granted.to_string().contains("enable_access_from"), "{not_granted}");

    range.enable_access_from(&[pair.b]).unwrap();
    assert!(range.is_accessible_from(&pair.b).unwrap() && !range.is_accessible_from(&pair.a).unwrap());
    // By peer access it is not covered.
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    let slice = range.slice::<u32>(&pair.b, word.clone()).unwrap();
    assert_eq!(access.slice(slice).unwrap_err(), not_granted);
    range.enable_access_from(&[pair.a]).unwrap();
    let mut ours = pair.a.alloc_zeroed::<u8>(4).unwrap();
    let stream = pair.a.new_stream().unwrap();
    let view = access.slice(range.slice::<u8>(&pair.b, part..part + 4).unwrap()).unwrap();
    pair.kernels.copy(&stream, ONE, &mut ours, view, 4).unwrap();
    assert_eq!(ours.to_vec().unwrap(), [0; 4]);

    // What is mapped later gets it too.
    range.map(0, pair.a.alloc_physical_zeroed(part).unwrap()).unwrap();
    assert!(range.slice::<u8>(&pair.a, ..2 * part).is_ok() && range.slice::<u8>(&pair.b, ..2 * part).is_ok());
    range.disable_access_from(&[pair.a]).unwrap();
    assert!(range.slice::<u8>(&pair.a, ..1).is_err() && range.slice::<u8>(&pair.b, ..2 * part).is_ok());
    access.disable().unwrap();
    drop(range);
    pair.ends_clean();
}

#[test]
fn mistakes_with_ranges_are_told_before_the_driver_is_asked() {
    let pair = pair();
    let part = part_of(&pair);
    assert!(matches!(pair.runtime.reserve_virtual_range(part + 1), Err(Error::Granularity { .. })));
    assert!(matches!(pair.runtime.reserve_virtual_range(0), Err(Error::Granularity { .. })));
    assert!(matches!(pair.a.alloc_physical_zeroed(7), Err(Error::Granularity { .. })));
    let mut range = pair.runtime.reserve_virtual_range(2 * part).unwrap();
    let memory = pair.a.alloc_physical_zeroed(2 * part).unwrap();
    let refused = range.map(part, memory).unwrap_err();
    assert_eq!(refused.error, Error::OutOfBounds { start: part, end: 3 * part, len: 2 * part });
    let refused = range.map(4, refused.memory).unwrap_err();
    assert!(matches!(refused.error, Error::Granularity { .. }));
    range.map(0, refused.memory).unwrap();
    let more = pair.b.alloc_physical_zeroed(part).unwrap();
    let refused = range.map(part, more).unwrap_err();
    assert_eq!(refused.error, Error::AlreadyMapped { start: 0, end: 2 * part });
    assert_eq!(range.unmap(part).unwrap_err(), Error::NotMapped { start: part, end: part });
    let back = range.unmap(0).unwrap();
    assert_eq!((back.device(), back.size_bytes()), (pair.a, 2 * part));
    let error = pair.a.alloc_physical_zeroed(1 << 46).unwrap_err();
    assert_eq!(error.class(), Some(cuda_p2p::ErrorClass::OutOfMemory), "{error}");
    drop((range, back));
    pair.ends_clean();
}

/// What is written stays when the memory moves to another place, and work on it is waited for.
#[test]
fn memory_that_is_unmapped_keeps_its_bytes() {
    let pair = pair();
    let (part, stream) = (part_of(&pair), pair.a.new_stream().unwrap());
    let mut range = shared_range(&pair);
    let mut word = range.slice_mut::<u32>(&pair.a, part / 4..part / 4 + 1).unwrap();
    pair.kernels.delayed_store(&stream, ONE, &mut word, 77, SLOW_NS).unwrap();
    let memory = range.unmap(part).unwrap();
    assert!(stream.is_done().unwrap(), "the kernel was not waited for");
    let mut other = pair.runtime.reserve_virtual_range(part).unwrap();
    other.map(0, memory).unwrap();
    other.enable_access_from(&[pair.a]).unwrap();
    let mut found = [0u32];
    stream.copy_to_host(other.slice::<u32>(&pair.a, ..1).unwrap(), &mut found).unwrap();
    assert_eq!(found, [77]);
    drop((range, other));
    pair.ends_clean();
}

/// It goes with its work done.
#[test]
fn dropping_a_range_does_not_wait() {
    let pair = pair();
    let stream = pair.a.new_stream().unwrap();
    let free = pair.b.memory_info().unwrap().free;
    let mut range = shared_range(&pair);
    let part = part_of(&pair);
    let mut word = range.slice_mut::<u32>(&pair.a, part / 4..part / 4 + 1).unwrap();
    pair.kernels.delayed_store(&stream, ONE, &mut word, 77, 4 * SLOW_NS).unwrap();
    drop(range);
    assert!(!stream.is_done().unwrap(), "the drop waited for the kernel");
    pair.a.synchronize().unwrap();
    // Given back: what is free is what was.
    drop(pair.a.alloc_zeroed::<u8>(1).unwrap());
    assert!(pair.b.memory_info().unwrap().free >= free);
    pair.ends_clean();
}

/// Who can use an address now, by ordinal.
fn users(pair: &Pair, address: *const u8) -> Vec<u32> {
    let info = pair.runtime.pointer_info(address).unwrap();
    info.accessible_from.iter().map(Device::ordinal).filter(|ordinal| *ordinal < 2).collect()
}

#[test]
fn an_address_tells_what_it_is() {
    let pair = pair();
    let (runtime, stream) = (pair.runtime, pair.b.new_stream().unwrap());
    let word = 7u32;
    let unknown = runtime.pointer_info(&raw const word).unwrap();
    let nothing = PointerInfo {
        kind: PointerKind::Unregistered,
        residence: None,
        accessible_from: Vec::new(),
        allocation: None,
    };
    assert_eq!(unknown, nothing);
    assert_eq!(runtime.pointer_info(std::ptr::null::<u8>()).unwrap(), nothing);

    let pinned = pair.a.alloc_pinned_zeroed::<u8>(5000).unwrap();
    let info = runtime.pointer_info(pinned.as_raw().wrapping_add(11)).unwrap();
    assert_eq!((info.kind, info.residence), (PointerKind::PinnedHost, Some(Residence::Host)));
    assert_eq!(info.accessible_from, runtime.devices().unwrap());
    assert_eq!(info.allocation, Some(AddressRange { base: pinned.as_raw().addr(), bytes: 5000 }));

    let plain = pair.b.alloc_zeroed::<u8>(5000).unwrap();
    let info = runtime.pointer_info(plain.as_raw().wrapping_add(4999)).unwrap();
    assert_eq!((info.kind, info.residence), (PointerKind::Device, Some(Residence::Device(pair.b))));
    assert_eq!(info.allocation, Some(AddressRange { base: plain.as_raw().addr(), bytes: 5000 }));

    let pool = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
    let pooled = stream.alloc_zeroed_async::<u8>(&pool, 5000).unwrap();
    stream.synchronize().unwrap();
    let info = runtime.pointer_info(pooled.as_raw()).unwrap();
    assert_eq!((info.kind, info.residence), (PointerKind::Pool, Some(Residence::Device(pair.b))));
    assert_eq!(info.allocation, Some(AddressRange { base: pooled.as_raw().addr(), bytes: 5000 }));

    let range = shared_range(&pair);
    let part = part_of(&pair);
    let start = range.slice::<u8>(&pair.a, ..).unwrap().as_raw();
    for (offset, owner) in [(3, pair.a), (part + 3, pair.b)] {
        let info = runtime.pointer_info(start.wrapping_add(offset)).unwrap();
        assert_eq!((info.kind, info.residence), (PointerKind::Virtual, Some(Residence::Device(owner))));
        assert_eq!(info.allocation, Some(AddressRange { base: start.addr(), bytes: 2 * part }));
    }
    let empty = runtime.reserve_virtual_range(part).unwrap();
    drop((empty, range, pooled));
    pair.ends_clean();
}

/// Right before and after each of them is enabled and disabled.
#[test]
fn who_can_use_an_address_is_told_as_of_now() {
    let pair = pair();
    let stream = pair.b.new_stream().unwrap();
    let plain = pair.b.alloc_zeroed::<u8>(100).unwrap();
    let pool = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
    let pooled = stream.alloc_zeroed_async::<u8>(&pool, 100).unwrap();
    let mut range = pair.runtime.reserve_virtual_range(part_of(&pair)).unwrap();
    range.map(0, pair.b.alloc_physical_zeroed(part_of(&pair)).unwrap()).unwrap();
    range.enable_access_from(&[pair.b]).unwrap();
    let (plain, pooled_at) = (plain.as_raw(), pooled.as_raw());
    let mapped = range.slice::<u8>(&pair.b, ..).unwrap().as_raw();
    let all = |pair: &Pair| [users(pair, plain), users(pair, pooled_at), users(pair, mapped)];
    assert!(pair.a.can_access_peer(&pair.b).unwrap(), "which is another question");
    assert_eq!(all(&pair), [vec![1], vec![1], vec![1]]);
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    assert_eq!(all(&pair), [vec![0, 1], vec![1], vec![1]]);
    pool.enable_access_from(&[pair.a]).unwrap();
    assert_eq!(all(&pair), [vec![0, 1], vec![0, 1], vec![1]]);
    range.enable_access_from(&[pair.a]).unwrap();
    assert_eq!(all(&pair), [vec![0, 1], vec![0, 1], vec![0, 1]]);
    access.disable().unwrap();
    assert_eq!(all(&pair), [vec![1], vec![0, 1], vec![0, 1]]);
    pool.disable_access_from(&[pair.a]).unwrap();
    assert_eq!(all(&pair), [vec![1], vec![1], vec![0, 1]]);
    range.disable_access_from(&[pair.a, pair.b]).unwrap();
    assert_eq!(all(&pair), [vec![1], vec![1], vec![]]);
    drop((range, pooled));
    assert_eq!(pair.runtime.pointer_info(mapped).unwrap().kind, PointerKind::Unregistered);
    pair.ends_clean();
}
