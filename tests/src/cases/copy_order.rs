//! Every kind of copy against every kind of stream that writes its source. The writer is a kernel that stores a number after a
//! while: a copy that waits for it takes the new number, one that does not takes the old one. What two devices do for
//! `cudaMemcpyPeer` is in `ordering`.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::{
    cudaExtent, cudaMemcpy3DPeerParms, cudaMemcpyKind, cudaPitchedPtr, cudaStream_t, cudaStreamDefault,
    cudaStreamNonBlocking,
};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(to_the_host_behind_the_null_stream, ONE.kernels()),
    case!(to_the_host_behind_a_blocking_stream, ONE.kernels()),
    case!(to_the_host_beside_a_non_blocking_stream, ONE.kernels()),
    case!(on_the_device_behind_a_blocking_stream, ONE.kernels()),
    case!(on_the_device_beside_a_non_blocking_stream, ONE.kernels()),
    case!(a_memset_behind_a_blocking_stream, ONE.kernels()),
    case!(a_memset_beside_a_non_blocking_stream, ONE.kernels()),
    case!(async_in_the_null_stream_behind_a_blocking_stream, PEERS.kernels()),
    case!(async_in_the_null_stream_beside_a_non_blocking_stream, PEERS.kernels()),
    case!(async_peer_copy_in_the_null_stream_behind_a_blocking_stream, PEERS.kernels()),
    case!(async_peer_copy_in_the_null_stream_beside_a_non_blocking_stream, PEERS.kernels()),
    case!(async_peer_copy_in_a_blocking_stream_behind_the_null_stream, PEERS.kernels()),
    case!(async_peer_copy_in_a_stream_of_the_destination, PEERS.kernels()),
    case!(memcpy_between_devices_behind_a_blocking_stream, PEERS.kernels()),
    case!(memcpy_between_devices_beside_a_non_blocking_stream, PEERS.kernels()),
    case!(planes_between_devices_behind_a_blocking_stream, PEERS.kernels()),
    case!(planes_between_devices_beside_a_non_blocking_stream, PEERS.kernels()),
    case!(a_staged_copy_waits_for_its_source_too, TWO.kernels()),
    case!(what_follows_in_the_null_stream_waits_for_the_copy, PEERS.kernels()),
    case!(what_follows_on_the_destination, PEERS.kernels()),
    case!(a_round_trip_in_one_stream, PEERS.kernels()),
];

const OLD: u32 = 0x0101_0101;
const NEW: u32 = 0x0202_0202;
const LONG_MS: u64 = 300;
const DEFAULT: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDefault;

/// A number of device 0 and a place on `device`, with everything loaded and warm, and a writer at work in `stream`.
struct Write {
    source: *mut c_void,
    place: *mut c_void,
    device: i32,
}

impl Write {
    fn new(cx: &Cx, device: i32, stream: cudaStream_t) -> Self {
        let (source, place) = (cx.word(0, OLD), cx.word(device, 0));
        let unused = cx.word(0, 0);
        cx.store(stream, unused, NEW, 0);
        must!(cx.cudaMemcpyPeer(place, device, source, 0, 4));
        cx.synchronize(0);
        // So that "the copy took the old number" cannot mean "there was no copy".
        cx.write(device, place, &[0; 4]);
        cx.store(stream, source, NEW, LONG_MS);
        Self { source, place, device }
    }

    fn took(&self, cx: &Cx) -> u32 {
        cx.synchronize(0);
        cx.synchronize(self.device);
        let took = cx.read_word(self.device, self.place);
        cx.value("what the writer stored", cx.read_word(0, self.source), NEW);
        took
    }

    fn took_is(&self, cx: &Cx, want: u32) {
        cx.value("what the copy took", self.took(cx), want);
    }

    fn did_not_wait(&self, cx: &Cx) {
        let took = self.took(cx);
        cx.value("the copy waited", took == NEW, false);
        cx.holds("it took one of the two", [OLD, NEW].contains(&took));
    }
}

fn blocking(cx: &Cx) -> cudaStream_t {
    cx.stream(0, cudaStreamDefault)
}

fn non_blocking(cx: &Cx) -> cudaStream_t {
    cx.stream(0, cudaStreamNonBlocking)
}

