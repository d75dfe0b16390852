//! The doctor: why does a pair not work, or crawl?
//!
//! First everything is read that can be (`collect`), into a snapshot that can be saved and holds nothing private (`mask`). Then
//! rules, which are pure functions, say what it means (`rules`). So a machine can be diagnosed from a file that somebody sent.

mod bench_file;
mod collect;
mod facts;
mod file;
mod finding;
mod mask;
mod rules;
mod snapshot;

use serde::Serialize;

pub(crate) use collect::read_nvml;
pub(crate) use finding::{Certainty, Effect, Finding};
pub(crate) use mask::is_masked;
pub(crate) use rules::diagnose;
pub(crate) use snapshot::{Acs, Nvml, Snapshot, TrialOutcome};

use crate::error::CliError;
use crate::exit::Exit;
use crate::files::{check_writable, keep_apart};
use crate::options::DoctorOptions;

/// Version of the JSON's shape. A field that goes, or changes its meaning, makes a new one.
const SCHEMA: &str = "cuda-p2p.doctor/1";

/// What the doctor says.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// Name and version of this shape.
    pub(crate) schema: &'static str,
    /// Version of the command.
    pub(crate) version: &'static str,
    /// What was found, the worst first.
    pub(crate) findings: Vec<Finding>,
    /// What could not be read, and what it would have told.
    pub(crate) gaps: Vec<String>,
    /// What was read.
    pub(crate) snapshot: Snapshot,
    /// The exit status, by name.
    pub(crate) exit: Exit,
    /// The exit status, by number.
    pub(crate) exit_status: u8,
}

impl Report {
    /// The diagnosis of what was read.
    pub(crate) fn new(snapshot: Snapshot) -> Self {
        let findings = diagnose(&snapshot);
        let sick = findings.iter().any(|finding| finding.effect != Effect::Notice);
        let exit = if sick { Exit::ProblemFound } else { Exit::Proven };
        let gaps = gaps(&snapshot);
        let version = env!("CARGO_PKG_VERSION");
        Self { schema: SCHEMA, version, findings, gaps, snapshot, exit, exit_status: exit.status() }
    }

    /// How many findings have this effect.
    pub(crate) fn count(&self, effect: Effect) -> usize {
        self.findings.iter().filter(|finding| finding.effect == effect).count()
    }
}

/// Reads the machine, or the file; saves what was read if that is asked for; and says what it means.
///
/// # Errors
/// A file cannot be read or written, or makes no sense; the simulator's configuration makes none; a child could not be started.
pub(crate) fn examine(options: &DoctorOptions, progress: bool) -> Result<Report, CliError> {
    if let Some(path) = &options.save {
        keep_apart(("--save", path), ("--bench", options.bench.as_slice()))?;
        check_writable("--save", path)?;
    }
    let measured = options.bench.as_deref().map(bench_file::read).transpose()?;
    let mut snapshot = match &options.from {
        Some(path) => file::read(path)?,
        None => collect::collect(&options.machine, options.trials, progress)?,
    };
    if let Some(measured) = measured {
        // While the UUIDs are there to be compared.
        snapshot.speeds = measured.speeds_of(snapshot.cuda.machine.as_ref())?;
    }
    if options.from.is_none() {
        // Masked here and now, so that what is shown, saved and diagnosed is one thing.
        snapshot = file::masked(&snapshot)?;
    }
    if let Some(path) = &options.save {
        file::write(path, &snapshot)?;
    }
    Ok(Report::new(snapshot))
}

/// What could not be read of the machine that this runs on.
fn gaps(snapshot: &Snapshot) -> Vec<String> {
    let mut gaps = Vec::new();
    let system = &snapshot.system;
    if let Some(because) = snapshot.cuda.machine.as_ref().and_then(|it| it.simulated_because.as_deref()) {
        return vec![format!(
            "this machine: a simulated one was looked at ({because}); --real looks at this one"
        )];
    }
    if let Some(reason) = &snapshot.nvml.missing_because {
        gaps.push(format!("NVML ({reason}): links, modes, fabric, clocks"));
    }
    if system.pci.iter().any(|device| device.acs == Acs::Unreadable) {
        gaps.push("access control (ACS) of PCIe bridges: takes root".to_owned());
    }
    if system.pci.is_empty() {
        gaps.push("PCI devices: /sys/bus/pci shows no GPU".to_owned());
    }
    if system.iommus.is_none() {
        gaps.push("IOMMUs: /sys/class/iommu is not shown".to_owned());
    }
    if system.hypervisor.is_none() {
        gaps.push("whether this is a virtual machine: the processor does not say".to_owned());
    }
    if let Some(reason) = &snapshot.cuda.untried_because {
        gaps.push(format!("whether data arrives: no pair was tried ({reason})"));
    }
    gaps
}

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod table_tests;
