//! Life of pool memory: which pool gives it, how it is freed, in what order, and what is left of it.

use std::ffi::c_void;
use std::ptr::{from_mut, null_mut};

use cuda_p2p_sys::{cudaMemPool_t, cudaMemPoolAttr, cudaStreamNonBlocking};

use super::pools::{READ_WRITE, access, grant, pool_word, properties};
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(pool_memory_is_freed_by_the_plain_call, ONE.pools()),
    case!(plain_memory_is_freed_in_a_stream, ONE.pools()),
    case!(a_free_in_a_stream_waits_for_its_work, ONE.pools().kernels()),
    case!(a_pool_of_its_own_gives_memory, ONE.pools()),
    case!(a_pool_keeps_nothing_unless_told, ONE.pools()),
    case!(a_pool_keeps_what_it_is_told_to, ONE.pools()),
    case!(trimming_gives_back_what_is_free, ONE.pools()),
    case!(the_current_pool_is_the_default_one_at_first, ONE.pools()),
    case!(the_current_pool_can_be_changed, ONE.pools()),
    case!(a_pool_of_another_device_cannot_be_current, TWO.pools()),
    case!(a_destroyed_pool_is_no_longer_current, ONE.pools()),
    case!(memory_outlives_its_pools_handle, ONE.pools()),
    case!(a_stream_of_another_device_decides_the_device, TWO.pools()),
    case!(a_grant_covers_what_comes_later, PEERS.pools().kernels()),
    case!(a_grant_of_one_pool_is_not_that_of_another, PEERS.pools()),
    case!(a_grant_taken_back_is_missed, PEERS.pools().kernels()).poisons(),
    case!(granting_twice, PEERS.pools()),
    case!(a_reset_leaves_grants, PEERS.pools()),
    case!(blocking_copies_of_pool_memory, PEERS.pools()),
];

fn allocated(cx: &Cx, bytes: usize) -> *mut c_void {
    let mut place = null_mut();
    must!(cx.cudaMallocAsync(&mut place, bytes, NULL_STREAM));
    place
}

fn attribute(cx: &Cx, pool: cudaMemPool_t, name: cudaMemPoolAttr) -> u64 {
    let mut value = u64::MAX;
    let place = from_mut(&mut value).cast::<c_void>();
    answers!(cx.cudaMemPoolGetAttribute(pool, name, place), 0);
    value
}

