//! Wrong arguments of the driver's calls for virtual memory, and which of several mistakes is told. A handle that never was one ends the
//! process inside hardware's driver, and so does one whose memory is gone, so neither is passed.

use std::ptr::{null, null_mut};

use cuda_p2p_sys::driver::{
    CuMemAccessDesc, CuMemAccessFlags, CuMemAllocationGranularityFlags as Granularity, CuMemAllocationType,
    CuMemLocation, CuMemLocationType,
};

use crate::case::{Case, case};
use crate::context::Cx;
use crate::needs::{ONE, TWO};
use crate::virtual_memory::{Functions, PART, access_of, memory_of, open_to, pointer, told};

pub(super) const CASES: &[Case] = &[
    case!(the_granularity_is_two_mebibytes, ONE.pools()),
    case!(granularity_without_places, ONE.pools()),
    case!(reserving_what_there_is_not, ONE.pools()),
    case!(reserved_addresses_are_aligned_as_asked, ONE.pools()),
    case!(memory_of_no_whole_parts, ONE.pools()),
    case!(memory_without_places, ONE.pools()),
    case!(memory_of_unknown_devices, ONE.pools()),
    case!(more_memory_than_there_is, ONE.pools()),
    case!(a_part_of_memory_cannot_be_mapped, ONE.pools()),
    case!(mapping_at_no_place, ONE.pools()),
    case!(mapping_over_another, ONE.pools()),
    case!(access_to_what_is_not_mapped, ONE.pools()),
    case!(access_to_a_part_of_a_mapping, ONE.pools()),
    case!(access_of_unknown_devices, ONE.pools()),
    case!(access_by_wrong_lists, ONE.pools()),
    case!(a_list_with_a_wrong_entry_changes_nothing, ONE.pools()),
    case!(asking_for_access, TWO.pools()),
    case!(unmapping_cuts_nothing, ONE.pools()),
    case!(unmapping_takes_all_that_is_inside, ONE.pools()),
    case!(addresses_are_given_back_whole_and_empty, ONE.pools()),
    case!(a_handle_is_released_as_often_as_it_was_given, ONE.pools()),
];

fn the_granularity_is_two_mebibytes(cx: &Cx) {
    let (vm, prop) = (Functions::of(cx), memory_of(0));
    let (mut least, mut best) = (0, 0);
    told!(cx, vm.cuMemGetAllocationGranularity(&mut least, &prop, Granularity::MINIMUM), 0);
    told!(cx, vm.cuMemGetAllocationGranularity(&mut best, &prop, Granularity::RECOMMENDED), 0);
    cx.value("the least and the best", (least, best), (PART, PART));
    // Whose memory it is about is not looked at.
    let nobody = memory_of(99);
    told!(cx, vm.cuMemGetAllocationGranularity(&mut least, &nobody, Granularity::MINIMUM), 0);
}

fn granularity_without_places(cx: &Cx) {
    let (vm, prop, mut bytes) = (Functions::of(cx), memory_of(0), 0);
    told!(cx, vm.cuMemGetAllocationGranularity(null_mut(), &prop, Granularity::MINIMUM), 1);
    told!(cx, vm.cuMemGetAllocationGranularity(&mut bytes, null(), Granularity::MINIMUM), 1);
    told!(cx, vm.cuMemGetAllocationGranularity(&mut bytes, &prop, Granularity(7)), 1);
    cx.last(0);
}

fn reserving_what_there_is_not(cx: &Cx) {
    let (vm, mut at) = (Functions::of(cx), 0);
    told!(cx, vm.cuMemAddressReserve(&mut at, 0, 0, 0, 0), 1);
    told!(cx, vm.cuMemAddressReserve(&mut at, 4096, 0, 0, 0), 1);
    told!(cx, vm.cuMemAddressReserve(&mut at, PART + 4096, 0, 0, 0), 1);
    told!(cx, vm.cuMemAddressReserve(&mut at, PART, 3, 0, 0), 1);
    told!(cx, vm.cuMemAddressReserve(&mut at, PART, 0, 0, 1), 1);
    told!(cx, vm.cuMemAddressReserve(null_mut(), PART, 0, 0, 0), 1);
    told!(cx, vm.cuMemAddressReserve(&mut at, 1 << 60, 0, 0, 0), 2);
    cx.value("the place", at, 0);
    cx.last(0);
}

