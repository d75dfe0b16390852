//! Copies between devices, and the path that they take.
//!
//! # Safety
//! This file gives addresses of two devices to the copy engine. Both ends are kept and ordered by their uses.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

mod way;

use bytemuck::Pod;

use crate::allocation::Opened;
use crate::copy::check_len;
use crate::copy_path::{CopyPath, CopyRoute, StagedReason};
use crate::error::{CaptureError, Error, Result};
use crate::ffi::cudaMemcpyKind;
use crate::links;
use crate::slice::{DeviceSlice, DeviceSliceMut, View};
use crate::staging;
use crate::stream::Stream;
use crate::uses::Access;
pub(crate) use way::why_not;
use way::{Way, both_locked, hold_way, is_covered, is_mapped_for};

/// What is not recorded into a graph.
const STAGED_FOREIGN: &str = "a copy through the host of memory that other code allocated";
const STAGED_POOL: &str = "a copy through the host of memory of a pool";
const STAGED_VIRTUAL: &str = "a copy through the host of virtual memory";
const STAGED_BY_US: &str = "a copy through this crate's own buffers";

impl Stream {
    /// Copies between two devices by the best way there is, and says which. Asynchronous.
    ///
    /// The stream is of either device. The copy is direct if one of the two devices can access the other end: by a live or a
    /// forgotten [`PeerAccess`](crate::PeerAccess) of this program, or if that end comes from a [`MemPool`](crate::MemPool) that is
    /// opened to the device; the runtime is asked each time (2 microseconds; [`copy_from_peer_async`](Self::copy_from_peer_async)
    /// needs no question). Otherwise the copy goes through pinned buffers of this crate, which are kept for the pair, within
    /// [a limit](crate::Runtime::set_staging_limit): 52 GB/s on H200 where the driver's own staging has 37. So it does while
    /// [`disable`](crate::PeerAccess::disable) waits for work of the pair.
    ///
    /// C: `cudaMemcpyPeerAsync`, `cudaMemcpyPeer`.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`]; [`Error::WrongDevice`] if the stream is of a third device; [`Error::StaleHandle`];
    /// [`Error::StagingOff`] if the limit leaves no room while access is just being disabled; [`Error::Cuda`].
    #[doc(alias = "cudaMemcpyPeerAsync")]
    #[doc(alias = "cudaMemcpyPeer")]
    pub fn copy_peer_async<'d, 's, T: Pod>(
        &self,
        destination: impl Into<DeviceSliceMut<'d, T>>,
        source: impl Into<DeviceSlice<'s, T>>,
    ) -> Result<CopyPath> {
        self.copy_peer_async_by(CopyRoute::Best, destination, source)
    }

    /// As [`copy_peer_async`](Self::copy_peer_async), by a way that the caller chooses: to compare them, or to have an error
    /// where the copy would be slow. Within one device there is one way only, and that is taken. In a graph, what goes through the
    /// host is the driver's, whichever of the two was asked for.
    ///
    /// # Errors
    /// As [`copy_peer_async`](Self::copy_peer_async); [`Error::NoDirectPath`] for [`CopyRoute::Direct`] without access;
    /// [`Error::StagingOff`] for [`CopyRoute::Staged`] if the limit leaves no room.
    pub fn copy_peer_async_by<'d, 's, T: Pod>(
        &self,
        route: CopyRoute,
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
        let (to_view, from_view, bytes) = (&destination.view, &source.view, source.size_bytes());
        if route == CopyRoute::Staged {
            return self.copy_staged(to_view, from_view, bytes, StagedReason::Asked);
        }
        // Either will do: that the destination's device reaches the source, or the source's device the destination.
        // But the driver copies mapped pages for devices that they are mapped for alone.
        let device = self.device();
        let seen = is_mapped_for(&device, from_view)? && is_mapped_for(&device, to_view)?;
        for (pair, reached) in [(reads, from_view), (writes, to_view)] {
            if seen && let Some(mut way) = hold_way(pair, reached)? {
                self.copy_direct(to_view, from_view, bytes, &mut way)?;
                return Ok(CopyPath::Direct);
            }
        }
        if route == CopyRoute::Direct {
            let (source_device, destination_device) = (from.ordinal(), to.ordinal());
            return Err(Error::NoDirectPath { source_device, destination_device });
        }
        let reason = why_not(reads, [from_view, to_view])?;
        // Mapped pages are not the driver's to stage.
        let mapped = |view: &View<'_>| view.is_virtual() || view.allocation.is_mapped();
        let by_driver = route == CopyRoute::Driver || !staging::is_on(reads);
        if by_driver && !mapped(from_view) && !mapped(to_view) {
            // Under both locks: access that is enabled or disabled while the driver looks at it would be disabled under its copy.
            let (first, second) = both_locked(reads, writes);
            // The driver could still take access that is about to go, or that came up since it was asked for.
            let disabling = first.disabling || second.disabling;
            let came_up = first.is_on() && is_covered(from_view) || second.is_on() && is_covered(to_view);
            if !disabling && !came_up {
                return self.copy_by_driver(to_view, from_view, bytes, reason);
            }
        }
        self.copy_staged(to_view, from_view, bytes, reason)
    }

