//! What a soak counts.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::PairJob;
use super::path::Path;
use super::report::{PairOutcome, StepOutcome, StepReport};
use super::trouble::Trouble;
use crate::child::Ending;
use crate::options::OrderedPair;

/// Length of the buckets that errors are counted in, beside the total.
pub(super) const BUCKET: Duration = Duration::from_secs(60);

/// The first error of a path: when, and where.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FirstError {
    /// Milliseconds from the start of the soak.
    pub(crate) at_ms: u64,
    /// Number of the round.
    pub(crate) round: u64,
    /// Seed and sizes of the round: `--pairs`, `--seed` and `--sizes` with them move the same bytes again.
    pub(crate) seed: u64,
    /// See `seed`.
    pub(crate) sizes: Vec<u64>,
    /// The step, if one had begun.
    pub(crate) step: Option<StepReport>,
    /// How the process ended, if that was the error.
    pub(crate) ending: Option<Ending>,
}

/// What was counted of one path, or of what several need.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Tally {
    /// Rounds in which all its steps ended.
    pub(crate) rounds: u64,
    /// Moves that ended; in a graph one with all its replays.
    pub(crate) moves: u64,
    /// Bytes that they moved, those of one replay in a graph.
    pub(crate) bytes: u64,
    /// Why it could not be had, if so.
    pub(crate) skipped: Option<String>,
    /// Errors by kind. Several of one kind in one step count once.
    pub(crate) errors: BTreeMap<Trouble, u64>,
    /// The first one.
    pub(crate) first_error: Option<FirstError>,
    /// Errors in each minute from the start on.
    pub(crate) errors_per_bucket: Vec<u64>,
}

impl Tally {
    /// All errors.
    pub(crate) fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Adds the counts of another pair's.
    pub(crate) fn add_all(&mut self, other: &Self) {
        self.rounds += other.rounds;
        self.moves += other.moves;
        self.bytes += other.bytes;
        for (trouble, count) in &other.errors {
            *self.errors.entry(*trouble).or_default() += count;
        }
    }

    fn add(&mut self, trouble: Trouble, at: Duration, first: impl FnOnce() -> FirstError) {
        *self.errors.entry(trouble).or_default() += 1;
        let bucket = usize::try_from(at.as_millis() / BUCKET.as_millis()).unwrap_or(usize::MAX);
        if self.errors_per_bucket.len() <= bucket {
            self.errors_per_bucket.resize(bucket + 1, 0);
        }
        self.errors_per_bucket[bucket] += 1;
        self.first_error.get_or_insert_with(first);
    }
}

/// What was counted of a path.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PathTally {
    /// Which.
    pub(crate) path: Path,
    /// What.
    #[serde(flatten)]
    pub(crate) tally: Tally,
}

/// What was counted of one ordered pair.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PairTally {
    /// Accessor and owner.
    #[serde(flatten)]
    pub(crate) pair: OrderedPair,
    /// In one word.
    pub(crate) outcome: PairOutcome,
    /// Processes that worked on it, one after the other.
    pub(crate) turns: u64,
    /// Rounds that came to their end.
    pub(crate) rounds: u64,
    /// What all paths need: opening, asking, enabling, disabling.
    pub(crate) setup: Tally,
    /// The paths.
    pub(crate) paths: Vec<PathTally>,
    #[serde(skip)]
    pub(super) next_round: u64,
}

impl PairTally {
    /// What the tally is called of what several paths need.
    pub(crate) const SETUP: &'static str = "set-up";

    /// Nothing was counted yet.
    pub(crate) fn new(pair: OrderedPair, paths: &[Path]) -> Self {
        Self {
            pair,
            outcome: PairOutcome::Untested,
            turns: 0,
            rounds: 0,
            setup: Tally::default(),
            paths: paths.iter().map(|path| PathTally { path: *path, tally: Tally::default() }).collect(),
            next_round: 0,
        }
    }

    /// Each with the name of its path; what several paths need last.
    pub(crate) fn tallies(&self) -> impl Iterator<Item = (&'static str, &Tally)> {
        let paths = self.paths.iter().map(|path| (path.path.name(), &path.tally));
        paths.chain(std::iter::once((Self::SETUP, &self.setup)))
    }

    fn tally_of(&mut self, step: Option<&StepReport>) -> &mut Tally {
        let path = step.and_then(|step| step.step.path());
        let place = self.paths.iter().position(|tally| Some(tally.path) == path);
        match place {
            Some(place) => &mut self.paths[place].tally,
            None => &mut self.setup,
        }
    }

    /// Counts a step that has ended; `last` says whether it is the last of its path in this round.
    pub(super) fn note(&mut self, round: &PairJob, step: &StepReport, at: Duration, last: bool) {
        let number = self.next_round.saturating_sub(1);
        let tally = self.tally_of(Some(step));
        match &step.outcome {
            StepOutcome::Skipped { reason } => {
                tally.skipped.get_or_insert_with(|| reason.clone());
                return;
            }
            StepOutcome::Passed | StepOutcome::Wrong { .. } => {
                tally.rounds += u64::from(last);
                if let Some(bytes) = step.bytes {
                    tally.moves += 1;
                    tally.bytes += bytes;
                }
            }
            StepOutcome::Failed { .. } | StepOutcome::Unfinished => {}
        }
        for trouble in Trouble::of(step) {
            tally.add(trouble, at, || FirstError {
                at_ms: milliseconds(at),
                round: number,
                seed: round.seed,
                sizes: round.sizes.clone(),
                step: Some(step.clone()),
                ending: None,
            });
        }
    }

    /// Counts that the process ended so, while `step` was under way, if one was.
    pub(super) fn note_end(
        &mut self,
        round: &PairJob,
        step: Option<&StepReport>,
        ending: Ending,
        at: Duration,
    ) {
        let trouble = if matches!(ending, Ending::Hung { .. }) { Trouble::Hung } else { Trouble::Died };
        let number = self.next_round.saturating_sub(1);
        self.tally_of(step).add(trouble, at, || FirstError {
            at_ms: milliseconds(at),
            round: number,
            seed: round.seed,
            sizes: round.sizes.clone(),
            step: step.cloned(),
            ending: Some(ending),
        });
    }

    /// What it comes to, after so long.
    pub(super) fn conclude(&mut self, took: Duration) {
        let buckets = took.as_millis().div_ceil(BUCKET.as_millis()).max(1);
        let buckets = usize::try_from(buckets).unwrap_or(usize::MAX);
        let mut all: Vec<&mut Tally> = self.paths.iter_mut().map(|path| &mut path.tally).collect();
        all.push(&mut self.setup);
        let mut troubles = Vec::new();
        for tally in all {
            let length = tally.errors_per_bucket.len().max(buckets);
            tally.errors_per_bucket.resize(length, 0);
            troubles.extend(tally.errors.keys().copied());
        }
        let proven = self.paths.iter().any(|path| path.tally.rounds > 0);
        self.outcome = if troubles.iter().any(|trouble| trouble.is_wrong_data()) {
            PairOutcome::WrongData
        } else if !troubles.is_empty() {
            PairOutcome::Failed
        } else if proven && self.rounds > 0 {
            PairOutcome::Proven
        } else {
            PairOutcome::Untested
        };
    }
}

/// Milliseconds, as the report has them.
pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "tally_tests.rs"]
mod tests;
