//! Device memory from outside, and to there.
#![allow(
    unsafe_code,
    reason = "takes addresses at the caller's word; see the paragraph on safety in foreign.rs"
)]

use bytemuck::Pod;

use super::Claim;
use crate::allocation::{Allocation, Kind};
use crate::buffer::DeviceBuffer;
use crate::device::Device;
use crate::error::{ForeignError, Result};
use crate::keeper::Keeper;
use crate::pool::MemPool;

impl<T: Pod> DeviceBuffer<T> {
    /// Takes over memory that other code allocated: it is freed here, as any other buffer, by `cudaFree`, or by `cudaFreeAsync` if
    /// it is a pool's.
    ///
    /// # Safety
    /// - `address` is what `cudaMalloc`, `cudaMallocAsync` or `cudaMallocFromPoolAsync` gave on `device`'s runtime, for at least
    ///   `len` elements, which are initialised. A pool that it comes from is not destroyed before this value is dropped, and what
    ///   [`mem_pool`](Self::mem_pool) gave of it.
    /// - Nobody else frees it.
    /// - Work of others on it is done, or ordered before whatever is done with the buffer: this crate does not see it.
    ///
    /// # Errors
    /// - [`Error::Foreign`](crate::Error::Foreign): not device memory by `cudaPointerGetAttributes`, pages that were mapped
    ///   (`cuMemMap`), which `cudaFree` does not free, not aligned for `T`, or, where the driver tells, too short.
    /// - [`Error::WrongDevice`](crate::Error::WrongDevice) if it is another device's.
    /// - [`Error::DriverTooOld`](crate::Error::DriverTooOld),
    ///   [`Error::MissingDriverFunction`](crate::Error::MissingDriverFunction) if the driver cannot tell kinds of memory apart.
    /// - [`Error::TooLarge`](crate::Error::TooLarge), [`Error::Cuda`](crate::Error::Cuda).
    ///
    /// On an error the memory stays the caller's.
    #[doc(alias = "cudaPointerGetAttributes")]
    pub unsafe fn from_raw(device: &Device, address: *mut T, len: usize) -> Result<Self> {
        let claim = Claim::new(device, address, len)?;
        let kind = claim.check_device()?;
        if matches!(kind, Kind::Mapped) {
            let (expected, found) = ("memory of cudaMalloc or of a pool", "pages that were mapped");
            return Err(ForeignError::WrongMemory { expected, found }.into());
        }
        let allocation = Allocation::foreign(*device, claim.address, claim.bytes, kind, false);
        Ok(Self::of_allocation(allocation, len))
    }

    /// Uses memory that other code owns, and frees: of `cudaMalloc`, a pool, or pages that were mapped (`cuMemMap`).
    ///
    /// Uses through this value are ordered among each other, also across streams. Those of others are not seen: what they wrote
    /// has to be done, or in a stream before the work of this crate, and what they do afterwards has to come after it
    /// ([`DeviceSliceMut::as_raw_on`](crate::DeviceSliceMut::as_raw_on) tells this crate of the one, and makes a stream wait for the
    /// other). The same memory borrowed twice is two memories to that order. Graphs that use it can be launched until this value is
    /// dropped.
    ///
    /// What it is, the driver is asked, here. A [`PeerSlice`](crate::PeerSlice) of memory of a pool needs the pool's
    /// [grant](MemPool::enable_access_from), as if the pool were this crate's: [`mem_pool`](Self::mem_pool). For pages that were mapped,
    /// the runtime is asked by their address, when the slice is made.
    ///
    /// C: `cudaPointerGetAttributes`, `cuPointerGetAttribute`.
    ///
    /// # Safety
    /// - `address` points at `len` initialised elements of `device`'s memory.
    /// - It stays allocated, and mapped for the devices that use it, until this value is dropped and the work that was put in with
    ///   it is done. A pool that it comes from is not destroyed before that, nor before what [`mem_pool`](Self::mem_pool) gave of it
    ///   is dropped, nor closed to these devices by code outside this crate.
    /// - Work of others on it does not race with work that is put in with this value: it is ordered by the stream, by events or by
    ///   waiting. While a mutable slice of it is used, nobody else reads it; while any is, nobody else writes.
    ///
    /// # Errors
    /// As [`from_raw`](Self::from_raw), but that mapped pages are taken, and are
    /// [`Error::NotAccessible`](crate::Error::NotAccessible) if they are not mapped for the device whose memory they are.
    #[doc(alias = "cudaPointerGetAttributes")]
    #[doc(alias = "cuPointerGetAttribute")]
    pub unsafe fn borrow_raw(device: &Device, address: *mut T, len: usize) -> Result<Self> {
        let claim = Claim::new(device, address, len)?;
        let kind = claim.check_device()?;
        let allocation = Allocation::foreign(*device, claim.address, claim.bytes, kind, true);
        Ok(Self::of_allocation(allocation, len))
    }

    /// Uses memory that `owner` keeps allocated. Once this value is dropped and the work that was put in with it is done, `owner` is
    /// dropped: by this drop, or by a later drop, allocation or [`Device::synchronize`](crate::Device::synchronize) of this crate's,
    /// on the thread that makes it. If that is never known, because the context was lost or the device reset, it never is.
    ///
    /// Otherwise as [`borrow_raw`](Self::borrow_raw). Whoever makes that call may hold locks of this crate: dropping `owner` must not
    /// call this crate, nor wait for somebody who does.
    ///
    /// C: `cudaPointerGetAttributes`.
    ///
    /// # Safety
    /// - As for [`borrow_raw`](Self::borrow_raw), and the memory stays allocated as long as `owner` is not dropped.
    ///
    /// # Errors
    /// As [`borrow_raw`](Self::borrow_raw). Then `owner` is dropped, and so it is at once if there are no bytes.
    #[doc(alias = "cudaPointerGetAttributes")]
    pub unsafe fn borrow_raw_with(
        device: &Device,
        address: *mut T,
        len: usize,
        owner: impl Send + 'static,
    ) -> Result<Self> {
        let claim = Claim::new(device, address, len)?;
        let kind = claim.check_device()?;
        if claim.bytes == 0 {
            // SAFETY: no bytes are used, wherever they are.
            return unsafe { Self::borrow_raw(device, std::ptr::null_mut(), len) };
        }
        let allocation = Allocation::kept(*device, claim.address, claim.bytes, kind, Keeper::new(owner));
        Ok(Self::of_allocation(allocation, len))
    }

    /// The pool that the memory comes from; `None` if it comes from none.
    pub fn mem_pool(&self) -> Option<MemPool> {
        self.allocation().pool().cloned()
    }

    /// The address, with the duty to free it, by `cudaFree`, if it was this crate's; null if it has no bytes.
    ///
    /// Does not wait: work that is in streams goes on with the memory. Wait for those streams before it is freed. Graphs that use it
    /// can be launched no more. An owner that it was [borrowed with](Self::borrow_raw_with) is never dropped.
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
}
