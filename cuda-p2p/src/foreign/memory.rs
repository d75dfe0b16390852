//! Device memory from outside, and to there.
#![allow(
    unsafe_code,
    reason = "takes addresses at the caller's word; see the paragraph on safety in foreign.rs"
)]

use bytemuck::Pod;

use super::{check_address, size_of_elements};
use crate::allocation::{Allocation, Kind};
use crate::buffer::DeviceBuffer;
use crate::device::Device;
use crate::error::Result;

impl<T: Pod> DeviceBuffer<T> {
    /// Takes over memory that other code allocated: it is freed here, by `cudaFree`, as any other buffer.
    ///
    /// # Safety
    /// - `address` is what `cudaMalloc` gave on `device`'s runtime, for at least `len` elements, which are initialised.
    /// - Nobody else frees it.
    /// - Work of others on it is done, or ordered before whatever is done with the buffer: this crate does not see it.
    ///
    /// # Errors
    /// - [`Error::Foreign`](crate::Error::Foreign): not device memory by `cudaPointerGetAttributes`, not aligned for `T`, or, where
    ///   the driver tells, too short.
    /// - [`Error::WrongDevice`](crate::Error::WrongDevice) if it is another device's.
    /// - [`Error::TooLarge`](crate::Error::TooLarge), [`Error::Cuda`](crate::Error::Cuda).
    ///
    /// On an error the memory stays the caller's.
    #[doc(alias = "cudaPointerGetAttributes")]
    pub unsafe fn from_raw(device: &Device, address: *mut T, len: usize) -> Result<Self> {
        Self::foreign(device, address, len, false)
    }

    /// Uses memory that other code owns, and frees.
    ///
    /// Uses through this value are ordered among each other, also across streams. Those of others are not seen: what they wrote
    /// has to be done, or in a stream before the work of this crate, and what they do afterwards has to come after it. The same
    /// memory borrowed twice is two memories to that order.
    ///
    /// # Safety
    /// - `address` points at `len` initialised elements of `device`'s memory.
    /// - It stays allocated until this value is dropped and the work that was put in with it is done.
    /// - Work of others on it does not race with work that is put in with this value: it is ordered by the stream, by events or by
    ///   waiting. While a mutable slice of it is used, nobody else reads it; while any is, nobody else writes.
    /// - If a [`PeerSlice`](crate::PeerSlice) of it is made, it is covered by peer access: it comes from `cudaMalloc`, or from a
    ///   pool that was opened to the accessor (`cudaMemPoolSetAccess`).
    ///
    /// # Errors
    /// As [`from_raw`](Self::from_raw).
    #[doc(alias = "cudaPointerGetAttributes")]
    pub unsafe fn borrow_raw(device: &Device, address: *mut T, len: usize) -> Result<Self> {
        Self::foreign(device, address, len, true)
    }

    /// The address, with the duty to free it, by `cudaFree`, if it was this crate's; null if it has no bytes.
    ///
    /// Does not wait: work that is in streams goes on with the memory. Wait for those streams before it is freed.
    #[doc(alias = "cudaFree")]
    pub fn into_raw(self) -> *mut T {
        self.into_allocation().into_pointer().cast()
    }

    /// The address on the device; null if it has no bytes. It lives as long as the buffer.
    ///
    /// This crate does not see what is done with it: end that before the buffer is dropped, and order it by hand, or take the
    /// address from [`DeviceSliceMut::as_raw_on`](crate::DeviceSliceMut::as_raw_on), which does.
    pub fn as_raw(&self) -> *mut T {
        self.as_slice().as_raw().cast_mut()
    }

    fn foreign(device: &Device, address: *mut T, len: usize, borrowed: bool) -> Result<Self> {
        let bytes = size_of_elements::<T>(len)?;
        check_address(*device, address.cast(), bytes, Kind::Device, align_of::<T>())?;
        let allocation = Allocation::foreign(*device, address.cast(), bytes, Kind::Device, borrowed);
        Ok(Self::of_allocation(allocation, len))
    }
}
