//! Calls that a capture in global mode bears: carried out beside it, captured, or refused while it goes on. Calls that spoil it
//! are in `during_capture`.

use std::ptr::null_mut;

use cuda_p2p_sys::{cudaEvent_t, cudaMemcpyKind, cudaPointerAttributes, cudaStream_t};

use super::during_capture::Captured;
use crate::case::{Case, case};
use crate::context::{Cx, answers, refuses};
use crate::needs::{ONE, PEERS, TWO};

pub(super) const CASES: &[Case] = &[
    case!(recording_an_event_is_captured, ONE),
    case!(work_in_another_stream_is_done, ONE),
    case!(a_peer_copy_in_another_stream_is_done, TWO),
    case!(making_streams_and_events_is_done, ONE),
    case!(destroying_another_stream_is_done, ONE),
    case!(questions_are_answered, PEERS),
    case!(a_copy_in_the_stream_is_captured, ONE),
    case!(pool_memory_is_captured, ONE.pools()),
    case!(a_copy_past_the_end_is_refused_and_the_capture_goes_on, ONE),
];

fn recording_an_event_is_captured(cx: &Cx) {
    let event = cx.event(0);
    let captured = Captured::new(cx);
    let stream = captured.stream;
    answers!(cx.cudaEventRecord(event, stream), 0);
    captured.whole(cx);
    captured.done(cx);
}

fn work_in_another_stream_is_done(cx: &Cx) {
    let ours = cx.filled(0, &[1; 16]);
    let captured = Captured::new(cx);
    let other = captured.other;
    answers!(cx.cudaMemsetAsync(ours, 2, 16, other), 0);
    captured.whole(cx);
    captured.done(cx);
    cx.value("what was set", cx.read(0, ours, 16), vec![2; 16]);
}

fn a_peer_copy_in_another_stream_is_done(cx: &Cx) {
    let (ours, theirs) = (cx.filled(0, &[2; 16]), cx.filled(1, &[1; 16]));
    let captured = Captured::new(cx);
    let other = captured.other;
    answers!(cx.cudaMemcpyPeerAsync(theirs, 1, ours, 0, 16, other), 0);
    captured.whole(cx);
    captured.done(cx);
    cx.value("what was copied", cx.read(1, theirs, 16), vec![2; 16]);
}

fn making_streams_and_events_is_done(cx: &Cx) {
    let captured = Captured::new(cx);
    let (mut stream, mut event): (cudaStream_t, cudaEvent_t) = (null_mut(), null_mut());
    answers!(cx.cudaStreamCreate(&mut stream), 0);
    captured.whole(cx);
    answers!(cx.cudaEventCreate(&mut event), 0);
    captured.whole(cx);
    captured.done(cx);
    answers!(cx.cudaStreamDestroy(stream), 0);
    answers!(cx.cudaEventDestroy(event), 0);
}

fn destroying_another_stream_is_done(cx: &Cx) {
    let captured = Captured::new(cx);
    let other = captured.other;
    answers!(cx.cudaStreamDestroy(other), 0);
    captured.whole(cx);
    captured.done(cx);
}

fn questions_are_answered(cx: &Cx) {
    let captured = Captured::new(cx);
    let place = captured.place;
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    captured.whole(cx);
    // SAFETY: integers and pointers: zeroes are a value.
    let mut attributes: cudaPointerAttributes = unsafe { std::mem::zeroed() };
    answers!(cx.cudaPointerGetAttributes(&mut attributes, place), 0);
    captured.whole(cx);
    answers!(cx.cudaSetDevice(0), 0);
    captured.whole(cx);
    captured.done(cx);
    cx.value("answer and device", (answer, attributes.device), (1, 0));
}

fn a_copy_in_the_stream_is_captured(cx: &Cx) {
    let captured = Captured::new(cx);
    let (stream, place) = (captured.stream, captured.place);
    let source = place.wrapping_byte_add(64);
    answers!(cx.cudaMemcpyAsync(place, source, 16, cudaMemcpyKind::cudaMemcpyDefault, stream), 0);
    captured.whole(cx);
    captured.done(cx);
}

/// As a node of the graph: the address is given at once.
fn pool_memory_is_captured(cx: &Cx) {
    let captured = Captured::new(cx);
    let stream = captured.stream;
    let mut pointer = null_mut();
    answers!(cx.cudaMallocAsync(&mut pointer, 64, stream), 0);
    cx.last(0);
    cx.value("pointer.is_null()", pointer.is_null(), false);
    captured.whole(cx);
    captured.done(cx);
}

fn a_copy_past_the_end_is_refused_and_the_capture_goes_on(cx: &Cx) {
    let captured = Captured::new(cx);
    let (stream, place) = (captured.stream, captured.place);
    let source = place.wrapping_byte_add(64);
    refuses!(cx.cudaMemcpyAsync(place, source, 9999, cudaMemcpyKind::cudaMemcpyDefault, stream), 1);
    captured.whole(cx);
    captured.done(cx);
}
