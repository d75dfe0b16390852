//! Wrong arguments of the calls of memory pools. A null list of grants, and a null place for a grant, end the process inside
//! hardware's library, so those two are not asked for.

use std::ffi::c_void;
use std::ptr::{from_mut, null_mut};

use cuda_p2p_sys::{
    cudaMemAccessDesc, cudaMemAccessFlags, cudaMemLocation, cudaMemLocationType, cudaMemPool_t,
    cudaMemPoolAttr, cudaMemPoolProps,
};

use super::pools::{NONE, READ_WRITE, access, grant, location, pool_word, properties};
use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(the_default_pool_of_an_unknown_device, ONE.pools()),
    case!(the_default_pool_without_a_place, ONE.pools()),
    case!(access_of_an_unknown_device, ONE.pools()),
    case!(access_of_the_host, ONE.pools()),
    case!(taking_the_owners_access_away, ONE.pools()),
    case!(granting_the_owner_what_it_has, ONE.pools()),
    case!(granting_reading_alone, PEERS.pools()),
    case!(granting_unknown_flags, PEERS.pools()),
    case!(granting_to_the_host, ONE.pools()),
    case!(granting_to_an_invalid_place, ONE.pools()),
    case!(granting_nothing, ONE.pools()),
    case!(granting_to_a_good_and_an_unknown_device, PEERS.pools()),
    case!(allocating_without_a_place, ONE.pools()),
    case!(allocating_nothing, ONE.pools()),
    case!(allocating_more_than_there_is, ONE.pools()),
    case!(freeing_null, ONE.pools()),
    case!(freeing_host_memory, ONE.pools()),
    case!(freeing_twice, ONE.pools()),
    case!(creating_without_properties, ONE.pools()),
    case!(creating_without_a_place, ONE.pools()),
    case!(creating_for_an_unknown_device, ONE.pools()),
    case!(destroying_the_default_pool, ONE.pools()),
    case!(destroying_null, ONE.pools()),
    case!(attributes_that_are_unknown, ONE.pools()),
    case!(attributes_that_only_reset, ONE.pools()),
];

fn default_pool(cx: &Cx, device: i32) -> cudaMemPool_t {
    let mut pool = null_mut();
    must!(cx.cudaDeviceGetDefaultMemPool(&mut pool, device));
    pool
}

fn the_default_pool_of_an_unknown_device(cx: &Cx) {
    let mut pool = null_mut();
    refuses!(cx.cudaDeviceGetDefaultMemPool(&mut pool, 99), 101);
}

fn the_default_pool_without_a_place(cx: &Cx) {
    refuses!(cx.cudaDeviceGetDefaultMemPool(null_mut(), 0), 1);
}

/// Asking answers 1 where granting answers 101.
fn access_of_an_unknown_device(cx: &Cx) {
    let pool = default_pool(cx, 0);
    let mut flags = cudaMemAccessFlags(99);
    refuses!(cx.cudaMemPoolGetAccess(&mut flags, pool, &mut location(99)), 1);
}

fn host() -> cudaMemLocation {
    cudaMemLocation::new(cudaMemLocationType::cudaMemLocationTypeHost, 0)
}

fn access_of_the_host(cx: &Cx) {
    let pool = default_pool(cx, 0);
    let mut flags = cudaMemAccessFlags(99);
    answers!(cx.cudaMemPoolGetAccess(&mut flags, pool, &mut host()), 0);
    cx.value("flags", flags.0, 0);
}

fn taking_the_owners_access_away(cx: &Cx) {
    let pool = default_pool(cx, 0);
    refuses!(cx.cudaMemPoolSetAccess(pool, &grant(0, NONE), 1), 101);
    access(cx, pool, 0, 3);
}

fn granting_the_owner_what_it_has(cx: &Cx) {
    let pool = default_pool(cx, 0);
    answers!(cx.cudaMemPoolSetAccess(pool, &grant(0, READ_WRITE), 1), 0);
    cx.last(0);
    access(cx, pool, 0, 3);
}

fn granting_reading_alone(cx: &Cx) {
    let (pool, _) = pool_word(cx, 1);
    let reading = cudaMemAccessFlags::cudaMemAccessFlagsProtRead;
    refuses!(cx.cudaMemPoolSetAccess(pool, &grant(0, reading), 1), 801);
    let mut flags = cudaMemAccessFlags(99);
    answers!(cx.cudaMemPoolGetAccess(&mut flags, pool, &mut location(0)), 0);
    cx.value("flags", flags.0, 0);
    cx.holds("no more than reading", flags.0 <= 1);
}

fn granting_unknown_flags(cx: &Cx) {
    let (pool, _) = pool_word(cx, 1);
    refuses!(cx.cudaMemPoolSetAccess(pool, &grant(0, cudaMemAccessFlags(9)), 1), 1);
    access(cx, pool, 0, 0);
}

fn granting_to_the_host(cx: &Cx) {
    let pool = default_pool(cx, 0);
    let to_host = cudaMemAccessDesc { location: host(), flags: READ_WRITE };
    refuses!(cx.cudaMemPoolSetAccess(pool, &to_host, 1), 801);
    access(cx, pool, 0, 3);
}

