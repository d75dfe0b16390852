//! Reads what the doctor needs. What cannot be read is left out: it is evidence neither way.

mod config_space;
mod container;
mod environment;
mod fabric;
mod iommu;
mod nvml;
mod pci;
mod system;
mod trial;

pub(super) use environment::is_tools;
pub(crate) use nvml::read as read_nvml;

use super::snapshot::{CudaFacts, Failure, Nvml, Snapshot, System};
use crate::child::Ending;
use crate::error::CliError;
use crate::machine::check_configuration;
use crate::options::{MachineChoice, MachineOptions};
use crate::topo;
use crate::worker::{Message, Unexpected, Work, delegate};

/// PCI number of NVIDIA.
pub(super) const NVIDIA: u32 = 0x10de;

/// Reads everything, and tries each pair if `trials` are wanted.
///
/// # Errors
/// The simulator's configuration makes no sense, or a child could not be started. What a child could not do is a fact like any
/// other.
pub(super) fn collect(options: &MachineOptions, trials: bool, progress: bool) -> Result<Snapshot, CliError> {
    check_configuration(&options.machine)?;
    let system = system::read();
    let nvml = ask_nvml(options)?;
    let options = &MachineOptions { machine: choose(&options.machine, &system, &nvml), ..options.clone() };
    let mut cuda = CudaFacts::default();
    match topo::inspect(options) {
        Ok(mut machine) => {
            // Where the library lies is its user's business, and what it is called is not.
            machine.runtime_library = machine.runtime_library.as_deref().map(file_name);
            cuda.machine = Some(machine);
        }
        Err(CliError::Cuda(text)) => cuda.failure = Some(Failure::of(&text)),
        Err(other) => return Err(other),
    }
    match &cuda.machine {
        Some(machine) if trials => match trial::all(machine, options, progress)? {
            Ok(trials) => cuda.trials = trials,
            Err(reason) => cuda.untried_because = Some(reason),
        },
        Some(_) => cuda.untried_because = Some("--look-only".to_owned()),
        None => {}
    }
    let simulated = cuda.machine.as_ref().is_some_and(|machine| machine.simulated);
    Ok(if simulated {
        // The kernel and NVML know nothing of simulated devices.
        let nvml = Nvml { missing_because: Some("the machine is simulated".to_owned()), ..Nvml::default() };
        Snapshot::new(System::default(), nvml, cuda)
    } else {
        Snapshot::new(system, nvml, cuda)
    })
}

/// A machine with a GPU or a driver is not replaced by a simulated one, whatever keeps CUDA from it: that is what is asked.
fn choose(choice: &MachineChoice, system: &System, nvml: &Nvml) -> MachineChoice {
    let asked = std::env::var_os("CUDA_P2P_SIM").is_some_and(|value| !value.is_empty());
    let has_gpu = !nvml.gpus.is_empty()
        || system.driver_version.is_some()
        || system.pci.iter().any(|device| device.vendor == NVIDIA);
    match choice {
        MachineChoice::Auto if has_gpu && !asked => MachineChoice::Real,
        other => other.clone(),
    }
}

/// Asks NVML by a child, since a driver that is unwell hangs whoever asks.
fn ask_nvml(options: &MachineOptions) -> Result<Nvml, CliError> {
    if matches!(options.machine, MachineChoice::Simulated(_)) {
        return Ok(Nvml::default());
    }
    let mut answer = None;
    let outcome = delegate(&MachineChoice::Real, &Work::Nvml, options.deadline, |message| match message {
        Message::Nvml(nvml) => {
            answer = Some(*nvml);
            Ok(())
        }
        _ => Err(Unexpected),
    })?;
    let silent =
        |ending: &Ending| Nvml { missing_because: Some(format!("asking NVML: {ending}")), ..Nvml::default() };
    Ok(answer.unwrap_or_else(|| silent(&outcome.ending)))
}

fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}
