//! Pools: grants, stream-ordered memory, and what peer access does not cover. Kernels written by hand look at the memory.

#[macro_use]
mod common;

use std::mem::MaybeUninit;
use std::ptr;

use common::kernels::arg;
use common::{LEGACY, Latch, Session, at, machine, pair, session};
use cuda_p2p_sim::{MachineConfig, counters};
use cuda_p2p_sys::{cudaMemAccessDesc, cudaMemAccessFlags, cudaMemPool_t, cudaMemPoolAttr};

fn default_pool(s: &Session, device: i32) -> cudaMemPool_t {
    let mut pool = ptr::null_mut();
    assert_eq!(cuda!(s, cudaDeviceGetDefaultMemPool(&mut pool, device)), 0);
    pool
}

fn access(s: &Session, pool: cudaMemPool_t, device: i32) -> u32 {
    let (mut flags, mut location) = (cudaMemAccessFlags(9), at(device));
    assert_eq!(cuda!(s, cudaMemPoolGetAccess(&mut flags, pool, &mut location)), 0);
    flags.0
}

fn grant(s: &Session, pool: cudaMemPool_t, device: i32, flags: u32) -> u32 {
    let entry = cudaMemAccessDesc { location: at(device), flags: cudaMemAccessFlags(flags) };
    cuda!(s, cudaMemPoolSetAccess(pool, &entry, 1))
}

#[test]
fn peer_access_does_not_cover_a_pool_and_a_grant_does() {
    let s = pair();
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
    let (pool, stream, mut place) = (default_pool(&s, 1), s.stream(1, 1), ptr::null_mut());
    assert_eq!(cuda!(s, cudaMallocAsync(&mut place, 64, stream)), 0);
    assert_eq!((access(&s, pool, 0), access(&s, pool, 1)), (0, 3));
    assert_eq!(grant(&s, pool, 0, 3), 0);
    assert_eq!((access(&s, pool, 0), access(&s, pool, 1)), (3, 3));
    assert_eq!(s.launch(s.kernel(c"store"), (1, 1), LEGACY, &[arg(&place), arg(&7_u32)]), 0);
    assert_eq!(cuda!(s, cudaDeviceSynchronize()), 0);
    assert_eq!(s.read(place, 4), [7, 0, 0, 0]);
    assert_eq!(grant(&s, pool, 0, 0), 0);
    assert_eq!(s.launch(s.kernel(c"store"), (1, 1), LEGACY, &[arg(&place), arg(&8_u32)]), 0);
    assert_eq!(cuda!(s, cudaDeviceSynchronize()), 700, "the grant was taken back");
}

#[test]
fn grants_are_checked_as_a_whole() {
    let s = session(
        MachineConfig::devices(3).peers(cuda_p2p_sim::Peers::Links(vec![cuda_p2p_sim::PeerLink::Both(0, 1)])),
    );
    let pool = default_pool(&s, 1);
    assert_eq!(grant(&s, pool, 1, 0), 101, "the owner keeps its own memory");
    assert_eq!(grant(&s, pool, 1, 3), 0);
    assert_eq!(grant(&s, pool, 0, 2), 1, "no such right");
    assert_eq!(grant(&s, pool, 0, 1), 801, "to read alone is not modelled");
    assert_eq!(grant(&s, pool, 99, 3), 101);
    let entry = |device, flags| cudaMemAccessDesc { location: at(device), flags: cudaMemAccessFlags(flags) };
    let list = [entry(0, 3), entry(1, 0)];
    assert_eq!(cuda!(s, cudaMemPoolSetAccess(pool, list.as_ptr(), 2)), 101);
    assert_eq!(access(&s, pool, 0), 0, "the good half was not taken");
}

