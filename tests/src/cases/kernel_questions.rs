//! What can be asked about a kernel and set on it: attributes, parameters, occupancy, its name.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use cuda_p2p_sys::{cudaFuncAttribute, cudaFuncAttributes};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, record, refuses};
use crate::needs::{ONE, TWO};
use crate::setup::NULL_STREAM;
use crate::test_kernels::{parameters, row};

pub(super) const CASES: &[Case] = &[
    case!(attributes_of_a_kernel, ONE.kernel_handles()),
    case!(attributes_without_a_place_or_a_kernel, ONE.kernel_handles()),
    case!(an_unknown_attribute_cannot_be_set, ONE.kernel_handles()),
    case!(parameters_of_a_kernel, ONE.kernel_handles()),
    case!(parameters_of_many_sizes, ONE.kernel_handles()),
    case!(parameters_without_places, ONE.kernel_handles()),
    case!(blocks_that_fit_on_a_multiprocessor, ONE.kernel_handles()),
    case!(blocks_that_cannot_be, ONE.kernel_handles()),
    case!(blocks_that_fit_with_flags, ONE.kernel_handles()),
    case!(a_kernel_tells_its_name, ONE.kernel_handles()),
    case!(an_attribute_on_one_device, TWO.kernel_handles()),
];

fn attributes_of_a_kernel(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_store");
    let f = kernel.cast::<c_void>().cast_const();
    // SAFETY: integers only: zeroes are a value.
    let mut attributes: cudaFuncAttributes = unsafe { std::mem::zeroed() };
    answers!(cx.cudaFuncGetAttributes(&mut attributes, f), 0);
    cx.value("maxThreadsPerBlock", attributes.maxThreadsPerBlock, 1024);
    cx.value("sharedSizeBytes", attributes.sharedSizeBytes, 0);
    cx.value("maxDynamicSharedSizeBytes", attributes.maxDynamicSharedSizeBytes, 48 << 10);
    let most = cudaFuncAttribute::cudaFuncAttributeMaxDynamicSharedMemorySize;
    must!(cx.cudaFuncSetAttribute(f, most, 227 << 10));
    answers!(cx.cudaFuncGetAttributes(&mut attributes, f), 0);
    cx.value("maxDynamicSharedSizeBytes", attributes.maxDynamicSharedSizeBytes, 227 << 10);
}

fn attributes_without_a_place_or_a_kernel(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_store");
    // SAFETY: integers only: zeroes are a value.
    let mut attributes: cudaFuncAttributes = unsafe { std::mem::zeroed() };
    refuses!(cx.cudaFuncGetAttributes(null_mut(), kernel.cast()), 1);
    refuses!(cx.cudaFuncGetAttributes(&mut attributes, null()), 98);
}

fn an_unknown_attribute_cannot_be_set(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_store");
    refuses!(cx.cudaFuncSetAttribute(kernel.cast(), cudaFuncAttribute(99), 1), 1);
    refuses!(cx.cudaFuncSetAttribute(null(), cudaFuncAttribute(99), 1), 1);
}

fn parameters_of_a_kernel(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_store");
    let (mut offset, mut size) = (usize::MAX, usize::MAX);
    answers!(cx.cudaFuncGetParamInfo(kernel.cast(), 0, &mut offset, &mut size), 0);
    cx.value("offset and size", (offset, size), (0, 8));
    answers!(cx.cudaFuncGetParamInfo(kernel.cast(), 1, &mut offset, &mut size), 0);
    cx.value("offset and size", (offset, size), (8, 4));
    refuses!(cx.cudaFuncGetParamInfo(kernel.cast(), 2, &mut offset, &mut size), 1);
}

