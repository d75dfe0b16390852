//! Memory of pools: peer access to a device is not access to its pools.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::{
    cudaMemAccessDesc, cudaMemAccessFlags, cudaMemAllocationType, cudaMemLocation, cudaMemLocationType,
    cudaMemPool_t, cudaMemPoolAttr, cudaMemPoolProps,
};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(peer_access_is_no_access_to_the_pool, PEERS.pools()),
    case!(a_grant_is_shown_and_works, PEERS.kernels().pools()),
    case!(without_a_grant_a_kernel_faults, PEERS.kernels().pools()).poisons(),
    case!(a_grant_alone_is_enough, PEERS.kernels().pools()),
    case!(the_owner_has_access_to_its_pool, ONE.pools()),
    case!(a_grant_taken_back_is_gone, PEERS.pools()),
    case!(a_new_pool_after_a_granted_one, PEERS.pools()),
    case!(grants_to_unknown_devices_fail, PEERS.pools()),
    case!(pool_memory_is_allocated_and_freed_in_order, ONE.pools()),
    case!(a_pool_counts_what_it_gave, ONE.pools()),
];

pub(super) fn location(device: i32) -> cudaMemLocation {
    cudaMemLocation::new(cudaMemLocationType::cudaMemLocationTypeDevice, device)
}

pub(super) fn grant(device: i32, flags: cudaMemAccessFlags) -> cudaMemAccessDesc {
    cudaMemAccessDesc { location: location(device), flags }
}

pub(super) const READ_WRITE: cudaMemAccessFlags = cudaMemAccessFlags::cudaMemAccessFlagsProtReadWrite;
pub(super) const NONE: cudaMemAccessFlags = cudaMemAccessFlags::cudaMemAccessFlagsProtNone;

/// The default pool of device 1 and a number in its memory.
pub(super) fn pool_word(cx: &Cx, value: u32) -> (cudaMemPool_t, *mut c_void) {
    let mut pool = null_mut();
    must!(cx.cudaDeviceGetDefaultMemPool(&mut pool, 1));
    let place = cx.on(1, || {
        let mut place = null_mut();
        must!(cx.cudaMallocAsync(&mut place, 4, NULL_STREAM));
        place
    });
    cx.write(1, place, &value.to_ne_bytes());
    (pool, place)
}

pub(super) fn access(cx: &Cx, pool: cudaMemPool_t, device: i32, want: u32) {
    let mut flags = cudaMemAccessFlags(99);
    let mut location = location(device);
    answers!(cx.cudaMemPoolGetAccess(&mut flags, pool, &mut location), 0);
    cx.value("flags", flags.0, want);
}

/// "Can access the device" and "can access this memory now" are two questions.
fn peer_access_is_no_access_to_the_pool(cx: &Cx) {
    cx.enable(0, 1);
    let (pool, _) = pool_word(cx, 1);
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    cx.value("answer", answer, 1);
    access(cx, pool, 0, 0);
}

