//! Streams from outside, and to there.
#![allow(
    unsafe_code,
    reason = "takes handles at the caller's word; see the paragraph on safety in foreign.rs"
)]

use std::ffi::c_int;

use crate::device::Device;
use crate::error::{Error, ForeignError, Result};
use crate::ffi::cudaStream_t;
use crate::keeper::Keeper;
use crate::queue::Queue;
use crate::seam::{On, cuda};
use crate::stream::Stream;

/// The other names of the null stream, and of the one that each thread has for itself.
const LEGACY: usize = 1;
const PER_THREAD: usize = 2;

impl Stream {
    /// Takes over a stream that other code made: it is destroyed here, when the last clone is dropped and no memory remembers
    /// it, as any other.
    ///
    /// Work that other code put in before is in the same queue, so work of this crate comes after it.
    ///
    /// # Safety
    /// - `handle` is a live stream of `device`, made by `cudaStreamCreate` or one of its kin on `device`'s runtime.
    /// - Nobody else destroys it.
    ///
    /// # Errors
    /// [`Error::Foreign`] for the null stream and the per-thread one, which nobody owns; [`Error::WrongDevice`] where the runtime
    /// tells (12.8 and later).
    pub unsafe fn from_raw(device: &Device, handle: cudaStream_t) -> Result<Self> {
        if handle.addr() <= LEGACY {
            return Err(refused("it is the null stream, which nobody can own: borrow it"));
        }
        check(device, handle)?;
        Ok(Self::new(Queue::new(*device, handle, device.epoch(), true)))
    }

    /// Uses a stream that other code owns, and destroys. Null is the device's legacy null stream.
    ///
    /// The owner may destroy it as soon as the last clone of this value is dropped, although memory of this crate may still be in
    /// use there: an event of this crate's own is recorded then, and stands for the work. Dropping does not wait, unless
    /// that event cannot be recorded.
    ///
    /// # Order with work of others
    /// - What they put into this stream before comes before, and what they put in afterwards comes after, the work of this
    ///   crate: it is one queue.
    /// - Work that they have on *memory*, in this stream or another, is not seen here. What they wrote on this stream is there for
    ///   uses on it; for uses on other streams, let those wait by an event, or tell of it by
    ///   [`DeviceSliceMut::as_raw_on`](crate::DeviceSliceMut::as_raw_on).
    /// - The null stream and streams made without `cudaStreamNonBlocking` also wait for each other.
    ///
    /// # Safety
    /// - `handle` is null or a live stream of `device`, on `device`'s runtime, and stays so until the last clone of this value is
    ///   dropped.
    ///
    /// # Errors
    /// [`Error::Foreign`] for the per-thread stream, which is another queue on each thread; [`Error::WrongDevice`] where the
    /// runtime tells (12.8 and later).
    pub unsafe fn borrow_raw(device: &Device, handle: cudaStream_t) -> Result<Self> {
        check(device, handle)?;
        Ok(Self::new(Queue::new(*device, handle, device.epoch(), false)))
    }

    /// Uses a stream that `owner` keeps. `owner` is dropped with the last clone of this value, on the thread that drops it; not after
    /// a reset of the device, which leaves no stream.
    ///
    /// Otherwise as [`borrow_raw`](Self::borrow_raw).
    ///
    /// # Safety
    /// - `handle` is null or a live stream of `device`, on `device`'s runtime, and stays so as long as `owner` is not dropped.
    ///
    /// # Errors
    /// As [`borrow_raw`](Self::borrow_raw). Then `owner` is dropped.
    pub unsafe fn borrow_raw_with(
        device: &Device,
        handle: cudaStream_t,
        owner: impl Send + 'static,
    ) -> Result<Self> {
        check(device, handle)?;
        Ok(Self::kept(Queue::new(*device, handle, device.epoch(), false), Keeper::new(owner)))
    }

    /// The raw handle, with the duty to destroy it, by `cudaStreamDestroy`, if it was this crate's.
    ///
    /// Work that is in it goes on. Clones may be used further; whoever destroys the stream does so after the last of them is
    /// dropped.
    pub fn into_raw(self) -> cudaStream_t {
        self.queue().disown();
        self.as_raw()
    }

    /// The raw handle. It lives as long as this value or a clone of it.
    ///
    /// This crate does not see work that is put in through it. On memory of this crate, get the address by
    /// [`DeviceSliceMut::as_raw_on`](crate::DeviceSliceMut::as_raw_on), which orders that work, or order it by events.
    pub fn as_raw(&self) -> cudaStream_t {
        self.queue().raw()
    }
}

fn refused(problem: &'static str) -> Error {
    ForeignError::Handle { what: "the stream", problem }.into()
}

fn check(device: &Device, handle: cudaStream_t) -> Result<()> {
    match handle.addr() {
        PER_THREAD => Err(refused(
            "it is the per-thread stream, which is another queue on each thread: make one stream and pass that",
        )),
        // The current device's, and so any device's.
        ..=LEGACY => device.seam().check_process(),
        _ if device.seam().table().cudaStreamGetDevice.is_some() => {
            let mut found: c_int = 0;
            // SAFETY: `found` is a valid place for an int, and the caller says that the handle is a live stream's.
            unsafe { cuda!(device.seam(), On::Any, cudaStreamGetDevice(handle, &mut found)) }?;
            if found == device.as_raw() {
                return Ok(());
            }
            let found = u32::try_from(found).unwrap_or(u32::MAX);
            Err(Error::WrongDevice { what: "the stream", expected: device.ordinal(), found })
        }
        _ => device.seam().check_process(),
    }
}
