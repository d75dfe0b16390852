//! Memory of the host in graphs: copies from and to it, when it is read, and what an update takes.

use std::ffi::c_void;
use std::ptr::{from_mut, null_mut};

use cuda_p2p_sys::{
    cudaGraph_t, cudaGraphExec_t, cudaGraphExecUpdateResultInfo, cudaHostAllocPortable, cudaMemcpyKind,
    cudaStream_t, cudaStreamNonBlocking,
};

use super::capture_state::{FREE, begin, end, status_is};
use super::graphs::{instance, stream};
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, record};
use crate::needs::{ONE, PEERS, TWO};

pub(super) const CASES: &[Case] = &[
    case!(pinned_memory_goes_up_and_down, ONE),
    case!(pinned_memory_of_another_device, TWO),
    case!(registered_memory_goes_up_and_down, ONE),
    case!(rows_of_pinned_memory, ONE),
    case!(pinned_memory_is_read_when_the_copy_runs, ONE.kernels()),
    case!(from_pinned_memory_by_two_devices_and_back, PEERS),
    case!(pageable_memory_in_a_capture, ONE),
    case!(an_update_to_other_pinned_memory, ONE),
    case!(an_update_of_a_copy_between_a_device_and_pinned_memory, TWO),
    case!(an_update_to_pinned_memory_of_another_device, TWO),
];

const DEFAULT: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDefault;
const UP: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyHostToDevice;
const DOWN: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDeviceToHost;
const N: usize = 4097;

/// Pinned memory that was allocated while a device was current.
fn pinned(cx: &Cx, device: i32, bytes: &[u8]) -> *mut c_void {
    let mut place = null_mut();
    cx.on(device, || {
        must!(cx.cudaHostAlloc(&mut place, bytes.len(), cudaHostAllocPortable));
    });
    put(place, bytes);
    place
}

