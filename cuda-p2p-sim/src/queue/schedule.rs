//! Which ready operation starts next.
//!
//! In order: the one submitted first, on each device by itself.
//!
//! Adversarial: every stream has a random priority, changed at random points; of all devices' operations only the one of highest
//! priority moves, so that what nothing orders is run in unlikely orders. Operations move only when they are let: each call
//! of the program grants a random number of turns, often none, and returns when they are taken; a call that waits grants as
//! many as it needs. So program and devices take strict turns, and a seed gives the same schedule each time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{Lane, OpId, Queue};
use crate::rng::Rng;

/// Turns after which a kernel no longer keeps others from starting.
pub(super) const LONG: u32 = 8;
/// When the program makes no call for so long, operations move without being let: it may wait on memory.
const PATIENCE: Duration = Duration::from_millis(20);
/// One priority change in so many submissions and turns.
const CHANGE: u64 = 6;

/// What a thread of the machine should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Start this operation.
    Start(OpId),
    /// Give this running operation a turn, and those that yield.
    Step(OpId),
    /// Give every operation that runs here a turn.
    StepAll,
    /// Give those a turn that yield; if there are none, wait to be woken.
    Yield,
    /// Wait to be woken, or so long: the program is to go on first.
    Pause(Duration),
}

/// State of the adversarial schedule.
#[derive(Debug)]
pub(super) struct Adversary {
    rng: Rng,
    priorities: BTreeMap<u64, u64>,
    /// When the program last made a call about work.
    touched: Instant,
    /// Turns that are granted.
    budget: u64,
    /// A thread of the program waits, and saw that it must.
    demanded: bool,
}

impl Adversary {
    pub(super) fn new(rng: Rng) -> Adversary {
        let touched = Instant::now();
        Adversary { rng, priorities: BTreeMap::new(), touched, budget: 0, demanded: false }
    }

    /// An operation came to `stream`.
    pub(super) fn submitted(&mut self, stream: u64) {
        self.touched = Instant::now();
        self.maybe_change(stream);
        self.budget += match self.rng.below(4) {
            0 => 1 + self.rng.below(3),
            1 => 1 + self.rng.below(64),
            _ => 0,
        };
    }

    /// A running operation had a turn.
    pub(super) fn turn_taken(&mut self) {
        self.budget = self.budget.saturating_sub(1);
    }

    /// An operation ended: who waits must look before anything else moves.
    pub(super) fn settle(&mut self) {
        self.demanded = false;
    }

    pub(super) fn maybe_change(&mut self, stream: u64) {
        if !self.priorities.contains_key(&stream) || self.rng.below(CHANGE) == 0 {
            let priority = self.rng.next();
            self.priorities.insert(stream, priority);
        }
    }

    fn priority(&self, stream: u64) -> u64 {
        self.priorities.get(&stream).copied().unwrap_or(0)
    }

    /// A random number of bytes for the next piece of a copy, at most `most`.
    fn piece(&mut self, most: usize) -> usize {
        let shift = self.rng.below(21);
        usize::try_from(self.rng.below(1 << shift) + 1).unwrap_or(most).min(most)
    }
}

impl Queue {
    /// What the thread of `lane` should do now.
    pub(crate) fn choose(&self, lane: Lane) -> Choice {
        let Some(adversary) = &self.adversary else {
            return self.ready[lane.index()].first().map_or(Choice::StepAll, |&id| Choice::Start(id));
        };
        let quiet = adversary.touched.elapsed();
        if adversary.budget == 0 && !adversary.demanded && quiet < PATIENCE {
            return Choice::Pause(PATIENCE - quiet);
        }
        match self.top(adversary) {
            Some((id, its_lane, true)) if its_lane == lane => Choice::Start(id),
            Some((id, its_lane, false)) if its_lane == lane => Choice::Step(id),
            _ => Choice::Yield,
        }
    }

    /// The operation that may move: of those that are ready, and those that run and do not yield, the one of highest
    /// priority. With its lane, and whether it is to be started.
    fn top(&self, adversary: &Adversary) -> Option<(OpId, Lane, bool)> {
        let ready = self.ready.iter().flatten().filter_map(|id| Some((*id, self.ops.get(id)?)));
        let ready = ready.map(|(id, op)| (op.stream, id, op.lane, true));
        let moving = self.running.iter().filter(|(_, running)| !running.yielding);
        let moving = moving.map(|(id, running)| (running.stream, *id, running.lane, false));
        let key =
            |&(stream, id, ..): &(u64, OpId, Lane, bool)| (adversary.priority(stream), std::cmp::Reverse(id));
        ready.chain(moving).max_by_key(key).map(|(_, id, lane, start)| (id, lane, start))
    }

    /// Bytes that a copy should move in its next turn. Without an adversary, a copy is not interrupted.
    pub(crate) fn piece(&mut self, most: usize) -> Option<usize> {
        self.adversary.as_mut().map(|adversary| adversary.piece(most))
    }

    /// Whether the schedule is adversarial: then what one device does decides what others may do.
    pub(crate) fn is_adversarial(&self) -> bool {
        self.adversary.is_some()
    }

    /// A thread of the program waits: all that it may need can move until the next operation ends.
    pub(crate) fn demand(&mut self) {
        if let Some(adversary) = &mut self.adversary {
            adversary.touched = Instant::now();
            adversary.demanded = true;
        }
    }

    /// No thread waits, as far as is known.
    pub(crate) fn demand_ends(&mut self) {
        if let Some(adversary) = &mut self.adversary {
            adversary.settle();
        }
    }

    /// The program asked whether something is done, and it was not.
    pub(crate) fn pressed(&mut self) {
        if let Some(adversary) = &mut self.adversary {
            adversary.touched = Instant::now();
            adversary.budget += 1 + adversary.rng.below(8);
        }
    }

    /// Whether turns are granted that some operation can still take. Grants that none can take are dropped.
    pub(crate) fn turns_left(&mut self) -> bool {
        let stalled = self.adversary.as_ref().is_none_or(|adversary| self.top(adversary).is_none());
        match &mut self.adversary {
            Some(adversary) if stalled => {
                adversary.budget = 0;
                false
            }
            Some(adversary) => adversary.budget > 0 && !adversary.demanded,
            None => false,
        }
    }
}
