//! The kernels of this project for every size from 0 to 1,000 bytes at every offset from 0 to 15 of each end: exact bytes, and
//! untouched neighbours. All of them on GPUs; the simulator takes a sample.

use std::ffi::c_void;

use cuda_p2p_sys::{cudaKernel_t, cudaMemcpyKind};

use crate::arm::Arm;
use crate::case::{Case, case};
use crate::context::{Cx, answers, quiet};
use crate::driver::Launch;
use crate::needs::{ONE, PEERS};
use crate::setup::NULL_STREAM;
use crate::test_kernels::{parameters, row};

pub(super) const CASES: &[Case] = &[
    case!(copies_of_every_size_and_offset, ONE.kernels()),
    case!(copies_to_a_peer_of_every_size_and_offset, PEERS.kernels()),
    case!(copies_from_a_peer_of_every_size_and_offset, PEERS.kernels()),
    case!(fills_of_every_size_and_offset, ONE.kernels()),
    case!(fills_of_a_peers_memory, PEERS.kernels()),
    case!(checks_of_every_size_and_offset, ONE.kernels()),
    case!(checks_of_a_peers_memory, PEERS.kernels()),
];

const LARGEST: usize = 1000;
const OFFSETS: usize = 16;
/// Bytes of one destination: the largest size, its offset, and neighbours on both sides.
const SLOT: usize = 16 + OFFSETS + LARGEST + 40;
const CANARY: u8 = 0xEE;

/// Sizes that are tried. The sample has those around the borders of the kernels' 16-byte accesses.
fn sizes(cx: &Cx) -> Vec<usize> {
    match cx.arm {
        Arm::Real => (0..=LARGEST).collect(),
        Arm::Simulator => {
            let around = |middle: usize| middle - 1..=middle + 1;
            (0..=34)
                .chain([48, 64, 128, 256, 512].into_iter().flat_map(around))
                .chain([999, LARGEST])
                .collect()
        }
    }
}

fn offsets(cx: &Cx) -> Vec<usize> {
    match cx.arm {
        Arm::Real => (0..OFFSETS).collect(),
        Arm::Simulator => vec![0, 1, 2, 7, 8, 9, 14, 15],
    }
}

/// Few threads, so that each takes several turns, and the largest offsets leave some without one.
fn launch(cx: &Cx, kernel: cudaKernel_t, arguments: &mut [*mut c_void]) {
    let arguments = arguments.as_mut_ptr();
    let shape = (row(2), row(7));
    let launch = Launch { blocks: shape.0, threads: shape.1, arguments, shared: 0, stream: NULL_STREAM };
    cx.launch_unrecorded(kernel, &launch);
}

