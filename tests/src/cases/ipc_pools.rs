//! Pools of one process in another: by a descriptor of the system's, and their memory piece by piece. The case makes the pool, its second
//! process imports it.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::null_mut;

use cuda_p2p_sys::{
    cudaMemAccessDesc, cudaMemAccessFlags, cudaMemAllocationHandleType, cudaMemAllocationType,
    cudaMemLocation, cudaMemLocationType, cudaMemPool_t, cudaMemPoolAttr, cudaMemPoolProps,
    cudaMemPoolPtrExportData, cudaMemcpyKind,
};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{Needs, ONE, PEERS};
use crate::partner::{Partner, Wire};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(a_pool_must_be_made_for_it, ONE.pools()),
    case!(only_memory_of_such_a_pool_is_exported, ONE.pools()),
    case!(a_pool_can_be_imported_where_it_was_made, ONE.pools()),
    case!(both_processes_read_and_write_its_memory, ONE.pools()).with_partner(reads_and_writes),
    case!(imported_twice_it_is_there_once, ONE.pools()).with_partner(imports_twice),
    case!(an_imported_pool_is_no_pool_of_its_own, ONE.pools()).with_partner(misuses_it),
    case!(a_pool_is_imported_twice, ONE.pools()).with_partner(imports_the_pool_twice),
    case!(a_wrong_descriptor_is_no_pool, ONE.pools()).with_partner(imports_wrongly),
    case!(an_imported_pool_is_granted_like_any, PEERS.pools().kernels()).with_partner(grants_it),
    case!(what_a_link_loses_is_lost_in_an_imported_pool, LOSES).with_partner(writes_over_the_link),
];

const DESCRIPTOR: cudaMemAllocationHandleType =
    cudaMemAllocationHandleType::cudaMemHandleTypePosixFileDescriptor;
const NONE: cudaMemAllocationHandleType = cudaMemAllocationHandleType::cudaMemHandleTypeNone;

const LOSES: Needs = ONE.machine("a link that loses writes", "devices=2 drop=1>0 quiet").pools().kernels();

fn pool(cx: &Cx, handles: cudaMemAllocationHandleType) -> cudaMemPool_t {
    // SAFETY: integers and pointers: zeroes are a value.
    let mut properties: cudaMemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = cudaMemAllocationType::cudaMemAllocationTypePinned;
    properties.handleTypes = handles;
    properties.location = cudaMemLocation::new(cudaMemLocationType::cudaMemLocationTypeDevice, 0);
    let mut pool = null_mut();
    must!(cx.cudaMemPoolCreate(&mut pool, &properties));
    pool
}

fn word_of(cx: &Cx, pool: cudaMemPool_t, value: u32) -> *mut c_void {
    let mut place = null_mut();
    must!(cx.cudaMallocFromPoolAsync(&mut place, 4096, pool, NULL_STREAM));
    must!(cx.cudaStreamSynchronize(NULL_STREAM));
    cx.write(0, place, &value.to_ne_bytes());
    place
}

fn exported(cx: &Cx, pool: cudaMemPool_t) -> OwnedFd {
    let mut descriptor: c_int = -1;
    let place = std::ptr::from_mut(&mut descriptor).cast::<c_void>();
    answers!(cx.cudaMemPoolExportToShareableHandle(place, pool, DESCRIPTOR, 0), 0);
    // SAFETY: the descriptor is new, and this function's own.
    unsafe { OwnedFd::from_raw_fd(descriptor) }
}

fn data_of(cx: &Cx, place: *mut c_void) -> [u8; 64] {
    let mut data = MaybeUninit::<cudaMemPoolPtrExportData>::zeroed();
    answers!(cx.cudaMemPoolExportPointer(data.as_mut_ptr(), place), 0);
    // SAFETY: bytes: zeroes are a value, and the call wrote another.
    unsafe { data.assume_init() }.reserved
}

fn imported(cx: &Cx, descriptor: &OwnedFd) -> cudaMemPool_t {
    let mut pool = null_mut();
    let shared = std::ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
    answers!(cx.cudaMemPoolImportFromShareableHandle(&mut pool, shared, DESCRIPTOR, 0), 0);
    pool
}

