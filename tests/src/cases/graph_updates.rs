//! Executable graphs that are changed to another graph: `cudaGraphExecUpdate`. Which copies may take the place of which is in
//! `copies`.

mod copies;

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::{
    cudaGraph_t, cudaGraphExec_t, cudaGraphExecUpdateResultInfo, cudaMemcpyKind, cudaStream_t,
    cudaStreamNonBlocking,
};

use super::capture_state::{begin, end};
use super::graphs::{instance, stream};
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};
use crate::test_kernels::Shape;
use copies::{
    a_copy_between_devices, a_copy_between_peers, a_copy_of_rows, a_copy_that_is_pulled,
    a_copy_within_a_device, a_copy_within_a_peer, ends_and_lengths_of_a_copy,
};

pub(super) const CASES: &[Case] = &[
    case!(values_and_places_of_a_kernel, ONE.kernels()),
    case!(another_kernel, ONE.kernels()),
    case!(a_kernel_of_another_device, PEERS.kernels()),
    case!(a_node_of_another_type, ONE.kernels()),
    case!(more_and_fewer_nodes, ONE),
    case!(nodes_that_follow_each_other_otherwise, ONE),
    case!(values_and_lengths_of_a_fill, ONE),
    case!(a_fill_of_rows, ONE),
    case!(a_fill_of_another_device, TWO),
    case!(ends_and_lengths_of_a_copy, ONE),
    case!(a_copy_of_rows, ONE),
    case!(a_copy_between_devices, TWO),
    case!(a_copy_within_a_device, TWO),
    case!(a_copy_between_peers, PEERS),
    case!(a_copy_within_a_peer, PEERS),
    case!(a_copy_that_is_pulled, PEERS),
    case!(no_graph_and_no_place, ONE),
    case!(a_refused_update_changes_nothing, ONE.kernels()),
    case!(an_update_while_it_runs, ONE.kernels()),
    case!(a_graph_is_changed_to_again_and_again, ONE.kernels()),
];

const DEFAULT: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDefault;

/// What `work` puts into `stream`, as a graph.
fn captured<T>(cx: &Cx, stream: cudaStream_t, work: impl FnOnce() -> T) -> cudaGraph_t {
    begin(cx, stream);
    let _: T = work();
    end(cx, stream)
}

/// The update must end so; `result` is `cudaGraphExecUpdateResult`.
fn update(cx: &Cx, what: &str, exec: cudaGraphExec_t, graph: cudaGraph_t, (code, result): (u32, u32)) {
    cx.see("update", what);
    // SAFETY: integers and pointers only.
    let mut info: cudaGraphExecUpdateResultInfo = unsafe { std::mem::zeroed() };
    if code == 0 {
        answers!(cx.cudaGraphExecUpdate(exec, graph, &mut info), 0);
        cx.last(0);
    } else {
        refuses!(cx.cudaGraphExecUpdate(exec, graph, &mut info), code);
    }
    cx.value("result", info.result.0, result);
}

const FINE: (u32, u32) = (0, 0);
const TOPOLOGY: (u32, u32) = (910, 2);
const TYPE: (u32, u32) = (910, 3);
const PARAMETERS: (u32, u32) = (910, 5);
const FUNCTION: (u32, u32) = (910, 7);

/// Waits, so that the kernels are there before a capture.
fn warm(cx: &Cx, stream: cudaStream_t, place: *mut c_void) {
    cx.store_word(stream, place, 0);
    cx.count(Shape::ONE, stream, place, 0);
    must!(cx.cudaStreamSynchronize(stream));
}

