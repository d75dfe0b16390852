//! Handles and addresses that come from C or C++ code, or go there.
//!
//! | | owned | borrowed | given away | shown |
//! |---|---|---|---|---|
//! | constructor | `from_raw` | `borrow_raw` | `into_raw` | `as_raw` |
//! | destroyed by | this crate, with the last clone | its owner | whoever takes it | this crate |
//!
//! Here are the functions for that of each object, and what is checked of an address.
//!
//! # Safety
//! This file, and those beneath it, take handles at the word of whoever gives them: each unsafe function says what has to be true.
//! They make calls that write into places given to them.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

mod address;
mod event;
mod kernel;
mod memory;
mod pinned;
mod slice;
mod stream;

use std::ffi::{c_int, c_void};

use crate::allocation::Kind;
use crate::device::Device;
use crate::error::{Error, ForeignError, Result};
use crate::ffi::{cudaMemoryType, cudaPointerAttributes};
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

/// Refuses an address that is not of `bytes` bytes of such memory, as far as the runtime and the driver can tell.
fn check_address(device: Device, address: *mut c_void, bytes: usize, kind: Kind, align: usize) -> Result<()> {
    if address.is_null() {
        return if bytes == 0 {
            Ok(())
        } else {
            Err(ForeignError::Handle {
                what: "the address",
                problem: "it is null, and elements are said to be there",
            }
            .into())
        };
    }
    let misalignment = address.addr() % align;
    if misalignment != 0 {
        return Err(ForeignError::Misaligned { misalignment, align }.into());
    }
    // SAFETY: the type is made of integers and pointers, for which zero is a value.
    let mut attributes: cudaPointerAttributes = unsafe { std::mem::zeroed() };
    // SAFETY: `attributes` is a valid place of the layout of the library's major; the address is only looked up.
    unsafe { cuda!(device.seam(), device.on(), cudaPointerGetAttributes(&mut attributes, address)) }?;
    let (wanted, expected) = match kind {
        Kind::Device | Kind::Pool(_) | Kind::Virtual(_) => {
            (cudaMemoryType::cudaMemoryTypeDevice, "memory of a device")
        }
        Kind::Pinned => (cudaMemoryType::cudaMemoryTypeHost, "pinned memory of the host"),
    };
    if attributes.type_ != wanted {
        let found = match attributes.type_ {
            cudaMemoryType::cudaMemoryTypeDevice => "memory of a device",
            cudaMemoryType::cudaMemoryTypeHost => "pinned memory of the host",
            cudaMemoryType::cudaMemoryTypeManaged => "managed memory",
            _ => "memory that CUDA does not know",
        };
        return Err(ForeignError::WrongMemory { expected, found }.into());
    }
    if attributes.type_ == cudaMemoryType::cudaMemoryTypeDevice && attributes.device != device.as_raw() {
        let found = u32::try_from(attributes.device).unwrap_or(u32::MAX);
        return Err(Error::WrongDevice { what: "the memory", expected: device.ordinal(), found });
    }
    match address::available(device, address, bytes) {
        Some(available) if available < bytes => {
            Err(ForeignError::BeyondAllocation { bytes, available }.into())
        }
        _ => Ok(()),
    }
}

/// Bytes of `len` elements.
fn size_of_elements<T>(len: usize) -> Result<usize> {
    let size = size_of::<T>();
    len.checked_mul(size).filter(|bytes| isize::try_from(*bytes).is_ok()).ok_or(Error::TooLarge { len, size })
}
