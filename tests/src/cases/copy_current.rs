//! A copy on a stream of device 1 while device 0 is current: that it is allowed depends on what the memory is.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::{cudaMemcpyKind, cudaStream_t, cudaStreamNonBlocking};

use super::pools::properties;
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{PEERS, TWO};

pub(super) const CASES: &[Case] = &[
    case!(memory_of_cuda_malloc_needs_nothing, TWO),
    case!(memory_of_a_pool_needs_its_own_device, TWO.pools()),
    case!(memory_of_a_pool_with_peer_access_alone, PEERS.pools()),
];

const TO_DEVICE: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyHostToDevice;

/// A stream of device 1.
fn stream_of_one(cx: &Cx) -> cudaStream_t {
    let mut stream = null_mut();
    cx.on(1, || must!(cx.cudaStreamCreateWithFlags(&mut stream, cudaStreamNonBlocking)));
    stream
}

/// Four bytes of a new pool of device 1, which is opened to nobody.
fn pool_memory(cx: &Cx, stream: cudaStream_t) -> *mut c_void {
    let (mut pool, mut place, properties) = (null_mut(), null_mut(), properties(1));
    cx.on(1, || {
        must!(cx.cudaMemPoolCreate(&mut pool, &properties));
        must!(cx.cudaMallocFromPoolAsync(&mut place, 4, pool, stream));
        must!(cx.cudaStreamSynchronize(stream));
    });
    place
}

fn memory_of_cuda_malloc_needs_nothing(cx: &Cx) {
    let (stream, place, value) = (stream_of_one(cx), cx.malloc(1, 4), 7_u32);
    let from = (&raw const value).cast();
    answers!(cx.cudaMemcpyAsync(place, from, 4, TO_DEVICE, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("what is there", cx.read_word(1, place), 7);
}

fn memory_of_a_pool_needs_its_own_device(cx: &Cx) {
    let (stream, value) = (stream_of_one(cx), 7_u32);
    let (place, from) = (pool_memory(cx, stream), (&raw const value).cast());
    refuses!(cx.cudaMemcpyAsync(place, from, 4, TO_DEVICE, stream), 1);
    must!(cx.cudaSetDevice(1));
    answers!(cx.cudaMemcpyAsync(place, from, 4, TO_DEVICE, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    must!(cx.cudaSetDevice(0));
    cx.value("what is there", cx.read_word(1, place), 7);
}

/// Peer access does not cover it.
fn memory_of_a_pool_with_peer_access_alone(cx: &Cx) {
    let (stream, value) = (stream_of_one(cx), 7_u32);
    let (place, from) = (pool_memory(cx, stream), (&raw const value).cast());
    cx.enable(0, 1);
    refuses!(cx.cudaMemcpyAsync(place, from, 4, TO_DEVICE, stream), 1);
    answers!(cx.cudaStreamSynchronize(stream), 0);
}
