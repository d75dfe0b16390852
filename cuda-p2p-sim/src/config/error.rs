//! Why something describes no machine.

use thiserror::Error;

use super::{ENVIRONMENT_VARIABLE, MAX_DEVICES, text};
use crate::release;

/// Why a text or a [`MachineConfig`](super::MachineConfig) describes no machine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// The environment variable is not Unicode.
    #[error("{ENVIRONMENT_VARIABLE} is not valid Unicode; {}", text::ALLOWED)]
    NotUnicode,
    /// The text asks for no machine.
    #[error("the setting is empty or switches the simulated machine off; {}", text::ALLOWED)]
    Off,
    /// A word that means nothing.
    #[error("`{word}` is not a setting of the simulated machine; {}", text::ALLOWED)]
    UnknownWord {
        /// The word.
        word: String,
    },
    /// A known setting with a value that it cannot have.
    #[error("`{word}`: {expected}; {}", text::ALLOWED)]
    BadValue {
        /// The whole word.
        word: String,
        /// What the value may be.
        expected: &'static str,
    },
    /// The same setting twice, or `peers` with `islands`.
    #[error(
        "`{word}` repeats or contradicts an earlier setting; give each one once, either peers or islands, and one defect for each pair and means"
    )]
    Repeated {
        /// The later word.
        word: String,
    },
    /// No devices, or too many.
    #[error("a machine of {devices} devices cannot be simulated; ask for 1 to {MAX_DEVICES}")]
    Devices {
        /// How many were asked for.
        devices: usize,
    },
    /// Too little memory.
    #[error("{bytes} bytes are too little memory for a device; give at least 1MiB")]
    Memory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// A runtime that is not simulated.
    #[error(
        "a runtime of release {release} is not simulated; ask for one from {} to {}, that of the bindings",
        release::OLDEST,
        release::NEWEST
    )]
    Runtime {
        /// The release that was asked for.
        release: String,
    },
    /// Groups that the devices cannot be divided into.
    #[error("{devices} devices cannot be divided into {islands} islands of equal size")]
    Islands {
        /// Number of groups.
        islands: usize,
        /// Number of devices.
        devices: usize,
    },
    /// A defect of a function that is not bound, or that cannot fail.
    #[error(
        "`{call}` is no function that can fail; give the name of a bound function of the runtime, as cudaMalloc"
    )]
    NoSuchFunction {
        /// The name.
        call: String,
    },
    /// A defect with a code that is no error.
    #[error("{code} is no error of the CUDA runtime; give the number of one, as 2 or 802")]
    NoSuchCode {
        /// The number.
        code: u32,
    },
    /// A link to a device that the machine does not have, or a defect of one.
    #[error("a peer link or a defect names device {device}; the machine has {devices}, numbered from 0")]
    NoSuchDevice {
        /// The device.
        device: usize,
        /// Number of devices.
        devices: usize,
    },
    /// A link of a device to itself.
    #[error("a peer link joins device {device} with itself; a device always reaches its own memory")]
    OwnPeer {
        /// The device.
        device: usize,
    },
}
