//! A kernel that touches memory which its device may not: error 700, and what is left of the process.

use std::ptr::null_mut;

use cuda_p2p_sys::{cudaMemcpyKind, cudaStreamNonBlocking};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(a_store_without_access_is_an_illegal_address, TWO.kernels()).poisons(),
    case!(a_load_without_access_is_an_illegal_address, TWO.kernels()).poisons(),
    case!(after_it_every_call_fails_on_both_devices, TWO.kernels()).poisons(),
    case!(after_it_calls_of_other_kinds, TWO.kernels()).poisons(),
    case!(after_it_a_reset_does_not_help, TWO.kernels()).poisons(),
    case!(a_stream_tells_of_it_too, TWO.kernels()).poisons(),
    case!(access_taken_away_is_missed, PEERS.kernels()).poisons(),
    case!(access_of_the_other_direction_does_not_help, PEERS.kernels()).poisons(),
    case!(a_store_through_a_null_pointer, ONE.kernels()).poisons(),
    case!(a_store_to_pageable_host_memory, ONE.kernels()).poisons(),
    case!(a_store_to_freed_memory, ONE.kernels()).poisons(),
    case!(a_reset_without_a_fault_frees_and_leaves_all_usable, ONE),
];

/// Device 0 stores into memory of device 1, and nobody enabled that. The launch itself is fine: the fault comes later.
fn store_without_access(cx: &Cx) {
    let theirs = cx.word(1, 1);
    cx.store(NULL_STREAM, theirs, 2, 0);
}

fn a_store_without_access_is_an_illegal_address(cx: &Cx) {
    store_without_access(cx);
    answers!(cx.cudaDeviceSynchronize(), 700);
    answers!(cx.cudaGetLastError(), 700);
    // The process lives on, and the error stays.
    answers!(cx.cudaDeviceSynchronize(), 700);
}

fn a_load_without_access_is_an_illegal_address(cx: &Cx) {
    let ours = cx.word(0, 1);
    let theirs = cx.word(1, 2);
    cx.copy(NULL_STREAM, ours, theirs, 4);
    answers!(cx.cudaDeviceSynchronize(), 700);
}

fn after_it_every_call_fails_on_both_devices(cx: &Cx) {
    let ours = cx.word(0, 1);
    store_without_access(cx);
    answers!(cx.cudaDeviceSynchronize(), 700);
    let mut pointer = null_mut();
    let mut word = [0_u8; 4];
    let place = word.as_mut_ptr().cast();
    answers!(cx.cudaMalloc(&mut pointer, 16), 700);
    answers!(cx.cudaMemset(ours, 0, 4), 700);
    answers!(cx.cudaMemcpy(place, ours, 4, cudaMemcpyKind::cudaMemcpyDeviceToHost), 700);
    answers!(cx.cudaStreamSynchronize(NULL_STREAM), 700);
    answers!(cx.cudaSetDevice(1), 0);
    answers!(cx.cudaDeviceSynchronize(), 700);
    answers!(cx.cudaMalloc(&mut pointer, 16), 700);
    answers!(cx.cudaSetDevice(0), 0);
}

/// What asks about devices and pointers is answered; what would use the context is not, not even to drop what one has.
fn after_it_calls_of_other_kinds(cx: &Cx) {
    let ours = cx.word(0, 1);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let event = cx.event(0);
    store_without_access(cx);
    answers!(cx.cudaDeviceSynchronize(), 700);
    let mut number = 0;
    let mut attributes = std::mem::MaybeUninit::zeroed();
    answers!(cx.cudaGetDeviceCount(&mut number), 0);
    answers!(cx.cudaGetDevice(&mut number), 0);
    answers!(cx.cudaRuntimeGetVersion(&mut number), 0);
    answers!(cx.cudaDeviceCanAccessPeer(&mut number, 0, 1), 0);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 700);
    answers!(cx.cudaDeviceDisablePeerAccess(1), 700);
    answers!(cx.cudaPointerGetAttributes(attributes.as_mut_ptr(), ours), 0);
    answers!(cx.cudaStreamQuery(stream), 700);
    answers!(cx.cudaEventQuery(event), 700);
    answers!(cx.cudaEventRecord(event, stream), 700);
    answers!(cx.cudaEventDestroy(event), 700);
    answers!(cx.cudaStreamDestroy(stream), 700);
    answers!(cx.cudaFree(ours), 700);
    answers!(cx.cudaGetLastError(), 700);
    answers!(cx.cudaPeekAtLastError(), 0);
}

fn after_it_a_reset_does_not_help(cx: &Cx) {
    store_without_access(cx);
    answers!(cx.cudaDeviceSynchronize(), 700);
    answers!(cx.cudaDeviceReset(), 0);
    let mut pointer = null_mut();
    answers!(cx.cudaMalloc(&mut pointer, 16), 46);
    answers!(cx.cudaGetLastError(), 46);
}

fn a_stream_tells_of_it_too(cx: &Cx) {
    let theirs = cx.word(1, 1);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    cx.store(stream, theirs, 2, 0);
    answers!(cx.cudaStreamSynchronize(stream), 700);
    answers!(cx.cudaStreamQuery(stream), 700);
}

fn access_taken_away_is_missed(cx: &Cx) {
    let theirs = cx.word(1, 1);
    cx.enable(0, 1);
    cx.store(NULL_STREAM, theirs, 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what the owner sees", cx.read_word(1, theirs), 2);
    answers!(cx.cudaDeviceDisablePeerAccess(1), 0);
    cx.store(NULL_STREAM, theirs, 3, 0);
    answers!(cx.cudaDeviceSynchronize(), 700);
}

fn access_of_the_other_direction_does_not_help(cx: &Cx) {
    let theirs = cx.word(1, 1);
    cx.enable(1, 0);
    cx.store(NULL_STREAM, theirs, 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 700);
}

fn a_store_through_a_null_pointer(cx: &Cx) {
    cx.store(NULL_STREAM, null_mut(), 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 700);
}

/// Some machines give kernels the host's pageable memory, so this may work; it must do one or the other.
fn a_store_to_pageable_host_memory(cx: &Cx) {
    let mut access = 0;
    let pageable = cuda_p2p_sys::cudaDeviceAttr::cudaDevAttrPageableMemoryAccess;
    must!(cx.cudaDeviceGetAttribute(&mut access, pageable, 0));
    let mut word = Box::new(1_u32);
    cx.store(NULL_STREAM, std::ptr::from_mut(&mut *word).cast(), 2, 0);
    let status = answers!(cx.cudaDeviceSynchronize(), 700);
    cx.holds("it faults exactly where the attribute says no", (status.0 != 0) == (access == 0));
}

fn a_store_to_freed_memory(cx: &Cx) {
    // Large, so that the allocator gives it back to the device at once.
    let place = cx.malloc(0, 256 << 20);
    must!(cx.cudaFree(place));
    cx.store(NULL_STREAM, place, 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 700);
}

fn a_reset_without_a_fault_frees_and_leaves_all_usable(cx: &Cx) {
    let before = cx.word(0, 1);
    answers!(cx.cudaDeviceReset(), 0);
    let mut attributes = std::mem::MaybeUninit::zeroed();
    answers!(cx.cudaPointerGetAttributes(attributes.as_mut_ptr(), before), 0);
    cx.last(0);
    let after = cx.word(0, 7);
    cx.value("a number of new memory", cx.read_word(0, after), 7);
}
