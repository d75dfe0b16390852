//! The seam: every entry of the table passes through [`call`], which finds the machine, refuses what may not be called now, and
//! keeps the thread's last error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;

use cuda_p2p_sys::driver::CuResult;
use cuda_p2p_sys::{cudaError, cudaError_t};

use crate::error::{Answer, code};
use crate::machine::Machine;
use crate::script::Cue;
use crate::{capture, context, device, poison, start};

/// Carries out one call of the runtime.
///
/// Before `body` runs: whatever the machine's script has for this use of the function happens; the thread must not be in a host function (else error 800); there must be a machine, made by this
/// process and not by the one that it was forked from (3); the machine must not be poisoned, unless the call works
/// nevertheless; and a call that no capture allows invalidates it (900). A panic, which only a bug can cause, becomes error
/// 999 and does not reach the C caller.
pub(crate) fn call(name: &'static str, body: impl FnOnce(&Arc<Machine>) -> Answer) -> cudaError_t {
    told(guarded(name, body, context::bind_by))
}

/// What the caller of a runtime function gets. A failure becomes the thread's last error; that something is not done yet (600)
/// is none.
pub(crate) fn told(answer: Answer) -> cudaError_t {
    match answer {
        Ok(()) => cudaError::cudaSuccess,
        Err(code) => {
            if code != code::NOT_READY {
                context::set_last_error(code);
            }
            code
        }
    }
}

/// As [`call`], for a function of the driver: those leave the thread's last error alone.
pub(crate) fn driver_call(name: &'static str, body: impl FnOnce(&Arc<Machine>) -> Answer) -> CuResult {
    CuResult(guarded(name, body, |_| ()).err().map_or(0, |code| code.0))
}

fn guarded(
    name: &'static str,
    body: impl FnOnce(&Arc<Machine>) -> Answer,
    bind: impl FnOnce(&'static str),
) -> Answer {
    let guarded = || {
        // First of all: whoever replaces the machine waits for this function, and holds the lock of the next line.
        if context::in_host_function() {
            return Err(code::NOT_PERMITTED);
        }
        let machine = start::current().ok_or(code::INITIALIZATION)?;
        context::enter(machine.number);
        let cue = machine.lock().script.next(name);
        match cue {
            Cue::Nothing => {}
            Cue::Fail(code) => return Err(code),
            Cue::Reset(devices) => {
                for device in devices {
                    device::reset(&machine, device)?;
                }
            }
        }
        bind(name);
        let mut state = machine.lock();
        match state.failure_here() {
            Some(failure) if poison::fails_at_once(name) => return Err(failure),
            None if !poison::needs_no_context(name) => {
                state.devices[context::current_device()].has_context = true;
            }
            _ => {}
        }
        if !state.captures.is_empty() && poison::unsafe_while_capturing(name) {
            if poison::uses_the_legacy_stream(name) {
                let legacy = state.devices[context::current_device()].legacy;
                capture::refuse_implicit(&mut state, legacy)?;
            }
            capture::forbid(&mut state)?;
        }
        drop(state);
        let answer = body(&machine);
        if machine.config.seed.is_some() {
            machine.pace();
        }
        answer
    };
    catch_unwind(AssertUnwindSafe(guarded)).unwrap_or(Err(code::UNKNOWN))
}

/// A bound function that is not modelled: error 801.
pub(crate) fn not_supported(name: &'static str) -> cudaError_t {
    call(name, |_| Err(code::NOT_SUPPORTED))
}

/// `cudaGetLastError`
pub(crate) extern "C" fn get_last_error() -> cudaError_t {
    let error = peek_at_last_error();
    context::set_last_error(cudaError::cudaSuccess);
    error
}

/// `cudaPeekAtLastError`
pub(crate) extern "C" fn peek_at_last_error() -> cudaError_t {
    if let Some(machine) = start::current() {
        context::enter(machine.number);
    }
    context::last_error()
}

/// Where a C caller wants one value.
#[derive(Clone, Copy)]
pub(crate) struct Out<T>(NonNull<T>);

impl<T> Out<T> {
    /// Takes an out-parameter. A null pointer is error 1.
    ///
    /// # Safety
    /// `place` is null or may be written with a `T` for as long as the call runs.
    pub(crate) unsafe fn new(place: *mut T) -> Answer<Out<T>> {
        NonNull::new(place).map(Out).ok_or(code::INVALID_VALUE)
    }

    /// Takes an out-parameter that may be left out.
    ///
    /// # Safety
    /// As [`Out::new`].
    pub(crate) unsafe fn optional(place: *mut T) -> Option<Out<T>> {
        NonNull::new(place).map(Out)
    }

    pub(crate) fn set(self, value: T) {
        // SAFETY: by the contract of `new` the place may be written; it may hold no value yet, so nothing is dropped.
        unsafe { self.0.write(value) }
    }
}
