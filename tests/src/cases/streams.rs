//! Streams and events across devices, and what each of them refuses.

use std::ptr::null_mut;

use cuda_p2p_sys::{cudaStreamDefault, cudaStreamNonBlocking};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::kernels::{DelayedStore, ONE as ONE_THREAD};
use crate::needs::{ONE, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(an_event_cannot_be_recorded_on_another_devices_stream, TWO),
    case!(a_stream_waits_for_another_devices_event, TWO),
    case!(waiting_for_another_devices_event_orders, TWO.kernels()),
    case!(a_peer_copy_is_queued_on_another_devices_stream, TWO),
    case!(a_kernel_is_launched_on_another_devices_stream, TWO.kernel_handles()),
    case!(a_busy_stream_is_not_ready, ONE.kernels()),
    case!(an_idle_stream_is_ready, ONE),
    case!(an_event_follows_its_stream, ONE.kernels()),
    case!(an_event_that_was_never_recorded_is_done, ONE),
    case!(time_between_events_without_timing, ONE),
    case!(time_between_events, ONE.kernels()),
    case!(flags_of_streams_and_events, ONE),
    case!(null_places_fail, ONE),
    case!(waiting_with_flags_fails, ONE),
    case!(a_destroyed_stream_still_does_its_work, ONE.kernels()),
];

fn an_event_cannot_be_recorded_on_another_devices_stream(cx: &Cx) {
    let event_of_0 = cx.event(0);
    let stream_of_1 = cx.stream(1, cudaStreamNonBlocking);
    refuses!(cx.cudaEventRecord(event_of_0, stream_of_1), 400);
    // Which device is current makes no difference.
    cx.on(1, || {
        refuses!(cx.cudaEventRecord(event_of_0, stream_of_1), 400);
    });
}

fn a_stream_waits_for_another_devices_event(cx: &Cx) {
    let stream_of_0 = cx.stream(0, cudaStreamNonBlocking);
    let event_of_0 = cx.event(0);
    let stream_of_1 = cx.stream(1, cudaStreamNonBlocking);
    must!(cx.cudaEventRecord(event_of_0, stream_of_0));
    answers!(cx.cudaStreamWaitEvent(stream_of_1, event_of_0, 0), 0);
    answers!(cx.cudaStreamSynchronize(stream_of_1), 0);
}

fn waiting_for_another_devices_event_orders(cx: &Cx) {
    let stream_of_0 = cx.stream(0, cudaStreamNonBlocking);
    let event_of_0 = cx.event(0);
    let stream_of_1 = cx.stream(1, cudaStreamNonBlocking);
    let first = cx.word(0, 1);
    cx.delay(NULL_STREAM, 0);
    cx.synchronize(0);
    cx.store(stream_of_0, first, 2, 200);
    must!(cx.cudaEventRecord(event_of_0, stream_of_0));
    answers!(cx.cudaStreamWaitEvent(stream_of_1, event_of_0, 0), 0);
    answers!(cx.cudaStreamQuery(stream_of_1), 600);
    cx.last(0);
    answers!(cx.cudaStreamSynchronize(stream_of_1), 0);
    // The waiting stream is done, so the one that was waited for is.
    answers!(cx.cudaStreamQuery(stream_of_0), 0);
    cx.value("what was stored", cx.read_word(0, first), 2);
}

fn a_peer_copy_is_queued_on_another_devices_stream(cx: &Cx) {
    let bytes = cx.pattern(4096, 5);
    let d0 = cx.filled(0, &bytes);
    let d1 = cx.filled(1, &[0xEE; 4096]);
    let stream_of_1 = cx.stream(1, cudaStreamNonBlocking);
    answers!(cx.cudaMemcpyPeerAsync(d1, 1, d0, 0, 4096, stream_of_1), 0);
    answers!(cx.cudaStreamSynchronize(stream_of_1), 0);
    cx.holds("the bytes arrived", cx.read(1, d1, 4096) == bytes);
}

/// The kernel runs on the stream's device: it reaches that device's memory without peer access.
fn a_kernel_is_launched_on_another_devices_stream(cx: &Cx) {
    let theirs = cx.word(1, 1);
    let stream_of_1 = cx.stream(1, cudaStreamNonBlocking);
    let kernel = cx.kernel(c"cuda_p2p_delayed_store");
    let mut store = DelayedStore::new(theirs, 2, 0);
    let mut arguments = store.arguments();
    let (code, stored) = if cx.refuses_streams_of_other_devices() { (400, 1) } else { (0, 2) };
    answers!(
        cx.cudaLaunchKernel(kernel.cast(), ONE_THREAD, ONE_THREAD, arguments.as_mut_ptr(), 0, stream_of_1),
        code
    );
    answers!(cx.cudaStreamSynchronize(stream_of_1), 0);
    cx.value("what was stored", cx.read_word(1, theirs), stored);
    if code != 0 {
        cx.last(code);
    }
}

