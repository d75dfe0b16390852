//! Streams, events and host functions: what is ordered, what is not, and what the calls answer. No kernel runs here.

#[macro_use]
mod common;

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use common::{LEGACY, Latch, pair};
use cuda_p2p_sim::counters;
use cuda_p2p_sys::cudaStream_t;

#[test]
fn events_and_streams_of_two_devices() {
    let s = pair();
    let (stream, event) = (s.stream(1, 1), s.event(0));
    assert_eq!(cuda!(s, cudaEventRecord(event, stream)), 400);
    assert_eq!(s.last(), 400);
    assert_eq!(cuda!(s, cudaStreamWaitEvent(stream, event, 0)), 0, "an event that was never recorded");
    assert_eq!(cuda!(s, cudaEventRecord(event, LEGACY)), 0);
    assert_eq!(cuda!(s, cudaStreamWaitEvent(stream, event, 0)), 0);
    s.set_device(1);
    assert_eq!(cuda!(s, cudaEventRecord(event, LEGACY)), 400, "the legacy stream is the current device's");
    s.synchronize();
}

#[test]
fn a_wait_orders_across_devices() {
    let s = pair();
    let (d0, d1) = (s.malloc(0, 4), s.malloc(1, 4));
    s.write(d0, &[1; 4]);
    let (a, b, event) = (s.stream(0, 1), s.stream(1, 1), s.event(0));
    let held = s.hold(a, Latch::leaked());
    assert_eq!(cuda!(s, cudaMemsetAsync(d0, 2, 4, a)), 0);
    assert_eq!(cuda!(s, cudaEventRecord(event, a)), 0);
    assert_eq!(cuda!(s, cudaStreamWaitEvent(b, event, 0)), 0);
    assert_eq!(cuda!(s, cudaMemcpyPeerAsync(d1, 1, d0, 0, 4, b)), 0);
    assert_eq!(cuda!(s, cudaEventQuery(event)), 600);
    assert_eq!(cuda!(s, cudaStreamQuery(b)), 600);
    assert_eq!(cuda!(s, cudaEventDestroy(event)), 0, "the wait outlives the event");
    held.open();
    assert_eq!(cuda!(s, cudaStreamSynchronize(b)), 0);
    assert_eq!(s.read_now(b, d1, 4), [2; 4]);
    assert_eq!(cuda!(s, cudaEventQuery(event)), 400);
}

#[test]
fn the_legacy_stream_and_blocking_streams_wait_for_each_other() {
    let s = pair();
    let (blocking, free) = (s.stream(0, 0), s.stream(0, 1));
    let held = s.hold(blocking, Latch::leaked());
    let place = s.malloc(0, 4);
    assert_eq!(cuda!(s, cudaMemsetAsync(place, 1, 4, LEGACY)), 0);
    assert_eq!(cuda!(s, cudaStreamQuery(LEGACY)), 600);
    let other = s.stream(0, 0);
    assert_eq!(cuda!(s, cudaMemsetAsync(place, 2, 4, other)), 0);
    assert_eq!(
        cuda!(s, cudaStreamQuery(other)),
        600,
        "behind the legacy stream, which is behind the held one"
    );
    assert_eq!(cuda!(s, cudaMemsetAsync(place, 3, 4, free)), 0);
    assert_eq!(cuda!(s, cudaStreamSynchronize(free)), 0);
    s.set_device(1);
    assert_eq!(cuda!(s, cudaStreamQuery(LEGACY)), 0, "the other device's legacy stream is another");
    s.set_device(0);
    assert_eq!(cuda!(s, cudaStreamDestroy(blocking)), 0, "with work in it");
    assert_eq!(cuda!(s, cudaStreamQuery(LEGACY)), 600, "the legacy stream still waits for it");
    held.open();
    s.synchronize();
    assert_eq!(s.read(place, 4), [2; 4]);
}

