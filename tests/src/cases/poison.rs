//! After a kernel faulted or trapped: every call that is modelled, and what it answers from then on. Two ways to get there, a
//! store without access (700) and a trap (719); the calls answer alike.
//!
//! A stream that could not be made is not used afterwards: what the call leaves in its place is not a stream.

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

use cuda_p2p_sys::{
    cudaDeviceAttr, cudaDeviceP2PAttr, cudaEvent_t, cudaFuncAttributes, cudaKernel_t, cudaMemAccessFlags,
    cudaMemPool_t, cudaMemcpyKind, cudaPointerAttributes, cudaStream_t, cudaStreamCaptureStatus,
    cudaStreamNonBlocking,
};

use super::capture_state::GLOBAL;
use super::pools::location;
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{Needs, TWO};
use crate::setup::NULL_STREAM;
use crate::test_kernels::row;

/// `body, NEEDS => on_700, on_719;`: the two cases of one row of calls.
macro_rules! rows {
    ($($body:ident, $needs:expr => $fault:ident, $trap:ident;)*) => {
        pub(super) const CASES: &[Case] = &[
            $(
                case!($fault, $needs).poisons(),
                case!($trap, $needs).poisons(),
            )*
        ];
        $(
            fn $fault(cx: &Cx) {
                $body(cx, &Lost::by_a_fault(cx));
            }
            fn $trap(cx: &Cx) {
                $body(cx, &Lost::by_a_trap(cx));
            }
        )*
    };
}

const NEEDS: Needs = TWO.kernels();

rows! {
    last_error, NEEDS => the_last_error_of_a_fault_is_cleared, the_last_error_of_a_trap_is_cleared;
    questions, NEEDS => questions_are_answered_after_a_fault, questions_are_answered_after_a_trap;
    peer_calls, NEEDS => peer_calls_fail_after_a_fault, peer_calls_fail_after_a_trap;
    memory_calls, NEEDS => memory_calls_fail_after_a_fault, memory_calls_fail_after_a_trap;
    copies, NEEDS => copies_fail_after_a_fault, copies_fail_after_a_trap;
    streams, NEEDS => stream_calls_fail_after_a_fault, stream_calls_fail_after_a_trap;
    events, NEEDS => event_calls_fail_after_a_fault, event_calls_fail_after_a_trap;
    captures, NEEDS => capture_calls_after_a_fault, capture_calls_after_a_trap;
    pools, NEEDS => pool_calls_after_a_fault, pool_calls_after_a_trap;
    kernels, TWO.kernel_handles() => kernel_calls_fail_after_a_fault, kernel_calls_fail_after_a_trap;
    arguments, NEEDS => arguments_are_looked_at_first_after_a_fault, arguments_are_looked_at_first_after_a_trap;
    other_device, NEEDS => the_other_device_is_lost_by_a_fault_too, the_other_device_is_lost_by_a_trap_too;
    resets, NEEDS => devices_are_gone_after_a_fault_and_a_reset, devices_are_gone_after_a_trap_and_a_reset;
    other_threads, NEEDS => another_thread_meets_the_fault, another_thread_meets_the_trap;
}

/// A process without a usable device, and what it had.
struct Lost {
    code: u32,
    ours: *mut c_void,
    theirs: *mut c_void,
    pinned: *mut c_void,
    stream: cudaStream_t,
    event: cudaEvent_t,
    pool: cudaMemPool_t,
    kernel: cudaKernel_t,
}

impl Lost {
    fn with(cx: &Cx, code: u32, launch: impl FnOnce(&Self)) -> Self {
        let (mut pinned, mut pool) = (null_mut(), null_mut());
        must!(cx.cudaMallocHost(&mut pinned, 64));
        must!(cx.cudaDeviceGetDefaultMemPool(&mut pool, 0));
        let lost = Self {
            code,
            ours: cx.word(0, 1),
            theirs: cx.word(1, 1),
            pinned,
            stream: cx.stream(0, cudaStreamNonBlocking),
            event: cx.event(0),
            pool,
            kernel: cx.test_kernel(c"test_store"),
        };
        launch(&lost);
        answers!(cx.cudaDeviceSynchronize(), code);
        lost
    }

    /// Nobody enabled access to the memory of device 1.
    fn by_a_fault(cx: &Cx) -> Self {
        Self::with(cx, 700, |lost| cx.store_word(NULL_STREAM, lost.theirs, 2))
    }

