//! Virtual memory in graphs: nodes on mapped addresses, and what becomes of them if what is mapped there changes.

use std::ffi::c_void;

use cuda_p2p_sys::driver::CuMemAccessFlags;
use cuda_p2p_sys::{
    cudaGraphExec_t, cudaGraphExecUpdateResultInfo, cudaMemcpyKind, cudaStream_t, cudaStreamNonBlocking,
};

use super::capture_state::{begin, end};
use super::graphs::{counting, instance, stream};
use super::virtual_memory::word_of;
use crate::case::{Case, case};
use crate::context::{Cx, must, record};
use crate::needs::{ONE, PEERS};
use crate::virtual_memory::{Functions, PART, access_of, open_to, pointer, told};

pub(super) const CASES: &[Case] = &[
    case!(a_kernel_writes_memory_of_a_peer, PEERS.pools().kernels()),
    case!(fills_and_copies_of_one_mapping, ONE.pools()),
    case!(fills_and_copies_across_two_devices, PEERS.pools()),
    case!(a_copy_of_a_peers_memory_by_access_to_a_range, PEERS.pools()),
    case!(a_capture_asks_for_access, PEERS.pools()),
    case!(a_kernel_whose_access_is_gone, PEERS.pools().kernels()).poisons(),
    case!(a_copy_whose_access_is_gone, PEERS.pools()).poisons(),
    case!(a_copy_whose_access_was_gone_for_a_while, PEERS.pools()).poisons(),
    case!(a_copy_of_what_is_mapped_no_more, ONE.pools()).poisons(),
    case!(an_update_to_other_virtual_memory, ONE.pools()),
];

const DEFAULT: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDefault;

fn launched(cx: &Cx, exec: cudaGraphExec_t, stream: cudaStream_t) {
    record!(cx.cudaGraphLaunch(exec, stream));
    record!(cx.cudaStreamSynchronize(stream));
}

fn a_kernel_writes_memory_of_a_peer(cx: &Cx) {
    let ((_, word), stream) = (word_of(cx, 1, &[0, 1]), stream(cx));
    cx.on(1, || must!(cx.cudaMemset(word, 0, 4)));
    cx.synchronize(1);
    let exec = counting(cx, stream, word);
    for _ in 0..3 {
        launched(cx, exec, stream);
    }
    cx.value("the count", cx.read_word(1, word), 3);
}

/// A fill, and a copy to memory of `cudaMalloc` of device 0 and back to the next bytes.
fn filled_and_copied(cx: &Cx, place: *mut c_void) {
    let (buffer, stream) = (cx.filled(0, &[1; 16]), stream(cx));
    let next = place.wrapping_byte_add(16);
    begin(cx, stream);
    record!(cx.cudaMemsetAsync(place, 5, 16, stream));
    record!(cx.cudaMemcpyAsync(buffer, place, 16, DEFAULT, stream));
    record!(cx.cudaMemcpyAsync(next, buffer, 16, DEFAULT, stream));
    let exec = instance(cx, end(cx, stream));
    launched(cx, exec, stream);
    cx.value("there", (cx.read(0, buffer, 16), cx.read(0, next, 16)), (vec![5; 16], vec![5; 16]));
}

fn fills_and_copies_of_one_mapping(cx: &Cx) {
    let (_, place) = word_of(cx, 0, &[0]);
    filled_and_copied(cx, place);
}

/// The bytes lie in the memory of both.
fn fills_and_copies_across_two_devices(cx: &Cx) {
    let vm = Functions::of(cx);
    let at = cx.reserve(&vm, 2);
    for device in [0, 1] {
        cx.map_part(&vm, at + (device as usize * PART) as u64, device, &[0, 1]);
    }
    filled_and_copied(cx, pointer(at).wrapping_byte_add(PART - 8));
    filled_and_copied(cx, pointer(at).wrapping_byte_add(PART - 24));
}

/// No peer access is enabled.
fn a_copy_of_a_peers_memory_by_access_to_a_range(cx: &Cx) {
    let (_, place) = word_of(cx, 1, &[0]);
    filled_and_copied(cx, place);
}

