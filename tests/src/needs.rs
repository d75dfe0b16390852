//! What a case asks of the machine, and why a machine does not have it.

use crate::arm::Arm;
use crate::capabilities::{Capabilities, version};

/// What a case asks of the machine. Start from [`ONE`], [`TWO`] or [`PEERS`] and add to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    devices: usize,
    peers: bool,
    native_atomics: bool,
    kernels: bool,
    pools: bool,
    managed: bool,
    ipc: bool,
    /// As `cudaRuntimeGetVersion` writes it; 0 for any.
    since: i32,
    machine: Option<Machine>,
}

/// A machine that only the simulator can be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    /// What is special about it: ends the sentence "needs a machine with".
    pub(crate) with: &'static str,
    /// The value of `CUDA_P2P_SIM` that makes it.
    pub(crate) config: &'static str,
}

/// Why a case is skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unmet {
    /// Fewer devices than it needs.
    Devices { needed: usize, found: usize },
    /// Anything else, in words.
    Other(String),
}

impl std::fmt::Display for Unmet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Devices { needed, found } => {
                let plural = if *needed == 1 { "" } else { "s" };
                write!(f, "needs {needed} device{plural}, found {found}")
            }
            Self::Other(reason) => f.write_str(reason),
        }
    }
}

/// One device.
pub(crate) const ONE: Needs = Needs {
    devices: 1,
    peers: false,
    native_atomics: false,
    kernels: false,
    pools: false,
    managed: false,
    ipc: false,
    since: 0,
    machine: None,
};
/// Devices 0 and 1, whether they are peers or not.
pub(crate) const TWO: Needs = Needs { devices: 2, ..ONE };
/// Devices 0 and 1, each of which can access the other.
pub(crate) const PEERS: Needs = Needs { peers: true, ..TWO };

impl Needs {
    /// And this crate's kernels in a form that the arm can run.
    pub(crate) const fn kernels(self) -> Self {
        Self { kernels: true, ..self }
    }

    /// And this crate's kernels as handles that the runtime's own functions take: a runtime before 12.8 has the driver load
    /// them, and refuses its handles.
    pub(crate) const fn kernel_handles(self) -> Self {
        self.kernels().since(12, 8)
    }

    /// And memory pools.
    pub(crate) const fn pools(self) -> Self {
        Self { pools: true, ..self }
    }

    /// And managed memory.
    pub(crate) const fn managed(self) -> Self {
        Self { managed: true, ..self }
    }

    /// And handles of memory for other processes.
    pub(crate) const fn ipc(self) -> Self {
        Self { ipc: true, ..self }
    }

    /// And a runtime of that release or a later one: for functions that it brought.
    pub(crate) const fn since(self, major: i32, minor: i32) -> Self {
        Self { since: major * 1000 + minor * 10, ..self }
    }

    /// And a pair with native atomics, as NVLink has.
    pub(crate) const fn native_atomics(self) -> Self {
        Self { native_atomics: true, ..self }
    }

    /// And a machine that no GPU runner is expected to be: runs on the simulator alone, set up so.
    pub(crate) const fn machine(self, with: &'static str, config: &'static str) -> Self {
        Self { machine: Some(Machine { with, config }), ..self }
    }

    /// The `CUDA_P2P_SIM` that the case must have.
    pub(crate) fn config(&self) -> Option<&'static str> {
        self.machine.map(|machine| machine.config)
    }

    /// The first thing that `found` lacks.
    pub(crate) fn unmet(&self, arm: Arm, found: &Capabilities) -> Option<Unmet> {
        let other = |text: &str| Some(Unmet::Other(text.to_owned()));
        if self.kernels && !found.kernels {
            return match arm {
                Arm::Real => other(
                    "needs this crate's kernels: this program was built without nvcc, or neither the runtime nor \
                     the driver can load them",
                ),
                Arm::Simulator => {
                    other("needs this crate's kernels: this program was built without host code")
                }
            };
        }
        if let Some(machine) = self.machine {
            return match arm {
                Arm::Simulator => None,
                Arm::Real => {
                    Some(Unmet::Other(format!("needs a machine with {} (simulator only)", machine.with)))
                }
            };
        }
        if found.devices.len() < self.devices {
            return Some(Unmet::Devices { needed: self.devices, found: found.devices.len() });
        }
        if self.peers && !(found.peers.contains(&(0, 1)) && found.peers.contains(&(1, 0))) {
            return other("needs devices 0 and 1 to be peers of each other");
        }
        if self.native_atomics && !found.native_atomics {
            return other("needs native atomics between devices 0 and 1 (NVLink)");
        }
        if self.pools && !found.pools {
            return other("needs memory pools");
        }
        if self.managed && !found.managed {
            return other("needs managed memory");
        }
        if self.ipc && !found.ipc {
            return other("needs memory and events that other processes can open");
        }
        if found.runtime < self.since {
            let (needed, has) = (version(self.since), version(found.runtime));
            return Some(Unmet::Other(format!("needs CUDA {needed}, found {has}")));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(devices: usize, peers: &[(usize, usize)]) -> Capabilities {
        Capabilities {
            source: "test".to_owned(),
            runtime: 13_000,
            driver: 13_000,
            devices: vec!["a device".to_owned(); devices],
            peers: peers.to_vec(),
            ..Capabilities::default()
        }
    }

    #[test]
    fn too_few_devices_are_counted() {
        let unmet = PEERS.unmet(Arm::Real, &machine(1, &[])).expect("one device is not two");
        assert_eq!(unmet, Unmet::Devices { needed: 2, found: 1 });
        assert_eq!(unmet.to_string(), "needs 2 devices, found 1");
    }

    #[test]
    fn one_direction_is_no_pair_of_peers() {
        assert!(PEERS.unmet(Arm::Real, &machine(2, &[(0, 1)])).is_some());
        assert_eq!(PEERS.unmet(Arm::Real, &machine(2, &[(0, 1), (1, 0)])), None);
    }

    #[test]
    fn a_special_machine_is_simulated_or_skipped() {
        let needs = TWO.machine("a link of one direction", "anything");
        assert_eq!(needs.unmet(Arm::Simulator, &machine(0, &[])), None);
        let unmet = needs.unmet(Arm::Real, &machine(2, &[])).expect("no real machine is one");
        assert_eq!(unmet.to_string(), "needs a machine with a link of one direction (simulator only)");
    }

    #[test]
    fn an_older_runtime_is_named() {
        let unmet = ONE.since(13, 1).unmet(Arm::Real, &machine(1, &[])).expect("13.0 is older");
        assert_eq!(unmet.to_string(), "needs CUDA 13.1, found 13.0");
        assert_eq!(ONE.since(13, 0).unmet(Arm::Real, &machine(1, &[])), None);
    }

    #[test]
    fn kernels_and_pools_are_asked_for() {
        let pair = machine(2, &[(0, 1), (1, 0)]);
        assert!(PEERS.kernels().unmet(Arm::Real, &pair).is_some());
        assert!(PEERS.pools().unmet(Arm::Real, &pair).is_some());
        assert!(PEERS.native_atomics().unmet(Arm::Real, &pair).is_some());
        assert!(PEERS.managed().unmet(Arm::Real, &pair).is_some());
        assert!(PEERS.ipc().unmet(Arm::Real, &pair).is_some());
        let all = Capabilities {
            kernels: true,
            pools: true,
            native_atomics: true,
            managed: true,
            ipc: true,
            ..pair
        };
        let needs = PEERS.kernels().pools().native_atomics().managed().ipc();
        assert_eq!(needs.unmet(Arm::Real, &all), None);
    }
}
