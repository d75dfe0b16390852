//! Where the host itself looks at data: everywhere if it is small; else at both ends and here and there.

use std::ops::Range;

use super::pattern::Pattern;

/// Data up to this size, in bytes, is looked at whole.
pub(super) const WHOLE: usize = 64 << 10;

/// Bytes at either end of larger data.
const END: usize = 4 << 10;

/// Places in between, and bytes at each.
const PLACES: u64 = 32;
const WINDOW: usize = 256;

/// The windows into `bytes` bytes, by where they begin; chosen anew for every pattern.
pub(super) fn windows(bytes: usize, pattern: Pattern) -> Vec<Range<usize>> {
    if bytes <= WHOLE {
        return std::iter::once(0..bytes).collect();
    }
    let between = (bytes - WINDOW) as u64;
    let place = |number| (Pattern::derived(pattern.seed, &[number]).seed % between) as usize;
    let mut windows: Vec<_> = (0..PLACES).map(place).map(|start| start..start + WINDOW).collect();
    windows.extend([0..END, bytes - END..bytes]);
    windows.sort_by_key(|window| window.start);
    windows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_data_is_looked_at_whole() {
        for bytes in [1, 4097, WHOLE] {
            assert_eq!(windows(bytes, Pattern { seed: 1 }), [Range { start: 0, end: bytes }]);
        }
    }

    #[test]
    fn large_data_is_looked_at_at_both_ends_and_all_over() {
        for bytes in [WHOLE + 1, 1 << 20, 64 << 20] {
            let windows = windows(bytes, Pattern { seed: 1 });
            assert_eq!(windows.first(), Some(&(0..END)));
            assert!(windows.contains(&(bytes - END..bytes)));
            assert!(windows.iter().all(|window| window.start < window.end && window.end <= bytes));
            for quarter in 0..4 {
                let (from, to) = (bytes / 4 * quarter, bytes / 4 * (quarter + 1));
                assert!(
                    windows.iter().any(|window| (from..to).contains(&window.start)),
                    "{bytes}, {quarter}"
                );
            }
        }
    }

    #[test]
    fn every_pattern_has_windows_of_its_own() {
        assert_ne!(windows(1 << 20, Pattern { seed: 1 }), windows(1 << 20, Pattern { seed: 2 }));
    }
}
