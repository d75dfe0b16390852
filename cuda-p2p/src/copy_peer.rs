//! Copies between devices, and the path that they take.
//!
//! # Safety
//! This file gives addresses of two devices to the copy engine. Both ends are kept and ordered by their uses.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::{c_int, c_void};
use std::fmt;
use std::sync::MutexGuard;

use bytemuck::Pod;

use crate::allocation::Opened;
use crate::copy::check_len;
use crate::device::Device;
use crate::error::{CaptureError, Error, Result};
use crate::ffi::cudaMemcpyKind;
use crate::pair::{Access as PairAccess, Pair};
use crate::pool::Granted;
use crate::seam::cuda;
use crate::slice::{DeviceSlice, DeviceSliceMut, View};
use crate::staging;
use crate::stream::Stream;
use crate::uses::Access;

/// The way that a copy between devices went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CopyPath {
    /// Source and destination are on one device.
    SameDevice,
    /// From device to device, over NVLink or PCIe: access of one to the other is enabled, in whichever direction, and
    /// the runtime was asked so just before the copy was queued.
    Direct,
    /// Through pinned host memory: by this crate, or, in a graph, by the driver. About a tenth of the speed of NVLink.
    Staged {
        /// Why it did not go direct.
        reason: StagedReason,
    },
}

/// Why a copy went through the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StagedReason {
    /// The runtime says that neither device can access the other.
    NotReachable,
    /// The pair could have peer access, and this program has not enabled it. (Access that another library of the
    /// process enabled does not count: the runtime has no way to ask for it that does not also enable it.)
    NotEnabled,
    /// The memory comes from a pool that is not opened to the other device; peer access does not cover pools.
    PoolNotGranted,
    /// The memory was mapped by other code, and not for the other device, or it is another process's and was opened on one device;
    /// peer access does not cover either.
    NotMapped,
}

impl fmt::Display for CopyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameDevice => f.write_str("within the device"),
            Self::Direct => f.write_str("direct"),
            Self::Staged { reason } => write!(f, "staged through the host: {reason}"),
        }
    }
}

impl fmt::Display for StagedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotReachable => "the pair has no peer access",
            Self::NotEnabled => "peer access is not enabled",
            Self::PoolNotGranted => "a pool is not opened to the other device (MemPool::enable_access_from)",
            Self::NotMapped => "other code mapped the memory, and not for the other device",
        })
    }
}

/// What is not recorded into a graph.
const STAGED_FOREIGN: &str = "a copy through the host of memory that other code allocated";

impl Stream {
    /// Copies between two devices, and says which way. Asynchronous either way.
    ///
    /// The stream is of either device. The copy is direct if access between the two is enabled, in either direction,
    /// by a live or a forgotten [`PeerAccess`](crate::PeerAccess) of this program; the runtime is asked each time
    /// (2 microseconds). For memory of a pool what counts is whether the pool is opened to the other device. If it is not enabled, the copy goes through pinned buffers of this crate, which are kept
    /// for the pair (32 MiB): 53 GB/s on H200 where the driver's own staging has 38. So it does while
    /// [`disable`](crate::PeerAccess::disable) waits for work of the pair.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`](crate::Error::SizeMismatch); [`Error::WrongDevice`](crate::Error::WrongDevice) if the
    /// stream is of a third device; [`Error::StaleHandle`](crate::Error::StaleHandle);
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaMemcpyPeerAsync")]
    #[doc(alias = "cudaMemcpyPeer")]
    pub fn copy_peer_async<'d, 's, T: Pod>(
        &self,
        destination: impl Into<DeviceSliceMut<'d, T>>,
        source: impl Into<DeviceSlice<'s, T>>,
    ) -> Result<CopyPath> {
        let (destination, source) = (destination.into(), source.into());
        check_len(destination.len(), source.len())?;
        let (to, from) = (destination.device(), source.device());
        if to == from {
            // Where the memory of a range is, is another matter than who takes it as its own.
            let remote = |view: &View<'_>| view.allocation.opened().is_some_and(Opened::is_remote);
            let apart = destination.view.is_virtual()
                || source.view.is_virtual()
                || remote(&destination.view) != remote(&source.view);
            self.copy_async(destination, source)?;
            return Ok(if apart { CopyPath::Direct } else { CopyPath::SameDevice });
        }
        self.check()?;
        to.check_runtime(&from, "the source")?;
        if self.device() != from {
            self.device().check_same(&to, "the destination")?;
        }
        destination.view.check("the device memory")?;
        source.view.check("the device memory")?;

        let runtime = to.runtime();
        let (reads, writes) = (runtime.pair(to, from), runtime.pair(from, to));
        // Either will do: that the destination's device reaches the source, or the source's device the destination.
        // But the driver copies mapped pages for devices that they are mapped for alone.
        let device = self.device();
        let seen = is_mapped_for(&device, &source.view)? && is_mapped_for(&device, &destination.view)?;
        for (pair, reached) in [(reads, &source.view), (writes, &destination.view)] {
            if seen && let Some(mut way) = hold_way(pair, reached)? {
                self.copy_direct(&destination.view, &source.view, source.size_bytes(), &mut way)?;
                return Ok(CopyPath::Direct);
            }
        }
        let reason = why_not(reads, [&source.view, &destination.view])?;
        self.copy_staged(&destination.view, &source.view, source.size_bytes(), reason)
    }

