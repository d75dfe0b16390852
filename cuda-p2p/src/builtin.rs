//! This crate's own kernels: what proves and measures a path between two devices.
//!
//! # Safety
//! This file declares kernels, and so promises what they do; each is in the folder `kernels` of `cuda-p2p-sys`. All
//! of them stride by the grid or use one thread only, so any shape of launch will do.
#![allow(unsafe_code, reason = "declares kernels; see the paragraph on safety above")]

use bytemuck::{Pod, Zeroable};

use crate::kernel_slice::{KernelSlice, KernelSliceMut};
use crate::slice::DeviceSliceMut;

/// What [`Kernels::check`] finds.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct CheckResult {
    /// Bytes that differ from the pattern.
    pub mismatches: u64,
    /// Lowest offset of one; `u64::MAX` if there is none.
    pub first: u64,
    /// Bytes that were compared.
    pub compared: u64,
}

impl CheckResult {
    /// What it must be before a check: nothing compared, nothing found. Checks add to it, the counts modulo 2^64.
    pub const CLEAN: Self = Self { mismatches: 0, first: u64::MAX, compared: 0 };

    /// Whether `bytes` bytes were compared since [`CLEAN`](Self::CLEAN), and none differed. A check that did not run
    /// has compared none.
    pub fn is_clean(&self, bytes: u64) -> bool {
        *self == Self { compared: bytes, ..Self::CLEAN }
    }
}

crate::kernels! {
    /// The kernels. [`load`](Self::load) them once a runtime; each launch is asynchronous.
    pub struct Kernels = *cuda_p2p_sys::kernels();

    // SAFETY: the parameters are those of the .cu files. Under the conditions no kernel leaves its slices, all but
    // `chase` go to no other address, and those that share memory with a running kernel do so by whole words and in system scope.
    unsafe extern "CUDA" {
        /// Writes the pattern of `seed` to the first `bytes` bytes of `destination`.
        safe fn fill<'a>(destination: KernelSliceMut<'a, u8>, bytes: u64, seed: u64) = "cuda_p2p_fill"
        where bytes <= destination.len() as u64;

        /// Compares the first `bytes` bytes of `source` with the pattern of `seed`, and adds what it
        /// compared and found to the first element of `result`, which was [`CheckResult::CLEAN`] before.
        safe fn check<'a>(
            source: KernelSlice<'a, u8>, bytes: u64, seed: u64, result: DeviceSliceMut<'a, CheckResult>,
        ) = "cuda_p2p_check"
        where bytes <= source.len() as u64, !result.is_empty();

        /// Copies the first `bytes` bytes: the kernel's loads read a peer, its stores write one, as the slices are.
        safe fn copy<'a>(destination: KernelSliceMut<'a, u8>, source: KernelSlice<'a, u8>, bytes: u64) = "cuda_p2p_copy"
        where bytes <= destination.len() as u64, bytes <= source.len() as u64;

        /// One side of a game between two kernels: side 0 sets the other's flag (`theirs`) to the round and waits for
        /// its own (`mine`), side 1 waits and then answers. Both flags start at 0; each wait is bounded by
        /// `timeout_ns` nanoseconds.
        ///
        /// `status` is 0 if all rounds were played, else the round whose wait ran out of time; set it to `u32::MAX`
        /// before, which a game that was not played leaves, and each flag ends at `rounds`. The two kernels run at the
        /// same time only if their slices are [`unordered`](crate::DeviceSliceMut::unordered).
        safe fn ping_pong<'a>(
            mine: KernelSliceMut<'a, u32>, theirs: KernelSliceMut<'a, u32>, rounds: u32, side: u32, timeout_ns: u64,
            status: DeviceSliceMut<'a, u32>,
        ) = "cuda_p2p_ping_pong"
        where !mine.is_empty(), !theirs.is_empty(), !status.is_empty();

        /// As [`ping_pong`](Self::ping_pong), with accesses that order nothing but the flags: what passing a flag over the link takes,
        /// about half of what it takes by release and acquire.
        safe fn flag_rounds<'a>(
            mine: KernelSliceMut<'a, u32>, theirs: KernelSliceMut<'a, u32>, rounds: u32, side: u32, timeout_ns: u64,
            status: DeviceSliceMut<'a, u32>,
        ) = "cuda_p2p_flag_rounds"
        where !mine.is_empty(), !theirs.is_empty(), !status.is_empty();

        /// `y[i] += x[i]` for the first `n` elements.
        safe fn add_f32<'a>(y: KernelSliceMut<'a, f32>, x: KernelSlice<'a, f32>, n: u64) = "cuda_p2p_add_f32"
        where n <= y.len() as u64, n <= x.len() as u64;

        /// Follows `hops` pointers from `start`, one load at a time, and writes the address at which it arrives to
        /// the first element of `last`, and to the second the number of its block. It is the first thread of the block with this number in x that does, and all others return: in a grid with a
        /// block for each multiprocessor the number chooses which one. A grid that has no such block follows none.
        ///
        /// # Safety
        /// - From the first element of `start` on, each of `hops` words is the device address of the next, and the
        ///   launching device may read all of them.
        unsafe fn chase<'a>(
            start: KernelSlice<'a, u64>, hops: u64, block: u32, last: DeviceSliceMut<'a, u64>,
        ) = "cuda_p2p_chase"
        where !start.is_empty(), last.len() >= 2;

        /// Keeps the device busy for `ns` nanoseconds: makes visible what is asynchronous.
        safe fn delay(ns: u64) = "cuda_p2p_delay";

        /// Writes `value` to the first element of `destination` after `ns` nanoseconds.
        safe fn delayed_store<'a>(destination: KernelSliceMut<'a, u32>, value: u32, ns: u64) = "cuda_p2p_delayed_store"
        where !destination.is_empty();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_result_has_the_kernels_layout() {
        assert_eq!((size_of::<CheckResult>(), align_of::<CheckResult>()), (24, 8));
        assert_eq!(std::mem::offset_of!(CheckResult, first), 8);
        assert_eq!(std::mem::offset_of!(CheckResult, compared), 16);
    }

    #[test]
    fn a_check_that_did_not_run_is_not_clean() {
        assert!(!CheckResult::CLEAN.is_clean(1));
        assert!(CheckResult { compared: 4, ..CheckResult::CLEAN }.is_clean(4));
        assert!(!CheckResult { compared: 4, mismatches: 1, first: 0 }.is_clean(4));
    }
}
