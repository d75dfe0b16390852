//! What goes wrong, in a word.

use serde::Serialize;

use super::diagnosis::Kind;
use super::report::{Range, StepOutcome, StepReport};

/// What went wrong in a step, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Trouble {
    /// What was there before is still there.
    Dropped,
    /// Dropped to the owner, and the accessor reads back what it wrote.
    Mirrored,
    /// Bytes of an earlier step.
    Stale,
    /// Right bytes in the wrong place.
    Shifted,
    /// Single bits are wrong.
    Flipped,
    /// Bytes of no known origin.
    Unknown,
    /// Bytes that nobody was to write were written.
    Touched,
    /// A flag never came.
    FlagMissed,
    /// A call failed.
    Failed,
    /// A step fell silent past the deadline.
    Hung,
    /// The process died.
    Died,
}

impl Trouble {
    /// Whether every call succeeded, and data was wrong.
    pub(super) fn is_wrong_data(self) -> bool {
        !matches!(self, Self::Failed | Self::Hung | Self::Died)
    }

    /// In a word or two.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::Mirrored => "mirrored",
            Self::Stale => "stale",
            Self::Shifted => "shifted",
            Self::Flipped => "flipped",
            Self::Unknown => "unknown",
            Self::Touched => "touched",
            Self::FlagMissed => "flag missed",
            Self::Failed => "failed",
            Self::Hung => "hung",
            Self::Died => "died",
        }
    }

    /// The kinds of trouble of a step, each once.
    pub(super) fn of(step: &StepReport) -> Vec<Self> {
        let findings = match &step.outcome {
            StepOutcome::Wrong { findings, .. } if findings.is_empty() => return vec![Self::FlagMissed],
            StepOutcome::Wrong { findings, .. } => findings,
            StepOutcome::Failed { .. } => return vec![Self::Failed],
            _ => return Vec::new(),
        };
        let mut troubles: Vec<Self> = findings
            .iter()
            .map(|finding| match (finding.range, finding.kind) {
                (Range::Destination, Some(Kind::Dropped)) => Self::Dropped,
                (Range::Destination, Some(Kind::Mirrored)) => Self::Mirrored,
                (Range::Destination, Some(Kind::Stale)) => Self::Stale,
                (Range::Destination, Some(Kind::Shifted { .. })) => Self::Shifted,
                (Range::Destination, Some(Kind::Flipped)) => Self::Flipped,
                (Range::Destination, Some(Kind::Unknown) | None) => Self::Unknown,
                _ => Self::Touched,
            })
            .collect();
        troubles.sort_unstable();
        troubles.dedup();
        troubles
    }
}
