//! The machine of a program.

use cuda_p2p_sim::{MachineConfig, PeerLink, Peers};

/// A simulated machine, without its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    pub(crate) devices: usize,
    pub(crate) peers: Peers,
    pub(crate) limit: usize,
    pub(crate) memory: usize,
    pub(crate) atomics: bool,
}

impl Machine {
    /// For the simulator, with the schedule of `seed`.
    pub(crate) fn config(&self, seed: Option<u64>) -> MachineConfig {
        let config = MachineConfig::devices(self.devices)
            .peers(self.peers.clone())
            .peer_limit(self.limit)
            .memory_bytes(self.memory)
            .native_atomics(self.atomics)
            .quiet(true);
        match seed {
            Some(seed) => config.seed(seed),
            None => config,
        }
    }

    /// Whether `accessor` can reach the memory of `owner`. By the words of the configuration, not by the simulator.
    pub(crate) fn reaches(&self, accessor: usize, owner: usize) -> bool {
        if accessor == owner {
            return false;
        }
        match &self.peers {
            Peers::All => true,
            Peers::None => false,
            Peers::Islands(count) => accessor * count / self.devices == owner * count / self.devices,
            Peers::Links(links) => links.iter().any(|link| match *link {
                PeerLink::Both(a, b) => (a, b) == (accessor, owner) || (a, b) == (owner, accessor),
                PeerLink::OneWay { accessor: from, owner: to } => (from, to) == (accessor, owner),
            }),
        }
    }
}
