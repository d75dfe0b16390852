//! What a peer copy waits for. A kernel stores a number after a while: a copy that waits for it sees the new number, one that
//! does not sees the old one. The delays are long against everything else that happens, so the outcome does not hang on speed.

use std::ffi::c_void;
use std::time::{Duration, Instant};

use cuda_p2p_sys::{cudaMemcpyKind, cudaStream_t, cudaStreamDefault, cudaStreamNonBlocking};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must};
use crate::needs::PEERS;
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(the_blocking_peer_copy_returns_before_it_is_done, PEERS.kernels()),
    case!(memcpy_between_devices_behind_a_kernel, PEERS.kernels()),
    case!(a_copy_waits_for_a_blocking_stream_of_the_source, PEERS.kernels()),
    case!(a_copy_does_not_wait_for_a_non_blocking_stream_of_the_source, PEERS.kernels()),
    case!(a_copy_behind_a_blocking_stream_of_the_destination, PEERS.kernels()),
    case!(an_async_copy_does_not_wait_for_another_stream, PEERS.kernels()),
    case!(an_async_copy_waits_for_an_event, PEERS.kernels()),
    case!(an_async_copy_waits_for_its_own_stream, PEERS.kernels()),
];

const OLD: u32 = 0x0101_0101;
const NEW: u32 = 0x0202_0202;
const LONG_MS: u64 = 400;

/// Peers with access both ways, a number on each, and both devices with kernels and copies behind them.
fn warm_pair(cx: &Cx) -> (*mut c_void, *mut c_void) {
    cx.enable(0, 1);
    cx.enable(1, 0);
    let d0 = cx.word(0, OLD);
    let d1 = cx.word(1, 0);
    for device in [0, 1] {
        cx.on(device, || {
            cx.delay(NULL_STREAM, 0);
            let place = cx.malloc_here(4);
            cx.store(NULL_STREAM, place, NEW, 0);
        });
    }
    must!(cx.cudaMemcpyPeer(d1, 1, d0, 0, 4));
    cx.synchronize(0);
    // So that "the copy saw the old number" cannot mean "there was no copy".
    cx.write(1, d1, &[0; 4]);
    (d0, d1)
}

/// After everything: what the copy saw, and that the kernel did store in the end.
fn saw(cx: &Cx, d0: *mut c_void, d1: *mut c_void, want: u32) {
    cx.synchronize(0);
    cx.synchronize(1);
    cx.value("what the copy saw", cx.read_word(1, d1), want);
    cx.value("what the kernel stored", cx.read_word(0, d0), NEW);
}

fn store_later(cx: &Cx, stream: cudaStream_t, place: *mut c_void) {
    cx.store(stream, place, NEW, LONG_MS);
}

fn the_blocking_peer_copy_returns_before_it_is_done(cx: &Cx) {
    let (d0, d1) = warm_pair(cx);
    cx.delay(NULL_STREAM, LONG_MS);
    let start = Instant::now();
    answers!(cx.cudaMemcpyPeer(d1, 1, d0, 0, 4), 0);
    let returned = start.elapsed();
    answers!(cx.cudaStreamQuery(NULL_STREAM), 600);
    cx.last(0);
    cx.holds("it returned long before the kernel ended", returned < Duration::from_millis(LONG_MS / 2));
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.holds("the kernel took its time", start.elapsed() >= Duration::from_millis(LONG_MS / 2));
    answers!(cx.cudaStreamQuery(NULL_STREAM), 0);
    cx.value("what arrived", cx.read_word(1, d1), OLD);
}

/// This call returns before the kernel ends too; whoever waits sees the bytes.
fn memcpy_between_devices_behind_a_kernel(cx: &Cx) {
    let (d0, d1) = warm_pair(cx);
    store_later(cx, NULL_STREAM, d0);
    let start = Instant::now();
    answers!(cx.cudaMemcpy(d1, d0, 4, cudaMemcpyKind::cudaMemcpyDeviceToDevice), 0);
    cx.holds("it returned before the kernel ended", start.elapsed() < Duration::from_millis(LONG_MS / 2));
    answers!(cx.cudaStreamQuery(NULL_STREAM), 600);
    cx.last(0);
    saw(cx, d0, d1, NEW);
}

fn a_copy_waits_for_a_blocking_stream_of_the_source(cx: &Cx) {
    let (d0, d1) = warm_pair(cx);
    let writer = cx.stream(0, cudaStreamDefault);
    store_later(cx, writer, d0);
    answers!(cx.cudaMemcpyPeer(d1, 1, d0, 0, 4), 0);
    saw(cx, d0, d1, NEW);
}

fn a_copy_does_not_wait_for_a_non_blocking_stream_of_the_source(cx: &Cx) {
    let (d0, d1) = warm_pair(cx);
    let writer = cx.stream(0, cudaStreamNonBlocking);
    store_later(cx, writer, d0);
    answers!(cx.cudaMemcpyPeer(d1, 1, d0, 0, 4), 0);
    saw(cx, d0, d1, OLD);
}

/// The destination's blocking streams are waited for too; device 1 writes the source here.
fn a_copy_behind_a_blocking_stream_of_the_destination(cx: &Cx) {
    let (d0, d1) = warm_pair(cx);
    let writer = cx.stream(1, cudaStreamDefault);
    cx.on(1, || store_later(cx, writer, d0));
    answers!(cx.cudaMemcpyPeer(d1, 1, d0, 0, 4), 0);
    cx.synchronize(0);
    cx.synchronize(1);
    cx.holds("the copy waited", cx.read_word(1, d1) == NEW);
    cx.value("what the kernel stored", cx.read_word(0, d0), NEW);
}

fn an_async_copy_does_not_wait_for_another_stream(cx: &Cx) {
    let (d0, d1) = warm_pair(cx);
    let writer = cx.stream(0, cudaStreamNonBlocking);
    let copier = cx.stream(1, cudaStreamNonBlocking);
    store_later(cx, writer, d0);
    answers!(cx.cudaMemcpyPeerAsync(d1, 1, d0, 0, 4, copier), 0);
    saw(cx, d0, d1, OLD);
}

fn an_async_copy_waits_for_an_event(cx: &Cx) {
    let (d0, d1) = warm_pair(cx);
    let writer = cx.stream(0, cudaStreamNonBlocking);
    let copier = cx.stream(1, cudaStreamNonBlocking);
    let written = cx.event(0);
    store_later(cx, writer, d0);
    answers!(cx.cudaEventRecord(written, writer), 0);
    answers!(cx.cudaStreamWaitEvent(copier, written, 0), 0);
    answers!(cx.cudaMemcpyPeerAsync(d1, 1, d0, 0, 4, copier), 0);
    saw(cx, d0, d1, NEW);
}

fn an_async_copy_waits_for_its_own_stream(cx: &Cx) {
    let (d0, d1) = warm_pair(cx);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    store_later(cx, stream, d0);
    answers!(cx.cudaMemcpyPeerAsync(d1, 1, d0, 0, 4, stream), 0);
    answers!(cx.cudaStreamQuery(stream), 600);
    cx.last(0);
    saw(cx, d0, d1, NEW);
}
