//! Capture and graphs: what a captured stream takes, what invalidates a capture, and what a launch replays.

#[macro_use]
mod common;

use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use common::{D2D, DEFAULT, LEGACY, Latch, Session, pair};
use cuda_p2p_sim::{Counters, counters};
use cuda_p2p_sys::{cudaGraph_t, cudaStream_t, cudaStreamCaptureMode, cudaStreamCaptureStatus};

const GLOBAL: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeGlobal;
const THREAD_LOCAL: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeThreadLocal;
const RELAXED: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed;

fn begin(s: &Session, mode: cudaStreamCaptureMode) -> cudaStream_t {
    let stream = s.stream(0, 1);
    assert_eq!(cuda!(s, cudaStreamBeginCapture(stream, mode)), 0);
    stream
}

fn end(s: &Session, stream: cudaStream_t) -> (u32, cudaGraph_t) {
    let mut graph = ptr::dangling_mut();
    (cuda!(s, cudaStreamEndCapture(stream, &mut graph)), graph)
}

fn status(s: &Session, stream: cudaStream_t) -> u32 {
    let mut status = cudaStreamCaptureStatus(9);
    assert_eq!(cuda!(s, cudaStreamIsCapturing(stream, &mut status)), 0);
    status.0
}

#[test]
fn enabling_peers_ends_a_global_capture() {
    let s = pair();
    let stream = begin(&s, GLOBAL);
    assert_eq!(status(&s, stream), 1);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 900);
    assert_eq!(s.last(), 900);
    assert_eq!(status(&s, stream), 2);
    assert_eq!(end(&s, stream), (901, ptr::null_mut()));
    assert_eq!(status(&s, stream), 0);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0, "it had not been enabled");
}

#[test]
fn a_peer_copy_ends_a_capture() {
    let s = pair();
    let (d0, d1) = (s.malloc(0, 4), s.malloc(1, 4));
    let stream = begin(&s, RELAXED);
    assert_eq!(cuda!(s, cudaMemcpyPeerAsync(d1, 1, d0, 0, 4, stream)), 900);
    assert_eq!(cuda!(s, cudaMemsetAsync(d0, 0, 4, stream)), 901);
    assert_eq!(end(&s, stream).0, 901);
}

#[test]
fn the_mode_says_whose_calls_are_refused() {
    let s = pair();
    let mut place = ptr::null_mut();
    for (mode, own, others) in [(GLOBAL, 900, 900), (THREAD_LOCAL, 900, 0), (RELAXED, 0, 0)] {
        let stream = begin(&s, mode);
        let elsewhere = std::thread::scope(|scope| {
            let call = || {
                let mut place = ptr::null_mut();
                cuda!(s, cudaMalloc(&mut place, 4))
            };
            scope.spawn(call).join().expect("the thread")
        });
        assert_eq!(elsewhere, others, "{mode:?}, another thread");
        assert_eq!(cuda!(s, cudaMalloc(&mut place, 4)), own, "{mode:?}");
        assert_eq!(end(&s, stream).0, if own == 0 { 0 } else { 901 });
    }
    let stream = begin(&s, GLOBAL);
    let mut mode = RELAXED;
    assert_eq!(cuda!(s, cudaThreadExchangeStreamCaptureMode(&mut mode)), 0);
    assert_eq!(mode, GLOBAL);
    assert_eq!(cuda!(s, cudaMalloc(&mut place, 4)), 0, "the thread said that it knows what it does");
    assert_eq!(end(&s, stream).0, 0);
}

