//! The places where a toolkit may be, in the order of the search. Pure but for reading folders and links: the
//! environment and the system's folders come from the caller, so tests bring their own.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use super::python;

/// One place: where each part of a toolkit would be there.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) origin: String,
    pub(super) root: PathBuf,
    pub(super) nvcc: Vec<PathBuf>,
    pub(super) include: Vec<PathBuf>,
    pub(super) lib: Vec<PathBuf>,
}

/// Folders outside the environment.
pub(super) struct System {
    pub(super) roots: Vec<PathBuf>,
}

impl Default for System {
    fn default() -> Self {
        Self { roots: vec!["/usr/local/cuda".into(), "/opt/cuda".into()] }
    }
}

/// NVIDIA's names for this machine's architecture, under `targets`.
const TARGETS: &[&str] =
    if cfg!(target_arch = "aarch64") { &["sbsa-linux", "aarch64-linux"] } else { &["x86_64-linux"] };

impl Place {
    /// A place that is not there, to be told.
    fn absent(origin: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { origin: origin.into(), root: path.into(), nvcc: vec![], include: vec![], lib: vec![] }
    }

    /// A folder laid out as an installed toolkit, or conda's prefix.
    pub(super) fn folder(origin: impl Into<String>, root: &Path) -> Self {
        let targets = || TARGETS.iter().map(|target| root.join("targets").join(target));
        Self {
            origin: origin.into(),
            root: root.to_owned(),
            nvcc: vec![root.join("bin").join(nvcc_name())],
            include: std::iter::once(root.join("include"))
                .chain(targets().map(|t| t.join("include")))
                .collect(),
            lib: ["lib64", "lib"]
                .iter()
                .map(|lib| root.join(lib))
                .chain(targets().map(|t| t.join("lib")))
                .collect(),
        }
    }

    /// The toolkit around an nvcc. A link is followed, for `/usr/bin/nvcc` may lead to the toolkit; the folder of the
    /// link itself counts as well, for a distribution's headers are beside it.
    fn around(origin: &str, nvcc: &Path) -> Self {
        let real = fs::canonicalize(nvcc).unwrap_or_else(|_| nvcc.to_owned());
        let root_of = |path: &Path| path.parent().and_then(Path::parent).map(Path::to_owned);
        let Some(root) = root_of(&real) else {
            return Self { nvcc: vec![nvcc.to_owned()], ..Self::folder(origin, nvcc) };
        };
        let mut place = Self::folder(origin, &root);
        if let Some(beside) = root_of(nvcc).filter(|beside| *beside != root) {
            let beside = Self::folder(origin, &beside);
            place.include.extend(beside.include);
            place.lib.extend(beside.lib);
        }
        // nvcc finds its own folder by the path that it was started by: the real one is surer.
        place.nvcc = vec![real];
        place
    }
}

/// All places, in order.
pub(super) fn all(var: &dyn Fn(&str) -> Option<OsString>, system: &System) -> Vec<Place> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let mut places = Vec::new();
    places.extend(set("CUDA_P2P_TOOLKIT").map(|root| Place::folder("CUDA_P2P_TOOLKIT", &root)));
    if let Some(nvcc) = set("NVCC") {
        // A bare name is looked up as a shell would.
        let nvcc = if nvcc.components().count() == 1 {
            on_path(var, nvcc.as_os_str()).unwrap_or(nvcc)
        } else {
            nvcc
        };
        places.push(if nvcc.is_file() { Place::around("NVCC", &nvcc) } else { Place::absent("NVCC", nvcc) });
    }
    for name in ["CUDA_HOME", "CUDA_PATH"] {
        places.extend(set(name).map(|root| Place::folder(name, &root)));
    }
    match on_path(var, OsStr::new(nvcc_name())) {
        Some(nvcc) => places.push(Place::around("nvcc on PATH", &nvcc)),
        None => places.push(Place::absent("PATH", nvcc_name())),
    }
    places.extend(system.roots.iter().map(|root| Place::folder("default", root)));
    places.extend(set("CONDA_PREFIX").map(|root| Place::folder("CONDA_PREFIX", &root)));
    for (origin, prefix) in python::prefixes(var) {
        places.extend(pip(origin, &prefix));
    }
    places
}

/// The toolkits that pip may have put below `prefix`: `nvidia/cu13` for CUDA 13, several packages side by side before.
fn pip(origin: &str, prefix: &Path) -> Vec<Place> {
    let origin = format!("pip, by {origin}");
    let sites = site_packages(prefix);
    if sites.is_empty() {
        return vec![Place::absent(origin, prefix.join("lib/python3*/site-packages/nvidia"))];
    }
    let mut places = Vec::new();
    for site in sites {
        let nvidia = site.join("nvidia");
        if !nvidia.is_dir() {
            places.push(Place::absent(origin.clone(), nvidia));
            continue;
        }
        places.push(Place::folder(origin.clone(), &nvidia.join("cu13")));
        let (compiler, runtime) = (nvidia.join("cuda_nvcc"), nvidia.join("cuda_runtime"));
        if compiler.is_dir() || runtime.is_dir() {
            places.push(Place {
                nvcc: vec![compiler.join("bin").join(nvcc_name())],
                ..Place::folder(origin.clone(), &runtime)
            });
        }
    }
    places
}

/// `lib/python3*/site-packages` below `prefix`, sorted, so that two runs agree.
fn site_packages(prefix: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for lib in ["lib", "lib64"] {
        let Ok(entries) = fs::read_dir(prefix.join(lib)) else { continue };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with("python3") {
                found.extend(
                    ["site-packages", "dist-packages"]
                        .map(|name| entry.path().join(name))
                        .into_iter()
                        .filter(|path| path.is_dir()),
                );
            }
        }
    }
    // lib64 is often a link to lib.
    found.sort();
    let mut seen = Vec::new();
    found.retain(|path| {
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let new = !seen.contains(&real);
        seen.push(real);
        new
    });
    found
}

pub(super) fn on_path(var: &dyn Fn(&str) -> Option<OsString>, name: &OsStr) -> Option<PathBuf> {
    env::split_paths(&var("PATH")?).map(|dir| dir.join(name)).find(|path| path.is_file())
}

fn nvcc_name() -> &'static str {
    if cfg!(windows) { "nvcc.exe" } else { "nvcc" }
}
