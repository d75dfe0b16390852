//! Wrong arguments of `cudaMemcpyPeer` and `cudaMemcpyPeerAsync`, and which of two is looked at first.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_p2p_sys::cudaStreamNonBlocking;

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(a_negative_device, TWO),
    case!(the_device_is_looked_at_before_the_pointer, TWO),
    case!(two_wrong_devices, TWO),
    case!(past_the_end_of_either_side, TWO),
    case!(from_an_interior_pointer_past_the_end, TWO),
    case!(a_pinned_destination, TWO),
    case!(a_pinned_source_in_a_stream, TWO),
    case!(a_pageable_source_in_a_stream, TWO),
    case!(freed_memory, TWO),
    case!(inside_one_device, ONE),
    case!(under_one_device_for_both, TWO),
    case!(onto_itself, ONE),
    case!(a_stream_of_a_third_party, TWO),
    case!(memory_of_a_pool, TWO.pools()),
    case!(a_pool_of_either_side_without_a_grant, TWO.pools()),
];

const N: usize = 4096;

fn pair(cx: &Cx) -> (*mut c_void, *mut c_void) {
    (cx.filled(1, &[0xEE; N]), cx.filled(0, &[7; N]))
}

fn first_bytes_are(cx: &Cx, device: i32, place: *mut c_void, want: u8) {
    cx.synchronize(0);
    cx.value("the first bytes", cx.read(device, place, 16), vec![want; 16]);
}

fn a_negative_device(cx: &Cx) {
    let (d1, d0) = pair(cx);
    refuses!(cx.cudaMemcpyPeer(d1, -1, d0, 0, 16), 101);
    refuses!(cx.cudaMemcpyPeer(d1, 1, d0, -1, 16), 101);
    first_bytes_are(cx, 1, d1, 0xEE);
}

fn the_device_is_looked_at_before_the_pointer(cx: &Cx) {
    let (d1, d0) = pair(cx);
    refuses!(cx.cudaMemcpyPeer(null_mut(), 99, d0, 0, 16), 101);
    refuses!(cx.cudaMemcpyPeer(d1, 1, null(), 99, 16), 101);
    first_bytes_are(cx, 1, d1, 0xEE);
}

fn two_wrong_devices(cx: &Cx) {
    let (d1, d0) = pair(cx);
    refuses!(cx.cudaMemcpyPeer(d1, 99, d0, -1, 16), 101);
    refuses!(cx.cudaMemcpyPeerAsync(d1, 99, d0, -1, 16, NULL_STREAM), 101);
    first_bytes_are(cx, 1, d1, 0xEE);
}

fn past_the_end_of_either_side(cx: &Cx) {
    let (d1, d0) = (cx.filled(1, &[0xEE; 2 * N]), cx.filled(0, &[7; N]));
    refuses!(cx.cudaMemcpyPeer(d1, 1, d0, 0, N + 1), 1);
    refuses!(cx.cudaMemcpyPeer(d0, 0, d1, 1, N + 1), 1);
    refuses!(cx.cudaMemcpyPeerAsync(d1, 1, d0, 0, N + 1, NULL_STREAM), 1);
    first_bytes_are(cx, 1, d1, 0xEE);
    first_bytes_are(cx, 0, d0, 7);
}

fn from_an_interior_pointer_past_the_end(cx: &Cx) {
    let (d1, d0) = pair(cx);
    let interior = d0.wrapping_byte_add(N - 16);
    refuses!(cx.cudaMemcpyPeer(d1, 1, interior, 0, 17), 1);
    first_bytes_are(cx, 1, d1, 0xEE);
    answers!(cx.cudaMemcpyPeer(d1, 1, interior, 0, 16), 0);
    first_bytes_are(cx, 1, d1, 7);
}

fn a_pinned_destination(cx: &Cx) {
    let (_, d0) = pair(cx);
    let mut pinned = null_mut();
    must!(cx.cudaMallocHost(&mut pinned, N));
    answers!(cx.cudaMemcpyPeer(pinned, 1, d0, 0, 16), 0);
    cx.synchronize(0);
    cx.synchronize(1);
    // SAFETY: pinned memory of at least that size, and both devices are done.
    cx.value("the first byte", unsafe { pinned.cast::<u8>().read_volatile() }, 7);
    must!(cx.cudaFreeHost(pinned));
}

