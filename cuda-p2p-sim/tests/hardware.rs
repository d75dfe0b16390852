//! Answers that were read on two H200 and are easy to get wrong: which arguments are looked at first, what is not done yet. What a
//! poisoned process still answers is in `poison.rs`, what invalidates a capture in `capture.rs`.

#[macro_use]
mod common;

use std::mem::MaybeUninit;
use std::ptr;

use common::{D2D, LEGACY, Latch, pair};
use cuda_p2p_sys::{
    cudaExtent, cudaLimit, cudaMemAccessDesc, cudaMemAccessFlags, cudaMemAllocationType, cudaMemLocation,
    cudaMemLocationType, cudaMemPoolAttr, cudaMemPoolProps, cudaMemcpy3DPeerParms, cudaMemcpyKind,
    cudaPitchedPtr,
};

#[test]
fn arguments_of_copies() {
    let s = pair();
    let (p, q, d1) = (s.malloc(0, 4096), s.malloc(0, 4096), s.malloc(1, 4096));
    assert_eq!(cuda!(s, cudaMemcpy(p, q, 0, cudaMemcpyKind(7))), 0, "no bytes before the kind");
    assert_eq!(cuda!(s, cudaMemcpy(p, q, 16, cudaMemcpyKind(7))), 21);
    assert_eq!(cuda!(s, cudaMemcpy2D(p, 16, q, 64, 32, 4, D2D)), 12);
    assert_eq!(cuda!(s, cudaMemcpy2D(p, 64, q, 16, 32, 4, D2D)), 12);
    assert_eq!(cuda!(s, cudaMemcpy2D(p, 64, q, 64, 32, 65, D2D)), 1);
    // SAFETY: a struct of numbers and pointers, for which zeros are a value.
    let mut m: cudaMemcpy3DPeerParms = unsafe { std::mem::zeroed() };
    m.srcPtr = cudaPitchedPtr { ptr: p, pitch: 64, xsize: 64, ysize: 8 };
    m.dstPtr = cudaPitchedPtr { ptr: d1, pitch: 64, xsize: 64, ysize: 8 };
    m.dstDevice = 1;
    for (extent, status) in
        [((32, 8, 2), 0), ((65, 8, 2), 12), ((32, 8, 20), 1), ((32, 9, 1), 1), ((0, 0, 0), 0)]
    {
        m.extent = cudaExtent { width: extent.0, height: extent.1, depth: extent.2 };
        assert_eq!(cuda!(s, cudaMemcpy3DPeer(&m)), status, "{extent:?}");
    }
    assert_eq!(cuda!(s, cudaMemcpyPeer(d1, 99, p, 0, 0)), 0, "no bytes before the device");
    assert_eq!(cuda!(s, cudaMemcpyPeer(ptr::null_mut(), 99, p, 0, 16)), 101, "the device before the place");
    s.synchronize();
}

