//! Copies: what they answer, what they move, what they wait for, and what waits for them. No kernel runs here.

#[macro_use]
mod common;

use std::ffi::c_void;
use std::ptr;

use common::{D2D, D2H, DEFAULT, H2D, LEGACY, Latch, pair};
use cuda_p2p_sys::{cudaExtent, cudaMemcpy3DPeerParms, cudaMemcpyKind, cudaPitchedPtr, cudaPos};

const N: usize = 4097;

fn pattern(seed: u8) -> Vec<u8> {
    (0..N).map(|i| (i as u8).wrapping_mul(31).wrapping_add(seed)).collect()
}

#[test]
fn peer_copies_move_bytes_with_and_without_access() {
    let s = pair();
    let (d0, d1) = (s.malloc(0, N), s.malloc(1, N));
    for enabled in [false, true] {
        if enabled {
            assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
        }
        let bytes = pattern(u8::from(enabled));
        s.write(d0, &bytes);
        assert_eq!(cuda!(s, cudaMemcpyPeer(d1, 1, d0, 0, N)), 0);
        assert_eq!(s.read(d1, N), bytes);
        for kind in [D2D, DEFAULT] {
            assert_eq!(cuda!(s, cudaMemset(d0, 0, N)), 0);
            assert_eq!(cuda!(s, cudaMemcpy(d0, d1, N, kind)), 0);
            assert_eq!(s.read(d0, N), bytes);
        }
    }
}

#[test]
fn peer_copies_refuse_what_hardware_refuses() {
    let s = pair();
    let (d0, d1) = (s.malloc(0, N), s.malloc(1, N));
    let mut host = vec![0_u8; N];
    let pageable: *mut c_void = host.as_mut_ptr().cast();
    assert_eq!(cuda!(s, cudaMemcpyPeer(d1, 1, d0, 0, N + 1)), 1);
    assert_eq!(s.last(), 1);
    assert_eq!(cuda!(s, cudaMemcpyPeer(d1, 0, d0, 1, N)), 0, "the pointer is trusted, not the number");
    assert_eq!(cuda!(s, cudaMemcpyPeer(d1, 99, d0, 0, N)), 101);
    assert_eq!(cuda!(s, cudaMemcpyPeer(d1, 1, d0, 99, N)), 101);
    assert_eq!(cuda!(s, cudaMemcpyPeer(ptr::null_mut(), 1, d0, 0, N)), 1);
    assert_eq!(cuda!(s, cudaMemcpyPeer(ptr::null_mut(), 1, d0, 0, 0)), 0);
    assert_eq!(cuda!(s, cudaMemcpyPeer(pageable, 1, d0, 0, N)), 1);
    assert_eq!(cuda!(s, cudaMemcpyPeer(d1, 1, pageable, 0, N)), 1);
    assert_eq!(cuda!(s, cudaFree(d1)), 0);
    assert_eq!(cuda!(s, cudaMemcpyPeer(d1, 1, d0, 0, N)), 1, "freed memory");
}

#[test]
fn kinds_must_say_what_the_pointers_are() {
    let s = pair();
    let d0 = s.malloc(0, N);
    let mut host = pattern(3);
    let pageable: *mut c_void = host.as_mut_ptr().cast();
    for (dst, src, kind, status) in [
        (d0, pageable, H2D, 0),
        (pageable, d0, D2H, 0),
        (pageable, pageable, cudaMemcpyKind::cudaMemcpyHostToHost, 0),
        (d0, pageable, DEFAULT, 0),
        (pageable, d0, DEFAULT, 0),
        (d0, pageable, D2D, 1),
        (pageable, d0, D2D, 1),
        (d0, d0, H2D, 0),
        (d0, d0, D2H, 0),
        (d0, d0, cudaMemcpyKind::cudaMemcpyHostToHost, 0),
        (pageable, d0, H2D, 1),
        (pageable, pageable, D2D, 1),
        (pageable, pageable, H2D, 1),
        (pageable, pageable, D2H, 1),
        (d0, pageable, D2H, 1),
        (d0, pageable, cudaMemcpyKind(5), 21),
    ] {
        assert_eq!(cuda!(s, cudaMemcpy(dst, src, N, kind)), status, "{kind:?}");
        assert_eq!(cuda!(s, cudaMemcpyAsync(dst, src, N, kind, LEGACY)), status, "{kind:?}, asynchronous");
    }
    s.synchronize();
}

#[test]
fn a_peer_copy_returns_before_it_is_done() {
    let s = pair();
    let (d0, d1) = (s.malloc(0, N), s.malloc(1, N));
    let held = s.hold(LEGACY, Latch::leaked());
    assert_eq!(cuda!(s, cudaMemcpyPeer(d1, 1, d0, 0, N)), 0);
    assert_eq!(cuda!(s, cudaStreamQuery(LEGACY)), 600);
    assert_eq!(s.last(), 0, "not done yet is no failure");
    held.open();
    assert_eq!(cuda!(s, cudaStreamSynchronize(LEGACY)), 0);
    assert_eq!(cuda!(s, cudaStreamQuery(LEGACY)), 0);
}

