//! Copies and fills of rows and planes in a stream, and in a graph; what returns when they are done is in `pitched` and `memset`.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_p2p_sys::{
    cudaExtent, cudaMemcpy3DParms, cudaMemcpy3DPeerParms, cudaMemcpyKind, cudaPitchedPtr, cudaPos,
    cudaStream_t,
};

use super::capture_state::{begin, end, end_fails};
use super::graphs::{instance, stream};
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(rows_between_devices, TWO),
    case!(rows_between_peers, PEERS),
    case!(rows_to_and_from_the_host, ONE),
    case!(a_pitch_narrower_than_the_rows, ONE),
    case!(one_row_may_have_any_pitch, ONE),
    case!(rows_past_the_end, ONE),
    case!(rows_of_nothing, ONE),
    case!(rows_under_an_unknown_kind, ONE),
    case!(rows_in_the_null_stream, ONE),
    case!(planes_at_an_offset, ONE),
    case!(planes_at_an_offset_between_devices, TWO),
    case!(planes_at_an_offset_past_the_end, ONE),
    case!(planes_whose_rows_do_not_fit, ONE),
    case!(planes_of_null, ONE),
    case!(filled_planes_whose_rows_do_not_fit, ONE),
    case!(filled_rows_of_nothing, ONE),
    case!(rows_and_planes_in_a_graph, ONE),
    case!(rows_and_planes_between_devices_in_a_graph, TWO),
    case!(rows_and_planes_between_peers_in_a_graph, PEERS),
    case!(planes_between_devices_by_their_own_call_in_a_graph, TWO),
];

const D2D: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDeviceToDevice;
const DEFAULT: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDefault;
const N: usize = 4096;
/// Wider than the attribute for the widest pitch says, which is 2 GiB less one byte.
const WIDE: usize = 1 << 31;

fn pair(cx: &Cx, device: i32) -> (Vec<u8>, *mut c_void, *mut c_void) {
    let bytes = cx.pattern(N, 51);
    let source = cx.filled(0, &bytes);
    (bytes, cx.filled(device, &[0xEE; N]), source)
}

/// The destination is a box of `rows` rows of 32 bytes, 64 apart, that begins at `to`, from one that begins at `from`.
fn arrived(cx: &Cx, device: i32, place: *mut c_void, bytes: &[u8], (to, from, rows): (usize, usize, usize)) {
    let mut want = vec![0xEE; N];
    for row in 0..rows {
        let (to, from) = (to + row * 64, from + row * 64);
        want[to..to + 32].copy_from_slice(&bytes[from..from + 32]);
    }
    cx.holds("the rows arrived and the gaps were left alone", cx.read(device, place, N) == want);
}

fn unchanged(cx: &Cx, place: *mut c_void) {
    cx.holds("the destination is as it was", cx.read(0, place, N) == [0xEE; N]);
}

