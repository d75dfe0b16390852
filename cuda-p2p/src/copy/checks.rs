//! What is asked of a copy's ends and of its stream before it is put in.
//!
//! # Safety
//! This file asks the runtime for the state of a live stream.
#![allow(unsafe_code, reason = "a call of the CUDA runtime; see the paragraph on safety above")]

use crate::device::Device;
use crate::error::{Error, Result};
use crate::ffi::{cudaError, cudaStreamCaptureStatus};
use crate::pool::Granted;
use crate::seam::{On, cuda, missing};
use crate::slice::View;
use crate::stream::Stream;

impl Stream {
    /// Refuses a stream that could not be waited for after a copy was put in. Work of a stream that is being captured does
    /// not run now, but each time that the graph does.
    pub(crate) fn check_can_wait(&self) -> Result<()> {
        if self.seam().table().cudaStreamSynchronize.is_none() {
            return Err(missing("cudaStreamSynchronize"));
        }
        self.check_not_captured("cudaStreamSynchronize")
    }

    /// Refuses a stream that somebody captures, for a call that would do something else there than is meant.
    pub(crate) fn check_not_captured(&self, call: &'static str) -> Result<()> {
        let (seam, on) = (self.seam(), self.on());
        let mut capturing = cudaStreamCaptureStatus::cudaStreamCaptureStatusNone;
        // SAFETY: the handle is a live stream's, and `capturing` is a valid place for a status.
        unsafe { cuda!(seam, on, cudaStreamIsCapturing(self.as_raw(), &mut capturing)) }?;
        match capturing {
            cudaStreamCaptureStatus::cudaStreamCaptureStatusNone => Ok(()),
            _ => Err(seam.error(call, cudaError::cudaErrorStreamCaptureUnsupported, on)),
        }
    }

    /// What a copy or a fill of such memory needs of the thread. Addresses of pools and of mapped pages are refused (1) if the *current*
    /// device has no access to them, whichever device the stream is of. Those of `cudaMalloc` never are, which saves the question.
    pub(crate) fn on_for(&self, views: &[&View<'_>]) -> On {
        let known_everywhere = |view: &&View<'_>| !view.is_virtual() && view.allocation.is_known_everywhere();
        if views.iter().all(known_everywhere) { self.on() } else { self.device().on() }
    }

    /// The device that has access to both ends, to be the current one when a copy of them is put in, with the grants that this takes.
    pub(crate) fn seen_by<'v>(&self, ends: [&View<'v>; 2]) -> Result<(Device, [Option<Granted<'v>>; 2])> {
        let mut refused = None;
        for device in [self.device(), ends[0].device(), ends[1].device()] {
            match ends[0].hold_grant(device).and_then(|grant| Ok([grant, ends[1].hold_grant(device)?])) {
                Err(error @ Error::PoolNotGranted { .. }) => _ = refused.get_or_insert(error),
                grants => return Ok((device, grants?)),
            }
        }
        refused.map_or_else(|| Ok((self.device(), [None, None])), Err)
    }

    /// Refuses memory that is not of the stream's device, or is stale; and a stale stream.
    pub(crate) fn check_own(&self, view: &View<'_>) -> Result<()> {
        self.check()?;
        self.device().check_same(&view.device(), "the slice")?;
        view.check("the device memory")
    }

    pub(crate) fn check_pinned(&self, view: &View<'_>) -> Result<()> {
        self.device().check_runtime(&view.device(), "the pinned memory")?;
        view.allocation.check("the pinned memory")
    }
}

/// Refuses a copy between lengths that differ.
pub(crate) fn check_len(destination: usize, source_len: usize) -> Result<()> {
    if destination == source_len { Ok(()) } else { Err(Error::SizeMismatch { destination, source_len }) }
}
