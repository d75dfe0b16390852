//! `cudaMemcpy` and `cudaMemcpyAsync` on one device: what the kind of a copy means, and what is refused. Copies between devices
//! are in `copies`.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_p2p_sys::{cudaMemcpyKind, cudaStreamNonBlocking};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::ONE;
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(memory_of_a_device_under_any_kind, ONE),
    case!(pinned_memory_under_any_kind, ONE),
    case!(pageable_memory_is_no_device_memory, ONE),
    case!(pageable_memory_on_both_sides, ONE),
    case!(the_default_kind_finds_out, ONE),
    case!(an_unknown_kind, ONE),
    case!(an_unknown_kind_and_no_bytes, ONE),
    case!(an_unknown_kind_and_null, ONE),
    case!(past_the_end_of_the_source, ONE),
    case!(past_the_end_of_the_destination, ONE),
    case!(past_the_end_from_an_interior_pointer, ONE),
    case!(null_under_the_default_kind, ONE),
    case!(null_and_no_bytes, ONE),
    case!(a_place_that_overlaps, ONE),
    case!(freed_memory_is_pageable, ONE),
    case!(odd_sizes_and_offsets, ONE),
    case!(async_refuses_the_same, ONE),
    case!(async_from_pageable_memory_takes_the_bytes_at_once, ONE.kernels()),
    case!(async_to_pinned_memory, ONE.kernels()),
    case!(two_streams_at_once, ONE),
];

const H2H: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyHostToHost;
const H2D: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyHostToDevice;
const D2H: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDeviceToHost;
const D2D: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDeviceToDevice;
const DEFAULT: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDefault;
const N: usize = 4096;

/// Two allocations of device 0: the second has 2 in every byte, the first 1.
fn pair(cx: &Cx) -> (*mut c_void, *mut c_void) {
    (cx.filled(0, &[1; N]), cx.filled(0, &[2; N]))
}

fn first_bytes_are(cx: &Cx, place: *mut c_void, want: [u8; 3]) {
    cx.value("the first bytes", cx.read(0, place, 3), want.to_vec());
}

/// The kind is a hint: both pointers are looked up, and both are memory of a device.
fn memory_of_a_device_under_any_kind(cx: &Cx) {
    let (p, q) = pair(cx);
    for (size, kind) in [(1, H2D), (2, D2H), (3, H2H)] {
        must!(cx.cudaMemset(p, 1, N));
        answers!(cx.cudaMemcpy(p, q, size, kind), 0);
        let want = [2, if size > 1 { 2 } else { 1 }, if size > 2 { 2 } else { 1 }];
        first_bytes_are(cx, p, want);
    }
    answers!(cx.cudaMemcpy(p, q, N, D2D), 0);
    answers!(cx.cudaMemcpy(p, q, N, DEFAULT), 0);
}

