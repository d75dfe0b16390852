//! Functions that are bound but not modelled: each answers error 801 and sets the last error.

use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cuda_p2p_sys::{
    CudaRuntime, cudaDeviceProp, cudaError_t, cudaEvent_t, cudaGraph_t, cudaGraphExec_t,
    cudaGraphExecUpdateResultInfo, cudaGraphNode_t, cudaHostNodeParams, cudaIpcEventHandle_t,
    cudaIpcMemHandle_t, cudaKernelNodeParams, cudaMemAllocationHandleType, cudaMemPool_t,
    cudaMemPoolPtrExportData, cudaMemcpy3DParms, cudaMemcpyKind, cudaMemsetParams, cudaStream_t, dim3,
};

use crate::call::{Out, call, not_supported};
use crate::error::code;
use crate::memory::{Record, Sort};

macro_rules! refused {
    ($($name:ident($($parameter:ty),* $(,)?);)*) => {
        $(
            #[expect(non_snake_case, reason = "the C name, which the table and the error seam use")]
            unsafe extern "C" fn $name($(_: $parameter),*) -> cudaError_t {
                not_supported(stringify!($name))
            }
        )*

        /// Enters them into the table.
        pub(crate) fn fill(table: &mut CudaRuntime) {
            $(table.$name = Some($name);)*
        }
    };
}

refused! {
    cudaChooseDevice(*mut c_int, *const cudaDeviceProp);
    cudaGraphAddEmptyNode(*mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize);
    cudaGraphAddEventRecordNode(*mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, cudaEvent_t);
    cudaGraphAddEventWaitNode(*mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, cudaEvent_t);
    cudaGraphAddHostNode(*mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, *const cudaHostNodeParams);
    cudaGraphAddKernelNode(*mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, *const cudaKernelNodeParams);
    cudaGraphAddMemcpyNode(*mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, *const cudaMemcpy3DParms);
    cudaGraphAddMemcpyNode1D(*mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, *mut c_void, *const c_void, usize, cudaMemcpyKind);
    cudaGraphAddMemsetNode(*mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, *const cudaMemsetParams);
    cudaGraphCreate(*mut cudaGraph_t, c_uint);
    cudaGraphExecKernelNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, *const cudaKernelNodeParams);
    cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t, cudaGraphNode_t, *mut c_void, *const c_void, usize, cudaMemcpyKind);
    cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, *mut cudaGraphExecUpdateResultInfo);
    cudaIpcCloseMemHandle(*mut c_void);
    cudaIpcGetEventHandle(*mut cudaIpcEventHandle_t, cudaEvent_t);
    cudaIpcOpenEventHandle(*mut cudaEvent_t, cudaIpcEventHandle_t);
    cudaIpcOpenMemHandle(*mut *mut c_void, cudaIpcMemHandle_t, c_uint);
    cudaLaunchCooperativeKernel(*const c_void, dim3, dim3, *mut *mut c_void, usize, cudaStream_t);
    cudaMallocManaged(*mut *mut c_void, usize, c_uint);
    cudaMemPoolExportPointer(*mut cudaMemPoolPtrExportData, *mut c_void);
    cudaMemPoolExportToShareableHandle(*mut c_void, cudaMemPool_t, cudaMemAllocationHandleType, c_uint);
    cudaMemPoolImportFromShareableHandle(*mut cudaMemPool_t, *mut c_void, cudaMemAllocationHandleType, c_uint);
    cudaMemPoolImportPointer(*mut *mut c_void, cudaMemPool_t, *mut cudaMemPoolPtrExportData);
    cudaSetValidDevices(*mut c_int, c_int);
}

/// `cudaIpcGetMemHandle`. What is no memory of `cudaMalloc` has no handle on hardware either: error 1.
pub(crate) unsafe extern "C" fn ipc_get_mem_handle(
    handle: *mut cudaIpcMemHandle_t,
    place: *mut c_void,
) -> cudaError_t {
    call("cudaIpcGetMemHandle", |machine| {
        // SAFETY: the C contract: null, or a place for one handle, which is not written.
        unsafe { Out::new(handle) }?;
        match machine.lock().memory.containing(place.addr()) {
            Some((_, Record { sort: Sort::Plain, .. })) => Err(code::NOT_SUPPORTED),
            _ => Err(code::INVALID_VALUE),
        }
    })
}

/// `cudaLibraryGetGlobal`; not in the headers of every release.
pub(crate) unsafe extern "C" fn library_get_global(
    _: *mut *mut c_void,
    _: *mut usize,
    _: *mut c_void,
    _: *const c_char,
) -> cudaError_t {
    not_supported("cudaLibraryGetGlobal")
}

/// `cudaLibraryLoadFromFile`; not in the headers of every release. A file that is not there is error 301.
pub(crate) unsafe extern "C" fn library_load_from_file(
    library: *mut *mut c_void,
    name: *const c_char,
    _: *mut c_uint,
    _: *mut *mut c_void,
    _: c_uint,
    _: *mut c_uint,
    _: *mut *mut c_void,
    _: c_uint,
) -> cudaError_t {
    call("cudaLibraryLoadFromFile", |_| {
        if library.is_null() || name.is_null() {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: the C contract: a string that ends with NUL.
        let name = unsafe { CStr::from_ptr(name) };
        let there = Path::new(OsStr::from_bytes(name.to_bytes())).is_file();
        Err(if there { code::NOT_SUPPORTED } else { code::FILE_NOT_FOUND })
    })
}
