//! The end of a capture, whatever comes of it.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety in capture.rs")]

use super::CaptureState;
use crate::error::{CaptureError, Error, Result};
use crate::ffi::{cudaError, cudaGraph_t};
use crate::graph::Graph;
use crate::graph_contents::Contents;
use crate::queue::Queue;
use crate::seam::cuda;
use crate::stream::Stream;

/// A capture that has to be ended.
pub(super) struct Ending<'e> {
    pub(super) state: &'e CaptureState,
    pub(super) origin: &'e Stream,
}

impl Ending<'_> {
    pub(super) fn end(self) -> Result<(cudaGraph_t, Contents)> {
        let outcome = self.end_now();
        std::mem::forget(self);
        outcome
    }

    fn end_now(&self) -> Result<(cudaGraph_t, Contents)> {
        // In a forked child not even a lock is taken.
        self.origin.seam().check_process()?;
        let mut guard = self.state.streams();
        let streams = guard.take().unwrap_or_default();
        Queue::close_for_end(streams.iter().map(Stream::queue));
        let mut graph: cudaGraph_t = std::ptr::null_mut();
        // Not after a reset, with which the streams have gone.
        let ended = self.origin.check().and_then(|()| {
            let (seam, on) = (self.origin.seam(), self.origin.on());
            // SAFETY: the handle is a live stream's, and `graph` is a valid place for a handle.
            unsafe { cuda!(seam, on, cudaStreamEndCapture(self.origin.as_raw(), &mut graph)) }
        });
        streams.iter().for_each(|stream| stream.queue().end_capture());
        drop(guard);
        // Also if no graph comes of it: a thread that is just leaving one of the streams may be the last to have the state, and hold
        // locks that are taken to drop what is in there.
        let contents = std::mem::take(&mut *self.state.contents());
        ended.map(|()| (graph, contents)).map_err(named)
    }
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if let Ok((graph, contents)) = self.end_now() {
            drop(Graph::new(self.origin.device(), graph, contents));
        }
    }
}

/// The codes that say something of a capture, as variants that say what to do.
fn named(error: Error) -> Error {
    match error.code().map(cudaError) {
        Some(cudaError::cudaErrorStreamCaptureUnjoined) => CaptureError::Unjoined.into(),
        Some(cudaError::cudaErrorStreamCaptureInvalidated) => CaptureError::Broken.into(),
        _ => error,
    }
}