/// As C lays a structure out.
fn parameters_of_many_sizes(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_parameters");
    for (index, want) in [(0, 1), (2, 2), (4, 4), (8, 8), (16, 8)].into_iter().enumerate() {
        let (mut offset, mut size) = (usize::MAX, usize::MAX);
        answers!(cx.cudaFuncGetParamInfo(kernel.cast(), index, &mut offset, &mut size), 0);
        cx.value(&format!("offset and size of parameter {index}"), (offset, size), want);
    }
    let mut place = cx.filled(0, &[0; 8]);
    let (mut one, mut two, mut four, mut eight) = (1_u8, 20_u16, 300_u32, 4000_u64);
    let mut a = parameters![one, two, four, eight, place];
    answers!(cx.cudaLaunchKernel(kernel.cast(), row(1), row(1), a.as_mut_ptr(), 0, NULL_STREAM), 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("the sum of all", cx.read_word(0, place), 4321);
    place = null_mut();
    cx.holds("the argument was copied at the launch", place.is_null());
}

fn parameters_without_places(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_store");
    let mut offset = usize::MAX;
    refuses!(cx.cudaFuncGetParamInfo(kernel.cast(), 0, null_mut(), null_mut()), 1);
    answers!(cx.cudaFuncGetParamInfo(kernel.cast(), 1, &mut offset, null_mut()), 0);
    cx.last(0);
    cx.value("offset", offset, 8);
}

/// How many that is hangs on the architecture.
fn blocks_that_fit_on_a_multiprocessor(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_store");
    let (mut blocks, mut threads) = (-1, 0);
    let most = cuda_p2p_sys::cudaDeviceAttr::cudaDevAttrMaxThreadsPerMultiProcessor;
    must!(cx.cudaDeviceGetAttribute(&mut threads, most, 0));
    answers!(cx.cudaOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, kernel.cast(), 256, 0), 0);
    cx.value("threads of all blocks", blocks * 256, threads);
}

fn blocks_that_cannot_be(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_store");
    let mut blocks = -1;
    answers!(cx.cudaOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, kernel.cast(), 2048, 0), 0);
    cx.value("blocks of 2048 threads", blocks, 0);
    refuses!(cx.cudaOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, kernel.cast(), 0, 0), 1);
}

fn blocks_that_fit_with_flags(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_store");
    let f = kernel.cast::<c_void>().cast_const();
    let (mut plain, mut flagged) = (-1, -2);
    answers!(cx.cudaOccupancyMaxActiveBlocksPerMultiprocessor(&mut plain, f, 128, 0), 0);
    answers!(cx.cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&mut flagged, f, 128, 0, 0), 0);
    cx.holds("both say the same", plain == flagged && plain > 0);
    record!(cx.cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&mut flagged, f, 128, 0, 0xF0));
    cx.clear_last();
}

fn a_kernel_tells_its_name(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_store");
    let mut name = null();
    answers!(cx.cudaFuncGetName(&mut name, kernel.cast()), 0);
    // SAFETY: the runtime gives a NUL-terminated text, which lives as long as the kernel.
    let shown = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned());
    cx.value("name", shown.as_deref(), Some("test_store"));
}

/// The limit of shared memory of the kernel on device 1; what device 0 says of it is recorded.
fn an_attribute_on_one_device(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_store");
    let most = cudaFuncAttribute::cudaFuncAttributeMaxDynamicSharedMemorySize;
    answers!(cx.cudaKernelSetAttributeForDevice(kernel, most, 100 << 10, 1), 0);
    let of = |device| {
        cx.on(device, || {
            // SAFETY: integers only: zeroes are a value.
            let mut attributes: cudaFuncAttributes = unsafe { std::mem::zeroed() };
            answers!(cx.cudaFuncGetAttributes(&mut attributes, kernel.cast()), 0);
            attributes.maxDynamicSharedSizeBytes
        })
    };
    cx.value("bytes on device 1", of(1), 100 << 10);
    cx.see("bytes on device 0", of(0));
    record!(cx.cudaKernelSetAttributeForDevice(kernel, most, 100 << 10, 99));
    cx.clear_last();
}
