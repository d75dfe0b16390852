//! In which order threads and blocks get their turns.

/// How a device picks the next thread, and when it interrupts one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Blocks and threads by number, round robin, each as far as it goes. The same each time.
    #[default]
    InOrder,
    /// Adversarial: blocks start in a shuffled order and early, threads take turns in a new order each round and are
    /// interrupted after a few accesses. The same each time for one seed.
    Seeded(u64),
}

/// The order of one launch.
#[derive(Debug)]
pub(super) struct Schedule {
    state: Option<u64>,
    /// `block number = (place * stride + shift) % blocks`, where the stride has no factor in common with the blocks.
    stride: u64,
    shift: u64,
    blocks: u64,
}

impl Schedule {
    pub(super) fn new(order: Order, launch: u64, blocks: u64) -> Schedule {
        let mut schedule = Schedule { state: None, stride: 1, shift: 0, blocks };
        if let Order::Seeded(seed) = order {
            schedule.state = Some(seed ^ launch.wrapping_mul(0xd605_bbb5_8c8a_bc27));
            schedule.shift = schedule.draw() % blocks;
            schedule.stride = 1 + schedule.draw() % blocks;
            while common_factor(schedule.stride, blocks) != 1 {
                schedule.stride += 1;
            }
        }
        schedule
    }

    pub(super) fn is_seeded(&self) -> bool {
        self.state.is_some()
    }

    /// The number of the block that starts as the `place`-th.
    pub(super) fn block(&self, place: u64) -> u64 {
        let product = u128::from(place) * u128::from(self.stride) + u128::from(self.shift);
        u64::try_from(product % u128::from(self.blocks)).unwrap_or(place)
    }

    /// The resident block whose turn it is after that at `last`.
    pub(super) fn next(&mut self, last: usize, resident: usize) -> usize {
        match self.state {
            None => (last + 1) % resident,
            Some(_) => self.below(resident),
        }
    }

    /// Whether to start one more block although the resident ones get on.
    pub(super) fn starts_early(&mut self) -> bool {
        self.is_seeded() && self.below(4) == 0
    }

    /// Brings the threads of a round into their order.
    pub(super) fn arrange(&mut self, threads: &mut [u32]) {
        if self.is_seeded() {
            for last in (1..threads.len()).rev() {
                threads.swap(last, self.below(last + 1));
            }
        }
    }

    /// Accesses after which a turn is over; `None` for as many as are good for speed.
    pub(super) fn turn(&mut self) -> Option<u32> {
        self.is_seeded().then(|| 1 << self.below(8))
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.draw() % bound as u64).unwrap_or(0)
    }

    /// The next number of the splitmix64 sequence.
    fn draw(&mut self) -> u64 {
        let Some(state) = &mut self.state else { return 0 };
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn common_factor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_factor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_has_its_place_whatever_the_seed() {
        for blocks in [1, 2, 12, 97, 1000] {
            for seed in 0..20 {
                let schedule = Schedule::new(Order::Seeded(seed), seed * 3, blocks);
                let mut seen: Vec<u64> = (0..blocks).map(|place| schedule.block(place)).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..blocks), "seed {seed}, {blocks} blocks");
            }
        }
    }

    #[test]
    fn a_seed_repeats_and_another_differs() {
        let order = |seed| {
            let mut schedule = Schedule::new(Order::Seeded(seed), 1, 8);
            let mut threads: Vec<u32> = (0..64).collect();
            schedule.arrange(&mut threads);
            threads
        };
        assert_eq!(order(5), order(5));
        assert_ne!(order(5), order(6));
        let mut threads: Vec<u32> = (0..64).collect();
        Schedule::new(Order::InOrder, 1, 8).arrange(&mut threads);
        assert!(threads.into_iter().eq(0..64));
    }
}
