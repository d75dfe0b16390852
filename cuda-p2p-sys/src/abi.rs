//! Facts of the C ABI that must hold on every machine this crate is built for, checked when it is compiled.
//!
//! bindgen's own assertions (size, alignment and offset of every field, as clang sees them) stand beside the types. These
//! are the ones that bindgen cannot know: what the rest of the project relies on, and what differs between the majors.

use core::ffi::{c_int, c_uint, c_void};

use static_assertions::{
    assert_eq_align, assert_eq_size, assert_not_impl_any, const_assert, const_assert_eq,
};

use crate::*;

// Codes and enumerations travel in registers as C's unsigned int.
assert_eq_size!(cudaError, c_uint);
assert_eq_align!(cudaError, c_uint);
assert_eq_size!(cudaMemcpyKind, c_uint);
assert_eq_size!(cudaDeviceAttr, c_uint);
assert_eq_size!(cudaDeviceP2PAttr, c_uint);
assert_eq_size!(cudaMemPoolAttr, c_uint);

// Handles are single pointers, and an entry of the table is one too: null is `None`.
assert_eq_size!(cudaStream_t, *mut c_void);
assert_eq_size!(cudaEvent_t, *mut c_void);
assert_eq_size!(cudaMemPool_t, *mut c_void);
assert_eq_size!(cudaKernel_t, *mut c_void);
assert_eq_size!(cudaLibrary_t, *mut c_void);
assert_eq_size!(Option<unsafe extern "C" fn(c_int) -> cudaError>, *mut c_void);

// Passed by value between processes: 64 bytes of it, whatever is inside.
assert_eq_size!(cudaIpcMemHandle_t, [u8; 64]);
assert_eq_size!(cudaIpcEventHandle_t, [u8; 64]);
const_assert_eq!(CUDA_IPC_HANDLE_SIZE, 64);

// Passed by value in registers or on the stack.
assert_eq_size!(dim3, [c_uint; 3]);
assert_eq_align!(dim3, c_uint);
assert_eq_size!(cudaExtent, [usize; 3]);
assert_eq_size!(cudaMemLocation, [u32; 2]);
assert_eq_size!(cudaMemAccessDesc, [u32; 3]);

// The same symbol, another layout: 24 bytes in 12.x, 88 in 13.0. This is why a library of another major is refused.
const_assert!(match CUDART_VERSION / 1000 {
    12 => size_of::<cudaPointerAttributes>() == 24,
    _ => size_of::<cudaPointerAttributes>() >= 24,
});
const_assert_eq!(core::mem::offset_of!(cudaPointerAttributes, devicePointer), 8);
const_assert_eq!(core::mem::offset_of!(cudaPointerAttributes, hostPointer), 16);

// Handles are addresses that the library owns: nothing here may make them look like data that Rust may copy and own.
assert_not_impl_any!(cudaStream_t: Send, Sync);
assert_not_impl_any!(cudaEvent_t: Send, Sync);

// The codes that the safe layer gives meaning to.
const_assert_eq!(cudaError::cudaSuccess.0, 0);
const_assert_eq!(cudaError::cudaErrorInvalidValue.0, 1);
const_assert_eq!(cudaError::cudaErrorInvalidDevice.0, 101);
const_assert_eq!(cudaError::cudaErrorPeerAccessUnsupported.0, 217);
const_assert_eq!(cudaError::cudaErrorInvalidResourceHandle.0, 400);
const_assert_eq!(cudaError::cudaErrorNotReady.0, 600);
const_assert_eq!(cudaError::cudaErrorIllegalAddress.0, 700);
const_assert_eq!(cudaError::cudaErrorPeerAccessAlreadyEnabled.0, 704);
const_assert_eq!(cudaError::cudaErrorPeerAccessNotEnabled.0, 705);
const_assert_eq!(cudaError::cudaErrorTooManyPeers.0, 711);
const_assert_eq!(cudaError::cudaErrorStreamCaptureUnsupported.0, 900);