/// Writes host memory that no copy is just at.
fn put(place: *mut c_void, bytes: &[u8]) {
    // SAFETY: so many bytes of host memory of the case's own; work that uses it is done, or held up.
    unsafe { place.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
}

/// Reads it.
fn found(place: *mut c_void, bytes: usize) -> Vec<u8> {
    // SAFETY: as above, and all of it is written.
    unsafe { std::slice::from_raw_parts(place.cast::<u8>().cast_const(), bytes) }.to_vec()
}

/// From host memory to a device's and from there to other host memory: exact at each launch, with other bytes each time.
fn goes_up_and_down(cx: &Cx, up: *mut c_void, down: *mut c_void) {
    let (there, stream) = (cx.malloc(0, N), stream(cx));
    begin(cx, stream);
    record!(cx.cudaMemcpyAsync(there, up, N, UP, stream));
    record!(cx.cudaMemcpyAsync(down, there, N, DOWN, stream));
    let exec = instance(cx, end(cx, stream));
    for seed in 1..4 {
        let bytes = cx.pattern(N, seed);
        put(up, &bytes);
        answers!(cx.cudaGraphLaunch(exec, stream), 0);
        answers!(cx.cudaStreamSynchronize(stream), 0);
        cx.holds("the bytes came back", found(down, N) == bytes);
    }
}

fn pinned_memory_goes_up_and_down(cx: &Cx) {
    let (up, down) = (pinned(cx, 0, &[1; N]), pinned(cx, 0, &[2; N]));
    goes_up_and_down(cx, up, down);
}

fn pinned_memory_of_another_device(cx: &Cx) {
    let (up, down) = (pinned(cx, 1, &[1; N]), pinned(cx, 1, &[2; N]));
    goes_up_and_down(cx, up, down);
}

fn registered_memory_goes_up_and_down(cx: &Cx) {
    let mut pages = [vec![1_u8; 2 * 8192], vec![2_u8; 2 * 8192]];
    let [up, down] = pages.each_mut().map(|pages| {
        let start = pages.as_ptr().align_offset(4096);
        from_mut(&mut pages[start..]).cast::<c_void>()
    });
    must!(cx.cudaHostRegister(up, 8192, 0));
    must!(cx.cudaHostRegister(down, 8192, 0));
    goes_up_and_down(cx, up, down);
    answers!(cx.cudaHostUnregister(up), 0);
    answers!(cx.cudaHostUnregister(down), 0);
}

fn rows_of_pinned_memory(cx: &Cx) {
    let (up, down, stream) = (pinned(cx, 0, &cx.pattern(4096, 1)), pinned(cx, 0, &[0; 4096]), stream(cx));
    let there = cx.filled(0, &[9; 4096]);
    begin(cx, stream);
    record!(cx.cudaMemcpy2DAsync(there, 64, up, 64, 16, 64, DEFAULT, stream));
    record!(cx.cudaMemcpy2DAsync(down, 64, there, 64, 17, 64, DEFAULT, stream));
    let exec = instance(cx, end(cx, stream));
    answers!(cx.cudaGraphLaunch(exec, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    let (from, to) = (found(up, 4096), found(down, 4096));
    let row = |at: usize| to[at..at + 16] == from[at..at + 16] && to[at + 16..at + 18] == [9, 0];
    cx.holds("the rows came back", (0..64).all(|index| row(64 * index)));
}

/// Written while the launch is held up before the copy.
fn pinned_memory_is_read_when_the_copy_runs(cx: &Cx) {
    let (up, there, word, stream) =
        (pinned(cx, 0, &[1; 64]), cx.filled(0, &[0; 64]), cx.word(0, 0), stream(cx));
    cx.store(stream, word, 0, 0);
    must!(cx.cudaStreamSynchronize(stream));
    begin(cx, stream);
    cx.store(stream, word, 1, 200);
    record!(cx.cudaMemcpyAsync(there, up, 64, UP, stream));
    let exec = instance(cx, end(cx, stream));
    answers!(cx.cudaGraphLaunch(exec, stream), 0);
    put(up, &[2; 64]);
    answers!(cx.cudaStreamQuery(stream), 600);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.see("there", cx.read(0, there, 2));
}

fn from_pinned_memory_by_two_devices_and_back(cx: &Cx) {
    cx.enable(0, 1);
    let (up, down) = (pinned(cx, 0, &[1; N]), pinned(cx, 0, &[2; N]));
    let (p, q) = (cx.malloc(0, N), cx.malloc(1, N));
    let (ours, theirs) = (stream(cx), cx.stream(1, cudaStreamNonBlocking));
    let (fork, join) = (cx.event(0), cx.event(1));
    begin(cx, ours);
    record!(cx.cudaMemcpyAsync(p, up, N, UP, ours));
    record!(cx.cudaMemcpyAsync(q, p, N, DEFAULT, ours));
    must!(cx.cudaEventRecord(fork, ours));
    must!(cx.cudaStreamWaitEvent(theirs, fork, 0));
    record!(cx.cudaMemcpyAsync(down, q, N, DOWN, theirs));
    must!(cx.cudaEventRecord(join, theirs));
    must!(cx.cudaStreamWaitEvent(ours, join, 0));
    let exec = instance(cx, end(cx, ours));
    for seed in 1..4 {
        let bytes = cx.pattern(N, seed);
        put(up, &bytes);
        answers!(cx.cudaGraphLaunch(exec, ours), 0);
        answers!(cx.cudaStreamSynchronize(ours), 0);
        cx.holds("the bytes came back", found(down, N) == bytes);
    }
}

/// It may be that the graph reads it at each launch, or that there is no graph.
fn pageable_memory_in_a_capture(cx: &Cx) {
    let (mut host, there, stream) = (vec![1_u8; 64], cx.filled(0, &[0; 64]), stream(cx));
    let page: *mut c_void = host.as_mut_ptr().cast();
    begin(cx, stream);
    record!(cx.cudaMemcpyAsync(there, page, 64, UP, stream));
    record!(cx.cudaMemcpyAsync(page, there, 64, DOWN, stream));
    let mut graph = null_mut();
    record!(cx.cudaStreamEndCapture(stream, &mut graph));
    cx.see("graph.is_null()", graph.is_null());
    cx.clear_last();
    status_is(cx, stream, FREE);
    cx.value("there", cx.read(0, there, 1), vec![0]);
}

/// What becomes of an update; `result` is `cudaGraphExecUpdateResult`.
fn update(cx: &Cx, what: &str, exec: cudaGraphExec_t, graph: cudaGraph_t) {
    cx.see("update", what);
    // SAFETY: integers and pointers only.
    let mut info: cudaGraphExecUpdateResultInfo = unsafe { std::mem::zeroed() };
    record!(cx.cudaGraphExecUpdate(exec, graph, &mut info));
    cx.see("result", info.result.0);
    cx.clear_last();
}

fn copying(cx: &Cx, to: *mut c_void, from: *mut c_void, bytes: usize, stream: cudaStream_t) -> cudaGraph_t {
    begin(cx, stream);
    must!(cx.cudaMemcpyAsync(to, from, bytes, DEFAULT, stream));
    end(cx, stream)
}

fn an_update_to_other_pinned_memory(cx: &Cx) {
    let stream = stream(cx);
    let (p, q) = (cx.filled(0, &[1; 64]), cx.filled(0, &[2; 64]));
    let (up, other) = (pinned(cx, 0, &[3; 64]), pinned(cx, 0, &[4; 64]));
    let exec = instance(cx, copying(cx, p, up, 64, stream));
    update(cx, "length", exec, copying(cx, p, up, 32, stream));
    update(cx, "source", exec, copying(cx, p, other, 32, stream));
    update(cx, "destination", exec, copying(cx, q, other, 32, stream));
    answers!(cx.cudaGraphLaunch(exec, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.see("there", (cx.read(0, p, 1), cx.read(0, q, 33)[31..].to_vec()));
    update(cx, "from the device to the host", exec, copying(cx, other, q, 32, stream));
    update(cx, "within the device", exec, copying(cx, p, q, 32, stream));
    update(cx, "within the host", exec, copying(cx, up, other, 32, stream));
    let exec = instance(cx, copying(cx, up, p, 64, stream));
    update(cx, "another place in the host", exec, copying(cx, other, p, 64, stream));
    update(cx, "from the host to the device", exec, copying(cx, p, other, 64, stream));
}

fn an_update_to_pinned_memory_of_another_device(cx: &Cx) {
    let (ours, theirs) = (stream(cx), cx.stream(1, cudaStreamNonBlocking));
    let (p, q) = (cx.filled(0, &[1; 64]), cx.filled(1, &[2; 64]));
    let (up, other) = (pinned(cx, 0, &[3; 64]), pinned(cx, 1, &[4; 64]));
    let exec = instance(cx, copying(cx, p, up, 64, ours));
    update(cx, "pinned by the other device", exec, copying(cx, p, other, 64, ours));
    update(cx, "to the other device", exec, copying(cx, q, up, 64, ours));
    update(cx, "in a stream of the other device", exec, copying(cx, p, up, 64, theirs));
}

/// From pinned memory of either device to memory of device 0, and from there to either: each becomes each other one.
fn an_update_of_a_copy_between_a_device_and_pinned_memory(cx: &Cx) {
    let (stream, there) = (stream(cx), cx.filled(0, &[9; 64]));
    let pins = [0, 1].map(|device| pinned(cx, device, &[0; 64]));
    let ends = [(there, pins[0]), (there, pins[1]), (pins[0], there), (pins[1], there)];
    let names = ["up from 0", "up from 1", "down to 0", "down to 1"];
    for (before, &(to, from)) in ends.iter().enumerate() {
        for (after, &(new_to, new_from)) in ends.iter().enumerate().filter(|&(after, _)| after != before) {
            let exec = instance(cx, copying(cx, to, from, 64, stream));
            cx.see("before", names[before]);
            update(cx, names[after], exec, copying(cx, new_to, new_from, 64, stream));
            cx.write(0, there, &[1; 64]);
            pins.iter().for_each(|&pin| put(pin, &[2; 64]));
            answers!(cx.cudaGraphLaunch(exec, stream), 0);
            answers!(cx.cudaStreamSynchronize(stream), 0);
            let held = pins.map(|pin| found(pin, 1)[0]);
            cx.see("there, and in pinned memory", (cx.read(0, there, 1)[0], held));
        }
    }
}
