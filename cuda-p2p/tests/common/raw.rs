//! What C or C++ code of the same process would do: calls of the runtime that this crate does not see.

#![allow(dead_code, unused_imports, reason = "each test file uses a part of it")]

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p::sys::{
    CudaRuntime, cudaEvent_t, cudaMemcpyKind, cudaMemoryType, cudaPointerAttributes, cudaStream_t,
};
use cuda_p2p::{Device, Runtime};

/// Calls one function of the table with device `$device` current, and gives the code.
macro_rules! raw {
    ($runtime:expr, $device:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let table: &cuda_p2p::sys::CudaRuntime = $runtime.table();
        let set = table.cudaSetDevice.expect("cudaSetDevice");
        let function = table.$name.expect(stringify!($name));
        // SAFETY: a number; and what the caller of this macro passes is what the function takes, or an error to it.
        let code = unsafe { (set($device), function($($argument),*)).1.0 };
        // The pending error is taken along, as tidy code does.
        let clear = table.cudaGetLastError.expect("cudaGetLastError");
        // SAFETY: the call takes nothing.
        unsafe { clear() };
        code
    }};
}
pub(crate) use raw;

/// A stream of C code's.
pub(crate) fn new_stream(device: &Device) -> cudaStream_t {
    let mut stream: cudaStream_t = null_mut();
    let non_blocking = cuda_p2p::sys::cudaStreamNonBlocking;
    let code = raw!(device.runtime(), device.as_raw(), cudaStreamCreateWithFlags(&mut stream, non_blocking));
    assert_eq!(code, 0);
    stream
}

pub(crate) fn destroy_stream(device: &Device, stream: cudaStream_t) -> u32 {
    raw!(device.runtime(), device.as_raw(), cudaStreamDestroy(stream))
}

pub(crate) fn new_event(device: &Device) -> cudaEvent_t {
    let mut event: cudaEvent_t = null_mut();
    assert_eq!(raw!(device.runtime(), device.as_raw(), cudaEventCreateWithFlags(&mut event, 0)), 0);
    event
}

pub(crate) fn destroy_event(device: &Device, event: cudaEvent_t) -> u32 {
    raw!(device.runtime(), device.as_raw(), cudaEventDestroy(event))
}

/// Memory of C code's, all bytes zero.
pub(crate) fn malloc<T>(device: &Device, len: usize) -> *mut T {
    let mut address: *mut c_void = null_mut();
    let bytes = len * size_of::<T>();
    assert_eq!(raw!(device.runtime(), device.as_raw(), cudaMalloc(&mut address, bytes)), 0);
    assert_eq!(raw!(device.runtime(), device.as_raw(), cudaMemset(address, 0, bytes)), 0);
    address.cast()
}

pub(crate) fn free<T>(device: &Device, address: *mut T) -> u32 {
    raw!(device.runtime(), device.as_raw(), cudaFree(address.cast()))
}

pub(crate) fn host_alloc<T>(device: &Device, len: usize) -> *mut T {
    let mut address: *mut c_void = null_mut();
    let bytes = len * size_of::<T>();
    assert_eq!(raw!(device.runtime(), device.as_raw(), cudaHostAlloc(&mut address, bytes, 0)), 0);
    // SAFETY: so many bytes of host memory that nobody else knows of.
    unsafe { std::ptr::write_bytes(address.cast::<u8>(), 0, bytes) };
    address.cast()
}

pub(crate) fn free_host<T>(device: &Device, address: *mut T) -> u32 {
    raw!(device.runtime(), device.as_raw(), cudaFreeHost(address.cast()))
}

/// What kind of memory an address is of.
pub(crate) fn kind<T>(runtime: &Runtime, address: *mut T) -> cudaMemoryType {
    // SAFETY: a type of numbers and pointers, for which zero is a value.
    let mut attributes: cudaPointerAttributes = unsafe { std::mem::zeroed() };
    assert_eq!(raw!(runtime, 0, cudaPointerGetAttributes(&mut attributes, address.cast())), 0);
    attributes.type_
}

/// Whether a stream exists.
pub(crate) fn stream_lives(device: &Device, stream: cudaStream_t) -> bool {
    let mut flags = 0;
    match raw!(device.runtime(), device.as_raw(), cudaStreamGetFlags(stream, &mut flags)) {
        0 => true,
        400 => false,
        other => panic!("{other}"),
    }
}

/// Whether an event exists.
pub(crate) fn event_lives(device: &Device, event: cudaEvent_t) -> bool {
    match raw!(device.runtime(), device.as_raw(), cudaEventQuery(event)) {
        0 | 600 => true,
        400 => false,
        other => panic!("{other}"),
    }
}

/// The bytes at an address of a device, after all its work.
pub(crate) fn read(device: &Device, address: *const u8, len: usize) -> Vec<u8> {
    let mut bytes = vec![0u8; len];
    device.synchronize().expect("its work succeeds");
    let (to, kind) = (bytes.as_mut_ptr().cast(), cudaMemcpyKind::cudaMemcpyDeviceToHost);
    assert_eq!(raw!(device.runtime(), device.as_raw(), cudaMemcpy(to, address.cast(), len, kind)), 0);
    bytes
}

/// The table of `runtime`, changed by `change`, as a runtime of its own.
pub(crate) fn changed_table(runtime: &Runtime, change: impl FnOnce(&mut CudaRuntime)) -> Runtime {
    let mut table = *runtime.table();
    change(&mut table);
    // SAFETY: the functions are those of the runtime, or behave as such.
    unsafe { Runtime::from_table(Box::leak(Box::new(table))) }
}
