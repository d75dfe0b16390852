//! Copies between two devices: codes and bytes. Does not test order; `ordering` does.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_p2p_sys::{
    cudaExtent, cudaMemcpy3DPeerParms, cudaMemcpyKind, cudaPitchedPtr, cudaStreamNonBlocking,
};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(without_peer_access_the_bytes_are_exact, TWO),
    case!(with_peer_access_the_bytes_are_exact, PEERS),
    case!(odd_sizes_leave_their_neighbours_alone, TWO),
    case!(one_byte_past_the_allocation_is_refused, TWO),
    case!(one_byte_past_an_odd_allocation, TWO),
    case!(a_wrong_source_device_is_not_looked_at, TWO),
    case!(a_wrong_destination_device_is_not_looked_at, TWO),
    case!(an_unknown_source_device_is_refused, TWO),
    case!(an_unknown_destination_device_is_refused, TWO),
    case!(unknown_devices_and_no_bytes, TWO),
    case!(null_pointers_are_refused, TWO),
    case!(null_pointers_and_no_bytes_are_fine, TWO),
    case!(a_pageable_source_is_refused, TWO),
    case!(a_pageable_destination_is_refused, TWO),
    case!(memcpy_device_to_device_crosses_devices, TWO),
    case!(memcpy_default_crosses_devices, TWO),
    case!(async_on_streams_of_either_device, TWO),
    case!(async_refuses_what_the_blocking_copy_refuses, TWO),
    case!(a_pinned_host_pointer, TWO),
    case!(three_dimensions, TWO),
];

const N: usize = 1 << 20;

/// A source of device 0 with a pattern, and a poisoned destination of device 1.
fn pair(cx: &Cx) -> (Vec<u8>, *mut c_void, *mut c_void) {
    let bytes = cx.pattern(N, 1);
    let source = cx.filled(0, &bytes);
    let destination = cx.filled(1, &vec![0xEE; N]);
    (bytes, source, destination)
}

fn arrived(cx: &Cx, destination: *mut c_void, bytes: &[u8]) {
    cx.synchronize(0);
    let got = cx.read(1, destination, bytes.len());
    cx.holds("the destination has the bytes of the source", got == bytes);
}

fn untouched(cx: &Cx, destination: *mut c_void) {
    cx.synchronize(0);
    let got = cx.read(1, destination, N);
    cx.holds("the destination is as it was", got.iter().all(|byte| *byte == 0xEE));
}

fn there_and_back(cx: &Cx, (bytes, d0, d1): (Vec<u8>, *mut c_void, *mut c_void)) {
    answers!(cx.cudaMemcpyPeer(d1, 1, d0, 0, N), 0);
    arrived(cx, d1, &bytes);
    let back = cx.filled(0, &vec![0xEE; N]);
    answers!(cx.cudaMemcpyPeer(back, 0, d1, 1, N), 0);
    cx.synchronize(1);
    cx.holds("the bytes came back", cx.read(0, back, N) == bytes);
}

fn without_peer_access_the_bytes_are_exact(cx: &Cx) {
    there_and_back(cx, pair(cx));
}

fn with_peer_access_the_bytes_are_exact(cx: &Cx) {
    let pair = pair(cx);
    cx.enable(0, 1);
    cx.enable(1, 0);
    there_and_back(cx, pair);
}

fn odd_sizes_leave_their_neighbours_alone(cx: &Cx) {
    let (bytes, d0, _) = pair(cx);
    for size in [0, 1, 3, 4095, 4097] {
        for offset in [0, 1, 7] {
            let d1 = cx.filled(1, &[0xEE; 8192]);
            let from = d0.wrapping_byte_add(offset);
            let to = d1.wrapping_byte_add(64 + offset);
            answers!(cx.cudaMemcpyPeer(to, 1, from, 0, size), 0);
            cx.synchronize(0);
            let got = cx.read(1, d1, 8192);
            let (head, rest) = got.split_at(64 + offset);
            let (body, tail) = rest.split_at(size);
            let canaries = head.iter().chain(tail).all(|byte| *byte == 0xEE);
            cx.holds(
                &format!("{size} bytes at offset {offset} arrived"),
                body == &bytes[offset..offset + size],
            );
            cx.holds(&format!("{size} bytes at offset {offset} left their neighbours alone"), canaries);
        }
    }
}

fn one_byte_past_the_allocation_is_refused(cx: &Cx) {
    let (_, d0, d1) = pair(cx);
    refuses!(cx.cudaMemcpyPeer(d1, 1, d0, 0, N + 1), 1);
    untouched(cx, d1);
}

/// The exact size counts, not that of the allocator's unit.
fn one_byte_past_an_odd_allocation(cx: &Cx) {
    let d0 = cx.filled(0, &[1; 1000]);
    let d1 = cx.filled(1, &[2; 1000]);
    refuses!(cx.cudaMemcpyPeer(d1, 1, d0, 0, 1001), 1);
    answers!(cx.cudaMemcpyPeer(d1, 1, d0, 0, 1000), 0);
}

/// The runtime trusts the pointer, not the number beside it.
fn a_wrong_source_device_is_not_looked_at(cx: &Cx) {
    let (bytes, d0, d1) = pair(cx);
    answers!(cx.cudaMemcpyPeer(d1, 1, d0, 1, N), 0);
    arrived(cx, d1, &bytes);
}

fn a_wrong_destination_device_is_not_looked_at(cx: &Cx) {
    let (bytes, d0, d1) = pair(cx);
    answers!(cx.cudaMemcpyPeer(d1, 0, d0, 0, N), 0);
    arrived(cx, d1, &bytes);
}

