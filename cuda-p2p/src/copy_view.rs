//! Copies between a device and a view of its peer's memory: the view is the proof that the copy is direct, so nothing is asked.
//!
//! # Safety
//! This file gives addresses of two devices to the copy engine. Both ends are kept and ordered by their uses.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::{c_int, c_void};

use bytemuck::Pod;

use crate::copy::check_len;
use crate::device::Device;
use crate::error::Result;
use crate::peer_slice::{PeerSlice, PeerSliceMut};
use crate::seam::cuda;
use crate::slice::{DeviceSlice, DeviceSliceMut, View};
use crate::stream::Stream;
use crate::uses::{Access, Sole};

/// What is not recorded into a graph.
const OF_A_VIEW: &str = "a copy of a peer's view; copy_peer_async is recorded";

impl Stream {
    /// Copies a peer's elements to memory of the device that has access to them, directly. Asynchronous. The stream is of
    /// either device.
    ///
    /// The view proves the access, so unlike [`copy_peer_async`](Self::copy_peer_async) this asks nothing of the runtime: it
    /// costs the host what the C call costs, and some tens of nanoseconds. Access that somebody else in the process disabled
    /// since the view was made is not noticed: the driver then takes the copy through the host, and the bytes are right.
    ///
    /// C: `cudaMemcpyPeerAsync`.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`](crate::Error::SizeMismatch); [`Error::WrongDevice`](crate::Error::WrongDevice) if
    /// `destination` is not of the view's accessor, or the stream of a third device;
    /// [`Error::PoolNotGranted`](crate::Error::PoolNotGranted);
    /// [`Error::StaleHandle`](crate::Error::StaleHandle), [`Error::StaleToken`](crate::Error::StaleToken) after a reset;
    /// [`Error::Capture`](crate::Error::Capture) while the stream is captured; [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaMemcpyPeerAsync")]
    pub fn copy_from_peer_async<'d, T: Pod>(
        &self,
        destination: impl Into<DeviceSliceMut<'d, T>>,
        source: PeerSlice<'_, T>,
    ) -> Result<()> {
        let destination = destination.into();
        check_len(destination.len(), source.len())?;
        source.check_copy(self, &destination.device(), "the destination")?;
        let _grant = source.memory.view.hold_grant(source.accessor())?;
        self.copy_proven(&destination.view, &source.memory.view, destination.size_bytes())
    }

    /// Copies elements of a device to the memory of a peer that it has access to, directly. Asynchronous. The stream is of
    /// either device. As [`copy_from_peer_async`](Self::copy_from_peer_async).
    ///
    /// C: `cudaMemcpyPeerAsync`.
    ///
    /// # Errors
    /// As [`copy_from_peer_async`](Self::copy_from_peer_async), of `source`.
    #[doc(alias = "cudaMemcpyPeerAsync")]
    pub fn copy_to_peer_async<'s, T: Pod>(
        &self,
        destination: PeerSliceMut<'_, T>,
        source: impl Into<DeviceSlice<'s, T>>,
    ) -> Result<()> {
        let source = source.into();
        check_len(destination.len(), source.len())?;
        destination.check_copy(self, &source.device(), "the source")?;
        let _grant = destination.memory.view.hold_grant(destination.accessor())?;
        self.copy_proven(&destination.memory.view, &source.view, source.size_bytes())
    }

    /// Both ends are of this runtime, and the stream is of one of the two devices.
    fn copy_proven(&self, destination: &View<'_>, source: &View<'_>, bytes: usize) -> Result<()> {
        destination.check("the device memory")?;
        source.check("the device memory")?;
        if bytes == 0 {
            return self.check();
        }
        self.check()?;
        // SAFETY: both addresses have so many bytes on those devices, and both ends are kept until the work is done.
        let copy = || unsafe { self.memcpy_peer(destination, source, bytes) };
        let ends = [source.behind_copy(Access::Read), destination.behind_copy(Access::Write)];
        if let Some(_sole) = Sole::of(self, ends) {
            let (to, from) = (destination.pointer().cast(), source.pointer().cast_const().cast());
            // SAFETY: as above.
            let put = unsafe { self.put_copy(to, from, bytes) };
            return if put { Ok(()) } else { copy() };
        }
        let _source = source.acquire(self, Access::Read)?;
        let held = destination.acquire(self, Access::Write)?;
        held.entered().refuse_capture(OF_A_VIEW)?;
        copy()
    }

    /// Puts a copy between two devices into the stream, for the driver to take whatever way it has.
    ///
    /// # Safety
    /// - Both ends have `bytes` bytes, until the copy is done, and are ordered with other work.
    pub(crate) unsafe fn memcpy_peer(
        &self,
        destination: &View<'_>,
        source: &View<'_>,
        bytes: usize,
    ) -> Result<()> {
        let number = |device: Device| device.ordinal() as c_int;
        let (to_device, from_device) = (number(destination.device()), number(source.device()));
        let (to, from): (*mut c_void, *const c_void) =
            (destination.pointer().cast(), source.pointer().cast());
        let (stream, on) = (self.as_raw(), self.on_for(&[destination, source]));
        // SAFETY: by the caller; the stream is live.
        unsafe {
            cuda!(self.seam(), on, cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, stream))
        }
    }
}
