//! Memory: what is given, what pointers tell, what is refused, and that nothing is left behind.

#[macro_use]
mod common;

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

use common::{Session, pair, session};
use cuda_p2p_sim::{Counters, MachineConfig, counters};

/// Type, device, and whether device and host pointer are the pointer itself.
fn attributes(s: &Session, place: *const c_void) -> (u32, i32, bool, bool) {
    let mut answer = MaybeUninit::uninit();
    assert_eq!(cuda!(s, cudaPointerGetAttributes(answer.as_mut_ptr(), place)), 0);
    // SAFETY: the call succeeded and filled the struct.
    let it = unsafe { answer.assume_init() };
    let same = |pointer: *mut c_void| !pointer.is_null() && pointer.cast_const() == place;
    (it.type_.0, it.device, same(it.devicePointer), same(it.hostPointer))
}

#[test]
fn pointers_tell_what_they_point_at() {
    let s = pair();
    let d1 = s.malloc(1, 100);
    let mut pinned = ptr::null_mut();
    assert_eq!(cuda!(s, cudaHostAlloc(&mut pinned, 100, 0)), 0);
    let local = 0_u64;
    let mut registered = vec![0_u8; 8192];
    assert_eq!(attributes(&s, d1), (2, 1, false, false), "a kernel of device 0 does not reach it");
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
    assert_eq!(attributes(&s, d1), (2, 1, true, false));
    assert_eq!(attributes(&s, d1.wrapping_byte_add(99)), (2, 1, true, false));
    assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess(1)), 0);
    assert_eq!(attributes(&s, d1), (2, 1, false, false));
    assert_eq!(attributes(&s, pinned), (1, 0, true, true));
    assert_eq!(attributes(&s, ptr::from_ref(&local).cast()).0, 0);
    let place: *mut c_void = registered.as_mut_ptr().cast();
    assert_eq!(cuda!(s, cudaHostRegister(place, 8192, 0)), 0);
    assert_eq!(attributes(&s, place), (1, 0, true, true));
    assert_eq!(cuda!(s, cudaHostRegister(place, 8192, 0)), 712);
    assert_eq!(cuda!(s, cudaHostUnregister(place)), 0);
    assert_eq!(cuda!(s, cudaHostUnregister(place)), 713);
    assert_eq!(cuda!(s, cudaFree(d1)), 0);
    assert_eq!(attributes(&s, d1).0, 0, "freed");
    assert_eq!(cuda!(s, cudaFreeHost(pinned)), 0);
    assert_eq!(counters(), Counters::default());
}

#[test]
fn freeing_takes_the_very_pointer_of_its_own_kind() {
    let s = pair();
    let (d0, mut pinned) = (s.malloc(0, 64), ptr::null_mut());
    assert_eq!(cuda!(s, cudaMallocHost(&mut pinned, 64)), 0);
    let local: *mut c_void = ptr::from_ref(&s).cast_mut().cast();
    assert_eq!(cuda!(s, cudaFree(ptr::null_mut())), 0);
    assert_eq!(cuda!(s, cudaFreeHost(ptr::null_mut())), 0);
    for wrong in [d0.wrapping_byte_add(8), pinned, local] {
        assert_eq!(cuda!(s, cudaFree(wrong)), 1);
    }
    for wrong in [d0, pinned.wrapping_byte_add(8), local] {
        assert_eq!(cuda!(s, cudaFreeHost(wrong)), 1);
    }
    assert_eq!((counters().allocations, counters().pinned), (1, 1));
    assert_eq!(cuda!(s, cudaFree(d0)), 0);
    assert_eq!(cuda!(s, cudaFree(d0)), 1, "twice");
    assert_eq!(cuda!(s, cudaFreeHost(pinned)), 0);
    assert_eq!((counters().allocations, counters().pinned), (0, 0));
}

#[test]
fn a_device_runs_out_of_its_own_memory() {
    let s = session(MachineConfig::pair().memory_bytes(64 << 20));
    let (mut free, mut total, mut place) = (0, 0, ptr::null_mut());
    let first = s.malloc(0, 40 << 20);
    assert_eq!(cuda!(s, cudaMalloc(&mut place, 40 << 20)), 2);
    assert_eq!(s.last(), 2);
    assert_eq!(cuda!(s, cudaMalloc(&mut place, usize::MAX)), 2);
    assert_eq!(cuda!(s, cudaMalloc(ptr::null_mut(), 1)), 1);
    assert_eq!(cuda!(s, cudaMemGetInfo(&mut free, &mut total)), 0);
    assert_eq!((free, total), (24 << 20, 64 << 20));
    s.malloc(1, 40 << 20);
    assert_eq!(cuda!(s, cudaFree(first)), 0);
    assert_eq!(cuda!(s, cudaMemGetInfo(&mut free, &mut total)), 0);
    assert_eq!(free, 64 << 20);
    place = ptr::dangling_mut();
    assert_eq!(cuda!(s, cudaMalloc(&mut place, 0)), 0);
    assert!(place.is_null(), "no bytes, no pointer, no error");
}

#[test]
fn a_reset_takes_the_memory_of_its_device_alone() {
    let s = pair();
    let (d0, d1) = (s.malloc(0, 64), s.malloc(1, 64));
    s.set_device(1);
    assert_eq!(cuda!(s, cudaDeviceReset()), 0);
    assert_eq!(cuda!(s, cudaMemset(d1, 0, 64)), 1);
    s.set_device(0);
    assert_eq!(cuda!(s, cudaMemset(d0, 0, 64)), 0);
    assert_eq!(counters().allocations, 1);
    s.synchronize();
}

#[test]
fn what_is_not_modelled_says_so() {
    let s = pair();
    let mut place = ptr::null_mut();
    assert_eq!(cuda!(s, cudaMallocManaged(&mut place, 64, 1)), 801);
    assert_eq!(s.last(), 801);
    let mut graph = ptr::null_mut();
    assert_eq!(cuda!(s, cudaGraphCreate(&mut graph, 0)), 801);
}
