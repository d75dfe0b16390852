//! `cudaMemset` and its kin: what they refuse, and the bytes.

use std::ffi::c_void;
use std::ptr::{from_mut, null_mut};

use cuda_p2p_sys::{cudaExtent, cudaPitchedPtr, cudaStreamNonBlocking};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(a_whole_allocation_is_set, ONE),
    case!(one_byte_past_the_end, ONE),
    case!(an_end_past_the_end, ONE),
    case!(no_bytes_are_fine_anywhere, ONE),
    case!(pageable_memory_is_refused, ONE),
    case!(pinned_memory_is_set, ONE),
    case!(async_refuses_the_same, ONE),
    case!(async_of_no_bytes_leaves_the_stream_idle, ONE),
    case!(async_sets_in_order, ONE.kernels()),
    case!(memory_of_another_device_is_not_set, TWO),
    case!(memory_of_a_peer_is_set, PEERS),
    case!(rows_are_set, ONE),
    case!(planes_are_set, ONE),
    case!(rows_and_planes_are_set_in_a_stream, ONE.kernels()),
];

const N: usize = 4096;

fn all_are(cx: &Cx, place: *mut c_void, bytes: usize, want: u8) {
    let got = cx.read(0, place, bytes);
    cx.holds(&format!("all {bytes} bytes are {want:#x}"), got.iter().all(|byte| *byte == want));
}

fn a_whole_allocation_is_set(cx: &Cx) {
    let place = cx.filled(0, &[1; N]);
    answers!(cx.cudaMemset(place, 0xA7, N), 0);
    all_are(cx, place, N, 0xA7);
}

fn one_byte_past_the_end(cx: &Cx) {
    let place = cx.filled(0, &[1; N]);
    refuses!(cx.cudaMemset(place, 0, N + 1), 1);
    all_are(cx, place, N, 1);
}

fn an_end_past_the_end(cx: &Cx) {
    let place = cx.filled(0, &[1; N]);
    let tail = place.wrapping_byte_add(N - 96);
    refuses!(cx.cudaMemset(tail, 1, 200), 1);
    answers!(cx.cudaMemset(tail, 1, 96), 0);
    all_are(cx, place, N, 1);
}

fn no_bytes_are_fine_anywhere(cx: &Cx) {
    let place = cx.malloc(0, N);
    answers!(cx.cudaMemset(place, 0, 0), 0);
    answers!(cx.cudaMemset(null_mut(), 0, 0), 0);
    cx.last(0);
}

fn pageable_memory_is_refused(cx: &Cx) {
    let mut word = 7_u32;
    let pageable: *mut c_void = from_mut(&mut word).cast();
    refuses!(cx.cudaMemset(pageable, 0, 4), 1);
    refuses!(cx.cudaMemsetAsync(pageable, 0, 4, NULL_STREAM), 1);
    cx.value("the word", word, 7);
}

fn pinned_memory_is_set(cx: &Cx) {
    let mut pinned = null_mut();
    must!(cx.cudaMallocHost(&mut pinned, N));
    answers!(cx.cudaMemset(pinned, 0x11, 16), 0);
    must!(cx.cudaDeviceSynchronize());
    // SAFETY: pinned memory of at least that size, and what wrote it is done.
    let word = unsafe { pinned.cast::<u32>().read_volatile() };
    cx.value("the first word", word, 0x1111_1111);
    must!(cx.cudaFreeHost(pinned));
}

fn async_refuses_the_same(cx: &Cx) {
    let place = cx.filled(0, &[1; N]);
    refuses!(cx.cudaMemsetAsync(place, 0, N + 1, NULL_STREAM), 1);
    refuses!(cx.cudaMemsetAsync(null_mut(), 0, 4, NULL_STREAM), 1);
    all_are(cx, place, N, 1);
}

fn async_of_no_bytes_leaves_the_stream_idle(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    answers!(cx.cudaMemsetAsync(null_mut(), 0, 0, stream), 0);
    answers!(cx.cudaStreamQuery(stream), 0);
}

