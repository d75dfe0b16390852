//! Calls that spoil a capture in global mode: each is refused, and the capture is lost. The captured stream is a blocking one
//! where that matters: the null stream depends on those. Calls that do not are in `beside_capture`.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::{cudaMemcpyKind, cudaStream_t, cudaStreamDefault, cudaStreamNonBlocking};

use super::capture_state::{ACTIVE, INVALID, begin, end, end_fails, status_is};
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(allocating_is_refused, ONE),
    case!(freeing_is_refused, ONE),
    case!(allocating_pinned_memory_is_refused, ONE),
    case!(waiting_for_the_device_is_refused, ONE),
    case!(waiting_for_a_stream_is_refused, ONE),
    case!(asking_the_captured_stream_is_refused, ONE),
    case!(enabling_and_disabling_are_refused, PEERS),
    case!(a_peer_copy_in_the_stream_is_refused, ONE),
    case!(a_blocking_copy_is_refused, ONE),
    case!(a_blocking_peer_copy_is_refused, ONE),
    case!(a_blocking_memset_is_refused, ONE),
    case!(asking_the_null_stream_is_refused, ONE),
    case!(work_in_the_null_stream_is_refused, ONE),
    case!(the_null_stream_beside_a_non_blocking_capture, ONE),
];

/// A blocking stream that is being captured, another one, and a place.
pub(super) struct Captured {
    pub(super) stream: cudaStream_t,
    pub(super) other: cudaStream_t,
    pub(super) place: *mut c_void,
}

const N: usize = 4096;

impl Captured {
    pub(super) fn new(cx: &Cx) -> Self {
        let place = cx.filled(0, &[1; N]);
        let (stream, other) = (cx.stream(0, cudaStreamDefault), cx.stream(0, cudaStreamDefault));
        begin(cx, stream);
        Self { stream, other, place }
    }

    /// The call before was refused, and the capture is lost; another is begun.
    pub(super) fn lost(&self, cx: &Cx) {
        status_is(cx, self.stream, INVALID);
        end_fails(cx, self.stream, 901);
        begin(cx, self.stream);
    }

    /// The capture is whole; another is begun.
    pub(super) fn whole(&self, cx: &Cx) {
        status_is(cx, self.stream, ACTIVE);
        end(cx, self.stream);
        begin(cx, self.stream);
    }

    /// Nothing reached the place, and nothing is captured any more.
    pub(super) fn done(&self, cx: &Cx) {
        end(cx, self.stream);
        let got = cx.read(0, self.place, N);
        cx.holds("the bytes are as they were", got.iter().all(|byte| *byte == 1));
    }
}

fn allocating_is_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    let mut pointer = null_mut();
    refuses!(cx.cudaMalloc(&mut pointer, 64), 900);
    captured.lost(cx);
    captured.done(cx);
}

fn freeing_is_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    // Even of nothing.
    refuses!(cx.cudaFree(null_mut()), 900);
    captured.lost(cx);
    let place = captured.place;
    refuses!(cx.cudaFree(place), 900);
    captured.lost(cx);
    captured.done(cx);
}

fn allocating_pinned_memory_is_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    let mut pointer = null_mut();
    refuses!(cx.cudaMallocHost(&mut pointer, 64), 900);
    captured.lost(cx);
    captured.done(cx);
}

fn waiting_for_the_device_is_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    refuses!(cx.cudaDeviceSynchronize(), 900);
    captured.lost(cx);
    captured.done(cx);
}

fn waiting_for_a_stream_is_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    let (stream, other) = (captured.stream, captured.other);
    refuses!(cx.cudaStreamSynchronize(stream), 900);
    captured.lost(cx);
    // Of any stream.
    refuses!(cx.cudaStreamSynchronize(other), 900);
    captured.lost(cx);
    captured.done(cx);
}

fn asking_the_captured_stream_is_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    let stream = captured.stream;
    refuses!(cx.cudaStreamQuery(stream), 900);
    captured.lost(cx);
    captured.done(cx);
}

fn enabling_and_disabling_are_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    refuses!(cx.cudaDeviceEnablePeerAccess(1, 0), 900);
    captured.lost(cx);
    refuses!(cx.cudaDeviceDisablePeerAccess(1), 900);
    captured.lost(cx);
    captured.done(cx);
    // The refused call did nothing.
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
}

fn a_peer_copy_in_the_stream_is_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    let (stream, place) = (captured.stream, captured.place);
    let source = place.wrapping_byte_add(64);
    refuses!(cx.cudaMemcpyPeerAsync(place, 0, source, 0, 16, stream), 900);
    captured.lost(cx);
    captured.done(cx);
}

fn a_blocking_copy_is_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    let place = captured.place;
    let source = place.wrapping_byte_add(64);
    refuses!(cx.cudaMemcpy(place, source, 16, cudaMemcpyKind::cudaMemcpyDeviceToDevice), 906);
    captured.lost(cx);
    captured.done(cx);
}

fn a_blocking_peer_copy_is_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    let place = captured.place;
    let source = place.wrapping_byte_add(64);
    refuses!(cx.cudaMemcpyPeer(place, 0, source, 0, 16), 906);
    captured.lost(cx);
    captured.done(cx);
}

fn a_blocking_memset_is_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    let place = captured.place;
    refuses!(cx.cudaMemset(place, 0, 4), 906);
    captured.lost(cx);
    captured.done(cx);
}

fn asking_the_null_stream_is_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    refuses!(cx.cudaStreamQuery(NULL_STREAM), 906);
    captured.lost(cx);
    captured.done(cx);
}

fn work_in_the_null_stream_is_refused(cx: &Cx) {
    let captured = Captured::new(cx);
    let place = captured.place;
    refuses!(cx.cudaMemsetAsync(place, 0, 4, NULL_STREAM), 906);
    captured.lost(cx);
    captured.done(cx);
}

/// The null stream does not depend on it, and works; asking it spoils the capture all the same.
fn the_null_stream_beside_a_non_blocking_capture(cx: &Cx) {
    let (ours, stream) = (cx.filled(0, &[1; 16]), cx.stream(0, cudaStreamNonBlocking));
    let mut graph = null_mut();
    begin(cx, stream);
    answers!(cx.cudaStreamQuery(NULL_STREAM), 900);
    answers!(cx.cudaMemsetAsync(ours, 2, 16, NULL_STREAM), 0);
    refuses!(cx.cudaStreamEndCapture(stream, &mut graph), 901);
    begin(cx, stream);
    answers!(cx.cudaMemset(ours, 2, 16), 0);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
    cx.last(0);
    begin(cx, stream);
    answers!(cx.cudaMemcpyPeer(ours, 0, ours, 0, 8), 0);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
    cx.last(0);
    must!(cx.cudaDeviceSynchronize());
    let got = cx.read(0, ours, 16);
    cx.value("the bytes are set", got == [2; 16], true);
    cx.holds("all or none are set", got == [2; 16] || got == [1; 16]);
}
