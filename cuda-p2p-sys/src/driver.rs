//! The few functions of the CUDA *driver* that the runtime of 12.0 to 12.7 has no twin for, those that check a launch and a
//! foreign address, and those that put work into a stream with less ado than their twins of the runtime.
//!
//! They are not symbols of the runtime library: `cudaGetDriverEntryPointByVersion` gives their addresses. Ask for the version
//! that brought a function ([`Entry::version`]), not for the newest: a runtime newer than the driver asks the unversioned
//! question for its own version and gets error 1 and a null pointer.
//!
//! `cuda.h` is not bound: these few types are written by hand, after the headers of CUDA 13.0.

mod memory;

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};

use static_assertions::{assert_eq_size, const_assert_eq};

pub use memory::*;

/// `CUresult`: a driver status code.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CuResult(pub c_uint);

impl CuResult {
    /// `CUDA_SUCCESS`
    pub const SUCCESS: Self = Self(0);
    /// `CUDA_ERROR_INVALID_VALUE`: also what a query past the last parameter of a kernel answers.
    pub const INVALID_VALUE: Self = Self(1);
    /// `CUDA_ERROR_NOT_FOUND`: no kernel of that name.
    pub const NOT_FOUND: Self = Self(500);
}

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub *mut c_void);
        assert_eq_size!($name, *mut c_void);
    )*};
}
opaque! {
    /// `CUlibrary`: a loaded fatbin.
    CuLibrary,
    /// `CUkernel`: one kernel of a library, on whatever device it is launched.
    CuKernel,
    /// `CUfunction`: one kernel, loaded in one context. `cuLaunchKernel` takes a [`CuKernel`] in its place.
    CuFunction,
    /// `CUstream`; the same handle as `cudaStream_t`.
    CuStream,
    /// `CUevent`; the same handle as `cudaEvent_t`.
    CuEvent,
}

/// `cuLibraryLoadData`
pub type LibraryLoadData = unsafe extern "C" fn(
    library: *mut CuLibrary,
    code: *const c_void,
    jit_options: *mut c_uint,
    jit_option_values: *mut *mut c_void,
    num_jit_options: c_uint,
    library_options: *mut c_uint,
    library_option_values: *mut *mut c_void,
    num_library_options: c_uint,
) -> CuResult;
/// `cuLibraryUnload`
pub type LibraryUnload = unsafe extern "C" fn(library: CuLibrary) -> CuResult;
/// `cuLibraryGetKernel`
pub type LibraryGetKernel =
    unsafe extern "C" fn(kernel: *mut CuKernel, library: CuLibrary, name: *const c_char) -> CuResult;
/// `cuKernelGetParamInfo`: offset and size in bytes of parameter `index`.
pub type KernelGetParamInfo =
    unsafe extern "C" fn(kernel: CuKernel, index: usize, offset: *mut usize, size: *mut usize) -> CuResult;
/// `cuLaunchKernel`
pub type LaunchKernel = unsafe extern "C" fn(
    function: CuFunction,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared_mem_bytes: c_uint,
    stream: CuStream,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CuResult;
/// `cuMemcpyAsync`: between any two places that the driver knows by their addresses. Others it takes for pageable host memory.
pub type MemcpyAsync = unsafe extern "C" fn(to: u64, from: u64, bytes: usize, stream: CuStream) -> CuResult;
/// `cuEventRecord`
pub type EventRecord = unsafe extern "C" fn(event: CuEvent, stream: CuStream) -> CuResult;
/// `cuMemGetAddressRange`: base address and size in bytes of the allocation that `address` is in.
pub type MemGetAddressRange =
    unsafe extern "C" fn(base: *mut u64, size: *mut usize, address: u64) -> CuResult;

/// A driver function: how to ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its C name.
    pub name: &'static CStr,
    /// The driver release to ask for, as `CUDA_VERSION` writes it: the one that brought this signature.
    pub version: c_uint,
}

/// `cuLibraryLoadData`, as [`LibraryLoadData`].
pub const LIBRARY_LOAD_DATA: Entry = Entry { name: c"cuLibraryLoadData", version: 12_000 };
/// `cuLibraryUnload`, as [`LibraryUnload`].
pub const LIBRARY_UNLOAD: Entry = Entry { name: c"cuLibraryUnload", version: 12_000 };
/// `cuLibraryGetKernel`, as [`LibraryGetKernel`].
pub const LIBRARY_GET_KERNEL: Entry = Entry { name: c"cuLibraryGetKernel", version: 12_000 };
/// `cuKernelGetParamInfo`, as [`KernelGetParamInfo`].
pub const KERNEL_GET_PARAM_INFO: Entry = Entry { name: c"cuKernelGetParamInfo", version: 12_040 };
/// `cuLaunchKernel`, as [`LaunchKernel`].
pub const LAUNCH_KERNEL: Entry = Entry { name: c"cuLaunchKernel", version: 4_000 };
/// `cuMemcpyAsync`, as [`MemcpyAsync`].
pub const MEMCPY_ASYNC: Entry = Entry { name: c"cuMemcpyAsync", version: 4_000 };
/// `cuEventRecord`, as [`EventRecord`].
pub const EVENT_RECORD: Entry = Entry { name: c"cuEventRecord", version: 2_000 };
/// `cuMemGetAddressRange`, as [`MemGetAddressRange`].
pub const MEM_GET_ADDRESS_RANGE: Entry = Entry { name: c"cuMemGetAddressRange", version: 3_020 };

const_assert_eq!(size_of::<CuResult>(), size_of::<c_int>());
assert_eq_size!(Option<LaunchKernel>, *mut c_void);
