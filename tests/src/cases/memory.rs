//! Memory of devices: what allocating and freeing refuse, and what they give.

use std::ffi::c_void;
use std::ptr::{from_mut, null_mut};

use cuda_p2p_sys::{cudaExtent, cudaPitchedPtr};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(more_than_any_device_has, ONE),
    case!(a_refused_allocation_clears_the_place, ONE),
    case!(a_null_place_is_looked_at_before_the_size, ONE),
    case!(allocations_do_not_overlap, ONE),
    case!(allocations_are_aligned, ONE),
    case!(freed_memory_can_be_allocated_again, ONE),
    case!(memory_is_freed_twice, ONE),
    case!(memory_is_freed_while_another_device_is_current, TWO),
    case!(memory_is_freed_in_another_thread, ONE),
    case!(a_free_waits_for_the_kernel_that_uses_it, ONE.kernels()),
    case!(pinned_memory_is_not_freed_as_device_memory, ONE),
    case!(a_pitch_is_given, ONE),
    case!(a_pitch_of_nothing, ONE),
    case!(a_pitch_without_places, ONE),
    case!(three_dimensions_are_allocated, ONE),
    case!(free_memory_without_places, ONE),
    case!(free_memory_is_of_the_current_device, TWO),
];

fn more_than_any_device_has(cx: &Cx) {
    let mut pointer = null_mut();
    refuses!(cx.cudaMalloc(&mut pointer, 1 << 50), 2);
    // It leaves the device usable.
    cx.malloc(0, 16);
}

fn a_refused_allocation_clears_the_place(cx: &Cx) {
    let mut word = 7_u32;
    let mut pointer: *mut c_void = from_mut(&mut word).cast();
    refuses!(cx.cudaMalloc(&mut pointer, 1 << 50), 2);
    cx.value("the place is null", pointer.is_null(), true);
}

fn a_null_place_is_looked_at_before_the_size(cx: &Cx) {
    refuses!(cx.cudaMalloc(null_mut(), 1 << 50), 1);
    refuses!(cx.cudaMalloc(null_mut(), 0), 1);
}

fn allocations_do_not_overlap(cx: &Cx) {
    let sizes = [1_usize, 255, 256, 257, 4096, 1 << 20];
    let places = sizes.map(|size| cx.filled(0, &vec![size as u8; size]));
    for (place, size) in places.into_iter().zip(sizes) {
        let kept = cx.read(0, place, size).iter().all(|byte| *byte == size as u8);
        cx.holds(&format!("the {size} bytes are as they were written"), kept);
    }
}

fn allocations_are_aligned(cx: &Cx) {
    for size in [1, 3, 100, 257] {
        let place = cx.malloc(0, size) as usize;
        cx.value(&format!("{size} bytes, address modulo 256"), place % 256, 0);
    }
}

fn freed_memory_can_be_allocated_again(cx: &Cx) {
    let (mut free, mut total) = (0, 0);
    must!(cx.cudaMemGetInfo(&mut free, &mut total));
    let most = free / 4 * 3;
    for _ in 0..4 {
        let mut pointer = null_mut();
        must!(cx.cudaMalloc(&mut pointer, most));
        answers!(cx.cudaFree(pointer), 0);
    }
}

fn memory_is_freed_twice(cx: &Cx) {
    let pointer = cx.malloc(0, 4096);
    answers!(cx.cudaFree(pointer), 0);
    refuses!(cx.cudaFree(pointer), 1);
}

fn memory_is_freed_while_another_device_is_current(cx: &Cx) {
    let pointer = cx.malloc(0, 4096);
    cx.on(1, || {
        answers!(cx.cudaFree(pointer), 0);
        refuses!(cx.cudaFree(pointer), 1);
    });
}

fn memory_is_freed_in_another_thread(cx: &Cx) {
    let pointer = cx.malloc(0, 4096) as usize;
    let free = cx.table.cudaFree;
    // SAFETY: the memory is in use by nobody.
    let there = std::thread::spawn(move || free.map(|function| unsafe { function(pointer as _) }.0));
    cx.value("status", there.join().ok().flatten(), Some(0));
    refuses!(cx.cudaFree(pointer as *mut c_void), 1);
}

