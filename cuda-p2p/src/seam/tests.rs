//! The rules of the seam, against a table of a few functions that note what was called.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::*;
use crate::error::Error;

thread_local! {
    static LAST: Cell<u32> = const { Cell::new(0) };
    static CURRENT: Cell<c_int> = const { Cell::new(0) };
    static MODE: Cell<u32> = const { Cell::new(0) };
}

/// What was called, on whichever thread. Locked by [`Test`] for one test at a time.
static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// What the next `cudaMalloc`, every change of the capture mode, and every `cudaSetDevice` to this device answer.
static MALLOC: Mutex<u32> = Mutex::new(0);
static EXCHANGE: Mutex<u32> = Mutex::new(0);
static BROKEN_DEVICE: Mutex<c_int> = Mutex::new(-1);
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(call: String, code: u32) -> cudaError {
    locked(&LOG).push(call);
    if code != 0 {
        LAST.set(code);
    }
    cudaError(code)
}

unsafe extern "C" fn peek() -> cudaError {
    cudaError(LAST.get())
}

unsafe extern "C" fn get_last() -> cudaError {
    cudaError(LAST.replace(0))
}

unsafe extern "C" fn get_device(device: *mut c_int) -> cudaError {
    // SAFETY: the seam gives a valid place.
    unsafe { *device = CURRENT.get() };
    answer("get".into(), 0)
}

unsafe extern "C" fn set_device(device: c_int) -> cudaError {
    if *locked(&BROKEN_DEVICE) == device {
        return answer(format!("set {device} fails"), 101);
    }
    CURRENT.set(device);
    answer(format!("set {device}"), 0)
}

unsafe extern "C" fn malloc(_: *mut *mut c_void, bytes: usize) -> cudaError {
    let code = *locked(&MALLOC);
    answer(format!("malloc {bytes} on {}", CURRENT.get()), code)
}

unsafe extern "C" fn error_name(_: cudaError) -> *const c_char {
    c"cudaErrorOfTheTest".as_ptr()
}

unsafe extern "C" fn exchange(mode: *mut cudaStreamCaptureMode) -> cudaError {
    // SAFETY: the seam gives a valid place.
    let mode = unsafe { &mut *mode };
    let code = *locked(&EXCHANGE);
    if code == 0 {
        mode.0 = MODE.replace(mode.0);
    }
    answer(format!("mode {}", MODE.get()), code)
}

static TABLE: CudaRuntime = CudaRuntime {
    cudaThreadExchangeStreamCaptureMode: Some(exchange),
    cudaPeekAtLastError: Some(peek),
    cudaGetLastError: Some(get_last),
    cudaGetDevice: Some(get_device),
    cudaSetDevice: Some(set_device),
    cudaMalloc: Some(malloc),
    cudaGetErrorName: Some(error_name),
    cudaGetErrorString: Some(error_name),
    ..CudaRuntime::EMPTY
};

struct Test {
    seam: Seam,
    _alone: MutexGuard<'static, ()>,
}

fn start(current: c_int, malloc_answers: u32) -> Test {
    let alone = locked(&ONE_AT_A_TIME);
    locked(&LOG).clear();
    *locked(&MALLOC) = malloc_answers;
    *locked(&EXCHANGE) = 0;
    *locked(&BROKEN_DEVICE) = -1;
    CURRENT.set(current);
    LAST.set(0);
    MODE.set(1);
    Test { seam: Seam::new(&TABLE, None), _alone: alone }
}

impl Test {
    fn malloc_on(&self, on: On) -> Result<()> {
        let mut pointer = std::ptr::null_mut();
        // SAFETY: the table's function only notes the call.
        unsafe { cuda!(&self.seam, on, cudaMalloc(&mut pointer, 64)) }
    }

    fn relaxed_malloc(&self) -> Result<()> {
        let mut pointer = std::ptr::null_mut();
        // SAFETY: the table's function only notes the call.
        unsafe { cuda!(relaxed: &self.seam, On::Device(1), cudaMalloc(&mut pointer, 64)) }
    }

    fn log(&self) -> Vec<String> {
        locked(&LOG).clone()
    }
}

#[test]
fn the_device_is_set_for_the_call_and_put_back() {
    let test = start(0, 0);
    assert_eq!(test.malloc_on(On::Device(1)), Ok(()));
    assert_eq!(test.log(), ["get", "set 1", "malloc 64 on 1", "set 0"]);
    assert_eq!(CURRENT.get(), 0);
}

#[test]
fn the_current_device_is_not_set_again() {
    let test = start(1, 0);
    assert_eq!(test.malloc_on(On::Device(1)), Ok(()));
    assert_eq!(test.log(), ["get", "malloc 64 on 1"]);
}

