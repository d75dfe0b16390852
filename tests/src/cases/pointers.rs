//! What a pointer is: `cudaPointerGetAttributes` for every kind of memory, before peer access is enabled, while it is, and
//! after.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::{cudaMemAttachGlobal, cudaMemoryType, cudaPointerAttributes};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(memory_of_a_device_names_its_device, TWO),
    case!(an_interior_pointer_names_its_device, ONE),
    case!(the_device_pointer_comes_and_goes_with_access, PEERS),
    case!(access_of_the_owner_gives_no_device_pointer, PEERS),
    case!(the_current_device_gets_its_own_device_pointer, TWO),
    case!(memory_is_named_from_another_thread, ONE),
    case!(freed_memory_is_unregistered, ONE),
    case!(pinned_memory_is_host_memory, ONE),
    case!(an_interior_pointer_of_pinned_memory, ONE),
    case!(freed_pinned_memory_is_unregistered, ONE),
    case!(pinned_memory_belongs_to_the_device_that_was_current, TWO),
    case!(registered_memory_is_host_memory, ONE),
    case!(unregistered_memory_is_pageable_again, ONE),
    case!(managed_memory_is_of_a_type_of_its_own, ONE.managed()),
    case!(memory_of_a_pool_is_memory_of_a_device, ONE.pools()),
    case!(memory_of_a_peers_pool_before_a_grant_and_after, PEERS.pools()),
    case!(pageable_memory_is_unregistered, ONE),
    case!(pageable_memory_is_its_own_host_pointer, ONE),
    case!(null_is_unregistered, ONE),
    case!(null_is_its_own_pointer, ONE),
    case!(a_null_place_fails, ONE),
    case!(asking_leaves_a_pending_error, ONE),
];

fn attributes(cx: &Cx, pointer: *const c_void) -> cudaPointerAttributes {
    // SAFETY: integers and pointers: zeroes are a value.
    let mut attributes: cudaPointerAttributes = unsafe { std::mem::zeroed() };
    answers!(cx.cudaPointerGetAttributes(&mut attributes, pointer), 0);
    attributes
}

/// All of the answer in words: type, device, and how its two pointers compare with the one that was asked about.
fn described(cx: &Cx, pointer: *mut c_void) -> String {
    let answer = attributes(cx, pointer);
    let compared = |other: *mut c_void| match other {
        same if same == pointer => "same",
        null if null.is_null() => "null",
        _ => "other",
    };
    let (type_, device) = (answer.type_.0, answer.device);
    let (on_device, on_host) = (compared(answer.devicePointer), compared(answer.hostPointer));
    format!("type {type_}, device {device}, devicePointer {on_device}, hostPointer {on_host}")
}

const PINNED: &str = "type 1, device 0, devicePointer same, hostPointer same";
const PAGEABLE: &str = "type 0, device -2, devicePointer null, hostPointer same";
const OURS: &str = "type 2, device 0, devicePointer same, hostPointer null";
const THEIRS: &str = "type 2, device 1, devicePointer null, hostPointer null";
const THEIRS_WITH_ACCESS: &str = "type 2, device 1, devicePointer same, hostPointer null";

fn is(cx: &Cx, pointer: *mut c_void, want: &str) {
    cx.value("the pointer", described(cx, pointer), want.to_owned());
}

fn is_memory_of(cx: &Cx, pointer: *mut c_void, device: i32, reached: bool) {
    let attributes = attributes(cx, pointer);
    cx.value("type", attributes.type_, cudaMemoryType::cudaMemoryTypeDevice);
    cx.value("device", attributes.device, device);
    cx.value("devicePointer is the pointer", attributes.devicePointer == pointer, reached);
    cx.value("hostPointer is null", attributes.hostPointer.is_null(), true);
}

