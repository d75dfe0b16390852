//! Handles and addresses that come from C or C++ code, or go there.
//!
//! | | owned | borrowed | given away | shown |
//! |---|---|---|---|---|
//! | constructor | `from_raw` | `borrow_raw`, `borrow_raw_with` | `into_raw` | `as_raw` |
//! | destroyed by | this crate, with the last clone | its owner | whoever takes it | this crate |
//!
//! Here are the functions for that of each object, and what is checked of an address.
//!
//! # Safety
//! This file, and those beneath it, take handles at the word of whoever gives them: each unsafe function says what has to be true.
//! They make calls that write into places given to them.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

pub(crate) mod address;
mod event;
mod kernel;
mod memory;
mod pinned;
mod pool;
mod slice;
mod stream;

use std::ffi::{c_int, c_void};

use crate::allocation::Kind;
use crate::device::Device;
use crate::error::{Error, ForeignError, Result};
use crate::ffi::driver::CuPointerAttribute;
use crate::ffi::{cudaMemoryType, cudaPointerAttributes};
use crate::pool::MemPool;
use crate::runtime::Runtime;
use crate::seam::cuda;

impl Device {
    /// The device of a number that C or C++ code uses. Nothing is taken over: a device is only named.
    ///
    /// # Errors
    /// [`Error::NoSuchDevice`]; as [`Runtime::device_count`].
    pub fn from_raw(runtime: &Runtime, ordinal: c_int) -> Result<Self> {
        // A negative number is that of no device, and neither is the largest.
        runtime.device(u32::try_from(ordinal).unwrap_or(u32::MAX))
    }

    /// Its number, as C has it.
    pub fn as_raw(&self) -> c_int {
        self.ordinal() as c_int
    }
}

/// Memory that other code says to be at an address.
#[derive(Clone, Copy)]
struct Claim {
    device: Device,
    address: *mut c_void,
    bytes: usize,
    align: usize,
}

impl Claim {
    fn new<T>(device: &Device, address: *mut T, len: usize) -> Result<Self> {
        let (bytes, align) = (size_of_elements::<T>(len)?, align_of::<T>());
        Ok(Self { device: *device, address: address.cast(), bytes, align })
    }

    /// Refuses what is no memory of the device of so many bytes, as far as the runtime and the driver can tell. What it is: of
    /// `cudaMalloc`, of a pool, or pages that were mapped.
    fn check_device(&self) -> Result<Kind> {
        let Some(attributes) = self.attributes()? else { return Ok(Kind::Device) };
        check_kind(&attributes, cudaMemoryType::cudaMemoryTypeDevice)?;
        let (device, runtime) = (self.device, self.device.runtime());
        if attributes.device != device.as_raw() {
            let found = u32::try_from(attributes.device).unwrap_or(u32::MAX);
            return Err(Error::WrongDevice { what: "the memory", expected: device.ordinal(), found });
        }
        self.check_length()?;
        let pool: usize = runtime.attribute(self.address, CuPointerAttribute::MEMPOOL_HANDLE)?;
        if pool != 0 {
            let handle = std::ptr::with_exposed_provenance_mut(pool);
            return Ok(Kind::Pool(MemPool::of_handle(device, handle, device.epoch(), false)));
        }
        if !runtime.is_virtual(self.address)? {
            return Ok(Kind::Device);
        }
        check_reachable(device, device, self.address, self.bytes)?;
        Ok(Kind::Mapped)
    }

    /// Refuses what is no pinned memory of so many bytes.
    fn check_pinned(&self) -> Result<()> {
        match self.attributes()? {
            Some(attributes) => {
                check_kind(&attributes, cudaMemoryType::cudaMemoryTypeHost)?;
                self.check_length()
            }
            None => Ok(()),
        }
    }

    /// What the runtime knows of the address; `None` for null, where no bytes are said to be.
    fn attributes(&self) -> Result<Option<cudaPointerAttributes>> {
        if self.address.is_null() {
            if self.bytes == 0 {
                return Ok(None);
            }
            let problem = "it is null, and elements are said to be there";
            return Err(ForeignError::Handle { what: "the address", problem }.into());
        }
        let (misalignment, align) = (self.address.addr() % self.align, self.align);
        if misalignment != 0 {
            return Err(ForeignError::Misaligned { misalignment, align }.into());
        }
        attributes(self.device, self.address).map(Some)
    }

    fn check_length(&self) -> Result<()> {
        let bytes = self.bytes;
        match address::available(self.device, self.address, bytes) {
            Some(available) if available < bytes => {
                Err(ForeignError::BeyondAllocation { bytes, available }.into())
            }
            _ => Ok(()),
        }
    }
}

/// What the runtime knows of an address, as `device` sees it.
fn attributes(device: Device, address: *mut c_void) -> Result<cudaPointerAttributes> {
    // SAFETY: the type is made of integers and pointers, for which zero is a value.
    let mut attributes: cudaPointerAttributes = unsafe { std::mem::zeroed() };
    // SAFETY: `attributes` is a valid place of the layout of the library's major; the address is only looked up.
    unsafe { cuda!(device.seam(), device.on(), cudaPointerGetAttributes(&mut attributes, address)) }?;
    Ok(attributes)
}

fn check_kind(attributes: &cudaPointerAttributes, wanted: cudaMemoryType) -> Result<()> {
    if attributes.type_ == wanted {
        return Ok(());
    }
    let name = |kind| match kind {
        cudaMemoryType::cudaMemoryTypeDevice => "memory of a device",
        cudaMemoryType::cudaMemoryTypeHost => "pinned memory of the host",
        cudaMemoryType::cudaMemoryTypeManaged => "managed memory",
        _ => "memory that CUDA does not know",
    };
    Err(ForeignError::WrongMemory { expected: name(wanted), found: name(attributes.type_) }.into())
}

/// Refuses memory of `owner`, `bytes` from `address` on, that kernels of `accessor` cannot access, by the runtime's word.
pub(crate) fn check_reachable(
    accessor: Device,
    owner: Device,
    address: *mut c_void,
    bytes: usize,
) -> Result<()> {
    let last = address.cast::<u8>().wrapping_add(bytes.saturating_sub(1)).cast();
    // The address by which the device can access it, or null.
    let reaches = |at| Ok::<bool, Error>(!attributes(accessor, at)?.devicePointer.is_null());
    // Of pieces side by side, each may be mapped for other devices.
    let whole = |available| available >= bytes;
    if reaches(address)? && reaches(last)? && address::available(accessor, address, bytes).is_none_or(whole) {
        return Ok(());
    }
    Err(Error::NotAccessible { accessor: accessor.ordinal(), owner: owner.ordinal() })
}

/// Bytes of `len` elements.
fn size_of_elements<T>(len: usize) -> Result<usize> {
    let size = size_of::<T>();
    len.checked_mul(size).filter(|bytes| isize::try_from(*bytes).is_ok()).ok_or(Error::TooLarge { len, size })
}