fn reserved_addresses_are_aligned_as_asked(cx: &Cx) {
    let (vm, mut at) = (Functions::of(cx), 0);
    for alignment in [0, 4096, 4 * PART] {
        told!(cx, vm.cuMemAddressReserve(&mut at, PART, alignment, 0, 0), 0);
        cx.value("aligned", at.is_multiple_of(alignment.max(PART) as u64), true);
        told!(cx, vm.cuMemAddressFree(at, PART), 0);
    }
}

fn memory_of_no_whole_parts(cx: &Cx) {
    let (vm, mut handle, prop) = (Functions::of(cx), 0, memory_of(0));
    told!(cx, vm.cuMemCreate(&mut handle, 0, &prop, 0), 1);
    told!(cx, vm.cuMemCreate(&mut handle, 4096, &prop, 0), 1);
    told!(cx, vm.cuMemCreate(&mut handle, PART + 1, &prop, 0), 1);
    told!(cx, vm.cuMemCreate(&mut handle, PART, &prop, 1), 1);
}

fn memory_without_places(cx: &Cx) {
    let (vm, mut handle, prop) = (Functions::of(cx), 0, memory_of(0));
    told!(cx, vm.cuMemCreate(&mut handle, PART, null(), 0), 1);
    told!(cx, vm.cuMemCreate(null_mut(), PART, &prop, 0), 1);
}

fn memory_of_unknown_devices(cx: &Cx) {
    let (vm, mut handle) = (Functions::of(cx), 0);
    let unknown = memory_of(99);
    told!(cx, vm.cuMemCreate(&mut handle, PART, &unknown, 0), 101);
    let mut nowhere = memory_of(0);
    nowhere.location.type_ = CuMemLocationType(0);
    told!(cx, vm.cuMemCreate(&mut handle, PART, &nowhere, 0), 1);
    let mut nothing = memory_of(0);
    nothing.type_ = CuMemAllocationType(0);
    told!(cx, vm.cuMemCreate(&mut handle, PART, &nothing, 0), 1);
}

fn more_memory_than_there_is(cx: &Cx) {
    let (vm, mut handle, prop) = (Functions::of(cx), 0, memory_of(0));
    told!(cx, vm.cuMemCreate(&mut handle, 1 << 50, &prop, 0), 2);
    cx.last(0);
}

fn a_part_of_memory_cannot_be_mapped(cx: &Cx) {
    let vm = Functions::of(cx);
    let (at, handle) = (cx.reserve(&vm, 4), cx.physical(&vm, 0, 2));
    told!(cx, vm.cuMemMap(at, PART, 0, handle, 0), 801);
    told!(cx, vm.cuMemMap(at, PART, PART, handle, 0), 801);
    told!(cx, vm.cuMemMap(at, 2 * PART, PART, handle, 0), 801);
    told!(cx, vm.cuMemMap(at, 4 * PART, 0, handle, 0), 801);
    told!(cx, vm.cuMemRelease(handle), 0);
    told!(cx, vm.cuMemAddressFree(at, 4 * PART), 0);
}

fn mapping_at_no_place(cx: &Cx) {
    let vm = Functions::of(cx);
    let (at, handle) = (cx.reserve(&vm, 4), cx.physical(&vm, 0, 2));
    told!(cx, vm.cuMemMap(at + 4096, 2 * PART, 0, handle, 0), 1);
    told!(cx, vm.cuMemMap(0, 2 * PART, 0, handle, 0), 1);
    told!(cx, vm.cuMemMap(at, 0, 0, handle, 0), 1);
    told!(cx, vm.cuMemMap(at, 2 * PART, 0, handle, 1), 1);
    told!(cx, vm.cuMemMap(at, 2 * PART, 0, 0, 0), 1);
    told!(cx, vm.cuMemAddressFree(at, 4 * PART), 0);
    told!(cx, vm.cuMemMap(at, 2 * PART, 0, handle, 0), 1);
    told!(cx, vm.cuMemRelease(handle), 0);
}

