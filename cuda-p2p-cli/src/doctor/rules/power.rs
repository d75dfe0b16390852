//! Clocks that a fault holds down, and a driver that is unloaded between processes.

use super::super::facts::Facts;
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::list;

/// Both.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    let gpus = &facts.snapshot.nvml.gpus;
    let mut found = Vec::new();
    let slow: Vec<_> = gpus.iter().filter(|gpu| !gpu.slowdowns.is_empty()).collect();
    if !slow.is_empty() {
        let mut finding = Finding::new(Condition::Throttled, Effect::Slows, Certainty::Likely);
        for gpu in &slow {
            let state = gpu.performance_state.map(|state| format!(", P{state}")).unwrap_or_default();
            finding = finding.read(
                format!("NVML, GPU {} ({})", gpu.index, gpu.bus_id),
                format!("{}{state}", list(&gpu.slowdowns)),
            );
        }
        found.push(
            finding
                .means("Heat, the power supply or the board slows the GPU down; kernels that copy are slower, engines less so.")
                .remedy("Look at 'nvidia-smi -q -d TEMPERATURE,POWER,PERFORMANCE', at fans, airflow and power cables."),
        );
    }
    let off: Vec<_> = gpus.iter().filter(|gpu| gpu.persistence == Some(false)).collect();
    // Windows' driver has no such mode.
    if !off.is_empty() && !facts.snapshot.system.wsl {
        found.push(
            Finding::new(Condition::PersistenceOff, Effect::Notice, Certainty::Certain)
                .read("NVML, persistence mode", format!("off for GPU {}", list(off.iter().map(|gpu| gpu.index))))
                .means("The driver lets go of a GPU that nobody uses: each first process waits seconds until it is up again.")
                .remedy("Run the service nvidia-persistenced, or 'nvidia-smi -pm 1' as root."),
        );
    }
    found
}