fn imported_pointer(cx: &Cx, pool: cudaMemPool_t, reserved: [u8; 64]) -> *mut c_void {
    let mut data = cudaMemPoolPtrExportData { reserved };
    let mut place = null_mut();
    answers!(cx.cudaMemPoolImportPointer(&mut place, pool, &mut data), 0);
    place
}

/// Exports the pool and one word of it, and starts the second process with both.
fn lend(cx: &Cx, value: u32) -> (cudaMemPool_t, *mut c_void, Partner) {
    let pool = pool(cx, DESCRIPTOR);
    let place = word_of(cx, pool, value);
    let (descriptor, data) = (exported(cx, pool), data_of(cx, place));
    let mut other = cx.partner();
    other.wire.send_descriptor(&descriptor);
    other.wire.send(&data);
    (pool, place, other)
}

fn received(cx: &Cx, wire: &mut Wire) -> (cudaMemPool_t, [u8; 64]) {
    let descriptor = wire.receive_descriptor();
    let data = wire.receive::<64>();
    must!(cx.cudaFree(null_mut()));
    (imported(cx, &descriptor), data)
}

fn open_to_peer(cx: &Cx, pool: cudaMemPool_t) {
    let access = cudaMemAccessDesc {
        location: cudaMemLocation::new(cudaMemLocationType::cudaMemLocationTypeDevice, 1),
        flags: cudaMemAccessFlags::cudaMemAccessFlagsProtReadWrite,
    };
    answers!(cx.cudaMemPoolSetAccess(pool, &access, 1), 0);
}

fn a_pool_must_be_made_for_it(cx: &Cx) {
    let (mut default, plain, shared) = (null_mut(), pool(cx, NONE), pool(cx, DESCRIPTOR));
    must!(cx.cudaDeviceGetDefaultMemPool(&mut default, 0));
    let mut descriptor: c_int = -1;
    let place = std::ptr::from_mut(&mut descriptor).cast::<c_void>();
    refuses!(cx.cudaMemPoolExportToShareableHandle(place, default, DESCRIPTOR, 0), 1);
    refuses!(cx.cudaMemPoolExportToShareableHandle(place, plain, DESCRIPTOR, 0), 1);
    refuses!(cx.cudaMemPoolExportToShareableHandle(place, shared, NONE, 0), 1);
    refuses!(cx.cudaMemPoolExportToShareableHandle(place, shared, DESCRIPTOR, 1), 1);
    answers!(cx.cudaMemPoolDestroy(plain), 0);
    answers!(cx.cudaMemPoolDestroy(shared), 0);
}

fn only_memory_of_such_a_pool_is_exported(cx: &Cx) {
    let (plain, shared) = (pool(cx, NONE), pool(cx, DESCRIPTOR));
    let (of_plain, of_shared) = (word_of(cx, plain, 1), word_of(cx, shared, 2));
    let mut data = MaybeUninit::<cudaMemPoolPtrExportData>::zeroed();
    let own = cx.word(0, 3);
    let inside = of_shared.wrapping_byte_add(64);
    // Not before the pool is.
    refuses!(cx.cudaMemPoolExportPointer(data.as_mut_ptr(), of_shared), 1);
    let _descriptor = exported(cx, shared);
    answers!(cx.cudaMemPoolExportPointer(data.as_mut_ptr(), of_shared), 0);
    refuses!(cx.cudaMemPoolExportPointer(data.as_mut_ptr(), inside), 1);
    refuses!(cx.cudaMemPoolExportPointer(data.as_mut_ptr(), of_plain), 1);
    refuses!(cx.cudaMemPoolExportPointer(data.as_mut_ptr(), own), 1);
    refuses!(cx.cudaMemPoolExportPointer(data.as_mut_ptr(), null_mut()), 1);
}

