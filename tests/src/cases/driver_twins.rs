//! The driver's twins of the calls that put most work into streams: `cuMemcpyAsync`, `cuLaunchKernel`, `cuEventRecord`. They take
//! the device from the stream, whichever is current, and need no context on the thread; they leave the thread's last error alone.
//!
//! Addresses that are no memory of the machine's are not asked for: hardware's library takes them for host memory, and the process
//! ends.

use std::ffi::c_void;
use std::mem::transmute;
use std::ptr::null_mut;

use cuda_p2p_sys::driver::{
    CuEvent, CuFunction, CuStream, EVENT_RECORD, EventRecord, LAUNCH_KERNEL, LaunchKernel, MEMCPY_ASYNC,
    MemcpyAsync,
};
use cuda_p2p_sys::{cudaEvent_t, cudaKernel_t, cudaStream_t, cudaStreamCaptureMode, cudaStreamNonBlocking};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must};
use crate::driver::address;
use crate::kernels::DelayedStore;
use crate::needs::{Needs, ONE, PEERS, TWO};

pub(super) const CASES: &[Case] = &[
    case!(with_the_streams_device_current, HANDLES),
    case!(with_another_device_current, TWO.kernel_handles()),
    case!(on_a_thread_without_a_context, HANDLES),
    case!(with_an_error_pending, HANDLES),
    case!(what_they_refuse_leaves_no_error, HANDLES),
    case!(into_a_captured_stream, HANDLES),
    case!(an_event_of_another_device, TWO.since(12, 5)),
    case!(a_copy_from_a_peer, PEERS.since(12, 5)),
    case!(a_copy_from_a_device_without_access, TWO.since(12, 5)),
    case!(after_a_fault, HANDLES).poisons(),
];

const HANDLES: Needs = ONE.kernel_handles();

/// The three functions.
#[derive(Clone, Copy)]
struct Twins {
    copy: MemcpyAsync,
    launch: LaunchKernel,
    record: EventRecord,
}

/// A stream, an event, a kernel that stores, and three words of one device: the copy goes from the first to the second, and the
/// kernel stores into the third.
#[derive(Clone, Copy)]
struct Work {
    twins: Twins,
    stream: cudaStream_t,
    event: cudaEvent_t,
    kernel: cudaKernel_t,
    words: [*mut c_void; 3],
}

// SAFETY: handles and addresses, for functions that any thread may call.
unsafe impl Send for Work {}

fn twins(cx: &Cx) -> Twins {
    let [copy, launch, record] = [MEMCPY_ASYNC, LAUNCH_KERNEL, EVENT_RECORD]
        .map(|entry| address(cx.table, entry).expect("every driver has it"));
    // SAFETY: each was asked for by the name and the version of that signature.
    unsafe {
        Twins {
            copy: transmute::<*mut c_void, MemcpyAsync>(copy),
            launch: transmute::<*mut c_void, LaunchKernel>(launch),
            record: transmute::<*mut c_void, EventRecord>(record),
        }
    }
}

impl Twins {
    fn copy(&self, to: *mut c_void, from: *mut c_void, stream: cudaStream_t) -> u32 {
        // SAFETY: both are words of devices.
        unsafe { (self.copy)(to.addr() as u64, from.addr() as u64, 4, CuStream(stream.cast())) }.0
    }

    fn record(&self, event: cudaEvent_t, stream: cudaStream_t) -> u32 {
        // SAFETY: live handles.
        unsafe { (self.record)(CuEvent(event.cast()), CuStream(stream.cast())) }.0
    }
}

impl Work {
    fn new(cx: &Cx) -> Self {
        Self {
            twins: twins(cx),
            stream: cx.stream(0, cudaStreamNonBlocking),
            event: cx.event(0),
            kernel: cx.kernel(c"cuda_p2p_delayed_store"),
            words: [1, 2, 3].map(|value| cx.word(0, value)),
        }
    }

    /// A store of seven into the third word, by so many threads.
    fn launch(&self, threads: u32) -> u32 {
        let mut store = DelayedStore::new(self.words[2], 7, 0);
        let mut arguments = store.arguments();
        let (function, stream) = (CuFunction(self.kernel.cast()), CuStream(self.stream.cast()));
        let arguments = arguments.as_mut_ptr();
        // SAFETY: a kernel that was found, and an argument for each of its parameters.
        unsafe { (self.twins.launch)(function, 1, 1, 1, threads, 1, 1, 0, stream, arguments, null_mut()) }.0
    }

    /// What the three answer: copy, launch, record.
    fn put(&self) -> [u32; 3] {
        [
            self.twins.copy(self.words[1], self.words[0], self.stream),
            self.launch(1),
            self.twins.record(self.event, self.stream),
        ]
    }

    /// All of it is done, and done right.
    fn check(&self, cx: &Cx) {
        must!(cx.cudaStreamSynchronize(self.stream));
        answers!(cx.cudaEventQuery(self.event), 0);
        cx.value("words", self.words.map(|word| cx.read_word(0, word)), [1, 1, 7]);
    }
}

