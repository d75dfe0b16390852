//! What the doctor knows: facts of the system, of NVML and of CUDA, as they were read. Can be saved, and holds nothing private.

mod cuda;
mod nvml;
mod system;

use serde::{Deserialize, Serialize};

pub(crate) use cuda::{CudaFacts, Failure, PairSpeed, Trial, TrialOutcome};
pub(crate) use nvml::{Confidential, Fabric, Nvml, NvmlGpu, NvmlPair, PcieWidth};
pub(crate) use system::{Acs, Container, PciDevice, System};

/// Version of the snapshot's shape. A field that goes, or changes its meaning, makes a new one.
pub(crate) const SCHEMA: &str = "cuda-p2p.snapshot/1";

/// What the doctor knows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// Name and version of this shape.
    pub(crate) schema: String,
    /// Version of the command that made it.
    pub(crate) version: String,
    /// What the kernel tells; nothing for a simulated machine, which it knows nothing of.
    pub(crate) system: System,
    /// What NVML tells; nothing for a simulated machine.
    pub(crate) nvml: Nvml,
    /// What the CUDA runtime tells.
    pub(crate) cuda: CudaFacts,
    /// Measured speeds, if there are some.
    #[serde(default)]
    pub(crate) speeds: Vec<PairSpeed>,
}

impl Snapshot {
    /// A snapshot of this version's shape.
    pub(crate) fn new(system: System, nvml: Nvml, cuda: CudaFacts) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { schema: SCHEMA.to_owned(), version, system, nvml, cuda, speeds: Vec::new() }
    }
}
