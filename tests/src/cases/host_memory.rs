//! Pinned and registered memory of the host.

use std::ffi::c_void;
use std::ptr::{from_mut, null_mut};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(pinned_memory_of_nothing, ONE),
    case!(pinned_memory_without_a_place, ONE),
    case!(pinned_memory_with_unknown_flags, ONE),
    case!(a_null_place_and_unknown_flags, ONE),
    case!(pinned_memory_is_freed_twice, ONE),
    case!(an_interior_pointer_is_not_freed, ONE),
    case!(device_memory_is_not_freed_as_pinned_memory, ONE),
    case!(registered_memory_is_not_freed, ONE),
    case!(pinned_memory_has_its_own_address_on_the_device, ONE),
    case!(other_memory_has_no_address_on_the_device, ONE),
    case!(device_addresses_have_no_flags, ONE),
    case!(flags_of_pinned_memory, ONE),
    case!(other_memory_has_no_flags, ONE),
    case!(registering_nothing, ONE),
    case!(registering_unknown_flags, ONE),
    case!(registering_a_part_again, ONE),
    case!(registering_pinned_memory, ONE),
    case!(flags_of_registered_memory, ONE),
    case!(unregistering_an_interior_pointer, ONE),
    case!(unregistering_pinned_memory, ONE),
    case!(a_kernel_writes_pinned_memory, ONE.kernels()),
    case!(kernels_of_both_devices_write_pinned_memory, TWO.kernels()),
];

fn pinned(cx: &Cx) -> *mut c_void {
    let mut pinned = null_mut();
    must!(cx.cudaMallocHost(&mut pinned, 4096));
    pinned
}

fn pinned_memory_of_nothing(cx: &Cx) {
    let mut pointer: *mut c_void = null_mut();
    answers!(cx.cudaMallocHost(&mut pointer, 0), 0);
    cx.value("pointer.is_null()", pointer.is_null(), true);
    answers!(cx.cudaFreeHost(pointer), 0);
}

fn pinned_memory_without_a_place(cx: &Cx) {
    refuses!(cx.cudaMallocHost(null_mut(), 8), 1);
}

fn pinned_memory_with_unknown_flags(cx: &Cx) {
    let mut pointer = null_mut();
    refuses!(cx.cudaHostAlloc(&mut pointer, 64, 0xFF), 1);
    answers!(cx.cudaHostAlloc(&mut pointer, 64, 0), 0);
    answers!(cx.cudaFreeHost(pointer), 0);
}

fn a_null_place_and_unknown_flags(cx: &Cx) {
    refuses!(cx.cudaHostAlloc(null_mut(), 64, 0xFF), 1);
}

fn pinned_memory_is_freed_twice(cx: &Cx) {
    let pinned = pinned(cx);
    answers!(cx.cudaFreeHost(pinned), 0);
    refuses!(cx.cudaFreeHost(pinned), 1);
}

fn an_interior_pointer_is_not_freed(cx: &Cx) {
    let pinned = pinned(cx);
    let interior = pinned.wrapping_byte_add(8);
    refuses!(cx.cudaFreeHost(interior), 1);
    answers!(cx.cudaFreeHost(pinned), 0);
}

fn device_memory_is_not_freed_as_pinned_memory(cx: &Cx) {
    let pointer = cx.malloc(0, 4096);
    refuses!(cx.cudaFreeHost(pointer), 1);
    answers!(cx.cudaFree(pointer), 0);
}

fn registered_memory_is_not_freed(cx: &Cx) {
    let mut pages = vec![0_u8; 8192];
    let pointer = pages.as_mut_ptr().cast();
    must!(cx.cudaHostRegister(pointer, 8192, 0));
    refuses!(cx.cudaFreeHost(pointer), 1);
    // The memory is still ours, whatever the runtime made of that.
    pages.fill(7);
    cx.holds("the memory is still there", pages.iter().all(|byte| *byte == 7));
}

fn pinned_memory_has_its_own_address_on_the_device(cx: &Cx) {
    let pinned = pinned(cx);
    let mut address = null_mut();
    answers!(cx.cudaHostGetDevicePointer(&mut address, pinned, 0), 0);
    cx.holds("the address is the pointer", address == pinned);
    answers!(cx.cudaFreeHost(pinned), 0);
}

fn other_memory_has_no_address_on_the_device(cx: &Cx) {
    let pointer = cx.malloc(0, 4096);
    let mut word = 7_u32;
    let pageable: *mut c_void = from_mut(&mut word).cast();
    let mut address = null_mut();
    refuses!(cx.cudaHostGetDevicePointer(&mut address, pageable, 0), 1);
    refuses!(cx.cudaHostGetDevicePointer(&mut address, pointer, 0), 1);
}

fn device_addresses_have_no_flags(cx: &Cx) {
    let pinned = pinned(cx);
    let mut address = null_mut();
    refuses!(cx.cudaHostGetDevicePointer(&mut address, pinned, 1), 1);
    answers!(cx.cudaFreeHost(pinned), 0);
}

