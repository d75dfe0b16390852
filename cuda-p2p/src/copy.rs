//! Copies between host and device and within a device, and fills.
//!
//! # Safety
//! This file gives addresses to the copy engine. Device memory is kept and ordered by [`Uses`](crate::uses::Uses).
//! Memory of a Rust slice is given only for the time of a call that does not return before the copy is done: if waiting for it
//! fails, it waits again, for as long as the copy could still run.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

mod checks;

use std::ffi::{c_int, c_void};

use bytemuck::Pod;

use crate::device::Device;
use crate::error::Result;
use crate::ffi::cudaMemcpyKind;
use crate::links;
use crate::pinned::PinnedBuffer;
use crate::seam::cuda;
use crate::slice::{DeviceSlice, DeviceSliceMut, View};
use crate::stream::Stream;
use crate::uses::{Access, Held, Sole};
pub(crate) use checks::check_len;

impl Stream {
    /// Copies the elements of `source` to the device. Returns when they are there.
    ///
    /// C: `cudaMemcpy`.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`](crate::Error::SizeMismatch), [`Error::WrongDevice`](crate::Error::WrongDevice) if the memory is not
    /// of the stream's device, [`Error::StaleHandle`](crate::Error::StaleHandle), [`Error::Cuda`](crate::Error::Cuda); its code 900
    /// if the stream is being captured, by code that has its handle.
    #[doc(alias = "cudaMemcpy")]
    pub fn copy_from_host<'d, T: Pod>(
        &self,
        destination: impl Into<DeviceSliceMut<'d, T>>,
        source: &[T],
    ) -> Result<()> {
        let destination = destination.into();
        check_len(destination.len(), source.len())?;
        self.check_own(&destination.view)?;
        if destination.size_bytes() == 0 {
            return Ok(());
        }
        let held = destination.view.acquire(self, Access::Write)?;
        let kind = cudaMemcpyKind::cudaMemcpyHostToDevice;
        let (to, from) = (destination.view.pointer(), source.as_ptr().cast());
        // SAFETY: both addresses have so many bytes, and the source is borrowed until the call returns.
        unsafe { self.copy_and_wait(to, from, destination.size_bytes(), kind, held) }
    }

    /// Copies elements of the device to `destination`. Returns when they are there.
    ///
    /// C: `cudaMemcpy`.
    ///
    /// # Errors
    /// As [`copy_from_host`](Self::copy_from_host).
    #[doc(alias = "cudaMemcpy")]
    pub fn copy_to_host<'s, T: Pod>(
        &self,
        source: impl Into<DeviceSlice<'s, T>>,
        destination: &mut [T],
    ) -> Result<()> {
        let source = source.into();
        check_len(destination.len(), source.len())?;
        self.check_own(&source.view)?;
        if source.size_bytes() == 0 {
            return Ok(());
        }
        let held = source.view.acquire(self, Access::Read)?;
        let kind = cudaMemcpyKind::cudaMemcpyDeviceToHost;
        let (to, from) = (destination.as_mut_ptr().cast(), source.view.pointer());
        // SAFETY: both addresses have so many bytes, the destination is borrowed until the call returns, and any bytes
        // are a T.
        unsafe { self.copy_and_wait(to, from, source.size_bytes(), kind, held) }
    }

    /// A copy to or from memory that nothing keeps but the call: when it returns, the copy does not run any more.
    ///
    /// # Safety
    /// - Both addresses have `bytes` bytes of the memory that `kind` says until this returns.
    unsafe fn copy_and_wait(
        &self,
        to: *mut u8,
        from: *const u8,
        bytes: usize,
        kind: cudaMemcpyKind,
        held: Held<'_>,
    ) -> Result<()> {
        // The memory is not the graph's to keep.
        held.entered().refuse_capture("a copy that waits")?;
        self.check_can_wait()?;
        let (to, from): (*mut c_void, *const c_void) = (to.cast(), from.cast());
        // SAFETY: the caller answers for the addresses until this returns, which it does not before the copy is over:
        // by the wait below. Relaxed: of pageable memory the call may itself wait.
        let copied = unsafe {
            let on = self.device().on();
            cuda!(relaxed: self.seam(), on, cudaMemcpyAsync(to, from, bytes, kind, self.as_raw()))
        };
        drop(held);
        match copied {
            Ok(()) => self.finish(),
            // It was not put in.
            Err(error) => Err(error),
        }
    }

    /// Copies pinned host memory to the device. Asynchronous; the pinned memory is kept until the copy is done, and
    /// [`PinnedBuffer::write`] waits for it.
    ///
    /// C: `cudaMemcpyAsync`.
    ///
    /// # Errors
    /// As [`copy_from_host`](Self::copy_from_host).
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn copy_from_pinned_async<'d, T: Pod>(
        &self,
        destination: impl Into<DeviceSliceMut<'d, T>>,
        source: &PinnedBuffer<T>,
    ) -> Result<()> {
        let (destination, source_view) = (destination.into(), View::new(&source.allocation));
        check_len(destination.len(), source.len())?;
        self.check_own(&destination.view)?;
        self.check_pinned(&source_view)?;
        self.copy_views(
            &destination.view,
            &source_view,
            source.size_bytes(),
            cudaMemcpyKind::cudaMemcpyHostToDevice,
        )
    }

    /// Copies elements of the device to pinned host memory. Asynchronous; [`PinnedBuffer::read`] waits for it.
    ///
    /// C: `cudaMemcpyAsync`.
    ///
    /// # Errors
    /// As [`copy_from_host`](Self::copy_from_host).
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn copy_to_pinned_async<'s, T: Pod>(
        &self,
        source: impl Into<DeviceSlice<'s, T>>,
        destination: &mut PinnedBuffer<T>,
    ) -> Result<()> {
        let (source, destination_view) = (source.into(), View::new(&destination.allocation));
        check_len(destination.len(), source.len())?;
        self.check_own(&source.view)?;
        self.check_pinned(&destination_view)?;
        self.copy_views(
            &destination_view,
            &source.view,
            source.size_bytes(),
            cudaMemcpyKind::cudaMemcpyDeviceToHost,
        )
    }

    /// Copies within the stream's device. Asynchronous.
    ///
    /// C: `cudaMemcpyAsync`.
    ///
    /// # Errors
    /// As [`copy_from_host`](Self::copy_from_host). Between devices use [`copy_peer_async`](Self::copy_peer_async).
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn copy_async<'d, 's, T: Pod>(
        &self,
        destination: impl Into<DeviceSliceMut<'d, T>>,
        source: impl Into<DeviceSlice<'s, T>>,
    ) -> Result<()> {
        let (destination, source) = (destination.into(), source.into());
        check_len(destination.len(), source.len())?;
        self.check_own(&destination.view)?;
        self.check_own(&source.view)?;
        self.copy_views(
            &destination.view,
            &source.view,
            source.size_bytes(),
            cudaMemcpyKind::cudaMemcpyDeviceToDevice,
        )
    }

    /// Sets every byte to `value`. Asynchronous.
    ///
    /// C: `cudaMemsetAsync`.
    ///
    /// # Errors
    /// [`Error::WrongDevice`](crate::Error::WrongDevice), [`Error::StaleHandle`](crate::Error::StaleHandle),
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaMemsetAsync")]
    pub fn fill_bytes_async<'d, T: Pod>(
        &self,
        destination: impl Into<DeviceSliceMut<'d, T>>,
        value: u8,
    ) -> Result<()> {
        let destination = destination.into();
        self.check_own(&destination.view)?;
        let bytes = destination.size_bytes();
        if bytes == 0 {
            return Ok(());
        }
        let (to, value): (*mut c_void, c_int) = (destination.view.pointer().cast(), value.into());
        // SAFETY: the address has so many bytes of device memory, which is kept until the work is done; any bytes are
        // a T.
        let fill = |on| unsafe { cuda!(self.seam(), on, cudaMemsetAsync(to, value, bytes, self.as_raw())) };
        if let Some(_sole) = Sole::of(self, [destination.view.behind_copy(Access::Write)]) {
            return fill(self.on());
        }
        let _held = destination.view.acquire(self, Access::Write)?;
        fill(self.on_for(&[&destination.view]))
    }

    /// A copy whose both ends are kept and ordered by their uses. `destination` comes from a `&mut`.
    fn copy_views(
        &self,
        destination: &View<'_>,
        source: &View<'_>,
        bytes: usize,
        kind: cudaMemcpyKind,
    ) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let (to, from): (*mut c_void, *const c_void) =
            (destination.pointer().cast(), source.pointer().cast());
        // SAFETY: both addresses have so many bytes, and both ends are kept until the work is done.
        let copy =
            |on| unsafe { cuda!(self.seam(), on, cudaMemcpyAsync(to, from, bytes, kind, self.as_raw())) };
        let ends = [source.behind_copy(Access::Read), destination.behind_copy(Access::Write)];
        if let Some(_sole) = Sole::of(self, ends) {
            // SAFETY: as above.
            let put = unsafe { self.put_copy(to, from, bytes) };
            return if put { Ok(()) } else { copy(self.on()) };
        }
        let _source = source.acquire(self, Access::Read)?;
        let held = destination.acquire(self, Access::Write)?;
        if let Some(capture) = held.entered().capture() {
            links::note_virtual(capture, self.device(), [destination, source]);
        }
        copy(self.on_for(&[destination, source]))
    }

    /// Puts a copy into the stream, if the driver takes it at once; false if not.
    ///
    /// # Safety
    /// - Both addresses have `bytes` bytes of memory that the driver knows by its address, until the copy is done.
    /// - The stream was checked and entered, and is not being captured.
    #[inline]
    pub(crate) unsafe fn put_copy(&self, to: *mut c_void, from: *const c_void, bytes: usize) -> bool {
        self.queue().put_by_driver(|twins, stream| {
            // SAFETY: the caller answers for the addresses; the stream's handle is live.
            unsafe { (twins.copy)(to.addr() as u64, from.addr() as u64, bytes, stream) }
        })
    }

    /// Puts a copy into the stream, of memory that `current` has access to: the stream's device, mostly.
    ///
    /// # Safety
    /// - Both addresses have `bytes` bytes of the memory that `kind` says, until the copy is done.
    pub(crate) unsafe fn memcpy(
        &self,
        destination: *mut u8,
        source: *const u8,
        bytes: usize,
        kind: cudaMemcpyKind,
        current: Device,
    ) -> Result<()> {
        let (to, from): (*mut c_void, *const c_void) = (destination.cast(), source.cast());
        let on = current.on();
        // SAFETY: the caller answers for the addresses; the stream's handle is live.
        unsafe { cuda!(self.seam(), on, cudaMemcpyAsync(to, from, bytes, kind, self.as_raw())) }
    }
}