fn rows_between(cx: &Cx) {
    let ((bytes, p, q), stream) = (pair(cx, 1), stream(cx));
    answers!(cx.cudaMemcpy2DAsync(p, 64, q, 64, 32, 16, DEFAULT, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    arrived(cx, 1, p, &bytes, (0, 0, 16));
}

fn rows_between_devices(cx: &Cx) {
    rows_between(cx);
}

fn rows_between_peers(cx: &Cx) {
    cx.enable(0, 1);
    rows_between(cx);
}

fn rows_to_and_from_the_host(cx: &Cx) {
    let ((bytes, p, _), stream) = (pair(cx, 0), stream(cx));
    let (host, mut back) = (bytes.as_ptr().cast::<c_void>(), vec![0xEE_u8; N]);
    answers!(cx.cudaMemcpy2DAsync(p, 64, host, 64, 32, 16, DEFAULT, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    arrived(cx, 0, p, &bytes, (0, 0, 16));
    let place = back.as_mut_ptr().cast::<c_void>();
    answers!(cx.cudaMemcpy2DAsync(place, 64, p, 64, 32, 16, DEFAULT, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.holds("and back", back == cx.read(0, p, N));
    let mut pinned = null_mut();
    must!(cx.cudaHostAlloc(&mut pinned, N, 0));
    must!(cx.cudaMemcpy(pinned, p, N, DEFAULT));
    let other = cx.filled(0, &[0xEE; N]);
    answers!(cx.cudaMemcpy2DAsync(other, 64, pinned, 64, 32, 16, DEFAULT, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    arrived(cx, 0, other, &bytes, (0, 0, 16));
    must!(cx.cudaFreeHost(pinned));
}

fn a_pitch_narrower_than_the_rows(cx: &Cx) {
    let ((_, p, q), stream) = (pair(cx, 0), stream(cx));
    refuses!(cx.cudaMemcpy2DAsync(p, 16, q, 64, 32, 4, D2D, stream), 12);
    refuses!(cx.cudaMemcpy2DAsync(p, 64, q, 16, 32, 4, D2D, stream), 12);
    refuses!(cx.cudaMemset2DAsync(p, 16, 1, 32, 4, stream), 1);
    unchanged(cx, p);
}

fn one_row_may_have_any_pitch(cx: &Cx) {
    let ((bytes, p, q), stream) = (pair(cx, 0), stream(cx));
    answers!(cx.cudaMemcpy2DAsync(p, WIDE, q, WIDE, 32, 1, D2D, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    arrived(cx, 0, p, &bytes, (0, 0, 1));
}

fn rows_past_the_end(cx: &Cx) {
    let ((_, p, q), stream) = (pair(cx, 0), stream(cx));
    refuses!(cx.cudaMemcpy2DAsync(p, 64, q, 64, 32, 65, D2D, stream), 1);
    refuses!(cx.cudaMemset2DAsync(p, 64, 1, 32, 65, stream), 1);
    unchanged(cx, p);
    answers!(cx.cudaMemcpy2DAsync(p, 64, q, 64, 32, 64, D2D, stream), 0);
    must!(cx.cudaStreamSynchronize(stream));
}

fn rows_of_nothing(cx: &Cx) {
    let ((_, p, q), stream) = (pair(cx, 0), stream(cx));
    answers!(cx.cudaMemcpy2DAsync(p, 64, q, 64, 32, 0, D2D, stream), 0);
    answers!(cx.cudaMemcpy2DAsync(p, 64, q, 64, 0, 4, D2D, stream), 0);
    answers!(cx.cudaMemcpy2DAsync(null_mut(), 0, null(), 0, 0, 0, D2D, stream), 0);
    cx.last(0);
    unchanged(cx, p);
}

fn rows_under_an_unknown_kind(cx: &Cx) {
    let ((_, p, q), stream) = (pair(cx, 0), stream(cx));
    refuses!(cx.cudaMemcpy2DAsync(p, 64, q, 64, 32, 4, cudaMemcpyKind(9), stream), 21);
    unchanged(cx, p);
}

fn rows_in_the_null_stream(cx: &Cx) {
    let (bytes, p, q) = pair(cx, 0);
    answers!(cx.cudaMemcpy2DAsync(p, 64, q, 64, 32, 4, D2D, NULL_STREAM), 0);
    must!(cx.cudaDeviceSynchronize());
    arrived(cx, 0, p, &bytes, (0, 0, 4));
}

/// Rows of 64 bytes, slices of 8 rows.
fn side(place: *mut c_void) -> cudaPitchedPtr {
    cudaPitchedPtr { ptr: place, pitch: 64, xsize: 64, ysize: 8 }
}

fn planes(to: *mut c_void, from: *mut c_void, rows: usize) -> cudaMemcpy3DParms {
    // SAFETY: integers and pointers only: zeroes say that no array and no offset is given.
    let mut copy: cudaMemcpy3DParms = unsafe { std::mem::zeroed() };
    (copy.srcPtr, copy.dstPtr) = (side(from), side(to));
    copy.extent = cudaExtent { width: 32, height: rows, depth: 1 };
    copy.kind = DEFAULT;
    copy
}

const fn at(x: usize, y: usize, z: usize) -> cudaPos {
    cudaPos { x, y, z }
}

fn offset_on(cx: &Cx, device: i32) {
    let ((bytes, p, q), stream) = (pair(cx, device), stream(cx));
    let mut copy = planes(p, q, 3);
    (copy.dstPos, copy.srcPos) = (at(5, 1, 2), at(30, 4, 3));
    answers!(cx.cudaMemcpy3DAsync(&copy, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    arrived(cx, device, p, &bytes, (5 + 64 + 2 * 512, 30 + 4 * 64 + 3 * 512, 3));
}

fn planes_at_an_offset(cx: &Cx) {
    offset_on(cx, 0);
}

fn planes_at_an_offset_between_devices(cx: &Cx) {
    offset_on(cx, 1);
}

fn planes_at_an_offset_past_the_end(cx: &Cx) {
    let ((_, p, q), stream) = (pair(cx, 0), stream(cx));
    let mut copy = planes(p, q, 3);
    copy.dstPos = at(0, 0, 8);
    refuses!(cx.cudaMemcpy3DAsync(&copy, stream), 1);
    copy.dstPos = at(0, 6, 0);
    refuses!(cx.cudaMemcpy3DAsync(&copy, stream), 1);
    unchanged(cx, p);
}

fn planes_whose_rows_do_not_fit(cx: &Cx) {
    let ((_, p, q), stream) = (pair(cx, 0), stream(cx));
    let mut copy = planes(p, q, 3);
    copy.srcPos = at(33, 0, 0);
    refuses!(cx.cudaMemcpy3DAsync(&copy, stream), 1);
    copy.srcPos = at(0, 0, 0);
    copy.dstPtr.pitch = 31;
    refuses!(cx.cudaMemcpy3DAsync(&copy, stream), 12);
    unchanged(cx, p);
}

fn planes_of_null(cx: &Cx) {
    let ((_, p, _), stream) = (pair(cx, 0), stream(cx));
    let copy = planes(p, null_mut(), 3);
    refuses!(cx.cudaMemcpy3DAsync(&copy, stream), 1);
    refuses!(cx.cudaMemcpy3DAsync(null(), stream), 1);
    unchanged(cx, p);
}

fn filled_planes_whose_rows_do_not_fit(cx: &Cx) {
    let ((_, p, _), stream) = (pair(cx, 0), stream(cx));
    let extent = |width, height, depth| cudaExtent { width, height, depth };
    refuses!(cx.cudaMemset3DAsync(side(p), 1, extent(32, 8, 9), stream), 1);
    refuses!(cx.cudaMemset3DAsync(side(null_mut()), 1, extent(32, 8, 1), stream), 1);
    let narrow = cudaPitchedPtr { pitch: 31, ..side(p) };
    refuses!(cx.cudaMemset3DAsync(narrow, 1, extent(32, 8, 1), stream), 1);
    refuses!(cx.cudaMemset3DAsync(side(p), 1, extent(32, 9, 1), stream), 1);
    unchanged(cx, p);
    answers!(cx.cudaMemset3DAsync(side(p), 1, extent(32, 8, 2), stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("the last of them", cx.read(0, p, 15 * 64 + 33)[15 * 64 + 31..].to_vec(), vec![1, 0xEE]);
}

fn filled_rows_of_nothing(cx: &Cx) {
    let ((_, p, _), stream) = (pair(cx, 0), stream(cx));
    answers!(cx.cudaMemset2DAsync(p, 64, 1, 0, 4, stream), 0);
    answers!(cx.cudaMemset2DAsync(p, 64, 1, 4, 0, stream), 0);
    let empty = cudaExtent { width: 0, height: 8, depth: 1 };
    answers!(cx.cudaMemset3DAsync(side(p), 1, empty, stream), 0);
    cx.last(0);
    unchanged(cx, p);
}

/// Rows, planes, filled rows: captured, and launched twice, with other bytes the second time.
fn in_a_graph(cx: &Cx, device: i32) {
    let ((bytes, p, q), ours) = (pair(cx, device), stream(cx));
    let mut copy = planes(p, q, 4);
    (copy.dstPos, copy.srcPos) = (at(0, 0, 4), at(0, 0, 2));
    let fill_in: cudaStream_t = cx.stream(device, cuda_p2p_sys::cudaStreamNonBlocking);
    begin(cx, ours);
    answers!(cx.cudaMemcpy2DAsync(p, 64, q, 64, 32, 4, DEFAULT, ours), 0);
    answers!(cx.cudaMemcpy3DAsync(&copy, ours), 0);
    let exec = instance(cx, end(cx, ours));
    begin(cx, fill_in);
    answers!(cx.cudaMemset2DAsync(p, 64, 0xEE, 64, 64, fill_in), 0);
    let fill = instance(cx, end(cx, fill_in));
    let mut bytes = bytes;
    for _ in 0..2 {
        answers!(cx.cudaGraphLaunch(fill, fill_in), 0);
        answers!(cx.cudaStreamSynchronize(fill_in), 0);
        answers!(cx.cudaGraphLaunch(exec, ours), 0);
        answers!(cx.cudaStreamSynchronize(ours), 0);
        let mut want = vec![0xEE; N];
        for (to, from) in [(0, 0), (4 * 512, 2 * 512)] {
            for row in 0..4 {
                let (to, from) = (to + row * 64, from + row * 64);
                want[to..to + 32].copy_from_slice(&bytes[from..from + 32]);
            }
        }
        cx.holds("rows and planes arrived", cx.read(device, p, N) == want);
        bytes = cx.pattern(N, 52);
        cx.write(0, q, &bytes);
    }
}

fn rows_and_planes_in_a_graph(cx: &Cx) {
    in_a_graph(cx, 0);
}

fn rows_and_planes_between_devices_in_a_graph(cx: &Cx) {
    in_a_graph(cx, 1);
}

fn rows_and_planes_between_peers_in_a_graph(cx: &Cx) {
    cx.enable(0, 1);
    in_a_graph(cx, 1);
}

fn planes_between_devices_by_their_own_call_in_a_graph(cx: &Cx) {
    let ((_, p, q), stream) = (pair(cx, 1), stream(cx));
    // SAFETY: integers and pointers only: zeroes say that no array and no offset is given.
    let mut copy: cudaMemcpy3DPeerParms = unsafe { std::mem::zeroed() };
    (copy.srcPtr, copy.dstPtr) = (side(q), side(p));
    (copy.srcDevice, copy.dstDevice) = (0, 1);
    copy.extent = cudaExtent { width: 32, height: 8, depth: 1 };
    begin(cx, stream);
    refuses!(cx.cudaMemcpy3DPeerAsync(&copy, stream), 900);
    end_fails(cx, stream, 901);
}
