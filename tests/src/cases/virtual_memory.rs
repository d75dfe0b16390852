//! Virtual memory in use: who reaches it, what it keeps, and what becomes of it.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::driver::CuMemLocation;
use cuda_p2p_sys::{cudaMemcpyKind, cudaPointerAttributes, cudaStreamCaptureMode, cudaStreamNonBlocking};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, record, refuses};
use crate::needs::{Needs, ONE, PEERS};
use crate::setup::NULL_STREAM;
use crate::virtual_memory::{Functions, PART, memory_of, open_to, pointer, told};

/// Other cases run on a real one at the same time, and take memory as well.
const ALONE: Needs = ONE.pools().machine("a device that nobody else uses", "devices=1 quiet");

pub(super) const CASES: &[Case] = &[
    case!(a_kernel_writes_what_it_has_access_to, ONE.pools().kernels()),
    case!(access_needs_no_peer_access, PEERS.pools().kernels()),
    case!(one_range_of_two_devices, PEERS.pools().kernels()),
    case!(copies_and_fills_cross_devices, PEERS.pools()),
    case!(copies_without_access_are_refused, PEERS.pools()),
    case!(a_peer_copy_asks_the_devices_that_it_names, PEERS.pools()),
    case!(memory_is_one_wherever_it_is_mapped, ONE.pools().kernels()),
    case!(memory_keeps_its_bytes_while_it_is_not_mapped, ONE.pools()),
    case!(a_mapping_keeps_memory_that_was_released, ONE.pools().kernels()),
    case!(memory_is_taken_of_the_device_until_its_end, ALONE),
    case!(a_reset_leaves_it, PEERS.pools()),
    case!(no_context_is_needed, ONE.pools()),
    case!(a_capture_is_not_disturbed, ONE.pools()),
    case!(the_runtime_does_not_free_it, ONE.pools()),
    case!(pointers_of_virtual_memory, PEERS.pools()),
    case!(reserved_addresses_are_unregistered, ONE.pools()),
];

pub(super) fn word_of(cx: &Cx, owner: i32, opened_to: &[i32]) -> (Functions, *mut c_void) {
    let vm = Functions::of(cx);
    let at = cx.reserve(&vm, 1);
    cx.map_part(&vm, at, owner, opened_to);
    (vm, pointer(at))
}

fn a_kernel_writes_what_it_has_access_to(cx: &Cx) {
    let (_, place) = word_of(cx, 0, &[0]);
    cx.store_word(NULL_STREAM, place, 2);
    cx.value("the word", cx.read_word(0, place), 2);
}

fn access_needs_no_peer_access(cx: &Cx) {
    let (_, place) = word_of(cx, 1, &[0, 1]);
    cx.store_word(NULL_STREAM, place, 2);
    cx.synchronize(0);
    cx.value("the word, as its owner sees it", cx.read_word(1, place), 2);
}

fn one_range_of_two_devices(cx: &Cx) {
    let vm = Functions::of(cx);
    let at = cx.reserve(&vm, 2);
    for device in [0, 1] {
        cx.map_part(&vm, at + (device as usize * PART) as u64, device, &[]);
    }
    // For both mappings, and both devices, at once.
    let both = [open_to(0), open_to(1)];
    told!(cx, vm.cuMemSetAccess(at, 2 * PART, both.as_ptr(), 2), 0);
    for device in [0, 1] {
        cx.has_access(&vm, at, device, 3);
        cx.has_access(&vm, at + PART as u64, device, 3);
    }
    let (first, second) = (pointer(at), pointer(at + PART as u64));
    cx.store_word(NULL_STREAM, second, 2);
    cx.synchronize(0);
    cx.on(1, || cx.store_word(NULL_STREAM, first, 3));
    cx.synchronize(1);
    cx.value("the words", (cx.read_word(0, first), cx.read_word(1, second)), (3, 2));
}

fn across(cx: &Cx) -> *mut c_void {
    let vm = Functions::of(cx);
    let at = cx.reserve(&vm, 2);
    for device in [0, 1] {
        cx.map_part(&vm, at + (device as usize * PART) as u64, device, &[0, 1]);
    }
    pointer(at)
}

