//! Looks at this machine by every verb, for a report of it.

use serde::Serialize;
use serde_json::Value;

use super::Documents;
use crate::cli::MachineArguments;
use crate::error::CliError;
use crate::exit::Exit;
use crate::options::{BenchOptions, DoctorOptions, MachineOptions, VerifyOptions};
use crate::output::Progress;
use crate::{bench, doctor, topo, verify};

/// Bytes of a large copy, and the sizes of the sweep.
const LARGE: u64 = 512 << 20;
const SWEPT: [u64; 8] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 128 << 20];

/// Samples of each measurement.
const SAMPLES: u32 = 7;

/// Verifies, measures and diagnoses. Gives the worst status too.
///
/// # Errors
/// The machine cannot be opened, or a child not be started. What a child could not do is part of the documents.
pub(crate) fn examine(machine: &MachineArguments, progress: bool) -> Result<(Documents, Exit), CliError> {
    let options = MachineOptions::try_from(machine)?;
    let found = topo::inspect(&options)?;
    let mut documents = Documents::default();

    let plan =
        verify::Plan::new(&found, VerifyOptions { sizes: None, pairs: None, seed: None, paths: None })?;
    let bar = Progress::new(plan.step_count(), progress);
    let verified = verify::run(found.clone(), &plan, &options, &bar)?;
    drop(bar);
    take(&mut documents, &verified)?;

    let measure =
        BenchOptions { bytes: LARGE, sizes: SWEPT.to_vec(), pairs: None, samples: SAMPLES, seed: None };
    let plan = bench::Plan::new(&found, &measure)?;
    let bar = Progress::new(plan.count(), progress);
    let measured = bench::run(found, &plan, &options, true, &bar)?;
    drop(bar);
    take(&mut documents, &measured)?;

    let look = DoctorOptions { machine: options, trials: true, from: None, save: None, bench: None };
    let diagnosed = doctor::examine(&look, progress)?;
    take(&mut documents, &diagnosed)?;

    let exits = [verified.verdict.exit, measured.verdict, diagnosed.exit];
    Ok((documents, worst(exits)))
}

/// The first that is no success, unless data was wrong: that outranks all.
fn worst(exits: [Exit; 3]) -> Exit {
    let any = |is: fn(&Exit) -> bool| exits.into_iter().find(is);
    any(|exit| *exit == Exit::WrongData).or_else(|| any(|exit| *exit != Exit::Proven)).unwrap_or(Exit::Proven)
}

fn take(documents: &mut Documents, document: &impl Serialize) -> Result<(), CliError> {
    let value: Value = serde_json::to_value(document).map_err(|error| CliError::Output(error.into()))?;
    documents.take(value).map_err(|problem| CliError::Output(std::io::Error::other(problem)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Exit::{CudaFailed, NothingToTest, ProblemFound, Proven, WrongData};

    #[test]
    fn wrong_data_outranks_what_was_found_before_it() {
        assert_eq!(worst([Proven; 3]), Proven);
        assert_eq!(worst([CudaFailed, WrongData, ProblemFound]), WrongData);
        assert_eq!(worst([NothingToTest, NothingToTest, ProblemFound]), NothingToTest);
        assert_eq!(worst([Proven, Proven, ProblemFound]), ProblemFound);
    }
}
