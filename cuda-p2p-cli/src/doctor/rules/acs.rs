//! Access control of the bridges between two GPUs.

use super::super::facts::{Facts, Pair, trial_source};
use super::super::finding::{Certainty, Condition, Effect, Finding};
use super::super::snapshot::{Acs, PciDevice};

/// Pairs below one switch whose ports send peer traffic up to the root.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    let redirected =
        |pair: &&Pair<'_>| pair.info.can_access && !pair.is_nvlink() && !redirecting(facts, pair).is_empty();
    let (lying, slow): (Vec<_>, Vec<_>) = facts.pairs.iter().filter(redirected).partition(|pair| pair.lies());
    let mut found = Vec::new();
    if !lying.is_empty() {
        found.push(
            described(facts, &lying, Effect::Blocks, Certainty::Likely).means(
                "The switch between the GPUs sends their traffic up to the root instead of straight across, where it is \
                 dropped or never ends, while every call succeeds.",
            ),
        );
    }
    if !slow.is_empty() {
        found.push(
            described(facts, &slow, Effect::Slows, Certainty::Certain).means(
                "The switch between the GPUs sends their traffic up to the root and down again instead of straight across: \
                 slower, and shared with everything else that goes to the host.",
            ),
        );
    }
    found
}

/// The ports between the two that redirect.
fn redirecting<'a>(facts: &Facts<'a>, pair: &Pair<'a>) -> Vec<&'a PciDevice> {
    let (Some(accessor), Some(owner)) = (pair.accessor.pci, pair.owner.pci) else { return Vec::new() };
    let ports = accessor.place.bridges_to(&owner.place);
    let system = &facts.snapshot.system;
    ports
        .into_iter()
        .filter_map(|address| system.pci_device(address))
        .filter(|bridge| bridge.acs.redirects() == Some(true))
        .collect()
}

fn described(facts: &Facts<'_>, pairs: &[&Pair<'_>], effect: Effect, certainty: Certainty) -> Finding {
    let mut finding = Finding::new(Condition::AcsRedirects, effect, certainty)
        .pairs(pairs.iter().map(|pair| pair.info.pair));
    let mut seen: Vec<&str> = Vec::new();
    for bridge in pairs.iter().flat_map(|pair| redirecting(facts, pair)) {
        if !seen.contains(&bridge.address.as_str()) {
            seen.push(&bridge.address);
            if let Acs::Present { control } = bridge.acs {
                finding = finding.read(
                    format!("ACSCtl of bridge {}", bridge.address),
                    format!("{control:#06x}: requests or completions of peers are redirected"),
                );
            }
        }
    }
    for pair in pairs.iter().filter(|pair| pair.lies()).take(2) {
        finding = finding.read(trial_source(pair.info.pair), pair.trial_in_words());
    }
    finding.remedy(
        "Switch ACS off in the firmware's setup, or on these bridges as root: 'setpci -s BRIDGE ECAP_ACS+0x6.w=0000' \
         (until the next start). Leave it on where untrusted virtual machines own single GPUs.",
    )
}
