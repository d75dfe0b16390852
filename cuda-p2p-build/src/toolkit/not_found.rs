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
    /// Every place looked at, in order; the text counts some of them.
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

/// As many places of one kind with one outcome are told one by one.
const FEW: usize = 2;

/// All in one line: it becomes one cargo warning. Of many places of one kind the first is named, and the others are counted: pyenv may
/// have a dozen versions.
pub(crate) fn write_list(f: &mut dyn fmt::Write, tried: &[Tried]) -> fmt::Result {
    let alike = |a: &Tried, b: &Tried| (&a.origin, a.outcome) == (&b.origin, b.outcome);
    for (i, kind) in tried.chunk_by(alike).enumerate() {
        f.write_str(if i == 0 { "" } else { "; " })?;
        match kind {
            [first, others @ ..] if kind.len() > FEW => {
                let Tried { origin, path, outcome } = first;
                write!(f, "{} and {} more ({origin}): {outcome}", path.display(), others.len())?;
            }
            _ => {
                for (i, place) in kind.iter().enumerate() {
                    write!(f, "{}{place}", if i == 0 { "" } else { "; " })?;
                }
            }
        }
    }
    Ok(())
}
