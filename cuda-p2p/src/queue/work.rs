//! What stands for the work in a queue: whether it is done, and the events by which others wait for it.
//!
//! # Safety
//! This file calls functions that take the handle of a stream, by the rule of `queue.rs`: with a lease, or under the lock of `life` and
//! while that says `Live`.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use super::{Life, Queue};
use crate::error::Result;
use crate::event::EventHandle;
use crate::ffi::driver::CuEvent;
use crate::ffi::{cudaError, cudaStreamCaptureStatus};
use crate::seam::cuda;

impl Queue {
    /// Whether all its work is done, without waiting. Not to be called on a stale one, nor the three below.
    pub(crate) fn is_done(&self) -> Result<bool> {
        let life = self.life();
        match &*life {
            // To ask would break the capture.
            Life::Live if !self.0.owned.load(Ordering::SeqCst) && self.is_capturing()? => {
                let code = cudaError::cudaErrorStreamCaptureUnsupported;
                Err(self.seam().error("cudaStreamQuery", code, self.on()))
            }
            Life::Live => {
                // SAFETY: the handle is a live stream's, and stays so while the lock is held.
                let status =
                    unsafe { cuda!(relaxed status: self.seam(), self.on(), cudaStreamQuery(self.0.handle)) }?;
                match status {
                    cudaError::cudaSuccess => Ok(true),
                    cudaError::cudaErrorNotReady => Ok(false),
                    status => Err(self.seam().error("cudaStreamQuery", status, self.on())),
                }
            }
            Life::Captured { before, .. } => before.is_done(),
            Life::Ended => self.0.fence.get().map_or(Ok(true), |fence| fence.is_done()),
            Life::Lost(error) => Err(error.clone()),
        }
    }

    /// An event that is reached when all work that is in the queue now is done: to wait for at once, because it is recorded
    /// again for the next. One event is enough: it then stands for more of the same queue, never for less.
    pub(crate) fn fence(&self) -> Result<Arc<EventHandle>> {
        let life = self.life();
        match &*life {
            Life::Live => self.record_fence(),
            Life::Captured { before, .. } => Ok(before.clone()),
            Life::Ended => match self.0.fence.get() {
                Some(fence) => Ok(fence.clone()),
                // It ended without work that anything remembers. An event that was never recorded counts as reached.
                None => Ok(Arc::new(EventHandle::new(self.0.device, false)?)),
            },
            Life::Lost(error) => Err(error.clone()),
        }
    }

    /// An event of its own that is reached when the work that is in the queue now is done; `None` if it is done.
    pub(crate) fn mark(&self) -> Result<Option<Arc<EventHandle>>> {
        if self.is_done()? {
            return Ok(None);
        }
        let life = self.life();
        if !matches!(*life, Life::Live) {
            drop(life);
            return self.fence().map(Some);
        }
        let event = EventHandle::new(self.0.device, false)?;
        self.record(&event)?;
        Ok(Some(Arc::new(event)))
    }

    /// Waits on the host for the work that is in the queue now.
    pub(crate) fn synchronize(&self) -> Result<()> {
        // By an event, so that the lock is not held meanwhile.
        self.fence()?.synchronize()
    }

    /// Whether somebody captures the stream. The caller has a lease or the lock.
    pub(super) fn is_capturing(&self) -> Result<bool> {
        let mut status = cudaStreamCaptureStatus::cudaStreamCaptureStatusNone;
        // SAFETY: the handle is a live stream's, and `status` is a valid place.
        unsafe { cuda!(self.seam(), self.on(), cudaStreamIsCapturing(self.0.handle, &mut status)) }?;
        Ok(status != cudaStreamCaptureStatus::cudaStreamCaptureStatusNone)
    }

    pub(super) fn record_fence(&self) -> Result<Arc<EventHandle>> {
        self.record_again(&self.0.fence)
    }

    /// Records the event of `fence`, which is made the first time. The caller has a lease or the lock.
    pub(super) fn record_again(&self, fence: &OnceLock<Arc<EventHandle>>) -> Result<Arc<EventHandle>> {
        let event = match fence.get() {
            Some(event) => event,
            None => {
                let made = Arc::new(EventHandle::new(self.0.device, false)?);
                fence.get_or_init(|| made)
            }
        };
        self.record(event)?;
        Ok(event.clone())
    }

    /// `event` is of the queue's device, and neither is stale. The caller has a lease or the lock.
    pub(crate) fn record(&self, event: &EventHandle) -> Result<()> {
        // SAFETY: both handles are live, and of one device.
        unsafe { cuda!(self.seam(), self.on(), cudaEventRecord(event.raw(), self.0.handle)) }
    }

    /// As [`record`](Self::record), if the driver takes it at once; false if not. The queue is not being captured.
    #[inline]
    pub(crate) fn record_by_driver(&self, event: &EventHandle) -> bool {
        self.put_by_driver(|twins, stream| {
            // SAFETY: both handles are live, and of one device.
            unsafe { (twins.record)(CuEvent(event.raw().cast()), stream) }
        })
    }
}
