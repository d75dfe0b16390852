//! Where a device stands in the tree of PCI bridges, as sysfs tells: the path between two devices without NVML.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Link;
use super::bus_id::BusId;

/// The folder that has one entry for each PCI device.
const DEVICES: &str = "/sys/bus/pci/devices";

/// Where a device stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PciPlace {
    /// What is above it: the root ("pci0000:00"), then each bridge's address, from the top down.
    pub(crate) above: Vec<String>,
    /// The NUMA node, where the firmware tells.
    pub(crate) numa_node: Option<u32>,
}

impl PciPlace {
    /// The place of the device with this address, if the system shows it.
    pub(crate) fn of(bus_id: BusId) -> Option<Self> {
        Self::read(&Path::new(DEVICES).join(bus_id.to_string()))
    }

    /// The place of the device with this entry in sysfs.
    pub(crate) fn read(entry: &Path) -> Option<Self> {
        let real = fs::canonicalize(entry).ok()?;
        let numa_node =
            fs::read_to_string(entry.join("numa_node")).ok().and_then(|text| text.trim().parse().ok());
        let above = above(&real);
        (!above.is_empty()).then_some(Self { above, numa_node })
    }

    /// What lies between this device and `other`, in `nvidia-smi topo`'s terms.
    pub(crate) fn path_to(&self, other: &Self) -> Link {
        let common = self.above.iter().zip(&other.above).take_while(|(own, theirs)| own == theirs).count();
        let below = |place: &Self| place.above.len() - common;
        match common {
            0 if self.numa_node.is_some() && self.numa_node == other.numa_node => Link::NumaNode,
            0 => Link::System,
            1 => Link::HostBridge,
            // One port of one switch each.
            _ if below(self) <= 1 && below(other) <= 1 => Link::PcieSwitch,
            _ => Link::PcieSwitches,
        }
    }

    /// Bridges of the path to `other` below what both have in common, if that is a bridge: those that a switch may redirect at.
    pub(crate) fn bridges_to<'a>(&'a self, other: &'a Self) -> Vec<&'a str> {
        let common = self.above.iter().zip(&other.above).take_while(|(own, theirs)| own == theirs).count();
        if common < 2 {
            return Vec::new();
        }
        self.above[common..].iter().chain(&other.above[common..]).map(String::as_str).collect()
    }
}

/// The components of a device's real path that are above it, from the root complex on.
fn above(real: &Path) -> Vec<String> {
    let mut names: Vec<String> = real
        .iter()
        .filter_map(|part| part.to_str())
        .skip_while(|part| !part.starts_with("pci"))
        .map(str::to_owned)
        .collect();
    names.pop();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, numa_node: Option<u32>) -> PciPlace {
        PciPlace { above: above(Path::new(path)), numa_node }
    }

    #[test]
    fn the_common_part_of_two_paths_names_the_link() {
        let root = "/sys/devices/pci0000:00";
        let below_switch = |switch: &str, port: &str| {
            place(&format!("{root}/0000:00:01.0/{switch}/{port}/0000:09:00.0"), Some(0))
        };
        let first = below_switch("0000:01:00.0", "0000:02:00.0");
        assert_eq!(first.path_to(&below_switch("0000:01:00.0", "0000:02:01.0")), Link::PcieSwitch);
        let deeper = place(
            &format!("{root}/0000:00:01.0/0000:01:00.0/0000:02:02.0/0000:05:00.0/0000:06:00.0/0000:07:00.0"),
            Some(0),
        );
        assert_eq!(first.path_to(&deeper), Link::PcieSwitches);
        assert_eq!(
            first.path_to(&place(&format!("{root}/0000:00:02.0/0000:0a:00.0"), Some(0))),
            Link::HostBridge
        );
        assert_eq!(first.path_to(&place("/sys/devices/pci0000:80/0000:81:00.0", Some(0))), Link::NumaNode);
        assert_eq!(first.path_to(&place("/sys/devices/pci0000:80/0000:81:00.0", Some(1))), Link::System);
        assert_eq!(first.path_to(&place("/sys/devices/pci0000:80/0000:81:00.0", None)), Link::System);
    }

    #[test]
    fn devices_of_a_virtual_machine_hang_from_the_root() {
        let (first, second) =
            ("/sys/devices/pci0000:00/0000:00:05.0", "/sys/devices/pci0000:00/0000:00:06.0");
        assert_eq!(place(first, None).path_to(&place(second, None)), Link::HostBridge);
        assert!(place(first, None).bridges_to(&place(second, None)).is_empty());
    }

    #[test]
    fn a_switch_redirects_at_the_ports_of_both() {
        let port = |port: &str| {
            place(&format!("/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/{port}/0000:09:00.0"), None)
        };
        let (first, second) = (port("0000:02:00.0"), port("0000:02:01.0"));
        assert_eq!(first.bridges_to(&second), ["0000:02:00.0", "0000:02:01.0"]);
    }
}
