//! While another library of the process captures a stream, in the mode that forbids the most, this crate goes on working, leaves
//! the capture valid, and does not return from a copy that still runs.

mod common;

use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

use common::raw::{changed_table, new_stream, raw};
use common::{isolated, machine, pair};
use cuda_p2p::builtin::Kernels;
use cuda_p2p::sys::{cudaError, cudaGraph_t, cudaStream_t, cudaStreamCaptureMode};
use cuda_p2p::{Device, LaunchConfig, Stream};

const ONE: LaunchConfig = LaunchConfig::new(1, 1);
/// Long enough for a copy behind it to be under way when the call returns, if that does not wait: 100 ms.
const LONG: u64 = 100_000_000;

/// A capture of other code's, on a stream of its own.
struct Capture(Device, cudaStream_t);

impl Capture {
    fn begin(device: &Device) -> Self {
        Self::of(device, new_stream(device))
    }

    fn of(device: &Device, stream: cudaStream_t) -> Self {
        let mode = cudaStreamCaptureMode::cudaStreamCaptureModeGlobal;
        assert_eq!(raw!(device.runtime(), device.as_raw(), cudaStreamBeginCapture(stream, mode)), 0);
        Self(*device, stream)
    }

    /// The code of the end: 901 if somebody broke it.
    fn end(self) -> u32 {
        let mut graph: cudaGraph_t = null_mut();
        raw!(self.0.runtime(), self.0.as_raw(), cudaStreamEndCapture(self.1, &mut graph))
    }
}

#[test]
fn a_copy_to_the_host_is_over_when_it_returns() {
    isolated("a_copy_to_the_host_is_over_when_it_returns", &[], || {
        let (runtime, a, _) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let stream = a.new_stream().unwrap();
        let mut memory = a.alloc_zeroed::<u32>(1).unwrap();
        // Pinned: from there and to there the runtime copies without waiting.
        let mut pinned = a.alloc_pinned_zeroed::<u32>(1).unwrap();
        let capture = Capture::begin(&a);
        kernels.delayed_store(&stream, ONE, &mut memory, 7, LONG).unwrap();
        let mut host = pinned.write().unwrap();
        stream.copy_to_host(&memory, &mut host).unwrap();
        assert_eq!(*host, [7]);
        assert_eq!(capture.end(), 0);
    });
}

#[test]
fn a_copy_from_the_host_is_over_when_it_returns() {
    isolated("a_copy_from_the_host_is_over_when_it_returns", &[], || {
        let (runtime, a, _) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let stream = a.new_stream().unwrap();
        let mut memory = a.alloc_zeroed::<u32>(1).unwrap();
        let mut pinned = a.alloc_pinned_from(&[1u32]).unwrap();
        let capture = Capture::begin(&a);
        kernels.delay(&stream, ONE, LONG).unwrap();
        stream.copy_from_host(&mut memory, &pinned.read().unwrap()).unwrap();
        pinned.write().unwrap()[0] = 99;
        assert_eq!(memory.to_vec().unwrap(), [1]);
        assert_eq!(capture.end(), 0);
    });
}

#[test]
fn what_waits_asks_allocates_and_frees_leaves_it_valid() {
    isolated("what_waits_asks_allocates_and_frees_leaves_it_valid", &[], || {
        let (runtime, a, b) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let (stream, event) = (a.new_stream().unwrap(), a.new_event().unwrap());
        let mut memory = a.alloc_zeroed::<u32>(1).unwrap();
        let theirs = b.alloc_zeroed::<u32>(1).unwrap();
        let mut pinned = a.alloc_pinned_zeroed::<u32>(1).unwrap();
        let access = a.enable_peer_access(&b).unwrap();
        stream.record(&event).unwrap();
        let before = cuda_p2p_sim::counters().allocations;
        macro_rules! during_a_capture {
            ($($name:literal: $call:expr;)*) => {$(
                let capture = Capture::begin(&a);
                assert_eq!($call.map(drop).map_err(|error| error.to_string()), Ok(()), $name);
                assert_eq!(capture.end(), 0, concat!($name, " broke the capture"));
            )*};
        }
        during_a_capture! {
            "fill_bytes_async": stream.fill_bytes_async(&mut memory, 1);
            "a launch": kernels.delay(&stream, ONE, 0);
            "copy_peer_async": stream.copy_peer_async(&mut memory, &theirs);
            "slice of a peer": access.slice(&theirs);
            "enabling what is enabled": a.enable_peer_access(&b);
            "enabling": b.enable_peer_access(&a);
            "Stream::is_done": stream.is_done();
            "Stream::synchronize": stream.synchronize();
            "Event::is_done": event.is_done();
            "Event::synchronize": event.synchronize();
            "copy_to_pinned_async": stream.copy_to_pinned_async(&memory, &mut pinned);
            "PinnedBuffer::read": pinned.read();
            "to_vec": memory.to_vec();
            "alloc_zeroed, and its drop": a.alloc_zeroed::<u8>(1);
            "alloc_from, and its drop": a.alloc_from(&[1u8]);
            "alloc_pinned_zeroed, and its drop": a.alloc_pinned_zeroed::<u8>(1);
            "new_stream, and its drop": a.new_stream();
            "Kernels::load": Kernels::load(&runtime);
        }
        a.synchronize().unwrap();
        assert_eq!(cuda_p2p_sim::counters().allocations, before, "all that was dropped is freed");
        assert_eq!(runtime.deferred_errors(), []);
    });
}

