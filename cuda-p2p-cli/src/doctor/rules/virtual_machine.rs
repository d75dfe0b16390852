//! Virtual machines: peer access over PCIe takes the hypervisor's word.

use super::super::facts::{Facts, Pair};
use super::super::finding::{Certainty, Condition, Effect, Finding};

/// Pairs over PCIe without access, in a virtual machine that puts the two into no common clique.
pub(super) fn find(facts: &Facts<'_>, found: &[Finding]) -> Vec<Finding> {
    if !facts.is_virtual() {
        return Vec::new();
    }
    let explained = |pair: &Pair<'_>| found.iter().any(|finding| finding.blocks(pair.info.pair));
    let pairs: Vec<&Pair<'_>> = facts
        .pairs
        .iter()
        .filter(|pair| !pair.info.can_access && !pair.is_nvlink() && !explained(pair))
        .filter(|pair| !super::access::is_the_products(facts, pair) && clique(pair) != Some(true))
        .collect();
    let Some(first) = pairs.first() else { return Vec::new() };
    let readable = pairs.iter().all(|pair| clique(pair).is_some());
    let certainty = if readable { Certainty::Likely } else { Certainty::Possible };
    let mut finding = Finding::new(Condition::VmWithoutClique, Effect::Blocks, certainty)
        .pairs(pairs.iter().map(|pair| pair.info.pair))
        .read("/proc/cpuinfo", "the flag 'hypervisor'");
    if let Some(product) = &facts.snapshot.system.product {
        finding = finding.read("/sys/class/dmi/id", product);
    }
    for gpu in [first.accessor, first.owner] {
        let Some(pci) = gpu.pci else { continue };
        let read = match (pci.p2p_clique, pci.config_readable) {
            (Some(clique), _) => format!("GPUDirect clique {clique}"),
            (None, true) => "no GPUDirect clique".to_owned(),
            (None, false) => "could not be read, which takes root".to_owned(),
        };
        finding = finding.read(format!("/sys/bus/pci/devices/{}/config", pci.address), read);
    }
    vec![
        finding
            .means(
                "The driver cannot see in a virtual machine whether two GPUs can reach each other over PCIe, and grants it only \
                 where the hypervisor puts both into one GPUDirect clique.",
            )
            .remedy(
                "If the host's bridges let the GPUs reach each other, give both the same clique: with QEMU \
                 'x-nv-gpudirect-clique=0' on each vfio-pci device; with a cloud, choose a machine type with NVLink.",
            ),
    ]
}

/// Whether both are in one clique; `None` if that could not be read.
fn clique(pair: &Pair<'_>) -> Option<bool> {
    let (accessor, owner) = (pair.accessor.pci?, pair.owner.pci?);
    match (accessor.p2p_clique, owner.p2p_clique) {
        (Some(one), Some(other)) => Some(one == other),
        _ if accessor.config_readable && owner.config_readable => Some(false),
        _ => None,
    }
}
