//! The one place through which every call of the CUDA runtime passes.
//!
//! A call that needs a current device gets it, and the thread's current device is afterwards what it was. Only the
//! returned status is judged, never the last error. The thread's last error is afterwards what it was, too:
//! - if none was pending, one that our own failing call left is cleared;
//! - if one was pending, it is somebody else's. There is no way to put a last error back, so the call is then made on
//!   a thread of its own, which has a last error of its own. That costs a thread's start, some 50 microseconds, until
//!   whoever made the error takes it. A call made there is outside this thread's stream-capture mode.
//!
//! Calls that name a stream need no current device: the stream has one.
//!
//! # Safety
//! This file moves the closure of a call, with the raw pointers in it, to a helper thread and waits for it. It makes
//! no call whose arguments it knows; each caller states why its own call is sound.
#![allow(unsafe_code, reason = "the seam to the C functions; see the paragraph on safety above")]

use std::ffi::CStr;
use std::ffi::c_int;

use crate::deferred::DeferredErrors;
use crate::error::{Error, Result};
use crate::ffi::{CudaRuntime, FUNCTIONS, cudaError};
use crate::fork::Process;
use crate::status::{CudaError, ErrorClass};

/// What a call needs of the thread that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    /// Nothing: its arguments say where it acts.
    Any,
    /// This device must be the current one.
    Device(u32),
}

/// A function table, and how to call through it.
#[derive(Debug)]
pub(crate) struct Seam {
    table: &'static CudaRuntime,
    process: Process,
    /// Asks the simulator what faulted last; `None` on a real runtime.
    fault: Option<fn() -> Option<String>>,
    pub(crate) deferred: DeferredErrors,
}

/// Calls `name` of the table through the seam: `cuda!(seam, on, cudaFree(pointer))` gives `Result<()>`, and
/// `cuda!(status: seam, on, ...)` the status as it came. To be written inside an `unsafe` block that says why the
/// call is sound.
macro_rules! cuda {
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
        Self { table, process: Process::this(), fault, deferred: DeferredErrors::default() }
    }

    pub(crate) fn table(&self) -> &'static CudaRuntime {
        self.table
    }

    /// What the simulator saw last, if it is the simulator.
    pub(crate) fn last_fault(&self) -> Option<String> {
        self.fault.and_then(|fault| fault())
    }

    /// Refuses to work in a forked child.
    pub(crate) fn check_process(&self) -> Result<()> {
        self.process.check()
    }

    /// Makes the call and turns any status but success into an error.
    pub(crate) fn call<F: Copy>(
        &self,
        name: &'static str,
        function: Option<F>,
        on: On,
        call: impl FnOnce(F) -> cudaError,
    ) -> Result<()> {
        let status = self.status(name, function, on, call)?;
        if status == cudaError::cudaSuccess { Ok(()) } else { Err(self.error(name, status, on)) }
    }

    /// Makes the call and gives the status that it returned. An error means that it was not made.
    pub(crate) fn status<F: Copy>(
        &self,
        name: &'static str,
        function: Option<F>,
        on: On,
        call: impl FnOnce(F) -> cudaError,
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

    /// Makes `call` with the device that it needs, and puts the current device back whatever came of it.
    fn with_device(&self, on: On, call: impl FnOnce() -> cudaError) -> Result<cudaError> {
        let On::Device(device) = on else { return Ok(call()) };
        let before = self.current_device()?;
        if before == device {
            return Ok(call());
        }
        self.set_device(device)?;
        let status = call();
        if let Err(error) = self.set_device(before) {
            // The call itself was made, and its outcome must reach the caller: it may have allocated something.
            self.deferred.push(format!("making device {before} current again"), error);
            self.clear()?;
        }
        Ok(status)
    }

    fn on_a_thread_of_its_own(&self, on: On, call: impl FnOnce() -> cudaError) -> Result<cudaError> {
        struct Carried<T>(T);
        // SAFETY: the closure holds pointers and handles for one C call, which may be made on any thread; the thread
        // that built it waits until that call has returned, so nothing that it borrows is used from two threads at
        // once.
        unsafe impl<T> Send for Carried<T> {}
        impl<T: FnOnce() -> cudaError> Carried<T> {
            // A method, so that the closure below captures the whole value and not its field.
            fn call(self) -> cudaError {
                (self.0)()
            }
        }

        // The new thread would have device 0, and a call could make a context there that nobody wants.
        let device = match on {
            On::Device(device) => device,
            On::Any => self.current_device()?,
        };
        let carried = Carried(call);
        std::thread::scope(|scope| {
            let helper = std::thread::Builder::new()
                .name("cuda-p2p call".to_owned())
                .spawn_scoped(scope, move || self.set_device(device).map(|()| carried.call()))
                .map_err(|error| Error::NoThread { problem: error.to_string() })?;
            helper.join().unwrap_or_else(|_| Err(Error::NoThread { problem: "it panicked".to_owned() }))
        })
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

    fn clear(&self) -> Result<()> {
        let function = self.table.cudaGetLastError.ok_or_else(|| missing("cudaGetLastError"))?;
        // SAFETY: the call takes nothing. What it clears is ours: nothing was pending before our call.
        unsafe { function() };
        Ok(())
    }

    /// The error for a status, with the name and the text that the runtime has for it.
    pub(crate) fn error(&self, call: &'static str, code: cudaError, on: On) -> Error {
        type Describe = unsafe extern "C" fn(cudaError) -> *const std::ffi::c_char;
        let describe = |function: Option<Describe>| match function {
            // SAFETY: the call takes a number, and gives a string of the library's image, or null.
            Some(function) => match unsafe { function(code) } {
                text if text.is_null() => "unknown to this runtime".to_owned(),
                // SAFETY: not null, and NUL-terminated by the function's contract.
                text => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
            },
            None => "unnamed".to_owned(),
        };
        let device = match on {
            On::Device(device) => Some(device),
            On::Any => None,
        };
        let poisoned = ErrorClass::of(code.0) == ErrorClass::Poisoned;
        let fault = if poisoned { self.last_fault() } else { None };
        let (name, text) = (describe(self.table.cudaGetErrorName), describe(self.table.cudaGetErrorString));
        CudaError { call, code, name, text, device, fault }.into()
    }
}

/// The error for a function that the table has no entry for.
pub(crate) fn missing(symbol: &'static str) -> Error {
    let since =
        FUNCTIONS.iter().find(|function| function.name == symbol).map_or((12, 0), |function| function.since);
    Error::MissingFunction { symbol, since }
}

#[cfg(test)]
mod tests;
