//! Executable graphs, and their launch.
//!
//! # Safety
//! This file launches what a capture recorded. A launch is a use of all memory that the graph refers to: it is ordered behind
//! that of others, and the memory is kept until it is done. Kernels are never unloaded, and the peer access that they rely on
//! cannot be disabled while this crate has the graph.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::device::Device;
use crate::error::{GraphChange, GraphError, Result};
use crate::ffi::{cudaError, cudaGraphExec_t, cudaGraphExecUpdateResult, cudaGraphExecUpdateResultInfo};
use crate::graph::Graph;
use crate::graph_contents::Contents;
use crate::pair::Pair;
use crate::peer::PeerAccess;
use crate::pool::KeptGrant;
use crate::queue::Queue;
use crate::seam::{On, cuda};
use crate::stream::Stream;

/// A [`Graph`] that can be launched.
///
/// Launches of one executable graph never overlap, in whichever streams they are: the second waits for the end of the first. For
/// two at once, instantiate the graph twice.
pub struct GraphExec {
    device: Device,
    state: Mutex<State>,
}

/// As many queues, and those without work are looked for before another is added.
const CROWDED: usize = 8;

/// An executable graph is not to be used by two threads at once.
struct State {
    handle: cudaGraphExec_t,
    contents: Arc<Contents>,
    /// For the ways that its copies go. They are chosen when it is instantiated, and an update does not choose anew (seen on
    /// H200: with access disabled in between, the launch behind it ends in error 700).
    access: Vec<PeerAccess>,
    /// As `access`, for memory of pools.
    grants: Vec<KeptGrant>,
    /// Queues that launches may be under way in.
    launched: Vec<Queue>,
}

// SAFETY: an executable graph may be used from any thread, by one at a time; so says the CUDA runtime.
unsafe impl Send for State {}

impl GraphExec {
    /// Takes the handle over.
    pub(crate) fn new(
        device: Device,
        handle: cudaGraphExec_t,
        contents: Arc<Contents>,
        (access, grants): (Vec<PeerAccess>, Vec<KeptGrant>),
    ) -> Self {
        let state = State { handle, contents, access, grants, launched: Vec::new() };
        Self { device, state: Mutex::new(state) }
    }

    /// The device of the stream that was captured.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Runs the graph, behind all that is in `stream`, and before all that is put in afterwards. Asynchronous. The stream may be of
    /// any device.
    ///
    /// [`Device::synchronize`] of a device waits for what the graph does there only if `stream` is of that device: wait for the
    /// stream.
    ///
    /// It waits for what other streams do with the memory of the graph, and they wait for it, as for any work on that memory:
    /// memory that the graph only reads is read, all other written. Pinned memory is read as it is when the launch runs, which the host
    /// cannot change meanwhile. What was recorded with `unordered` slices is left out of that,
    /// as ever.
    ///
    /// C: `cudaGraphLaunch`.
    ///
    /// # Errors
    /// - [`Error::Capture`](crate::Error::Capture) if `stream` is being captured.
    /// - [`Error::Graph`](crate::Error::Graph) if memory of the graph was given away, or the host has pinned memory of it to read or to
    ///   write. Nothing was launched.
    /// - [`Error::StaleHandle`](crate::Error::StaleHandle), [`Error::StaleToken`](crate::Error::StaleToken) after a reset of a
    ///   device that it uses; [`Error::OtherRuntime`](crate::Error::OtherRuntime); [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaGraphLaunch")]
    pub fn launch(&self, stream: &Stream) -> Result<()> {
        self.check_stream(stream)?;
        let entered = stream.enter()?;
        entered.refuse_capture("the launch of a graph")?;
        let mut state = self.state();
        state.contents.check()?;
        state.note_launch(stream.queue());
        let _held = state.contents.hold(stream)?;
        // SAFETY: both handles are live; memory, kernels and access that the graph relies on are there until it is done.
        unsafe { cuda!(self.device.seam(), stream.on(), cudaGraphLaunch(state.handle, stream.as_raw())) }
    }

    /// Carries what the devices need for a launch there, so that the first launch does not. Asynchronous.
    ///
    /// C: `cudaGraphUpload`.
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    #[doc(alias = "cudaGraphUpload")]
    pub fn upload(&self, stream: &Stream) -> Result<()> {
        self.check_stream(stream)?;
        let entered = stream.enter()?;
        entered.refuse_capture("the upload of a graph")?;
        let state = self.state();
        state.contents.check()?;
        // SAFETY: both handles are live.
        unsafe { cuda!(self.device.seam(), stream.on(), cudaGraphUpload(state.handle, stream.as_raw())) }
    }