#[test]
fn a_call_that_names_its_place_leaves_the_device_alone() {
    let test = start(1, 0);
    assert_eq!(test.malloc_on(On::Any), Ok(()));
    assert_eq!(test.log(), ["malloc 64 on 1"]);
}

#[test]
fn a_failing_call_puts_the_device_back_and_takes_its_error_along() {
    let test = start(0, 2);
    let error = test.malloc_on(On::Device(1)).unwrap_err();
    assert_eq!(error.code(), Some(2));
    assert!(error.to_string().contains("cudaMalloc on device 1"), "{error}");
    assert_eq!(test.log(), ["get", "set 1", "malloc 64 on 1", "set 0"]);
    assert_eq!((CURRENT.get(), LAST.get()), (0, 0));
}

#[test]
fn without_its_device_a_call_is_not_made() {
    let test = start(0, 0);
    *locked(&BROKEN_DEVICE) = 1;
    assert_eq!(test.malloc_on(On::Device(1)).unwrap_err().code(), Some(101));
    assert_eq!(test.log(), ["get", "set 1 fails"]);
    assert_eq!((CURRENT.get(), LAST.get()), (0, 0));
}

#[test]
fn a_device_that_cannot_be_put_back_does_not_hide_the_call() {
    let test = start(0, 0);
    *locked(&BROKEN_DEVICE) = 0;
    assert_eq!(test.malloc_on(On::Device(1)), Ok(()));
    let deferred = test.seam.deferred.take();
    assert_eq!(deferred.len(), 1);
    assert_eq!(deferred[0].error.code(), Some(101));
    assert_eq!(LAST.get(), 0);
}

#[test]
fn a_pending_error_of_others_survives_a_call_that_succeeds() {
    let test = start(1, 0);
    LAST.set(704);
    assert_eq!(test.malloc_on(On::Device(0)), Ok(()));
    assert_eq!((LAST.get(), CURRENT.get()), (704, 1));
    assert_eq!(test.log(), ["set 0", "malloc 64 on 0"]);
}

#[test]
fn a_pending_error_of_others_survives_a_call_that_fails() {
    let test = start(1, 2);
    LAST.set(704);
    assert_eq!(test.malloc_on(On::Any).unwrap_err().code(), Some(2));
    assert_eq!((LAST.get(), CURRENT.get()), (704, 1));
    // The helper thread got this thread's device, not the first one.
    assert_eq!(test.log(), ["get", "set 1", "malloc 64 on 1"]);
}

#[test]
fn only_the_returned_status_decides() {
    let test = start(0, 0);
    LAST.set(719);
    assert_eq!(test.malloc_on(On::Device(0)), Ok(()));
    assert_eq!(LAST.get(), 719);
}

#[test]
fn making_a_device_current_leaves_it_so() {
    let test = start(0, 0);
    LAST.set(704);
    assert_eq!(test.seam.make_current(1), Ok(()));
    assert_eq!((CURRENT.get(), LAST.get()), (1, 704));
}

#[test]
fn a_missing_function_is_named_with_its_release() {
    let test = start(0, 0);
    let mut device = 0;
    // SAFETY: the table has no such function.
    let outcome =
        unsafe { cuda!(&test.seam, On::Any, cudaStreamGetDevice(std::ptr::null_mut(), &mut device)) };
    let error = outcome.unwrap_err();
    assert_eq!(error, Error::MissingFunction { symbol: "cudaStreamGetDevice", since: (12, 8) });
    assert!(error.to_string().contains("12.8"), "{error}");
    assert!(test.log().is_empty());
}

#[test]
fn a_relaxed_call_puts_the_mode_back() {
    let test = start(1, 2);
    assert_eq!(test.relaxed_malloc().unwrap_err().code(), Some(2));
    assert_eq!(test.log(), ["get", "mode 2", "malloc 64 on 1", "mode 1"]);
    assert_eq!((MODE.get(), LAST.get()), (1, 0));
}

#[test]
fn a_relaxed_call_on_another_thread_is_relaxed_there() {
    let test = start(1, 0);
    LAST.set(704);
    assert_eq!(test.relaxed_malloc(), Ok(()));
    assert_eq!(test.log(), ["set 1", "mode 2", "malloc 64 on 1", "mode 0"]);
    assert_eq!((MODE.get(), LAST.get()), (1, 704));
}

#[test]
fn a_mode_that_cannot_be_changed_is_left_alone() {
    let test = start(1, 0);
    *locked(&EXCHANGE) = 3;
    assert_eq!(test.relaxed_malloc(), Ok(()));
    assert_eq!(test.log(), ["get", "mode 1", "malloc 64 on 1"]);
    assert_eq!((MODE.get(), LAST.get()), (1, 0));
}
