//! Pinned host memory from outside, and to there.
#![allow(
    unsafe_code,
    reason = "takes addresses at the caller's word; see the paragraph on safety in foreign.rs"
)]

use bytemuck::Pod;

use super::Claim;
use crate::allocation::{Allocation, Kind};
use crate::device::Device;
use crate::error::Result;
use crate::pinned::PinnedBuffer;
use crate::slice::View;
use crate::stream::Stream;
use crate::uses::Access;

impl<T: Pod> PinnedBuffer<T> {
    /// Takes over pinned memory that other code allocated: it is freed here, by `cudaFreeHost`. `device` is the one through which
    /// that is done; all can use it.
    ///
    /// # Safety
    /// - `address` is what `cudaHostAlloc` or `cudaMallocHost` gave on `device`'s runtime, for at least `len` elements, which are
    ///   initialised. (Memory that was pinned by `cudaHostRegister` can only be borrowed.)
    /// - Nobody else frees it, nor reads or writes it, on the host or by a device, except as code that is given
    ///   [`as_raw`](Self::as_raw) and keeps to its rules.
    /// - Work of others on it is done.
    ///
    /// # Errors
    /// - [`Error::Foreign`](crate::Error::Foreign): not pinned memory by `cudaPointerGetAttributes`, not aligned for `T`, or, where
    ///   the driver tells, too short.
    /// - [`Error::TooLarge`](crate::Error::TooLarge), [`Error::Cuda`](crate::Error::Cuda).
    ///
    /// On an error the memory stays the caller's.
    #[doc(alias = "cudaPointerGetAttributes")]
    pub unsafe fn from_raw(device: &Device, address: *mut T, len: usize) -> Result<Self> {
        Self::foreign(device, address, len, false)
    }

    /// Uses pinned memory that other code owns, and frees or unregisters.
    ///
    /// C: `cudaPointerGetAttributes`.
    ///
    /// # Safety
    /// - `address` points at `len` initialised elements of memory that is pinned, by `cudaHostAlloc`, `cudaMallocHost` or
    ///   `cudaHostRegister`.
    /// - It stays so until this value is dropped and the work that was put in with it is done.
    /// - Meanwhile nobody else writes it, on the host or by a device, and nobody else reads it where this crate may write:
    ///   while a copy to it, or the launch of a graph that has one, is under way, or [`write`](Self::write) is in use.
    ///
    /// # Errors
    /// As [`from_raw`](Self::from_raw).
    #[doc(alias = "cudaPointerGetAttributes")]
    pub unsafe fn borrow_raw(device: &Device, address: *mut T, len: usize) -> Result<Self> {
        Self::foreign(device, address, len, true)
    }

    /// The address, with the duty to free it, by `cudaFreeHost`, if it was this crate's; null if it has no bytes.
    ///
    /// Does not wait: copies and launches that are in streams go on with the memory. Wait for those streams before it is read, written or
    /// freed. Graphs that use it can be launched no more.
    pub fn into_raw(self) -> *mut T {
        self.into_allocation().into_pointer().cast()
    }

    /// The address; null if it has no bytes. It lives as long as the buffer.
    ///
    /// This crate does not see what is done with it: end that before the buffer is used or dropped.
    pub fn as_raw(&self) -> *mut T {
        self.allocation.pointer().cast()
    }

    /// The address, for work that other code puts into `stream` from now on; as
    /// [`DeviceSliceMut::as_raw_on`](crate::DeviceSliceMut::as_raw_on). [`read`](Self::read) and [`write`](Self::write) wait for
    /// it.
    ///
    /// # Errors
    /// [`Error::OtherRuntime`](crate::Error::OtherRuntime), [`Error::StaleHandle`](crate::Error::StaleHandle),
    /// [`Error::Cuda`](crate::Error::Cuda).
    pub fn as_raw_on(&mut self, stream: &Stream) -> Result<*mut T> {
        super::slice::order(&View::new(&self.allocation), stream, Access::Write, None)?;
        Ok(self.as_raw())
    }

    fn foreign(device: &Device, address: *mut T, len: usize, borrowed: bool) -> Result<Self> {
        let claim = Claim::new(device, address, len)?;
        claim.check_pinned()?;
        let allocation = Allocation::foreign(*device, claim.address, claim.bytes, Kind::Pinned, borrowed);
        Ok(Self::of_allocation(allocation, len))
    }
}
