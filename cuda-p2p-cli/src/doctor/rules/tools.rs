//! Tools that watch every CUDA call.

use super::super::collect::is_tools;
use super::super::facts::Facts;
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::list;

/// A profiler, a sanitizer or a debugger in this process.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    let system = &facts.snapshot.system;
    let variables: Vec<&String> = system.environment.keys().filter(|name| is_tools(name)).collect();
    let blocking = system.variable("CUDA_LAUNCH_BLOCKING").filter(|value| *value != "0");
    if system.tools.is_empty() && variables.is_empty() && !system.traced && blocking.is_none() {
        return Vec::new();
    }
    let mut finding = Finding::new(Condition::Instrumented, Effect::Slows, Certainty::Certain);
    if !system.tools.is_empty() {
        finding = finding.read("/proc/self/maps", list(&system.tools));
    }
    if !variables.is_empty() {
        finding = finding.read("environment", list(variables));
    }
    if system.traced {
        finding = finding.read("/proc/self/status", "a debugger is attached");
    }
    if let Some(value) = blocking {
        finding = finding.read("CUDA_LAUNCH_BLOCKING", format!("'{value}'"));
    }
    vec![
        finding
            .means("Every CUDA call, or every access to memory, goes through a tool: times and speeds are the tool's.")
            .remedy("Measure without compute-sanitizer, profilers, debuggers and CUDA_LAUNCH_BLOCKING."),
    ]
}
