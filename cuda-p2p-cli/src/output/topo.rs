//! The screen of `topo`.

use super::matrix::matrix;
use super::{Style, bytes, heading, lines_of, pair_rows, plural, simulated, table, wrap};
use crate::options::OrderedPair;
use crate::topo::{Link, Machine, PairInfo};

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
            style.title("Attributes of the ordered pairs, accessor->owner (rank: 0 is the best)")
        );
        text += &attributes(machine);
        text += &degraded(machine, style);
    }
    if let Some(reason) = &machine.nvml_missing_because {
        text.push('\n');
        text +=
            &wrap(&format!("{reason}: the NVLinks and NVML indices that it would tell are not shown."), "");
    }
    text
}

/// One line: how many devices, how many pairs can.
pub(crate) fn topo_last_line(machine: &Machine, style: Style) -> String {
    let reachable = machine.pairs.iter().filter(|pair| pair.can_access).count();
    let mark = simulated(machine).map(|mark| format!(" ({mark})")).unwrap_or_default();
    let devices = plural(machine.devices.len(), "device", "devices");
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
        Some(pair) if pair.can_access => link(machine, pair),
        _ => "-".to_owned(),
    }
}

/// The link by its short name, with a mark if it is degraded.
fn link(machine: &Machine, pair: &PairInfo) -> String {
    let mark = if machine.links_down(pair) > 0 { "*" } else { "" };
    pair.link.map_or("peer".to_owned(), |link| format!("{link}{mark}"))
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
    if reachable().any(|pair| machine.links_down(pair) > 0) {
        parts.push("* = degraded, links are down");
    }
    if machine.pairs.iter().any(|pair| !pair.can_access) {
        parts.push("- = no access");
    }
    parts.join("; ")
}

fn devices(machine: &Machine) -> String {
    let mut table = table(["#", "name, memory, UUID", "bus id", "NVML", "NUMA", "cc"], &[0, 3, 4, 5]);
    let number = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
    for device in &machine.devices {
        let (major, minor) = device.compute_capability;
        let memory = device.memory_bytes.map(|bytes| format!(", {}", memory(bytes))).unwrap_or_default();
        table.add_row([
            device.ordinal.to_string(),
            format!("{}{memory}\n{}", device.name, device.uuid),
            device.bus_id.clone(),
            number(device.nvml_index),
            number(device.numa_node),
            format!("{major}.{minor}"),
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
    let names = ["pairs", "access", "link", "speed", "PCIe", "rank", "atomics", "arrays"];
    let mut table = table(names, &[5]);
    let pairs = machine.pairs.iter().map(|info| (info.pair, cells(machine, info).to_vec()));
    let (rows, legend) = pair_rows(pairs.collect());
    for row in rows {
        table.add_row(row);
    }
    lines_of(&table) + &legend
}

/// What a row of attributes shows.
fn cells(machine: &Machine, info: &PairInfo) -> [String; 7] {
    let yes_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let short = |link: Option<Link>| link.map_or("-".to_owned(), |link| link.to_string());
    [
        yes_no(info.can_access),
        if info.link.is_some() { link(machine, info) } else { "-".to_owned() },
        speed(machine, info),
        short(info.pcie_path),
        info.performance_rank.to_string(),
        yes_no(info.native_atomics),
        yes_no(info.array_access),
    ]
}

/// What the pair's NVLinks carry in one direction, where NVML tells: links times the speed of one.
fn speed(machine: &Machine, info: &PairInfo) -> String {
    let Some(Link::Nvlink { links }) = info.link else { return "-".to_owned() };
    let nvlinks = |ordinal: u32| machine.devices.iter().find(|device| device.ordinal == ordinal)?.nvlinks;
    // Behind a switch the owner may have fewer links than the accessor.
    let links = nvlinks(info.pair.owner).map_or(links, |owner| links.min(owner.up));
    let one = nvlinks(info.pair.accessor).and_then(|accessor| accessor.link_bytes_per_second);
    one.map_or("-".to_owned(), |one| {
        format!("{} GB/s", (u64::from(links) * one + 500_000_000) / 1_000_000_000)
    })
}

/// A line for each device with links that are down.
fn degraded(machine: &Machine, style: Style) -> String {
    let down = machine.devices.iter().filter_map(|device| Some((device, device.nvlinks?)));
    let lines = down.filter(|(_, links)| links.down > 0).map(|(device, links)| {
        let all = links.up + links.down;
        wrap(&format!("Degraded: device {} has {} of {all} NVLinks down.", device.ordinal, links.down), "  ")
    });
    style.warning(&lines.collect::<String>())
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
    fn links_that_are_down_are_degraded_and_the_pair_works() {
        let mut found = machine(4, 4, Some(Link::Nvlink { links: 18 }));
        if let Some(links) = &mut found.devices[1].nvlinks {
            (links.up, links.down) = (15, 3);
        }
        for pair in found.pairs.iter_mut().filter(|pair| pair.pair.accessor == 1) {
            pair.link = Some(Link::Nvlink { links: 15 });
        }
        let text = topo(&found, Style::plain());
        assert_snapshot("degraded", include_str!("snapshots/topo_degraded.txt"), &text);
    }

    #[test]
    fn pcie_paths_are_shown_without_nvml() {
        let mut found = machine(2, 2, Some(Link::NumaNode));
        found.nvml_missing_because = Some("NVML not found".to_owned());
        found.devices.iter_mut().for_each(|device| device.nvml_index = None);
        let text = topo(&found, Style::plain());
        assert_snapshot("without NVML", include_str!("snapshots/topo_no_nvml.txt"), &text);
    }

    #[test]
    fn a_device_that_nvml_does_not_list_has_a_row_like_the_others() {
        let mut found = machine(3, 3, Some(Link::Nvlink { links: 18 }));
        (found.devices[1].nvml_index, found.devices[1].nvlinks) = (None, None);
        for pair in found.pairs.iter_mut().filter(|pair| [pair.pair.accessor, pair.pair.owner].contains(&1)) {
            pair.link = Some(Link::System);
        }
        found.nvml_missing_because = Some("NVML does not list device 1 (0000:1C:00.0)".to_owned());
        let text = topo(&found, Style::plain());
        assert_snapshot("unjoined", include_str!("snapshots/topo_unjoined.txt"), &text);
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
        assert_snapshot("sixteen", include_str!("snapshots/topo_sixteen.txt"), &text);
        assert!(text.contains("NVML not found: the NVLinks"));
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
