//! Memory pools from outside, and to there.
#![allow(
    unsafe_code,
    reason = "takes handles at the caller's word; see the paragraph on safety in foreign.rs"
)]

use crate::device::Device;
use crate::error::{ForeignError, Result};
use crate::ffi::cudaMemPool_t;
use crate::pool::MemPool;

impl MemPool {
    /// Takes over a pool that other code made: it is destroyed here, with its last clone and the last memory that this crate has
    /// of it.
    ///
    /// # Safety
    /// - `handle` is a live pool of `device`'s memory, made by `cudaMemPoolCreate` on `device`'s runtime.
    /// - Nobody else destroys it.
    ///
    /// # Errors
    /// [`Error::Foreign`](crate::Error::Foreign) if it is null or another device's, as far as that can be told: the runtime does not
    /// say whose memory a pool gives, only who has access to it, which its own device always has;
    /// [`Error::Cuda`](crate::Error::Cuda).
    pub unsafe fn from_raw(device: &Device, handle: cudaMemPool_t) -> Result<Self> {
        // SAFETY: by the caller.
        unsafe { Self::foreign(device, handle, true) }
    }

    /// Uses a pool that other code owns, and destroys. It is the same pool, to this crate, as any other with that handle.
    ///
    /// Memory that others allocated from it is opened by [`enable_access_from`](Self::enable_access_from) too.
    ///
    /// C: `cudaDeviceGetMemPool`.
    ///
    /// # Safety
    /// - `handle` is a live pool of `device`'s memory, on `device`'s runtime, and stays so until the last clone of this value is
    ///   dropped, and the last memory that this crate has of it.
    ///
    /// # Errors
    /// As [`from_raw`](Self::from_raw).
    #[doc(alias = "cudaDeviceGetMemPool")]
    pub unsafe fn borrow_raw(device: &Device, handle: cudaMemPool_t) -> Result<Self> {
        // SAFETY: by the caller.
        unsafe { Self::foreign(device, handle, false) }
    }

    /// The raw handle, with the duty to destroy it, by `cudaMemPoolDestroy`, if it was this crate's.
    ///
    /// Clones and memory of it may be used further; whoever destroys the pool does so after the last of them is dropped.
    pub fn into_raw(self) -> cudaMemPool_t {
        self.disown();
        self.as_raw()
    }

    /// # Safety
    /// - `handle` is null or a live pool.
    unsafe fn foreign(device: &Device, handle: cudaMemPool_t, owned: bool) -> Result<Self> {
        device.seam().check_process()?;
        let refused = |problem| ForeignError::Handle { what: "the memory pool", problem };
        if handle.is_null() {
            return Err(refused("it is null: make it by cudaMemPoolCreate first").into());
        }
        // Not owned until it is known to be the device's: on an error it stays the caller's.
        let pool = Self::of_handle(*device, handle, device.epoch(), false);
        if !pool.is_accessible_from(device)? {
            return Err(refused("the device has no access to it, so its memory is another device's").into());
        }
        Ok(if owned { Self::of_handle(*device, handle, device.epoch(), true) } else { pool })
    }
}
