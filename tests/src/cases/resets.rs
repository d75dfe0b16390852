//! `cudaDeviceReset` of either side of a pair: what is forgotten, and what of the other device is left. Handles of streams and
//! events of a device that was reset end the process inside hardware's library, so none is used after its reset.

use std::ffi::c_void;

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(the_accessor_forgets_its_access, PEERS),
    case!(access_to_a_reset_owner_is_forgotten, PEERS),
    case!(a_reset_ends_access_in_both_directions, PEERS),
    case!(access_works_again_after_a_reset_of_the_accessor, PEERS.kernels()),
    case!(access_works_again_after_a_reset_of_the_owner, PEERS.kernels()),
    case!(memory_of_a_reset_device_is_gone, ONE),
    case!(memory_of_a_reset_device_is_pageable, ONE),
    case!(memory_of_the_other_device_is_left, TWO),
    case!(copies_from_a_reset_device_are_refused, TWO),
    case!(a_reset_keeps_the_current_device, TWO),
    case!(a_reset_of_an_unused_device, TWO),
    case!(two_resets_in_a_row, ONE),
    case!(a_reset_waits_for_work, ONE.kernels()),
    case!(a_pending_error_and_a_reset, ONE),
    case!(kernels_run_after_a_reset, ONE.kernels()),
];

fn reset(cx: &Cx, device: i32) {
    cx.on(device, || {
        answers!(cx.cudaDeviceReset(), 0);
    });
}

fn the_accessor_forgets_its_access(cx: &Cx) {
    cx.enable(0, 1);
    reset(cx, 0);
    refuses!(cx.cudaDeviceDisablePeerAccess(1), 705);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    answers!(cx.cudaDeviceDisablePeerAccess(1), 0);
}

fn access_to_a_reset_owner_is_forgotten(cx: &Cx) {
    cx.enable(0, 1);
    reset(cx, 1);
    refuses!(cx.cudaDeviceDisablePeerAccess(1), 705);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    answers!(cx.cudaDeviceDisablePeerAccess(1), 0);
}

/// Each device accesses the other; one reset ends both.
fn a_reset_ends_access_in_both_directions(cx: &Cx) {
    cx.enable(0, 1);
    cx.enable(1, 0);
    reset(cx, 0);
    cx.on(1, || {
        refuses!(cx.cudaDeviceDisablePeerAccess(0), 705);
    });
    refuses!(cx.cudaDeviceDisablePeerAccess(1), 705);
}

fn reaches_device_1(cx: &Cx) {
    let theirs = cx.word(1, 1);
    cx.store(NULL_STREAM, theirs, 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what the owner sees", cx.read_word(1, theirs), 2);
}

fn access_works_again_after_a_reset_of_the_accessor(cx: &Cx) {
    cx.enable(0, 1);
    reset(cx, 0);
    cx.enable(0, 1);
    reaches_device_1(cx);
}

fn access_works_again_after_a_reset_of_the_owner(cx: &Cx) {
    cx.enable(0, 1);
    reset(cx, 1);
    cx.enable(0, 1);
    reaches_device_1(cx);
}

fn memory_of_a_reset_device_is_gone(cx: &Cx) {
    let place = cx.word(0, 1);
    reset(cx, 0);
    refuses!(cx.cudaFree(place), 1);
    refuses!(cx.cudaMemset(place, 0, 4), 1);
}

fn memory_of_a_reset_device_is_pageable(cx: &Cx) {
    let place = cx.word(0, 1);
    reset(cx, 0);
    // SAFETY: integers and pointers: zeroes are a value.
    let mut attributes: cuda_p2p_sys::cudaPointerAttributes = unsafe { std::mem::zeroed() };
    answers!(cx.cudaPointerGetAttributes(&mut attributes, place), 0);
    cx.value("type and device", (attributes.type_.0, attributes.device), (0, -2));
    cx.value("devicePointer.is_null()", attributes.devicePointer.is_null(), true);
    cx.value("hostPointer is the pointer", attributes.hostPointer == place, true);
}

fn memory_of_the_other_device_is_left(cx: &Cx) {
    let theirs = cx.word(1, 7);
    cx.word(0, 1);
    reset(cx, 0);
    cx.value("what the owner sees", cx.read_word(1, theirs), 7);
    answers!(cx.cudaFree(theirs), 0);
}

fn copies_from_a_reset_device_are_refused(cx: &Cx) {
    let (ours, theirs): (*mut c_void, *mut c_void) = (cx.word(0, 1), cx.word(1, 7));
    reset(cx, 1);
    refuses!(cx.cudaMemcpyPeer(ours, 0, theirs, 1, 4), 1);
    cx.value("what the copy left", cx.read_word(0, ours), 1);
}

fn a_reset_keeps_the_current_device(cx: &Cx) {
    cx.word(1, 1);
    must!(cx.cudaSetDevice(1));
    let mut device = -1;
    answers!(cx.cudaDeviceReset(), 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    answers!(cx.cudaGetDevice(&mut device), 0);
    cx.value("device", device, 1);
    must!(cx.cudaSetDevice(0));
}

fn a_reset_of_an_unused_device(cx: &Cx) {
    let ours = cx.word(0, 7);
    reset(cx, 1);
    cx.value("what the owner sees", cx.read_word(0, ours), 7);
}

fn two_resets_in_a_row(cx: &Cx) {
    cx.word(0, 1);
    reset(cx, 0);
    reset(cx, 0);
    let place = cx.word(0, 7);
    cx.value("a number of new memory", cx.read_word(0, place), 7);
}

fn a_reset_waits_for_work(cx: &Cx) {
    let mut pinned = std::ptr::null_mut();
    must!(cx.cudaMallocHost(&mut pinned, 4));
    cx.delay(NULL_STREAM, 0);
    cx.synchronize(0);
    cx.delay(NULL_STREAM, 100);
    reset(cx, 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    answers!(cx.cudaStreamQuery(NULL_STREAM), 0);
}

fn a_pending_error_and_a_reset(cx: &Cx) {
    cx.word(0, 1);
    answers!(cx.cudaSetDevice(99), 101);
    reset(cx, 0);
    answers!(cx.cudaGetLastError(), 101);
    cx.last(0);
}

/// Kernels that were loaded before are found again: the library is the process's, not the device's.
fn kernels_run_after_a_reset(cx: &Cx) {
    let before = cx.word(0, 1);
    cx.store_word(NULL_STREAM, before, 2);
    cx.synchronize(0);
    reset(cx, 0);
    let after = cx.word(0, 1);
    cx.store_word(NULL_STREAM, after, 3);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what was stored", cx.read_word(0, after), 3);
}
