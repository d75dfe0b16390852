//! Copies by kernels: where the copy engines have other work, or the copy is so small that a kernel is faster.
//!
//! # Safety
//! This file launches the copy kernels of `cuda-p2p-sys` by their raw handles. Both ends of a copy have as many bytes as the
//! kernel is told, are ordered and kept by their uses, and may be touched by the launching device: a view proves that, or the
//! access is asked for and held until the launch is in the stream.
#![allow(unsafe_code, reason = "launches kernels; see the paragraph on safety above")]

mod device;
mod peer;
mod plan;

use std::ffi::c_void;
use std::fmt;
use std::num::NonZeroU32;

use bytemuck::Pod;

use crate::copy::check_len;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::kernel::{Kernel, LaunchConfig};
use crate::kernel_param::{IntoParam, KernelParam};
use crate::kernel_slice::{KernelSlice, KernelSliceMut};
use crate::runtime::Runtime;
use crate::stream::Stream;

use device::Devices;
pub use plan::KernelCopyDirection;
use plan::{BULK_THREADS, CHUNK, Plan, SHARED};

/// The copy kernels of a runtime. Load once, use everywhere.
///
/// Large copies on devices from sm_90 on are done by bulk copies: one thread of each block keeps the copy unit of its
/// multiprocessor busy. Sixteen blocks then read a peer at the full rate of the link, and leave the other multiprocessors to other
/// work; to write at the full rate takes all of them. Elsewhere, and for small copies, threads copy 16 bytes each.
pub struct KernelCopy {
    runtime: Runtime,
    plain: Kernel,
    bulk: Kernel,
    devices: Devices,
}

/// How a copy by a kernel is to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelCopyOptions {
    /// The most blocks that it may take, at least one. With `None`, the fewest that reach the full rate.
    pub max_blocks: Option<u32>,
    /// Which device does it, where that is left open.
    pub side: KernelCopySide,
}

/// Which device does a copy between two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KernelCopySide {
    /// Whichever is better: the device that the bytes come from for large copies, because over NVLink two devices that write to
    /// each other are faster than two that read; the stream's own for small ones.
    #[default]
    Either,
    /// The device that the bytes come from writes to the other.
    Source,
    /// The device that the bytes go to reads from the other.
    Destination,
}

impl KernelCopyOptions {
    /// The most blocks, if there is a most. Refuses a copy that may take none.
    fn most_blocks(&self) -> Result<Option<NonZeroU32>> {
        self.max_blocks.map(|most| NonZeroU32::new(most).ok_or(Error::NoBlocks)).transpose()
    }
}

/// How a copy by a kernel was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelCopied {
    /// Who moves what.
    pub direction: KernelCopyDirection,
    /// Blocks of the launch; 0 if there was nothing to copy.
    pub blocks: u32,
    /// Whether by the kernel for bulk copies, which on a simulated device makes ordinary accesses.
    pub bulk: bool,
}

impl KernelCopied {
    fn nothing(direction: KernelCopyDirection) -> Self {
        Self { direction, blocks: 0, bulk: false }
    }
}

impl KernelCopy {
    /// Loads the kernels.
    ///
    /// # Errors
    /// As a [`kernels!`](crate::kernels) declaration's `load`.
    pub fn load(runtime: &Runtime) -> Result<Self> {
        let module = cuda_p2p_sys::kernels();
        let (address, number) = (size_of::<*mut c_void>(), size_of::<u64>());
        let plain = Kernel::load(runtime, module, "cuda_p2p_copy", &[address, address, number])?;
        let sizes = [address, address, number, size_of::<u32>()];
        let bulk = Kernel::load(runtime, module, "cuda_p2p_copy_bulk", &sizes)?;
        Ok(Self { runtime: *runtime, plain, bulk, devices: Devices::default() })
    }

