//! How a capture begins, spreads, and ends, and what a stream says meanwhile. What other calls do to it is in
//! `during_capture`; what comes of it in `graphs`.

use std::ptr::null_mut;

use cuda_p2p_sys::{
    cudaGraph_t, cudaStream_t, cudaStreamCaptureMode, cudaStreamCaptureStatus, cudaStreamDefault,
    cudaStreamNonBlocking,
};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(the_null_stream_cannot_be_captured, ONE),
    case!(an_unknown_mode, ONE),
    case!(beginning_twice, ONE),
    case!(no_graph_from_what_was_not_begun, ONE),
    case!(no_place_for_the_graph, ONE),
    case!(no_place_for_the_status, ONE),
    case!(a_stream_is_captured_and_free_again, ONE),
    case!(an_invalid_capture_refuses_more_work, ONE),
    case!(a_stream_can_be_captured_after_an_invalid_capture, ONE),
    case!(waiting_for_a_captured_event_spreads_the_capture, ONE),
    case!(an_event_of_a_capture_cannot_be_asked, ONE),
    case!(an_unjoined_stream_spoils_the_capture, ONE),
    case!(an_unjoined_stream_without_work_does_not, ONE),
    case!(a_joined_stream_does_not, ONE),
    case!(only_the_first_stream_ends_the_capture, ONE),
    case!(a_capture_spreads_to_another_device, TWO),
    case!(two_captures_at_once, ONE),
    case!(merging_two_captures, ONE),
    case!(an_external_event_in_a_capture, ONE),
    case!(work_before_a_capture_is_not_in_it, ONE.kernels()),
];

pub(super) const GLOBAL: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeGlobal;

/// Begins a capture in global mode.
pub(super) fn begin(cx: &Cx, stream: cudaStream_t) {
    must!(cx.cudaStreamBeginCapture(stream, GLOBAL));
}

/// `cudaStreamIsCapturing` must say that.
pub(super) fn status_is(cx: &Cx, stream: cudaStream_t, want: u32) {
    let mut status = cudaStreamCaptureStatus(99);
    answers!(cx.cudaStreamIsCapturing(stream, &mut status), 0);
    cx.value("status", status.0, want);
}

pub(super) const FREE: u32 = cudaStreamCaptureStatus::cudaStreamCaptureStatusNone.0;
pub(super) const ACTIVE: u32 = cudaStreamCaptureStatus::cudaStreamCaptureStatusActive.0;
pub(super) const INVALID: u32 = cudaStreamCaptureStatus::cudaStreamCaptureStatusInvalidated.0;

/// Ends a capture that must be whole.
pub(super) fn end(cx: &Cx, stream: cudaStream_t) -> cudaGraph_t {
    let mut graph = null_mut();
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
    cx.value("graph.is_null()", graph.is_null(), false);
    graph
}

/// Ends a capture that must not be.
pub(super) fn end_fails(cx: &Cx, stream: cudaStream_t, code: u32) {
    let mut graph = null_mut();
    refuses!(cx.cudaStreamEndCapture(stream, &mut graph), code);
    cx.value("graph.is_null()", graph.is_null(), true);
    status_is(cx, stream, FREE);
}

fn the_null_stream_cannot_be_captured(cx: &Cx) {
    refuses!(cx.cudaStreamBeginCapture(NULL_STREAM, GLOBAL), 900);
    answers!(cx.cudaStreamQuery(NULL_STREAM), 0);
}

fn an_unknown_mode(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamDefault);
    refuses!(cx.cudaStreamBeginCapture(stream, cudaStreamCaptureMode(9)), 1);
    status_is(cx, stream, FREE);
}

/// The second call is refused, and the capture goes on.
fn beginning_twice(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamDefault);
    begin(cx, stream);
    refuses!(cx.cudaStreamBeginCapture(stream, GLOBAL), 401);
    status_is(cx, stream, ACTIVE);
    end(cx, stream);
}

fn no_graph_from_what_was_not_begun(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamDefault);
    end_fails(cx, stream, 401);
}

/// The capture is over, and its graph is nobody's.
fn no_place_for_the_graph(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamDefault);
    begin(cx, stream);
    answers!(cx.cudaStreamEndCapture(stream, null_mut()), 0);
    cx.last(0);
    status_is(cx, stream, FREE);
}

fn no_place_for_the_status(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamDefault);
    refuses!(cx.cudaStreamIsCapturing(stream, null_mut()), 1);
    status_is(cx, stream, FREE);
}

