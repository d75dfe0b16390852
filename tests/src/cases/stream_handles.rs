//! Streams as such: making and destroying them, the three streams that nobody makes, and what a stream says of itself. Work
//! across devices is in `streams`.

use std::ptr::null_mut;

use cuda_p2p_sys::{cudaStream_t, cudaStreamDefault, cudaStreamNonBlocking};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(a_stream_without_a_place, ONE),
    case!(a_stream_with_unknown_flags, ONE),
    case!(streams_that_nobody_made_are_not_destroyed, ONE),
    case!(streams_that_nobody_made_can_be_asked, ONE),
    case!(the_stream_of_a_thread_can_be_waited_for, ONE),
    case!(the_null_stream_is_a_blocking_one, ONE),
    case!(the_legacy_stream_is_the_null_stream, ONE.kernels()),
    case!(flags_without_a_place, ONE),
    case!(a_stream_has_no_priority_unless_asked, ONE),
    case!(priorities_have_a_range, ONE),
    case!(a_priority_out_of_range_is_clamped, ONE),
    case!(priorities_without_places, ONE),
    case!(a_priority_with_unknown_flags, ONE),
    case!(every_stream_has_its_own_number, ONE),
    case!(a_number_without_a_place, ONE),
    case!(a_stream_names_its_device, TWO.since(12, 8)),
    case!(a_busy_stream_can_be_destroyed, ONE.kernels()),
    case!(the_null_stream_is_busy_while_a_blocking_stream_is, ONE.kernels()),
    case!(a_blocking_stream_waits_for_the_null_stream, ONE.kernels()),
    case!(a_non_blocking_stream_does_not_wait_for_the_null_stream, ONE.kernels()),
    case!(a_stream_is_used_in_another_thread, ONE.kernels()),
    case!(a_stream_is_asked_while_another_device_is_current, TWO.kernels()),
];

/// `cudaStreamLegacy`
const LEGACY: cudaStream_t = std::ptr::without_provenance_mut(1);
/// `cudaStreamPerThread`
const PER_THREAD: cudaStream_t = std::ptr::without_provenance_mut(2);

fn a_stream_without_a_place(cx: &Cx) {
    refuses!(cx.cudaStreamCreate(null_mut()), 1);
    refuses!(cx.cudaStreamCreateWithFlags(null_mut(), 7), 1);
}

fn a_stream_with_unknown_flags(cx: &Cx) {
    let mut stream = null_mut();
    refuses!(cx.cudaStreamCreateWithFlags(&mut stream, 7), 1);
    answers!(cx.cudaStreamCreateWithFlags(&mut stream, 0), 0);
    answers!(cx.cudaStreamDestroy(stream), 0);
}

fn streams_that_nobody_made_are_not_destroyed(cx: &Cx) {
    refuses!(cx.cudaStreamDestroy(NULL_STREAM), 400);
    refuses!(cx.cudaStreamDestroy(LEGACY), 400);
    refuses!(cx.cudaStreamDestroy(PER_THREAD), 400);
}

fn streams_that_nobody_made_can_be_asked(cx: &Cx) {
    answers!(cx.cudaStreamQuery(LEGACY), 0);
    answers!(cx.cudaStreamQuery(NULL_STREAM), 0);
    answers!(cx.cudaStreamSynchronize(NULL_STREAM), 0);
}

fn the_stream_of_a_thread_can_be_waited_for(cx: &Cx) {
    answers!(cx.cudaStreamSynchronize(PER_THREAD), 0);
    cx.last(0);
}

fn the_null_stream_is_a_blocking_one(cx: &Cx) {
    let mut flags = 99;
    answers!(cx.cudaStreamGetFlags(NULL_STREAM, &mut flags), 0);
    cx.value("flags", flags, cudaStreamDefault);
}

fn the_legacy_stream_is_the_null_stream(cx: &Cx) {
    let place = cx.word(0, 1);
    cx.delay(LEGACY, 100);
    answers!(cx.cudaStreamQuery(NULL_STREAM), 600);
    cx.store_word(NULL_STREAM, place, 2);
    answers!(cx.cudaStreamSynchronize(LEGACY), 0);
    cx.value("what was stored", cx.read_word(0, place), 2);
}

fn flags_without_a_place(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    refuses!(cx.cudaStreamGetFlags(stream, null_mut()), 1);
}

fn a_stream_has_no_priority_unless_asked(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamDefault);
    let mut priority = 99;
    answers!(cx.cudaStreamGetPriority(stream, &mut priority), 0);
    cx.value("priority", priority, 0);
}

/// The most urgent has the smallest number.
fn priorities_have_a_range(cx: &Cx) {
    let (mut least, mut greatest) = (99, 99);
    answers!(cx.cudaDeviceGetStreamPriorityRange(&mut least, &mut greatest), 0);
    cx.value("least and greatest", (least, greatest), (0, -5));
}

fn a_priority_out_of_range_is_clamped(cx: &Cx) {
    let (mut stream, mut priority) = (null_mut(), 99);
    answers!(cx.cudaStreamCreateWithPriority(&mut stream, cudaStreamNonBlocking, -99), 0);
    answers!(cx.cudaStreamGetPriority(stream, &mut priority), 0);
    cx.value("priority", priority, -5);
    answers!(cx.cudaStreamDestroy(stream), 0);
    let mut stream = null_mut();
    answers!(cx.cudaStreamCreateWithPriority(&mut stream, cudaStreamDefault, -3), 0);
    answers!(cx.cudaStreamGetPriority(stream, &mut priority), 0);
    cx.value("priority", priority, -3);
}

