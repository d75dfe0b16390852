//! Events of one process in another: the order between the work of two processes. The case makes the event, its second process
//! opens it.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use cuda_p2p_sys::{
    cudaEvent_t, cudaEventDisableTiming, cudaEventInterprocess, cudaIpcEventHandle_t, cudaStreamCaptureMode,
    cudaStreamNonBlocking,
};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, TWO};
use crate::partner::Wire;
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(an_event_cannot_be_opened_where_it_was_made, ONE.ipc()),
    case!(garbage_is_no_event, ONE.ipc()),
    case!(an_event_that_was_never_recorded_is_done, ONE.ipc()).with_partner(asks_at_once),
    case!(a_record_is_seen_by_the_other_process, ONE.kernels().ipc()).with_partner(waits_on_the_host),
    case!(a_stream_waits_for_the_other_process, ONE.kernels().ipc()).with_partner(waits_in_a_stream),
    case!(the_other_process_records, ONE.kernels().ipc()).with_partner(records),
    case!(a_handle_opens_as_often_as_one_likes, ONE.ipc()).with_partner(opens_twice),
    case!(an_opened_event_has_no_handle, ONE.ipc()).with_partner(asks_for_a_handle),
    case!(no_graph_holds_a_record_for_others, ONE.ipc()),
    case!(no_graph_waits_for_others, ONE.ipc()).with_partner(waits_in_a_capture),
    case!(what_its_maker_destroyed_goes_on, ONE.ipc()).with_partner(uses_it_afterwards),
    case!(it_is_an_event_of_the_device_that_opened_it, TWO.ipc()).with_partner(records_on_either_device),
];

fn made(cx: &Cx) -> (cudaEvent_t, [u8; 64]) {
    let mut event = null_mut();
    let mut handle = MaybeUninit::<cudaIpcEventHandle_t>::zeroed();
    must!(cx.cudaEventCreateWithFlags(&mut event, cudaEventInterprocess | cudaEventDisableTiming));
    must!(cx.cudaIpcGetEventHandle(handle.as_mut_ptr(), event));
    // SAFETY: bytes: zeroes are a value, and the call wrote another.
    (event, unsafe { handle.assume_init() }.reserved.map(|byte| byte as u8))
}

fn received(wire: &mut Wire) -> cudaIpcEventHandle_t {
    cudaIpcEventHandle_t { reserved: wire.receive::<64>().map(|byte| byte as c_char) }
}

/// Opens the handle that comes, with device 0 current.
fn opened(cx: &Cx, wire: &mut Wire) -> cudaEvent_t {
    let handle = received(wire);
    must!(cx.cudaFree(null_mut()));
    open(cx, handle)
}

fn open(cx: &Cx, handle: cudaIpcEventHandle_t) -> cudaEvent_t {
    let mut event = null_mut();
    answers!(cx.cudaIpcOpenEventHandle(&mut event, handle), 0);
    event
}

fn an_event_cannot_be_opened_where_it_was_made(cx: &Cx) {
    let (_, handle) = made(cx);
    let handle = cudaIpcEventHandle_t { reserved: handle.map(|byte| byte as c_char) };
    let mut event = null_mut();
    refuses!(cx.cudaIpcOpenEventHandle(&mut event, handle), 201);
}

fn garbage_is_no_event(cx: &Cx) {
    must!(cx.cudaFree(null_mut()));
    let handle = cudaIpcEventHandle_t { reserved: [7; 64] };
    let mut event = null_mut();
    refuses!(cx.cudaIpcOpenEventHandle(&mut event, handle), 205);
}

fn an_event_that_was_never_recorded_is_done(cx: &Cx) {
    let (event, handle) = made(cx);
    answers!(cx.cudaEventQuery(event), 0);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.end(cx);
}

fn asks_at_once(cx: &Cx, wire: &mut Wire) {
    let event = opened(cx, wire);
    answers!(cx.cudaEventQuery(event), 0);
    answers!(cx.cudaEventSynchronize(event), 0);
    answers!(cx.cudaEventDestroy(event), 0);
}

fn a_record_is_seen_by_the_other_process(cx: &Cx) {
    let (event, handle) = made(cx);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.wire.wait();
    cx.delay(NULL_STREAM, 400);
    answers!(cx.cudaEventRecord(event, NULL_STREAM), 0);
    other.wire.turn();
    other.end(cx);
    answers!(cx.cudaEventQuery(event), 0);
}

fn waits_on_the_host(cx: &Cx, wire: &mut Wire) {
    let event = opened(cx, wire);
    wire.let_other();
    answers!(cx.cudaEventQuery(event), 600);
    answers!(cx.cudaEventSynchronize(event), 0);
    answers!(cx.cudaEventQuery(event), 0);
    answers!(cx.cudaEventDestroy(event), 0);
}

