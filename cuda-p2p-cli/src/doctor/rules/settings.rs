//! Settings of libraries and of the driver that switch peer access off, read as their owners read them.

use super::super::facts::Facts;
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::list;

/// Switches of NCCL's, that are on if their number is not 0.
const SWITCHES: [(&str, &str); 2] = [
    ("NCCL_P2P_DISABLE", "NCCL sends through shared memory instead of peer access"),
    ("NCCL_SHM_DISABLE", "NCCL sends over the network where it has no peer access"),
];

/// Settings that switch it off, and those that nobody can read.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    let system = &facts.snapshot.system;
    let mut off = Vec::new();
    let mut unreadable = Vec::new();
    for (name, meaning) in SWITCHES {
        let Some(value) = system.variable(name) else { continue };
        match value.trim().parse::<i64>() {
            Ok(0) => {}
            Ok(_) => off.push((name, value, meaning)),
            Err(_) => unreadable.push((name, value)),
        }
    }
    if let Some(value) = system.variable("NCCL_P2P_LEVEL").filter(|value| ["LOC", "0"].contains(value)) {
        off.push(("NCCL_P2P_LEVEL", value, "NCCL uses peer access between no two GPUs"));
    }
    if let Some(value) = system.variable("UCX_TLS").filter(|value| leaves_out_cuda_ipc(value)) {
        off.push((
            "UCX_TLS",
            value,
            "UCX leaves cuda_ipc out, and copies between processes through the host",
        ));
    }
    let mut found = Vec::new();
    if !off.is_empty() {
        let mut finding = Finding::new(Condition::LibrarySetting, Effect::Slows, Certainty::Certain);
        for (name, value, _) in &off {
            finding = finding.read(*name, format!("'{value}'"));
        }
        found.push(
            finding
                .means(format!(
                    "{}; CUDA itself is not touched by it.",
                    list(off.iter().map(|(_, _, meaning)| meaning))
                ))
                .remedy(format!(
                    "Unset {}, unless it was set for a reason.",
                    list(off.iter().map(|(name, _, _)| name))
                )),
        );
    }
    if !unreadable.is_empty() {
        let mut finding = Finding::new(Condition::SettingUnreadable, Effect::Notice, Certainty::Certain);
        for (name, value) in &unreadable {
            finding = finding.read(*name, format!("'{value}'"));
        }
        found.push(
            finding
                .means("The value is no number: one library takes it for on, another for off.")
                .remedy("Give 1 or 0, or unset it."),
        );
    }
    if let Some(value) = system.driver_options.get("NvLinkDisable").filter(|value| *value != "0") {
        found.push(
            Finding::new(Condition::DisabledInDriver, Effect::Slows, Certainty::Certain)
                .read("/proc/driver/nvidia/params, NvLinkDisable", value)
                .means("An option of the driver's kernel part switches all NVLinks off; what is left goes over PCIe.")
                .remedy("Take NVreg_NvLinkDisable out of /etc/modprobe.d, and load the driver anew."),
        );
    }
    found
}

/// A list of transports that begins with "^" names those that are left out.
fn leaves_out_cuda_ipc(value: &str) -> bool {
    let names = |list: &str, wanted: &[&str]| list.split(',').any(|name| wanted.contains(&name.trim()));
    match value.strip_prefix('^') {
        Some(out) => names(out, &["cuda_ipc", "cuda"]),
        None => names(value, &["cuda_copy"]) && !names(value, &["cuda_ipc", "cuda", "all"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_transports_is_read_both_ways() {
        for value in ["^cuda_ipc", "tcp,cuda_copy", "^rc,cuda"] {
            assert!(leaves_out_cuda_ipc(value), "{value}");
        }
        for value in ["all", "rc,cuda", "cuda_copy,cuda_ipc", "^tcp", "tcp"] {
            assert!(!leaves_out_cuda_ipc(value), "{value}");
        }
    }
}
