//! The one place through which every call of the CUDA runtime passes. (Some work is put in by the driver, which keeps no last
//! error: see [`twins`](crate::twins).)
//!
//! A call that needs a current device gets it, and the thread's current device is afterwards what it was. Only the
//! returned status is judged, never the last error. The thread's last error is afterwards what it was, too:
//! - if none was pending, one that our own failing call left is cleared;
//! - if one was pending, it is somebody else's. There is no way to put a last error back, so the call is then made on
//!   a thread of its own, which has a last error of its own. That costs a thread's start, some 50 microseconds, until
//!   whoever made the error takes it. A call made there is outside this thread's stream-capture mode. If the system
//!   gives no thread, the call is made on this one: one that succeeds leaves the pending error alone, and one that
//!   fails puts its own in its place.
//!
//! Calls that name a stream need no current device: the stream has one.
//!
//! While a stream of the process is being captured in global mode, calls that allocate, free, wait or ask whether work
//! is done are refused (900), *and the capture is broken*. They are made in relaxed mode, which leaves others' captures
//! in peace: `cuda!(relaxed: ...)`.
//!
//! # Safety
//! This file moves the closure of a call, with the raw pointers in it, to a helper thread and waits for it. It makes
//! no call whose arguments it knows; each caller states why its own call is sound.
#![allow(unsafe_code, reason = "the seam to the C functions; see the paragraph on safety above")]

mod failure;

use std::ffi::c_int;
use std::sync::OnceLock;

use crate::deferred::DeferredErrors;
use crate::error::Result;
use crate::ffi::{CudaRuntime, cudaError, cudaStreamCaptureMode};
use crate::fork::Process;
use crate::status::ErrorClass;
use crate::twins::Twins;

pub(crate) use failure::missing;

/// What a call needs of the thread that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    /// Nothing: its arguments say where it acts.
    Any,
    /// This device must be the current one.
    Device(u32),
    /// This device's context must be current on the thread: functions of the driver answer 201 on a thread that has not yet
    /// made one so, which asking for the current device does not do.
    Context(u32),
}

/// A function table, and how to call through it.
#[derive(Debug)]
pub(crate) struct Seam {
    table: &'static CudaRuntime,
    process: Process,
    /// Asks the simulator what faulted last; `None` on a real runtime.
    fault: Option<fn() -> Option<String>>,
    /// Asked for when the first stream is made.
    twins: OnceLock<Option<Twins>>,
    pub(crate) deferred: DeferredErrors,
}

/// Calls `name` of the table through the seam: `cuda!(seam, on, cudaFree(pointer))` gives `Result<()>`, and
/// `cuda!(status: seam, on, ...)` the status as it came. With `relaxed:`, or `relaxed status:`, the call is made in relaxed
/// capture mode. To be written inside an `unsafe` block that says why the call is sound.
macro_rules! cuda {
    (relaxed status: $seam:expr, $on:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let seam: &$crate::seam::Seam = $seam;
        seam.status(stringify!($name), seam.table().$name, $on, |function| {
            seam.relaxed(|| function($($argument),*))
        })
    }};
    (relaxed: $seam:expr, $on:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let seam: &$crate::seam::Seam = $seam;
        seam.call(stringify!($name), seam.table().$name, $on, |function| {
            seam.relaxed(|| function($($argument),*))
        })
    }};
    (status: $seam:expr, $on:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let seam: &$crate::seam::Seam = $seam;
        seam.status(stringify!($name), seam.table().$name, $on, |function| function($($argument),*))
    }};
    ($seam:expr, $on:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let seam: &$crate::seam::Seam = $seam;
        seam.call(stringify!($name), seam.table().$name, $on, |function| function($($argument),*))
    }};
}
pub(crate) use cuda;

impl Seam {
    /// A seam over `table`, for the process that calls this.
    pub(crate) fn new(table: &'static CudaRuntime, fault: Option<fn() -> Option<String>>) -> Self {
        let (twins, deferred) = (OnceLock::new(), DeferredErrors::default());
        Self { table, process: Process::this(), fault, twins, deferred }
    }

