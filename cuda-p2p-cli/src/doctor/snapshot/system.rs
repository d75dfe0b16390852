//! What the kernel tells, by /proc and /sys.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::topo::PciPlace;

/// What the kernel tells. What is absent could not be read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct System {
    /// Release of the kernel.
    pub(crate) kernel: Option<String>,
    /// Words of the kernel's command line that have to do with IOMMU, PCI or the driver; the others are not kept.
    pub(crate) command_line: Option<Vec<String>>,
    /// IOMMUs in use, by their names in /sys/class/iommu.
    pub(crate) iommus: Option<Vec<String>>,
    /// Whether the processor says that this is a virtual machine.
    pub(crate) hypervisor: Option<bool>,
    /// Maker and name of the machine, which name the hypervisor in a virtual one.
    pub(crate) product: Option<String>,
    /// Whether this is Windows' subsystem for Linux.
    pub(crate) wsl: bool,
    /// Where the process lives.
    pub(crate) container: Container,
    /// GPUs, NVSwitches, and the bridges above them.
    pub(crate) pci: Vec<PciDevice>,
    /// Release of the driver's kernel part, e.g. "580.159.04".
    pub(crate) driver_version: Option<String>,
    /// Options of the driver's kernel part that change peer access.
    pub(crate) driver_options: BTreeMap<String, String>,
    /// Environment variables that change peer access. Those that only name tools are kept without their values.
    pub(crate) environment: BTreeMap<String, String>,
    /// Whether a debugger is attached.
    pub(crate) traced: bool,
    /// Libraries of tools that watch CUDA, found in this process.
    pub(crate) tools: Vec<String>,
}

/// Where the process lives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Container {
    /// Whether its process ids are its own, apart from the machine's.
    pub(crate) own_pid_namespace: Option<bool>,
    /// Whether its shared memory and semaphores are its own.
    pub(crate) own_ipc_namespace: Option<bool>,
    /// Bytes that /dev/shm can hold; absent if there is none.
    pub(crate) shm_bytes: Option<u64>,
}

/// One PCI device: a GPU, a switch, or a bridge above one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PciDevice {
    /// PCI address as sysfs spells it.
    pub(crate) address: String,
    /// Number of its maker, e.g. 0x10de for NVIDIA.
    pub(crate) vendor: u32,
    /// The maker's number of the product.
    pub(crate) device: u32,
    /// PCI class, 24 bits.
    pub(crate) class: u32,
    /// Where it stands.
    pub(crate) place: PciPlace,
    /// Kernel driver, e.g. "nvidia" or "vfio-pci".
    pub(crate) driver: Option<String>,
    /// How the IOMMU treats it: "identity", "DMA", "DMA-FQ"; absent without an IOMMU.
    pub(crate) iommu_type: Option<String>,
    /// Access control of a bridge.
    pub(crate) acs: Acs,
    /// The clique in which a hypervisor allows peer access, if it names one.
    pub(crate) p2p_clique: Option<u8>,
    /// Whether all of its configuration could be read, which takes root.
    pub(crate) config_readable: bool,
}

/// PCIe Access Control Services of a bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub(crate) enum Acs {
    /// It could not be read: that takes root.
    Unreadable,
    /// The device has none.
    Absent,
    /// It has.
    Present {
        /// The control register: what is on.
        control: u16,
    },
}

impl Acs {
    /// The bits that send a peer's requests and answers up to the root instead of straight across: "P2P request redirect" and
    /// "P2P completion redirect".
    const REDIRECT: u16 = 0x04 | 0x08;

    /// Whether peer traffic is sent up; `None` if that could not be read.
    pub(crate) fn redirects(self) -> Option<bool> {
        match self {
            Self::Unreadable => None,
            Self::Absent => Some(false),
            Self::Present { control } => Some(control & Self::REDIRECT != 0),
        }
    }
}

impl System {
    /// The device at this address.
    pub(crate) fn pci_device(&self, address: &str) -> Option<&PciDevice> {
        self.pci.iter().find(|device| device.address == address)
    }

    /// An environment variable, if it is set to something.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}
