//! The three modes of a capture: whom it forbids what. Each thread has a mode of its own too, which it can exchange.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::{cudaStream_t, cudaStreamCaptureMode, cudaStreamNonBlocking};

use super::capture_state::{FREE, GLOBAL, INVALID, begin, end, end_fails, status_is};
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS};

pub(super) const CASES: &[Case] = &[
    case!(a_relaxed_capture_allows_allocating, ONE),
    case!(a_relaxed_capture_allows_enabling, PEERS),
    case!(a_relaxed_capture_still_spoils_by_a_wait, ONE),
    case!(a_thread_local_capture_forbids_its_own_thread, ONE),
    case!(a_thread_local_capture_leaves_other_threads_alone, ONE),
    case!(a_global_capture_forbids_other_threads, ONE),
    case!(a_relaxed_thread_may_allocate_during_a_capture, ONE),
    case!(a_thread_starts_in_global_mode, ONE),
    case!(the_mode_is_exchanged, ONE),
    case!(an_unknown_mode_is_exchanged_like_any, ONE),
    case!(another_thread_ends_the_capture, ONE),
];

const THREAD_LOCAL: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeThreadLocal;
const RELAXED: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed;

fn captured_in(cx: &Cx, mode: cudaStreamCaptureMode) -> cudaStream_t {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    must!(cx.cudaStreamBeginCapture(stream, mode));
    stream
}

/// `cudaMalloc` of another thread of device 0.
fn malloc_elsewhere(cx: &Cx) -> Option<u32> {
    let malloc = cx.table.cudaMalloc;
    let there = std::thread::spawn(move || {
        let mut pointer: *mut c_void = null_mut();
        // SAFETY: a valid place for a pointer.
        malloc.map(|function| unsafe { function(&mut pointer, 64) }.0)
    });
    there.join().ok().flatten()
}

fn a_relaxed_capture_allows_allocating(cx: &Cx) {
    let stream = captured_in(cx, RELAXED);
    let mut pointer = null_mut();
    answers!(cx.cudaMalloc(&mut pointer, 64), 0);
    answers!(cx.cudaMemsetAsync(pointer, 3, 64, stream), 0);
    let graph = end(cx, stream);
    let mut count = 99;
    answers!(cx.cudaGraphGetNodes(graph, null_mut(), &mut count), 0);
    cx.value("nodes", count, 1);
}

fn a_relaxed_capture_allows_enabling(cx: &Cx) {
    let stream = captured_in(cx, RELAXED);
    let mut graph = null_mut();
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
    cx.last(0);
    status_is(cx, stream, FREE);
}

/// Waiting for the captured stream itself makes no sense in any mode.
fn a_relaxed_capture_still_spoils_by_a_wait(cx: &Cx) {
    let stream = captured_in(cx, RELAXED);
    let mut graph = null_mut();
    answers!(cx.cudaStreamSynchronize(stream), 900);
    refuses!(cx.cudaStreamEndCapture(stream, &mut graph), 901);
    status_is(cx, stream, FREE);
}

fn a_thread_local_capture_forbids_its_own_thread(cx: &Cx) {
    let stream = captured_in(cx, THREAD_LOCAL);
    let (mut pointer, mut graph) = (null_mut(), null_mut());
    answers!(cx.cudaMalloc(&mut pointer, 64), 900);
    refuses!(cx.cudaStreamEndCapture(stream, &mut graph), 901);
    status_is(cx, stream, FREE);
}

fn a_thread_local_capture_leaves_other_threads_alone(cx: &Cx) {
    must!(cx.cudaDeviceSynchronize());
    let stream = captured_in(cx, THREAD_LOCAL);
    cx.value("status of another thread's allocation", malloc_elsewhere(cx), Some(0));
    let mut graph = null_mut();
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
    cx.last(0);
    status_is(cx, stream, FREE);
}

fn a_global_capture_forbids_other_threads(cx: &Cx) {
    must!(cx.cudaDeviceSynchronize());
    let stream = cx.stream(0, cudaStreamNonBlocking);
    begin(cx, stream);
    cx.value("status of another thread's allocation", malloc_elsewhere(cx), Some(900));
    status_is(cx, stream, INVALID);
    end_fails(cx, stream, 901);
}

fn exchange(cx: &Cx, mode: cudaStreamCaptureMode) -> u32 {
    let mut mode = mode;
    must!(cx.cudaThreadExchangeStreamCaptureMode(&mut mode));
    mode.0
}

fn a_relaxed_thread_may_allocate_during_a_capture(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let (mut pointer, mut graph) = (null_mut(), null_mut());
    begin(cx, stream);
    cx.value("mode before", exchange(cx, RELAXED), 0);
    answers!(cx.cudaMalloc(&mut pointer, 64), 0);
    cx.value("mode before", exchange(cx, GLOBAL), 2);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
    cx.last(0);
    status_is(cx, stream, FREE);
}

fn a_thread_starts_in_global_mode(cx: &Cx) {
    cx.value("mode before", exchange(cx, GLOBAL), GLOBAL.0);
}

fn the_mode_is_exchanged(cx: &Cx) {
    exchange(cx, RELAXED);
    cx.value("mode before", exchange(cx, THREAD_LOCAL), RELAXED.0);
    cx.value("mode before", exchange(cx, GLOBAL), THREAD_LOCAL.0);
}

fn an_unknown_mode_is_exchanged_like_any(cx: &Cx) {
    let mut mode = cudaStreamCaptureMode(9);
    answers!(cx.cudaThreadExchangeStreamCaptureMode(&mut mode), 0);
    cx.last(0);
    cx.value("mode before", exchange(cx, GLOBAL), 9);
}

/// It is told that it must not, and the capture is over all the same.
fn another_thread_ends_the_capture(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    begin(cx, stream);
    let (address, end) = (stream as usize, cx.table.cudaStreamEndCapture);
    let there = std::thread::spawn(move || {
        let mut graph = null_mut();
        // SAFETY: the stream lives until after the thread was joined.
        end.map(|function| unsafe { function(address as _, &mut graph) }.0)
    });
    cx.value("status of the other thread", there.join().ok().flatten(), Some(908));
    let mut status = cuda_p2p_sys::cudaStreamCaptureStatus(99);
    answers!(cx.cudaStreamIsCapturing(stream, &mut status), 0);
    cx.value("status", status.0, 0);
}
