//! A runtime library without a driver, with one that is too old, or without a device: what its answers become. The tables are of
//! this test.

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

use cuda_p2p::sys::{
    CudaRuntime, cudaDriverEntryPointQueryResult, cudaError, cudaJitOption, cudaLibrary_t, cudaLibraryOption,
};
use cuda_p2p::{Error, ErrorClass, Kernel, KernelModule, Runtime, Version};

unsafe extern "C" fn no_error() -> cudaError {
    cudaError(0)
}

unsafe extern "C" fn no_driver(_: *mut c_int) -> cudaError {
    cudaError(35)
}

unsafe extern "C" fn no_device(_: *mut c_int) -> cudaError {
    cudaError(100)
}

const EMPTY: CudaRuntime = CudaRuntime {
    cudaPeekAtLastError: Some(no_error),
    cudaGetLastError: Some(no_error),
    ..CudaRuntime::EMPTY
};
static NO_DRIVER: CudaRuntime = CudaRuntime { cudaGetDeviceCount: Some(no_driver), ..EMPTY };
static NO_DEVICE: CudaRuntime = CudaRuntime { cudaGetDeviceCount: Some(no_device), ..EMPTY };
static NOTHING: CudaRuntime = CudaRuntime::EMPTY;

#[test]
fn no_driver_and_no_device_say_what_to_install() {
    for (table, code) in [(&NO_DRIVER, 35), (&NO_DEVICE, 100)] {
        // SAFETY: what the table has behaves as the runtime's.
        let runtime = unsafe { Runtime::from_table(table) };
        let error = runtime.device(0).unwrap_err();
        assert_eq!((error.code(), error.class()), (Some(code), Some(ErrorClass::NoDevice)));
        for part in ["driver", "CUDA_P2P_SIM"] {
            assert!(error.to_string().contains(part), "{part:?} is not in {error}");
        }
    }
}

#[test]
fn a_table_without_a_function_says_which() {
    // SAFETY: the table has nothing to call.
    let runtime = unsafe { Runtime::from_table(&NOTHING) };
    let error = runtime.device_count().unwrap_err();
    assert_eq!(error, Error::MissingFunction { symbol: "cudaGetDeviceCount", since: (12, 0) });
}

const OLD: Version = Version { major: 12, minor: 4 };

unsafe extern "C" fn of_12_4(version: *mut c_int) -> cudaError {
    // SAFETY: the crate gives a valid place.
    unsafe { *version = 12_040 };
    cudaError(0)
}

unsafe extern "C" fn of_13_5(version: *mut c_int) -> cudaError {
    // SAFETY: the crate gives a valid place.
    unsafe { *version = 13_050 };
    cudaError(0)
}

unsafe extern "C" fn needs_newer(_: *mut c_int) -> cudaError {
    cudaError(36)
}

unsafe extern "C" fn load_needs_newer(
    _: *mut cudaLibrary_t,
    _: *const c_void,
    _: *mut cudaJitOption,
    _: *mut *mut c_void,
    _: c_uint,
    _: *mut cudaLibraryOption,
    _: *mut *mut c_void,
    _: c_uint,
) -> cudaError {
    cudaError(36)
}

/// A driver that has not heard of the release: to some runtimes that is an error.
unsafe extern "C" fn unheard_of(
    _: *const c_char,
    address: *mut *mut c_void,
    _: c_uint,
    _: c_ulonglong,
    _: *mut cudaDriverEntryPointQueryResult,
) -> cudaError {
    // SAFETY: the crate gives a valid place.
    unsafe { *address = std::ptr::null_mut() };
    cudaError(1)
}

unsafe extern "C" fn of_11_8(version: *mut c_int) -> cudaError {
    // SAFETY: the crate gives a valid place.
    unsafe { *version = 11_080 };
    cudaError(0)
}

const NEW_ON_OLD: CudaRuntime = CudaRuntime {
    cudaRuntimeGetVersion: Some(of_13_5),
    cudaDriverGetVersion: Some(of_12_4),
    cudaLibraryLoadData: Some(load_needs_newer),
    ..EMPTY
};
static INSUFFICIENT: CudaRuntime = CudaRuntime { cudaGetDeviceCount: Some(no_driver), ..NEW_ON_OLD };
static NEWER_CALL: CudaRuntime = CudaRuntime { cudaGetDeviceCount: Some(needs_newer), ..NEW_ON_OLD };
static NO_ENTRY: CudaRuntime = CudaRuntime {
    cudaDriverGetVersion: Some(of_11_8),
    cudaGetDriverEntryPointByVersion: Some(unheard_of),
    cudaLibraryLoadData: None,
    ..NEW_ON_OLD
};

fn names_both(error: &Error, needs: Version, driver: Version) {
    let text = error.to_string();
    assert!(
        text.contains(&format!("of CUDA {needs} or newer")) && text.contains(&format!("of CUDA {driver}")),
        "{text}"
    );
}

#[test]
fn a_driver_too_old_for_the_runtime_is_named_with_both_releases() {
    // SAFETY: what the table has behaves as the runtime's.
    let runtime = unsafe { Runtime::from_table(&INSUFFICIENT) };
    let error = runtime.device_count().unwrap_err();
    // Any driver of the runtime's major would do.
    let needs = Version { major: 13, minor: 0 };
    assert_eq!(error, Error::DriverTooOld { call: "cudaGetDeviceCount", needs, driver: OLD, code: Some(35) });
    assert_eq!((error.code(), error.class()), (Some(35), Some(ErrorClass::NoDevice)));
    names_both(&error, needs, OLD);
}

#[test]
fn a_driver_too_old_for_a_call_is_named_with_both_releases() {
    // SAFETY: what the table has behaves as the runtime's.
    let runtime = unsafe { Runtime::from_table(&NEWER_CALL) };
    // The call came with 12.0, which the driver has: something newer about it is missing.
    let error = runtime.device_count().unwrap_err();
    names_both(&error, Version { major: 13, minor: 5 }, OLD);
    assert_eq!((error.code(), error.class()), (Some(36), Some(ErrorClass::Unsupported)));
    // SAFETY: no fatbin, and the function above does not look into it.
    let module = unsafe { KernelModule::from_parts(("none", Some(&[0; 8]), None)) };
    let error = Kernel::load(&runtime, &module, "kernel", &[]).unwrap_err();
    assert!(matches!(error, Error::DriverTooOld { call: "cudaLibraryLoadData", .. }), "{error:?}");
    names_both(&error, Version { major: 12, minor: 8 }, OLD);
}

#[test]
fn a_driver_without_an_entry_point_is_named_with_both_releases() {
    // SAFETY: what the table has behaves as the runtime's.
    let runtime = unsafe { Runtime::from_table(&NO_ENTRY) };
    // SAFETY: as above.
    let module = unsafe { KernelModule::from_parts(("none", Some(&[0; 8]), None)) };
    let error = Kernel::load(&runtime, &module, "kernel", &[]).unwrap_err();
    let (needs, driver) = (Version { major: 12, minor: 0 }, Version { major: 11, minor: 8 });
    assert_eq!(error, Error::DriverTooOld { call: "cuLibraryLoadData", needs, driver, code: None });
    names_both(&error, needs, driver);
}
