//! The driver's functions for virtual memory and for questions about addresses, and calls of them in the forms of `calls`.

use std::ffi::c_void;
use std::mem::transmute;

use cuda_p2p_sys::cudaError_t;
use cuda_p2p_sys::driver::{
    self, CuDevicePtr, CuMemAccessDesc, CuMemAccessFlags, CuMemAllocationProp, CuMemGenericAllocationHandle,
    CuMemLocation, CuPointerAttribute, CuResult, Entry,
};

use crate::context::{Cx, Want};
use crate::driver::{address, code_of};

/// What memory is mapped in, on every machine so far: 2 MiB.
pub(crate) const PART: usize = 2 << 20;

macro_rules! functions {
    ($($name:ident: $type:ident = $entry:ident;)*) => {
        /// The functions, by their C names.
        #[derive(Clone, Copy, Debug)]
        #[expect(non_snake_case, reason = "the names are C's")]
        pub(crate) struct Functions {
            $(pub(crate) $name: driver::$type,)*
        }

        impl Functions {
            /// Asks for them.
            ///
            /// # Panics
            /// If one is not there.
            pub(crate) fn of(cx: &Cx) -> Self {
                let ask = |entry: Entry| -> *mut c_void {
                    address(cx.table, entry).unwrap_or_else(|| panic!("the driver lacks {:?}", entry.name))
                };
                // SAFETY: each was asked for by the name and the version of that signature.
                unsafe { Self { $($name: transmute::<*mut c_void, driver::$type>(ask(driver::$entry)),)* } }
            }
        }
    };
}

functions! {
    cuMemGetAllocationGranularity: MemGetAllocationGranularity = MEM_GET_ALLOCATION_GRANULARITY;
    cuMemAddressReserve: MemAddressReserve = MEM_ADDRESS_RESERVE;
    cuMemAddressFree: MemAddressFree = MEM_ADDRESS_FREE;
    cuMemCreate: MemCreate = MEM_CREATE;
    cuMemRelease: MemRelease = MEM_RELEASE;
    cuMemRetainAllocationHandle: MemRetainAllocationHandle = MEM_RETAIN_ALLOCATION_HANDLE;
    cuMemMap: MemMap = MEM_MAP;
    cuMemUnmap: MemUnmap = MEM_UNMAP;
    cuMemSetAccess: MemSetAccess = MEM_SET_ACCESS;
    cuMemGetAccess: MemGetAccess = MEM_GET_ACCESS;
    cuPointerGetAttribute: PointerGetAttribute = POINTER_GET_ATTRIBUTE;
}

/// A call of the driver must answer this code: `told!(cx, vm.cuMemUnmap(at, PART), 0)`. It leaves the last error alone.
macro_rules! told {
    ($cx:ident, $vm:ident.$function:ident($($argument:expr),* $(,)?), $code:expr) => {{
        let text = concat!(stringify!($function), "(", stringify!($($argument),*), ")");
        $cx.trying(text);
        // SAFETY: the arguments are valid for the call, or wrong in a way that the driver itself has to answer for.
        let status = unsafe { ($vm.$function)($($argument),*) };
        $cx.driver_answered(text, status, $code)
    }};
}
pub(crate) use told;

/// Physical memory of a device.
pub(crate) fn memory_of(device: i32) -> CuMemAllocationProp {
    CuMemAllocationProp::of_device(device)
}

/// Reading and writing by a device.
pub(crate) fn open_to(device: i32) -> CuMemAccessDesc {
    access_of(device, CuMemAccessFlags::READ_WRITE)
}

pub(crate) fn access_of(device: i32, flags: CuMemAccessFlags) -> CuMemAccessDesc {
    CuMemAccessDesc { location: CuMemLocation::device(device), flags }
}

impl Cx {
    /// A driver's answer, which must be this code.
    pub(crate) fn driver_answered(&self, call: &str, status: CuResult, code: u32) -> cudaError_t {
        self.answered(call, code_of(status), Want::Code(code))
    }

    /// Addresses for so many parts.
    pub(crate) fn reserve(&self, vm: &Functions, parts: usize) -> CuDevicePtr {
        let (cx, mut at) = (self, 0);
        told!(cx, vm.cuMemAddressReserve(&mut at, parts * PART, 0, 0, 0), 0);
        at
    }

    /// Memory of a device of so many parts.
    pub(crate) fn physical(&self, vm: &Functions, device: i32, parts: usize) -> CuMemGenericAllocationHandle {
        let (cx, mut handle, prop) = (self, 0, memory_of(device));
        told!(cx, vm.cuMemCreate(&mut handle, parts * PART, &prop, 0), 0);
        handle
    }

    /// Maps one part of a device's memory at an address, opened to these devices; the range keeps it.
    pub(crate) fn map_part(&self, vm: &Functions, at: CuDevicePtr, device: i32, opened_to: &[i32]) {
        let (cx, handle) = (self, self.physical(vm, device, 1));
        told!(cx, vm.cuMemMap(at, PART, 0, handle, 0), 0);
        told!(cx, vm.cuMemRelease(handle), 0);
        for &accessor in opened_to {
            let access = open_to(accessor);
            told!(cx, vm.cuMemSetAccess(at, PART, &access, 1), 0);
        }
    }

    /// Demands what `cuMemGetAccess` says of a device.
    pub(crate) fn has_access(&self, vm: &Functions, at: CuDevicePtr, device: i32, want: u64) {
        let (cx, mut flags, place) = (self, 99, CuMemLocation::device(device));
        told!(cx, vm.cuMemGetAccess(&mut flags, &place, at), 0);
        cx.value(&format!("access of device {device}"), flags, want);
    }

    /// One attribute of an address, 64 bits or fewer.
    pub(crate) fn attribute(&self, vm: &Functions, at: *const c_void, attribute: u32, code: u32) -> u64 {
        let (cx, mut value, at) = (self, 0_u64, at.addr() as u64);
        let (place, attribute) =
            (std::ptr::from_mut(&mut value).cast::<c_void>(), CuPointerAttribute(attribute));
        told!(cx, vm.cuPointerGetAttribute(place, attribute, at), code);
        value
    }
}

/// An address as the runtime takes it.
pub(crate) fn pointer(at: CuDevicePtr) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(at as usize)
}
