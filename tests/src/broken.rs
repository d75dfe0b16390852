//! Cases that must fail, be skipped or be killed, each in its own way: what the harness says of them is tested in
//! `tests/harness.rs`. They run on a table of a few functions whose answers stand below, so that no fault of the simulator can
//! hide one of the harness.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use cuda_p2p_sys::{CudaRuntime, cudaDeviceP2PAttr, cudaError, cudaError_t};

use crate::case::{Case, case};
use crate::context::{Cx, answers, fails, must, record, refuses};
use crate::divergences::Divergence;
use crate::needs::{ONE, PEERS, TWO};

/// The cases, in the order of their functions below.
pub(crate) const CASES: &[Case] = &[
    case!(holds, PEERS),
    case!(asserts_nothing, ONE),
    case!(expects_another_code, ONE),
    case!(expects_a_failure, ONE),
    case!(expects_another_value, ONE),
    case!(stops_in_set_up, ONE),
    case!(calls_what_is_absent, ONE),
    case!(aborts, ONE),
    case!(leaves_early, ONE),
    case!(hangs, ONE),
    case!(leaves_another_device, ONE),
    case!(needs_a_machine, TWO.machine("three wheels", "wheels=3")),
    case!(needs_pools, ONE.pools()),
    case!(diverges_as_expected, ONE),
    case!(diverges_no_more, ONE),
    case!(meets_no_divergence, ONE),
];

const PEER_CALL: &str = "cudaDeviceCanAccessPeer(&mut answer, 0, 1)";
const REASON: &str = "so that there is one";

/// What the table above answers, and what it does not.
pub(crate) const DIVERGENCES: &[Divergence] = &[
    Divergence { case: "broken::diverges_as_expected", what: PEER_CALL, simulator: "0", reason: REASON },
    Divergence { case: "broken::diverges_no_more", what: PEER_CALL, simulator: "801", reason: REASON },
    Divergence { case: "broken::meets_no_divergence", what: PEER_CALL, simulator: "0", reason: REASON },
];

fn holds(cx: &Cx) {
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    cx.value("answer", answer, 1);
}

fn asserts_nothing(cx: &Cx) {
    let mut answer = -1;
    record!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1));
}

fn expects_another_code(cx: &Cx) {
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 101);
    answers!(cx.cudaSetDevice(0), 0);
}

fn expects_a_failure(cx: &Cx) {
    fails!(cx.cudaSetDevice(0));
}

fn expects_another_value(cx: &Cx) {
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    cx.value("answer", answer, 7);
}

fn stops_in_set_up(cx: &Cx) {
    must!(cx.cudaSetDevice(99));
    cx.holds("this is not reached", false);
}

fn calls_what_is_absent(cx: &Cx) {
    let mut pointer = null_mut();
    answers!(cx.cudaMalloc(&mut pointer, 16), 0);
}

fn aborts(cx: &Cx) {
    cx.trying("cudaThatCrashes(0)");
    std::process::abort();
}

fn leaves_early(_cx: &Cx) {
    std::process::exit(0);
}

fn hangs(cx: &Cx) {
    cx.trying("cudaThatHangs(0)");
    std::thread::sleep(Duration::from_secs(3600));
}

fn leaves_another_device(cx: &Cx) {
    answers!(cx.cudaSetDevice(1), 0);
}

fn needs_a_machine(cx: &Cx) {
    answers!(cx.cudaSetDevice(0), 0);
}

fn needs_pools(cx: &Cx) {
    cx.holds("the table has pools", false);
}

/// The last error is then the one of the answer that was given.
fn diverges_as_expected(cx: &Cx) {
    let mut answer = -1;
    refuses!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 217);
}

fn diverges_no_more(cx: &Cx) {
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
}

fn meets_no_divergence(cx: &Cx) {
    answers!(cx.cudaSetDevice(0), 0);
}

static CURRENT: AtomicI32 = AtomicI32::new(0);

/// Two devices that are peers, and little more. Not a simulator: it starts in no time and cannot fail.
pub(crate) fn table() -> Result<(&'static CudaRuntime, String), String> {
    static TABLE: CudaRuntime = CudaRuntime {
        cudaRuntimeGetVersion: Some(version),
        cudaDriverGetVersion: Some(version),
        cudaGetDeviceCount: Some(two),
        cudaGetDevice: Some(get_device),
        cudaSetDevice: Some(set_device),
        cudaDeviceSynchronize: Some(success),
        cudaGetLastError: Some(success),
        cudaPeekAtLastError: Some(success),
        cudaGetErrorName: Some(error_name),
        cudaDeviceCanAccessPeer: Some(can_access_peer),
        cudaDeviceGetP2PAttribute: Some(p2p_attribute),
        ..CudaRuntime::EMPTY
    };
    Ok((&TABLE, "broken".to_owned()))
}

extern "C" fn success() -> cudaError_t {
    cudaError::cudaSuccess
}

unsafe extern "C" fn version(place: *mut c_int) -> cudaError_t {
    // SAFETY: only this crate calls, with a valid place.
    unsafe { *place = 13_000 };
    cudaError::cudaSuccess
}

unsafe extern "C" fn two(place: *mut c_int) -> cudaError_t {
    // SAFETY: as above.
    unsafe { *place = 2 };
    cudaError::cudaSuccess
}

unsafe extern "C" fn get_device(place: *mut c_int) -> cudaError_t {
    // SAFETY: as above.
    unsafe { *place = CURRENT.load(Ordering::Relaxed) };
    cudaError::cudaSuccess
}

extern "C" fn set_device(device: c_int) -> cudaError_t {
    if !(0..2).contains(&device) {
        return cudaError::cudaErrorInvalidDevice;
    }
    CURRENT.store(device, Ordering::Relaxed);
    cudaError::cudaSuccess
}

unsafe extern "C" fn can_access_peer(place: *mut c_int, _device: c_int, _peer: c_int) -> cudaError_t {
    // SAFETY: as above.
    unsafe { *place = 1 };
    cudaError::cudaSuccess
}

unsafe extern "C" fn p2p_attribute(
    place: *mut c_int,
    _attribute: cudaDeviceP2PAttr,
    _source: c_int,
    _destination: c_int,
) -> cudaError_t {
    // SAFETY: as above.
    unsafe { *place = 0 };
    cudaError::cudaSuccess
}

extern "C" fn error_name(error: cudaError_t) -> *const c_char {
    match error {
        cudaError::cudaSuccess => c"cudaSuccess".as_ptr(),
        cudaError::cudaErrorInvalidDevice => c"cudaErrorInvalidDevice".as_ptr(),
        _ => c"another error".as_ptr(),
    }
}
