//! Kernels from outside, and to there.
#![allow(
    unsafe_code,
    reason = "takes handles at the caller's word; see the paragraph on safety in foreign.rs"
)]

use crate::error::{ForeignError, Result};
use crate::ffi::{cudaKernel_t, driver};
use crate::kernel::Kernel;
use crate::library::KernelHandle;
use crate::runtime::Runtime;

impl Kernel {
    /// Uses a kernel that other code loaded, by `cudaLibraryGetKernel` or `cuLibraryGetKernel`. Kernels are never destroyed, only
    /// their libraries unloaded, and this crate does not do that.
    ///
    /// # Safety
    /// - `handle` is a kernel of `runtime`, whose library stays loaded as long as this value or a copy of it is used, and until the
    ///   work that was put in with it is done; that of graphs too, as long as they can be launched.
    ///
    /// # Errors
    /// [`Error::Foreign`](crate::Error::Foreign) if it is null; on a runtime before 12.8, which launches through the driver, as
    /// [`kernels!`](crate::kernels)' `load`.
    pub unsafe fn from_raw(runtime: &Runtime, handle: cudaKernel_t, name: &'static str) -> Result<Self> {
        runtime.seam().check_process()?;
        if handle.is_null() {
            let problem = "it is null: get it from a library first";
            return Err(ForeignError::Handle { what: "the kernel", problem }.into());
        }
        let handle = match runtime.table().cudaLibraryGetKernel {
            Some(_) => KernelHandle::Runtime(handle),
            None => KernelHandle::of_driver(runtime.seam(), driver::CuKernel(handle.cast()))?,
        };
        Ok(Self::new(runtime, "of other code", name, handle))
    }

    /// The raw handle, which is a `cudaKernel_t` and a `CUkernel`. It lives as long as the process: this crate unloads no library.
    ///
    /// `cudaLaunchKernel` takes it from 12.8 on, `cuLaunchKernel` always.
    pub fn as_raw(&self) -> cudaKernel_t {
        self.handle().driver().0.cast()
    }
}
