//! Noticing that the process was forked: CUDA does not work in a forked child, and does not say so either.
//!
//! A counter that `pthread_atfork` raises in each child is compared before every call; reading it costs nothing,
//! where asking the system for the process id costs more than a tenth of a microsecond. A child made by a bare
//! `clone` is not noticed.
//!
//! # Safety
//! The handler runs in the child between `fork` and its return, where only async-signal-safe code may run: it adds to
//! an atomic number.
#![allow(unsafe_code, reason = "registers a fork handler; see the paragraph on safety above")]

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::error::{Error, Result};

/// How many forks lie between this process and the one that registered the handler.
static FORKS: AtomicU32 = AtomicU32::new(0);
/// Whether the system took the handler.
static WATCHED: AtomicBool = AtomicBool::new(false);
static REGISTER: Once = Once::new();

extern "C" fn in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The process in which something was opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    id: u32,
    forks: u32,
    /// Whether forks are counted.
    watched: bool,
}

impl Process {
    /// The one that calls this.
    pub(crate) fn this() -> Self {
        REGISTER.call_once(|| {
            // SAFETY: the handler is a plain function of the program, and does only what may be done in a forked
            // child.
            let status = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
            WATCHED.store(status == 0, Ordering::Relaxed);
        });
        let watched = WATCHED.load(Ordering::Relaxed);
        Self { id: std::process::id(), forks: FORKS.load(Ordering::Relaxed), watched }
    }

    /// Refuses to go on in a forked child of it.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_surely_this() { Ok(()) } else { self.check_by_id() }
    }

    /// Whether the count of forks says that this is it. Where that is not kept, nobody can say without asking the system.
    #[inline]
    pub(crate) fn is_surely_this(&self) -> bool {
        self.watched && FORKS.load(Ordering::Relaxed) == self.forks
    }

    #[cold]
    fn check_by_id(&self) -> Result<()> {
        let now = std::process::id();
        if !self.watched && now == self.id { Ok(()) } else { Err(Error::Forked { opened: self.id, now }) }
    }
}
