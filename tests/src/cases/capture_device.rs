//! Waiting for a device while streams of it are captured, by whichever thread and in whatever mode: it spoils the capture.

use std::ptr::null_mut;

use cuda_p2p_sys::{cudaStreamCaptureMode, cudaStreamNonBlocking};

use super::capture_relaxed::{Library, RELAXED, beside, exchange};
use super::capture_state::GLOBAL;
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, TWO};

pub(super) const CASES: &[Case] = &[
    case!(waiting_for_the_device, ONE),
    case!(waiting_for_the_device_beside_captures_in_other_modes, ONE),
    case!(waiting_for_another_device, TWO),
    case!(waiting_for_a_device_that_joined_a_capture, TWO),
];

const THREAD_LOCAL: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeThreadLocal;

/// The one call that no mode allows: the captured stream would never be done.
fn waiting_for_the_device(cx: &Cx) {
    beside(cx, |_| {
        refuses!(cx.cudaDeviceSynchronize(), 900);
        false
    });
}

fn waiting_for_the_device_beside_captures_in_other_modes(cx: &Cx) {
    for theirs in [THREAD_LOCAL, RELAXED] {
        for ours in [GLOBAL, THREAD_LOCAL, RELAXED] {
            cx.see("modes", (theirs.0, ours.0));
            let library = Library::captures(cx, 0, cudaStreamNonBlocking, theirs);
            exchange(cx, ours);
            refuses!(cx.cudaDeviceSynchronize(), 900);
            exchange(cx, GLOBAL);
            library.ends(cx, false);
        }
    }
}

fn waiting_for_another_device(cx: &Cx) {
    let mut pointer = null_mut();
    cx.on(1, || must!(cx.cudaMalloc(&mut pointer, 16)));
    for ours in [GLOBAL, THREAD_LOCAL, RELAXED] {
        cx.see("mode", ours.0);
        let library = Library::captures(cx, 1, cudaStreamNonBlocking, RELAXED);
        exchange(cx, ours);
        answers!(cx.cudaDeviceSynchronize(), 0);
        exchange(cx, GLOBAL);
        library.ends(cx, true);
    }
}

/// Streams of the capture that are not its origin count as well.
fn waiting_for_a_device_that_joined_a_capture(cx: &Cx) {
    let (origin, other) = (cx.stream(0, cudaStreamNonBlocking), cx.stream(1, cudaStreamNonBlocking));
    let event = cx.event(0);
    exchange(cx, RELAXED);
    must!(cx.cudaStreamBeginCapture(origin, RELAXED));
    must!(cx.cudaEventRecord(event, origin));
    must!(cx.cudaStreamWaitEvent(other, event, 0));
    must!(cx.cudaSetDevice(1));
    refuses!(cx.cudaDeviceSynchronize(), 900);
    must!(cx.cudaSetDevice(0));
    let mut graph = null_mut();
    refuses!(cx.cudaStreamEndCapture(origin, &mut graph), 901);
    exchange(cx, GLOBAL);
}
