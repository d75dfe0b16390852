//! Peer access that lies, where no cause was found: what was seen is said, and what was looked at.

use super::super::facts::{Facts, Pair, trial_source};
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::super::snapshot::TrialOutcome;
use crate::verify::{Kind, Step};

/// Wrong data, hangs and deaths that nothing before explains.
pub(super) fn find(facts: &Facts<'_>, found: &[Finding]) -> Vec<Finding> {
    let left = |pair: &&Pair<'_>| !found.iter().any(|finding| finding.blocks(pair.info.pair));
    let pairs: Vec<&Pair<'_>> = facts.pairs.iter().filter(|pair| pair.breaks()).filter(left).collect();
    let kinds = [
        (Condition::WritesLost, is_lost as fn(&TrialOutcome) -> bool),
        (Condition::WrongData, |outcome| matches!(outcome, TrialOutcome::Wrong { .. }) && !is_lost(outcome)),
        (Condition::TransferHangs, |outcome| matches!(outcome, TrialOutcome::Hung { .. })),
        (Condition::TransferDies, |outcome| matches!(outcome, TrialOutcome::Died { .. })),
    ];
    kinds
        .iter()
        .filter_map(|(condition, is)| {
            let those: Vec<&Pair<'_>> =
                pairs.iter().copied().filter(|pair| pair.trial.is_some_and(is)).collect();
            (!those.is_empty()).then(|| finding(facts, *condition, &those))
        })
        .collect()
}

/// Whether reads are right, and what the accessor writes does not arrive.
fn is_lost(outcome: &TrialOutcome) -> bool {
    let is_write = |step: &Step| matches!(step, Step::EngineWrite | Step::KernelWrite | Step::Flags);
    let is_lost = |kind: &Kind| matches!(kind, Kind::Dropped | Kind::Mirrored);
    match outcome {
        TrialOutcome::Wrong { steps, kinds, .. } => steps.iter().all(is_write) && kinds.iter().all(is_lost),
        _ => false,
    }
}

fn finding(facts: &Facts<'_>, condition: Condition, pairs: &[&Pair<'_>]) -> Finding {
    let mut finding = Finding::new(condition, Effect::Blocks, Certainty::Certain)
        .pairs(pairs.iter().map(|pair| pair.info.pair));
    for pair in pairs.iter().take(4) {
        finding = finding.read(trial_source(pair.info.pair), pair.trial_in_words());
    }
    let meaning = match condition {
        Condition::WritesLost => {
            "Every call succeeds, and the owner never sees what the accessor writes; the accessor may read its own writes \
             back, so that a check from its side alone finds nothing."
        }
        Condition::WrongData => "Every call succeeds, and the bytes that arrive are wrong.",
        Condition::TransferHangs => "Access is granted, and the transfer never ends.",
        _ => "Access is granted, and the process that uses it dies.",
    };
    finding
        .means(format!("{meaning} No cause was found in what could be read: {}.", looked_at(facts, pairs)))
        .remedy(remedy(facts, pairs))
}

/// What speaks for and against the usual causes.
fn looked_at(facts: &Facts<'_>, pairs: &[&Pair<'_>]) -> String {
    if facts.is_simulated() {
        return "the machine is simulated, and there is nothing to read but what the runtime does".to_owned();
    }
    let over_nvlink = pairs.iter().all(|pair| pair.is_nvlink());
    if over_nvlink {
        return "the pair goes over NVLink, where IOMMU and PCIe bridges are not on the way".to_owned();
    }
    let system = &facts.snapshot.system;
    let unreadable = system.pci.iter().any(|device| device.acs.redirects().is_none());
    let bridges = match (unreadable, facts.is_virtual()) {
        (_, true) => "bridges and IOMMU are the hypervisor's, and not seen from here",
        (true, false) => "access control of bridges (ACS) could not be read, which takes root",
        (false, false) => "no bridge redirects peer traffic",
    };
    let iommu = match &system.iommus {
        _ if facts.is_virtual() => return bridges.to_owned(),
        Some(units) if units.is_empty() => "no IOMMU is on",
        Some(_) => "no IOMMU is seen to translate between these GPUs",
        None => "whether there is an IOMMU is not shown",
    };
    format!("{iommu}; {bridges}")
}

fn remedy(facts: &Facts<'_>, pairs: &[&Pair<'_>]) -> &'static str {
    if facts.is_simulated() {
        "On a real machine: run this again as root, so that IOMMU and ACS can be read, and 'cuda-p2p verify' after each change."
    } else if pairs.iter().all(|pair| pair.is_nvlink()) {
        "Look for Xid messages in 'dmesg' and for errors in 'nvidia-smi nvlink -e', and restart the GPUs; if it stays, the board \
         has to be looked at."
    } else {
        "Run this again as root, so that ACS can be read; look for IOMMU faults and Xid messages in 'dmesg'; try another slot, and \
         'cuda-p2p verify' after each change."
    }
}
