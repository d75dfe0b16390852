//! The simulated runtime, behind the feature `sim`.

use crate::error::{Error, Result};
use crate::origin::{Origin, SimulatorReason};
use crate::runtime::Runtime;

pub use cuda_p2p_sim::{MachineConfig, PeerLink, Peers};

impl Runtime {
    /// Simulated devices, because the program wants them; whatever `CUDA_P2P_SIM` says and whatever devices there
    /// are.
    ///
    /// One machine a process: asking again for the same gives the same one.
    ///
    /// # Errors
    /// [`Error::SimulatorStart`] if the machine cannot be, or another one runs in this process.
    pub fn simulated(machine: MachineConfig) -> Result<Self> {
        start(machine, SimulatorReason::AskedByProgram)
    }
}

/// The machine that `CUDA_P2P_SIM` describes.
pub(crate) fn from_variable() -> Result<Option<MachineConfig>> {
    MachineConfig::from_env().map_err(|error| Error::SimulatorConfig {
        value: std::env::var_os(crate::open::SIMULATOR_VARIABLE)
            .map(|value| value.to_string_lossy().into_owned())
            .unwrap_or_default(),
        problem: error.to_string(),
    })
}

/// Starts the machine, or finds it running.
pub(crate) fn start(machine: MachineConfig, because: SimulatorReason) -> Result<Runtime> {
    let config = machine.to_string();
    let table =
        cuda_p2p_sim::start(machine).map_err(|error| Error::SimulatorStart { problem: error.to_string() })?;
    Ok(Runtime::open_table(table, Origin::Simulator { config, because }, Some(last_fault)))
}

fn last_fault() -> Option<String> {
    cuda_p2p_sim::last_fault().map(|fault| fault.to_string())
}
