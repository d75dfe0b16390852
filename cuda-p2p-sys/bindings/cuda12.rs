pub const CUDART_VERSION: u32 = 12090;
pub const cudaHostAllocDefault: u32 = 0;
pub const cudaHostAllocPortable: u32 = 1;
pub const cudaHostAllocMapped: u32 = 2;
pub const cudaHostAllocWriteCombined: u32 = 4;
pub const cudaHostRegisterDefault: u32 = 0;
pub const cudaHostRegisterPortable: u32 = 1;
pub const cudaHostRegisterMapped: u32 = 2;
pub const cudaHostRegisterIoMemory: u32 = 4;
pub const cudaHostRegisterReadOnly: u32 = 8;
pub const cudaPeerAccessDefault: u32 = 0;
pub const cudaStreamDefault: u32 = 0;
pub const cudaStreamNonBlocking: u32 = 1;
pub const cudaEventDefault: u32 = 0;
pub const cudaEventBlockingSync: u32 = 1;
pub const cudaEventDisableTiming: u32 = 2;
pub const cudaEventInterprocess: u32 = 4;
pub const cudaEventRecordDefault: u32 = 0;
pub const cudaEventRecordExternal: u32 = 1;
pub const cudaEventWaitDefault: u32 = 0;
pub const cudaEventWaitExternal: u32 = 1;
pub const cudaDeviceScheduleAuto: u32 = 0;
pub const cudaDeviceScheduleSpin: u32 = 1;
pub const cudaDeviceScheduleYield: u32 = 2;
pub const cudaDeviceScheduleBlockingSync: u32 = 4;
pub const cudaDeviceBlockingSync: u32 = 4;
pub const cudaDeviceScheduleMask: u32 = 7;
pub const cudaDeviceMapHost: u32 = 8;
pub const cudaDeviceLmemResizeToMax: u32 = 16;
pub const cudaDeviceSyncMemops: u32 = 128;
pub const cudaDeviceMask: u32 = 255;
pub const cudaArrayDefault: u32 = 0;
pub const cudaIpcMemLazyEnablePeerAccess: u32 = 1;
pub const cudaMemAttachGlobal: u32 = 1;
pub const cudaMemAttachHost: u32 = 2;
pub const cudaMemAttachSingle: u32 = 4;
pub const CUDA_IPC_HANDLE_SIZE: u32 = 64;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct dim3 {
    pub x: ::core::ffi::c_uint,
    pub y: ::core::ffi::c_uint,
    pub z: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of dim3"][::core::mem::size_of::<dim3>() - 12usize];
    ["Alignment of dim3"][::core::mem::align_of::<dim3>() - 4usize];
    ["Offset of field: dim3::x"][::core::mem::offset_of!(dim3, x) - 0usize];
    ["Offset of field: dim3::y"][::core::mem::offset_of!(dim3, y) - 4usize];
    ["Offset of field: dim3::z"][::core::mem::offset_of!(dim3, z) - 8usize];
};
impl cudaError {
    pub const cudaSuccess: cudaError = cudaError(0);
    pub const cudaErrorInvalidValue: cudaError = cudaError(1);
    pub const cudaErrorMemoryAllocation: cudaError = cudaError(2);
    pub const cudaErrorInitializationError: cudaError = cudaError(3);
    pub const cudaErrorCudartUnloading: cudaError = cudaError(4);
    pub const cudaErrorProfilerDisabled: cudaError = cudaError(5);
    pub const cudaErrorProfilerNotInitialized: cudaError = cudaError(6);
    pub const cudaErrorProfilerAlreadyStarted: cudaError = cudaError(7);
    pub const cudaErrorProfilerAlreadyStopped: cudaError = cudaError(8);
    pub const cudaErrorInvalidConfiguration: cudaError = cudaError(9);
    pub const cudaErrorInvalidPitchValue: cudaError = cudaError(12);
    pub const cudaErrorInvalidSymbol: cudaError = cudaError(13);
    pub const cudaErrorInvalidHostPointer: cudaError = cudaError(16);
    pub const cudaErrorInvalidDevicePointer: cudaError = cudaError(17);
    pub const cudaErrorInvalidTexture: cudaError = cudaError(18);
    pub const cudaErrorInvalidTextureBinding: cudaError = cudaError(19);
    pub const cudaErrorInvalidChannelDescriptor: cudaError = cudaError(20);
    pub const cudaErrorInvalidMemcpyDirection: cudaError = cudaError(21);
    pub const cudaErrorAddressOfConstant: cudaError = cudaError(22);
    pub const cudaErrorTextureFetchFailed: cudaError = cudaError(23);
    pub const cudaErrorTextureNotBound: cudaError = cudaError(24);
    pub const cudaErrorSynchronizationError: cudaError = cudaError(25);
    pub const cudaErrorInvalidFilterSetting: cudaError = cudaError(26);
    pub const cudaErrorInvalidNormSetting: cudaError = cudaError(27);
    pub const cudaErrorMixedDeviceExecution: cudaError = cudaError(28);
    pub const cudaErrorNotYetImplemented: cudaError = cudaError(31);
    pub const cudaErrorMemoryValueTooLarge: cudaError = cudaError(32);
    pub const cudaErrorStubLibrary: cudaError = cudaError(34);
    pub const cudaErrorInsufficientDriver: cudaError = cudaError(35);
    pub const cudaErrorCallRequiresNewerDriver: cudaError = cudaError(36);
    pub const cudaErrorInvalidSurface: cudaError = cudaError(37);
    pub const cudaErrorDuplicateVariableName: cudaError = cudaError(43);
    pub const cudaErrorDuplicateTextureName: cudaError = cudaError(44);
    pub const cudaErrorDuplicateSurfaceName: cudaError = cudaError(45);
    pub const cudaErrorDevicesUnavailable: cudaError = cudaError(46);
    pub const cudaErrorIncompatibleDriverContext: cudaError = cudaError(49);
    pub const cudaErrorMissingConfiguration: cudaError = cudaError(52);
    pub const cudaErrorPriorLaunchFailure: cudaError = cudaError(53);
    pub const cudaErrorLaunchMaxDepthExceeded: cudaError = cudaError(65);
    pub const cudaErrorLaunchFileScopedTex: cudaError = cudaError(66);
    pub const cudaErrorLaunchFileScopedSurf: cudaError = cudaError(67);
    pub const cudaErrorSyncDepthExceeded: cudaError = cudaError(68);
    pub const cudaErrorLaunchPendingCountExceeded: cudaError = cudaError(69);
    pub const cudaErrorInvalidDeviceFunction: cudaError = cudaError(98);
    pub const cudaErrorNoDevice: cudaError = cudaError(100);
    pub const cudaErrorInvalidDevice: cudaError = cudaError(101);
    pub const cudaErrorDeviceNotLicensed: cudaError = cudaError(102);
    pub const cudaErrorSoftwareValidityNotEstablished: cudaError = cudaError(103);
    pub const cudaErrorStartupFailure: cudaError = cudaError(127);
    pub const cudaErrorInvalidKernelImage: cudaError = cudaError(200);
    pub const cudaErrorDeviceUninitialized: cudaError = cudaError(201);
    pub const cudaErrorMapBufferObjectFailed: cudaError = cudaError(205);
    pub const cudaErrorUnmapBufferObjectFailed: cudaError = cudaError(206);
    pub const cudaErrorArrayIsMapped: cudaError = cudaError(207);
    pub const cudaErrorAlreadyMapped: cudaError = cudaError(208);
    pub const cudaErrorNoKernelImageForDevice: cudaError = cudaError(209);
    pub const cudaErrorAlreadyAcquired: cudaError = cudaError(210);
    pub const cudaErrorNotMapped: cudaError = cudaError(211);
    pub const cudaErrorNotMappedAsArray: cudaError = cudaError(212);
    pub const cudaErrorNotMappedAsPointer: cudaError = cudaError(213);
    pub const cudaErrorECCUncorrectable: cudaError = cudaError(214);
    pub const cudaErrorUnsupportedLimit: cudaError = cudaError(215);
    pub const cudaErrorDeviceAlreadyInUse: cudaError = cudaError(216);
    pub const cudaErrorPeerAccessUnsupported: cudaError = cudaError(217);
    pub const cudaErrorInvalidPtx: cudaError = cudaError(218);
    pub const cudaErrorInvalidGraphicsContext: cudaError = cudaError(219);
    pub const cudaErrorNvlinkUncorrectable: cudaError = cudaError(220);
    pub const cudaErrorJitCompilerNotFound: cudaError = cudaError(221);
    pub const cudaErrorUnsupportedPtxVersion: cudaError = cudaError(222);
    pub const cudaErrorJitCompilationDisabled: cudaError = cudaError(223);
    pub const cudaErrorUnsupportedExecAffinity: cudaError = cudaError(224);
    pub const cudaErrorUnsupportedDevSideSync: cudaError = cudaError(225);
    pub const cudaErrorContained: cudaError = cudaError(226);
    pub const cudaErrorInvalidSource: cudaError = cudaError(300);
    pub const cudaErrorFileNotFound: cudaError = cudaError(301);
    pub const cudaErrorSharedObjectSymbolNotFound: cudaError = cudaError(302);
    pub const cudaErrorSharedObjectInitFailed: cudaError = cudaError(303);
    pub const cudaErrorOperatingSystem: cudaError = cudaError(304);
    pub const cudaErrorInvalidResourceHandle: cudaError = cudaError(400);
    pub const cudaErrorIllegalState: cudaError = cudaError(401);
    pub const cudaErrorLossyQuery: cudaError = cudaError(402);
    pub const cudaErrorSymbolNotFound: cudaError = cudaError(500);
    pub const cudaErrorNotReady: cudaError = cudaError(600);
    pub const cudaErrorIllegalAddress: cudaError = cudaError(700);
    pub const cudaErrorLaunchOutOfResources: cudaError = cudaError(701);
    pub const cudaErrorLaunchTimeout: cudaError = cudaError(702);
    pub const cudaErrorLaunchIncompatibleTexturing: cudaError = cudaError(703);
    pub const cudaErrorPeerAccessAlreadyEnabled: cudaError = cudaError(704);
    pub const cudaErrorPeerAccessNotEnabled: cudaError = cudaError(705);
    pub const cudaErrorSetOnActiveProcess: cudaError = cudaError(708);
    pub const cudaErrorContextIsDestroyed: cudaError = cudaError(709);
    pub const cudaErrorAssert: cudaError = cudaError(710);
    pub const cudaErrorTooManyPeers: cudaError = cudaError(711);
    pub const cudaErrorHostMemoryAlreadyRegistered: cudaError = cudaError(712);
    pub const cudaErrorHostMemoryNotRegistered: cudaError = cudaError(713);
    pub const cudaErrorHardwareStackError: cudaError = cudaError(714);
    pub const cudaErrorIllegalInstruction: cudaError = cudaError(715);
    pub const cudaErrorMisalignedAddress: cudaError = cudaError(716);
    pub const cudaErrorInvalidAddressSpace: cudaError = cudaError(717);
    pub const cudaErrorInvalidPc: cudaError = cudaError(718);
    pub const cudaErrorLaunchFailure: cudaError = cudaError(719);
    pub const cudaErrorCooperativeLaunchTooLarge: cudaError = cudaError(720);
    pub const cudaErrorTensorMemoryLeak: cudaError = cudaError(721);
    pub const cudaErrorNotPermitted: cudaError = cudaError(800);
    pub const cudaErrorNotSupported: cudaError = cudaError(801);
    pub const cudaErrorSystemNotReady: cudaError = cudaError(802);
    pub const cudaErrorSystemDriverMismatch: cudaError = cudaError(803);
    pub const cudaErrorCompatNotSupportedOnDevice: cudaError = cudaError(804);
    pub const cudaErrorMpsConnectionFailed: cudaError = cudaError(805);
    pub const cudaErrorMpsRpcFailure: cudaError = cudaError(806);
    pub const cudaErrorMpsServerNotReady: cudaError = cudaError(807);
    pub const cudaErrorMpsMaxClientsReached: cudaError = cudaError(808);
    pub const cudaErrorMpsMaxConnectionsReached: cudaError = cudaError(809);
    pub const cudaErrorMpsClientTerminated: cudaError = cudaError(810);
    pub const cudaErrorCdpNotSupported: cudaError = cudaError(811);
    pub const cudaErrorCdpVersionMismatch: cudaError = cudaError(812);
    pub const cudaErrorStreamCaptureUnsupported: cudaError = cudaError(900);
    pub const cudaErrorStreamCaptureInvalidated: cudaError = cudaError(901);
    pub const cudaErrorStreamCaptureMerge: cudaError = cudaError(902);
    pub const cudaErrorStreamCaptureUnmatched: cudaError = cudaError(903);
    pub const cudaErrorStreamCaptureUnjoined: cudaError = cudaError(904);
    pub const cudaErrorStreamCaptureIsolation: cudaError = cudaError(905);
    pub const cudaErrorStreamCaptureImplicit: cudaError = cudaError(906);
    pub const cudaErrorCapturedEvent: cudaError = cudaError(907);
    pub const cudaErrorStreamCaptureWrongThread: cudaError = cudaError(908);
    pub const cudaErrorTimeout: cudaError = cudaError(909);
    pub const cudaErrorGraphExecUpdateFailure: cudaError = cudaError(910);
    pub const cudaErrorExternalDevice: cudaError = cudaError(911);
    pub const cudaErrorInvalidClusterSize: cudaError = cudaError(912);
    pub const cudaErrorFunctionNotLoaded: cudaError = cudaError(913);
    pub const cudaErrorInvalidResourceType: cudaError = cudaError(914);
    pub const cudaErrorInvalidResourceConfiguration: cudaError = cudaError(915);
    pub const cudaErrorUnknown: cudaError = cudaError(999);
    pub const cudaErrorApiFailureBase: cudaError = cudaError(10000);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaError(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug)]