/// The device pointer is the one by which the *current* device reaches the memory: null where it does not.
fn memory_of_a_device_names_its_device(cx: &Cx) {
    is_memory_of(cx, cx.malloc(0, 4096), 0, true);
    is_memory_of(cx, cx.malloc(1, 4096), 1, false);
}

fn an_interior_pointer_names_its_device(cx: &Cx) {
    let pointer = cx.malloc(0, 4096).wrapping_byte_add(100);
    is_memory_of(cx, pointer, 0, true);
}

fn the_device_pointer_comes_and_goes_with_access(cx: &Cx) {
    let theirs = cx.malloc(1, 4096);
    is_memory_of(cx, theirs, 1, false);
    cx.enable(0, 1);
    is_memory_of(cx, theirs, 1, true);
    must!(cx.cudaDeviceDisablePeerAccess(1));
    is_memory_of(cx, theirs, 1, false);
}

fn access_of_the_owner_gives_no_device_pointer(cx: &Cx) {
    let theirs = cx.malloc(1, 4096);
    cx.enable(1, 0);
    is(cx, theirs, THEIRS);
}

fn the_current_device_gets_its_own_device_pointer(cx: &Cx) {
    let theirs = cx.malloc(1, 4096);
    cx.on(1, || is(cx, theirs, THEIRS_WITH_ACCESS));
    is(cx, theirs, THEIRS);
}

fn memory_is_named_from_another_thread(cx: &Cx) {
    let pointer = cx.malloc(0, 4096) as usize;
    let ask = cx.table.cudaPointerGetAttributes;
    let there = std::thread::spawn(move || {
        // SAFETY: integers and pointers: zeroes are a value.
        let mut attributes: cudaPointerAttributes = unsafe { std::mem::zeroed() };
        // SAFETY: a valid place, and a pointer that is only asked about.
        let status = ask.map(|function| unsafe { function(&mut attributes, pointer as *const c_void) });
        (status.map(|status| status.0), attributes.type_.0, attributes.device)
    });
    cx.value("status, type and device", there.join().ok(), Some((Some(0), 2, 0)));
}

fn freed_memory_is_unregistered(cx: &Cx) {
    // Large, so that nothing else shares its pages.
    let pointer = cx.malloc(0, 64 << 20);
    is(cx, pointer, OURS);
    must!(cx.cudaFree(pointer));
    is(cx, pointer, PAGEABLE);
}

fn pinned(cx: &Cx) -> *mut c_void {
    let mut pinned = null_mut();
    must!(cx.cudaHostAlloc(&mut pinned, 4096, 0));
    pinned
}

fn pinned_memory_is_host_memory(cx: &Cx) {
    let mut pinned = null_mut();
    must!(cx.cudaHostAlloc(&mut pinned, 4096, 0));
    let attributes = attributes(cx, pinned);
    cx.value("type", attributes.type_, cudaMemoryType::cudaMemoryTypeHost);
    cx.value("device", attributes.device, 0);
    cx.holds("hostPointer is the pointer", attributes.hostPointer == pinned);
    cx.holds("devicePointer is the pointer", attributes.devicePointer == pinned);
    must!(cx.cudaFreeHost(pinned));
}

fn an_interior_pointer_of_pinned_memory(cx: &Cx) {
    let pinned = pinned(cx);
    is(cx, pinned.wrapping_byte_add(5), PINNED);
    must!(cx.cudaFreeHost(pinned));
}

fn freed_pinned_memory_is_unregistered(cx: &Cx) {
    let pinned = pinned(cx);
    must!(cx.cudaFreeHost(pinned));
    is(cx, pinned, PAGEABLE);
}

fn pinned_memory_belongs_to_the_device_that_was_current(cx: &Cx) {
    let pinned = pinned(cx);
    is(cx, pinned, PINNED);
    cx.on(1, || cx.value("seen from device 1", described(cx, pinned), PINNED.to_owned()));
    must!(cx.cudaFreeHost(pinned));
}

