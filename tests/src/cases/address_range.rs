//! How much memory lies behind an address: `cuMemGetAddressRange`, by way of the runtime. A function of the driver leaves the
//! thread's last error alone.

use std::ffi::c_void;
use std::mem::transmute;
use std::ptr::{null_mut, without_provenance_mut};

use cuda_p2p_sys::driver::{MEM_GET_ADDRESS_RANGE, MemGetAddressRange};
use cuda_p2p_sys::{cudaError, cudaHostAllocDefault, cudaHostRegisterDefault, cudaStreamNonBlocking};

use crate::case::{Case, case};
use crate::context::{Cx, Want, answers, must};
use crate::driver::address;
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(every_byte_of_an_allocation_leads_to_all_of_it, ONE),
    case!(rows_with_a_pitch_are_one_allocation, ONE),
    case!(host_memory_that_is_known, ONE),
    case!(addresses_that_nobody_knows, ONE),
    case!(places_may_be_left_out, ONE),
    case!(another_devices_memory, TWO),
    case!(a_peers_memory_while_access_is_enabled, PEERS),
    case!(pool_memory_until_it_is_freed, ONE.pools()),
    case!(while_a_stream_is_captured, ONE),
    case!(a_thread_without_a_context, ONE),
    case!(after_a_fault, ONE.kernels()).poisons(),
];

/// Asks about `at`, called `what`, demands the status, and gives the offset of `at` in the allocation and the bytes of that.
fn ask(cx: &Cx, what: &str, at: *const c_void, status: u32) -> Option<(u64, usize)> {
    let range = function(cx);
    let call = format!("cuMemGetAddressRange(&mut base, &mut size, {what})");
    let (mut base, mut size) = (u64::MAX, usize::MAX);
    cx.trying(&call);
    // SAFETY: places for an address and a size; the address is only looked up.
    let got = unsafe { range(&mut base, &mut size, at.addr() as u64) };
    cx.answered(&call, cudaError(got.0), Want::Code(status));
    cx.last(0);
    if got.0 == 0 {
        return Some(((at.addr() as u64).wrapping_sub(base), size));
    }
    cx.value(&format!("base and size for {what}"), (base, size), (0, 0));
    None
}

fn function(cx: &Cx) -> MemGetAddressRange {
    match address(cx.table, MEM_GET_ADDRESS_RANGE) {
        // SAFETY: it was asked for by the name and the version of that signature.
        Some(range) => unsafe { transmute::<*mut c_void, MemGetAddressRange>(range) },
        None => cx.absent("cuMemGetAddressRange"),
    }
}

fn found(cx: &Cx, what: &str, at: *const c_void, offset: u64, size: usize) {
    let got = ask(cx, what, at, 0);
    cx.value(&format!("offset and size for {what}"), got, Some((offset, size)));
}

fn every_byte_of_an_allocation_leads_to_all_of_it(cx: &Cx) {
    let first = cx.malloc(0, 1000);
    found(cx, "the first byte", first, 0, 1000);
    found(cx, "the last byte", first.wrapping_byte_add(999), 999, 1000);
    ask(cx, "the byte behind it", first.wrapping_byte_add(1000), 500);
    ask(cx, "the byte before it", first.wrapping_byte_sub(1), 500);
    answers!(cx.cudaFree(first), 0);
    ask(cx, "what was freed", first, 500);
}

fn rows_with_a_pitch_are_one_allocation(cx: &Cx) {
    let (mut first, mut pitch) = (null_mut(), 0);
    must!(cx.cudaMallocPitch(&mut first, &mut pitch, 100, 10));
    found(cx, "the second row", first.wrapping_byte_add(pitch), pitch as u64, pitch * 10);
}

fn host_memory_that_is_known(cx: &Cx) {
    let mut pinned = null_mut();
    must!(cx.cudaHostAlloc(&mut pinned, 1000, cudaHostAllocDefault));
    found(cx, "pinned memory", pinned.wrapping_byte_add(10), 10, 1000);
    ask(cx, "the byte behind pinned memory", pinned.wrapping_byte_add(1000), 500);
    let mut own = vec![0_u8; 1 << 16];
    let place = own.as_mut_ptr().cast::<c_void>();
    must!(cx.cudaHostRegister(place, own.len(), cudaHostRegisterDefault));
    found(cx, "registered memory", place.wrapping_byte_add(10), 10, 1 << 16);
    must!(cx.cudaHostUnregister(place));
    ask(cx, "memory that was registered", place, 500);
}

