//! Memory and pools of other code, where they are used: on GPUs if there are two, on a simulated pair otherwise. As in `both_arms.rs`,
//! one test runs at a time, and the machine has to have a pair of peers.

mod common;
#[path = "common/pair.rs"]
mod pair;

use pair::{Pair, pair};
use std::ffi::c_void;
use std::ptr::null_mut;

use common::raw::{self, raw};
use cuda_p2p::sys::{cudaMemPool_t, cudaStream_t, cudaStreamCaptureMode};
use cuda_p2p::{
    CopyPath, Device, DeviceBuffer, Error, ForeignError, LaunchConfig, MemPool, MemPoolOptions, PeerAccess,
    StagedReason,
};

const MANY: LaunchConfig = LaunchConfig::new(8, 64);

impl Pair {
    /// `y += x` on the first device.
    fn add(&self, access: &PeerAccess, x: &DeviceBuffer<f32>) -> Result<Vec<f32>, Error> {
        let stream = self.a.new_stream()?;
        let mut y = self.a.alloc_zeroed::<f32>(x.len())?;
        self.kernels.add_f32(&stream, MANY, &mut y, access.slice(x)?, x.len() as u64)?;
        y.to_vec()
    }

    /// Nothing that could not be done in a destructor.
    fn ends_clean(&self) {
        assert_eq!(self.runtime.deferred_errors(), []);
    }
}

/// What other code has from a pool of its own, or from the device's if there is none, on the null stream.
fn malloc_async<T>(device: &Device, pool: Option<cudaMemPool_t>, len: usize) -> *mut T {
    let (mut address, null): (*mut c_void, cudaStream_t) = (null_mut(), null_mut());
    let (runtime, number, bytes) = (device.runtime(), device.as_raw(), len * size_of::<T>());
    let code = match pool {
        Some(pool) => raw!(runtime, number, cudaMallocFromPoolAsync(&mut address, bytes, pool, null)),
        None => raw!(runtime, number, cudaMallocAsync(&mut address, bytes, null)),
    };
    assert_eq!((code, raw!(runtime, number, cudaMemsetAsync(address, 0, bytes, null))), (0, 0));
    device.synchronize().expect("allocated");
    address.cast()
}

fn free_async<T>(device: &Device, address: *mut T) -> u32 {
    raw!(device.runtime(), device.as_raw(), cudaFreeAsync(address.cast(), null_mut()))
}

/// A pool of other code's, and the duty to destroy it.
fn new_pool(device: &Device) -> cudaMemPool_t {
    device.new_mem_pool(MemPoolOptions::default()).expect("a pool").into_raw()
}

fn destroy_pool(device: &Device, pool: cudaMemPool_t) -> u32 {
    raw!(device.runtime(), device.as_raw(), cudaMemPoolDestroy(pool))
}

/// Peer access is on, and memory of a pool that somebody else allocated is refused until that pool is opened.
#[test]
fn memory_of_others_pools_needs_their_grant() {
    let pair = pair();
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    let own = new_pool(&pair.b);
    for pool in [None, Some(own)] {
        let address = malloc_async::<f32>(&pair.b, pool, 1000);
        // SAFETY: so many floats of that device, freed below, after the work; the pool is destroyed later still.
        let mut x = unsafe { DeviceBuffer::borrow_raw(&pair.b, address, 1000) }.unwrap();
        let stream = pair.b.new_stream().unwrap();
        stream.copy_from_host(&mut x, &[2.5f32; 1000]).unwrap();
        let found = x.mem_pool().expect("it is from a pool");
        assert_eq!(found.as_raw(), pool.unwrap_or_else(|| pair.b.default_mem_pool().unwrap().as_raw()));
        assert_eq!(found.device(), pair.b);

        let refused = pair.add(&access, &x).unwrap_err();
        assert_eq!(refused, Error::PoolNotGranted { accessor: 0, owner: 1 });
        let mut y = pair.a.alloc_zeroed::<f32>(1000).unwrap();
        let path = stream.copy_peer_async(&mut y, &x).unwrap();
        assert_eq!(path, CopyPath::Staged { reason: StagedReason::PoolNotGranted });
        assert_eq!(y.to_vec().unwrap(), [2.5; 1000]);

        found.enable_access_from(&[pair.a]).unwrap();
        assert_eq!(pair.add(&access, &x).unwrap(), [2.5; 1000]);
        assert_eq!(stream.copy_peer_async(&mut y, &x).unwrap(), CopyPath::Direct);

        let view = access.slice(&x).unwrap();
        found.disable_access_from(&[pair.a]).unwrap();
        let late = pair.kernels.add_f32(&pair.a.new_stream().unwrap(), MANY, &mut y, view, 1000);
        assert_eq!(late.unwrap_err(), Error::PoolNotGranted { accessor: 0, owner: 1 });
        drop((x, found));
        pair.b.synchronize().unwrap();
        assert_eq!(free_async(&pair.b, address), 0, "it was not freed here");
        pair.b.synchronize().unwrap();
    }
    assert_eq!(destroy_pool(&pair.b, own), 0, "it was not destroyed here");
    pair.ends_clean();
}

