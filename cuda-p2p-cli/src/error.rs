//! What can go wrong before there is a result to show.

use std::io::Write;
use std::path::PathBuf;

use thiserror::Error;

use crate::exit::Exit;
use crate::output::wrap;

/// An argument that makes no sense.
#[derive(Clone, Debug, Error)]
pub(crate) enum UsageError {
    /// Not a size.
    #[error(
        "{option}: '{given}' is no size; give bytes from 1 on, plain or with KiB, MiB or GiB, e.g. {example}",
        example = if *option == "--bytes" { "1GiB" } else { "1,4097,4KiB,64MiB" }
    )]
    Size {
        /// The option that it was given to.
        option: &'static str,
        /// The text.
        given: String,
    },
    /// Not a pair.
    #[error("--pairs: '{given}' is no ordered pair; give accessor:owner by CUDA ordinal, e.g. 0:1,1:0")]
    Pair {
        /// The text.
        given: String,
    },
    /// A device and itself.
    #[error(
        "--pairs: {device}:{device} names one device twice; a device needs no peer access to its own memory"
    )]
    PairOfOne {
        /// The ordinal.
        device: u32,
    },
    /// A device that the machine does not have.
    #[error(
        "--pairs: there is no device {device}; this machine has {count}, numbered from 0 (see 'cuda-p2p topo')"
    )]
    NoSuchDevice {
        /// The ordinal.
        device: u32,
        /// How many there are.
        count: usize,
    },
    /// A file that cannot be used.
    #[error("{option} {}: {problem}", path.display())]
    File {
        /// The option that names it.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A simulated machine, and none is described.
    #[error(
        "--sim: '{given}' describes no machine; give 'on' for the usual one, or words such as 'devices=4 islands=2', or \
         leave --sim out to use this machine's devices"
    )]
    NoMachine {
        /// The text.
        given: String,
    },
    /// Not a time.
    #[error("--minutes: {} is no time; give minutes, more than 0, e.g. 60", short(*given))]
    Minutes {
        /// The number.
        given: f64,
    },
    /// Not a time.
    #[error("--deadline: {} is no time; give seconds, more than 0, e.g. 60", short(*given))]
    Deadline {
        /// The number.
        given: f64,
    },
}

/// A number as short as it can be told: one of a hundred digits by its power of ten.
fn short(number: f64) -> String {
    if number.abs() < 1e9 { number.to_string() } else { format!("{number:e}") }
}

/// Why the command has no result.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    /// The arguments make no sense.
    #[error(transparent)]
    Usage(#[from] UsageError),
    /// The simulator's configuration makes no sense; the text is the library's.
    #[error("{0}")]
    Configuration(String),
    /// A CUDA call failed, or the process that made it did.
    #[error("{0}")]
    Cuda(String),
    /// This program's own file, or a process of it, could not be started.
    #[error("cannot start a process of this program ({0}); each GPU step runs in one of its own")]
    Spawn(#[source] std::io::Error),
    /// The system does not let this program see that it is interrupted.
    #[error("cannot listen for an interruption ({0})")]
    Interrupts(#[source] std::io::Error),
    /// Standard output is closed or full.
    #[error("cannot write the result ({0})")]
    Output(#[from] std::io::Error),
}

impl CliError {
    /// The exit status that goes with it.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) | Self::Configuration(_) => Exit::BadArguments,
            Self::Cuda(_) => Exit::CudaFailed,
            Self::Spawn(_) | Self::Interrupts(_) | Self::Output(_) => Exit::NoResult,
        }
    }

    /// Says it on standard error. A reader who had enough, as `head` has, knows; the exit status tells everybody else.
    pub(crate) fn complain(&self) {
        match self {
            Self::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            other => complain(other),
        }
    }
}

/// Says on standard error what went wrong, as wide as every screen. That may be closed; then the exit status has to do.
pub(crate) fn complain(problem: &dyn std::fmt::Display) {
    let text = format!("cuda-p2p: {problem}");
    let lines: String = text.lines().map(|line| wrap(line, "  ")).collect();
    let _ = std::io::stderr().write_all(lines.as_bytes());
}
