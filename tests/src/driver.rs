//! Kernels where the runtime has no functions for them (before CUDA 12.8): the driver's functions of the same names, by way of
//! `cudaGetDriverEntryPoint`. Set-up is written into the transcript alike whichever way it went, so that recordings of an older
//! runtime can be compared with others.

use std::ffi::{CStr, c_void};
use std::mem::transmute;
use std::ptr::null_mut;

use cuda_p2p_sys::driver::{
    CuFunction, CuKernel, CuLibrary, CuResult, CuStream, Entry, LAUNCH_KERNEL, LIBRARY_GET_KERNEL,
    LIBRARY_LOAD_DATA, LaunchKernel, LibraryGetKernel, LibraryLoadData,
};
use cuda_p2p_sys::{
    CudaRuntime, cudaDriverEntryPointQueryResult, cudaError, cudaError_t, cudaKernel_t, cudaLibrary_t,
    cudaStream_t, dim3,
};

use crate::kernels::ONE;

/// The driver's functions that load, find and launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Driver {
    table: &'static CudaRuntime,
    load: LibraryLoadData,
    find: LibraryGetKernel,
    launch: LaunchKernel,
}

/// What a launch takes, besides the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) blocks: dim3,
    pub(crate) threads: dim3,
    pub(crate) arguments: *mut *mut c_void,
    pub(crate) shared: usize,
    pub(crate) stream: cudaStream_t,
}

impl Launch {
    /// One thread.
    pub(crate) fn one(arguments: &mut [*mut c_void], stream: cudaStream_t) -> Self {
        Self { blocks: ONE, threads: ONE, arguments: arguments.as_mut_ptr(), shared: 0, stream }
    }
}

impl Driver {
    /// Asks the runtime for them; `None` if one is not there.
    pub(crate) fn of(table: &'static CudaRuntime) -> Option<Self> {
        let [load, find, launch] =
            [LIBRARY_LOAD_DATA, LIBRARY_GET_KERNEL, LAUNCH_KERNEL].map(|entry| address(table, entry));
        // SAFETY: each was asked for by the name and the version of that signature.
        let (load, find, launch) = unsafe {
            (
                transmute::<*mut c_void, LibraryLoadData>(load?),
                transmute::<*mut c_void, LibraryGetKernel>(find?),
                transmute::<*mut c_void, LaunchKernel>(launch?),
            )
        };
        Some(Self { table, load, find, launch })
    }

    /// `cuLibraryLoadData`
    pub(crate) fn load(&self, library: &mut cudaLibrary_t, code: *const c_void) -> cudaError_t {
        let mut found = CuLibrary(null_mut());
        // SAFETY: a place for a handle, and a whole image that stays where it is.
        let status =
            unsafe { (self.load)(&mut found, code, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0) };
        *library = found.0.cast();
        code_of(status)
    }

    /// `cuLibraryGetKernel`
    pub(crate) fn find(&self, kernel: &mut cudaKernel_t, library: cudaLibrary_t, name: &CStr) -> cudaError_t {
        let mut found = CuKernel(null_mut());
        // SAFETY: a place for a handle, a library that was loaded by the driver, and a string.
        let status = unsafe { (self.find)(&mut found, CuLibrary(library.cast()), name.as_ptr()) };
        *kernel = found.0.cast();
        code_of(status)
    }

    /// `cuLaunchKernel`, on the current device.
    pub(crate) fn launch(&self, kernel: cudaKernel_t, launch: &Launch) -> cudaError_t {
        self.make_current();
        let Launch { blocks, threads, arguments, shared, stream } = *launch;
        let (function, stream) = (CuFunction(kernel.cast()), CuStream(stream.cast()));
        let shared = u32::try_from(shared).unwrap_or(u32::MAX);
        // SAFETY: a kernel that was found, and an argument for each of its parameters.
        let status = unsafe {
            (self.launch)(
                function,
                blocks.x,
                blocks.y,
                blocks.z,
                threads.x,
                threads.y,
                threads.z,
                shared,
                stream,
                arguments,
                null_mut(),
            )
        };
        code_of(status)
    }

    /// The driver wants a context in the thread, which the runtime makes where it is told a device. If it cannot, the launch
    /// says so.
    fn make_current(&self) {
        let mut device = 0;
        if let (Some(get), Some(set)) = (self.table.cudaGetDevice, self.table.cudaSetDevice) {
            // SAFETY: a place for a number, and a number.
            unsafe {
                get(&mut device);
                set(device);
            }
        }
    }
}

/// The two number their errors alike.
pub(crate) fn code_of(status: CuResult) -> cudaError_t {
    cudaError(status.0)
}

/// The address of a function of the driver.
pub(crate) fn address(table: &CudaRuntime, entry: Entry) -> Option<*mut c_void> {
    let mut address = null_mut();
    let mut found = cudaDriverEntryPointQueryResult::cudaDriverEntryPointSymbolNotFound;
    let status = match (table.cudaGetDriverEntryPointByVersion, table.cudaGetDriverEntryPoint) {
        // SAFETY: a string, and places for what is found.
        (Some(ask), _) => unsafe { ask(entry.name.as_ptr(), &mut address, entry.version, 0, &mut found) },
        // SAFETY: as above.
        (None, Some(ask)) => unsafe { ask(entry.name.as_ptr(), &mut address, 0, &mut found) },
        (None, None) => return None,
    };
    let there = status == cudaError::cudaSuccess
        && found == cudaDriverEntryPointQueryResult::cudaDriverEntryPointSuccess;
    (there && !address.is_null()).then_some(address)
}
