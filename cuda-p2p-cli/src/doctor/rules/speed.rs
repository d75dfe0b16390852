//! Measured speeds: peer access against the way through the host.

use super::super::facts::Facts;
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::super::snapshot::PairSpeed;

/// Pairs on which the way through the host is the faster one.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    let slower: Vec<&PairSpeed> =
        facts.snapshot.speeds.iter().filter(|speed| speed.direct < speed.staged).collect();
    if slower.is_empty() {
        return Vec::new();
    }
    let mut finding = Finding::new(Condition::SlowerThanStaging, Effect::Slows, Certainty::Certain)
        .pairs(slower.iter().map(|speed| speed.pair));
    for PairSpeed { pair, direct, staged } in slower.iter().take(8) {
        finding = finding.read(
            format!("measured {pair}"),
            format!("{:.1} GB/s with peer access, {:.1} GB/s through the host", direct / 1e9, staged / 1e9),
        );
    }
    vec![
        finding
            .means("On these pairs a copy through the host is faster than one over the peers' own path.")
            .remedy("Leave peer access off for their copies; use it where latency counts, or where a kernel needs it."),
    ]
}
