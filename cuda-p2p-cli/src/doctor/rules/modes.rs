//! Modes of a GPU in which it has no peers, or takes nobody: MIG, confidential computing, compute mode.

use super::super::facts::Facts;
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::super::snapshot::NvmlGpu;
use super::list;

/// GPUs in such a mode.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    [mig(facts), confidential(facts), prohibited(facts), exclusive(facts)].into_iter().flatten().collect()
}

fn in_mode<'a>(facts: &Facts<'a>, is: impl Fn(&NvmlGpu) -> bool) -> Vec<&'a NvmlGpu> {
    facts.snapshot.nvml.gpus.iter().filter(|gpu| is(gpu)).collect()
}

/// About the pairs of these GPUs; about the machine if CUDA lists no such pair.
fn about(facts: &Facts<'_>, gpus: &[&NvmlGpu], finding: Finding) -> Finding {
    let mut pairs: Vec<_> = gpus.iter().flat_map(|gpu| facts.pairs_of(gpu)).collect();
    pairs.sort_by_key(|pair| (pair.accessor, pair.owner));
    pairs.dedup();
    if pairs.is_empty() { finding } else { finding.pairs(pairs) }
}

fn names(gpus: &[&NvmlGpu]) -> String {
    list(gpus.iter().map(|gpu| format!("{} ({})", gpu.index, gpu.bus_id)))
}

fn mig(facts: &Facts<'_>) -> Option<Finding> {
    let gpus = in_mode(facts, |gpu| gpu.mig == Some(true));
    if gpus.is_empty() {
        return None;
    }
    let finding = Finding::new(Condition::Mig, Effect::Blocks, Certainty::Certain)
        .read("NVML, MIG mode", format!("on for GPU {}", names(&gpus)))
        .means("A GPU that is split into MIG instances is nobody's peer, and a process sees one instance at a time.")
        .remedy("Where whole GPUs are wanted: 'nvidia-smi -i INDEX -mig 0' as root, with nobody using the GPU.");
    Some(about(facts, &gpus, finding))
}

fn confidential(facts: &Facts<'_>) -> Option<Finding> {
    let state = facts.snapshot.nvml.confidential.filter(|state| state.enabled)?;
    let without = facts.pairs.is_empty() || facts.pairs.iter().any(|pair| !pair.info.can_access);
    if !without {
        return None;
    }
    let multi_gpu = if state.multi_gpu { "protected PCIe" } else { "none" };
    let finding = Finding::new(Condition::ConfidentialComputing, Effect::Blocks, Certainty::Certain)
        .read("NVML, confidential computing", format!("on; several GPUs: {multi_gpu}"))
        .means("GPUs in confidential mode encrypt what leaves them, and have no peers but in a protected group.")
        .remedy(
            "Use protected PCIe with all GPUs of the board in one virtual machine, or switch confidential mode off on the host.",
        );
    let pairs = facts.pairs.iter().filter(|pair| !pair.info.can_access).map(|pair| pair.info.pair);
    Some(if facts.pairs.is_empty() { finding } else { finding.pairs(pairs) })
}

fn prohibited(facts: &Facts<'_>) -> Option<Finding> {
    let gpus = in_mode(facts, |gpu| gpu.compute_mode.as_deref() == Some("prohibited"));
    if gpus.is_empty() {
        return None;
    }
    let finding = Finding::new(Condition::ComputeMode, Effect::Blocks, Certainty::Certain)
        .read("NVML, compute mode", format!("prohibited for GPU {}", names(&gpus)))
        .means("Nobody may use the GPU for CUDA.")
        .remedy("'nvidia-smi -i INDEX -c DEFAULT' as root.");
    Some(about(facts, &gpus, finding))
}

fn exclusive(facts: &Facts<'_>) -> Option<Finding> {
    let gpus = in_mode(facts, |gpu| gpu.compute_mode.as_deref() == Some("exclusive_process"));
    if gpus.is_empty() {
        return None;
    }
    let busy = facts.failures().find(|(_, failure)| failure.is("cudaErrorDevicesUnavailable"));
    let finding = match busy {
        Some((_, failure)) => Finding::new(Condition::ComputeMode, Effect::Blocks, Certainty::Likely)
            .read("the CUDA runtime", failure.first_line()),
        None => Finding::new(Condition::ComputeMode, Effect::Notice, Certainty::Certain),
    };
    let finding = finding
        .read("NVML, compute mode", format!("exclusive to one process for GPU {}", names(&gpus)))
        .means("One process at a time may use the GPU: a second one fails, and so does each rank that uses its neighbour's GPU.")
        .remedy("'nvidia-smi -i INDEX -c DEFAULT' as root, or one process for all GPUs.");
    Some(about(facts, &gpus, finding))
}