#[test]
fn wrong_ends() {
    let s = pair();
    assert_eq!(cuda!(s, cudaStreamBeginCapture(LEGACY, GLOBAL)), 900);
    assert_eq!(end(&s, s.stream(0, 1)).0, 401, "not captured");
    let stream = begin(&s, THREAD_LOCAL);
    assert_eq!(cuda!(s, cudaStreamBeginCapture(stream, GLOBAL)), 401, "captured already");
    let stream_number = stream.addr();
    let elsewhere = std::thread::scope(|scope| {
        let call = || {
            let mut graph = ptr::null_mut();
            cuda!(s, cudaStreamEndCapture(ptr::without_provenance_mut(stream_number), &mut graph))
        };
        scope.spawn(call).join().expect("the thread")
    });
    assert_eq!(elsewhere, 908);
    assert_eq!(status(&s, stream), 0, "and the capture is over");
    let stream = begin(&s, GLOBAL);
    let (forked, event) = (s.stream(1, 1), s.event(0));
    assert_eq!(cuda!(s, cudaEventRecord(event, stream)), 0);
    assert_eq!(cuda!(s, cudaStreamWaitEvent(forked, event, 0)), 0);
    assert_eq!(status(&s, forked), 1);
    assert_eq!(end(&s, forked).0, 903);
    assert_eq!(status(&s, stream), 2, "the wrong end has invalidated it");
    assert_eq!(end(&s, stream).0, 901);
}

#[test]
fn forks_must_be_joined_and_outsiders_kept_out() {
    let s = pair();
    let d1 = s.malloc(1, 4);
    let (forked, first, second) = (s.stream(1, 1), s.event(0), s.event(1));
    for joined in [false, true] {
        let stream = begin(&s, GLOBAL);
        assert_eq!(cuda!(s, cudaEventRecord(first, stream)), 0);
        assert_eq!(cuda!(s, cudaStreamWaitEvent(forked, first, 0)), 0);
        assert_eq!(cuda!(s, cudaMemsetAsync(d1, 1, 4, forked)), 0);
        if joined {
            assert_eq!(cuda!(s, cudaEventRecord(second, forked)), 0);
            assert_eq!(cuda!(s, cudaStreamWaitEvent(stream, second, 0)), 0);
        }
        let (status, graph) = end(&s, stream);
        assert_eq!(status, if joined { 0 } else { 904 });
        if joined {
            let mut nodes = 0;
            assert_eq!(cuda!(s, cudaGraphGetNodes(graph, ptr::null_mut(), &mut nodes)), 0);
            assert_eq!(nodes, 1);
            assert_eq!(cuda!(s, cudaGraphDestroy(graph)), 0);
            assert_eq!(cuda!(s, cudaGraphDestroy(graph)), 1);
        }
    }
    let outside = s.event(1);
    assert_eq!(cuda!(s, cudaEventRecord(outside, forked)), 0);
    let stream = begin(&s, GLOBAL);
    assert_eq!(cuda!(s, cudaStreamWaitEvent(stream, outside, 0)), 905);
    assert_eq!(end(&s, stream).0, 901);
    assert_eq!(cuda!(s, cudaEventQuery(first)), 907);
}

#[test]
fn the_legacy_stream_cannot_wait_for_a_captured_one() {
    let s = pair();
    let d0 = s.malloc(0, 4);
    let blocking = s.stream(0, 0);
    assert_eq!(cuda!(s, cudaStreamBeginCapture(blocking, RELAXED)), 0);
    assert_eq!(cuda!(s, cudaMemsetAsync(d0, 0, 4, LEGACY)), 906);
    assert_eq!(end(&s, blocking).0, 901);
}

