//! Where a runtime came from, and why.

use std::fmt;
use std::path::PathBuf;

use crate::error::Error;
use crate::ffi::{Link, LoadError};

/// A release of CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// 13 of 13.0.
    pub major: u32,
    /// 0 of 13.0.
    pub minor: u32,
}

impl Version {
    /// From one number, as CUDA writes it: 13000 is 13.0.
    pub(crate) fn from_number(number: i32) -> Self {
        let number = u32::try_from(number).unwrap_or(0);
        Self { major: number / 1000, minor: number % 1000 / 10 }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Where the functions of a [`Runtime`](crate::Runtime) come from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// NVIDIA's runtime library.
    Library {
        /// What was opened: a path, or the bare name if the system's linker found it.
        path: PathBuf,
        /// Its release.
        version: Version,
    },
    /// NVIDIA's runtime library, linked into or with the program.
    Linked {
        /// How.
        link: Link,
        /// Its release.
        version: Version,
    },
    /// The simulated runtime: no GPU does this work, and no time that it takes means anything.
    Simulator {
        /// The machine, in the words of `CUDA_P2P_SIM`.
        config: String,
        /// Why there is a simulator.
        because: SimulatorReason,
    },
    /// A library in the place of NVIDIA's, whose devices are simulated: `cuda-p2p-sim` as a shared library. It runs no kernel of
    /// this program.
    SimulatorLibrary {
        /// What was opened: a path, or the bare name if the system's linker found it.
        path: PathBuf,
        /// The release that it stands for.
        version: Version,
        /// The machine, in the words of `CUDA_P2P_SIM`.
        config: String,
    },
    /// A table that the program brought along.
    Table,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library { path, version } => write!(f, "CUDA runtime {version} ({})", path.display()),
            Self::Linked { link: Link::Static, version } => {
                write!(f, "CUDA runtime {version} (linked, static)")
            }
            Self::Linked { version, .. } => write!(f, "CUDA runtime {version} (linked, shared)"),
            Self::Simulator { config, because } => {
                write!(f, "SIMULATED machine ({config}), because {because}")
            }
            Self::SimulatorLibrary { path, config, .. } => {
                write!(f, "SIMULATED machine ({config}), because {} is a simulator's", path.display())
            }
            Self::Table => f.write_str("a function table of the program's own"),
        }
    }
}

/// Why devices are simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SimulatorReason {
    /// `CUDA_P2P_SIM` asks for it.
    AskedByVariable,
    /// The program asks for it: `Runtime::simulated`.
    AskedByProgram,
    /// There is no runtime library, and the program's policy allows it.
    NoLibrary(Box<LoadError>),
    /// There is no driver or no device, and the program's policy allows it.
    NoDevice(Box<Error>),
}

impl fmt::Display for SimulatorReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AskedByVariable => f.write_str("CUDA_P2P_SIM asks for it"),
            Self::AskedByProgram => f.write_str("the program asks for it"),
            Self::NoLibrary(_) => f.write_str("this machine has no CUDA runtime library"),
            Self::NoDevice(error) => match error.code() {
                Some(100) | None => f.write_str("this machine has no CUDA device"),
                Some(code) => write!(f, "this machine has no usable NVIDIA driver (error {code})"),
            },
        }
    }
}

/// When simulated devices may stand in for real ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SimulatorPolicy {
    /// Only if `CUDA_P2P_SIM` asks for them, or somebody put a library that simulates in NVIDIA's place
    /// ([`Origin::SimulatorLibrary`]).
    #[default]
    Never,
    /// Also where there is no runtime library, no driver or no device. Never in place of a device.
    WhenNoDevice,
}
