//! Links that carry less than they could.

use super::super::facts::{Facts, Gpu, Pair};
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::super::snapshot::NvmlGpu;
use super::list;

/// NVLinks that are down, and PCIe links that have lost lanes.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    nvlinks(facts).into_iter().chain(lanes(facts)).collect()
}

/// "NVML, GPU 3 (0000:1e:00.0)".
fn source(gpu: &NvmlGpu) -> String {
    format!("NVML, GPU {} ({})", gpu.index, gpu.bus_id)
}

fn nvlinks(facts: &Facts<'_>) -> Option<Finding> {
    let gpus = &facts.snapshot.nvml.gpus;
    let down: Vec<(&NvmlGpu, u32, u32)> = gpus
        .iter()
        .filter_map(|gpu| gpu.nvlinks.map(|links| (gpu, links.up, links.down)))
        .filter(|(_, _, down)| *down > 0)
        .collect();
    let over_nvlink = |pair: &&Pair<'_>| {
        let is_down = |gpu: Gpu<'_>| {
            gpu.nvml.is_some_and(|nvml| down.iter().any(|(other, _, _)| other.bus_id == nvml.bus_id))
        };
        pair.is_nvlink() && (is_down(pair.accessor) || is_down(pair.owner))
    };
    let pairs: Vec<_> = facts.pairs.iter().filter(over_nvlink).map(|pair| pair.info.pair).collect();
    if pairs.is_empty() {
        return None;
    }
    // Some products come with links that nothing is wired to; then all of a kind have as many.
    let uneven = down.iter().any(|(gpu, up, _)| {
        gpus.iter().any(|other| other.name == gpu.name && other.nvlinks.is_some_and(|links| links.up > *up))
    });
    let certainty = if uneven { Certainty::Certain } else { Certainty::Likely };
    let mut finding = Finding::new(Condition::LinksDown, Effect::Slows, certainty).pairs(pairs);
    for (gpu, up, down) in down.iter().take(8) {
        finding = finding.read(source(gpu), format!("{down} of {} NVLinks down", up + down));
    }
    Some(
        finding
            .means("The pairs work over the links that are left, at that part of their speed.")
            .remedy(
                "Look at 'nvidia-smi nvlink -s' and '-e', and for Xid 74 in 'dmesg'; restart the GPU; if links stay down, have the \
                 board and the switch tray looked at.",
            ),
    )
}

fn lanes(facts: &Facts<'_>) -> Option<Finding> {
    let narrow: Vec<&NvmlGpu> = facts
        .snapshot
        .nvml
        .gpus
        .iter()
        .filter(|gpu| gpu.pcie.is_some_and(|pcie| pcie.current < pcie.most))
        .collect();
    if narrow.is_empty() {
        return None;
    }
    let mut pairs: Vec<_> = narrow.iter().flat_map(|gpu| facts.pairs_of(gpu)).collect();
    pairs.sort_by_key(|pair| (pair.accessor, pair.owner));
    pairs.dedup();
    let mut finding = Finding::new(Condition::PcieNarrow, Effect::Slows, Certainty::Certain);
    if !pairs.is_empty() {
        finding = finding.pairs(pairs);
    }
    for gpu in narrow.iter().take(8) {
        if let Some(pcie) = gpu.pcie {
            finding =
                finding.read(source(gpu), format!("{} of {} PCIe lanes in use", pcie.current, pcie.most));
        }
    }
    let names = list(narrow.iter().map(|gpu| gpu.index));
    Some(
        finding
            .means("Copies to and from the host, staged ones, and peer access over PCIe run at that part of their speed.")
            .remedy(format!(
                "Seat the card and its riser anew (GPU {names}), and look whether its slot shares lanes with another one."
            )),
    )
}
