//! A thread that made itself relaxed while another one captures a stream in global mode, as a library may do: what its calls
//! answer, and whether the capture survives them. Waiting for the device is in `capture_device`.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use cuda_p2p_sys::{
    cudaMemcpyKind, cudaStream_t, cudaStreamCaptureMode, cudaStreamDefault, cudaStreamNonBlocking,
};

use super::capture_state::GLOBAL;
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(allocating, ONE),
    case!(freeing, ONE),
    case!(allocating_pinned_memory, ONE),
    case!(freeing_pinned_memory, ONE),
    case!(registering_host_memory, ONE),
    case!(waiting_for_a_stream, ONE),
    case!(waiting_for_the_null_stream, ONE),
    case!(asking_a_stream, ONE),
    case!(asking_the_null_stream, ONE),
    case!(asking_an_event, ONE),
    case!(waiting_for_an_event, ONE),
    case!(enabling_and_disabling, PEERS),
    case!(a_blocking_copy, ONE),
    case!(a_blocking_peer_copy, TWO),
    case!(a_blocking_memset, ONE),
    case!(an_asynchronous_peer_copy, TWO),
    case!(destroying_a_stream, ONE),
    case!(trimming_a_pool, ONE.pools()),
    case!(pool_memory_comes_and_goes, ONE.pools()),
];

pub(super) const RELAXED: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed;

/// Another thread that captures a stream in global mode.
pub(super) struct Library {
    stream: cudaStream_t,
    go_on: mpsc::Sender<()>,
    thread: JoinHandle<Option<u32>>,
}

impl Library {
    /// Has it begin with a new stream of `device`.
    pub(super) fn captures(cx: &Cx, device: i32, flags: u32, mode: cudaStreamCaptureMode) -> Self {
        let stream = cx.stream(device, flags);
        must!(cx.cudaDeviceSynchronize());
        let (address, begin, end) =
            (stream as usize, cx.table.cudaStreamBeginCapture, cx.table.cudaStreamEndCapture);
        let (begun, has_begun) = mpsc::channel();
        let (go_on, may_end) = mpsc::channel();
        let thread = thread::spawn(move || {
            // SAFETY: the stream lives until after the thread was joined.
            begun.send(begin.map(|function| unsafe { function(address as _, mode) }.0)).ok()?;
            may_end.recv().ok()?;
            let mut graph = null_mut();
            // SAFETY: as above, and a place for a handle.
            end.map(|function| unsafe { function(address as _, &mut graph) }.0)
        });
        cx.value("the other thread begins", has_begun.recv().ok().flatten(), Some(0));
        Self { stream, go_on, thread }
    }

    /// Has it end, which tells whether the capture was whole.
    pub(super) fn ends(self, cx: &Cx, whole: bool) {
        let Self { stream, go_on, thread } = self;
        let ended = go_on.send(()).ok().and_then(|()| thread.join().ok().flatten());
        cx.value("the other thread ends", ended, Some(if whole { 0 } else { 901 }));
        must!(cx.cudaStreamDestroy(stream));
    }
}

pub(super) fn exchange(cx: &Cx, mode: cudaStreamCaptureMode) {
    let mut mode = mode;
    must!(cx.cudaThreadExchangeStreamCaptureMode(&mut mode));
}

/// Makes the calls beside a capture of a non-blocking stream, then of a blocking one, which the null stream would wait for. Each
/// time they are given the kind of that stream and answer whether the capture must have survived them.
pub(super) fn beside(cx: &Cx, calls: impl Fn(u32) -> bool) {
    for flags in [cudaStreamNonBlocking, cudaStreamDefault] {
        let library = Library::captures(cx, 0, flags, GLOBAL);
        exchange(cx, RELAXED);
        let survives = calls(flags);
        cx.last(0);
        exchange(cx, GLOBAL);
        library.ends(cx, survives);
    }
}

/// 0 beside a non-blocking stream; beside a blocking one error 906, since the null stream would have to wait for it.
fn through_the_null_stream(flags: u32) -> u32 {
    if flags == cudaStreamNonBlocking { 0 } else { 906 }
}

fn allocating(cx: &Cx) {
    beside(cx, |_| {
        let mut pointer = null_mut();
        answers!(cx.cudaMalloc(&mut pointer, 64), 0);
        true
    });
}

fn freeing(cx: &Cx) {
    let places = [cx.malloc(0, 64), cx.malloc(0, 64)];
    let next = std::cell::Cell::new(0);
    beside(cx, |_| {
        let place = places[next.replace(1)];
        answers!(cx.cudaFree(place), 0);
        true
    });
}

fn allocating_pinned_memory(cx: &Cx) {
    beside(cx, |_| {
        let mut pointer = null_mut();
        answers!(cx.cudaHostAlloc(&mut pointer, 64, 0), 0);
        true
    });
}

fn freeing_pinned_memory(cx: &Cx) {
    let places = [0, 1].map(|_| {
        let mut place = null_mut();
        must!(cx.cudaMallocHost(&mut place, 64));
        place
    });
    let next = std::cell::Cell::new(0);
    beside(cx, |_| {
        let place = places[next.replace(1)];
        answers!(cx.cudaFreeHost(place), 0);
        true
    });
}

