//! Where a runtime library may be. Looks at folders, opens nothing.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// One step of the search.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// This file.
    File(PathBuf),
    /// Whatever the system's linker finds under the bare name.
    Linker,
    /// A step that is left out, and why.
    Refused { path: PathBuf, why: &'static str },
}

#[cfg(target_arch = "aarch64")]
const TARGET: &str = "targets/sbsa-linux/lib";
#[cfg(not(target_arch = "aarch64"))]
const TARGET: &str = "targets/x86_64-linux/lib";

/// A variable of the environment. The linker's is told as it was when the process started, since that is what the linker goes by.
pub(super) fn variable(name: &str) -> Option<OsString> {
    let at_start = (name == LIBRARY_PATH).then(|| std::fs::read("/proc/self/environ").ok()).flatten();
    match at_start {
        Some(environment) => environment
            .split(|byte| *byte == 0)
            .find_map(|entry| entry.strip_prefix(LIBRARY_PATH.as_bytes())?.strip_prefix(b"="))
            .map(|value| OsStr::from_bytes(value).to_owned()),
        None => std::env::var_os(name),
    }
}

/// The entries of the linker's variable, which it takes apart at colons and at semicolons.
fn library_path_entries(value: &OsStr) -> Vec<PathBuf> {
    let entries = value.as_bytes().split(|byte| matches!(byte, b':' | b';'));
    entries.map(|entry| PathBuf::from(OsStr::from_bytes(entry))).collect()
}

/// The steps after `CUDA_P2P_CUDART`, in order.
pub(super) fn all(soname: &str, variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<Place> {
    let variable = |name: &str| variable(name).filter(|value: &OsString| !value.is_empty());
    let mut places = Vec::new();
    for name in ["CUDA_HOME", "CUDA_PATH"] {
        if let Some(root) = variable(name) {
            in_toolkit(Path::new(&root), soname, &mut places);
        }
    }
    let library_path = variable(LIBRARY_PATH).unwrap_or_default();
    let entries = library_path_entries(&library_path);
    if library_path.is_empty() || entries.iter().all(|entry| entry.is_absolute()) {
        places.push(Place::Linker);
    } else {
        places.push(Place::Refused {
            path: PathBuf::from(soname),
            why: "the system's linker is left out, because LD_LIBRARY_PATH had an empty or relative entry when the \
                  process started, which is the working directory: remove it",
        });
        let absolute = entries.iter().filter(|entry| entry.is_absolute());
        places.extend(absolute.map(|entry| Place::File(entry.join(soname))));
    }
    for root in ["/usr/local/cuda", "/opt/cuda"] {
        in_toolkit(Path::new(root), soname, &mut places);
    }
    for prefix in super::python::prefixes(&variable) {
        in_python(&prefix, soname, &mut places);
    }
    places
}

/// A relative root would depend on the working directory.
fn in_toolkit(root: &Path, soname: &str, places: &mut Vec<Place>) {
    if !root.is_absolute() {
        places.push(Place::Refused { path: root.to_owned(), why: "not an absolute path" });
        return;
    }
    places.extend(["lib64", "lib", TARGET].map(|folder| Place::File(root.join(folder).join(soname))));
}

fn in_python(prefix: &Path, soname: &str, places: &mut Vec<Place>) {
    if !prefix.is_absolute() {
        places.push(Place::Refused { path: prefix.to_owned(), why: "not an absolute path" });
        return;
    }
    let mut versions: Vec<PathBuf> = std::fs::read_dir(prefix.join("lib"))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
        .map(|entry| entry.path())
        .collect();
    versions.sort();
    for version in versions {
        for site in ["site-packages", "dist-packages"] {
            for package in ["nvidia/cu13/lib", "nvidia/cuda_runtime/lib"] {
                let folder = version.join(site).join(package);
                // Dozens of absent folders would drown the ones that matter.
                if folder.is_dir() {
                    places.push(Place::File(folder.join(soname)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(variables: &[(&str, &str)]) -> Vec<Place> {
        let variables: Vec<(String, String)> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        all("libcudart.so.13", &move |name| {
            variables.iter().find(|(other, _)| other == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn cuda_home_comes_before_the_linker() {
        let places = steps(&[("CUDA_HOME", "/toolkit")]);
        assert_eq!(places[0], Place::File("/toolkit/lib64/libcudart.so.13".into()));
        let linker = places.iter().position(|place| *place == Place::Linker).expect("the linker is asked");
        assert!(linker > 2, "{places:?}");
    }

    #[test]
    fn nothing_comes_from_the_working_directory() {
        for value in [".", "/lib:", ":/lib", "lib", "/a::/b", "/a;.", "/a;"] {
            let places = steps(&[("LD_LIBRARY_PATH", value), ("CUDA_PATH", "toolkit")]);
            assert!(!places.contains(&Place::Linker), "LD_LIBRARY_PATH={value:?}: {places:?}");
            for place in &places {
                if let Place::File(path) = place {
                    assert!(path.is_absolute(), "{}", path.display());
                }
            }
        }
        assert!(steps(&[("LD_LIBRARY_PATH", "/a:/b")]).contains(&Place::Linker));
    }

    #[test]
    fn an_absolute_entry_is_kept_when_the_linker_is_not_asked() {
        let places = steps(&[("LD_LIBRARY_PATH", "/keep:")]);
        assert!(places.contains(&Place::File("/keep/libcudart.so.13".into())), "{places:?}");
    }
}