#[test]
fn a_peer_copy_waits_for_blocking_streams_of_either_device_and_for_no_other() {
    let s = pair();
    for (writer, source) in [(1, 1), (0, 0), (1, 0)] {
        for flags in [0, 1] {
            let (from, to) = (s.malloc(source, N), s.malloc(1 - source, N));
            s.write(from, &vec![1; N]);
            let reader = s.stream(0, 1);
            if writer != source {
                // To fill memory, a device must be able to access it.
                s.set_device(writer);
                assert!([0, 704].contains(&cuda!(s, cudaDeviceEnablePeerAccess(source, 0))));
                s.set_device(0);
            }
            let stream = s.stream(writer, flags);
            let held = s.hold(stream, Latch::leaked());
            assert_eq!(cuda!(s, cudaMemsetAsync(from, 2, N, stream)), 0);
            assert_eq!(cuda!(s, cudaMemcpyPeer(to, 1 - source, from, source, N)), 0);
            if flags == 1 {
                assert_eq!(cuda!(s, cudaStreamSynchronize(LEGACY)), 0);
                assert_eq!(s.read_now(reader, to, N), vec![1; N], "not ordered behind a non-blocking stream");
            }
            held.open();
            s.synchronize();
            let seen = if flags == 0 { 2 } else { 1 };
            assert_eq!(s.read(to, N), vec![seen; N], "stream of {writer}, flags {flags}");
        }
    }
}

#[test]
fn an_asynchronous_copy_orders_with_its_own_stream_alone() {
    let s = pair();
    let (d0, d1) = (s.malloc(0, N), s.malloc(1, N));
    s.write(d0, &vec![1; N]);
    let (a, b) = (s.stream(0, 1), s.stream(1, 1));
    let held = s.hold(a, Latch::leaked());
    assert_eq!(cuda!(s, cudaMemsetAsync(d0, 2, N, a)), 0);
    assert_eq!(
        cuda!(s, cudaMemcpyPeerAsync(d1, 1, d0, 0, N, b)),
        0,
        "a stream of a device that is not current"
    );
    assert_eq!(cuda!(s, cudaStreamSynchronize(b)), 0);
    assert_eq!(s.read_now(b, d1, N), vec![1; N]);
    held.open();
    s.synchronize();
}

#[test]
fn copies_to_the_host_are_done_when_they_return_if_they_must_be() {
    let s = pair();
    let d0 = s.malloc(0, N);
    let stream = s.stream(0, 1);
    let mut pinned = ptr::null_mut();
    assert_eq!(cuda!(s, cudaHostAlloc(&mut pinned, N, 0)), 0);
    // From pageable memory: the bytes are taken at once, though the stream is held.
    let held = s.hold(stream, Latch::leaked());
    let mut host = pattern(7);
    assert_eq!(cuda!(s, cudaMemcpyAsync(d0, host.as_ptr().cast(), N, H2D, stream)), 0);
    host.fill(0);
    // To pinned memory: the call returns, and the bytes are not there.
    assert_eq!(cuda!(s, cudaMemcpyAsync(pinned, d0, N, D2H, stream)), 0);
    assert_eq!(cuda!(s, cudaStreamQuery(stream)), 600);
    held.open();
    // To pageable memory: done when the call returns.
    assert_eq!(s.read_now(stream, d0, N), pattern(7));
    assert_eq!(cuda!(s, cudaStreamQuery(stream)), 0);
    // SAFETY: the copy into these N bytes was done before the last one.
    assert_eq!(unsafe { std::slice::from_raw_parts(pinned.cast::<u8>(), N) }, pattern(7));
    assert_eq!(cuda!(s, cudaFreeHost(pinned)), 0);
}

#[test]
fn rows_and_slices() {
    let s = pair();
    let (d0, d1) = (s.malloc(0, 64), s.malloc(1, 64));
    s.write(d1, &[0; 64]);
    s.write(d0, &(0..64).collect::<Vec<u8>>());
    assert_eq!(cuda!(s, cudaMemcpy2D(d1, 16, d0, 8, 9, 2, D2D)), 12, "wider than the pitch");
    assert_eq!(cuda!(s, cudaMemcpy2D(d1, 16, d0, 8, 4, 5, D2D)), 1, "the last row leaves the allocation");
    assert_eq!(cuda!(s, cudaMemcpy2D(d1, 16, d0, 8, 4, 4, D2D)), 0);
    let rows: Vec<u8> = s.read(d1, 64).chunks(16).flat_map(|row| row[..5].to_vec()).collect();
    assert_eq!(rows, [0, 1, 2, 3, 0, 8, 9, 10, 11, 0, 16, 17, 18, 19, 0, 24, 25, 26, 27, 0]);
    let place = |ptr, pitch, ysize| cudaPitchedPtr { ptr, pitch, xsize: pitch, ysize };
    let at = |x, y, z| cudaPos { x, y, z };
    let mut p = cudaMemcpy3DPeerParms {
        srcArray: ptr::null_mut(),
        srcPos: at(1, 0, 1),
        srcPtr: place(d0, 8, 4),
        srcDevice: 0,
        dstArray: ptr::null_mut(),
        dstPos: at(0, 0, 0),
        dstPtr: place(d1, 4, 2),
        dstDevice: 1,
        extent: cudaExtent { width: 2, height: 2, depth: 1 },
    };
    assert_eq!(cuda!(s, cudaMemcpy3DPeer(&p)), 0);
    assert_eq!(s.read(d1, 6)[..2], [33, 34]);
    assert_eq!(s.read(d1, 6)[4..], [41, 42]);
    p.extent.depth = 2;
    assert_eq!(cuda!(s, cudaMemcpy3DPeer(&p)), 1, "a slice that the source does not have");
    p.srcDevice = 99;
    assert_eq!(cuda!(s, cudaMemcpy3DPeerAsync(&p, LEGACY)), 101);
    s.synchronize();
}