static CALLS: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn count(_: *mut std::ffi::c_void) {
    CALLS.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn a_graph_replays_what_was_captured_and_nothing_runs_before() {
    let s = pair();
    let (d0, d1) = (s.malloc(0, 4), s.malloc(1, 4));
    let kernel = s.kernel(c"store");
    let stream = begin(&s, GLOBAL);
    let args = [common::kernels::arg(&d0), common::kernels::arg(&0x0403_0201_u32)];
    assert_eq!(s.launch(kernel, (1, 1), stream, &args), 0);
    assert_eq!(cuda!(s, cudaMemcpyAsync(d1, d0, 4, D2D, stream)), 0);
    assert_eq!(cuda!(s, cudaLaunchHostFunc(stream, Some(count), ptr::null_mut())), 0);
    let (status, graph) = end(&s, stream);
    assert_eq!(status, 0);
    let (mut exec, before) = (ptr::null_mut(), CALLS.load(Ordering::SeqCst));
    assert_eq!(cuda!(s, cudaGraphInstantiateWithFlags(&mut exec, graph, 0)), 0);
    assert_eq!(cuda!(s, cudaGraphDestroy(graph)), 0, "the executable graph has its own nodes");
    for round in 1..=3 {
        s.write(d1, &[0; 4]);
        s.synchronize();
        let held = s.hold(stream, Latch::leaked());
        assert_eq!(cuda!(s, cudaGraphLaunch(exec, stream)), 0);
        assert_eq!(CALLS.load(Ordering::SeqCst), before + round - 1, "it waits for its stream");
        held.open();
        assert_eq!(cuda!(s, cudaStreamSynchronize(stream)), 0);
        assert_eq!(CALLS.load(Ordering::SeqCst), before + round);
        assert_eq!(s.read(d1, 4), [1, 2, 3, 4]);
    }
    assert_eq!(cuda!(s, cudaGraphExecDestroy(exec)), 0);
    assert_eq!(cuda!(s, cudaGraphLaunch(exec, stream)), 1);
    let Counters { graphs, graph_execs, operations, .. } = counters();
    assert_eq!((graphs, graph_execs, operations), (0, 0, 0));
}

/// On hardware that goes well in some runs, and not in others.
#[test]
fn a_way_that_was_closed_and_opened_again_is_not_taken() {
    let s = pair();
    let (d0, d1) = (s.malloc(0, 4), s.malloc(1, 4));
    s.set_device(0);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
    let stream = begin(&s, RELAXED);
    assert_eq!(cuda!(s, cudaMemcpyAsync(d1, d0, 4, D2D, stream)), 0);
    let (status, graph) = end(&s, stream);
    assert_eq!(status, 0);
    let mut exec = ptr::null_mut();
    assert_eq!(cuda!(s, cudaGraphInstantiateWithFlags(&mut exec, graph, 0)), 0);
    assert_eq!(cuda!(s, cudaGraphLaunch(exec, stream)), 0);
    assert_eq!(cuda!(s, cudaStreamSynchronize(stream)), 0);
    assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess(1)), 0);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
    assert_eq!(cuda!(s, cudaGraphLaunch(exec, stream)), 0);
    assert_eq!(cuda!(s, cudaStreamSynchronize(stream)), 719);
    let text = cuda_p2p_sim::last_fault().expect("a fault").to_string();
    assert!(text.contains("has been disabled since"), "{text}");
}

#[test]
fn beside_a_capture_of_a_non_blocking_stream() {
    let s = pair();
    let (p, stream) = (s.malloc(0, 64), s.stream(0, 1));
    for (call, status) in [(0, 1), (1, 1), (2, 1), (3, 2)] {
        assert_eq!(cuda!(s, cudaStreamBeginCapture(stream, GLOBAL)), 0);
        let answer = match call {
            0 => cuda!(s, cudaMemset(p, 1, 4)),
            1 => cuda!(s, cudaMemcpyPeer(p, 0, p.wrapping_byte_add(8), 0, 4)),
            2 => cuda!(s, cudaMemsetAsync(p, 1, 4, LEGACY)),
            _ => cuda!(s, cudaStreamQuery(LEGACY)),
        };
        assert_eq!(answer, if status == 1 { 0 } else { 900 }, "call {call}");
        let (mut seen, mut graph) = (cudaStreamCaptureStatus(9), ptr::null_mut());
        assert_eq!(cuda!(s, cudaStreamIsCapturing(stream, &mut seen)), 0);
        assert_eq!(seen.0, status, "call {call}");
        cuda!(s, cudaStreamEndCapture(stream, &mut graph));
    }
    assert_eq!(cuda!(s, cudaStreamBeginCapture(stream, GLOBAL)), 0);
    assert_eq!(cuda!(s, cudaStreamEndCapture(stream, ptr::null_mut())), 0, "the graph is lost");
    assert_eq!(cuda!(s, cudaStreamBeginCapture(stream, GLOBAL)), 0);
    assert_eq!(cuda!(s, cudaDeviceReset()), 0, "a reset ends the capture with its stream");
    assert_eq!(cuda!(s, cudaDeviceSynchronize()), 0);
}

