//! Memory of one process in another: what opens, as what, and for how long. The case makes it, its second process opens it.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use cuda_p2p_sys::{
    cudaIpcMemHandle_t, cudaIpcMemLazyEnablePeerAccess, cudaPointerAttributes, cudaStreamCaptureMode,
    cudaStreamNonBlocking,
};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::ONE;
use crate::partner::Wire;
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(both_processes_read_and_write_it, ONE.ipc()).with_partner(reads_and_writes),
    case!(an_interior_handle_opens_at_the_start, ONE.ipc()).with_partner(finds_the_start),
    case!(small_allocations_open_each_at_its_start, ONE.ipc()).with_partner(opens_two_small_ones),
    case!(opened_twice_it_is_there_once, ONE.ipc()).with_partner(opens_twice),
    case!(what_was_freed_does_not_open, ONE.ipc()).with_partner(opens_a_stale_one),
    case!(the_flag_is_needed, ONE.ipc()).with_partner(opens_with_other_flags),
    case!(a_handle_that_was_changed_does_not_open, ONE.ipc()).with_partner(opens_a_changed_one),
    case!(what_was_opened_is_no_memory_of_its_own, ONE.ipc()).with_partner(frees_and_exports_it),
    case!(closing_waits_for_the_device, ONE.kernels().ipc()).with_partner(closes_behind_a_kernel),
    case!(a_reset_closes_it, ONE.ipc()).with_partner(resets_and_opens_again),
    case!(a_capture_goes_on_beside_it, ONE.ipc()).with_partner(opens_and_closes_in_a_capture),
    case!(a_poisoned_process_opens_nothing, ONE.kernels().ipc()).with_partner(opens_after_a_fault).poisons(),
];

const FLAG: u32 = cudaIpcMemLazyEnablePeerAccess;

pub(super) fn handle_of(cx: &Cx, place: *mut c_void) -> [u8; 64] {
    let mut handle = MaybeUninit::<cudaIpcMemHandle_t>::zeroed();
    must!(cx.cudaIpcGetMemHandle(handle.as_mut_ptr(), place));
    // SAFETY: bytes: zeroes are a value, and the call wrote another.
    unsafe { handle.assume_init() }.reserved.map(|byte| byte as u8)
}

pub(super) fn received(wire: &mut Wire) -> cudaIpcMemHandle_t {
    cudaIpcMemHandle_t { reserved: wire.receive::<64>().map(|byte| byte as c_char) }
}

/// Opens the handle that comes, with device 0 current.
pub(super) fn opened(cx: &Cx, wire: &mut Wire) -> *mut c_void {
    let handle = received(wire);
    must!(cx.cudaFree(null_mut()));
    open(cx, handle)
}

pub(super) fn open(cx: &Cx, handle: cudaIpcMemHandle_t) -> *mut c_void {
    let mut place = null_mut();
    answers!(cx.cudaIpcOpenMemHandle(&mut place, handle, FLAG), 0);
    place
}

/// Lets the second process have the handle and come to its end.
pub(super) fn lend(cx: &Cx, place: *mut c_void) {
    let handle = handle_of(cx, place);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.end(cx);
}

pub(super) fn described(cx: &Cx, pointer: *mut c_void) -> String {
    // SAFETY: integers and pointers: zeroes are a value.
    let mut attributes: cudaPointerAttributes = unsafe { std::mem::zeroed() };
    answers!(cx.cudaPointerGetAttributes(&mut attributes, pointer), 0);
    let reached = attributes.devicePointer == pointer;
    format!("type {}, device {}, reached {reached}", attributes.type_.0, attributes.device)
}

fn both_processes_read_and_write_it(cx: &Cx) {
    let place = cx.filled(0, &cx.pattern(4 << 20, 1));
    let handle = handle_of(cx, place);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.wire.wait();
    let seen = cx.read(0, place, 4 << 20) == cx.pattern(4 << 20, 2);
    cx.value("what the other process wrote is seen", seen, true);
    cx.write(0, place, &cx.pattern(4 << 20, 3));
    other.wire.turn();
    other.end(cx);
    answers!(cx.cudaFree(place), 0);
}

fn reads_and_writes(cx: &Cx, wire: &mut Wire) {
    let place = opened(cx, wire);
    cx.value("the first bytes", cx.read(0, place, 4 << 20) == cx.pattern(4 << 20, 1), true);
    cx.write(0, place, &cx.pattern(4 << 20, 2));
    wire.let_other();
    cx.value("the bytes after that", cx.read(0, place, 4 << 20) == cx.pattern(4 << 20, 3), true);
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
}

/// The offset must travel with the handle.
fn an_interior_handle_opens_at_the_start(cx: &Cx) {
    let place = cx.malloc(0, 4 << 20);
    cx.write(0, place, &7_u32.to_ne_bytes());
    cx.write(0, place.wrapping_byte_add(4096), &8_u32.to_ne_bytes());
    lend(cx, place.wrapping_byte_add(4096));
}

fn finds_the_start(cx: &Cx, wire: &mut Wire) {
    let place = opened(cx, wire);
    cx.value("the word at the start", cx.read_word(0, place), 7);
    cx.value("the word behind", cx.read_word(0, place.wrapping_byte_add(4096)), 8);
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
}

fn small_allocations_open_each_at_its_start(cx: &Cx) {
    let (first, second) = (cx.word(0, 12), cx.word(0, 13));
    let handle = handle_of(cx, first);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.wire.send(&handle_of(cx, second));
    other.end(cx);
}

