//! Events from outside, and to there.
#![allow(
    unsafe_code,
    reason = "takes handles at the caller's word; see the paragraph on safety in foreign.rs"
)]

use crate::device::Device;
use crate::error::{ForeignError, Result};
use crate::event::{Event, EventHandle};
use crate::ffi::cudaEvent_t;

impl Event {
    /// Takes over an event that other code made: it is destroyed here, when the last clone is dropped.
    ///
    /// It is taken to keep time. If it does not, [`elapsed_since`](Self::elapsed_since) gives the runtime's error 400.
    ///
    /// # Safety
    /// - `handle` is a live event of `device`, made by `cudaEventCreate` or one of its kin on `device`'s runtime.
    /// - Nobody else destroys it.
    ///
    /// # Errors
    /// [`Error::Foreign`](crate::Error::Foreign) if it is null; [`Error::Forked`](crate::Error::Forked).
    pub unsafe fn from_raw(device: &Device, handle: cudaEvent_t) -> Result<Self> {
        check(device, handle)?;
        Ok(Self::new(EventHandle::foreign(*device, handle, true)))
    }

    /// Uses an event that other code owns, and destroys. Streams that were told to wait for it do so even when it is destroyed
    /// meanwhile.
    ///
    /// It is taken to keep time. If it does not, [`elapsed_since`](Self::elapsed_since) gives the runtime's error 400.
    ///
    /// # Safety
    /// - `handle` is a live event of `device`, on `device`'s runtime, and stays so until the last clone of this value is dropped.
    ///
    /// # Errors
    /// As [`from_raw`](Self::from_raw).
    pub unsafe fn borrow_raw(device: &Device, handle: cudaEvent_t) -> Result<Self> {
        check(device, handle)?;
        Ok(Self::new(EventHandle::foreign(*device, handle, false)))
    }

    /// The raw handle, with the duty to destroy it, by `cudaEventDestroy`, if it was this crate's. Clones may be used further;
    /// whoever destroys the event does so after the last of them is dropped.
    pub fn into_raw(self) -> cudaEvent_t {
        self.handle().disown();
        self.as_raw()
    }

    /// The raw handle. It lives as long as this value or a clone of it.
    pub fn as_raw(&self) -> cudaEvent_t {
        self.handle().raw()
    }
}

fn check(device: &Device, handle: cudaEvent_t) -> Result<()> {
    device.seam().check_process()?;
    if handle.is_null() {
        let problem = "it is null: make it by cudaEventCreate first";
        return Err(ForeignError::Handle { what: "the event", problem }.into());
    }
    Ok(())
}
