//! Containers: what their walls keep from processes that share memory.

use super::super::facts::Facts;
use super::super::finding::{Certainty, Condition, Effect, Finding};

/// Less shared memory than this, in bytes, has been too little for eight ranks.
const ENOUGH_SHM: u64 = 512 << 20;

/// Namespaces of its own, and little shared memory.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    if facts.is_simulated() {
        return Vec::new();
    }
    let container = &facts.snapshot.system.container;
    let mut found = Vec::new();
    let own = |is: Option<bool>| is == Some(true);
    if own(container.own_pid_namespace) || own(container.own_ipc_namespace) {
        let mut finding = Finding::new(Condition::ContainerNamespaces, Effect::Notice, Certainty::Certain);
        if own(container.own_pid_namespace) {
            finding = finding.read("/proc/self/ns/pid", "not the machine's");
        }
        if own(container.own_ipc_namespace) {
            finding = finding.read("/proc/self/ns/ipc", "not the machine's");
        }
        found.push(
            finding
                .means(
                    "CUDA's memory handles do not open between processes on two sides of such a wall, and libraries then copy \
                     through the host without a word. Inside one container they do.",
                )
                .remedy("Start containers that share GPUs' memory with --pid=host --ipc=host, or in one pod that shares both."),
        );
    }
    if let Some(bytes) = container.shm_bytes.filter(|bytes| *bytes < ENOUGH_SHM) {
        found.push(
            Finding::new(Condition::SmallShm, Effect::Notice, Certainty::Likely)
                .read("/dev/shm", format!("{} MiB", bytes >> 20))
                .means("Libraries that exchange data through shared memory run out of it: NCCL fails to start, PyTorch's loaders die.")
                .remedy("Start the container with --shm-size=1g or --ipc=host; in Kubernetes mount an emptyDir of medium Memory there."),
        );
    }
    found
}