fn pinned_memory_under_any_kind(cx: &Cx) {
    let (p, _) = pair(cx);
    let mut pinned = null_mut();
    must!(cx.cudaMallocHost(&mut pinned, N));
    must!(cx.cudaMemset(pinned, 5, N));
    answers!(cx.cudaMemcpy(p, pinned, 1, D2D), 0);
    answers!(cx.cudaMemcpy(p, pinned, 2, H2D), 0);
    first_bytes_are(cx, p, [5, 5, 1]);
    answers!(cx.cudaMemcpy(pinned, p, 3, D2D), 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    // SAFETY: pinned memory of at least that size, and what wrote it is done.
    let bytes = unsafe { pinned.cast::<[u8; 4]>().read_volatile() };
    cx.value("the first bytes", bytes, [5, 5, 1, 5]);
    must!(cx.cudaFreeHost(pinned));
}

fn pageable_memory_is_no_device_memory(cx: &Cx) {
    let (p, _) = pair(cx);
    let mut host = [7_u8; 64];
    let page = host.as_mut_ptr().cast::<c_void>();
    refuses!(cx.cudaMemcpy(p, page, 16, D2D), 1);
    refuses!(cx.cudaMemcpy(page, p, 16, H2D), 1);
    refuses!(cx.cudaMemcpy(p, page, 16, D2H), 1);
    first_bytes_are(cx, p, [1, 1, 1]);
    cx.holds("the host's bytes are as they were", host == [7; 64]);
}

fn pageable_memory_on_both_sides(cx: &Cx) {
    let mut host = [7_u8; 64];
    host[32..].fill(8);
    let to = host.as_mut_ptr().cast::<c_void>();
    let from = to.wrapping_byte_add(32);
    refuses!(cx.cudaMemcpy(to, from, 16, D2D), 1);
    answers!(cx.cudaMemcpy(to, from, 2, H2H), 0);
    answers!(cx.cudaMemcpy(to, from, 4, DEFAULT), 0);
    cx.value("the first bytes", host[..5].to_vec(), vec![8, 8, 8, 8, 7]);
}

fn the_default_kind_finds_out(cx: &Cx) {
    let (p, q) = pair(cx);
    let mut host = [7_u8; 8];
    let page = host.as_mut_ptr().cast::<c_void>();
    answers!(cx.cudaMemcpy(p, page, 1, DEFAULT), 0);
    first_bytes_are(cx, p, [7, 1, 1]);
    answers!(cx.cudaMemcpy(page, q, 4, DEFAULT), 0);
    cx.value("the host's bytes", host, [2, 2, 2, 2, 7, 7, 7, 7]);
}

fn an_unknown_kind(cx: &Cx) {
    let (p, q) = pair(cx);
    refuses!(cx.cudaMemcpy(p, q, 16, cudaMemcpyKind(7)), 21);
    refuses!(cx.cudaMemcpyAsync(p, q, 16, cudaMemcpyKind(7), NULL_STREAM), 21);
    first_bytes_are(cx, p, [1, 1, 1]);
}

/// The size is looked at before the kind.
fn an_unknown_kind_and_no_bytes(cx: &Cx) {
    let (p, q) = pair(cx);
    answers!(cx.cudaMemcpy(p, q, 0, cudaMemcpyKind(7)), 0);
    cx.last(0);
}

fn an_unknown_kind_and_null(cx: &Cx) {
    let (p, q) = pair(cx);
    refuses!(cx.cudaMemcpy(null_mut(), q, 16, cudaMemcpyKind(7)), 21);
    refuses!(cx.cudaMemcpy(p, q, N + 1, cudaMemcpyKind(7)), 21);
    first_bytes_are(cx, p, [1, 1, 1]);
}

fn past_the_end_of_the_source(cx: &Cx) {
    let p = cx.filled(0, &[1; 2 * N]);
    let q = cx.filled(0, &[2; N]);
    let mut host = vec![7_u8; 2 * N];
    let page = host.as_mut_ptr().cast::<c_void>();
    refuses!(cx.cudaMemcpy(p, q, N + 1, D2D), 1);
    refuses!(cx.cudaMemcpy(page, q, N + 1, D2H), 1);
    first_bytes_are(cx, p, [1, 1, 1]);
    cx.holds("the host's bytes are as they were", host.iter().all(|byte| *byte == 7));
}

fn past_the_end_of_the_destination(cx: &Cx) {
    let p = cx.filled(0, &[1; N]);
    let q = cx.filled(0, &[2; 2 * N]);
    let host = vec![7_u8; 2 * N];
    refuses!(cx.cudaMemcpy(p, q, N + 1, D2D), 1);
    refuses!(cx.cudaMemcpy(p, host.as_ptr().cast(), N + 1, H2D), 1);
    first_bytes_are(cx, p, [1, 1, 1]);
}

fn past_the_end_from_an_interior_pointer(cx: &Cx) {
    let (p, q) = pair(cx);
    let interior = q.wrapping_byte_add(N - 8);
    refuses!(cx.cudaMemcpy(p, interior, 9, D2D), 1);
    answers!(cx.cudaMemcpy(p, interior, 8, D2D), 0);
    first_bytes_are(cx, p, [2, 2, 2]);
}

fn null_under_the_default_kind(cx: &Cx) {
    let (p, q) = pair(cx);
    refuses!(cx.cudaMemcpy(null_mut(), q, 16, DEFAULT), 1);
    refuses!(cx.cudaMemcpy(p, null(), 16, DEFAULT), 1);
    refuses!(cx.cudaMemcpyAsync(null_mut(), q, 16, DEFAULT, NULL_STREAM), 1);
    first_bytes_are(cx, p, [1, 1, 1]);
}

fn null_and_no_bytes(cx: &Cx) {
    answers!(cx.cudaMemcpy(null_mut(), null(), 0, DEFAULT), 0);
    cx.last(0);
}

fn a_place_that_overlaps(cx: &Cx) {
    let p = cx.filled(0, &[1; N]);
    let ahead = p.wrapping_byte_add(8);
    answers!(cx.cudaMemcpy(p, ahead, 64, D2D), 0);
    first_bytes_are(cx, p, [1, 1, 1]);
}

fn freed_memory_is_pageable(cx: &Cx) {
    let (p, _) = pair(cx);
    let freed = cx.malloc(0, 64 << 20);
    must!(cx.cudaFree(freed));
    refuses!(cx.cudaMemcpy(p, freed, 16, D2D), 1);
    first_bytes_are(cx, p, [1, 1, 1]);
}

fn odd_sizes_and_offsets(cx: &Cx) {
    let bytes = cx.pattern(8192, 21);
    let q = cx.filled(0, &bytes);
    for (size, offset) in [(1, 1), (3, 7), (4095, 1), (4097, 13)] {
        let p = cx.filled(0, &[0xEE; 8192]);
        let (to, from) = (p.wrapping_byte_add(offset + 64), q.wrapping_byte_add(offset));
        answers!(cx.cudaMemcpy(to, from, size, D2D), 0);
        let got = cx.read(0, p, 8192);
        let body = offset + 64..offset + 64 + size;
        let right = got[body.clone()] == bytes[offset..offset + size];
        let around = got[..body.start].iter().chain(&got[body.end..]).all(|byte| *byte == 0xEE);
        cx.holds(&format!("{size} bytes at offset {offset} arrived"), right);
        cx.holds(&format!("{size} bytes at offset {offset} left their neighbours alone"), around);
    }
}

fn async_refuses_the_same(cx: &Cx) {
    let (p, q) = pair(cx);
    let host = vec![7_u8; 2 * N];
    let page = host.as_ptr().cast::<c_void>();
    refuses!(cx.cudaMemcpyAsync(p, q, N + 1, D2D, NULL_STREAM), 1);
    refuses!(cx.cudaMemcpyAsync(p, page, N + 1, H2D, NULL_STREAM), 1);
    first_bytes_are(cx, p, [1, 1, 1]);
}

/// Behind a kernel: whoever changes the host's bytes after the call does not change the copy.
fn async_from_pageable_memory_takes_the_bytes_at_once(cx: &Cx) {
    let (p, _) = pair(cx);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let mut host = [7_u8; 64];
    cx.delay(stream, 100);
    answers!(cx.cudaMemcpyAsync(p, host.as_ptr().cast(), 64, H2D, stream), 0);
    host.fill(8);
    std::hint::black_box(&mut host);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    first_bytes_are(cx, p, [7, 7, 7]);
}

fn async_to_pinned_memory(cx: &Cx) {
    let place = cx.word(0, 1);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let mut pinned = null_mut();
    must!(cx.cudaMallocHost(&mut pinned, 4));
    cx.store(stream, place, 2, 100);
    answers!(cx.cudaMemcpyAsync(pinned, place, 4, D2H, stream), 0);
    answers!(cx.cudaStreamQuery(stream), 600);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    // SAFETY: pinned memory of that size, and the copy is done.
    cx.value("what arrived", unsafe { pinned.cast::<u32>().read_volatile() }, 2);
    must!(cx.cudaFreeHost(pinned));
}

fn two_streams_at_once(cx: &Cx) {
    let bytes = cx.pattern(5 * 4096 + 7, 22);
    let source = cx.filled(0, &bytes);
    let places = [cx.malloc(0, bytes.len()), cx.malloc(0, bytes.len())];
    let streams = [cx.stream(0, cudaStreamNonBlocking), cx.stream(0, cudaStreamNonBlocking)];
    for (place, stream) in places.into_iter().zip(streams) {
        answers!(cx.cudaMemcpyAsync(place, source, 5 * 4096 + 7, D2D, stream), 0);
    }
    for (place, stream) in places.into_iter().zip(streams) {
        answers!(cx.cudaStreamSynchronize(stream), 0);
        cx.holds("the bytes arrived", cx.read(0, place, bytes.len()) == bytes);
    }
}