fn a_stream_is_captured_and_free_again(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamDefault);
    status_is(cx, stream, FREE);
    begin(cx, stream);
    status_is(cx, stream, ACTIVE);
    end(cx, stream);
    status_is(cx, stream, FREE);
    answers!(cx.cudaStreamSynchronize(stream), 0);
}

fn an_invalid_capture_refuses_more_work(cx: &Cx) {
    let place = cx.filled(0, &[1; 64]);
    let stream = cx.stream(0, cudaStreamDefault);
    begin(cx, stream);
    answers!(cx.cudaMemsetAsync(place, 2, 64, stream), 0);
    refuses!(cx.cudaStreamQuery(stream), 900);
    status_is(cx, stream, INVALID);
    refuses!(cx.cudaMemsetAsync(place, 2, 64, stream), 901);
    end_fails(cx, stream, 901);
    cx.value("the first byte", cx.read(0, place, 1), vec![1]);
}

fn a_stream_can_be_captured_after_an_invalid_capture(cx: &Cx) {
    let place = cx.filled(0, &[1; 64]);
    let stream = cx.stream(0, cudaStreamDefault);
    begin(cx, stream);
    refuses!(cx.cudaStreamQuery(stream), 900);
    end_fails(cx, stream, 901);
    begin(cx, stream);
    answers!(cx.cudaMemsetAsync(place, 2, 64, stream), 0);
    end(cx, stream);
    answers!(cx.cudaMemsetAsync(place, 3, 64, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("the first byte", cx.read(0, place, 1), vec![3]);
}

fn waiting_for_a_captured_event_spreads_the_capture(cx: &Cx) {
    let (first, second) = (cx.stream(0, cudaStreamDefault), cx.stream(0, cudaStreamDefault));
    let event = cx.event(0);
    begin(cx, first);
    answers!(cx.cudaEventRecord(event, first), 0);
    status_is(cx, second, FREE);
    answers!(cx.cudaStreamWaitEvent(second, event, 0), 0);
    status_is(cx, second, ACTIVE);
    // A stream that did no work need not be joined.
    let mut graph = null_mut();
    answers!(cx.cudaStreamEndCapture(first, &mut graph), 0);
    cx.last(0);
    status_is(cx, first, FREE);
    status_is(cx, second, FREE);
}

/// It never happens by itself, so there is nothing to ask; asking spoils the capture.
fn an_event_of_a_capture_cannot_be_asked(cx: &Cx) {
    let (first, second) = (cx.stream(0, cudaStreamDefault), cx.stream(0, cudaStreamDefault));
    let event = cx.event(0);
    begin(cx, first);
    must!(cx.cudaEventRecord(event, first));
    must!(cx.cudaStreamWaitEvent(second, event, 0));
    refuses!(cx.cudaEventQuery(event), 907);
    end_fails(cx, first, 901);
}

fn an_unjoined_stream_spoils_the_capture(cx: &Cx) {
    let place = cx.filled(0, &[1; 64]);
    let (first, second) = (cx.stream(0, cudaStreamDefault), cx.stream(0, cudaStreamDefault));
    let event = cx.event(0);
    begin(cx, first);
    must!(cx.cudaEventRecord(event, first));
    must!(cx.cudaStreamWaitEvent(second, event, 0));
    answers!(cx.cudaMemsetAsync(place, 2, 64, second), 0);
    end_fails(cx, first, 904);
    cx.value("the first byte", cx.read(0, place, 1), vec![1]);
}

/// Nor one that took part behind work of another that is joined.
fn an_unjoined_stream_without_work_does_not(cx: &Cx) {
    let place = cx.filled(0, &[1; 64]);
    let streams = [(); 3].map(|()| cx.stream(0, cudaStreamDefault));
    let [first, second, third] = streams;
    let (fork, join) = (cx.event(0), cx.event(0));
    begin(cx, first);
    must!(cx.cudaEventRecord(fork, first));
    answers!(cx.cudaStreamWaitEvent(second, fork, 0), 0);
    end(cx, first);
    status_is(cx, second, FREE);

    begin(cx, first);
    must!(cx.cudaMemsetAsync(place, 2, 64, first));
    must!(cx.cudaEventRecord(fork, first));
    must!(cx.cudaStreamWaitEvent(second, fork, 0));
    must!(cx.cudaMemsetAsync(place, 3, 64, second));
    must!(cx.cudaEventRecord(join, second));
    answers!(cx.cudaStreamWaitEvent(third, join, 0), 0);
    answers!(cx.cudaStreamWaitEvent(first, join, 0), 0);
    end(cx, first);
    status_is(cx, third, FREE);
}

fn a_joined_stream_does_not(cx: &Cx) {
    let place = cx.filled(0, &[1; 64]);
    let (first, second) = (cx.stream(0, cudaStreamDefault), cx.stream(0, cudaStreamDefault));
    let (fork, join) = (cx.event(0), cx.event(0));
    begin(cx, first);
    must!(cx.cudaEventRecord(fork, first));
    must!(cx.cudaStreamWaitEvent(second, fork, 0));
    answers!(cx.cudaMemsetAsync(place, 2, 64, second), 0);
    answers!(cx.cudaEventRecord(join, second), 0);
    answers!(cx.cudaStreamWaitEvent(first, join, 0), 0);
    end(cx, first);
    status_is(cx, second, FREE);
}

fn only_the_first_stream_ends_the_capture(cx: &Cx) {
    let (first, second) = (cx.stream(0, cudaStreamDefault), cx.stream(0, cudaStreamDefault));
    let event = cx.event(0);
    let mut graph = null_mut();
    begin(cx, first);
    must!(cx.cudaEventRecord(event, first));
    must!(cx.cudaStreamWaitEvent(second, event, 0));
    refuses!(cx.cudaStreamEndCapture(second, &mut graph), 903);
    end_fails(cx, first, 901);
}

fn a_capture_spreads_to_another_device(cx: &Cx) {
    let theirs = cx.filled(1, &[1; 64]);
    let (first, second) = (cx.stream(0, cudaStreamNonBlocking), cx.stream(1, cudaStreamNonBlocking));
    let (fork, join) = (cx.event(0), cx.event(1));
    let mut graph = null_mut();
    begin(cx, first);
    must!(cx.cudaEventRecord(fork, first));
    answers!(cx.cudaStreamWaitEvent(second, fork, 0), 0);
    answers!(cx.cudaMemsetAsync(theirs, 2, 64, second), 0);
    answers!(cx.cudaEventRecord(join, second), 0);
    answers!(cx.cudaStreamWaitEvent(first, join, 0), 0);
    answers!(cx.cudaStreamEndCapture(first, &mut graph), 0);
    cx.last(0);
    status_is(cx, first, FREE);
    status_is(cx, second, FREE);
}

fn two_captures_at_once(cx: &Cx) {
    let (first, second) = (cx.stream(0, cudaStreamNonBlocking), cx.stream(0, cudaStreamNonBlocking));
    begin(cx, first);
    begin(cx, second);
    status_is(cx, first, ACTIVE);
    status_is(cx, second, ACTIVE);
    end(cx, first);
    status_is(cx, second, ACTIVE);
    end(cx, second);
}

fn merging_two_captures(cx: &Cx) {
    let (first, second) = (cx.stream(0, cudaStreamNonBlocking), cx.stream(0, cudaStreamNonBlocking));
    let event = cx.event(0);
    let mut graph = null_mut();
    begin(cx, first);
    begin(cx, second);
    must!(cx.cudaEventRecord(event, first));
    refuses!(cx.cudaStreamWaitEvent(second, event, 0), 902);
    answers!(cx.cudaStreamEndCapture(first, &mut graph), 901);
    refuses!(cx.cudaStreamEndCapture(second, &mut graph), 901);
    status_is(cx, first, FREE);
    status_is(cx, second, FREE);
}

/// With the flag it is a node of the graph, and the event is not of the capture.
fn an_external_event_in_a_capture(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let event = cx.event(0);
    let mut graph = null_mut();
    begin(cx, stream);
    answers!(cx.cudaEventRecordWithFlags(event, stream, 1), 0);
    cx.last(0);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
    cx.last(0);
    status_is(cx, stream, FREE);
}

fn work_before_a_capture_is_not_in_it(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let place = cx.word(0, 1);
    cx.store(stream, place, 2, 100);
    begin(cx, stream);
    let graph = end(cx, stream);
    let mut count = 99;
    answers!(cx.cudaGraphGetNodes(graph, null_mut(), &mut count), 0);
    cx.value("nodes", count, 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("what was stored", cx.read_word(0, place), 2);
}