/// Pages that were mapped by other code, for their own device alone, and then for the peer too. Peer access is on all the time.
#[test]
fn pages_are_used_by_the_devices_that_they_are_mapped_for() {
    let pair = pair();
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    let page = pair.b.virtual_memory_granularity().unwrap();
    let mut range = pair.runtime.reserve_virtual_range(2 * page).unwrap();
    for offset in [0, page] {
        range.map(offset, pair.b.alloc_physical_zeroed(page).unwrap()).unwrap();
    }
    range.enable_access_from(&[pair.b]).unwrap();
    let address = range.slice::<f32>(&pair.b, ..).unwrap().as_raw().cast_mut();
    let len = 2 * page / 4;
    // SAFETY: so many floats of that device, mapped until the end of the test.
    let mut x = unsafe { DeviceBuffer::borrow_raw(&pair.b, address, len) }.unwrap();
    assert!(x.mem_pool().is_none());
    let stream = pair.b.new_stream().unwrap();
    stream.copy_from_host(&mut x, &vec![1.5f32; len]).unwrap();

    let refused = access.slice(&x).unwrap_err();
    assert_eq!(refused, Error::NotAccessible { accessor: 0, owner: 1 });
    assert!(refused.to_string().contains("cuMemSetAccess"), "{refused}");
    let mut y = pair.a.alloc_zeroed::<f32>(len).unwrap();
    let (here, back) = (pair.a.new_stream().unwrap(), pair.b.enable_peer_access(&pair.a).unwrap());
    // The peer reaches where the pages are, and the pages' device the other end: the driver copies for the latter alone.
    for (stream, expected) in
        [(&here, CopyPath::Staged { reason: StagedReason::NotMapped }), (&stream, CopyPath::Direct)]
    {
        let mut y = pair.a.alloc_zeroed::<f32>(len).unwrap();
        assert_eq!(stream.copy_peer_async(&mut y, &x).unwrap(), expected);
        assert!(y.to_vec().unwrap().iter().all(|it| *it == 1.5), "{expected}");
    }
    back.disable().unwrap();
    let path = stream.copy_peer_async(&mut y, &x).unwrap();
    assert_eq!(path, CopyPath::Staged { reason: StagedReason::NotMapped });
    assert!(y.to_vec().unwrap().iter().all(|it| *it == 1.5));

    range.enable_access_from(&[pair.a]).unwrap();
    assert!(pair.add(&access, &x).unwrap().iter().all(|it| *it == 1.5));
    let mut y = pair.a.alloc_zeroed::<f32>(len).unwrap();
    assert_eq!(here.copy_peer_async(&mut y, &x).unwrap(), CopyPath::Direct);
    assert!(y.to_vec().unwrap().iter().all(|it| *it == 1.5));
    drop(x);
    // SAFETY: refused.
    let owned = unsafe { DeviceBuffer::from_raw(&pair.b, address, len) }.unwrap_err();
    assert!(matches!(owned, Error::Foreign(ForeignError::WrongMemory { .. })), "{owned:?}");

    // Not even for their own device.
    range.disable_access_from(&[pair.b]).unwrap();
    // SAFETY: refused.
    let own = unsafe { DeviceBuffer::borrow_raw(&pair.b, address, len) }.unwrap_err();
    assert_eq!(own, Error::NotAccessible { accessor: 1, owner: 1 });
    pair.ends_clean();
}

