//! The proof: for each ordered pair, that the accessor really reads and writes the owner's memory.
//!
//! A path is never checked by itself. What arrives in a device's memory is checked by that device, since a write and a read
//! back through the same broken window agree with each other while the owner sees nothing of it.

mod borrowed;
mod cases;
mod course;
mod diagnosis;
mod flags;
mod guarded;
mod kernels;
mod lend;
mod memory;
mod path;
pub(crate) mod pattern;
mod record;
mod report;
mod sample;
mod soak;
mod step;
mod steps;
mod tally;
mod transfer;
mod trouble;
mod verdict;
mod wire;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{CliError, UsageError};
use crate::options::{MachineChoice, MachineOptions, OrderedPair, VerifyOptions};
use crate::output::Progress;
use crate::topo::Machine;
use crate::worker::{Message, Work, delegate};

use course::Course;
pub(crate) use diagnosis::Kind;
pub(crate) use lend::{LendJob, lend};
pub(crate) use path::Path;
use pattern::Pattern;
pub(crate) use report::{Finding, PairOutcome, PairReport, Range, Report, StepOutcome, StepReport};
pub(crate) use soak::{SoakReport, soak};
pub(crate) use step::Step;
pub(crate) use steps::prove;
pub(crate) use tally::{FirstError, PairTally, Tally};
pub(crate) use trouble::Trouble;
pub(crate) use verdict::{Asked, Verdict};

/// What one child proves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PairJob {
    /// Accessor and owner.
    pub(crate) pair: OrderedPair,
    /// The paths.
    pub(crate) paths: Vec<Path>,
    /// Sizes to move, in bytes; in a soak, bounds of those that are drawn.
    pub(crate) sizes: Vec<u64>,
    /// Seed of the data.
    pub(crate) seed: u64,
    /// Whether the machine was a simulated one when it was looked at: a real proof must not end on a simulated machine.
    pub(crate) simulated: bool,
    /// In a soak: this turn of the pair.
    pub(crate) turn: Option<Turn>,
}

/// A pair's turn in a soak.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Turn {
    /// Number of its first round, counted over all turns of the pair.
    pub(crate) first_round: u64,
    /// No round begins after so long.
    pub(crate) time_ms: u64,
}

impl Turn {
    fn time(self) -> Duration {
        Duration::from_millis(self.time_ms)
    }
}

impl PairJob {
    /// What one round of a soak proves: sizes and data of its own. The seed is as short as one that is drawn.
    fn of_round(&self, round: u64) -> Self {
        let OrderedPair { accessor, owner } = self.pair;
        let drawn = |which: u64| {
            Pattern::derived(self.seed, &[u64::from(accessor), u64::from(owner), round, which]).seed
        };
        Self {
            sizes: soak::sizes(&self.sizes, [drawn(1), drawn(2)]),
            seed: drawn(0) >> 32,
            turn: None,
            ..self.clone()
        }
    }

    fn due(&self) -> Vec<StepReport> {
        course::due(&self.paths, &self.sizes, self.seed)
    }
}

/// Sizes that are moved where none are asked for, in bytes.
const USUAL: [u64; 4] = [1, 4 << 10, 4097, 64 << 20];

/// The same on a simulated machine, whose threads are coroutines.
const USUAL_SIMULATED: [u64; 4] = [1, 4 << 10, 4097, 1 << 20];

/// What is to be done on a machine that is known by now.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Each ordered pair, and whether it has access.
    pairs: Vec<(OrderedPair, bool)>,
    asked: Asked,
}

impl Plan {
    /// Joins what was asked for with what there is.
    ///
    /// # Errors
    /// A pair was asked for that names a device that is not there.
    pub(crate) fn new(machine: &Machine, options: VerifyOptions) -> Result<Self, UsageError> {
        let count = machine.devices.len();
        let named_pairs = options.pairs.is_some();
        let pairs = match options.pairs {
            None => machine.pairs.iter().map(|info| (info.pair, info.can_access)).collect(),
            Some(pairs) => pairs
                .into_iter()
                .map(|pair| match machine.pair(pair) {
                    Some(info) => Ok((pair, info.can_access)),
                    None => Err(UsageError::NoSuchDevice { device: pair.accessor.max(pair.owner), count }),
                })
                .collect::<Result<_, _>>()?,
        };
        let seed = options.seed.unwrap_or_else(pattern::drawn_seed);
        let usual = if machine.simulated { &USUAL_SIMULATED } else { &USUAL };
        let sizes = options.sizes.unwrap_or_else(|| usual.to_vec());
        let named_paths = options.paths.is_some();
        let paths = options.paths.unwrap_or_else(|| Path::ALL.to_vec());
        let asked = Asked { seed, sizes, paths, named_pairs, named_paths };
        Ok(Self { pairs, asked })
    }

    /// How many steps that is, for the progress bar.
    pub(crate) fn step_count(&self) -> usize {
        let Asked { paths, sizes, seed, .. } = &self.asked;
        let each = course::due(paths, sizes, *seed).len();
        self.pairs.iter().filter(|(_, can_access)| *can_access).count() * each
    }

    fn job(&self, pair: OrderedPair, machine: &Machine) -> PairJob {
        let Asked { paths, sizes, seed, .. } = self.asked.clone();
        PairJob { pair, paths, sizes, seed, simulated: machine.simulated, turn: None }
    }
}

/// Found real devices are used or reported missing: never replaced by simulated ones between two pairs.
fn choice_for<'a>(machine: &Machine, options: &'a MachineOptions) -> &'a MachineChoice {
    if machine.simulated { &options.machine } else { &MachineChoice::Real }
}

/// Verifies one pair after the other, each in a child of its own.
///
/// One after the other, because pairs that share a device or a link would slow each other down past the deadline, and because
/// the one that broke is then the one that is named.
///
/// # Errors
/// A child could not be started. What a child could not do is part of the report.
pub(crate) fn run(
    machine: Machine,
    plan: &Plan,
    options: &MachineOptions,
    progress: &Progress,
) -> Result<Report, CliError> {
    let choice = choice_for(&machine, options);
    let mut pairs = Vec::new();
    for (pair, can_access) in &plan.pairs {
        pairs.push(if *can_access {
            run_pair(plan.job(*pair, &machine), choice, options, progress)?
        } else {
            PairReport::unreachable(*pair)
        });
    }
    Ok(Report::new(machine, &plan.asked, pairs))
}

fn run_pair(
    job: PairJob,
    choice: &MachineChoice,
    options: &MachineOptions,
    progress: &Progress,
) -> Result<PairReport, CliError> {
    let (pair, due) = (job.pair, job.due());
    let count = due.len();
    let mut course = Course::new(due);
    let outcome = delegate(choice, &Work::Pair(job), options.deadline, |message| {
        match &message {
            Message::Began(step) => progress.begin(format!("{pair}: {}", step.step)),
            Message::Ended(_) => progress.advance(1),
            _ => {}
        }
        course.hear(message)
    })?;
    progress.advance(count.saturating_sub(course.ended()));
    Ok(course.concluded(pair, outcome))
}