fn to_the_host(cx: &Cx, stream: cudaStream_t, want: u32) {
    let write = Write::new(cx, 0, stream);
    let (mut word, source) = (0_u32, write.source);
    let place = std::ptr::from_mut(&mut word).cast::<c_void>();
    answers!(cx.cudaMemcpy(place, source, 4, cudaMemcpyKind::cudaMemcpyDeviceToHost), 0);
    cx.value("what the copy took", word, want);
}

fn to_the_host_behind_the_null_stream(cx: &Cx) {
    to_the_host(cx, NULL_STREAM, NEW);
}

fn to_the_host_behind_a_blocking_stream(cx: &Cx) {
    to_the_host(cx, blocking(cx), NEW);
}

fn to_the_host_beside_a_non_blocking_stream(cx: &Cx) {
    to_the_host(cx, non_blocking(cx), OLD);
}

fn on_the_device(cx: &Cx, stream: cudaStream_t, want: u32) {
    let write = Write::new(cx, 0, stream);
    let (place, source) = (write.place, write.source);
    answers!(cx.cudaMemcpy(place, source, 4, cudaMemcpyKind::cudaMemcpyDeviceToDevice), 0);
    write.took_is(cx, want);
}

fn on_the_device_behind_a_blocking_stream(cx: &Cx) {
    on_the_device(cx, blocking(cx), NEW);
}

fn on_the_device_beside_a_non_blocking_stream(cx: &Cx) {
    on_the_device(cx, non_blocking(cx), OLD);
}

/// Both write the same word: the last one is seen.
fn a_memset_behind_a_blocking_stream(cx: &Cx) {
    let write = Write::new(cx, 0, blocking(cx));
    let source = write.source;
    answers!(cx.cudaMemset(source, 3, 4), 0);
    cx.synchronize(0);
    cx.value("what was set last", cx.read_word(0, source), 0x0303_0303);
}

fn a_memset_beside_a_non_blocking_stream(cx: &Cx) {
    let write = Write::new(cx, 0, non_blocking(cx));
    let source = write.source;
    answers!(cx.cudaMemset(source, 3, 4), 0);
    cx.synchronize(0);
    cx.value("what was set last", cx.read_word(0, source), NEW);
}

fn async_in_the_null_stream(cx: &Cx, stream: cudaStream_t, want: u32) {
    cx.enable(0, 1);
    let write = Write::new(cx, 1, stream);
    let (place, source) = (write.place, write.source);
    answers!(cx.cudaMemcpyAsync(place, source, 4, DEFAULT, NULL_STREAM), 0);
    write.took_is(cx, want);
}

fn async_in_the_null_stream_behind_a_blocking_stream(cx: &Cx) {
    async_in_the_null_stream(cx, blocking(cx), NEW);
}

fn async_in_the_null_stream_beside_a_non_blocking_stream(cx: &Cx) {
    async_in_the_null_stream(cx, non_blocking(cx), OLD);
}

fn async_peer_copy(cx: &Cx, writer: cudaStream_t, copier: cudaStream_t) -> Write {
    cx.enable(0, 1);
    let write = Write::new(cx, 1, writer);
    let (place, source) = (write.place, write.source);
    answers!(cx.cudaMemcpyPeerAsync(place, 1, source, 0, 4, copier), 0);
    write
}

fn async_peer_copy_in_the_null_stream_behind_a_blocking_stream(cx: &Cx) {
    async_peer_copy(cx, blocking(cx), NULL_STREAM).took_is(cx, NEW);
}

fn async_peer_copy_in_the_null_stream_beside_a_non_blocking_stream(cx: &Cx) {
    async_peer_copy(cx, non_blocking(cx), NULL_STREAM).took_is(cx, OLD);
}

fn async_peer_copy_in_a_blocking_stream_behind_the_null_stream(cx: &Cx) {
    let copier = blocking(cx);
    async_peer_copy(cx, NULL_STREAM, copier).took_is(cx, NEW);
}

/// A blocking stream of device 1 waits for the null stream of device 1, not for that of the source.
fn async_peer_copy_in_a_stream_of_the_destination(cx: &Cx) {
    let copier = cx.stream(1, cudaStreamDefault);
    async_peer_copy(cx, NULL_STREAM, copier).did_not_wait(cx);
}

fn memcpy_between_devices(cx: &Cx, stream: cudaStream_t) -> Write {
    cx.enable(0, 1);
    let write = Write::new(cx, 1, stream);
    let (place, source) = (write.place, write.source);
    answers!(cx.cudaMemcpy(place, source, 4, DEFAULT), 0);
    write
}

