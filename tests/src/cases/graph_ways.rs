//! The way that copies and kernels of a graph take to another device, and what comes of it if access changes: a copy takes the
//! way that is open when the graph is instantiated, for good.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::{cudaGraph_t, cudaGraphExec_t, cudaMemcpyKind, cudaStream_t, cudaStreamNonBlocking};

use super::capture_state::{begin, end};
use super::graphs::{counting, instance, stream};
use crate::case::{Case, case};
use crate::context::{Cx, answers, must};
use crate::needs::PEERS;

pub(super) const CASES: &[Case] = &[
    case!(a_way_through_the_host_stays, PEERS),
    case!(a_closed_way_ends_in_a_fault, PEERS).poisons(),
    case!(a_way_is_open_at_the_instantiation, PEERS).poisons(),
    case!(an_update_opens_no_way, PEERS),
    case!(the_other_direction_is_another_way, PEERS).poisons(),
    case!(of_both_directions_the_source_pushes, PEERS).poisons(),
    case!(of_both_directions_the_destination_is_not_needed, PEERS),
    case!(in_a_stream_of_the_destination_the_source_pushes_too, PEERS).poisons(),
    case!(in_a_stream_of_the_destination_its_access_is_not_needed, PEERS),
    case!(rows_take_a_way_for_good_too, PEERS).poisons(),
    case!(a_kernel_needs_access_at_the_launch, PEERS.kernels()).poisons(),
    case!(a_kernel_takes_access_that_came_later, PEERS.kernels()),
    case!(a_graph_is_launched_in_a_stream_of_another_device, PEERS.kernels()),
    case!(to_wait_for_a_device_is_not_to_wait_for_a_graph_of_another, PEERS.kernels()),
    case!(a_graph_is_destroyed_while_it_runs, PEERS.kernels()),
];

const DEFAULT: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDefault;
const N: usize = 4097;

/// A copy from device 0 to device 1, as a graph.
struct CopyGraph {
    from: *mut c_void,
    to: *mut c_void,
    stream: cudaStream_t,
    graph: cudaGraph_t,
}

impl CopyGraph {
    fn new(cx: &Cx, stream: cudaStream_t) -> Self {
        let (from, to) = (cx.filled(0, &[1; N]), cx.filled(1, &[0xEE; N]));
        begin(cx, stream);
        answers!(cx.cudaMemcpyAsync(to, from, N, DEFAULT, stream), 0);
        Self { from, to, stream, graph: end(cx, stream) }
    }

    /// Launches it, with other bytes, which must arrive.
    fn arrives(&self, cx: &Cx, exec: cudaGraphExec_t, seed: u32) {
        let bytes = cx.pattern(N, seed);
        cx.write(0, self.from, &bytes);
        answers!(cx.cudaGraphLaunch(exec, self.stream), 0);
        answers!(cx.cudaStreamSynchronize(self.stream), 0);
        cx.holds("the bytes arrived", cx.read(1, self.to, N) == bytes);
    }

    /// Launches it, which must end in that error.
    fn faults(&self, cx: &Cx, exec: cudaGraphExec_t, code: u32) {
        must!(cx.cudaDeviceSynchronize());
        answers!(cx.cudaGraphLaunch(exec, self.stream), 0);
        answers!(cx.cudaStreamSynchronize(self.stream), code);
    }
}

fn disable(cx: &Cx, accessor: i32, owner: i32) {
    cx.on(accessor, || {
        must!(cx.cudaDeviceDisablePeerAccess(owner), "cudaDeviceDisablePeerAccess({owner})");
    });
}

fn theirs(cx: &Cx) -> cudaStream_t {
    cx.stream(1, cudaStreamNonBlocking)
}

fn a_way_through_the_host_stays(cx: &Cx) {
    let copy = CopyGraph::new(cx, stream(cx));
    let exec = instance(cx, copy.graph);
    copy.arrives(cx, exec, 1);
    cx.enable(0, 1);
    copy.arrives(cx, exec, 2);
    disable(cx, 0, 1);
    copy.arrives(cx, exec, 3);
}

fn a_closed_way_ends_in_a_fault(cx: &Cx) {
    cx.enable(0, 1);
    let copy = CopyGraph::new(cx, stream(cx));
    let exec = instance(cx, copy.graph);
    copy.arrives(cx, exec, 1);
    disable(cx, 0, 1);
    copy.faults(cx, exec, 719);
}

/// Not at the capture, and not at the first launch.
fn a_way_is_open_at_the_instantiation(cx: &Cx) {
    let copy = CopyGraph::new(cx, stream(cx));
    cx.enable(0, 1);
    let exec = instance(cx, copy.graph);
    disable(cx, 0, 1);
    copy.faults(cx, exec, 719);
}

fn an_update_opens_no_way(cx: &Cx) {
    let copy = CopyGraph::new(cx, stream(cx));
    let exec = instance(cx, copy.graph);
    cx.enable(0, 1);
    let graph = copy.graph;
    answers!(cx.cudaGraphExecUpdate(exec, graph, null_mut()), 0);
    disable(cx, 0, 1);
    copy.arrives(cx, exec, 1);
}

fn the_other_direction_is_another_way(cx: &Cx) {
    cx.enable(0, 1);
    let copy = CopyGraph::new(cx, stream(cx));
    let exec = instance(cx, copy.graph);
    cx.enable(1, 0);
    disable(cx, 0, 1);
    copy.faults(cx, exec, 719);
}