    fn copy_staged(
        &self,
        destination: &View<'_>,
        source: &View<'_>,
        bytes: usize,
        reason: StagedReason,
    ) -> Result<CopyPath> {
        if bytes > 0 {
            let pair = source.device().runtime().pair(destination.device(), source.device());
            let _source_held = source.acquire(self, Access::Read)?;
            let destination_held = destination.acquire(self, Access::Write)?;
            let (to, from) = (destination.pointer(), source.pointer());
            if let Some(capture) = destination_held.entered().capture() {
                // Whether the driver stages what other code mapped is not known.
                if source.allocation.is_mapped() || destination.allocation.is_mapped() {
                    return Err(CaptureError::Refused { what: STAGED_FOREIGN }.into());
                }
                capture.note_copy(destination.device(), source.device());
                // The pipeline's buffers and streams are not the graph's; the driver has its own.
                // SAFETY: both addresses have so many bytes, and both ends are kept by the graph.
                unsafe { self.memcpy(to, from, bytes, cudaMemcpyKind::cudaMemcpyDefault) }?;
            } else {
                staging::copy(pair, self, to, from, bytes)?;
            }
        }
        Ok(CopyPath::Staged { reason })
    }

    fn copy_direct(
        &self,
        destination: &View<'_>,
        source: &View<'_>,
        bytes: usize,
        way: &mut Way<'_>,
    ) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let number = |device: Device| device.ordinal() as c_int;
        let (to_device, from_device) = (number(destination.device()), number(source.device()));
        let _source = source.acquire(self, Access::Read)?;
        let held = destination.acquire(self, Access::Write)?;
        if let Some(capture) = held.entered().capture() {
            capture.note_copy(destination.device(), source.device());
            if let Way::Peers(pair, enabled) = way {
                capture.note_locked_access(pair, enabled);
            }
            let (to, from) = (destination.pointer(), source.pointer());
            // A capture takes no cudaMemcpyPeerAsync (900); this is the same copy, and as fast.
            // SAFETY: as below; both ends are kept by the graph, and so is the access.
            return unsafe { self.memcpy(to, from, bytes, cudaMemcpyKind::cudaMemcpyDefault) };
        }
        let (to, from): (*mut c_void, *const c_void) =
            (destination.pointer().cast(), source.pointer().cast());
        let (stream, on) = (self.as_raw(), self.on_for(&[destination, source]));
        // SAFETY: both addresses have so many bytes on those devices, and both ends are kept until the work is done.
        unsafe {
            cuda!(self.seam(), on, cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, stream))
        }
    }
}

/// What keeps a device's access to another's memory in place while a copy is put into a stream: whoever takes the access away
/// comes after the copy, and waits for it.
enum Way<'w> {
    Peers(&'static Pair, MutexGuard<'w, PairAccess>),
    /// Held, not looked at.
    Pool(#[expect(dead_code, reason = "see the line above")] Granted<'w>),
    /// Nobody takes access to a range away while it is borrowed, nor to pages of other code, by its word.
    Range,
}

/// Holds the access of the pair's accessor to `reached`, which is the owner's; `None` if it has none.
fn hold_way<'w>(pair: &'static Pair, reached: &View<'w>) -> Result<Option<Way<'w>>> {
    if let Some(pool) = reached.allocation.pool() {
        return match pool.hold_grant(pair.accessor) {
            Ok(grant) => Ok(Some(Way::Pool(grant))),
            Err(Error::PoolNotGranted { .. }) => Ok(None),
            Err(error) => Err(error),
        };
    }
    if reached.is_virtual() {
        return match reached.check_opened_to(&pair.accessor) {
            Ok(()) => Ok(Some(Way::Range)),
            Err(Error::RangeNotGranted { .. }) => Ok(None),
            Err(error) => Err(error),
        };
    }
    if reached.allocation.is_mapped() {
        return Ok(is_mapped_for(&pair.accessor, reached)?.then_some(Way::Range));
    }
    let mut access = pair.lock();
    if !access.is_on() {
        return Ok(None);
    }
    pair.enable(&mut access)?;
    match reached.check_opened_to(&pair.accessor) {
        Ok(()) => Ok(Some(Way::Peers(pair, access))),
        // Another process's, which one device opened.
        Err(Error::Ipc(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the device can access memory, as far as that is a matter of who other code mapped it for.
fn is_mapped_for(device: &Device, view: &View<'_>) -> Result<bool> {
    if !view.allocation.is_mapped() {
        return Ok(true);
    }
    match view.check_opened_to(device) {
        Ok(()) => Ok(true),
        Err(Error::NotAccessible { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Why neither end of a copy can be reached from the other. `reads` is the pair whose accessor is the destination's device.
pub(crate) fn why_not(reads: &Pair, [source, destination]: [&View<'_>; 2]) -> Result<StagedReason> {
    let reachable =
        reads.accessor.can_access_peer(&reads.owner)? || reads.owner.can_access_peer(&reads.accessor)?;
    let pools = [source, destination].map(|view| view.allocation.pool().is_some());
    // With one end in a pool, enabling peer access to the other end would do, unless it goes the other way already.
    let enabled = || {
        let writes = reads.accessor.runtime().pair(reads.owner, reads.accessor);
        reads.lock().is_on() || writes.lock().is_on()
    };
    Ok(match (reachable, pools) {
        (false, _) => StagedReason::NotReachable,
        (true, [true, true]) => StagedReason::PoolNotGranted,
        (true, [false, false]) if enabled() => StagedReason::NotMapped,
        (true, [false, false]) => StagedReason::NotEnabled,
        (true, _) if enabled() => StagedReason::PoolNotGranted,
        (true, _) => StagedReason::NotEnabled,
    })
}
