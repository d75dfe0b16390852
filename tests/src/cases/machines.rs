//! Machines that few have: more peers than a device can have at a time, islands, links of one direction, no peers, one GPU. On
//! the simulator alone; where a real machine of that kind was seen, its answers stand in `recordings`.

use crate::case::{Case, case};
use crate::context::{Cx, answers, must};
use crate::needs::{Needs, ONE};
use crate::setup::NULL_STREAM;

const TEN: Needs = ONE.machine("more than eight peers of one device", "devices=10 quiet");
const ISLANDS: Needs = ONE.machine("four devices in two islands", "devices=4 islands=2 quiet");
const ONE_WAY: Needs = ONE.machine("a link of one direction", "devices=2 peers=0>1 quiet");
const NO_PEERS: Needs = ONE.machine("two devices that are no peers", "devices=2 peers=none quiet");
const SINGLE: Needs = ONE.machine("one device", "devices=1 quiet");
const NO_ATOMICS: Needs = ONE.machine("links without native atomics", "devices=2 atomics=off quiet");

pub(super) const CASES: &[Case] = &[
    case!(the_ninth_peer_is_too_many, TEN),
    case!(the_eight_peers_still_work_after_the_ninth, TEN.kernels()),
    case!(taking_one_peer_away_makes_room, TEN),
    case!(islands_have_eight_unreachable_pairs, ISLANDS),
    case!(across_islands_enabling_is_refused_and_copies_work, ISLANDS),
    case!(one_direction_is_not_the_other, ONE_WAY),
    case!(one_direction_works_by_kernel, ONE_WAY.kernels()),
    case!(no_peers_is_a_no_and_not_an_error, NO_PEERS),
    case!(on_one_device_the_question_is_an_error, SINGLE),
    case!(peers_without_native_atomics_say_so, NO_ATOMICS),
];

fn the_ninth_peer_is_too_many(cx: &Cx) {
    for peer in 1..=8 {
        answers!(cx.cudaDeviceEnablePeerAccess(peer, 0), 0);
    }
    answers!(cx.cudaDeviceEnablePeerAccess(9, 0), 711);
    cx.last(711);
}

fn the_eight_peers_still_work_after_the_ninth(cx: &Cx) {
    for peer in 1..=8 {
        must!(cx.cudaDeviceEnablePeerAccess(peer, 0));
    }
    answers!(cx.cudaDeviceEnablePeerAccess(9, 0), 711);
    cx.last(711);
    for peer in 1..=8 {
        let theirs = cx.word(peer, 1);
        cx.store(NULL_STREAM, theirs, 2, 0);
        answers!(cx.cudaDeviceSynchronize(), 0);
        cx.value("what the owner sees", cx.read_word(peer, theirs), 2);
    }
}

fn taking_one_peer_away_makes_room(cx: &Cx) {
    for peer in 1..=8 {
        must!(cx.cudaDeviceEnablePeerAccess(peer, 0));
    }
    answers!(cx.cudaDeviceDisablePeerAccess(4), 0);
    answers!(cx.cudaDeviceEnablePeerAccess(9, 0), 0);
    answers!(cx.cudaDeviceEnablePeerAccess(4, 0), 711);
    cx.last(711);
}

fn islands_have_eight_unreachable_pairs(cx: &Cx) {
    let mut unreachable = Vec::new();
    for accessor in 0..4 {
        for owner in (0..4).filter(|owner| *owner != accessor) {
            let mut answer = -1;
            answers!(cx.cudaDeviceCanAccessPeer(&mut answer, accessor, owner), 0);
            if answer == 0 {
                unreachable.push((accessor, owner));
            }
        }
    }
    let across = [(0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (2, 1), (3, 0), (3, 1)];
    cx.value("unreachable pairs", unreachable, across.to_vec());
}

fn across_islands_enabling_is_refused_and_copies_work(cx: &Cx) {
    answers!(cx.cudaDeviceEnablePeerAccess(2, 0), 217);
    cx.last(217);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    let bytes = cx.pattern(4097, 11);
    let d0 = cx.filled(0, &bytes);
    let d2 = cx.filled(2, &[0xEE; 4097]);
    answers!(cx.cudaMemcpyPeer(d2, 2, d0, 0, 4097), 0);
    cx.synchronize(0);
    cx.holds("the bytes arrived, through the host", cx.read(2, d2, 4097) == bytes);
}

fn one_direction_is_not_the_other(cx: &Cx) {
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    cx.value("0 can access 1", answer, 1);
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 1, 0), 0);
    cx.value("1 can access 0", answer, 0);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 0);
    cx.on(1, || {
        answers!(cx.cudaDeviceEnablePeerAccess(0, 0), 217);
        cx.last(217);
    });
}

fn one_direction_works_by_kernel(cx: &Cx) {
    let theirs = cx.word(1, 1);
    cx.enable(0, 1);
    cx.store(NULL_STREAM, theirs, 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what the owner sees", cx.read_word(1, theirs), 2);
}

fn no_peers_is_a_no_and_not_an_error(cx: &Cx) {
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    cx.value("answer", answer, 0);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 217);
    cx.last(217);
}

fn on_one_device_the_question_is_an_error(cx: &Cx) {
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 101);
    cx.last(101);
    answers!(cx.cudaDeviceEnablePeerAccess(1, 0), 101);
    cx.last(101);
}

fn peers_without_native_atomics_say_so(cx: &Cx) {
    let atomics = cuda_p2p_sys::cudaDeviceP2PAttr::cudaDevP2PAttrNativeAtomicSupported;
    let mut value = -1;
    answers!(cx.cudaDeviceGetP2PAttribute(&mut value, atomics, 0, 1), 0);
    cx.value("value", value, 0);
    let mut answer = -1;
    answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);
    cx.value("answer", answer, 1);
}
