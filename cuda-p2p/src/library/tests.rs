//! The way over the driver's entry points, for a runtime without `cudaLibrary*`: against a table of a few functions
//! and a driver of a few more, which note what they were asked.

use std::ffi::{c_char, c_int, c_uint, c_ulonglong};
use std::sync::Mutex;

use super::*;
use crate::ffi::{CudaRuntime, cudaStream_t};
use crate::{Kernel, LaunchConfig};

static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn note(call: String) {
    LOG.lock().unwrap().push(call);
}

unsafe extern "C" fn no_error() -> cudaError {
    cudaError(0)
}

unsafe extern "C" fn get_device(device: *mut c_int) -> cudaError {
    // SAFETY: the seam gives a valid place.
    unsafe { *device = 0 };
    cudaError(0)
}

unsafe extern "C" fn set_device(device: c_int) -> cudaError {
    note(format!("device {device}"));
    cudaError(0)
}

unsafe extern "C" fn two_devices(count: *mut c_int) -> cudaError {
    // SAFETY: the caller gives a valid place.
    unsafe { *count = 2 };
    cudaError(0)
}

unsafe extern "C" fn new_stream(stream: *mut cudaStream_t, _: c_uint) -> cudaError {
    // SAFETY: the caller gives a valid place.
    unsafe { *stream = std::ptr::without_provenance_mut(0x51) };
    cudaError(0)
}

unsafe extern "C" fn destroy_stream(_: cudaStream_t) -> cudaError {
    cudaError(0)
}

unsafe extern "C" fn entry_point(
    symbol: *const c_char,
    address: *mut *mut c_void,
    version: c_uint,
    _: c_ulonglong,
    _: *mut cudaDriverEntryPointQueryResult,
) -> cudaError {
    // SAFETY: the caller gives a NUL-terminated name.
    let symbol = unsafe { CStr::from_ptr(symbol) }.to_str().unwrap();
    note(format!("{symbol} of {version}"));
    let function = match symbol {
        "cuLibraryLoadData" => load as driver::LibraryLoadData as *mut c_void,
        "cuLibraryGetKernel" => get_kernel as driver::LibraryGetKernel as *mut c_void,
        "cuLaunchKernel" => launch as driver::LaunchKernel as *mut c_void,
        // A driver before 12.4, which cannot tell of parameters.
        _ => null_mut(),
    };
    // SAFETY: the caller gives a valid place.
    unsafe { *address = function };
    cudaError(0)
}

unsafe extern "C" fn load(
    library: *mut driver::CuLibrary,
    _: *const c_void,
    _: *mut c_uint,
    _: *mut *mut c_void,
    _: c_uint,
    _: *mut c_uint,
    _: *mut *mut c_void,
    _: c_uint,
) -> driver::CuResult {
    // SAFETY: the caller gives a valid place.
    unsafe { *library = driver::CuLibrary(std::ptr::without_provenance_mut(0x11)) };
    driver::CuResult::SUCCESS
}

unsafe extern "C" fn get_kernel(
    kernel: *mut driver::CuKernel,
    library: driver::CuLibrary,
    name: *const c_char,
) -> driver::CuResult {
    assert_eq!(library.0.addr(), 0x11);
    // SAFETY: the caller gives a NUL-terminated name.
    if unsafe { CStr::from_ptr(name) } != c"known" {
        return driver::CuResult::NOT_FOUND;
    }
    // SAFETY: the caller gives a valid place.
    unsafe { *kernel = driver::CuKernel(std::ptr::without_provenance_mut(0x22)) };
    driver::CuResult::SUCCESS
}

unsafe extern "C" fn launch(
    function: driver::CuFunction,
    grid_x: c_uint,
    _: c_uint,
    _: c_uint,
    block_x: c_uint,
    _: c_uint,
    _: c_uint,
    shared: c_uint,
    stream: driver::CuStream,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> driver::CuResult {
    assert!(extra.is_null());
    // SAFETY: the test gives one parameter, of 8 bytes.
    let value = unsafe { (*parameters).cast::<u64>().read() };
    note(format!("launch {:?} {grid_x}x{block_x}+{shared} on {:?} with {value}", function.0, stream.0));
    driver::CuResult::SUCCESS
}

static TABLE: CudaRuntime = CudaRuntime {
    cudaPeekAtLastError: Some(no_error),
    cudaGetLastError: Some(no_error),
    cudaGetDevice: Some(get_device),
    cudaSetDevice: Some(set_device),
    cudaGetDeviceCount: Some(two_devices),
    cudaStreamCreateWithFlags: Some(new_stream),
    cudaStreamDestroy: Some(destroy_stream),
    cudaGetDriverEntryPointByVersion: Some(entry_point),
    ..CudaRuntime::EMPTY
};

#[test]
fn without_the_runtimes_library_functions_the_drivers_are_used() {
    // SAFETY: the table's functions behave as the runtime's, as far as this test goes.
    let runtime = unsafe { Runtime::from_table(&TABLE) };
    // SAFETY: no fatbin, and the driver above does not look into it.
    let module = unsafe { KernelModule::from_parts(("few", Some(&[0; 8]), None)) };
    let missing = Kernel::load(&runtime, &module, "unknown", &[8]).unwrap_err();
    assert_eq!(missing, Error::UnknownKernel { module: "few", kernel: "unknown" });

    let kernel = Kernel::load(&runtime, &module, "known", &[8]).unwrap();
    let stream = runtime.device(1).unwrap().new_stream().unwrap();
    LOG.lock().unwrap().clear();
    let mut value = 77u64;
    // SAFETY: one parameter of the kernel above.
    unsafe { kernel.launch(&stream, LaunchConfig::new(3, 64), &mut [(&raw mut value).cast()]) }.unwrap();
    // A context is current for the driver, and the device is put back.
    let log = LOG.lock().unwrap().clone();
    assert_eq!(log, ["device 1", "launch 0x22 3x64+0 on 0x51 with 77", "device 0"]);

    // SAFETY: neither kind of code.
    let empty = unsafe { KernelModule::from_parts(("empty", None, None)) };
    let error = Kernel::load(&runtime, &empty, "known", &[]).unwrap_err();
    assert_eq!(error, Error::NoMachineCode { module: "empty" });
    assert!(error.to_string().contains("nvcc"), "{error}");
}
