//! Status codes: the short form that the crate's functions return, and the runtime's names and texts.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char};
use std::sync::LazyLock;

use cuda_p2p_sys::cudaError_t;

/// What the body of a call gives: success, or the code that the caller gets.
pub(crate) type Answer<T = ()> = Result<T, cudaError_t>;

/// The codes that this crate answers with, under short names.
pub(crate) mod code {
    use cuda_p2p_sys::{cudaError, cudaError_t};

    pub(crate) const INVALID_VALUE: cudaError_t = cudaError::cudaErrorInvalidValue;
    pub(crate) const OUT_OF_MEMORY: cudaError_t = cudaError::cudaErrorMemoryAllocation;
    pub(crate) const INITIALIZATION: cudaError_t = cudaError::cudaErrorInitializationError;
    pub(crate) const INVALID_PITCH: cudaError_t = cudaError::cudaErrorInvalidPitchValue;
    pub(crate) const INVALID_DIRECTION: cudaError_t = cudaError::cudaErrorInvalidMemcpyDirection;
    pub(crate) const DEVICES_UNAVAILABLE: cudaError_t = cudaError::cudaErrorDevicesUnavailable;
    pub(crate) const INVALID_FUNCTION: cudaError_t = cudaError::cudaErrorInvalidDeviceFunction;
    pub(crate) const INVALID_DEVICE: cudaError_t = cudaError::cudaErrorInvalidDevice;
    pub(crate) const INVALID_IMAGE: cudaError_t = cudaError::cudaErrorInvalidKernelImage;
    pub(crate) const NO_CONTEXT: cudaError_t = cudaError::cudaErrorDeviceUninitialized;
    pub(crate) const MAP_FAILED: cudaError_t = cudaError::cudaErrorMapBufferObjectFailed;
    pub(crate) const INVALID_CONFIGURATION: cudaError_t = cudaError::cudaErrorInvalidConfiguration;
    pub(crate) const NO_KERNEL_IMAGE: cudaError_t = cudaError::cudaErrorNoKernelImageForDevice;
    pub(crate) const UNSUPPORTED_LIMIT: cudaError_t = cudaError::cudaErrorUnsupportedLimit;
    pub(crate) const PEER_UNSUPPORTED: cudaError_t = cudaError::cudaErrorPeerAccessUnsupported;
    pub(crate) const FILE_NOT_FOUND: cudaError_t = cudaError::cudaErrorFileNotFound;
    pub(crate) const INVALID_HANDLE: cudaError_t = cudaError::cudaErrorInvalidResourceHandle;
    pub(crate) const ILLEGAL_STATE: cudaError_t = cudaError::cudaErrorIllegalState;
    pub(crate) const SYMBOL_NOT_FOUND: cudaError_t = cudaError::cudaErrorSymbolNotFound;
    pub(crate) const NOT_READY: cudaError_t = cudaError::cudaErrorNotReady;
    pub(crate) const ILLEGAL_ADDRESS: cudaError_t = cudaError::cudaErrorIllegalAddress;
    pub(crate) const LAUNCH_FAILURE: cudaError_t = cudaError::cudaErrorLaunchFailure;
    pub(crate) const OUT_OF_RESOURCES: cudaError_t = cudaError::cudaErrorLaunchOutOfResources;
    pub(crate) const PEER_ALREADY_ENABLED: cudaError_t = cudaError::cudaErrorPeerAccessAlreadyEnabled;
    pub(crate) const PEER_NOT_ENABLED: cudaError_t = cudaError::cudaErrorPeerAccessNotEnabled;
    pub(crate) const TOO_MANY_PEERS: cudaError_t = cudaError::cudaErrorTooManyPeers;
    pub(crate) const ALREADY_REGISTERED: cudaError_t = cudaError::cudaErrorHostMemoryAlreadyRegistered;
    pub(crate) const NOT_REGISTERED: cudaError_t = cudaError::cudaErrorHostMemoryNotRegistered;
    pub(crate) const NOT_PERMITTED: cudaError_t = cudaError::cudaErrorNotPermitted;
    pub(crate) const NOT_SUPPORTED: cudaError_t = cudaError::cudaErrorNotSupported;
    pub(crate) const CAPTURE_UNSUPPORTED: cudaError_t = cudaError::cudaErrorStreamCaptureUnsupported;
    pub(crate) const CAPTURE_INVALIDATED: cudaError_t = cudaError::cudaErrorStreamCaptureInvalidated;
    pub(crate) const CAPTURE_MERGE: cudaError_t = cudaError::cudaErrorStreamCaptureMerge;
    pub(crate) const CAPTURE_UNMATCHED: cudaError_t = cudaError::cudaErrorStreamCaptureUnmatched;
    pub(crate) const CAPTURE_UNJOINED: cudaError_t = cudaError::cudaErrorStreamCaptureUnjoined;
    pub(crate) const CAPTURE_ISOLATION: cudaError_t = cudaError::cudaErrorStreamCaptureIsolation;
    pub(crate) const CAPTURE_IMPLICIT: cudaError_t = cudaError::cudaErrorStreamCaptureImplicit;
    pub(crate) const CAPTURED_EVENT: cudaError_t = cudaError::cudaErrorCapturedEvent;
    pub(crate) const CAPTURE_WRONG_THREAD: cudaError_t = cudaError::cudaErrorStreamCaptureWrongThread;
    pub(crate) const UPDATE_FAILURE: cudaError_t = cudaError::cudaErrorGraphExecUpdateFailure;
    pub(crate) const UNKNOWN: cudaError_t = cudaError::cudaErrorUnknown;
}