#[test]
fn a_stream_that_is_captured_itself_takes_no_copy_that_waits() {
    isolated("a_stream_that_is_captured_itself_takes_no_copy_that_waits", &[], || {
        let (_runtime, a, _) = pair();
        let memory = a.alloc_from(&[5u32]).unwrap();
        let handle = new_stream(&a);
        // SAFETY: the stream is live, and lives on.
        let stream = unsafe { Stream::borrow_raw(&a, handle) }.unwrap();
        let capture = Capture::of(&a, handle);
        let mut found = [0];
        let error = stream.copy_to_host(&memory, &mut found).unwrap_err();
        assert_eq!(error.code(), Some(900), "{error}");
        assert_eq!(capture.end(), 0);
        stream.copy_to_host(&memory, &mut found).unwrap();
        assert_eq!(found, [5]);
    });
}

#[test]
fn the_capture_of_a_borrowed_stream_stays_valid() {
    isolated("the_capture_of_a_borrowed_stream_stays_valid", &[], || {
        let (runtime, a, _) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let (memory, busy) = (a.alloc_from(&[5u32]).unwrap(), a.new_stream().unwrap());
        kernels.delay(&busy, ONE, LONG).unwrap();
        let handle = new_stream(&a);
        // SAFETY: the stream is live, and lives on.
        let stream = unsafe { Stream::borrow_raw(&a, handle) }.unwrap();
        let capture = Capture::of(&a, handle);
        kernels.delay(&stream, ONE, 0).unwrap();
        // Whether it can be freed depends on what the streams do.
        drop(memory);
        drop(stream);
        busy.synchronize().unwrap();
        drop(a.alloc_zeroed::<u32>(1).unwrap());
        assert_eq!(capture.end(), 0);
        a.synchronize().unwrap();
        assert_eq!((cuda_p2p_sim::counters().allocations, runtime.deferred_errors()), (0, Vec::new()));
    });
}

/// How often the next waits for a stream fail.
static FAILURES: AtomicU32 = AtomicU32::new(0);
static SYNCHRONIZE: std::sync::OnceLock<unsafe extern "C" fn(cudaStream_t) -> cudaError> =
    std::sync::OnceLock::new();

unsafe extern "C" fn failing_synchronize(stream: cudaStream_t) -> cudaError {
    let left = FAILURES.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
    match left {
        Ok(_) => cudaError::cudaErrorStreamCaptureUnsupported,
        // SAFETY: the function that this one stands for, with its argument.
        Err(_) => unsafe { SYNCHRONIZE.get().expect("it was set")(stream) },
    }
}

#[test]
fn a_wait_that_fails_does_not_end_a_copy() {
    isolated("a_wait_that_fails_does_not_end_a_copy", &[], || {
        let runtime = changed_table(&machine("devices=1 quiet"), |table| {
            SYNCHRONIZE.set(table.cudaStreamSynchronize.unwrap()).unwrap();
            table.cudaStreamSynchronize = Some(failing_synchronize);
        });
        let a = runtime.device(0).unwrap();
        let stream = a.new_stream().unwrap();
        let memory = a.alloc_from(&[7u32]).unwrap();
        let mut pinned = a.alloc_pinned_zeroed::<u32>(1).unwrap();
        let mut host = pinned.write().unwrap();
        FAILURES.store(3, Ordering::SeqCst);
        stream.copy_to_host(&memory, &mut host).unwrap();
        assert_eq!(FAILURES.load(Ordering::SeqCst), 0);
        assert_eq!(*host, [7]);
    });
}