/// Without being asked for, it is mapped.
fn flags_of_pinned_memory(cx: &Cx) {
    let pinned = pinned(cx);
    let mut flags = 99;
    answers!(cx.cudaHostGetFlags(&mut flags, pinned), 0);
    cx.value("flags", flags, cuda_p2p_sys::cudaHostAllocMapped);
    answers!(cx.cudaFreeHost(pinned), 0);
}

fn other_memory_has_no_flags(cx: &Cx) {
    let pointer = cx.malloc(0, 4096);
    let mut word = 7_u32;
    let pageable: *mut c_void = from_mut(&mut word).cast();
    let mut flags = 99;
    refuses!(cx.cudaHostGetFlags(&mut flags, pointer), 1);
    refuses!(cx.cudaHostGetFlags(&mut flags, pageable), 1);
}

fn registering_nothing(cx: &Cx) {
    let mut pages = vec![0_u8; 8192];
    let pointer = pages.as_mut_ptr().cast();
    refuses!(cx.cudaHostRegister(pointer, 0, 0), 1);
    refuses!(cx.cudaHostRegister(null_mut(), 8, 0), 1);
}

fn registering_unknown_flags(cx: &Cx) {
    let mut pages = vec![0_u8; 8192];
    let pointer = pages.as_mut_ptr().cast();
    refuses!(cx.cudaHostRegister(pointer, 8192, 0x8000), 1);
    refuses!(cx.cudaHostUnregister(pointer), 713);
}

fn registering_a_part_again(cx: &Cx) {
    let mut pages = vec![0_u8; 1 << 16];
    let pointer: *mut c_void = pages.as_mut_ptr().cast();
    let part = pointer.wrapping_byte_add(8192);
    must!(cx.cudaHostRegister(pointer, 1 << 16, 0));
    refuses!(cx.cudaHostRegister(part, 8192, 0), 712);
    answers!(cx.cudaHostUnregister(pointer), 0);
}

/// That it is pinned already is another error than that it is registered already, and all that tells the two apart.
fn registering_pinned_memory(cx: &Cx) {
    let pinned = pinned(cx);
    refuses!(cx.cudaHostRegister(pinned, 1, 0), 1);
    let part = pinned.wrapping_byte_add(8);
    refuses!(cx.cudaHostRegister(part, 8, 0), 1);
    answers!(cx.cudaFreeHost(pinned), 0);
}

/// Those of pinned memory.
fn flags_of_registered_memory(cx: &Cx) {
    let mut pages = vec![0_u8; 1 << 16];
    let pointer: *mut c_void = pages.as_mut_ptr().cast();
    for (asked, told) in [(0, 2), (1, 3), (2, 2)] {
        must!(cx.cudaHostRegister(pointer, 1 << 16, asked));
        let (mut flags, part) = (99, pointer.wrapping_byte_add(8192));
        answers!(cx.cudaHostGetFlags(&mut flags, part), 0);
        cx.value("flags", flags, told);
        answers!(cx.cudaHostUnregister(pointer), 0);
    }
}

fn unregistering_an_interior_pointer(cx: &Cx) {
    let mut pages = vec![0_u8; 1 << 16];
    let pointer: *mut c_void = pages.as_mut_ptr().cast();
    let part = pointer.wrapping_byte_add(8192);
    must!(cx.cudaHostRegister(pointer, 1 << 16, 0));
    refuses!(cx.cudaHostUnregister(part), 1);
    answers!(cx.cudaHostUnregister(pointer), 0);
}

fn unregistering_pinned_memory(cx: &Cx) {
    let pinned = pinned(cx);
    refuses!(cx.cudaHostUnregister(pinned), 1);
    answers!(cx.cudaFreeHost(pinned), 0);
}

fn a_kernel_writes_pinned_memory(cx: &Cx) {
    let pinned = pinned(cx);
    cx.store_word(NULL_STREAM, pinned, 7);
    answers!(cx.cudaDeviceSynchronize(), 0);
    // SAFETY: pinned memory of at least that size; the kernel that wrote it has ended.
    cx.value("what the host sees", unsafe { pinned.cast::<u32>().read_volatile() }, 7);
    answers!(cx.cudaFreeHost(pinned), 0);
}

/// Pinned memory is every device's, without any access being enabled.
fn kernels_of_both_devices_write_pinned_memory(cx: &Cx) {
    let pinned = pinned(cx);
    let second = pinned.wrapping_byte_add(4);
    cx.store_word(NULL_STREAM, pinned, 7);
    cx.on(1, || {
        cx.store_word(NULL_STREAM, second, 8);
        answers!(cx.cudaDeviceSynchronize(), 0);
    });
    answers!(cx.cudaDeviceSynchronize(), 0);
    // SAFETY: pinned memory of at least that size; the kernels that wrote it have ended.
    let words = unsafe { [pinned.cast::<u32>().read_volatile(), second.cast::<u32>().read_volatile()] };
    cx.value("what the host sees", words, [7, 8]);
    answers!(cx.cudaFreeHost(pinned), 0);
}
