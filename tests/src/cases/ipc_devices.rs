//! Memory of one process in another: which device has it, and which reaches it.

use super::ipc_memory::{described, handle_of, lend, open, opened, received};
use crate::case::{Case, case};
use crate::context::{Cx, answers, refuses};
use crate::needs::{PEERS, TWO};
use crate::partner::Wire;
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(it_counts_as_memory_of_the_device_that_opened_it, PEERS.kernels().ipc())
        .with_partner(opens_on_the_peer),
    case!(opening_leaves_peer_access_as_it_was, PEERS.ipc()).with_partner(enables_and_disables_afterwards),
    case!(its_owner_does_not_reach_what_a_peer_opened, PEERS.kernels().ipc())
        .with_partner(reaches_from_the_owner)
        .poisons(),
    case!(nor_does_its_owner_with_access_to_that_peer, PEERS.kernels().ipc())
        .with_partner(reaches_by_peer_access)
        .poisons(),
    case!(the_copy_engine_carries_what_a_peer_opened, PEERS.ipc()).with_partner(copies_from_the_peer),
    case!(each_device_opens_it_for_itself, PEERS.ipc()).with_partner(opens_on_both),
    case!(memory_of_a_device_that_is_hidden_opens, PEERS.kernels().ipc())
        .with_partner(opens_from_a_hidden_one),
    case!(devices_in_another_order, TWO.kernels().ipc()).with_partner(opens_on_the_same_gpu),
];

fn it_counts_as_memory_of_the_device_that_opened_it(cx: &Cx) {
    let place = cx.word(0, 7);
    let handle = handle_of(cx, place);
    let mut other = cx.partner();
    other.wire.send(&handle);
    other.wire.wait();
    cx.value("what a kernel of the peer stored", cx.read_word(0, place), 8);
    other.wire.turn();
    other.end(cx);
}

fn opens_on_the_peer(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    let place = cx.on(1, || open(cx, handle));
    cx.value("from device 0", described(cx, place), "type 2, device 1, reached false".to_owned());
    cx.on(1, || {
        cx.value("from device 1", described(cx, place), "type 2, device 1, reached true".to_owned());
        cx.store(NULL_STREAM, place, 8, 0);
        answers!(cx.cudaDeviceSynchronize(), 0);
    });
    wire.let_other();
    // Whichever device is current.
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
}

fn opening_leaves_peer_access_as_it_was(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

fn enables_and_disables_afterwards(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    let place = cx.on(1, || open(cx, handle));
    cx.on(1, || {
        refuses!(cx.cudaDeviceDisablePeerAccess(0), 705);
        answers!(cx.cudaDeviceEnablePeerAccess(0, 0), 0);
        refuses!(cx.cudaDeviceEnablePeerAccess(0, 0), 704);
        answers!(cx.cudaDeviceDisablePeerAccess(0), 0);
    });
    cx.value("the word", cx.read_word(1, place), 7);
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
}

fn its_owner_does_not_reach_what_a_peer_opened(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

fn reaches_from_the_owner(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    let place = cx.on(1, || open(cx, handle));
    cx.store(NULL_STREAM, place, 8, 0);
    answers!(cx.cudaDeviceSynchronize(), 700);
}

fn nor_does_its_owner_with_access_to_that_peer(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

fn reaches_by_peer_access(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    let place = cx.on(1, || open(cx, handle));
    cx.enable(0, 1);
    cx.value("from device 0", described(cx, place), "type 2, device 1, reached false".to_owned());
    cx.store(NULL_STREAM, place, 8, 0);
    answers!(cx.cudaDeviceSynchronize(), 700);
}

fn the_copy_engine_carries_what_a_peer_opened(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

fn copies_from_the_peer(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    let place = cx.on(1, || open(cx, handle));
    let target = cx.word(0, 1);
    answers!(cx.cudaMemcpyPeer(target, 0, place, 1, 4), 0);
    cx.value("the word", cx.read_word(0, target), 7);
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
}

fn each_device_opens_it_for_itself(cx: &Cx) {
    lend(cx, cx.word(0, 7));
}

fn opens_on_both(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    let (there, here) = (cx.on(1, || open(cx, handle)), open(cx, handle));
    cx.value("the two are one", there == here, false);
    answers!(cx.cudaIpcCloseMemHandle(there), 0);
    cx.value("the word after one is closed", cx.read_word(0, here), 7);
    refuses!(cx.cudaIpcCloseMemHandle(there), 1);
    answers!(cx.cudaIpcCloseMemHandle(here), 0);
}

fn memory_of_a_device_that_is_hidden_opens(cx: &Cx) {
    let place = cx.word(0, 7);
    let handle = handle_of(cx, place);
    let mut other = cx.partner_seeing(&[1]);
    other.wire.send(&handle);
    other.end(cx);
    cx.value("what a kernel of the other process stored", cx.read_word(0, place), 8);
}

fn opens_from_a_hidden_one(cx: &Cx, wire: &mut Wire) {
    let mut count = 0;
    answers!(cx.cudaGetDeviceCount(&mut count), 0);
    cx.value("devices", count, 1);
    let place = opened(cx, wire);
    cx.value("from device 0", described(cx, place), "type 2, device 0, reached true".to_owned());
    cx.value("the word", cx.read_word(0, place), 7);
    cx.store(NULL_STREAM, place, 8, 0);
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
}

fn devices_in_another_order(cx: &Cx) {
    let place = cx.word(0, 7);
    let handle = handle_of(cx, place);
    let mut other = cx.partner_seeing(&[1, 0]);
    other.wire.send(&handle);
    other.end(cx);
    cx.value("what a kernel of the other process stored", cx.read_word(0, place), 8);
}

/// Its device 1 is the GPU whose memory it is.
fn opens_on_the_same_gpu(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    let place = cx.on(1, || open(cx, handle));
    cx.value("the word", cx.read_word(1, place), 7);
    cx.on(1, || cx.store(NULL_STREAM, place, 8, 0));
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
}
