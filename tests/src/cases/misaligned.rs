//! Accesses of a kernel at addresses that are no multiples of their size: error 716, which ends the context as 700 does.

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::case::{Case, case};
use crate::context::{Cx, answers};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;
use crate::test_kernels::{Shape, parameters};

pub(super) const CASES: &[Case] = &[
    case!(aligned_accesses_work, ONE.kernels()),
    case!(bytes_and_packed_words_lie_anywhere, ONE.kernels()),
    case!(vectors_of_three_need_the_alignment_of_one, ONE.kernels()),
    case!(a_load_of_2_bytes, ONE.kernels()).poisons(),
    case!(a_load_of_4_bytes, ONE.kernels()).poisons(),
    case!(a_load_of_8_bytes, ONE.kernels()).poisons(),
    case!(a_load_of_16_bytes, ONE.kernels()).poisons(),
    case!(a_store_of_2_bytes, ONE.kernels()).poisons(),
    case!(a_store_of_4_bytes, ONE.kernels()).poisons(),
    case!(a_store_of_8_bytes, ONE.kernels()).poisons(),
    case!(a_store_of_16_bytes, ONE.kernels()).poisons(),
    case!(a_load_of_a_vector_of_two, ONE.kernels()).poisons(),
    case!(a_store_of_a_vector_of_two, ONE.kernels()).poisons(),
    case!(a_load_of_a_vector_of_four, ONE.kernels()).poisons(),
    case!(a_store_of_a_vector_of_four, ONE.kernels()).poisons(),
    case!(a_load_of_a_vector_of_three, ONE.kernels()).poisons(),
    case!(a_store_of_a_vector_of_three, ONE.kernels()).poisons(),
    case!(an_acquiring_load, ONE.kernels()).poisons(),
    case!(a_relaxed_load, ONE.kernels()).poisons(),
    case!(a_releasing_store, ONE.kernels()).poisons(),
    case!(a_relaxed_store, ONE.kernels()).poisons(),
    case!(an_atomic_of_4_bytes, ONE.kernels()).poisons(),
    case!(an_atomic_of_8_bytes, ONE.kernels()).poisons(),
    case!(in_shared_memory, ONE.kernels()).poisons(),
    case!(in_a_peers_memory, PEERS.kernels()).poisons(),
    case!(in_memory_without_access, TWO.kernels()).poisons(),
    case!(an_atomic_in_memory_without_access, TWO.kernels()).poisons(),
    case!(after_it_both_devices_are_lost, TWO.kernels()).poisons(),
];

/// Sorts of access, as `test_load` and `test_write` number them; below 100 it is the number of bytes.
const VECTOR_OF_TWO: u32 = 208;
const VECTOR_OF_THREE: u32 = 312;
const VECTOR_OF_FOUR: u32 = 416;
const ORDERED_4: u32 = 1004;
const ORDERED_8: u32 = 1008;
const PACKED: u32 = 2004;
const ATOMIC_4: u32 = 3004;
const ATOMIC_8: u32 = 3008;

/// A load at `place`, and where what it gave will stand.
fn load_at(cx: &Cx, mut place: *mut c_void, mut sort: u32) -> *mut c_void {
    let mut seen = cx.filled(0, &[0xEE; 8]);
    cx.launch(c"test_load", Shape::ONE, NULL_STREAM, &mut parameters![place, sort, seen]);
    seen
}

fn write_at(cx: &Cx, mut place: *mut c_void, mut sort: u32) {
    cx.launch(c"test_write", Shape::ONE, NULL_STREAM, &mut parameters![place, sort]);
}

/// 64 bytes of ones and zeroes: words of 1, whatever their size up to four bytes.
fn place(cx: &Cx, device: i32, offset: usize) -> *mut c_void {
    cx.filled(device, &[1, 0, 0, 0].repeat(16)).wrapping_byte_add(offset)
}

fn faults(cx: &Cx) {
    cx.settle();
    answers!(cx.cudaDeviceSynchronize(), 716);
}

fn load(cx: &Cx, offset: usize, sort: u32) {
    load_at(cx, place(cx, 0, offset), sort);
    faults(cx);
}

fn write(cx: &Cx, offset: usize, sort: u32) {
    write_at(cx, place(cx, 0, offset), sort);
    faults(cx);
}

fn aligned_accesses_work(cx: &Cx) {
    for (sort, offset, want) in [
        (1, 1, 0),
        (2, 2, 0),
        (4, 4, 1),
        (8, 8, 0x1_0000_0001),
        (16, 16, 4),
        (VECTOR_OF_TWO, 8, 2),
        (VECTOR_OF_FOUR, 16, 0),
        (ORDERED_4, 4, 1),
        (ORDERED_8, 8, 0x1_0000_0001),
    ] {
        let seen = load_at(cx, place(cx, 0, offset), sort);
        answers!(cx.cudaDeviceSynchronize(), 0);
        let seen = cx.read(0, seen, 8);
        cx.value("what was loaded", seen, u64::to_ne_bytes(want).to_vec());
    }
    for sort in [2, 4, 8, 16, VECTOR_OF_TWO, VECTOR_OF_FOUR, ORDERED_4, ORDERED_8, ATOMIC_4, ATOMIC_8] {
        let bytes = cx.filled(0, &[0; 32]);
        write_at(cx, bytes.wrapping_byte_add(16), sort);
        answers!(cx.cudaDeviceSynchronize(), 0);
        let got = cx.read(0, bytes, 32);
        cx.value("what was written", got, written(sort));
    }
}

