//! How large chunks are, and how many go at once. Measured on H200 behind PCIe 5.0; see docs/performance.md.

/// Buffers of a lane. More of them leave the processor's cache sooner: four of 4 MiB are no faster one way, and slower both ways.
const SLOTS: usize = 3;
/// Bytes of a buffer, where the limit has room for them.
const SLOT: usize = 4 << 20;
/// Chunks are a multiple of this.
const STEP: usize = 256 << 10;
/// Bytes that go by while a copy engine changes from one chunk to the next: 3 microseconds at 53 GB/s.
const GAP: usize = 160 << 10;

/// The lanes of an ordered pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// How many there may be.
    pub(super) lanes: usize,
    /// Buffers of each.
    pub(super) slots: usize,
    /// Bytes of each buffer.
    pub(super) slot: usize,
}

impl Shape {
    /// Bytes of the smallest lane.
    pub(super) const LEAST: usize = SLOTS * STEP;

    /// For at most `limit` pinned bytes; `None` if that is too little for one lane.
    pub(super) fn within(limit: usize) -> Option<Self> {
        let slot = SLOT.min(limit / SLOTS / STEP * STEP);
        if slot == 0 {
            return None;
        }
        Some(Self { lanes: limit / (slot * SLOTS), slots: SLOTS, slot })
    }

    /// Bytes of the chunks of a copy of `bytes`: large ones for few gaps, small ones so that the second engine starts soon.
    pub(super) fn chunk(self, bytes: usize) -> usize {
        bytes.saturating_mul(GAP).isqrt().next_multiple_of(STEP).clamp(STEP, self.slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_stay_within_the_limit() {
        for limit in [1 << 20, (1 << 20) + 1, 5 << 20, 16 << 20, 31 << 20, 64 << 20, 1 << 30] {
            let shape = Shape::within(limit).unwrap();
            assert!(
                shape.lanes >= 1 && shape.lanes * shape.slots * shape.slot <= limit,
                "{limit}: {shape:?}"
            );
        }
        assert_eq!(Shape::within(Shape::LEAST).map(|shape| shape.lanes), Some(1));
        for limit in [0, 1, Shape::LEAST - 1] {
            assert_eq!(Shape::within(limit), None, "{limit}");
        }
    }

    #[test]
    fn chunks_fit_a_buffer() {
        let shape = Shape::within(64 << 20).unwrap();
        for bytes in [1, 4095, 1 << 20, (1 << 20) + 1, 100 << 20, usize::MAX / 2] {
            let chunk = shape.chunk(bytes);
            assert!(chunk <= shape.slot && chunk > 0, "{bytes}: {chunk}");
        }
        assert_eq!(shape.chunk(1 << 30), shape.slot);
        assert_eq!(shape.chunk(4 << 20), 1 << 20);
    }
}
