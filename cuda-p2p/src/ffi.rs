//! The raw names that this crate uses: the whole of its contact with `cuda-p2p-sys`, for review in one place.

pub(crate) use cuda_p2p_sys::driver;
pub(crate) use cuda_p2p_sys::functions::FUNCTIONS;
pub(crate) use cuda_p2p_sys::kernel_module::KernelModule;
#[cfg(any(feature = "link-shared", feature = "link-static"))]
pub(crate) use cuda_p2p_sys::linked;
pub(crate) use cuda_p2p_sys::linked::{Link, LinkError};
pub(crate) use cuda_p2p_sys::loaded::{self, LoadError};
pub(crate) use cuda_p2p_sys::{
    BOUND_VERSION, CudaRuntime, cudaDeviceAttr, cudaDeviceP2PAttr, cudaDeviceProp,
    cudaDriverEntryPointQueryResult, cudaError, cudaEvent_t, cudaEventDefault, cudaEventDisableTiming,
    cudaEventInterprocess, cudaExtent, cudaFuncAttribute, cudaGraph_t, cudaGraphExec_t,
    cudaGraphExecUpdateResult, cudaGraphExecUpdateResultInfo, cudaHostAllocPortable, cudaHostRegisterDefault,
    cudaIpcEventHandle_t, cudaIpcMemHandle_t, cudaIpcMemLazyEnablePeerAccess, cudaKernel_t, cudaLibrary_t,
    cudaMemAccessDesc, cudaMemAccessFlags, cudaMemAllocationHandleType, cudaMemAllocationType,
    cudaMemLocation, cudaMemLocationType, cudaMemPool_t, cudaMemPoolAttr, cudaMemPoolProps,
    cudaMemPoolPtrExportData, cudaMemcpy3DParms, cudaMemcpyKind, cudaMemoryType, cudaPitchedPtr,
    cudaPointerAttributes, cudaStream_t, cudaStreamCaptureMode, cudaStreamCaptureStatus, cudaStreamDefault,
    cudaStreamNonBlocking, dim3,
};
