//! Random bytes that need no memory: every byte follows from a seed and its offset, on the host as in the kernels.
//!
//! The kernels `fill` and `check` of cuda-p2p use the same function, which the header of their sources writes down; that both
//! agree is part of every proof, because small buffers are filled by one and checked by the other.

use serde::{Deserialize, Serialize};

/// Steps of the golden ratio, which make neighbouring words unlike.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The bytes of one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pattern {
    /// The seed, as the kernels take it.
    pub(crate) seed: u64,
}

impl Pattern {
    /// A pattern for one purpose, unlike that of every other `purpose` of the same `seed`.
    pub(crate) fn derived(seed: u64, purpose: &[u64]) -> Self {
        Self {
            seed: purpose
                .iter()
                .fold(mix(seed ^ GOLDEN), |seed, part| mix(mix(seed) ^ part.wrapping_add(GOLDEN))),
        }
    }

    /// The byte at `offset`.
    pub(crate) fn byte(self, offset: u64) -> u8 {
        let word = mix(self.seed.wrapping_add((offset / 8 + 1).wrapping_mul(GOLDEN)));
        (word >> (8 * (offset % 8))) as u8
    }

    /// The first `count` bytes.
    pub(crate) fn bytes(self, count: usize) -> Vec<u8> {
        (0..count as u64).map(|offset| self.byte(offset)).collect()
    }
}

/// Splitmix64's finalizer: each bit of the result depends on each bit of `z`.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A seed that is unlikely to have been used before, of 32 bits: short enough to be typed, and exact in any reader of JSON.
pub(crate) fn drawn_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library draws the keys of its hash tables from the system's random source.
    let mut hasher = std::collections::hash_map::RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    hasher.finish() >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_splitmix64() {
        // The generator's published sequence for seed 0 begins so.
        let pattern = Pattern { seed: 0 };
        assert_eq!(pattern.bytes(8), 0xe220_a839_7b1d_cdaf_u64.to_le_bytes());
        let second: Vec<u8> = (8..16).map(|offset| pattern.byte(offset)).collect();
        assert_eq!(second, 0x6e78_9e6a_a1b9_65f4_u64.to_le_bytes());
    }

    #[test]
    fn purposes_have_patterns_of_their_own() {
        let patterns =
            [&[1, 2][..], &[2, 1], &[1], &[1, 2, 0]].map(|purpose| Pattern::derived(7, purpose).seed);
        for (index, seed) in patterns.iter().enumerate() {
            assert!(!patterns[..index].contains(seed));
            assert_ne!(*seed, Pattern::derived(8, &[1, 2]).seed);
        }
    }
}
