//! Device memory that is owned.
//!
//! # Safety
//! Only [`Device::alloc_uninit`] is unsafe here: what it gives can be read before anything was written.
#![allow(unsafe_code, reason = "declares one unsafe function; see the paragraph on safety above")]

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use bytemuck::Pod;

use crate::allocation::{Allocation, Kind};
use crate::device::Device;
use crate::error::Result;
use crate::slice::{DeviceSlice, DeviceSliceMut, View};

/// `len` elements of `T` in the memory of one device.
///
/// Made by `cudaMalloc`, so peers with access enabled reach it; or of a [`MemPool`](crate::MemPool). Dropping it never waits: if a
/// stream still has work on it, or the device on anything (`cudaFree` would wait for that), the memory is freed
/// later. Memory of C or C++ code's can be [borrowed](Self::borrow_raw), or [taken over](Self::from_raw).
#[doc(alias = "cudaFree")]
pub struct DeviceBuffer<T> {
    allocation: Allocation,
    len: usize,
    element: PhantomData<T>,
}

impl Device {
    /// New memory for `len` elements, all bytes zero. They are zeroed asynchronously, on a stream of the device's
    /// own; whatever uses the memory waits for that by itself.
    ///
    /// C: `cudaMalloc`, `cudaMemsetAsync`.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda) of the class [`OutOfMemory`](crate::ErrorClass::OutOfMemory), after
    /// waiting for memory that was dropped while in use; [`Error::TooLarge`](crate::Error::TooLarge);
    /// [`Error::Misaligned`](crate::Error::Misaligned) for an element type that is aligned to more than the runtime aligns
    /// to.
    #[doc(alias = "cudaMalloc")]
    #[doc(alias = "cudaMemsetAsync")]
    pub fn alloc_zeroed<T: Pod>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        let mut buffer = DeviceBuffer::new(*self, len)?;
        self.zeroing_stream()?.fill_bytes_async(&mut buffer, 0)?;
        Ok(buffer)
    }

    /// New memory with the elements of `source`. Returns when they are there.
    ///
    /// C: `cudaMalloc`, `cudaMemcpy`.
    ///
    /// # Errors
    /// As [`alloc_zeroed`](Self::alloc_zeroed).
    #[doc(alias = "cudaMalloc")]
    #[doc(alias = "cudaMemcpy")]
    pub fn alloc_from<T: Pod>(&self, source: &[T]) -> Result<DeviceBuffer<T>> {
        let mut buffer = DeviceBuffer::new(*self, source.len())?;
        self.copy_on_a_stream(|stream| {
            stream.copy_from_host(&mut buffer, source)?;
            buffer.allocation.uses.settle(stream.queue());
            Ok(())
        })?;
        Ok(buffer)
    }

    /// New memory for `len` elements, with whatever is in it.
    ///
    /// C: `cudaMalloc`.
    ///
    /// # Safety
    /// - Every element is written, by a copy or a kernel, before a copy or a kernel reads it.
    ///
    /// # Errors
    /// As [`alloc_zeroed`](Self::alloc_zeroed).
    #[doc(alias = "cudaMalloc")]
    pub unsafe fn alloc_uninit<T: Pod>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        DeviceBuffer::new(*self, len)
    }
}

impl<T: Pod> DeviceBuffer<T> {
    fn new(device: Device, len: usize) -> Result<Self> {
        let allocation = Allocation::new::<T>(device, len, Kind::Device, None)?;
        Ok(Self::of_allocation(allocation, len))
    }

    /// `allocation` has `len` elements.
    pub(crate) fn of_allocation(allocation: Allocation, len: usize) -> Self {
        Self { allocation, len, element: PhantomData }
    }

    pub(crate) fn allocation(&self) -> &Allocation {
        &self.allocation
    }

    pub(crate) fn into_allocation(self) -> Allocation {
        self.allocation
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Length in bytes.
    pub fn size_bytes(&self) -> usize {
        self.allocation.bytes()
    }

    /// The device whose memory it is.
    pub fn device(&self) -> Device {
        self.allocation.device()
    }

    /// All elements, to read from.
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        DeviceSlice::new(View::new(&self.allocation), self.len)
    }

    /// All elements, to write to.
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut::new(View::new(&self.allocation), self.len)
    }

    /// The elements of `range`, to read from.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>> {
        self.as_slice().slice(range)
    }

    /// The elements of `range`, to write to.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceSliceMut<'_, T>> {
        let (start, len) = crate::bounds::resolve(range, self.len)?;
        let (_, tail) = self.as_slice_mut().split_at_mut(start)?;
        let (part, _) = tail.split_at_mut(len)?;
        Ok(part)
    }

    /// A copy of the elements in host memory. Waits for work that writes them, and for the copy.
    ///
    /// C: `cudaMemcpy`.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda), [`Error::StaleHandle`](crate::Error::StaleHandle).
    #[doc(alias = "cudaMemcpy")]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut elements = vec![T::zeroed(); self.len];
        self.device().copy_on_a_stream(|stream| {
            stream.copy_to_host(self, &mut elements)?;
            self.allocation.uses.settle(stream.queue());
            Ok(())
        })?;
        Ok(elements)
    }
}

impl<'a, T: Pod> From<&'a DeviceBuffer<T>> for DeviceSlice<'a, T> {
    fn from(buffer: &'a DeviceBuffer<T>) -> Self {
        buffer.as_slice()
    }
}

impl<'a, T: Pod> From<&'a mut DeviceBuffer<T>> for DeviceSliceMut<'a, T> {
    fn from(buffer: &'a mut DeviceBuffer<T>) -> Self {
        buffer.as_slice_mut()
    }
}

impl<T> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "DeviceBuffer({} elements at {:p} of {:?})",
            self.len,
            self.allocation.pointer(),
            self.allocation.device()
        )
    }
}