fn pool_memory_is_freed_by_the_plain_call(cx: &Cx) {
    let place = allocated(cx, 1024);
    must!(cx.cudaDeviceSynchronize());
    answers!(cx.cudaFree(place), 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

fn plain_memory_is_freed_in_a_stream(cx: &Cx) {
    let place = cx.malloc(0, 64);
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
    cx.last(0);
    must!(cx.cudaDeviceSynchronize());
    refuses!(cx.cudaFree(place), 1);
}

fn a_free_in_a_stream_waits_for_its_work(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let mut place = null_mut();
    must!(cx.cudaMallocAsync(&mut place, 4, stream));
    cx.store(stream, place, 2, 100);
    answers!(cx.cudaFreeAsync(place, stream), 0);
    answers!(cx.cudaStreamQuery(stream), 600);
    answers!(cx.cudaStreamSynchronize(stream), 0);
}

fn created(cx: &Cx, device: i32) -> cudaMemPool_t {
    let (mut pool, properties) = (null_mut(), properties(device));
    must!(cx.cudaMemPoolCreate(&mut pool, &properties));
    pool
}

fn a_pool_of_its_own_gives_memory(cx: &Cx) {
    let pool = created(cx, 0);
    let mut place = null_mut();
    answers!(cx.cudaMallocFromPoolAsync(&mut place, 4096, pool, NULL_STREAM), 0);
    answers!(cx.cudaMemsetAsync(place, 7, 4096, NULL_STREAM), 0);
    cx.value("the first bytes", cx.read(0, place, 4), vec![7; 4]);
    cx.holds("they are counted", attribute(cx, pool, cudaMemPoolAttr::cudaMemPoolAttrUsedMemCurrent) >= 4096);
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
    answers!(cx.cudaMemPoolDestroy(pool), 0);
}

fn a_pool_keeps_nothing_unless_told(cx: &Cx) {
    let pool = created(cx, 0);
    cx.value("threshold", attribute(cx, pool, cudaMemPoolAttr::cudaMemPoolAttrReleaseThreshold), 0);
    let mut place = null_mut();
    must!(cx.cudaMallocFromPoolAsync(&mut place, 4 << 20, pool, NULL_STREAM));
    must!(cx.cudaFreeAsync(place, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    cx.value("bytes used", attribute(cx, pool, cudaMemPoolAttr::cudaMemPoolAttrUsedMemCurrent), 0);
    let reserved = attribute(cx, pool, cudaMemPoolAttr::cudaMemPoolAttrReservedMemCurrent);
    cx.value("bytes reserved", reserved, 0);
    answers!(cx.cudaMemPoolDestroy(pool), 0);
}

fn a_pool_keeps_what_it_is_told_to(cx: &Cx) {
    let pool = created(cx, 0);
    let mut all = u64::MAX;
    let threshold = from_mut(&mut all).cast::<c_void>();
    let keep = cudaMemPoolAttr::cudaMemPoolAttrReleaseThreshold;
    answers!(cx.cudaMemPoolSetAttribute(pool, keep, threshold), 0);
    cx.value("threshold", attribute(cx, pool, keep), u64::MAX);
    let mut place = null_mut();
    must!(cx.cudaMallocFromPoolAsync(&mut place, 4 << 20, pool, NULL_STREAM));
    must!(cx.cudaFreeAsync(place, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    let reserved = attribute(cx, pool, cudaMemPoolAttr::cudaMemPoolAttrReservedMemCurrent);
    cx.value("it reserves 4 MiB still", reserved >= 4 << 20, true);
    answers!(cx.cudaMemPoolDestroy(pool), 0);
}

fn trimming_gives_back_what_is_free(cx: &Cx) {
    let pool = created(cx, 0);
    answers!(cx.cudaMemPoolTrimTo(pool, 0), 0);
    cx.value("bytes reserved", attribute(cx, pool, cudaMemPoolAttr::cudaMemPoolAttrReservedMemCurrent), 0);
    answers!(cx.cudaMemPoolDestroy(pool), 0);
}

fn current_is(cx: &Cx, want: cudaMemPool_t, name: &str) {
    let mut current = null_mut();
    answers!(cx.cudaDeviceGetMemPool(&mut current, 0), 0);
    cx.holds(&format!("the current pool is {name}"), current == want);
}

fn default_pool(cx: &Cx) -> cudaMemPool_t {
    let mut pool = null_mut();
    must!(cx.cudaDeviceGetDefaultMemPool(&mut pool, 0));
    pool
}

fn the_current_pool_is_the_default_one_at_first(cx: &Cx) {
    let pool = default_pool(cx);
    current_is(cx, pool, "the default one");
}

fn the_current_pool_can_be_changed(cx: &Cx) {
    let pool = created(cx, 0);
    answers!(cx.cudaDeviceSetMemPool(0, pool), 0);
    current_is(cx, pool, "the new one");
    let used = cudaMemPoolAttr::cudaMemPoolAttrUsedMemCurrent;
    let place = allocated(cx, 4096);
    cx.holds("the new one gives the memory", attribute(cx, pool, used) >= 4096);
    must!(cx.cudaFreeAsync(place, NULL_STREAM));
    let default = default_pool(cx);
    answers!(cx.cudaDeviceSetMemPool(0, default), 0);
    current_is(cx, default, "the default one");
}

fn a_pool_of_another_device_cannot_be_current(cx: &Cx) {
    let pool = created(cx, 0);
    refuses!(cx.cudaDeviceSetMemPool(1, pool), 1);
    let mut current = null_mut();
    answers!(cx.cudaDeviceGetMemPool(&mut current, 1), 0);
    cx.holds("it is not", current != pool);
}

fn a_destroyed_pool_is_no_longer_current(cx: &Cx) {
    let pool = created(cx, 0);
    must!(cx.cudaDeviceSetMemPool(0, pool));
    answers!(cx.cudaMemPoolDestroy(pool), 0);
    let default = default_pool(cx);
    current_is(cx, default, "the default one");
}

fn memory_outlives_its_pools_handle(cx: &Cx) {
    let pool = created(cx, 0);
    let mut place = null_mut();
    must!(cx.cudaMallocFromPoolAsync(&mut place, 4096, pool, NULL_STREAM));
    answers!(cx.cudaMemPoolDestroy(pool), 0);
    answers!(cx.cudaMemset(place, 7, 4096), 0);
    cx.value("the first bytes", cx.read(0, place, 4), vec![7; 4]);
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

fn a_stream_of_another_device_decides_the_device(cx: &Cx) {
    let theirs = cx.stream(1, cudaStreamNonBlocking);
    let mut place = null_mut();
    let mut attributes = std::mem::MaybeUninit::zeroed();
    answers!(cx.cudaMallocAsync(&mut place, 64, theirs), 0);
    answers!(cx.cudaStreamSynchronize(theirs), 0);
    answers!(cx.cudaPointerGetAttributes(attributes.as_mut_ptr(), place), 0);
    // SAFETY: integers and pointers: zeroes are a value, and the call wrote another.
    let attributes = unsafe { attributes.assume_init() };
    cx.value("device", attributes.device, 1);
    cx.holds("it is one of the two", [0, 1].contains(&attributes.device));
    answers!(cx.cudaFreeAsync(place, theirs), 0);
    answers!(cx.cudaStreamSynchronize(theirs), 0);
}

fn a_grant_covers_what_comes_later(cx: &Cx) {
    let (pool, _) = pool_word(cx, 1);
    answers!(cx.cudaMemPoolSetAccess(pool, &grant(0, READ_WRITE), 1), 0);
    // Large, so that it is not in memory that the pool had when the grant was made.
    let later = cx.on(1, || {
        let later = allocated(cx, 64 << 20);
        must!(cx.cudaDeviceSynchronize());
        later
    });
    cx.store_word(NULL_STREAM, later, 9);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what the owner sees", cx.read_word(1, later), 9);
}

fn a_grant_of_one_pool_is_not_that_of_another(cx: &Cx) {
    let (default, _) = pool_word(cx, 1);
    let other = created(cx, 1);
    answers!(cx.cudaMemPoolSetAccess(other, &grant(0, READ_WRITE), 1), 0);
    access(cx, other, 0, 3);
    access(cx, default, 0, 0);
    answers!(cx.cudaMemPoolDestroy(other), 0);
}

fn a_grant_taken_back_is_missed(cx: &Cx) {
    let (pool, place) = pool_word(cx, 1);
    must!(cx.cudaMemPoolSetAccess(pool, &grant(0, READ_WRITE), 1));
    cx.store_word(NULL_STREAM, place, 2);
    answers!(cx.cudaDeviceSynchronize(), 0);
    answers!(cx.cudaMemPoolSetAccess(pool, &grant(0, super::pools::NONE), 1), 0);
    cx.store_word(NULL_STREAM, place, 3);
    answers!(cx.cudaDeviceSynchronize(), 700);
}

/// Unlike enabling peer access, that is no error.
fn granting_twice(cx: &Cx) {
    let (pool, _) = pool_word(cx, 1);
    must!(cx.cudaMemPoolSetAccess(pool, &grant(0, READ_WRITE), 1));
    answers!(cx.cudaMemPoolSetAccess(pool, &grant(0, READ_WRITE), 1), 0);
    cx.last(0);
    access(cx, pool, 0, 3);
}

/// A reset of the device that it was given to leaves it.
fn a_reset_leaves_grants(cx: &Cx) {
    let (pool, place) = pool_word(cx, 5);
    must!(cx.cudaMemPoolSetAccess(pool, &grant(0, READ_WRITE), 1));
    answers!(cx.cudaDeviceReset(), 0);
    let mut flags = cuda_p2p_sys::cudaMemAccessFlags(99);
    answers!(cx.cudaMemPoolGetAccess(&mut flags, pool, &mut super::pools::location(0)), 0);
    cx.last(0);
    cx.value("flags", flags.0, 3);
    cx.value("the word, as its owner sees it", cx.read_word(1, place), 5);
}

fn blocking_copies_of_pool_memory(cx: &Cx) {
    let ours = allocated(cx, 4096);
    let theirs = cx.filled(1, &[1; 4096]);
    answers!(cx.cudaMemset(ours, 6, 4096), 0);
    answers!(cx.cudaMemcpy(theirs, ours, 64, cuda_p2p_sys::cudaMemcpyKind::cudaMemcpyDefault), 0);
    cx.synchronize(0);
    cx.value("the first bytes", cx.read(1, theirs, 4), vec![6; 4]);
}