/// 32 bytes of zeroes with ones from the sixteenth on, as `test_write` writes them.
fn written(sort: u32) -> Vec<u8> {
    let ones = match sort {
        16 | VECTOR_OF_FOUR => 4,
        VECTOR_OF_THREE => 3,
        VECTOR_OF_TWO => 2,
        _ => 1,
    };
    let mut bytes = vec![0; 32];
    (0..ones).for_each(|index| bytes[16 + 4 * index] = 1);
    bytes
}

/// The compiler knows that a packed word may lie anywhere, and moves its bytes one by one.
fn bytes_and_packed_words_lie_anywhere(cx: &Cx) {
    let seen = load_at(cx, place(cx, 0, 3), PACKED);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what was loaded", cx.read(0, seen, 8), 0x0100_u64.to_ne_bytes().to_vec());
    for sort in [1, PACKED] {
        let bytes = cx.filled(0, &[0; 16]);
        write_at(cx, bytes.wrapping_byte_add(5), sort);
        answers!(cx.cudaDeviceSynchronize(), 0);
        let want: Vec<u8> = (0..16).map(|index| u8::from(index == 5)).collect();
        cx.value("what was written", cx.read(0, bytes, 16), want);
    }
}

fn vectors_of_three_need_the_alignment_of_one(cx: &Cx) {
    let bytes = cx.filled(0, &[0; 32]);
    write_at(cx, bytes.wrapping_byte_add(16), VECTOR_OF_THREE);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what was written", cx.read(0, bytes, 32), written(VECTOR_OF_THREE));
    let moved = cx.filled(0, &[0; 32]);
    write_at(cx, moved.wrapping_byte_add(4), VECTOR_OF_THREE);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what was written, moved", &cx.read(0, moved, 20)[4..], &written(VECTOR_OF_THREE)[16..32]);
}

fn a_load_of_2_bytes(cx: &Cx) {
    load(cx, 1, 2);
}

fn a_load_of_4_bytes(cx: &Cx) {
    load(cx, 2, 4);
}

fn a_load_of_8_bytes(cx: &Cx) {
    load(cx, 4, 8);
}

fn a_load_of_16_bytes(cx: &Cx) {
    load(cx, 8, 16);
}

fn a_store_of_2_bytes(cx: &Cx) {
    write(cx, 1, 2);
}

fn a_store_of_4_bytes(cx: &Cx) {
    write(cx, 1, 4);
}

fn a_store_of_8_bytes(cx: &Cx) {
    write(cx, 4, 8);
}

fn a_store_of_16_bytes(cx: &Cx) {
    write(cx, 8, 16);
}

fn a_load_of_a_vector_of_two(cx: &Cx) {
    load(cx, 4, VECTOR_OF_TWO);
}

fn a_store_of_a_vector_of_two(cx: &Cx) {
    write(cx, 4, VECTOR_OF_TWO);
}

fn a_load_of_a_vector_of_four(cx: &Cx) {
    load(cx, 8, VECTOR_OF_FOUR);
}

fn a_store_of_a_vector_of_four(cx: &Cx) {
    write(cx, 8, VECTOR_OF_FOUR);
}

fn a_load_of_a_vector_of_three(cx: &Cx) {
    load(cx, 2, VECTOR_OF_THREE);
}

fn a_store_of_a_vector_of_three(cx: &Cx) {
    write(cx, 2, VECTOR_OF_THREE);
}

fn an_acquiring_load(cx: &Cx) {
    load(cx, 2, ORDERED_4);
}

fn a_relaxed_load(cx: &Cx) {
    load(cx, 4, ORDERED_8);
}

fn a_releasing_store(cx: &Cx) {
    write(cx, 2, ORDERED_4);
}

fn a_relaxed_store(cx: &Cx) {
    write(cx, 4, ORDERED_8);
}

fn an_atomic_of_4_bytes(cx: &Cx) {
    write(cx, 2, ATOMIC_4);
}

fn an_atomic_of_8_bytes(cx: &Cx) {
    write(cx, 4, ATOMIC_8);
}

fn in_shared_memory(cx: &Cx) {
    let (mut offset, mut seen) = (2_u32, cx.word(0, 0));
    let shape = Shape { shared: 64, ..Shape::ONE };
    cx.launch(c"test_shared_word", shape, NULL_STREAM, &mut parameters![offset, seen]);
    faults(cx);
}

fn in_a_peers_memory(cx: &Cx) {
    let theirs = place(cx, 1, 2);
    cx.enable(0, 1);
    write_at(cx, theirs, 4);
    faults(cx);
}

/// Wrong in two ways: GPUs tell now of the one and now of the other.
fn either(cx: &Cx) {
    let code = cx.settle();
    cx.holds("it is misaligned or an illegal address", code == 716 || code == 700);
}

fn in_memory_without_access(cx: &Cx) {
    write_at(cx, place(cx, 1, 2), 4);
    either(cx);
}

fn an_atomic_in_memory_without_access(cx: &Cx) {
    write_at(cx, place(cx, 1, 2), ATOMIC_4);
    either(cx);
}

fn after_it_both_devices_are_lost(cx: &Cx) {
    cx.word(1, 0);
    write(cx, 1, 4);
    answers!(cx.cudaGetLastError(), 716);
    answers!(cx.cudaDeviceSynchronize(), 716);
    let mut pointer = null_mut();
    answers!(cx.cudaSetDevice(1), 0);
    answers!(cx.cudaMalloc(&mut pointer, 16), 716);
    answers!(cx.cudaSetDevice(0), 0);
    answers!(cx.cudaDeviceReset(), 0);
    answers!(cx.cudaMalloc(&mut pointer, 16), 46);
}
