//! What kernels do: barriers, shared memory, flags between streams and devices, sums of several devices, host functions.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use cuda_p2p_sys::{cudaMemcpyKind, cudaStreamNonBlocking};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must};
use crate::needs::{ONE, PEERS};
use crate::setup::NULL_STREAM;
use crate::test_kernels::{Shape, parameters};

pub(super) const CASES: &[Case] = &[
    case!(every_thread_of_every_block_runs, ONE.kernels()),
    case!(a_block_meets_at_its_barrier, ONE.kernels()),
    case!(dynamic_shared_memory_is_the_blocks_own, ONE.kernels()),
    case!(arguments_are_copied_at_the_launch, ONE.kernels()),
    case!(kernels_of_one_stream_follow_each_other, ONE.kernels()),
    case!(a_kernel_waits_for_a_flag_of_another_stream, ONE.kernels()),
    case!(a_kernel_waits_for_a_flag_of_a_peer, PEERS.kernels()),
    case!(a_kernel_waits_for_a_flag_in_a_peers_memory, PEERS.kernels()),
    case!(threads_of_one_device_count_together, ONE.kernels()),
    case!(devices_count_together, PEERS.kernels().native_atomics()),
    case!(a_peer_copies_what_a_kernel_wrote, PEERS.kernels()),
    case!(a_host_function_runs_in_order, ONE.kernels()),
    case!(work_waits_for_a_host_function, ONE.kernels()),
    case!(a_host_function_is_given_its_argument, ONE),
];

/// As many words as the grid has threads, each its own index.
fn indices(cx: &Cx, blocks: u32, threads: u32) -> *mut c_void {
    let mut words = cx.malloc(0, (blocks * threads * 4) as usize);
    cx.launch(c"test_store_indices", Shape::of(blocks, threads), NULL_STREAM, &mut parameters![words]);
    words
}

