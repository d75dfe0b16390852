//! Why a runtime library could not be used.

use std::fmt;
use std::path::PathBuf;

/// One place that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The file, or a bare name that the system's linker was asked for.
    pub path: PathBuf,
    /// What was wrong.
    pub problem: String,
}

/// Why no runtime library is open.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// No place had a usable library.
    NotFound {
        /// The file name that was looked for.
        soname: String,
        /// Every place, in the order of the search.
        tried: Vec<Attempt>,
    },
    /// A path that must be absolute is not: it would depend on the working directory.
    RelativePath {
        /// The path as it was given.
        path: PathBuf,
    },
    /// The system's linker refused the file: absent, truncated, not a library, for another processor.
    Unusable {
        /// The file.
        path: PathBuf,
        /// The linker's own words.
        problem: String,
    },
    /// The library would not say which version it is (`cudaRuntimeGetVersion`).
    NoVersion {
        /// The file.
        path: PathBuf,
        /// The status that the call returned.
        status: u32,
        /// The version that the call left.
        version: i32,
    },
    /// The library is of another major: its symbols have the same names and other layouts.
    WrongMajor {
        /// The file.
        path: PathBuf,
        /// The library's release, as `(major, minor)`.
        found: (u32, u32),
        /// The release that the bindings were made for.
        bound: (u32, u32),
    },
    /// The library lacks a function that nothing works without.
    MissingSymbol {
        /// The file.
        path: PathBuf,
        /// The C name.
        symbol: &'static str,
        /// The release that brought it.
        since: (u32, u32),
    },
}

impl LoadError {
    /// The message without the path, for a list that has the path already.
    pub(super) fn problem(&self) -> String {
        match self {
            Self::Unusable { problem, .. } => problem.clone(),
            Self::NoVersion { status, .. } => format!("cudaRuntimeGetVersion failed with status {status}"),
            Self::WrongMajor { found, bound, .. } => {
                format!("is CUDA {}.{}, and CUDA {} is needed", found.0, found.1, bound.0)
            }
            Self::MissingSymbol { symbol, .. } => format!("lacks {symbol}"),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { soname, tried } => {
                write!(
                    f,
                    "no usable {soname}: install the CUDA runtime of that major (pip: nvidia-cuda-runtime), or set \
                     CUDA_P2P_CUDART to the absolute path of the library. Tried:"
                )?;
                tried
                    .iter()
                    .try_for_each(|attempt| write!(f, "\n  {}: {}", attempt.path.display(), attempt.problem))
            }
            Self::RelativePath { path } => write!(
                f,
                "{} is not an absolute path; CUDA_P2P_CUDART takes the absolute path of a libcudart.so, because nothing is \
                 loaded from the working directory",
                path.display()
            ),
            Self::Unusable { path, problem } => write!(
                f,
                "{} cannot be loaded ({problem}); name a libcudart.so for this machine's processor, or unset \
                 CUDA_P2P_CUDART to have it looked for",
                path.display()
            ),
            Self::NoVersion { path, status, version } => write!(
                f,
                "{} does not say its version (cudaRuntimeGetVersion returned status {status} and version {version}); it is no \
                 CUDA runtime, or a broken one: reinstall it or name another by CUDA_P2P_CUDART",
                path.display()
            ),
            Self::WrongMajor { path, found, bound } => write!(
                f,
                "{} is CUDA {}.{}, and this program's bindings are for CUDA {}: the layouts differ. Name a libcudart.so.{} by \
                 CUDA_P2P_CUDART, or build with the headers (or CUDA_P2P_CUDA_MAJOR={}) of the library's major",
                path.display(),
                found.0,
                found.1,
                bound.0,
                bound.0,
                found.0
            ),
            Self::MissingSymbol { path, symbol, since } => write!(
                f,
                "{} lacks {symbol}, which every CUDA runtime since {}.{} has; it is no CUDA runtime, or a broken one: \
                 reinstall it or name another by CUDA_P2P_CUDART",
                path.display(),
                since.0,
                since.1
            ),
        }
    }
}

impl std::error::Error for LoadError {}
