//! What `verify` found. Everything in base units: bytes, ordinals, counts.

use serde::{Deserialize, Serialize};

use super::step::Step;
use crate::child::Ending;
use crate::exit::Exit;
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
    /// Every ordered pair that was to be verified.
    pub(crate) pairs: Vec<PairReport>,
    /// What it comes to.
    pub(crate) verdict: Verdict,
}

impl Report {
    /// Adds the verdict to what was found.
    pub(crate) fn new(machine: Machine, seed: u64, sizes: Vec<u64>, pairs: Vec<PairReport>) -> Self {
        let verdict = Verdict::of(&pairs);
        Self { schema: SCHEMA, version: env!("CARGO_PKG_VERSION"), machine, seed, sizes, pairs, verdict }
    }
}

/// What it comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Verdict {
    /// Ordered pairs on which every step passed.
    pub(crate) proven: usize,
    /// Ordered pairs on which a byte was wrong.
    pub(crate) wrong: usize,
    /// Ordered pairs on which a call failed, or a step hung or died.
    pub(crate) failed: usize,
    /// Ordered pairs without access, according to the runtime.
    pub(crate) unreachable: usize,
    /// The exit status, by name.
    pub(crate) exit: Exit,
    /// The exit status, by number.
    pub(crate) exit_status: u8,
}

impl Verdict {
    /// Counts the pairs.
    fn of(pairs: &[PairReport]) -> Self {
        let count = |outcome: PairOutcome| pairs.iter().filter(|pair| pair.outcome == outcome).count();
        let proven = count(PairOutcome::Proven);
        let wrong = count(PairOutcome::WrongData);
        let failed = count(PairOutcome::Failed);
        let exit = match (wrong, failed, proven) {
            (1.., _, _) => Exit::WrongData,
            (0, 1.., _) => Exit::CudaFailed,
            (0, 0, 0) => Exit::NothingToTest,
            (0, 0, 1..) => Exit::Proven,
        };
        let unreachable = count(PairOutcome::Unreachable);
        Self { proven, wrong, failed, unreachable, exit, exit_status: exit.status() }
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
    /// How the process that ran them ended; absent if there was nothing to run.
    pub(crate) ending: Option<Ending>,
    /// The end of what that process wrote to standard error, if it did not end well.
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
        Self { pair, outcome: PairOutcome::Unreachable, steps: Vec::new(), ending: None, complaint: None }
    }

    /// What a process that ended so makes of the steps that it reported.
    pub(crate) fn concluded(
        pair: OrderedPair,
        steps: Vec<StepReport>,
        ending: Ending,
        complaint: String,
    ) -> Self {
        let any = |test: fn(&StepOutcome) -> bool| steps.iter().any(|step| test(&step.outcome));
        let outcome = if any(|outcome| matches!(outcome, StepOutcome::Wrong { .. })) {
            PairOutcome::WrongData
        } else if ending == Ending::Done
            && steps.iter().all(|step| step.outcome == StepOutcome::Passed)
            && Step::ALL.iter().all(|step| steps.iter().any(|done| done.step == *step))
        {
            PairOutcome::Proven
        } else {
            PairOutcome::Failed
        };
        let complaint = (ending != Ending::Done && !complaint.is_empty()).then_some(complaint);
        Self { pair, outcome, steps, ending: Some(ending), complaint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: OrderedPair = OrderedPair { accessor: 0, owner: 1 };

    fn passed(step: Step) -> StepReport {
        StepReport { step, bytes: None, offsets: None, path: None, outcome: StepOutcome::Passed }
    }

    fn all_passed() -> Vec<StepReport> {
        Step::ALL.map(passed).to_vec()
    }

    fn outcome(steps: Vec<StepReport>, ending: Ending) -> PairOutcome {
        PairReport::concluded(PAIR, steps, ending, String::new()).outcome
    }

    #[test]
    fn proven_takes_every_step() {
        assert_eq!(outcome(all_passed(), Ending::Done), PairOutcome::Proven);
        for missing in Step::ALL {
            let steps = all_passed().into_iter().filter(|step| step.step != missing).collect();
            assert_eq!(outcome(steps, Ending::Done), PairOutcome::Failed, "without {missing}");
        }
    }

    #[test]
    fn a_process_that_did_not_end_well_proves_nothing() {
        assert_eq!(outcome(all_passed(), Ending::Killed { signal: 11 }), PairOutcome::Failed);
        assert_eq!(outcome(all_passed(), Ending::Hung { deadline_ms: 1, gone: true }), PairOutcome::Failed);
    }

    #[test]
    fn wrong_data_outranks_failures() {
        let mut steps = all_passed();
        steps[3].outcome = StepOutcome::Wrong { findings: Vec::new(), note: None };
        steps[4].outcome = StepOutcome::Failed { error: "700".to_owned() };
        assert_eq!(outcome(steps, Ending::Killed { signal: 9 }), PairOutcome::WrongData);
    }

    #[test]
    fn the_exit_status_follows_the_worst_pair() {
        let proven = PairReport::concluded(PAIR, all_passed(), Ending::Done, String::new());
        let unreachable = PairReport::unreachable(PAIR);
        let failed = PairReport::concluded(PAIR, Vec::new(), Ending::Done, String::new());
        let exit = |pairs: &[&PairReport]| {
            Verdict::of(&pairs.iter().map(|&pair| pair.clone()).collect::<Vec<_>>()).exit
        };
        assert_eq!(exit(&[]), Exit::NothingToTest);
        assert_eq!(exit(&[&unreachable]), Exit::NothingToTest);
        assert_eq!(exit(&[&unreachable, &proven]), Exit::Proven);
        assert_eq!(exit(&[&proven, &failed]), Exit::CudaFailed);
    }
}
