//! Tells the parent what each step comes to, as it happens: what was begun and not ended is what a dead child died of.

use super::cases::Case;
use super::report::{Finding, StepOutcome, StepReport};
use super::step::Step;
use crate::machine::MachineError;
use crate::worker::{Message, Send};

/// Why a step did not pass.
#[derive(Debug)]
pub(super) enum Fault {
    /// A call failed.
    Failed(String),
    /// Bytes are not as they should be.
    Wrong {
        /// Where, and how.
        findings: Vec<Finding>,
        /// What else there is to say.
        note: Option<String>,
    },
    /// What is needed cannot be had here.
    Unsupported(String),
}

impl Fault {
    /// That of an error where memory of a kind is made that not every device, driver or runtime has.
    pub(super) fn unless_unsupported(error: cuda_p2p::Error) -> Self {
        use cuda_p2p::{Error, ErrorClass};
        let unsupported = match &error {
            Error::Cuda(error) => error.class() == ErrorClass::Unsupported,
            Error::DriverTooOld { .. } | Error::MissingDriverFunction { .. } => true,
            _ => false,
        };
        match unsupported {
            true => Self::Unsupported(error.to_string()),
            false => Self::Failed(error.to_string()),
        }
    }
}

impl From<MachineError> for Fault {
    fn from(error: MachineError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<cuda_p2p::Error> for Fault {
    fn from(error: cuda_p2p::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// The rest makes no sense. What led to it has been recorded.
pub(super) struct Stop;

/// Records steps.
pub(super) struct Recorder<'a> {
    send: Send<'a>,
}

impl<'a> Recorder<'a> {
    /// Records to the parent.
    pub(super) fn new(send: Send<'a>) -> Self {
        Self { send }
    }

    /// Runs a step that the rest depends on, and gives what it makes.
    ///
    /// # Errors
    /// [`Stop`] if it did not pass.
    pub(super) fn required<T>(
        &mut self,
        step: Step,
        work: impl FnOnce() -> Result<T, Fault>,
    ) -> Result<T, Stop> {
        self.record(step, None, || work().map(|value| (value, None)))?.ok_or(Stop)
    }

    /// Runs a step that may find wrong bytes, and notes the path that it took.
    ///
    /// # Errors
    /// [`Stop`] if a call failed: the device may be unusable from then on. Wrong bytes are no reason to stop.
    pub(super) fn observed(
        &mut self,
        step: Step,
        case: Option<Case>,
        work: impl FnOnce() -> Result<Option<String>, Fault>,
    ) -> Result<(), Stop> {
        self.record(step, case, || work().map(|path| ((), path))).map(|_| ())
    }

    /// Runs a step that makes memory of a kind that cannot be had everywhere; `None` if it cannot here.
    ///
    /// # Errors
    /// [`Stop`] if a call failed for another reason.
    pub(super) fn made<T>(
        &mut self,
        step: Step,
        work: impl FnOnce() -> Result<T, Fault>,
    ) -> Result<Option<T>, Stop> {
        self.record(step, None, || work().map(|value| (value, None)))
    }

    fn record<T>(
        &mut self,
        step: Step,
        case: Option<Case>,
        work: impl FnOnce() -> Result<(T, Option<String>), Fault>,
    ) -> Result<Option<T>, Stop> {
        let mut report = StepReport::unfinished(step, case);
        (self.send)(&Message::Began(report.clone()));
        let result = match work() {
            Ok((value, path)) => {
                report.path = path;
                report.outcome = StepOutcome::Passed;
                Ok(Some(value))
            }
            Err(Fault::Wrong { findings, note }) => {
                report.outcome = StepOutcome::Wrong { findings, note };
                Ok(None)
            }
            Err(Fault::Unsupported(reason)) if step.may_be_skipped() => {
                report.outcome = StepOutcome::Skipped { reason };
                Ok(None)
            }
            Err(Fault::Failed(error) | Fault::Unsupported(error)) => {
                report.outcome = StepOutcome::Failed { error };
                Err(Stop)
            }
        };
        (self.send)(&Message::Ended(report));
        result
    }
}
