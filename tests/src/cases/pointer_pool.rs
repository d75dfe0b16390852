//! From which pool memory comes: attribute 17, `CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE`, of `cuPointerGetAttribute`, by way of the runtime.
//! A function of the driver leaves the thread's last error alone.

use std::ffi::c_void;
use std::mem::transmute;
use std::ptr::null_mut;

use cuda_p2p_sys::driver::{CuPointerAttribute, POINTER_GET_ATTRIBUTE, PointerGetAttribute};
use cuda_p2p_sys::{cudaError, cudaHostAllocDefault, cudaMemPool_t, cudaStreamNonBlocking};

use super::pools::properties;
use crate::case::{Case, case};
use crate::context::{Cx, Want, answers, must};
use crate::driver::address;
use crate::needs::{ONE, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(the_default_pools_memory_says_so, ONE.pools()),
    case!(memory_of_a_pool_of_ones_own_says_so, ONE.pools()),
    case!(other_memory_is_of_no_pool, ONE),
    case!(what_nobody_knows_is_an_error, ONE),
    case!(freed_memory_is_of_no_pool, ONE.pools()),
    case!(memory_outlives_its_pool_and_names_it, ONE.pools()),
    case!(another_devices_pool, TWO.pools()),
    case!(without_a_place_it_is_an_error, ONE),
    case!(while_a_stream_is_captured, ONE.pools()),
    case!(a_thread_without_a_context, ONE.pools()),
];

fn function(cx: &Cx) -> PointerGetAttribute {
    match address(cx.table, POINTER_GET_ATTRIBUTE) {
        // SAFETY: it was asked for by the name and the version of that signature.
        Some(ask) => unsafe { transmute::<*mut c_void, PointerGetAttribute>(ask) },
        None => cx.absent("cuPointerGetAttribute"),
    }
}

/// Asks about `at`, called `what`, and demands the status. The place holds address 8 before.
fn ask(cx: &Cx, what: &str, at: *const c_void, status: u32) -> cudaMemPool_t {
    let (function, mut pool) = (function(cx), 8 as cudaMemPool_t);
    let call = format!("cuPointerGetAttribute(&mut pool, 17, {what})");
    cx.trying(&call);
    let place = (&raw mut pool).cast();
    // SAFETY: a place for a handle; the address is only looked up.
    let got = unsafe { function(place, CuPointerAttribute::MEMPOOL_HANDLE, at.addr() as u64) };
    cx.answered(&call, cudaError(got.0), Want::Code(status));
    cx.last(0);
    pool
}

/// The handle is that of `pool`, which is null for none.
fn is_of(cx: &Cx, what: &str, at: *const c_void, pool: cudaMemPool_t) {
    let got = ask(cx, what, at, 0);
    cx.holds(&format!("the pool of {what}"), got == pool);
}

fn default_pool(cx: &Cx, device: i32) -> cudaMemPool_t {
    let mut pool = null_mut();
    must!(cx.cudaDeviceGetDefaultMemPool(&mut pool, device));
    pool
}

/// 1000 bytes, that are there.
fn memory_of(cx: &Cx, pool: cudaMemPool_t) -> *mut c_void {
    let mut place = null_mut();
    must!(cx.cudaMallocFromPoolAsync(&mut place, 1000, pool, NULL_STREAM));
    must!(cx.cudaStreamSynchronize(NULL_STREAM));
    place
}

fn new_pool(cx: &Cx) -> cudaMemPool_t {
    let (mut pool, properties) = (null_mut(), properties(0));
    must!(cx.cudaMemPoolCreate(&mut pool, &properties));
    pool
}

fn the_default_pools_memory_says_so(cx: &Cx) {
    let mut place = null_mut();
    must!(cx.cudaMallocAsync(&mut place, 1000, NULL_STREAM));
    let pool = default_pool(cx, 0);
    is_of(cx, "the first byte", place, pool);
    is_of(cx, "the last byte", place.wrapping_byte_add(999), pool);
}

