//! A queue whose work goes into a graph, and the doors between that and work that runs.

use std::sync::Arc;

use super::{Life, Queue};
use crate::capture::CaptureState;
use crate::error::{CaptureError, Result};
use crate::event::EventHandle;
use crate::gate::pause;

/// The right to put work into a queue: whether it is being captured stays as it is while this lives.
pub(crate) struct Entered<'q> {
    queue: &'q Queue,
    capture: Option<Arc<CaptureState>>,
}

impl Entered<'_> {
    pub(crate) fn queue(&self) -> &Queue {
        self.queue
    }

    /// The capture that the work goes into.
    pub(crate) fn capture(&self) -> Option<&Arc<CaptureState>> {
        self.capture.as_ref()
    }

    /// Refuses to record into a graph what cannot be.
    pub(crate) fn refuse_capture(&self, what: &'static str) -> Result<()> {
        if self.capture.is_some() { Err(CaptureError::Refused { what }.into()) } else { Ok(()) }
    }
}

impl Drop for Entered<'_> {
    #[inline]
    fn drop(&mut self) {
        self.queue.0.gate.leave();
    }
}

impl Queue {
    /// Begins to put work in, or to ask for it. The caller has a lease.
    #[inline]
    pub(crate) fn enter(&self) -> Entered<'_> {
        let captured = self.0.gate.enter();
        let mut entered = Entered { queue: self, capture: None };
        if captured {
            entered.capture = self.capture();
        }
        entered
    }

    #[cold]
    fn capture(&self) -> Option<Arc<CaptureState>> {
        match &*self.life() {
            Life::Captured { capture, .. } => Some(capture.clone()),
            _ => None,
        }
    }

    /// Makes the queue a part of `capture` by `begin`, between two pieces of work. The caller has a lease, which the capture
    /// keeps. False if it is a part already.
    pub(crate) fn begin_capture(
        &self,
        capture: &Arc<CaptureState>,
        begin: impl FnOnce() -> Result<()>,
    ) -> Result<bool> {
        self.0.gate.lock();
        let mut life = self.life();
        let outcome = match &*life {
            Life::Captured { capture: other, .. } if Arc::ptr_eq(other, capture) => Ok(false),
            Life::Captured { .. } => Err(CaptureError::OtherCapture.into()),
            _ => self.mark_before_capture().and_then(|before| {
                begin()?;
                *life = Life::Captured { capture: capture.clone(), before };
                Ok(true)
            }),
        };
        let captured = matches!(*life, Life::Captured { .. });
        drop(life);
        self.0.gate.unlock(captured);
        outcome
    }

    fn mark_before_capture(&self) -> Result<Arc<EventHandle>> {
        let before = Arc::new(EventHandle::new(self.0.device, false)?);
        self.record(&before)?;
        Ok(before)
    }

    /// Keeps work out of queues of a capture until [`end_capture`](Self::end_capture), all at once: who is inside one of them may
    /// need a lock of somebody who waits for another.
    pub(crate) fn close_for_end<'q>(queues: impl Iterator<Item = &'q Queue> + Clone) {
        let mut tries = 0;
        while let Some(busy) = queues.clone().position(|queue| !queue.0.gate.try_lock()) {
            queues.clone().take(busy).for_each(|queue| queue.0.gate.unlock(true));
            pause(&mut tries);
        }
    }

    /// The capture is over: what is put in from now on runs.
    pub(crate) fn end_capture(&self) {
        let before = std::mem::replace(&mut *self.life(), Life::Live);
        self.0.gate.unlock(false);
        drop(before);
    }

    /// Inside a capture: an event behind all that was put in so far.
    pub(crate) fn captured_fence(&self) -> Result<Arc<EventHandle>> {
        self.record_again(&self.0.captured_fence)
    }
}
