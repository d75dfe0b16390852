//! Graphs that a capture made: what is in them, and that launching them does it. Those that reach another device are in
//! `peer_graphs`.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::{
    cudaGraph_t, cudaGraphExec_t, cudaGraphNodeType, cudaMemcpyKind, cudaStream_t, cudaStreamDefault,
    cudaStreamNonBlocking,
};

use super::capture_state::{begin, end};
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::ONE;
use crate::setup::NULL_STREAM;
use crate::test_kernels::Shape;

pub(super) const CASES: &[Case] = &[
    case!(capturing_does_nothing_and_launching_does_it, ONE),
    case!(a_graph_counts_its_nodes, ONE.kernels()),
    case!(nodes_have_types, ONE.kernels()),
    case!(nothing_is_no_graph, ONE),
    case!(a_graph_is_launched_in_either_stream, ONE),
    case!(a_graph_outlives_what_it_was_made_from, ONE.kernels()),
    case!(launches_of_one_graph_follow_each_other, ONE.kernels()),
    case!(a_thousand_launches, ONE.kernels()),
    case!(a_graph_keeps_the_order_of_its_stream, ONE.kernels()),
    case!(a_fork_in_a_graph_is_joined, ONE.kernels()),
    case!(an_empty_graph_can_be_launched, ONE),
    case!(a_clone_is_a_graph_of_its_own, ONE),
    case!(uploading_is_not_launching, ONE),
    case!(a_launch_during_a_capture_launches_nothing, ONE),
];

const D2D: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDeviceToDevice;

pub(super) fn stream(cx: &Cx) -> cudaStream_t {
    cx.stream(0, cudaStreamNonBlocking)
}

pub(super) fn instance(cx: &Cx, graph: cudaGraph_t) -> cudaGraphExec_t {
    let mut instance = null_mut();
    answers!(cx.cudaGraphInstantiateWithFlags(&mut instance, graph, 0), 0);
    instance
}

/// A graph that adds 1 to a word.
pub(super) fn counting(cx: &Cx, stream: cudaStream_t, word: *mut c_void) -> cudaGraphExec_t {
    // The kernel is found before the capture: loading is not allowed in one.
    cx.count(Shape::ONE, stream, word, 0);
    must!(cx.cudaStreamSynchronize(stream));
    begin(cx, stream);
    cx.count(Shape::ONE, stream, word, 1);
    instance(cx, end(cx, stream))
}