fn with_the_streams_device_current(cx: &Cx) {
    let work = Work::new(cx);
    cx.value("cuMemcpyAsync, cuLaunchKernel, cuEventRecord", work.put(), [0; 3]);
    cx.last(0);
    work.check(cx);
}

fn with_another_device_current(cx: &Cx) {
    let work = Work::new(cx);
    cx.on(1, || {
        must!(cx.cudaFree(null_mut()));
        cx.value("cuMemcpyAsync, cuLaunchKernel, cuEventRecord", work.put(), [0; 3]);
        let mut device = -1;
        answers!(cx.cudaGetDevice(&mut device), 0);
        cx.value("device", device, 1);
    });
    work.check(cx);
}

fn on_a_thread_without_a_context(cx: &Cx) {
    let work = Work::new(cx);
    let there = std::thread::spawn(move || {
        let work = work;
        work.put()
    });
    let answered = there.join().expect("it does not panic");
    cx.value("cuMemcpyAsync, cuLaunchKernel, cuEventRecord, on a new thread", answered, [0; 3]);
    work.check(cx);
}

fn with_an_error_pending(cx: &Cx) {
    let work = Work::new(cx);
    answers!(cx.cudaSetDevice(99), 101);
    cx.value("cuMemcpyAsync, cuLaunchKernel, cuEventRecord", work.put(), [0; 3]);
    answers!(cx.cudaPeekAtLastError(), 101);
    cx.value("cuLaunchKernel with 5000 threads", work.launch(5000), 1);
    cx.last(101);
    work.check(cx);
}

fn what_they_refuse_leaves_no_error(cx: &Cx) {
    let work = Work::new(cx);
    cx.value("cuLaunchKernel with 5000 threads", work.launch(5000), 1);
    cx.last(0);
    cx.value("cuMemcpyAsync, cuLaunchKernel, cuEventRecord", work.put(), [0; 3]);
    work.check(cx);
}

/// They are recorded, and run when the graph does.
fn into_a_captured_stream(cx: &Cx) {
    let work = Work::new(cx);
    must!(cx.cudaDeviceSynchronize());
    let (mut graph, mut exec, mut nodes) = (null_mut(), null_mut(), 0);
    must!(cx.cudaStreamBeginCapture(work.stream, cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed));
    cx.value("cuMemcpyAsync, cuLaunchKernel, cuEventRecord", work.put(), [0; 3]);
    answers!(cx.cudaStreamEndCapture(work.stream, &mut graph), 0);
    must!(cx.cudaGraphGetNodes(graph, null_mut(), &mut nodes));
    cx.value("nodes", nodes, 2);
    cx.value("words, before a launch", work.words.map(|word| cx.read_word(0, word)), [1, 2, 3]);
    must!(cx.cudaGraphInstantiateWithFlags(&mut exec, graph, 0));
    must!(cx.cudaGraphLaunch(exec, work.stream));
    must!(cx.cudaStreamSynchronize(work.stream));
    cx.value("words", work.words.map(|word| cx.read_word(0, word)), [1, 1, 7]);
    must!(cx.cudaGraphExecDestroy(exec));
    must!(cx.cudaGraphDestroy(graph));
}

fn an_event_of_another_device(cx: &Cx) {
    let (twins, stream) = (twins(cx), cx.stream(0, cudaStreamNonBlocking));
    let (own, other) = (cx.event(0), cx.event(1));
    cx.value("cuEventRecord", twins.record(other, stream), 400);
    cx.last(0);
    cx.value("cuEventRecord of its own", twins.record(own, stream), 0);
}

fn a_copy_from_a_peer(cx: &Cx) {
    cx.enable(0, 1);
    copy_between(cx);
}

/// By way of the host.
fn a_copy_from_a_device_without_access(cx: &Cx) {
    copy_between(cx);
}

fn copy_between(cx: &Cx) {
    let (twins, stream) = (twins(cx), cx.stream(0, cudaStreamNonBlocking));
    let (to, from) = (cx.word(0, 1), cx.word(1, 2));
    cx.value("cuMemcpyAsync to its own", twins.copy(to, from, stream), 0);
    must!(cx.cudaStreamSynchronize(stream));
    cx.value("word", cx.read_word(0, to), 2);
    let back = cx.word(0, 3);
    cx.value("cuMemcpyAsync to the other", twins.copy(from, back, stream), 0);
    must!(cx.cudaStreamSynchronize(stream));
    cx.value("word of the other", cx.read_word(1, from), 3);
}

fn after_a_fault(cx: &Cx) {
    let work = Work::new(cx);
    cx.store(work.stream, null_mut(), 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 700);
    answers!(cx.cudaGetLastError(), 700);
    cx.value("cuMemcpyAsync, cuLaunchKernel, cuEventRecord", work.put(), [700; 3]);
}
