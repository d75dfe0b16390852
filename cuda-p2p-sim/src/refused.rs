//! Functions that are bound but not modelled: each answers error 801 and sets the last error.

use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;

use cuda_p2p_sys::functions::FUNCTIONS;
use cuda_p2p_sys::{CudaRuntime, cudaError_t, cudaStream_t};

use crate::call::{call, not_supported};
use crate::error::code;

/// A type of functions, of which there is one that refuses every call. `NAME` is the place of its name in [`FUNCTIONS`].
///
/// So the type of each entry is the one that the bindings have, whatever the release of the headers that they came from.
trait Refusing<const NAME: usize> {
    const ENTRY: Self;
}

macro_rules! refusing {
    ($($function:ident($($parameter:ident),*);)*) => {
        $(
            unsafe extern "C" fn $function<const NAME: usize, $($parameter),*>($(_: $parameter),*) -> cudaError_t {
                not_supported(FUNCTIONS[NAME].name)
            }

            impl<const NAME: usize, $($parameter),*> Refusing<NAME>
                for unsafe extern "C" fn($($parameter),*) -> cudaError_t
            {
                const ENTRY: Self = $function::<NAME, $($parameter),*>;
            }
        )*
    };
}

refusing! {
    refuse_0();
    refuse_1(A);
    refuse_2(A, B);
    refuse_3(A, B, C);
    refuse_4(A, B, C, D);
    refuse_5(A, B, C, D, E);
    refuse_6(A, B, C, D, E, F);
    refuse_7(A, B, C, D, E, F, G);
    refuse_8(A, B, C, D, E, F, G, H);
}

/// The place of a function in [`FUNCTIONS`]. What is not there does not compile.
const fn place(name: &str) -> usize {
    let (name, mut place) = (name.as_bytes(), 0);
    loop {
        let other = FUNCTIONS[place].name.as_bytes();
        let mut same = 0;
        while same < name.len() && same < other.len() && name[same] == other[same] {
            same += 1;
        }
        if same == name.len() && same == other.len() {
            return place;
        }
        place += 1;
    }
}

macro_rules! refused {
    ($($name:ident,)*) => {
        /// Enters those that every release since 12.0 has into the table.
        pub(crate) fn fill(table: &mut CudaRuntime) {
            $(table.$name = Some(<_ as Refusing<{ place(stringify!($name)) }>>::ENTRY);)*
        }
    };
}

