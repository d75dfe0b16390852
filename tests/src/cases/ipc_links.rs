//! Memory of one process in another, on another GPU, over a link that something is wrong with. The case makes it on device 0; its second
//! process opens it on device 1, and writes there by each means.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::{cudaMemcpyKind, cudaStream_t, cudaStreamNonBlocking};

use super::ipc_memory::{handle_of, lend, open, received};
use crate::case::{Case, case};
use crate::context::{Cx, answers, must};
use crate::needs::{Needs, ONE};
use crate::partner::{Partner, Wire};
use crate::setup::NULL_STREAM;
use crate::test_kernels::Shape;

const LOSES: Needs = ONE.machine("a link that loses writes", "devices=2 drop=1>0 quiet").kernels().ipc();
const LOSES_READS: Needs =
    ONE.machine("a link that loses what is copied back", "devices=2 drop=0>1:copy quiet").kernels().ipc();
const MIRRORS: Needs =
    ONE.machine("a link with a private mirror", "devices=2 mirror=1>0 quiet").kernels().ipc();
const FLIPS: Needs = ONE.machine("a link that flips bits", "devices=2 flip=1>0 quiet").kernels().ipc();
const HANGS: Needs = ONE.machine("a link that never answers", "devices=2 hang=1>0 quiet").kernels().ipc();

pub(super) const CASES: &[Case] = &[
    case!(what_a_link_loses_its_maker_never_sees, LOSES).with_partner(writes_over_the_link),
    case!(on_its_own_gpu_it_crosses_no_link, LOSES).with_partner(writes_on_its_gpu),
    case!(the_link_to_a_gpu_that_is_hidden_loses_it, LOSES).with_partner(writes_from_a_hidden_one),
    case!(links_are_told_by_gpus_and_not_by_ordinals, LOSES).with_partner(writes_in_another_order),
    case!(a_lost_copy_of_it_leaves_what_was_there, LOSES_READS).with_partner(copies_it_in_vain),
    case!(its_mirror_is_of_the_process_that_opened_it, MIRRORS).with_partner(reads_back_what_it_wrote),
    case!(nobody_waits_for_what_is_in_a_mirror, MIRRORS).with_partner(shows_itself_the_flag),
    case!(nobody_waits_for_what_is_lost, LOSES).with_partner(counts_in_vain),
    case!(nor_for_what_its_maker_has_in_a_mirror, MIRRORS).with_partner(waits_beside_its_maker),
    case!(a_bit_of_each_write_flips, FLIPS).with_partner(writes_over_the_link),
    case!(neither_kernel_nor_copy_ends, HANGS).with_partner(waits_in_vain),
];

/// What the words hold at first.
const OLD: u32 = 7;
/// What is written. Every byte is the same, as a fill has it.
const NEW: u32 = 0x0808_0808;

