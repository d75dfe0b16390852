//! Why a comparison could not be made; a mismatch that it found is not an error but its result.

use std::path::PathBuf;

/// What kept a comparison from being made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The generator of the bindings failed.
    #[error("the bindings cannot be generated: {0}")]
    Generate(String),
    /// The bindings are not the Rust that this program reads.
    #[error("the bindings cannot be read: {0}")]
    Bindings(String),
    /// A line of the list is malformed.
    #[error("line {line} of the list: {problem}")]
    List {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A file or folder could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A compiler could not be started.
    #[error(
        "{program} could not be started: {source}; install it, or name another by the variable {variable}"
    )]
    NoCompiler {
        /// What was called.
        program: String,
        /// The variable that names it.
        variable: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A generated program does not compile for a reason that is no mismatch, or does not run.
    #[error("the generated {language} program failed:\n{output}")]
    Probe {
        /// `C` or `Rust`.
        language: &'static str,
        /// What the compiler or the program said.
        output: String,
    },
    /// A folder of headers is none.
    #[error("{}: no cuda_runtime_api.h in it, or no CUDART_VERSION in that", path.display())]
    NoHeader {
        /// The folder.
        path: PathBuf,
    },
}

impl Error {
    /// [`Error::File`] for `path`.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