    pub(crate) fn table(&self) -> &'static CudaRuntime {
        self.table
    }

    /// The driver's functions for the calls that are made most, if there are any.
    pub(crate) fn twins(&self) -> Option<&Twins> {
        self.twins.get_or_init(|| Twins::ask(self)).as_ref()
    }

    /// What the simulator saw last, if it is the simulator.
    pub(crate) fn last_fault(&self) -> Option<String> {
        self.fault.and_then(|fault| fault())
    }

    /// Refuses to work in a forked child.
    #[inline]
    pub(crate) fn check_process(&self) -> Result<()> {
        self.process.check()
    }

    /// Makes the call and turns any status but success into an error.
    #[inline]
    pub(crate) fn call<F: Copy>(
        &self,
        name: &'static str,
        function: Option<F>,
        on: On,
        call: impl FnMut(F) -> cudaError,
    ) -> Result<()> {
        let status = self.status(name, function, on, call)?;
        if status == cudaError::cudaSuccess { Ok(()) } else { Err(self.error(name, status, on)) }
    }

    /// Makes the call and gives the status that it returned. An error means that it was not made.
    #[inline]
    pub(crate) fn status<F: Copy>(
        &self,
        name: &'static str,
        function: Option<F>,
        on: On,
        mut call: impl FnMut(F) -> cudaError,
    ) -> Result<cudaError> {
        // What nearly every call in a stream is, in few instructions: the same process, no device to set, nothing pending, and
        // success. The caches are cold after each call, so what is not looked at is time gained.
        if on == On::Any
            && self.process.is_surely_this()
            && let (Some(function), Some(peek)) = (function, self.table.cudaPeekAtLastError)
            // SAFETY: the call takes nothing and changes nothing.
            && unsafe { peek() } == cudaError::cudaSuccess
        {
            let status = call(function);
            if status != cudaError::cudaSuccess {
                self.clear()?;
            }
            return Ok(status);
        }
        self.status_with_care(name, function, on, call)
    }

    #[cold]
    fn status_with_care<F: Copy>(
        &self,
        name: &'static str,
        function: Option<F>,
        on: On,
        mut call: impl FnMut(F) -> cudaError,
    ) -> Result<cudaError> {
        self.check_process()?;
        let function = function.ok_or_else(|| missing(name))?;
        let pending = self.peek()?;
        // A poisoned context's error cannot be taken from a thread, so there is nothing to keep.
        if pending == cudaError::cudaSuccess || ErrorClass::is_sticky(pending.0) {
            let outcome = self.with_device(on, || call(function));
            if pending == cudaError::cudaSuccess && !matches!(outcome, Ok(cudaError::cudaSuccess)) {
                self.clear()?;
            }
            outcome
        } else {
            self.on_a_thread_of_its_own(on, || call(function))
        }
    }

    /// Makes `call` with this thread in relaxed capture mode, and puts the mode back.
    pub(crate) fn relaxed(&self, call: impl FnOnce() -> cudaError) -> cudaError {
        let Some(exchange) = self.table.cudaThreadExchangeStreamCaptureMode else { return call() };
        let mut mode = cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed;
        // SAFETY: `mode` is a valid place of a mode.
        let exchanged = unsafe { exchange(&mut mode) };
        let status = call();
        if exchanged != cudaError::cudaSuccess {
            // That error is ours: none of others' is pending where calls are made, or it is gone already.
            if status == cudaError::cudaSuccess
                && let Some(clear) = self.table.cudaGetLastError
            {
                // SAFETY: the call takes nothing.
                unsafe { clear() };
            }
            return status;
        }
        // SAFETY: as above; it holds what the thread had.
        unsafe { exchange(&mut mode) };
        status
    }

    /// Makes `call` with the device that it needs, and puts the current device back whatever came of it.
    fn with_device(&self, on: On, call: impl FnOnce() -> cudaError) -> Result<cudaError> {
        let (device, bind) = match on {
            On::Any => return Ok(call()),
            On::Device(device) => (device, false),
            On::Context(device) => (device, true),
        };
        let before = self.current_device()?;
        if before == device && !bind {
            return Ok(call());
        }
        self.set_device(device)?;
        let status = call();
        if before == device {
            return Ok(status);
        }
        if let Err(error) = self.set_device(before) {
            // The call itself was made, and its outcome must reach the caller: it may have allocated something.
            self.deferred.push(format!("making device {before} current again"), error);
            self.clear()?;
        }
        Ok(status)
    }

    #[cold]
    fn on_a_thread_of_its_own(&self, on: On, mut call: impl FnMut() -> cudaError) -> Result<cudaError> {
        struct Carried<'a, T>(&'a mut T);
        // SAFETY: the closure holds pointers and handles for one C call, which may be made on any thread; the thread
        // that built it waits until that call has returned, so nothing that it borrows is used from two threads at
        // once.
        unsafe impl<T> Send for Carried<'_, T> {}
        impl<T: FnMut() -> cudaError> Carried<'_, T> {
            // A method, so that the closure below captures the whole value and not its field.
            fn call(self) -> cudaError {
                (self.0)()
            }
        }

        // The new thread would have device 0, and a call could make a context there that nobody wants.
        let device = match on {
            On::Device(device) | On::Context(device) => device,
            On::Any => self.current_device()?,
        };
        let carried = Carried(&mut call);
        let outcome = std::thread::scope(|scope| {
            let helper = std::thread::Builder::new()
                .name("cuda-p2p call".to_owned())
                .spawn_scoped(scope, move || self.set_device(device).map(|()| carried.call()))
                .ok()?;
            Some(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        // Without a thread the call has to be made all the same: it may be the one that waits for a copy.
        outcome.unwrap_or_else(|| self.with_device(on, call))
    }

    /// The thread's current device.
    pub(crate) fn current_device(&self) -> Result<u32> {
        let function = self.table.cudaGetDevice.ok_or_else(|| missing("cudaGetDevice"))?;
        let mut device: c_int = 0;
        // SAFETY: `device` is a valid place for an int.
        let status = unsafe { function(&mut device) };
        match u32::try_from(device) {
            Ok(device) if status == cudaError::cudaSuccess => Ok(device),
            _ => Err(self.error("cudaGetDevice", status, On::Any)),
        }
    }

    /// Makes `device` the thread's current one and leaves it so. On this thread even if an error is pending: it could
    /// not be done on another, and it leaves an error only if the device went away.
    pub(crate) fn make_current(&self, device: u32) -> Result<()> {
        self.check_process()?;
        let pending = self.peek()?;
        let outcome = self.set_device(device);
        if outcome.is_err() && pending == cudaError::cudaSuccess {
            self.clear()?;
        }
        outcome
    }

    /// Makes `device` the thread's current one. From CUDA 12.0 on this creates the device's context.
    pub(crate) fn set_device(&self, device: u32) -> Result<()> {
        let function = self.table.cudaSetDevice.ok_or_else(|| missing("cudaSetDevice"))?;
        // SAFETY: the call takes a number, and judges it.
        let status = unsafe { function(device as c_int) };
        if status == cudaError::cudaSuccess {
            Ok(())
        } else {
            Err(self.error("cudaSetDevice", status, On::Device(device)))
        }
    }

    fn peek(&self) -> Result<cudaError> {
        let function = self.table.cudaPeekAtLastError.ok_or_else(|| missing("cudaPeekAtLastError"))?;
        // SAFETY: the call takes nothing and changes nothing.
        Ok(unsafe { function() })
    }

    #[cold]
    fn clear(&self) -> Result<()> {
        let function = self.table.cudaGetLastError.ok_or_else(|| missing("cudaGetLastError"))?;
        // SAFETY: the call takes nothing. What it clears is ours: nothing was pending before our call.
        unsafe { function() };
        Ok(())
    }
}

#[cfg(test)]
mod tests;
