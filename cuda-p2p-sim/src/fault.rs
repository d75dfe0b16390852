//! The fault that poisoned the machine.

use std::fmt;

/// A fault of simulated work: from then on nearly every call of the process answers with its code.
///
/// Its text names the kernel or operation, the address, whose memory it is, and why it could not be touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub(crate) code: u32,
    pub(crate) device: usize,
    pub(crate) kernel: Option<String>,
    pub(crate) text: String,
    pub(crate) seed: Option<u64>,
}

impl Fault {
    /// The CUDA error: 700 for an access that was not allowed, 716, 719 and others as on hardware.
    #[must_use]
    pub fn code(&self) -> u32 {
        self.code
    }

    /// Ordinal of the device that the work ran on.
    #[must_use]
    pub fn device(&self) -> usize {
        self.device
    }

    /// Name of the kernel; `None` if it was a copy or a fill.
    #[must_use]
    pub fn kernel(&self) -> Option<&str> {
        self.kernel.as_deref()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error {}: {}", self.code, self.text)?;
        match self.seed {
            Some(seed) => write!(f, " (schedule seed {seed})"),
            None => Ok(()),
        }
    }
}
