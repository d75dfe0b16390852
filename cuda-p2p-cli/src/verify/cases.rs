//! Which moves a step makes: each size, aligned and not.

use super::pattern::Pattern;

/// Alignment that "aligned" means here, in bytes: that of every allocation, and more than any access needs.
pub(super) const ALIGNMENT: usize = 256;

/// The widest access of a kernel, in bytes: offsets below it are all the misalignments that there are.
const WIDEST_ACCESS: u64 = 16;

/// Sizes from here on are moved aligned only: what is special about odd addresses shows in small moves, and a large one byte
/// by byte would take long.
const LARGE: u64 = 1 << 20;

/// One move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Case {
    /// Bytes to move.
    pub(super) bytes: usize,
    /// Distance of the source from an aligned address, in bytes.
    pub(super) source_offset: usize,
    /// Distance of the destination from an aligned address, in bytes.
    pub(super) destination_offset: usize,
}

/// The moves for `sizes`: each aligned; small ones also with equal and with different misalignments, chosen by `seed`.
pub(super) fn cases(sizes: &[u64], seed: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    for size in sizes {
        // A size that no address space holds fails when memory is asked for, with a text that says so.
        let bytes = usize::try_from(*size).unwrap_or(usize::MAX);
        let case = |source_offset, destination_offset| Case { bytes, source_offset, destination_offset };
        cases.push(case(0, 0));
        if *size < LARGE {
            let drawn = Pattern::derived(seed, &[*size]).seed;
            let equal = 1 + drawn % (WIDEST_ACCESS - 1);
            let other = 1 + (equal + drawn / WIDEST_ACCESS % (WIDEST_ACCESS - 2)) % (WIDEST_ACCESS - 1);
            cases.push(case(equal as usize, equal as usize));
            cases.push(case(equal as usize, other as usize));
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sizes_come_aligned_equally_and_unequally_misaligned() {
        for seed in 0..200 {
            let cases = cases(&[4097], seed);
            let offsets: Vec<_> =
                cases.iter().map(|case| (case.source_offset, case.destination_offset)).collect();
            assert_eq!(offsets[0], (0, 0));
            assert!((1..16).contains(&offsets[1].0) && offsets[1].0 == offsets[1].1, "{offsets:?}");
            assert!((1..16).contains(&offsets[2].1) && offsets[2].0 != offsets[2].1, "{offsets:?}");
        }
    }

    #[test]
    fn large_sizes_come_aligned_only() {
        assert_eq!(
            cases(&[64 << 20], 1),
            [Case { bytes: 64 << 20, source_offset: 0, destination_offset: 0 }]
        );
    }
}
