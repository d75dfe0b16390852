//! Virtual memory, and what the driver knows of an address that the runtime does not tell.
//!
//! Types of `cuda.h`, written by hand after the headers of CUDA 13.0 and compared with them by a test of the harness.

use core::ffi::{c_int, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};
use core::mem::offset_of;

use static_assertions::{assert_eq_align, assert_eq_size, const_assert_eq};

use super::{CuResult, Entry};

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident { $($(#[$constant_doc:meta])* $constant:ident = $value:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub c_uint);
        impl $name {
            $($(#[$constant_doc])* pub const $constant: Self = Self($value);)*
        }
        assert_eq_size!($name, c_uint);
    )*};
}

numbers! {
    /// `CUmemAllocationType`
    CuMemAllocationType {
        /// `CU_MEM_ALLOCATION_TYPE_PINNED`: memory that stays where it is.
        PINNED = 1,
    }
    /// `CUmemLocationType`
    CuMemLocationType {
        /// `CU_MEM_LOCATION_TYPE_DEVICE`: the number is that of a device.
        DEVICE = 1,
    }
    /// `CUmemAllocationHandleType`: how memory can be shared with other processes.
    CuMemAllocationHandleType {
        /// `CU_MEM_HANDLE_TYPE_NONE`
        NONE = 0,
        /// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`
        POSIX_FILE_DESCRIPTOR = 1,
    }
    /// `CUmemAllocationGranularity_flags`
    CuMemAllocationGranularityFlags {
        /// `CU_MEM_ALLOC_GRANULARITY_MINIMUM`
        MINIMUM = 0,
        /// `CU_MEM_ALLOC_GRANULARITY_RECOMMENDED`
        RECOMMENDED = 1,
    }
    /// `CUmemAccess_flags`
    CuMemAccessFlags {
        /// `CU_MEM_ACCESS_FLAGS_PROT_NONE`
        NONE = 0,
        /// `CU_MEM_ACCESS_FLAGS_PROT_READ`
        READ = 1,
        /// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`
        READ_WRITE = 3,
    }
    /// `CUpointer_attribute`
    CuPointerAttribute {
        /// `CU_POINTER_ATTRIBUTE_RANGE_START_ADDR`: a [`CuDevicePtr`], the first address of the allocation; of virtual memory, of
        /// the range.
        RANGE_START_ADDR = 11,
        /// `CU_POINTER_ATTRIBUTE_RANGE_SIZE`: a `size_t`, the size of that.
        RANGE_SIZE = 12,
        /// `CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE`: a `CUmemoryPool`, which is the runtime's `cudaMemPool_t`, or null.
        MEMPOOL_HANDLE = 17,
    }
}

/// `CUdeviceptr`
pub type CuDevicePtr = c_ulonglong;
/// `CUmemGenericAllocationHandle`: physical memory.
pub type CuMemGenericAllocationHandle = c_ulonglong;

/// `CUmemLocation`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CuMemLocation {
    /// What `id` is.
    pub type_: CuMemLocationType,
    /// A device's ordinal, say.
    pub id: c_int,
}

/// The unnamed struct in `CUmemAllocationProp`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CuMemAllocationPropFlags {
    /// `compressionType`
    pub compression_type: c_uchar,
    /// `gpuDirectRDMACapable`
    pub gpu_direct_rdma_capable: c_uchar,
    /// `usage`
    pub usage: c_ushort,
    /// `reserved`: zero.
    pub reserved: [c_uchar; 4],
}

/// `CUmemAllocationProp`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CuMemAllocationProp {
    /// `type`
    pub type_: CuMemAllocationType,
    /// `requestedHandleTypes`
    pub requested_handle_types: CuMemAllocationHandleType,
    /// `location`: whose memory.
    pub location: CuMemLocation,
    /// `win32HandleMetaData`: null but on Windows.
    pub win32_handle_meta_data: *mut c_void,
    /// `allocFlags`
    pub alloc_flags: CuMemAllocationPropFlags,
}

/// `CUmemAccessDesc`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CuMemAccessDesc {
    /// `location`: who accesses.
    pub location: CuMemLocation,
    /// `flags`: how.
    pub flags: CuMemAccessFlags,
}

impl CuMemLocation {
    /// A device.
    pub const fn device(ordinal: c_int) -> Self {
        Self { type_: CuMemLocationType::DEVICE, id: ordinal }
    }
}

impl CuMemAllocationProp {
    /// Memory of a device, with all else left to the driver.
    pub const fn of_device(ordinal: c_int) -> Self {
        Self {
            type_: CuMemAllocationType::PINNED,
            requested_handle_types: CuMemAllocationHandleType::NONE,
            location: CuMemLocation::device(ordinal),
            win32_handle_meta_data: core::ptr::null_mut(),
            alloc_flags: CuMemAllocationPropFlags {
                compression_type: 0,
                gpu_direct_rdma_capable: 0,
                usage: 0,
                reserved: [0; 4],
            },
        }
    }
}

