//! NVSwitch fabrics, which a service of the host has to set up.

use super::super::facts::{Facts, Pair};
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::super::snapshot::NvmlGpu;
use crate::options::OrderedPair;

/// A fabric that is not set up: CUDA does not start (802), or GPUs are not registered.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    let failure = facts.failures().find(|(_, failure)| failure.is("cudaErrorSystemNotReady"));
    let nvml = &facts.snapshot.nvml;
    let unregistered: Vec<(&NvmlGpu, String)> = nvml
        .gpus
        .iter()
        .filter_map(|gpu| {
            let fabric = gpu.fabric.as_ref()?;
            let waiting = matches!(fabric.state.as_str(), "not_started" | "in_progress");
            let failed = fabric.state == "completed" && fabric.status != 0;
            (waiting || failed).then(|| (gpu, format!("state {}, status {}", fabric.state, fabric.status)))
        })
        .collect();
    // A registration that goes on while CUDA works is none of these pairs' business.
    if failure.is_none() && (unregistered.is_empty() || facts.pairs.iter().any(|pair| pair.info.can_access)) {
        return Vec::new();
    }
    let certainty =
        if unregistered.is_empty() || failure.is_none() { Certainty::Likely } else { Certainty::Certain };
    let mut finding = Finding::new(Condition::FabricNotReady, Effect::Blocks, certainty);
    if let Some((_, failure)) = failure {
        finding = finding.read("the CUDA runtime", failure.first_line());
    }
    if !facts.pairs.is_empty() {
        let refused = |pair: OrderedPair| {
            let mut refused = facts.failures().filter(|(_, failure)| failure.is("cudaErrorSystemNotReady"));
            refused.any(|(other, _)| other == Some(pair))
        };
        let without = |pair: &&Pair<'_>| !pair.info.can_access || refused(pair.info.pair);
        finding = finding.pairs(facts.pairs.iter().filter(without).map(|pair| pair.info.pair));
    }
    for (gpu, read) in unregistered.iter().take(4) {
        finding = finding.read(format!("NVML, fabric of GPU {} ({})", gpu.index, gpu.bus_id), read.as_str());
    }
    let switches = facts.snapshot.system.pci.iter().filter(|device| device.class >> 8 == 0x0680).count();
    if switches > 0 {
        finding = finding.read("/sys/bus/pci/devices", format!("{switches} NVSwitches"));
    }
    let service = if facts.is_virtual() && switches == 0 {
        "The fabric manager runs on the host of this virtual machine: have it started there, and the partition of these GPUs activated."
    } else {
        "Start it: 'systemctl start nvidia-fabricmanager' (of exactly the driver's release); then look at 'nvidia-smi -q -d FABRIC', \
         or at the Fabric section of 'nvidia-smi -q'."
    };
    vec![
        finding
            .means(
                "GPUs on NVSwitches wait until the fabric manager has set up their routes; until then CUDA does not start, or they \
                 are no peers.",
            )
            .remedy(service),
    ]
}
