//! Which GPU is which: NVML's list against CUDA's.

use super::super::facts::Facts;
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::super::snapshot::NvmlGpu;
use super::list;

/// Numbers that differ, GPUs that a variable hides, and lists that do not agree.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    let nvml = &facts.snapshot.nvml;
    if facts.is_simulated() || nvml.gpus.is_empty() {
        return Vec::new();
    }
    let visible = facts.snapshot.system.environment.get("CUDA_VISIBLE_DEVICES");
    if facts.gpus.is_empty() {
        return visible.and_then(|value| all_hidden(facts, value)).into_iter().collect();
    }
    let unlisted: Vec<_> = facts.gpus.iter().filter(|gpu| gpu.nvml.is_none()).collect();
    let known =
        |bus_id: &str| facts.gpus.iter().any(|gpu| gpu.nvml.is_some_and(|nvml| nvml.bus_id == bus_id));
    let is_hidden = |gpu: &&NvmlGpu| {
        // Those that take nobody, or are split, are not listed whole.
        !known(&gpu.bus_id) && gpu.mig != Some(true) && gpu.compute_mode.as_deref() != Some("prohibited")
    };
    let hidden: Vec<_> = nvml.gpus.iter().filter(is_hidden).collect();
    let order: Vec<(u32, u32)> =
        facts.gpus.iter().filter_map(|gpu| Some((gpu.info.ordinal, gpu.nvml?.index))).collect();
    let same_order = order.iter().all(|(ordinal, index)| ordinal == index);
    let numbers = || list(order.iter().map(|(ordinal, index)| format!("{ordinal} is {index}")));

    if let Some(value) = visible.filter(|_| !hidden.is_empty() || !same_order) {
        let mut finding = Finding::new(Condition::VisibleDevices, Effect::Notice, Certainty::Certain)
            .read("CUDA_VISIBLE_DEVICES", format!("'{value}'"));
        if !hidden.is_empty() {
            finding = finding.read("NVML", format!("also GPU {}", list(hidden.iter().map(|gpu| gpu.index))));
        }
        if !same_order {
            finding = finding.read("CUDA's ordinal and nvidia-smi's index", numbers());
        }
        return vec![
            finding
                .means(
                    "CUDA shows this process only what the variable lists, in its order, and stops at the first entry that it does \
                     not know; ordinals then mean other GPUs than elsewhere.",
                )
                .remedy("Unset it to see all GPUs; name GPUs by bus id or UUID wherever two processes have to agree."),
        ];
    }
    let mut found = Vec::new();
    if visible.is_none() && (!hidden.is_empty() || !unlisted.is_empty()) {
        let mut finding = Finding::new(Condition::ListsDisagree, Effect::Notice, Certainty::Certain);
        if !hidden.is_empty() {
            let names = list(hidden.iter().map(|gpu| format!("{} ({})", gpu.index, gpu.bus_id)));
            finding = finding.read("NVML only", format!("GPU {names}"));
        }
        if !unlisted.is_empty() {
            finding = finding.read("CUDA only", list(unlisted.iter().map(|gpu| gpu.name())));
        }
        found.push(
            finding
                .means("A GPU that only one of the two lists is hidden by a container, in use by a virtual machine, or unwell.")
                .remedy("Look at the container's list of devices (NVIDIA_VISIBLE_DEVICES, /dev/nvidia*), and at 'dmesg'."),
        );
    }
    if !same_order {
        found.push(
            Finding::new(Condition::OrderDiffers, Effect::Notice, Certainty::Certain)
                .read("CUDA's ordinal and nvidia-smi's index", numbers())
                .means("CUDA numbers the fastest GPU 0, nvidia-smi counts by bus id: one number means two GPUs.")
                .remedy("Set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name GPUs by bus id, as 'cuda-p2p topo' lists them."),
        );
    }
    found
}

/// CUDA finds no device, though NVML lists some, and the variable is set.
fn all_hidden(facts: &Facts<'_>, value: &str) -> Option<Finding> {
    let failure = facts.snapshot.cuda.failure.as_ref().filter(|failure| failure.is("cudaErrorNoDevice"))?;
    Some(
        Finding::new(Condition::VisibleDevices, Effect::Blocks, Certainty::Certain)
            .read("CUDA_VISIBLE_DEVICES", format!("'{value}'"))
            .read("the CUDA runtime", failure.first_line())
            .read("NVML", format!("{} GPUs", facts.snapshot.nvml.gpus.len()))
            .means("The variable lists no GPU that this machine has, so that CUDA shows this process none.")
            .remedy("Unset it, or list the GPUs by ordinal or UUID, as 'nvidia-smi -L' names them."),
    )
}
