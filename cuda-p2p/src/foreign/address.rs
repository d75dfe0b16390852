//! How much memory lies behind an address, by the driver's word: the runtime has no call for that.
#![allow(unsafe_code, reason = "a call of the CUDA driver; see the paragraph on safety in foreign.rs")]

use std::ffi::c_void;

use crate::device::Device;
use crate::ffi::driver::{self, CuPointerAttribute};
use crate::library::{function, status};
use crate::seam::On;

/// Bytes from `address` to the end of its allocation, or more than `wanted` if that is enough. `None` if nobody can tell.
///
/// Memory may be made of several pieces side by side, mapped by the driver's functions for virtual memory: what lies behind the
/// end of one counts if it belongs to the next of the same range. Two allocations that happen to lie side by side are two ranges.
pub(super) fn available(device: Device, address: *mut c_void, wanted: usize) -> Option<usize> {
    let start = address.addr();
    let limit = range_end(device, address).unwrap_or(usize::MAX);
    let mut available = 0usize;
    while available < wanted && available < limit.saturating_sub(start) {
        let at = start.checked_add(available)?;
        match range(device, at).and_then(|(base, size)| base.checked_add(size)) {
            Some(end) if end > at => available = end - start,
            // The first question was answered: then what is there ends here.
            _ if available > 0 => break,
            _ => return None,
        }
    }
    Some(available)
}

/// How far behind the start of its allocation `address` is, and how long that is, in bytes. `None` if nobody can tell.
pub(crate) fn base_and_size(device: Device, address: *mut c_void) -> Option<(usize, usize)> {
    let (base, size) = range(device, address.addr())?;
    Some((address.addr().checked_sub(base)?, size))
}

/// First address and size of the allocation that an address lies in.
fn range(device: Device, at: usize) -> Option<(usize, usize)> {
    let seam = device.seam();
    // SAFETY: the entry's type is that of this function.
    let range: driver::MemGetAddressRange = unsafe { function(seam, &driver::MEM_GET_ADDRESS_RANGE) }.ok()?;
    let (mut base, mut size) = (0u64, 0usize);
    seam.call("cuMemGetAddressRange", Some(range), On::Context(device.ordinal()), |range| {
        // SAFETY: valid places for an address and a size; `at` is only looked up.
        status(unsafe { range(&mut base, &mut size, at as u64) })
    })
    .ok()?;
    Some((usize::try_from(base).ok()?, size))
}

/// Where the range of addresses ends that was allocated or reserved as one.
fn range_end(device: Device, address: *mut c_void) -> Option<usize> {
    let runtime = device.runtime();
    let base: u64 = runtime.attribute(address, CuPointerAttribute::RANGE_START_ADDR).ok()?;
    let bytes: usize = runtime.attribute(address, CuPointerAttribute::RANGE_SIZE).ok()?;
    usize::try_from(base).ok()?.checked_add(bytes)
}