/// Whoever names a pool by its handle has the same pool: a grant that one takes away waits for the work of the other.
#[test]
fn a_borrowed_pool_is_the_same_pool() {
    let pair = pair();
    let pool = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
    // SAFETY: it lives, by `pool`.
    let same = unsafe { MemPool::borrow_raw(&pair.b, pool.as_raw()) }.unwrap();
    assert_eq!(same, pool);
    let stream = pair.b.new_stream().unwrap();
    let x = stream.alloc_from(&pool, &[1.0f32; 100]).unwrap();
    // SAFETY: `x` is not used while it is.
    let lent = unsafe { DeviceBuffer::borrow_raw(&pair.b, x.as_raw(), 100) }.unwrap();
    assert_eq!(lent.mem_pool().as_ref(), Some(&pool));
    drop(lent);
    // The memory keeps a pool of this crate's own.
    let handle = pool.as_raw();
    drop((pool, same));
    assert_eq!(x.mem_pool().unwrap().as_raw(), handle);
    assert!(pair.a.alloc_zeroed::<u8>(1).unwrap().mem_pool().is_none());
    pair.ends_clean();
}

#[test]
fn pools_are_taken_over_and_given_away() {
    let pair = pair();
    let handle = new_pool(&pair.a);
    let stream = pair.a.new_stream().unwrap();
    {
        // SAFETY: it lives until it is destroyed, below.
        let borrowed = unsafe { MemPool::borrow_raw(&pair.a, handle) }.unwrap();
        assert_eq!(stream.alloc_from(&borrowed, &[7u8; 10]).unwrap().to_vec().unwrap(), [7; 10]);
    }
    // SAFETY: it is this crate's to destroy from here on.
    let owned = unsafe { MemPool::from_raw(&pair.a, handle) }.unwrap();
    assert_eq!(owned.usage().unwrap().used, 0, "it was not destroyed with the borrowed one");
    let handle = owned.into_raw();
    assert_eq!(destroy_pool(&pair.a, handle), 0, "nor by giving it away");
    pair.ends_clean();
}

#[test]
fn pools_that_cannot_be_taken_are_refused() {
    let pair = pair();
    let pool = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
    // SAFETY: neither is taken; that is what is tested.
    let (null, other) = unsafe {
        (
            MemPool::borrow_raw(&pair.a, null_mut()).unwrap_err(),
            MemPool::from_raw(&pair.a, pool.as_raw()).unwrap_err(),
        )
    };
    for error in [null, other] {
        assert!(
            matches!(error, Error::Foreign(ForeignError::Handle { what: "the memory pool", .. })),
            "{error:?}"
        );
    }
    assert!(pool.usage().is_ok(), "a refused pool is not destroyed");
    pair.ends_clean();
}

/// Memory of a pool that is taken over is freed in stream order.
#[test]
fn owned_memory_of_a_pool_is_freed_here() {
    let pair = pair();
    let pool = pair.a.new_mem_pool(MemPoolOptions::default()).unwrap();
    let address = malloc_async::<u32>(&pair.a, Some(pool.as_raw()), 64);
    // SAFETY: what the pool gave, which nobody else frees.
    let buffer = unsafe { DeviceBuffer::from_raw(&pair.a, address, 64) }.unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [0; 64]);
    assert!(pool.usage().unwrap().used > 0);
    drop(buffer);
    pair.a.synchronize().unwrap();
    assert_eq!(pool.usage().unwrap().used, 0);
    pair.ends_clean();
}

/// Somebody captures a stream in the strictest mode meanwhile.
#[test]
fn borrowing_leaves_others_captures_alone() {
    let pair = pair();
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    let pool = pair.b.new_mem_pool(MemPoolOptions::default()).unwrap();
    pool.enable_access_from(&[pair.a]).unwrap();
    let of_pool = malloc_async::<f32>(&pair.b, Some(pool.as_raw()), 100);
    let plain = raw::malloc::<f32>(&pair.b, 100);
    let (captured, number) = (raw::new_stream(&pair.a), pair.a.as_raw());
    let mode = cudaStreamCaptureMode::cudaStreamCaptureModeGlobal;
    assert_eq!(raw!(pair.runtime, number, cudaStreamBeginCapture(captured, mode)), 0);
    for address in [of_pool, plain] {
        // SAFETY: so many floats of that device, freed below.
        let x = unsafe { DeviceBuffer::borrow_raw(&pair.b, address, 100) }.unwrap();
        assert_eq!(access.slice(&x).unwrap().len(), 100);
    }
    let mut graph = null_mut();
    assert_eq!(
        raw!(pair.runtime, number, cudaStreamEndCapture(captured, &mut graph)),
        0,
        "the capture is broken"
    );
    assert_eq!(raw!(pair.runtime, number, cudaGraphDestroy(graph)), 0);
    assert_eq!(raw::destroy_stream(&pair.a, captured), 0);
    assert_eq!((free_async(&pair.b, of_pool), raw::free(&pair.b, plain)), (0, 0));
    pair.ends_clean();
}
