//! Where allocations go: upwards through the reservation, so that an address is used twice only when the whole of it
//! has been used once.

use std::collections::{BTreeMap, VecDeque};

use super::Allocation;

/// Freed allocations that are remembered, so that a use after free can be named. The oldest is forgotten first.
const REMEMBERED: usize = 16_384;
/// Addresses left unused after each allocation, in bytes: an access past the end by less than this meets nothing.
pub(super) const GUARD: usize = 64 << 10;

/// Pages of one allocation and the guard behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) base: usize,
    pub(super) bytes: usize,
}

/// Hands out spans of addresses.
#[derive(Debug)]
pub(super) struct Placement {
    next: usize,
    end: usize,
    page: usize,
    freed: VecDeque<(Span, Allocation)>,
    /// Spans that may be used again: base to bytes, never adjacent.
    holes: BTreeMap<usize, usize>,
}

impl Placement {
    pub(super) fn new(base: usize, end: usize, page: usize) -> Placement {
        Placement { next: base, end, page, freed: VecDeque::new(), holes: BTreeMap::new() }
    }

    /// Bytes of whole pages that hold `bytes`; `None` if there are not so many addresses.
    pub(super) fn pages(&self, bytes: usize) -> Option<usize> {
        bytes.checked_next_multiple_of(self.page)
    }

    /// A span for `bytes` bytes, page-aligned, with its guard; `None` if no room is left.
    pub(super) fn place(&mut self, bytes: usize) -> Option<Span> {
        let bytes = self.pages(bytes)?.checked_add(GUARD.next_multiple_of(self.page))?;
        if bytes <= self.end - self.next {
            let base = self.next;
            self.next += bytes;
            return Some(Span { base, bytes });
        }
        loop {
            if let Some(base) = self.holes.iter().find(|&(_, &hole)| hole >= bytes).map(|(&base, _)| base) {
                let hole = self.holes.remove(&base)?;
                if hole > bytes {
                    self.holes.insert(base + bytes, hole - bytes);
                }
                return Some(Span { base, bytes });
            }
            let (span, _) = self.freed.pop_front()?;
            self.open(span);
        }
    }

    /// Gives back the span of an allocation that has been freed.
    pub(super) fn retire(&mut self, span: Span, allocation: Allocation) {
        self.freed.push_back((span, allocation));
        if self.freed.len() > REMEMBERED
            && let Some((oldest, _)) = self.freed.pop_front()
        {
            self.open(oldest);
        }
    }

    /// Gives back a span that was never used.
    pub(super) fn cancel(&mut self, span: Span) {
        self.open(span);
    }

    /// The freed allocation, the newest first, that `address` pointed into.
    pub(super) fn freed(&self, address: usize) -> Option<Allocation> {
        self.freed.iter().rev().map(|&(_, allocation)| allocation).find(|it| it.contains(address))
    }

    fn open(&mut self, mut span: Span) {
        if let Some((&base, &bytes)) = self.holes.range(..span.base).next_back()
            && base + bytes == span.base
        {
            self.holes.remove(&base);
            span = Span { base, bytes: bytes + span.bytes };
        }
        if let Some(bytes) = self.holes.remove(&(span.base + span.bytes)) {
            span.bytes += bytes;
        }
        self.holes.insert(span.base, span.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Owner;
    use super::*;

    const PAGE: usize = 4096;

    fn allocation(span: Span) -> Allocation {
        Allocation { base: span.base, bytes: PAGE, owner: Owner::Host, id: span.base as u64 }
    }

    #[test]
    fn an_address_is_used_again_only_when_all_have_been_used() {
        let unit = PAGE + GUARD;
        let mut placement = Placement::new(PAGE, PAGE + 4 * unit, PAGE);
        let first = placement.place(1).expect("room for four");
        placement.retire(first, allocation(first));
        for _ in 0..3 {
            let span = placement.place(PAGE).expect("room for four");
            assert_ne!(span, first);
        }
        assert_eq!(placement.freed(first.base + PAGE - 1).map(|it| it.base), Some(first.base));
        assert_eq!(placement.freed(first.base + PAGE), None);
        assert_eq!(placement.place(1), Some(first));
        assert_eq!(placement.freed(first.base), None, "a span in use is not a freed one");
        assert_eq!(placement.place(1), None);
    }

    #[test]
    fn neighbouring_holes_become_one() {
        let unit = PAGE + GUARD;
        let mut placement = Placement::new(PAGE, PAGE + 3 * unit, PAGE);
        let spans: Vec<Span> = (0..3).filter_map(|_| placement.place(1)).collect();
        for index in [0, 2, 1] {
            placement.retire(spans[index], allocation(spans[index]));
        }
        let all = placement.place(2 * unit + 1).expect("three neighbours give one large span");
        assert_eq!(all, Span { base: PAGE, bytes: 3 * unit });
    }

    #[test]
    fn absurd_sizes_are_refused() {
        let mut placement = Placement::new(PAGE, 1 << 30, PAGE);
        assert_eq!(placement.place(usize::MAX), None);
        assert_eq!(placement.place(usize::MAX - PAGE), None);
        assert_eq!(placement.place(1 << 30), None);
    }
}