#[test]
fn arguments_of_other_calls() {
    let s = pair();
    let (mut value, mut size, mut count, mut library) = (0, 0, 7, ptr::null_mut());
    assert_eq!(cuda!(s, cudaDeviceCanAccessPeer(ptr::null_mut(), 99, 0)), 101);
    assert_eq!(cuda!(s, cudaDeviceGetLimit(&mut size, cudaLimit(99))), 1);
    assert_eq!(cuda!(s, cudaDeviceSetLimit(cudaLimit(99), 1)), 1);
    assert_eq!(cuda!(s, cudaDeviceGetByPCIBusId(&mut value, c"junk".as_ptr())), 1);
    assert_eq!(cuda!(s, cudaDeviceGetByPCIBusId(&mut value, c"0000:00:00.0".as_ptr())), 101);
    assert_eq!(cuda!(s, cudaDeviceGetByPCIBusId(&mut value, c"0000:11:00.0".as_ptr())), 0);
    assert_eq!(value, 1);
    assert_eq!(cuda!(s, cudaMemGetInfo(ptr::null_mut(), &mut size)), 0, "either half may be left out");
    assert_eq!(cuda!(s, cudaMemGetInfo(&mut size, ptr::null_mut())), 0);
    let junk = *b"not a fatbin at all, but long enough to look at.";
    let none = ptr::null_mut();
    let load = cuda!(
        s,
        cudaLibraryLoadData(
            &mut library,
            junk.as_ptr().cast(),
            ptr::null_mut(),
            none,
            0,
            ptr::null_mut(),
            ptr::null_mut(),
            0
        )
    );
    assert_eq!(load, 0);
    let mut kernel = ptr::null_mut();
    assert_eq!(cuda!(s, cudaLibraryGetKernel(&mut kernel, library, c"x".as_ptr())), 200);
    assert_eq!(cuda!(s, cudaLibraryGetKernelCount(&mut count, library)), 0);
    assert_eq!(count, 0);
    let mut handle = MaybeUninit::uninit();
    let mut word = 0_u64;
    assert_eq!(cuda!(s, cudaIpcGetMemHandle(handle.as_mut_ptr(), (&raw mut word).cast())), 1);
    assert_eq!(cuda!(s, cudaIpcGetMemHandle(handle.as_mut_ptr(), ptr::null_mut())), 1);
    assert_eq!(cuda!(s, cudaIpcGetMemHandle(handle.as_mut_ptr(), s.malloc(0, 64))), 0);
    let mut pool = ptr::null_mut();
    assert_eq!(cuda!(s, cudaDeviceGetDefaultMemPool(&mut pool, 0)), 0);
    let access = |kind, id| {
        let (mut flags, mut at) =
            (cudaMemAccessFlags(9), cudaMemLocation::new(cudaMemLocationType(kind), id));
        (cuda!(s, cudaMemPoolGetAccess(&mut flags, pool, &mut at)), flags.0)
    };
    assert_eq!([access(1, 99), access(2, 0)], [(1, 9), (0, 0)]);
    let (stream, event) = (s.stream(0, 1), s.event(0));
    assert_eq!(cuda!(s, cudaEventRecordWithFlags(event, stream, 1)), 401, "outside of a capture");
    assert_eq!(cuda!(s, cudaStreamDestroy(LEGACY)), 400);
    let mut priority = 9;
    let mut urgent = ptr::null_mut();
    assert_eq!(cuda!(s, cudaStreamCreateWithPriority(&mut urgent, 1, -99)), 0);
    assert_eq!(cuda!(s, cudaStreamGetPriority(urgent, &mut priority)), 0);
    assert_eq!(priority, -5);
}

#[test]
fn arguments_of_pools() {
    let s = pair();
    let (mut pool, mut made) = (ptr::null_mut(), ptr::null_mut());
    assert_eq!(cuda!(s, cudaDeviceGetDefaultMemPool(&mut pool, 0)), 0);
    let set = |kind, id, flags, count| {
        let location = cudaMemLocation::new(cudaMemLocationType(kind), id);
        let entry = cudaMemAccessDesc { location, flags: cudaMemAccessFlags(flags) };
        cuda!(s, cudaMemPoolSetAccess(pool, &entry, count))
    };
    assert_eq!(set(1, 0, 0, 1), 101, "what the owner has cannot be taken");
    assert_eq!([set(1, 1, 1, 1), set(2, 0, 3, 1), set(0, 0, 3, 1)], [801; 3]);
    assert_eq!([set(1, 1, 9, 1), set(1, 99, 3, 1), set(1, 1, 3, 0)], [1, 101, 0]);
    assert_eq!(cuda!(s, cudaFreeAsync(ptr::null_mut(), LEGACY)), 0);
    // SAFETY: zeros are a value of each field.
    let mut props: cudaMemPoolProps = unsafe { std::mem::zeroed() };
    props.allocType = cudaMemAllocationType::cudaMemAllocationTypePinned;
    props.location = cudaMemLocation::new(cudaMemLocationType::cudaMemLocationTypeDevice, 99);
    assert_eq!(cuda!(s, cudaMemPoolCreate(&mut made, &props)), 1);
}

