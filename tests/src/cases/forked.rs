//! CUDA in a child of `fork`, which has the parent's memory and none of its devices. Calls in the child are reported as any
//! others; the parent waits for it.

use std::ptr::null_mut;

use crate::case::{Case, case};
use crate::context::{Cx, answers, refuses};
use crate::needs::{ONE, TWO};

pub(super) const CASES: &[Case] = &[
    case!(a_child_has_no_devices, ONE),
    case!(a_child_cannot_ask_for_peers, TWO),
    case!(a_child_is_told_versions_and_counts, ONE),
    case!(the_parent_goes_on, ONE),
];

/// Does `work` in a child of this process, which must end by itself.
fn in_a_child(cx: &Cx, work: impl FnOnce()) {
    // SAFETY: this thread alone reports; in the child nothing of the other threads is used but the runtime, which is what the
    // cases are about.
    match unsafe { libc::fork() } {
        0 => {
            work();
            // SAFETY: ends the child without running what belongs to the parent.
            unsafe { libc::_exit(0) }
        }
        child => {
            let mut status = -1;
            // SAFETY: a valid place for the status of a child of this process.
            let ended = unsafe { libc::waitpid(child, &mut status, 0) };
            cx.value("the child ended, with status", (ended == child, status), (true, 0));
        }
    }
}

fn a_child_has_no_devices(cx: &Cx) {
    cx.word(0, 1);
    in_a_child(cx, || {
        let mut pointer = null_mut();
        let mut device = -1;
        refuses!(cx.cudaSetDevice(0), 3);
        refuses!(cx.cudaMalloc(&mut pointer, 16), 3);
        refuses!(cx.cudaDeviceSynchronize(), 3);
        refuses!(cx.cudaGetDevice(&mut device), 3);
    });
}

fn a_child_cannot_ask_for_peers(cx: &Cx) {
    cx.word(0, 1);
    in_a_child(cx, || {
        let mut answer = -1;
        refuses!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 3);
    });
}

/// What needs no device is answered.
fn a_child_is_told_versions_and_counts(cx: &Cx) {
    cx.word(0, 1);
    let mut devices = 0;
    answers!(cx.cudaGetDeviceCount(&mut devices), 0);
    in_a_child(cx, || {
        let (mut count, mut version) = (0, 0);
        answers!(cx.cudaGetDeviceCount(&mut count), 0);
        cx.value("as many as in the parent", count == devices, true);
        answers!(cx.cudaRuntimeGetVersion(&mut version), 0);
    });
}

fn the_parent_goes_on(cx: &Cx) {
    let place = cx.word(0, 7);
    in_a_child(cx, || {
        refuses!(cx.cudaSetDevice(0), 3);
    });
    cx.value("the word", cx.read_word(0, place), 7);
    let after = cx.word(0, 8);
    cx.value("a word of new memory", cx.read_word(0, after), 8);
}