#[test]
fn what_a_capture_allows() {
    let s = pair();
    let (p, stream, other, event) = (s.malloc(0, 4096), s.stream(0, 0), s.stream(0, 0), s.event(0));
    let outside = s.event(0);
    let behind = p.wrapping_byte_add(64);
    let mut place = ptr::null_mut();
    let mut can = 0;
    let try_it = |what: &str, code: u32, valid: bool, call: &mut dyn FnMut() -> u32| {
        assert_eq!(cuda!(s, cudaStreamBeginCapture(stream, GLOBAL)), 0);
        assert_eq!(call(), code, "{what}");
        let (mut status, mut graph) = (cudaStreamCaptureStatus(9), ptr::null_mut());
        assert_eq!(cuda!(s, cudaStreamIsCapturing(stream, &mut status)), 0);
        assert_eq!(status.0, if valid { 1 } else { 2 }, "{what}");
        let end = cuda!(s, cudaStreamEndCapture(stream, &mut graph));
        assert_eq!(end, if valid { 0 } else { 901 }, "{what}");
    };
    try_it("malloc", 900, false, &mut || cuda!(s, cudaMalloc(&mut place, 64)));
    try_it("free of null", 900, false, &mut || cuda!(s, cudaFree(ptr::null_mut())));
    try_it("blocking copy", 906, false, &mut || cuda!(s, cudaMemcpy(p, behind, 16, D2D)));
    try_it("query an event", 900, false, &mut || cuda!(s, cudaEventQuery(outside)));
    try_it("blocking fill", 906, false, &mut || cuda!(s, cudaMemset(p, 0, 4)));
    try_it("peer copy", 906, false, &mut || cuda!(s, cudaMemcpyPeer(p, 0, behind, 0, 16)));
    try_it("synchronize the device", 900, false, &mut || cuda!(s, cudaDeviceSynchronize()));
    try_it("synchronize the stream", 900, false, &mut || cuda!(s, cudaStreamSynchronize(stream)));
    try_it("synchronize another", 900, false, &mut || cuda!(s, cudaStreamSynchronize(other)));
    try_it("query the legacy stream", 906, false, &mut || cuda!(s, cudaStreamQuery(LEGACY)));
    try_it("query the stream", 900, false, &mut || cuda!(s, cudaStreamQuery(stream)));
    try_it("fill on the legacy stream", 906, false, &mut || cuda!(s, cudaMemsetAsync(p, 0, 4, LEGACY)));
    try_it("fill on another", 0, true, &mut || cuda!(s, cudaMemsetAsync(p, 0, 4, other)));
    try_it("enable", 900, false, &mut || cuda!(s, cudaDeviceEnablePeerAccess(1, 0)));
    try_it("disable", 900, false, &mut || cuda!(s, cudaDeviceDisablePeerAccess(1)));
    try_it("ask for access", 0, true, &mut || cuda!(s, cudaDeviceCanAccessPeer(&mut can, 0, 1)));
    try_it("peer copy on the stream", 900, false, &mut || {
        cuda!(s, cudaMemcpyPeerAsync(p, 0, behind, 0, 16, stream))
    });
    try_it("a copy that is refused", 1, true, &mut || {
        cuda!(s, cudaMemcpyAsync(p, behind, 9999, DEFAULT, stream))
    });
    try_it("query a captured event", 907, false, &mut || {
        assert_eq!(cuda!(s, cudaEventRecord(event, stream)), 0);
        cuda!(s, cudaEventQuery(event))
    });
    s.synchronize();
}
