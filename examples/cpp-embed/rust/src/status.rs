//! Statuses for C, and the text of the last one that was no success.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use cuda_p2p::Error;

/// What a function of this library answers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerStatus {
    /// Done, or put into the stream.
    Success = 0,
    /// A null pointer where there must be none.
    Null = 1,
    /// The devices are no peers in this direction.
    Unreachable = 2,
    /// There is no machine code of the kernel for this device, or none was compiled in.
    NoKernel = 3,
    /// Anything else; see the text.
    Failed = 4,
}

/// A status, and the text that goes with it.
pub(crate) struct Problem(PeerStatus, String);

impl Problem {
    pub(crate) fn null(what: &str) -> Self {
        Self(PeerStatus::Null, format!("{what} is null"))
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::PeerUnreachable { .. } => PeerStatus::Unreachable,
            Error::NoKernelImage { .. } | Error::NoMachineCode { .. } => PeerStatus::NoKernel,
            _ => PeerStatus::Failed,
        };
        Self(status, error.to_string())
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::new(CString::default());
}

/// Runs `body` and keeps the text of its problem.
pub(crate) fn status(body: impl FnOnce() -> Result<(), Problem>) -> PeerStatus {
    let outcome = catch_unwind(AssertUnwindSafe(body))
        .unwrap_or_else(|_| Err(Problem(PeerStatus::Failed, "a bug: the library panicked".to_owned())));
    match outcome {
        Ok(()) => PeerStatus::Success,
        Err(Problem(status, text)) => {
            LAST.set(CString::new(text).unwrap_or_default());
            status
        }
    }
}

/// The text of this thread's last status that was no success. Valid until the next call of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn peer_last_error() -> *const c_char {
    LAST.with_borrow(|text| text.as_ptr())
}
