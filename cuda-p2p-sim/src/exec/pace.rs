//! How long a thread runs before it gives way, and whether it works or spins.
//!
//! Counting is all that the fast path does. When the count is used up, the next few accesses are looked at: a thread that
//! keeps coming back to a handful of addresses is taken for one that spins and gives way at once; one that moves on
//! gets a larger count. A wrong guess costs time only.

use std::cell::Cell;

use super::thread::Pause;

/// Accesses before the first look of a turn.
const FIRST: u32 = 64;
/// Most accesses between two looks.
const MOST: u32 = 8192;
/// Accesses of a turn at least, for a thread that works.
const TURN: u32 = 32_768;
/// Accesses that are looked at together.
const LOOKS: u32 = 16;
/// With so many addresses among them or fewer, the thread spins.
const FEW: usize = 4;

/// The count of the running thread.
#[derive(Debug)]
pub(super) struct Pace {
    left: Cell<u32>,
    step: Cell<u32>,
    turn: Cell<u32>,
    looks: Cell<u32>,
    seen: [Cell<usize>; FEW],
    distinct: Cell<usize>,
}

impl Pace {
    pub(super) fn new() -> Pace {
        let pace = Pace {
            left: Cell::new(0),
            step: Cell::new(0),
            turn: Cell::new(0),
            looks: Cell::new(0),
            seen: [const { Cell::new(0) }; FEW],
            distinct: Cell::new(0),
        };
        pace.begin(None);
        pace
    }

    /// Begins a turn, of `accesses` accesses if that is given.
    pub(super) fn begin(&self, accesses: Option<u32>) {
        let step = accesses.map_or(FIRST, |n| n.min(FIRST));
        self.left.set(step);
        self.step.set(step);
        self.turn.set(accesses.unwrap_or(TURN).saturating_sub(step));
        self.look_anew();
    }

    /// Counts one access; `false` if it must be looked at.
    #[inline]
    pub(super) fn spend(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left != 0
    }

    /// Looks at one access, or at a read of the clock as if that were an address. The thread shall give way if this
    /// says so.
    pub(super) fn look(&self, address: usize) -> Option<Pause> {
        let distinct = self.distinct.get();
        if distinct <= FEW && !self.seen[..distinct.min(FEW)].iter().any(|seen| seen.get() == address) {
            if let Some(free) = self.seen.get(distinct) {
                free.set(address);
            }
            self.distinct.set(distinct + 1);
        }
        self.looks.set(self.looks.get() + 1);
        if self.looks.get() < LOOKS {
            return None;
        }
        let spins = self.distinct.get() <= FEW;
        self.look_anew();
        if spins {
            return Some(Pause::Spin);
        }
        let step = self.step.get().saturating_mul(8).min(MOST).min(self.turn.get());
        if step == 0 {
            return Some(Pause::Preempt);
        }
        self.step.set(step);
        self.left.set(step);
        self.turn.set(self.turn.get() - step);
        None
    }

    fn look_anew(&self) {
        self.looks.set(0);
        self.distinct.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(pace: &Pace, address: impl Fn(usize) -> usize) -> (usize, Pause) {
        for count in 0.. {
            if !pace.spend()
                && let Some(pause) = pace.look(address(count))
            {
                return (count, pause);
            }
        }
        unreachable!("a turn ends")
    }

    #[test]
    fn a_few_addresses_are_a_spin_and_many_are_work() {
        let pace = Pace::new();
        let (count, pause) = run(&pace, |count| count % FEW);
        assert!(matches!(pause, Pause::Spin));
        assert!(count < 100, "a spinning thread gives way soon, not after {count} accesses");
        pace.begin(None);
        let (count, pause) = run(&pace, |count| count);
        assert!(matches!(pause, Pause::Preempt));
        assert!(count >= TURN as usize);
        pace.begin(Some(2));
        let (count, _) = run(&pace, |count| count);
        assert!(count < 2 + 2 * LOOKS as usize);
    }
}
