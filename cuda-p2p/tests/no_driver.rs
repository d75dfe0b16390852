//! A runtime library without a driver, or without a device: what its answers become. The table is of this test.

use std::ffi::c_int;

use cuda_p2p::sys::{CudaRuntime, cudaError};
use cuda_p2p::{Error, ErrorClass, Runtime};

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