fn a_pinned_source_in_a_stream(cx: &Cx) {
    let (d1, _) = pair(cx);
    let mut pinned = null_mut();
    must!(cx.cudaMallocHost(&mut pinned, N));
    must!(cx.cudaMemset(pinned, 5, N));
    must!(cx.cudaDeviceSynchronize());
    answers!(cx.cudaMemcpyPeerAsync(d1, 1, pinned, 0, 16, NULL_STREAM), 0);
    first_bytes_are(cx, 1, d1, 5);
    must!(cx.cudaFreeHost(pinned));
}

fn a_pageable_source_in_a_stream(cx: &Cx) {
    let (d1, _) = pair(cx);
    let host = [5_u8; 16];
    let page = host.as_ptr().cast::<c_void>();
    refuses!(cx.cudaMemcpyPeerAsync(d1, 1, page, 0, 16, NULL_STREAM), 1);
    first_bytes_are(cx, 1, d1, 0xEE);
}

fn freed_memory(cx: &Cx) {
    let (d1, _) = pair(cx);
    let freed = cx.malloc(0, 64 << 20);
    must!(cx.cudaFree(freed));
    refuses!(cx.cudaMemcpyPeer(d1, 1, freed, 0, 16), 1);
    first_bytes_are(cx, 1, d1, 0xEE);
}

fn inside_one_device(cx: &Cx) {
    let (q, p) = (cx.filled(0, &[1; N]), cx.filled(0, &[2; N]));
    answers!(cx.cudaMemcpyPeer(q, 0, p, 0, 16), 0);
    first_bytes_are(cx, 0, q, 2);
}

/// The runtime trusts the pointers: where the memory is, the bytes go.
fn under_one_device_for_both(cx: &Cx) {
    let (d1, d0) = pair(cx);
    answers!(cx.cudaMemcpyPeer(d1, 0, d0, 0, 16), 0);
    first_bytes_are(cx, 1, d1, 7);
    let (d1, d0) = pair(cx);
    answers!(cx.cudaMemcpyPeer(d1, 1, d0, 1, 16), 0);
    first_bytes_are(cx, 1, d1, 7);
}

fn onto_itself(cx: &Cx) {
    let place = cx.filled(0, &[7; N]);
    answers!(cx.cudaMemcpyPeer(place, 0, place, 0, N), 0);
    cx.last(0);
    first_bytes_are(cx, 0, place, 7);
}

/// The stream decides where the copy is queued; neither side need be its device.
fn a_stream_of_a_third_party(cx: &Cx) {
    let (first, second) = (cx.filled(0, &[1; N]), cx.filled(0, &[2; N]));
    let stream_of_1 = cx.stream(1, cudaStreamNonBlocking);
    answers!(cx.cudaMemcpyPeerAsync(first, 0, second, 0, 16, stream_of_1), 0);
    answers!(cx.cudaStreamSynchronize(stream_of_1), 0);
    first_bytes_are(cx, 0, first, 2);
}

fn pooled(cx: &Cx, device: i32, value: u8) -> *mut c_void {
    cx.on(device, || {
        let mut place = null_mut();
        must!(cx.cudaMallocAsync(&mut place, N, NULL_STREAM));
        must!(cx.cudaMemset(place, value.into(), N));
        must!(cx.cudaDeviceSynchronize());
        place
    })
}

/// Without any grant: the copy engine of the owner does it, or the host. The bounds of pool memory are known too.
fn memory_of_a_pool(cx: &Cx) {
    let (d1, _) = pair(cx);
    let pooled = pooled(cx, 0, 9);
    refuses!(cx.cudaMemcpyPeer(d1, 1, pooled, 0, N + 1), 1);
    answers!(cx.cudaMemcpyPeer(d1, 1, pooled, 0, N), 0);
    first_bytes_are(cx, 1, d1, 9);
}

fn a_pool_of_either_side_without_a_grant(cx: &Cx) {
    let (ours, theirs) = (pooled(cx, 0, 3), pooled(cx, 1, 4));
    answers!(cx.cudaMemcpyPeer(theirs, 1, ours, 0, N), 0);
    first_bytes_are(cx, 1, theirs, 3);
}
