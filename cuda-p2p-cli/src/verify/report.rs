//! What `verify` found. Everything in base units: bytes, ordinals, counts.

use serde::{Deserialize, Serialize};

use super::cases::Case;
use super::diagnosis::Kind;
use super::path::Path;
use super::step::Step;
use super::verdict::{Asked, Verdict};
use crate::child::{Ending, Outcome};
use crate::options::OrderedPair;
use crate::topo::Machine;

/// Version of the JSON's shape. A field that goes, or changes its meaning, makes a new one.
const SCHEMA: &str = "cuda-p2p.verify/1";

/// What `verify` found, as `--json` prints it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// Name and version of this shape.
    pub(crate) schema: &'static str,
    /// Version of the command.
    pub(crate) version: &'static str,
    /// The machine, and what its runtime says of each pair.
    pub(crate) machine: Machine,
    /// Seed of the random data; `--seed` with it moves the same bytes again.
    pub(crate) seed: u64,
    /// Sizes that were moved, in bytes.
    pub(crate) sizes: Vec<u64>,
    /// The paths that were to be proven.
    pub(crate) paths: Vec<Path>,
    /// Every ordered pair that was to be verified.
    pub(crate) pairs: Vec<PairReport>,
    /// What it comes to.
    pub(crate) verdict: Verdict,
}

impl Report {
    /// Adds the verdict to what was found.
    pub(crate) fn new(machine: Machine, asked: &Asked, pairs: Vec<PairReport>) -> Self {
        let outcomes: Vec<PairOutcome> = pairs.iter().map(|pair| pair.outcome).collect();
        let skipped = pairs.iter().map(|pair| pair.skipped().count()).sum();
        let verdict = Verdict::of(&outcomes, skipped, asked);
        let Asked { seed, sizes, paths, .. } = asked.clone();
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            machine,
            seed,
            sizes,
            paths,
            pairs,
            verdict,
        }
    }
}

/// What came of one ordered pair.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PairReport {
    /// Accessor and owner.
    #[serde(flatten)]
    pub(crate) pair: OrderedPair,
    /// In one word.
    pub(crate) outcome: PairOutcome,
    /// Each step that was begun, in order.
    pub(crate) steps: Vec<StepReport>,
    /// Steps of which some move never began.
    pub(crate) not_run: Vec<Step>,
    /// How the process that ran them ended; absent if there was nothing to run.
    pub(crate) ending: Option<Ending>,
    /// The end of what that process wrote to standard output and error, if it did not end well.
    pub(crate) complaint: Option<String>,
}

/// What came of one ordered pair, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PairOutcome {
    /// Every step passed.
    Proven,
    /// A byte was wrong.
    WrongData,
    /// A call failed, or a step hung or died.
    Failed,
    /// The runtime says that there is no access.
    Unreachable,
    /// None of the paths that were asked for can be had.
    Untested,
}

/// One step, for one size if it moves data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StepReport {
    /// Which step.
    pub(crate) step: Step,
    /// Bytes that it moved, if it moves data.
    pub(crate) bytes: Option<u64>,
    /// Distance of the data from a 256-byte boundary, in bytes: at the source, then at the destination.
    pub(crate) offsets: Option<(u64, u64)>,
    /// The path that a copy took, in the library's words.
    pub(crate) path: Option<String>,
    /// What came of it.
    #[serde(flatten)]
    pub(crate) outcome: StepOutcome,
}

impl StepReport {
    /// A step that has not ended.
    pub(super) fn unfinished(step: Step, case: Option<Case>) -> Self {
        Self {
            step,
            bytes: case.map(|case| case.bytes as u64),
            offsets: case.map(|case| (case.source_offset as u64, case.destination_offset as u64)),
            path: None,
            outcome: StepOutcome::Unfinished,
        }
    }

    /// Whether it is as it should be, as far as it can be here.
    fn is_fine(&self) -> bool {
        match self.outcome {
            StepOutcome::Passed => true,
            StepOutcome::Skipped { .. } => self.step.may_be_skipped(),
            _ => false,
        }
    }