fn a_stream_waits_for_the_other_process(cx: &Cx) {
    let (event, handle) = made(cx);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.wire.wait();
    cx.delay(NULL_STREAM, 400);
    answers!(cx.cudaEventRecord(event, NULL_STREAM), 0);
    other.wire.turn();
    other.end(cx);
}

fn waits_in_a_stream(cx: &Cx, wire: &mut Wire) {
    let event = opened(cx, wire);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    wire.let_other();
    answers!(cx.cudaStreamWaitEvent(stream, event, 0), 0);
    answers!(cx.cudaStreamQuery(stream), 600);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    answers!(cx.cudaEventQuery(event), 0);
    answers!(cx.cudaEventDestroy(event), 0);
}

fn the_other_process_records(cx: &Cx) {
    let (event, handle) = made(cx);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.wire.wait();
    answers!(cx.cudaEventQuery(event), 600);
    answers!(cx.cudaEventSynchronize(event), 0);
    answers!(cx.cudaEventQuery(event), 0);
    other.wire.turn();
    other.end(cx);
}

fn records(cx: &Cx, wire: &mut Wire) {
    let event = opened(cx, wire);
    cx.delay(NULL_STREAM, 400);
    answers!(cx.cudaEventRecord(event, NULL_STREAM), 0);
    wire.let_other();
    answers!(cx.cudaEventDestroy(event), 0);
}

fn a_handle_opens_as_often_as_one_likes(cx: &Cx) {
    let (_event, handle) = made(cx);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.end(cx);
}

fn opens_twice(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    must!(cx.cudaFree(null_mut()));
    let (first, second) = (open(cx, handle), open(cx, handle));
    cx.value("the two are one", first == second, false);
    answers!(cx.cudaEventDestroy(first), 0);
    answers!(cx.cudaEventRecord(second, NULL_STREAM), 0);
    answers!(cx.cudaEventSynchronize(second), 0);
    answers!(cx.cudaEventDestroy(second), 0);
}

fn an_opened_event_has_no_handle(cx: &Cx) {
    let (_event, handle) = made(cx);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.end(cx);
}

fn asks_for_a_handle(cx: &Cx, wire: &mut Wire) {
    let event = opened(cx, wire);
    let mut handle = MaybeUninit::<cudaIpcEventHandle_t>::zeroed();
    refuses!(cx.cudaIpcGetEventHandle(handle.as_mut_ptr(), event), 400);
}

fn no_graph_holds_a_record_for_others(cx: &Cx) {
    let (event, _) = made(cx);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let mut graph = null_mut();
    must!(cx.cudaStreamBeginCapture(stream, cudaStreamCaptureMode::cudaStreamCaptureModeGlobal));
    refuses!(cx.cudaEventRecord(event, stream), 900);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
    must!(cx.cudaGraphDestroy(graph));
}

fn no_graph_waits_for_others(cx: &Cx) {
    let (_event, handle) = made(cx);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.end(cx);
}

/// Whether it was recorded or not.
fn waits_in_a_capture(cx: &Cx, wire: &mut Wire) {
    let event = opened(cx, wire);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let mut graph = null_mut();
    must!(cx.cudaStreamBeginCapture(stream, cudaStreamCaptureMode::cudaStreamCaptureModeGlobal));
    refuses!(cx.cudaStreamWaitEvent(stream, event, 0), 900);
    refuses!(cx.cudaStreamEndCapture(stream, &mut graph), 901);
    answers!(cx.cudaEventDestroy(event), 0);
}

fn what_its_maker_destroyed_goes_on(cx: &Cx) {
    let (event, handle) = made(cx);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.wire.wait();
    answers!(cx.cudaEventDestroy(event), 0);
    other.wire.turn();
    other.end(cx);
}

fn uses_it_afterwards(cx: &Cx, wire: &mut Wire) {
    let event = opened(cx, wire);
    wire.let_other();
    answers!(cx.cudaEventQuery(event), 0);
    answers!(cx.cudaEventRecord(event, NULL_STREAM), 0);
    answers!(cx.cudaEventSynchronize(event), 0);
    answers!(cx.cudaEventDestroy(event), 0);
}

/// A stream of another device is not made to wait for it: hardware's library ends the process at that.
fn it_is_an_event_of_the_device_that_opened_it(cx: &Cx) {
    let (_event, handle) = made(cx);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.end(cx);
}

fn records_on_either_device(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    let event = cx.on(1, || open(cx, handle));
    let (there, here) = (cx.stream(1, cudaStreamNonBlocking), cx.stream(0, cudaStreamNonBlocking));
    answers!(cx.cudaEventRecord(event, there), 0);
    refuses!(cx.cudaEventRecord(event, here), 400);
    answers!(cx.cudaEventSynchronize(event), 0);
    answers!(cx.cudaEventDestroy(event), 0);
}
