//! Pairs without access, and calls that fail: by NVML's word, else as they are.

use super::super::facts::{Facts, Pair, trial_source};
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::super::snapshot::{Failure, TrialOutcome};
use crate::options::OrderedPair;
use crate::topo::BusId;

/// Pairs without access that nothing before explains, then calls that failed, then GPUs that do not answer.
pub(super) fn find(facts: &Facts<'_>, found: &[Finding]) -> Vec<Finding> {
    let explained = |pair: OrderedPair| found.iter().any(|finding| finding.blocks(pair));
    let without: Vec<&Pair<'_>> =
        facts.pairs.iter().filter(|pair| !pair.info.can_access && !explained(pair.info.pair)).collect();
    let mut more = Vec::new();
    for condition in [Condition::ProductWithoutP2p, Condition::ChipsetWithoutP2p, Condition::DisabledInDriver]
    {
        let is = |pair: &&&Pair<'_>| by_status(facts, pair) == Some(condition);
        let those: Vec<&Pair<'_>> = without.iter().filter(is).copied().collect();
        if let Some(first) = those.first() {
            more.push(by_nvml(facts, condition, &those, nvml_status(facts, first).unwrap_or_default()));
        }
    }
    let named = |pair: OrderedPair| more.iter().any(|finding: &Finding| finding.blocks(pair));
    let rest: Vec<&Pair<'_>> = without.into_iter().filter(|pair| !named(pair.info.pair)).collect();
    if let Some(first) = rest.first() {
        more.push(unexplained(facts, &rest, first));
    }
    more.extend(failures(facts, found));
    more
}

/// NVML's word on reading the owner's memory.
fn nvml_status<'a>(facts: &Facts<'a>, pair: &Pair<'_>) -> Option<&'a str> {
    let address = |bus_id: &str| BusId::parse(bus_id).map(|bus_id| bus_id.to_string());
    let (accessor, owner) = (address(&pair.accessor.info.bus_id)?, address(&pair.owner.info.bus_id)?);
    let pairs = &facts.snapshot.nvml.pairs;
    let said = pairs.iter().find(|said| said.accessor == accessor && said.owner == owner)?;
    // Reading can be allowed where writing is not, and the other way round.
    Some(if said.read == "ok" { said.write.as_str() } else { said.read.as_str() })
}

/// The cause that NVML's word stands for.
fn by_status(facts: &Facts<'_>, pair: &Pair<'_>) -> Option<Condition> {
    // Of these products NVML says that the chipset does not carry it, whatever the chipset.
    let geforce = [pair.accessor, pair.owner].iter().any(|gpu| gpu.info.name.contains("GeForce"));
    match nvml_status(facts, pair)? {
        "gpu_not_supported" => Some(Condition::ProductWithoutP2p),
        "chipset_not_supported" | "topology_not_supported" if geforce => Some(Condition::ProductWithoutP2p),
        "chipset_not_supported" | "topology_not_supported" => Some(Condition::ChipsetWithoutP2p),
        "disabled_by_registry" => Some(Condition::DisabledInDriver),
        _ => None,
    }
}

/// Whether NVML names a cause that has nothing to do with where the machine runs.
pub(super) fn is_the_products(facts: &Facts<'_>, pair: &Pair<'_>) -> bool {
    matches!(by_status(facts, pair), Some(Condition::ProductWithoutP2p | Condition::DisabledInDriver))
}

fn by_nvml(facts: &Facts<'_>, condition: Condition, pairs: &[&Pair<'_>], status: &str) -> Finding {
    let options = &facts.snapshot.system.driver_options;
    let mut finding = Finding::new(condition, Effect::Blocks, Certainty::Likely)
        .pairs(pairs.iter().map(|pair| pair.info.pair))
        .read("NVML, peer access", status)
        .read("the CUDA runtime", "no access");
    match condition {
        Condition::ProductWithoutP2p => finding
            .means("The driver grants peer access only between products that have it; most GeForce cards do not, over PCIe.")
            .remedy("Nothing on this machine: copies are staged through the host. Professional and data centre cards have it."),
        Condition::ChipsetWithoutP2p => finding
            .means("The driver knows this chipset, or the place of these two slots, as one that does not carry peer traffic.")
            .remedy("Put the GPUs into slots below one root or one switch, as 'cuda-p2p topo' shows them."),
        _ => {
            if let Some(words) = options.get("RegistryDwords").filter(|words| !words.is_empty()) {
                finding = finding.read("/proc/driver/nvidia/params, RegistryDwords", words);
            }
            finding
                .means("An option of the driver's kernel part switches peer access off.")
                .remedy("Take the option out of /etc/modprobe.d (NVreg_RegistryDwords), and load the driver anew.")
        }
    }
}

