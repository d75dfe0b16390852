//! Tries each ordered pair, as `verify` does, with little data.

use super::super::snapshot::{Trial, TrialOutcome};
use crate::error::CliError;
use crate::options::{MachineOptions, VerifyOptions};
use crate::output::Progress;
use crate::topo::Machine;
use crate::verify;

/// Bytes that are moved: odd, and enough for every engine and every lane.
const SIZES: [u64; 2] = [4097, 1 << 20];

/// What a program says that was built without a compiler for GPUs.
const NO_KERNELS: &str = "were built without machine code";

/// Tries every pair with access, each in a child; or says why none can be.
///
/// # Errors
/// A child could not be started.
pub(super) fn all(
    machine: &Machine,
    options: &MachineOptions,
    progress: bool,
) -> Result<Result<Vec<Trial>, String>, CliError> {
    let paths = Some(verify::Path::PLAIN.to_vec());
    let what = VerifyOptions { sizes: Some(SIZES.to_vec()), pairs: None, seed: None, paths };
    let plan = verify::Plan::new(machine, what)?;
    let progress = Progress::new(plan.step_count(), progress);
    let report = verify::run(machine.clone(), &plan, options, &progress)?;
    let trials: Vec<Trial> = report.pairs.iter().filter_map(Trial::of).collect();
    // That is this program's fault and no pair's.
    let unable = |trial: &Trial| match &trial.outcome {
        TrialOutcome::Failed { failure, .. } => failure.text.contains(NO_KERNELS),
        _ => false,
    };
    let reason = "this program was built without kernels for GPUs; build it where there is an nvcc";
    Ok(if trials.iter().any(unable) { Err(reason.to_owned()) } else { Ok(trials) })
}