fn a_pool_can_be_imported_where_it_was_made(cx: &Cx) {
    let own = pool(cx, DESCRIPTOR);
    let place = word_of(cx, own, 7);
    let (descriptor, data) = (exported(cx, own), data_of(cx, place));
    let again = imported(cx, &descriptor);
    let other = imported_pointer(cx, again, data);
    cx.value("it is another address", other == place, false);
    cx.value("the word", cx.read_word(0, other), 7);
    answers!(cx.cudaFreeAsync(other, NULL_STREAM), 0);
    answers!(cx.cudaStreamSynchronize(NULL_STREAM), 0);
    cx.value("the word", cx.read_word(0, place), 7);
}

fn both_processes_read_and_write_its_memory(cx: &Cx) {
    let (pool, place, mut other) = lend(cx, 7);
    other.wire.wait();
    cx.value("what the other process wrote", cx.read_word(0, place), 8);
    other.wire.turn();
    other.end(cx);
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
    answers!(cx.cudaMemPoolDestroy(pool), 0);
}

fn reads_and_writes(cx: &Cx, wire: &mut Wire) {
    let (pool, data) = received(cx, wire);
    let place = imported_pointer(cx, pool, data);
    cx.value("the word", cx.read_word(0, place), 7);
    cx.write(0, place, &8_u32.to_ne_bytes());
    wire.let_other();
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
    answers!(cx.cudaStreamSynchronize(NULL_STREAM), 0);
    answers!(cx.cudaMemPoolDestroy(pool), 0);
}

fn imported_twice_it_is_there_once(cx: &Cx) {
    lend(cx, 7).2.end(cx);
}

/// And is freed once: no count is kept.
fn imports_twice(cx: &Cx, wire: &mut Wire) {
    let (pool, data) = received(cx, wire);
    let (first, second) = (imported_pointer(cx, pool, data), imported_pointer(cx, pool, data));
    cx.value("the two are one", first == second, true);
    answers!(cx.cudaFreeAsync(first, NULL_STREAM), 0);
    answers!(cx.cudaStreamSynchronize(NULL_STREAM), 0);
    refuses!(cx.cudaFreeAsync(second, NULL_STREAM), 1);
    let again = imported_pointer(cx, pool, data);
    cx.value("the word", cx.read_word(0, again), 7);
    answers!(cx.cudaFree(again), 0);
}

fn an_imported_pool_is_no_pool_of_its_own(cx: &Cx) {
    lend(cx, 7).2.end(cx);
}

fn misuses_it(cx: &Cx, wire: &mut Wire) {
    let (pool, data) = received(cx, wire);
    let imported = imported_pointer(cx, pool, data);
    let (mut place, mut descriptor, mut threshold) = (null_mut(), -1 as c_int, 1_u64);
    let mut exported = MaybeUninit::<cudaMemPoolPtrExportData>::zeroed();
    let to = std::ptr::from_mut(&mut descriptor).cast::<c_void>();
    let value = std::ptr::from_mut(&mut threshold).cast::<c_void>();
    let attribute = cudaMemPoolAttr::cudaMemPoolAttrReleaseThreshold;
    refuses!(cx.cudaMallocFromPoolAsync(&mut place, 64, pool, NULL_STREAM), 1);
    refuses!(cx.cudaMemPoolExportToShareableHandle(to, pool, DESCRIPTOR, 0), 1);
    refuses!(cx.cudaMemPoolExportPointer(exported.as_mut_ptr(), imported), 1);
    refuses!(cx.cudaMemPoolSetAttribute(pool, attribute, value), 1);
    cx.value("the word", cx.read_word(0, imported), 7);
    answers!(cx.cudaFreeAsync(imported, NULL_STREAM), 0);
}

fn a_pool_is_imported_twice(cx: &Cx) {
    lend(cx, 7).2.end(cx);
}

