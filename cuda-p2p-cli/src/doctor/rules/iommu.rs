//! An IOMMU between GPUs that speak to each other over PCIe.

use super::super::facts::{Facts, Pair, trial_source};
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::list;

/// Words of the kernel's command line that leave devices' addresses as they are.
const PASS_THROUGH: [&str; 6] =
    ["iommu=pt", "iommu.passthrough=1", "iommu=off", "intel_iommu=off", "amd_iommu=off", "iommu=soft"];

/// Pairs over PCIe whose addresses an IOMMU translates, and that lie, or were not tried.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    // Inside a virtual machine the IOMMU is the hypervisor's business.
    if facts.is_virtual() || facts.is_simulated() {
        return Vec::new();
    }
    let concerned = |pair: &&Pair<'_>| pair.info.can_access && !pair.is_nvlink();
    let translated = |pair: &&Pair<'_>| translates(facts, pair).is_some();
    let pairs: Vec<&Pair<'_>> = facts.pairs.iter().filter(concerned).filter(translated).collect();
    // Where every byte arrives, the IOMMU is no obstacle.
    let (lying, others): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|pair| pair.lies());
    let untried: Vec<_> = others.into_iter().filter(|pair| pair.trial.is_none()).collect();
    let read = |pair: &&Pair<'_>| translates(facts, pair).is_some_and(|read| read);
    let certainty = if lying.iter().all(read) { Certainty::Likely } else { Certainty::Possible };
    let blocks = described(facts, &lying, Effect::Blocks, certainty);
    let notice = described(facts, &untried, Effect::Notice, Certainty::Possible);
    blocks.into_iter().chain(notice).collect()
}

fn described(
    facts: &Facts<'_>,
    pairs: &[&Pair<'_>],
    effect: Effect,
    certainty: Certainty,
) -> Option<Finding> {
    let first = pairs.first()?;
    let mut finding = Finding::new(Condition::IommuTranslates, effect, certainty)
        .pairs(pairs.iter().map(|pair| pair.info.pair));
    for gpu in [first.accessor, first.owner] {
        if let Some((pci, kind)) = gpu.pci.and_then(|pci| Some((pci, pci.iommu_type.as_ref()?))) {
            finding = finding.read(format!("/sys/bus/pci/devices/{}/iommu_group/type", pci.address), kind);
        }
    }
    let system = &facts.snapshot.system;
    if let Some(units) = system.iommus.as_ref().filter(|units| !units.is_empty()) {
        finding = finding.read("/sys/class/iommu", list(units));
    }
    if let Some(words) = &system.command_line {
        let words = if words.is_empty() { "nothing about an IOMMU".to_owned() } else { words.join(" ") };
        finding = finding.read("/proc/cmdline", words);
    }
    for pair in pairs.iter().filter(|pair| pair.lies()).take(2) {
        finding = finding.read(trial_source(pair.info.pair), pair.trial_in_words());
    }
    let meaning =
        "What one GPU sends another over PCIe passes the IOMMU, which does not know the other's addresses";
    let meaning = match effect {
        Effect::Notice => format!(
            "{meaning}: on many machines it is then dropped, or never ends; nobody has tried it here."
        ),
        _ => format!("{meaning}: it is dropped, or never ends, while every call succeeds."),
    };
    Some(finding.means(meaning).remedy(
        "Boot with iommu=pt on the kernel's command line, or switch the IOMMU off there (intel_iommu=off, amd_iommu=off) \
         or in the firmware; then run 'cuda-p2p verify'.",
    ))
}

/// Whether an IOMMU translates the pair's traffic: as it was read (true), or as the command line lets expect (false).
fn translates(facts: &Facts<'_>, pair: &Pair<'_>) -> Option<bool> {
    let kinds = [pair.accessor, pair.owner].map(|gpu| gpu.pci.and_then(|pci| pci.iommu_type.as_deref()));
    if kinds.iter().any(Option::is_some) {
        return kinds.iter().flatten().any(|kind| kind.starts_with("DMA")).then_some(true);
    }
    let system = &facts.snapshot.system;
    let units = system.iommus.as_ref().is_some_and(|units| !units.is_empty());
    let words = system.command_line.as_deref().unwrap_or_default();
    let passes = words.iter().any(|word| PASS_THROUGH.contains(&word.as_str()));
    // Groups are shown wherever there is an IOMMU, but for a container that hides them.
    (units && !passes && pair.accessor.pci.is_none()).then_some(false)
}