fn mapping_over_another(cx: &Cx) {
    let vm = Functions::of(cx);
    let (at, handle) = (cx.reserve(&vm, 4), cx.physical(&vm, 0, 2));
    told!(cx, vm.cuMemMap(at + PART as u64, 2 * PART, 0, handle, 0), 0);
    told!(cx, vm.cuMemMap(at, 2 * PART, 0, handle, 0), 1);
    told!(cx, vm.cuMemMap(at + PART as u64, 2 * PART, 0, handle, 0), 1);
    told!(cx, vm.cuMemMap(at + 2 * PART as u64, 2 * PART, 0, handle, 0), 1);
    told!(cx, vm.cuMemUnmap(at, 4 * PART), 0);
    told!(cx, vm.cuMemRelease(handle), 0);
    told!(cx, vm.cuMemAddressFree(at, 4 * PART), 0);
}

fn access_to_what_is_not_mapped(cx: &Cx) {
    let vm = Functions::of(cx);
    let (at, access) = (cx.reserve(&vm, 3), open_to(0));
    told!(cx, vm.cuMemSetAccess(at, PART, &access, 1), 1);
    cx.map_part(&vm, at, 0, &[]);
    told!(cx, vm.cuMemSetAccess(at, 3 * PART, &access, 1), 1);
    told!(cx, vm.cuMemSetAccess(at, 2 * PART, &access, 1), 1);
    cx.has_access(&vm, at, 0, 0);
    told!(cx, vm.cuMemUnmap(at, PART), 0);
    told!(cx, vm.cuMemSetAccess(at, PART, &access, 1), 1);
    told!(cx, vm.cuMemAddressFree(at, 3 * PART), 0);
}

fn access_to_a_part_of_a_mapping(cx: &Cx) {
    let vm = Functions::of(cx);
    let (at, handle, access) = (cx.reserve(&vm, 2), cx.physical(&vm, 0, 2), open_to(0));
    told!(cx, vm.cuMemMap(at, 2 * PART, 0, handle, 0), 0);
    told!(cx, vm.cuMemSetAccess(at, PART, &access, 1), 1);
    told!(cx, vm.cuMemSetAccess(at, 0, &access, 1), 1);
    told!(cx, vm.cuMemSetAccess(at + 4096, PART, &access, 1), 1);
    cx.has_access(&vm, at, 0, 0);
    told!(cx, vm.cuMemSetAccess(at, 2 * PART, &access, 1), 0);
    cx.has_access(&vm, at + 5, 0, 3);
    told!(cx, vm.cuMemUnmap(at, 2 * PART), 0);
    told!(cx, vm.cuMemRelease(handle), 0);
}

fn access_of_unknown_devices(cx: &Cx) {
    let vm = Functions::of(cx);
    let at = cx.reserve(&vm, 1);
    cx.map_part(&vm, at, 0, &[]);
    let unknown = open_to(99);
    told!(cx, vm.cuMemSetAccess(at, PART, &unknown, 1), 1);
    let host = CuMemAccessDesc {
        location: CuMemLocation { type_: CuMemLocationType(2), id: 0 },
        flags: CuMemAccessFlags::READ_WRITE,
    };
    told!(cx, vm.cuMemSetAccess(at, PART, &host, 1), 801);
    cx.has_access(&vm, at, 0, 0);
}

fn access_by_wrong_lists(cx: &Cx) {
    let vm = Functions::of(cx);
    let at = cx.reserve(&vm, 1);
    cx.map_part(&vm, at, 0, &[]);
    let (good, bad) = (open_to(0), access_of(0, CuMemAccessFlags(7)));
    told!(cx, vm.cuMemSetAccess(at, PART, null(), 1), 1);
    told!(cx, vm.cuMemSetAccess(at, PART, &good, 0), 1);
    told!(cx, vm.cuMemSetAccess(at, PART, &bad, 1), 1);
    cx.has_access(&vm, at, 0, 0);
}

fn a_list_with_a_wrong_entry_changes_nothing(cx: &Cx) {
    let vm = Functions::of(cx);
    let at = cx.reserve(&vm, 1);
    cx.map_part(&vm, at, 0, &[]);
    let list = [open_to(0), open_to(99)];
    told!(cx, vm.cuMemSetAccess(at, PART, list.as_ptr(), 2), 1);
    cx.has_access(&vm, at, 0, 0);
}

