//! What the driver tells of an address that the runtime does not: where its allocation begins and ends, and whether it is of a pool.

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::case::{Case, case};
use crate::context::{Cx, must};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;
use crate::virtual_memory::{Functions, PART, pointer, told};

pub(super) const CASES: &[Case] = &[
    case!(an_allocation_begins_and_ends, TWO.pools()),
    case!(pinned_and_registered_memory_look_alike, ONE.pools()),
    case!(memory_of_a_pool_names_its_pool, PEERS.pools()),
    case!(a_piece_of_a_pool_begins_and_ends, ONE.pools()),
    case!(virtual_memory_is_the_whole_range, ONE.pools()),
    case!(unknown_addresses_are_refused, ONE.pools()),
    case!(managed_memory_says_so, ONE.pools().managed()),
    case!(physical_memory_is_behind_virtual_memory_alone, ONE.pools()),
];

/// By the numbers of `CUpointer_attribute`.
const MEMORY_TYPE: u32 = 2;
const IS_MANAGED: u32 = 8;
const DEVICE_ORDINAL: u32 = 9;
const START: u32 = 11;
const SIZE: u32 = 12;
const MAPPED: u32 = 13;
const POOL: u32 = 17;

/// Memory type, device, managed, mapped; offset from the start, and size.
type Described = ([u64; 4], u64, u64);

fn described(cx: &Cx, place: *mut c_void) -> Described {
    let vm = Functions::of(cx);
    let ask = |attribute| cx.attribute(&vm, place, attribute, 0);
    let words = [MEMORY_TYPE, DEVICE_ORDINAL, IS_MANAGED, MAPPED].map(ask);
    (words, (place.addr() as u64).wrapping_sub(ask(START)), ask(SIZE))
}

fn an_allocation_begins_and_ends(cx: &Cx) {
    let (ours, theirs) = (cx.malloc(0, 5000), cx.malloc(1, 1 << 20));
    cx.value("ours", described(cx, ours.wrapping_byte_add(17)), ([2, 0, 0, 1], 17, 5000));
    // Access is not needed to ask.
    cx.value("a peer's", described(cx, theirs), ([2, 1, 0, 1], 0, 1 << 20));
    let vm = Functions::of(cx);
    cx.value("its pool", cx.attribute(&vm, ours, POOL, 0), 0);
}

fn pinned_and_registered_memory_look_alike(cx: &Cx) {
    let mut pinned = null_mut();
    must!(cx.cudaHostAlloc(&mut pinned, 5000, 0));
    let mut pages = vec![0_u8; 8192];
    let registered = pages.as_mut_ptr().cast::<c_void>();
    must!(cx.cudaHostRegister(registered, 8192, 0));
    cx.value("pinned", described(cx, pinned.wrapping_byte_add(5)), ([1, 0, 0, 1], 5, 5000));
    cx.value("registered", described(cx, registered.wrapping_byte_add(5)), ([1, 0, 0, 1], 5, 8192));
    must!(cx.cudaHostUnregister(registered));
    must!(cx.cudaFreeHost(pinned));
}

fn memory_of_a_pool_names_its_pool(cx: &Cx) {
    let (pool, place) = super::pools::pool_word(cx, 1);
    let vm = Functions::of(cx);
    let named = cx.attribute(&vm, place, POOL, 0);
    cx.holds("it is the pool's handle", named == pool.addr() as u64);
    cx.holds("inside as well", cx.attribute(&vm, place.wrapping_byte_add(3), POOL, 0) == named);
}

fn a_piece_of_a_pool_begins_and_ends(cx: &Cx) {
    let mut place = null_mut();
    must!(cx.cudaMallocAsync(&mut place, 1000, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    cx.value("a piece", described(cx, place.wrapping_byte_add(3)), ([2, 0, 0, 1], 3, 1000));
    must!(cx.cudaFreeAsync(place, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    let vm = Functions::of(cx);
    cx.attribute(&vm, place, MEMORY_TYPE, 1);
}

fn virtual_memory_is_the_whole_range(cx: &Cx) {
    let vm = Functions::of(cx);
    let at = cx.reserve(&vm, 4);
    cx.map_part(&vm, at + PART as u64, 0, &[0]);
    let place = pointer(at + PART as u64 + 8);
    cx.value("a part", described(cx, place), ([2, 0, 0, 1], PART as u64 + 8, 4 * PART as u64));
    cx.value("its pool", cx.attribute(&vm, place, POOL, 0), 0);
}

fn unknown_addresses_are_refused(cx: &Cx) {
    let vm = Functions::of(cx);
    let mut word = 7_u32;
    for place in [(&raw mut word).cast::<c_void>(), null_mut(), pointer(cx.reserve(&vm, 1))] {
        for attribute in [MEMORY_TYPE, START, SIZE, POOL] {
            cx.attribute(&vm, place, attribute, 1);
        }
    }
    cx.last(0);
}

fn managed_memory_says_so(cx: &Cx) {
    let mut managed = null_mut();
    must!(cx.cudaMallocManaged(&mut managed, 64, cuda_p2p_sys::cudaMemAttachGlobal));
    cx.value("managed", described(cx, managed).0[2], 1);
    must!(cx.cudaFree(managed));
}

fn physical_memory_is_behind_virtual_memory_alone(cx: &Cx) {
    let (vm, mut handle, mut word) = (Functions::of(cx), 0, 7_u32);
    let mut pooled = null_mut();
    must!(cx.cudaMallocAsync(&mut pooled, 1000, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    let plain = cx.malloc(0, 4096);
    for place in [plain, pooled, (&raw mut word).cast::<c_void>(), null_mut()] {
        told!(cx, vm.cuMemRetainAllocationHandle(&mut handle, place), 1);
    }
}
