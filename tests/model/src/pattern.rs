//! Bytes that tell where they belong.

/// The pattern that `seed` fills memory with: what `cuda_p2p_fill` writes, byte for byte.
pub(crate) fn pattern(seed: u64, bytes: usize) -> Vec<u8> {
    let word = |index: u64| {
        let mut z = seed.wrapping_add((index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let words = (0..bytes.div_ceil(8) as u64).flat_map(|index| word(index).to_le_bytes());
    words.take(bytes).collect()
}
