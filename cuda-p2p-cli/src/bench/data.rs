//! The bytes that copies move, and whether they arrived.

use cuda_p2p::builtin::{CheckResult, Kernels};
use cuda_p2p::{DeviceBuffer, DeviceSlice, DeviceSliceMut, LaunchConfig, Result, Runtime, Stream};

use super::report::Outcome;

/// Why there is no figure.
#[derive(Debug)]
pub(super) enum Fault {
    /// A call failed.
    Failed(cuda_p2p::Error),
    /// Something else went wrong.
    Said(String),
    /// Bytes did not arrive.
    Wrong(CheckResult),
    /// This machine does not have it, as things are.
    Absent(String),
}

impl From<cuda_p2p::Error> for Fault {
    fn from(error: cuda_p2p::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Fault> for Outcome {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Failed(error) => Self::Failed { error: error.to_string() },
            Fault::Said(error) => Self::Failed { error },
            Fault::Absent(reason) => Self::Skipped { reason },
            Fault::Wrong(found) => Self::WrongData { wrong: found.mismatches, first: found.first },
        }
    }
}

/// Kernels that write and compare patterns, with the shape in which they are launched.
pub(super) struct Patterns {
    pub(super) kernels: Kernels,
    shape: LaunchConfig,
}

impl Patterns {
    pub(super) fn load(runtime: &Runtime) -> Result<Self> {
        // A simulated thread is a coroutine: few of them with much to do each.
        let (blocks, threads) = if runtime.is_simulated() { (4, 32) } else { (256, 256) };
        Ok(Self { kernels: Kernels::load(runtime)?, shape: LaunchConfig::new(blocks, threads) })
    }

    /// Writes the pattern of `seed` to all of `memory`.
    pub(super) fn fill(&self, stream: &Stream, memory: DeviceSliceMut<'_, u8>, seed: u64) -> Result<()> {
        let bytes = memory.len() as u64;
        self.kernels.fill(stream, self.shape, memory, bytes, seed)
    }

    /// Compares all of `memory` with the pattern of `seed`, on its own device. Waits for it. Gives how many bytes that were.
    pub(super) fn check(
        &self,
        stream: &Stream,
        memory: DeviceSlice<'_, u8>,
        seed: u64,
    ) -> Result<u64, Fault> {
        let bytes = memory.len() as u64;
        let mut found: DeviceBuffer<CheckResult> = stream.device().alloc_from(&[CheckResult::CLEAN])?;
        self.kernels.check(stream, self.shape, memory, bytes, seed, &mut found)?;
        match found.to_vec()?.first() {
            Some(found) if found.is_clean(bytes) => Ok(bytes),
            Some(found) if found.compared == bytes => Err(Fault::Wrong(*found)),
            _ => Err(Fault::Said("the kernel that compares did not run".to_owned())),
        }
    }
}
