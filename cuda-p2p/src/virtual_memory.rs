//! Virtual memory: ranges of addresses, and physical memory of one or several devices that is mapped there.
//!
//! # Safety
//! This file makes and releases physical memory. A handle is live as long as its [`PhysicalMemory`] is, which a range keeps while it is
//! mapped. Memory is at one place at a time, so that no two slices overlap by another address.
#![allow(unsafe_code, reason = "calls of the CUDA driver; see the paragraph on safety above")]

mod access;
mod functions;
mod mapping;
mod range;
mod views;

use std::fmt;

use crate::allocation::with_room;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::ffi::driver::{
    CuMemAllocationGranularityFlags, CuMemAllocationProp, CuMemGenericAllocationHandle,
};
pub(crate) use functions::Functions;
use mapping::Addresses;
pub(crate) use mapping::{Mapped, Mapping};
pub use range::{MapError, VirtualRange};

/// Memory of a device that has no address until it is [mapped](VirtualRange::map) in a [`VirtualRange`].
///
/// It is given back to the device when it is dropped. While it is mapped, the range has it.
///
/// C: `CUmemGenericAllocationHandle`.
#[doc(alias = "CUmemGenericAllocationHandle")]
pub struct PhysicalMemory {
    device: Device,
    handle: CuMemGenericAllocationHandle,
    bytes: usize,
}

impl Device {
    /// What sizes and places of physical memory of the device are multiples of, in bytes: 2 MiB on H200.
    ///
    /// C: `cuMemGetAllocationGranularity`.
    ///
    /// # Errors
    /// [`Error::DriverTooOld`], [`Error::MissingDriverFunction`], [`Error::Cuda`].
    #[doc(alias = "cuMemGetAllocationGranularity")]
    pub fn virtual_memory_granularity(&self) -> Result<usize> {
        let functions = Functions::of(self.runtime())?;
        let (mut granularity, properties) = (0usize, CuMemAllocationProp::of_device(self.as_raw()));
        functions.call(self.seam(), functions.granularity, |function| {
            // SAFETY: `granularity` is a valid place for a size, and the properties are read.
            unsafe { function(&mut granularity, &properties, CuMemAllocationGranularityFlags::MINIMUM) }
        })?;
        Ok(granularity)
    }

    /// New physical memory, all bytes zero. Returns when they are: it is mapped in a range of its own for that.
    ///
    /// C: `cuMemCreate`.
    ///
    /// # Errors
    /// - [`Error::Granularity`] if `bytes` is zero or no multiple of the
    ///   [granularity](Self::virtual_memory_granularity).
    /// - [`Error::Cuda`] of the class [`OutOfMemory`](crate::ErrorClass::OutOfMemory), after waiting for memory that was dropped
    ///   while in use, or, on a device without virtual memory, [`Unsupported`](crate::ErrorClass::Unsupported); [`Error::DriverTooOld`], [`Error::MissingDriverFunction`].
    #[doc(alias = "cuMemCreate")]
    pub fn alloc_physical_zeroed(&self, bytes: usize) -> Result<PhysicalMemory> {
        let memory = self.alloc_physical(bytes)?;
        let mut range = self.runtime().reserve_virtual_range(bytes)?;
        range.map(0, memory)?;
        range.enable_access_from(&[*self])?;
        self.copy_on_a_stream(|stream| {
            stream.fill_bytes_async(range.slice_mut::<u8>(self, ..)?, 0)?;
            stream.synchronize()
        })?;
        range.unmap(0)
    }

    /// New physical memory, with whatever is in it.
    ///
    /// C: `cuMemCreate`.
    ///
    /// # Safety
    /// - Every element is written, by a copy or a kernel, before a copy or a kernel reads it.
    ///
    /// # Errors
    /// As [`alloc_physical_zeroed`](Self::alloc_physical_zeroed).
    #[doc(alias = "cuMemCreate")]
    pub unsafe fn alloc_physical_uninit(&self, bytes: usize) -> Result<PhysicalMemory> {
        self.alloc_physical(bytes)
    }

    fn alloc_physical(&self, bytes: usize) -> Result<PhysicalMemory> {
        check_size("the size of physical memory", bytes, self.virtual_memory_granularity()?)?;
        let functions = Functions::of(self.runtime())?;
        let properties = CuMemAllocationProp::of_device(self.as_raw());
        let handle = with_room(*self, || {
            let mut handle = 0;
            functions.call(self.seam(), functions.create, |function| {
                // SAFETY: `handle` is a valid place for a handle, and the properties are read.
                unsafe { function(&mut handle, bytes, &properties, 0) }
            })?;
            Ok(handle)
        })?;
        Ok(PhysicalMemory { device: *self, handle, bytes })
    }
}

impl PhysicalMemory {
    /// The device whose memory it is.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Its size in bytes.
    pub fn size_bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for PhysicalMemory {
    fn drop(&mut self) {
        let seam = self.device.seam();
        if seam.check_process().is_err() {
            return;
        }
        let released = Functions::of(self.device.runtime()).and_then(|functions| {
            functions.call(seam, functions.release, |function| {
                // SAFETY: the handle is live and nobody else's. Memory that is still mapped stays until it is not.
                unsafe { function(self.handle) }
            })
        });
        if let Err(error) = released {
            let what = format!("releasing physical memory of device {}", self.device.ordinal());
            seam.deferred.push(what, error);
        }
    }
}

impl fmt::Debug for PhysicalMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PhysicalMemory({} bytes of {:?})", self.bytes, self.device)
    }
}

/// Refuses a size that is no multiple of the granularity, or none.
fn check_size(what: &'static str, bytes: usize, granularity: usize) -> Result<()> {
    if bytes > 0 && bytes.is_multiple_of(granularity.max(1)) {
        return Ok(());
    }
    Err(Error::Granularity { what, bytes, granularity })
}
