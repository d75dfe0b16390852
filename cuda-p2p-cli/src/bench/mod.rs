//! The measurements: how fast, and how soon. Each ordered pair, and each device with all others, in a child of its own.
//!
//! Times are the devices' own, by events. The work is held back until all of it is queued, so the host's time to queue it does not
//! count; a sample that the host was too slow for is taken again. What a copy moved is compared, on the device that it moved to,
//! with what it should be, and only then does it count.

mod compare;
mod copies;
mod course;
mod data;
mod flags;
mod lab;
mod latency;
mod many;
mod plan;
mod report;
mod small;
mod test;
mod timing;

#[cfg(test)]
pub(crate) use compare::Beside;
pub(crate) use compare::Comparison;
pub(crate) use lab::measure;
pub(crate) use plan::{BenchJob, Due, Place, Plan};
#[cfg(test)]
pub(crate) use report::Figures;
pub(crate) use report::{BenchResult, Outcome, Report};
pub(crate) use test::{Test, Unit};

use crate::error::CliError;
use crate::options::{MachineChoice, MachineOptions};
use crate::output::Progress;
use crate::topo::Machine;
use crate::worker::{Message, Work, delegate};

use course::Course;

/// Measures one place after the other, so that none slows another down; then has other tools measure the same, if asked to.
///
/// # Errors
/// A child could not be started. What a child could not do is part of the report.
pub(crate) fn run(
    machine: Machine,
    plan: &Plan,
    options: &MachineOptions,
    compare: bool,
    progress: &Progress,
) -> Result<Report, CliError> {
    // Found real devices are used or reported missing: never replaced by simulated ones in between.
    let choice = if machine.simulated { &options.machine } else { &MachineChoice::Real };
    let mut results = Vec::new();
    for job in &plan.jobs {
        let mut course = Course::new(job);
        let outcome = delegate(choice, &Work::Bench(job.clone()), options.deadline, |message| {
            match &message {
                Message::Measuring(due) => progress.begin(format!("{}: {}", job.place, due.test.name())),
                Message::Measured(_) => progress.advance(1),
                _ => {}
            }
            course.hear(message)
        })?;
        results.extend(course.concluded(&outcome));
    }
    let mut report = Report::new(machine, plan.bytes, plan.samples, results, Vec::new());
    if compare {
        progress.begin("other tools".to_owned());
        report.comparisons = compare::run(&report, options.deadline);
    }
    Ok(report)
}