fn capturing_does_nothing_and_launching_does_it(cx: &Cx) {
    let (place, stream) = (cx.filled(0, &[1; 64]), stream(cx));
    begin(cx, stream);
    answers!(cx.cudaMemsetAsync(place, 2, 64, stream), 0);
    let graph = end(cx, stream);
    cx.value("the first byte", cx.read(0, place, 1), vec![1]);
    let instance = instance(cx, graph);
    cx.value("the first byte", cx.read(0, place, 1), vec![1]);
    answers!(cx.cudaGraphLaunch(instance, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("the first byte", cx.read(0, place, 1), vec![2]);
    answers!(cx.cudaGraphExecDestroy(instance), 0);
    answers!(cx.cudaGraphDestroy(graph), 0);
}

fn nodes(cx: &Cx, graph: cudaGraph_t) -> usize {
    let mut count = 99;
    answers!(cx.cudaGraphGetNodes(graph, null_mut(), &mut count), 0);
    count
}

/// A memset, a copy and a kernel, in one stream.
fn three_nodes(cx: &Cx) -> cudaGraph_t {
    let (place, stream) = (cx.filled(0, &[1; 64]), stream(cx));
    let source = place.wrapping_byte_add(32);
    cx.store_word(stream, place, 1);
    must!(cx.cudaStreamSynchronize(stream));
    begin(cx, stream);
    must!(cx.cudaMemsetAsync(place, 2, 16, stream));
    must!(cx.cudaMemcpyAsync(place, source, 16, D2D, stream));
    cx.store_word(stream, place, 7);
    end(cx, stream)
}

fn a_graph_counts_its_nodes(cx: &Cx) {
    let graph = three_nodes(cx);
    cx.value("nodes", nodes(cx, graph), 3);
}

fn nodes_have_types(cx: &Cx) {
    let graph = three_nodes(cx);
    let (mut found, mut count) = ([null_mut(); 3], 3);
    answers!(cx.cudaGraphGetNodes(graph, found.as_mut_ptr(), &mut count), 0);
    let mut types = found.map(|node| {
        let mut kind = cudaGraphNodeType(99);
        answers!(cx.cudaGraphNodeGetType(node, &mut kind), 0);
        kind.0
    });
    types.sort_unstable();
    cx.value("types: kernel, memcpy, memset", types, [0, 1, 2]);
}

fn nothing_is_no_graph(cx: &Cx) {
    let stream = stream(cx);
    let mut instance = null_mut();
    refuses!(cx.cudaGraphLaunch(null_mut(), stream), 1);
    refuses!(cx.cudaGraphInstantiateWithFlags(&mut instance, null_mut(), 0), 1);
    refuses!(cx.cudaGraphDestroy(null_mut()), 1);
    refuses!(cx.cudaGraphExecDestroy(null_mut()), 1);
}

fn a_graph_is_launched_in_either_stream(cx: &Cx) {
    let (place, first) = (cx.filled(0, &[1; 64]), cx.stream(0, cudaStreamDefault));
    begin(cx, first);
    must!(cx.cudaMemsetAsync(place, 2, 64, first));
    let instance = instance(cx, end(cx, first));
    answers!(cx.cudaGraphLaunch(instance, first), 0);
    answers!(cx.cudaGraphLaunch(instance, NULL_STREAM), 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("the first byte", cx.read(0, place, 1), vec![2]);
    answers!(cx.cudaGraphExecDestroy(instance), 0);
}

fn a_graph_outlives_what_it_was_made_from(cx: &Cx) {
    let (place, first) = (cx.word(0, 1), stream(cx));
    cx.store_word(first, place, 1);
    must!(cx.cudaStreamSynchronize(first));
    begin(cx, first);
    cx.store_word(first, place, 2);
    let graph = end(cx, first);
    let instance = instance(cx, graph);
    answers!(cx.cudaGraphDestroy(graph), 0);
    answers!(cx.cudaStreamDestroy(first), 0);
    let second = stream(cx);
    answers!(cx.cudaGraphLaunch(instance, second), 0);
    answers!(cx.cudaStreamSynchronize(second), 0);
    cx.value("what was stored", cx.read_word(0, place), 2);
}

/// Also when they are launched in different streams.
fn launches_of_one_graph_follow_each_other(cx: &Cx) {
    let (word, first) = (cx.word(0, 0), stream(cx));
    let second = stream(cx);
    let instance = counting(cx, first, word);
    for _ in 0..10 {
        answers!(cx.cudaGraphLaunch(instance, first), 0);
        answers!(cx.cudaGraphLaunch(instance, second), 0);
    }
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("the sum", cx.read_word(0, word), 20);
}

/// Between them, a kernel that is launched on its own now and then.
fn a_thousand_launches(cx: &Cx) {
    let (word, stream) = (cx.word(0, 0), stream(cx));
    let instance = counting(cx, stream, word);
    let mut failures = 0;
    for round in 0..1000 {
        let launch = cx.table.cudaGraphLaunch;
        // SAFETY: the instance and the stream live until the end of the case.
        let status = launch.map(|function| unsafe { function(instance, stream) });
        failures += usize::from(status != Some(cuda_p2p_sys::cudaError::cudaSuccess));
        if round % 100 == 0 {
            cx.count(Shape::ONE, stream, word, 1);
        }
    }
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("failed launches", failures, 0);
    cx.value("the sum", cx.read_word(0, word), 1010);
}

fn a_graph_keeps_the_order_of_its_stream(cx: &Cx) {
    let (place, stream) = (cx.word(0, 0), stream(cx));
    cx.store(stream, place, 1, 0);
    cx.count(Shape::ONE, stream, place, 0);
    must!(cx.cudaStreamSynchronize(stream));
    begin(cx, stream);
    cx.store(stream, place, 10, 50);
    cx.count(Shape::ONE, stream, place, 5);
    must!(cx.cudaMemsetAsync(place.wrapping_byte_add(1), 1, 1, stream));
    let instance = instance(cx, end(cx, stream));
    for _ in 0..3 {
        answers!(cx.cudaGraphLaunch(instance, stream), 0);
    }
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("stored, counted, and set", cx.read_word(0, place), 256 + 15);
}

fn a_fork_in_a_graph_is_joined(cx: &Cx) {
    let (ours, sum) = (cx.word(0, 0), cx.word(0, 0));
    let (first, second) = (stream(cx), stream(cx));
    let (fork, join) = (cx.event(0), cx.event(0));
    cx.store(first, ours, 0, 0);
    cx.copy(first, sum, ours, 4);
    must!(cx.cudaStreamSynchronize(first));
    begin(cx, first);
    must!(cx.cudaEventRecord(fork, first));
    must!(cx.cudaStreamWaitEvent(second, fork, 0));
    cx.store(second, ours, 9, 50);
    must!(cx.cudaEventRecord(join, second));
    must!(cx.cudaStreamWaitEvent(first, join, 0));
    cx.copy(first, sum, ours, 4);
    let instance = instance(cx, end(cx, first));
    answers!(cx.cudaGraphLaunch(instance, first), 0);
    answers!(cx.cudaStreamSynchronize(first), 0);
    cx.value("what the joined kernel read", cx.read_word(0, sum), 9);
}

fn an_empty_graph_can_be_launched(cx: &Cx) {
    let stream = stream(cx);
    begin(cx, stream);
    let graph = end(cx, stream);
    cx.value("nodes", nodes(cx, graph), 0);
    let instance = instance(cx, graph);
    answers!(cx.cudaGraphLaunch(instance, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
}

fn a_clone_is_a_graph_of_its_own(cx: &Cx) {
    let (place, stream) = (cx.filled(0, &[1; 64]), stream(cx));
    begin(cx, stream);
    must!(cx.cudaMemsetAsync(place, 2, 64, stream));
    let graph = end(cx, stream);
    let mut clone = null_mut();
    answers!(cx.cudaGraphClone(&mut clone, graph), 0);
    answers!(cx.cudaGraphDestroy(graph), 0);
    cx.value("nodes", nodes(cx, clone), 1);
    let instance = instance(cx, clone);
    answers!(cx.cudaGraphLaunch(instance, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("the first byte", cx.read(0, place, 1), vec![2]);
}

fn uploading_is_not_launching(cx: &Cx) {
    let (place, stream) = (cx.filled(0, &[1; 64]), stream(cx));
    begin(cx, stream);
    must!(cx.cudaMemsetAsync(place, 2, 64, stream));
    let instance = instance(cx, end(cx, stream));
    answers!(cx.cudaGraphUpload(instance, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("the first byte", cx.read(0, place, 1), vec![1]);
    refuses!(cx.cudaGraphUpload(null_mut(), stream), 1);
}

/// It becomes a part of what is captured, or it is refused; it must not be launched.
fn a_launch_during_a_capture_launches_nothing(cx: &Cx) {
    let (place, stream) = (cx.filled(0, &[1; 64]), stream(cx));
    begin(cx, stream);
    must!(cx.cudaMemsetAsync(place, 2, 64, stream));
    let instance = instance(cx, end(cx, stream));
    let mut graph = null_mut();
    begin(cx, stream);
    answers!(cx.cudaGraphLaunch(instance, stream), 900);
    refuses!(cx.cudaStreamEndCapture(stream, &mut graph), 901);
    cx.value("the first byte", cx.read(0, place, 1), vec![1]);
}