fn of_both_directions_the_source_pushes(cx: &Cx) {
    cx.enable(0, 1);
    cx.enable(1, 0);
    let copy = CopyGraph::new(cx, stream(cx));
    let exec = instance(cx, copy.graph);
    disable(cx, 0, 1);
    copy.faults(cx, exec, 719);
}

fn of_both_directions_the_destination_is_not_needed(cx: &Cx) {
    cx.enable(0, 1);
    cx.enable(1, 0);
    let copy = CopyGraph::new(cx, stream(cx));
    let exec = instance(cx, copy.graph);
    disable(cx, 1, 0);
    copy.arrives(cx, exec, 1);
}

fn in_a_stream_of_the_destination_the_source_pushes_too(cx: &Cx) {
    cx.enable(0, 1);
    cx.enable(1, 0);
    let copy = CopyGraph::new(cx, theirs(cx));
    let exec = instance(cx, copy.graph);
    disable(cx, 0, 1);
    copy.faults(cx, exec, 719);
}

fn in_a_stream_of_the_destination_its_access_is_not_needed(cx: &Cx) {
    cx.enable(0, 1);
    cx.enable(1, 0);
    let copy = CopyGraph::new(cx, theirs(cx));
    let exec = instance(cx, copy.graph);
    disable(cx, 1, 0);
    copy.arrives(cx, exec, 1);
}

fn rows_take_a_way_for_good_too(cx: &Cx) {
    cx.enable(0, 1);
    let (p, q, stream) = (cx.filled(1, &[0xEE; N]), cx.filled(0, &[1; N]), stream(cx));
    begin(cx, stream);
    answers!(cx.cudaMemcpy2DAsync(p, 64, q, 64, 32, 64, DEFAULT, stream), 0);
    let exec = instance(cx, end(cx, stream));
    answers!(cx.cudaGraphLaunch(exec, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("there", cx.read(1, p, 33)[31..].to_vec(), vec![1, 0xEE]);
    disable(cx, 0, 1);
    must!(cx.cudaDeviceSynchronize());
    answers!(cx.cudaGraphLaunch(exec, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 719);
}

fn a_kernel_needs_access_at_the_launch(cx: &Cx) {
    cx.enable(0, 1);
    let (word, stream) = (cx.word(1, 0), stream(cx));
    let exec = counting(cx, stream, word);
    disable(cx, 0, 1);
    must!(cx.cudaDeviceSynchronize());
    answers!(cx.cudaGraphLaunch(exec, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 700);
}

fn a_kernel_takes_access_that_came_later(cx: &Cx) {
    let (here, word, stream) = (cx.word(0, 0), cx.word(1, 0), stream(cx));
    cx.count(crate::test_kernels::Shape::ONE, stream, here, 0);
    must!(cx.cudaStreamSynchronize(stream));
    begin(cx, stream);
    cx.count(crate::test_kernels::Shape::ONE, stream, word, 3);
    let exec = instance(cx, end(cx, stream));
    cx.enable(0, 1);
    answers!(cx.cudaGraphLaunch(exec, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("there", cx.read_word(1, word), 3);
}

fn a_graph_is_launched_in_a_stream_of_another_device(cx: &Cx) {
    let (word, ours, theirs) = (cx.word(0, 0), stream(cx), theirs(cx));
    let exec = counting(cx, ours, word);
    answers!(cx.cudaGraphLaunch(exec, theirs), 0);
    answers!(cx.cudaStreamSynchronize(theirs), 0);
    cx.value("there", cx.read_word(0, word), 1);
}

/// A graph whose one node runs on device 1, for 200 ms.
fn on_device_1(cx: &Cx, word: *mut c_void, ours: cudaStream_t) -> cudaGraphExec_t {
    let (theirs, fork, join) = (theirs(cx), cx.event(0), cx.event(1));
    cx.store(theirs, word, 0, 0);
    must!(cx.cudaStreamSynchronize(theirs));
    begin(cx, ours);
    must!(cx.cudaEventRecord(fork, ours));
    must!(cx.cudaStreamWaitEvent(theirs, fork, 0));
    cx.store(theirs, word, 5, 200);
    must!(cx.cudaEventRecord(join, theirs));
    must!(cx.cudaStreamWaitEvent(ours, join, 0));
    instance(cx, end(cx, ours))
}

/// The graph counts as work of the stream's device, wherever its nodes run.
fn to_wait_for_a_device_is_not_to_wait_for_a_graph_of_another(cx: &Cx) {
    let (word, ours) = (cx.word(1, 0), stream(cx));
    let exec = on_device_1(cx, word, ours);
    answers!(cx.cudaGraphLaunch(exec, ours), 0);
    cx.on(1, || answers!(cx.cudaDeviceSynchronize(), 0));
    answers!(cx.cudaStreamQuery(ours), 600);
    answers!(cx.cudaDeviceSynchronize(), 0);
    answers!(cx.cudaStreamQuery(ours), 0);
    cx.value("there", cx.read_word(1, word), 5);
}

fn a_graph_is_destroyed_while_it_runs(cx: &Cx) {
    let (word, ours) = (cx.word(1, 0), stream(cx));
    let exec = on_device_1(cx, word, ours);
    answers!(cx.cudaGraphLaunch(exec, ours), 0);
    answers!(cx.cudaGraphExecDestroy(exec), 0);
    answers!(cx.cudaStreamQuery(ours), 600);
    answers!(cx.cudaStreamSynchronize(ours), 0);
    cx.value("there", cx.read_word(1, word), 5);
}
