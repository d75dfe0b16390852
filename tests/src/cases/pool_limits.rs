//! Pools with limits, pools that live on, and pools beside a capture.

use std::ffi::c_void;
use std::ptr::{from_mut, null_mut};

use cuda_p2p_sys::{
    cudaMemAllocationHandleType, cudaMemPool_t, cudaMemPoolAttr, cudaMemcpyKind, cudaStreamCaptureMode,
    cudaStreamNonBlocking,
};

use super::pools::{NONE, READ_WRITE, access, grant, location, pool_word, properties};
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(a_pool_gives_no_more_than_its_size, ONE.pools().since(12, 2)),
    case!(a_small_size_is_rounded_up, ONE.pools().since(12, 2)),
    case!(a_pool_larger_than_the_device, ONE.pools().since(12, 2)),
    case!(a_pool_that_can_be_exported, ONE.pools()),
    case!(handle_types_that_are_not, ONE.pools()),
    case!(attributes_that_only_tell, ONE.pools()),
    case!(a_reuse_policy_is_on_or_off, ONE.pools()),
    case!(memory_for_another_devices_stream, TWO.pools()),
    case!(memory_is_freed_in_another_devices_stream, TWO.pools()),
    case!(a_copy_asks_whether_the_current_device_has_access, PEERS.pools()),
    case!(a_peer_copy_asks_the_devices_that_it_names, PEERS.pools()),
    case!(taking_a_grant_back_waits_for_nothing, PEERS.pools().kernels()).poisons(),
    case!(a_reset_leaves_pools_and_their_memory, PEERS.pools()),
    case!(asking_beside_a_capture_breaks_it, ONE.pools()),
    case!(reading_an_attribute_beside_a_capture_breaks_it, ONE.pools()),
    case!(setting_an_attribute_beside_a_capture_breaks_it, ONE.pools()),
    case!(allocating_beside_a_capture_breaks_it, ONE.pools()),
    case!(freeing_beside_a_capture_breaks_it, ONE.pools()),
    case!(the_default_pool_is_told_beside_a_capture, ONE.pools()),
    case!(in_relaxed_mode_nothing_breaks_it, PEERS.pools()),
];

const USED: cudaMemPoolAttr = cudaMemPoolAttr::cudaMemPoolAttrUsedMemCurrent;

fn limited(cx: &Cx, bytes: usize) -> cudaMemPool_t {
    let (mut pool, mut properties) = (null_mut(), properties(0));
    properties.set_max_size(bytes);
    answers!(cx.cudaMemPoolCreate(&mut pool, &properties), 0);
    pool
}

fn a_pool_gives_no_more_than_its_size(cx: &Cx) {
    let pool = limited(cx, 64 << 20);
    let mut place = null_mut();
    for _ in 0..3 {
        answers!(cx.cudaMallocFromPoolAsync(&mut place, 20 << 20, pool, NULL_STREAM), 0);
    }
    refuses!(cx.cudaMallocFromPoolAsync(&mut place, 20 << 20, pool, NULL_STREAM), 2);
}

fn a_small_size_is_rounded_up(cx: &Cx) {
    let pool = limited(cx, 1);
    let mut place = null_mut();
    answers!(cx.cudaMallocFromPoolAsync(&mut place, 4, pool, NULL_STREAM), 0);
    refuses!(cx.cudaMallocFromPoolAsync(&mut place, 40 << 20, pool, NULL_STREAM), 2);
}

fn a_pool_larger_than_the_device(cx: &Cx) {
    let (mut pool, mut properties) = (null_mut(), properties(0));
    properties.set_max_size(1 << 50);
    refuses!(cx.cudaMemPoolCreate(&mut pool, &properties), 2);
}

fn a_pool_that_can_be_exported(cx: &Cx) {
    let (mut pool, mut properties) = (null_mut(), properties(0));
    properties.handleTypes = cudaMemAllocationHandleType::cudaMemHandleTypePosixFileDescriptor;
    answers!(cx.cudaMemPoolCreate(&mut pool, &properties), 0);
    access(cx, pool, 0, 3);
    answers!(cx.cudaMemPoolDestroy(pool), 0);
}

fn handle_types_that_are_not(cx: &Cx) {
    let (mut pool, mut properties) = (null_mut(), properties(0));
    for types in [2, 3, 4] {
        properties.handleTypes = cudaMemAllocationHandleType(types);
        refuses!(cx.cudaMemPoolCreate(&mut pool, &properties), 1);
    }
}

fn attribute(value: &mut u64) -> *mut c_void {
    from_mut(value).cast()
}

fn default_pool(cx: &Cx) -> cudaMemPool_t {
    let mut pool = null_mut();
    must!(cx.cudaDeviceGetDefaultMemPool(&mut pool, 0));
    pool
}