fn unexplained(facts: &Facts<'_>, pairs: &[&Pair<'_>], first: &Pair<'_>) -> Finding {
    let mut finding = Finding::new(Condition::NoAccess, Effect::Blocks, Certainty::Certain)
        .pairs(pairs.iter().map(|pair| pair.info.pair))
        .read("the CUDA runtime", format!("{}: no access", first.info.pair));
    if let Some(status) = nvml_status(facts, first) {
        finding = finding.read("NVML, peer access", status);
    }
    if let Some(path) = first.info.pcie_path {
        finding = finding.read("/sys/bus/pci/devices", format!("the path between the two: {path}"));
    }
    finding
        .means("The runtime grants no access, and nothing that was read says why; copies are staged through the host.")
        .remedy("Compare with 'nvidia-smi topo -p2p r', and look at the driver's messages in 'dmesg'.")
}

/// Calls that failed, those of one code together; and GPUs that do not answer.
fn failures(facts: &Facts<'_>, found: &[Finding]) -> Vec<Finding> {
    let whole_machine = |finding: &Finding| finding.effect == Effect::Blocks && finding.pairs.is_none();
    let mut more: Vec<Finding> = Vec::new();
    for (index, text) in &facts.snapshot.nvml.lost {
        more.push(
            Finding::new(Condition::GpuLost, Effect::Blocks, Certainty::Certain)
                .read(format!("NVML, GPU {index}"), text)
                .means("The driver counts this GPU and cannot speak to it: it has fallen off the bus, or has failed.")
                .remedy("Look for Xid messages in 'dmesg' (79 means off the bus), then restart the machine; check power and seat."),
        );
    }
    let start = facts.snapshot.cuda.failure.as_ref();
    if let Some(failure) = start.filter(|_| more.is_empty() && !found.iter().any(whole_machine)) {
        more.push(call_fails(failure, None));
    }
    for pair in &facts.pairs {
        let Some(TrialOutcome::Failed { failure, .. }) = pair.trial else { continue };
        if found.iter().any(|finding| finding.blocks(pair.info.pair)) {
            continue;
        }
        let condition = condition_of(failure);
        let same = more.iter_mut().find(|finding| finding.condition == condition && finding.pairs.is_some());
        match same {
            Some(finding) => finding.pairs.iter_mut().for_each(|pairs| pairs.push(pair.info.pair)),
            None => more.push(call_fails(failure, Some(pair.info.pair))),
        }
    }
    more
}

fn condition_of(failure: &Failure) -> Condition {
    if failure.is("cudaErrorTooManyPeers") { Condition::TooManyPeers } else { Condition::CallFails }
}

fn call_fails(failure: &Failure, pair: Option<OrderedPair>) -> Finding {
    let condition = condition_of(failure);
    let source = pair.map_or("the CUDA runtime".to_owned(), trial_source);
    let finding =
        Finding::new(condition, Effect::Blocks, Certainty::Certain).read(source, failure.first_line());
    let finding = match condition {
        Condition::TooManyPeers => finding
            .means(
                "A GPU can have eight peers at once where no NVSwitch connects them, and this one has them.",
            )
            .remedy("Enable access only between the GPUs that need it, in each process."),
        _ => finding
            .means("The call fails, and nothing that was read says why.")
            .remedy("Do what the message says, and look at 'nvidia-smi' and 'dmesg'."),
    };
    match pair {
        Some(pair) => finding.pairs([pair]),
        None => finding,
    }
}
