//! Graphs that reach another device, by copies and by kernels.

use std::ptr::null_mut;

use cuda_p2p_sys::cudaMemcpyKind;

use super::capture_state::{begin, end};
use super::graphs::{counting, instance, stream};
use crate::case::{Case, case};
use crate::context::{Cx, answers, must};
use crate::needs::{PEERS, TWO};

pub(super) const CASES: &[Case] = &[
    case!(a_copy_to_a_peer_in_a_graph, PEERS),
    case!(a_copy_to_another_device_in_a_graph, TWO),
    case!(a_kernel_in_a_graph_reaches_a_peer, PEERS.kernels()),
    case!(a_graph_across_two_devices, PEERS.kernels()),
];

/// `cudaMemcpyPeerAsync` cannot be captured; this call does the same and can.
fn copies_to_device_1(cx: &Cx) {
    let bytes = cx.pattern(4097, 41);
    let (d0, stream) = (cx.filled(0, &bytes), stream(cx));
    let d1 = cx.filled(1, &[0xEE; 4097]);
    begin(cx, stream);
    answers!(cx.cudaMemcpyAsync(d1, d0, 4097, cudaMemcpyKind::cudaMemcpyDefault, stream), 0);
    let instance = instance(cx, end(cx, stream));
    answers!(cx.cudaGraphLaunch(instance, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.holds("the bytes arrived", cx.read(1, d1, 4097) == bytes);
}

fn a_copy_to_a_peer_in_a_graph(cx: &Cx) {
    cx.enable(0, 1);
    copies_to_device_1(cx);
}

/// Without access, too.
fn a_copy_to_another_device_in_a_graph(cx: &Cx) {
    let bytes = cx.pattern(4097, 42);
    let (d0, stream) = (cx.filled(0, &bytes), stream(cx));
    let d1 = cx.filled(1, &[0xEE; 4097]);
    let (mut graph, mut instance) = (null_mut(), null_mut());
    begin(cx, stream);
    answers!(cx.cudaMemcpyAsync(d1, d0, 4097, cudaMemcpyKind::cudaMemcpyDefault, stream), 0);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
    answers!(cx.cudaGraphInstantiateWithFlags(&mut instance, graph, 0), 0);
    cx.last(0);
    answers!(cx.cudaGraphLaunch(instance, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.holds("the bytes arrived", cx.read(1, d1, 4097) == bytes);
}

fn a_kernel_in_a_graph_reaches_a_peer(cx: &Cx) {
    cx.enable(0, 1);
    let (theirs, stream) = (cx.word(1, 0), stream(cx));
    let instance = counting(cx, stream, theirs);
    for _ in 0..5 {
        answers!(cx.cudaGraphLaunch(instance, stream), 0);
    }
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("what the owner sees", cx.read_word(1, theirs), 5);
}

/// A fork to a stream of the other device and back: each adds to the same word, one after the other.
fn a_graph_across_two_devices(cx: &Cx) {
    cx.enable(0, 1);
    let (theirs, ours) = (cx.word(1, 0), stream(cx));
    let other = cx.stream(1, cuda_p2p_sys::cudaStreamNonBlocking);
    let (fork, join) = (cx.event(0), cx.event(1));
    let one = crate::test_kernels::Shape::ONE;
    for (device, stream) in [(0, ours), (1, other)] {
        cx.on(device, || cx.count(one, stream, theirs, 0));
        must!(cx.cudaStreamSynchronize(stream));
    }
    let mut graph = null_mut();
    begin(cx, ours);
    cx.count(one, ours, theirs, 1);
    must!(cx.cudaEventRecord(fork, ours));
    must!(cx.cudaStreamWaitEvent(other, fork, 0));
    cx.on(1, || cx.count(one, other, theirs, 10));
    must!(cx.cudaEventRecord(join, other));
    must!(cx.cudaStreamWaitEvent(ours, join, 0));
    cx.count(one, ours, theirs, 100);
    answers!(cx.cudaStreamEndCapture(ours, &mut graph), 0);
    let instance = instance(cx, graph);
    for _ in 0..3 {
        answers!(cx.cudaGraphLaunch(instance, ours), 0);
    }
    answers!(cx.cudaStreamSynchronize(ours), 0);
    cx.value("the sum", cx.read_word(1, theirs), 333);
}
