//! Who can access whom.

use crate::error::Result;
use crate::runtime::Runtime;

/// One ordered pair of different devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PeerPair {
    /// Ordinal of the device that accesses.
    pub accessor: u32,
    /// Ordinal of the device whose memory it is.
    pub owner: u32,
    /// Whether access can be enabled.
    pub reachable: bool,
}

/// All ordered pairs of a runtime's devices, as the runtime answered when the matrix was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerMatrix {
    count: u32,
    pairs: Vec<PeerPair>,
}

impl PeerMatrix {
    pub(crate) fn ask(runtime: &Runtime) -> Result<Self> {
        let devices = runtime.devices()?;
        let mut pairs = Vec::new();
        for accessor in &devices {
            for owner in devices.iter().filter(|owner| *owner != accessor) {
                let reachable = accessor.can_access_peer(owner)?;
                pairs.push(PeerPair { accessor: accessor.ordinal(), owner: owner.ordinal(), reachable });
            }
        }
        Ok(Self { count: devices.len() as u32, pairs })
    }

    /// Number of devices. One device makes a matrix without pairs.
    pub fn device_count(&self) -> u32 {
        self.count
    }

    /// Whether `accessor` can access the memory of `owner`; `None` if they are the same or do not exist.
    pub fn can_access(&self, accessor: u32, owner: u32) -> Option<bool> {
        self.pairs
            .iter()
            .find(|pair| (pair.accessor, pair.owner) == (accessor, owner))
            .map(|pair| pair.reachable)
    }

    /// Every ordered pair, by accessor, then owner.
    pub fn pairs(&self) -> impl Iterator<Item = PeerPair> + '_ {
        self.pairs.iter().copied()
    }

    /// The ordered pairs that can have access.
    pub fn reachable(&self) -> impl Iterator<Item = PeerPair> + '_ {
        self.pairs().filter(|pair| pair.reachable)
    }

    /// The ordered pairs that cannot.
    pub fn unreachable(&self) -> impl Iterator<Item = PeerPair> + '_ {
        self.pairs().filter(|pair| !pair.reachable)
    }
}
