//! Copies between two devices by a kernel of either.
//!
//! # Safety
//! This file launches a copy on memory that nobody has shown a view of. The access of the launching device is asked for, and held
//! by the pair's lock, until the launch is in a stream; whoever disables it afterwards waits for that work. A launch in a stream
//! of this crate's own stands between two events of the caller's, or the host waits for it.
#![allow(unsafe_code, reason = "launches kernels; see the paragraph on safety above")]

use std::num::NonZeroU32;

use bytemuck::Pod;

use crate::copy::check_len;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::slice::{DeviceSlice, DeviceSliceMut, View};
use crate::stream::Stream;
use crate::uses::Access;

use super::plan::KernelCopyDirection;
use super::{KernelCopied, KernelCopy, KernelCopyOptions, KernelCopySide};

/// From here on it is worth to have the other device write: two events more, and 7 to 9 percent of the rate both ways.
const WORTH_PUSHING: usize = 4 << 20;

/// What is not recorded into a graph.
const BETWEEN_DEVICES: &str = "a copy by a kernel without views; one by views is recorded";

impl KernelCopy {
    /// Copies between two devices by a kernel of one of them, in the order of `stream`, which is of either. Asynchronous.
    ///
    /// The access that the kernel needs must be enabled: of the source's device to push, of the destination's to pull. The
    /// runtime is asked each time (2 microseconds). If the kernel is to run on the device that the stream is not of, it runs in a
    /// stream of this crate's own, between two events.
    ///
    /// C: `cudaLaunchKernel`.
    ///
    /// # Errors
    /// [`Error::NoBlocks`]; [`Error::SizeMismatch`]; [`Error::WrongDevice`] if the stream is of a third device; [`Error::NoDirectPath`] without the
    /// access; [`Error::PoolNotGranted`], [`Error::NotAccessible`], [`Error::RangeNotGranted`]; [`Error::StaleHandle`]; [`Error::NoKernelImage`]; [`Error::Capture`] while
    /// the stream is captured; [`Error::Cuda`].
    #[doc(alias = "cudaLaunchKernel")]
    pub fn copy_peer_async<'d, 's, T: Pod>(
        &self,
        stream: &Stream,
        destination: impl Into<DeviceSliceMut<'d, T>>,
        source: impl Into<DeviceSlice<'s, T>>,
        options: KernelCopyOptions,
    ) -> Result<KernelCopied> {
        let (destination, source) = (destination.into(), source.into());
        let most = options.most_blocks()?;
        check_len(destination.len(), source.len())?;
        self.check_runtime(&stream.device())?;
        let (to, from) = (destination.device(), source.device());
        if to == from {
            return self.copy_async(stream, destination, source, options);
        }
        stream.check()?;
        to.check_runtime(&from, "the source")?;
        if stream.device() != from {
            stream.device().check_same(&to, "the destination")?;
        }
        destination.view.check("the device memory")?;
        source.view.check("the device memory")?;
        let copy = Copy { to: &destination.view, from: &source.view, bytes: source.size_bytes() };
        for (direction, launcher, other) in copy.candidates(stream, options.side) {
            let pair = launcher.runtime().pair(launcher, other);
            let mut access = pair.lock();
            if access.is_on() {
                pair.enable(&mut access)?;
                // Under the lock: whoever disables the access comes after this launch, and waits for it.
                return self.launch_on(stream, launcher, copy, direction, most);
            }
        }
        Err(Error::NoDirectPath { source_device: from.ordinal(), destination_device: to.ordinal() })
    }

    /// Launches on `launcher`, whose access to the other device is enabled.
    fn launch_on(
        &self,
        stream: &Stream,
        launcher: Device,
        copy: Copy<'_>,
        direction: KernelCopyDirection,
        most: Option<NonZeroU32>,
    ) -> Result<KernelCopied> {
        for view in [copy.from, copy.to] {
            // Peer access does not cover it; a pool's grant is held, below.
            if view.device() != launcher && view.allocation.pool().is_none() {
                view.check_opened_to(&launcher)?;
            }
        }
        let _grants = (copy.from.hold_grant(launcher)?, copy.to.hold_grant(launcher)?);
        let _source = copy.from.acquire(stream, Access::Read)?;
        let held = copy.to.acquire(stream, Access::Write)?;
        held.entered().refuse_capture(BETWEEN_DEVICES)?;
        let (to, from) = (copy.to.pointer().cast(), copy.from.pointer().cast());
        if stream.device() == launcher {
            // SAFETY: both ends have so many bytes, and do not overlap: one is a `&mut`. The launcher may touch its own, and the
            // other's by the access. They are kept and ordered by their uses.
            return unsafe { self.launch(stream, to, from, copy.bytes, direction, most) };
        }
        let side = launcher.side_stream(stream.queue())?;
        side.wait_for(stream.queue())?;
        // SAFETY: as above; the stream goes on only after this one, by the wait below.
        let launched = unsafe { self.launch(&side, to, from, copy.bytes, direction, most) };
        match launched.and_then(|copied| stream.wait_for(side.queue()).map(|()| copied)) {
            Ok(copied) => Ok(copied),
            // The order may be broken, so the host waits until nothing of it runs any more.
            Err(error) => side.finish().and(Err(error)),
        }
    }
}

/// A copy between two devices.
#[derive(Clone, std::marker::Copy)]
struct Copy<'c> {
    to: &'c View<'c>,
    from: &'c View<'c>,
    bytes: usize,
}

impl Copy<'_> {
    /// Who could do it, and whose memory they then need access to; the best first.
    fn candidates(
        &self,
        stream: &Stream,
        side: KernelCopySide,
    ) -> Vec<(KernelCopyDirection, Device, Device)> {
        let (to, from) = (self.to.device(), self.from.device());
        let push = (KernelCopyDirection::Push, from, to);
        let pull = (KernelCopyDirection::Pull, to, from);
        match side {
            KernelCopySide::Source => vec![push],
            KernelCopySide::Destination => vec![pull],
            KernelCopySide::Either if stream.device() == from || self.bytes >= WORTH_PUSHING => {
                vec![push, pull]
            }
            KernelCopySide::Either => vec![pull, push],
        }
    }
}
