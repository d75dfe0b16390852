//! Copies of rows and planes: `cudaMemcpy2D`, `cudaMemcpy3D`, `cudaMemcpy3DPeer`.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_p2p_sys::{
    cudaExtent, cudaMemcpy3DParms, cudaMemcpy3DPeerParms, cudaMemcpyKind, cudaPitchedPtr,
    cudaStreamNonBlocking,
};

use crate::case::{Case, case};
use crate::context::{Cx, answers, refuses};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(rows_arrive_and_gaps_stay, ONE),
    case!(a_pitch_narrower_than_the_rows, ONE),
    case!(a_row_too_many, ONE),
    case!(no_rows_are_fine, ONE),
    case!(rows_of_the_host, ONE),
    case!(rows_under_an_unknown_kind, ONE),
    case!(rows_between_devices, TWO),
    case!(planes_arrive_and_gaps_stay, ONE),
    case!(planes_between_devices_arrive, TWO),
    case!(planes_between_peers_arrive, PEERS),
    case!(planes_of_an_unknown_device, TWO),
    case!(planes_wider_than_their_pitch, TWO),
    case!(planes_past_the_end, TWO),
    case!(planes_higher_than_they_are, TWO),
    case!(empty_planes_are_fine, TWO),
    case!(planes_of_null, TWO),
    case!(no_parameters, TWO),
    case!(planes_in_a_stream, TWO),
    case!(rows_and_planes_of_one_device_in_a_stream, ONE),
];

const D2D: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDeviceToDevice;
const DEFAULT: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDefault;
const N: usize = 4096;

fn row(at: usize) -> (usize, usize) {
    (at / 64, at % 64)
}

/// Four rows of 32 bytes out of rows of 64 arrived, and nothing else changed.
fn rows_arrived(cx: &Cx, device: i32, place: *mut c_void, bytes: &[u8]) {
    let got = cx.read(device, place, N);
    let inside = |at| row(at).0 < 4 && row(at).1 < 32;
    let right = (0..N).all(|at| got[at] == if inside(at) { bytes[at] } else { 0xEE });
    cx.holds("the rows arrived and the gaps were left alone", right);
}

fn pair(cx: &Cx, device: i32) -> (Vec<u8>, *mut c_void, *mut c_void) {
    let bytes = cx.pattern(N, 31);
    let source = cx.filled(0, &bytes);
    (bytes, cx.filled(device, &[0xEE; N]), source)
}

fn unchanged(cx: &Cx, device: i32, place: *mut c_void) {
    cx.synchronize(0);
    cx.holds("the destination is as it was", cx.read(device, place, N).iter().all(|byte| *byte == 0xEE));
}

fn rows_arrive_and_gaps_stay(cx: &Cx) {
    let (bytes, p, q) = pair(cx, 0);
    answers!(cx.cudaMemcpy2D(p, 64, q, 64, 32, 4, D2D), 0);
    rows_arrived(cx, 0, p, &bytes);
}

fn a_pitch_narrower_than_the_rows(cx: &Cx) {
    let (_, p, q) = pair(cx, 0);
    refuses!(cx.cudaMemcpy2D(p, 16, q, 64, 32, 4, D2D), 12);
    refuses!(cx.cudaMemcpy2D(p, 64, q, 16, 32, 4, D2D), 12);
    unchanged(cx, 0, p);
}

fn a_row_too_many(cx: &Cx) {
    let (_, p, q) = pair(cx, 0);
    refuses!(cx.cudaMemcpy2D(p, 64, q, 64, 32, 65, D2D), 1);
    unchanged(cx, 0, p);
    answers!(cx.cudaMemcpy2D(p, 64, q, 64, 32, 64, D2D), 0);
}

fn no_rows_are_fine(cx: &Cx) {
    let (_, p, q) = pair(cx, 0);
    answers!(cx.cudaMemcpy2D(p, 64, q, 64, 32, 0, D2D), 0);
    cx.last(0);
    unchanged(cx, 0, p);
}

fn rows_of_the_host(cx: &Cx) {
    let (bytes, p, _) = pair(cx, 0);
    let host = bytes.as_ptr().cast::<c_void>();
    answers!(cx.cudaMemcpy2D(p, 64, host, 64, 32, 4, DEFAULT), 0);
    rows_arrived(cx, 0, p, &bytes);
}

fn rows_under_an_unknown_kind(cx: &Cx) {
    let (_, p, q) = pair(cx, 0);
    refuses!(cx.cudaMemcpy2D(p, 64, q, 64, 32, 4, cudaMemcpyKind(9)), 21);
    unchanged(cx, 0, p);
}

fn rows_between_devices(cx: &Cx) {
    let (bytes, p, q) = pair(cx, 1);
    answers!(cx.cudaMemcpy2D(p, 64, q, 64, 32, 4, DEFAULT), 0);
    cx.synchronize(0);
    rows_arrived(cx, 1, p, &bytes);
}

fn side(pointer: *mut c_void) -> cudaPitchedPtr {
    cudaPitchedPtr { ptr: pointer, pitch: 64, xsize: 64, ysize: 8 }
}

fn extent(width: usize, height: usize, depth: usize) -> cudaExtent {
    cudaExtent { width, height, depth }
}

fn planes_arrived(cx: &Cx, device: i32, place: *mut c_void, bytes: &[u8]) {
    let got = cx.read(device, place, N);
    let inside = |at| row(at).0 < 16 && row(at).1 < 32;
    let right = (0..N).all(|at| got[at] == if inside(at) { bytes[at] } else { 0xEE });
    cx.holds("two planes of eight rows arrived and the gaps were left alone", right);
}