fn a_busy_stream_is_not_ready(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    cx.delay(stream, 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.delay(stream, 300);
    answers!(cx.cudaStreamQuery(stream), 600);
    cx.last(0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    answers!(cx.cudaStreamQuery(stream), 0);
}

fn an_idle_stream_is_ready(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    answers!(cx.cudaStreamQuery(stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    answers!(cx.cudaStreamQuery(NULL_STREAM), 0);
    answers!(cx.cudaStreamSynchronize(NULL_STREAM), 0);
}

fn an_event_follows_its_stream(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let event = cx.event(0);
    cx.delay(stream, 0);
    must!(cx.cudaStreamSynchronize(stream));
    cx.delay(stream, 300);
    answers!(cx.cudaEventRecord(event, stream), 0);
    answers!(cx.cudaEventQuery(event), 600);
    cx.last(0);
    answers!(cx.cudaEventSynchronize(event), 0);
    answers!(cx.cudaEventQuery(event), 0);
    answers!(cx.cudaStreamQuery(stream), 0);
}

fn an_event_that_was_never_recorded_is_done(cx: &Cx) {
    let event = cx.event(0);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    answers!(cx.cudaEventQuery(event), 0);
    answers!(cx.cudaEventSynchronize(event), 0);
    answers!(cx.cudaStreamWaitEvent(stream, event, 0), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
}

fn time_between_events_without_timing(cx: &Cx) {
    let (start, end) = (cx.event(0), cx.event(0));
    let mut milliseconds = -1.0;
    must!(cx.cudaEventRecord(start, NULL_STREAM));
    must!(cx.cudaEventRecord(end, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    refuses!(cx.cudaEventElapsedTime(&mut milliseconds, start, end), 400);
}

fn time_between_events(cx: &Cx) {
    let (mut start, mut end) = (null_mut(), null_mut());
    let mut milliseconds = -1.0;
    must!(cx.cudaEventCreate(&mut start));
    must!(cx.cudaEventCreate(&mut end));
    refuses!(cx.cudaEventElapsedTime(&mut milliseconds, start, end), 400);
    cx.delay(NULL_STREAM, 0);
    must!(cx.cudaEventRecord(start, NULL_STREAM));
    cx.delay(NULL_STREAM, 200);
    must!(cx.cudaEventRecord(end, NULL_STREAM));
    answers!(cx.cudaEventElapsedTime(&mut milliseconds, start, end), 600);
    cx.last(0);
    must!(cx.cudaDeviceSynchronize());
    answers!(cx.cudaEventElapsedTime(&mut milliseconds, start, end), 0);
    cx.holds("at least 150 ms lie between them", milliseconds >= 150.0);
}

fn flags_of_streams_and_events(cx: &Cx) {
    let mut flags = 99;
    let blocking = cx.stream(0, cudaStreamDefault);
    let non_blocking = cx.stream(0, cudaStreamNonBlocking);
    answers!(cx.cudaStreamGetFlags(blocking, &mut flags), 0);
    cx.value("flags", flags, cudaStreamDefault);
    answers!(cx.cudaStreamGetFlags(non_blocking, &mut flags), 0);
    cx.value("flags", flags, cudaStreamNonBlocking);
    let mut stream = null_mut();
    refuses!(cx.cudaStreamCreateWithFlags(&mut stream, 0x80), 1);
    let mut event = null_mut();
    refuses!(cx.cudaEventCreateWithFlags(&mut event, 0x80), 1);
    // Events for other processes must be without timing.
    refuses!(cx.cudaEventCreateWithFlags(&mut event, cuda_p2p_sys::cudaEventInterprocess), 1);
}

fn null_places_fail(cx: &Cx) {
    refuses!(cx.cudaStreamCreateWithFlags(null_mut(), 0), 1);
    refuses!(cx.cudaEventCreateWithFlags(null_mut(), 0), 1);
    refuses!(cx.cudaEventRecord(null_mut(), NULL_STREAM), 400);
    refuses!(cx.cudaEventQuery(null_mut()), 400);
    refuses!(cx.cudaStreamWaitEvent(NULL_STREAM, null_mut(), 0), 400);
}

fn waiting_with_flags_fails(cx: &Cx) {
    let event = cx.event(0);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    refuses!(cx.cudaStreamWaitEvent(stream, event, 0x80), 1);
}

fn a_destroyed_stream_still_does_its_work(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let place = cx.word(0, 1);
    cx.store(stream, place, 2, 100);
    answers!(cx.cudaStreamDestroy(stream), 0);
    cx.value("what was stored", cx.read_word(0, place), 2);
}
