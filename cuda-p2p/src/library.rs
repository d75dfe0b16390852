//! Compiled kernels, loaded into the runtime.
//!
//! By `cudaLibraryLoadData` where the runtime has it (12.8), by the driver's `cuLibraryLoadData` where it has not. A
//! library is loaded once a runtime and never unloaded: kernels of it may run, or wait in a stream, as long as the
//! process lives.
//!
//! # Safety
//! This file hands code to the runtime, and turns addresses that the driver gives into functions of the types that
//! `cuda_p2p_sys::driver` declares for them.
#![allow(unsafe_code, reason = "calls of the CUDA runtime and driver; see the paragraph on safety above")]

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::ffi::{
    KernelModule, cudaDriverEntryPointQueryResult, cudaError, cudaKernel_t, cudaLibrary_t, driver,
};
use crate::origin::Version;
use crate::runtime::Runtime;
use crate::seam::{On, Seam, cuda};

/// The libraries of one runtime, by the address of their code.
#[derive(Default)]
pub(crate) struct Libraries(Mutex<Vec<(usize, Library)>>);

/// One loaded library.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Library {
    Runtime(cudaLibrary_t),
    Driver(driver::CuLibrary),
}

/// One kernel of it, and how it is launched.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KernelHandle {
    Runtime(cudaKernel_t),
    Driver { kernel: driver::CuKernel, launch: driver::LaunchKernel },
}

// SAFETY: handles of libraries and kernels may be used from any thread, and by several at once; so says CUDA.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Send for KernelHandle {}
// SAFETY: as above.
unsafe impl Sync for KernelHandle {}

impl Library {
    /// The module's library: the loaded one, or a new one.
    pub(crate) fn of(runtime: &Runtime, module: &KernelModule) -> Result<Self> {
        runtime.seam().check_process()?;
        let code = if runtime.runs_host_kernels() {
            module.host_code().ok_or(Error::NoHostCode { module: module.name() })?
        } else {
            module.device_code().ok_or(Error::NoMachineCode { module: module.name() })?
        };
        let mut loaded = runtime.state().libraries.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, library)) = loaded.iter().find(|(address, _)| *address == code.addr()) {
            return Ok(*library);
        }
        let library = Self::load(runtime.seam(), code)?;
        loaded.push((code.addr(), library));
        Ok(library)
    }

    fn load(seam: &Seam, code: *const c_void) -> Result<Self> {
        if seam.table().cudaLibraryLoadData.is_some() {
            let mut library: cudaLibrary_t = null_mut();
            // SAFETY: the code is a whole fatbin, or a host module on the simulator; there are no options.
            unsafe {
                cuda!(
                    seam,
                    On::Any,
                    cudaLibraryLoadData(
                        &mut library,
                        code,
                        null_mut(),
                        null_mut(),
                        0,
                        null_mut(),
                        null_mut(),
                        0
                    )
                )
            }?;
            return Ok(Self::Runtime(library));
        }
        // SAFETY: the entry's type is that of this function.
        let load: driver::LibraryLoadData = unsafe { function(seam, &driver::LIBRARY_LOAD_DATA) }?;
        let mut library = driver::CuLibrary(null_mut());
        seam.call("cuLibraryLoadData", Some(load), On::Any, |load| {
            // SAFETY: as above.
            status(unsafe { load(&mut library, code, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0) })
        })?;
        Ok(Self::Driver(library))
    }

    /// The kernel `name`.
    pub(crate) fn kernel(self, seam: &Seam, name: &CStr) -> Result<KernelHandle> {
        match self {
            Self::Runtime(library) => {
                let mut kernel: cudaKernel_t = null_mut();
                // SAFETY: the library is loaded for good; the name is NUL-terminated.
                unsafe { cuda!(seam, On::Any, cudaLibraryGetKernel(&mut kernel, library, name.as_ptr())) }?;
                Ok(KernelHandle::Runtime(kernel))
            }
            Self::Driver(library) => {
                // SAFETY: the entry's type is that of this function.
                let get: driver::LibraryGetKernel = unsafe { function(seam, &driver::LIBRARY_GET_KERNEL) }?;
                let mut kernel = driver::CuKernel(null_mut());
                seam.call("cuLibraryGetKernel", Some(get), On::Any, |get| {
                    // SAFETY: the library is loaded for good; the name is NUL-terminated.
                    status(unsafe { get(&mut kernel, library, name.as_ptr()) })
                })?;
                KernelHandle::of_driver(seam, kernel)
            }
        }
    }
}

impl KernelHandle {
    /// A kernel that is launched by the driver.
    pub(crate) fn of_driver(seam: &Seam, kernel: driver::CuKernel) -> Result<Self> {
        // SAFETY: the entry's type is that of this function.
        let launch: driver::LaunchKernel = unsafe { function(seam, &driver::LAUNCH_KERNEL) }?;
        Ok(Self::Driver { kernel, launch })
    }

    /// The driver's handle. A kernel of the runtime *is* one of the driver: so says `cudaGetKernel`'s documentation.
    pub(crate) fn driver(self) -> driver::CuKernel {
        match self {
            Self::Runtime(kernel) => driver::CuKernel(kernel.cast()),
            Self::Driver { kernel, .. } => kernel,
        }
    }
}

/// A driver's status as the runtime's: the codes that both have are the same numbers.
pub(crate) fn status(result: driver::CuResult) -> cudaError {
    cudaError(result.0)
}

/// The driver's function behind `entry`.
///
/// # Safety
/// - `F` is the function pointer type that `entry` names.
pub(crate) unsafe fn function<F: Copy>(seam: &Seam, entry: &driver::Entry) -> Result<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let mut address: *mut c_void = null_mut();
    let mut found = cudaDriverEntryPointQueryResult(0);
    let name = entry.name.as_ptr();
    let asked = if seam.table().cudaGetDriverEntryPointByVersion.is_some() {
        let version = entry.version;
        // SAFETY: valid places for an address and a result; zero asks for the default.
        unsafe {
            cuda!(seam, On::Any, cudaGetDriverEntryPointByVersion(name, &mut address, version, 0, &mut found))
        }
    } else {
        // SAFETY: as above. A runtime without the versioned question is older than the driver, so its own version
        // will do.
        unsafe { cuda!(seam, On::Any, cudaGetDriverEntryPoint(name, &mut address, 0, &mut found)) }
    };
    // A release that the driver has not heard of is an error to some runtimes, and a null address to others.
    if address.is_null()
        && let Some(driver) = seam.driver_version()
    {
        let needs = Version { major: entry.version / 1000, minor: entry.version % 1000 / 10 };
        if driver < needs {
            let call = entry.name.to_str().unwrap_or_default();
            return Err(Error::DriverTooOld { call, needs, driver, code: None });
        }
    }
    asked?;
    if address.is_null() {
        return Err(Error::MissingDriverFunction { symbol: entry.name.to_str().unwrap_or_default() });
    }
    // SAFETY: not null, and the address of a function of that type by the driver's word and the caller's.
    Ok(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
}

#[cfg(test)]
mod tests;