#[test]
fn elapsed_time_wants_two_recorded_events_with_timing() {
    let s = pair();
    let (start, end, mut ms) = (s.event(0), s.event(0), -1.0);
    let stream = s.stream(0, 1);
    assert_eq!(cuda!(s, cudaEventElapsedTime(&mut ms, start, end)), 400, "never recorded");
    assert_eq!(cuda!(s, cudaEventRecord(start, stream)), 0);
    let held = s.hold(stream, Latch::leaked());
    assert_eq!(cuda!(s, cudaEventRecord(end, stream)), 0);
    assert_eq!(cuda!(s, cudaEventElapsedTime(&mut ms, start, end)), 600);
    held.open();
    assert_eq!(cuda!(s, cudaEventSynchronize(end)), 0);
    assert_eq!(cuda!(s, cudaEventElapsedTime(&mut ms, start, end)), 0);
    assert!(ms >= 0.0);
    let mut untimed = ptr::null_mut();
    assert_eq!(cuda!(s, cudaEventCreateWithFlags(&mut untimed, 2)), 0);
    assert_eq!(cuda!(s, cudaEventRecord(untimed, stream)), 0);
    assert_eq!(cuda!(s, cudaEventElapsedTime(&mut ms, start, untimed)), 400);
    assert_eq!(cuda!(s, cudaEventCreateWithFlags(&mut untimed, 8)), 1);
    assert_eq!(cuda!(s, cudaEventCreateWithFlags(&mut untimed, 4)), 1, "interprocess events have no timing");
}

static ANSWER: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn call_from_host_function(table: *mut c_void) {
    // SAFETY: the test passes the runtime's table, which is static.
    let table = unsafe { &*table.cast::<cuda_p2p_sys::CudaRuntime>() };
    // SAFETY: the call has no arguments.
    let status = unsafe { table.cudaDeviceSynchronize.expect("present")() };
    ANSWER.store(status.0, Ordering::SeqCst);
}

#[test]
fn a_host_function_may_not_call_the_runtime() {
    let s = pair();
    let data = ptr::from_ref(s.table).cast_mut().cast();
    assert_eq!(cuda!(s, cudaLaunchHostFunc(LEGACY, Some(call_from_host_function), data)), 0);
    s.synchronize();
    assert_eq!(ANSWER.load(Ordering::SeqCst), 800);
    assert_eq!(cuda!(s, cudaLaunchHostFunc(LEGACY, None, data)), 1);
}

#[test]
fn handles_go_stale() {
    let s = pair();
    let (stream, event) = (s.stream(1, 0), s.event(1));
    assert_eq!(cuda!(s, cudaStreamQuery(event.cast())), 400, "a handle of another kind");
    assert_eq!(cuda!(s, cudaStreamQuery(ptr::without_provenance_mut(0x1000))), 400);
    assert_eq!(cuda!(s, cudaStreamDestroy(LEGACY)), 400);
    let legacy: cudaStream_t = ptr::without_provenance_mut(1);
    let per_thread: cudaStream_t = ptr::without_provenance_mut(2);
    assert_eq!(cuda!(s, cudaStreamQuery(legacy)), 0);
    assert_eq!(cuda!(s, cudaStreamQuery(per_thread)), 801);
    s.set_device(1);
    assert_eq!(counters().streams, 1);
    assert_eq!(cuda!(s, cudaDeviceReset()), 0);
    assert_eq!(cuda!(s, cudaStreamQuery(stream)), 400);
    assert_eq!(cuda!(s, cudaEventQuery(event)), 400);
    assert_eq!((counters().streams, counters().events), (0, 0));
    let second = s.stream(1, 0);
    assert_ne!(second, stream, "a number is never given twice");
}

#[test]
fn facts_of_a_stream() {
    let s = pair();
    let (mut stream, mut priority, mut flags, mut device) = (ptr::null_mut(), 9, 9, 9);
    assert_eq!(cuda!(s, cudaStreamCreateWithFlags(&mut stream, 2)), 1);
    assert_eq!(cuda!(s, cudaStreamCreate(ptr::null_mut())), 1);
    s.set_device(1);
    assert_eq!(cuda!(s, cudaStreamCreateWithPriority(&mut stream, 1, -99)), 0);
    s.set_device(0);
    assert_eq!(cuda!(s, cudaStreamGetPriority(stream, &mut priority)), 0);
    assert_eq!(cuda!(s, cudaStreamGetFlags(stream, &mut flags)), 0);
    assert_eq!(cuda!(s, cudaStreamGetDevice(stream, &mut device)), 0);
    assert_eq!((priority, flags, device), (-5, 1, 1));
}