fn a_capture_asks_for_access(cx: &Cx) {
    let (_, place) = word_of(cx, 1, &[1]);
    let (buffer, theirs) = (cx.filled(0, &[1; 16]), cx.filled(1, &[1; 16]));
    for (device, other) in [(0, buffer), (1, theirs)] {
        let stream = cx.stream(device, cudaStreamNonBlocking);
        for current in [0, 1] {
            begin(cx, stream);
            cx.see("current", current);
            cx.on(current, || record!(cx.cudaMemcpyAsync(other, place, 16, DEFAULT, stream)));
            cx.on(current, || record!(cx.cudaMemsetAsync(place, 2, 16, stream)));
            let mut graph = std::ptr::null_mut();
            record!(cx.cudaStreamEndCapture(stream, &mut graph));
            cx.see("graph.is_null()", graph.is_null());
            cx.clear_last();
        }
    }
    cx.value("nothing ran", cx.read(1, theirs, 1), vec![1]);
}

fn a_kernel_whose_access_is_gone(cx: &Cx) {
    let ((vm, word), stream) = (word_of(cx, 1, &[0, 1]), stream(cx));
    let exec = counting(cx, stream, word);
    close(cx, vm, word);
    launched(cx, exec, stream);
    cx.see("checked", true);
}

fn close(cx: &Cx, vm: Functions, place: *mut c_void) {
    let (at, none) = (place.addr() as u64, access_of(0, CuMemAccessFlags::NONE));
    told!(cx, vm.cuMemSetAccess(at, PART, &none, 1), 0);
    cx.has_access(&vm, at, 0, 0);
}

fn copying(cx: &Cx, place: *mut c_void, stream: cudaStream_t) -> cudaGraphExec_t {
    let buffer = cx.filled(0, &[1; 16]);
    begin(cx, stream);
    must!(cx.cudaMemcpyAsync(buffer, place, 16, DEFAULT, stream));
    instance(cx, end(cx, stream))
}

fn a_copy_whose_access_is_gone(cx: &Cx) {
    let ((vm, place), stream) = (word_of(cx, 1, &[0, 1]), stream(cx));
    let exec = copying(cx, place, stream);
    close(cx, vm, place);
    launched(cx, exec, stream);
}

fn a_copy_whose_access_was_gone_for_a_while(cx: &Cx) {
    let ((vm, place), stream) = (word_of(cx, 1, &[0, 1]), stream(cx));
    let exec = copying(cx, place, stream);
    close(cx, vm, place);
    let access = open_to(0);
    told!(cx, vm.cuMemSetAccess(place.addr() as u64, PART, &access, 1), 0);
    launched(cx, exec, stream);
}

fn a_copy_of_what_is_mapped_no_more(cx: &Cx) {
    let ((vm, place), stream) = (word_of(cx, 0, &[0]), stream(cx));
    let exec = copying(cx, place, stream);
    told!(cx, vm.cuMemUnmap(place.addr() as u64, PART), 0);
    launched(cx, exec, stream);
}

/// To other places in the same mapping, and in another.
fn an_update_to_other_virtual_memory(cx: &Cx) {
    let ((_, place), (_, other), stream) = (word_of(cx, 0, &[0]), word_of(cx, 0, &[0]), stream(cx));
    let buffer = cx.filled(0, &[1; 64]);
    let captured = |to, from| {
        begin(cx, stream);
        must!(cx.cudaMemcpyAsync(to, from, 16, DEFAULT, stream));
        end(cx, stream)
    };
    let filling = |to| {
        begin(cx, stream);
        must!(cx.cudaMemsetAsync(to, 3, 16, stream));
        end(cx, stream)
    };
    let (copy, fill) = (instance(cx, captured(place, buffer)), instance(cx, filling(place)));
    let updates = [
        ("place of a copy", copy, captured(place.wrapping_byte_add(16), buffer)),
        ("mapping of a copy", copy, captured(other, buffer)),
        ("to memory that is not virtual", copy, captured(buffer.wrapping_byte_add(32), buffer)),
        ("place of a fill", fill, filling(place.wrapping_byte_add(16))),
        ("mapping of a fill", fill, filling(other)),
    ];
    for (what, exec, graph) in updates {
        cx.see("update", what);
        // SAFETY: integers and pointers only.
        let mut info: cudaGraphExecUpdateResultInfo = unsafe { std::mem::zeroed() };
        record!(cx.cudaGraphExecUpdate(exec, graph, &mut info));
        cx.see("result", info.result.0);
        cx.clear_last();
    }
    cx.value("nothing ran", cx.read(0, buffer, 1), vec![1]);
}
