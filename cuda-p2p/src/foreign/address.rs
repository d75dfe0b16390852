//! How much memory lies behind an address, and of which pool it is, by the driver's word: the runtime has no calls for that.
#![allow(unsafe_code, reason = "a call of the CUDA driver; see the paragraph on safety in foreign.rs")]

use std::ffi::c_void;

use crate::device::Device;
use crate::ffi::{cudaMemPool_t, driver};
use crate::library::{function, status};
use crate::seam::On;

/// Bytes from `address` to the end of its allocation, or more than `wanted` if that is enough. `None` if nobody can tell.
///
/// Memory may be made of several pieces side by side, mapped by the driver's functions for virtual memory: what lies behind the
/// end of one counts if it belongs to the next.
pub(super) fn available(device: Device, address: *mut c_void, wanted: usize) -> Option<usize> {
    let start = address.addr();
    let mut available = 0usize;
    while available < wanted {
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

/// The pool that the memory at `address` comes from; `None` if it comes from none, or nobody can tell.
pub(super) fn pool(device: Device, address: *mut c_void) -> Option<cudaMemPool_t> {
    let seam = device.seam();
    // SAFETY: the entry's type is that of this function.
    let ask: driver::PointerGetAttribute = unsafe { function(seam, &driver::POINTER_GET_ATTRIBUTE) }.ok()?;
    let mut pool: cudaMemPool_t = std::ptr::null_mut();
    let (place, attribute) = ((&raw mut pool).cast(), driver::CuPointerAttribute::MEMPOOL_HANDLE);
    seam.call("cuPointerGetAttribute", Some(ask), On::Context(device.ordinal()), |ask| {
        // SAFETY: a valid place for a handle; the address is only looked up.
        status(unsafe { ask(place, attribute, address.addr() as u64) })
    })
    .ok()?;
    (!pool.is_null()).then_some(pool)
}
