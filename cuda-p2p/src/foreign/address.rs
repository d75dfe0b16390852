//! How much memory lies behind an address, by the driver's word: the runtime has no call for that.
#![allow(unsafe_code, reason = "a call of the CUDA driver; see the paragraph on safety in foreign.rs")]

use std::ffi::c_void;

use crate::device::Device;
use crate::ffi::driver;
use crate::library::{function, status};
use crate::seam::On;

/// Bytes from `address` to the end of its allocation, or more than `wanted` if that is enough. `None` if nobody can tell.
///
/// Memory may be made of several pieces side by side, mapped by the driver's functions for virtual memory: what lies behind the
/// end of one counts if it belongs to the next.
pub(super) fn available(device: Device, address: *mut c_void, wanted: usize) -> Option<usize> {
    let seam = device.seam();
    // SAFETY: the entry's type is that of this function.
    let range: driver::MemGetAddressRange = unsafe { function(seam, &driver::MEM_GET_ADDRESS_RANGE) }.ok()?;
    let start = address.addr();
    let mut available = 0usize;
    while available < wanted {
        let at = start.checked_add(available)?;
        let (mut base, mut size) = (0u64, 0usize);
        let asked = seam.call("cuMemGetAddressRange", Some(range), On::Context(device.ordinal()), |range| {
            // SAFETY: valid places for an address and a size; `at` is only looked up.
            status(unsafe { range(&mut base, &mut size, at as u64) })
        });
        let end = usize::try_from(base).ok()?.checked_add(size)?;
        match asked {
            Ok(()) if end > at => available = end - start,
            // The first question was answered: then what is there ends here.
            _ if available > 0 => break,
            _ => return None,
        }
    }
    Some(available)
}
