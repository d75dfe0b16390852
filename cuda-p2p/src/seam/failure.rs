//! The errors for what a call answered, and for calls that cannot be made.
//!
//! # Safety
//! This file calls functions that take a place for a number, or a number, and reads the text that they give.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::{CStr, c_int};

use super::{On, Seam};
use crate::error::Error;
use crate::ffi::{FUNCTIONS, cudaError};
use crate::origin::Version;
use crate::status::{CudaError, ErrorClass};

impl Seam {
    /// The newest release that the driver supports; `None` if there is no driver, or nobody to ask.
    pub(crate) fn driver_version(&self) -> Option<Version> {
        Self::number(self.table.cudaDriverGetVersion?)
    }

    fn number(ask: unsafe extern "C" fn(*mut c_int) -> cudaError) -> Option<Version> {
        let mut number: c_int = 0;
        // SAFETY: `number` is a valid place for an int.
        let status = unsafe { ask(&mut number) };
        (status == cudaError::cudaSuccess && number > 0).then(|| Version::from_number(number))
    }

    /// The error that names both versions, for a status that says that the driver is too old.
    fn driver_too_old(&self, call: &'static str, code: u32) -> Option<Error> {
        const INSUFFICIENT_DRIVER: u32 = cudaError::cudaErrorInsufficientDriver.0;
        const NEEDS_NEWER_DRIVER: u32 = cudaError::cudaErrorCallRequiresNewerDriver.0;
        if !matches!(code, INSUFFICIENT_DRIVER | NEEDS_NEWER_DRIVER) {
            return None;
        }
        let driver = self.driver_version()?;
        let runtime = Self::number(self.table.cudaRuntimeGetVersion?)?;
        // A runtime runs on every driver of its major, and each function on those of the release that brought it.
        let (major, minor) = if code == INSUFFICIENT_DRIVER { (runtime.major, 0) } else { since(call) };
        let needs = [Version { major, minor }, runtime].into_iter().find(|needs| driver < *needs)?;
        Some(Error::DriverTooOld { call, needs, driver, code: Some(code) })
    }

    /// The error for a status, with the name and the text that the runtime has for it.
    #[cold]
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
        if let Some(error) = self.driver_too_old(call, code.0) {
            return error;
        }
        let device = match on {
            On::Device(device) | On::Context(device) => Some(device),
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
    Error::MissingFunction { symbol, since: since(symbol) }
}

/// The release that brought a function.
fn since(symbol: &str) -> (u32, u32) {
    FUNCTIONS.iter().find(|function| function.name == symbol).map_or((12, 0), |function| function.since)
}