    /// Copies by a kernel of the stream's device, which reads a peer if `source` is a view of one, and writes to a peer if
    /// `destination` is. Asynchronous. The two do not overlap, which the borrow checker sees to.
    ///
    /// C: `cudaLaunchKernel`.
    ///
    /// # Errors
    /// [`Error::NoBlocks`]; [`Error::SizeMismatch`]; [`Error::WrongDevice`] if a slice is not of the stream's device, or a view not
    /// for it; [`Error::StaleHandle`](crate::Error::StaleHandle),
    /// [`Error::StaleToken`](crate::Error::StaleToken); [`Error::NoKernelImage`](crate::Error::NoKernelImage),
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaLaunchKernel")]
    pub fn copy_async<'a, T: Pod>(
        &self,
        stream: &Stream,
        destination: impl IntoParam<KernelSliceMut<'a, T>>,
        source: impl IntoParam<KernelSlice<'a, T>>,
        options: KernelCopyOptions,
    ) -> Result<KernelCopied> {
        let (destination, source) = (destination.into_param(), source.into_param());
        let most = options.most_blocks()?;
        check_len(destination.len(), source.len())?;
        self.plain.check_stream(stream)?;
        destination.check(stream)?;
        source.check(stream)?;
        let direction = match (&destination, &source) {
            (KernelSliceMut::Peer(_), _) => KernelCopyDirection::Push,
            (KernelSliceMut::Device(_), KernelSlice::Peer(_)) => KernelCopyDirection::Pull,
            (KernelSliceMut::Device(_), KernelSlice::Device(_)) => KernelCopyDirection::Within,
        };
        let bytes = source.len() * size_of::<T>();
        // Not a use of the memory, for a graph that is recorded either.
        if bytes == 0 {
            return Ok(KernelCopied::nothing(direction));
        }
        // SAFETY: the checks above found nothing against the stream, and both are dropped at the end of this function.
        let _held = unsafe { (source.acquire(stream)?, destination.acquire(stream)?) };
        // SAFETY: as above; the addresses go into the launch below.
        let (to, from) = unsafe { (destination.raw(), source.raw()) };
        // SAFETY: both have so many bytes, which the launching device may touch, by the checks; they are ordered and kept.
        unsafe { self.launch(stream, to, from, bytes, direction, most) }
    }

    /// Launches the better kernel.
    ///
    /// # Safety
    /// - Both addresses have `bytes` bytes that the stream's device may touch until the copy is done, and are ordered with other
    ///   work. They do not overlap.
    unsafe fn launch(
        &self,
        stream: &Stream,
        mut to: *mut c_void,
        mut from: *mut c_void,
        bytes: usize,
        direction: KernelCopyDirection,
        most: Option<NonZeroU32>,
    ) -> Result<KernelCopied> {
        if bytes == 0 {
            return Ok(KernelCopied::nothing(direction));
        }
        let traits = self.devices.of(stream.device(), &self.bulk)?;
        let aligned_alike = (to.addr() ^ from.addr()).is_multiple_of(16);
        let mut bytes = bytes as u64;
        let plan = Plan::new(traits, direction, bytes, aligned_alike, most);
        let mut chunk = CHUNK;
        let parameters: &mut [*mut c_void; 4] = &mut [
            (&raw mut to).cast(),
            (&raw mut from).cast(),
            (&raw mut bytes).cast(),
            (&raw mut chunk).cast(),
        ];
        match plan {
            Plan::Plain { blocks, threads } => {
                let config = LaunchConfig::new(blocks, threads);
                // SAFETY: the first three are the parameters of copy.cu, which any shape of launch will do for; the caller
                // answers for the memory.
                unsafe { self.plain.launch(stream, config, &mut parameters[..3]) }?;
            }
            Plan::Bulk { blocks } => {
                let config =
                    LaunchConfig { shared_mem_bytes: SHARED, ..LaunchConfig::new(blocks, BULK_THREADS) };
                // SAFETY: as above, of copy_bulk.cu.
                unsafe { self.bulk.launch(stream, config, parameters) }?;
            }
        }
        Ok(KernelCopied { direction, blocks: plan.blocks(), bulk: matches!(plan, Plan::Bulk { .. }) })
    }

    /// Refuses devices of another runtime.
    fn check_runtime(&self, device: &Device) -> Result<()> {
        if self.runtime.is(device.runtime()) {
            return Ok(());
        }
        Err(Error::OtherRuntime { what: "the copy kernel" })
    }
}

impl fmt::Debug for KernelCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KernelCopy({:?})", self.runtime)
    }
}