fn a_grant_is_shown_and_works(cx: &Cx) {
    cx.enable(0, 1);
    let (pool, place) = pool_word(cx, 1);
    access(cx, pool, 0, 0);
    answers!(cx.cudaMemPoolSetAccess(pool, &grant(0, READ_WRITE), 1), 0);
    access(cx, pool, 0, 3);
    cx.store(NULL_STREAM, place, 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what the owner sees", cx.read_word(1, place), 2);
    let ours = cx.word(0, 0);
    cx.copy(NULL_STREAM, ours, place, 4);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what the kernel read", cx.read_word(0, ours), 2);
}

fn without_a_grant_a_kernel_faults(cx: &Cx) {
    cx.enable(0, 1);
    let (_, place) = pool_word(cx, 1);
    let ours = cx.word(0, 0);
    cx.copy(NULL_STREAM, ours, place, 4);
    answers!(cx.cudaDeviceSynchronize(), 700);
}

/// Peer access is not enabled here.
fn a_grant_alone_is_enough(cx: &Cx) {
    let (pool, place) = pool_word(cx, 1);
    answers!(cx.cudaMemPoolSetAccess(pool, &grant(0, READ_WRITE), 1), 0);
    access(cx, pool, 0, 3);
    cx.store(NULL_STREAM, place, 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what the owner sees", cx.read_word(1, place), 2);
}

fn the_owner_has_access_to_its_pool(cx: &Cx) {
    let mut pool = null_mut();
    must!(cx.cudaDeviceGetDefaultMemPool(&mut pool, 0));
    access(cx, pool, 0, 3);
}

fn a_grant_taken_back_is_gone(cx: &Cx) {
    let (pool, _) = pool_word(cx, 1);
    must!(cx.cudaMemPoolSetAccess(pool, &grant(0, READ_WRITE), 1));
    access(cx, pool, 0, 3);
    answers!(cx.cudaMemPoolSetAccess(pool, &grant(0, NONE), 1), 0);
    access(cx, pool, 0, 0);
}

/// Those of a pool of memory of that device, with all else left to the runtime.
pub(super) fn properties(device: i32) -> cudaMemPoolProps {
    // SAFETY: integers and a pointer: zeroes ask for the defaults.
    let mut properties: cudaMemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = cudaMemAllocationType::cudaMemAllocationTypePinned;
    properties.location = location(device);
    properties
}

/// A new pool that inherits the grants of a destroyed one was reported in public; this runtime does not do that.
fn a_new_pool_after_a_granted_one(cx: &Cx) {
    let properties = properties(1);
    let (mut first, mut second) = (null_mut(), null_mut());
    answers!(cx.cudaMemPoolCreate(&mut first, &properties), 0);
    access(cx, first, 0, 0);
    answers!(cx.cudaMemPoolSetAccess(first, &grant(0, READ_WRITE), 1), 0);
    access(cx, first, 0, 3);
    answers!(cx.cudaMemPoolDestroy(first), 0);
    answers!(cx.cudaMemPoolCreate(&mut second, &properties), 0);
    let mut flags = cudaMemAccessFlags(99);
    answers!(cx.cudaMemPoolGetAccess(&mut flags, second, &mut location(0)), 0);
    cx.value("flags of the second pool", flags.0, 0);
    answers!(cx.cudaMemPoolDestroy(second), 0);
}

fn grants_to_unknown_devices_fail(cx: &Cx) {
    let (pool, _) = pool_word(cx, 1);
    refuses!(cx.cudaMemPoolSetAccess(pool, &grant(99, READ_WRITE), 1), 101);
    access(cx, pool, 0, 0);
}

fn pool_memory_is_allocated_and_freed_in_order(cx: &Cx) {
    let mut place = null_mut();
    answers!(cx.cudaMallocAsync(&mut place, 1 << 20, NULL_STREAM), 0);
    answers!(cx.cudaMemsetAsync(place, 0x5A, 1 << 20, NULL_STREAM), 0);
    cx.holds("the memory has what was set", cx.read(0, place, 1 << 20).iter().all(|byte| *byte == 0x5A));
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

fn a_pool_counts_what_it_gave(cx: &Cx) {
    let mut pool = null_mut();
    let (mut used, mut place) = (0_u64, null_mut());
    must!(cx.cudaDeviceGetDefaultMemPool(&mut pool, 0));
    must!(cx.cudaMallocAsync(&mut place, 4 << 20, NULL_STREAM));
    let value = std::ptr::from_mut(&mut used).cast();
    answers!(cx.cudaMemPoolGetAttribute(pool, cudaMemPoolAttr::cudaMemPoolAttrUsedMemCurrent, value), 0);
    cx.holds("4 MiB are in use", used >= 4 << 20);
    must!(cx.cudaFreeAsync(place, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    answers!(cx.cudaMemPoolGetAttribute(pool, cudaMemPoolAttr::cudaMemPoolAttrUsedMemCurrent, value), 0);
    cx.value("bytes in use after the free", used, 0);
}
