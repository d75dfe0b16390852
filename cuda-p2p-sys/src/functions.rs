// The functions that are bound: the one list that the generator, the loader and the error texts share. A plain file
// without crate paths, because the build script includes it too.

/// One function of the CUDA runtime that this crate binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its C name, without a `_v2` that a header may add.
    pub name: &'static str,
    /// The CUDA release that brought it, as `(major, minor)`; `(12, 0)` for all that are older.
    pub since: (u32, u32),
    /// Whether a library without it is refused. Only what every release since 12.0 has and nothing works without.
    pub required: bool,
}

const fn required(name: &'static str) -> Function {
    Function { name, since: (12, 0), required: true }
}

const fn old(name: &'static str) -> Function {
    Function { name, since: (12, 0), required: false }
}

const fn since(major: u32, minor: u32, name: &'static str) -> Function {
    Function { name, since: (major, minor), required: false }
}

/// Every bound function, by topic.
pub const FUNCTIONS: &[Function] = &[
    // Versions and errors.
    required("cudaRuntimeGetVersion"),
    required("cudaDriverGetVersion"),
    required("cudaGetErrorName"),
    required("cudaGetErrorString"),
    required("cudaGetLastError"),
    required("cudaPeekAtLastError"),
    old("cudaGetDriverEntryPoint"),
    since(12, 5, "cudaGetDriverEntryPointByVersion"),
    // Devices.
    required("cudaGetDeviceCount"),
    required("cudaGetDevice"),
    required("cudaSetDevice"),
    required("cudaDeviceGetAttribute"),
    required("cudaDeviceSynchronize"),
    old("cudaDeviceReset"),
    old("cudaGetDeviceProperties"),
    old("cudaDeviceGetPCIBusId"),
    old("cudaDeviceGetByPCIBusId"),
    old("cudaDeviceGetLimit"),
    old("cudaDeviceSetLimit"),
    old("cudaGetDeviceFlags"),
    old("cudaSetDeviceFlags"),
    old("cudaSetValidDevices"),
    old("cudaChooseDevice"),
    old("cudaDeviceGetStreamPriorityRange"),
    old("cudaInitDevice"),
    // Peers.
    required("cudaDeviceCanAccessPeer"),
    required("cudaDeviceEnablePeerAccess"),
    required("cudaDeviceDisablePeerAccess"),
    required("cudaDeviceGetP2PAttribute"),
    since(13, 0, "cudaDeviceGetP2PAtomicCapabilities"),
    // Device memory.
    required("cudaMalloc"),
    required("cudaFree"),
    old("cudaMallocPitch"),
    old("cudaMalloc3D"),
    old("cudaMallocManaged"),
    required("cudaMemGetInfo"),
    required("cudaMemset"),
    required("cudaMemsetAsync"),
    old("cudaMemset2D"),
    old("cudaMemset2DAsync"),
    old("cudaMemset3D"),
    old("cudaMemset3DAsync"),
    // Copies.
    required("cudaMemcpy"),
    required("cudaMemcpyAsync"),
    old("cudaMemcpy2D"),
    old("cudaMemcpy2DAsync"),
    old("cudaMemcpy3D"),
    old("cudaMemcpy3DAsync"),
    required("cudaMemcpyPeer"),
    required("cudaMemcpyPeerAsync"),
    old("cudaMemcpy3DPeer"),
    old("cudaMemcpy3DPeerAsync"),
    // Host memory.
    required("cudaHostAlloc"),
    old("cudaMallocHost"),
    required("cudaFreeHost"),
    old("cudaHostRegister"),
    old("cudaHostUnregister"),
    old("cudaHostGetDevicePointer"),
    old("cudaHostGetFlags"),
    // Pointers.
    required("cudaPointerGetAttributes"),
    // Streams.
    old("cudaStreamCreate"),
    required("cudaStreamCreateWithFlags"),
    old("cudaStreamCreateWithPriority"),
    required("cudaStreamDestroy"),
    required("cudaStreamSynchronize"),
    required("cudaStreamQuery"),
    required("cudaStreamWaitEvent"),
    old("cudaStreamGetFlags"),
    old("cudaStreamGetPriority"),
    old("cudaStreamGetId"),
    since(12, 8, "cudaStreamGetDevice"),
    old("cudaLaunchHostFunc"),
    // Events.
    old("cudaEventCreate"),
    required("cudaEventCreateWithFlags"),
    required("cudaEventDestroy"),
    required("cudaEventRecord"),
    old("cudaEventRecordWithFlags"),
    required("cudaEventQuery"),
    required("cudaEventSynchronize"),
    required("cudaEventElapsedTime"),
    // Pools.
    old("cudaDeviceGetDefaultMemPool"),
    old("cudaDeviceGetMemPool"),
    old("cudaDeviceSetMemPool"),
    old("cudaMallocAsync"),
    old("cudaMallocFromPoolAsync"),
    old("cudaFreeAsync"),
    old("cudaMemPoolCreate"),
    old("cudaMemPoolDestroy"),
    old("cudaMemPoolSetAccess"),
    old("cudaMemPoolGetAccess"),
    old("cudaMemPoolSetAttribute"),
    old("cudaMemPoolGetAttribute"),
    old("cudaMemPoolTrimTo"),
    old("cudaMemPoolExportToShareableHandle"),
    old("cudaMemPoolImportFromShareableHandle"),
    old("cudaMemPoolExportPointer"),
    old("cudaMemPoolImportPointer"),
    // Sharing between processes.
    old("cudaIpcGetMemHandle"),
    old("cudaIpcOpenMemHandle"),
    old("cudaIpcCloseMemHandle"),
    old("cudaIpcGetEventHandle"),
    old("cudaIpcOpenEventHandle"),
    // Capture and graphs.
    old("cudaStreamBeginCapture"),
    old("cudaStreamEndCapture"),
    old("cudaStreamIsCapturing"),
    old("cudaThreadExchangeStreamCaptureMode"),
    old("cudaGraphCreate"),
    old("cudaGraphDestroy"),
    old("cudaGraphClone"),
    old("cudaGraphGetNodes"),
    old("cudaGraphNodeGetType"),
    old("cudaGraphAddEmptyNode"),
    old("cudaGraphAddKernelNode"),
    old("cudaGraphAddMemcpyNode"),
    old("cudaGraphAddMemcpyNode1D"),
    old("cudaGraphAddMemsetNode"),
    old("cudaGraphAddEventRecordNode"),
    old("cudaGraphAddEventWaitNode"),
    old("cudaGraphAddHostNode"),
    old("cudaGraphInstantiateWithFlags"),
    old("cudaGraphUpload"),
    old("cudaGraphLaunch"),
    old("cudaGraphExecUpdate"),
    old("cudaGraphExecDestroy"),
    old("cudaGraphExecKernelNodeSetParams"),
    old("cudaGraphExecMemcpyNodeSetParams1D"),
    old("cudaDeviceGraphMemTrim"),
    // Kernels.
    since(12, 8, "cudaLibraryLoadData"),
    since(12, 8, "cudaLibraryLoadFromFile"),
    since(12, 8, "cudaLibraryUnload"),
    since(12, 8, "cudaLibraryGetKernel"),
    since(12, 8, "cudaLibraryGetKernelCount"),
    since(12, 8, "cudaLibraryEnumerateKernels"),
    since(12, 8, "cudaLibraryGetGlobal"),
    since(12, 8, "cudaKernelSetAttributeForDevice"),
    required("cudaLaunchKernel"),
    old("cudaLaunchKernelExC"),
    old("cudaLaunchCooperativeKernel"),
    old("cudaFuncGetAttributes"),
    old("cudaFuncSetAttribute"),
    since(12, 3, "cudaFuncGetName"),
    since(12, 4, "cudaFuncGetParamInfo"),
    old("cudaOccupancyMaxActiveBlocksPerMultiprocessor"),
    old("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"),
];