/// What `cuda_p2p_fill` writes: see `pattern.cuh`.
fn pattern(seed: u64, bytes: usize) -> Vec<u8> {
    let word = |index: usize| {
        let mut z = seed.wrapping_add((index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    (0..bytes).map(|n| (word(n / 8) >> (8 * (n % 8))) as u8).collect()
}

/// Many places of one size between neighbours that must stay as they are.
struct Slots {
    device: i32,
    place: *mut c_void,
    host: Vec<u8>,
}

impl Slots {
    fn new(cx: &Cx, device: i32, count: usize) -> Self {
        Self { device, place: cx.malloc(device, count * SLOT), host: vec![CANARY; count * SLOT] }
    }

    /// Where what lies in slot `index` at `offset` begins, in bytes.
    fn start(index: usize, offset: usize) -> usize {
        index * SLOT + 16 + offset
    }

    fn at(&self, index: usize, offset: usize) -> *mut c_void {
        self.place.wrapping_byte_add(Self::start(index, offset))
    }

    /// Does `work` on the slots' device, without a word in the transcript.
    fn there(&self, cx: &Cx, work: impl FnOnce()) {
        quiet!(cx.cudaDeviceSynchronize());
        quiet!(cx.cudaSetDevice(self.device));
        work();
        quiet!(cx.cudaDeviceSynchronize());
        quiet!(cx.cudaSetDevice(0));
    }

    /// Writes what `host` holds.
    fn write(&self, cx: &Cx) {
        let (source, bytes) = (self.host.as_ptr().cast(), self.host.len());
        self.there(cx, || {
            quiet!(cx.cudaMemcpy(self.place, source, bytes, cudaMemcpyKind::cudaMemcpyHostToDevice));
        });
    }

    /// Whether the memory holds exactly `want`.
    fn hold(&mut self, cx: &Cx, want: &[u8]) -> bool {
        let (place, bytes) = (self.host.as_mut_ptr().cast(), self.host.len());
        self.there(cx, || {
            quiet!(cx.cudaMemcpy(place, self.place, bytes, cudaMemcpyKind::cudaMemcpyDeviceToHost));
        });
        self.host == want
    }
}

/// Sizes for which not all is as it must be, and how many were tried.
#[derive(Default)]
struct Sizes {
    tried: usize,
    wrong: Vec<usize>,
}

impl Sizes {
    fn try_each(cx: &Cx, mut right: impl FnMut(usize) -> bool) -> Self {
        let mut all = Self::default();
        for size in sizes(cx) {
            all.tried += 1;
            if !right(size) {
                all.wrong.push(size);
            }
        }
        all
    }

    fn verify(&self, cx: &Cx) {
        cx.value("sizes with wrong bytes", &self.wrong[..], &[]);
        cx.holds("sizes were tried", self.tried == sizes(cx).len());
        answers!(cx.cudaDeviceSynchronize(), 0);
    }
}

/// Each offset of the source with each of the destination; device 0 copies.
fn copies(cx: &Cx, from: i32, to: i32) {
    let kernel = cx.kernel(c"cuda_p2p_copy");
    let bytes = cx.pattern(OFFSETS + LARGEST, 5);
    let source = cx.filled(from, &bytes);
    let offsets = offsets(cx);
    let pairs: Vec<(usize, usize)> = offsets.iter().flat_map(|a| offsets.iter().map(|b| (*a, *b))).collect();
    let mut slots = Slots::new(cx, to, pairs.len());
    let tried = Sizes::try_each(cx, |size| {
        slots.host.fill(CANARY);
        slots.write(cx);
        let mut want = slots.host.clone();
        for (index, &(at, after)) in pairs.iter().enumerate() {
            let (mut place, mut source, mut length) =
                (slots.at(index, at), source.wrapping_byte_add(after), size as u64);
            launch(cx, kernel, &mut parameters![place, source, length]);
            let start = Slots::start(index, at);
            want[start..start + size].copy_from_slice(&bytes[after..after + size]);
        }
        slots.hold(cx, &want)
    });
    tried.verify(cx);
}

fn copies_of_every_size_and_offset(cx: &Cx) {
    copies(cx, 0, 0);
}

fn copies_to_a_peer_of_every_size_and_offset(cx: &Cx) {
    cx.enable(0, 1);
    copies(cx, 0, 1);
}

fn copies_from_a_peer_of_every_size_and_offset(cx: &Cx) {
    cx.enable(0, 1);
    copies(cx, 1, 0);
}

fn fills(cx: &Cx, to: i32) {
    let kernel = cx.kernel(c"cuda_p2p_fill");
    let offsets = offsets(cx);
    let mut slots = Slots::new(cx, to, offsets.len());
    let tried = Sizes::try_each(cx, |size| {
        slots.host.fill(CANARY);
        slots.write(cx);
        let mut want = slots.host.clone();
        for (index, &at) in offsets.iter().enumerate() {
            let (mut place, mut length, mut seed) =
                (slots.at(index, at), size as u64, size as u64 * 31 + at as u64);
            launch(cx, kernel, &mut parameters![place, length, seed]);
            let start = Slots::start(index, at);
            want[start..start + size].copy_from_slice(&pattern(seed, size));
        }
        slots.hold(cx, &want)
    });
    tried.verify(cx);
}

fn fills_of_every_size_and_offset(cx: &Cx) {
    fills(cx, 0);
}

fn fills_of_a_peers_memory(cx: &Cx) {
    cx.enable(0, 1);
    fills(cx, 1);
}

/// What `cuda_p2p_check` adds to: mismatches, the first of them, bytes compared.
const UNCHECKED: [u64; 3] = [0, u64::MAX, 0];

/// Each offset twice: with the right bytes, and with one that is not.
fn checks(cx: &Cx, of: i32) {
    let kernel = cx.kernel(c"cuda_p2p_check");
    let offsets = offsets(cx);
    let mut slots = Slots::new(cx, of, 2 * offsets.len());
    let results = cx.malloc(0, 2 * offsets.len() * 24);
    let tried = Sizes::try_each(cx, |size| {
        slots.host.fill(CANARY);
        let wrong = size * 7 / 11;
        for (index, &at) in offsets.iter().chain(&offsets).enumerate() {
            let start = Slots::start(index, at);
            slots.host[start..start + size].copy_from_slice(&pattern(at as u64, size));
            if index >= offsets.len() && size > 0 {
                slots.host[start + wrong] ^= 0x10;
            }
        }
        slots.write(cx);
        let mut seen: Vec<u64> = UNCHECKED.repeat(2 * offsets.len());
        let mut want = seen.clone();
        let bytes = seen.len() * 8;
        quiet!(cx.cudaMemcpy(results, seen.as_ptr().cast(), bytes, cudaMemcpyKind::cudaMemcpyHostToDevice));
        for (index, &at) in offsets.iter().chain(&offsets).enumerate() {
            let (mut place, mut length, mut seed) = (slots.at(index, at), size as u64, at as u64);
            let mut result = results.wrapping_byte_add(24 * index);
            launch(cx, kernel, &mut parameters![place, length, seed, result]);
            let has_a_wrong_one = index >= offsets.len() && size > 0;
            let found = if has_a_wrong_one { [1, wrong as u64] } else { [0, u64::MAX] };
            want[3 * index..3 * index + 3].copy_from_slice(&[found[0], found[1], size as u64]);
        }
        quiet!(cx.cudaMemcpy(
            seen.as_mut_ptr().cast(),
            results,
            bytes,
            cudaMemcpyKind::cudaMemcpyDeviceToHost
        ));
        seen == want
    });
    tried.verify(cx);
}

fn checks_of_every_size_and_offset(cx: &Cx) {
    checks(cx, 0);
}

fn checks_of_a_peers_memory(cx: &Cx) {
    cx.enable(0, 1);
    checks(cx, 1);
}
