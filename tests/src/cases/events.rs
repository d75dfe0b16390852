//! Events: making, recording, asking, and the time between two. Across devices they are in `streams`.

use std::ptr::null_mut;

use cuda_p2p_sys::{cudaEvent_t, cudaEventDisableTiming, cudaEventInterprocess, cudaStreamNonBlocking};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(an_event_without_a_place, ONE),
    case!(an_event_with_unknown_flags, ONE),
    case!(flags_that_go_together, ONE),
    case!(null_is_no_event, ONE),
    case!(no_time_between_what_was_not_recorded, ONE),
    case!(no_time_with_one_that_was_not_recorded, ONE),
    case!(no_time_without_a_place, ONE),
    case!(no_time_between_null_and_an_event, ONE),
    case!(no_time_with_an_event_without_timing, ONE),
    case!(no_time_between_devices, TWO),
    case!(the_time_backwards_is_negative, ONE.kernels()),
    case!(the_time_to_an_unfinished_event, ONE.kernels()),
    case!(recording_with_unknown_flags, ONE),
    case!(recording_as_external_outside_a_capture, ONE),
    case!(waiting_with_unknown_flags, ONE),
    case!(waiting_for_what_was_not_recorded, ONE),
    case!(an_event_of_another_device_in_the_null_stream, TWO),
    case!(another_devices_event_can_be_asked, TWO),
    case!(another_devices_event_can_be_waited_for, TWO),
    case!(the_record_counts_and_not_the_event, ONE.kernels()),
    case!(recording_again_moves_the_event, ONE.kernels()),
    case!(an_unfinished_event_can_be_destroyed, ONE.kernels()),
    case!(an_event_in_the_null_stream_follows_blocking_streams, ONE.kernels()),
];

fn timed(cx: &Cx) -> cudaEvent_t {
    let mut event = null_mut();
    must!(cx.cudaEventCreate(&mut event));
    event
}

/// Two events, recorded and done.
fn recorded_pair(cx: &Cx) -> (cudaEvent_t, cudaEvent_t) {
    let (start, end) = (timed(cx), timed(cx));
    must!(cx.cudaEventRecord(start, NULL_STREAM));
    must!(cx.cudaEventRecord(end, NULL_STREAM));
    must!(cx.cudaEventSynchronize(end));
    (start, end)
}

fn an_event_without_a_place(cx: &Cx) {
    refuses!(cx.cudaEventCreate(null_mut()), 1);
    refuses!(cx.cudaEventCreateWithFlags(null_mut(), 0xFF), 1);
}

fn an_event_with_unknown_flags(cx: &Cx) {
    let mut event = null_mut();
    refuses!(cx.cudaEventCreateWithFlags(&mut event, 0xFF), 1);
    answers!(cx.cudaEventCreateWithFlags(&mut event, 0), 0);
    answers!(cx.cudaEventDestroy(event), 0);
}

/// An event for other processes has no time.
fn flags_that_go_together(cx: &Cx) {
    let mut event = null_mut();
    answers!(cx.cudaEventCreateWithFlags(&mut event, cudaEventDisableTiming), 0);
    answers!(cx.cudaEventDestroy(event), 0);
    refuses!(cx.cudaEventCreateWithFlags(&mut event, cudaEventInterprocess), 1);
    answers!(cx.cudaEventCreateWithFlags(&mut event, cudaEventInterprocess | cudaEventDisableTiming), 0);
    answers!(cx.cudaEventDestroy(event), 0);
}

fn null_is_no_event(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    refuses!(cx.cudaEventRecord(null_mut(), stream), 400);
    refuses!(cx.cudaEventQuery(null_mut()), 400);
    refuses!(cx.cudaEventSynchronize(null_mut()), 400);
    refuses!(cx.cudaEventDestroy(null_mut()), 400);
    refuses!(cx.cudaStreamWaitEvent(stream, null_mut(), 0), 400);
}

fn no_time_between_what_was_not_recorded(cx: &Cx) {
    let (start, end) = (timed(cx), timed(cx));
    let mut milliseconds = -1.0;
    refuses!(cx.cudaEventElapsedTime(&mut milliseconds, start, end), 400);
}

