//! The two arms: where the function table comes from.

use cuda_p2p_sim::{ENVIRONMENT_VARIABLE, MachineConfig};
use cuda_p2p_sys::{CudaRuntime, loaded};

/// Where the function table comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arm {
    /// The runtime library and the GPUs of this machine.
    Real,
    /// The simulator.
    Simulator,
}

impl Arm {
    /// The word for it in arguments.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Simulator => "sim",
        }
    }

    /// The arm of that word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Self::Real, Self::Simulator].into_iter().find(|arm| arm.word() == word)
    }
}

/// Starts a simulated machine in this process; gives its table, and the machine in words.
pub(crate) type StartSimulator = fn() -> Result<(&'static CudaRuntime, String), String>;

/// A table, and what gave it.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) arm: Arm,
    pub(crate) table: &'static CudaRuntime,
    /// In words, for the reader.
    pub(crate) source: String,
}

/// Opens the table of `arm` in this process.
///
/// # Errors
/// Why there is none, in the words of the door that was tried.
pub(crate) fn open(arm: Arm, simulator: StartSimulator) -> Result<Opened, String> {
    match arm {
        Arm::Simulator => {
            let (table, config) = simulator()?;
            Ok(Opened { arm, table, source: format!("simulator (SIMULATED, config {config})") })
        }
        Arm::Real => {
            let loaded = loaded::load().map_err(|error| error.to_string())?;
            let path = loaded.path().display();
            if let Some(machine) = loaded.simulated_machine() {
                return Err(format!(
                    "{path} simulates its devices ({machine}); unset CUDA_P2P_CUDART, or name NVIDIA's library by it"
                ));
            }
            let source = format!("library {path}");
            Ok(Opened { arm, table: loaded.into_table(), source })
        }
    }
}

/// Starts the machine that `CUDA_P2P_SIM` describes; a pair of peers if it is unset or empty.
pub(crate) fn simulator() -> Result<(&'static CudaRuntime, String), String> {
    simulated(|config| config)
}

/// The same, with a runtime of CUDA 12.4.
pub(crate) fn older_simulator() -> Result<(&'static CudaRuntime, String), String> {
    simulated(|config| config.runtime(12, 4))
}

fn simulated(change: fn(MachineConfig) -> MachineConfig) -> Result<(&'static CudaRuntime, String), String> {
    let config = match MachineConfig::from_env().map_err(|error| error.to_string())? {
        Some(config) => config,
        None if std::env::var_os(ENVIRONMENT_VARIABLE).is_none_or(|value| value.is_empty()) => {
            MachineConfig::pair()
        }
        None => return Err(format!("{ENVIRONMENT_VARIABLE} switches the simulator off; unset it")),
    };
    let config = change(config);
    let words = config.to_string();
    let table = cuda_p2p_sim::start(config).map_err(|error| error.to_string())?;
    Ok((table, words))
}