refused! {
    cudaChooseDevice,
    cudaCtxResetPersistingL2Cache,
    cudaDeviceFlushGPUDirectRDMAWrites,
    cudaDeviceGetGraphMemAttribute,
    cudaDeviceSetGraphMemAttribute,
    cudaFuncSetCacheConfig,
    cudaGraphAddChildGraphNode,
    cudaGraphAddDependencies,
    cudaGraphAddEmptyNode,
    cudaGraphAddEventRecordNode,
    cudaGraphAddEventWaitNode,
    cudaGraphAddHostNode,
    cudaGraphAddKernelNode,
    cudaGraphAddMemAllocNode,
    cudaGraphAddMemFreeNode,
    cudaGraphAddMemcpyNode,
    cudaGraphAddMemcpyNode1D,
    cudaGraphAddMemsetNode,
    cudaGraphChildGraphNodeGetGraph,
    cudaGraphCreate,
    cudaGraphDebugDotPrint,
    cudaGraphDestroyNode,
    cudaGraphEventRecordNodeGetEvent,
    cudaGraphEventRecordNodeSetEvent,
    cudaGraphEventWaitNodeGetEvent,
    cudaGraphEventWaitNodeSetEvent,
    cudaGraphExecChildGraphNodeSetParams,
    cudaGraphExecEventRecordNodeSetEvent,
    cudaGraphExecEventWaitNodeSetEvent,
    cudaGraphExecGetFlags,
    cudaGraphExecHostNodeSetParams,
    cudaGraphExecKernelNodeSetParams,
    cudaGraphExecMemcpyNodeSetParams,
    cudaGraphExecMemcpyNodeSetParams1D,
    cudaGraphExecMemsetNodeSetParams,
    cudaGraphGetEdges,
    cudaGraphGetRootNodes,
    cudaGraphHostNodeGetParams,
    cudaGraphHostNodeSetParams,
    cudaGraphInstantiate,
    cudaGraphInstantiateWithParams,
    cudaGraphKernelNodeCopyAttributes,
    cudaGraphKernelNodeGetAttribute,
    cudaGraphKernelNodeGetParams,
    cudaGraphKernelNodeSetAttribute,
    cudaGraphKernelNodeSetParams,
    cudaGraphMemAllocNodeGetParams,
    cudaGraphMemFreeNodeGetParams,
    cudaGraphMemcpyNodeGetParams,
    cudaGraphMemcpyNodeSetParams,
    cudaGraphMemcpyNodeSetParams1D,
    cudaGraphMemsetNodeGetParams,
    cudaGraphMemsetNodeSetParams,
    cudaGraphNodeFindInClone,
    cudaGraphNodeGetDependencies,
    cudaGraphNodeGetDependentNodes,
    cudaGraphNodeGetEnabled,
    cudaGraphNodeSetEnabled,
    cudaGraphReleaseUserObject,
    cudaGraphRemoveDependencies,
    cudaGraphRetainUserObject,
    cudaLaunchCooperativeKernel,
    cudaMallocManaged,
    cudaMemAdvise,
    cudaMemPrefetchAsync,
    cudaMemRangeGetAttribute,
    cudaMemRangeGetAttributes,
    cudaOccupancyAvailableDynamicSMemPerBlock,
    cudaOccupancyMaxActiveClusters,
    cudaOccupancyMaxPotentialClusterSize,
    cudaSetValidDevices,
    cudaStreamAttachMemAsync,
    cudaStreamCopyAttributes,
    cudaStreamGetAttribute,
    cudaStreamGetCaptureInfo,
    cudaStreamSetAttribute,
    cudaStreamUpdateCaptureDependencies,
    cudaUserObjectCreate,
    cudaUserObjectRelease,
    cudaUserObjectRetain,
}

macro_rules! newer {
    ($($name:ident($($parameter:ty),*);)*) => {
        /// The address of one that came after 12.0, and that the headers may lack. Its parameters are of the same layout in
        /// every release.
        pub(crate) fn newer(name: &CStr) -> Option<NonNull<c_void>> {
            $(if name.to_bytes() == stringify!($name).as_bytes() {
                type Function = unsafe extern "C" fn($($parameter),*) -> cudaError_t;
                return NonNull::new(<Function as Refusing<{ place(stringify!($name)) }>>::ENTRY as *mut c_void);
            })*
            None
        }
    };
}

/// A pointer to anything.
type Place = *mut c_void;

newer! {
    cudaDeviceGetHostAtomicCapabilities(Place, Place, c_uint, c_int);
    cudaDeviceRegisterAsyncNotification(c_int, Place, Place, Place);
    cudaDeviceUnregisterAsyncNotification(c_int, Place);
    cudaLibraryGetGlobal(Place, Place, Place, Place);
    cudaLibraryGetManaged(Place, Place, Place, Place);
    cudaLibraryGetUnifiedFunction(Place, Place, Place);
    cudaMemDiscardAndPrefetchBatchAsync(Place, Place, usize, Place, Place, usize, c_ulonglong, cudaStream_t);
    cudaMemDiscardBatchAsync(Place, Place, usize, c_ulonglong, cudaStream_t);
    cudaMemGetDefaultMemPool(Place, Place, c_uint);
    cudaMemGetMemPool(Place, Place, c_uint);
    cudaMemPrefetchBatchAsync(Place, Place, usize, Place, Place, usize, c_ulonglong, cudaStream_t);
    cudaMemSetMemPool(Place, c_uint, Place);
    cudaMemcpy3DBatchAsync(usize, Place, c_ulonglong, cudaStream_t);
    cudaMemcpyBatchAsync(Place, Place, Place, usize, Place, Place, usize, cudaStream_t);
    cudaStreamBeginCaptureToGraph(cudaStream_t, Place, Place, Place, usize, c_uint);
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