fn an_unknown_source_device_is_refused(cx: &Cx) {
    let (_, d0, d1) = pair(cx);
    refuses!(cx.cudaMemcpyPeer(d1, 1, d0, 99, N), 101);
    untouched(cx, d1);
}

fn an_unknown_destination_device_is_refused(cx: &Cx) {
    let (_, d0, d1) = pair(cx);
    refuses!(cx.cudaMemcpyPeer(d1, 99, d0, 0, N), 101);
    untouched(cx, d1);
}

/// The size is looked at before the devices.
fn unknown_devices_and_no_bytes(cx: &Cx) {
    let (_, d0, d1) = pair(cx);
    answers!(cx.cudaMemcpyPeer(d1, 99, d0, 0, 0), 0);
    cx.last(0);
    answers!(cx.cudaMemcpyPeer(d1, 1, d0, -1, 0), 0);
    cx.last(0);
    untouched(cx, d1);
}

fn null_pointers_are_refused(cx: &Cx) {
    let (_, d0, d1) = pair(cx);
    refuses!(cx.cudaMemcpyPeer(null_mut(), 1, d0, 0, N), 1);
    refuses!(cx.cudaMemcpyPeer(d1, 1, null(), 0, N), 1);
    untouched(cx, d1);
}

fn null_pointers_and_no_bytes_are_fine(cx: &Cx) {
    let (_, d0, d1) = pair(cx);
    answers!(cx.cudaMemcpyPeer(null_mut(), 1, d0, 0, 0), 0);
    answers!(cx.cudaMemcpyPeer(d1, 1, null(), 0, 0), 0);
    untouched(cx, d1);
}

fn a_pageable_source_is_refused(cx: &Cx) {
    let (_, _, d1) = pair(cx);
    let host = vec![7_u8; N];
    refuses!(cx.cudaMemcpyPeer(d1, 1, host.as_ptr().cast(), 0, N), 1);
    untouched(cx, d1);
}

fn a_pageable_destination_is_refused(cx: &Cx) {
    let (_, d0, _) = pair(cx);
    let mut host = vec![7_u8; N];
    refuses!(cx.cudaMemcpyPeer(host.as_mut_ptr().cast(), 1, d0, 0, N), 1);
    cx.synchronize(0);
    cx.holds("the host memory is as it was", host.iter().all(|byte| *byte == 7));
}

fn memcpy_device_to_device_crosses_devices(cx: &Cx) {
    let (bytes, d0, d1) = pair(cx);
    answers!(cx.cudaMemcpy(d1, d0, N, cudaMemcpyKind::cudaMemcpyDeviceToDevice), 0);
    arrived(cx, d1, &bytes);
}

fn memcpy_default_crosses_devices(cx: &Cx) {
    let (bytes, d0, d1) = pair(cx);
    answers!(cx.cudaMemcpy(d1, d0, N, cudaMemcpyKind::cudaMemcpyDefault), 0);
    arrived(cx, d1, &bytes);
}

fn async_on_streams_of_either_device(cx: &Cx) {
    for device in [0, 1] {
        let (bytes, d0, d1) = pair(cx);
        let stream = cx.stream(device, cudaStreamNonBlocking);
        cx.on(device, || {
            answers!(cx.cudaMemcpyPeerAsync(d1, 1, d0, 0, N, stream), 0);
            answers!(cx.cudaStreamSynchronize(stream), 0);
        });
        arrived(cx, d1, &bytes);
    }
}

fn async_refuses_what_the_blocking_copy_refuses(cx: &Cx) {
    let (_, d0, d1) = pair(cx);
    refuses!(cx.cudaMemcpyPeerAsync(d1, 1, d0, 0, N + 1, NULL_STREAM), 1);
    refuses!(cx.cudaMemcpyPeerAsync(d1, 99, d0, 0, N, NULL_STREAM), 101);
    refuses!(cx.cudaMemcpyPeerAsync(null_mut(), 1, d0, 0, N, NULL_STREAM), 1);
    answers!(cx.cudaMemcpyPeerAsync(d1, 1, null(), 0, 0, NULL_STREAM), 0);
    cx.last(0);
    untouched(cx, d1);
}

/// Pinned memory passes for memory of a device.
fn a_pinned_host_pointer(cx: &Cx) {
    let (_, d0, _) = pair(cx);
    let mut pinned = null_mut();
    must!(cx.cudaHostAlloc(&mut pinned, N, 0));
    answers!(cx.cudaMemcpyPeer(pinned, 1, d0, 0, N), 0);
    cx.last(0);
    answers!(cx.cudaFreeHost(pinned), 0);
}

fn three_dimensions(cx: &Cx) {
    // Two planes of four rows of 16 bytes out of rows of 32.
    let bytes = cx.pattern(256, 3);
    let d0 = cx.filled(0, &bytes);
    let d1 = cx.filled(1, &[0xEE; 256]);
    let side = |pointer| cudaPitchedPtr { ptr: pointer, pitch: 32, xsize: 32, ysize: 4 };
    // SAFETY: integers and pointers only: zeroes say that no array and no offset is given.
    let mut copy: cudaMemcpy3DPeerParms = unsafe { std::mem::zeroed() };
    copy.srcPtr = side(d0);
    copy.srcDevice = 0;
    copy.dstPtr = side(d1);
    copy.dstDevice = 1;
    copy.extent = cudaExtent { width: 16, height: 4, depth: 2 };
    answers!(cx.cudaMemcpy3DPeer(&copy), 0);
    cx.synchronize(0);
    let got = cx.read(1, d1, 256);
    let right = (0..256).all(|index| got[index] == if index % 32 < 16 { bytes[index] } else { 0xEE });
    cx.holds("the rows arrived and the gaps were left alone", right);
}