    fn by_a_trap(cx: &Cx) -> Self {
        Self::with(cx, 719, |_| cx.trap(NULL_STREAM))
    }
}

/// The error stays, but the *last* error is one like any other.
fn last_error(cx: &Cx, lost: &Lost) {
    let code = lost.code;
    answers!(cx.cudaPeekAtLastError(), code);
    answers!(cx.cudaGetLastError(), code);
    answers!(cx.cudaGetLastError(), 0);
    answers!(cx.cudaPeekAtLastError(), 0);
    refuses!(cx.cudaDeviceSynchronize(), code);
    answers!(cx.cudaPeekAtLastError(), 0);
}

fn questions(cx: &Cx, lost: &Lost) {
    let ours = lost.ours;
    let mut number = 0;
    let mut text = [0 as c_char; 64];
    let mut properties = std::mem::MaybeUninit::zeroed();
    // SAFETY: integers and pointers: zeroes are a value.
    let mut attributes: cudaPointerAttributes = unsafe { std::mem::zeroed() };
    answers!(cx.cudaGetDeviceCount(&mut number), 0);
    answers!(cx.cudaGetDevice(&mut number), 0);
    answers!(cx.cudaSetDevice(0), 0);
    answers!(cx.cudaRuntimeGetVersion(&mut number), 0);
    answers!(cx.cudaDriverGetVersion(&mut number), 0);
    answers!(cx.cudaDeviceGetAttribute(&mut number, cudaDeviceAttr::cudaDevAttrWarpSize, 0), 0);
    answers!(cx.cudaGetDeviceProperties(properties.as_mut_ptr(), 0), 0);
    answers!(cx.cudaDeviceGetPCIBusId(text.as_mut_ptr(), 64, 0), 0);
    answers!(cx.cudaDeviceCanAccessPeer(&mut number, 0, 1), 0);
    let supported = cudaDeviceP2PAttr::cudaDevP2PAttrAccessSupported;
    answers!(cx.cudaDeviceGetP2PAttribute(&mut number, supported, 0, 1), 0);
    answers!(cx.cudaPointerGetAttributes(&mut attributes, ours), 0);
    // None of them brought the error back.
    cx.last(lost.code);
    cx.last(0);
}

fn peer_calls(cx: &Cx, lost: &Lost) {
    let code = lost.code;
    refuses!(cx.cudaDeviceEnablePeerAccess(1, 0), code);
    refuses!(cx.cudaDeviceDisablePeerAccess(1), code);
}

fn memory_calls(cx: &Cx, lost: &Lost) {
    let Lost { code, ours, pinned, .. } = *lost;
    let (mut free, mut total, mut pointer) = (0, 0, null_mut());
    refuses!(cx.cudaMemGetInfo(&mut free, &mut total), code);
    refuses!(cx.cudaMalloc(&mut pointer, 16), code);
    refuses!(cx.cudaFree(ours), code);
    refuses!(cx.cudaFree(null_mut()), code);
    refuses!(cx.cudaMallocHost(&mut pointer, 16), code);
    refuses!(cx.cudaFreeHost(pinned), code);
}

fn copies(cx: &Cx, lost: &Lost) {
    let Lost { code, ours, theirs, stream, .. } = *lost;
    let host = [0_u8; 4];
    let page = host.as_ptr().cast::<c_void>();
    refuses!(cx.cudaMemset(ours, 0, 4), code);
    refuses!(cx.cudaMemcpy(ours, page, 4, cudaMemcpyKind::cudaMemcpyHostToDevice), code);
    refuses!(cx.cudaMemcpyPeer(theirs, 1, ours, 0, 4), code);
    answers!(cx.cudaMemcpyPeerAsync(theirs, 1, ours, 0, 4, stream), code);
    answers!(cx.cudaMemsetAsync(ours, 0, 4, stream), code);
}

fn streams(cx: &Cx, lost: &Lost) {
    let Lost { code, stream, .. } = *lost;
    let (mut other, mut flags) = (null_mut(), 0);
    refuses!(cx.cudaStreamCreate(&mut other), code);
    refuses!(cx.cudaStreamQuery(NULL_STREAM), code);
    refuses!(cx.cudaStreamQuery(stream), code);
    refuses!(cx.cudaStreamSynchronize(stream), code);
    answers!(cx.cudaStreamGetFlags(stream, &mut flags), code);
    refuses!(cx.cudaStreamDestroy(stream), code);
}