    /// Through the driver's own buffers. Nobody enables access of the pair meanwhile.
    fn copy_by_driver(
        &self,
        destination: &View<'_>,
        source: &View<'_>,
        bytes: usize,
        reason: StagedReason,
    ) -> Result<CopyPath> {
        self.copy_direct(destination, source, bytes, &mut Way::Driver)?;
        Ok(CopyPath::StagedByDriver { reason })
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
                if source.allocation.pool().is_some() || destination.allocation.pool().is_some() {
                    return Err(CaptureError::Refused { what: STAGED_POOL }.into());
                }
                // Mapped pages are not the driver's to stage.
                if source.is_virtual() || destination.is_virtual() {
                    return Err(CaptureError::Refused { what: STAGED_VIRTUAL }.into());
                }
                // Whether the driver stages what other code mapped is not known.
                if source.allocation.is_mapped() || destination.allocation.is_mapped() {
                    return Err(CaptureError::Refused { what: STAGED_FOREIGN }.into());
                }
                // What a graph's copy takes is the driver's choice: direct, once access is enabled.
                if reason == StagedReason::Asked {
                    return Err(CaptureError::Refused { what: STAGED_BY_US }.into());
                }
                capture.note_copy(destination.device(), source.device());
                // The pipeline's buffers and streams are not the graph's; the driver has its own.
                // SAFETY: both addresses have so many bytes, and both ends are kept by the graph.
                unsafe { self.memcpy(to, from, bytes, cudaMemcpyKind::cudaMemcpyDefault, self.device()) }?;
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
        let _source = source.acquire(self, Access::Read)?;
        let held = destination.acquire(self, Access::Write)?;
        if let Some(capture) = held.entered().capture() {
            capture.note_copy(destination.device(), source.device());
            links::note_virtual(capture, self.device(), [destination, source]);
            for view in [source, destination] {
                // The call below takes what the stream's device has access to.
                if view.is_virtual() {
                    view.check_opened_to(&self.device())?;
                }
                let Some(pool) = view.allocation.pool() else { continue };
                if matches!(way, Way::Driver) {
                    return Err(CaptureError::Refused { what: STAGED_POOL }.into());
                }
                // The call below takes what the stream's device has access to.
                if let Some(grant) = view.hold_grant(self.device())? {
                    capture.note_grant(&grant);
                }
                capture.note_pool(pool);
            }
            match way {
                Way::Peers(pair, enabled) => capture.note_locked_access(pair, enabled),
                Way::Pool(grant) => capture.note_grant(grant),
                Way::Range | Way::Driver => {}
            }
            let (to, from) = (destination.pointer(), source.pointer());
            // A capture takes no cudaMemcpyPeerAsync (900); this is the same copy, and as fast.
            // SAFETY: as below; both ends are kept by the graph, and so is the access.
            return unsafe { self.memcpy(to, from, bytes, cudaMemcpyKind::cudaMemcpyDefault, self.device()) };
        }
        // SAFETY: both addresses have so many bytes on those devices, and both ends are kept until the work is done.
        unsafe { self.memcpy_peer(destination, source, bytes) }
    }
}
