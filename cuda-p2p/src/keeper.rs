//! What keeps memory or a stream of other code, and frees it when it is dropped.
//!
//! # Safety
//! A [`Keeper`] is dropped by [`release`](Keeper::release) alone, once nothing here uses that. Where that is never known, after a
//! fault, or where it is gone already, after a reset, it is leaked.
#![allow(unsafe_code, reason = "says that a type may be shared; see the paragraph on safety above")]

use std::fmt;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::device::Device;
use crate::error::ForeignError;

/// A value of other code's. To drop a `Keeper` does not drop the value.
pub(crate) struct Keeper(ManuallyDrop<Box<dyn Send>>);

// SAFETY: nothing uses the value through a shared reference: it is only moved, and dropped by value.
unsafe impl Sync for Keeper {}

impl Keeper {
    pub(crate) fn new(value: impl Send + 'static) -> Self {
        Self(ManuallyDrop::new(Box::new(value)))
    }

    /// Drops the value. That it panicked is noted, and goes no further: others' memory is freed by the same loop.
    pub(crate) fn release(self, device: Device, of: &str) {
        let value = AssertUnwindSafe(ManuallyDrop::into_inner(self.0));
        if let Err(payload) = catch_unwind(|| drop({ value }.0)) {
            // Never dropped: that may panic too.
            std::mem::forget(payload);
            let what = format!("dropping the owner of {of} of device {} that was borrowed", device.ordinal());
            let problem = "its drop panicked";
            device.seam().deferred.push(what, ForeignError::Handle { what: "the owner", problem }.into());
        }
    }
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keeper")
    }
}