fn events(cx: &Cx, lost: &Lost) {
    let Lost { code, stream, event, .. } = *lost;
    let (mut other, mut milliseconds) = (null_mut(), 0.0);
    refuses!(cx.cudaEventQuery(event), code);
    refuses!(cx.cudaEventRecord(event, stream), code);
    refuses!(cx.cudaEventElapsedTime(&mut milliseconds, event, event), code);
    refuses!(cx.cudaEventCreate(&mut other), code);
    refuses!(cx.cudaEventDestroy(event), code);
}

fn captures(cx: &Cx, lost: &Lost) {
    let Lost { code, stream, .. } = *lost;
    let (mut status, mut graph) = (cudaStreamCaptureStatus(99), null_mut());
    answers!(cx.cudaStreamIsCapturing(stream, &mut status), code);
    answers!(cx.cudaStreamBeginCapture(stream, GLOBAL), code);
    refuses!(cx.cudaStreamEndCapture(stream, &mut graph), code);
    refuses!(cx.cudaDeviceSynchronize(), code);
}

/// What a pool says of itself is answered.
fn pools(cx: &Cx, lost: &Lost) {
    let Lost { code, pool, .. } = *lost;
    let (mut other, mut pointer) = (null_mut(), null_mut());
    let mut flags = cudaMemAccessFlags(99);
    answers!(cx.cudaDeviceGetDefaultMemPool(&mut other, 0), 0);
    answers!(cx.cudaMemPoolGetAccess(&mut flags, pool, &mut location(1)), 0);
    cx.value("flags", flags.0, 0);
    refuses!(cx.cudaMallocAsync(&mut pointer, 16, NULL_STREAM), code);
}

fn kernels(cx: &Cx, lost: &Lost) {
    let Lost { code, kernel, .. } = *lost;
    // SAFETY: integers only: zeroes are a value.
    let mut attributes: cudaFuncAttributes = unsafe { std::mem::zeroed() };
    let (mut place, mut value) = (lost.ours, 2_u32);
    let mut a = crate::test_kernels::parameters![place, value];
    let f = kernel.cast::<c_void>().cast_const();
    refuses!(cx.cudaLaunchKernel(f, row(1), row(1), a.as_mut_ptr(), 0, NULL_STREAM), code);
    refuses!(cx.cudaFuncGetAttributes(&mut attributes, f), code);
}

/// A call that is wrong in itself says so.
fn arguments(cx: &Cx, lost: &Lost) {
    refuses!(cx.cudaSetDevice(99), 101);
    refuses!(cx.cudaMalloc(null_mut(), 4), 1);
    refuses!(cx.cudaDeviceSynchronize(), lost.code);
}

fn other_device(cx: &Cx, lost: &Lost) {
    let code = lost.code;
    let mut pointer = null_mut();
    answers!(cx.cudaSetDevice(1), 0);
    refuses!(cx.cudaDeviceSynchronize(), code);
    refuses!(cx.cudaMalloc(&mut pointer, 16), code);
}

/// The resets succeed, and help nobody.
fn resets(cx: &Cx, _lost: &Lost) {
    let (mut pointer, mut count) = (null_mut(), 0);
    answers!(cx.cudaSetDevice(1), 0);
    answers!(cx.cudaDeviceReset(), 0);
    refuses!(cx.cudaMalloc(&mut pointer, 16), 46);
    answers!(cx.cudaSetDevice(0), 0);
    answers!(cx.cudaDeviceReset(), 0);
    refuses!(cx.cudaMalloc(&mut pointer, 16), 46);
    answers!(cx.cudaGetDeviceCount(&mut count), 0);
    refuses!(cx.cudaDeviceSynchronize(), 46);
}

/// Each thread has a last error of its own, and meets the error by the first call that fails.
fn other_threads(cx: &Cx, lost: &Lost) {
    let table = cx.table;
    let there = std::thread::spawn(move || {
        // SAFETY: neither function takes anything.
        let (peek, wait) = unsafe { (table.cudaPeekAtLastError?(), table.cudaDeviceSynchronize?()) };
        Some((peek.0, wait.0))
    });
    cx.value("last error and status", there.join().ok().flatten(), Some((0, lost.code)));
}
