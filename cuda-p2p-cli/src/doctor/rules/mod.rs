//! The rules: pure functions from what was read to what it means, one file for each family.
//!
//! They run in order. A rule sees what those before it found, and a pair whose fault is explained gets no second explanation:
//! what is left over at the end is said as such.

mod access;
mod acs;
mod bar1;
mod container;
mod data;
mod fabric;
mod identity;
mod iommu;
mod links;
mod modes;
mod power;
mod settings;
mod speed;
mod tools;
mod versions;
mod virtual_machine;

use super::facts::Facts;
use super::finding::Finding;
use super::snapshot::Snapshot;

/// A family of rules: what it finds, given what those before it found.
type Rule = fn(&Facts<'_>, &[Finding]) -> Vec<Finding>;

/// Every family, causes before symptoms.
const RULES: [Rule; 16] = [
    versions::find,
    modes::find,
    fabric::find,
    bar1::find,
    iommu::find,
    acs::find,
    settings::find,
    identity::find,
    virtual_machine::find,
    access::find,
    data::find,
    links::find,
    speed::find,
    tools::find,
    power::find,
    container::find,
];

/// Everything that the rules find, the worst first.
pub(crate) fn diagnose(snapshot: &Snapshot) -> Vec<Finding> {
    let facts = Facts::new(snapshot);
    let mut found = Vec::new();
    for rule in RULES {
        let more = rule(&facts, &found);
        found.extend(more);
    }
    found.sort_by_key(|finding| (finding.effect, finding.certainty, finding.condition));
    found
}

/// A list in words: "a, b".
fn list(items: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}
