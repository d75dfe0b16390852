//! In which shape a copy is launched. The numbers were measured on H200 over NVLink; see docs/performance.md.

use std::num::NonZeroU32;

/// What a device can do, as far as copies go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traits {
    pub(super) multiprocessors: u32,
    /// Whether blocks may have as much shared memory as bulk copies need, and the device has them.
    pub(super) bulk: bool,
}

/// Who moves what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelCopyDirection {
    /// Within the launching device.
    Within,
    /// The launching device writes to a peer.
    Push,
    /// The launching device reads from a peer.
    Pull,
}

/// A launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// Ordinary accesses.
    Plain { blocks: u32, threads: u32 },
    /// Bulk copies, one thread of each block.
    Bulk { blocks: u32 },
}

/// Bytes that a bulk copy moves at once.
pub(super) const CHUNK: u32 = 16 << 10;
/// Dynamic shared memory of a block: twelve chunks, and what belongs to each. With nine on their way in and three on their way
/// out a multiprocessor moves 48 GB/s.
pub(super) const SHARED: u32 = 12 * (CHUNK + 8);
/// Threads of a block of bulk copies: one that works, in a whole warp.
pub(super) const BULK_THREADS: u32 = 32;
/// Bytes of a thread's access.
const ACCESS: u64 = 16;
/// From here on bulk copies are as fast as ordinary ones, with fewer blocks.
const BULK_FROM: u64 = 4 << 20;
/// Blocks that read a peer at the full rate, 374 GB/s.
const PULL_BLOCKS: u32 = 16;
/// Blocks that write to a peer at 364 GB/s. Up to [`MANY`] more of them are slower: 16 give 351.
const PUSH_BLOCKS: u32 = 8;
/// As many write at 366 GB/s, and one on each of 132 multiprocessors at 371.
const MANY: u32 = 66;

impl Plan {
    /// For a copy of `bytes`, whose two sides are `aligned_alike` or not, in at most `most` blocks.
    pub(super) fn new(
        traits: Traits,
        direction: KernelCopyDirection,
        bytes: u64,
        aligned_alike: bool,
        most: Option<NonZeroU32>,
    ) -> Self {
        let most = most.map_or(u32::MAX, NonZeroU32::get);
        let at_most = |wanted: u64| u32::try_from(wanted).unwrap_or(u32::MAX).clamp(1, most);
        if traits.bulk && aligned_alike && bytes >= BULK_FROM {
            let blocks = match direction {
                KernelCopyDirection::Pull => PULL_BLOCKS.min(traits.multiprocessors),
                KernelCopyDirection::Push if most < MANY => PUSH_BLOCKS,
                // The last hundredths of the rate of writing take them all.
                KernelCopyDirection::Push | KernelCopyDirection::Within => traits.multiprocessors,
            };
            return Self::Bulk { blocks: at_most(u64::from(blocks)) };
        }
        let threads = if bytes <= 256 * ACCESS { 256 } else { 512 };
        let needed = bytes.div_ceil(ACCESS * u64::from(threads));
        Self::Plain { blocks: at_most(needed.min(2 * u64::from(traits.multiprocessors))), threads }
    }

    pub(super) fn blocks(self) -> u32 {
        match self {
            Self::Plain { blocks, .. } | Self::Bulk { blocks } => blocks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::KernelCopyDirection::{Pull, Push, Within};
    use super::*;

    const H200: Traits = Traits { multiprocessors: 132, bulk: true };
    const OLDER: Traits = Traits { multiprocessors: 108, bulk: false };

    #[test]
    fn a_large_read_takes_few_blocks_and_a_large_write_all() {
        assert_eq!(Plan::new(H200, Pull, 1 << 30, true, None), Plan::Bulk { blocks: 16 });
        assert_eq!(Plan::new(H200, Push, 1 << 30, true, None), Plan::Bulk { blocks: 132 });
    }

    #[test]
    fn a_capped_write_takes_no_more_blocks_than_do_it_good() {
        for (most, blocks) in [(4, 4), (8, 8), (40, 8), (66, 66), (500, 132)] {
            assert_eq!(
                Plan::new(H200, Push, 1 << 30, true, NonZeroU32::new(most)),
                Plan::Bulk { blocks },
                "{most}"
            );
        }
    }

    #[test]
    fn bulk_copies_need_the_device_the_size_and_the_alignment() {
        for (traits, bytes, aligned) in
            [(OLDER, 1 << 30, true), (H200, 1 << 20, true), (H200, 1 << 30, false)]
        {
            assert!(matches!(Plan::new(traits, Pull, bytes, aligned, None), Plan::Plain { .. }));
        }
    }

    #[test]
    fn the_cap_holds() {
        for direction in [Within, Push, Pull] {
            for bytes in [0, 1, 4096, 1 << 22, 1 << 40, u64::MAX] {
                for (traits, aligned) in [(H200, true), (H200, false), (OLDER, true)] {
                    for most in [1, 3, 200] {
                        let plan = Plan::new(traits, direction, bytes, aligned, NonZeroU32::new(most));
                        assert!((1..=most).contains(&plan.blocks()), "{plan:?} within {most}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_small_copy_is_one_block() {
        assert_eq!(Plan::new(H200, Push, 4, true, None), Plan::Plain { blocks: 1, threads: 256 });
    }
}
