//! Ranges of elements, checked.

use std::ops::{Bound, RangeBounds};

use crate::error::{Error, Result};

/// First element and number of elements of `range` within `0..len`.
pub(crate) fn resolve(range: impl RangeBounds<usize>, len: usize) -> Result<(usize, usize)> {
    let start = match range.start_bound() {
        Bound::Unbounded => 0,
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => before.saturating_add(1),
    };
    let end = match range.end_bound() {
        Bound::Unbounded => len,
        Bound::Excluded(&end) => end,
        Bound::Included(&last) => last.saturating_add(1),
    };
    if start <= end && end <= len {
        Ok((start, end - start))
    } else {
        Err(Error::OutOfBounds { start, end, len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_start_and_length() {
        assert_eq!(resolve(2..5, 5), Ok((2, 3)));
        assert_eq!(resolve(.., 5), Ok((0, 5)));
        assert_eq!(resolve(5.., 5), Ok((5, 0)));
        assert_eq!(resolve(..=4, 5), Ok((0, 5)));
    }

    #[test]
    fn a_range_outside_is_an_error_with_all_three_numbers() {
        assert_eq!(resolve(2..6, 5), Err(Error::OutOfBounds { start: 2, end: 6, len: 5 }));
        #[expect(clippy::reversed_empty_ranges, reason = "that is the mistake under test")]
        let reversed = 3..2;
        assert_eq!(resolve(reversed, 5), Err(Error::OutOfBounds { start: 3, end: 2, len: 5 }));
        assert_eq!(resolve(0..=usize::MAX, 5), Err(Error::OutOfBounds { start: 0, end: usize::MAX, len: 5 }));
    }
}