assert_eq_size!(CuMemLocation, [c_uint; 2]);
assert_eq_align!(CuMemLocation, c_uint);
const_assert_eq!(offset_of!(CuMemLocation, id), 4);
assert_eq_size!(CuMemAllocationProp, [u64; 4]);
assert_eq_align!(CuMemAllocationProp, u64);
const_assert_eq!(offset_of!(CuMemAllocationProp, requested_handle_types), 4);
const_assert_eq!(offset_of!(CuMemAllocationProp, location), 8);
const_assert_eq!(offset_of!(CuMemAllocationProp, win32_handle_meta_data), 16);
const_assert_eq!(offset_of!(CuMemAllocationProp, alloc_flags), 24);
const_assert_eq!(offset_of!(CuMemAllocationPropFlags, usage), 2);
assert_eq_size!(CuMemAccessDesc, [c_uint; 3]);
const_assert_eq!(offset_of!(CuMemAccessDesc, flags), 8);

/// `cuMemGetAllocationGranularity`: sizes and addresses of such memory are multiples of this.
pub type MemGetAllocationGranularity = unsafe extern "C" fn(
    granularity: *mut usize,
    prop: *const CuMemAllocationProp,
    option: CuMemAllocationGranularityFlags,
) -> CuResult;
/// `cuMemAddressReserve`
pub type MemAddressReserve = unsafe extern "C" fn(
    address: *mut CuDevicePtr,
    size: usize,
    alignment: usize,
    wish: CuDevicePtr,
    flags: c_ulonglong,
) -> CuResult;
/// `cuMemAddressFree`
pub type MemAddressFree = unsafe extern "C" fn(address: CuDevicePtr, size: usize) -> CuResult;
/// `cuMemCreate`
pub type MemCreate = unsafe extern "C" fn(
    handle: *mut CuMemGenericAllocationHandle,
    size: usize,
    prop: *const CuMemAllocationProp,
    flags: c_ulonglong,
) -> CuResult;
/// `cuMemRelease`
pub type MemRelease = unsafe extern "C" fn(handle: CuMemGenericAllocationHandle) -> CuResult;
/// `cuMemMap`
pub type MemMap = unsafe extern "C" fn(
    address: CuDevicePtr,
    size: usize,
    offset: usize,
    handle: CuMemGenericAllocationHandle,
    flags: c_ulonglong,
) -> CuResult;
/// `cuMemUnmap`
pub type MemUnmap = unsafe extern "C" fn(address: CuDevicePtr, size: usize) -> CuResult;
/// `cuMemSetAccess`
pub type MemSetAccess = unsafe extern "C" fn(
    address: CuDevicePtr,
    size: usize,
    list: *const CuMemAccessDesc,
    count: usize,
) -> CuResult;
/// `cuMemGetAccess`
pub type MemGetAccess = unsafe extern "C" fn(
    flags: *mut c_ulonglong,
    location: *const CuMemLocation,
    address: CuDevicePtr,
) -> CuResult;
/// `cuMemRetainAllocationHandle`: the physical memory that is mapped at an address, which is to be released once more.
pub type MemRetainAllocationHandle =
    unsafe extern "C" fn(handle: *mut CuMemGenericAllocationHandle, address: *mut c_void) -> CuResult;
/// `cuPointerGetAttribute`
pub type PointerGetAttribute =
    unsafe extern "C" fn(value: *mut c_void, attribute: CuPointerAttribute, address: CuDevicePtr) -> CuResult;

/// The release that brought virtual memory, in this signature.
const VIRTUAL_MEMORY: c_uint = 10_020;

/// `cuMemGetAllocationGranularity`, as [`MemGetAllocationGranularity`].
pub const MEM_GET_ALLOCATION_GRANULARITY: Entry =
    Entry { name: c"cuMemGetAllocationGranularity", version: VIRTUAL_MEMORY };
/// `cuMemAddressReserve`, as [`MemAddressReserve`].
pub const MEM_ADDRESS_RESERVE: Entry = Entry { name: c"cuMemAddressReserve", version: VIRTUAL_MEMORY };
/// `cuMemAddressFree`, as [`MemAddressFree`].
pub const MEM_ADDRESS_FREE: Entry = Entry { name: c"cuMemAddressFree", version: VIRTUAL_MEMORY };
/// `cuMemCreate`, as [`MemCreate`].
pub const MEM_CREATE: Entry = Entry { name: c"cuMemCreate", version: VIRTUAL_MEMORY };
/// `cuMemRelease`, as [`MemRelease`].
pub const MEM_RELEASE: Entry = Entry { name: c"cuMemRelease", version: VIRTUAL_MEMORY };
/// `cuMemMap`, as [`MemMap`].
pub const MEM_MAP: Entry = Entry { name: c"cuMemMap", version: VIRTUAL_MEMORY };
/// `cuMemUnmap`, as [`MemUnmap`].
pub const MEM_UNMAP: Entry = Entry { name: c"cuMemUnmap", version: VIRTUAL_MEMORY };
/// `cuMemSetAccess`, as [`MemSetAccess`].
pub const MEM_SET_ACCESS: Entry = Entry { name: c"cuMemSetAccess", version: VIRTUAL_MEMORY };
/// `cuMemGetAccess`, as [`MemGetAccess`].
pub const MEM_GET_ACCESS: Entry = Entry { name: c"cuMemGetAccess", version: VIRTUAL_MEMORY };
/// `cuMemRetainAllocationHandle`, as [`MemRetainAllocationHandle`].
pub const MEM_RETAIN_ALLOCATION_HANDLE: Entry =
    Entry { name: c"cuMemRetainAllocationHandle", version: 11_000 };
/// `cuPointerGetAttribute`, as [`PointerGetAttribute`].
pub const POINTER_GET_ATTRIBUTE: Entry = Entry { name: c"cuPointerGetAttribute", version: 4_000 };
