//! IOMMUs in use, and how they treat a device.

use std::fs;
use std::path::Path;

/// Names of the IOMMUs that the kernel drives; `None` if it does not show the folder.
pub(super) fn units() -> Option<Vec<String>> {
    names(Path::new("/sys/class/iommu"))
}

fn names(folder: &Path) -> Option<Vec<String>> {
    let mut names: Vec<String> =
        fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    Some(names)
}

/// How the IOMMU treats the device: the type of its group.
pub(super) fn group_type(device: &Path) -> Option<String> {
    let text = fs::read_to_string(device.join("iommu_group/type")).ok()?;
    Some(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_listed_and_a_missing_folder_is_not_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["dmar1", "dmar0"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        assert_eq!(names(folder.path()), Some(vec!["dmar0".to_owned(), "dmar1".to_owned()]));
        assert_eq!(names(&folder.path().join("none")), None);
    }

    #[test]
    fn the_type_of_a_group_is_read_and_a_device_without_one_has_none() {
        let device = tempfile::tempdir().unwrap();
        assert_eq!(group_type(device.path()), None);
        fs::create_dir(device.path().join("iommu_group")).unwrap();
        fs::write(device.path().join("iommu_group/type"), "DMA-FQ\n").unwrap();
        assert_eq!(group_type(device.path()).as_deref(), Some("DMA-FQ"));
    }
}
