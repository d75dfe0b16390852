//! How a child ended.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a child did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "how")]
pub(crate) enum Ending {
    /// It said that it was done, and exited with status 0.
    Done,
    /// It exited with a status, or with 0 before it was done.
    Exited {
        /// The status.
        status: i32,
    },
    /// A signal killed it.
    Killed {
        /// The signal's number.
        signal: i32,
    },
    /// It was silent past the deadline and was killed.
    Hung {
        /// The deadline, in milliseconds.
        deadline_ms: u64,
        /// Whether it went when killed. One that did not hangs inside the driver, and still holds its devices.
        gone: bool,
    },
    /// It was ended because its work was not wanted any more.
    Stopped,
    /// It said something that makes no sense, or not there, and was killed.
    Garbled {
        /// What: the beginning of the line.
        said: String,
    },
}

impl Ending {
    /// That of a process which went by itself, and had said that it was done, or had not.
    pub(super) fn of(status: ExitStatus, done: bool) -> Self {
        match (status.signal(), status.code()) {
            (Some(signal), _) => Self::Killed { signal },
            (None, Some(0)) if done => Self::Done,
            (None, code) => Self::Exited { status: code.unwrap_or(0) },
        }
    }

    /// That of a process which was silent for longer than `deadline`.
    pub(super) fn hung(deadline: Duration, gone: bool) -> Self {
        Self::Hung { deadline_ms: u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX), gone }
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Done => f.write_str("done"),
            Self::Exited { status } => write!(f, "the process ended early, with status {status}"),
            Self::Killed { signal } => {
                write!(f, "the process was killed by signal {signal}{}", signal_name(*signal))
            }
            Self::Hung { deadline_ms, gone } => {
                write!(f, "no answer within {} s, the process was killed", *deadline_ms as f64 / 1000.0)?;
                if !gone {
                    f.write_str(" but does not go: it hangs inside the driver and still holds its devices")?;
                }
                Ok(())
            }
            Self::Stopped => f.write_str("the process was ended before it was done"),
            Self::Garbled { said } => {
                write!(f, "the process reported what makes no sense, and was killed: {said:?}")
            }
        }
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}
