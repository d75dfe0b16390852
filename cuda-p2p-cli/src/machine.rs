//! Opens the machine that was chosen.

use std::path::PathBuf;

use cuda_p2p::sim::MachineConfig;
use cuda_p2p::{ErrorClass, LoadError, Origin, Runtime, SimulatorPolicy, SimulatorReason};
use thiserror::Error;

use crate::error::CliError;
use crate::options::MachineChoice;

/// The variable that asks for a simulated machine, or forbids it.
const VARIABLE: &str = "CUDA_P2P_SIM";

/// Why the machine cannot be used.
#[derive(Debug, Error)]
pub(crate) enum MachineError {
    /// The library says why.
    #[error(transparent)]
    Cuda(#[from] cuda_p2p::Error),
    /// The simulator's configuration says nothing that can be simulated. The parent has checked it before.
    #[error("{0}")]
    Configuration(String),
    /// There is nothing to use, and the variable forbids the simulator.
    #[error(
        "{error}\n{VARIABLE}='{value}' forbids a simulated machine; unset it to allow one where there is no GPU, or set it to 'on', or to \
         words such as 'devices=4 islands=2', to ask for one"
    )]
    Forbidden {
        /// Why there is nothing to use.
        error: Box<cuda_p2p::Error>,
        /// What the variable says.
        value: String,
    },
    /// A simulator's library stands where the real one would.
    #[error(
        "--real: {} simulates its devices; unset CUDA_P2P_CUDART, or name NVIDIA's library by it, and see whether \
         LD_LIBRARY_PATH leads to a simulator",
        path.display()
    )]
    NotReal {
        /// The library.
        path: PathBuf,
    },
    /// The machine was there before, and another is there now.
    #[error(
        "the devices that were found at first are not there any more; look at 'nvidia-smi' and at the system's log"
    )]
    Changed,
}

/// Opens it: real devices first, the simulator where there are none or when it was asked for.
pub(crate) fn open(choice: &MachineChoice) -> Result<Runtime, MachineError> {
    Ok(match choice {
        MachineChoice::Auto => {
            Runtime::builder().simulator(SimulatorPolicy::WhenNoDevice).open().map_err(or_forbidden)?
        }
        MachineChoice::Real => {
            let runtime = Runtime::load()?;
            if let Origin::SimulatorLibrary { path, .. } = runtime.origin() {
                return Err(MachineError::NotReal { path: path.clone() });
            }
            runtime
        }
        MachineChoice::Simulated(spec) => {
            let config = spec.parse::<MachineConfig>();
            Runtime::simulated(config.map_err(|error| MachineError::Configuration(error.to_string()))?)?
        }
    })
}

/// Checks the simulator's configuration, from the option or from the variable, whichever counts.
///
/// # Errors
/// [`CliError::Configuration`] with the library's text.
pub(crate) fn check_configuration(choice: &MachineChoice) -> Result<(), CliError> {
    match choice {
        MachineChoice::Real => Ok(()),
        MachineChoice::Auto => MachineConfig::from_env()
            .map(|_| ())
            .map_err(|error| CliError::Configuration(format!("{VARIABLE}='{}': {error}", variable()))),
        MachineChoice::Simulated(spec) => spec
            .parse::<MachineConfig>()
            .map(|_| ())
            .map_err(|error| CliError::Configuration(format!("--sim '{spec}': {error}"))),
    }
}

/// What the variable forbids, if there is nothing else to use.
fn or_forbidden(error: cuda_p2p::Error) -> MachineError {
    let absent = match &error {
        cuda_p2p::Error::Load(load) => matches!(**load, LoadError::NotFound { .. }),
        cuda_p2p::Error::NoSuchDevice { count, .. } => *count == 0,
        other => other.class() == Some(ErrorClass::NoDevice),
    };
    let value = variable();
    match absent && !value.trim().is_empty() && matches!(MachineConfig::from_env(), Ok(None)) {
        true => MachineError::Forbidden { error: Box::new(error), value },
        false => error.into(),
    }
}

fn variable() -> String {
    std::env::var_os(VARIABLE).unwrap_or_default().to_string_lossy().into_owned()
}

/// Why a simulated machine is used, in a few words; `None` for a real one.
pub(crate) fn simulated_because(origin: &Origin) -> Option<String> {
    let because = match origin {
        Origin::Simulator { because, .. } => because,
        Origin::SimulatorLibrary { path, .. } => return Some(format!("{} is a simulator's", path.display())),
        _ => return None,
    };
    Some(match because {
        SimulatorReason::AskedByProgram => "--sim asks for it".to_owned(),
        SimulatorReason::NoLibrary(error) => match &**error {
            LoadError::NotFound { soname, .. } => format!("no {soname} was found"),
            _ => because.to_string(),
        },
        // One line of it: what was tried is for those who ask, by --real.
        other => other.to_string().lines().next().unwrap_or_default().to_owned(),
    })
}