fn priorities_without_places(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamDefault);
    let mut least = 99;
    refuses!(cx.cudaStreamGetPriority(stream, null_mut()), 1);
    answers!(cx.cudaDeviceGetStreamPriorityRange(&mut least, null_mut()), 0);
    cx.last(0);
    cx.value("least", least, 0);
    answers!(cx.cudaStreamQuery(stream), 0);
}

fn a_priority_with_unknown_flags(cx: &Cx) {
    let mut stream = null_mut();
    refuses!(cx.cudaStreamCreateWithPriority(&mut stream, 7, 0), 1);
    refuses!(cx.cudaStreamCreateWithPriority(null_mut(), 0, 0), 1);
    answers!(cx.cudaStreamCreateWithPriority(&mut stream, 0, 0), 0);
    answers!(cx.cudaStreamDestroy(stream), 0);
}

fn number(cx: &Cx, stream: cudaStream_t) -> u64 {
    let mut number = u64::MAX;
    answers!(cx.cudaStreamGetId(stream, &mut number), 0);
    number
}

fn every_stream_has_its_own_number(cx: &Cx) {
    let (first, second) = (cx.stream(0, cudaStreamDefault), cx.stream(0, cudaStreamNonBlocking));
    let numbers = [number(cx, NULL_STREAM), number(cx, first), number(cx, second)];
    cx.holds("all differ", numbers[0] != numbers[1] && numbers[0] != numbers[2] && numbers[1] != numbers[2]);
    cx.holds("it stays the same", number(cx, first) == numbers[1]);
}

fn a_number_without_a_place(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamDefault);
    refuses!(cx.cudaStreamGetId(stream, null_mut()), 1);
    answers!(cx.cudaStreamQuery(stream), 0);
}

fn a_stream_names_its_device(cx: &Cx) {
    let streams = [cx.stream(0, cudaStreamDefault), cx.stream(1, cudaStreamNonBlocking)];
    for (want, stream) in streams.into_iter().enumerate() {
        let mut device = -1;
        answers!(cx.cudaStreamGetDevice(stream, &mut device), 0);
        cx.value("device", device, want as i32);
    }
}

/// Its work goes on, and an event in it is as unfinished as before.
fn a_busy_stream_can_be_destroyed(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamDefault);
    let event = cx.event(0);
    cx.delay(stream, 0);
    must!(cx.cudaStreamSynchronize(stream));
    cx.delay(stream, 300);
    answers!(cx.cudaEventRecord(event, stream), 0);
    answers!(cx.cudaStreamDestroy(stream), 0);
    answers!(cx.cudaEventQuery(event), 600);
    cx.last(0);
    answers!(cx.cudaEventDestroy(event), 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

fn the_null_stream_is_busy_while_a_blocking_stream_is(cx: &Cx) {
    let blocking = cx.stream(0, cudaStreamDefault);
    let other = cx.stream(0, cudaStreamNonBlocking);
    cx.delay(blocking, 0);
    must!(cx.cudaStreamSynchronize(blocking));
    cx.delay(blocking, 300);
    answers!(cx.cudaStreamQuery(blocking), 600);
    cx.last(0);
    answers!(cx.cudaStreamQuery(NULL_STREAM), 600);
    cx.last(0);
    answers!(cx.cudaStreamQuery(other), 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    answers!(cx.cudaStreamQuery(NULL_STREAM), 0);
}

/// Two kernels write one word: the one that was queued last is the one that is seen, though it is the faster.
fn stored_last(cx: &Cx, second: cudaStream_t) -> u32 {
    let place = cx.word(0, 1);
    cx.store_word(second, place, 9);
    cx.synchronize(0);
    cx.store(NULL_STREAM, place, 2, 300);
    cx.store_word(second, place, 3);
    cx.read_word(0, place)
}

fn a_blocking_stream_waits_for_the_null_stream(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamDefault);
    cx.value("what was stored last", stored_last(cx, stream), 3);
}

fn a_non_blocking_stream_does_not_wait_for_the_null_stream(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    cx.value("what was stored last", stored_last(cx, stream), 2);
}

fn a_stream_is_used_in_another_thread(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let place = cx.word(0, 1);
    cx.store(stream, place, 2, 100);
    let (address, wait) = (stream as usize, cx.table.cudaStreamSynchronize);
    // SAFETY: the stream lives until after the thread was joined.
    let there = std::thread::spawn(move || wait.map(|function| unsafe { function(address as _) }.0));
    cx.value("status", there.join().ok().flatten(), Some(0));
    answers!(cx.cudaStreamQuery(stream), 0);
    cx.value("what was stored", cx.read_word(0, place), 2);
}

fn a_stream_is_asked_while_another_device_is_current(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    cx.on(1, || {
        answers!(cx.cudaStreamQuery(stream), 0);
        answers!(cx.cudaStreamSynchronize(stream), 0);
    });
    cx.delay(stream, 200);
    cx.on(1, || {
        answers!(cx.cudaStreamQuery(stream), 600);
        answers!(cx.cudaStreamSynchronize(stream), 0);
        answers!(cx.cudaStreamDestroy(stream), 0);
    });
}