fn async_sets_in_order(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let place = cx.word(0, 1);
    cx.store(stream, place, 2, 100);
    answers!(cx.cudaMemsetAsync(place, 3, 4, stream), 0);
    answers!(cx.cudaStreamQuery(stream), 600);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("what was set last", cx.read_word(0, place), 0x0303_0303);
}

/// Without peer access, while device 0 is current.
fn memory_of_another_device_is_not_set(cx: &Cx) {
    let place = cx.filled(1, &[1; N]);
    let inner = place.wrapping_byte_add(16);
    refuses!(cx.cudaMemset(inner, 2, 16), 1);
    cx.synchronize(0);
    let got = cx.read(1, place, N);
    cx.value("the bytes are set", got[16..32] == [2; 16], false);
    cx.holds("the others are as they were", got[..16].iter().chain(&got[32..]).all(|byte| *byte == 1));
}

fn memory_of_a_peer_is_set(cx: &Cx) {
    let place = cx.filled(1, &[1; N]);
    cx.enable(0, 1);
    answers!(cx.cudaMemset(place, 2, N), 0);
    cx.last(0);
    cx.synchronize(0);
    let got = cx.read(1, place, N);
    cx.value("the bytes are set", got == [2; N], true);
    cx.holds("all or none are set", got == [2; N] || got == [1; N]);
}

/// Four rows of 16 bytes out of rows of 64.
fn rows_are_set(cx: &Cx) {
    let place = cx.filled(0, &[1; N]);
    answers!(cx.cudaMemset2D(place, 64, 2, 16, 4), 0);
    let got = cx.read(0, place, N);
    let right = got.iter().enumerate().all(|(at, byte)| (*byte == 2) == (at < 256 && at % 64 < 16));
    cx.holds("the rows are set and nothing else", right);
    refuses!(cx.cudaMemset2D(place, 16, 3, 64, 4), 1);
    refuses!(cx.cudaMemset2D(place, 64, 3, 16, 65), 1);
    answers!(cx.cudaMemset2D(place, 64, 3, 16, 0), 0);
    cx.last(0);
    cx.value("the first byte", cx.read(0, place, 1), vec![2]);
}

/// Two planes of four rows of 16 bytes.
fn planes_are_set(cx: &Cx) {
    let place = cx.filled(0, &[1; N]);
    let pitched = cudaPitchedPtr { ptr: place, pitch: 64, xsize: 64, ysize: 8 };
    let extent = cudaExtent { width: 16, height: 4, depth: 2 };
    answers!(cx.cudaMemset3D(pitched, 2, extent), 0);
    let got = cx.read(0, place, N);
    let inside = |at: usize| at % 64 < 16 && at % 512 < 256 && at < 1024;
    let right = got.iter().enumerate().all(|(at, byte)| (*byte == 2) == inside(at));
    cx.holds("the planes are set and nothing else", right);
    let nothing = cudaExtent { width: 0, height: 0, depth: 0 };
    answers!(cx.cudaMemset3D(pitched, 3, nothing), 0);
    cx.last(0);
    cx.value("the first byte", cx.read(0, place, 1), vec![2]);
}

/// Behind a kernel that writes the first word.
fn rows_and_planes_are_set_in_a_stream(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let place = cx.filled(0, &[1; N]);
    cx.store(stream, place, 0, 100);
    answers!(cx.cudaMemset2DAsync(place, 64, 2, 2, 4, stream), 0);
    let pitched = cudaPitchedPtr { ptr: place, pitch: 64, xsize: 64, ysize: 8 };
    let extent = cudaExtent { width: 1, height: 4, depth: 2 };
    answers!(cx.cudaMemset3DAsync(pitched, 3, extent, stream), 0);
    answers!(cx.cudaStreamQuery(stream), 600);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("the first bytes", cx.read(0, place, 5), vec![3, 2, 0, 0, 1]);
}
