//! What the CUDA runtime tells, and what came of trying.

use serde::{Deserialize, Serialize};

use crate::child::Ending;
use crate::options::OrderedPair;
use crate::topo::Machine;
use crate::verify::{Finding, Kind, PairOutcome, PairReport, Range, Step, StepOutcome};

/// What the CUDA runtime tells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct CudaFacts {
    /// The machine as `topo` shows it; absent if the runtime would not start.
    pub(crate) machine: Option<Machine>,
    /// Why it would not start.
    pub(crate) failure: Option<Failure>,
    /// What came of trying each ordered pair with access.
    pub(crate) trials: Vec<Trial>,
    /// Why no pair was tried, if so.
    pub(crate) untried_because: Option<String>,
}

/// Why something failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// CUDA's name of the code, e.g. "cudaErrorSystemNotReady", if there was one.
    pub(crate) name: Option<String>,
    /// What the library says.
    pub(crate) text: String,
}

impl Failure {
    /// A failure that is told of in `text`, where this project's errors name the code.
    pub(crate) fn of(text: &str) -> Self {
        let word = |start: usize| {
            let end = text[start..].find(|c: char| !c.is_ascii_alphanumeric());
            text[start..end.map_or(text.len(), |end| start + end)].to_owned()
        };
        // This one is told of by what it takes, without the code's name.
        let old_driver =
            text.contains("needs a driver of CUDA").then(|| "cudaErrorInsufficientDriver".to_owned());
        let name = text.find("cudaError").map(word).or(old_driver);
        Self { name, text: text.to_owned() }
    }

    /// What the library says, without the list of what was tried.
    pub(crate) fn first_line(&self) -> &str {
        let first = self.text.lines().next().unwrap_or_default();
        first.strip_suffix(". Tried:").unwrap_or(first)
    }

    /// Whether it is the code of this name.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.as_deref() == Some(name)
    }
}

/// What came of trying one ordered pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trial {
    /// Accessor and owner.
    #[serde(flatten)]
    pub(crate) pair: OrderedPair,
    /// What came of it.
    #[serde(flatten)]
    pub(crate) outcome: TrialOutcome,
}

/// What came of trying one ordered pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub(crate) enum TrialOutcome {
    /// Every byte arrived.
    Proven,
    /// Every call succeeded, and bytes were wrong in these steps.
    Wrong {
        /// The steps.
        steps: Vec<Step>,
        /// How many bytes did not arrive as they were sent, of all that these steps moved where one was wrong.
        wrong_bytes: u64,
        /// How many these steps moved there.
        moved_bytes: u64,
        /// What became of them, each kind once.
        kinds: Vec<Kind>,
    },
    /// A call failed.
    Failed {
        /// In this step.
        step: Step,
        /// Why.
        failure: Failure,
    },
    /// It fell silent, and was killed.
    Hung {
        /// In this step; absent if none had begun.
        step: Option<Step>,
    },
    /// Its process died.
    Died {
        /// In this step; absent if none had begun.
        step: Option<Step>,
        /// How, in words.
        how: String,
    },
}

impl Trial {
    /// What `verify` says of a pair; `None` for one without access, which is not tried.
    pub(crate) fn of(report: &PairReport) -> Option<Self> {
        let unfinished = report.steps.iter().find(|step| step.outcome == StepOutcome::Unfinished);
        let unfinished = unfinished.map(|step| step.step);
        let failed = report.steps.iter().find_map(|step| match &step.outcome {
            StepOutcome::Failed { error } => Some((step.step, error)),
            _ => None,
        });
        let outcome = match (report.outcome, &report.ending) {
            (PairOutcome::Unreachable | PairOutcome::Untested, _) => return None,
            (PairOutcome::Proven, _) => TrialOutcome::Proven,
            (PairOutcome::WrongData, _) => {
                let wrong =
                    report.steps.iter().filter(|step| matches!(step.outcome, StepOutcome::Wrong { .. }));
                let mut steps: Vec<Step> = wrong.map(|step| step.step).collect();
                steps.dedup();
                let findings = report.steps.iter().filter_map(|step| match &step.outcome {
                    StepOutcome::Wrong { findings, .. } => Some(findings),
                    _ => None,
                });
                let arrived: Vec<&Finding> =
                    findings.flatten().filter(|finding| finding.range == Range::Destination).collect();
                let mut kinds: Vec<Kind> = Vec::new();
                for kind in arrived.iter().filter_map(|finding| finding.kind) {
                    if !kinds.contains(&kind) {
                        kinds.push(kind);
                    }
                }
                TrialOutcome::Wrong {
                    steps,
                    wrong_bytes: arrived.iter().map(|finding| finding.wrong).sum(),
                    moved_bytes: arrived.iter().map(|finding| finding.bytes).sum(),
                    kinds,
                }
            }
            (PairOutcome::Failed, Some(Ending::Hung { .. })) => TrialOutcome::Hung { step: unfinished },
            (PairOutcome::Failed, ending) => match (failed, ending) {
                (Some((step, error)), _) => TrialOutcome::Failed { step, failure: Failure::of(error) },
                (None, ending) => TrialOutcome::Died {
                    step: unfinished,
                    how: ending.as_ref().map(Ending::to_string).unwrap_or_default(),
                },
            },
        };
        Some(Self { pair: report.pair, outcome })
    }
}

/// Measured speeds of one ordered pair, in bytes a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PairSpeed {
    /// Accessor and owner.
    #[serde(flatten)]
    pub(crate) pair: OrderedPair,
    /// With peer access.
    pub(crate) direct: f64,
    /// Through the host.
    pub(crate) staged: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_found_in_what_the_library_says() {
        let text =
            "cudaDeviceEnablePeerAccess on device 0 failed with 802 (cudaErrorSystemNotReady): not yet";
        assert!(Failure::of(text).is("cudaErrorSystemNotReady"));
        assert!(
            Failure::of("limit of peers (cudaErrorTooManyPeers, 711; eight)").is("cudaErrorTooManyPeers")
        );
        assert_eq!(Failure::of("no answer").name, None);
        let needs = cuda_p2p::Version { major: 13, minor: 0 };
        let driver = cuda_p2p::Version { major: 12, minor: 8 };
        let old = cuda_p2p::Error::DriverTooOld { call: "cudaGetDevice", needs, driver, code: Some(35) };
        assert!(Failure::of(&old.to_string()).is("cudaErrorInsufficientDriver"));
    }
}