type Write = (&'static str, fn(&Cx, *mut c_void));

/// Writes of the device that opened the memory, which is current.
const WRITES: [Write; 4] = [
    ("after a store", |cx, place| cx.store(NULL_STREAM, place, NEW, 0)),
    ("after a copy from the device", |cx, place| copy(cx, place, here(cx))),
    ("after a copy from the host", from_host),
    ("after a fill", |cx, place| {
        must!(cx.cudaMemset(place, NEW.to_ne_bytes()[0].into(), 4));
    }),
];

fn from_host(cx: &Cx, place: *mut c_void) {
    let from = std::ptr::from_ref(&NEW).cast();
    must!(cx.cudaMemcpy(place, from, 4, cudaMemcpyKind::cudaMemcpyHostToDevice));
}

/// A word of the current device that holds the new value.
fn here(cx: &Cx) -> *mut c_void {
    let place = cx.malloc_here(4);
    from_host(cx, place);
    place
}

fn copy(cx: &Cx, to: *mut c_void, from: *const c_void) {
    must!(cx.cudaMemcpy(to, from, 4, cudaMemcpyKind::cudaMemcpyDeviceToDevice));
}

/// Hands a word over, and looks at it after each write.
fn watch(cx: &Cx, mut other: Partner, what: &str, good: impl Fn(u32) -> bool) {
    let place = cx.word(0, OLD);
    other.wire.send(&handle_of(cx, place));
    for (after, _) in WRITES {
        other.wire.let_other();
        cx.holds(&format!("{what} {after}"), good(cx.read_word(0, place)));
        cx.write(0, place, &OLD.to_ne_bytes());
    }
    other.wire.turn();
    other.end(cx);
}

/// Opens the word on a device, and writes when it is told to.
fn write_on(cx: &Cx, wire: &mut Wire, device: i32, look: impl Fn(*mut c_void)) {
    let handle = received(wire);
    let place = cx.on(device, || open(cx, handle));
    for (_, write) in WRITES {
        wire.wait();
        cx.on(device, || write(cx, place));
        cx.synchronize(device);
        look(place);
        wire.turn();
    }
    wire.wait();
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
}

fn what_a_link_loses_its_maker_never_sees(cx: &Cx) {
    watch(cx, cx.partner(), "the old word", |word| word == OLD);
}

fn a_bit_of_each_write_flips(cx: &Cx) {
    watch(cx, cx.partner(), "one wrong bit", |word| (word ^ NEW).count_ones() == 1);
}

fn writes_over_the_link(cx: &Cx, wire: &mut Wire) {
    write_on(cx, wire, 1, |_| ());
}

fn on_its_own_gpu_it_crosses_no_link(cx: &Cx) {
    watch(cx, cx.partner(), "the new word", |word| word == NEW);
}

fn writes_on_its_gpu(cx: &Cx, wire: &mut Wire) {
    write_on(cx, wire, 0, |_| ());
}

fn the_link_to_a_gpu_that_is_hidden_loses_it(cx: &Cx) {
    watch(cx, cx.partner_seeing(&[1]), "the old word", |word| word == OLD);
}

fn writes_from_a_hidden_one(cx: &Cx, wire: &mut Wire) {
    write_on(cx, wire, 0, |_| ());
}

/// Here device 0 of the other process is GPU 1, and its device 1 the GPU that the memory is on.
fn links_are_told_by_gpus_and_not_by_ordinals(cx: &Cx) {
    watch(cx, cx.partner_seeing(&[1, 0]), "the old word", |word| word == OLD);
}

fn writes_in_another_order(cx: &Cx, wire: &mut Wire) {
    write_on(cx, wire, 0, |_| ());
}

fn its_mirror_is_of_the_process_that_opened_it(cx: &Cx) {
    watch(cx, cx.partner(), "the old word", |word| word == OLD);
}

fn reads_back_what_it_wrote(cx: &Cx, wire: &mut Wire) {
    let mine = cx.word(1, 0);
    write_on(cx, wire, 1, |place| {
        cx.value("by a copy to the host", cx.read_word(1, place), NEW);
        cx.on(1, || copy(cx, mine, place));
        cx.value("by a copy", cx.read_word(1, mine), NEW);
        cx.on(1, || cx.copy(NULL_STREAM, mine, place, 4));
        cx.value("by a kernel", cx.read_word(1, mine), NEW);
    });
}

fn a_lost_copy_of_it_leaves_what_was_there(cx: &Cx) {
    lend(cx, cx.word(0, OLD));
}

fn copies_it_in_vain(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    let place = cx.on(1, || open(cx, handle));
    let mine = cx.word(1, 1);
    cx.on(1, || copy(cx, mine, place));
    cx.value("what a copy left", cx.read_word(1, mine), 1);
    cx.value("what a copy to the host left", cx.read_word(1, place), 0xa5a5_a5a5);
    let elsewhere = cx.word(0, 1);
    cx.on(1, || copy(cx, elsewhere, place));
    cx.value("what a copy to where it came from left", cx.read_word(0, elsewhere), 1);
    cx.on(1, || cx.copy(NULL_STREAM, mine, place, 4));
    cx.value("what a kernel loaded", cx.read_word(1, mine), OLD);
    answers!(cx.cudaIpcCloseMemHandle(place), 0);
}

/// A kernel of its maker's waits for the flag all the while.
fn wait_beside(cx: &Cx) {
    let flag = cx.filled(0, &[0; 64]);
    let stream = waiting(cx, flag);
    let mut other = cx.partner();
    other.wire.send(&handle_of(cx, flag));
    other.end(cx);
    is_let_go(cx, stream, flag);
}

/// A stream of device 0 with a kernel that waits for the flag.
fn waiting(cx: &Cx, flag: *mut c_void) -> cudaStream_t {
    let (data, seen) = (cx.word(0, 1), cx.word(0, 0));
    let mut stream = null_mut();
    must!(cx.cudaStreamCreateWithFlags(&mut stream, cudaStreamNonBlocking));
    cx.wait_for_flag(stream, flag, 1, data, seen);
    stream
}

/// It must not have seen the flag before device 0 writes it.
fn is_let_go(cx: &Cx, stream: cudaStream_t, flag: *mut c_void) {
    answers!(cx.cudaStreamQuery(stream), 600);
    cx.store_word(NULL_STREAM, flag, 1);
    answers!(cx.cudaStreamSynchronize(stream), 0);
}

fn nobody_waits_for_what_is_in_a_mirror(cx: &Cx) {
    wait_beside(cx);
}

fn nobody_waits_for_what_is_lost(cx: &Cx) {
    wait_beside(cx);
}

fn shows_itself_the_flag(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    cx.on(1, || {
        let flag = open(cx, handle);
        write_and_linger(cx, flag);
        answers!(cx.cudaIpcCloseMemHandle(flag), 0);
    });
}

/// Writes the flag, and touches what lies beside it for a while.
fn write_and_linger(cx: &Cx, flag: *mut c_void) {
    for _ in 0..20 {
        cx.store_word(NULL_STREAM, flag, 1);
        cx.count(Shape::ONE, NULL_STREAM, flag.wrapping_byte_add(8), 2000);
    }
    answers!(cx.cudaDeviceSynchronize(), 0);
}

/// The same in the process that made it, where device 1 has access to it.
fn nor_for_what_its_maker_has_in_a_mirror(cx: &Cx) {
    let flag = cx.filled(0, &[0; 64]);
    let mut other = cx.partner();
    other.wire.send(&handle_of(cx, flag));
    other.wire.wait();
    cx.enable(1, 0);
    cx.on(1, || write_and_linger(cx, flag));
    other.wire.turn();
    other.end(cx);
}

fn waits_beside_its_maker(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    let flag = open(cx, handle);
    let stream = waiting(cx, flag);
    wire.let_other();
    is_let_go(cx, stream, flag);
    answers!(cx.cudaIpcCloseMemHandle(flag), 0);
}

/// Each count is lost, so each makes the flag what it is waited for to be.
fn counts_in_vain(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    cx.on(1, || {
        let flag = open(cx, handle);
        cx.count(Shape::ONE, NULL_STREAM, flag, 300_000);
        answers!(cx.cudaDeviceSynchronize(), 0);
        answers!(cx.cudaIpcCloseMemHandle(flag), 0);
    });
}

fn neither_kernel_nor_copy_ends(cx: &Cx) {
    let place = cx.word(0, OLD);
    let mut other = cx.partner();
    other.wire.send(&handle_of(cx, place));
    other.end(cx);
    cx.value("the word", cx.read_word(0, place), OLD);
}

fn waits_in_vain(cx: &Cx, wire: &mut Wire) {
    let handle = received(wire);
    cx.on(1, || {
        let (place, mine) = (open(cx, handle), here(cx));
        let [mut by_kernel, mut by_copy] = [null_mut(); 2];
        must!(cx.cudaStreamCreateWithFlags(&mut by_kernel, cudaStreamNonBlocking));
        must!(cx.cudaStreamCreateWithFlags(&mut by_copy, cudaStreamNonBlocking));
        cx.store_word(by_kernel, place, NEW);
        let kind = cudaMemcpyKind::cudaMemcpyDeviceToDevice;
        must!(cx.cudaMemcpyAsync(place, mine, 4, kind, by_copy));
        std::thread::sleep(std::time::Duration::from_millis(100));
        for stream in [by_kernel, by_copy] {
            answers!(cx.cudaStreamQuery(stream), 600);
        }
    });
}
