//! The library's own kernels, with the shapes in which the proof launches them.

use std::time::Duration;

use cuda_p2p::builtin::{CheckResult, Kernels};
use cuda_p2p::{
    DeviceBuffer, DeviceSlice, DeviceSliceMut, IntoParam, KernelSlice, KernelSliceMut, LaunchConfig, Result,
    Runtime, Stream,
};

use super::pattern::Pattern;

/// Bytes that one thread moves at a time, at best.
const BYTES_PER_THREAD: u64 = 16;

/// Threads of a block, and most blocks, on a GPU: enough to fill one, and each size runs through the loop of the kernel.
const GPU_SHAPE: (u32, u32) = (256, 128);

/// The same on the simulator, where a thread is a coroutine: few of them with much to do each.
const SIMULATOR_SHAPE: (u32, u32) = (32, 4);

/// One thread a side.
const PING_PONG_SHAPE: LaunchConfig = LaunchConfig::new(1, 1);

/// The kernels, loaded.
pub(super) struct ProofKernels {
    kernels: Kernels,
    threads: u32,
    most_blocks: u32,
    /// Those whose launches succeed and do nothing.
    #[cfg(test)]
    pub(super) idle: &'static [Kernel],
    /// Bytes at the end of the data that `check` leaves out.
    #[cfg(test)]
    pub(super) overlooked: u64,
}

/// What a test can keep from running.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    Fill,
    Check,
    Copy,
    PingPong,
}

/// One side's part in a game of ping-pong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// How many rounds.
    pub(super) rounds: u32,
    /// 0 begins.
    pub(super) side: u32,
    /// How long it waits for the other, in one round.
    pub(super) bound: Duration,
}

impl ProofKernels {
    /// Loads them for every device.
    pub(super) fn load(runtime: &Runtime) -> Result<Self> {
        let (threads, most_blocks) = if runtime.is_simulated() { SIMULATOR_SHAPE } else { GPU_SHAPE };
        Ok(Self {
            kernels: Kernels::load(runtime)?,
            threads,
            most_blocks,
            #[cfg(test)]
            idle: &[],
            #[cfg(test)]
            overlooked: 0,
        })
    }

    /// Writes `pattern` to all of `data`.
    pub(super) fn fill(&self, stream: &Stream, data: DeviceSliceMut<'_, u8>, pattern: Pattern) -> Result<()> {
        #[cfg(test)]
        if self.idle.contains(&Kernel::Fill) {
            return Ok(());
        }
        let bytes = data.len() as u64;
        self.kernels.fill(stream, self.shape(bytes), data, bytes, pattern.seed)
    }

    /// Adds to `found` how many bytes of `data` were compared with `pattern`, how many differ, and the first that does.
    pub(super) fn check(
        &self,
        stream: &Stream,
        data: DeviceSlice<'_, u8>,
        pattern: Pattern,
        found: &mut DeviceBuffer<CheckResult>,
    ) -> Result<()> {
        #[cfg(test)]
        if self.idle.contains(&Kernel::Check) {
            return Ok(());
        }
        let bytes = data.len() as u64;
        #[cfg(test)]
        let bytes = bytes - self.overlooked;
        self.kernels.check(stream, self.shape(bytes), data, bytes, pattern.seed, found)
    }

    /// Copies `bytes` bytes by the threads of the stream's device; either side may be a peer's memory.
    pub(super) fn copy<'a, 'b>(
        &self,
        stream: &Stream,
        to: impl IntoParam<KernelSliceMut<'a, u8>>,
        from: impl IntoParam<KernelSlice<'b, u8>>,
        bytes: usize,
    ) -> Result<()> {
        #[cfg(test)]
        if self.idle.contains(&Kernel::Copy) {
            return Ok(());
        }
        let bytes = bytes as u64;
        self.kernels.copy(stream, self.shape(bytes), to.into_param(), from.into_param(), bytes)
    }

    /// One side of a game: `mine` is polled, `theirs` set; the two sides' flags are the same two, the other way round.
    pub(super) fn ping_pong<'a, 'b>(
        &self,
        stream: &Stream,
        mine: impl IntoParam<KernelSliceMut<'a, u32>>,
        theirs: impl IntoParam<KernelSliceMut<'b, u32>>,
        part: Part,
        status: &mut DeviceBuffer<u32>,
    ) -> Result<()> {
        #[cfg(test)]
        if self.idle.contains(&Kernel::PingPong) {
            return Ok(());
        }
        let Part { rounds, side, bound } = part;
        let bound_ns = u64::try_from(bound.as_nanos()).unwrap_or(u64::MAX);
        let (mine, theirs) = (mine.into_param(), theirs.into_param());
        self.kernels.ping_pong(stream, PING_PONG_SHAPE, mine, theirs, rounds, side, bound_ns, status)
    }

    fn shape(&self, bytes: u64) -> LaunchConfig {
        let blocks = bytes.div_ceil(u64::from(self.threads) * BYTES_PER_THREAD);
        LaunchConfig::new(blocks.clamp(1, u64::from(self.most_blocks)) as u32, self.threads)
    }
}