fn asking_for_access(cx: &Cx) {
    let vm = Functions::of(cx);
    let (at, mut flags) = (cx.reserve(&vm, 2), 0);
    let (ours, unknown) = (CuMemLocation::device(0), CuMemLocation::device(99));
    told!(cx, vm.cuMemGetAccess(&mut flags, &ours, at), 1);
    cx.map_part(&vm, at, 0, &[0]);
    cx.has_access(&vm, at, 0, 3);
    cx.has_access(&vm, at + 100, 1, 0);
    told!(cx, vm.cuMemGetAccess(&mut flags, &unknown, at), 101);
    told!(cx, vm.cuMemGetAccess(&mut flags, &ours, at + PART as u64), 1);
    // Of other memory it says no, whatever may be.
    let plain = cx.malloc(0, 4096) as u64;
    cx.has_access(&vm, plain, 0, 0);
}

fn unmapping_cuts_nothing(cx: &Cx) {
    let vm = Functions::of(cx);
    let (at, handle) = (cx.reserve(&vm, 4), cx.physical(&vm, 0, 2));
    told!(cx, vm.cuMemMap(at + PART as u64, 2 * PART, 0, handle, 0), 0);
    told!(cx, vm.cuMemUnmap(at + PART as u64, PART), 1);
    told!(cx, vm.cuMemUnmap(at, 2 * PART), 1);
    told!(cx, vm.cuMemUnmap(at + 4096, 2 * PART), 1);
    told!(cx, vm.cuMemUnmap(at + PART as u64, 0), 1);
    told!(cx, vm.cuMemUnmap(at, 3 * PART), 0);
    told!(cx, vm.cuMemRelease(handle), 0);
}

/// Where nothing is mapped there is nothing to take out, which is no error.
fn unmapping_takes_all_that_is_inside(cx: &Cx) {
    let vm = Functions::of(cx);
    let at = cx.reserve(&vm, 4);
    told!(cx, vm.cuMemUnmap(at, 4 * PART), 0);
    for part in [0, 2] {
        cx.map_part(&vm, at + (part * PART) as u64, 0, &[]);
    }
    told!(cx, vm.cuMemUnmap(at, 4 * PART), 0);
    told!(cx, vm.cuMemUnmap(at + PART as u64, PART), 0);
    told!(cx, vm.cuMemAddressFree(at, 4 * PART), 0);
    told!(cx, vm.cuMemUnmap(at, 4 * PART), 1);
}

fn addresses_are_given_back_whole_and_empty(cx: &Cx) {
    let vm = Functions::of(cx);
    let at = cx.reserve(&vm, 4);
    cx.map_part(&vm, at, 0, &[]);
    told!(cx, vm.cuMemAddressFree(at, 4 * PART), 1);
    told!(cx, vm.cuMemUnmap(at, PART), 0);
    told!(cx, vm.cuMemAddressFree(at, 2 * PART), 1);
    told!(cx, vm.cuMemAddressFree(at + PART as u64, 3 * PART), 1);
    told!(cx, vm.cuMemAddressFree(at, 8 * PART), 1);
    told!(cx, vm.cuMemAddressFree(0, PART), 1);
    told!(cx, vm.cuMemAddressFree(at, 4 * PART), 0);
    told!(cx, vm.cuMemAddressFree(at, 4 * PART), 1);
}

fn a_handle_is_released_as_often_as_it_was_given(cx: &Cx) {
    let vm = Functions::of(cx);
    let (at, handle, mut again) = (cx.reserve(&vm, 2), cx.physical(&vm, 0, 1), 0);
    told!(cx, vm.cuMemRetainAllocationHandle(&mut again, pointer(at)), 1);
    told!(cx, vm.cuMemMap(at, PART, 0, handle, 0), 0);
    told!(cx, vm.cuMemRetainAllocationHandle(&mut again, pointer(at + 5)), 0);
    cx.holds("it is the same handle", again == handle);
    told!(cx, vm.cuMemRetainAllocationHandle(null_mut(), pointer(at)), 1);
    told!(cx, vm.cuMemRetainAllocationHandle(&mut again, pointer(at + PART as u64)), 1);
    told!(cx, vm.cuMemRelease(handle), 0);
    told!(cx, vm.cuMemRelease(handle), 0);
    told!(cx, vm.cuMemRelease(handle), 1);
    told!(cx, vm.cuMemRelease(0), 1);
    told!(cx, vm.cuMemUnmap(at, PART), 0);
}
