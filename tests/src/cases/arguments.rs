//! Wrong arguments of the calls that everything else is made of.

use std::ffi::c_void;
use std::ptr::{from_mut, null, null_mut};

use cuda_p2p_sys::{cudaIpcMemHandle_t, cudaMemcpyKind};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::ONE;
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(malloc_without_a_place, ONE),
    case!(malloc_of_nothing, ONE),
    case!(malloc_of_more_than_there_is, ONE),
    case!(free_of_null, ONE),
    case!(free_of_host_memory, ONE),
    case!(free_of_an_interior_pointer, ONE),
    case!(memset_of_null_and_past_the_end, ONE),
    case!(memcpy_with_wrong_pointers, ONE),
    case!(memcpy_of_a_wrong_kind, ONE),
    case!(memcpy_in_the_wrong_direction, ONE),
    case!(memcpy_past_the_end, ONE),
    case!(host_memory_with_wrong_arguments, ONE),
    case!(register_twice, ONE),
    case!(ipc_handle_of_what_is_no_allocation, ONE),
    case!(names_of_errors, ONE),
];

fn malloc_without_a_place(cx: &Cx) {
    refuses!(cx.cudaMalloc(null_mut(), 16), 1);
}

fn malloc_of_nothing(cx: &Cx) {
    let mut pointer: *mut c_void = null_mut();
    answers!(cx.cudaMalloc(&mut pointer, 0), 0);
    cx.value("pointer.is_null()", pointer.is_null(), true);
    answers!(cx.cudaFree(pointer), 0);
}

fn malloc_of_more_than_there_is(cx: &Cx) {
    let mut pointer: *mut c_void = null_mut();
    refuses!(cx.cudaMalloc(&mut pointer, 1 << 46), 2);
    cx.value("pointer.is_null()", pointer.is_null(), true);
    // It leaves the device usable.
    cx.malloc(0, 16);
}

fn free_of_null(cx: &Cx) {
    answers!(cx.cudaFree(null_mut()), 0);
    answers!(cx.cudaFreeHost(null_mut()), 0);
}

fn free_of_host_memory(cx: &Cx) {
    let mut word = 7_u32;
    refuses!(cx.cudaFree(from_mut(&mut word).cast()), 1);
    refuses!(cx.cudaFreeHost(from_mut(&mut word).cast()), 1);
}

fn free_of_an_interior_pointer(cx: &Cx) {
    let pointer = cx.malloc(0, 4096);
    let interior = pointer.wrapping_byte_add(256);
    refuses!(cx.cudaFree(interior), 1);
    answers!(cx.cudaFree(pointer), 0);
}

fn memset_of_null_and_past_the_end(cx: &Cx) {
    let pointer = cx.filled(0, &[1; 1 << 16]);
    refuses!(cx.cudaMemset(null_mut(), 0, 16), 1);
    answers!(cx.cudaMemset(null_mut(), 0, 0), 0);
    cx.last(0);
    refuses!(cx.cudaMemset(pointer, 0, (1 << 16) + 1), 1);
    cx.holds("nothing was set", cx.read(0, pointer, 1 << 16).iter().all(|byte| *byte == 1));
    // Only the low byte of the value counts.
    answers!(cx.cudaMemset(pointer, 0x1FF, 16), 0);
    cx.value("what was set", cx.read(0, pointer, 16), vec![0xFF; 16]);
}

fn memcpy_with_wrong_pointers(cx: &Cx) {
    let pointer = cx.malloc(0, 16);
    let host = [7_u8; 16];
    let source = host.as_ptr().cast();
    refuses!(cx.cudaMemcpy(null_mut(), source, 16, cudaMemcpyKind::cudaMemcpyHostToDevice), 1);
    refuses!(cx.cudaMemcpy(pointer, null(), 16, cudaMemcpyKind::cudaMemcpyHostToDevice), 1);
    answers!(cx.cudaMemcpy(null_mut(), null(), 0, cudaMemcpyKind::cudaMemcpyHostToDevice), 0);
    cx.last(0);
    // The sizes of nothing are fine, with right pointers at least.
    answers!(cx.cudaMemcpy(pointer, source, 0, cudaMemcpyKind::cudaMemcpyHostToDevice), 0);
}

