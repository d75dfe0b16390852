//! The screen of `topo`.

use super::matrix::matrix;
use super::{Style, bytes, heading, lines_of, simulated, table, wrap};
use crate::options::OrderedPair;
use crate::topo::{Link, Machine};

/// The whole screen.
pub(crate) fn topo(machine: &Machine, style: Style) -> String {
    let mut text = heading(machine, style);
    text += &format!("\n{}\n", style.title("Devices"));
    text += &devices(machine);
    text += &access(machine, style);
    if let Some(reason) = machine.nothing_to_test() {
        text.push('\n');
        text += &wrap(&format!("Nothing to test: {reason}."), "");
    }
    if !machine.pairs.is_empty() {
        text += &format!(
            "\n{}\n",
            style.title("Attributes of each ordered pair, accessor->owner (rank: 0 is the best)")
        );
        text += &attributes(machine);
    }
    if let Some(reason) = &machine.nvml_missing_because {
        text.push('\n');
        text += &wrap(&format!("{reason}: links and NVML indices are not shown, or not all."), "");
    }
    text
}

/// One line: how many devices, how many pairs can.
pub(crate) fn topo_last_line(machine: &Machine, style: Style) -> String {
    let reachable = machine.pairs.iter().filter(|pair| pair.can_access).count();
    let mark = simulated(machine).map(|mark| format!(" ({mark})")).unwrap_or_default();
    let devices = match machine.devices.len() {
        1 => "1 device".to_owned(),
        count => format!("{count} devices"),
    };
    let text = format!("{devices}, {reachable} of {} ordered pairs with access{mark}", machine.pairs.len());
    let text = wrap(&text, "  ");
    if reachable > 0 { style.good(&text) } else { style.warning(&text) }
}

/// The matrix of access, with its title and its legend.
pub(super) fn access(machine: &Machine, style: Style) -> String {
    let mut text = format!("\n{}\n", style.title("Access, from accessor (row) to owner (column)"));
    let ordinals: Vec<u32> = machine.devices.iter().map(|device| device.ordinal).collect();
    text += &matrix(&ordinals, |accessor, owner| cell(machine, accessor, owner));
    text + &wrap(&legend(machine), "")
}

fn cell(machine: &Machine, accessor: u32, owner: u32) -> String {
    if accessor == owner {
        return "X".to_owned();
    }
    match machine.pair(OrderedPair { accessor, owner }) {
        Some(pair) if pair.can_access => pair.link.map_or("peer".to_owned(), |link| link.to_string()),
        _ => "-".to_owned(),
    }
}

/// Explains the cells that occur, and no others.
fn legend(machine: &Machine) -> String {
    let mut parts = vec!["X = itself"];
    let reachable = || machine.pairs.iter().filter(|pair| pair.can_access);
    let mut explain = |link: fn(&Option<Link>) -> bool, meaning| {
        if reachable().any(|pair| link(&pair.link)) {
            parts.push(meaning);
        }
    };
    explain(|link| link.is_none(), "peer = access");
    explain(|link| matches!(link, Some(Link::Nvlink { .. })), "NVn = access over n NVLinks");
    explain(|link| matches!(link, Some(Link::Internal)), "PSB = access, same board");
    explain(|link| matches!(link, Some(Link::PcieSwitch)), "PIX = access, one PCIe switch");
    explain(|link| matches!(link, Some(Link::PcieSwitches)), "PXB = access, several PCIe switches");
    explain(|link| matches!(link, Some(Link::HostBridge)), "PHB = access, a host bridge");
    explain(|link| matches!(link, Some(Link::NumaNode)), "NODE = access, several host bridges");
    explain(|link| matches!(link, Some(Link::System)), "SYS = access, across NUMA nodes");
    if machine.pairs.iter().any(|pair| !pair.can_access) {
        parts.push("- = no access");
    }
    parts.join("; ")
}

fn devices(machine: &Machine) -> String {
    let mut table = table(["#", "name, UUID", "bus id", "NVML", "cc", "memory"], &[0, 3, 4, 5]);
    for device in &machine.devices {
        let (major, minor) = device.compute_capability;
        table.add_row([
            device.ordinal.to_string(),
            format!("{}\n{}", device.name, device.uuid),
            device.bus_id.clone(),
            device.nvml_index.map_or("-".to_owned(), |index| index.to_string()),
            format!("{major}.{minor}"),
            device.memory_bytes.map_or("-".to_owned(), memory),
        ]);
    }
    lines_of(&table)
}

/// Memory to one decimal: a device never has a round number of it.
fn memory(count: u64) -> String {
    if count.is_multiple_of(1 << 30) {
        return bytes(count);
    }
    let tenths = (u128::from(count) * 10 + (1 << 29)) >> 30;
    format!("{}.{} GiB", tenths / 10, tenths % 10)
}

fn attributes(machine: &Machine) -> String {
    let yes_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let mut table = table(["pair", "access", "link", "rank", "native atomics", "array access"], &[3]);
    for info in &machine.pairs {
        table.add_row([
            info.pair.to_string(),
            yes_no(info.can_access),
            info.link.map_or("-".to_owned(), |link| link.to_string()),
            info.performance_rank.to_string(),
            yes_no(info.native_atomics),
            yes_no(info.array_access),
        ]);
    }
    lines_of(&table)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_snapshot, machine, simulated};
    use super::*;

    #[test]
    fn a_pair_over_nvlink() {
        let text = topo(&machine(2, 2, Some(Link::Nvlink { links: 18 })), Style::plain());
        assert_snapshot("pair", include_str!("snapshots/topo_pair.txt"), &text);
    }

    #[test]
    fn two_simulated_islands() {
        let text = topo(&simulated(4, 2), Style::plain());
        assert_snapshot("islands", include_str!("snapshots/topo_islands.txt"), &text);
    }

    #[test]
    fn one_device_says_why_there_is_nothing_to_test() {
        let text = topo(&simulated(1, 1), Style::plain());
        assert_snapshot("one", include_str!("snapshots/topo_one_device.txt"), &text);
    }

    #[test]
    fn sixteen_devices_fit_and_links_of_pairs_without_access_are_not_in_the_matrix() {
        let mut found = machine(16, 4, Some(Link::Nvlink { links: 18 }));
        found.nvml_missing_because = Some("NVML not found".to_owned());
        let text = topo(&found, Style::plain());
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("NVML not found: links"));
        let matrix = &text[text.find("Access, from").unwrap()..text.find("Attributes").unwrap()];
        assert!(!matrix.contains("SYS"), "{matrix}");
    }

    #[test]
    fn memory_is_rounded_to_tenths() {
        assert_eq!(memory(16 << 30), "16 GiB");
        assert_eq!(memory(150_121_545_728), "139.8 GiB");
        assert_eq!(memory(1 << 20), "0.0 GiB");
    }
}
