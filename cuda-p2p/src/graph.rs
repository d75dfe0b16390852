//! Graphs: work that was recorded, to be run as a whole.
//!
//! # Safety
//! This file calls functions that take the handle of a graph. It is made by a capture, kept by the value that owns it, used by
//! one thread at a time, and destroyed with it.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::device::Device;
use crate::error::Result;
use crate::ffi::{cudaGraph_t, cudaGraphExec_t};
use crate::graph_contents::Contents;
use crate::graph_exec::GraphExec;
use crate::seam::{On, cuda};

/// Work that [`Stream::capture`](crate::Stream::capture) recorded: what to do with which memory, in which order.
///
/// It keeps the memory, the peer access, the grants of pools and what is mapped of virtual memory, as far as it uses them, as long as it
/// lives; so does what was made of it.
pub struct Graph {
    device: Device,
    /// A graph is not to be used by two threads at once.
    handle: Mutex<Handle>,
    contents: Arc<Contents>,
}

/// A raw graph.
pub(crate) struct Handle(pub(crate) cudaGraph_t);

// SAFETY: a graph may be used from any thread, by one at a time; so says the CUDA runtime.
unsafe impl Send for Handle {}

impl Graph {
    /// Takes the graph over.
    pub(crate) fn new(device: Device, handle: cudaGraph_t, contents: Contents) -> Self {
        Self { device, handle: Mutex::new(Handle(handle)), contents: Arc::new(contents) }
    }

    /// The device of the stream that was captured.
    pub fn device(&self) -> Device {
        self.device
    }

    /// How many copies, fills and kernels it has.
    ///
    /// C: `cudaGraphGetNodes`.
    ///
    /// # Errors
    /// [`Error::StaleHandle`](crate::Error::StaleHandle), [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaGraphGetNodes")]
    pub fn node_count(&self) -> Result<usize> {
        self.check()?;
        let (handle, mut count) = (self.handle(), 0usize);
        // SAFETY: the handle is a live graph's; without a place for nodes, their number is told.
        unsafe {
            cuda!(self.device.seam(), On::Any, cudaGraphGetNodes(handle.0, std::ptr::null_mut(), &mut count))
        }?;
        Ok(count)
    }

    /// Makes it ready to be launched. The graph may be dropped afterwards.
    ///
    /// C: `cudaGraphInstantiate`, `cudaGraphInstantiateWithFlags`.
    ///
    /// # Errors
    /// [`Error::StaleHandle`](crate::Error::StaleHandle) or [`Error::StaleToken`](crate::Error::StaleToken) after a reset of a
    /// device that it uses; [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaGraphInstantiate")]
    #[doc(alias = "cudaGraphInstantiateWithFlags")]
    pub fn instantiate(&self) -> Result<GraphExec> {
        self.check()?;
        let mut exec: cudaGraphExec_t = std::ptr::null_mut();
        let (seam, on) = (self.device.seam(), self.device.on());
        // Before the handle, as wherever both are locked.
        let mut links = self.contents.lock_links();
        let mut pools = self.contents.lock_pools();
        // Asked before there is anything to destroy.
        let granted = pools.ask(&self.contents.linked())?;
        let handle = self.handle();
        // SAFETY: the handle is a live graph's, and `exec` is a valid place for a handle; zero asks for nothing special.
        unsafe { cuda!(relaxed: seam, on, cudaGraphInstantiateWithFlags(&mut exec, handle.0, 0)) }?;
        // The runtime has decided which way copies go, and does not come back to it.
        let (access, grants) = (links.hold(), pools.keep(&granted));
        drop((pools, links));
        Ok(GraphExec::new(self.device, exec, self.contents.clone(), (access, grants)))
    }

    pub(crate) fn handle(&self) -> MutexGuard<'_, Handle> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn contents(&self) -> &Arc<Contents> {
        &self.contents
    }

    /// Refuses a graph from before a reset, and to work in a forked child.
    pub(crate) fn check(&self) -> Result<()> {
        self.device.seam().check_process()?;
        self.contents.check()
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // After a reset the graph refers to nothing any more, and is left alone.
        if self.check().is_err() {
            return;
        }
        let (seam, handle) =
            (self.device.seam(), self.handle.get_mut().unwrap_or_else(PoisonError::into_inner));
        // SAFETY: the handle is a live graph's, and nobody else's. What was made of it lives on.
        if let Err(error) = unsafe { cuda!(seam, On::Any, cudaGraphDestroy(handle.0)) } {
            seam.deferred.push(format!("destroying a graph of device {}", self.device.ordinal()), error);
        }
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({:?})", self.device)
    }
}
