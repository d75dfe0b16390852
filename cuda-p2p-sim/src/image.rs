//! What a library was made from: a host module, machine code for GPUs, or neither.

use std::ffi::{CStr, c_void};

use cuda_p2p_sys::cudaError_t;
use cuda_p2p_sys::host_abi::{HOST_ABI_VERSION, HOST_MAGIC, HostKernel, HostModule};

use crate::error::{Answer, code};
use crate::exec;

/// Code as `cudaLibraryLoadData` takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Image {
    /// Kernels that run here.
    Host(&'static HostModule),
    /// A fatbin, a cubin or PTX, which nothing here can run.
    Machine,
    /// Anything else.
    Garbage,
}

impl Image {
    /// Tells the kinds apart by the first eight bytes. Of what is no host module, nothing further is looked at, as on hardware.
    ///
    /// # Safety
    /// `code` is null or points at a whole image, none of which is shorter than eight bytes.
    pub(crate) unsafe fn new(code: *const c_void) -> Answer<Image> {
        if code.is_null() {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: by the contract there are eight bytes.
        let first: [u8; 8] = unsafe { code.cast::<[u8; 8]>().read_unaligned() };
        if u64::from_ne_bytes(first) != HOST_MAGIC {
            return Ok(if is_machine_code(first) { Image::Machine } else { Image::Garbage });
        }
        // SAFETY: what begins with these eight bytes is a host module, which lives as long as the program.
        let module = unsafe { &*code.cast::<HostModule>() };
        if module.version != HOST_ABI_VERSION {
            return Err(code::INVALID_IMAGE);
        }
        // SAFETY: the module's own contract: it takes this table, any number of times.
        unsafe { (module.bind)(exec::hooks()) };
        Ok(Image::Host(module))
    }

    /// Its kernels.
    ///
    /// # Errors
    /// 209 for machine code, which is none for a simulated device; `garbage` for what is no code at all.
    pub(crate) fn kernels(self, garbage: cudaError_t) -> Answer<&'static [HostKernel]> {
        match self {
            Image::Host(module) if module.kernel_count == 0 => Ok(&[]),
            Image::Host(module) => {
                let count = module.kernel_count as usize;
                // SAFETY: the module's own contract: the table has that many entries, which live as long as the program.
                Ok(unsafe { std::slice::from_raw_parts(module.kernels, count) })
            }
            Image::Machine => Err(code::NO_KERNEL_IMAGE),
            Image::Garbage => Err(garbage),
        }
    }
}

/// The name of a host module's kernel.
pub(crate) fn name(entry: &'static HostKernel) -> &'static CStr {
    // SAFETY: the module's own contract: names end with NUL and live as long as the program.
    unsafe { CStr::from_ptr(entry.name) }
}

/// Whether these are the first bytes of what GPUs run: a fatbin bare or wrapped, a cubin, or the text of PTX.
fn is_machine_code(first: [u8; 8]) -> bool {
    const FATBIN: u32 = 0xba55_ed50;
    const WRAPPED: u32 = 0x4662_43b1;
    let number = u32::from_le_bytes([first[0], first[1], first[2], first[3]]);
    let starts = |text: &[u8]| first.starts_with(text);
    matches!(number, FATBIN | WRAPPED) || starts(b"\x7fELF") || starts(b".version") || starts(b"//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_are_told_apart() {
        let kind = |bytes: [u8; 8]| {
            // SAFETY: eight bytes.
            unsafe { Image::new(bytes.as_ptr().cast()) }.expect("not null").kernels(code::INVALID_IMAGE)
        };
        let machine = [[0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0], [0xb1, 0x43, 0x62, 0x46, 1, 0, 0, 0]];
        for bytes in machine.into_iter().chain([*b"\x7fELF\x02\x01\x01\x33", *b".version", *b"//\n// Ge"]) {
            assert_eq!(kind(bytes).err(), Some(code::NO_KERNEL_IMAGE), "{bytes:?}");
        }
        for bytes in [*b"not a fa", [0; 8], [0xff; 8]] {
            assert_eq!(kind(bytes).err(), Some(code::INVALID_IMAGE), "{bytes:?}");
        }
        // SAFETY: null is refused.
        assert!(unsafe { Image::new(std::ptr::null()) }.is_err());
    }
}