fn words(cx: &Cx, place: *mut c_void, count: u32) -> Vec<u32> {
    let bytes = cx.read(0, place, count as usize * 4);
    bytes.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn every_thread_of_every_block_runs(cx: &Cx) {
    let place = indices(cx, 33, 100);
    answers!(cx.cudaDeviceSynchronize(), 0);
    let right = words(cx, place, 3300).into_iter().eq(0..3300);
    cx.holds("each thread wrote its index", right);
}

fn reversed(blocks: u32, threads: u32) -> impl Iterator<Item = u32> {
    (0..blocks).flat_map(move |block| (0..threads).rev().map(move |thread| block * threads + thread))
}

fn a_block_meets_at_its_barrier(cx: &Cx) {
    let mut place = indices(cx, 9, 64);
    cx.launch(c"test_reverse_block", Shape::of(9, 64), NULL_STREAM, &mut parameters![place]);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.holds("each block is turned around", words(cx, place, 9 * 64).into_iter().eq(reversed(9, 64)));
}

fn dynamic_shared_memory_is_the_blocks_own(cx: &Cx) {
    let mut place = indices(cx, 7, 128);
    let shape = Shape { shared: 128 * 4, ..Shape::of(7, 128) };
    cx.launch(c"test_reverse_dynamic", shape, NULL_STREAM, &mut parameters![place]);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.holds("each block is turned around", words(cx, place, 7 * 128).into_iter().eq(reversed(7, 128)));
}

fn arguments_are_copied_at_the_launch(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let (mut place, mut value) = (cx.word(0, 1), 2_u32);
    cx.delay(stream, 100);
    cx.launch(c"test_store", Shape::ONE, stream, &mut parameters![place, value]);
    let written = place;
    (place, value) = (std::ptr::null_mut(), 3);
    std::hint::black_box((&mut place, &mut value));
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("what was stored", cx.read_word(0, written), 2);
}

fn kernels_of_one_stream_follow_each_other(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let place = cx.word(0, 0);
    for value in 1..=20 {
        cx.store(stream, place, 0, u64::from(value % 2 == 0));
        cx.count(Shape::ONE, stream, place, value);
    }
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("what the last one counted", cx.read_word(0, place), 20);
}

/// The waiting kernel is first: the other runs beside it.
fn a_kernel_waits_for_a_flag_of_another_stream(cx: &Cx) {
    let (flag, data, seen) = (cx.word(0, 0), cx.word(0, 0), cx.word(0, 0));
    let (first, second) = (cx.stream(0, cudaStreamNonBlocking), cx.stream(0, cudaStreamNonBlocking));
    // Loads the kernel, so that the waiting one does not hold that up.
    cx.raise_flag(second, data, 0, flag, 0);
    cx.synchronize(0);
    cx.wait_for_flag(first, flag, 1, data, seen);
    cx.raise_flag(second, data, 77, flag, 1);
    answers!(cx.cudaStreamSynchronize(first), 0);
    cx.value("what was seen behind the flag", cx.read_word(0, seen), 77);
}

/// Device 1 waits on its own memory; device 0 writes there.
fn a_kernel_waits_for_a_flag_of_a_peer(cx: &Cx) {
    let (flag, data, seen) = (cx.word(1, 0), cx.word(1, 0), cx.word(1, 0));
    cx.enable(0, 1);
    cx.raise_flag(NULL_STREAM, data, 0, flag, 0);
    cx.synchronize(0);
    cx.on(1, || cx.wait_for_flag(NULL_STREAM, flag, 1, data, seen));
    cx.raise_flag(NULL_STREAM, data, 78, flag, 1);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what was seen behind the flag", cx.read_word(1, seen), 78);
}

/// Device 0 looks into the memory of device 1, which writes there.
fn a_kernel_waits_for_a_flag_in_a_peers_memory(cx: &Cx) {
    let (flag, data, seen) = (cx.word(1, 0), cx.word(1, 0), cx.word(0, 0));
    cx.enable(0, 1);
    cx.on(1, || cx.raise_flag(NULL_STREAM, data, 0, flag, 0));
    cx.synchronize(1);
    cx.wait_for_flag(NULL_STREAM, flag, 1, data, seen);
    cx.on(1, || cx.raise_flag(NULL_STREAM, data, 79, flag, 1));
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what was seen behind the flag", cx.read_word(0, seen), 79);
}

fn threads_of_one_device_count_together(cx: &Cx) {
    let word = cx.word(0, 0);
    cx.count(Shape::of(8, 64), NULL_STREAM, word, 10);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("the sum", cx.read_word(0, word), 8 * 64 * 10);
}

/// Both add to one word at the same time: native atomics lose nothing.
fn devices_count_together(cx: &Cx) {
    let word = cx.word(1, 0);
    cx.enable(0, 1);
    cx.count(Shape::of(8, 64), NULL_STREAM, word, 10);
    cx.on(1, || cx.count(Shape::of(8, 64), NULL_STREAM, word, 10));
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.synchronize(1);
    cx.value("the sum", cx.read_word(1, word), 2 * 8 * 64 * 10);
}

fn a_peer_copies_what_a_kernel_wrote(cx: &Cx) {
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let (ours, theirs) = (cx.word(0, 1), cx.word(1, 1));
    cx.enable(0, 1);
    cx.store(stream, ours, 5, 100);
    answers!(cx.cudaMemcpyAsync(theirs, ours, 4, cudaMemcpyKind::cudaMemcpyDefault, stream), 0);
    cx.count(Shape::ONE, stream, theirs, 1);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("copied, then counted", cx.read_word(1, theirs), 6);
}

unsafe extern "C" fn add_one(data: *mut c_void) {
    // SAFETY: every launch gives it a static.
    let counter = unsafe { &*data.cast::<AtomicU32>() };
    counter.fetch_add(1, Ordering::SeqCst);
}

fn pointer_to(counter: &'static AtomicU32) -> *mut c_void {
    std::ptr::from_ref(counter).cast_mut().cast()
}

fn a_host_function_runs_in_order(cx: &Cx) {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    cx.delay(stream, 0);
    cx.synchronize(0);
    cx.delay(stream, 200);
    let counter = pointer_to(&COUNTER);
    answers!(cx.cudaLaunchHostFunc(stream, Some(add_one), counter), 0);
    cx.value("before the kernel ended", COUNTER.load(Ordering::SeqCst), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    cx.value("after the stream was waited for", COUNTER.load(Ordering::SeqCst), 1);
}

unsafe extern "C" fn sleep_then_add_one(data: *mut c_void) {
    std::thread::sleep(std::time::Duration::from_millis(100));
    // SAFETY: as for the function itself.
    unsafe { add_one(data) };
}

fn work_waits_for_a_host_function(cx: &Cx) {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let (place, event) = (cx.word(0, 1), cx.event(0));
    let counter = pointer_to(&COUNTER);
    answers!(cx.cudaLaunchHostFunc(stream, Some(sleep_then_add_one), counter), 0);
    cx.store_word(stream, place, 2);
    must!(cx.cudaEventRecord(event, stream));
    answers!(cx.cudaEventSynchronize(event), 0);
    cx.value("calls", COUNTER.load(Ordering::SeqCst), 1);
    cx.value("what was stored", cx.read_word(0, place), 2);
}

fn a_host_function_is_given_its_argument(cx: &Cx) {
    static FIRST: AtomicU32 = AtomicU32::new(0);
    static SECOND: AtomicU32 = AtomicU32::new(0);
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let (first, second) = (pointer_to(&FIRST), pointer_to(&SECOND));
    answers!(cx.cudaLaunchHostFunc(stream, Some(add_one), first), 0);
    answers!(cx.cudaLaunchHostFunc(stream, Some(add_one), second), 0);
    answers!(cx.cudaLaunchHostFunc(stream, Some(add_one), second), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    let counted = (FIRST.load(Ordering::SeqCst), SECOND.load(Ordering::SeqCst));
    cx.value("calls with each argument", counted, (1, 2));
}
