//! What a status code of the runtime means: its class, and what to do about it.

use std::fmt;

use crate::ffi::cudaError;

/// What kind of failure a status code is. The code itself is beside it, in [`CudaError::code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorClass {
    /// An earlier, asynchronous operation failed, and the process can no longer use the device: 46, 214, 220, 226,
    /// 700, 702, 709, 710, 714 to 719, 721.
    Poisoned,
    /// No memory left on the device, or no pinned memory left on the host: 2.
    OutOfMemory,
    /// The work is not finished yet: 600.
    NotReady,
    /// No driver, a driver that is too old, or no device: 34, 35, 100.
    NoDevice,
    /// An argument that the runtime refuses: 1, 9, 101, 400.
    InvalidArgument,
    /// Peer access cannot be, is already, or is not enabled: 217, 704, 705, 711.
    PeerAccess,
    /// No machine code for the device, or no kernel of that name: 98, 200, 209, 218, 222, 500.
    Kernel,
    /// The stream is being captured, or the capture is broken: 900 to 907.
    Capture,
    /// The system is not ready for CUDA: 3, 802, 803, 804.
    System,
    /// Not supported by this device or driver: 36, 801.
    Unsupported,
    /// Anything else.
    Other,
}

impl ErrorClass {
    /// The class of a raw status code.
    pub const fn of(code: u32) -> Self {
        match code {
            46 | 214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721 => Self::Poisoned,
            2 => Self::OutOfMemory,
            600 => Self::NotReady,
            34 | 35 | 100 => Self::NoDevice,
            1 | 9 | 101 | 400 => Self::InvalidArgument,
            217 | 704 | 705 | 711 => Self::PeerAccess,
            98 | 200 | 209 | 218 | 222 | 500 => Self::Kernel,
            900..=907 => Self::Capture,
            3 | 802..=804 => Self::System,
            36 | 801 => Self::Unsupported,
            _ => Self::Other,
        }
    }

    /// Whether a code stays the answer of the process, so that nobody can take it as a pending error.
    pub(crate) const fn is_sticky(code: u32) -> bool {
        // 46 also says that another process has the device to itself.
        matches!(Self::of(code), Self::Poisoned) && code != 46
    }

    /// What the user can do, as a sentence without its first capital.
    const fn advice(self) -> &'static str {
        match self {
            Self::Poisoned => {
                "the context is poisoned: an earlier asynchronous operation failed (a kernel or a copy that was queued before \
                 this call), and nearly every CUDA call of this process fails from now on; look at the work that was queued \
                 before, and start a new process to go on"
            }
            Self::OutOfMemory => "free some buffers, or allocate less",
            Self::NotReady => "wait for the work first, by synchronize()",
            Self::NoDevice => {
                "install an NVIDIA driver that is new enough for this runtime, or set CUDA_P2P_SIM to run on simulated devices"
            }
            Self::InvalidArgument => "check the arguments against the limits of the device",
            Self::PeerAccess => {
                "ask can_access_peer() for the pair, and see who else in the process toggles its access"
            }
            Self::Kernel => {
                "compile the kernels for this device's architecture (CUDA_P2P_ARCHS), and check the kernel's name"
            }
            Self::Capture => "end the capture of the stream first",
            Self::System => "see that the driver, the fabric manager and the GPUs are up (nvidia-smi, dmesg)",
            Self::Unsupported => "a newer driver, or another device, is needed",
            Self::Other => "see the CUDA runtime's documentation of this code",
        }
    }
}

/// A status code that a call of the CUDA runtime returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaError {
    pub(crate) call: &'static str,
    pub(crate) code: cudaError,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) device: Option<u32>,
    pub(crate) fault: Option<String>,
}

impl CudaError {
    /// The C function that returned the code.
    pub fn call(&self) -> &'static str {
        self.call
    }

    /// The raw code, as `cudaError_t` numbers them.
    pub fn code(&self) -> u32 {
        self.code.0
    }

    /// The code's C name, as the runtime gives it.
    ///
    /// C: `cudaGetErrorName`.
    #[doc(alias = "cudaGetErrorName")]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The code's description, as the runtime gives it.
    ///
    /// C: `cudaGetErrorString`.
    #[doc(alias = "cudaGetErrorString")]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The code's class.
    pub fn class(&self) -> ErrorClass {
        ErrorClass::of(self.code.0)
    }

    /// The device that the call was made on, where that matters to the call.
    pub fn device(&self) -> Option<u32> {
        self.device
    }

    /// What the simulator saw, if it runs: the kernel that faulted, its thread, and the address.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}

impl fmt::Display for CudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.call)?;
        if let Some(device) = self.device {
            write!(f, " on device {device}")?;
        }
        write!(f, " failed with {} ({}): {}", self.code.0, self.name, self.text)?;
        if let Some(fault) = &self.fault {
            write!(f, "; {fault}")?;
        }
        let advice = match self.code.0 {
            400 => {
                "a handle is not alive, or of another device: see whether other code of the process destroyed it, or reset the device"
            }
            _ => self.class().advice(),
        };
        write!(f, "; {advice}")
    }
}

impl std::error::Error for CudaError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poisoned_context_says_what_failed_and_that_it_was_earlier() {
        let error = CudaError {
            call: "cudaStreamSynchronize",
            code: cudaError(700),
            name: "cudaErrorIllegalAddress".into(),
            text: "an illegal memory access was encountered".into(),
            device: Some(1),
            fault: Some("kernel bad_read touched 0x10".into()),
        };
        let text = error.to_string();
        for part in
            ["cudaStreamSynchronize on device 1", "700", "bad_read", "earlier asynchronous operation failed"]
        {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
        assert_eq!(error.class(), ErrorClass::Poisoned);
    }

    #[test]
    fn a_handle_that_is_gone_is_no_matter_of_limits() {
        let (name, text) = ("cudaErrorInvalidResourceHandle".into(), "invalid resource handle".into());
        let (code, device, fault) = (cudaError(400), None, None);
        let said = CudaError { call: "cudaEventRecord", code, name, text, device, fault }.to_string();
        assert!(said.contains("a handle is not alive") && !said.contains("limits"), "{said}");
    }

    #[test]
    fn every_class_has_advice() {
        for code in [1, 2, 3, 46, 100, 209, 217, 600, 700, 801, 900, 999] {
            assert!(!ErrorClass::of(code).advice().is_empty());
        }
    }
}
