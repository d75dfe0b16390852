//! GPUs, NVSwitches, and the bridges above them.

use std::fs;
use std::path::Path;

use super::super::snapshot::{Acs, PciDevice};
use super::{NVIDIA, config_space, iommu};
use crate::topo::PciPlace;

/// PCI class of bridges between PCI buses, in its upper 16 bits.
const BRIDGE: u32 = 0x0604;

/// Reads every NVIDIA device that is a GPU or a switch, and every bridge above one.
pub(super) fn read() -> Vec<PciDevice> {
    read_from(Path::new("/sys/bus/pci/devices"))
}

fn read_from(folder: &Path) -> Vec<PciDevice> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut devices: Vec<PciDevice> = entries
        .filter_map(|entry| device(&entry.ok()?.path()))
        .filter(|device| is_nvidia(device) || device.class >> 8 == BRIDGE)
        .collect();
    let above: Vec<String> = devices
        .iter()
        .filter(|device| is_nvidia(device))
        .flat_map(|device| device.place.above.clone())
        .collect();
    devices.retain(|device| is_nvidia(device) || above.contains(&device.address));
    devices.sort_by(|one, other| one.address.cmp(&other.address));
    devices
}

/// Display controllers, and bridges of other kinds, which NVSwitches are.
fn is_nvidia(device: &PciDevice) -> bool {
    device.vendor == NVIDIA && matches!(device.class >> 8, 0x0300 | 0x0302 | 0x0680)
}

fn device(entry: &Path) -> Option<PciDevice> {
    let number = |name: &str| {
        let text = fs::read_to_string(entry.join(name)).ok()?;
        u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
    };
    let config = fs::read(entry.join("config")).unwrap_or_default();
    let class = number("class")?;
    Some(PciDevice {
        address: entry.file_name()?.to_str()?.to_owned(),
        vendor: number("vendor")?,
        device: number("device")?,
        class,
        place: PciPlace::read(entry)?,
        driver: fs::read_link(entry.join("driver"))
            .ok()
            .and_then(|link| Some(link.file_name()?.to_str()?.to_owned())),
        iommu_type: iommu::group_type(entry),
        acs: if class >> 8 == BRIDGE { config_space::acs(&config) } else { Acs::Absent },
        p2p_clique: config_space::p2p_clique(&config),
        config_readable: config_space::is_whole(&config),
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    /// A tree like that of sysfs: each entry is a link to a folder whose path is the way through the bridges.
    struct Tree {
        folder: tempfile::TempDir,
    }

    impl Tree {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("bus")).unwrap();
            Self { folder }
        }

        fn add(&self, path: &str, vendor: &str, class: &str, config: &[u8]) {
            let real = self.folder.path().join("devices/pci0000:00").join(path);
            fs::create_dir_all(&real).unwrap();
            for (name, text) in
                [("vendor", vendor), ("device", "0x2335"), ("class", class), ("numa_node", "-1")]
            {
                fs::write(real.join(name), text).unwrap();
            }
            fs::write(real.join("config"), config).unwrap();
            let name = PathBuf::from(path);
            symlink(&real, self.folder.path().join("bus").join(name.file_name().unwrap())).unwrap();
        }

        fn read(&self) -> Vec<PciDevice> {
            read_from(&self.folder.path().join("bus"))
        }
    }

    #[test]
    fn gpus_and_the_bridges_above_them_are_kept_and_nothing_else() {
        let tree = Tree::new();
        tree.add("0000:00:01.0", "0x8086", "0x060400", &[0; 64]);
        tree.add("0000:00:01.0/0000:01:00.0", "0x10de", "0x030200", &[0; 4096]);
        tree.add("0000:00:02.0", "0x8086", "0x060400", &[0; 64]);
        tree.add("0000:00:03.0", "0x1af4", "0x020000", &[0; 256]);
        tree.add("0000:00:04.0", "0x10de", "0x068000", &[0; 64]);
        tree.add("0000:00:05.0", "0x10de", "0x040300", &[0; 64]);
        let devices = tree.read();
        let addresses: Vec<&str> = devices.iter().map(|device| device.address.as_str()).collect();
        assert_eq!(addresses, ["0000:00:01.0", "0000:00:04.0", "0000:01:00.0"]);
        assert_eq!(devices[2].place.above, ["pci0000:00", "0000:00:01.0"]);
        assert_eq!(devices[2].place.numa_node, None);
        assert_eq!((devices[0].acs, devices[2].acs), (Acs::Unreadable, Acs::Absent));
        assert!(devices[2].config_readable && !devices[0].config_readable);
    }

    #[test]
    fn a_system_without_pci_has_no_devices() {
        assert!(read_from(Path::new("/no/such/folder")).is_empty());
    }
}
