//! What machine is simulated: devices, peers, limits, memory, schedule.

mod defect;
mod error;
mod text;
mod visible;

use std::collections::BTreeSet;
use std::env;

pub use defect::{Defect, Means};
pub use error::ConfigError;

use crate::release::{self, Release};

/// Environment variable that asks for a simulated machine and describes it; see [`MachineConfig::from_env`].
pub const ENVIRONMENT_VARIABLE: &str = "CUDA_P2P_SIM";

/// Most devices that a machine can have.
pub const MAX_DEVICES: usize = 64;

/// One entry of [`Peers::Links`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerLink {
    /// The two devices can access each other: `a-b`.
    Both(usize, usize),
    /// Only the first can access the second: `a>b`.
    OneWay {
        /// The device that accesses.
        accessor: usize,
        /// The device whose memory it is.
        owner: usize,
    },
}

/// Which devices can access which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Peers {
    /// Each device can access every other.
    All,
    /// None can access any other.
    None,
    /// So many groups of equal size, of neighbouring ordinals; all within a group are peers, none across.
    Islands(usize),
    /// Exactly these.
    Links(Vec<PeerLink>),
}

/// A simulated machine, before it starts.
///
/// The text form, which [`FromStr`](std::str::FromStr) reads and [`Display`](std::fmt::Display) writes, is a list of
/// words divided by spaces or `;`:
///
/// | word | meaning | if left out |
/// |---|---|---|
/// | `1` or `on` | the default pair; other words may follow | |
/// | `devices=N` | number of devices, 1 to 64 | 2 |
/// | `peers=all`, `peers=none` | every device can access every other; none can | `all` |
/// | `peers=0-1,2>3` | exactly these: 0 and 1 each other, and 2 may access 3 | |
/// | `islands=N` | N groups of equal size, peers within a group | |
/// | `limit=N` | peers that one device can have enabled at a time | 8 |
/// | `memory=SIZE` | bytes of each device, with `KiB`, `MiB` or `GiB` if wished | `16GiB` |
/// | `atomics=on`, `atomics=off` | whether links carry native atomics | `on` |
/// | `runtime=N.N` | release of the runtime, 12.0 or later: see [`runtime`](Self::runtime) | that of the bindings |
/// | `seed=N` | adversarial schedule | in order |
/// | `visible=1,0` | the GPUs that this process sees, as its devices 0, 1, ...: what `CUDA_VISIBLE_DEVICES` does on hardware | all, in order |
/// | `quiet` | faults are not written to standard error | |
/// | `drop`, `mirror`, `flip`, `hang`, `enable`, `fail`, `reset`, `lost` | what is wrong with it: see [`Defect`] | nothing |
///
/// A machine whose devices are MIG instances of GPUs is one with `peers=none`: they are never peers, and copies go through
/// the host.
///
/// ```
/// use cuda_p2p_sim::{MachineConfig, Peers};
///
/// let islands: MachineConfig = "devices=4 islands=2".parse()?;
/// assert_eq!(islands, MachineConfig::devices(4).peers(Peers::Islands(2)));
///
/// // What device 0 writes to device 1 is lost, and the third cudaMalloc finds no memory.
/// let broken: MachineConfig = "devices=2 drop=0>1 fail=cudaMalloc:3:2".parse()?;
/// assert_eq!(broken.to_string(), "devices=2 drop=0>1 fail=cudaMalloc:3:2");
/// # Ok::<(), cuda_p2p_sim::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineConfig {
    pub(crate) devices: usize,
    pub(crate) peers: Peers,
    pub(crate) peer_limit: usize,
    pub(crate) memory_bytes: usize,
    pub(crate) native_atomics: bool,
    pub(crate) runtime: Release,
    pub(crate) seed: Option<u64>,
    pub(crate) quiet: bool,
    pub(crate) defects: Vec<Defect>,
    /// The numbers of the GPUs that the process sees; `None` for all.
    pub(crate) visible: Option<Vec<usize>>,
}

impl MachineConfig {
    /// Two devices that can access each other.
    #[must_use]
    pub fn pair() -> Self {
        Self::devices(2)
    }

    /// So many devices that can all access each other.
    #[must_use]
    pub fn devices(count: usize) -> Self {
        MachineConfig {
            devices: count,
            peers: Peers::All,
            peer_limit: 8,
            memory_bytes: 16 << 30,
            native_atomics: true,
            runtime: release::NEWEST,
            seed: None,
            quiet: false,
            defects: Vec::new(),
            visible: None,
        }
    }

    /// Sets which devices can access which.
    #[must_use]
    pub fn peers(mut self, peers: Peers) -> Self {
        self.peers = peers;
        self
    }

