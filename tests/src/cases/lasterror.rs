//! The last error: whose it is, what sets it, what clears it.

use std::ptr::null_mut;

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(a_second_enable_leaves_an_error_behind, PEERS),
    case!(a_success_leaves_a_pending_error, PEERS),
    case!(a_failed_query_leaves_an_error_behind, ONE),
    case!(peeking_does_not_clear_and_getting_does, ONE),
    case!(a_later_error_takes_the_place_of_an_earlier_one, ONE),
    case!(each_thread_has_its_own, ONE),
    case!(nothing_is_pending_at_first, ONE),
    case!(an_allocation_leaves_a_pending_error, ONE),
    case!(a_wrong_flag_takes_the_place_of_a_wrong_device, TWO),
    case!(not_ready_is_no_error, ONE.kernels()),
    case!(not_ready_leaves_a_pending_error, ONE.kernels()),
    case!(an_unregistered_pointer_leaves_none, ONE),
    case!(a_refused_launch_is_pending, ONE),
];

/// Enabling twice is harmless, but whoever checks a launch by the last error afterwards finds 704.
fn a_second_enable_leaves_an_error_behind(cx: &Cx) {
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    answers!(cx.cudaPeekAtLastError(), 0);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 704);
    let mut pointer = null_mut();
    answers!(cx.cudaMalloc(&mut pointer, 16), 0);
    refuses!(cx.cudaPeekAtLastError(), 704);
    cx.last(0);
}

/// Whoever judges an enable by the last error finds somebody else's.
fn a_success_leaves_a_pending_error(cx: &Cx) {
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 99), 101);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    cx.last(101);
}

fn a_failed_query_leaves_an_error_behind(cx: &Cx) {
    let mut answer = -1;
    refuses!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 99), 101);
}

fn peeking_does_not_clear_and_getting_does(cx: &Cx) {
    answers!(cx.cudaDeviceEnablePeerAccess(0, 0), 217);
    answers!(cx.cudaPeekAtLastError(), 217);
    answers!(cx.cudaPeekAtLastError(), 217);
    answers!(cx.cudaGetLastError(), 217);
    answers!(cx.cudaGetLastError(), 0);
    answers!(cx.cudaPeekAtLastError(), 0);
}

fn a_later_error_takes_the_place_of_an_earlier_one(cx: &Cx) {
    let mut answer = -1;
    answers!(cx.cudaDeviceEnablePeerAccess(0, 0), 217);
    refuses!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 99), 101);
    cx.last(0);
}

fn each_thread_has_its_own(cx: &Cx) {
    must!(cx.cudaDeviceSynchronize());
    answers!(cx.cudaDeviceEnablePeerAccess(0, 0), 217);
    let peek = cx.table.cudaPeekAtLastError;
    // SAFETY: the function takes nothing.
    let there = std::thread::spawn(move || peek.map(|function| unsafe { function() }.0));
    cx.value("last error of another thread", there.join().ok().flatten(), Some(0));
    cx.last(217);
}

fn nothing_is_pending_at_first(cx: &Cx) {
    cx.last(0);
    answers!(cx.cudaPeekAtLastError(), 0);
}

fn an_allocation_leaves_a_pending_error(cx: &Cx) {
    let mut pointer = null_mut();
    answers!(cx.cudaSetDevice(99), 101);
    answers!(cx.cudaMalloc(&mut pointer, 16), 0);
    cx.last(101);
}

fn a_wrong_flag_takes_the_place_of_a_wrong_device(cx: &Cx) {
    answers!(cx.cudaSetDevice(99), 101);
    answers!(cx.cudaDeviceEnablePeerAccess(0, 1), 1);
    cx.last(1);
    cx.last(0);
}

/// 600 is an answer, and never becomes the last error.
fn not_ready_is_no_error(cx: &Cx) {
    let event = cx.event(0);
    cx.delay(NULL_STREAM, 0);
    cx.synchronize(0);
    cx.delay(NULL_STREAM, 300);
    must!(cx.cudaEventRecord(event, NULL_STREAM));
    answers!(cx.cudaStreamQuery(NULL_STREAM), 600);
    cx.last(0);
    answers!(cx.cudaEventQuery(event), 600);
    cx.last(0);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

fn not_ready_leaves_a_pending_error(cx: &Cx) {
    cx.delay(NULL_STREAM, 0);
    cx.synchronize(0);
    answers!(cx.cudaSetDevice(99), 101);
    cx.delay(NULL_STREAM, 300);
    answers!(cx.cudaStreamQuery(NULL_STREAM), 600);
    cx.last(101);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

fn an_unregistered_pointer_leaves_none(cx: &Cx) {
    let word = 7_u32;
    let mut attributes = std::mem::MaybeUninit::zeroed();
    let pointer = std::ptr::from_ref(&word).cast();
    answers!(cx.cudaPointerGetAttributes(attributes.as_mut_ptr(), pointer), 0);
    cx.last(0);
}

fn a_refused_launch_is_pending(cx: &Cx) {
    let one = crate::kernels::ONE;
    answers!(cx.cudaLaunchKernel(std::ptr::null(), one, one, null_mut(), 0, NULL_STREAM), 98);
    answers!(cx.cudaPeekAtLastError(), 98);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.last(98);
    cx.last(0);
}
