//! Ranges of addresses that the running thread is known to be allowed.

use std::cell::Cell;

/// Bytes from `base` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) base: usize,
    pub(super) bytes: usize,
}

impl Range {
    /// Whether all of `bytes` bytes at `address` lie inside.
    #[inline]
    pub(super) fn holds(self, address: usize, bytes: usize) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.bytes && bytes <= self.bytes - offset
    }
}

/// Allocations that the launch's device was allowed lately, as of one epoch of the space.
#[derive(Debug, Default)]
pub(super) struct Allowed {
    ranges: [Cell<Range>; 4],
    epoch: Cell<u64>,
    oldest: Cell<usize>,
}

impl Allowed {
    /// Whether the access is known to be allowed in `epoch`.
    #[inline]
    pub(super) fn knows(&self, epoch: u64, address: usize, bytes: usize) -> bool {
        self.epoch.get() == epoch && self.ranges.iter().any(|range| range.get().holds(address, bytes))
    }

    /// Remembers an answer that was asked for after `epoch` was read.
    pub(super) fn remember(&self, epoch: u64, range: Range) {
        if self.epoch.replace(epoch) != epoch {
            self.ranges.iter().for_each(|range| range.set(Range::default()));
        }
        let oldest = self.oldest.get() % self.ranges.len();
        self.ranges[oldest].set(range);
        self.oldest.set(oldest + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_exact_and_does_not_wrap() {
        let range = Range { base: 100, bytes: 8 };
        assert!(range.holds(100, 8) && range.holds(107, 1));
        for (address, bytes) in [(99, 1), (100, 9), (107, 2), (108, 1), (104, usize::MAX), (usize::MAX, 200)]
        {
            assert!(!range.holds(address, bytes), "{bytes} bytes at {address}");
        }
    }

    #[test]
    fn what_was_allowed_is_forgotten_with_its_epoch() {
        let allowed = Allowed::default();
        allowed.remember(1, Range { base: 100, bytes: 8 });
        assert!(allowed.knows(1, 100, 8));
        assert!(!allowed.knows(2, 100, 8));
        allowed.remember(2, Range { base: 200, bytes: 8 });
        assert!(!allowed.knows(2, 100, 8), "an answer of an older epoch must not come back");
    }
}