fn copies_and_fills_cross_devices(cx: &Cx) {
    let middle = across(cx).wrapping_byte_add(PART - 8);
    answers!(cx.cudaMemset(middle, 5, 16), 0);
    cx.synchronize(0);
    cx.value("what was filled", cx.read(0, middle, 16), vec![5; 16]);
    let data = cx.pattern(16, 1);
    let (source, device) = (cx.filled(0, &data), cx.filled(1, &[0; 16]));
    answers!(cx.cudaMemcpy(middle, source, 16, cudaMemcpyKind::cudaMemcpyDeviceToDevice), 0);
    cx.synchronize(0);
    answers!(cx.cudaMemcpyPeer(device, 1, middle, 0, 16), 0);
    cx.synchronize(0);
    cx.holds("it came across", cx.read(1, device, 16) == data);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    answers!(cx.cudaMemsetAsync(middle, 6, 16, stream), 0);
    answers!(cx.cudaMemcpyAsync(source, middle, 16, cudaMemcpyKind::cudaMemcpyDefault, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("what was filled and copied", cx.read(0, source, 16), vec![6; 16]);
}

/// A copy asks for the access of the current device, a fill for that of the stream's.
fn copies_without_access_are_refused(cx: &Cx) {
    let (_, place) = word_of(cx, 1, &[1]);
    let (host, ours, theirs) = (cudaMemcpyKind::cudaMemcpyDefault, cx.malloc(0, 16), cx.malloc(1, 16));
    let streams = [0, 1].map(|device| cx.stream(device, cudaStreamNonBlocking));
    for stream in streams {
        refuses!(cx.cudaMemcpyAsync(ours, place, 16, host, stream), 1);
        refuses!(cx.cudaMemcpyAsync(theirs, place, 16, host, stream), 1);
    }
    cx.on(1, || {
        for stream in streams {
            answers!(cx.cudaMemcpyAsync(theirs, place, 16, host, stream), 0);
        }
    });
    refuses!(cx.cudaMemsetAsync(place, 1, 16, streams[0]), 1);
    refuses!(cx.cudaMemset(place, 1, 16), 1);
    answers!(cx.cudaMemsetAsync(place, 1, 16, streams[1]), 0);
    cx.synchronize(0);
    cx.synchronize(1);
}

/// Of the devices that it names, whatever is current and whose the stream is.
fn a_peer_copy_asks_the_devices_that_it_names(cx: &Cx) {
    let (_, place) = word_of(cx, 1, &[0]);
    let ours = cx.malloc(0, 16);
    let streams = [0, 1].map(|device| cx.stream(device, cudaStreamNonBlocking));
    for stream in streams {
        refuses!(cx.cudaMemcpyPeerAsync(ours, 0, place, 1, 16, stream), 1);
        answers!(cx.cudaMemcpyPeerAsync(ours, 0, place, 0, 16, stream), 0);
    }
    cx.synchronize(0);
    cx.synchronize(1);
}

fn memory_is_one_wherever_it_is_mapped(cx: &Cx) {
    let vm = Functions::of(cx);
    let (at, handle, access) = (cx.reserve(&vm, 2), cx.physical(&vm, 0, 1), open_to(0));
    told!(cx, vm.cuMemMap(at, PART, 0, handle, 0), 0);
    told!(cx, vm.cuMemMap(at + PART as u64, PART, 0, handle, 0), 0);
    told!(cx, vm.cuMemSetAccess(at, 2 * PART, &access, 1), 0);
    cx.store_word(NULL_STREAM, pointer(at), 77);
    cx.synchronize(0);
    cx.value("the word at the other place", cx.read_word(0, pointer(at + PART as u64)), 77);
    told!(cx, vm.cuMemUnmap(at, 2 * PART), 0);
    told!(cx, vm.cuMemRelease(handle), 0);
}

fn memory_keeps_its_bytes_while_it_is_not_mapped(cx: &Cx) {
    let vm = Functions::of(cx);
    let (at, handle, access) = (cx.reserve(&vm, 2), cx.physical(&vm, 0, 1), open_to(0));
    told!(cx, vm.cuMemMap(at, PART, 0, handle, 0), 0);
    told!(cx, vm.cuMemSetAccess(at, PART, &access, 1), 0);
    cx.write(0, pointer(at), &9_u32.to_ne_bytes());
    told!(cx, vm.cuMemUnmap(at, PART), 0);
    told!(cx, vm.cuMemMap(at + PART as u64, PART, 0, handle, 0), 0);
    cx.has_access(&vm, at + PART as u64, 0, 0);
    told!(cx, vm.cuMemSetAccess(at + PART as u64, PART, &access, 1), 0);
    cx.value("the word", cx.read_word(0, pointer(at + PART as u64)), 9);
}

fn a_mapping_keeps_memory_that_was_released(cx: &Cx) {
    let vm = Functions::of(cx);
    let (at, handle, access) = (cx.reserve(&vm, 1), cx.physical(&vm, 0, 1), open_to(0));
    told!(cx, vm.cuMemMap(at, PART, 0, handle, 0), 0);
    told!(cx, vm.cuMemRelease(handle), 0);
    told!(cx, vm.cuMemSetAccess(at, PART, &access, 1), 0);
    cx.store_word(NULL_STREAM, pointer(at), 5);
    cx.value("the word", cx.read_word(0, pointer(at)), 5);
}

fn free(cx: &Cx) -> usize {
    let (mut free, mut total) = (0, 0);
    must!(cx.cudaMemGetInfo(&mut free, &mut total));
    free
}

fn memory_is_taken_of_the_device_until_its_end(cx: &Cx) {
    let vm = Functions::of(cx);
    let (at, before) = (cx.reserve(&vm, 32), free(cx));
    let handle = cx.physical(&vm, 0, 32);
    cx.value("parts taken", (before - free(cx)) / PART, 32);
    told!(cx, vm.cuMemMap(at, 32 * PART, 0, handle, 0), 0);
    told!(cx, vm.cuMemRelease(handle), 0);
    cx.value("parts taken, mapped and released", (before - free(cx)) / PART, 32);
    told!(cx, vm.cuMemUnmap(at, 32 * PART), 0);
    cx.value("parts taken at the end", before.saturating_sub(free(cx)) / PART, 0);
}

/// Of the owner, and of who has access.
fn a_reset_leaves_it(cx: &Cx) {
    let vm = Functions::of(cx);
    let at = cx.reserve(&vm, 1);
    cx.map_part(&vm, at, 0, &[0, 1]);
    cx.write(0, pointer(at), &9_u32.to_ne_bytes());
    answers!(cx.cudaDeviceReset(), 0);
    cx.value("the word, as the other sees it", cx.read_word(1, pointer(at)), 9);
    cx.on(1, || answers!(cx.cudaDeviceReset(), 0));
    cx.has_access(&vm, at, 0, 3);
    cx.has_access(&vm, at, 1, 3);
    cx.value("the word, as the owner sees it", cx.read_word(0, pointer(at)), 9);
    told!(cx, vm.cuMemUnmap(at, PART), 0);
    told!(cx, vm.cuMemAddressFree(at, PART), 0);
}

/// On a thread that has made no call of the runtime.
fn no_context_is_needed(cx: &Cx) {
    must!(cx.cudaDeviceSynchronize());
    let vm = Functions::of(cx);
    let there = std::thread::spawn(move || {
        let (mut at, mut handle, prop, access) = (0, 0, memory_of(0), open_to(0));
        let (mut flags, place) = (0, CuMemLocation::device(0));
        // SAFETY: valid places, and what the calls before gave.
        let codes = unsafe {
            [
                (vm.cuMemAddressReserve)(&mut at, PART, 0, 0, 0),
                (vm.cuMemCreate)(&mut handle, PART, &prop, 0),
                (vm.cuMemMap)(at, PART, 0, handle, 0),
                (vm.cuMemSetAccess)(at, PART, &access, 1),
                (vm.cuMemGetAccess)(&mut flags, &place, at),
                (vm.cuMemUnmap)(at, PART),
                (vm.cuMemRelease)(handle),
                (vm.cuMemAddressFree)(at, PART),
            ]
        };
        (codes.map(|code| code.0), flags)
    });
    cx.value("codes and access", there.join().ok(), Some(([0; 8], 3)));
}

/// In global mode, where hardly anything else may be done.
fn a_capture_is_not_disturbed(cx: &Cx) {
    let (vm, stream, place) = (Functions::of(cx), cx.stream(0, cudaStreamNonBlocking), cx.malloc(0, 64));
    must!(cx.cudaStreamBeginCapture(stream, cudaStreamCaptureMode::cudaStreamCaptureModeGlobal));
    must!(cx.cudaMemsetAsync(place, 0, 64, stream));
    let at = cx.reserve(&vm, 1);
    cx.map_part(&vm, at, 0, &[0]);
    cx.has_access(&vm, at, 0, 3);
    told!(cx, vm.cuMemUnmap(at, PART), 0);
    told!(cx, vm.cuMemAddressFree(at, PART), 0);
    let mut graph = null_mut();
    answers!(cx.cudaStreamEndCapture(stream, &mut graph), 0);
}

fn the_runtime_does_not_free_it(cx: &Cx) {
    let (vm, place) = word_of(cx, 0, &[0]);
    refuses!(cx.cudaFree(place), 1);
    let mut handle = std::mem::MaybeUninit::zeroed();
    record!(cx.cudaIpcGetMemHandle(handle.as_mut_ptr(), place));
    cx.clear_last();
    cx.has_access(&vm, place.addr() as u64, 0, 3);
}

/// Type, device, and whether the current device reaches it.
fn described(cx: &Cx, place: *mut c_void) -> (u32, i32, bool) {
    // SAFETY: integers and pointers: zeroes are a value.
    let mut attributes: cudaPointerAttributes = unsafe { std::mem::zeroed() };
    answers!(cx.cudaPointerGetAttributes(&mut attributes, place), 0);
    (attributes.type_.0, attributes.device, attributes.devicePointer == place)
}

fn pointers_of_virtual_memory(cx: &Cx) {
    cx.synchronize(1);
    let (vm, place) = word_of(cx, 1, &[]);
    let at = place.addr() as u64;
    cx.value("without access", described(cx, place), (2, 1, false));
    let (theirs, ours) = (open_to(1), open_to(0));
    told!(cx, vm.cuMemSetAccess(at, PART, &theirs, 1), 0);
    cx.value("with access of the owner", described(cx, place), (2, 1, false));
    told!(cx, vm.cuMemSetAccess(at, PART, &ours, 1), 0);
    cx.value("with access", described(cx, place.wrapping_byte_add(64)), (2, 1, true));
    told!(cx, vm.cuMemUnmap(at, PART), 0);
    cx.see("when it is unmapped", described(cx, place));
}

fn reserved_addresses_are_unregistered(cx: &Cx) {
    let vm = Functions::of(cx);
    cx.value("reserved", described(cx, pointer(cx.reserve(&vm, 1))), (0, -2, false));
}
