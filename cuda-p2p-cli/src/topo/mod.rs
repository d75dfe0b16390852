//! The machine: its devices, who can access whom, and by which link.

mod bus_id;
mod links;
mod pci;
mod same;
mod survey;

use serde::{Deserialize, Serialize};

pub(crate) use bus_id::BusId;
pub(crate) use links::{Nvlinks, nvlinks, nvml_reason};
pub(crate) use pci::PciPlace;
pub(crate) use survey::survey;

use crate::child::Ending;
use crate::error::CliError;
use crate::machine::check_configuration;
use crate::options::{MachineOptions, OrderedPair};
use crate::worker::{Message, Unexpected, Work, delegate};

/// Version of the JSON's shape. A field that goes, or changes its meaning, makes a new one.
pub(crate) const SCHEMA: &str = "cuda-p2p.topo/1";

/// What `topo --json` prints.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// Name and version of this shape.
    pub(crate) schema: &'static str,
    /// Version of the command.
    pub(crate) version: &'static str,
    /// The machine.
    pub(crate) machine: Machine,
}

impl Report {
    /// A report of `machine`.
    pub(crate) fn new(machine: Machine) -> Self {
        Self { schema: SCHEMA, version: env!("CARGO_PKG_VERSION"), machine }
    }
}

/// What `topo` found. Sizes are in bytes, versions as the runtime words them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// Whether this machine is simulated. Then nothing below is about real hardware.
    pub(crate) simulated: bool,
    /// Why it is simulated, in a few words.
    pub(crate) simulated_because: Option<String>,
    /// The simulated machine's configuration, as `--sim` takes it.
    pub(crate) simulated_config: Option<String>,
    /// Release of the CUDA runtime, e.g. "13.0".
    pub(crate) runtime_version: String,
    /// Path of the runtime library.
    pub(crate) runtime_library: Option<String>,
    /// Newest CUDA release that the driver supports, e.g. "13.0".
    pub(crate) driver_cuda_version: String,
    /// Release of the driver, e.g. "580.159.03", where NVML tells.
    pub(crate) driver_version: Option<String>,
    /// Why links and NVML indices are missing, if they are.
    pub(crate) nvml_missing_because: Option<String>,
    /// The devices, by CUDA ordinal.
    pub(crate) devices: Vec<DeviceInfo>,
    /// Every ordered pair of two devices, by accessor, then owner.
    pub(crate) pairs: Vec<PairInfo>,
}

/// One device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DeviceInfo {
    /// CUDA's number of it, in this process's view (`CUDA_VISIBLE_DEVICES` changes it).
    pub(crate) ordinal: u32,
    /// The product's name.
    pub(crate) name: String,
    /// "GPU-" and 32 hexadecimal digits.
    pub(crate) uuid: String,
    /// PCI address: domain:bus:device.function.
    pub(crate) bus_id: String,
    /// The number that nvidia-smi gives it, joined by bus id; it often differs from the ordinal.
    pub(crate) nvml_index: Option<u32>,
    /// The NUMA node that it hangs from, where the firmware tells.
    pub(crate) numa_node: Option<u32>,
    /// Its NVLinks, where NVML tells; absent if it has none.
    pub(crate) nvlinks: Option<Nvlinks>,
    /// Major and minor compute capability.
    pub(crate) compute_capability: (u32, u32),
    /// Bytes of memory; absent if the device would not tell.
    pub(crate) memory_bytes: Option<u64>,
}

/// One ordered pair: what the runtime and NVML say of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PairInfo {
    /// Accessor and owner.
    #[serde(flatten)]
    pub(crate) pair: OrderedPair,
    /// Whether the accessor can access the owner's memory (`cudaDeviceCanAccessPeer`).
    pub(crate) can_access: bool,
    /// What lies between the two, where NVML tells.
    pub(crate) link: Option<Link>,
    /// The path over PCIe, which staged copies take, and all if there is no NVLink; from sysfs, so that it needs no NVML.
    pub(crate) pcie_path: Option<Link>,
    /// Relative rank of the link's speed, 0 the best (`cudaDevP2PAttrPerformanceRank`).
    pub(crate) performance_rank: i32,
    /// Whether atomic instructions work over the link (`cudaDevP2PAttrNativeAtomicSupported`).
    pub(crate) native_atomics: bool,
    /// Whether CUDA arrays can be accessed over the link (`cudaDevP2PAttrCudaArrayAccessSupported`).
    pub(crate) array_access: bool,
}

/// What lies between two devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub(crate) enum Link {
    /// NVLink, directly or through switches.
    Nvlink {
        /// Active links of the accessor that lead to the owner.
        links: u32,
    },
    /// Two devices of one board.
    Internal,
    /// One PCIe switch.
    PcieSwitch,
    /// Several PCIe switches, no host bridge.
    PcieSwitches,
    /// A PCIe host bridge.
    HostBridge,
    /// Several host bridges of one NUMA node.
    NumaNode,
    /// The connection between NUMA nodes.
    System,
}

impl std::fmt::Display for Link {
    /// The short name that `nvidia-smi topo` uses.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Nvlink { links } => return write!(f, "NV{links}"),
            Self::Internal => "PSB",
            Self::PcieSwitch => "PIX",
            Self::PcieSwitches => "PXB",
            Self::HostBridge => "PHB",
            Self::NumaNode => "NODE",
            Self::System => "SYS",
        })
    }
}

/// Describes the machine, by a child.
///
/// # Errors
/// The simulator's configuration makes no sense, the machine cannot be opened, or the child hung or died.
pub(crate) fn inspect(options: &MachineOptions) -> Result<Machine, CliError> {
    check_configuration(&options.machine)?;
    let mut machine = None;
    let mut failure = None;
    let outcome = delegate(&options.machine, &Work::Survey, options.deadline, |message| {
        match message {
            Message::Machine(found) => machine = Some(*found),
            Message::Failed { error } => failure = Some(error),
            _ => return Err(Unexpected),
        }
        Ok(())
    })?;
    match (failure, machine, outcome.ending) {
        (Some(error), _, _) => Err(CliError::Cuda(error)),
        (None, Some(machine), Ending::Done) => Ok(machine),
        (None, _, ending) => {
            let complaint =
                if outcome.complaint.is_empty() { String::new() } else { format!("\n{}", outcome.complaint) };
            Err(CliError::Cuda(format!("asking the machine for its devices: {ending}{complaint}")))
        }
    }
}

impl Machine {
    /// What is known of an ordered pair.
    pub(crate) fn pair(&self, pair: OrderedPair) -> Option<&PairInfo> {
        self.pairs.iter().find(|info| info.pair == pair)
    }

    /// NVLinks of either side of a pair that are down, if it goes over NVLink. It then works, at less than its speed.
    pub(crate) fn links_down(&self, pair: &PairInfo) -> u32 {
        let down = |ordinal: u32| {
            let info = self.devices.iter().find(|info| info.ordinal == ordinal);
            info.and_then(|info| info.nvlinks).map_or(0, |links| links.down)
        };
        match pair.link {
            Some(Link::Nvlink { .. }) => down(pair.pair.accessor).max(down(pair.pair.owner)),
            _ => 0,
        }
    }

    /// Why no pair can be tested, if none can.
    pub(crate) fn nothing_to_test(&self) -> Option<String> {
        match self.devices.len() {
            0 => Some("there is no device".to_owned()),
            1 => Some("there is one device, and peer access takes two".to_owned()),
            _ if self.pairs.iter().all(|pair| !pair.can_access) => {
                Some("no device can access another's memory".to_owned())
            }
            _ => None,
        }
    }
}