#[test]
fn a_grant_to_a_device_without_a_path_makes_the_next_allocation_fail() {
    let s = machine("devices=2 peers=none");
    let (pool, stream, mut place) = (default_pool(&s, 1), s.stream(1, 1), ptr::null_mut());
    assert_eq!(grant(&s, pool, 0, 3), 0, "taken while the pool is empty");
    assert_eq!(cuda!(s, cudaMallocAsync(&mut place, 64, stream)), 217);
    assert_eq!(grant(&s, pool, 0, 0), 0);
    assert_eq!(cuda!(s, cudaMallocAsync(&mut place, 64, stream)), 0);
    assert_eq!(grant(&s, pool, 0, 3), 217);
    s.synchronize();
}

#[test]
fn memory_is_freed_when_its_stream_comes_to_it() {
    let s = pair();
    let (stream, mut place) = (s.stream(0, 1), ptr::null_mut());
    let held = s.hold(stream, Latch::leaked());
    assert_eq!(cuda!(s, cudaMallocAsync(&mut place, 64, stream)), 0);
    assert_eq!(cuda!(s, cudaMemsetAsync(place, 1, 64, stream)), 0);
    assert_eq!(cuda!(s, cudaFreeAsync(place, stream)), 0);
    assert_eq!(cuda!(s, cudaFreeAsync(place, stream)), 1, "twice");
    assert_eq!(cuda!(s, cudaFree(place)), 1, "already on its way");
    assert_eq!(cuda!(s, cudaMemsetAsync(place, 2, 64, stream)), 1, "no call takes it any more");
    assert_eq!(counters().allocations, 1);
    held.open();
    assert_eq!(cuda!(s, cudaStreamSynchronize(stream)), 0);
    assert_eq!(counters().allocations, 0);
    let plain = s.malloc(0, 64);
    assert_eq!(cuda!(s, cudaFreeAsync(plain, stream)), 0, "memory of cudaMalloc, too");
    assert_eq!(cuda!(s, cudaMallocAsync(&mut place, 64, stream)), 0);
    assert_eq!(cuda!(s, cudaFree(place)), 0, "and the other way round");
    assert_eq!(counters().allocations, 0);
}

#[test]
fn pools_come_and_go() {
    let s = pair();
    let (stream, mut place, mut current) = (s.stream(0, 1), ptr::null_mut(), ptr::null_mut());
    let pool = s.new_pool(0);
    assert_eq!(cuda!(s, cudaDeviceSetMemPool(1, pool)), 1, "a pool of another device");
    assert_eq!(cuda!(s, cudaDeviceSetMemPool(0, pool)), 0);
    assert_eq!(cuda!(s, cudaMallocAsync(&mut place, 64, stream)), 0);
    let mut used = MaybeUninit::<u64>::zeroed();
    let attribute = cudaMemPoolAttr::cudaMemPoolAttrUsedMemCurrent;
    assert_eq!(cuda!(s, cudaMemPoolGetAttribute(pool, attribute, used.as_mut_ptr().cast())), 0);
    // SAFETY: zeroed, and then filled by the call.
    assert!(unsafe { used.assume_init() } >= 64);
    assert_eq!(counters().pools, 1);
    assert_eq!(cuda!(s, cudaMemPoolDestroy(pool)), 0);
    assert_eq!(cuda!(s, cudaMemPoolTrimTo(pool, 0)), 1, "the handle is stale at once");
    assert_eq!(cuda!(s, cudaDeviceGetMemPool(&mut current, 0)), 0);
    assert_eq!(current, default_pool(&s, 0));
    assert_eq!(cuda!(s, cudaMemsetAsync(place, 1, 64, stream)), 0, "its memory lives on");
    assert_eq!(cuda!(s, cudaFreeAsync(place, stream)), 0);
    assert_eq!(cuda!(s, cudaStreamSynchronize(stream)), 0);
    assert_eq!((counters().pools, counters().allocations), (0, 0));
    assert_eq!(cuda!(s, cudaMemPoolDestroy(default_pool(&s, 0))), 1);
}
