//! Kernels by `cudaLibraryLoadData` (CUDA 12.8 and later): load, find, launch, and what a launch can be checked against.

use std::ffi::{CStr, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};

use cuda_p2p_sys::driver::{CuKernel, CuResult, Entry, KERNEL_GET_PARAM_INFO, KernelGetParamInfo};
use cuda_p2p_sys::{cudaDriverEntryPointQueryResult, cudaKernel_t, cudaLibrary_t};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::kernels::{DelayedStore, ONE as ONE_THREAD};
use crate::needs::{Needs, ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;
use crate::test_kernels::test_kernels;

pub(super) const CASES: &[Case] = &[
    case!(a_kernel_is_loaded_found_and_launched, ONE.kernel_handles()),
    case!(a_kernel_works_on_a_peers_pointer, PEERS.kernel_handles()),
    case!(an_unknown_kernel_is_not_found, ONE.kernel_handles()),
    case!(garbage_is_loaded_lazily, LIBRARIES),
    case!(garbage_has_no_kernels, LIBRARIES),
    case!(parameters_of_a_kernel_are_told, ONE.kernels().since(12, 5)),
    case!(parameters_need_a_current_context, ONE.kernels().since(12, 5)),
    case!(an_unknown_driver_function_is_not_there, ONE.since(12, 5)),
    case!(an_empty_grid_is_refused, ONE.kernel_handles()),
    case!(a_block_too_large_is_refused, ONE.kernel_handles()),
    case!(null_places_fail, ONE.kernel_handles()),
    case!(a_null_code_or_place_is_refused, LIBRARIES),
    case!(null_is_no_library, LIBRARIES),
    case!(garbage_is_counted_and_unloaded, LIBRARIES),
    case!(a_file_that_is_not_there, LIBRARIES),
    case!(every_kernel_of_a_library_is_counted, ONE.kernel_handles()),
    case!(one_name_has_one_kernel, ONE.kernel_handles()),
    case!(one_kernel_runs_on_both_devices, TWO.kernels()),
];

const LIBRARIES: Needs = ONE.since(12, 8);

fn load(cx: &Cx, code: *const c_void) -> cudaLibrary_t {
    let mut library = null_mut();
    answers!(
        cx.cudaLibraryLoadData(&mut library, code, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0),
        0
    );
    library
}

fn a_kernel_is_loaded_found_and_launched(cx: &Cx) {
    let place = cx.word(0, 1);
    let library = load(cx, cx.kernel_code());
    let name = c"cuda_p2p_delayed_store";
    let mut kernel = null_mut();
    answers!(cx.cudaLibraryGetKernel(&mut kernel, library, name.as_ptr()), 0);
    let mut store = DelayedStore::new(place, 2, 0);
    let mut arguments = store.arguments();
    answers!(
        cx.cudaLaunchKernel(kernel.cast(), ONE_THREAD, ONE_THREAD, arguments.as_mut_ptr(), 0, NULL_STREAM),
        0
    );
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what was stored", cx.read_word(0, place), 2);
    answers!(cx.cudaLibraryUnload(library), 0);
}

fn a_kernel_works_on_a_peers_pointer(cx: &Cx) {
    let theirs = cx.word(1, 1);
    cx.enable(0, 1);
    let library = load(cx, cx.kernel_code());
    let name = c"cuda_p2p_delayed_store";
    let mut kernel = null_mut();
    answers!(cx.cudaLibraryGetKernel(&mut kernel, library, name.as_ptr()), 0);
    let mut store = DelayedStore::new(theirs, 2, 0);
    let mut arguments = store.arguments();
    answers!(
        cx.cudaLaunchKernel(kernel.cast(), ONE_THREAD, ONE_THREAD, arguments.as_mut_ptr(), 0, NULL_STREAM),
        0
    );
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what the owner sees", cx.read_word(1, theirs), 2);
}

fn an_unknown_kernel_is_not_found(cx: &Cx) {
    let library = load(cx, cx.kernel_code());
    let name = c"cuda_p2p_no_such_kernel";
    let mut kernel = null_mut();
    refuses!(cx.cudaLibraryGetKernel(&mut kernel, library, name.as_ptr()), 500);
}

fn garbage_is_loaded_lazily(cx: &Cx) {
    let garbage = cx.pattern(4096, 9);
    load(cx, garbage.as_ptr().cast());
}

fn garbage_has_no_kernels(cx: &Cx) {
    let garbage = cx.pattern(4096, 9);
    let library = load(cx, garbage.as_ptr().cast());
    let name = c"cuda_p2p_delayed_store";
    let mut kernel = null_mut();
    refuses!(cx.cudaLibraryGetKernel(&mut kernel, library, name.as_ptr()), 200);
    answers!(cx.cudaLibraryUnload(library), 0);
    cx.last(0);
}

fn entry_point(cx: &Cx, entry: Entry) -> *mut c_void {
    let name: &CStr = entry.name;
    let mut address = null_mut();
    let mut found = cudaDriverEntryPointQueryResult::cudaDriverEntryPointSymbolNotFound;
    answers!(
        cx.cudaGetDriverEntryPointByVersion(name.as_ptr(), &mut address, entry.version, 0, &mut found),
        0
    );
    cx.value("found", found, cudaDriverEntryPointQueryResult::cudaDriverEntryPointSuccess);
    assert!(!address.is_null(), "{} has no address", entry.name.to_string_lossy());
    address
}

/// The driver's `cuKernelGetParamInfo`: status, offset and size of a parameter.
fn parameter(cx: &Cx, kernel: cudaKernel_t, index: usize) -> (CuResult, usize, usize) {
    let address = entry_point(cx, KERNEL_GET_PARAM_INFO);
    // SAFETY: it was asked for by the name and the version of that signature.
    let get_param_info = unsafe { transmute::<*mut c_void, KernelGetParamInfo>(address) };
    let (mut offset, mut size) = (usize::MAX, usize::MAX);
    // SAFETY: a kernel that was found, and places for two sizes.
    let status = unsafe { get_param_info(CuKernel(kernel.cast()), index, &mut offset, &mut size) };
    (status, offset, size)
}

/// Offset and size of each, and error 1 past the last.
fn parameters_of_a_kernel_are_told(cx: &Cx) {
    // The runtime makes the context of a thread current in its first call that needs one.
    must!(cx.cudaFree(null_mut()));
    let kernel = cx.kernel(c"cuda_p2p_delayed_store");
    for (index, (offset, size)) in [(0, 8), (8, 4), (16, 8)].into_iter().enumerate() {
        let name = format!("cuKernelGetParamInfo({index})");
        cx.value(&name, parameter(cx, kernel, index), (CuResult::SUCCESS, offset, size));
    }
    cx.value("cuKernelGetParamInfo(3)", parameter(cx, kernel, 3).0, CuResult::INVALID_VALUE);
}

/// Loading a library and finding a kernel make no context: the driver, which has no lazy one, answers 201.
fn parameters_need_a_current_context(cx: &Cx) {
    let kernel = cx.kernel(c"cuda_p2p_delayed_store");
    cx.value("cuKernelGetParamInfo(0)", parameter(cx, kernel, 0), (CuResult(201), usize::MAX, usize::MAX));
}

fn an_unknown_driver_function_is_not_there(cx: &Cx) {
    let name = c"cuNoSuchFunction";
    let mut address = null_mut();
    let mut found = cudaDriverEntryPointQueryResult::cudaDriverEntryPointSuccess;
    answers!(cx.cudaGetDriverEntryPointByVersion(name.as_ptr(), &mut address, 12_000, 0, &mut found), 0);
    cx.last(0);
    cx.value("found", found, cudaDriverEntryPointQueryResult::cudaDriverEntryPointSymbolNotFound);
    cx.value("address.is_null()", address.is_null(), true);
}

fn an_empty_grid_is_refused(cx: &Cx) {
    let place = cx.word(0, 1);
    let kernel = cx.kernel(c"cuda_p2p_delayed_store");
    let mut store = DelayedStore::new(place, 2, 0);
    let mut arguments = store.arguments();
    let none = cuda_p2p_sys::dim3 { x: 0, y: 1, z: 1 };
    refuses!(
        cx.cudaLaunchKernel(kernel.cast(), none, ONE_THREAD, arguments.as_mut_ptr(), 0, NULL_STREAM),
        cx.invalid_configuration()
    );
    cx.value("nothing was stored", cx.read_word(0, place), 1);
}

fn a_block_too_large_is_refused(cx: &Cx) {
    let place = cx.word(0, 1);
    let kernel = cx.kernel(c"cuda_p2p_delayed_store");
    let mut store = DelayedStore::new(place, 2, 0);
    let mut arguments = store.arguments();
    let many = cuda_p2p_sys::dim3 { x: 1025, y: 1, z: 1 };
    refuses!(
        cx.cudaLaunchKernel(kernel.cast(), ONE_THREAD, many, arguments.as_mut_ptr(), 0, NULL_STREAM),
        cx.invalid_configuration()
    );
    cx.value("nothing was stored", cx.read_word(0, place), 1);
}

fn null_places_fail(cx: &Cx) {
    let library = load(cx, cx.kernel_code());
    let name = c"cuda_p2p_delayed_store";
    let mut kernel = null_mut();
    refuses!(cx.cudaLibraryGetKernel(null_mut(), library, name.as_ptr()), 1);
    refuses!(cx.cudaLibraryGetKernel(&mut kernel, null_mut(), name.as_ptr()), 400);
    must!(cx.cudaDeviceSynchronize());
}

fn a_null_code_or_place_is_refused(cx: &Cx) {
    let garbage = cx.pattern(64, 9);
    let code = garbage.as_ptr().cast();
    let mut library = null_mut();
    refuses!(
        cx.cudaLibraryLoadData(null_mut(), code, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0),
        1
    );
    refuses!(
        cx.cudaLibraryLoadData(&mut library, null(), null_mut(), null_mut(), 0, null_mut(), null_mut(), 0),
        1
    );
}

fn null_is_no_library(cx: &Cx) {
    refuses!(cx.cudaLibraryUnload(null_mut()), 400);
    let mut count = 99;
    refuses!(cx.cudaLibraryGetKernelCount(&mut count, null_mut()), 400);
    cx.value("count", count, 99);
}

fn garbage_is_counted_and_unloaded(cx: &Cx) {
    let garbage = cx.pattern(64, 9);
    let library = load(cx, garbage.as_ptr().cast());
    let mut count = 99;
    answers!(cx.cudaLibraryGetKernelCount(&mut count, library), 0);
    cx.value("count", count, 0);
    answers!(cx.cudaLibraryUnload(library), 0);
}

fn a_file_that_is_not_there(cx: &Cx) {
    let name = c"/nonexistent.fatbin";
    let mut library = null_mut();
    refuses!(
        cx.cudaLibraryLoadFromFile(
            &mut library,
            name.as_ptr(),
            null_mut(),
            null_mut(),
            0,
            null_mut(),
            null_mut(),
            0
        ),
        301
    );
}

fn every_kernel_of_a_library_is_counted(cx: &Cx) {
    let library = load(cx, cx.code_of(test_kernels()));
    let mut count = 0;
    answers!(cx.cudaLibraryGetKernelCount(&mut count, library), 0);
    let names = test_kernels().host_kernel_names().count() as u32;
    cx.holds("as many as the simulator's", count == names);
    let mut kernels = vec![null_mut(); count as usize];
    answers!(cx.cudaLibraryEnumerateKernels(kernels.as_mut_ptr(), count, library), 0);
    cx.holds("all were given", kernels.iter().all(|kernel| !kernel.is_null()));
}

fn one_name_has_one_kernel(cx: &Cx) {
    let library = load(cx, cx.code_of(test_kernels()));
    let name = c"test_store";
    let (mut first, mut second) = (null_mut(), null_mut());
    answers!(cx.cudaLibraryGetKernel(&mut first, library, name.as_ptr()), 0);
    answers!(cx.cudaLibraryGetKernel(&mut second, library, name.as_ptr()), 0);
    cx.value("found twice, it is the same", first == second, true);
    cx.holds("both are there", !first.is_null() && !second.is_null());
}

/// The kernel is loaded on each device that launches it.
fn one_kernel_runs_on_both_devices(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_store");
    for device in [0, 1] {
        let place = cx.word(device, 1);
        cx.on(device, || {
            cx.store_word(NULL_STREAM, place, 2);
            answers!(cx.cudaDeviceSynchronize(), 0);
        });
        cx.value("what was stored", cx.read_word(device, place), 2);
    }
    cx.holds("the handle is the same", kernel == cx.test_kernel(c"test_store"));
}