fn no_time_with_one_that_was_not_recorded(cx: &Cx) {
    let (start, end) = (timed(cx), timed(cx));
    let mut milliseconds = -1.0;
    must!(cx.cudaEventRecord(start, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    refuses!(cx.cudaEventElapsedTime(&mut milliseconds, start, end), 400);
}

fn no_time_without_a_place(cx: &Cx) {
    let (start, end) = recorded_pair(cx);
    refuses!(cx.cudaEventElapsedTime(null_mut(), start, end), 1);
    let mut milliseconds = -1.0;
    answers!(cx.cudaEventElapsedTime(&mut milliseconds, start, end), 0);
    cx.holds("some time, and not much", (0.0..1000.0).contains(&milliseconds));
}

fn no_time_between_null_and_an_event(cx: &Cx) {
    let (start, end) = recorded_pair(cx);
    let mut milliseconds = -1.0;
    refuses!(cx.cudaEventElapsedTime(&mut milliseconds, null_mut(), end), 400);
    refuses!(cx.cudaEventElapsedTime(&mut milliseconds, start, null_mut()), 400);
    refuses!(cx.cudaEventElapsedTime(null_mut(), null_mut(), end), 1);
}

fn no_time_with_an_event_without_timing(cx: &Cx) {
    let (start, _) = recorded_pair(cx);
    let untimed = cx.event(0);
    let mut milliseconds = -1.0;
    must!(cx.cudaEventRecord(untimed, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    refuses!(cx.cudaEventElapsedTime(&mut milliseconds, start, untimed), 400);
}

fn no_time_between_devices(cx: &Cx) {
    let (ours, _) = recorded_pair(cx);
    let theirs = cx.on(1, || recorded_pair(cx).0);
    let mut milliseconds = -1.0;
    cx.on(1, || {
        refuses!(cx.cudaEventElapsedTime(&mut milliseconds, ours, theirs), 400);
    });
}

fn the_time_backwards_is_negative(cx: &Cx) {
    let (start, end) = (timed(cx), timed(cx));
    let mut milliseconds = 0.0;
    must!(cx.cudaEventRecord(start, NULL_STREAM));
    cx.delay(NULL_STREAM, 100);
    must!(cx.cudaEventRecord(end, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    answers!(cx.cudaEventElapsedTime(&mut milliseconds, end, start), 0);
    cx.holds("it is below -50 ms", milliseconds < -50.0);
}

fn the_time_to_an_unfinished_event(cx: &Cx) {
    let (start, end) = recorded_pair(cx);
    let mut milliseconds = -1.0;
    cx.delay(NULL_STREAM, 0);
    cx.synchronize(0);
    cx.delay(NULL_STREAM, 200);
    must!(cx.cudaEventRecord(end, NULL_STREAM));
    answers!(cx.cudaEventElapsedTime(&mut milliseconds, start, end), 600);
    cx.last(0);
    answers!(cx.cudaEventSynchronize(end), 0);
    answers!(cx.cudaEventElapsedTime(&mut milliseconds, start, end), 0);
    cx.holds("at least 150 ms", milliseconds >= 150.0);
}

fn recording_with_unknown_flags(cx: &Cx) {
    let event = cx.event(0);
    refuses!(cx.cudaEventRecordWithFlags(event, NULL_STREAM, 9), 1);
    answers!(cx.cudaEventRecordWithFlags(event, NULL_STREAM, 0), 0);
    answers!(cx.cudaEventSynchronize(event), 0);
}

fn recording_as_external_outside_a_capture(cx: &Cx) {
    let event = cx.event(0);
    refuses!(cx.cudaEventRecordWithFlags(event, NULL_STREAM, 1), 401);
}

fn waiting_with_unknown_flags(cx: &Cx) {
    let event = cx.event(0);
    must!(cx.cudaEventRecord(event, NULL_STREAM));
    refuses!(cx.cudaStreamWaitEvent(NULL_STREAM, event, 7), 1);
    refuses!(cx.cudaStreamWaitEvent(NULL_STREAM, null_mut(), 7), 1);
}

fn waiting_for_what_was_not_recorded(cx: &Cx) {
    let (event, stream) = (timed(cx), cx.stream(0, cudaStreamNonBlocking));
    answers!(cx.cudaStreamWaitEvent(stream, event, 0), 0);
    answers!(cx.cudaStreamQuery(stream), 0);
}

/// The null stream is the current device's.
fn an_event_of_another_device_in_the_null_stream(cx: &Cx) {
    let ours = cx.event(0);
    cx.on(1, || {
        refuses!(cx.cudaEventRecord(ours, NULL_STREAM), 400);
    });
    answers!(cx.cudaEventRecord(ours, NULL_STREAM), 0);
}

fn another_devices_event_can_be_asked(cx: &Cx) {
    let (ours, _) = recorded_pair(cx);
    cx.on(1, || {
        answers!(cx.cudaEventQuery(ours), 0);
        answers!(cx.cudaEventSynchronize(ours), 0);
    });
}

fn another_devices_event_can_be_waited_for(cx: &Cx) {
    let (ours, _) = recorded_pair(cx);
    let theirs = cx.stream(1, cudaStreamNonBlocking);
    cx.on(1, || {
        answers!(cx.cudaStreamWaitEvent(theirs, ours, 0), 0);
        answers!(cx.cudaStreamWaitEvent(NULL_STREAM, ours, 0), 0);
        answers!(cx.cudaDeviceSynchronize(), 0);
    });
}

/// A wait is for what was recorded when the wait was made: recording again later does not lengthen it.
fn the_record_counts_and_not_the_event(cx: &Cx) {
    let event = cx.event(0);
    let (slow, waiter) = (cx.stream(0, cudaStreamNonBlocking), cx.stream(0, cudaStreamNonBlocking));
    cx.delay(slow, 0);
    cx.synchronize(0);
    must!(cx.cudaEventRecord(event, slow));
    answers!(cx.cudaStreamWaitEvent(waiter, event, 0), 0);
    cx.delay(slow, 300);
    must!(cx.cudaEventRecord(event, slow));
    answers!(cx.cudaStreamSynchronize(waiter), 0);
    answers!(cx.cudaStreamQuery(slow), 600);
    answers!(cx.cudaEventQuery(event), 600);
    answers!(cx.cudaStreamSynchronize(slow), 0);
    answers!(cx.cudaEventQuery(event), 0);
}

fn recording_again_moves_the_event(cx: &Cx) {
    let event = cx.event(0);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    cx.delay(stream, 0);
    must!(cx.cudaEventRecord(event, stream));
    answers!(cx.cudaEventSynchronize(event), 0);
    cx.delay(stream, 200);
    answers!(cx.cudaEventQuery(event), 0);
    must!(cx.cudaEventRecord(event, stream));
    answers!(cx.cudaEventQuery(event), 600);
    answers!(cx.cudaEventSynchronize(event), 0);
}

fn an_unfinished_event_can_be_destroyed(cx: &Cx) {
    let event = cx.event(0);
    let (stream, waiter) = (cx.stream(0, cudaStreamNonBlocking), cx.stream(0, cudaStreamNonBlocking));
    let place = cx.word(0, 1);
    cx.store_word(waiter, place, 1);
    cx.synchronize(0);
    cx.store(stream, place, 2, 200);
    must!(cx.cudaEventRecord(event, stream));
    answers!(cx.cudaStreamWaitEvent(waiter, event, 0), 0);
    cx.store_word(waiter, place, 3);
    answers!(cx.cudaEventDestroy(event), 0);
    // The wait is still there.
    cx.value("what was stored last", cx.read_word(0, place), 3);
}

fn an_event_in_the_null_stream_follows_blocking_streams(cx: &Cx) {
    let event = cx.event(0);
    let blocking = cx.stream(0, cuda_p2p_sys::cudaStreamDefault);
    cx.delay(blocking, 0);
    cx.synchronize(0);
    cx.delay(blocking, 200);
    must!(cx.cudaEventRecord(event, NULL_STREAM));
    answers!(cx.cudaEventQuery(event), 600);
    answers!(cx.cudaEventSynchronize(event), 0);
    answers!(cx.cudaStreamQuery(blocking), 0);
}
