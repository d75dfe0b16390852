//! Each error that can be provoked without harm and that no other topic is about, in a process of its own. The list of all of
//! them, with where each is provoked, is in the README.

use std::ptr::null_mut;

use cuda_p2p_sys::cudaStreamNonBlocking;

use crate::case::{Case, case};
use crate::context::{Cx, answers, refuses};
use crate::needs::{Needs, ONE, TWO};
use crate::setup::NULL_STREAM;
use crate::test_kernels::{Shape, parameters, row};

pub(super) const CASES: &[Case] = &[
    case!(a_failed_assertion_in_a_kernel, ONE.kernels()).poisons(),
    case!(a_failed_assertion_reaches_both_devices, TWO.kernels()).poisons(),
    case!(a_device_that_was_not_used_before_a_fault, TWO.kernels()).poisons(),
    case!(an_assertion_that_holds, ONE.kernels()),
    case!(a_trap_in_a_kernel, ONE.kernels()).poisons(),
    case!(a_block_with_too_few_registers, ONE.kernel_handles()),
    case!(code_for_another_device, LIBRARIES),
];

const LIBRARIES: Needs = ONE.since(12, 8);

fn assert_in_a_kernel(cx: &Cx, mut value: u32) {
    cx.launch(c"test_assert", Shape::ONE, NULL_STREAM, &mut parameters![value]);
}

fn a_failed_assertion_in_a_kernel(cx: &Cx) {
    assert_in_a_kernel(cx, 1);
    answers!(cx.cudaDeviceSynchronize(), 710);
    answers!(cx.cudaGetLastError(), 710);
    answers!(cx.cudaDeviceSynchronize(), 710);
}

fn a_failed_assertion_reaches_both_devices(cx: &Cx) {
    cx.word(1, 0);
    assert_in_a_kernel(cx, 1);
    answers!(cx.cudaDeviceSynchronize(), 710);
    let mut pointer = null_mut();
    answers!(cx.cudaMalloc(&mut pointer, 16), 710);
    answers!(cx.cudaSetDevice(1), 0);
    answers!(cx.cudaMalloc(&mut pointer, 16), 710);
    answers!(cx.cudaSetDevice(0), 0);
    answers!(cx.cudaDeviceReset(), 0);
    answers!(cx.cudaMalloc(&mut pointer, 16), 46);
}

/// It becomes the current one all the same.
fn a_device_that_was_not_used_before_a_fault(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    cx.trap(NULL_STREAM);
    answers!(cx.cudaDeviceSynchronize(), 719);
    let (mut pointer, mut device) = (null_mut(), -1);
    refuses!(cx.cudaSetDevice(1), 46);
    answers!(cx.cudaGetDevice(&mut device), 0);
    cx.value("the current device", device, 1);
    refuses!(cx.cudaMalloc(&mut pointer, 16), 46);
    refuses!(cx.cudaDeviceSynchronize(), 46);
    refuses!(cx.cudaStreamQuery(stream), 46);
    refuses!(cx.cudaStreamSynchronize(stream), 46);
    refuses!(cx.cudaDeviceEnablePeerAccess(0, 0), 46);
    refuses!(cx.cudaFree(null_mut()), 46);
    answers!(cx.cudaSetDevice(0), 0);
    refuses!(cx.cudaDeviceSynchronize(), 719);
    refuses!(cx.cudaDeviceEnablePeerAccess(1, 0), 46);
}

fn an_assertion_that_holds(cx: &Cx) {
    assert_in_a_kernel(cx, 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

fn a_trap_in_a_kernel(cx: &Cx) {
    cx.trap(NULL_STREAM);
    answers!(cx.cudaDeviceSynchronize(), 719);
    answers!(cx.cudaDeviceReset(), 0);
    let mut pointer = null_mut();
    answers!(cx.cudaMalloc(&mut pointer, 16), 46);
}

fn a_block_with_too_few_registers(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_many_registers");
    let mut words = cx.filled(0, &[0; 640]);
    let mut a = parameters![words];
    let f = kernel.cast::<std::ffi::c_void>().cast_const();
    refuses!(cx.cudaLaunchKernel(f, row(1), row(1024), a.as_mut_ptr(), 0, NULL_STREAM), 701);
    answers!(cx.cudaLaunchKernel(f, row(1), row(32), a.as_mut_ptr(), 0, NULL_STREAM), 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

/// Machine code of an empty kernel `test_foreign` for sm_121, of which no two devices are in one machine. Made by
/// `nvcc -cubin -arch=sm_121`.
#[repr(align(16))]
struct Foreign<T: ?Sized>(T);
static FOREIGN: &Foreign<[u8]> = &Foreign(*include_bytes!("../../kernels/foreign_sm_121.cubin"));

/// The library loads, lazily; the kernel is not to be had.
fn code_for_another_device(cx: &Cx) {
    let (mut library, mut kernel) = (null_mut(), null_mut());
    let (code, name) = (FOREIGN.0.as_ptr().cast(), c"test_foreign");
    answers!(
        cx.cudaLibraryLoadData(&mut library, code, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0),
        0
    );
    refuses!(cx.cudaLibraryGetKernel(&mut kernel, library, name.as_ptr()), 209);
    answers!(cx.cudaLibraryUnload(library), 0);
}