pub struct cudaArray {
    _unused: [u8; 0],
}
pub type cudaArray_t = *mut cudaArray;
impl cudaMemoryType {
    pub const cudaMemoryTypeUnregistered: cudaMemoryType = cudaMemoryType(0);
    pub const cudaMemoryTypeHost: cudaMemoryType = cudaMemoryType(1);
    pub const cudaMemoryTypeDevice: cudaMemoryType = cudaMemoryType(2);
    pub const cudaMemoryTypeManaged: cudaMemoryType = cudaMemoryType(3);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemoryType(pub ::core::ffi::c_uint);
impl cudaMemcpyKind {
    pub const cudaMemcpyHostToHost: cudaMemcpyKind = cudaMemcpyKind(0);
    pub const cudaMemcpyHostToDevice: cudaMemcpyKind = cudaMemcpyKind(1);
    pub const cudaMemcpyDeviceToHost: cudaMemcpyKind = cudaMemcpyKind(2);
    pub const cudaMemcpyDeviceToDevice: cudaMemcpyKind = cudaMemcpyKind(3);
    pub const cudaMemcpyDefault: cudaMemcpyKind = cudaMemcpyKind(4);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemcpyKind(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaPitchedPtr {
    pub ptr: *mut ::core::ffi::c_void,
    pub pitch: usize,
    pub xsize: usize,
    pub ysize: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of cudaPitchedPtr"][::core::mem::size_of::<cudaPitchedPtr>() - 32usize];
    ["Alignment of cudaPitchedPtr"][::core::mem::align_of::<cudaPitchedPtr>() - 8usize];
    [
        "Offset of field: cudaPitchedPtr::ptr",
    ][::core::mem::offset_of!(cudaPitchedPtr, ptr) - 0usize];
    [
        "Offset of field: cudaPitchedPtr::pitch",
    ][::core::mem::offset_of!(cudaPitchedPtr, pitch) - 8usize];
    [
        "Offset of field: cudaPitchedPtr::xsize",
    ][::core::mem::offset_of!(cudaPitchedPtr, xsize) - 16usize];
    [
        "Offset of field: cudaPitchedPtr::ysize",
    ][::core::mem::offset_of!(cudaPitchedPtr, ysize) - 24usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaExtent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of cudaExtent"][::core::mem::size_of::<cudaExtent>() - 24usize];
    ["Alignment of cudaExtent"][::core::mem::align_of::<cudaExtent>() - 8usize];
    [
        "Offset of field: cudaExtent::width",
    ][::core::mem::offset_of!(cudaExtent, width) - 0usize];
    [
        "Offset of field: cudaExtent::height",
    ][::core::mem::offset_of!(cudaExtent, height) - 8usize];
    [
        "Offset of field: cudaExtent::depth",
    ][::core::mem::offset_of!(cudaExtent, depth) - 16usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaPos {
    pub x: usize,
    pub y: usize,
    pub z: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of cudaPos"][::core::mem::size_of::<cudaPos>() - 24usize];
    ["Alignment of cudaPos"][::core::mem::align_of::<cudaPos>() - 8usize];
    ["Offset of field: cudaPos::x"][::core::mem::offset_of!(cudaPos, x) - 0usize];
    ["Offset of field: cudaPos::y"][::core::mem::offset_of!(cudaPos, y) - 8usize];
    ["Offset of field: cudaPos::z"][::core::mem::offset_of!(cudaPos, z) - 16usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaMemcpy3DParms {
    pub srcArray: cudaArray_t,
    pub srcPos: cudaPos,
    pub srcPtr: cudaPitchedPtr,
    pub dstArray: cudaArray_t,
    pub dstPos: cudaPos,
    pub dstPtr: cudaPitchedPtr,
    pub extent: cudaExtent,
    pub kind: cudaMemcpyKind,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemcpy3DParms",
    ][::core::mem::size_of::<cudaMemcpy3DParms>() - 160usize];
    [
        "Alignment of cudaMemcpy3DParms",
    ][::core::mem::align_of::<cudaMemcpy3DParms>() - 8usize];
    [
        "Offset of field: cudaMemcpy3DParms::srcArray",
    ][::core::mem::offset_of!(cudaMemcpy3DParms, srcArray) - 0usize];
    [
        "Offset of field: cudaMemcpy3DParms::srcPos",
    ][::core::mem::offset_of!(cudaMemcpy3DParms, srcPos) - 8usize];
    [
        "Offset of field: cudaMemcpy3DParms::srcPtr",
    ][::core::mem::offset_of!(cudaMemcpy3DParms, srcPtr) - 32usize];
    [
        "Offset of field: cudaMemcpy3DParms::dstArray",
    ][::core::mem::offset_of!(cudaMemcpy3DParms, dstArray) - 64usize];
    [
        "Offset of field: cudaMemcpy3DParms::dstPos",
    ][::core::mem::offset_of!(cudaMemcpy3DParms, dstPos) - 72usize];
    [
        "Offset of field: cudaMemcpy3DParms::dstPtr",
    ][::core::mem::offset_of!(cudaMemcpy3DParms, dstPtr) - 96usize];
    [
        "Offset of field: cudaMemcpy3DParms::extent",
    ][::core::mem::offset_of!(cudaMemcpy3DParms, extent) - 128usize];
    [
        "Offset of field: cudaMemcpy3DParms::kind",
    ][::core::mem::offset_of!(cudaMemcpy3DParms, kind) - 152usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaMemcpy3DPeerParms {
    pub srcArray: cudaArray_t,
    pub srcPos: cudaPos,
    pub srcPtr: cudaPitchedPtr,
    pub srcDevice: ::core::ffi::c_int,
    pub dstArray: cudaArray_t,
    pub dstPos: cudaPos,
    pub dstPtr: cudaPitchedPtr,
    pub dstDevice: ::core::ffi::c_int,
    pub extent: cudaExtent,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemcpy3DPeerParms",
    ][::core::mem::size_of::<cudaMemcpy3DPeerParms>() - 168usize];
    [
        "Alignment of cudaMemcpy3DPeerParms",
    ][::core::mem::align_of::<cudaMemcpy3DPeerParms>() - 8usize];
    [
        "Offset of field: cudaMemcpy3DPeerParms::srcArray",
    ][::core::mem::offset_of!(cudaMemcpy3DPeerParms, srcArray) - 0usize];
    [
        "Offset of field: cudaMemcpy3DPeerParms::srcPos",
    ][::core::mem::offset_of!(cudaMemcpy3DPeerParms, srcPos) - 8usize];
    [
        "Offset of field: cudaMemcpy3DPeerParms::srcPtr",
    ][::core::mem::offset_of!(cudaMemcpy3DPeerParms, srcPtr) - 32usize];
    [
        "Offset of field: cudaMemcpy3DPeerParms::srcDevice",
    ][::core::mem::offset_of!(cudaMemcpy3DPeerParms, srcDevice) - 64usize];
    [
        "Offset of field: cudaMemcpy3DPeerParms::dstArray",
    ][::core::mem::offset_of!(cudaMemcpy3DPeerParms, dstArray) - 72usize];
    [
        "Offset of field: cudaMemcpy3DPeerParms::dstPos",
    ][::core::mem::offset_of!(cudaMemcpy3DPeerParms, dstPos) - 80usize];
    [
        "Offset of field: cudaMemcpy3DPeerParms::dstPtr",
    ][::core::mem::offset_of!(cudaMemcpy3DPeerParms, dstPtr) - 104usize];
    [
        "Offset of field: cudaMemcpy3DPeerParms::dstDevice",
    ][::core::mem::offset_of!(cudaMemcpy3DPeerParms, dstDevice) - 136usize];
    [
        "Offset of field: cudaMemcpy3DPeerParms::extent",
    ][::core::mem::offset_of!(cudaMemcpy3DPeerParms, extent) - 144usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaMemsetParams {
    pub dst: *mut ::core::ffi::c_void,
    pub pitch: usize,
    pub value: ::core::ffi::c_uint,
    pub elementSize: ::core::ffi::c_uint,
    pub width: usize,
    pub height: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of cudaMemsetParams"][::core::mem::size_of::<cudaMemsetParams>() - 40usize];
    [
        "Alignment of cudaMemsetParams",
    ][::core::mem::align_of::<cudaMemsetParams>() - 8usize];
    [
        "Offset of field: cudaMemsetParams::dst",
    ][::core::mem::offset_of!(cudaMemsetParams, dst) - 0usize];
    [
        "Offset of field: cudaMemsetParams::pitch",
    ][::core::mem::offset_of!(cudaMemsetParams, pitch) - 8usize];
    [
        "Offset of field: cudaMemsetParams::value",
    ][::core::mem::offset_of!(cudaMemsetParams, value) - 16usize];
    [
        "Offset of field: cudaMemsetParams::elementSize",
    ][::core::mem::offset_of!(cudaMemsetParams, elementSize) - 20usize];
    [
        "Offset of field: cudaMemsetParams::width",
    ][::core::mem::offset_of!(cudaMemsetParams, width) - 24usize];
    [
        "Offset of field: cudaMemsetParams::height",
    ][::core::mem::offset_of!(cudaMemsetParams, height) - 32usize];
};
impl cudaAccessProperty {
    pub const cudaAccessPropertyNormal: cudaAccessProperty = cudaAccessProperty(0);
    pub const cudaAccessPropertyStreaming: cudaAccessProperty = cudaAccessProperty(1);
    pub const cudaAccessPropertyPersisting: cudaAccessProperty = cudaAccessProperty(2);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaAccessProperty(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaAccessPolicyWindow {
    pub base_ptr: *mut ::core::ffi::c_void,
    pub num_bytes: usize,
    pub hitRatio: f32,
    pub hitProp: cudaAccessProperty,
    pub missProp: cudaAccessProperty,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaAccessPolicyWindow",
    ][::core::mem::size_of::<cudaAccessPolicyWindow>() - 32usize];
    [
        "Alignment of cudaAccessPolicyWindow",
    ][::core::mem::align_of::<cudaAccessPolicyWindow>() - 8usize];
    [
        "Offset of field: cudaAccessPolicyWindow::base_ptr",
    ][::core::mem::offset_of!(cudaAccessPolicyWindow, base_ptr) - 0usize];
    [
        "Offset of field: cudaAccessPolicyWindow::num_bytes",
    ][::core::mem::offset_of!(cudaAccessPolicyWindow, num_bytes) - 8usize];
    [
        "Offset of field: cudaAccessPolicyWindow::hitRatio",
    ][::core::mem::offset_of!(cudaAccessPolicyWindow, hitRatio) - 16usize];
    [
        "Offset of field: cudaAccessPolicyWindow::hitProp",
    ][::core::mem::offset_of!(cudaAccessPolicyWindow, hitProp) - 20usize];
    [
        "Offset of field: cudaAccessPolicyWindow::missProp",
    ][::core::mem::offset_of!(cudaAccessPolicyWindow, missProp) - 24usize];
};
pub type cudaHostFn_t = ::core::option::Option<
    unsafe extern "C" fn(userData: *mut ::core::ffi::c_void),
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaHostNodeParams {
    pub fn_: cudaHostFn_t,
    pub userData: *mut ::core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaHostNodeParams",
    ][::core::mem::size_of::<cudaHostNodeParams>() - 16usize];
    [
        "Alignment of cudaHostNodeParams",
    ][::core::mem::align_of::<cudaHostNodeParams>() - 8usize];
    [
        "Offset of field: cudaHostNodeParams::fn_",
    ][::core::mem::offset_of!(cudaHostNodeParams, fn_) - 0usize];
    [
        "Offset of field: cudaHostNodeParams::userData",
    ][::core::mem::offset_of!(cudaHostNodeParams, userData) - 8usize];
};
impl cudaStreamCaptureStatus {
    pub const cudaStreamCaptureStatusNone: cudaStreamCaptureStatus = cudaStreamCaptureStatus(
        0,
    );
    pub const cudaStreamCaptureStatusActive: cudaStreamCaptureStatus = cudaStreamCaptureStatus(
        1,
    );
    pub const cudaStreamCaptureStatusInvalidated: cudaStreamCaptureStatus = cudaStreamCaptureStatus(
        2,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaStreamCaptureStatus(pub ::core::ffi::c_uint);
impl cudaStreamCaptureMode {
    pub const cudaStreamCaptureModeGlobal: cudaStreamCaptureMode = cudaStreamCaptureMode(
        0,
    );
    pub const cudaStreamCaptureModeThreadLocal: cudaStreamCaptureMode = cudaStreamCaptureMode(
        1,
    );
    pub const cudaStreamCaptureModeRelaxed: cudaStreamCaptureMode = cudaStreamCaptureMode(
        2,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaStreamCaptureMode(pub ::core::ffi::c_uint);
impl cudaSynchronizationPolicy {
    pub const cudaSyncPolicyAuto: cudaSynchronizationPolicy = cudaSynchronizationPolicy(
        1,
    );
    pub const cudaSyncPolicySpin: cudaSynchronizationPolicy = cudaSynchronizationPolicy(
        2,
    );
    pub const cudaSyncPolicyYield: cudaSynchronizationPolicy = cudaSynchronizationPolicy(
        3,
    );
    pub const cudaSyncPolicyBlockingSync: cudaSynchronizationPolicy = cudaSynchronizationPolicy(
        4,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaSynchronizationPolicy(pub ::core::ffi::c_uint);
impl cudaClusterSchedulingPolicy {
    pub const cudaClusterSchedulingPolicyDefault: cudaClusterSchedulingPolicy = cudaClusterSchedulingPolicy(
        0,
    );
    pub const cudaClusterSchedulingPolicySpread: cudaClusterSchedulingPolicy = cudaClusterSchedulingPolicy(
        1,
    );
    pub const cudaClusterSchedulingPolicyLoadBalancing: cudaClusterSchedulingPolicy = cudaClusterSchedulingPolicy(
        2,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaClusterSchedulingPolicy(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaPointerAttributes {
    pub type_: cudaMemoryType,
    pub device: ::core::ffi::c_int,
    pub devicePointer: *mut ::core::ffi::c_void,
    pub hostPointer: *mut ::core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaPointerAttributes",
    ][::core::mem::size_of::<cudaPointerAttributes>() - 24usize];
    [
        "Alignment of cudaPointerAttributes",
    ][::core::mem::align_of::<cudaPointerAttributes>() - 8usize];
    [
        "Offset of field: cudaPointerAttributes::type_",
    ][::core::mem::offset_of!(cudaPointerAttributes, type_) - 0usize];
    [
        "Offset of field: cudaPointerAttributes::device",
    ][::core::mem::offset_of!(cudaPointerAttributes, device) - 4usize];
    [
        "Offset of field: cudaPointerAttributes::devicePointer",
    ][::core::mem::offset_of!(cudaPointerAttributes, devicePointer) - 8usize];
    [
        "Offset of field: cudaPointerAttributes::hostPointer",
    ][::core::mem::offset_of!(cudaPointerAttributes, hostPointer) - 16usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaFuncAttributes {
    pub sharedSizeBytes: usize,
    pub constSizeBytes: usize,
    pub localSizeBytes: usize,
    pub maxThreadsPerBlock: ::core::ffi::c_int,
    pub numRegs: ::core::ffi::c_int,
    pub ptxVersion: ::core::ffi::c_int,
    pub binaryVersion: ::core::ffi::c_int,
    pub cacheModeCA: ::core::ffi::c_int,
    pub maxDynamicSharedSizeBytes: ::core::ffi::c_int,
    pub preferredShmemCarveout: ::core::ffi::c_int,
    pub clusterDimMustBeSet: ::core::ffi::c_int,
    pub requiredClusterWidth: ::core::ffi::c_int,
    pub requiredClusterHeight: ::core::ffi::c_int,
    pub requiredClusterDepth: ::core::ffi::c_int,
    pub clusterSchedulingPolicyPreference: ::core::ffi::c_int,
    pub nonPortableClusterSizeAllowed: ::core::ffi::c_int,
    pub reserved: [::core::ffi::c_int; 16usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaFuncAttributes",
    ][::core::mem::size_of::<cudaFuncAttributes>() - 144usize];
    [
        "Alignment of cudaFuncAttributes",
    ][::core::mem::align_of::<cudaFuncAttributes>() - 8usize];
    [
        "Offset of field: cudaFuncAttributes::sharedSizeBytes",
    ][::core::mem::offset_of!(cudaFuncAttributes, sharedSizeBytes) - 0usize];
    [
        "Offset of field: cudaFuncAttributes::constSizeBytes",
    ][::core::mem::offset_of!(cudaFuncAttributes, constSizeBytes) - 8usize];
    [
        "Offset of field: cudaFuncAttributes::localSizeBytes",
    ][::core::mem::offset_of!(cudaFuncAttributes, localSizeBytes) - 16usize];
    [
        "Offset of field: cudaFuncAttributes::maxThreadsPerBlock",
    ][::core::mem::offset_of!(cudaFuncAttributes, maxThreadsPerBlock) - 24usize];
    [
        "Offset of field: cudaFuncAttributes::numRegs",
    ][::core::mem::offset_of!(cudaFuncAttributes, numRegs) - 28usize];
    [
        "Offset of field: cudaFuncAttributes::ptxVersion",
    ][::core::mem::offset_of!(cudaFuncAttributes, ptxVersion) - 32usize];
    [
        "Offset of field: cudaFuncAttributes::binaryVersion",
    ][::core::mem::offset_of!(cudaFuncAttributes, binaryVersion) - 36usize];
    [
        "Offset of field: cudaFuncAttributes::cacheModeCA",
    ][::core::mem::offset_of!(cudaFuncAttributes, cacheModeCA) - 40usize];
    [
        "Offset of field: cudaFuncAttributes::maxDynamicSharedSizeBytes",
    ][::core::mem::offset_of!(cudaFuncAttributes, maxDynamicSharedSizeBytes) - 44usize];
    [
        "Offset of field: cudaFuncAttributes::preferredShmemCarveout",
    ][::core::mem::offset_of!(cudaFuncAttributes, preferredShmemCarveout) - 48usize];
    [
        "Offset of field: cudaFuncAttributes::clusterDimMustBeSet",
    ][::core::mem::offset_of!(cudaFuncAttributes, clusterDimMustBeSet) - 52usize];
    [
        "Offset of field: cudaFuncAttributes::requiredClusterWidth",
    ][::core::mem::offset_of!(cudaFuncAttributes, requiredClusterWidth) - 56usize];
    [
        "Offset of field: cudaFuncAttributes::requiredClusterHeight",
    ][::core::mem::offset_of!(cudaFuncAttributes, requiredClusterHeight) - 60usize];
    [
        "Offset of field: cudaFuncAttributes::requiredClusterDepth",
    ][::core::mem::offset_of!(cudaFuncAttributes, requiredClusterDepth) - 64usize];
    [
        "Offset of field: cudaFuncAttributes::clusterSchedulingPolicyPreference",
    ][::core::mem::offset_of!(cudaFuncAttributes, clusterSchedulingPolicyPreference)
        - 68usize];
    [
        "Offset of field: cudaFuncAttributes::nonPortableClusterSizeAllowed",
    ][::core::mem::offset_of!(cudaFuncAttributes, nonPortableClusterSizeAllowed)
        - 72usize];
    [
        "Offset of field: cudaFuncAttributes::reserved",
    ][::core::mem::offset_of!(cudaFuncAttributes, reserved) - 76usize];
};
impl cudaFuncAttribute {
    pub const cudaFuncAttributeMaxDynamicSharedMemorySize: cudaFuncAttribute = cudaFuncAttribute(
        8,
    );
    pub const cudaFuncAttributePreferredSharedMemoryCarveout: cudaFuncAttribute = cudaFuncAttribute(
        9,
    );
    pub const cudaFuncAttributeClusterDimMustBeSet: cudaFuncAttribute = cudaFuncAttribute(
        10,
    );
    pub const cudaFuncAttributeRequiredClusterWidth: cudaFuncAttribute = cudaFuncAttribute(
        11,
    );
    pub const cudaFuncAttributeRequiredClusterHeight: cudaFuncAttribute = cudaFuncAttribute(
        12,
    );
    pub const cudaFuncAttributeRequiredClusterDepth: cudaFuncAttribute = cudaFuncAttribute(
        13,
    );
    pub const cudaFuncAttributeNonPortableClusterSizeAllowed: cudaFuncAttribute = cudaFuncAttribute(
        14,
    );
    pub const cudaFuncAttributeClusterSchedulingPolicyPreference: cudaFuncAttribute = cudaFuncAttribute(
        15,
    );
    pub const cudaFuncAttributeMax: cudaFuncAttribute = cudaFuncAttribute(16);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaFuncAttribute(pub ::core::ffi::c_uint);
impl cudaFuncCache {
    pub const cudaFuncCachePreferNone: cudaFuncCache = cudaFuncCache(0);
    pub const cudaFuncCachePreferShared: cudaFuncCache = cudaFuncCache(1);
    pub const cudaFuncCachePreferL1: cudaFuncCache = cudaFuncCache(2);
    pub const cudaFuncCachePreferEqual: cudaFuncCache = cudaFuncCache(3);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaFuncCache(pub ::core::ffi::c_uint);
impl cudaLimit {
    pub const cudaLimitStackSize: cudaLimit = cudaLimit(0);
    pub const cudaLimitPrintfFifoSize: cudaLimit = cudaLimit(1);
    pub const cudaLimitMallocHeapSize: cudaLimit = cudaLimit(2);
    pub const cudaLimitDevRuntimeSyncDepth: cudaLimit = cudaLimit(3);
    pub const cudaLimitDevRuntimePendingLaunchCount: cudaLimit = cudaLimit(4);
    pub const cudaLimitMaxL2FetchGranularity: cudaLimit = cudaLimit(5);
    pub const cudaLimitPersistingL2CacheSize: cudaLimit = cudaLimit(6);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaLimit(pub ::core::ffi::c_uint);
impl cudaMemoryAdvise {
    pub const cudaMemAdviseSetReadMostly: cudaMemoryAdvise = cudaMemoryAdvise(1);
    pub const cudaMemAdviseUnsetReadMostly: cudaMemoryAdvise = cudaMemoryAdvise(2);
    pub const cudaMemAdviseSetPreferredLocation: cudaMemoryAdvise = cudaMemoryAdvise(3);
    pub const cudaMemAdviseUnsetPreferredLocation: cudaMemoryAdvise = cudaMemoryAdvise(
        4,
    );
    pub const cudaMemAdviseSetAccessedBy: cudaMemoryAdvise = cudaMemoryAdvise(5);
    pub const cudaMemAdviseUnsetAccessedBy: cudaMemoryAdvise = cudaMemoryAdvise(6);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemoryAdvise(pub ::core::ffi::c_uint);
impl cudaMemRangeAttribute {
    pub const cudaMemRangeAttributeReadMostly: cudaMemRangeAttribute = cudaMemRangeAttribute(
        1,
    );
    pub const cudaMemRangeAttributePreferredLocation: cudaMemRangeAttribute = cudaMemRangeAttribute(
        2,
    );
    pub const cudaMemRangeAttributeAccessedBy: cudaMemRangeAttribute = cudaMemRangeAttribute(
        3,
    );
    pub const cudaMemRangeAttributeLastPrefetchLocation: cudaMemRangeAttribute = cudaMemRangeAttribute(
        4,
    );
    pub const cudaMemRangeAttributePreferredLocationType: cudaMemRangeAttribute = cudaMemRangeAttribute(
        5,
    );
    pub const cudaMemRangeAttributePreferredLocationId: cudaMemRangeAttribute = cudaMemRangeAttribute(
        6,
    );
    pub const cudaMemRangeAttributeLastPrefetchLocationType: cudaMemRangeAttribute = cudaMemRangeAttribute(
        7,
    );
    pub const cudaMemRangeAttributeLastPrefetchLocationId: cudaMemRangeAttribute = cudaMemRangeAttribute(
        8,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemRangeAttribute(pub ::core::ffi::c_uint);
impl cudaFlushGPUDirectRDMAWritesScope {
    pub const cudaFlushGPUDirectRDMAWritesToOwner: cudaFlushGPUDirectRDMAWritesScope = cudaFlushGPUDirectRDMAWritesScope(
        100,
    );
    pub const cudaFlushGPUDirectRDMAWritesToAllDevices: cudaFlushGPUDirectRDMAWritesScope = cudaFlushGPUDirectRDMAWritesScope(
        200,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaFlushGPUDirectRDMAWritesScope(pub ::core::ffi::c_uint);
impl cudaFlushGPUDirectRDMAWritesTarget {
    pub const cudaFlushGPUDirectRDMAWritesTargetCurrentDevice: cudaFlushGPUDirectRDMAWritesTarget = cudaFlushGPUDirectRDMAWritesTarget(
        0,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaFlushGPUDirectRDMAWritesTarget(pub ::core::ffi::c_uint);
impl cudaDeviceAttr {
    pub const cudaDevAttrMaxThreadsPerBlock: cudaDeviceAttr = cudaDeviceAttr(1);
    pub const cudaDevAttrMaxBlockDimX: cudaDeviceAttr = cudaDeviceAttr(2);
    pub const cudaDevAttrMaxBlockDimY: cudaDeviceAttr = cudaDeviceAttr(3);
    pub const cudaDevAttrMaxBlockDimZ: cudaDeviceAttr = cudaDeviceAttr(4);
    pub const cudaDevAttrMaxGridDimX: cudaDeviceAttr = cudaDeviceAttr(5);
    pub const cudaDevAttrMaxGridDimY: cudaDeviceAttr = cudaDeviceAttr(6);
    pub const cudaDevAttrMaxGridDimZ: cudaDeviceAttr = cudaDeviceAttr(7);
    pub const cudaDevAttrMaxSharedMemoryPerBlock: cudaDeviceAttr = cudaDeviceAttr(8);
    pub const cudaDevAttrTotalConstantMemory: cudaDeviceAttr = cudaDeviceAttr(9);
    pub const cudaDevAttrWarpSize: cudaDeviceAttr = cudaDeviceAttr(10);
    pub const cudaDevAttrMaxPitch: cudaDeviceAttr = cudaDeviceAttr(11);
    pub const cudaDevAttrMaxRegistersPerBlock: cudaDeviceAttr = cudaDeviceAttr(12);
    pub const cudaDevAttrClockRate: cudaDeviceAttr = cudaDeviceAttr(13);
    pub const cudaDevAttrTextureAlignment: cudaDeviceAttr = cudaDeviceAttr(14);
    pub const cudaDevAttrGpuOverlap: cudaDeviceAttr = cudaDeviceAttr(15);
    pub const cudaDevAttrMultiProcessorCount: cudaDeviceAttr = cudaDeviceAttr(16);
    pub const cudaDevAttrKernelExecTimeout: cudaDeviceAttr = cudaDeviceAttr(17);
    pub const cudaDevAttrIntegrated: cudaDeviceAttr = cudaDeviceAttr(18);
    pub const cudaDevAttrCanMapHostMemory: cudaDeviceAttr = cudaDeviceAttr(19);
    pub const cudaDevAttrComputeMode: cudaDeviceAttr = cudaDeviceAttr(20);
    pub const cudaDevAttrMaxTexture1DWidth: cudaDeviceAttr = cudaDeviceAttr(21);
    pub const cudaDevAttrMaxTexture2DWidth: cudaDeviceAttr = cudaDeviceAttr(22);
    pub const cudaDevAttrMaxTexture2DHeight: cudaDeviceAttr = cudaDeviceAttr(23);
    pub const cudaDevAttrMaxTexture3DWidth: cudaDeviceAttr = cudaDeviceAttr(24);
    pub const cudaDevAttrMaxTexture3DHeight: cudaDeviceAttr = cudaDeviceAttr(25);
    pub const cudaDevAttrMaxTexture3DDepth: cudaDeviceAttr = cudaDeviceAttr(26);
    pub const cudaDevAttrMaxTexture2DLayeredWidth: cudaDeviceAttr = cudaDeviceAttr(27);
    pub const cudaDevAttrMaxTexture2DLayeredHeight: cudaDeviceAttr = cudaDeviceAttr(28);
    pub const cudaDevAttrMaxTexture2DLayeredLayers: cudaDeviceAttr = cudaDeviceAttr(29);
    pub const cudaDevAttrSurfaceAlignment: cudaDeviceAttr = cudaDeviceAttr(30);
    pub const cudaDevAttrConcurrentKernels: cudaDeviceAttr = cudaDeviceAttr(31);
    pub const cudaDevAttrEccEnabled: cudaDeviceAttr = cudaDeviceAttr(32);
    pub const cudaDevAttrPciBusId: cudaDeviceAttr = cudaDeviceAttr(33);
    pub const cudaDevAttrPciDeviceId: cudaDeviceAttr = cudaDeviceAttr(34);
    pub const cudaDevAttrTccDriver: cudaDeviceAttr = cudaDeviceAttr(35);
    pub const cudaDevAttrMemoryClockRate: cudaDeviceAttr = cudaDeviceAttr(36);
    pub const cudaDevAttrGlobalMemoryBusWidth: cudaDeviceAttr = cudaDeviceAttr(37);
    pub const cudaDevAttrL2CacheSize: cudaDeviceAttr = cudaDeviceAttr(38);
    pub const cudaDevAttrMaxThreadsPerMultiProcessor: cudaDeviceAttr = cudaDeviceAttr(
        39,
    );
    pub const cudaDevAttrAsyncEngineCount: cudaDeviceAttr = cudaDeviceAttr(40);
    pub const cudaDevAttrUnifiedAddressing: cudaDeviceAttr = cudaDeviceAttr(41);
    pub const cudaDevAttrMaxTexture1DLayeredWidth: cudaDeviceAttr = cudaDeviceAttr(42);
    pub const cudaDevAttrMaxTexture1DLayeredLayers: cudaDeviceAttr = cudaDeviceAttr(43);
    pub const cudaDevAttrMaxTexture2DGatherWidth: cudaDeviceAttr = cudaDeviceAttr(45);
    pub const cudaDevAttrMaxTexture2DGatherHeight: cudaDeviceAttr = cudaDeviceAttr(46);
    pub const cudaDevAttrMaxTexture3DWidthAlt: cudaDeviceAttr = cudaDeviceAttr(47);
    pub const cudaDevAttrMaxTexture3DHeightAlt: cudaDeviceAttr = cudaDeviceAttr(48);
    pub const cudaDevAttrMaxTexture3DDepthAlt: cudaDeviceAttr = cudaDeviceAttr(49);
    pub const cudaDevAttrPciDomainId: cudaDeviceAttr = cudaDeviceAttr(50);
    pub const cudaDevAttrTexturePitchAlignment: cudaDeviceAttr = cudaDeviceAttr(51);
    pub const cudaDevAttrMaxTextureCubemapWidth: cudaDeviceAttr = cudaDeviceAttr(52);
    pub const cudaDevAttrMaxTextureCubemapLayeredWidth: cudaDeviceAttr = cudaDeviceAttr(
        53,
    );
    pub const cudaDevAttrMaxTextureCubemapLayeredLayers: cudaDeviceAttr = cudaDeviceAttr(
        54,
    );
    pub const cudaDevAttrMaxSurface1DWidth: cudaDeviceAttr = cudaDeviceAttr(55);
    pub const cudaDevAttrMaxSurface2DWidth: cudaDeviceAttr = cudaDeviceAttr(56);
    pub const cudaDevAttrMaxSurface2DHeight: cudaDeviceAttr = cudaDeviceAttr(57);
    pub const cudaDevAttrMaxSurface3DWidth: cudaDeviceAttr = cudaDeviceAttr(58);
    pub const cudaDevAttrMaxSurface3DHeight: cudaDeviceAttr = cudaDeviceAttr(59);
    pub const cudaDevAttrMaxSurface3DDepth: cudaDeviceAttr = cudaDeviceAttr(60);
    pub const cudaDevAttrMaxSurface1DLayeredWidth: cudaDeviceAttr = cudaDeviceAttr(61);
    pub const cudaDevAttrMaxSurface1DLayeredLayers: cudaDeviceAttr = cudaDeviceAttr(62);
    pub const cudaDevAttrMaxSurface2DLayeredWidth: cudaDeviceAttr = cudaDeviceAttr(63);
    pub const cudaDevAttrMaxSurface2DLayeredHeight: cudaDeviceAttr = cudaDeviceAttr(64);
    pub const cudaDevAttrMaxSurface2DLayeredLayers: cudaDeviceAttr = cudaDeviceAttr(65);
    pub const cudaDevAttrMaxSurfaceCubemapWidth: cudaDeviceAttr = cudaDeviceAttr(66);
    pub const cudaDevAttrMaxSurfaceCubemapLayeredWidth: cudaDeviceAttr = cudaDeviceAttr(
        67,
    );
    pub const cudaDevAttrMaxSurfaceCubemapLayeredLayers: cudaDeviceAttr = cudaDeviceAttr(
        68,
    );
    pub const cudaDevAttrMaxTexture1DLinearWidth: cudaDeviceAttr = cudaDeviceAttr(69);
    pub const cudaDevAttrMaxTexture2DLinearWidth: cudaDeviceAttr = cudaDeviceAttr(70);
    pub const cudaDevAttrMaxTexture2DLinearHeight: cudaDeviceAttr = cudaDeviceAttr(71);
    pub const cudaDevAttrMaxTexture2DLinearPitch: cudaDeviceAttr = cudaDeviceAttr(72);
    pub const cudaDevAttrMaxTexture2DMipmappedWidth: cudaDeviceAttr = cudaDeviceAttr(73);
    pub const cudaDevAttrMaxTexture2DMipmappedHeight: cudaDeviceAttr = cudaDeviceAttr(
        74,
    );
    pub const cudaDevAttrComputeCapabilityMajor: cudaDeviceAttr = cudaDeviceAttr(75);
    pub const cudaDevAttrComputeCapabilityMinor: cudaDeviceAttr = cudaDeviceAttr(76);
    pub const cudaDevAttrMaxTexture1DMipmappedWidth: cudaDeviceAttr = cudaDeviceAttr(77);
    pub const cudaDevAttrStreamPrioritiesSupported: cudaDeviceAttr = cudaDeviceAttr(78);
    pub const cudaDevAttrGlobalL1CacheSupported: cudaDeviceAttr = cudaDeviceAttr(79);
    pub const cudaDevAttrLocalL1CacheSupported: cudaDeviceAttr = cudaDeviceAttr(80);
    pub const cudaDevAttrMaxSharedMemoryPerMultiprocessor: cudaDeviceAttr = cudaDeviceAttr(
        81,
    );
    pub const cudaDevAttrMaxRegistersPerMultiprocessor: cudaDeviceAttr = cudaDeviceAttr(
        82,
    );
    pub const cudaDevAttrManagedMemory: cudaDeviceAttr = cudaDeviceAttr(83);
    pub const cudaDevAttrIsMultiGpuBoard: cudaDeviceAttr = cudaDeviceAttr(84);
    pub const cudaDevAttrMultiGpuBoardGroupID: cudaDeviceAttr = cudaDeviceAttr(85);
    pub const cudaDevAttrHostNativeAtomicSupported: cudaDeviceAttr = cudaDeviceAttr(86);
    pub const cudaDevAttrSingleToDoublePrecisionPerfRatio: cudaDeviceAttr = cudaDeviceAttr(
        87,
    );
    pub const cudaDevAttrPageableMemoryAccess: cudaDeviceAttr = cudaDeviceAttr(88);
    pub const cudaDevAttrConcurrentManagedAccess: cudaDeviceAttr = cudaDeviceAttr(89);
    pub const cudaDevAttrComputePreemptionSupported: cudaDeviceAttr = cudaDeviceAttr(90);
    pub const cudaDevAttrCanUseHostPointerForRegisteredMem: cudaDeviceAttr = cudaDeviceAttr(
        91,
    );
    pub const cudaDevAttrReserved92: cudaDeviceAttr = cudaDeviceAttr(92);
    pub const cudaDevAttrReserved93: cudaDeviceAttr = cudaDeviceAttr(93);
    pub const cudaDevAttrReserved94: cudaDeviceAttr = cudaDeviceAttr(94);
    pub const cudaDevAttrCooperativeLaunch: cudaDeviceAttr = cudaDeviceAttr(95);
    pub const cudaDevAttrCooperativeMultiDeviceLaunch: cudaDeviceAttr = cudaDeviceAttr(
        96,
    );
    pub const cudaDevAttrMaxSharedMemoryPerBlockOptin: cudaDeviceAttr = cudaDeviceAttr(
        97,
    );
    pub const cudaDevAttrCanFlushRemoteWrites: cudaDeviceAttr = cudaDeviceAttr(98);
    pub const cudaDevAttrHostRegisterSupported: cudaDeviceAttr = cudaDeviceAttr(99);
    pub const cudaDevAttrPageableMemoryAccessUsesHostPageTables: cudaDeviceAttr = cudaDeviceAttr(
        100,
    );
    pub const cudaDevAttrDirectManagedMemAccessFromHost: cudaDeviceAttr = cudaDeviceAttr(
        101,
    );
    pub const cudaDevAttrMaxBlocksPerMultiprocessor: cudaDeviceAttr = cudaDeviceAttr(
        106,
    );
    pub const cudaDevAttrMaxPersistingL2CacheSize: cudaDeviceAttr = cudaDeviceAttr(108);
    pub const cudaDevAttrMaxAccessPolicyWindowSize: cudaDeviceAttr = cudaDeviceAttr(109);
    pub const cudaDevAttrReservedSharedMemoryPerBlock: cudaDeviceAttr = cudaDeviceAttr(
        111,
    );
    pub const cudaDevAttrSparseCudaArraySupported: cudaDeviceAttr = cudaDeviceAttr(112);
    pub const cudaDevAttrHostRegisterReadOnlySupported: cudaDeviceAttr = cudaDeviceAttr(
        113,
    );
    pub const cudaDevAttrTimelineSemaphoreInteropSupported: cudaDeviceAttr = cudaDeviceAttr(
        114,
    );
    pub const cudaDevAttrMaxTimelineSemaphoreInteropSupported: cudaDeviceAttr = cudaDeviceAttr(
        114,
    );
    pub const cudaDevAttrMemoryPoolsSupported: cudaDeviceAttr = cudaDeviceAttr(115);
    pub const cudaDevAttrGPUDirectRDMASupported: cudaDeviceAttr = cudaDeviceAttr(116);
    pub const cudaDevAttrGPUDirectRDMAFlushWritesOptions: cudaDeviceAttr = cudaDeviceAttr(
        117,
    );
    pub const cudaDevAttrGPUDirectRDMAWritesOrdering: cudaDeviceAttr = cudaDeviceAttr(
        118,
    );
    pub const cudaDevAttrMemoryPoolSupportedHandleTypes: cudaDeviceAttr = cudaDeviceAttr(
        119,
    );
    pub const cudaDevAttrClusterLaunch: cudaDeviceAttr = cudaDeviceAttr(120);
    pub const cudaDevAttrDeferredMappingCudaArraySupported: cudaDeviceAttr = cudaDeviceAttr(
        121,
    );
    pub const cudaDevAttrReserved122: cudaDeviceAttr = cudaDeviceAttr(122);
    pub const cudaDevAttrReserved123: cudaDeviceAttr = cudaDeviceAttr(123);
    pub const cudaDevAttrReserved124: cudaDeviceAttr = cudaDeviceAttr(124);
    pub const cudaDevAttrIpcEventSupport: cudaDeviceAttr = cudaDeviceAttr(125);
    pub const cudaDevAttrMemSyncDomainCount: cudaDeviceAttr = cudaDeviceAttr(126);
    pub const cudaDevAttrReserved127: cudaDeviceAttr = cudaDeviceAttr(127);
    pub const cudaDevAttrReserved128: cudaDeviceAttr = cudaDeviceAttr(128);
    pub const cudaDevAttrReserved129: cudaDeviceAttr = cudaDeviceAttr(129);
    pub const cudaDevAttrNumaConfig: cudaDeviceAttr = cudaDeviceAttr(130);
    pub const cudaDevAttrNumaId: cudaDeviceAttr = cudaDeviceAttr(131);
    pub const cudaDevAttrReserved132: cudaDeviceAttr = cudaDeviceAttr(132);
    pub const cudaDevAttrMpsEnabled: cudaDeviceAttr = cudaDeviceAttr(133);
    pub const cudaDevAttrHostNumaId: cudaDeviceAttr = cudaDeviceAttr(134);
    pub const cudaDevAttrD3D12CigSupported: cudaDeviceAttr = cudaDeviceAttr(135);
    pub const cudaDevAttrVulkanCigSupported: cudaDeviceAttr = cudaDeviceAttr(138);
    pub const cudaDevAttrGpuPciDeviceId: cudaDeviceAttr = cudaDeviceAttr(139);
    pub const cudaDevAttrGpuPciSubsystemId: cudaDeviceAttr = cudaDeviceAttr(140);
    pub const cudaDevAttrReserved141: cudaDeviceAttr = cudaDeviceAttr(141);
    pub const cudaDevAttrHostNumaMemoryPoolsSupported: cudaDeviceAttr = cudaDeviceAttr(
        142,
    );
    pub const cudaDevAttrHostNumaMultinodeIpcSupported: cudaDeviceAttr = cudaDeviceAttr(
        143,
    );
    pub const cudaDevAttrMax: cudaDeviceAttr = cudaDeviceAttr(144);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaDeviceAttr(pub ::core::ffi::c_uint);
impl cudaMemPoolAttr {
    pub const cudaMemPoolReuseFollowEventDependencies: cudaMemPoolAttr = cudaMemPoolAttr(
        1,
    );
    pub const cudaMemPoolReuseAllowOpportunistic: cudaMemPoolAttr = cudaMemPoolAttr(2);
    pub const cudaMemPoolReuseAllowInternalDependencies: cudaMemPoolAttr = cudaMemPoolAttr(
        3,
    );
    pub const cudaMemPoolAttrReleaseThreshold: cudaMemPoolAttr = cudaMemPoolAttr(4);
    pub const cudaMemPoolAttrReservedMemCurrent: cudaMemPoolAttr = cudaMemPoolAttr(5);
    pub const cudaMemPoolAttrReservedMemHigh: cudaMemPoolAttr = cudaMemPoolAttr(6);
    pub const cudaMemPoolAttrUsedMemCurrent: cudaMemPoolAttr = cudaMemPoolAttr(7);
    pub const cudaMemPoolAttrUsedMemHigh: cudaMemPoolAttr = cudaMemPoolAttr(8);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemPoolAttr(pub ::core::ffi::c_uint);
impl cudaMemLocationType {
    pub const cudaMemLocationTypeInvalid: cudaMemLocationType = cudaMemLocationType(0);
    pub const cudaMemLocationTypeDevice: cudaMemLocationType = cudaMemLocationType(1);
    pub const cudaMemLocationTypeHost: cudaMemLocationType = cudaMemLocationType(2);
    pub const cudaMemLocationTypeHostNuma: cudaMemLocationType = cudaMemLocationType(3);
    pub const cudaMemLocationTypeHostNumaCurrent: cudaMemLocationType = cudaMemLocationType(
        4,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemLocationType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaMemLocation {
    pub type_: cudaMemLocationType,
    pub id: ::core::ffi::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of cudaMemLocation"][::core::mem::size_of::<cudaMemLocation>() - 8usize];
    [
        "Alignment of cudaMemLocation",
    ][::core::mem::align_of::<cudaMemLocation>() - 4usize];
    [
        "Offset of field: cudaMemLocation::type_",
    ][::core::mem::offset_of!(cudaMemLocation, type_) - 0usize];
    [
        "Offset of field: cudaMemLocation::id",
    ][::core::mem::offset_of!(cudaMemLocation, id) - 4usize];
};
impl cudaMemAccessFlags {
    pub const cudaMemAccessFlagsProtNone: cudaMemAccessFlags = cudaMemAccessFlags(0);
    pub const cudaMemAccessFlagsProtRead: cudaMemAccessFlags = cudaMemAccessFlags(1);
    pub const cudaMemAccessFlagsProtReadWrite: cudaMemAccessFlags = cudaMemAccessFlags(
        3,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemAccessFlags(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaMemAccessDesc {
    pub location: cudaMemLocation,
    pub flags: cudaMemAccessFlags,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of cudaMemAccessDesc"][::core::mem::size_of::<cudaMemAccessDesc>() - 12usize];
    [
        "Alignment of cudaMemAccessDesc",
    ][::core::mem::align_of::<cudaMemAccessDesc>() - 4usize];
    [
        "Offset of field: cudaMemAccessDesc::location",
    ][::core::mem::offset_of!(cudaMemAccessDesc, location) - 0usize];
    [
        "Offset of field: cudaMemAccessDesc::flags",
    ][::core::mem::offset_of!(cudaMemAccessDesc, flags) - 8usize];
};
impl cudaMemAllocationType {
    pub const cudaMemAllocationTypeInvalid: cudaMemAllocationType = cudaMemAllocationType(
        0,
    );
    pub const cudaMemAllocationTypePinned: cudaMemAllocationType = cudaMemAllocationType(
        1,
    );
    pub const cudaMemAllocationTypeMax: cudaMemAllocationType = cudaMemAllocationType(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemAllocationType(pub ::core::ffi::c_uint);
impl cudaMemAllocationHandleType {
    pub const cudaMemHandleTypeNone: cudaMemAllocationHandleType = cudaMemAllocationHandleType(
        0,
    );
    pub const cudaMemHandleTypePosixFileDescriptor: cudaMemAllocationHandleType = cudaMemAllocationHandleType(
        1,
    );
    pub const cudaMemHandleTypeWin32: cudaMemAllocationHandleType = cudaMemAllocationHandleType(
        2,
    );
    pub const cudaMemHandleTypeWin32Kmt: cudaMemAllocationHandleType = cudaMemAllocationHandleType(
        4,
    );
    pub const cudaMemHandleTypeFabric: cudaMemAllocationHandleType = cudaMemAllocationHandleType(
        8,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemAllocationHandleType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaMemPoolProps {
    pub allocType: cudaMemAllocationType,
    pub handleTypes: cudaMemAllocationHandleType,
    pub location: cudaMemLocation,
    pub win32SecurityAttributes: *mut ::core::ffi::c_void,
    pub maxSize: usize,
    pub usage: ::core::ffi::c_ushort,
    pub reserved: [::core::ffi::c_uchar; 54usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of cudaMemPoolProps"][::core::mem::size_of::<cudaMemPoolProps>() - 88usize];
    [
        "Alignment of cudaMemPoolProps",
    ][::core::mem::align_of::<cudaMemPoolProps>() - 8usize];
    [
        "Offset of field: cudaMemPoolProps::allocType",
    ][::core::mem::offset_of!(cudaMemPoolProps, allocType) - 0usize];
    [
        "Offset of field: cudaMemPoolProps::handleTypes",
    ][::core::mem::offset_of!(cudaMemPoolProps, handleTypes) - 4usize];
    [
        "Offset of field: cudaMemPoolProps::location",
    ][::core::mem::offset_of!(cudaMemPoolProps, location) - 8usize];
    [
        "Offset of field: cudaMemPoolProps::win32SecurityAttributes",
    ][::core::mem::offset_of!(cudaMemPoolProps, win32SecurityAttributes) - 16usize];
    [
        "Offset of field: cudaMemPoolProps::maxSize",
    ][::core::mem::offset_of!(cudaMemPoolProps, maxSize) - 24usize];
    [
        "Offset of field: cudaMemPoolProps::usage",
    ][::core::mem::offset_of!(cudaMemPoolProps, usage) - 32usize];
    [
        "Offset of field: cudaMemPoolProps::reserved",
    ][::core::mem::offset_of!(cudaMemPoolProps, reserved) - 34usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaMemPoolPtrExportData {
    pub reserved: [::core::ffi::c_uchar; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemPoolPtrExportData",
    ][::core::mem::size_of::<cudaMemPoolPtrExportData>() - 64usize];
    [
        "Alignment of cudaMemPoolPtrExportData",
    ][::core::mem::align_of::<cudaMemPoolPtrExportData>() - 1usize];
    [
        "Offset of field: cudaMemPoolPtrExportData::reserved",
    ][::core::mem::offset_of!(cudaMemPoolPtrExportData, reserved) - 0usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaMemAllocNodeParams {
    pub poolProps: cudaMemPoolProps,
    pub accessDescs: *const cudaMemAccessDesc,
    pub accessDescCount: usize,
    pub bytesize: usize,
    pub dptr: *mut ::core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemAllocNodeParams",
    ][::core::mem::size_of::<cudaMemAllocNodeParams>() - 120usize];
    [
        "Alignment of cudaMemAllocNodeParams",
    ][::core::mem::align_of::<cudaMemAllocNodeParams>() - 8usize];
    [
        "Offset of field: cudaMemAllocNodeParams::poolProps",
    ][::core::mem::offset_of!(cudaMemAllocNodeParams, poolProps) - 0usize];
    [
        "Offset of field: cudaMemAllocNodeParams::accessDescs",
    ][::core::mem::offset_of!(cudaMemAllocNodeParams, accessDescs) - 88usize];
    [
        "Offset of field: cudaMemAllocNodeParams::accessDescCount",
    ][::core::mem::offset_of!(cudaMemAllocNodeParams, accessDescCount) - 96usize];
    [
        "Offset of field: cudaMemAllocNodeParams::bytesize",
    ][::core::mem::offset_of!(cudaMemAllocNodeParams, bytesize) - 104usize];
    [
        "Offset of field: cudaMemAllocNodeParams::dptr",
    ][::core::mem::offset_of!(cudaMemAllocNodeParams, dptr) - 112usize];
};
impl cudaGraphMemAttributeType {
    pub const cudaGraphMemAttrUsedMemCurrent: cudaGraphMemAttributeType = cudaGraphMemAttributeType(
        0,
    );
    pub const cudaGraphMemAttrUsedMemHigh: cudaGraphMemAttributeType = cudaGraphMemAttributeType(
        1,
    );
    pub const cudaGraphMemAttrReservedMemCurrent: cudaGraphMemAttributeType = cudaGraphMemAttributeType(
        2,
    );
    pub const cudaGraphMemAttrReservedMemHigh: cudaGraphMemAttributeType = cudaGraphMemAttributeType(
        3,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaGraphMemAttributeType(pub ::core::ffi::c_uint);
impl cudaMemcpySrcAccessOrder {
    pub const cudaMemcpySrcAccessOrderInvalid: cudaMemcpySrcAccessOrder = cudaMemcpySrcAccessOrder(
        0,
    );
    pub const cudaMemcpySrcAccessOrderStream: cudaMemcpySrcAccessOrder = cudaMemcpySrcAccessOrder(
        1,
    );
    pub const cudaMemcpySrcAccessOrderDuringApiCall: cudaMemcpySrcAccessOrder = cudaMemcpySrcAccessOrder(
        2,
    );
    pub const cudaMemcpySrcAccessOrderAny: cudaMemcpySrcAccessOrder = cudaMemcpySrcAccessOrder(
        3,
    );
    pub const cudaMemcpySrcAccessOrderMax: cudaMemcpySrcAccessOrder = cudaMemcpySrcAccessOrder(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemcpySrcAccessOrder(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaMemcpyAttributes {
    pub srcAccessOrder: cudaMemcpySrcAccessOrder,
    pub srcLocHint: cudaMemLocation,
    pub dstLocHint: cudaMemLocation,
    pub flags: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemcpyAttributes",
    ][::core::mem::size_of::<cudaMemcpyAttributes>() - 24usize];
    [
        "Alignment of cudaMemcpyAttributes",
    ][::core::mem::align_of::<cudaMemcpyAttributes>() - 4usize];
    [
        "Offset of field: cudaMemcpyAttributes::srcAccessOrder",
    ][::core::mem::offset_of!(cudaMemcpyAttributes, srcAccessOrder) - 0usize];
    [
        "Offset of field: cudaMemcpyAttributes::srcLocHint",
    ][::core::mem::offset_of!(cudaMemcpyAttributes, srcLocHint) - 4usize];
    [
        "Offset of field: cudaMemcpyAttributes::dstLocHint",
    ][::core::mem::offset_of!(cudaMemcpyAttributes, dstLocHint) - 12usize];
    [
        "Offset of field: cudaMemcpyAttributes::flags",
    ][::core::mem::offset_of!(cudaMemcpyAttributes, flags) - 20usize];
};
impl cudaMemcpy3DOperandType {
    pub const cudaMemcpyOperandTypePointer: cudaMemcpy3DOperandType = cudaMemcpy3DOperandType(
        1,
    );
    pub const cudaMemcpyOperandTypeArray: cudaMemcpy3DOperandType = cudaMemcpy3DOperandType(
        2,
    );
    pub const cudaMemcpyOperandTypeMax: cudaMemcpy3DOperandType = cudaMemcpy3DOperandType(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemcpy3DOperandType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaOffset3D {
    pub x: usize,
    pub y: usize,
    pub z: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of cudaOffset3D"][::core::mem::size_of::<cudaOffset3D>() - 24usize];
    ["Alignment of cudaOffset3D"][::core::mem::align_of::<cudaOffset3D>() - 8usize];
    [
        "Offset of field: cudaOffset3D::x",
    ][::core::mem::offset_of!(cudaOffset3D, x) - 0usize];
    [
        "Offset of field: cudaOffset3D::y",
    ][::core::mem::offset_of!(cudaOffset3D, y) - 8usize];
    [
        "Offset of field: cudaOffset3D::z",
    ][::core::mem::offset_of!(cudaOffset3D, z) - 16usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct cudaMemcpy3DOperand {
    pub type_: cudaMemcpy3DOperandType,
    pub op: cudaMemcpy3DOperand__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union cudaMemcpy3DOperand__bindgen_ty_1 {
    pub ptr: cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1,
    pub array: cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1 {
    pub ptr: *mut ::core::ffi::c_void,
    pub rowLength: usize,
    pub layerHeight: usize,
    pub locHint: cudaMemLocation,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1>()
        - 32usize];
    [
        "Alignment of cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1::ptr",
    ][::core::mem::offset_of!(cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1, ptr)
        - 0usize];
    [
        "Offset of field: cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1::rowLength",
    ][::core::mem::offset_of!(cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1, rowLength)
        - 8usize];
    [
        "Offset of field: cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1::layerHeight",
    ][::core::mem::offset_of!(
        cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1, layerHeight
    ) - 16usize];
    [
        "Offset of field: cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1::locHint",
    ][::core::mem::offset_of!(cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1, locHint)
        - 24usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2 {
    pub array: cudaArray_t,
    pub offset: cudaOffset3D,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::size_of::<cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2>()
        - 32usize];
    [
        "Alignment of cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::align_of::<cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2>()
        - 8usize];
    [
        "Offset of field: cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2::array",
    ][::core::mem::offset_of!(cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2, array)
        - 0usize];
    [
        "Offset of field: cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2::offset",
    ][::core::mem::offset_of!(cudaMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2, offset)
        - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemcpy3DOperand__bindgen_ty_1",
    ][::core::mem::size_of::<cudaMemcpy3DOperand__bindgen_ty_1>() - 32usize];
    [
        "Alignment of cudaMemcpy3DOperand__bindgen_ty_1",
    ][::core::mem::align_of::<cudaMemcpy3DOperand__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: cudaMemcpy3DOperand__bindgen_ty_1::ptr",
    ][::core::mem::offset_of!(cudaMemcpy3DOperand__bindgen_ty_1, ptr) - 0usize];
    [
        "Offset of field: cudaMemcpy3DOperand__bindgen_ty_1::array",
    ][::core::mem::offset_of!(cudaMemcpy3DOperand__bindgen_ty_1, array) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemcpy3DOperand",
    ][::core::mem::size_of::<cudaMemcpy3DOperand>() - 40usize];
    [
        "Alignment of cudaMemcpy3DOperand",
    ][::core::mem::align_of::<cudaMemcpy3DOperand>() - 8usize];
    [
        "Offset of field: cudaMemcpy3DOperand::type_",
    ][::core::mem::offset_of!(cudaMemcpy3DOperand, type_) - 0usize];
    [
        "Offset of field: cudaMemcpy3DOperand::op",
    ][::core::mem::offset_of!(cudaMemcpy3DOperand, op) - 8usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct cudaMemcpy3DBatchOp {
    pub src: cudaMemcpy3DOperand,
    pub dst: cudaMemcpy3DOperand,
    pub extent: cudaExtent,
    pub srcAccessOrder: cudaMemcpySrcAccessOrder,
    pub flags: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemcpy3DBatchOp",
    ][::core::mem::size_of::<cudaMemcpy3DBatchOp>() - 112usize];
    [
        "Alignment of cudaMemcpy3DBatchOp",
    ][::core::mem::align_of::<cudaMemcpy3DBatchOp>() - 8usize];
    [
        "Offset of field: cudaMemcpy3DBatchOp::src",
    ][::core::mem::offset_of!(cudaMemcpy3DBatchOp, src) - 0usize];
    [
        "Offset of field: cudaMemcpy3DBatchOp::dst",
    ][::core::mem::offset_of!(cudaMemcpy3DBatchOp, dst) - 40usize];
    [
        "Offset of field: cudaMemcpy3DBatchOp::extent",
    ][::core::mem::offset_of!(cudaMemcpy3DBatchOp, extent) - 80usize];
    [
        "Offset of field: cudaMemcpy3DBatchOp::srcAccessOrder",
    ][::core::mem::offset_of!(cudaMemcpy3DBatchOp, srcAccessOrder) - 104usize];
    [
        "Offset of field: cudaMemcpy3DBatchOp::flags",
    ][::core::mem::offset_of!(cudaMemcpy3DBatchOp, flags) - 108usize];
};
impl cudaDeviceP2PAttr {
    pub const cudaDevP2PAttrPerformanceRank: cudaDeviceP2PAttr = cudaDeviceP2PAttr(1);
    pub const cudaDevP2PAttrAccessSupported: cudaDeviceP2PAttr = cudaDeviceP2PAttr(2);
    pub const cudaDevP2PAttrNativeAtomicSupported: cudaDeviceP2PAttr = cudaDeviceP2PAttr(
        3,
    );
    pub const cudaDevP2PAttrCudaArrayAccessSupported: cudaDeviceP2PAttr = cudaDeviceP2PAttr(
        4,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaDeviceP2PAttr(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUuuid_st {
    pub bytes: [::core::ffi::c_char; 16usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUuuid_st"][::core::mem::size_of::<CUuuid_st>() - 16usize];
    ["Alignment of CUuuid_st"][::core::mem::align_of::<CUuuid_st>() - 1usize];
    [
        "Offset of field: CUuuid_st::bytes",
    ][::core::mem::offset_of!(CUuuid_st, bytes) - 0usize];
};
pub type cudaUUID_t = CUuuid_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaDeviceProp {
    pub name: [::core::ffi::c_char; 256usize],
    pub uuid: cudaUUID_t,
    pub luid: [::core::ffi::c_char; 8usize],
    pub luidDeviceNodeMask: ::core::ffi::c_uint,
    pub totalGlobalMem: usize,
    pub sharedMemPerBlock: usize,
    pub regsPerBlock: ::core::ffi::c_int,
    pub warpSize: ::core::ffi::c_int,
    pub memPitch: usize,
    pub maxThreadsPerBlock: ::core::ffi::c_int,
    pub maxThreadsDim: [::core::ffi::c_int; 3usize],
    pub maxGridSize: [::core::ffi::c_int; 3usize],
    pub clockRate: ::core::ffi::c_int,
    pub totalConstMem: usize,
    pub major: ::core::ffi::c_int,
    pub minor: ::core::ffi::c_int,
    pub textureAlignment: usize,
    pub texturePitchAlignment: usize,
    pub deviceOverlap: ::core::ffi::c_int,
    pub multiProcessorCount: ::core::ffi::c_int,
    pub kernelExecTimeoutEnabled: ::core::ffi::c_int,
    pub integrated: ::core::ffi::c_int,
    pub canMapHostMemory: ::core::ffi::c_int,
    pub computeMode: ::core::ffi::c_int,
    pub maxTexture1D: ::core::ffi::c_int,
    pub maxTexture1DMipmap: ::core::ffi::c_int,
    pub maxTexture1DLinear: ::core::ffi::c_int,
    pub maxTexture2D: [::core::ffi::c_int; 2usize],
    pub maxTexture2DMipmap: [::core::ffi::c_int; 2usize],
    pub maxTexture2DLinear: [::core::ffi::c_int; 3usize],
    pub maxTexture2DGather: [::core::ffi::c_int; 2usize],
    pub maxTexture3D: [::core::ffi::c_int; 3usize],
    pub maxTexture3DAlt: [::core::ffi::c_int; 3usize],
    pub maxTextureCubemap: ::core::ffi::c_int,
    pub maxTexture1DLayered: [::core::ffi::c_int; 2usize],
    pub maxTexture2DLayered: [::core::ffi::c_int; 3usize],
    pub maxTextureCubemapLayered: [::core::ffi::c_int; 2usize],
    pub maxSurface1D: ::core::ffi::c_int,
    pub maxSurface2D: [::core::ffi::c_int; 2usize],
    pub maxSurface3D: [::core::ffi::c_int; 3usize],
    pub maxSurface1DLayered: [::core::ffi::c_int; 2usize],
    pub maxSurface2DLayered: [::core::ffi::c_int; 3usize],
    pub maxSurfaceCubemap: ::core::ffi::c_int,
    pub maxSurfaceCubemapLayered: [::core::ffi::c_int; 2usize],
    pub surfaceAlignment: usize,
    pub concurrentKernels: ::core::ffi::c_int,
    pub ECCEnabled: ::core::ffi::c_int,
    pub pciBusID: ::core::ffi::c_int,
    pub pciDeviceID: ::core::ffi::c_int,
    pub pciDomainID: ::core::ffi::c_int,
    pub tccDriver: ::core::ffi::c_int,
    pub asyncEngineCount: ::core::ffi::c_int,
    pub unifiedAddressing: ::core::ffi::c_int,
    pub memoryClockRate: ::core::ffi::c_int,
    pub memoryBusWidth: ::core::ffi::c_int,
    pub l2CacheSize: ::core::ffi::c_int,
    pub persistingL2CacheMaxSize: ::core::ffi::c_int,
    pub maxThreadsPerMultiProcessor: ::core::ffi::c_int,
    pub streamPrioritiesSupported: ::core::ffi::c_int,
    pub globalL1CacheSupported: ::core::ffi::c_int,
    pub localL1CacheSupported: ::core::ffi::c_int,
    pub sharedMemPerMultiprocessor: usize,
    pub regsPerMultiprocessor: ::core::ffi::c_int,
    pub managedMemory: ::core::ffi::c_int,
    pub isMultiGpuBoard: ::core::ffi::c_int,
    pub multiGpuBoardGroupID: ::core::ffi::c_int,
    pub hostNativeAtomicSupported: ::core::ffi::c_int,
    pub singleToDoublePrecisionPerfRatio: ::core::ffi::c_int,
    pub pageableMemoryAccess: ::core::ffi::c_int,
    pub concurrentManagedAccess: ::core::ffi::c_int,
    pub computePreemptionSupported: ::core::ffi::c_int,
    pub canUseHostPointerForRegisteredMem: ::core::ffi::c_int,
    pub cooperativeLaunch: ::core::ffi::c_int,
    pub cooperativeMultiDeviceLaunch: ::core::ffi::c_int,
    pub sharedMemPerBlockOptin: usize,
    pub pageableMemoryAccessUsesHostPageTables: ::core::ffi::c_int,
    pub directManagedMemAccessFromHost: ::core::ffi::c_int,
    pub maxBlocksPerMultiProcessor: ::core::ffi::c_int,
    pub accessPolicyMaxWindowSize: ::core::ffi::c_int,
    pub reservedSharedMemPerBlock: usize,
    pub hostRegisterSupported: ::core::ffi::c_int,
    pub sparseCudaArraySupported: ::core::ffi::c_int,
    pub hostRegisterReadOnlySupported: ::core::ffi::c_int,
    pub timelineSemaphoreInteropSupported: ::core::ffi::c_int,
    pub memoryPoolsSupported: ::core::ffi::c_int,
    pub gpuDirectRDMASupported: ::core::ffi::c_int,
    pub gpuDirectRDMAFlushWritesOptions: ::core::ffi::c_uint,
    pub gpuDirectRDMAWritesOrdering: ::core::ffi::c_int,
    pub memoryPoolSupportedHandleTypes: ::core::ffi::c_uint,
    pub deferredMappingCudaArraySupported: ::core::ffi::c_int,
    pub ipcEventSupported: ::core::ffi::c_int,
    pub clusterLaunch: ::core::ffi::c_int,
    pub unifiedFunctionPointers: ::core::ffi::c_int,
    pub reserved: [::core::ffi::c_int; 63usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of cudaDeviceProp"][::core::mem::size_of::<cudaDeviceProp>() - 1032usize];
    ["Alignment of cudaDeviceProp"][::core::mem::align_of::<cudaDeviceProp>() - 8usize];
    [
        "Offset of field: cudaDeviceProp::name",
    ][::core::mem::offset_of!(cudaDeviceProp, name) - 0usize];
    [
        "Offset of field: cudaDeviceProp::uuid",
    ][::core::mem::offset_of!(cudaDeviceProp, uuid) - 256usize];
    [
        "Offset of field: cudaDeviceProp::luid",
    ][::core::mem::offset_of!(cudaDeviceProp, luid) - 272usize];
    [
        "Offset of field: cudaDeviceProp::luidDeviceNodeMask",
    ][::core::mem::offset_of!(cudaDeviceProp, luidDeviceNodeMask) - 280usize];
    [
        "Offset of field: cudaDeviceProp::totalGlobalMem",
    ][::core::mem::offset_of!(cudaDeviceProp, totalGlobalMem) - 288usize];
    [
        "Offset of field: cudaDeviceProp::sharedMemPerBlock",
    ][::core::mem::offset_of!(cudaDeviceProp, sharedMemPerBlock) - 296usize];
    [
        "Offset of field: cudaDeviceProp::regsPerBlock",
    ][::core::mem::offset_of!(cudaDeviceProp, regsPerBlock) - 304usize];
    [
        "Offset of field: cudaDeviceProp::warpSize",
    ][::core::mem::offset_of!(cudaDeviceProp, warpSize) - 308usize];
    [
        "Offset of field: cudaDeviceProp::memPitch",
    ][::core::mem::offset_of!(cudaDeviceProp, memPitch) - 312usize];
    [
        "Offset of field: cudaDeviceProp::maxThreadsPerBlock",
    ][::core::mem::offset_of!(cudaDeviceProp, maxThreadsPerBlock) - 320usize];
    [
        "Offset of field: cudaDeviceProp::maxThreadsDim",
    ][::core::mem::offset_of!(cudaDeviceProp, maxThreadsDim) - 324usize];
    [
        "Offset of field: cudaDeviceProp::maxGridSize",
    ][::core::mem::offset_of!(cudaDeviceProp, maxGridSize) - 336usize];
    [
        "Offset of field: cudaDeviceProp::clockRate",
    ][::core::mem::offset_of!(cudaDeviceProp, clockRate) - 348usize];
    [
        "Offset of field: cudaDeviceProp::totalConstMem",
    ][::core::mem::offset_of!(cudaDeviceProp, totalConstMem) - 352usize];
    [
        "Offset of field: cudaDeviceProp::major",
    ][::core::mem::offset_of!(cudaDeviceProp, major) - 360usize];
    [
        "Offset of field: cudaDeviceProp::minor",
    ][::core::mem::offset_of!(cudaDeviceProp, minor) - 364usize];
    [
        "Offset of field: cudaDeviceProp::textureAlignment",
    ][::core::mem::offset_of!(cudaDeviceProp, textureAlignment) - 368usize];
    [
        "Offset of field: cudaDeviceProp::texturePitchAlignment",
    ][::core::mem::offset_of!(cudaDeviceProp, texturePitchAlignment) - 376usize];
    [
        "Offset of field: cudaDeviceProp::deviceOverlap",
    ][::core::mem::offset_of!(cudaDeviceProp, deviceOverlap) - 384usize];
    [
        "Offset of field: cudaDeviceProp::multiProcessorCount",
    ][::core::mem::offset_of!(cudaDeviceProp, multiProcessorCount) - 388usize];
    [
        "Offset of field: cudaDeviceProp::kernelExecTimeoutEnabled",
    ][::core::mem::offset_of!(cudaDeviceProp, kernelExecTimeoutEnabled) - 392usize];
    [
        "Offset of field: cudaDeviceProp::integrated",
    ][::core::mem::offset_of!(cudaDeviceProp, integrated) - 396usize];
    [
        "Offset of field: cudaDeviceProp::canMapHostMemory",
    ][::core::mem::offset_of!(cudaDeviceProp, canMapHostMemory) - 400usize];
    [
        "Offset of field: cudaDeviceProp::computeMode",
    ][::core::mem::offset_of!(cudaDeviceProp, computeMode) - 404usize];
    [
        "Offset of field: cudaDeviceProp::maxTexture1D",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTexture1D) - 408usize];
    [
        "Offset of field: cudaDeviceProp::maxTexture1DMipmap",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTexture1DMipmap) - 412usize];
    [
        "Offset of field: cudaDeviceProp::maxTexture1DLinear",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTexture1DLinear) - 416usize];
    [
        "Offset of field: cudaDeviceProp::maxTexture2D",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTexture2D) - 420usize];
    [
        "Offset of field: cudaDeviceProp::maxTexture2DMipmap",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTexture2DMipmap) - 428usize];
    [
        "Offset of field: cudaDeviceProp::maxTexture2DLinear",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTexture2DLinear) - 436usize];
    [
        "Offset of field: cudaDeviceProp::maxTexture2DGather",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTexture2DGather) - 448usize];
    [
        "Offset of field: cudaDeviceProp::maxTexture3D",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTexture3D) - 456usize];
    [
        "Offset of field: cudaDeviceProp::maxTexture3DAlt",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTexture3DAlt) - 468usize];
    [
        "Offset of field: cudaDeviceProp::maxTextureCubemap",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTextureCubemap) - 480usize];
    [
        "Offset of field: cudaDeviceProp::maxTexture1DLayered",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTexture1DLayered) - 484usize];
    [
        "Offset of field: cudaDeviceProp::maxTexture2DLayered",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTexture2DLayered) - 492usize];
    [
        "Offset of field: cudaDeviceProp::maxTextureCubemapLayered",
    ][::core::mem::offset_of!(cudaDeviceProp, maxTextureCubemapLayered) - 504usize];
    [
        "Offset of field: cudaDeviceProp::maxSurface1D",
    ][::core::mem::offset_of!(cudaDeviceProp, maxSurface1D) - 512usize];
    [
        "Offset of field: cudaDeviceProp::maxSurface2D",
    ][::core::mem::offset_of!(cudaDeviceProp, maxSurface2D) - 516usize];
    [
        "Offset of field: cudaDeviceProp::maxSurface3D",
    ][::core::mem::offset_of!(cudaDeviceProp, maxSurface3D) - 524usize];
    [
        "Offset of field: cudaDeviceProp::maxSurface1DLayered",
    ][::core::mem::offset_of!(cudaDeviceProp, maxSurface1DLayered) - 536usize];
    [
        "Offset of field: cudaDeviceProp::maxSurface2DLayered",
    ][::core::mem::offset_of!(cudaDeviceProp, maxSurface2DLayered) - 544usize];
    [
        "Offset of field: cudaDeviceProp::maxSurfaceCubemap",
    ][::core::mem::offset_of!(cudaDeviceProp, maxSurfaceCubemap) - 556usize];
    [
        "Offset of field: cudaDeviceProp::maxSurfaceCubemapLayered",
    ][::core::mem::offset_of!(cudaDeviceProp, maxSurfaceCubemapLayered) - 560usize];
    [
        "Offset of field: cudaDeviceProp::surfaceAlignment",
    ][::core::mem::offset_of!(cudaDeviceProp, surfaceAlignment) - 568usize];
    [
        "Offset of field: cudaDeviceProp::concurrentKernels",
    ][::core::mem::offset_of!(cudaDeviceProp, concurrentKernels) - 576usize];
    [
        "Offset of field: cudaDeviceProp::ECCEnabled",
    ][::core::mem::offset_of!(cudaDeviceProp, ECCEnabled) - 580usize];
    [
        "Offset of field: cudaDeviceProp::pciBusID",
    ][::core::mem::offset_of!(cudaDeviceProp, pciBusID) - 584usize];
    [
        "Offset of field: cudaDeviceProp::pciDeviceID",
    ][::core::mem::offset_of!(cudaDeviceProp, pciDeviceID) - 588usize];
    [
        "Offset of field: cudaDeviceProp::pciDomainID",
    ][::core::mem::offset_of!(cudaDeviceProp, pciDomainID) - 592usize];
    [
        "Offset of field: cudaDeviceProp::tccDriver",
    ][::core::mem::offset_of!(cudaDeviceProp, tccDriver) - 596usize];
    [
        "Offset of field: cudaDeviceProp::asyncEngineCount",
    ][::core::mem::offset_of!(cudaDeviceProp, asyncEngineCount) - 600usize];
    [
        "Offset of field: cudaDeviceProp::unifiedAddressing",
    ][::core::mem::offset_of!(cudaDeviceProp, unifiedAddressing) - 604usize];
    [
        "Offset of field: cudaDeviceProp::memoryClockRate",
    ][::core::mem::offset_of!(cudaDeviceProp, memoryClockRate) - 608usize];
    [
        "Offset of field: cudaDeviceProp::memoryBusWidth",
    ][::core::mem::offset_of!(cudaDeviceProp, memoryBusWidth) - 612usize];
    [
        "Offset of field: cudaDeviceProp::l2CacheSize",
    ][::core::mem::offset_of!(cudaDeviceProp, l2CacheSize) - 616usize];
    [
        "Offset of field: cudaDeviceProp::persistingL2CacheMaxSize",
    ][::core::mem::offset_of!(cudaDeviceProp, persistingL2CacheMaxSize) - 620usize];
    [
        "Offset of field: cudaDeviceProp::maxThreadsPerMultiProcessor",
    ][::core::mem::offset_of!(cudaDeviceProp, maxThreadsPerMultiProcessor) - 624usize];
    [
        "Offset of field: cudaDeviceProp::streamPrioritiesSupported",
    ][::core::mem::offset_of!(cudaDeviceProp, streamPrioritiesSupported) - 628usize];
    [
        "Offset of field: cudaDeviceProp::globalL1CacheSupported",
    ][::core::mem::offset_of!(cudaDeviceProp, globalL1CacheSupported) - 632usize];
    [
        "Offset of field: cudaDeviceProp::localL1CacheSupported",
    ][::core::mem::offset_of!(cudaDeviceProp, localL1CacheSupported) - 636usize];
    [
        "Offset of field: cudaDeviceProp::sharedMemPerMultiprocessor",
    ][::core::mem::offset_of!(cudaDeviceProp, sharedMemPerMultiprocessor) - 640usize];
    [
        "Offset of field: cudaDeviceProp::regsPerMultiprocessor",
    ][::core::mem::offset_of!(cudaDeviceProp, regsPerMultiprocessor) - 648usize];
    [
        "Offset of field: cudaDeviceProp::managedMemory",
    ][::core::mem::offset_of!(cudaDeviceProp, managedMemory) - 652usize];
    [
        "Offset of field: cudaDeviceProp::isMultiGpuBoard",
    ][::core::mem::offset_of!(cudaDeviceProp, isMultiGpuBoard) - 656usize];
    [
        "Offset of field: cudaDeviceProp::multiGpuBoardGroupID",
    ][::core::mem::offset_of!(cudaDeviceProp, multiGpuBoardGroupID) - 660usize];
    [
        "Offset of field: cudaDeviceProp::hostNativeAtomicSupported",
    ][::core::mem::offset_of!(cudaDeviceProp, hostNativeAtomicSupported) - 664usize];
    [
        "Offset of field: cudaDeviceProp::singleToDoublePrecisionPerfRatio",
    ][::core::mem::offset_of!(cudaDeviceProp, singleToDoublePrecisionPerfRatio)
        - 668usize];
    [
        "Offset of field: cudaDeviceProp::pageableMemoryAccess",
    ][::core::mem::offset_of!(cudaDeviceProp, pageableMemoryAccess) - 672usize];
    [
        "Offset of field: cudaDeviceProp::concurrentManagedAccess",
    ][::core::mem::offset_of!(cudaDeviceProp, concurrentManagedAccess) - 676usize];
    [
        "Offset of field: cudaDeviceProp::computePreemptionSupported",
    ][::core::mem::offset_of!(cudaDeviceProp, computePreemptionSupported) - 680usize];
    [
        "Offset of field: cudaDeviceProp::canUseHostPointerForRegisteredMem",
    ][::core::mem::offset_of!(cudaDeviceProp, canUseHostPointerForRegisteredMem)
        - 684usize];
    [
        "Offset of field: cudaDeviceProp::cooperativeLaunch",
    ][::core::mem::offset_of!(cudaDeviceProp, cooperativeLaunch) - 688usize];
    [
        "Offset of field: cudaDeviceProp::cooperativeMultiDeviceLaunch",
    ][::core::mem::offset_of!(cudaDeviceProp, cooperativeMultiDeviceLaunch) - 692usize];
    [
        "Offset of field: cudaDeviceProp::sharedMemPerBlockOptin",
    ][::core::mem::offset_of!(cudaDeviceProp, sharedMemPerBlockOptin) - 696usize];
    [
        "Offset of field: cudaDeviceProp::pageableMemoryAccessUsesHostPageTables",
    ][::core::mem::offset_of!(cudaDeviceProp, pageableMemoryAccessUsesHostPageTables)
        - 704usize];
    [
        "Offset of field: cudaDeviceProp::directManagedMemAccessFromHost",
    ][::core::mem::offset_of!(cudaDeviceProp, directManagedMemAccessFromHost)
        - 708usize];
    [
        "Offset of field: cudaDeviceProp::maxBlocksPerMultiProcessor",
    ][::core::mem::offset_of!(cudaDeviceProp, maxBlocksPerMultiProcessor) - 712usize];
    [
        "Offset of field: cudaDeviceProp::accessPolicyMaxWindowSize",
    ][::core::mem::offset_of!(cudaDeviceProp, accessPolicyMaxWindowSize) - 716usize];
    [
        "Offset of field: cudaDeviceProp::reservedSharedMemPerBlock",
    ][::core::mem::offset_of!(cudaDeviceProp, reservedSharedMemPerBlock) - 720usize];
    [
        "Offset of field: cudaDeviceProp::hostRegisterSupported",
    ][::core::mem::offset_of!(cudaDeviceProp, hostRegisterSupported) - 728usize];
    [
        "Offset of field: cudaDeviceProp::sparseCudaArraySupported",
    ][::core::mem::offset_of!(cudaDeviceProp, sparseCudaArraySupported) - 732usize];
    [
        "Offset of field: cudaDeviceProp::hostRegisterReadOnlySupported",
    ][::core::mem::offset_of!(cudaDeviceProp, hostRegisterReadOnlySupported) - 736usize];
    [
        "Offset of field: cudaDeviceProp::timelineSemaphoreInteropSupported",
    ][::core::mem::offset_of!(cudaDeviceProp, timelineSemaphoreInteropSupported)
        - 740usize];
    [
        "Offset of field: cudaDeviceProp::memoryPoolsSupported",
    ][::core::mem::offset_of!(cudaDeviceProp, memoryPoolsSupported) - 744usize];
    [
        "Offset of field: cudaDeviceProp::gpuDirectRDMASupported",
    ][::core::mem::offset_of!(cudaDeviceProp, gpuDirectRDMASupported) - 748usize];
    [
        "Offset of field: cudaDeviceProp::gpuDirectRDMAFlushWritesOptions",
    ][::core::mem::offset_of!(cudaDeviceProp, gpuDirectRDMAFlushWritesOptions)
        - 752usize];
    [
        "Offset of field: cudaDeviceProp::gpuDirectRDMAWritesOrdering",
    ][::core::mem::offset_of!(cudaDeviceProp, gpuDirectRDMAWritesOrdering) - 756usize];
    [
        "Offset of field: cudaDeviceProp::memoryPoolSupportedHandleTypes",
    ][::core::mem::offset_of!(cudaDeviceProp, memoryPoolSupportedHandleTypes)
        - 760usize];
    [
        "Offset of field: cudaDeviceProp::deferredMappingCudaArraySupported",
    ][::core::mem::offset_of!(cudaDeviceProp, deferredMappingCudaArraySupported)
        - 764usize];
    [
        "Offset of field: cudaDeviceProp::ipcEventSupported",
    ][::core::mem::offset_of!(cudaDeviceProp, ipcEventSupported) - 768usize];
    [
        "Offset of field: cudaDeviceProp::clusterLaunch",
    ][::core::mem::offset_of!(cudaDeviceProp, clusterLaunch) - 772usize];
    [
        "Offset of field: cudaDeviceProp::unifiedFunctionPointers",
    ][::core::mem::offset_of!(cudaDeviceProp, unifiedFunctionPointers) - 776usize];
    [
        "Offset of field: cudaDeviceProp::reserved",
    ][::core::mem::offset_of!(cudaDeviceProp, reserved) - 780usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaIpcEventHandle_st {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaIpcEventHandle_st",
    ][::core::mem::size_of::<cudaIpcEventHandle_st>() - 64usize];
    [
        "Alignment of cudaIpcEventHandle_st",
    ][::core::mem::align_of::<cudaIpcEventHandle_st>() - 1usize];
    [
        "Offset of field: cudaIpcEventHandle_st::reserved",
    ][::core::mem::offset_of!(cudaIpcEventHandle_st, reserved) - 0usize];
};
pub type cudaIpcEventHandle_t = cudaIpcEventHandle_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaIpcMemHandle_st {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaIpcMemHandle_st",
    ][::core::mem::size_of::<cudaIpcMemHandle_st>() - 64usize];
    [
        "Alignment of cudaIpcMemHandle_st",
    ][::core::mem::align_of::<cudaIpcMemHandle_st>() - 1usize];
    [
        "Offset of field: cudaIpcMemHandle_st::reserved",
    ][::core::mem::offset_of!(cudaIpcMemHandle_st, reserved) - 0usize];
};
pub type cudaIpcMemHandle_t = cudaIpcMemHandle_st;
pub use self::cudaError as cudaError_t;
#[repr(C)]
#[derive(Debug)]
pub struct CUstream_st {
    _unused: [u8; 0],
}
pub type cudaStream_t = *mut CUstream_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUevent_st {
    _unused: [u8; 0],
}
pub type cudaEvent_t = *mut CUevent_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUgraph_st {
    _unused: [u8; 0],
}
pub type cudaGraph_t = *mut CUgraph_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUgraphNode_st {
    _unused: [u8; 0],
}
pub type cudaGraphNode_t = *mut CUgraphNode_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUuserObject_st {
    _unused: [u8; 0],
}
pub type cudaUserObject_t = *mut CUuserObject_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUkern_st {
    _unused: [u8; 0],
}
pub type cudaKernel_t = *mut CUkern_st;
impl cudaJitOption {
    pub const cudaJitMaxRegisters: cudaJitOption = cudaJitOption(0);
    pub const cudaJitThreadsPerBlock: cudaJitOption = cudaJitOption(1);
    pub const cudaJitWallTime: cudaJitOption = cudaJitOption(2);
    pub const cudaJitInfoLogBuffer: cudaJitOption = cudaJitOption(3);
    pub const cudaJitInfoLogBufferSizeBytes: cudaJitOption = cudaJitOption(4);
    pub const cudaJitErrorLogBuffer: cudaJitOption = cudaJitOption(5);
    pub const cudaJitErrorLogBufferSizeBytes: cudaJitOption = cudaJitOption(6);
    pub const cudaJitOptimizationLevel: cudaJitOption = cudaJitOption(7);
    pub const cudaJitFallbackStrategy: cudaJitOption = cudaJitOption(10);
    pub const cudaJitGenerateDebugInfo: cudaJitOption = cudaJitOption(11);
    pub const cudaJitLogVerbose: cudaJitOption = cudaJitOption(12);
    pub const cudaJitGenerateLineInfo: cudaJitOption = cudaJitOption(13);
    pub const cudaJitCacheMode: cudaJitOption = cudaJitOption(14);
    pub const cudaJitPositionIndependentCode: cudaJitOption = cudaJitOption(30);
    pub const cudaJitMinCtaPerSm: cudaJitOption = cudaJitOption(31);
    pub const cudaJitMaxThreadsPerBlock: cudaJitOption = cudaJitOption(32);
    pub const cudaJitOverrideDirectiveValues: cudaJitOption = cudaJitOption(33);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaJitOption(pub ::core::ffi::c_uint);
impl cudaLibraryOption {
    pub const cudaLibraryHostUniversalFunctionAndDataTable: cudaLibraryOption = cudaLibraryOption(
        0,
    );
    pub const cudaLibraryBinaryIsPreserved: cudaLibraryOption = cudaLibraryOption(1);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaLibraryOption(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug)]
pub struct CUlib_st {
    _unused: [u8; 0],
}
pub type cudaLibrary_t = *mut CUlib_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUmemPoolHandle_st {
    _unused: [u8; 0],
}
pub type cudaMemPool_t = *mut CUmemPoolHandle_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaKernelNodeParams {
    pub func: *mut ::core::ffi::c_void,
    pub gridDim: dim3,
    pub blockDim: dim3,
    pub sharedMemBytes: ::core::ffi::c_uint,
    pub kernelParams: *mut *mut ::core::ffi::c_void,
    pub extra: *mut *mut ::core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaKernelNodeParams",
    ][::core::mem::size_of::<cudaKernelNodeParams>() - 56usize];
    [
        "Alignment of cudaKernelNodeParams",
    ][::core::mem::align_of::<cudaKernelNodeParams>() - 8usize];
    [
        "Offset of field: cudaKernelNodeParams::func",
    ][::core::mem::offset_of!(cudaKernelNodeParams, func) - 0usize];
    [
        "Offset of field: cudaKernelNodeParams::gridDim",
    ][::core::mem::offset_of!(cudaKernelNodeParams, gridDim) - 8usize];
    [
        "Offset of field: cudaKernelNodeParams::blockDim",
    ][::core::mem::offset_of!(cudaKernelNodeParams, blockDim) - 20usize];
    [
        "Offset of field: cudaKernelNodeParams::sharedMemBytes",
    ][::core::mem::offset_of!(cudaKernelNodeParams, sharedMemBytes) - 32usize];
    [
        "Offset of field: cudaKernelNodeParams::kernelParams",
    ][::core::mem::offset_of!(cudaKernelNodeParams, kernelParams) - 40usize];
    [
        "Offset of field: cudaKernelNodeParams::extra",
    ][::core::mem::offset_of!(cudaKernelNodeParams, extra) - 48usize];
};
impl cudaGraphNodeType {
    pub const cudaGraphNodeTypeKernel: cudaGraphNodeType = cudaGraphNodeType(0);
    pub const cudaGraphNodeTypeMemcpy: cudaGraphNodeType = cudaGraphNodeType(1);
    pub const cudaGraphNodeTypeMemset: cudaGraphNodeType = cudaGraphNodeType(2);
    pub const cudaGraphNodeTypeHost: cudaGraphNodeType = cudaGraphNodeType(3);
    pub const cudaGraphNodeTypeGraph: cudaGraphNodeType = cudaGraphNodeType(4);
    pub const cudaGraphNodeTypeEmpty: cudaGraphNodeType = cudaGraphNodeType(5);
    pub const cudaGraphNodeTypeWaitEvent: cudaGraphNodeType = cudaGraphNodeType(6);
    pub const cudaGraphNodeTypeEventRecord: cudaGraphNodeType = cudaGraphNodeType(7);
    pub const cudaGraphNodeTypeExtSemaphoreSignal: cudaGraphNodeType = cudaGraphNodeType(
        8,
    );
    pub const cudaGraphNodeTypeExtSemaphoreWait: cudaGraphNodeType = cudaGraphNodeType(
        9,
    );
    pub const cudaGraphNodeTypeMemAlloc: cudaGraphNodeType = cudaGraphNodeType(10);
    pub const cudaGraphNodeTypeMemFree: cudaGraphNodeType = cudaGraphNodeType(11);
    pub const cudaGraphNodeTypeConditional: cudaGraphNodeType = cudaGraphNodeType(13);
    pub const cudaGraphNodeTypeCount: cudaGraphNodeType = cudaGraphNodeType(14);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaGraphNodeType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaGraphEdgeData_st {
    pub from_port: ::core::ffi::c_uchar,
    pub to_port: ::core::ffi::c_uchar,
    pub type_: ::core::ffi::c_uchar,
    pub reserved: [::core::ffi::c_uchar; 5usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaGraphEdgeData_st",
    ][::core::mem::size_of::<cudaGraphEdgeData_st>() - 8usize];
    [
        "Alignment of cudaGraphEdgeData_st",
    ][::core::mem::align_of::<cudaGraphEdgeData_st>() - 1usize];
    [
        "Offset of field: cudaGraphEdgeData_st::from_port",
    ][::core::mem::offset_of!(cudaGraphEdgeData_st, from_port) - 0usize];
    [
        "Offset of field: cudaGraphEdgeData_st::to_port",
    ][::core::mem::offset_of!(cudaGraphEdgeData_st, to_port) - 1usize];
    [
        "Offset of field: cudaGraphEdgeData_st::type_",
    ][::core::mem::offset_of!(cudaGraphEdgeData_st, type_) - 2usize];
    [
        "Offset of field: cudaGraphEdgeData_st::reserved",
    ][::core::mem::offset_of!(cudaGraphEdgeData_st, reserved) - 3usize];
};
pub type cudaGraphEdgeData = cudaGraphEdgeData_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUgraphExec_st {
    _unused: [u8; 0],
}
pub type cudaGraphExec_t = *mut CUgraphExec_st;
impl cudaGraphExecUpdateResult {
    pub const cudaGraphExecUpdateSuccess: cudaGraphExecUpdateResult = cudaGraphExecUpdateResult(
        0,
    );
    pub const cudaGraphExecUpdateError: cudaGraphExecUpdateResult = cudaGraphExecUpdateResult(
        1,
    );
    pub const cudaGraphExecUpdateErrorTopologyChanged: cudaGraphExecUpdateResult = cudaGraphExecUpdateResult(
        2,
    );
    pub const cudaGraphExecUpdateErrorNodeTypeChanged: cudaGraphExecUpdateResult = cudaGraphExecUpdateResult(
        3,
    );
    pub const cudaGraphExecUpdateErrorFunctionChanged: cudaGraphExecUpdateResult = cudaGraphExecUpdateResult(
        4,
    );
    pub const cudaGraphExecUpdateErrorParametersChanged: cudaGraphExecUpdateResult = cudaGraphExecUpdateResult(
        5,
    );
    pub const cudaGraphExecUpdateErrorNotSupported: cudaGraphExecUpdateResult = cudaGraphExecUpdateResult(
        6,
    );
    pub const cudaGraphExecUpdateErrorUnsupportedFunctionChange: cudaGraphExecUpdateResult = cudaGraphExecUpdateResult(
        7,
    );
    pub const cudaGraphExecUpdateErrorAttributesChanged: cudaGraphExecUpdateResult = cudaGraphExecUpdateResult(
        8,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaGraphExecUpdateResult(pub ::core::ffi::c_uint);
impl cudaGraphInstantiateResult {
    pub const cudaGraphInstantiateSuccess: cudaGraphInstantiateResult = cudaGraphInstantiateResult(
        0,
    );
    pub const cudaGraphInstantiateError: cudaGraphInstantiateResult = cudaGraphInstantiateResult(
        1,
    );
    pub const cudaGraphInstantiateInvalidStructure: cudaGraphInstantiateResult = cudaGraphInstantiateResult(
        2,
    );
    pub const cudaGraphInstantiateNodeOperationNotSupported: cudaGraphInstantiateResult = cudaGraphInstantiateResult(
        3,
    );
    pub const cudaGraphInstantiateMultipleDevicesNotSupported: cudaGraphInstantiateResult = cudaGraphInstantiateResult(
        4,
    );
    pub const cudaGraphInstantiateConditionalHandleUnused: cudaGraphInstantiateResult = cudaGraphInstantiateResult(
        5,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaGraphInstantiateResult(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaGraphInstantiateParams_st {
    pub flags: ::core::ffi::c_ulonglong,
    pub uploadStream: cudaStream_t,
    pub errNode_out: cudaGraphNode_t,
    pub result_out: cudaGraphInstantiateResult,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaGraphInstantiateParams_st",
    ][::core::mem::size_of::<cudaGraphInstantiateParams_st>() - 32usize];
    [
        "Alignment of cudaGraphInstantiateParams_st",
    ][::core::mem::align_of::<cudaGraphInstantiateParams_st>() - 8usize];
    [
        "Offset of field: cudaGraphInstantiateParams_st::flags",
    ][::core::mem::offset_of!(cudaGraphInstantiateParams_st, flags) - 0usize];
    [
        "Offset of field: cudaGraphInstantiateParams_st::uploadStream",
    ][::core::mem::offset_of!(cudaGraphInstantiateParams_st, uploadStream) - 8usize];
    [
        "Offset of field: cudaGraphInstantiateParams_st::errNode_out",
    ][::core::mem::offset_of!(cudaGraphInstantiateParams_st, errNode_out) - 16usize];
    [
        "Offset of field: cudaGraphInstantiateParams_st::result_out",
    ][::core::mem::offset_of!(cudaGraphInstantiateParams_st, result_out) - 24usize];
};
pub type cudaGraphInstantiateParams = cudaGraphInstantiateParams_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaGraphExecUpdateResultInfo_st {
    pub result: cudaGraphExecUpdateResult,
    pub errorNode: cudaGraphNode_t,
    pub errorFromNode: cudaGraphNode_t,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaGraphExecUpdateResultInfo_st",
    ][::core::mem::size_of::<cudaGraphExecUpdateResultInfo_st>() - 24usize];
    [
        "Alignment of cudaGraphExecUpdateResultInfo_st",
    ][::core::mem::align_of::<cudaGraphExecUpdateResultInfo_st>() - 8usize];
    [
        "Offset of field: cudaGraphExecUpdateResultInfo_st::result",
    ][::core::mem::offset_of!(cudaGraphExecUpdateResultInfo_st, result) - 0usize];
    [
        "Offset of field: cudaGraphExecUpdateResultInfo_st::errorNode",
    ][::core::mem::offset_of!(cudaGraphExecUpdateResultInfo_st, errorNode) - 8usize];
    [
        "Offset of field: cudaGraphExecUpdateResultInfo_st::errorFromNode",
    ][::core::mem::offset_of!(cudaGraphExecUpdateResultInfo_st, errorFromNode)
        - 16usize];
};
pub type cudaGraphExecUpdateResultInfo = cudaGraphExecUpdateResultInfo_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUgraphDeviceUpdatableNode_st {
    _unused: [u8; 0],
}
pub type cudaGraphDeviceNode_t = *mut CUgraphDeviceUpdatableNode_st;
impl cudaDriverEntryPointQueryResult {
    pub const cudaDriverEntryPointSuccess: cudaDriverEntryPointQueryResult = cudaDriverEntryPointQueryResult(
        0,
    );
    pub const cudaDriverEntryPointSymbolNotFound: cudaDriverEntryPointQueryResult = cudaDriverEntryPointQueryResult(
        1,
    );
    pub const cudaDriverEntryPointVersionNotSufficent: cudaDriverEntryPointQueryResult = cudaDriverEntryPointQueryResult(
        2,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaDriverEntryPointQueryResult(pub ::core::ffi::c_uint);
impl cudaLaunchMemSyncDomain {
    pub const cudaLaunchMemSyncDomainDefault: cudaLaunchMemSyncDomain = cudaLaunchMemSyncDomain(
        0,
    );
    pub const cudaLaunchMemSyncDomainRemote: cudaLaunchMemSyncDomain = cudaLaunchMemSyncDomain(
        1,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaLaunchMemSyncDomain(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaLaunchMemSyncDomainMap_st {
    pub default_: ::core::ffi::c_uchar,
    pub remote: ::core::ffi::c_uchar,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaLaunchMemSyncDomainMap_st",
    ][::core::mem::size_of::<cudaLaunchMemSyncDomainMap_st>() - 2usize];
    [
        "Alignment of cudaLaunchMemSyncDomainMap_st",
    ][::core::mem::align_of::<cudaLaunchMemSyncDomainMap_st>() - 1usize];
    [
        "Offset of field: cudaLaunchMemSyncDomainMap_st::default_",
    ][::core::mem::offset_of!(cudaLaunchMemSyncDomainMap_st, default_) - 0usize];
    [
        "Offset of field: cudaLaunchMemSyncDomainMap_st::remote",
    ][::core::mem::offset_of!(cudaLaunchMemSyncDomainMap_st, remote) - 1usize];
};
pub type cudaLaunchMemSyncDomainMap = cudaLaunchMemSyncDomainMap_st;
impl cudaLaunchAttributeID {
    pub const cudaLaunchAttributeIgnore: cudaLaunchAttributeID = cudaLaunchAttributeID(
        0,
    );
    pub const cudaLaunchAttributeAccessPolicyWindow: cudaLaunchAttributeID = cudaLaunchAttributeID(
        1,
    );
    pub const cudaLaunchAttributeCooperative: cudaLaunchAttributeID = cudaLaunchAttributeID(
        2,
    );
    pub const cudaLaunchAttributeSynchronizationPolicy: cudaLaunchAttributeID = cudaLaunchAttributeID(
        3,
    );
    pub const cudaLaunchAttributeClusterDimension: cudaLaunchAttributeID = cudaLaunchAttributeID(
        4,
    );
    pub const cudaLaunchAttributeClusterSchedulingPolicyPreference: cudaLaunchAttributeID = cudaLaunchAttributeID(
        5,
    );
    pub const cudaLaunchAttributeProgrammaticStreamSerialization: cudaLaunchAttributeID = cudaLaunchAttributeID(
        6,
    );
    pub const cudaLaunchAttributeProgrammaticEvent: cudaLaunchAttributeID = cudaLaunchAttributeID(
        7,
    );
    pub const cudaLaunchAttributePriority: cudaLaunchAttributeID = cudaLaunchAttributeID(
        8,
    );
    pub const cudaLaunchAttributeMemSyncDomainMap: cudaLaunchAttributeID = cudaLaunchAttributeID(
        9,
    );
    pub const cudaLaunchAttributeMemSyncDomain: cudaLaunchAttributeID = cudaLaunchAttributeID(
        10,
    );
    pub const cudaLaunchAttributePreferredClusterDimension: cudaLaunchAttributeID = cudaLaunchAttributeID(
        11,
    );
    pub const cudaLaunchAttributeLaunchCompletionEvent: cudaLaunchAttributeID = cudaLaunchAttributeID(
        12,
    );
    pub const cudaLaunchAttributeDeviceUpdatableKernelNode: cudaLaunchAttributeID = cudaLaunchAttributeID(
        13,
    );
    pub const cudaLaunchAttributePreferredSharedMemoryCarveout: cudaLaunchAttributeID = cudaLaunchAttributeID(
        14,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaLaunchAttributeID(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub union cudaLaunchAttributeValue {
    pub pad: [::core::ffi::c_char; 64usize],
    pub accessPolicyWindow: cudaAccessPolicyWindow,
    pub cooperative: ::core::ffi::c_int,
    pub syncPolicy: cudaSynchronizationPolicy,
    pub clusterDim: cudaLaunchAttributeValue__bindgen_ty_1,
    pub clusterSchedulingPolicyPreference: cudaClusterSchedulingPolicy,
    pub programmaticStreamSerializationAllowed: ::core::ffi::c_int,
    pub programmaticEvent: cudaLaunchAttributeValue__bindgen_ty_2,
    pub priority: ::core::ffi::c_int,
    pub memSyncDomainMap: cudaLaunchMemSyncDomainMap,
    pub memSyncDomain: cudaLaunchMemSyncDomain,
    pub preferredClusterDim: cudaLaunchAttributeValue__bindgen_ty_3,
    pub launchCompletionEvent: cudaLaunchAttributeValue__bindgen_ty_4,
    pub deviceUpdatableKernelNode: cudaLaunchAttributeValue__bindgen_ty_5,
    pub sharedMemCarveout: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaLaunchAttributeValue__bindgen_ty_1 {
    pub x: ::core::ffi::c_uint,
    pub y: ::core::ffi::c_uint,
    pub z: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaLaunchAttributeValue__bindgen_ty_1",
    ][::core::mem::size_of::<cudaLaunchAttributeValue__bindgen_ty_1>() - 12usize];
    [
        "Alignment of cudaLaunchAttributeValue__bindgen_ty_1",
    ][::core::mem::align_of::<cudaLaunchAttributeValue__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_1::x",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue__bindgen_ty_1, x) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_1::y",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue__bindgen_ty_1, y) - 4usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_1::z",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue__bindgen_ty_1, z) - 8usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaLaunchAttributeValue__bindgen_ty_2 {
    pub event: cudaEvent_t,
    pub flags: ::core::ffi::c_int,
    pub triggerAtBlockStart: ::core::ffi::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaLaunchAttributeValue__bindgen_ty_2",
    ][::core::mem::size_of::<cudaLaunchAttributeValue__bindgen_ty_2>() - 16usize];
    [
        "Alignment of cudaLaunchAttributeValue__bindgen_ty_2",
    ][::core::mem::align_of::<cudaLaunchAttributeValue__bindgen_ty_2>() - 8usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_2::event",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue__bindgen_ty_2, event) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_2::flags",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue__bindgen_ty_2, flags) - 8usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_2::triggerAtBlockStart",
    ][::core::mem::offset_of!(
        cudaLaunchAttributeValue__bindgen_ty_2, triggerAtBlockStart
    ) - 12usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaLaunchAttributeValue__bindgen_ty_3 {
    pub x: ::core::ffi::c_uint,
    pub y: ::core::ffi::c_uint,
    pub z: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaLaunchAttributeValue__bindgen_ty_3",
    ][::core::mem::size_of::<cudaLaunchAttributeValue__bindgen_ty_3>() - 12usize];
    [
        "Alignment of cudaLaunchAttributeValue__bindgen_ty_3",
    ][::core::mem::align_of::<cudaLaunchAttributeValue__bindgen_ty_3>() - 4usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_3::x",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue__bindgen_ty_3, x) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_3::y",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue__bindgen_ty_3, y) - 4usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_3::z",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue__bindgen_ty_3, z) - 8usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaLaunchAttributeValue__bindgen_ty_4 {
    pub event: cudaEvent_t,
    pub flags: ::core::ffi::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaLaunchAttributeValue__bindgen_ty_4",
    ][::core::mem::size_of::<cudaLaunchAttributeValue__bindgen_ty_4>() - 16usize];
    [
        "Alignment of cudaLaunchAttributeValue__bindgen_ty_4",
    ][::core::mem::align_of::<cudaLaunchAttributeValue__bindgen_ty_4>() - 8usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_4::event",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue__bindgen_ty_4, event) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_4::flags",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue__bindgen_ty_4, flags) - 8usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaLaunchAttributeValue__bindgen_ty_5 {
    pub deviceUpdatable: ::core::ffi::c_int,
    pub devNode: cudaGraphDeviceNode_t,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaLaunchAttributeValue__bindgen_ty_5",
    ][::core::mem::size_of::<cudaLaunchAttributeValue__bindgen_ty_5>() - 16usize];
    [
        "Alignment of cudaLaunchAttributeValue__bindgen_ty_5",
    ][::core::mem::align_of::<cudaLaunchAttributeValue__bindgen_ty_5>() - 8usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_5::deviceUpdatable",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue__bindgen_ty_5, deviceUpdatable)
        - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue__bindgen_ty_5::devNode",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue__bindgen_ty_5, devNode) - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaLaunchAttributeValue",
    ][::core::mem::size_of::<cudaLaunchAttributeValue>() - 64usize];
    [
        "Alignment of cudaLaunchAttributeValue",
    ][::core::mem::align_of::<cudaLaunchAttributeValue>() - 8usize];
    [
        "Offset of field: cudaLaunchAttributeValue::pad",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, pad) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::accessPolicyWindow",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, accessPolicyWindow) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::cooperative",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, cooperative) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::syncPolicy",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, syncPolicy) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::clusterDim",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, clusterDim) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::clusterSchedulingPolicyPreference",
    ][::core::mem::offset_of!(
        cudaLaunchAttributeValue, clusterSchedulingPolicyPreference
    ) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::programmaticStreamSerializationAllowed",
    ][::core::mem::offset_of!(
        cudaLaunchAttributeValue, programmaticStreamSerializationAllowed
    ) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::programmaticEvent",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, programmaticEvent) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::priority",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, priority) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::memSyncDomainMap",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, memSyncDomainMap) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::memSyncDomain",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, memSyncDomain) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::preferredClusterDim",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, preferredClusterDim) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::launchCompletionEvent",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, launchCompletionEvent) - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::deviceUpdatableKernelNode",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, deviceUpdatableKernelNode)
        - 0usize];
    [
        "Offset of field: cudaLaunchAttributeValue::sharedMemCarveout",
    ][::core::mem::offset_of!(cudaLaunchAttributeValue, sharedMemCarveout) - 0usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct cudaLaunchAttribute_st {
    pub id: cudaLaunchAttributeID,
    pub pad: [::core::ffi::c_char; 4usize],
    pub val: cudaLaunchAttributeValue,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaLaunchAttribute_st",
    ][::core::mem::size_of::<cudaLaunchAttribute_st>() - 72usize];
    [
        "Alignment of cudaLaunchAttribute_st",
    ][::core::mem::align_of::<cudaLaunchAttribute_st>() - 8usize];
    [
        "Offset of field: cudaLaunchAttribute_st::id",
    ][::core::mem::offset_of!(cudaLaunchAttribute_st, id) - 0usize];
    [
        "Offset of field: cudaLaunchAttribute_st::pad",
    ][::core::mem::offset_of!(cudaLaunchAttribute_st, pad) - 4usize];
    [
        "Offset of field: cudaLaunchAttribute_st::val",
    ][::core::mem::offset_of!(cudaLaunchAttribute_st, val) - 8usize];
};
pub type cudaLaunchAttribute = cudaLaunchAttribute_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaLaunchConfig_st {
    pub gridDim: dim3,
    pub blockDim: dim3,
    pub dynamicSmemBytes: usize,
    pub stream: cudaStream_t,
    pub attrs: *mut cudaLaunchAttribute,
    pub numAttrs: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaLaunchConfig_st",
    ][::core::mem::size_of::<cudaLaunchConfig_st>() - 56usize];
    [
        "Alignment of cudaLaunchConfig_st",
    ][::core::mem::align_of::<cudaLaunchConfig_st>() - 8usize];
    [
        "Offset of field: cudaLaunchConfig_st::gridDim",
    ][::core::mem::offset_of!(cudaLaunchConfig_st, gridDim) - 0usize];
    [
        "Offset of field: cudaLaunchConfig_st::blockDim",
    ][::core::mem::offset_of!(cudaLaunchConfig_st, blockDim) - 12usize];
    [
        "Offset of field: cudaLaunchConfig_st::dynamicSmemBytes",
    ][::core::mem::offset_of!(cudaLaunchConfig_st, dynamicSmemBytes) - 24usize];
    [
        "Offset of field: cudaLaunchConfig_st::stream",
    ][::core::mem::offset_of!(cudaLaunchConfig_st, stream) - 32usize];
    [
        "Offset of field: cudaLaunchConfig_st::attrs",
    ][::core::mem::offset_of!(cudaLaunchConfig_st, attrs) - 40usize];
    [
        "Offset of field: cudaLaunchConfig_st::numAttrs",
    ][::core::mem::offset_of!(cudaLaunchConfig_st, numAttrs) - 48usize];
};
pub type cudaLaunchConfig_t = cudaLaunchConfig_st;
#[repr(C)]
#[derive(Debug)]
pub struct cudaAsyncCallbackEntry {
    _unused: [u8; 0],
}
pub type cudaAsyncCallbackHandle_t = *mut cudaAsyncCallbackEntry;
impl cudaAsyncNotificationType_enum {
    pub const cudaAsyncNotificationTypeOverBudget: cudaAsyncNotificationType_enum = cudaAsyncNotificationType_enum(
        1,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaAsyncNotificationType_enum(pub ::core::ffi::c_uint);
pub use self::cudaAsyncNotificationType_enum as cudaAsyncNotificationType;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct cudaAsyncNotificationInfo {
    pub type_: cudaAsyncNotificationType,
    pub info: cudaAsyncNotificationInfo__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union cudaAsyncNotificationInfo__bindgen_ty_1 {
    pub overBudget: cudaAsyncNotificationInfo__bindgen_ty_1__bindgen_ty_1,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct cudaAsyncNotificationInfo__bindgen_ty_1__bindgen_ty_1 {
    pub bytesOverBudget: ::core::ffi::c_ulonglong,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaAsyncNotificationInfo__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<cudaAsyncNotificationInfo__bindgen_ty_1__bindgen_ty_1>()
        - 8usize];
    [
        "Alignment of cudaAsyncNotificationInfo__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<cudaAsyncNotificationInfo__bindgen_ty_1__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: cudaAsyncNotificationInfo__bindgen_ty_1__bindgen_ty_1::bytesOverBudget",
    ][::core::mem::offset_of!(
        cudaAsyncNotificationInfo__bindgen_ty_1__bindgen_ty_1, bytesOverBudget
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaAsyncNotificationInfo__bindgen_ty_1",
    ][::core::mem::size_of::<cudaAsyncNotificationInfo__bindgen_ty_1>() - 8usize];
    [
        "Alignment of cudaAsyncNotificationInfo__bindgen_ty_1",
    ][::core::mem::align_of::<cudaAsyncNotificationInfo__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: cudaAsyncNotificationInfo__bindgen_ty_1::overBudget",
    ][::core::mem::offset_of!(cudaAsyncNotificationInfo__bindgen_ty_1, overBudget)
        - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaAsyncNotificationInfo",
    ][::core::mem::size_of::<cudaAsyncNotificationInfo>() - 16usize];
    [
        "Alignment of cudaAsyncNotificationInfo",
    ][::core::mem::align_of::<cudaAsyncNotificationInfo>() - 8usize];
    [
        "Offset of field: cudaAsyncNotificationInfo::type_",
    ][::core::mem::offset_of!(cudaAsyncNotificationInfo, type_) - 0usize];
    [
        "Offset of field: cudaAsyncNotificationInfo::info",
    ][::core::mem::offset_of!(cudaAsyncNotificationInfo, info) - 8usize];
};
pub type cudaAsyncNotificationInfo_t = cudaAsyncNotificationInfo;
pub type cudaAsyncCallback = ::core::option::Option<
    unsafe extern "C" fn(
        arg1: *mut cudaAsyncNotificationInfo_t,
        arg2: *mut ::core::ffi::c_void,
        arg3: cudaAsyncCallbackHandle_t,
    ),
>;
impl cudaMemLocation {
    /// A location: a device's ordinal, a host NUMA node, or whatever else `kind` says that `id` is.
    pub const fn new(kind: cudaMemLocationType, id: core::ffi::c_int) -> Self {
        Self { type_: kind, id }
    }
    /// The number that [`new`](Self::new) took. Of another kind of location, its bytes.
    pub const fn id(&self) -> core::ffi::c_int {
        self.id
    }
}
/// The bound functions of one CUDA runtime library. An entry is `None` if that library lacks the symbol.
#[derive(Clone, Copy)]
pub struct CudaRuntime {
    /// `cudaChooseDevice`
    pub cudaChooseDevice: Option<
        unsafe extern "C" fn(
            device: *mut ::core::ffi::c_int,
            prop: *const cudaDeviceProp,
        ) -> cudaError_t,
    >,
    /// `cudaCtxResetPersistingL2Cache`
    pub cudaCtxResetPersistingL2Cache: Option<unsafe extern "C" fn() -> cudaError_t>,
    /// `cudaDeviceCanAccessPeer`
    pub cudaDeviceCanAccessPeer: Option<
        unsafe extern "C" fn(
            canAccessPeer: *mut ::core::ffi::c_int,
            device: ::core::ffi::c_int,
            peerDevice: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceDisablePeerAccess`
    pub cudaDeviceDisablePeerAccess: Option<
        unsafe extern "C" fn(peerDevice: ::core::ffi::c_int) -> cudaError_t,
    >,
    /// `cudaDeviceEnablePeerAccess`
    pub cudaDeviceEnablePeerAccess: Option<
        unsafe extern "C" fn(
            peerDevice: ::core::ffi::c_int,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceFlushGPUDirectRDMAWrites`
    pub cudaDeviceFlushGPUDirectRDMAWrites: Option<
        unsafe extern "C" fn(
            target: cudaFlushGPUDirectRDMAWritesTarget,
            scope: cudaFlushGPUDirectRDMAWritesScope,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceGetAttribute`
    pub cudaDeviceGetAttribute: Option<
        unsafe extern "C" fn(
            value: *mut ::core::ffi::c_int,
            attr: cudaDeviceAttr,
            device: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceGetByPCIBusId`
    pub cudaDeviceGetByPCIBusId: Option<
        unsafe extern "C" fn(
            device: *mut ::core::ffi::c_int,
            pciBusId: *const ::core::ffi::c_char,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceGetDefaultMemPool`
    pub cudaDeviceGetDefaultMemPool: Option<
        unsafe extern "C" fn(
            memPool: *mut cudaMemPool_t,
            device: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceGetGraphMemAttribute`
    pub cudaDeviceGetGraphMemAttribute: Option<
        unsafe extern "C" fn(
            device: ::core::ffi::c_int,
            attr: cudaGraphMemAttributeType,
            value: *mut ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceGetLimit`
    pub cudaDeviceGetLimit: Option<
        unsafe extern "C" fn(pValue: *mut usize, limit: cudaLimit) -> cudaError_t,
    >,
    /// `cudaDeviceGetMemPool`
    pub cudaDeviceGetMemPool: Option<
        unsafe extern "C" fn(
            memPool: *mut cudaMemPool_t,
            device: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceGetP2PAttribute`
    pub cudaDeviceGetP2PAttribute: Option<
        unsafe extern "C" fn(
            value: *mut ::core::ffi::c_int,
            attr: cudaDeviceP2PAttr,
            srcDevice: ::core::ffi::c_int,
            dstDevice: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceGetPCIBusId`
    pub cudaDeviceGetPCIBusId: Option<
        unsafe extern "C" fn(
            pciBusId: *mut ::core::ffi::c_char,
            len: ::core::ffi::c_int,
            device: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceGetStreamPriorityRange`
    pub cudaDeviceGetStreamPriorityRange: Option<
        unsafe extern "C" fn(
            leastPriority: *mut ::core::ffi::c_int,
            greatestPriority: *mut ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceGraphMemTrim`
    pub cudaDeviceGraphMemTrim: Option<
        unsafe extern "C" fn(device: ::core::ffi::c_int) -> cudaError_t,
    >,
    /// `cudaDeviceRegisterAsyncNotification`
    pub cudaDeviceRegisterAsyncNotification: Option<
        unsafe extern "C" fn(
            device: ::core::ffi::c_int,
            callbackFunc: cudaAsyncCallback,
            userData: *mut ::core::ffi::c_void,
            callback: *mut cudaAsyncCallbackHandle_t,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceReset`
    pub cudaDeviceReset: Option<unsafe extern "C" fn() -> cudaError_t>,
    /// `cudaDeviceSetGraphMemAttribute`
    pub cudaDeviceSetGraphMemAttribute: Option<
        unsafe extern "C" fn(
            device: ::core::ffi::c_int,
            attr: cudaGraphMemAttributeType,
            value: *mut ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceSetLimit`
    pub cudaDeviceSetLimit: Option<
        unsafe extern "C" fn(limit: cudaLimit, value: usize) -> cudaError_t,
    >,
    /// `cudaDeviceSetMemPool`
    pub cudaDeviceSetMemPool: Option<
        unsafe extern "C" fn(
            device: ::core::ffi::c_int,
            memPool: cudaMemPool_t,
        ) -> cudaError_t,
    >,
    /// `cudaDeviceSynchronize`
    pub cudaDeviceSynchronize: Option<unsafe extern "C" fn() -> cudaError_t>,
    /// `cudaDeviceUnregisterAsyncNotification`
    pub cudaDeviceUnregisterAsyncNotification: Option<
        unsafe extern "C" fn(
            device: ::core::ffi::c_int,
            callback: cudaAsyncCallbackHandle_t,
        ) -> cudaError_t,
    >,
    /// `cudaDriverGetVersion`
    pub cudaDriverGetVersion: Option<
        unsafe extern "C" fn(driverVersion: *mut ::core::ffi::c_int) -> cudaError_t,
    >,
    /// `cudaEventCreate`
    pub cudaEventCreate: Option<
        unsafe extern "C" fn(event: *mut cudaEvent_t) -> cudaError_t,
    >,
    /// `cudaEventCreateWithFlags`
    pub cudaEventCreateWithFlags: Option<
        unsafe extern "C" fn(
            event: *mut cudaEvent_t,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaEventDestroy`
    pub cudaEventDestroy: Option<
        unsafe extern "C" fn(event: cudaEvent_t) -> cudaError_t,
    >,
    /// `cudaEventElapsedTime`
    pub cudaEventElapsedTime: Option<
        unsafe extern "C" fn(
            ms: *mut f32,
            start: cudaEvent_t,
            end: cudaEvent_t,
        ) -> cudaError_t,
    >,
    /// `cudaEventQuery`
    pub cudaEventQuery: Option<unsafe extern "C" fn(event: cudaEvent_t) -> cudaError_t>,
    /// `cudaEventRecord`
    pub cudaEventRecord: Option<
        unsafe extern "C" fn(event: cudaEvent_t, stream: cudaStream_t) -> cudaError_t,
    >,
    /// `cudaEventRecordWithFlags`
    pub cudaEventRecordWithFlags: Option<
        unsafe extern "C" fn(
            event: cudaEvent_t,
            stream: cudaStream_t,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaEventSynchronize`
    pub cudaEventSynchronize: Option<
        unsafe extern "C" fn(event: cudaEvent_t) -> cudaError_t,
    >,
    /// `cudaFree`
    pub cudaFree: Option<
        unsafe extern "C" fn(devPtr: *mut ::core::ffi::c_void) -> cudaError_t,
    >,
    /// `cudaFreeAsync`
    pub cudaFreeAsync: Option<
        unsafe extern "C" fn(
            devPtr: *mut ::core::ffi::c_void,
            hStream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaFreeHost`
    pub cudaFreeHost: Option<
        unsafe extern "C" fn(ptr: *mut ::core::ffi::c_void) -> cudaError_t,
    >,
    /// `cudaFuncGetAttributes`
    pub cudaFuncGetAttributes: Option<
        unsafe extern "C" fn(
            attr: *mut cudaFuncAttributes,
            func: *const ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaFuncGetName`
    pub cudaFuncGetName: Option<
        unsafe extern "C" fn(
            name: *mut *const ::core::ffi::c_char,
            func: *const ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaFuncGetParamInfo`
    pub cudaFuncGetParamInfo: Option<
        unsafe extern "C" fn(
            func: *const ::core::ffi::c_void,
            paramIndex: usize,
            paramOffset: *mut usize,
            paramSize: *mut usize,
        ) -> cudaError_t,
    >,
    /// `cudaFuncSetAttribute`
    pub cudaFuncSetAttribute: Option<
        unsafe extern "C" fn(
            func: *const ::core::ffi::c_void,
            attr: cudaFuncAttribute,
            value: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaFuncSetCacheConfig`
    pub cudaFuncSetCacheConfig: Option<
        unsafe extern "C" fn(
            func: *const ::core::ffi::c_void,
            cacheConfig: cudaFuncCache,
        ) -> cudaError_t,
    >,
    /// `cudaGetDevice`
    pub cudaGetDevice: Option<
        unsafe extern "C" fn(device: *mut ::core::ffi::c_int) -> cudaError_t,
    >,
    /// `cudaGetDeviceCount`
    pub cudaGetDeviceCount: Option<
        unsafe extern "C" fn(count: *mut ::core::ffi::c_int) -> cudaError_t,
    >,
    /// `cudaGetDeviceFlags`
    pub cudaGetDeviceFlags: Option<
        unsafe extern "C" fn(flags: *mut ::core::ffi::c_uint) -> cudaError_t,
    >,
    /// `cudaGetDeviceProperties_v2`
    pub cudaGetDeviceProperties: Option<
        unsafe extern "C" fn(
            prop: *mut cudaDeviceProp,
            device: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaGetDriverEntryPoint`
    pub cudaGetDriverEntryPoint: Option<
        unsafe extern "C" fn(
            symbol: *const ::core::ffi::c_char,
            funcPtr: *mut *mut ::core::ffi::c_void,
            flags: ::core::ffi::c_ulonglong,
            driverStatus: *mut cudaDriverEntryPointQueryResult,
        ) -> cudaError_t,
    >,
    /// `cudaGetDriverEntryPointByVersion`
    pub cudaGetDriverEntryPointByVersion: Option<
        unsafe extern "C" fn(
            symbol: *const ::core::ffi::c_char,
            funcPtr: *mut *mut ::core::ffi::c_void,
            cudaVersion: ::core::ffi::c_uint,
            flags: ::core::ffi::c_ulonglong,
            driverStatus: *mut cudaDriverEntryPointQueryResult,
        ) -> cudaError_t,
    >,
    /// `cudaGetErrorName`
    pub cudaGetErrorName: Option<
        unsafe extern "C" fn(error: cudaError_t) -> *const ::core::ffi::c_char,
    >,
    /// `cudaGetErrorString`
    pub cudaGetErrorString: Option<
        unsafe extern "C" fn(error: cudaError_t) -> *const ::core::ffi::c_char,
    >,
    /// `cudaGetLastError`
    pub cudaGetLastError: Option<unsafe extern "C" fn() -> cudaError_t>,
    /// `cudaGraphAddChildGraphNode`
    pub cudaGraphAddChildGraphNode: Option<
        unsafe extern "C" fn(
            pGraphNode: *mut cudaGraphNode_t,
            graph: cudaGraph_t,
            pDependencies: *const cudaGraphNode_t,
            numDependencies: usize,
            childGraph: cudaGraph_t,
        ) -> cudaError_t,
    >,
    /// `cudaGraphAddDependencies`
    pub cudaGraphAddDependencies: Option<
        unsafe extern "C" fn(
            graph: cudaGraph_t,
            from: *const cudaGraphNode_t,
            to: *const cudaGraphNode_t,
            numDependencies: usize,
        ) -> cudaError_t,
    >,
    /// `cudaGraphAddEmptyNode`
    pub cudaGraphAddEmptyNode: Option<
        unsafe extern "C" fn(
            pGraphNode: *mut cudaGraphNode_t,
            graph: cudaGraph_t,
            pDependencies: *const cudaGraphNode_t,
            numDependencies: usize,
        ) -> cudaError_t,
    >,
    /// `cudaGraphAddEventRecordNode`
    pub cudaGraphAddEventRecordNode: Option<
        unsafe extern "C" fn(
            pGraphNode: *mut cudaGraphNode_t,
            graph: cudaGraph_t,
            pDependencies: *const cudaGraphNode_t,
            numDependencies: usize,
            event: cudaEvent_t,
        ) -> cudaError_t,
    >,
    /// `cudaGraphAddEventWaitNode`
    pub cudaGraphAddEventWaitNode: Option<
        unsafe extern "C" fn(
            pGraphNode: *mut cudaGraphNode_t,
            graph: cudaGraph_t,
            pDependencies: *const cudaGraphNode_t,
            numDependencies: usize,
            event: cudaEvent_t,
        ) -> cudaError_t,
    >,
    /// `cudaGraphAddHostNode`
    pub cudaGraphAddHostNode: Option<
        unsafe extern "C" fn(
            pGraphNode: *mut cudaGraphNode_t,
            graph: cudaGraph_t,
            pDependencies: *const cudaGraphNode_t,
            numDependencies: usize,
            pNodeParams: *const cudaHostNodeParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphAddKernelNode`
    pub cudaGraphAddKernelNode: Option<
        unsafe extern "C" fn(
            pGraphNode: *mut cudaGraphNode_t,
            graph: cudaGraph_t,
            pDependencies: *const cudaGraphNode_t,
            numDependencies: usize,
            pNodeParams: *const cudaKernelNodeParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphAddMemAllocNode`
    pub cudaGraphAddMemAllocNode: Option<
        unsafe extern "C" fn(
            pGraphNode: *mut cudaGraphNode_t,
            graph: cudaGraph_t,
            pDependencies: *const cudaGraphNode_t,
            numDependencies: usize,
            nodeParams: *mut cudaMemAllocNodeParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphAddMemFreeNode`
    pub cudaGraphAddMemFreeNode: Option<
        unsafe extern "C" fn(
            pGraphNode: *mut cudaGraphNode_t,
            graph: cudaGraph_t,
            pDependencies: *const cudaGraphNode_t,
            numDependencies: usize,
            dptr: *mut ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaGraphAddMemcpyNode`
    pub cudaGraphAddMemcpyNode: Option<
        unsafe extern "C" fn(
            pGraphNode: *mut cudaGraphNode_t,
            graph: cudaGraph_t,
            pDependencies: *const cudaGraphNode_t,
            numDependencies: usize,
            pCopyParams: *const cudaMemcpy3DParms,
        ) -> cudaError_t,
    >,
    /// `cudaGraphAddMemcpyNode1D`
    pub cudaGraphAddMemcpyNode1D: Option<
        unsafe extern "C" fn(
            pGraphNode: *mut cudaGraphNode_t,
            graph: cudaGraph_t,
            pDependencies: *const cudaGraphNode_t,
            numDependencies: usize,
            dst: *mut ::core::ffi::c_void,
            src: *const ::core::ffi::c_void,
            count: usize,
            kind: cudaMemcpyKind,
        ) -> cudaError_t,
    >,
    /// `cudaGraphAddMemsetNode`
    pub cudaGraphAddMemsetNode: Option<
        unsafe extern "C" fn(
            pGraphNode: *mut cudaGraphNode_t,
            graph: cudaGraph_t,
            pDependencies: *const cudaGraphNode_t,
            numDependencies: usize,
            pMemsetParams: *const cudaMemsetParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphChildGraphNodeGetGraph`
    pub cudaGraphChildGraphNodeGetGraph: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            pGraph: *mut cudaGraph_t,
        ) -> cudaError_t,
    >,
    /// `cudaGraphClone`
    pub cudaGraphClone: Option<
        unsafe extern "C" fn(
            pGraphClone: *mut cudaGraph_t,
            originalGraph: cudaGraph_t,
        ) -> cudaError_t,
    >,
    /// `cudaGraphCreate`
    pub cudaGraphCreate: Option<
        unsafe extern "C" fn(
            pGraph: *mut cudaGraph_t,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaGraphDebugDotPrint`
    pub cudaGraphDebugDotPrint: Option<
        unsafe extern "C" fn(
            graph: cudaGraph_t,
            path: *const ::core::ffi::c_char,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaGraphDestroy`
    pub cudaGraphDestroy: Option<
        unsafe extern "C" fn(graph: cudaGraph_t) -> cudaError_t,
    >,
    /// `cudaGraphDestroyNode`
    pub cudaGraphDestroyNode: Option<
        unsafe extern "C" fn(node: cudaGraphNode_t) -> cudaError_t,
    >,
    /// `cudaGraphEventRecordNodeGetEvent`
    pub cudaGraphEventRecordNodeGetEvent: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            event_out: *mut cudaEvent_t,
        ) -> cudaError_t,
    >,
    /// `cudaGraphEventRecordNodeSetEvent`
    pub cudaGraphEventRecordNodeSetEvent: Option<
        unsafe extern "C" fn(node: cudaGraphNode_t, event: cudaEvent_t) -> cudaError_t,
    >,
    /// `cudaGraphEventWaitNodeGetEvent`
    pub cudaGraphEventWaitNodeGetEvent: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            event_out: *mut cudaEvent_t,
        ) -> cudaError_t,
    >,
    /// `cudaGraphEventWaitNodeSetEvent`
    pub cudaGraphEventWaitNodeSetEvent: Option<
        unsafe extern "C" fn(node: cudaGraphNode_t, event: cudaEvent_t) -> cudaError_t,
    >,
    /// `cudaGraphExecChildGraphNodeSetParams`
    pub cudaGraphExecChildGraphNodeSetParams: Option<
        unsafe extern "C" fn(
            hGraphExec: cudaGraphExec_t,
            node: cudaGraphNode_t,
            childGraph: cudaGraph_t,
        ) -> cudaError_t,
    >,
    /// `cudaGraphExecDestroy`
    pub cudaGraphExecDestroy: Option<
        unsafe extern "C" fn(graphExec: cudaGraphExec_t) -> cudaError_t,
    >,
    /// `cudaGraphExecEventRecordNodeSetEvent`
    pub cudaGraphExecEventRecordNodeSetEvent: Option<
        unsafe extern "C" fn(
            hGraphExec: cudaGraphExec_t,
            hNode: cudaGraphNode_t,
            event: cudaEvent_t,
        ) -> cudaError_t,
    >,
    /// `cudaGraphExecEventWaitNodeSetEvent`
    pub cudaGraphExecEventWaitNodeSetEvent: Option<
        unsafe extern "C" fn(
            hGraphExec: cudaGraphExec_t,
            hNode: cudaGraphNode_t,
            event: cudaEvent_t,
        ) -> cudaError_t,
    >,
    /// `cudaGraphExecGetFlags`
    pub cudaGraphExecGetFlags: Option<
        unsafe extern "C" fn(
            graphExec: cudaGraphExec_t,
            flags: *mut ::core::ffi::c_ulonglong,
        ) -> cudaError_t,
    >,
    /// `cudaGraphExecHostNodeSetParams`
    pub cudaGraphExecHostNodeSetParams: Option<
        unsafe extern "C" fn(
            hGraphExec: cudaGraphExec_t,
            node: cudaGraphNode_t,
            pNodeParams: *const cudaHostNodeParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphExecKernelNodeSetParams`
    pub cudaGraphExecKernelNodeSetParams: Option<
        unsafe extern "C" fn(
            hGraphExec: cudaGraphExec_t,
            node: cudaGraphNode_t,
            pNodeParams: *const cudaKernelNodeParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphExecMemcpyNodeSetParams`
    pub cudaGraphExecMemcpyNodeSetParams: Option<
        unsafe extern "C" fn(
            hGraphExec: cudaGraphExec_t,
            node: cudaGraphNode_t,
            pNodeParams: *const cudaMemcpy3DParms,
        ) -> cudaError_t,
    >,
    /// `cudaGraphExecMemcpyNodeSetParams1D`
    pub cudaGraphExecMemcpyNodeSetParams1D: Option<
        unsafe extern "C" fn(
            hGraphExec: cudaGraphExec_t,
            node: cudaGraphNode_t,
            dst: *mut ::core::ffi::c_void,
            src: *const ::core::ffi::c_void,
            count: usize,
            kind: cudaMemcpyKind,
        ) -> cudaError_t,
    >,
    /// `cudaGraphExecMemsetNodeSetParams`
    pub cudaGraphExecMemsetNodeSetParams: Option<
        unsafe extern "C" fn(
            hGraphExec: cudaGraphExec_t,
            node: cudaGraphNode_t,
            pNodeParams: *const cudaMemsetParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphExecUpdate`
    pub cudaGraphExecUpdate: Option<
        unsafe extern "C" fn(
            hGraphExec: cudaGraphExec_t,
            hGraph: cudaGraph_t,
            resultInfo: *mut cudaGraphExecUpdateResultInfo,
        ) -> cudaError_t,
    >,
    /// `cudaGraphGetEdges`
    pub cudaGraphGetEdges: Option<
        unsafe extern "C" fn(
            graph: cudaGraph_t,
            from: *mut cudaGraphNode_t,
            to: *mut cudaGraphNode_t,
            numEdges: *mut usize,
        ) -> cudaError_t,
    >,
    /// `cudaGraphGetNodes`
    pub cudaGraphGetNodes: Option<
        unsafe extern "C" fn(
            graph: cudaGraph_t,
            nodes: *mut cudaGraphNode_t,
            numNodes: *mut usize,
        ) -> cudaError_t,
    >,
    /// `cudaGraphGetRootNodes`
    pub cudaGraphGetRootNodes: Option<
        unsafe extern "C" fn(
            graph: cudaGraph_t,
            pRootNodes: *mut cudaGraphNode_t,
            pNumRootNodes: *mut usize,
        ) -> cudaError_t,
    >,
    /// `cudaGraphHostNodeGetParams`
    pub cudaGraphHostNodeGetParams: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            pNodeParams: *mut cudaHostNodeParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphHostNodeSetParams`
    pub cudaGraphHostNodeSetParams: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            pNodeParams: *const cudaHostNodeParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphInstantiate`
    pub cudaGraphInstantiate: Option<
        unsafe extern "C" fn(
            pGraphExec: *mut cudaGraphExec_t,
            graph: cudaGraph_t,
            flags: ::core::ffi::c_ulonglong,
        ) -> cudaError_t,
    >,
    /// `cudaGraphInstantiateWithFlags`
    pub cudaGraphInstantiateWithFlags: Option<
        unsafe extern "C" fn(
            pGraphExec: *mut cudaGraphExec_t,
            graph: cudaGraph_t,
            flags: ::core::ffi::c_ulonglong,
        ) -> cudaError_t,
    >,
    /// `cudaGraphInstantiateWithParams`
    pub cudaGraphInstantiateWithParams: Option<
        unsafe extern "C" fn(
            pGraphExec: *mut cudaGraphExec_t,
            graph: cudaGraph_t,
            instantiateParams: *mut cudaGraphInstantiateParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphKernelNodeCopyAttributes`
    pub cudaGraphKernelNodeCopyAttributes: Option<
        unsafe extern "C" fn(hSrc: cudaGraphNode_t, hDst: cudaGraphNode_t) -> cudaError_t,
    >,
    /// `cudaGraphKernelNodeGetAttribute`
    pub cudaGraphKernelNodeGetAttribute: Option<
        unsafe extern "C" fn(
            hNode: cudaGraphNode_t,
            attr: cudaLaunchAttributeID,
            value_out: *mut cudaLaunchAttributeValue,
        ) -> cudaError_t,
    >,
    /// `cudaGraphKernelNodeGetParams`
    pub cudaGraphKernelNodeGetParams: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            pNodeParams: *mut cudaKernelNodeParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphKernelNodeSetAttribute`
    pub cudaGraphKernelNodeSetAttribute: Option<
        unsafe extern "C" fn(
            hNode: cudaGraphNode_t,
            attr: cudaLaunchAttributeID,
            value: *const cudaLaunchAttributeValue,
        ) -> cudaError_t,
    >,
    /// `cudaGraphKernelNodeSetParams`
    pub cudaGraphKernelNodeSetParams: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            pNodeParams: *const cudaKernelNodeParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphLaunch`
    pub cudaGraphLaunch: Option<
        unsafe extern "C" fn(
            graphExec: cudaGraphExec_t,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaGraphMemAllocNodeGetParams`
    pub cudaGraphMemAllocNodeGetParams: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            params_out: *mut cudaMemAllocNodeParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphMemFreeNodeGetParams`
    pub cudaGraphMemFreeNodeGetParams: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            dptr_out: *mut ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaGraphMemcpyNodeGetParams`
    pub cudaGraphMemcpyNodeGetParams: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            pNodeParams: *mut cudaMemcpy3DParms,
        ) -> cudaError_t,
    >,
    /// `cudaGraphMemcpyNodeSetParams`
    pub cudaGraphMemcpyNodeSetParams: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            pNodeParams: *const cudaMemcpy3DParms,
        ) -> cudaError_t,
    >,
    /// `cudaGraphMemcpyNodeSetParams1D`
    pub cudaGraphMemcpyNodeSetParams1D: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            dst: *mut ::core::ffi::c_void,
            src: *const ::core::ffi::c_void,
            count: usize,
            kind: cudaMemcpyKind,
        ) -> cudaError_t,
    >,
    /// `cudaGraphMemsetNodeGetParams`
    pub cudaGraphMemsetNodeGetParams: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            pNodeParams: *mut cudaMemsetParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphMemsetNodeSetParams`
    pub cudaGraphMemsetNodeSetParams: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            pNodeParams: *const cudaMemsetParams,
        ) -> cudaError_t,
    >,
    /// `cudaGraphNodeFindInClone`
    pub cudaGraphNodeFindInClone: Option<
        unsafe extern "C" fn(
            pNode: *mut cudaGraphNode_t,
            originalNode: cudaGraphNode_t,
            clonedGraph: cudaGraph_t,
        ) -> cudaError_t,
    >,
    /// `cudaGraphNodeGetDependencies`
    pub cudaGraphNodeGetDependencies: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            pDependencies: *mut cudaGraphNode_t,
            pNumDependencies: *mut usize,
        ) -> cudaError_t,
    >,
    /// `cudaGraphNodeGetDependentNodes`
    pub cudaGraphNodeGetDependentNodes: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            pDependentNodes: *mut cudaGraphNode_t,
            pNumDependentNodes: *mut usize,
        ) -> cudaError_t,
    >,
    /// `cudaGraphNodeGetEnabled`
    pub cudaGraphNodeGetEnabled: Option<
        unsafe extern "C" fn(
            hGraphExec: cudaGraphExec_t,
            hNode: cudaGraphNode_t,
            isEnabled: *mut ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaGraphNodeGetType`
    pub cudaGraphNodeGetType: Option<
        unsafe extern "C" fn(
            node: cudaGraphNode_t,
            pType: *mut cudaGraphNodeType,
        ) -> cudaError_t,
    >,
    /// `cudaGraphNodeSetEnabled`
    pub cudaGraphNodeSetEnabled: Option<
        unsafe extern "C" fn(
            hGraphExec: cudaGraphExec_t,
            hNode: cudaGraphNode_t,
            isEnabled: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaGraphReleaseUserObject`
    pub cudaGraphReleaseUserObject: Option<
        unsafe extern "C" fn(
            graph: cudaGraph_t,
            object: cudaUserObject_t,
            count: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaGraphRemoveDependencies`
    pub cudaGraphRemoveDependencies: Option<
        unsafe extern "C" fn(
            graph: cudaGraph_t,
            from: *const cudaGraphNode_t,
            to: *const cudaGraphNode_t,
            numDependencies: usize,
        ) -> cudaError_t,
    >,
    /// `cudaGraphRetainUserObject`
    pub cudaGraphRetainUserObject: Option<
        unsafe extern "C" fn(
            graph: cudaGraph_t,
            object: cudaUserObject_t,
            count: ::core::ffi::c_uint,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaGraphUpload`
    pub cudaGraphUpload: Option<
        unsafe extern "C" fn(
            graphExec: cudaGraphExec_t,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaHostAlloc`
    pub cudaHostAlloc: Option<
        unsafe extern "C" fn(
            pHost: *mut *mut ::core::ffi::c_void,
            size: usize,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaHostGetDevicePointer`
    pub cudaHostGetDevicePointer: Option<
        unsafe extern "C" fn(
            pDevice: *mut *mut ::core::ffi::c_void,
            pHost: *mut ::core::ffi::c_void,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaHostGetFlags`
    pub cudaHostGetFlags: Option<
        unsafe extern "C" fn(
            pFlags: *mut ::core::ffi::c_uint,
            pHost: *mut ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaHostRegister`
    pub cudaHostRegister: Option<
        unsafe extern "C" fn(
            ptr: *mut ::core::ffi::c_void,
            size: usize,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaHostUnregister`
    pub cudaHostUnregister: Option<
        unsafe extern "C" fn(ptr: *mut ::core::ffi::c_void) -> cudaError_t,
    >,
    /// `cudaInitDevice`
    pub cudaInitDevice: Option<
        unsafe extern "C" fn(
            device: ::core::ffi::c_int,
            deviceFlags: ::core::ffi::c_uint,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaIpcCloseMemHandle`
    pub cudaIpcCloseMemHandle: Option<
        unsafe extern "C" fn(devPtr: *mut ::core::ffi::c_void) -> cudaError_t,
    >,
    /// `cudaIpcGetEventHandle`
    pub cudaIpcGetEventHandle: Option<
        unsafe extern "C" fn(
            handle: *mut cudaIpcEventHandle_t,
            event: cudaEvent_t,
        ) -> cudaError_t,
    >,
    /// `cudaIpcGetMemHandle`
    pub cudaIpcGetMemHandle: Option<
        unsafe extern "C" fn(
            handle: *mut cudaIpcMemHandle_t,
            devPtr: *mut ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaIpcOpenEventHandle`
    pub cudaIpcOpenEventHandle: Option<
        unsafe extern "C" fn(
            event: *mut cudaEvent_t,
            handle: cudaIpcEventHandle_t,
        ) -> cudaError_t,
    >,
    /// `cudaIpcOpenMemHandle`
    pub cudaIpcOpenMemHandle: Option<
        unsafe extern "C" fn(
            devPtr: *mut *mut ::core::ffi::c_void,
            handle: cudaIpcMemHandle_t,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaKernelSetAttributeForDevice`
    pub cudaKernelSetAttributeForDevice: Option<
        unsafe extern "C" fn(
            kernel: cudaKernel_t,
            attr: cudaFuncAttribute,
            value: ::core::ffi::c_int,
            device: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaLaunchCooperativeKernel`
    pub cudaLaunchCooperativeKernel: Option<
        unsafe extern "C" fn(
            func: *const ::core::ffi::c_void,
            gridDim: dim3,
            blockDim: dim3,
            args: *mut *mut ::core::ffi::c_void,
            sharedMem: usize,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaLaunchHostFunc`
    pub cudaLaunchHostFunc: Option<
        unsafe extern "C" fn(
            stream: cudaStream_t,
            fn_: cudaHostFn_t,
            userData: *mut ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaLaunchKernel`
    pub cudaLaunchKernel: Option<
        unsafe extern "C" fn(
            func: *const ::core::ffi::c_void,
            gridDim: dim3,
            blockDim: dim3,
            args: *mut *mut ::core::ffi::c_void,
            sharedMem: usize,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaLaunchKernelExC`
    pub cudaLaunchKernelExC: Option<
        unsafe extern "C" fn(
            config: *const cudaLaunchConfig_t,
            func: *const ::core::ffi::c_void,
            args: *mut *mut ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaLibraryEnumerateKernels`
    pub cudaLibraryEnumerateKernels: Option<
        unsafe extern "C" fn(
            kernels: *mut cudaKernel_t,
            numKernels: ::core::ffi::c_uint,
            lib: cudaLibrary_t,
        ) -> cudaError_t,
    >,
    /// `cudaLibraryGetGlobal`
    pub cudaLibraryGetGlobal: Option<
        unsafe extern "C" fn(
            dptr: *mut *mut ::core::ffi::c_void,
            bytes: *mut usize,
            library: cudaLibrary_t,
            name: *const ::core::ffi::c_char,
        ) -> cudaError_t,
    >,
    /// `cudaLibraryGetKernel`
    pub cudaLibraryGetKernel: Option<
        unsafe extern "C" fn(
            pKernel: *mut cudaKernel_t,
            library: cudaLibrary_t,
            name: *const ::core::ffi::c_char,
        ) -> cudaError_t,
    >,
    /// `cudaLibraryGetKernelCount`
    pub cudaLibraryGetKernelCount: Option<
        unsafe extern "C" fn(
            count: *mut ::core::ffi::c_uint,
            lib: cudaLibrary_t,
        ) -> cudaError_t,
    >,
    /// `cudaLibraryGetManaged`
    pub cudaLibraryGetManaged: Option<
        unsafe extern "C" fn(
            dptr: *mut *mut ::core::ffi::c_void,
            bytes: *mut usize,
            library: cudaLibrary_t,
            name: *const ::core::ffi::c_char,
        ) -> cudaError_t,
    >,
    /// `cudaLibraryGetUnifiedFunction`
    pub cudaLibraryGetUnifiedFunction: Option<
        unsafe extern "C" fn(
            fptr: *mut *mut ::core::ffi::c_void,
            library: cudaLibrary_t,
            symbol: *const ::core::ffi::c_char,
        ) -> cudaError_t,
    >,
    /// `cudaLibraryLoadData`
    pub cudaLibraryLoadData: Option<
        unsafe extern "C" fn(
            library: *mut cudaLibrary_t,
            code: *const ::core::ffi::c_void,
            jitOptions: *mut cudaJitOption,
            jitOptionsValues: *mut *mut ::core::ffi::c_void,
            numJitOptions: ::core::ffi::c_uint,
            libraryOptions: *mut cudaLibraryOption,
            libraryOptionValues: *mut *mut ::core::ffi::c_void,
            numLibraryOptions: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaLibraryLoadFromFile`
    pub cudaLibraryLoadFromFile: Option<
        unsafe extern "C" fn(
            library: *mut cudaLibrary_t,
            fileName: *const ::core::ffi::c_char,
            jitOptions: *mut cudaJitOption,
            jitOptionsValues: *mut *mut ::core::ffi::c_void,
            numJitOptions: ::core::ffi::c_uint,
            libraryOptions: *mut cudaLibraryOption,
            libraryOptionValues: *mut *mut ::core::ffi::c_void,
            numLibraryOptions: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaLibraryUnload`
    pub cudaLibraryUnload: Option<
        unsafe extern "C" fn(library: cudaLibrary_t) -> cudaError_t,
    >,
    /// `cudaMalloc`
    pub cudaMalloc: Option<
        unsafe extern "C" fn(
            devPtr: *mut *mut ::core::ffi::c_void,
            size: usize,
        ) -> cudaError_t,
    >,
    /// `cudaMalloc3D`
    pub cudaMalloc3D: Option<
        unsafe extern "C" fn(
            pitchedDevPtr: *mut cudaPitchedPtr,
            extent: cudaExtent,
        ) -> cudaError_t,
    >,
    /// `cudaMallocAsync`
    pub cudaMallocAsync: Option<
        unsafe extern "C" fn(
            devPtr: *mut *mut ::core::ffi::c_void,
            size: usize,
            hStream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaMallocFromPoolAsync`
    pub cudaMallocFromPoolAsync: Option<
        unsafe extern "C" fn(
            ptr: *mut *mut ::core::ffi::c_void,
            size: usize,
            memPool: cudaMemPool_t,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaMallocHost`
    pub cudaMallocHost: Option<
        unsafe extern "C" fn(
            ptr: *mut *mut ::core::ffi::c_void,
            size: usize,
        ) -> cudaError_t,
    >,
    /// `cudaMallocManaged`
    pub cudaMallocManaged: Option<
        unsafe extern "C" fn(
            devPtr: *mut *mut ::core::ffi::c_void,
            size: usize,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaMallocPitch`
    pub cudaMallocPitch: Option<
        unsafe extern "C" fn(
            devPtr: *mut *mut ::core::ffi::c_void,
            pitch: *mut usize,
            width: usize,
            height: usize,
        ) -> cudaError_t,
    >,
    /// `cudaMemAdvise`
    pub cudaMemAdvise: Option<
        unsafe extern "C" fn(
            devPtr: *const ::core::ffi::c_void,
            count: usize,
            advice: cudaMemoryAdvise,
            device: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaMemGetInfo`
    pub cudaMemGetInfo: Option<
        unsafe extern "C" fn(free: *mut usize, total: *mut usize) -> cudaError_t,
    >,
    /// `cudaMemPoolCreate`
    pub cudaMemPoolCreate: Option<
        unsafe extern "C" fn(
            memPool: *mut cudaMemPool_t,
            poolProps: *const cudaMemPoolProps,
        ) -> cudaError_t,
    >,
    /// `cudaMemPoolDestroy`
    pub cudaMemPoolDestroy: Option<
        unsafe extern "C" fn(memPool: cudaMemPool_t) -> cudaError_t,
    >,
    /// `cudaMemPoolExportPointer`
    pub cudaMemPoolExportPointer: Option<
        unsafe extern "C" fn(
            exportData: *mut cudaMemPoolPtrExportData,
            ptr: *mut ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaMemPoolExportToShareableHandle`
    pub cudaMemPoolExportToShareableHandle: Option<
        unsafe extern "C" fn(
            shareableHandle: *mut ::core::ffi::c_void,
            memPool: cudaMemPool_t,
            handleType: cudaMemAllocationHandleType,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaMemPoolGetAccess`
    pub cudaMemPoolGetAccess: Option<
        unsafe extern "C" fn(
            flags: *mut cudaMemAccessFlags,
            memPool: cudaMemPool_t,
            location: *mut cudaMemLocation,
        ) -> cudaError_t,
    >,
    /// `cudaMemPoolGetAttribute`
    pub cudaMemPoolGetAttribute: Option<
        unsafe extern "C" fn(
            memPool: cudaMemPool_t,
            attr: cudaMemPoolAttr,
            value: *mut ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaMemPoolImportFromShareableHandle`
    pub cudaMemPoolImportFromShareableHandle: Option<
        unsafe extern "C" fn(
            memPool: *mut cudaMemPool_t,
            shareableHandle: *mut ::core::ffi::c_void,
            handleType: cudaMemAllocationHandleType,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaMemPoolImportPointer`
    pub cudaMemPoolImportPointer: Option<
        unsafe extern "C" fn(
            ptr: *mut *mut ::core::ffi::c_void,
            memPool: cudaMemPool_t,
            exportData: *mut cudaMemPoolPtrExportData,
        ) -> cudaError_t,
    >,
    /// `cudaMemPoolSetAccess`
    pub cudaMemPoolSetAccess: Option<
        unsafe extern "C" fn(
            memPool: cudaMemPool_t,
            descList: *const cudaMemAccessDesc,
            count: usize,
        ) -> cudaError_t,
    >,
    /// `cudaMemPoolSetAttribute`
    pub cudaMemPoolSetAttribute: Option<
        unsafe extern "C" fn(
            memPool: cudaMemPool_t,
            attr: cudaMemPoolAttr,
            value: *mut ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaMemPoolTrimTo`
    pub cudaMemPoolTrimTo: Option<
        unsafe extern "C" fn(
            memPool: cudaMemPool_t,
            minBytesToKeep: usize,
        ) -> cudaError_t,
    >,
    /// `cudaMemPrefetchAsync`
    pub cudaMemPrefetchAsync: Option<
        unsafe extern "C" fn(
            devPtr: *const ::core::ffi::c_void,
            count: usize,
            dstDevice: ::core::ffi::c_int,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaMemRangeGetAttribute`
    pub cudaMemRangeGetAttribute: Option<
        unsafe extern "C" fn(
            data: *mut ::core::ffi::c_void,
            dataSize: usize,
            attribute: cudaMemRangeAttribute,
            devPtr: *const ::core::ffi::c_void,
            count: usize,
        ) -> cudaError_t,
    >,
    /// `cudaMemRangeGetAttributes`
    pub cudaMemRangeGetAttributes: Option<
        unsafe extern "C" fn(
            data: *mut *mut ::core::ffi::c_void,
            dataSizes: *mut usize,
            attributes: *mut cudaMemRangeAttribute,
            numAttributes: usize,
            devPtr: *const ::core::ffi::c_void,
            count: usize,
        ) -> cudaError_t,
    >,
    /// `cudaMemcpy`
    pub cudaMemcpy: Option<
        unsafe extern "C" fn(
            dst: *mut ::core::ffi::c_void,
            src: *const ::core::ffi::c_void,
            count: usize,
            kind: cudaMemcpyKind,
        ) -> cudaError_t,
    >,
    /// `cudaMemcpy2D`
    pub cudaMemcpy2D: Option<
        unsafe extern "C" fn(
            dst: *mut ::core::ffi::c_void,
            dpitch: usize,
            src: *const ::core::ffi::c_void,
            spitch: usize,
            width: usize,
            height: usize,
            kind: cudaMemcpyKind,
        ) -> cudaError_t,
    >,
    /// `cudaMemcpy2DAsync`
    pub cudaMemcpy2DAsync: Option<
        unsafe extern "C" fn(
            dst: *mut ::core::ffi::c_void,
            dpitch: usize,
            src: *const ::core::ffi::c_void,
            spitch: usize,
            width: usize,
            height: usize,
            kind: cudaMemcpyKind,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaMemcpy3D`
    pub cudaMemcpy3D: Option<
        unsafe extern "C" fn(p: *const cudaMemcpy3DParms) -> cudaError_t,
    >,
    /// `cudaMemcpy3DAsync`
    pub cudaMemcpy3DAsync: Option<
        unsafe extern "C" fn(
            p: *const cudaMemcpy3DParms,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaMemcpy3DBatchAsync`
    pub cudaMemcpy3DBatchAsync: Option<
        unsafe extern "C" fn(
            numOps: usize,
            opList: *mut cudaMemcpy3DBatchOp,
            failIdx: *mut usize,
            flags: ::core::ffi::c_ulonglong,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaMemcpy3DPeer`
    pub cudaMemcpy3DPeer: Option<
        unsafe extern "C" fn(p: *const cudaMemcpy3DPeerParms) -> cudaError_t,
    >,
    /// `cudaMemcpy3DPeerAsync`
    pub cudaMemcpy3DPeerAsync: Option<
        unsafe extern "C" fn(
            p: *const cudaMemcpy3DPeerParms,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaMemcpyAsync`
    pub cudaMemcpyAsync: Option<
        unsafe extern "C" fn(
            dst: *mut ::core::ffi::c_void,
            src: *const ::core::ffi::c_void,
            count: usize,
            kind: cudaMemcpyKind,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaMemcpyBatchAsync`
    pub cudaMemcpyBatchAsync: Option<
        unsafe extern "C" fn(
            dsts: *mut *mut ::core::ffi::c_void,
            srcs: *mut *mut ::core::ffi::c_void,
            sizes: *mut usize,
            count: usize,
            attrs: *mut cudaMemcpyAttributes,
            attrsIdxs: *mut usize,
            numAttrs: usize,
            failIdx: *mut usize,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaMemcpyPeer`
    pub cudaMemcpyPeer: Option<
        unsafe extern "C" fn(
            dst: *mut ::core::ffi::c_void,
            dstDevice: ::core::ffi::c_int,
            src: *const ::core::ffi::c_void,
            srcDevice: ::core::ffi::c_int,
            count: usize,
        ) -> cudaError_t,
    >,
    /// `cudaMemcpyPeerAsync`
    pub cudaMemcpyPeerAsync: Option<
        unsafe extern "C" fn(
            dst: *mut ::core::ffi::c_void,
            dstDevice: ::core::ffi::c_int,
            src: *const ::core::ffi::c_void,
            srcDevice: ::core::ffi::c_int,
            count: usize,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaMemset`
    pub cudaMemset: Option<
        unsafe extern "C" fn(
            devPtr: *mut ::core::ffi::c_void,
            value: ::core::ffi::c_int,
            count: usize,
        ) -> cudaError_t,
    >,
    /// `cudaMemset2D`
    pub cudaMemset2D: Option<
        unsafe extern "C" fn(
            devPtr: *mut ::core::ffi::c_void,
            pitch: usize,
            value: ::core::ffi::c_int,
            width: usize,
            height: usize,
        ) -> cudaError_t,
    >,
    /// `cudaMemset2DAsync`
    pub cudaMemset2DAsync: Option<
        unsafe extern "C" fn(
            devPtr: *mut ::core::ffi::c_void,
            pitch: usize,
            value: ::core::ffi::c_int,
            width: usize,
            height: usize,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaMemset3D`
    pub cudaMemset3D: Option<
        unsafe extern "C" fn(
            pitchedDevPtr: cudaPitchedPtr,
            value: ::core::ffi::c_int,
            extent: cudaExtent,
        ) -> cudaError_t,
    >,
    /// `cudaMemset3DAsync`
    pub cudaMemset3DAsync: Option<
        unsafe extern "C" fn(
            pitchedDevPtr: cudaPitchedPtr,
            value: ::core::ffi::c_int,
            extent: cudaExtent,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaMemsetAsync`
    pub cudaMemsetAsync: Option<
        unsafe extern "C" fn(
            devPtr: *mut ::core::ffi::c_void,
            value: ::core::ffi::c_int,
            count: usize,
            stream: cudaStream_t,
        ) -> cudaError_t,
    >,
    /// `cudaOccupancyAvailableDynamicSMemPerBlock`
    pub cudaOccupancyAvailableDynamicSMemPerBlock: Option<
        unsafe extern "C" fn(
            dynamicSmemSize: *mut usize,
            func: *const ::core::ffi::c_void,
            numBlocks: ::core::ffi::c_int,
            blockSize: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaOccupancyMaxActiveBlocksPerMultiprocessor`
    pub cudaOccupancyMaxActiveBlocksPerMultiprocessor: Option<
        unsafe extern "C" fn(
            numBlocks: *mut ::core::ffi::c_int,
            func: *const ::core::ffi::c_void,
            blockSize: ::core::ffi::c_int,
            dynamicSMemSize: usize,
        ) -> cudaError_t,
    >,
    /// `cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags`
    pub cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags: Option<
        unsafe extern "C" fn(
            numBlocks: *mut ::core::ffi::c_int,
            func: *const ::core::ffi::c_void,
            blockSize: ::core::ffi::c_int,
            dynamicSMemSize: usize,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaOccupancyMaxActiveClusters`
    pub cudaOccupancyMaxActiveClusters: Option<
        unsafe extern "C" fn(
            numClusters: *mut ::core::ffi::c_int,
            func: *const ::core::ffi::c_void,
            launchConfig: *const cudaLaunchConfig_t,
        ) -> cudaError_t,
    >,
    /// `cudaOccupancyMaxPotentialClusterSize`
    pub cudaOccupancyMaxPotentialClusterSize: Option<
        unsafe extern "C" fn(
            clusterSize: *mut ::core::ffi::c_int,
            func: *const ::core::ffi::c_void,
            launchConfig: *const cudaLaunchConfig_t,
        ) -> cudaError_t,
    >,
    /// `cudaPeekAtLastError`
    pub cudaPeekAtLastError: Option<unsafe extern "C" fn() -> cudaError_t>,
    /// `cudaPointerGetAttributes`
    pub cudaPointerGetAttributes: Option<
        unsafe extern "C" fn(
            attributes: *mut cudaPointerAttributes,
            ptr: *const ::core::ffi::c_void,
        ) -> cudaError_t,
    >,
    /// `cudaRuntimeGetVersion`
    pub cudaRuntimeGetVersion: Option<
        unsafe extern "C" fn(runtimeVersion: *mut ::core::ffi::c_int) -> cudaError_t,
    >,
    /// `cudaSetDevice`
    pub cudaSetDevice: Option<
        unsafe extern "C" fn(device: ::core::ffi::c_int) -> cudaError_t,
    >,
    /// `cudaSetDeviceFlags`
    pub cudaSetDeviceFlags: Option<
        unsafe extern "C" fn(flags: ::core::ffi::c_uint) -> cudaError_t,
    >,
    /// `cudaSetValidDevices`
    pub cudaSetValidDevices: Option<
        unsafe extern "C" fn(
            device_arr: *mut ::core::ffi::c_int,
            len: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaStreamAttachMemAsync`
    pub cudaStreamAttachMemAsync: Option<
        unsafe extern "C" fn(
            stream: cudaStream_t,
            devPtr: *mut ::core::ffi::c_void,
            length: usize,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaStreamBeginCapture`
    pub cudaStreamBeginCapture: Option<
        unsafe extern "C" fn(
            stream: cudaStream_t,
            mode: cudaStreamCaptureMode,
        ) -> cudaError_t,
    >,
    /// `cudaStreamBeginCaptureToGraph`
    pub cudaStreamBeginCaptureToGraph: Option<
        unsafe extern "C" fn(
            stream: cudaStream_t,
            graph: cudaGraph_t,
            dependencies: *const cudaGraphNode_t,
            dependencyData: *const cudaGraphEdgeData,
            numDependencies: usize,
            mode: cudaStreamCaptureMode,
        ) -> cudaError_t,
    >,
    /// `cudaStreamCopyAttributes`
    pub cudaStreamCopyAttributes: Option<
        unsafe extern "C" fn(dst: cudaStream_t, src: cudaStream_t) -> cudaError_t,
    >,
    /// `cudaStreamCreate`
    pub cudaStreamCreate: Option<
        unsafe extern "C" fn(pStream: *mut cudaStream_t) -> cudaError_t,
    >,
    /// `cudaStreamCreateWithFlags`
    pub cudaStreamCreateWithFlags: Option<
        unsafe extern "C" fn(
            pStream: *mut cudaStream_t,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaStreamCreateWithPriority`
    pub cudaStreamCreateWithPriority: Option<
        unsafe extern "C" fn(
            pStream: *mut cudaStream_t,
            flags: ::core::ffi::c_uint,
            priority: ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaStreamDestroy`
    pub cudaStreamDestroy: Option<
        unsafe extern "C" fn(stream: cudaStream_t) -> cudaError_t,
    >,
    /// `cudaStreamEndCapture`
    pub cudaStreamEndCapture: Option<
        unsafe extern "C" fn(
            stream: cudaStream_t,
            pGraph: *mut cudaGraph_t,
        ) -> cudaError_t,
    >,
    /// `cudaStreamGetAttribute`
    pub cudaStreamGetAttribute: Option<
        unsafe extern "C" fn(
            hStream: cudaStream_t,
            attr: cudaLaunchAttributeID,
            value_out: *mut cudaLaunchAttributeValue,
        ) -> cudaError_t,
    >,
    /// `cudaStreamGetCaptureInfo_v2`
    pub cudaStreamGetCaptureInfo: Option<
        unsafe extern "C" fn(
            stream: cudaStream_t,
            captureStatus_out: *mut cudaStreamCaptureStatus,
            id_out: *mut ::core::ffi::c_ulonglong,
            graph_out: *mut cudaGraph_t,
            dependencies_out: *mut *const cudaGraphNode_t,
            numDependencies_out: *mut usize,
        ) -> cudaError_t,
    >,
    /// `cudaStreamGetDevice`
    pub cudaStreamGetDevice: Option<
        unsafe extern "C" fn(
            hStream: cudaStream_t,
            device: *mut ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaStreamGetFlags`
    pub cudaStreamGetFlags: Option<
        unsafe extern "C" fn(
            hStream: cudaStream_t,
            flags: *mut ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaStreamGetId`
    pub cudaStreamGetId: Option<
        unsafe extern "C" fn(
            hStream: cudaStream_t,
            streamId: *mut ::core::ffi::c_ulonglong,
        ) -> cudaError_t,
    >,
    /// `cudaStreamGetPriority`
    pub cudaStreamGetPriority: Option<
        unsafe extern "C" fn(
            hStream: cudaStream_t,
            priority: *mut ::core::ffi::c_int,
        ) -> cudaError_t,
    >,
    /// `cudaStreamIsCapturing`
    pub cudaStreamIsCapturing: Option<
        unsafe extern "C" fn(
            stream: cudaStream_t,
            pCaptureStatus: *mut cudaStreamCaptureStatus,
        ) -> cudaError_t,
    >,
    /// `cudaStreamQuery`
    pub cudaStreamQuery: Option<
        unsafe extern "C" fn(stream: cudaStream_t) -> cudaError_t,
    >,
    /// `cudaStreamSetAttribute`
    pub cudaStreamSetAttribute: Option<
        unsafe extern "C" fn(
            hStream: cudaStream_t,
            attr: cudaLaunchAttributeID,
            value: *const cudaLaunchAttributeValue,
        ) -> cudaError_t,
    >,
    /// `cudaStreamSynchronize`
    pub cudaStreamSynchronize: Option<
        unsafe extern "C" fn(stream: cudaStream_t) -> cudaError_t,
    >,
    /// `cudaStreamUpdateCaptureDependencies`
    pub cudaStreamUpdateCaptureDependencies: Option<
        unsafe extern "C" fn(
            stream: cudaStream_t,
            dependencies: *mut cudaGraphNode_t,
            numDependencies: usize,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaStreamWaitEvent`
    pub cudaStreamWaitEvent: Option<
        unsafe extern "C" fn(
            stream: cudaStream_t,
            event: cudaEvent_t,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaThreadExchangeStreamCaptureMode`
    pub cudaThreadExchangeStreamCaptureMode: Option<
        unsafe extern "C" fn(mode: *mut cudaStreamCaptureMode) -> cudaError_t,
    >,
    /// `cudaUserObjectCreate`
    pub cudaUserObjectCreate: Option<
        unsafe extern "C" fn(
            object_out: *mut cudaUserObject_t,
            ptr: *mut ::core::ffi::c_void,
            destroy: cudaHostFn_t,
            initialRefcount: ::core::ffi::c_uint,
            flags: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaUserObjectRelease`
    pub cudaUserObjectRelease: Option<
        unsafe extern "C" fn(
            object: cudaUserObject_t,
            count: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
    /// `cudaUserObjectRetain`
    pub cudaUserObjectRetain: Option<
        unsafe extern "C" fn(
            object: cudaUserObject_t,
            count: ::core::ffi::c_uint,
        ) -> cudaError_t,
    >,
}
impl CudaRuntime {
    /// A table without any function, to be filled with struct update syntax.
    pub const EMPTY: Self = Self {
        cudaChooseDevice: None,
        cudaCtxResetPersistingL2Cache: None,
        cudaDeviceCanAccessPeer: None,
        cudaDeviceDisablePeerAccess: None,
        cudaDeviceEnablePeerAccess: None,
        cudaDeviceFlushGPUDirectRDMAWrites: None,
        cudaDeviceGetAttribute: None,
        cudaDeviceGetByPCIBusId: None,
        cudaDeviceGetDefaultMemPool: None,
        cudaDeviceGetGraphMemAttribute: None,
        cudaDeviceGetLimit: None,
        cudaDeviceGetMemPool: None,
        cudaDeviceGetP2PAttribute: None,
        cudaDeviceGetPCIBusId: None,
        cudaDeviceGetStreamPriorityRange: None,
        cudaDeviceGraphMemTrim: None,
        cudaDeviceRegisterAsyncNotification: None,
        cudaDeviceReset: None,
        cudaDeviceSetGraphMemAttribute: None,
        cudaDeviceSetLimit: None,
        cudaDeviceSetMemPool: None,
        cudaDeviceSynchronize: None,
        cudaDeviceUnregisterAsyncNotification: None,
        cudaDriverGetVersion: None,
        cudaEventCreate: None,
        cudaEventCreateWithFlags: None,
        cudaEventDestroy: None,
        cudaEventElapsedTime: None,
        cudaEventQuery: None,
        cudaEventRecord: None,
        cudaEventRecordWithFlags: None,
        cudaEventSynchronize: None,
        cudaFree: None,
        cudaFreeAsync: None,
        cudaFreeHost: None,
        cudaFuncGetAttributes: None,
        cudaFuncGetName: None,
        cudaFuncGetParamInfo: None,
        cudaFuncSetAttribute: None,
        cudaFuncSetCacheConfig: None,
        cudaGetDevice: None,
        cudaGetDeviceCount: None,
        cudaGetDeviceFlags: None,
        cudaGetDeviceProperties: None,
        cudaGetDriverEntryPoint: None,
        cudaGetDriverEntryPointByVersion: None,
        cudaGetErrorName: None,
        cudaGetErrorString: None,
        cudaGetLastError: None,
        cudaGraphAddChildGraphNode: None,
        cudaGraphAddDependencies: None,
        cudaGraphAddEmptyNode: None,
        cudaGraphAddEventRecordNode: None,
        cudaGraphAddEventWaitNode: None,
        cudaGraphAddHostNode: None,
        cudaGraphAddKernelNode: None,
        cudaGraphAddMemAllocNode: None,
        cudaGraphAddMemFreeNode: None,
        cudaGraphAddMemcpyNode: None,
        cudaGraphAddMemcpyNode1D: None,
        cudaGraphAddMemsetNode: None,
        cudaGraphChildGraphNodeGetGraph: None,
        cudaGraphClone: None,
        cudaGraphCreate: None,
        cudaGraphDebugDotPrint: None,
        cudaGraphDestroy: None,
        cudaGraphDestroyNode: None,
        cudaGraphEventRecordNodeGetEvent: None,
        cudaGraphEventRecordNodeSetEvent: None,
        cudaGraphEventWaitNodeGetEvent: None,
        cudaGraphEventWaitNodeSetEvent: None,
        cudaGraphExecChildGraphNodeSetParams: None,
        cudaGraphExecDestroy: None,
        cudaGraphExecEventRecordNodeSetEvent: None,
        cudaGraphExecEventWaitNodeSetEvent: None,
        cudaGraphExecGetFlags: None,
        cudaGraphExecHostNodeSetParams: None,
        cudaGraphExecKernelNodeSetParams: None,
        cudaGraphExecMemcpyNodeSetParams: None,
        cudaGraphExecMemcpyNodeSetParams1D: None,
        cudaGraphExecMemsetNodeSetParams: None,
        cudaGraphExecUpdate: None,
        cudaGraphGetEdges: None,
        cudaGraphGetNodes: None,
        cudaGraphGetRootNodes: None,
        cudaGraphHostNodeGetParams: None,
        cudaGraphHostNodeSetParams: None,
        cudaGraphInstantiate: None,
        cudaGraphInstantiateWithFlags: None,
        cudaGraphInstantiateWithParams: None,
        cudaGraphKernelNodeCopyAttributes: None,
        cudaGraphKernelNodeGetAttribute: None,
        cudaGraphKernelNodeGetParams: None,
        cudaGraphKernelNodeSetAttribute: None,
        cudaGraphKernelNodeSetParams: None,
        cudaGraphLaunch: None,
        cudaGraphMemAllocNodeGetParams: None,
        cudaGraphMemFreeNodeGetParams: None,
        cudaGraphMemcpyNodeGetParams: None,
        cudaGraphMemcpyNodeSetParams: None,
        cudaGraphMemcpyNodeSetParams1D: None,
        cudaGraphMemsetNodeGetParams: None,
        cudaGraphMemsetNodeSetParams: None,
        cudaGraphNodeFindInClone: None,
        cudaGraphNodeGetDependencies: None,
        cudaGraphNodeGetDependentNodes: None,
        cudaGraphNodeGetEnabled: None,
        cudaGraphNodeGetType: None,
        cudaGraphNodeSetEnabled: None,
        cudaGraphReleaseUserObject: None,
        cudaGraphRemoveDependencies: None,
        cudaGraphRetainUserObject: None,
        cudaGraphUpload: None,
        cudaHostAlloc: None,
        cudaHostGetDevicePointer: None,
        cudaHostGetFlags: None,
        cudaHostRegister: None,
        cudaHostUnregister: None,
        cudaInitDevice: None,
        cudaIpcCloseMemHandle: None,
        cudaIpcGetEventHandle: None,
        cudaIpcGetMemHandle: None,
        cudaIpcOpenEventHandle: None,
        cudaIpcOpenMemHandle: None,
        cudaKernelSetAttributeForDevice: None,
        cudaLaunchCooperativeKernel: None,
        cudaLaunchHostFunc: None,
        cudaLaunchKernel: None,
        cudaLaunchKernelExC: None,
        cudaLibraryEnumerateKernels: None,
        cudaLibraryGetGlobal: None,
        cudaLibraryGetKernel: None,
        cudaLibraryGetKernelCount: None,
        cudaLibraryGetManaged: None,
        cudaLibraryGetUnifiedFunction: None,
        cudaLibraryLoadData: None,
        cudaLibraryLoadFromFile: None,
        cudaLibraryUnload: None,
        cudaMalloc: None,
        cudaMalloc3D: None,
        cudaMallocAsync: None,
        cudaMallocFromPoolAsync: None,
        cudaMallocHost: None,
        cudaMallocManaged: None,
        cudaMallocPitch: None,
        cudaMemAdvise: None,
        cudaMemGetInfo: None,
        cudaMemPoolCreate: None,
        cudaMemPoolDestroy: None,
        cudaMemPoolExportPointer: None,
        cudaMemPoolExportToShareableHandle: None,
        cudaMemPoolGetAccess: None,
        cudaMemPoolGetAttribute: None,
        cudaMemPoolImportFromShareableHandle: None,
        cudaMemPoolImportPointer: None,
        cudaMemPoolSetAccess: None,
        cudaMemPoolSetAttribute: None,
        cudaMemPoolTrimTo: None,
        cudaMemPrefetchAsync: None,
        cudaMemRangeGetAttribute: None,
        cudaMemRangeGetAttributes: None,
        cudaMemcpy: None,
        cudaMemcpy2D: None,
        cudaMemcpy2DAsync: None,
        cudaMemcpy3D: None,
        cudaMemcpy3DAsync: None,
        cudaMemcpy3DBatchAsync: None,
        cudaMemcpy3DPeer: None,
        cudaMemcpy3DPeerAsync: None,
        cudaMemcpyAsync: None,
        cudaMemcpyBatchAsync: None,
        cudaMemcpyPeer: None,
        cudaMemcpyPeerAsync: None,
        cudaMemset: None,
        cudaMemset2D: None,
        cudaMemset2DAsync: None,
        cudaMemset3D: None,
        cudaMemset3DAsync: None,
        cudaMemsetAsync: None,
        cudaOccupancyAvailableDynamicSMemPerBlock: None,
        cudaOccupancyMaxActiveBlocksPerMultiprocessor: None,
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags: None,
        cudaOccupancyMaxActiveClusters: None,
        cudaOccupancyMaxPotentialClusterSize: None,
        cudaPeekAtLastError: None,
        cudaPointerGetAttributes: None,
        cudaRuntimeGetVersion: None,
        cudaSetDevice: None,
        cudaSetDeviceFlags: None,
        cudaSetValidDevices: None,
        cudaStreamAttachMemAsync: None,
        cudaStreamBeginCapture: None,
        cudaStreamBeginCaptureToGraph: None,
        cudaStreamCopyAttributes: None,
        cudaStreamCreate: None,
        cudaStreamCreateWithFlags: None,
        cudaStreamCreateWithPriority: None,
        cudaStreamDestroy: None,
        cudaStreamEndCapture: None,
        cudaStreamGetAttribute: None,
        cudaStreamGetCaptureInfo: None,
        cudaStreamGetDevice: None,
        cudaStreamGetFlags: None,
        cudaStreamGetId: None,
        cudaStreamGetPriority: None,
        cudaStreamIsCapturing: None,
        cudaStreamQuery: None,
        cudaStreamSetAttribute: None,
        cudaStreamSynchronize: None,
        cudaStreamUpdateCaptureDependencies: None,
        cudaStreamWaitEvent: None,
        cudaThreadExchangeStreamCaptureMode: None,
        cudaUserObjectCreate: None,
        cudaUserObjectRelease: None,
        cudaUserObjectRetain: None,
    };
    /// Fills a table by asking `lookup` for each symbol.
    ///
    /// # Safety
    /// - Each address that `lookup` gives is that of a function with the C signature which the headers of these bindings declare for the symbol.
    /// - The code behind it stays loaded as long as the table or a copy of it is used.
    pub unsafe fn from_lookup(
        mut lookup: impl FnMut(
            &'static core::ffi::CStr,
        ) -> Option<core::ptr::NonNull<core::ffi::c_void>>,
    ) -> Self {
        Self {
            cudaChooseDevice: lookup(c"cudaChooseDevice")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaCtxResetPersistingL2Cache: lookup(c"cudaCtxResetPersistingL2Cache")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceCanAccessPeer: lookup(c"cudaDeviceCanAccessPeer")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceDisablePeerAccess: lookup(c"cudaDeviceDisablePeerAccess")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceEnablePeerAccess: lookup(c"cudaDeviceEnablePeerAccess")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceFlushGPUDirectRDMAWrites: lookup(
                    c"cudaDeviceFlushGPUDirectRDMAWrites",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceGetAttribute: lookup(c"cudaDeviceGetAttribute")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceGetByPCIBusId: lookup(c"cudaDeviceGetByPCIBusId")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceGetDefaultMemPool: lookup(c"cudaDeviceGetDefaultMemPool")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceGetGraphMemAttribute: lookup(c"cudaDeviceGetGraphMemAttribute")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceGetLimit: lookup(c"cudaDeviceGetLimit")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceGetMemPool: lookup(c"cudaDeviceGetMemPool")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceGetP2PAttribute: lookup(c"cudaDeviceGetP2PAttribute")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceGetPCIBusId: lookup(c"cudaDeviceGetPCIBusId")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceGetStreamPriorityRange: lookup(c"cudaDeviceGetStreamPriorityRange")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceGraphMemTrim: lookup(c"cudaDeviceGraphMemTrim")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceRegisterAsyncNotification: lookup(
                    c"cudaDeviceRegisterAsyncNotification",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceReset: lookup(c"cudaDeviceReset")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceSetGraphMemAttribute: lookup(c"cudaDeviceSetGraphMemAttribute")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceSetLimit: lookup(c"cudaDeviceSetLimit")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceSetMemPool: lookup(c"cudaDeviceSetMemPool")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceSynchronize: lookup(c"cudaDeviceSynchronize")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDeviceUnregisterAsyncNotification: lookup(
                    c"cudaDeviceUnregisterAsyncNotification",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaDriverGetVersion: lookup(c"cudaDriverGetVersion")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaEventCreate: lookup(c"cudaEventCreate")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaEventCreateWithFlags: lookup(c"cudaEventCreateWithFlags")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaEventDestroy: lookup(c"cudaEventDestroy")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaEventElapsedTime: lookup(c"cudaEventElapsedTime")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaEventQuery: lookup(c"cudaEventQuery")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaEventRecord: lookup(c"cudaEventRecord")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaEventRecordWithFlags: lookup(c"cudaEventRecordWithFlags")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaEventSynchronize: lookup(c"cudaEventSynchronize")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaFree: lookup(c"cudaFree")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaFreeAsync: lookup(c"cudaFreeAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaFreeHost: lookup(c"cudaFreeHost")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaFuncGetAttributes: lookup(c"cudaFuncGetAttributes")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaFuncGetName: lookup(c"cudaFuncGetName")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaFuncGetParamInfo: lookup(c"cudaFuncGetParamInfo")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaFuncSetAttribute: lookup(c"cudaFuncSetAttribute")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaFuncSetCacheConfig: lookup(c"cudaFuncSetCacheConfig")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGetDevice: lookup(c"cudaGetDevice")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGetDeviceCount: lookup(c"cudaGetDeviceCount")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGetDeviceFlags: lookup(c"cudaGetDeviceFlags")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGetDeviceProperties: lookup(c"cudaGetDeviceProperties_v2")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGetDriverEntryPoint: lookup(c"cudaGetDriverEntryPoint")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGetDriverEntryPointByVersion: lookup(c"cudaGetDriverEntryPointByVersion")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGetErrorName: lookup(c"cudaGetErrorName")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGetErrorString: lookup(c"cudaGetErrorString")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGetLastError: lookup(c"cudaGetLastError")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphAddChildGraphNode: lookup(c"cudaGraphAddChildGraphNode")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphAddDependencies: lookup(c"cudaGraphAddDependencies")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphAddEmptyNode: lookup(c"cudaGraphAddEmptyNode")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphAddEventRecordNode: lookup(c"cudaGraphAddEventRecordNode")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphAddEventWaitNode: lookup(c"cudaGraphAddEventWaitNode")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphAddHostNode: lookup(c"cudaGraphAddHostNode")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphAddKernelNode: lookup(c"cudaGraphAddKernelNode")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphAddMemAllocNode: lookup(c"cudaGraphAddMemAllocNode")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphAddMemFreeNode: lookup(c"cudaGraphAddMemFreeNode")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphAddMemcpyNode: lookup(c"cudaGraphAddMemcpyNode")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphAddMemcpyNode1D: lookup(c"cudaGraphAddMemcpyNode1D")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphAddMemsetNode: lookup(c"cudaGraphAddMemsetNode")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphChildGraphNodeGetGraph: lookup(c"cudaGraphChildGraphNodeGetGraph")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphClone: lookup(c"cudaGraphClone")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphCreate: lookup(c"cudaGraphCreate")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphDebugDotPrint: lookup(c"cudaGraphDebugDotPrint")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphDestroy: lookup(c"cudaGraphDestroy")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphDestroyNode: lookup(c"cudaGraphDestroyNode")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphEventRecordNodeGetEvent: lookup(c"cudaGraphEventRecordNodeGetEvent")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphEventRecordNodeSetEvent: lookup(c"cudaGraphEventRecordNodeSetEvent")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphEventWaitNodeGetEvent: lookup(c"cudaGraphEventWaitNodeGetEvent")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphEventWaitNodeSetEvent: lookup(c"cudaGraphEventWaitNodeSetEvent")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphExecChildGraphNodeSetParams: lookup(
                    c"cudaGraphExecChildGraphNodeSetParams",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphExecDestroy: lookup(c"cudaGraphExecDestroy")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphExecEventRecordNodeSetEvent: lookup(
                    c"cudaGraphExecEventRecordNodeSetEvent",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphExecEventWaitNodeSetEvent: lookup(
                    c"cudaGraphExecEventWaitNodeSetEvent",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphExecGetFlags: lookup(c"cudaGraphExecGetFlags")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphExecHostNodeSetParams: lookup(c"cudaGraphExecHostNodeSetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphExecKernelNodeSetParams: lookup(c"cudaGraphExecKernelNodeSetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphExecMemcpyNodeSetParams: lookup(c"cudaGraphExecMemcpyNodeSetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphExecMemcpyNodeSetParams1D: lookup(
                    c"cudaGraphExecMemcpyNodeSetParams1D",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphExecMemsetNodeSetParams: lookup(c"cudaGraphExecMemsetNodeSetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphExecUpdate: lookup(c"cudaGraphExecUpdate")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphGetEdges: lookup(c"cudaGraphGetEdges")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphGetNodes: lookup(c"cudaGraphGetNodes")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphGetRootNodes: lookup(c"cudaGraphGetRootNodes")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphHostNodeGetParams: lookup(c"cudaGraphHostNodeGetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphHostNodeSetParams: lookup(c"cudaGraphHostNodeSetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphInstantiate: lookup(c"cudaGraphInstantiate")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphInstantiateWithFlags: lookup(c"cudaGraphInstantiateWithFlags")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphInstantiateWithParams: lookup(c"cudaGraphInstantiateWithParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphKernelNodeCopyAttributes: lookup(
                    c"cudaGraphKernelNodeCopyAttributes",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphKernelNodeGetAttribute: lookup(c"cudaGraphKernelNodeGetAttribute")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphKernelNodeGetParams: lookup(c"cudaGraphKernelNodeGetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphKernelNodeSetAttribute: lookup(c"cudaGraphKernelNodeSetAttribute")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphKernelNodeSetParams: lookup(c"cudaGraphKernelNodeSetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphLaunch: lookup(c"cudaGraphLaunch")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphMemAllocNodeGetParams: lookup(c"cudaGraphMemAllocNodeGetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphMemFreeNodeGetParams: lookup(c"cudaGraphMemFreeNodeGetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphMemcpyNodeGetParams: lookup(c"cudaGraphMemcpyNodeGetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphMemcpyNodeSetParams: lookup(c"cudaGraphMemcpyNodeSetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphMemcpyNodeSetParams1D: lookup(c"cudaGraphMemcpyNodeSetParams1D")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphMemsetNodeGetParams: lookup(c"cudaGraphMemsetNodeGetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphMemsetNodeSetParams: lookup(c"cudaGraphMemsetNodeSetParams")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphNodeFindInClone: lookup(c"cudaGraphNodeFindInClone")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphNodeGetDependencies: lookup(c"cudaGraphNodeGetDependencies")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphNodeGetDependentNodes: lookup(c"cudaGraphNodeGetDependentNodes")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphNodeGetEnabled: lookup(c"cudaGraphNodeGetEnabled")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphNodeGetType: lookup(c"cudaGraphNodeGetType")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphNodeSetEnabled: lookup(c"cudaGraphNodeSetEnabled")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphReleaseUserObject: lookup(c"cudaGraphReleaseUserObject")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphRemoveDependencies: lookup(c"cudaGraphRemoveDependencies")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphRetainUserObject: lookup(c"cudaGraphRetainUserObject")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaGraphUpload: lookup(c"cudaGraphUpload")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaHostAlloc: lookup(c"cudaHostAlloc")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaHostGetDevicePointer: lookup(c"cudaHostGetDevicePointer")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaHostGetFlags: lookup(c"cudaHostGetFlags")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaHostRegister: lookup(c"cudaHostRegister")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaHostUnregister: lookup(c"cudaHostUnregister")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaInitDevice: lookup(c"cudaInitDevice")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaIpcCloseMemHandle: lookup(c"cudaIpcCloseMemHandle")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaIpcGetEventHandle: lookup(c"cudaIpcGetEventHandle")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaIpcGetMemHandle: lookup(c"cudaIpcGetMemHandle")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaIpcOpenEventHandle: lookup(c"cudaIpcOpenEventHandle")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaIpcOpenMemHandle: lookup(c"cudaIpcOpenMemHandle")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaKernelSetAttributeForDevice: lookup(c"cudaKernelSetAttributeForDevice")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLaunchCooperativeKernel: lookup(c"cudaLaunchCooperativeKernel")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLaunchHostFunc: lookup(c"cudaLaunchHostFunc")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLaunchKernel: lookup(c"cudaLaunchKernel")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLaunchKernelExC: lookup(c"cudaLaunchKernelExC")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLibraryEnumerateKernels: lookup(c"cudaLibraryEnumerateKernels")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLibraryGetGlobal: lookup(c"cudaLibraryGetGlobal")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLibraryGetKernel: lookup(c"cudaLibraryGetKernel")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLibraryGetKernelCount: lookup(c"cudaLibraryGetKernelCount")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLibraryGetManaged: lookup(c"cudaLibraryGetManaged")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLibraryGetUnifiedFunction: lookup(c"cudaLibraryGetUnifiedFunction")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLibraryLoadData: lookup(c"cudaLibraryLoadData")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLibraryLoadFromFile: lookup(c"cudaLibraryLoadFromFile")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaLibraryUnload: lookup(c"cudaLibraryUnload")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMalloc: lookup(c"cudaMalloc")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMalloc3D: lookup(c"cudaMalloc3D")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMallocAsync: lookup(c"cudaMallocAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMallocFromPoolAsync: lookup(c"cudaMallocFromPoolAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMallocHost: lookup(c"cudaMallocHost")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMallocManaged: lookup(c"cudaMallocManaged")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMallocPitch: lookup(c"cudaMallocPitch")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemAdvise: lookup(c"cudaMemAdvise")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemGetInfo: lookup(c"cudaMemGetInfo")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemPoolCreate: lookup(c"cudaMemPoolCreate")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemPoolDestroy: lookup(c"cudaMemPoolDestroy")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemPoolExportPointer: lookup(c"cudaMemPoolExportPointer")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemPoolExportToShareableHandle: lookup(
                    c"cudaMemPoolExportToShareableHandle",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemPoolGetAccess: lookup(c"cudaMemPoolGetAccess")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemPoolGetAttribute: lookup(c"cudaMemPoolGetAttribute")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemPoolImportFromShareableHandle: lookup(
                    c"cudaMemPoolImportFromShareableHandle",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemPoolImportPointer: lookup(c"cudaMemPoolImportPointer")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemPoolSetAccess: lookup(c"cudaMemPoolSetAccess")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemPoolSetAttribute: lookup(c"cudaMemPoolSetAttribute")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemPoolTrimTo: lookup(c"cudaMemPoolTrimTo")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemPrefetchAsync: lookup(c"cudaMemPrefetchAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemRangeGetAttribute: lookup(c"cudaMemRangeGetAttribute")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemRangeGetAttributes: lookup(c"cudaMemRangeGetAttributes")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemcpy: lookup(c"cudaMemcpy")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemcpy2D: lookup(c"cudaMemcpy2D")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemcpy2DAsync: lookup(c"cudaMemcpy2DAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemcpy3D: lookup(c"cudaMemcpy3D")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemcpy3DAsync: lookup(c"cudaMemcpy3DAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemcpy3DBatchAsync: lookup(c"cudaMemcpy3DBatchAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemcpy3DPeer: lookup(c"cudaMemcpy3DPeer")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemcpy3DPeerAsync: lookup(c"cudaMemcpy3DPeerAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemcpyAsync: lookup(c"cudaMemcpyAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemcpyBatchAsync: lookup(c"cudaMemcpyBatchAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemcpyPeer: lookup(c"cudaMemcpyPeer")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemcpyPeerAsync: lookup(c"cudaMemcpyPeerAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemset: lookup(c"cudaMemset")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemset2D: lookup(c"cudaMemset2D")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemset2DAsync: lookup(c"cudaMemset2DAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemset3D: lookup(c"cudaMemset3D")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemset3DAsync: lookup(c"cudaMemset3DAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaMemsetAsync: lookup(c"cudaMemsetAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaOccupancyAvailableDynamicSMemPerBlock: lookup(
                    c"cudaOccupancyAvailableDynamicSMemPerBlock",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaOccupancyMaxActiveBlocksPerMultiprocessor: lookup(
                    c"cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags: lookup(
                    c"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaOccupancyMaxActiveClusters: lookup(c"cudaOccupancyMaxActiveClusters")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaOccupancyMaxPotentialClusterSize: lookup(
                    c"cudaOccupancyMaxPotentialClusterSize",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaPeekAtLastError: lookup(c"cudaPeekAtLastError")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaPointerGetAttributes: lookup(c"cudaPointerGetAttributes")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaRuntimeGetVersion: lookup(c"cudaRuntimeGetVersion")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaSetDevice: lookup(c"cudaSetDevice")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaSetDeviceFlags: lookup(c"cudaSetDeviceFlags")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaSetValidDevices: lookup(c"cudaSetValidDevices")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamAttachMemAsync: lookup(c"cudaStreamAttachMemAsync")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamBeginCapture: lookup(c"cudaStreamBeginCapture")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamBeginCaptureToGraph: lookup(c"cudaStreamBeginCaptureToGraph")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamCopyAttributes: lookup(c"cudaStreamCopyAttributes")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamCreate: lookup(c"cudaStreamCreate")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamCreateWithFlags: lookup(c"cudaStreamCreateWithFlags")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamCreateWithPriority: lookup(c"cudaStreamCreateWithPriority")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamDestroy: lookup(c"cudaStreamDestroy")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamEndCapture: lookup(c"cudaStreamEndCapture")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamGetAttribute: lookup(c"cudaStreamGetAttribute")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamGetCaptureInfo: lookup(c"cudaStreamGetCaptureInfo_v2")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamGetDevice: lookup(c"cudaStreamGetDevice")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamGetFlags: lookup(c"cudaStreamGetFlags")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamGetId: lookup(c"cudaStreamGetId")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamGetPriority: lookup(c"cudaStreamGetPriority")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamIsCapturing: lookup(c"cudaStreamIsCapturing")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamQuery: lookup(c"cudaStreamQuery")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamSetAttribute: lookup(c"cudaStreamSetAttribute")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamSynchronize: lookup(c"cudaStreamSynchronize")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamUpdateCaptureDependencies: lookup(
                    c"cudaStreamUpdateCaptureDependencies",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaStreamWaitEvent: lookup(c"cudaStreamWaitEvent")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaThreadExchangeStreamCaptureMode: lookup(
                    c"cudaThreadExchangeStreamCaptureMode",
                )
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaUserObjectCreate: lookup(c"cudaUserObjectCreate")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaUserObjectRelease: lookup(c"cudaUserObjectRelease")
                .map(|address| unsafe { core::mem::transmute(address) }),
            cudaUserObjectRetain: lookup(c"cudaUserObjectRetain")
                .map(|address| unsafe { core::mem::transmute(address) }),
        }
    }
    /// Each entry's C name, and a test of whether a table has it; sorted by name.
    pub const ENTRIES: &'static [(&'static str, fn(&Self) -> bool)] = &[
        ("cudaChooseDevice", |table| table.cudaChooseDevice.is_some()),
        (
            "cudaCtxResetPersistingL2Cache",
            |table| table.cudaCtxResetPersistingL2Cache.is_some(),
        ),
        ("cudaDeviceCanAccessPeer", |table| table.cudaDeviceCanAccessPeer.is_some()),
        (
            "cudaDeviceDisablePeerAccess",
            |table| table.cudaDeviceDisablePeerAccess.is_some(),
        ),
        (
            "cudaDeviceEnablePeerAccess",
            |table| table.cudaDeviceEnablePeerAccess.is_some(),
        ),
        (
            "cudaDeviceFlushGPUDirectRDMAWrites",
            |table| table.cudaDeviceFlushGPUDirectRDMAWrites.is_some(),
        ),
        ("cudaDeviceGetAttribute", |table| table.cudaDeviceGetAttribute.is_some()),
        ("cudaDeviceGetByPCIBusId", |table| table.cudaDeviceGetByPCIBusId.is_some()),
        (
            "cudaDeviceGetDefaultMemPool",
            |table| table.cudaDeviceGetDefaultMemPool.is_some(),
        ),
        (
            "cudaDeviceGetGraphMemAttribute",
            |table| table.cudaDeviceGetGraphMemAttribute.is_some(),
        ),
        ("cudaDeviceGetLimit", |table| table.cudaDeviceGetLimit.is_some()),
        ("cudaDeviceGetMemPool", |table| table.cudaDeviceGetMemPool.is_some()),
        ("cudaDeviceGetP2PAttribute", |table| table.cudaDeviceGetP2PAttribute.is_some()),
        ("cudaDeviceGetPCIBusId", |table| table.cudaDeviceGetPCIBusId.is_some()),
        (
            "cudaDeviceGetStreamPriorityRange",
            |table| table.cudaDeviceGetStreamPriorityRange.is_some(),
        ),
        ("cudaDeviceGraphMemTrim", |table| table.cudaDeviceGraphMemTrim.is_some()),
        (
            "cudaDeviceRegisterAsyncNotification",
            |table| table.cudaDeviceRegisterAsyncNotification.is_some(),
        ),
        ("cudaDeviceReset", |table| table.cudaDeviceReset.is_some()),
        (
            "cudaDeviceSetGraphMemAttribute",
            |table| table.cudaDeviceSetGraphMemAttribute.is_some(),
        ),
        ("cudaDeviceSetLimit", |table| table.cudaDeviceSetLimit.is_some()),
        ("cudaDeviceSetMemPool", |table| table.cudaDeviceSetMemPool.is_some()),
        ("cudaDeviceSynchronize", |table| table.cudaDeviceSynchronize.is_some()),
        (
            "cudaDeviceUnregisterAsyncNotification",
            |table| table.cudaDeviceUnregisterAsyncNotification.is_some(),
        ),
        ("cudaDriverGetVersion", |table| table.cudaDriverGetVersion.is_some()),
        ("cudaEventCreate", |table| table.cudaEventCreate.is_some()),
        ("cudaEventCreateWithFlags", |table| table.cudaEventCreateWithFlags.is_some()),
        ("cudaEventDestroy", |table| table.cudaEventDestroy.is_some()),
        ("cudaEventElapsedTime", |table| table.cudaEventElapsedTime.is_some()),
        ("cudaEventQuery", |table| table.cudaEventQuery.is_some()),
        ("cudaEventRecord", |table| table.cudaEventRecord.is_some()),
        ("cudaEventRecordWithFlags", |table| table.cudaEventRecordWithFlags.is_some()),
        ("cudaEventSynchronize", |table| table.cudaEventSynchronize.is_some()),
        ("cudaFree", |table| table.cudaFree.is_some()),
        ("cudaFreeAsync", |table| table.cudaFreeAsync.is_some()),
        ("cudaFreeHost", |table| table.cudaFreeHost.is_some()),
        ("cudaFuncGetAttributes", |table| table.cudaFuncGetAttributes.is_some()),
        ("cudaFuncGetName", |table| table.cudaFuncGetName.is_some()),
        ("cudaFuncGetParamInfo", |table| table.cudaFuncGetParamInfo.is_some()),
        ("cudaFuncSetAttribute", |table| table.cudaFuncSetAttribute.is_some()),
        ("cudaFuncSetCacheConfig", |table| table.cudaFuncSetCacheConfig.is_some()),
        ("cudaGetDevice", |table| table.cudaGetDevice.is_some()),
        ("cudaGetDeviceCount", |table| table.cudaGetDeviceCount.is_some()),
        ("cudaGetDeviceFlags", |table| table.cudaGetDeviceFlags.is_some()),
        ("cudaGetDeviceProperties", |table| table.cudaGetDeviceProperties.is_some()),
        ("cudaGetDriverEntryPoint", |table| table.cudaGetDriverEntryPoint.is_some()),
        (
            "cudaGetDriverEntryPointByVersion",
            |table| table.cudaGetDriverEntryPointByVersion.is_some(),
        ),
        ("cudaGetErrorName", |table| table.cudaGetErrorName.is_some()),
        ("cudaGetErrorString", |table| table.cudaGetErrorString.is_some()),
        ("cudaGetLastError", |table| table.cudaGetLastError.is_some()),
        (
            "cudaGraphAddChildGraphNode",
            |table| table.cudaGraphAddChildGraphNode.is_some(),
        ),
        ("cudaGraphAddDependencies", |table| table.cudaGraphAddDependencies.is_some()),
        ("cudaGraphAddEmptyNode", |table| table.cudaGraphAddEmptyNode.is_some()),
        (
            "cudaGraphAddEventRecordNode",
            |table| table.cudaGraphAddEventRecordNode.is_some(),
        ),
        ("cudaGraphAddEventWaitNode", |table| table.cudaGraphAddEventWaitNode.is_some()),
        ("cudaGraphAddHostNode", |table| table.cudaGraphAddHostNode.is_some()),
        ("cudaGraphAddKernelNode", |table| table.cudaGraphAddKernelNode.is_some()),
        ("cudaGraphAddMemAllocNode", |table| table.cudaGraphAddMemAllocNode.is_some()),
        ("cudaGraphAddMemFreeNode", |table| table.cudaGraphAddMemFreeNode.is_some()),
        ("cudaGraphAddMemcpyNode", |table| table.cudaGraphAddMemcpyNode.is_some()),
        ("cudaGraphAddMemcpyNode1D", |table| table.cudaGraphAddMemcpyNode1D.is_some()),
        ("cudaGraphAddMemsetNode", |table| table.cudaGraphAddMemsetNode.is_some()),
        (
            "cudaGraphChildGraphNodeGetGraph",
            |table| table.cudaGraphChildGraphNodeGetGraph.is_some(),
        ),
        ("cudaGraphClone", |table| table.cudaGraphClone.is_some()),
        ("cudaGraphCreate", |table| table.cudaGraphCreate.is_some()),
        ("cudaGraphDebugDotPrint", |table| table.cudaGraphDebugDotPrint.is_some()),
        ("cudaGraphDestroy", |table| table.cudaGraphDestroy.is_some()),
        ("cudaGraphDestroyNode", |table| table.cudaGraphDestroyNode.is_some()),
        (
            "cudaGraphEventRecordNodeGetEvent",
            |table| table.cudaGraphEventRecordNodeGetEvent.is_some(),
        ),
        (
            "cudaGraphEventRecordNodeSetEvent",
            |table| table.cudaGraphEventRecordNodeSetEvent.is_some(),
        ),
        (
            "cudaGraphEventWaitNodeGetEvent",
            |table| table.cudaGraphEventWaitNodeGetEvent.is_some(),
        ),
        (
            "cudaGraphEventWaitNodeSetEvent",
            |table| table.cudaGraphEventWaitNodeSetEvent.is_some(),
        ),
        (
            "cudaGraphExecChildGraphNodeSetParams",
            |table| table.cudaGraphExecChildGraphNodeSetParams.is_some(),
        ),
        ("cudaGraphExecDestroy", |table| table.cudaGraphExecDestroy.is_some()),
        (
            "cudaGraphExecEventRecordNodeSetEvent",
            |table| table.cudaGraphExecEventRecordNodeSetEvent.is_some(),
        ),
        (
            "cudaGraphExecEventWaitNodeSetEvent",
            |table| table.cudaGraphExecEventWaitNodeSetEvent.is_some(),
        ),
        ("cudaGraphExecGetFlags", |table| table.cudaGraphExecGetFlags.is_some()),
        (
            "cudaGraphExecHostNodeSetParams",
            |table| table.cudaGraphExecHostNodeSetParams.is_some(),
        ),
        (
            "cudaGraphExecKernelNodeSetParams",
            |table| table.cudaGraphExecKernelNodeSetParams.is_some(),
        ),
        (
            "cudaGraphExecMemcpyNodeSetParams",
            |table| table.cudaGraphExecMemcpyNodeSetParams.is_some(),
        ),
        (
            "cudaGraphExecMemcpyNodeSetParams1D",
            |table| table.cudaGraphExecMemcpyNodeSetParams1D.is_some(),
        ),
        (
            "cudaGraphExecMemsetNodeSetParams",
            |table| table.cudaGraphExecMemsetNodeSetParams.is_some(),
        ),
        ("cudaGraphExecUpdate", |table| table.cudaGraphExecUpdate.is_some()),
        ("cudaGraphGetEdges", |table| table.cudaGraphGetEdges.is_some()),
        ("cudaGraphGetNodes", |table| table.cudaGraphGetNodes.is_some()),
        ("cudaGraphGetRootNodes", |table| table.cudaGraphGetRootNodes.is_some()),
        (
            "cudaGraphHostNodeGetParams",
            |table| table.cudaGraphHostNodeGetParams.is_some(),
        ),
        (
            "cudaGraphHostNodeSetParams",
            |table| table.cudaGraphHostNodeSetParams.is_some(),
        ),
        ("cudaGraphInstantiate", |table| table.cudaGraphInstantiate.is_some()),
        (
            "cudaGraphInstantiateWithFlags",
            |table| table.cudaGraphInstantiateWithFlags.is_some(),
        ),
        (
            "cudaGraphInstantiateWithParams",
            |table| table.cudaGraphInstantiateWithParams.is_some(),
        ),
        (
            "cudaGraphKernelNodeCopyAttributes",
            |table| table.cudaGraphKernelNodeCopyAttributes.is_some(),
        ),
        (
            "cudaGraphKernelNodeGetAttribute",
            |table| table.cudaGraphKernelNodeGetAttribute.is_some(),
        ),
        (
            "cudaGraphKernelNodeGetParams",
            |table| table.cudaGraphKernelNodeGetParams.is_some(),
        ),
        (
            "cudaGraphKernelNodeSetAttribute",
            |table| table.cudaGraphKernelNodeSetAttribute.is_some(),
        ),
        (
            "cudaGraphKernelNodeSetParams",
            |table| table.cudaGraphKernelNodeSetParams.is_some(),
        ),
        ("cudaGraphLaunch", |table| table.cudaGraphLaunch.is_some()),
        (
            "cudaGraphMemAllocNodeGetParams",
            |table| table.cudaGraphMemAllocNodeGetParams.is_some(),
        ),
        (
            "cudaGraphMemFreeNodeGetParams",
            |table| table.cudaGraphMemFreeNodeGetParams.is_some(),
        ),
        (
            "cudaGraphMemcpyNodeGetParams",
            |table| table.cudaGraphMemcpyNodeGetParams.is_some(),
        ),
        (
            "cudaGraphMemcpyNodeSetParams",
            |table| table.cudaGraphMemcpyNodeSetParams.is_some(),
        ),
        (
            "cudaGraphMemcpyNodeSetParams1D",
            |table| table.cudaGraphMemcpyNodeSetParams1D.is_some(),
        ),
        (
            "cudaGraphMemsetNodeGetParams",
            |table| table.cudaGraphMemsetNodeGetParams.is_some(),
        ),
        (
            "cudaGraphMemsetNodeSetParams",
            |table| table.cudaGraphMemsetNodeSetParams.is_some(),
        ),
        ("cudaGraphNodeFindInClone", |table| table.cudaGraphNodeFindInClone.is_some()),
        (
            "cudaGraphNodeGetDependencies",
            |table| table.cudaGraphNodeGetDependencies.is_some(),
        ),
        (
            "cudaGraphNodeGetDependentNodes",
            |table| table.cudaGraphNodeGetDependentNodes.is_some(),
        ),
        ("cudaGraphNodeGetEnabled", |table| table.cudaGraphNodeGetEnabled.is_some()),
        ("cudaGraphNodeGetType", |table| table.cudaGraphNodeGetType.is_some()),
        ("cudaGraphNodeSetEnabled", |table| table.cudaGraphNodeSetEnabled.is_some()),
        (
            "cudaGraphReleaseUserObject",
            |table| table.cudaGraphReleaseUserObject.is_some(),
        ),
        (
            "cudaGraphRemoveDependencies",
            |table| table.cudaGraphRemoveDependencies.is_some(),
        ),
        ("cudaGraphRetainUserObject", |table| table.cudaGraphRetainUserObject.is_some()),
        ("cudaGraphUpload", |table| table.cudaGraphUpload.is_some()),
        ("cudaHostAlloc", |table| table.cudaHostAlloc.is_some()),
        ("cudaHostGetDevicePointer", |table| table.cudaHostGetDevicePointer.is_some()),
        ("cudaHostGetFlags", |table| table.cudaHostGetFlags.is_some()),
        ("cudaHostRegister", |table| table.cudaHostRegister.is_some()),
        ("cudaHostUnregister", |table| table.cudaHostUnregister.is_some()),
        ("cudaInitDevice", |table| table.cudaInitDevice.is_some()),
        ("cudaIpcCloseMemHandle", |table| table.cudaIpcCloseMemHandle.is_some()),
        ("cudaIpcGetEventHandle", |table| table.cudaIpcGetEventHandle.is_some()),
        ("cudaIpcGetMemHandle", |table| table.cudaIpcGetMemHandle.is_some()),
        ("cudaIpcOpenEventHandle", |table| table.cudaIpcOpenEventHandle.is_some()),
        ("cudaIpcOpenMemHandle", |table| table.cudaIpcOpenMemHandle.is_some()),
        (
            "cudaKernelSetAttributeForDevice",
            |table| table.cudaKernelSetAttributeForDevice.is_some(),
        ),
        (
            "cudaLaunchCooperativeKernel",
            |table| table.cudaLaunchCooperativeKernel.is_some(),
        ),
        ("cudaLaunchHostFunc", |table| table.cudaLaunchHostFunc.is_some()),
        ("cudaLaunchKernel", |table| table.cudaLaunchKernel.is_some()),
        ("cudaLaunchKernelExC", |table| table.cudaLaunchKernelExC.is_some()),
        (
            "cudaLibraryEnumerateKernels",
            |table| table.cudaLibraryEnumerateKernels.is_some(),
        ),
        ("cudaLibraryGetGlobal", |table| table.cudaLibraryGetGlobal.is_some()),
        ("cudaLibraryGetKernel", |table| table.cudaLibraryGetKernel.is_some()),
        ("cudaLibraryGetKernelCount", |table| table.cudaLibraryGetKernelCount.is_some()),
        ("cudaLibraryGetManaged", |table| table.cudaLibraryGetManaged.is_some()),
        (
            "cudaLibraryGetUnifiedFunction",
            |table| table.cudaLibraryGetUnifiedFunction.is_some(),
        ),
        ("cudaLibraryLoadData", |table| table.cudaLibraryLoadData.is_some()),
        ("cudaLibraryLoadFromFile", |table| table.cudaLibraryLoadFromFile.is_some()),
        ("cudaLibraryUnload", |table| table.cudaLibraryUnload.is_some()),
        ("cudaMalloc", |table| table.cudaMalloc.is_some()),
        ("cudaMalloc3D", |table| table.cudaMalloc3D.is_some()),
        ("cudaMallocAsync", |table| table.cudaMallocAsync.is_some()),
        ("cudaMallocFromPoolAsync", |table| table.cudaMallocFromPoolAsync.is_some()),
        ("cudaMallocHost", |table| table.cudaMallocHost.is_some()),
        ("cudaMallocManaged", |table| table.cudaMallocManaged.is_some()),
        ("cudaMallocPitch", |table| table.cudaMallocPitch.is_some()),
        ("cudaMemAdvise", |table| table.cudaMemAdvise.is_some()),
        ("cudaMemGetInfo", |table| table.cudaMemGetInfo.is_some()),
        ("cudaMemPoolCreate", |table| table.cudaMemPoolCreate.is_some()),
        ("cudaMemPoolDestroy", |table| table.cudaMemPoolDestroy.is_some()),
        ("cudaMemPoolExportPointer", |table| table.cudaMemPoolExportPointer.is_some()),
        (
            "cudaMemPoolExportToShareableHandle",
            |table| table.cudaMemPoolExportToShareableHandle.is_some(),
        ),
        ("cudaMemPoolGetAccess", |table| table.cudaMemPoolGetAccess.is_some()),
        ("cudaMemPoolGetAttribute", |table| table.cudaMemPoolGetAttribute.is_some()),
        (
            "cudaMemPoolImportFromShareableHandle",
            |table| table.cudaMemPoolImportFromShareableHandle.is_some(),
        ),
        ("cudaMemPoolImportPointer", |table| table.cudaMemPoolImportPointer.is_some()),
        ("cudaMemPoolSetAccess", |table| table.cudaMemPoolSetAccess.is_some()),
        ("cudaMemPoolSetAttribute", |table| table.cudaMemPoolSetAttribute.is_some()),
        ("cudaMemPoolTrimTo", |table| table.cudaMemPoolTrimTo.is_some()),
        ("cudaMemPrefetchAsync", |table| table.cudaMemPrefetchAsync.is_some()),
        ("cudaMemRangeGetAttribute", |table| table.cudaMemRangeGetAttribute.is_some()),
        ("cudaMemRangeGetAttributes", |table| table.cudaMemRangeGetAttributes.is_some()),
        ("cudaMemcpy", |table| table.cudaMemcpy.is_some()),
        ("cudaMemcpy2D", |table| table.cudaMemcpy2D.is_some()),
        ("cudaMemcpy2DAsync", |table| table.cudaMemcpy2DAsync.is_some()),
        ("cudaMemcpy3D", |table| table.cudaMemcpy3D.is_some()),
        ("cudaMemcpy3DAsync", |table| table.cudaMemcpy3DAsync.is_some()),
        ("cudaMemcpy3DBatchAsync", |table| table.cudaMemcpy3DBatchAsync.is_some()),
        ("cudaMemcpy3DPeer", |table| table.cudaMemcpy3DPeer.is_some()),
        ("cudaMemcpy3DPeerAsync", |table| table.cudaMemcpy3DPeerAsync.is_some()),
        ("cudaMemcpyAsync", |table| table.cudaMemcpyAsync.is_some()),
        ("cudaMemcpyBatchAsync", |table| table.cudaMemcpyBatchAsync.is_some()),
        ("cudaMemcpyPeer", |table| table.cudaMemcpyPeer.is_some()),
        ("cudaMemcpyPeerAsync", |table| table.cudaMemcpyPeerAsync.is_some()),
        ("cudaMemset", |table| table.cudaMemset.is_some()),
        ("cudaMemset2D", |table| table.cudaMemset2D.is_some()),
        ("cudaMemset2DAsync", |table| table.cudaMemset2DAsync.is_some()),
        ("cudaMemset3D", |table| table.cudaMemset3D.is_some()),
        ("cudaMemset3DAsync", |table| table.cudaMemset3DAsync.is_some()),
        ("cudaMemsetAsync", |table| table.cudaMemsetAsync.is_some()),
        (
            "cudaOccupancyAvailableDynamicSMemPerBlock",
            |table| table.cudaOccupancyAvailableDynamicSMemPerBlock.is_some(),
        ),
        (
            "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
            |table| table.cudaOccupancyMaxActiveBlocksPerMultiprocessor.is_some(),
        ),
        (
            "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
            |table| {
                table.cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags.is_some()
            },
        ),
        (
            "cudaOccupancyMaxActiveClusters",
            |table| table.cudaOccupancyMaxActiveClusters.is_some(),
        ),
        (
            "cudaOccupancyMaxPotentialClusterSize",
            |table| table.cudaOccupancyMaxPotentialClusterSize.is_some(),
        ),
        ("cudaPeekAtLastError", |table| table.cudaPeekAtLastError.is_some()),
        ("cudaPointerGetAttributes", |table| table.cudaPointerGetAttributes.is_some()),
        ("cudaRuntimeGetVersion", |table| table.cudaRuntimeGetVersion.is_some()),
        ("cudaSetDevice", |table| table.cudaSetDevice.is_some()),
        ("cudaSetDeviceFlags", |table| table.cudaSetDeviceFlags.is_some()),
        ("cudaSetValidDevices", |table| table.cudaSetValidDevices.is_some()),
        ("cudaStreamAttachMemAsync", |table| table.cudaStreamAttachMemAsync.is_some()),
        ("cudaStreamBeginCapture", |table| table.cudaStreamBeginCapture.is_some()),
        (
            "cudaStreamBeginCaptureToGraph",
            |table| table.cudaStreamBeginCaptureToGraph.is_some(),
        ),
        ("cudaStreamCopyAttributes", |table| table.cudaStreamCopyAttributes.is_some()),
        ("cudaStreamCreate", |table| table.cudaStreamCreate.is_some()),
        ("cudaStreamCreateWithFlags", |table| table.cudaStreamCreateWithFlags.is_some()),
        (
            "cudaStreamCreateWithPriority",
            |table| table.cudaStreamCreateWithPriority.is_some(),
        ),
        ("cudaStreamDestroy", |table| table.cudaStreamDestroy.is_some()),
        ("cudaStreamEndCapture", |table| table.cudaStreamEndCapture.is_some()),
        ("cudaStreamGetAttribute", |table| table.cudaStreamGetAttribute.is_some()),
        ("cudaStreamGetCaptureInfo", |table| table.cudaStreamGetCaptureInfo.is_some()),
        ("cudaStreamGetDevice", |table| table.cudaStreamGetDevice.is_some()),
        ("cudaStreamGetFlags", |table| table.cudaStreamGetFlags.is_some()),
        ("cudaStreamGetId", |table| table.cudaStreamGetId.is_some()),
        ("cudaStreamGetPriority", |table| table.cudaStreamGetPriority.is_some()),
        ("cudaStreamIsCapturing", |table| table.cudaStreamIsCapturing.is_some()),
        ("cudaStreamQuery", |table| table.cudaStreamQuery.is_some()),
        ("cudaStreamSetAttribute", |table| table.cudaStreamSetAttribute.is_some()),
        ("cudaStreamSynchronize", |table| table.cudaStreamSynchronize.is_some()),
        (
            "cudaStreamUpdateCaptureDependencies",
            |table| table.cudaStreamUpdateCaptureDependencies.is_some(),
        ),
        ("cudaStreamWaitEvent", |table| table.cudaStreamWaitEvent.is_some()),
        (
            "cudaThreadExchangeStreamCaptureMode",
            |table| table.cudaThreadExchangeStreamCaptureMode.is_some(),
        ),
        ("cudaUserObjectCreate", |table| table.cudaUserObjectCreate.is_some()),
        ("cudaUserObjectRelease", |table| table.cudaUserObjectRelease.is_some()),
        ("cudaUserObjectRetain", |table| table.cudaUserObjectRetain.is_some()),
    ];
}