fn attributes_that_only_tell(cx: &Cx) {
    let (pool, mut zero) = (default_pool(cx), 0);
    for name in [USED, cudaMemPoolAttr::cudaMemPoolAttrReservedMemCurrent] {
        refuses!(cx.cudaMemPoolSetAttribute(pool, name, attribute(&mut zero)), 1);
    }
    let high = cudaMemPoolAttr::cudaMemPoolAttrReservedMemHigh;
    answers!(cx.cudaMemPoolSetAttribute(pool, high, attribute(&mut zero)), 0);
}

fn a_reuse_policy_is_on_or_off(cx: &Cx) {
    let (pool, name) = (default_pool(cx), cudaMemPoolAttr::cudaMemPoolReuseAllowOpportunistic);
    for (set, told) in [(0, 0), (7, 1)] {
        let mut value: i32 = set;
        answers!(cx.cudaMemPoolSetAttribute(pool, name, from_mut(&mut value).cast()), 0);
        value = 99;
        answers!(cx.cudaMemPoolGetAttribute(pool, name, from_mut(&mut value).cast()), 0);
        cx.value("the policy", value, told);
    }
}

fn memory_for_another_devices_stream(cx: &Cx) {
    let (pool, stream, mut place) = (default_pool(cx), cx.stream(1, cudaStreamNonBlocking), null_mut());
    answers!(cx.cudaMallocFromPoolAsync(&mut place, 4096, pool, stream), 0);
    answers!(cx.cudaFreeAsync(place, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
}

fn memory_is_freed_in_another_devices_stream(cx: &Cx) {
    let (stream, mut place) = (cx.stream(1, cudaStreamNonBlocking), null_mut());
    must!(cx.cudaMallocAsync(&mut place, 4096, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    answers!(cx.cudaFreeAsync(place, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
}

/// Not the stream's device, and not the owner.
fn a_copy_asks_whether_the_current_device_has_access(cx: &Cx) {
    let (pool, place) = pool_word(cx, 1);
    let theirs = cx.stream(1, cudaStreamNonBlocking);
    let mut pinned = null_mut();
    must!(cx.cudaHostAlloc(&mut pinned, 4, 0));
    let to_host = cudaMemcpyKind::cudaMemcpyDeviceToHost;
    refuses!(cx.cudaMemcpyAsync(pinned, place, 4, to_host, theirs), 1);
    cx.on(1, || {
        answers!(cx.cudaMemcpyAsync(pinned, place, 4, to_host, theirs), 0);
        answers!(cx.cudaStreamSynchronize(theirs), 0);
    });
    must!(cx.cudaMemPoolSetAccess(pool, &grant(0, READ_WRITE), 1));
    answers!(cx.cudaMemcpyAsync(pinned, place, 4, to_host, theirs), 0);
    answers!(cx.cudaStreamSynchronize(theirs), 0);
    must!(cx.cudaFreeHost(pinned));
}

fn a_peer_copy_asks_the_devices_that_it_names(cx: &Cx) {
    let (_, place) = pool_word(cx, 1);
    let (ours, stream) = (cx.malloc(0, 4), cx.stream(0, cudaStreamNonBlocking));
    answers!(cx.cudaMemcpyPeerAsync(ours, 0, place, 1, 4, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("what came", cx.read_word(0, ours), 1);
}

fn taking_a_grant_back_waits_for_nothing(cx: &Cx) {
    let (pool, place) = pool_word(cx, 1);
    must!(cx.cudaMemPoolSetAccess(pool, &grant(0, READ_WRITE), 1));
    let stream = cx.stream(0, cudaStreamNonBlocking);
    cx.store(stream, place, 2, 100);
    answers!(cx.cudaMemPoolSetAccess(pool, &grant(0, NONE), 1), 0);
    answers!(cx.cudaStreamQuery(stream), 600);
    answers!(cx.cudaDeviceSynchronize(), 700);
}

/// Of the owner too.
fn a_reset_leaves_pools_and_their_memory(cx: &Cx) {
    let (mut pool, properties, mut place) = (null_mut(), properties(0), null_mut());
    must!(cx.cudaMemPoolCreate(&mut pool, &properties));
    must!(cx.cudaMallocFromPoolAsync(&mut place, 4096, pool, NULL_STREAM));
    must!(cx.cudaMemsetAsync(place, 7, 4096, NULL_STREAM));
    must!(cx.cudaMemPoolSetAccess(pool, &grant(1, READ_WRITE), 1));
    cx.synchronize(0);
    let default = default_pool(cx);
    answers!(cx.cudaDeviceReset(), 0);
    cx.holds("the default pool is the same", default_pool(cx) == default);
    access(cx, pool, 1, 3);
    cx.value("the first bytes", cx.read(0, place, 4), vec![7; 4]);
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    answers!(cx.cudaMemPoolDestroy(pool), 0);
}

/// Another stream, and memory of a pool.
struct Beside {
    pool: cudaMemPool_t,
    captured: cuda_p2p_sys::cudaStream_t,
    other: cuda_p2p_sys::cudaStream_t,
    place: *mut c_void,
}

fn beside(cx: &Cx) -> Beside {
    let (captured, other) = (cx.stream(0, cudaStreamNonBlocking), cx.stream(0, cudaStreamNonBlocking));
    let (mut place, written) = (null_mut(), cx.malloc(0, 64));
    must!(cx.cudaMallocAsync(&mut place, 64, other));
    must!(cx.cudaStreamSynchronize(other));
    let pool = default_pool(cx);
    must!(cx.cudaStreamBeginCapture(captured, cudaStreamCaptureMode::cudaStreamCaptureModeGlobal));
    must!(cx.cudaMemsetAsync(written, 0, 64, captured));
    Beside { pool, captured, other, place }
}

fn broken(cx: &Cx, beside: &Beside, code: u32) {
    let (captured, mut graph) = (beside.captured, null_mut());
    answers!(cx.cudaStreamEndCapture(captured, &mut graph), code);
    cx.clear_last();
}

fn asking_beside_a_capture_breaks_it(cx: &Cx) {
    let at = beside(cx);
    let (pool, mut flags) = (at.pool, cuda_p2p_sys::cudaMemAccessFlags(99));
    refuses!(cx.cudaMemPoolGetAccess(&mut flags, pool, &mut location(0)), 900);
    broken(cx, &at, 901);
}

fn reading_an_attribute_beside_a_capture_breaks_it(cx: &Cx) {
    let at = beside(cx);
    let (pool, mut value) = (at.pool, 0);
    refuses!(cx.cudaMemPoolGetAttribute(pool, USED, attribute(&mut value)), 900);
    broken(cx, &at, 901);
}

fn setting_an_attribute_beside_a_capture_breaks_it(cx: &Cx) {
    let at = beside(cx);
    let (pool, mut value, keep) = (at.pool, 0, cudaMemPoolAttr::cudaMemPoolAttrReleaseThreshold);
    refuses!(cx.cudaMemPoolSetAttribute(pool, keep, attribute(&mut value)), 900);
    broken(cx, &at, 901);
}

fn allocating_beside_a_capture_breaks_it(cx: &Cx) {
    let at = beside(cx);
    let (pool, stream, mut place) = (at.pool, at.other, null_mut());
    refuses!(cx.cudaMallocFromPoolAsync(&mut place, 64, pool, stream), 900);
    refuses!(cx.cudaMallocAsync(&mut place, 64, stream), 900);
    broken(cx, &at, 901);
}

fn freeing_beside_a_capture_breaks_it(cx: &Cx) {
    let at = beside(cx);
    let (stream, place) = (at.other, at.place);
    refuses!(cx.cudaFreeAsync(place, stream), 900);
    broken(cx, &at, 901);
}

fn the_default_pool_is_told_beside_a_capture(cx: &Cx) {
    let at = beside(cx);
    let mut pool = null_mut();
    answers!(cx.cudaDeviceGetDefaultMemPool(&mut pool, 0), 0);
    answers!(cx.cudaDeviceGetMemPool(&mut pool, 0), 0);
    broken(cx, &at, 0);
}

fn in_relaxed_mode_nothing_breaks_it(cx: &Cx) {
    let at = beside(cx);
    let mut mode = cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed;
    must!(cx.cudaThreadExchangeStreamCaptureMode(&mut mode));
    let (stream, place, properties) = (at.other, at.place, properties(0));
    let (mut pool, mut value, mut flags) = (null_mut(), 0, cuda_p2p_sys::cudaMemAccessFlags(99));
    answers!(cx.cudaMemPoolCreate(&mut pool, &properties), 0);
    answers!(cx.cudaMemPoolGetAccess(&mut flags, pool, &mut location(0)), 0);
    answers!(cx.cudaMemPoolSetAccess(pool, &grant(1, READ_WRITE), 1), 0);
    answers!(cx.cudaMemPoolGetAttribute(pool, USED, attribute(&mut value)), 0);
    let mut given = null_mut();
    answers!(cx.cudaMallocFromPoolAsync(&mut given, 64, pool, stream), 0);
    answers!(cx.cudaFreeAsync(given, stream), 0);
    answers!(cx.cudaFreeAsync(place, stream), 0);
    answers!(cx.cudaMemPoolTrimTo(pool, 0), 0);
    answers!(cx.cudaMemPoolDestroy(pool), 0);
    must!(cx.cudaThreadExchangeStreamCaptureMode(&mut mode));
    broken(cx, &at, 0);
}