fn addresses_that_nobody_knows(cx: &Cx) {
    let mut word = 0_u64;
    must!(cx.cudaSetDevice(0));
    ask(cx, "null", null_mut(), 500);
    ask(cx, "the stack", (&raw mut word).cast(), 500);
    ask(cx, "address 16", without_provenance_mut::<c_void>(16), 500);
}

fn places_may_be_left_out(cx: &Cx) {
    let (range, at) = (function(cx), cx.malloc(0, 1000));
    let (mut base, mut size) = (u64::MAX, usize::MAX);
    for (what, base_place, size_place) in [
        ("&mut base, null", &raw mut base, null_mut()),
        ("null, &mut size", null_mut(), &raw mut size),
        ("null, null", null_mut(), null_mut()),
    ] {
        let call = format!("cuMemGetAddressRange({what}, at)");
        cx.trying(&call);
        // SAFETY: null, or places for an address and a size.
        let got = unsafe { range(base_place, size_place, at.addr() as u64) };
        cx.answered(&call, cudaError(got.0), Want::Code(0));
    }
    cx.holds("the base is right", base == at.addr() as u64);
    cx.value("size", size, 1000);
    cx.trying("cuMemGetAddressRange(null, null, null)");
    // SAFETY: nothing is written, and nothing is asked.
    let got = unsafe { range(null_mut(), null_mut(), 0) };
    cx.answered("cuMemGetAddressRange(null, null, null)", cudaError(got.0), Want::Code(0));
}

fn another_devices_memory(cx: &Cx) {
    let theirs = cx.malloc(1, 1000);
    cx.on(1, || found(cx, "memory of device 1, which is current", theirs, 0, 1000));
    ask(cx, "memory of device 1", theirs, 500);
}

fn a_peers_memory_while_access_is_enabled(cx: &Cx) {
    let theirs = cx.malloc(1, 1000);
    cx.enable(0, 1);
    found(cx, "memory of a peer", theirs, 0, 1000);
    must!(cx.cudaDeviceDisablePeerAccess(1));
    ask(cx, "memory of device 1 after access was disabled", theirs, 500);
}

fn pool_memory_until_it_is_freed(cx: &Cx) {
    let mut place = null_mut();
    must!(cx.cudaMallocAsync(&mut place, 1000, NULL_STREAM));
    must!(cx.cudaDeviceSynchronize());
    found(cx, "pool memory", place.wrapping_byte_add(10), 10, 1000);
    must!(cx.cudaFreeAsync(place, NULL_STREAM));
    ask(cx, "pool memory that a stream frees", place, 500);
    must!(cx.cudaDeviceSynchronize());
    ask(cx, "pool memory that was freed", place, 500);
}

fn while_a_stream_is_captured(cx: &Cx) {
    let (place, stream) = (cx.malloc(0, 1000), cx.stream(0, cudaStreamNonBlocking));
    let mut graph = null_mut();
    must!(
        cx.cudaStreamBeginCapture(stream, cuda_p2p_sys::cudaStreamCaptureMode::cudaStreamCaptureModeGlobal)
    );
    found(cx, "memory, during a capture", place, 0, 1000);
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
}

fn a_thread_without_a_context(cx: &Cx) {
    let (range, at) = (function(cx), cx.malloc(0, 1000).addr() as u64);
    let asked = std::thread::spawn(move || {
        let (mut base, mut size) = (u64::MAX, usize::MAX);
        // SAFETY: places for an address and a size.
        (unsafe { range(&mut base, &mut size, at) }.0, base, size)
    });
    let asked = asked.join().expect("it does not panic");
    cx.value("what a new thread gets", asked, (201, 0, 0));
}

fn after_a_fault(cx: &Cx) {
    let place = cx.malloc(0, 1000);
    cx.store(NULL_STREAM, null_mut(), 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 700);
    answers!(cx.cudaGetLastError(), 700);
    ask(cx, "memory, after a fault", place, 700);
}