    /// Whether both are about the same move, whatever came of it.
    pub(super) fn is_about(&self, other: &Self) -> bool {
        (self.step, self.bytes, self.offsets) == (other.step, other.bytes, other.offsets)
    }
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub(crate) enum StepOutcome {
    /// As it should be.
    Passed,
    /// Bytes are not as they should be.
    Wrong {
        /// Where, and how.
        findings: Vec<Finding>,
        /// What else there is to say, e.g. which flag never came.
        note: Option<String>,
    },
    /// A call failed.
    Failed {
        /// What the library says.
        error: String,
    },
    /// What the path needs cannot be had here, so that none of its other steps ran.
    Skipped {
        /// What the library says.
        reason: String,
    },
    /// It was begun and never ended, since its process hung or died.
    Unfinished,
}

/// Wrong bytes in one range of one device's memory, as that device sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Finding {
    /// The device whose memory it is.
    pub(crate) device: u32,
    /// Which range.
    pub(crate) range: Range,
    /// Bytes of that range.
    pub(crate) bytes: u64,
    /// How many of them are wrong.
    pub(crate) wrong: u64,
    /// Offset of the first wrong one in the range.
    pub(crate) first: u64,
    /// What it should be.
    pub(crate) expected: u8,
    /// What it is.
    pub(crate) got: u8,
    /// What became of the data; nothing for bytes that nobody was to write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<Kind>,
}

/// A range of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Range {
    /// What was to arrive.
    Destination,
    /// What was to be read, and left as it was.
    Source,
    /// The bytes in front of one of the two, which nobody may touch.
    CanaryBefore,
    /// The bytes behind one of the two, which nobody may touch.
    CanaryAfter,
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Destination => "destination",
            Self::Source => "source",
            Self::CanaryBefore => "bytes in front of the data",
            Self::CanaryAfter => "bytes behind the data",
        })
    }
}

impl PairReport {
    /// A pair that the runtime says has no access.
    pub(crate) fn unreachable(pair: OrderedPair) -> Self {
        Self {
            pair,
            outcome: PairOutcome::Unreachable,
            steps: Vec::new(),
            not_run: Vec::new(),
            ending: None,
            complaint: None,
        }
    }

    /// What a process that ended so makes of the steps that it reported. Proven takes all that were `due`, in that order.
    pub(crate) fn concluded(
        pair: OrderedPair,
        steps: Vec<StepReport>,
        due: &[StepReport],
        Outcome { ending, complaint }: Outcome,
    ) -> Self {
        let wrong = steps.iter().any(|step| matches!(step.outcome, StepOutcome::Wrong { .. }));
        let fine = |(due, done): (&StepReport, &StepReport)| done.is_about(due) && done.is_fine();
        let complete = steps.len() == due.len() && due.iter().zip(&steps).all(fine);
        let proves = |step: &StepReport| step.step.path().is_some() && step.outcome == StepOutcome::Passed;
        let outcome = if wrong {
            PairOutcome::WrongData
        } else if !complete || due.is_empty() || ending != Ending::Done {
            PairOutcome::Failed
        } else if steps.iter().any(proves) {
            PairOutcome::Proven
        } else {
            PairOutcome::Untested
        };
        let ran = |due: &StepReport| steps.iter().any(|done| done.is_about(due));
        let mut not_run: Vec<Step> = due.iter().filter(|due| !ran(due)).map(|due| due.step).collect();
        not_run.dedup();
        let complaint = (ending != Ending::Done && !complaint.is_empty()).then_some(complaint);
        Self { pair, outcome, steps, not_run, ending: Some(ending), complaint }
    }

    /// The paths that could not be had, and why.
    pub(crate) fn skipped(&self) -> impl Iterator<Item = (Path, &str)> {
        self.steps.iter().filter_map(|step| match &step.outcome {
            StepOutcome::Skipped { reason } => Some((step.step.path()?, reason.as_str())),
            _ => None,
        })
    }
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
