//! Handles of memory and events for other processes. A null place for a handle ends the process inside hardware's library, so it
//! is not asked for.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use cuda_p2p_sys::{
    cudaEventDisableTiming, cudaEventInterprocess, cudaIpcEventHandle_t, cudaIpcMemHandle_t,
    cudaIpcMemLazyEnablePeerAccess, cudaMemAttachGlobal,
};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::ONE;

pub(super) const CASES: &[Case] = &[
    case!(an_allocation_has_a_handle, ONE.ipc()),
    case!(an_interior_pointer_has_the_handle_of_its_allocation, ONE.ipc()),
    case!(a_handle_cannot_be_opened_where_it_was_made, ONE.ipc()),
    case!(a_handle_must_be_opened_with_its_flag, ONE.ipc()),
    case!(garbage_is_no_handle, ONE.ipc()),
    case!(what_was_not_opened_is_not_closed, ONE.ipc()),
    case!(an_event_must_be_made_for_it, ONE.ipc()),
    case!(memory_of_the_host_has_no_handle, ONE.ipc()),
    case!(managed_memory_has_no_handle, ONE.ipc().managed()),
    case!(freed_memory_has_no_handle, ONE.ipc()),
];

fn handle_of(cx: &Cx, place: *mut c_void) -> cudaIpcMemHandle_t {
    let mut handle = MaybeUninit::<cudaIpcMemHandle_t>::zeroed();
    answers!(cx.cudaIpcGetMemHandle(handle.as_mut_ptr(), place), 0);
    // SAFETY: bytes: zeroes are a value, and the call wrote another.
    unsafe { handle.assume_init() }
}

fn an_allocation_has_a_handle(cx: &Cx) {
    let handle = handle_of(cx, cx.malloc(0, 4 << 20));
    cx.holds("it is not all zeroes", handle.reserved.iter().any(|byte| *byte != 0));
}

/// Whoever opens it gets the start of the allocation: the offset must travel with the handle.
fn an_interior_pointer_has_the_handle_of_its_allocation(cx: &Cx) {
    let place = cx.malloc(0, 4 << 20);
    let (whole, interior) = (handle_of(cx, place), handle_of(cx, place.wrapping_byte_add(64)));
    cx.value("the two are the same", whole.reserved == interior.reserved, true);
    cx.holds("it is not all zeroes", interior.reserved.iter().any(|byte| *byte != 0));
}

fn a_handle_cannot_be_opened_where_it_was_made(cx: &Cx) {
    let handle = handle_of(cx, cx.malloc(0, 4 << 20));
    let mut opened = null_mut();
    refuses!(cx.cudaIpcOpenMemHandle(&mut opened, handle, cudaIpcMemLazyEnablePeerAccess), 201);
}

fn a_handle_must_be_opened_with_its_flag(cx: &Cx) {
    let handle = handle_of(cx, cx.malloc(0, 4 << 20));
    let mut opened = null_mut();
    refuses!(cx.cudaIpcOpenMemHandle(&mut opened, handle, 0), 1);
}

fn garbage_is_no_handle(cx: &Cx) {
    must!(cx.cudaFree(null_mut()));
    // SAFETY: bytes: any are a value.
    let mut garbage: cudaIpcMemHandle_t = unsafe { std::mem::zeroed() };
    garbage.reserved.fill(7);
    let mut opened = null_mut();
    refuses!(cx.cudaIpcOpenMemHandle(&mut opened, garbage, cudaIpcMemLazyEnablePeerAccess), 1);
}

fn what_was_not_opened_is_not_closed(cx: &Cx) {
    let place = cx.word(0, 7);
    refuses!(cx.cudaIpcCloseMemHandle(place), 1);
    refuses!(cx.cudaIpcCloseMemHandle(null_mut()), 1);
    cx.value("the word", cx.read_word(0, place), 7);
}

fn memory_of_the_host_has_no_handle(cx: &Cx) {
    let mut handle = MaybeUninit::<cudaIpcMemHandle_t>::zeroed();
    let mut place = null_mut();
    must!(cx.cudaMallocHost(&mut place, 4096));
    refuses!(cx.cudaIpcGetMemHandle(handle.as_mut_ptr(), place), 1);
    must!(cx.cudaFreeHost(place));
}

fn managed_memory_has_no_handle(cx: &Cx) {
    let mut handle = MaybeUninit::<cudaIpcMemHandle_t>::zeroed();
    let mut place = null_mut();
    must!(cx.cudaMallocManaged(&mut place, 4096, cudaMemAttachGlobal));
    refuses!(cx.cudaIpcGetMemHandle(handle.as_mut_ptr(), place), 1);
}

fn freed_memory_has_no_handle(cx: &Cx) {
    let mut handle = MaybeUninit::<cudaIpcMemHandle_t>::zeroed();
    let place = cx.malloc(0, 4 << 20);
    must!(cx.cudaFree(place));
    refuses!(cx.cudaIpcGetMemHandle(handle.as_mut_ptr(), place), 1);
}

fn an_event_must_be_made_for_it(cx: &Cx) {
    let (mut plain, mut shared) = (null_mut(), null_mut());
    let mut handle = MaybeUninit::<cudaIpcEventHandle_t>::zeroed();
    must!(cx.cudaEventCreate(&mut plain));
    refuses!(cx.cudaIpcGetEventHandle(handle.as_mut_ptr(), plain), 400);
    must!(cx.cudaEventCreateWithFlags(&mut shared, cudaEventInterprocess | cudaEventDisableTiming));
    answers!(cx.cudaIpcGetEventHandle(handle.as_mut_ptr(), shared), 0);
}
