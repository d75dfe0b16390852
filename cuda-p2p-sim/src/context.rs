//! What the runtime keeps per thread: current device, last error, and how the thread takes part in captures.

use std::cell::Cell;

use cuda_p2p_sys::{cudaError, cudaError_t, cudaStreamCaptureMode};

use crate::poison;

thread_local! {
    static CONTEXT: Context = const {
        Context {
            machine: Cell::new(0),
            current: Cell::new(0),
            last: Cell::new(cudaError::cudaSuccess),
            capture_mode: Cell::new(cudaStreamCaptureMode::cudaStreamCaptureModeGlobal),
            in_host_function: Cell::new(false),
            bound: Cell::new(false),
            id: Cell::new(0),
        }
    };
}

struct Context {
    /// The machine that the rest belongs to; a thread that meets a newer one begins afresh.
    machine: Cell<u64>,
    current: Cell<usize>,
    last: Cell<cudaError_t>,
    capture_mode: Cell<cudaStreamCaptureMode>,
    in_host_function: Cell<bool>,
    /// A context of the driver is current on the thread.
    bound: Cell<bool>,
    id: Cell<u64>,
}

/// Makes the thread belong to the machine of this number.
pub(crate) fn enter(machine: u64) {
    CONTEXT.with(|context| {
        if context.machine.replace(machine) != machine {
            context.current.set(0);
            context.last.set(cudaError::cudaSuccess);
            context.capture_mode.set(cudaStreamCaptureMode::cudaStreamCaptureModeGlobal);
            context.bound.set(false);
        }
    });
}

/// Ordinal of the thread's current device.
pub(crate) fn current_device() -> usize {
    CONTEXT.with(|context| context.current.get())
}

pub(crate) fn set_current_device(ordinal: usize) {
    CONTEXT.with(|context| context.current.set(ordinal));
}

/// Makes a context current on the thread, as the runtime does in most of its calls.
pub(crate) fn bind_by(call: &'static str) {
    if !poison::needs_no_context(call) {
        set_bound(true);
    }
}

pub(crate) fn set_bound(bound: bool) {
    CONTEXT.with(|context| context.bound.set(bound));
}

/// Whether a context is current on the thread, without which functions of the driver fail.
pub(crate) fn is_bound() -> bool {
    CONTEXT.with(|context| context.bound.get())
}

/// The error that the thread's failed calls left.
pub(crate) fn last_error() -> cudaError_t {
    CONTEXT.with(|context| context.last.get())
}

pub(crate) fn set_last_error(code: cudaError_t) {
    CONTEXT.with(|context| context.last.set(code));
}

pub(crate) fn capture_mode() -> cudaStreamCaptureMode {
    CONTEXT.with(|context| context.capture_mode.get())
}

pub(crate) fn exchange_capture_mode(mode: cudaStreamCaptureMode) -> cudaStreamCaptureMode {
    CONTEXT.with(|context| context.capture_mode.replace(mode))
}

/// Whether the thread runs functions of `cudaLaunchHostFunc`, which may call nothing of the runtime.
pub(crate) fn in_host_function() -> bool {
    CONTEXT.with(|context| context.in_host_function.get())
}

pub(crate) fn set_in_host_function() {
    CONTEXT.with(|context| context.in_host_function.set(true));
}

/// A number that no other thread of the process has.
pub(crate) fn thread_id() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    CONTEXT.with(|context| {
        if context.id.get() == 0 {
            context.id.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        context.id.get()
    })
}
