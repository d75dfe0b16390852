//! Peer calls while a stream is being captured.

use std::ptr::null_mut;

use cuda_p2p_sys::{cudaStreamCaptureMode, cudaStreamCaptureStatus, cudaStreamNonBlocking};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};

const INVALIDATED: u32 = cudaStreamCaptureStatus::cudaStreamCaptureStatusInvalidated.0;

pub(super) const CASES: &[Case] = &[
    case!(an_async_peer_copy_cannot_be_captured, TWO),
    case!(peer_access_cannot_be_enabled_during_a_global_capture, PEERS),
    case!(peer_access_can_be_asked_for_during_a_capture, PEERS),
    case!(an_empty_capture_ends_well, ONE),
    case!(ending_what_was_not_begun, ONE),
];

fn an_async_peer_copy_cannot_be_captured(cx: &Cx) {
    let d0 = cx.filled(0, &[1; 4096]);
    let d1 = cx.filled(1, &[2; 4096]);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let mut status = cudaStreamCaptureStatus::cudaStreamCaptureStatusNone;
    let mut graph = null_mut();
    must!(cx.cudaStreamBeginCapture(stream, cudaStreamCaptureMode::cudaStreamCaptureModeGlobal));
    answers!(cx.cudaMemcpyPeerAsync(d1, 1, d0, 0, 4096, stream), 900);
    answers!(cx.cudaStreamIsCapturing(stream, &mut status), 0);
    cx.value("status", status.0, INVALIDATED);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 901);
    cx.value("graph.is_null()", graph.is_null(), true);
    cx.last(901);
    // The stream is as it was: it can be used, and nothing was copied.
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.holds("nothing was copied", cx.read(1, d1, 4096) == [2; 4096]);
    answers!(cx.cudaMemcpyPeerAsync(d1, 1, d0, 0, 4096, stream), 0);
    cx.synchronize(0);
    cx.holds("the copy works after the capture", cx.read(1, d1, 4096) == [1; 4096]);
}

/// The call is refused, and the capture is lost.
fn peer_access_cannot_be_enabled_during_a_global_capture(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let mut status = cudaStreamCaptureStatus::cudaStreamCaptureStatusNone;
    let mut graph = null_mut();
    must!(cx.cudaStreamBeginCapture(stream, cudaStreamCaptureMode::cudaStreamCaptureModeGlobal));
    refuses!(cx.cudaDeviceEnablePeerAccess(1, 0), 900);
    answers!(cx.cudaStreamIsCapturing(stream, &mut status), 0);
    cx.value("status", status.0, INVALIDATED);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 901);
    cx.value("graph.is_null()", graph.is_null(), true);
    cx.last(901);
    refuses!(cx.cudaDeviceDisablePeerAccess(1), 705);
}

fn peer_access_can_be_asked_for_during_a_capture(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let mut answer = -1;
    let mut graph = null_mut();
    must!(cx.cudaStreamBeginCapture(stream, cudaStreamCaptureMode::cudaStreamCaptureModeGlobal));
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    cx.value("answer", answer, 1);
    cx.last(0);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
    cx.last(0);
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    cx.value("answer after the capture", answer, 1);
}

fn an_empty_capture_ends_well(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let mut status = cudaStreamCaptureStatus::cudaStreamCaptureStatusNone;
    let mut graph = null_mut();
    answers!(cx.cudaStreamBeginCapture(stream, cudaStreamCaptureMode::cudaStreamCaptureModeGlobal), 0);
    answers!(cx.cudaStreamIsCapturing(stream, &mut status), 0);
    cx.value("status", status, cudaStreamCaptureStatus::cudaStreamCaptureStatusActive);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
    cx.value("graph.is_null()", graph.is_null(), false);
    answers!(cx.cudaGraphDestroy(graph), 0);
    answers!(cx.cudaStreamIsCapturing(stream, &mut status), 0);
    cx.value("status", status, cudaStreamCaptureStatus::cudaStreamCaptureStatusNone);
}

fn ending_what_was_not_begun(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let mut graph = null_mut();
    refuses!(cx.cudaStreamEndCapture(stream, &mut graph), 401);
}