    /// Changes it to `graph`, which has the same nodes in the same order, with other memory, values or sizes: much cheaper than to
    /// instantiate anew. Launches that are under way are as they were. Copies between devices keep the way that was open when it was
    /// instantiated: one that went through the host then is not made direct by an update after access is enabled.
    ///
    /// C: `cudaGraphExecUpdate`.
    ///
    /// # Errors
    /// [`GraphError::NotUpdated`] if the runtime cannot, which says what differs too much, or ([`GraphChange::Way`]) if either graph copies memory of a pool
    /// between devices, or virtual memory; it can then be launched as before.
    /// [`Error::StaleHandle`](crate::Error::StaleHandle), [`Error::StaleToken`](crate::Error::StaleToken) after a reset of a
    /// device that either uses; [`Error::OtherRuntime`](crate::Error::OtherRuntime), [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaGraphExecUpdate")]
    pub fn update(&self, graph: &Graph) -> Result<()> {
        self.device.check_runtime(&graph.device(), "the graph")?;
        graph.check()?;
        let mut state = self.state();
        state.contents.check()?;
        // Ways that were not looked at when it was instantiated: whether the runtime would choose them now is not known. Nor is which
        // copy had which way, and one of a pool's memory, or of virtual memory, has others than one of other memory.
        let own_ways = state.contents.has_ways_of_its_own() || graph.contents().has_ways_of_its_own();
        if own_ways || !state.contents.has_links_of(graph.contents()) {
            return Err(GraphError::NotUpdated { change: GraphChange::Way }.into());
        }
        // SAFETY: a type of numbers and pointers, for which zero is a value.
        let mut info: cudaGraphExecUpdateResultInfo = unsafe { std::mem::zeroed() };
        let (seam, on, exec) = (self.device.seam(), self.device.on(), state.handle);
        let (status, access) = {
            let mut links = graph.contents().lock_links();
            let handle = graph.handle();
            // SAFETY: both handles are live, and `info` is a valid place for the result.
            let status =
                unsafe { cuda!(relaxed status: seam, on, cudaGraphExecUpdate(exec, handle.0, &mut info)) }?;
            // As when it was instantiated.
            (status, links.hold())
        };
        state.keep(access);
        match status {
            cudaError::cudaSuccess => {
                // Launches that are under way still need the access that the old contents may be the last to hold.
                state.leave_marks();
                state.contents = graph.contents().clone();
                Ok(())
            }
            // It is as it was, all of it.
            cudaError::cudaErrorGraphExecUpdateFailure => {
                Err(GraphError::NotUpdated { change: change(info.result) }.into())
            }
            status => Err(seam.error("cudaGraphExecUpdate", status, on)),
        }
    }

    fn check_stream(&self, stream: &Stream) -> Result<()> {
        self.device.check_runtime(&stream.device(), "the stream")
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Keeps tokens, one for each access.
    fn keep(&mut self, access: Vec<PeerAccess>) {
        for token in access {
            if !self.access.iter().any(|kept| kept.is_of(token.pair())) {
                self.access.push(token);
            }
        }
    }

    fn note_launch(&mut self, queue: &Queue) {
        if self.launched.iter().any(|known| known.is(queue)) {
            return;
        }
        if self.launched.len() >= CROWDED {
            self.launched.retain(|queue| !queue.is_stale() && queue.is_done() != Ok(true));
        }
        self.launched.push(queue.clone());
    }

    /// Leaves word of launches under way with the access that they need. To wait for the devices is not enough: work of a graph
    /// on a device other than that of the stream it was launched in is not waited for (seen on H200).
    fn leave_marks(&self) {
        let access = || self.access.iter().chain(self.contents.access()).map(PeerAccess::pair);
        let grants = || self.grants.iter().chain(self.contents.grants());
        if access().next().is_none() && grants().next().is_none() {
            return;
        }
        for queue in self.launched.iter().filter(|queue| !queue.is_stale()) {
            match queue.mark() {
                Ok(Some(mark)) => {
                    access().for_each(|pair| pair.note_left_work(mark.clone()));
                    grants().for_each(|grant| grant.note_left_work(mark.clone()));
                }
                Ok(None) => {}
                // Nobody can tell when the work is done, so the access stays enabled.
                Err(_) => {
                    access().for_each(Pair::keep_enabled);
                    grants().for_each(KeptGrant::keep_for_good);
                }
            }
        }
    }
}

/// What the runtime says of an update that it did not make.
fn change(result: cudaGraphExecUpdateResult) -> GraphChange {
    use cudaGraphExecUpdateResult as Result;
    match result {
        Result::cudaGraphExecUpdateErrorTopologyChanged => GraphChange::Topology,
        Result::cudaGraphExecUpdateErrorNodeTypeChanged => GraphChange::NodeType,
        Result::cudaGraphExecUpdateErrorFunctionChanged
        | Result::cudaGraphExecUpdateErrorUnsupportedFunctionChange => GraphChange::Function,
        Result::cudaGraphExecUpdateErrorParametersChanged => GraphChange::Parameters,
        Result::cudaGraphExecUpdateErrorAttributesChanged => GraphChange::Attributes,
        Result::cudaGraphExecUpdateErrorNotSupported => GraphChange::NotSupported,
        _ => GraphChange::Unknown,
    }
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        let seam = self.device.seam();
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        // After a reset it refers to nothing any more, and is left alone.
        if seam.check_process().is_err() || state.contents.check().is_err() {
            return;
        }
        state.leave_marks();
        // SAFETY: the handle is live, and nobody else's. A launch that is under way goes on to its end.
        if let Err(error) = unsafe { cuda!(relaxed: seam, On::Any, cudaGraphExecDestroy(state.handle)) } {
            seam.deferred
                .push(format!("destroying an executable graph of device {}", self.device.ordinal()), error);
        }
    }
}

impl fmt::Debug for GraphExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GraphExec({:?})", self.device)
    }
}
