//! Choosing a runtime: real first, simulated where that is asked for or allowed.

use std::path::Path;

use crate::error::{Error, Result};
use crate::ffi::LoadError;
use crate::origin::{SimulatorPolicy, SimulatorReason};
use crate::runtime::Runtime;
use crate::status::ErrorClass;

/// The variable that asks for simulated devices, and describes them.
pub(crate) const SIMULATOR_VARIABLE: &str = "CUDA_P2P_SIM";

/// How a runtime is to be opened; see [`open`](Self::open) for the order.
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is opened before `open` is called"]
pub struct RuntimeBuilder {
    policy: SimulatorPolicy,
    #[cfg(feature = "sim")]
    machine: Option<crate::sim::MachineConfig>,
}

impl Runtime {
    /// Options for opening a runtime.
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }
}

impl RuntimeBuilder {
    /// When simulated devices may stand in. Only if `CUDA_P2P_SIM` asks for them, if this is not called.
    pub fn simulator(mut self, policy: SimulatorPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// The machine to simulate where `CUDA_P2P_SIM` does not describe one. Two devices that are peers, if this is not
    /// called.
    #[cfg(feature = "sim")]
    pub fn machine(mut self, machine: crate::sim::MachineConfig) -> Self {
        self.machine = Some(machine);
        self
    }

    /// Opens the runtime:
    /// 1. the simulator, if `CUDA_P2P_SIM` is set to a machine;
    /// 2. the runtime library of this machine, if it has one, and a device: the one that the program is linked against, if it
    ///    is (features `link-shared`, `link-static`), else what [`Runtime::load`] finds;
    /// 3. the simulator, if the policy allows it and `CUDA_P2P_SIM` is not `0` or `off`.
    ///
    /// [`Runtime::origin`] tells which it was, and why.
    ///
    /// # Errors
    /// - [`Error::SimulatorConfig`] if `CUDA_P2P_SIM` holds junk; [`Error::SimulatorNotBuilt`] if it, or the policy,
    ///   asks for a simulator that is not in this program.
    /// - [`Error::Load`] if there is no library, or `CUDA_P2P_CUDART` names a bad one; [`Error::Link`] if the linked one is of
    ///   another major.
    /// - [`Error::Cuda`] if there is no driver or no device; also if a device is there and CUDA does not start.
    /// - [`Error::DriverWithoutLibrary`] where simulating would hide real devices.
    pub fn open(self) -> Result<Runtime> {
        let set = std::env::var_os(SIMULATOR_VARIABLE).filter(|value| !value.is_empty());
        #[cfg(feature = "sim")]
        if let Some(machine) = crate::sim::from_variable()? {
            return crate::sim::start(machine, SimulatorReason::AskedByVariable);
        }
        #[cfg(not(feature = "sim"))]
        if set.as_ref().is_some_and(|value| value != "0" && value != "off") {
            return Err(Error::SimulatorNotBuilt { asked_by: SIMULATOR_VARIABLE });
        }
        // What is still set says that devices are not to be simulated.
        let switched_off = set.is_some();
        let (because, error) = match library() {
            Ok(runtime) => match runtime.device_count() {
                Ok(1..) => return Ok(runtime),
                Ok(0) => {
                    let error = Error::NoSuchDevice { ordinal: 0, count: 0 };
                    (SimulatorReason::NoDevice(Box::new(error.clone())), error)
                }
                Err(error) if error.class() == Some(ErrorClass::NoDevice) => {
                    (SimulatorReason::NoDevice(Box::new(error.clone())), error)
                }
                Err(error) => return Err(error),
            },
            Err(Error::Load(load)) if matches!(*load, LoadError::NotFound { .. }) => {
                if has_driver() && self.policy == SimulatorPolicy::WhenNoDevice && !switched_off {
                    return Err(Error::DriverWithoutLibrary { load });
                }
                (SimulatorReason::NoLibrary(load.clone()), Error::Load(load))
            }
            // CUDA_P2P_CUDART names this one file: its fault is the answer, not a reason for something else.
            Err(error) => return Err(error),
        };
        if self.policy == SimulatorPolicy::Never || switched_off {
            Err(error)
        } else {
            self.simulate(because)
        }
    }

    #[cfg(feature = "sim")]
    fn simulate(self, because: SimulatorReason) -> Result<Runtime> {
        crate::sim::start(self.machine.unwrap_or_else(crate::sim::MachineConfig::pair), because)
    }

    #[cfg(not(feature = "sim"))]
    fn simulate(self, _because: SimulatorReason) -> Result<Runtime> {
        Err(Error::SimulatorNotBuilt { asked_by: "the program's policy" })
    }
}

#[cfg(any(feature = "link-shared", feature = "link-static"))]
fn library() -> Result<Runtime> {
    Runtime::linked()
}

#[cfg(not(any(feature = "link-shared", feature = "link-static")))]
fn library() -> Result<Runtime> {
    Runtime::load()
}

/// Whether the kernel driver shows its control device: then there are GPUs, and only the library is missing.
fn has_driver() -> bool {
    Path::new("/dev/nvidiactl").exists()
}