fn memcpy_of_a_wrong_kind(cx: &Cx) {
    let pointer = cx.malloc(0, 16);
    let host = [7_u8; 16];
    let source = host.as_ptr().cast();
    refuses!(cx.cudaMemcpy(pointer, source, 16, cudaMemcpyKind(99)), 21);
}

fn memcpy_in_the_wrong_direction(cx: &Cx) {
    let pointer = cx.malloc(0, 16);
    let mut host = [7_u8; 16];
    refuses!(cx.cudaMemcpy(pointer, host.as_ptr().cast(), 16, cudaMemcpyKind::cudaMemcpyDeviceToHost), 1);
    refuses!(cx.cudaMemcpy(host.as_mut_ptr().cast(), pointer, 16, cudaMemcpyKind::cudaMemcpyHostToDevice), 1);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

fn memcpy_past_the_end(cx: &Cx) {
    let pointer = cx.malloc(0, 1 << 16);
    let host = vec![7_u8; (1 << 16) + 1];
    let source = host.as_ptr().cast();
    refuses!(cx.cudaMemcpy(pointer, source, (1 << 16) + 1, cudaMemcpyKind::cudaMemcpyHostToDevice), 1);
}

fn host_memory_with_wrong_arguments(cx: &Cx) {
    let mut pointer = null_mut();
    refuses!(cx.cudaHostAlloc(null_mut(), 16, 0), 1);
    refuses!(cx.cudaHostAlloc(&mut pointer, 16, 0x80), 1);
    let mut word = 7_u32;
    refuses!(cx.cudaHostUnregister(from_mut(&mut word).cast()), 713);
    refuses!(cx.cudaHostRegister(null_mut(), 16, 0), 1);
}

fn register_twice(cx: &Cx) {
    let mut pages = vec![0_u8; 8192];
    let pointer = pages.as_mut_ptr().cast();
    must!(cx.cudaHostRegister(pointer, 8192, 0));
    refuses!(cx.cudaHostRegister(pointer, 8192, 0), 712);
    answers!(cx.cudaHostUnregister(pointer), 0);
    refuses!(cx.cudaHostUnregister(pointer), 713);
}

fn ipc_handle_of_what_is_no_allocation(cx: &Cx) {
    let mut word = 7_u32;
    let mut handle = std::mem::MaybeUninit::<cudaIpcMemHandle_t>::zeroed();
    refuses!(cx.cudaIpcGetMemHandle(handle.as_mut_ptr(), from_mut(&mut word).cast()), 1);
    refuses!(cx.cudaIpcGetMemHandle(handle.as_mut_ptr(), null_mut()), 1);
    let mut pooled = null_mut();
    must!(cx.cudaMallocAsync(&mut pooled, 16, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    refuses!(cx.cudaIpcGetMemHandle(handle.as_mut_ptr(), pooled), 1);
}

/// The names that messages and recordings show are the runtime's own.
fn names_of_errors(cx: &Cx) {
    let name_of = |code: u32| {
        let function = cx.table.cudaGetErrorName?;
        // SAFETY: the function takes any value and gives a NUL-terminated constant.
        let name = unsafe { std::ffi::CStr::from_ptr(function(cuda_p2p_sys::cudaError(code))) };
        Some(name.to_string_lossy().into_owned())
    };
    for (code, want) in [
        (0, "cudaSuccess"),
        (1, "cudaErrorInvalidValue"),
        (46, "cudaErrorDevicesUnavailable"),
        (101, "cudaErrorInvalidDevice"),
        (217, "cudaErrorPeerAccessUnsupported"),
        (400, "cudaErrorInvalidResourceHandle"),
        (500, "cudaErrorSymbolNotFound"),
        (600, "cudaErrorNotReady"),
        (700, "cudaErrorIllegalAddress"),
        (704, "cudaErrorPeerAccessAlreadyEnabled"),
        (705, "cudaErrorPeerAccessNotEnabled"),
        (711, "cudaErrorTooManyPeers"),
        (900, "cudaErrorStreamCaptureUnsupported"),
        (901, "cudaErrorStreamCaptureInvalidated"),
    ] {
        cx.value(&format!("name of {code}"), name_of(code), Some(want.to_owned()));
    }
    cx.value("name of 99999", name_of(99_999), Some("unrecognized error code".to_owned()));
}
