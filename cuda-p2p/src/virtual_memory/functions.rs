//! The driver's functions for virtual memory, asked for once a runtime.
#![allow(unsafe_code, reason = "calls of the CUDA driver; see the paragraph on safety in virtual_memory.rs")]

use crate::error::Result;
use crate::ffi::driver::{self, CuResult};
use crate::library::{function, status};
use crate::runtime::Runtime;
use crate::seam::{On, Seam};

/// A function, and what it is called.
pub(crate) type Named<F> = (&'static str, F);

/// All of them: a driver has all or none.
#[derive(Clone, Copy)]
pub(crate) struct Functions {
    pub(super) granularity: Named<driver::MemGetAllocationGranularity>,
    pub(super) reserve: Named<driver::MemAddressReserve>,
    pub(super) free: Named<driver::MemAddressFree>,
    pub(super) create: Named<driver::MemCreate>,
    pub(super) release: Named<driver::MemRelease>,
    pub(super) map: Named<driver::MemMap>,
    pub(super) unmap: Named<driver::MemUnmap>,
    pub(super) set_access: Named<driver::MemSetAccess>,
    pub(super) get_access: Named<driver::MemGetAccess>,
}

impl Functions {
    /// Those of a runtime's driver.
    pub(crate) fn of(runtime: &Runtime) -> Result<&'static Self> {
        let known = &runtime.state().virtual_memory;
        if let Some(functions) = known.get() {
            return Ok(functions);
        }
        let functions = Self::ask(runtime.seam())?;
        Ok(known.get_or_init(|| functions))
    }

    fn ask(seam: &Seam) -> Result<Self> {
        // SAFETY: the type of each field is that of the entry's function.
        unsafe {
            Ok(Self {
                granularity: (
                    "cuMemGetAllocationGranularity",
                    function(seam, &driver::MEM_GET_ALLOCATION_GRANULARITY)?,
                ),
                reserve: ("cuMemAddressReserve", function(seam, &driver::MEM_ADDRESS_RESERVE)?),
                free: ("cuMemAddressFree", function(seam, &driver::MEM_ADDRESS_FREE)?),
                create: ("cuMemCreate", function(seam, &driver::MEM_CREATE)?),
                release: ("cuMemRelease", function(seam, &driver::MEM_RELEASE)?),
                map: ("cuMemMap", function(seam, &driver::MEM_MAP)?),
                unmap: ("cuMemUnmap", function(seam, &driver::MEM_UNMAP)?),
                set_access: ("cuMemSetAccess", function(seam, &driver::MEM_SET_ACCESS)?),
                get_access: ("cuMemGetAccess", function(seam, &driver::MEM_GET_ACCESS)?),
            })
        }
    }

    /// Calls one of them. They need no context and no current device, and disturb no capture.
    pub(super) fn call<F: Copy>(
        &self,
        seam: &Seam,
        (name, function): Named<F>,
        mut call: impl FnMut(F) -> CuResult,
    ) -> Result<()> {
        seam.call(name, Some(function), On::Any, |function| status(call(function)))
    }
}
