//! What a destructor could not do, kept where the program can read it.

use std::sync::{Mutex, PoisonError};

use crate::error::Error;

/// More than this many are counted, not kept: a poisoned context fails every destructor of the process.
const KEPT: usize = 64;

/// Something that a destructor, or the way back from a call, could not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferredError {
    /// What was to be done.
    pub what: String,
    /// Why it was not.
    pub error: Error,
}

/// The list of one runtime.
#[derive(Debug, Default)]
pub(crate) struct DeferredErrors {
    list: Mutex<Vec<DeferredError>>,
}

impl DeferredErrors {
    /// Keeps one, unless the list is full: the first ones tell the cause.
    pub(crate) fn push(&self, what: impl Into<String>, error: Error) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() < KEPT {
            list.push(DeferredError { what: what.into(), error });
        }
    }

    /// Takes all of them.
    pub(crate) fn take(&self) -> Vec<DeferredError> {
        std::mem::take(&mut *self.list.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