fn imports_the_pool_twice(cx: &Cx, wire: &mut Wire) {
    let descriptor = wire.receive_descriptor();
    let data = wire.receive::<64>();
    must!(cx.cudaFree(null_mut()));
    let pools = [imported(cx, &descriptor), imported(cx, &descriptor)];
    cx.see("the pools are one", pools[0] == pools[1]);
    let places = pools.map(|pool| imported_pointer(cx, pool, data));
    cx.see("the pieces are one", places[0] == places[1]);
    cx.value("the word by the first", cx.read_word(0, places[0]), 7);
    cx.value("the word by the second", cx.read_word(0, places[1]), 7);
}

fn a_wrong_descriptor_is_no_pool(cx: &Cx) {
    lend(cx, 7).2.end(cx);
}

fn imports_wrongly(cx: &Cx, wire: &mut Wire) {
    let descriptor = wire.receive_descriptor();
    let data = wire.receive::<64>();
    must!(cx.cudaFree(null_mut()));
    let mut pool = null_mut();
    let shared: *mut c_void = std::ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
    let nothing: *mut c_void = std::ptr::without_provenance_mut(999);
    refuses!(cx.cudaMemPoolImportFromShareableHandle(&mut pool, shared, DESCRIPTOR, 1), 1);
    refuses!(cx.cudaMemPoolImportFromShareableHandle(&mut pool, shared, NONE, 0), 1);
    refuses!(cx.cudaMemPoolImportFromShareableHandle(&mut pool, nothing, DESCRIPTOR, 0), 999);
    let pool = imported(cx, &descriptor);
    let mut garbage = cudaMemPoolPtrExportData { reserved: [7; 64] };
    let mut place = null_mut();
    refuses!(cx.cudaMemPoolImportPointer(&mut place, pool, &mut garbage), 1);
    let place = imported_pointer(cx, pool, data);
    cx.value("the word", cx.read_word(0, place), 7);
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
}

fn an_imported_pool_is_granted_like_any(cx: &Cx) {
    let (_, place, other) = lend(cx, 7);
    other.end(cx);
    cx.value("what a kernel of the peer stored", cx.read_word(0, place), 8);
}

fn grants_it(cx: &Cx, wire: &mut Wire) {
    let (pool, data) = received(cx, wire);
    let place = imported_pointer(cx, pool, data);
    let mut location = cudaMemLocation::new(cudaMemLocationType::cudaMemLocationTypeDevice, 1);
    let mut flags = cudaMemAccessFlags::cudaMemAccessFlagsProtReadWrite;
    answers!(cx.cudaMemPoolGetAccess(&mut flags, pool, &mut location), 0);
    cx.value("access of device 1", flags.0, 0);
    open_to_peer(cx, pool);
    cx.on(1, || {
        cx.store(NULL_STREAM, place, 8, 0);
        answers!(cx.cudaDeviceSynchronize(), 0);
    });
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
    answers!(cx.cudaStreamSynchronize(NULL_STREAM), 0);
}

fn what_a_link_loses_is_lost_in_an_imported_pool(cx: &Cx) {
    let (_, place, other) = lend(cx, 7);
    other.end(cx);
    let words = [7, 7, 9_u32].map(u32::to_ne_bytes).concat();
    cx.value("what arrived is of the pool's own device", cx.read(0, place, 12), words);
}

/// A kernel of device 1 writes the first word, a copy of device 1 the second, and a kernel of the pool's own device the third.
fn writes_over_the_link(cx: &Cx, wire: &mut Wire) {
    let (pool, data) = received(cx, wire);
    let place = imported_pointer(cx, pool, data);
    open_to_peer(cx, pool);
    let second = place.wrapping_byte_add(4);
    cx.write(0, second, &7_u32.to_ne_bytes());
    let mine = cx.word(1, 8);
    cx.on(1, || {
        cx.store(NULL_STREAM, place, 8, 0);
        must!(cx.cudaMemcpy(second, mine, 4, cudaMemcpyKind::cudaMemcpyDeviceToDevice));
        answers!(cx.cudaDeviceSynchronize(), 0);
    });
    cx.store(NULL_STREAM, place.wrapping_byte_add(8), 9, 0);
    answers!(cx.cudaFreeAsync(place, NULL_STREAM), 0);
    answers!(cx.cudaStreamSynchronize(NULL_STREAM), 0);
}
