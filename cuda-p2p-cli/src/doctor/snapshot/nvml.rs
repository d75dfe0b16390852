//! What NVML tells.

use serde::{Deserialize, Serialize};

use crate::topo::Nvlinks;

/// What NVML tells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Nvml {
    /// Why it tells nothing, if so.
    pub(crate) missing_because: Option<String>,
    /// Release of the driver's user-space part, e.g. "580.159.04".
    pub(crate) driver_version: Option<String>,
    /// Newest CUDA release that the driver supports, e.g. "13.0".
    pub(crate) cuda_version: Option<String>,
    /// Confidential computing, where the driver knows of it.
    pub(crate) confidential: Option<Confidential>,
    /// Every GPU that it lists, by its index.
    pub(crate) gpus: Vec<NvmlGpu>,
    /// GPUs that it counts and cannot open, with what it says: index, then text.
    pub(crate) lost: Vec<(u32, String)>,
    /// What it says of pairs of GPUs, by bus id.
    pub(crate) pairs: Vec<NvmlPair>,
}

/// The state of confidential computing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Confidential {
    /// Whether it is on.
    pub(crate) enabled: bool,
    /// Whether several GPUs share one protected domain.
    pub(crate) multi_gpu: bool,
}

/// One GPU. What is absent was not told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NvmlGpu {
    /// nvidia-smi's number of it.
    pub(crate) index: u32,
    /// PCI address as sysfs spells it.
    pub(crate) bus_id: String,
    /// The product's name.
    pub(crate) name: Option<String>,
    /// Whether it is split into MIG instances.
    pub(crate) mig: Option<bool>,
    /// "default", "exclusive_process" or "prohibited".
    pub(crate) compute_mode: Option<String>,
    /// Whether the driver stays loaded while nobody uses it.
    pub(crate) persistence: Option<bool>,
    /// P-state, 0 the fastest.
    pub(crate) performance_state: Option<u32>,
    /// Why its clocks are held down by a fault: "hw_slowdown", "hw_thermal", "sw_thermal", "hw_power_brake".
    pub(crate) slowdowns: Vec<String>,
    /// Bytes of memory that PCI devices can address.
    pub(crate) bar1_bytes: Option<u64>,
    /// Bytes of memory.
    pub(crate) memory_bytes: Option<u64>,
    /// Its place in an NVSwitch fabric, where it has one.
    pub(crate) fabric: Option<Fabric>,
    /// Its NVLinks, if one is up.
    pub(crate) nvlinks: Option<Nvlinks>,
    /// Width of its PCIe link.
    pub(crate) pcie: Option<PcieWidth>,
    /// "none", "pass_through", "vgpu" and the like.
    pub(crate) virtualization: Option<String>,
}

/// A GPU's place in an NVSwitch fabric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fabric {
    /// "not_supported", "not_started", "in_progress", "completed".
    pub(crate) state: String,
    /// NVML's status code of the registration, 0 for success.
    pub(crate) status: u32,
}

/// Lanes of a PCIe link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PcieWidth {
    /// In use.
    pub(crate) current: u32,
    /// That the GPU and its slot could use.
    pub(crate) most: u32,
}

/// What NVML says of peer access between two GPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NvmlPair {
    /// The one that accesses, by bus id.
    pub(crate) accessor: String,
    /// The one whose memory it is, by bus id.
    pub(crate) owner: String,
    /// Reading: "ok", "chipset_not_supported", "gpu_not_supported", "topology_not_supported", "disabled_by_registry",
    /// "not_supported", "unknown".
    pub(crate) read: String,
    /// Writing, in the same words.
    pub(crate) write: String,
}