    /// Sets how many peers one device can have enabled at a time: the next one is error 711. 8 unless set, as on
    /// machines without NVSwitch, so every pair of up to nine devices works.
    #[must_use]
    pub fn peer_limit(mut self, limit: usize) -> Self {
        self.peer_limit = limit;
        self
    }

    /// Sets the memory of each device, in bytes. Only what a program touches costs memory of the host.
    #[must_use]
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// Sets whether links carry native atomics, which `cudaDeviceGetP2PAttribute` tells.
    #[must_use]
    pub fn native_atomics(mut self, supported: bool) -> Self {
        self.native_atomics = supported;
        self
    }

    /// Sets the release of the runtime, from 12.0 up to that of the bindings, which it is unless set. It lacks the functions
    /// that came later, and where releases answer otherwise, it answers as its own does: what no grid can be is error 9 before
    /// 13.0, and a launch on a stream of a device that is not the current one error 400. The driver stays that of the bindings,
    /// and so do the layouts of all types, also where the release is of an older major.
    #[must_use]
    pub fn runtime(mut self, major: u32, minor: u32) -> Self {
        self.runtime = Release::unchecked(major, minor);
        self
    }

    /// Asks for the adversarial schedule of this seed: any order that streams and events allow. Without a seed, operations
    /// that are ready run in the order of their submission.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Keeps faults off standard error; [`last_fault`](crate::last_fault) still tells of them.
    #[must_use]
    pub fn quiet(mut self, quiet: bool) -> Self {
        self.quiet = quiet;
        self
    }

    /// Adds something that is wrong with the machine.
    #[must_use]
    pub fn defect(mut self, defect: Defect) -> Self {
        self.defects.push(defect);
        self
    }

    /// The machine that the environment variable [`CUDA_P2P_SIM`](ENVIRONMENT_VARIABLE) asks for. `None` if it is
    /// unset, empty, `0` or `off`.
    ///
    /// # Errors
    /// [`ConfigError`] if it is set to anything else that is no machine.
    pub fn from_env() -> Result<Option<Self>, ConfigError> {
        let Some(value) = env::var_os(ENVIRONMENT_VARIABLE) else {
            return Ok(None);
        };
        let text = value.to_str().ok_or(ConfigError::NotUnicode)?;
        if text::asks_for_none(text) { Ok(None) } else { text.parse().map(Some) }
    }

    /// Number of devices that this process sees.
    #[must_use]
    pub fn device_count(&self) -> usize {
        self.visible.as_ref().map_or(self.devices, Vec::len)
    }

    /// Whether the machine gives the device `accessor` a path to the memory of `owner`, both by their numbers in the machine.
    #[must_use]
    pub fn can_access(&self, accessor: usize, owner: usize) -> bool {
        if accessor == owner || accessor >= self.devices || owner >= self.devices {
            return false;
        }
        match &self.peers {
            Peers::All => true,
            Peers::None => false,
            Peers::Islands(count) => {
                let size = self.devices / (*count).max(1);
                size > 0 && accessor / size == owner / size
            }
            Peers::Links(links) => links.iter().any(|link| match *link {
                PeerLink::Both(a, b) => (a, b) == (accessor, owner) || (b, a) == (accessor, owner),
                PeerLink::OneWay { accessor: a, owner: o } => (a, o) == (accessor, owner),
            }),
        }
    }

    /// Checks what single setters cannot.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        if self.devices == 0 || self.devices > MAX_DEVICES {
            return Err(ConfigError::Devices { devices: self.devices });
        }
        if self.memory_bytes < 1 << 20 {
            return Err(ConfigError::Memory { bytes: self.memory_bytes });
        }
        if !self.runtime.is_simulated() {
            return Err(ConfigError::Runtime { release: self.runtime.to_string() });
        }
        defect::validate(self)?;
        visible::validate(self)?;
        match &self.peers {
            Peers::Islands(count) if *count == 0 || !self.devices.is_multiple_of(*count) => {
                Err(ConfigError::Islands { islands: *count, devices: self.devices })
            }
            Peers::Links(links) => {
                let mut seen = BTreeSet::new();
                for link in links {
                    let (PeerLink::Both(a, b) | PeerLink::OneWay { accessor: a, owner: b }) = *link;
                    if a >= self.devices || b >= self.devices {
                        return Err(ConfigError::NoSuchDevice { device: a.max(b), devices: self.devices });
                    }
                    if a == b {
                        return Err(ConfigError::OwnPeer { device: a });
                    }
                    if !seen.insert((a, b)) {
                        return Err(ConfigError::Repeated { word: format!("peers={a},{b}") });
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