fn memcpy_between_devices_behind_a_blocking_stream(cx: &Cx) {
    memcpy_between_devices(cx, blocking(cx)).took_is(cx, NEW);
}

fn memcpy_between_devices_beside_a_non_blocking_stream(cx: &Cx) {
    memcpy_between_devices(cx, non_blocking(cx)).did_not_wait(cx);
}

fn planes_between_devices(cx: &Cx, stream: cudaStream_t) -> Write {
    cx.enable(0, 1);
    let write = Write::new(cx, 1, stream);
    let side = |ptr| cudaPitchedPtr { ptr, pitch: 4, xsize: 4, ysize: 1 };
    // SAFETY: integers and pointers only: zeroes say that no array and no offset is given.
    let mut copy: cudaMemcpy3DPeerParms = unsafe { std::mem::zeroed() };
    copy.srcPtr = side(write.source);
    copy.dstPtr = side(write.place);
    (copy.srcDevice, copy.dstDevice) = (0, 1);
    copy.extent = cudaExtent { width: 4, height: 1, depth: 1 };
    answers!(cx.cudaMemcpy3DPeer(&copy), 0);
    write
}

fn planes_between_devices_behind_a_blocking_stream(cx: &Cx) {
    planes_between_devices(cx, blocking(cx)).took_is(cx, NEW);
}

fn planes_between_devices_beside_a_non_blocking_stream(cx: &Cx) {
    planes_between_devices(cx, non_blocking(cx)).did_not_wait(cx);
}

/// Without peer access the host carries the bytes: the order is the same.
fn a_staged_copy_waits_for_its_source_too(cx: &Cx) {
    let write = Write::new(cx, 1, blocking(cx));
    let (place, source) = (write.place, write.source);
    answers!(cx.cudaMemcpyPeer(place, 1, source, 0, 4), 0);
    write.took_is(cx, NEW);
}

/// A kernel of the source's device that writes the source again does not overtake the copy.
fn what_follows_in_the_null_stream_waits_for_the_copy(cx: &Cx) {
    cx.enable(0, 1);
    let write = Write::new(cx, 1, NULL_STREAM);
    let (place, source) = (write.place, write.source);
    answers!(cx.cudaMemcpyPeer(place, 1, source, 0, 4), 0);
    cx.store_word(NULL_STREAM, source, 7);
    cx.synchronize(0);
    cx.synchronize(1);
    cx.value("what the copy took", cx.read_word(1, place), NEW);
    cx.value("what was stored last", cx.read_word(0, source), 7);
}

/// Device 1's null stream waits for a copy into its memory.
fn what_follows_on_the_destination(cx: &Cx) {
    cx.enable(0, 1);
    let seen = cx.word(1, 0);
    cx.on(1, || cx.copy(NULL_STREAM, seen, seen, 4));
    cx.synchronize(1);
    let write = Write::new(cx, 1, NULL_STREAM);
    let (place, source) = (write.place, write.source);
    answers!(cx.cudaMemcpyPeer(place, 1, source, 0, 4), 0);
    cx.on(1, || cx.copy(NULL_STREAM, seen, place, 4));
    cx.synchronize(0);
    cx.synchronize(1);
    cx.value("the kernel saw the copied number", cx.read_word(1, seen) == NEW, true);
    cx.value("what the copy took", cx.read_word(1, place), NEW);
}

fn a_round_trip_in_one_stream(cx: &Cx) {
    cx.enable(0, 1);
    let stream = non_blocking(cx);
    let write = Write::new(cx, 1, stream);
    let (place, source) = (write.place, write.source);
    let back = cx.word(0, 0);
    let mut pinned = null_mut();
    must!(cx.cudaMallocHost(&mut pinned, 4));
    answers!(cx.cudaMemcpyPeerAsync(place, 1, source, 0, 4, stream), 0);
    answers!(cx.cudaMemcpyPeerAsync(back, 0, place, 1, 4, stream), 0);
    answers!(cx.cudaMemcpyAsync(pinned, back, 4, DEFAULT, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    // SAFETY: pinned memory of that size, and what wrote it is done.
    cx.value("what came back", unsafe { pinned.cast::<u32>().read_volatile() }, NEW);
    must!(cx.cudaFreeHost(pinned));
}