fn granting_to_an_invalid_place(cx: &Cx) {
    let pool = default_pool(cx, 0);
    let nowhere = cudaMemLocation::new(cudaMemLocationType::cudaMemLocationTypeInvalid, 0);
    let to_nowhere = cudaMemAccessDesc { location: nowhere, flags: READ_WRITE };
    refuses!(cx.cudaMemPoolSetAccess(pool, &to_nowhere, 1), 801);
    access(cx, pool, 0, 3);
}

fn granting_nothing(cx: &Cx) {
    let pool = default_pool(cx, 0);
    answers!(cx.cudaMemPoolSetAccess(pool, &grant(0, READ_WRITE), 0), 0);
    cx.last(0);
    access(cx, pool, 0, 3);
}

/// The good half is not done either.
fn granting_to_a_good_and_an_unknown_device(cx: &Cx) {
    let (pool, _) = pool_word(cx, 1);
    let both = [grant(0, READ_WRITE), grant(99, READ_WRITE)];
    refuses!(cx.cudaMemPoolSetAccess(pool, both.as_ptr(), 2), 101);
    let mut flags = cudaMemAccessFlags(99);
    answers!(cx.cudaMemPoolGetAccess(&mut flags, pool, &mut location(0)), 0);
    cx.value("flags", flags.0, 0);
}

fn allocating_without_a_place(cx: &Cx) {
    refuses!(cx.cudaMallocAsync(null_mut(), 1024, NULL_STREAM), 1);
}

fn allocating_nothing(cx: &Cx) {
    let mut place = std::ptr::dangling_mut::<c_void>();
    answers!(cx.cudaMallocAsync(&mut place, 0, NULL_STREAM), 0);
    cx.last(0);
    cx.value("place.is_null()", place.is_null(), true);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

fn allocating_more_than_there_is(cx: &Cx) {
    let mut place = null_mut();
    refuses!(cx.cudaMallocAsync(&mut place, 1 << 50, NULL_STREAM), 2);
    // It leaves the pool usable.
    answers!(cx.cudaMallocAsync(&mut place, 1024, NULL_STREAM), 0);
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
}

fn freeing_null(cx: &Cx) {
    answers!(cx.cudaFreeAsync(null_mut(), NULL_STREAM), 0);
    cx.last(0);
    answers!(cx.cudaStreamQuery(NULL_STREAM), 0);
}

fn freeing_host_memory(cx: &Cx) {
    let mut word = 7_u32;
    refuses!(cx.cudaFreeAsync(from_mut(&mut word).cast(), NULL_STREAM), 1);
}

fn freeing_twice(cx: &Cx) {
    let mut place = null_mut();
    must!(cx.cudaMallocAsync(&mut place, 1024, NULL_STREAM));
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
    refuses!(cx.cudaFreeAsync(place, NULL_STREAM), 1);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

/// Zeroes are no properties: they name no type of memory and no place.
fn creating_without_properties(cx: &Cx) {
    // SAFETY: integers and a pointer: zeroes are a value.
    let zeroes: cudaMemPoolProps = unsafe { std::mem::zeroed() };
    let mut pool = null_mut();
    refuses!(cx.cudaMemPoolCreate(&mut pool, &zeroes), 1);
}

fn creating_without_a_place(cx: &Cx) {
    let properties = properties(0);
    refuses!(cx.cudaMemPoolCreate(null_mut(), &properties), 1);
}

fn creating_for_an_unknown_device(cx: &Cx) {
    let properties = properties(99);
    let mut pool = null_mut();
    refuses!(cx.cudaMemPoolCreate(&mut pool, &properties), 1);
}

fn destroying_the_default_pool(cx: &Cx) {
    let pool = default_pool(cx, 0);
    refuses!(cx.cudaMemPoolDestroy(pool), 1);
    access(cx, pool, 0, 3);
}

fn destroying_null(cx: &Cx) {
    refuses!(cx.cudaMemPoolDestroy(null_mut()), 1);
}

fn attributes_that_are_unknown(cx: &Cx) {
    let pool = default_pool(cx, 0);
    let mut value = 7_u64;
    let place = from_mut(&mut value).cast::<c_void>();
    refuses!(cx.cudaMemPoolGetAttribute(pool, cudaMemPoolAttr(99), place), 1);
    refuses!(cx.cudaMemPoolSetAttribute(pool, cudaMemPoolAttr(99), place), 1);
}

/// A high-water mark can be set to 0 alone.
fn attributes_that_only_reset(cx: &Cx) {
    let pool = default_pool(cx, 0);
    let high = cudaMemPoolAttr::cudaMemPoolAttrUsedMemHigh;
    let (mut five, mut zero) = (5_u64, 0_u64);
    let (five, zero) = (from_mut(&mut five).cast::<c_void>(), from_mut(&mut zero).cast::<c_void>());
    refuses!(cx.cudaMemPoolSetAttribute(pool, high, five), 1);
    answers!(cx.cudaMemPoolSetAttribute(pool, high, zero), 0);
}