fn launched(cx: &Cx, exec: cudaGraphExec_t, stream: cudaStream_t) {
    answers!(cx.cudaGraphLaunch(exec, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
}

fn values_and_places_of_a_kernel(cx: &Cx) {
    let (stream, p, q) = (stream(cx), cx.word(0, 0), cx.word(0, 0));
    warm(cx, stream, p);
    let exec = instance(cx, captured(cx, stream, || cx.store_word(stream, p, 1)));
    update(cx, "value", exec, captured(cx, stream, || cx.store_word(stream, p, 2)), FINE);
    launched(cx, exec, stream);
    cx.value("there", cx.read_word(0, p), 2);
    let graph = captured(cx, stream, || cx.store_word(stream, q, 3));
    update(cx, "place", exec, graph, FINE);
    must!(cx.cudaGraphDestroy(graph));
    launched(cx, exec, stream);
    cx.value("there", (cx.read_word(0, p), cx.read_word(0, q)), (2, 3));
}

fn another_kernel(cx: &Cx) {
    let (stream, p) = (stream(cx), cx.word(0, 5));
    cx.store_word(stream, p, 5);
    cx.count(Shape::ONE, stream, p, 0);
    must!(cx.cudaStreamSynchronize(stream));
    let exec = instance(cx, captured(cx, stream, || cx.store_word(stream, p, 1)));
    update(cx, "kernel", exec, captured(cx, stream, || cx.count(Shape::ONE, stream, p, 3)), FINE);
    launched(cx, exec, stream);
    cx.value("there", cx.read_word(0, p), 8);
    let more = Shape::of(2, 4);
    update(cx, "blocks", exec, captured(cx, stream, || cx.count(more, stream, p, 1)), FINE);
    launched(cx, exec, stream);
    cx.value("there", cx.read_word(0, p), 16);
}

fn a_kernel_of_another_device(cx: &Cx) {
    let (ours, theirs) = (stream(cx), cx.stream(1, cudaStreamNonBlocking));
    let (p, q) = (cx.word(0, 0), cx.word(1, 0));
    warm(cx, ours, p);
    warm(cx, theirs, q);
    let exec = instance(cx, captured(cx, ours, || cx.store_word(ours, p, 1)));
    update(cx, "device", exec, captured(cx, theirs, || cx.store_word(theirs, q, 2)), FUNCTION);
    launched(cx, exec, ours);
    cx.value("there", (cx.read_word(0, p), cx.read_word(1, q)), (1, 0));
}

fn a_node_of_another_type(cx: &Cx) {
    let (stream, p) = (stream(cx), cx.word(0, 0));
    warm(cx, stream, p);
    let store = instance(cx, captured(cx, stream, || cx.store_word(stream, p, 1)));
    let fill = captured(cx, stream, || must!(cx.cudaMemsetAsync(p, 2, 4, stream)));
    let copy = captured(cx, stream, || must!(cx.cudaMemcpyAsync(p, p, 2, DEFAULT, stream)));
    update(cx, "kernel to fill", store, fill, TYPE);
    update(cx, "kernel to copy", store, copy, TYPE);
    let fill = instance(cx, fill);
    update(cx, "fill to copy", fill, copy, TYPE);
    launched(cx, store, stream);
    cx.value("there", cx.read_word(0, p), 1);
}

fn more_and_fewer_nodes(cx: &Cx) {
    let (stream, p) = (stream(cx), cx.filled(0, &[1; 64]));
    let fills = |count: u8| {
        captured(cx, stream, || {
            for value in 0..count {
                must!(cx.cudaMemsetAsync(p, i32::from(value), 64, stream));
            }
        })
    };
    let exec = instance(cx, fills(2));
    update(cx, "one more", exec, fills(3), TOPOLOGY);
    update(cx, "one fewer", exec, fills(1), TOPOLOGY);
    update(cx, "none", exec, fills(0), TOPOLOGY);
    update(cx, "as many", exec, fills(2), FINE);
    let empty = instance(cx, fills(0));
    update(cx, "none to none", empty, fills(0), FINE);
    update(cx, "none to one", empty, fills(1), TOPOLOGY);
    launched(cx, exec, stream);
    cx.value("there", cx.read(0, p, 1), vec![1]);
}

fn nodes_that_follow_each_other_otherwise(cx: &Cx) {
    let (stream, other, p) = (stream(cx), stream(cx), cx.filled(0, &[1; 64]));
    let (fork, join, q) = (cx.event(0), cx.event(0), p.wrapping_byte_add(32));
    let side_by_side = captured(cx, stream, || {
        must!(cx.cudaEventRecord(fork, stream));
        must!(cx.cudaStreamWaitEvent(other, fork, 0));
        must!(cx.cudaMemsetAsync(p, 2, 32, stream));
        must!(cx.cudaMemsetAsync(q, 3, 32, other));
        must!(cx.cudaEventRecord(join, other));
        must!(cx.cudaStreamWaitEvent(stream, join, 0));
    });
    let in_a_row = captured(cx, stream, || {
        must!(cx.cudaMemsetAsync(p, 4, 32, stream));
        must!(cx.cudaMemsetAsync(q, 5, 32, stream));
    });
    let exec = instance(cx, side_by_side);
    update(cx, "in a row", exec, in_a_row, TOPOLOGY);
    let exec = instance(cx, in_a_row);
    update(cx, "side by side", exec, side_by_side, TOPOLOGY);
    launched(cx, exec, stream);
    cx.value("there", (cx.read(0, p, 1), cx.read(0, q, 1)), (vec![4], vec![5]));
}

fn values_and_lengths_of_a_fill(cx: &Cx) {
    let (stream, p, q) = (stream(cx), cx.filled(0, &[1; 256]), cx.filled(0, &[1; 256]));
    let fill =
        |place, value, bytes| captured(cx, stream, || must!(cx.cudaMemsetAsync(place, value, bytes, stream)));
    let exec = instance(cx, fill(p, 2, 64));
    update(cx, "value", exec, fill(p, 3, 64), FINE);
    update(cx, "length", exec, fill(p, 3, 128), FINE);
    update(cx, "odd length", exec, fill(p, 3, 127), FINE);
    update(cx, "place", exec, fill(q, 4, 7), FINE);
    launched(cx, exec, stream);
    cx.value("here", cx.read(0, p, 2), vec![1, 1]);
    cx.value("there", cx.read(0, q, 8), vec![4, 4, 4, 4, 4, 4, 4, 1]);
}

fn a_fill_of_rows(cx: &Cx) {
    let (stream, p) = (stream(cx), cx.filled(0, &[1; 4096]));
    let rows = |place, pitch, value, width, height| {
        captured(cx, stream, || must!(cx.cudaMemset2DAsync(place, pitch, value, width, height, stream)))
    };
    let line = |bytes| captured(cx, stream, || must!(cx.cudaMemsetAsync(p, 2, bytes, stream)));
    let exec = instance(cx, rows(p, 64, 2, 16, 4));
    update(cx, "same", exec, rows(p, 64, 2, 16, 4), FINE);
    update(cx, "value", exec, rows(p, 64, 3, 16, 4), FINE);
    update(cx, "place", exec, rows(p.wrapping_byte_add(1024), 64, 3, 16, 4), FINE);
    update(cx, "width", exec, rows(p, 64, 3, 8, 4), PARAMETERS);
    update(cx, "height", exec, rows(p, 64, 3, 16, 3), PARAMETERS);
    update(cx, "pitch", exec, rows(p, 128, 3, 16, 4), PARAMETERS);
    update(cx, "one row", exec, rows(p, 64, 3, 16, 1), PARAMETERS);
    update(cx, "a line", exec, line(64), PARAMETERS);
    launched(cx, exec, stream);
    cx.value(
        "there",
        (cx.read(0, p, 1), cx.read(0, p.wrapping_byte_add(1024), 17)[15..].to_vec()),
        (vec![1], vec![3, 1]),
    );
    let exec = instance(cx, line(64));
    update(cx, "line to rows", exec, rows(p, 64, 2, 16, 4), PARAMETERS);
    update(cx, "line to one row", exec, rows(p, 64, 2, 16, 1), FINE);
}

fn a_fill_of_another_device(cx: &Cx) {
    let (ours, theirs) = (stream(cx), cx.stream(1, cudaStreamNonBlocking));
    let (p, q) = (cx.filled(0, &[1; 64]), cx.filled(1, &[1; 64]));
    let exec = instance(cx, captured(cx, ours, || must!(cx.cudaMemsetAsync(p, 2, 64, ours))));
    let other = captured(cx, theirs, || must!(cx.cudaMemsetAsync(q, 3, 64, theirs)));
    update(cx, "device", exec, other, PARAMETERS);
    launched(cx, exec, ours);
    cx.value("there", (cx.read(0, p, 1), cx.read(1, q, 1)), (vec![2], vec![1]));
}

fn no_graph_and_no_place(cx: &Cx) {
    let (stream, p) = (stream(cx), cx.filled(0, &[1; 64]));
    let fill = |value| captured(cx, stream, || must!(cx.cudaMemsetAsync(p, value, 64, stream)));
    let (graph, nothing) = (fill(2), captured(cx, stream, || ()));
    let exec = instance(cx, fill(3));
    // SAFETY: integers and pointers only.
    let mut info: cudaGraphExecUpdateResultInfo = unsafe { std::mem::zeroed() };
    refuses!(cx.cudaGraphExecUpdate(null_mut(), graph, &mut info), 1);
    refuses!(cx.cudaGraphExecUpdate(exec, null_mut(), &mut info), 1);
    answers!(cx.cudaGraphExecUpdate(exec, graph, null_mut()), 0);
    refuses!(cx.cudaGraphExecUpdate(exec, nothing, null_mut()), 910);
    launched(cx, exec, stream);
    cx.value("there", cx.read(0, p, 1), vec![2]);
}

/// Of two nodes the first could be changed, and the second cannot.
fn a_refused_update_changes_nothing(cx: &Cx) {
    let (stream, p) = (stream(cx), cx.filled(0, &[0; 8]));
    let q = p.wrapping_byte_add(4);
    warm(cx, stream, p);
    let both = |first, fill: bool| {
        captured(cx, stream, || {
            cx.store_word(stream, p, first);
            match fill {
                true => {
                    must!(cx.cudaMemsetAsync(q, 0, 4, stream));
                }
                false => cx.store_word(stream, q, 7),
            }
        })
    };
    let exec = instance(cx, both(1, false));
    update(cx, "second of another type", exec, both(2, true), TYPE);
    launched(cx, exec, stream);
    cx.value("there", (cx.read_word(0, p), cx.read_word(0, q)), (1, 7));
}

fn an_update_while_it_runs(cx: &Cx) {
    let (stream, p) = (stream(cx), cx.filled(0, &[0; 8]));
    let q = p.wrapping_byte_add(4);
    cx.store(stream, p, 0, 0);
    must!(cx.cudaStreamSynchronize(stream));
    let store = |place, value| captured(cx, stream, || cx.store(stream, place, value, 50));
    let exec = instance(cx, store(p, 1));
    answers!(cx.cudaGraphLaunch(exec, stream), 0);
    update(cx, "place and value", exec, store(q, 2), FINE);
    answers!(cx.cudaStreamQuery(stream), 600);
    launched(cx, exec, stream);
    cx.value("there", (cx.read_word(0, p), cx.read_word(0, q)), (1, 2));
}

fn a_graph_is_changed_to_again_and_again(cx: &Cx) {
    let (stream, p) = (stream(cx), cx.word(0, 0));
    warm(cx, stream, p);
    let exec = instance(cx, captured(cx, stream, || cx.count(Shape::ONE, stream, p, 1)));
    for times in 1..5 {
        let graph = captured(cx, stream, || cx.count(Shape::ONE, stream, p, times));
        update(cx, "times", exec, graph, FINE);
        must!(cx.cudaGraphDestroy(graph));
        answers!(cx.cudaGraphLaunch(exec, stream), 0);
    }
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("the sum", cx.read_word(0, p), 10);
}
