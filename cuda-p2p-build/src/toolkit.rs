//! A CUDA toolkit of this machine: nvcc, the headers, the libraries.

mod not_found;
mod places;
mod python;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use not_found::write_list;
pub use not_found::{ToolkitNotFound, Tried};
use places::{Place, System};

/// A CUDA toolkit, or those parts of one that this machine has.
///
/// nvcc and the headers are each taken from the first place that has them; usually that is the same place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolkit {
    root: PathBuf,
    nvcc: Option<PathBuf>,
    include: Option<PathBuf>,
    lib_dir: Option<PathBuf>,
    version: Option<(u32, u32)>,
    tried: Vec<Tried>,
}

impl Toolkit {
    /// The variables that [`find`](Self::find) reads. A build script that calls it prints
    /// `cargo::rerun-if-env-changed` for each; [`Kernels::compile`](crate::Kernels::compile) does.
    pub const ENV_VARS: [&'static str; 10] = {
        let [conda, environment, pyenv, user, home] = python::VARIABLES;
        ["CUDA_P2P_TOOLKIT", "NVCC", "CUDA_HOME", "CUDA_PATH", "PATH", conda, environment, pyenv, user, home]
    };

    /// Looks for a toolkit: `CUDA_P2P_TOOLKIT`, `NVCC`, `CUDA_HOME`, `CUDA_PATH`, nvcc on `PATH`, `/usr/local/cuda`,
    /// `/opt/cuda`, conda's prefix, and the `nvidia` packages of pip: in the virtual environment, where the `python3` of
    /// `PATH` has its packages (pyenv's versions, if it is one of pyenv's), and among the user's own. Runs no program.
    ///
    /// A variable that leads nowhere does not end the search; [`passed_over`](Self::passed_over) tells of it.
    ///
    /// # Errors
    /// [`ToolkitNotFound`] with every place tried, if none has nvcc or `cuda_runtime_api.h`.
    pub fn find() -> Result<Self, ToolkitNotFound> {
        Self::find_in(&|name| std::env::var_os(name), &System::default())
    }

    fn find_in(var: &dyn Fn(&str) -> Option<OsString>, system: &System) -> Result<Self, ToolkitNotFound> {
        let mut nvcc = None;
        let mut headers = None;
        let mut tried = Vec::new();
        for place in places::all(var, system) {
            let found_nvcc = place.nvcc.iter().find(|path| path.is_file());
            let found_headers = place.include.iter().find(|path| path.join(HEADER).is_file());
            tried.push(Tried {
                origin: place.origin.clone(),
                path: place.root.clone(),
                outcome: match (found_nvcc, found_headers) {
                    (Some(_), Some(_)) => "found",
                    (Some(_), None) => "nvcc but no cuda_runtime_api.h",
                    (None, Some(_)) => "headers but no nvcc",
                    (None, None) if place.root.exists() => not_found::NOTHING,
                    (None, None) => not_found::ABSENT,
                },
            });
            if nvcc.is_none() {
                nvcc = found_nvcc.map(|path| (path.clone(), place.clone()));
            }
            if headers.is_none() {
                headers = found_headers.map(|path| (path.clone(), place.clone()));
            }
            if nvcc.is_some() && headers.is_some() {
                break;
            }
        }
        let Some((_, main)) = headers.as_ref().or(nvcc.as_ref()) else {
            return Err(ToolkitNotFound { tried });
        };
        let include = headers.as_ref().map(|(path, _)| path.clone());
        Ok(Self {
            root: main.root.clone(),
            lib_dir: lib_dir(main),
            version: include.as_deref().and_then(version),
            nvcc: nvcc.map(|(path, _)| path),
            include,
            tried,
        })
    }

    /// One that is nothing but a compiler.
    #[cfg(test)]
    pub(crate) fn of_compiler(nvcc: PathBuf) -> Self {
        let (root, nvcc) = (nvcc.clone(), Some(nvcc));
        Self { root, nvcc, include: None, lib_dir: None, version: None, tried: Vec::new() }
    }

    /// The folder of the place that has the headers, or nvcc if none has headers.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The CUDA compiler. `None` where only headers were found.
    pub fn nvcc(&self) -> Option<&Path> {
        self.nvcc.as_deref()
    }

    /// The folder of `cuda_runtime_api.h`. `None` where only nvcc was found.
    pub fn include(&self) -> Option<&Path> {
        self.include.as_deref()
    }

    /// The folder of libcudart, if the toolkit has one.
    pub fn lib_dir(&self) -> Option<&Path> {
        self.lib_dir.as_deref()
    }

    /// Major and minor version of the headers, from `CUDART_VERSION`.
    pub fn version(&self) -> Option<(u32, u32)> {
        self.version
    }

    /// The folder of headers that nvcc must be told of: those of its own toolkit it finds itself, and a compiler's own
    /// folders must keep their places in its list.
    pub(crate) fn headers_for_nvcc(&self) -> Option<&Path> {
        let own = self.nvcc()?.parent()?.parent()?;
        let finds_some = Place::folder("", own).include.iter().any(|dir| dir.join(HEADER).is_file());
        let system =
            |dir: &&Path| *dir == Path::new("/usr/include") || *dir == Path::new("/usr/local/include");
        self.include().filter(|dir| !finds_some && !system(dir))
    }

    /// The places that a variable named for a toolkit (`CUDA_P2P_TOOLKIT`, `NVCC`, `CUDA_HOME`, `CUDA_PATH`) and that have
    /// nothing of one: a mistake, most likely. A build script prints them; [`Kernels::compile`](crate::Kernels::compile)
    /// does.
    pub fn passed_over(&self) -> impl Iterator<Item = &Tried> {
        const NAMED: [&str; 4] = ["CUDA_P2P_TOOLKIT", "NVCC", "CUDA_HOME", "CUDA_PATH"];
        self.tried.iter().filter(|tried| NAMED.contains(&&*tried.origin) && !tried.has_something())
    }

    /// Every place looked at, up to the one that settled the search.
    pub fn tried(&self) -> &[Tried] {
        &self.tried
    }
}

const HEADER: &str = "cuda_runtime_api.h";

fn lib_dir(place: &Place) -> Option<PathBuf> {
    let has_cudart = |dir: &&PathBuf| {
        fs::read_dir(dir).is_ok_and(|entries| {
            entries.flatten().any(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                name.starts_with("libcudart") || name.eq_ignore_ascii_case("cudart.lib")
            })
        })
    };
    place.lib.iter().find(has_cudart).cloned()
}

/// `#define CUDART_VERSION  13000` is 13.0, `12080` is 12.8.
fn version(include: &Path) -> Option<(u32, u32)> {
    let header = fs::read_to_string(include.join(HEADER)).ok()?;
    let number = header.lines().find_map(|line| {
        let mut words = line.trim().strip_prefix('#')?.split_whitespace();
        (words.next() == Some("define") && words.next() == Some("CUDART_VERSION")).then(|| words.next())?
    })?;
    let number: u32 = number.parse().ok()?;
    Some((number / 1000, number % 1000 / 10))
}
