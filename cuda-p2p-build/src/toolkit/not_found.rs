//! What a search looked at, and the error of one that found nothing.

use std::fmt;
use std::path::PathBuf;

/// The outcome for a place that has neither nvcc nor the headers.
pub(crate) const NOTHING: &str = "neither nvcc nor cuda_runtime_api.h";
/// The outcome for a place that is not there.
pub(crate) const ABSENT: &str = "does not exist";

/// One place where a toolkit was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tried {
    /// What led there: a variable with its meaning, or `default`.
    pub origin: String,
    /// The folder, or for a variable that names a file, that file.
    pub path: PathBuf,
    /// What was found, in words.
    pub outcome: &'static str,
}

impl Tried {
    /// Whether nvcc or the headers are there.
    pub(crate) fn has_something(&self) -> bool {
        !matches!(self.outcome, NOTHING | ABSENT)
    }
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.path.display(), self.origin, self.outcome)
    }
}

/// No place had nvcc or the CUDA headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolkitNotFound {
    pub(crate) tried: Vec<Tried>,
}

impl ToolkitNotFound {
    /// Every place looked at, in order.
    pub fn tried(&self) -> &[Tried] {
        &self.tried
    }
}

impl fmt::Display for ToolkitNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no CUDA toolkit found; tried ")?;
        write_list(f, &self.tried)?;
        f.write_str(
            ". Set CUDA_HOME (or CUDA_PATH, CUDA_P2P_TOOLKIT) to a toolkit's folder or NVCC to its nvcc, or put nvcc \
             on PATH",
        )
    }
}

impl std::error::Error for ToolkitNotFound {}

/// All in one line: it becomes one cargo warning.
pub(crate) fn write_list(f: &mut dyn fmt::Write, tried: &[Tried]) -> fmt::Result {
    for (i, place) in tried.iter().enumerate() {
        write!(f, "{}{place}", if i == 0 { "" } else { "; " })?;
    }
    Ok(())
}