fn a_free_waits_for_the_kernel_that_uses_it(cx: &Cx) {
    let place = cx.word(0, 1);
    cx.store(NULL_STREAM, place, 2, 100);
    answers!(cx.cudaFree(place), 0);
    // No error 700: the kernel had ended.
    answers!(cx.cudaDeviceSynchronize(), 0);
}

fn pinned_memory_is_not_freed_as_device_memory(cx: &Cx) {
    let mut pinned = null_mut();
    must!(cx.cudaMallocHost(&mut pinned, 4096));
    refuses!(cx.cudaFree(pinned), 1);
    answers!(cx.cudaFreeHost(pinned), 0);
}

/// Rows start at multiples of 512 bytes.
fn a_pitch_is_given(cx: &Cx) {
    let (mut pointer, mut pitch) = (null_mut(), 0);
    answers!(cx.cudaMallocPitch(&mut pointer, &mut pitch, 100, 10), 0);
    cx.value("pitch", pitch, 512);
    answers!(cx.cudaMemset(pointer, 0, pitch * 10), 0);
    answers!(cx.cudaFree(pointer), 0);
    answers!(cx.cudaMallocPitch(&mut pointer, &mut pitch, 513, 2), 0);
    cx.holds("it is wide enough, and a multiple of 512", pitch >= 513 && pitch % 512 == 0);
}

fn a_pitch_of_nothing(cx: &Cx) {
    let (mut pointer, mut pitch) = (null_mut(), 7);
    answers!(cx.cudaMallocPitch(&mut pointer, &mut pitch, 0, 10), 0);
    cx.value("pitch", pitch, 0);
    cx.value("pointer.is_null()", pointer.is_null(), true);
}

fn a_pitch_without_places(cx: &Cx) {
    let mut pitch = 0;
    refuses!(cx.cudaMallocPitch(null_mut(), &mut pitch, 10, 10), 1);
}

fn three_dimensions_are_allocated(cx: &Cx) {
    let mut place = cudaPitchedPtr { ptr: null_mut(), pitch: 0, xsize: 0, ysize: 0 };
    let extent = cudaExtent { width: 100, height: 4, depth: 3 };
    answers!(cx.cudaMalloc3D(&mut place, extent), 0);
    cx.holds("the pitch is wide enough", place.pitch >= 100);
    cx.value("xsize and ysize", (place.xsize, place.ysize), (100, 4));
    answers!(cx.cudaMemset(place.ptr, 0, place.pitch * 4 * 3), 0);
    answers!(cx.cudaFree(place.ptr), 0);
    refuses!(cx.cudaMalloc3D(null_mut(), extent), 1);
}

/// Either place may be left out.
fn free_memory_without_places(cx: &Cx) {
    let (mut free, mut total) = (0, 0);
    answers!(cx.cudaMemGetInfo(null_mut(), &mut total), 0);
    answers!(cx.cudaMemGetInfo(&mut free, null_mut()), 0);
    cx.last(0);
    cx.holds("0 < free <= total", 0 < free && free <= total);
}

fn free_memory_is_of_the_current_device(cx: &Cx) {
    let free_of = |device| {
        cx.on(device, || {
            let (mut free, mut total) = (0, 0);
            must!(cx.cudaMemGetInfo(&mut free, &mut total));
            free
        })
    };
    // The first question makes a context, which takes memory too.
    free_of(1);
    // What other processes take or give back meanwhile is in the answers: so once in three times is enough.
    for last in [false, false, true] {
        let (ours, theirs) = (free_of(0), free_of(1));
        cx.malloc(1, 256 << 20);
        let taken = ours.saturating_sub(free_of(0));
        if last || taken < 128 << 20 {
            cx.holds("little of device 0 was taken", taken < 128 << 20);
            cx.holds("256 MiB of device 1 were taken", theirs.saturating_sub(free_of(1)) >= 256 << 20);
            return;
        }
    }
}
