//! The proof: for each ordered pair, that the accessor really reads and writes the owner's memory.
//!
//! A path is never checked by itself. What arrives in a device's memory is checked by that device, since a write and a read
//! back through the same broken window agree with each other while the owner sees nothing of it.

mod cases;
mod course;
mod diagnosis;
mod flags;
mod guarded;
mod kernels;
pub(crate) mod pattern;
mod record;
mod report;
mod sample;
mod step;
mod steps;

use serde::{Deserialize, Serialize};

use crate::error::{CliError, UsageError};
use crate::options::{MachineChoice, MachineOptions, OrderedPair, VerifyOptions};
use crate::output::Progress;
use crate::topo::Machine;
use crate::worker::{Message, Work, delegate};

use course::Course;
pub(crate) use diagnosis::Kind;
pub(crate) use report::{Finding, PairOutcome, PairReport, Range, Report, StepOutcome, StepReport};
pub(crate) use step::Step;
pub(crate) use steps::prove;

/// What one child proves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PairJob {
    /// Accessor and owner.
    pub(crate) pair: OrderedPair,
    /// Sizes to move, in bytes.
    pub(crate) sizes: Vec<u64>,
    /// Seed of the data.
    pub(crate) seed: u64,
    /// Whether the machine was a simulated one when it was looked at: a real proof must not end on a simulated machine.
    pub(crate) simulated: bool,
}

/// What is to be done on a machine that is known by now.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Each ordered pair, and whether it has access.
    pairs: Vec<(OrderedPair, bool)>,
    /// Whether they were asked for by name, so that each has to be proven.
    named: bool,
    sizes: Vec<u64>,
    seed: u64,
}

impl Plan {
    /// Joins what was asked for with what there is.
    ///
    /// # Errors
    /// A pair was asked for that names a device that is not there.
    pub(crate) fn new(machine: &Machine, options: VerifyOptions) -> Result<Self, UsageError> {
        let count = machine.devices.len();
        let named = options.pairs.is_some();
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
        Ok(Self { pairs, named, sizes: options.sizes, seed })
    }

    /// How many steps that is, for the progress bar.
    pub(crate) fn step_count(&self) -> usize {
        self.pairs.iter().filter(|(_, can_access)| *can_access).count() * self.steps_per_pair()
    }

    fn steps_per_pair(&self) -> usize {
        course::due(&self.sizes, self.seed).len()
    }
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
    // Found real devices are used or reported missing: never replaced by simulated ones between two pairs.
    let choice = if machine.simulated { &options.machine } else { &MachineChoice::Real };
    let mut pairs = Vec::new();
    for (pair, can_access) in &plan.pairs {
        pairs.push(if *can_access {
            let job = PairJob {
                pair: *pair,
                sizes: plan.sizes.clone(),
                seed: plan.seed,
                simulated: machine.simulated,
            };
            run_pair(job, choice, plan, options, progress)?
        } else {
            PairReport::unreachable(*pair)
        });
    }
    Ok(Report::new(machine, plan.seed, plan.sizes.clone(), pairs, plan.named))
}

fn run_pair(
    job: PairJob,
    choice: &MachineChoice,
    plan: &Plan,
    options: &MachineOptions,
    progress: &Progress,
) -> Result<PairReport, CliError> {
    let pair = job.pair;
    let mut course = Course::new(course::due(&plan.sizes, plan.seed));
    let outcome = delegate(choice, &Work::Pair(job), options.deadline, |message| {
        match &message {
            Message::Began(step) => progress.begin(format!("{pair}: {}", step.step)),
            Message::Ended(_) => progress.advance(1),
            _ => {}
        }
        course.hear(message)
    })?;
    progress.advance(plan.steps_per_pair().saturating_sub(course.ended()));
    Ok(course.concluded(pair, outcome))
}