fn planes_arrive_and_gaps_stay(cx: &Cx) {
    let (bytes, p, q) = pair(cx, 0);
    // SAFETY: integers and pointers only: zeroes say that no array and no offset is given.
    let mut copy: cudaMemcpy3DParms = unsafe { std::mem::zeroed() };
    copy.srcPtr = side(q);
    copy.dstPtr = side(p);
    copy.extent = extent(32, 8, 2);
    copy.kind = D2D;
    answers!(cx.cudaMemcpy3D(&copy), 0);
    planes_arrived(cx, 0, p, &bytes);
    refuses!(cx.cudaMemcpy3D(null()), 1);
}

/// Two planes of eight rows of 32 bytes, out of rows of 64, from device 0 to device 1.
fn planes(to: *mut c_void, from: *mut c_void) -> cudaMemcpy3DPeerParms {
    // SAFETY: integers and pointers only: zeroes say that no array and no offset is given.
    let mut copy: cudaMemcpy3DPeerParms = unsafe { std::mem::zeroed() };
    copy.srcPtr = side(from);
    copy.dstPtr = side(to);
    copy.srcDevice = 0;
    copy.dstDevice = 1;
    copy.extent = extent(32, 8, 2);
    copy
}

fn planes_between_devices_arrive(cx: &Cx) {
    let (bytes, p, q) = pair(cx, 1);
    let copy = planes(p, q);
    answers!(cx.cudaMemcpy3DPeer(&copy), 0);
    cx.synchronize(0);
    planes_arrived(cx, 1, p, &bytes);
}

fn planes_between_peers_arrive(cx: &Cx) {
    let (bytes, p, q) = pair(cx, 1);
    cx.enable(0, 1);
    cx.enable(1, 0);
    let copy = planes(p, q);
    answers!(cx.cudaMemcpy3DPeer(&copy), 0);
    cx.synchronize(0);
    planes_arrived(cx, 1, p, &bytes);
}

fn planes_of_an_unknown_device(cx: &Cx) {
    let (_, p, q) = pair(cx, 1);
    let copy = cudaMemcpy3DPeerParms { srcDevice: 99, ..planes(p, q) };
    refuses!(cx.cudaMemcpy3DPeer(&copy), 101);
    unchanged(cx, 1, p);
}

fn planes_wider_than_their_pitch(cx: &Cx) {
    let (_, p, q) = pair(cx, 1);
    let copy = cudaMemcpy3DPeerParms { extent: extent(65, 8, 2), ..planes(p, q) };
    refuses!(cx.cudaMemcpy3DPeer(&copy), 12);
    unchanged(cx, 1, p);
}

fn planes_past_the_end(cx: &Cx) {
    let (_, p, q) = pair(cx, 1);
    let copy = cudaMemcpy3DPeerParms { extent: extent(32, 8, 20), ..planes(p, q) };
    refuses!(cx.cudaMemcpy3DPeer(&copy), 1);
    unchanged(cx, 1, p);
}

/// The bytes are all inside the allocation; the plane has eight rows.
fn planes_higher_than_they_are(cx: &Cx) {
    let (_, p, q) = pair(cx, 1);
    let copy = cudaMemcpy3DPeerParms { extent: extent(32, 9, 1), ..planes(p, q) };
    refuses!(cx.cudaMemcpy3DPeer(&copy), 1);
    unchanged(cx, 1, p);
}

fn empty_planes_are_fine(cx: &Cx) {
    let (_, p, q) = pair(cx, 1);
    let copy = cudaMemcpy3DPeerParms { extent: extent(0, 0, 0), ..planes(p, q) };
    answers!(cx.cudaMemcpy3DPeer(&copy), 0);
    cx.last(0);
    unchanged(cx, 1, p);
}

fn planes_of_null(cx: &Cx) {
    let (_, p, _) = pair(cx, 1);
    let copy = cudaMemcpy3DPeerParms { extent: extent(32, 8, 1), ..planes(p, null_mut()) };
    refuses!(cx.cudaMemcpy3DPeer(&copy), 1);
    unchanged(cx, 1, p);
}

fn no_parameters(cx: &Cx) {
    refuses!(cx.cudaMemcpy3DPeer(null()), 1);
    refuses!(cx.cudaMemcpy3DPeerAsync(null(), NULL_STREAM), 1);
}

fn planes_in_a_stream(cx: &Cx) {
    let (bytes, p, q) = pair(cx, 1);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let copy = planes(p, q);
    answers!(cx.cudaMemcpy3DPeerAsync(&copy, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    planes_arrived(cx, 1, p, &bytes);
}

fn rows_and_planes_of_one_device_in_a_stream(cx: &Cx) {
    let (bytes, p, q) = pair(cx, 0);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    answers!(cx.cudaMemcpy2DAsync(p, 64, q, 64, 32, 4, D2D, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    rows_arrived(cx, 0, p, &bytes);
    // SAFETY: integers and pointers only: zeroes say that no array and no offset is given.
    let mut copy: cudaMemcpy3DParms = unsafe { std::mem::zeroed() };
    (copy.srcPtr, copy.dstPtr) = (side(q), side(p));
    (copy.extent, copy.kind) = (extent(32, 8, 2), D2D);
    answers!(cx.cudaMemcpy3DAsync(&copy, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    planes_arrived(cx, 0, p, &bytes);
}