/// Number, name, and the text of `cudaGetErrorString`. The text is empty for codes that no simulated machine answers.
///
/// By number, so that the list does not depend on the release of the headers.
const CODES: &[(u32, &str, &str)] = &[
    (0, "cudaSuccess", "no error"),
    (1, "cudaErrorInvalidValue", "invalid argument"),
    (2, "cudaErrorMemoryAllocation", "out of memory"),
    (3, "cudaErrorInitializationError", "initialization error"),
    (4, "cudaErrorCudartUnloading", "driver shutting down"),
    (9, "cudaErrorInvalidConfiguration", "invalid configuration argument"),
    (12, "cudaErrorInvalidPitchValue", "invalid pitch argument"),
    (13, "cudaErrorInvalidSymbol", "invalid device symbol"),
    (21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"),
    (34, "cudaErrorStubLibrary", ""),
    (35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"),
    (36, "cudaErrorCallRequiresNewerDriver", ""),
    (46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"),
    (49, "cudaErrorIncompatibleDriverContext", ""),
    (53, "cudaErrorPriorLaunchFailure", ""),
    (98, "cudaErrorInvalidDeviceFunction", "invalid device function"),
    (100, "cudaErrorNoDevice", "no CUDA-capable device is detected"),
    (101, "cudaErrorInvalidDevice", "invalid device ordinal"),
    (102, "cudaErrorDeviceNotLicensed", ""),
    (103, "cudaErrorSoftwareValidityNotEstablished", ""),
    (127, "cudaErrorStartupFailure", ""),
    (200, "cudaErrorInvalidKernelImage", "device kernel image is invalid"),
    (201, "cudaErrorDeviceUninitialized", "invalid device context"),
    (205, "cudaErrorMapBufferObjectFailed", "mapping of buffer object failed"),
    (206, "cudaErrorUnmapBufferObjectFailed", "unmapping of buffer object failed"),
    (207, "cudaErrorArrayIsMapped", ""),
    (208, "cudaErrorAlreadyMapped", ""),
    (209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"),
    (210, "cudaErrorAlreadyAcquired", ""),
    (211, "cudaErrorNotMapped", ""),
    (212, "cudaErrorNotMappedAsArray", ""),
    (213, "cudaErrorNotMappedAsPointer", ""),
    (214, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"),
    (215, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"),
    (216, "cudaErrorDeviceAlreadyInUse", ""),
    (217, "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"),
    (218, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"),
    (219, "cudaErrorInvalidGraphicsContext", ""),
    (220, "cudaErrorNvlinkUncorrectable", "uncorrectable NVLink error detected during the execution"),
    (221, "cudaErrorJitCompilerNotFound", ""),
    (222, "cudaErrorUnsupportedPtxVersion", "the provided PTX was compiled with an unsupported toolchain."),
    (223, "cudaErrorJitCompilationDisabled", ""),
    (224, "cudaErrorUnsupportedExecAffinity", ""),
    (225, "cudaErrorUnsupportedDevSideSync", ""),
    (226, "cudaErrorContained", ""),
    (300, "cudaErrorInvalidSource", "device kernel image is invalid"),
    (301, "cudaErrorFileNotFound", "file not found"),
    (302, "cudaErrorSharedObjectSymbolNotFound", "shared object symbol not found"),
    (303, "cudaErrorSharedObjectInitFailed", "shared object initialization failed"),
    (304, "cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS"),
    (400, "cudaErrorInvalidResourceHandle", "invalid resource handle"),
    (401, "cudaErrorIllegalState", "the operation cannot be performed in the present state"),
    (402, "cudaErrorLossyQuery", ""),
    (500, "cudaErrorSymbolNotFound", "named symbol not found"),
    (600, "cudaErrorNotReady", "device not ready"),
    (700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"),
    (701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"),
    (702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"),
    (703, "cudaErrorLaunchIncompatibleTexturing", ""),
    (704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"),
    (705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"),
    (708, "cudaErrorSetOnActiveProcess", "cannot set while device is active in this process"),
    (709, "cudaErrorContextIsDestroyed", "context is destroyed"),
    (710, "cudaErrorAssert", "device-side assert triggered"),
    (711, "cudaErrorTooManyPeers", "peer mapping resources exhausted"),
    (
        712,
        "cudaErrorHostMemoryAlreadyRegistered",
        "part or all of the requested memory range is already mapped",
    ),
    (713, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"),
    (714, "cudaErrorHardwareStackError", "hardware stack error"),
    (715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"),
    (716, "cudaErrorMisalignedAddress", "misaligned address"),
    (717, "cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space"),
    (718, "cudaErrorInvalidPc", "invalid program counter"),
    (719, "cudaErrorLaunchFailure", "unspecified launch failure"),
    (720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"),
    (721, "cudaErrorTensorMemoryLeak", ""),
    (800, "cudaErrorNotPermitted", "operation not permitted"),
    (801, "cudaErrorNotSupported", "operation not supported"),
    (802, "cudaErrorSystemNotReady", "system not yet initialized"),
    (803, "cudaErrorSystemDriverMismatch", "system has unsupported display driver / cuda driver combination"),
    (804, "cudaErrorCompatNotSupportedOnDevice", "forward compatibility was attempted on non supported HW"),
    (805, "cudaErrorMpsConnectionFailed", ""),
    (806, "cudaErrorMpsRpcFailure", ""),
    (807, "cudaErrorMpsServerNotReady", ""),
    (808, "cudaErrorMpsMaxClientsReached", ""),
    (809, "cudaErrorMpsMaxConnectionsReached", ""),
    (810, "cudaErrorMpsClientTerminated", ""),
    (811, "cudaErrorCdpNotSupported", ""),
    (812, "cudaErrorCdpVersionMismatch", ""),
    (900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"),
    (901, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"),
    (902, "cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"),
    (903, "cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"),
    (904, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"),
    (905, "cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"),
    (
        906,
        "cudaErrorStreamCaptureImplicit",
        "operation would make the legacy stream depend on a capturing blocking stream",
    ),
    (
        907,
        "cudaErrorCapturedEvent",
        "operation not permitted on an event last recorded in a capturing stream",
    ),
    (
        908,
        "cudaErrorStreamCaptureWrongThread",
        "attempt to terminate a thread-local capture sequence from another thread",
    ),
    (909, "cudaErrorTimeout", "wait operation timed out"),
    (
        910,
        "cudaErrorGraphExecUpdateFailure",
        "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update",
    ),
    (911, "cudaErrorExternalDevice", ""),
    (912, "cudaErrorInvalidClusterSize", ""),
    (913, "cudaErrorFunctionNotLoaded", ""),
    (914, "cudaErrorInvalidResourceType", ""),
    (915, "cudaErrorInvalidResourceConfiguration", ""),
    (999, "cudaErrorUnknown", "unknown error"),
];

/// Whether this is the number of an error.
pub(crate) fn is_failure(number: u32) -> bool {
    number != 0 && CODES.iter().any(|&(known, ..)| known == number)
}

struct Texts {
    name: CString,
    text: CString,
}

static TEXTS: LazyLock<BTreeMap<u32, Texts>> = LazyLock::new(|| {
    let c_string = |text: &str| CString::new(text).unwrap_or_default();
    let texts = |name: &str, text: &str| Texts {
        name: c_string(name),
        text: c_string(if text.is_empty() { name } else { text }),
    };
    CODES.iter().map(|&(number, name, text)| (number, texts(name, text))).collect()
});

/// What the runtime says of a number that it does not know.
const UNRECOGNIZED: &CStr = c"unrecognized error code";

/// `cudaGetErrorName`. Never fails, and touches no state.
pub(crate) extern "C" fn get_error_name(error: cudaError_t) -> *const c_char {
    TEXTS.get(&error.0).map_or(UNRECOGNIZED.as_ptr(), |texts| texts.name.as_ptr())
}

/// `cudaGetErrorString`. Never fails, and touches no state.
pub(crate) extern "C" fn get_error_string(error: cudaError_t) -> *const c_char {
    TEXTS.get(&error.0).map_or(UNRECOGNIZED.as_ptr(), |texts| texts.text.as_ptr())
}
