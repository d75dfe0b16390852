//! Virtual memory that a device has no access to, or that is not there: each ends the context.

use std::ffi::c_void;

use cuda_p2p_sys::driver::CuMemAccessFlags;

use super::virtual_memory::word_of;
use crate::case::{Case, case};
use crate::context::{Cx, answers};
use crate::needs::{ONE, PEERS};
use crate::setup::NULL_STREAM;
use crate::virtual_memory::{Functions, PART, access_of, memory_of, pointer, told};

pub(super) const CASES: &[Case] = &[
    case!(its_own_device_needs_access, ONE.pools().kernels()).poisons(),
    case!(access_of_the_owner_is_not_the_peers, PEERS.pools().kernels()).poisons(),
    case!(peer_access_does_not_cover_it, PEERS.pools().kernels()).poisons(),
    case!(access_taken_away_is_missed, ONE.pools().kernels()).poisons(),
    case!(reserved_addresses_are_no_memory, ONE.pools().kernels()).poisons(),
    case!(unmapped_memory_is_missed, ONE.pools().kernels()).poisons(),
    case!(what_the_driver_answers_after_a_fault, ONE.pools().kernels()).poisons(),
];

fn faults(cx: &Cx, place: *mut c_void) {
    cx.store_word(NULL_STREAM, place, 2);
    answers!(cx.cudaDeviceSynchronize(), 700);
}

fn its_own_device_needs_access(cx: &Cx) {
    let (_, place) = word_of(cx, 0, &[]);
    faults(cx, place);
}

fn access_of_the_owner_is_not_the_peers(cx: &Cx) {
    let (_, place) = word_of(cx, 1, &[1]);
    faults(cx, place);
}

fn peer_access_does_not_cover_it(cx: &Cx) {
    let (_, place) = word_of(cx, 1, &[1]);
    cx.enable(0, 1);
    faults(cx, place);
}

fn access_taken_away_is_missed(cx: &Cx) {
    let (vm, place) = word_of(cx, 0, &[0]);
    let (at, none) = (place.addr() as u64, access_of(0, CuMemAccessFlags::NONE));
    told!(cx, vm.cuMemSetAccess(at, PART, &none, 1), 0);
    cx.has_access(&vm, at, 0, 0);
    faults(cx, place);
}

fn reserved_addresses_are_no_memory(cx: &Cx) {
    let vm = Functions::of(cx);
    faults(cx, pointer(cx.reserve(&vm, 1)));
}

fn unmapped_memory_is_missed(cx: &Cx) {
    let (vm, place) = word_of(cx, 0, &[0]);
    let at = place.addr() as u64;
    told!(cx, vm.cuMemUnmap(at, PART), 0);
    faults(cx, place);
}

fn what_the_driver_answers_after_a_fault(cx: &Cx) {
    let (vm, place) = word_of(cx, 0, &[]);
    faults(cx, place);
    let (mut at, mut handle, prop) = (0, 0, memory_of(0));
    told!(cx, vm.cuMemAddressReserve(&mut at, PART, 0, 0, 0), 0);
    told!(cx, vm.cuMemCreate(&mut handle, PART, &prop, 0), 0);
    told!(cx, vm.cuMemRelease(handle), 0);
    told!(cx, vm.cuMemAddressFree(at, PART), 0);
    cx.has_access(&vm, place.addr() as u64, 0, 0);
}