#[test]
fn a_pool_keeps_what_it_is_told_to() {
    let s = pair();
    let (mut pool, mut place) = (ptr::null_mut(), ptr::null_mut());
    assert_eq!(cuda!(s, cudaDeviceGetDefaultMemPool(&mut pool, 0)), 0);
    let reserved = || {
        let mut bytes = 9_u64;
        let attribute = cudaMemPoolAttr::cudaMemPoolAttrReservedMemCurrent;
        assert_eq!(cuda!(s, cudaMemPoolGetAttribute(pool, attribute, (&raw mut bytes).cast())), 0);
        bytes
    };
    let mut threshold = 1_u64 << 20;
    for kept in [0, threshold] {
        assert_eq!(cuda!(s, cudaMallocAsync(&mut place, 4 << 20, LEGACY)), 0);
        assert_eq!(reserved(), 4 << 20);
        assert_eq!(cuda!(s, cudaFreeAsync(place, LEGACY)), 0);
        assert_eq!(cuda!(s, cudaDeviceSynchronize()), 0);
        assert_eq!(reserved(), kept);
        let attribute = cudaMemPoolAttr::cudaMemPoolAttrReleaseThreshold;
        assert_eq!(cuda!(s, cudaMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast())), 0);
    }
    assert_eq!(cuda!(s, cudaMemPoolTrimTo(pool, 512)), 0);
    assert_eq!(reserved(), 512);
}

#[test]
fn a_device_fills_what_it_can_access() {
    let s = pair();
    let theirs = s.malloc(1, 64);
    s.write(theirs, &[1; 64]);
    let stream = s.stream(1, 1);
    assert_eq!(cuda!(s, cudaMemset(theirs, 2, 64)), 1);
    assert_eq!(cuda!(s, cudaMemset2D(theirs, 4, 2, 8, 2)), 1, "a pitch too small is 12 of copies alone");
    assert_eq!(cuda!(s, cudaMemsetAsync(theirs, 2, 32, stream)), 0, "the stream's device does it");
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
    assert_eq!(cuda!(s, cudaMemset(theirs.wrapping_byte_add(32), 3, 32)), 0);
    s.synchronize();
    assert_eq!(s.read(theirs, 64), [[2; 32], [3; 32]].concat());
}

#[test]
fn not_done_yet_is_never_the_last_error() {
    let s = pair();
    let (stream, event, start) = (s.stream(0, 1), s.event(0), s.event(0));
    assert_eq!(cuda!(s, cudaEventRecord(start, stream)), 0);
    let held = s.hold(stream, Latch::leaked());
    assert_eq!(cuda!(s, cudaEventRecord(event, stream)), 0);
    let mut ms = 0.0;
    assert_eq!(cuda!(s, cudaSetDevice(99)), 101);
    for _ in 0..2 {
        assert_eq!(cuda!(s, cudaStreamQuery(stream)), 600);
        assert_eq!(cuda!(s, cudaEventQuery(event)), 600);
        assert_eq!(cuda!(s, cudaEventElapsedTime(&mut ms, start, event)), 600);
    }
    assert_eq!([s.last(), s.last()], [101, 0]);
    held.open();
    s.synchronize();
}

#[test]
fn an_idle_blocking_stream_is_ready_whatever_the_legacy_stream_does() {
    let s = pair();
    let blocking = s.stream(0, 0);
    let held = s.hold(LEGACY, Latch::leaked());
    assert_eq!(cuda!(s, cudaStreamQuery(blocking)), 0);
    assert_eq!(cuda!(s, cudaStreamSynchronize(blocking)), 0);
    held.open();
    s.synchronize();
}
