//! Standard output, and whether this process was started with one.
//!
//! # Safety
//! Rust opens the null device in the place of a standard stream that is closed, before `main`: whatever is written there seems to
//! succeed. So it is looked before that, by a function that the system's loader calls. It makes one call of the system, and touches
//! nothing of the library that is not set up by then.
#![allow(unsafe_code, reason = "a function that runs before main; see the paragraph on safety above")]

use std::io::{Error, Result, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::{Errno, fcntl_getfd};

/// Whether it was closed when this process began.
static CLOSED: AtomicBool = AtomicBool::new(false);

extern "C" fn look() {
    let state = fcntl_getfd(rustix::stdio::stdout());
    CLOSED.store(state == Err(Errno::BADF), Ordering::Relaxed);
}

// SAFETY: the section holds pointers to functions of the C convention, which the loader calls, one by one, before `main`; this one
// takes none of the arguments that it is given, which that convention allows.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// Writes all of it.
///
/// # Errors
/// What the system says; that it is no open file, if it was closed from the start.
pub(crate) fn write(text: &str) -> Result<()> {
    check()?;
    let mut output = std::io::stdout().lock();
    output.write_all(text.as_bytes()).and_then(|()| output.flush())
}

/// Whether there is one.
///
/// # Errors
/// As [`write`].
pub(crate) fn check() -> Result<()> {
    if CLOSED.load(Ordering::Relaxed) { Err(Error::from(Errno::BADF)) } else { Ok(()) }
}