fn registered_memory_is_host_memory(cx: &Cx) {
    let mut pages = vec![0_u8; 8192];
    let pointer = pages.as_mut_ptr().cast();
    must!(cx.cudaHostRegister(pointer, 8192, 0));
    is(cx, pointer, PINNED);
    must!(cx.cudaHostUnregister(pointer));
}

fn unregistered_memory_is_pageable_again(cx: &Cx) {
    let mut pages = vec![0_u8; 8192];
    let pointer = pages.as_mut_ptr().cast();
    is(cx, pointer, PAGEABLE);
    must!(cx.cudaHostRegister(pointer, 8192, 0));
    must!(cx.cudaHostUnregister(pointer));
    is(cx, pointer, PAGEABLE);
}

fn managed_memory_is_of_a_type_of_its_own(cx: &Cx) {
    let mut managed = null_mut();
    must!(cx.cudaMallocManaged(&mut managed, 64, cudaMemAttachGlobal));
    is(cx, managed, "type 3, device 0, devicePointer same, hostPointer same");
    answers!(cx.cudaFree(managed), 0);
}

fn memory_of_a_pool_is_memory_of_a_device(cx: &Cx) {
    let mut place = null_mut();
    must!(cx.cudaMallocAsync(&mut place, 4096, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    let attributes = attributes(cx, place);
    cx.value("type", attributes.type_, cudaMemoryType::cudaMemoryTypeDevice);
    cx.value("device", attributes.device, 0);
    cx.value("the whole", described(cx, place), OURS.to_owned());
    must!(cx.cudaFreeAsync(place, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
}

/// The device pointer follows the grant, as it follows peer access for other memory.
fn memory_of_a_peers_pool_before_a_grant_and_after(cx: &Cx) {
    let (pool, place) = super::pools::pool_word(cx, 1);
    let device = attributes(cx, place).device;
    cx.value("device", device, 1);
    cx.value("before a grant", described(cx, place), THEIRS.to_owned());
    cx.enable(0, 1);
    cx.value("with peer access alone", described(cx, place), THEIRS.to_owned());
    let grant = super::pools::grant(0, super::pools::READ_WRITE);
    must!(cx.cudaMemPoolSetAccess(pool, &grant, 1));
    cx.value("after a grant", described(cx, place), THEIRS_WITH_ACCESS.to_owned());
}

fn pageable_memory_is_unregistered(cx: &Cx) {
    let word = 7_u32;
    let attributes = attributes(cx, std::ptr::from_ref(&word).cast());
    cx.value("type", attributes.type_, cudaMemoryType::cudaMemoryTypeUnregistered);
    cx.value("device", attributes.device, -2);
}

fn pageable_memory_is_its_own_host_pointer(cx: &Cx) {
    let mut word = 7_u32;
    is(cx, std::ptr::from_mut(&mut word).cast(), PAGEABLE);
}

fn null_is_unregistered(cx: &Cx) {
    // SAFETY: integers and pointers: zeroes are a value.
    let mut attributes: cudaPointerAttributes = unsafe { std::mem::zeroed() };
    answers!(cx.cudaPointerGetAttributes(&mut attributes, null_mut()), 0);
    cx.last(0);
    cx.value("type", attributes.type_, cudaMemoryType::cudaMemoryTypeUnregistered);
}

fn null_is_its_own_pointer(cx: &Cx) {
    is(cx, null_mut(), "type 0, device -2, devicePointer same, hostPointer same");
}

fn a_null_place_fails(cx: &Cx) {
    let pointer = cx.malloc(0, 16);
    refuses!(cx.cudaPointerGetAttributes(null_mut(), pointer), 1);
}

/// An unregistered pointer was an error once: it must not touch the last error now.
fn asking_leaves_a_pending_error(cx: &Cx) {
    let mut word = 7_u32;
    answers!(cx.cudaSetDevice(99), 101);
    is(cx, std::ptr::from_mut(&mut word).cast(), PAGEABLE);
    cx.last(101);
}