fn registering_host_memory(cx: &Cx) {
    let mut bytes = vec![0_u64; 2048];
    let place: *mut c_void = bytes.as_mut_ptr().cast();
    beside(cx, |_| {
        answers!(cx.cudaHostRegister(place, 16384, 0), 0);
        answers!(cx.cudaHostUnregister(place), 0);
        true
    });
}

fn waiting_for_a_stream(cx: &Cx) {
    let other = cx.stream(0, cudaStreamNonBlocking);
    beside(cx, |_| {
        answers!(cx.cudaStreamSynchronize(other), 0);
        true
    });
}

fn waiting_for_the_null_stream(cx: &Cx) {
    beside(cx, |flags| {
        let code = through_the_null_stream(flags);
        refuses!(cx.cudaStreamSynchronize(NULL_STREAM), code);
        code == 0
    });
}

fn asking_a_stream(cx: &Cx) {
    let other = cx.stream(0, cudaStreamNonBlocking);
    beside(cx, |_| {
        answers!(cx.cudaStreamQuery(other), 0);
        true
    });
}

fn asking_the_null_stream(cx: &Cx) {
    beside(cx, |flags| {
        let code = through_the_null_stream(flags);
        refuses!(cx.cudaStreamQuery(NULL_STREAM), code);
        code == 0
    });
}

fn asking_an_event(cx: &Cx) {
    let (other, event) = (cx.stream(0, cudaStreamNonBlocking), cx.event(0));
    must!(cx.cudaEventRecord(event, other));
    beside(cx, |_| {
        answers!(cx.cudaEventQuery(event), 0);
        true
    });
}

fn waiting_for_an_event(cx: &Cx) {
    let (other, event) = (cx.stream(0, cudaStreamNonBlocking), cx.event(0));
    must!(cx.cudaEventRecord(event, other));
    beside(cx, |_| {
        answers!(cx.cudaEventSynchronize(event), 0);
        true
    });
}

fn enabling_and_disabling(cx: &Cx) {
    beside(cx, |_| {
        answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
        refuses!(cx.cudaDeviceEnablePeerAccess(1, 0), 704);
        answers!(cx.cudaDeviceDisablePeerAccess(1), 0);
        refuses!(cx.cudaDeviceDisablePeerAccess(1), 705);
        true
    });
}

fn a_blocking_copy(cx: &Cx) {
    let (place, source) = (cx.filled(0, &[1; 64]), cx.filled(0, &[2; 64]));
    let mut host = [0_u8; 64];
    let page = host.as_mut_ptr().cast::<c_void>();
    beside(cx, |flags| {
        let code = through_the_null_stream(flags);
        refuses!(cx.cudaMemcpy(place, source, 16, cudaMemcpyKind::cudaMemcpyDeviceToDevice), code);
        refuses!(cx.cudaMemcpy(page, source, 64, cudaMemcpyKind::cudaMemcpyDeviceToHost), code);
        code == 0
    });
    cx.value("what was copied", cx.read(0, place, 64), [[2; 16], [1; 16], [1; 16], [1; 16]].concat());
}

fn a_blocking_peer_copy(cx: &Cx) {
    let (ours, theirs) = (cx.filled(0, &[2; 16]), cx.filled(1, &[1; 16]));
    beside(cx, |flags| {
        let code = through_the_null_stream(flags);
        refuses!(cx.cudaMemcpyPeer(theirs, 1, ours, 0, 16), code);
        code == 0
    });
    cx.value("what was copied", cx.read(1, theirs, 16), vec![2; 16]);
}

fn a_blocking_memset(cx: &Cx) {
    let place = cx.filled(0, &[1; 16]);
    beside(cx, |flags| {
        let code = through_the_null_stream(flags);
        refuses!(cx.cudaMemset(place, 2, 16), code);
        code == 0
    });
    cx.value("what was set", cx.read(0, place, 16), vec![2; 16]);
}

fn an_asynchronous_peer_copy(cx: &Cx) {
    let (ours, theirs) = (cx.filled(0, &[2; 16]), cx.filled(1, &[1; 16]));
    let other = cx.stream(0, cudaStreamNonBlocking);
    beside(cx, |_| {
        answers!(cx.cudaMemcpyPeerAsync(theirs, 1, ours, 0, 16, other), 0);
        true
    });
    cx.value("what was copied", cx.read(1, theirs, 16), vec![2; 16]);
}

fn destroying_a_stream(cx: &Cx) {
    let streams = [cx.stream(0, cudaStreamNonBlocking), cx.stream(0, cudaStreamDefault)];
    let next = std::cell::Cell::new(0);
    beside(cx, |_| {
        let other = streams[next.replace(1)];
        answers!(cx.cudaStreamDestroy(other), 0);
        true
    });
}

fn trimming_a_pool(cx: &Cx) {
    let mut pool = null_mut();
    must!(cx.cudaDeviceGetDefaultMemPool(&mut pool, 0));
    beside(cx, |_| {
        answers!(cx.cudaMemPoolTrimTo(pool, 0), 0);
        true
    });
}

fn pool_memory_comes_and_goes(cx: &Cx) {
    let other = cx.stream(0, cudaStreamNonBlocking);
    beside(cx, |_| {
        let mut pointer = null_mut();
        answers!(cx.cudaMallocAsync(&mut pointer, 64, other), 0);
        answers!(cx.cudaFreeAsync(pointer, other), 0);
        true
    });
}
