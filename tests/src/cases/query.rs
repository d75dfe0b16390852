//! Who can access whom: `cudaDeviceCanAccessPeer` and `cudaDeviceGetP2PAttribute`. Needs no kernel. Does not test that the
//! access works; `enable` does.

use std::ptr::null_mut;

use cuda_p2p_sys::cudaDeviceP2PAttr;

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};

pub(super) const CASES: &[Case] = &[
    case!(peers_can_access_each_other, PEERS),
    case!(a_device_is_not_its_own_peer, ONE),
    case!(an_unknown_peer_is_an_error, ONE),
    case!(an_unknown_device_is_an_error, ONE),
    case!(a_null_answer_is_refused, TWO),
    case!(one_past_the_last_device_is_an_error_and_not_a_no, ONE),
    case!(asking_needs_no_context_and_changes_no_device, TWO),
    case!(peers_have_access_as_an_attribute, PEERS),
    case!(nvlink_peers_have_all_attributes, PEERS.native_atomics()),
    case!(attributes_of_unknown_devices_fail, ONE),
    case!(an_unknown_attribute_fails, TWO),
    case!(a_null_attribute_value_fails, TWO),
    case!(attributes_of_a_device_and_itself, ONE),
    case!(the_device_is_looked_at_before_the_answer, ONE),
    case!(the_device_is_looked_at_before_the_attribute, ONE),
    case!(no_attribute_is_known_of_a_device_and_itself, ONE),
    case!(attributes_are_not_written_on_failure, TWO),
    case!(two_wrong_devices, ONE),
    case!(asking_leaves_access_as_it_is, PEERS),
];

fn peers_can_access_each_other(cx: &Cx) {
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    cx.value("answer", answer, 1);
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 1, 0), 0);
    cx.value("answer", answer, 1);
}

fn a_device_is_not_its_own_peer(cx: &Cx) {
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 0), 0);
    cx.value("answer", answer, 0);
}

fn an_unknown_peer_is_an_error(cx: &Cx) {
    let mut answer = -1;
    refuses!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 99), 101);
    cx.value("answer", answer, -1);
}

fn an_unknown_device_is_an_error(cx: &Cx) {
    let mut answer = -1;
    refuses!(cx.cudaDeviceCanAccessPeer(&mut answer, -1, 0), 101);
    cx.value("answer", answer, -1);
}

fn a_null_answer_is_refused(cx: &Cx) {
    refuses!(cx.cudaDeviceCanAccessPeer(null_mut(), 0, 1), 1);
}

/// On a machine with one GPU this is the question about device 1.
fn one_past_the_last_device_is_an_error_and_not_a_no(cx: &Cx) {
    let mut count = 0;
    let mut answer = -1;
    must!(cx.cudaGetDeviceCount(&mut count));
    refuses!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, count), 101);
    refuses!(cx.cudaDeviceCanAccessPeer(&mut answer, count, 0), 101);
}

fn asking_needs_no_context_and_changes_no_device(cx: &Cx) {
    let mut answer = -1;
    let mut device = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 1, 0), 0);
    answers!(cx.cudaGetDevice(&mut device), 0);
    cx.value("device", device, 0);
}

fn peers_have_access_as_an_attribute(cx: &Cx) {
    let supported = cudaDeviceP2PAttr::cudaDevP2PAttrAccessSupported;
    let mut value = -1;
    answers!(cx.cudaDeviceGetP2PAttribute(&mut value, supported, 0, 1), 0);
    cx.value("value", value, 1);
    answers!(cx.cudaDeviceGetP2PAttribute(&mut value, supported, 1, 0), 0);
    cx.value("value", value, 1);
}

