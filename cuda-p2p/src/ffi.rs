//! The raw names that this crate uses: the whole of its contact with `cuda-p2p-sys`, for review in one place.

pub(crate) use cuda_p2p_sys::driver;
pub(crate) use cuda_p2p_sys::functions::FUNCTIONS;
pub(crate) use cuda_p2p_sys::kernel_module::KernelModule;
pub(crate) use cuda_p2p_sys::loaded::{self, LoadError};
pub(crate) use cuda_p2p_sys::{
    CudaRuntime, cudaDeviceAttr, cudaDeviceP2PAttr, cudaDeviceProp, cudaDriverEntryPointQueryResult,
    cudaError, cudaEvent_t, cudaEventDefault, cudaEventDisableTiming, cudaHostAllocPortable, cudaKernel_t,
    cudaLibrary_t, cudaMemcpyKind, cudaStream_t, cudaStreamCaptureMode, cudaStreamDefault,
    cudaStreamNonBlocking, dim3,
};
