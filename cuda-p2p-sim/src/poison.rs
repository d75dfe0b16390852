//! Which calls still work in a process whose kernel has faulted, which may not be made while a stream is captured, and which need
//! no context.
//!
//! These tables are what recordings of hardware are compared with.

/// Calls that answer as ever after a fault.
///
/// They are those that look at nothing which lives in a device's context.
const WORKS_AFTER_A_FAULT: &[&str] = &[
    "cudaDeviceCanAccessPeer",
    "cudaDeviceGetAttribute",
    "cudaDeviceGetByPCIBusId",
    "cudaDeviceGetDefaultMemPool",
    "cudaDeviceGetP2PAtomicCapabilities",
    "cudaDeviceGetP2PAttribute",
    "cudaDeviceGetPCIBusId",
    // Answers 0, and leaves devices that the process cannot use again: error 46.
    "cudaDeviceReset",
    "cudaDriverGetVersion",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetDeviceProperties",
    "cudaGetDriverEntryPoint",
    "cudaGetDriverEntryPointByVersion",
    "cudaMemPoolGetAccess",
    "cudaPointerGetAttributes",
    "cudaRuntimeGetVersion",
    "cudaSetDevice",
    "cudaThreadExchangeStreamCaptureMode",
];

/// Functions of the driver that answer as ever after a fault: what they deal with lives in no context.
const DRIVER_WORKS_AFTER_A_FAULT: &[&str] = &[
    "cuMemAddressFree",
    "cuMemAddressReserve",
    "cuMemCreate",
    "cuMemGetAccess",
    "cuMemGetAllocationGranularity",
    "cuMemRelease",
];

/// Calls that first look at their arguments, and answer with the fault's code only if nothing is wrong with those: a missing
/// place is error 1 and a stale stream 400 in a poisoned process too. Their bodies ask for the fault themselves.
const LOOKS_AT_ARGUMENTS_FIRST: &[&str] = &[
    "cudaDeviceEnablePeerAccess",
    "cudaEventRecord",
    "cudaEventRecordWithFlags",
    "cudaIpcOpenMemHandle",
    "cudaMalloc",
    "cudaStreamBeginCapture",
    "cudaStreamCreate",
    "cudaStreamCreateWithFlags",
    "cudaStreamCreateWithPriority",
    "cudaStreamDestroy",
    "cudaStreamEndCapture",
    "cudaStreamGetDevice",
    "cudaStreamGetFlags",
    "cudaStreamGetId",
    "cudaStreamGetPriority",
    "cudaStreamIsCapturing",
    "cudaStreamQuery",
    "cudaStreamSynchronize",
    "cudaStreamWaitEvent",
];

/// Calls that no thread may make while a stream is captured in global mode: error 900, and the capture is invalid.
///
/// They may wait for work on a device, or make work that a graph cannot hold. `cudaMemset` and `cudaMemcpyPeer` do neither. Those that look at one stream or event do so
/// first; they are `cudaStreamQuery`, `cudaStreamSynchronize`, `cudaEventQuery` and `cudaEventSynchronize`.
const UNSAFE_WHILE_CAPTURING: &[&str] = &[
    "cudaDeviceDisablePeerAccess",
    "cudaDeviceEnablePeerAccess",
    "cudaDeviceSetMemPool",
    "cudaDeviceSynchronize",
    "cudaFree",
    "cudaFreeHost",
    "cudaHostAlloc",
    "cudaHostRegister",
    "cudaHostUnregister",
    "cudaMalloc",
    "cudaMalloc3D",
    "cudaMallocHost",
    "cudaMallocPitch",
    "cudaMemPoolCreate",
    "cudaMemPoolDestroy",
    "cudaMemPoolGetAccess",
    "cudaMemPoolGetAttribute",
    "cudaMemPoolSetAccess",
    "cudaMemPoolSetAttribute",
    "cudaMemPoolTrimTo",
    "cudaMemcpy",
    "cudaMemcpy2D",
    "cudaMemcpy3D",
    "cudaMemcpy3DPeer",
    "cudaMemset2D",
    "cudaMemset3D",
];

/// Of these, the ones that work on the legacy stream. If that would wait for a blocking stream which is captured, the error
/// is 906; so it is for the two that are not listed.
const USES_THE_LEGACY_STREAM: &[&str] =
    &["cudaMemcpy", "cudaMemcpy2D", "cudaMemcpy3D", "cudaMemcpy3DPeer", "cudaMemset2D", "cudaMemset3D"];

/// Calls of the runtime that make no context current on the calling thread. `cudaSetDevice` makes one if it succeeds, and
/// `cudaDeviceReset` takes it away.
const NEEDS_NO_CONTEXT: &[&str] = &[
    "cudaDeviceCanAccessPeer",
    "cudaDeviceGetAttribute",
    "cudaDeviceGetByPCIBusId",
    "cudaDeviceGetDefaultMemPool",
    "cudaDeviceGetP2PAtomicCapabilities",
    "cudaDeviceGetP2PAttribute",
    "cudaDeviceGetPCIBusId",
    "cudaDeviceReset",
    "cudaDriverGetVersion",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetDeviceProperties",
    "cudaGetDriverEntryPoint",
    "cudaGetDriverEntryPointByVersion",
    "cudaLibraryEnumerateKernels",
    "cudaLibraryGetKernel",
    "cudaLibraryGetKernelCount",
    "cudaLibraryLoadData",
    "cudaLibraryUnload",
    "cudaMemPoolGetAccess",
    "cudaPointerGetAttributes",
    "cudaRuntimeGetVersion",
    "cudaSetDevice",
    "cudaThreadExchangeStreamCaptureMode",
];

fn lists(list: &[&str], call: &str) -> bool {
    list.binary_search(&call).is_ok()
}

/// Whether the call answers with the code of the fault before it looks at anything.
pub(crate) fn fails_at_once(call: &str) -> bool {
    ![WORKS_AFTER_A_FAULT, DRIVER_WORKS_AFTER_A_FAULT, LOOKS_AT_ARGUMENTS_FIRST]
        .iter()
        .any(|list| lists(list, call))
}

pub(crate) fn unsafe_while_capturing(call: &str) -> bool {
    lists(UNSAFE_WHILE_CAPTURING, call)
}

pub(crate) fn uses_the_legacy_stream(call: &str) -> bool {
    lists(USES_THE_LEGACY_STREAM, call)
}

pub(crate) fn needs_no_context(call: &str) -> bool {
    lists(NEEDS_NO_CONTEXT, call)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_name_bound_functions() {
        let all = [
            WORKS_AFTER_A_FAULT,
            LOOKS_AT_ARGUMENTS_FIRST,
            UNSAFE_WHILE_CAPTURING,
            USES_THE_LEGACY_STREAM,
            NEEDS_NO_CONTEXT,
        ];
        assert!(DRIVER_WORKS_AFTER_A_FAULT.is_sorted(), "it is searched by halves");
        for list in all {
            assert!(list.is_sorted(), "they are searched by halves");
            for name in list {
                let bound = cuda_p2p_sys::functions::FUNCTIONS.iter().any(|function| function.name == *name);
                assert!(bound, "{name} is no bound function");
            }
        }
    }

    #[test]
    fn the_lists_agree() {
        assert!(!LOOKS_AT_ARGUMENTS_FIRST.iter().any(|call| lists(WORKS_AFTER_A_FAULT, call)));
        assert!(USES_THE_LEGACY_STREAM.iter().all(|call| lists(UNSAFE_WHILE_CAPTURING, call)));
    }
}