fn nvlink_peers_have_all_attributes(cx: &Cx) {
    let rank = cudaDeviceP2PAttr::cudaDevP2PAttrPerformanceRank;
    let supported = cudaDeviceP2PAttr::cudaDevP2PAttrAccessSupported;
    let atomics = cudaDeviceP2PAttr::cudaDevP2PAttrNativeAtomicSupported;
    let arrays = cudaDeviceP2PAttr::cudaDevP2PAttrCudaArrayAccessSupported;
    let mut value = -1;
    answers!(cx.cudaDeviceGetP2PAttribute(&mut value, rank, 0, 1), 0);
    cx.value("performance rank", value, 0);
    answers!(cx.cudaDeviceGetP2PAttribute(&mut value, supported, 0, 1), 0);
    cx.value("access supported", value, 1);
    answers!(cx.cudaDeviceGetP2PAttribute(&mut value, atomics, 0, 1), 0);
    cx.value("native atomics supported", value, 1);
    answers!(cx.cudaDeviceGetP2PAttribute(&mut value, arrays, 0, 1), 0);
    cx.value("array access supported", value, 1);
}

fn attributes_of_unknown_devices_fail(cx: &Cx) {
    let supported = cudaDeviceP2PAttr::cudaDevP2PAttrAccessSupported;
    let mut value = -1;
    refuses!(cx.cudaDeviceGetP2PAttribute(&mut value, supported, 0, 99), 101);
    refuses!(cx.cudaDeviceGetP2PAttribute(&mut value, supported, -1, 0), 101);
}

fn an_unknown_attribute_fails(cx: &Cx) {
    let mut value = -1;
    refuses!(cx.cudaDeviceGetP2PAttribute(&mut value, cudaDeviceP2PAttr(99), 0, 1), 1);
    refuses!(cx.cudaDeviceGetP2PAttribute(&mut value, cudaDeviceP2PAttr(0), 0, 1), 1);
}

fn a_null_attribute_value_fails(cx: &Cx) {
    let supported = cudaDeviceP2PAttr::cudaDevP2PAttrAccessSupported;
    refuses!(cx.cudaDeviceGetP2PAttribute(null_mut(), supported, 0, 1), 1);
}

/// The attributes are refused; the question is answered with no.
fn attributes_of_a_device_and_itself(cx: &Cx) {
    let supported = cudaDeviceP2PAttr::cudaDevP2PAttrAccessSupported;
    let mut value = 0;
    refuses!(cx.cudaDeviceGetP2PAttribute(&mut value, supported, 0, 0), 101);
    cx.value("value", value, 0);
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 0), 0);
    cx.value("answer", answer, 0);
}

fn the_device_is_looked_at_before_the_answer(cx: &Cx) {
    refuses!(cx.cudaDeviceCanAccessPeer(null_mut(), 99, 0), 101);
}

fn the_device_is_looked_at_before_the_attribute(cx: &Cx) {
    let mut value = -1;
    refuses!(cx.cudaDeviceGetP2PAttribute(&mut value, cudaDeviceP2PAttr(99), 0, 99), 101);
    cx.value("value", value, -1);
}

fn no_attribute_is_known_of_a_device_and_itself(cx: &Cx) {
    let rank = cudaDeviceP2PAttr::cudaDevP2PAttrPerformanceRank;
    let mut value = -1;
    refuses!(cx.cudaDeviceGetP2PAttribute(&mut value, rank, 0, 0), 101);
    cx.value("value", value, -1);
}

fn attributes_are_not_written_on_failure(cx: &Cx) {
    let mut value = -7;
    refuses!(cx.cudaDeviceGetP2PAttribute(&mut value, cudaDeviceP2PAttr(99), 0, 1), 1);
    cx.value("value", value, -7);
}

fn two_wrong_devices(cx: &Cx) {
    let mut answer = -1;
    refuses!(cx.cudaDeviceCanAccessPeer(&mut answer, 99, -1), 101);
    cx.value("answer", answer, -1);
}

fn asking_leaves_access_as_it_is(cx: &Cx) {
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    refuses!(cx.cudaDeviceDisablePeerAccess(1), 705);
    cx.enable(0, 1);
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    cx.value("answer", answer, 1);
    answers!(cx.cudaDeviceDisablePeerAccess(1), 0);
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    cx.value("answer", answer, 1);
}