fn opens_two_small_ones(cx: &Cx, wire: &mut Wire) {
    let first = opened(cx, wire);
    let handle = received(wire);
    let second = open(cx, handle);
    cx.value("the first word", cx.read_word(0, first), 12);
    cx.value("the second word", cx.read_word(0, second), 13);
    answers!(cx.cudaIpcCloseMemHandle(first), 0);
    cx.value("the second word", cx.read_word(0, second), 13);
    answers!(cx.cudaIpcCloseMemHandle(second), 0);
}

fn opened_twice_it_is_there_once(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

fn opens_twice(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    must!(cx.cudaFree(null_mut()));
    let (first, second) = (open(cx, handle), open(cx, handle));
    cx.value("the two are one", first == second, true);
    answers!(cx.cudaIpcCloseMemHandle(first), 0);
    cx.value("the word after one is closed", cx.read_word(0, second), 7);
    answers!(cx.cudaIpcCloseMemHandle(second), 0);
    refuses!(cx.cudaIpcCloseMemHandle(second), 1);
}

fn what_was_freed_does_not_open(cx: &Cx) {
    let place = cx.malloc(0, 8 << 20);
    let handle = handle_of(cx, place);
    must!(cx.cudaFree(place));
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.end(cx);
}

fn opens_a_stale_one(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    must!(cx.cudaFree(null_mut()));
    let mut place = null_mut();
    refuses!(cx.cudaIpcOpenMemHandle(&mut place, handle, FLAG), 1);
}

fn the_flag_is_needed(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

fn opens_with_other_flags(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    must!(cx.cudaFree(null_mut()));
    let mut place = null_mut();
    refuses!(cx.cudaIpcOpenMemHandle(&mut place, handle, 0), 1);
    refuses!(cx.cudaIpcOpenMemHandle(&mut place, handle, 2), 1);
    cx.value("the place is as it was", place.is_null(), true);
    answers!(cx.cudaIpcOpenMemHandle(&mut place, handle, 3), 0);
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
}

fn a_handle_that_was_changed_does_not_open(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

/// All of it but zeros: what hardware makes of a single changed byte depends on which.
fn opens_a_changed_one(cx: &Cx, wire: &mut Wire) {
    received(wire);
    must!(cx.cudaFree(null_mut()));
    let mut place = null_mut();
    let handle = cudaIpcMemHandle_t { reserved: [0; 64] };
    refuses!(cx.cudaIpcOpenMemHandle(&mut place, handle, FLAG), 1);
}

fn what_was_opened_is_no_memory_of_its_own(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

fn frees_and_exports_it(cx: &Cx, wire: &mut Wire) {
    let place = opened(cx, wire);
    let mut handle = MaybeUninit::<cudaIpcMemHandle_t>::zeroed();
    refuses!(cx.cudaFree(place), 1);
    refuses!(cx.cudaIpcGetMemHandle(handle.as_mut_ptr(), place), 1);
    refuses!(cx.cudaIpcCloseMemHandle(place.wrapping_byte_add(1)), 1);
    cx.value("the word", cx.read_word(0, place), 7);
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
}

fn closing_waits_for_the_device(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

fn closes_behind_a_kernel(cx: &Cx, wire: &mut Wire) {
    let place = opened(cx, wire);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    cx.delay(stream, 200);
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
    answers!(cx.cudaStreamQuery(stream), 0);
}

fn a_reset_closes_it(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

fn resets_and_opens_again(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    must!(cx.cudaFree(null_mut()));
    let place = open(cx, handle);
    answers!(cx.cudaDeviceReset(), 0);
    refuses!(cx.cudaIpcCloseMemHandle(place), 1);
    let again = open(cx, handle);
    cx.value("the word", cx.read_word(0, again), 7);
    answers!(cx.cudaIpcCloseMemHandle(again), 0);
}

fn a_capture_goes_on_beside_it(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

fn opens_and_closes_in_a_capture(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    let (stream, own) = (cx.stream(0, cudaStreamNonBlocking), cx.word(0, 1));
    let mode = cudaStreamCaptureMode::cudaStreamCaptureModeGlobal;
    let mut graph = null_mut();
    let mut exported = MaybeUninit::<cudaIpcMemHandle_t>::zeroed();
    must!(cx.cudaStreamBeginCapture(stream, mode));
    let place = open(cx, handle);
    answers!(cx.cudaIpcGetMemHandle(exported.as_mut_ptr(), own), 0);
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
    must!(cx.cudaGraphDestroy(graph));
}

fn a_poisoned_process_opens_nothing(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

fn opens_after_a_fault(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    let place = cx.on(0, || open(cx, handle));
    let mut other = null_mut();
    let mut exported = MaybeUninit::<cudaIpcMemHandle_t>::zeroed();
    cx.store(NULL_STREAM, std::ptr::without_provenance_mut(8), 1, 0);
    answers!(cx.cudaDeviceSynchronize(), 700);
    answers!(cx.cudaIpcOpenMemHandle(&mut other, handle, FLAG), 700);
    answers!(cx.cudaIpcOpenMemHandle(&mut other, handle, 0), 1);
    answers!(cx.cudaIpcGetMemHandle(exported.as_mut_ptr(), place), 700);
    answers!(cx.cudaIpcCloseMemHandle(place), 700);
}
