//! The library's own kernels, with the shapes in which the proof launches them.

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

/// The kernels, loaded.
pub(super) struct ProofKernels {
    kernels: Kernels,
    threads: u32,
    most_blocks: u32,
}

impl ProofKernels {
    /// Loads them for every device.
    pub(super) fn load(runtime: &Runtime) -> Result<Self> {
        let (threads, most_blocks) = if runtime.is_simulated() { SIMULATOR_SHAPE } else { GPU_SHAPE };
        Ok(Self { kernels: Kernels::load(runtime)?, threads, most_blocks })
    }

    /// The kernels as the library declares them.
    pub(super) fn raw(&self) -> &Kernels {
        &self.kernels
    }

    /// Writes `pattern` to all of `data`.
    pub(super) fn fill(&self, stream: &Stream, data: DeviceSliceMut<'_, u8>, pattern: Pattern) -> Result<()> {
        let bytes = data.len() as u64;
        self.kernels.fill(stream, self.shape(bytes), data, bytes, pattern.seed)
    }

    /// Adds to `found` how many bytes of `data` differ from `pattern`, and the first such offset.
    pub(super) fn check(
        &self,
        stream: &Stream,
        data: DeviceSlice<'_, u8>,
        pattern: Pattern,
        found: &mut DeviceBuffer<CheckResult>,
    ) -> Result<()> {
        let bytes = data.len() as u64;
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
        let bytes = bytes as u64;
        self.kernels.copy(stream, self.shape(bytes), to.into_param(), from.into_param(), bytes)
    }

    fn shape(&self, bytes: u64) -> LaunchConfig {
        let blocks = bytes.div_ceil(u64::from(self.threads) * BYTES_PER_THREAD);
        LaunchConfig::new(blocks.clamp(1, u64::from(self.most_blocks)) as u32, self.threads)
    }
}
