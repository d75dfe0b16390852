//! The current device, and calls that must leave it as it is.

use std::ptr::null_mut;

use cuda_p2p_sys::cudaDeviceAttr;

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};

pub(super) const CASES: &[Case] = &[
    case!(the_first_device_is_current_at_first, ONE),
    case!(a_set_device_is_current, TWO),
    case!(an_unknown_device_is_not_made_current, ONE),
    case!(each_thread_has_its_own_current_device, TWO),
    case!(failed_peer_calls_leave_the_current_device, PEERS),
    case!(null_places_fail, ONE),
    case!(attributes_of_unknown_devices_fail, ONE),
    case!(an_unknown_attribute_fails, ONE),
    case!(unified_addressing_is_there, ONE),
    case!(memory_of_a_device_is_counted, ONE),
];

fn current(cx: &Cx, want: i32) {
    let mut device = -1;
    answers!(cx.cudaGetDevice(&mut device), 0);
    cx.value("device", device, want);
}

fn the_first_device_is_current_at_first(cx: &Cx) {
    current(cx, 0);
}

fn a_set_device_is_current(cx: &Cx) {
    answers!(cx.cudaSetDevice(1), 0);
    current(cx, 1);
    answers!(cx.cudaSetDevice(0), 0);
    current(cx, 0);
}

fn an_unknown_device_is_not_made_current(cx: &Cx) {
    refuses!(cx.cudaSetDevice(99), 101);
    current(cx, 0);
    refuses!(cx.cudaSetDevice(-1), 101);
    current(cx, 0);
}

fn each_thread_has_its_own_current_device(cx: &Cx) {
    must!(cx.cudaSetDevice(1));
    let get_device = cx.table.cudaGetDevice;
    let there = std::thread::spawn(move || {
        let mut device = -1;
        // SAFETY: a valid place for an int.
        let status = get_device.map(|function| unsafe { function(&mut device) });
        (status.map(|status| status.0), device)
    });
    cx.value("status and device of another thread", there.join().ok(), Some((Some(0), 0)));
    current(cx, 1);
    must!(cx.cudaSetDevice(0));
}

fn failed_peer_calls_leave_the_current_device(cx: &Cx) {
    cx.on(1, || {
        answers!(cx.cudaDeviceEnablePeerAccess(99, 0), 101);
        current(cx, 1);
        answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 217);
        current(cx, 1);
        answers!(cx.cudaDeviceDisablePeerAccess(0), 705);
        current(cx, 1);
        cx.last(705);
    });
}

fn null_places_fail(cx: &Cx) {
    refuses!(cx.cudaGetDeviceCount(null_mut()), 1);
    refuses!(cx.cudaGetDevice(null_mut()), 1);
}

fn attributes_of_unknown_devices_fail(cx: &Cx) {
    let mut value = -1;
    let count = cudaDeviceAttr::cudaDevAttrMultiProcessorCount;
    refuses!(cx.cudaDeviceGetAttribute(&mut value, count, 99), 101);
    refuses!(cx.cudaDeviceGetAttribute(&mut value, count, -1), 101);
    refuses!(cx.cudaDeviceGetAttribute(null_mut(), count, 0), 1);
}

fn an_unknown_attribute_fails(cx: &Cx) {
    let mut value = -1;
    refuses!(cx.cudaDeviceGetAttribute(&mut value, cudaDeviceAttr(9999), 0), 1);
}

fn unified_addressing_is_there(cx: &Cx) {
    let mut value = -1;
    answers!(cx.cudaDeviceGetAttribute(&mut value, cudaDeviceAttr::cudaDevAttrUnifiedAddressing, 0), 0);
    cx.value("value", value, 1);
}

fn memory_of_a_device_is_counted(cx: &Cx) {
    let (mut free, mut total) = (0, 0);
    answers!(cx.cudaMemGetInfo(&mut free, &mut total), 0);
    cx.holds("0 < free <= total", 0 < free && free <= total);
    cx.malloc(0, 64 << 20);
    let before = free;
    answers!(cx.cudaMemGetInfo(&mut free, &mut total), 0);
    cx.holds("64 MiB more are in use", before.saturating_sub(free) >= 64 << 20);
}