fn memory_of_a_pool_of_ones_own_says_so(cx: &Cx) {
    let (own, default) = (new_pool(cx), default_pool(cx, 0));
    cx.holds("the pools are two", own != default);
    let place = memory_of(cx, own);
    is_of(cx, "memory of a new pool", place, own);
}

fn other_memory_is_of_no_pool(cx: &Cx) {
    let mut pinned = null_mut();
    must!(cx.cudaHostAlloc(&mut pinned, 1000, cudaHostAllocDefault));
    is_of(cx, "memory of cudaMalloc", cx.malloc(0, 1000), null_mut());
    is_of(cx, "pinned memory", pinned, null_mut());
}

fn what_nobody_knows_is_an_error(cx: &Cx) {
    let mut word = 0_u64;
    let untouched = |what: &str, pool: cudaMemPool_t| cx.see(what, pool.addr());
    untouched("place", ask(cx, "null", null_mut(), 1));
    untouched("place", ask(cx, "the stack", (&raw mut word).cast(), 1));
    let freed = cx.malloc(0, 1000);
    answers!(cx.cudaFree(freed), 0);
    untouched("place", ask(cx, "what was freed", freed, 1));
}

fn freed_memory_is_of_no_pool(cx: &Cx) {
    let place = memory_of(cx, default_pool(cx, 0));
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
    must!(cx.cudaStreamSynchronize(NULL_STREAM));
    ask(cx, "what was freed", place, 1);
}

/// The handle of a destroyed pool: nobody may use it.
fn memory_outlives_its_pool_and_names_it(cx: &Cx) {
    let pool = new_pool(cx);
    let place = memory_of(cx, pool);
    answers!(cx.cudaMemPoolDestroy(pool), 0);
    is_of(cx, "memory of a destroyed pool", place, pool);
}

/// Whoever is current, and without peer access.
fn another_devices_pool(cx: &Cx) {
    let pool = default_pool(cx, 1);
    must!(cx.cudaSetDevice(1));
    let place = memory_of(cx, pool);
    is_of(cx, "memory of device 1, by device 1", place, pool);
    must!(cx.cudaSetDevice(0));
    is_of(cx, "memory of device 1, by device 0", place, pool);
}

fn without_a_place_it_is_an_error(cx: &Cx) {
    let (function, at) = (function(cx), cx.malloc(0, 1000));
    cx.trying("cuPointerGetAttribute(null, 17, at)");
    // SAFETY: nothing can be written.
    let got = unsafe { function(null_mut(), CuPointerAttribute::MEMPOOL_HANDLE, at.addr() as u64) };
    cx.answered("cuPointerGetAttribute(null, 17, at)", cudaError(got.0), Want::Code(1));
    cx.last(0);
}

fn while_a_stream_is_captured(cx: &Cx) {
    let (pool, mut stream, mut graph) = (default_pool(cx, 0), null_mut(), null_mut());
    let place = memory_of(cx, pool);
    must!(cx.cudaStreamCreateWithFlags(&mut stream, cudaStreamNonBlocking));
    let mode = cuda_p2p_sys::cudaStreamCaptureMode::cudaStreamCaptureModeGlobal;
    must!(cx.cudaStreamBeginCapture(stream, mode));
    is_of(cx, "memory of a pool, beside a capture", place, pool);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
}

fn a_thread_without_a_context(cx: &Cx) {
    let pool = default_pool(cx, 0);
    let place = memory_of(cx, pool);
    let (function, at, want) = (function(cx), place.addr() as u64, pool.addr());
    let (status, got) = std::thread::spawn(move || {
        let mut pool = 8_u64;
        // SAFETY: as in `ask`.
        let status = unsafe { function((&raw mut pool).cast(), CuPointerAttribute::MEMPOOL_HANDLE, at) };
        (status.0, pool as usize)
    })
    .join()
    .unwrap_or((u32::MAX, 0));
    cx.value("status", status, 0);
    cx.holds("the pool", got == want);
}
