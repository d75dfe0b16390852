//! BAR1: the window through which PCI devices address a GPU's memory.

use super::super::facts::{Facts, Pair};
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::super::snapshot::TrialOutcome;

/// Pairs on which enabling access fails since the owner's memory cannot be mapped.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    let unmapped = |pair: &&Pair<'_>| matches!(pair.trial, Some(TrialOutcome::Failed { failure, .. }) if failure.is("cudaErrorMapBufferObjectFailed"));
    let pairs: Vec<&Pair<'_>> = facts.pairs.iter().filter(unmapped).collect();
    let Some(first) = pairs.first() else { return Vec::new() };
    let sizes = |pair: &Pair<'_>| pair.owner.nvml.and_then(|gpu| Some((gpu.bar1_bytes?, gpu.memory_bytes?)));
    let small = pairs.iter().all(|pair| sizes(pair).is_some_and(|(bar1, memory)| bar1 < memory));
    let certainty = if small { Certainty::Certain } else { Certainty::Likely };
    let mut finding = Finding::new(Condition::Bar1TooSmall, Effect::Blocks, certainty)
        .pairs(pairs.iter().map(|pair| pair.info.pair))
        .read("the CUDA runtime", "cudaErrorMapBufferObjectFailed (205) when access is enabled");
    if let Some((bar1, memory)) = sizes(first) {
        let mebibytes = |bytes: u64| bytes >> 20;
        finding = finding.read(
            format!("NVML, {}", first.owner.name()),
            format!("BAR1 {} MiB, memory {} MiB", mebibytes(bar1), mebibytes(memory)),
        );
    }
    if let Some(value) = facts.snapshot.system.driver_options.get("EnableResizableBar") {
        finding = finding.read("/proc/driver/nvidia/params, EnableResizableBar", value);
    }
    vec![
        finding
            .means("Over PCIe one GPU addresses another's memory through its BAR1, and that is too small to hold it.")
            .remedy(
                "Switch 'Above 4G decoding' and 'Resizable BAR' on in the firmware's setup; 'nvidia-smi -q' then shows a BAR1 as \
                 large as the memory.",
            ),
    ]
}
