//! `cudaDeviceEnablePeerAccess` and `cudaDeviceDisablePeerAccess`: codes, their precedence, direction, and what is covered.

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(a_device_cannot_enable_itself, ONE),
    case!(flags_must_be_zero, PEERS),
    case!(flags_must_be_zero_when_already_enabled_too, PEERS),
    case!(flags_are_looked_at_before_the_device_itself, ONE),
    case!(an_unknown_device_is_looked_at_before_flags, ONE),
    case!(a_negative_device_is_unknown, ONE),
    case!(enabling_twice_says_already_enabled, PEERS),
    case!(disabling_what_is_not_enabled_fails, TWO),
    case!(disabling_itself_fails, ONE),
    case!(disabling_an_unknown_device_fails, ONE),
    case!(disabling_twice_fails, PEERS),
    case!(disabled_access_can_be_enabled_again, PEERS),
    case!(the_directions_are_separate, PEERS),
    case!(memory_allocated_after_enabling_is_covered, PEERS.kernels()),
    case!(memory_allocated_before_enabling_is_covered, PEERS.kernels()),
    case!(it_acts_on_the_current_device, PEERS.kernels()),
    case!(a_kernel_loads_from_a_peer, PEERS.kernels()),
    case!(a_reset_of_the_accessor, PEERS),
];

fn a_device_cannot_enable_itself(cx: &Cx) {
    refuses!(cx.cudaDeviceEnablePeerAccess(0, 0), 217);
}

fn flags_must_be_zero(cx: &Cx) {
    refuses!(cx.cudaDeviceEnablePeerAccess(1, 1), 1);
    // It was refused, not done.
    refuses!(cx.cudaDeviceDisablePeerAccess(1), 705);
}

fn flags_must_be_zero_when_already_enabled_too(cx: &Cx) {
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    refuses!(cx.cudaDeviceEnablePeerAccess(1, 1), 1);
}

fn flags_are_looked_at_before_the_device_itself(cx: &Cx) {
    refuses!(cx.cudaDeviceEnablePeerAccess(0, 1), 1);
}

fn an_unknown_device_is_looked_at_before_flags(cx: &Cx) {
    refuses!(cx.cudaDeviceEnablePeerAccess(99, 1), 101);
}

fn a_negative_device_is_unknown(cx: &Cx) {
    refuses!(cx.cudaDeviceEnablePeerAccess(-1, 0), 101);
}

fn enabling_twice_says_already_enabled(cx: &Cx) {
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    refuses!(cx.cudaDeviceEnablePeerAccess(1, 0), 704);
}

fn disabling_what_is_not_enabled_fails(cx: &Cx) {
    refuses!(cx.cudaDeviceDisablePeerAccess(1), 705);
}

fn disabling_itself_fails(cx: &Cx) {
    refuses!(cx.cudaDeviceDisablePeerAccess(0), 705);
}

fn disabling_an_unknown_device_fails(cx: &Cx) {
    refuses!(cx.cudaDeviceDisablePeerAccess(99), 101);
}

fn disabling_twice_fails(cx: &Cx) {
    must!(cx.cudaDeviceEnablePeerAccess(1, 0));
    answers!(cx.cudaDeviceDisablePeerAccess(1), 0);
    refuses!(cx.cudaDeviceDisablePeerAccess(1), 705);
}

fn disabled_access_can_be_enabled_again(cx: &Cx) {
    must!(cx.cudaDeviceEnablePeerAccess(1, 0));
    answers!(cx.cudaDeviceDisablePeerAccess(1), 0);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 704);
    cx.last(704);
}

fn the_directions_are_separate(cx: &Cx) {
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    cx.on(1, || {
        refuses!(cx.cudaDeviceDisablePeerAccess(0), 705);
        answers!(cx.cudaDeviceEnablePeerAccess(0, 0), 0);
        answers!(cx.cudaDeviceDisablePeerAccess(0), 0);
    });
    // Taking one direction away left the other.
    refuses!(cx.cudaDeviceEnablePeerAccess(1, 0), 704);
}

/// Enabled before there is any context or allocation.
fn memory_allocated_after_enabling_is_covered(cx: &Cx) {
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    let theirs = cx.word(1, 1);
    cx.store(NULL_STREAM, theirs, 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what the owner sees", cx.read_word(1, theirs), 2);
}

fn memory_allocated_before_enabling_is_covered(cx: &Cx) {
    let theirs = cx.word(1, 1);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    cx.store(NULL_STREAM, theirs, 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what the owner sees", cx.read_word(1, theirs), 2);
}

fn it_acts_on_the_current_device(cx: &Cx) {
    let ours = cx.word(0, 1);
    cx.on(1, || {
        answers!(cx.cudaDeviceEnablePeerAccess(0, 0), 0);
        let mut device = -1;
        answers!(cx.cudaGetDevice(&mut device), 0);
        cx.value("device", device, 1);
        cx.store(NULL_STREAM, ours, 2, 0);
        answers!(cx.cudaDeviceSynchronize(), 0);
    });
    cx.value("what the owner sees", cx.read_word(0, ours), 2);
    // Device 0 was not given access to device 1 by that.
    refuses!(cx.cudaDeviceDisablePeerAccess(1), 705);
}

fn a_kernel_loads_from_a_peer(cx: &Cx) {
    let bytes = cx.pattern(4097, 2);
    let ours = cx.filled(0, &[0xEE; 4100]);
    let theirs = cx.filled(1, &bytes);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    cx.copy(NULL_STREAM, ours, theirs, 4097);
    answers!(cx.cudaDeviceSynchronize(), 0);
    let got = cx.read(0, ours, 4100);
    cx.holds("the bytes of the owner arrived", got[..4097] == bytes);
    cx.holds("what follows them was left alone", got[4097..] == [0xEE; 3]);
}

/// A reset forgets what was enabled.
fn a_reset_of_the_accessor(cx: &Cx) {
    must!(cx.cudaDeviceEnablePeerAccess(1, 0));
    must!(cx.cudaDeviceReset());
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    cx.last(0);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 704);
    cx.last(704);
}
