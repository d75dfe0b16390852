//! Recording work into a graph instead of running it.
//!
//! # Safety
//! This file begins and ends captures. Every stream of a capture is kept by it, and told of its beginning and end between two
//! pieces of work, so that each is either run, in the order and with the care for memory that holds for that, or noted with
//! the capture.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

mod ending;
#[cfg(all(test, feature = "sim", not(loom)))]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::allocation::Memory;
use crate::device::Device;
use crate::error::{CaptureError, Result};
use crate::event::EventHandle;
use crate::ffi::cudaStreamCaptureMode;
use crate::graph::Graph;
use crate::graph_contents::Contents;
use crate::links;
use crate::pair::{Access as PairAccess, Pair};
use crate::peer::PeerAccess;
use crate::pool::{Granted, MemPool};
use crate::seam::cuda;
use crate::stream::Stream;
use crate::uses::{Access, Order, Uses};
use ending::Ending;

/// A capture that is under way, as the closure of [`Stream::capture`] sees it.
#[derive(Debug)]
pub struct Capture<'c> {
    state: &'c Arc<CaptureState>,
    stream: &'c Stream,
}

/// What a capture has come to.
#[derive(Default)]
pub(crate) struct CaptureState {
    /// The streams that take part, the captured one first; `None` after the end.
    streams: Mutex<Option<Vec<Stream>>>,
    contents: Mutex<Contents>,
}

impl Stream {
    /// Records the work that `record` puts into this stream into a graph. None of it runs now: a [`GraphExec`](crate::GraphExec)
    /// of the graph runs all of it, as often as it is launched.
    ///
    /// Copies, fills and kernels can be recorded, with their arguments as they are; what is in the memory is read when a launch runs. On
    /// which memory:
    ///
    /// | memory | in a graph |
    /// |---|---|
    /// | of `cudaMalloc`, and borrowed | all; a copy between devices is direct if access is enabled when the graph is [instantiated](Graph::instantiate), and otherwise goes through the host by the driver: the path that it answers with is that of now |
    /// | of a [`MemPool`](crate::MemPool) | all; a copy between devices needs a stream whose device has access to the pool, goes directly or not at all, and is none of boxes |
    /// | of a [`VirtualRange`](crate::VirtualRange) | all; a copy between devices needs a stream whose device has access to the range, and goes directly or not at all |
    /// | of a [`PinnedBuffer`](crate::PinnedBuffer) | copies from it and to it |
    /// | of the host otherwise | nothing: it is the program's again when the call returns |
    /// | of another process | nothing: who made it may free it |
    ///
    /// The rest of this crate works as ever meanwhile: what goes into other streams, and what allocates elsewhere than in the captured
    /// streams, runs at once; what the host reads of memory is what was there before the graph.
    ///
    /// Other streams, of any device, take part from [`Capture::fork`] on, or after they were told to
    /// [wait](Self::wait_event) for an event that was recorded in the capture. Work of the capture's streams on the same memory
    /// follows the same rules as work that runs (see the [crate's text](crate)); in the end this stream must come after all of
    /// them, by such a rule or by [`Capture::join`].
    ///
    /// The capture is in relaxed mode: it forbids no other code of the process anything, but to wait for the whole device.
    ///
    /// C: `cudaStreamBeginCapture`, `cudaStreamEndCapture`.
    ///
    /// # What the graph keeps
    /// As long as the graph, or what was made of it, is alive:
    /// - All memory that it uses, also if the buffers are dropped. Memory of a pool is freed behind the last launch. Virtual memory
    ///   stays mapped, with the access of all devices to it.
    /// - The peer access that was enabled, and the grants of pools: they cannot be taken away.
    ///
    /// The host reads and writes pinned memory between launches: [`PinnedBuffer::read`](crate::PinnedBuffer::read) and
    /// [`write`](crate::PinnedBuffer::write) wait for those that are under way, and keep others away while their answer is there.
    ///
    #[cfg_attr(feature = "sim", doc = "```")]
    #[cfg_attr(not(feature = "sim"), doc = "```no_run")]
    /// use cuda_p2p::{LaunchConfig, Runtime, SimulatorPolicy, builtin};
    ///
    /// # fn main() -> cuda_p2p::Result<()> {
    /// # let runtime = Runtime::builder().simulator(SimulatorPolicy::WhenNoDevice).open()?;
    /// # let (a, b) = (runtime.device(0)?, runtime.device(1)?);
    /// # let kernels = builtin::Kernels::load(&runtime)?;
    /// let (on_a, on_b) = (a.new_stream()?, b.new_stream()?);
    /// let access = b.enable_peer_access(&a)?;
    /// let (mut input, mut output) = (a.alloc_pinned_zeroed::<f32>(1000)?, b.alloc_pinned_zeroed::<f32>(1000)?);
    /// let (mut x, mut sum) = (a.alloc_zeroed::<f32>(1000)?, b.alloc_zeroed::<f32>(1000)?);
    ///
    /// // To device 0; from there, by a kernel of device 1, to the sum; and back to the host.
    /// let graph = on_a.capture(|capture| {
    ///     capture.fork(&on_b)?;
    ///     on_a.copy_from_pinned_async(&mut x, &input)?;
    ///     kernels.add_f32(&on_b, LaunchConfig::for_elements(1000), &mut sum, access.slice(&x)?, 1000)?;
    ///     on_b.copy_to_pinned_async(&sum, &mut output)?;
    ///     capture.join(&on_b)
    /// })?;
    /// let exec = graph.instantiate()?;
    /// for round in [1.0, 2.0, 3.0] {
    ///     input.write()?.fill(round);
    ///     exec.launch(&on_a)?;
    /// }
    /// assert_eq!(output.read()?, [6.0; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// What `record` returns; or else [`Error::Capture`](crate::Error::Capture): see [`CaptureError`]. Whatever comes of it, a panic too, the
    /// streams are no longer captured afterwards. [`Error::Cuda`](crate::Error::Cuda) with code 900 for the null stream.
    #[doc(alias = "cudaStreamBeginCapture")]
    #[doc(alias = "cudaStreamEndCapture")]
    pub fn capture(&self, record: impl FnOnce(&Capture<'_>) -> Result<()>) -> Result<Graph> {
        self.check()?;
        let state = Arc::new(CaptureState { streams: Mutex::new(Some(Vec::new())), ..Default::default() });
        let mode = cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed;
        self.queue().begin_capture(&state, || {
            // SAFETY: the handle is a live stream's.
            unsafe { cuda!(self.seam(), self.on(), cudaStreamBeginCapture(self.as_raw(), mode)) }
        })?;
        state.add(self.clone());
        // Ends the capture if `record` panics.
        let ending = Ending { state: &state, origin: self };
        let recorded = record(&Capture { state: &state, stream: self });
        let ended = ending.end();
        let graph = ended.map(|(graph, contents)| Graph::new(self.device(), graph, contents));
        recorded.and(graph)
    }

    /// Whether this crate is capturing the stream.
    ///
    /// C: `cudaStreamIsCapturing`.
    #[doc(alias = "cudaStreamIsCapturing")]
    pub fn is_capturing(&self) -> bool {
        self.enter().is_ok_and(|entered| entered.capture().is_some())
    }
}

impl Capture<'_> {
    /// The captured stream.
    pub fn stream(&self) -> &Stream {
        self.stream
    }

    /// Takes `stream`, of any device, into the capture: what is put into it from now on is recorded, behind what the captured
    /// stream has so far. In the end the captured stream must come after that work, or no graph comes of the capture
    /// ([`CaptureError::Unjoined`]); a stream that nothing was put into need not be [joined](Self::join).
    ///
    /// # Errors
    /// [`Error::Capture`](crate::Error::Capture) if it takes part in another capture; [`Error::OtherRuntime`](crate::Error::OtherRuntime), [`Error::StaleHandle`](crate::Error::StaleHandle),
    /// [`Error::Cuda`](crate::Error::Cuda).
    pub fn fork(&self, stream: &Stream) -> Result<()> {
        stream.check()?;
        self.stream.device().check_runtime(&stream.device(), "the stream")?;
        let fence = self.stream.queue().captured_fence()?;
        self.state.wait_event(stream, &fence)
    }

    /// Lets the captured stream wait for all that `stream`, of this capture, has so far.
    ///
    /// # Errors
    /// [`Error::Capture`](crate::Error::Capture) if `stream` does not take part in this capture; [`Error::Cuda`](crate::Error::Cuda).
    pub fn join(&self, stream: &Stream) -> Result<()> {
        let entered = stream.enter()?;
        if !entered.capture().is_some_and(|capture| Arc::ptr_eq(capture, self.state)) {
            return Err(CaptureError::NotForked.into());
        }
        self.stream.wait_captured(stream.queue())
    }
}

impl CaptureState {
    fn streams(&self) -> MutexGuard<'_, Option<Vec<Stream>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, stream: Stream) {
        self.contents().add_device(stream.device());
        if let Some(streams) = &mut *self.streams() {
            streams.push(stream);
        }
    }

    /// Lets `stream` wait for an event that was recorded in this capture: it takes part from then on.
    pub(crate) fn wait_event(self: &Arc<Self>, stream: &Stream, event: &EventHandle) -> Result<()> {
        // Held, so that the capture does not end meanwhile.
        let mut streams = self.streams();
        let Some(streams) = &mut *streams else { return Err(CaptureError::EndedEvent.into()) };
        let joined = stream.queue().begin_capture(self, || stream.wait_handle(event))?;
        if joined {
            self.contents().add_device(stream.device());
            streams.push(stream.clone());
            return Ok(());
        }
        stream.wait_handle(event)
    }

    /// Notes that the graph uses memory. Gives its uses in this capture.
    pub(crate) fn note_memory(
        &self,
        memory: &Arc<Memory>,
        access: Access,
        order: Order,
    ) -> Result<Arc<Uses>> {
        if let Some(what) = memory.is_for_no_graph() {
            return Err(CaptureError::Refused { what }.into());
        }
        // Before the graph is there, whose launches use the memory without a borrow.
        memory.uses.share();
        Ok(self.contents().note_memory(memory, access, order))
    }

    /// Notes a copy that the driver carries out by whatever way is open between the two devices.
    pub(crate) fn note_copy(&self, to: Device, from: Device) {
        if to != from {
            self.contents().add_links(links::between(to, from));
        }
    }

    /// Notes a copy of virtual memory by any way that is open between some of these devices.
    pub(crate) fn note_virtual_copy(&self, devices: &[Device]) {
        self.contents().note_virtual_copy();
        for (index, device) in devices.iter().enumerate() {
            devices[..index].iter().for_each(|other| self.note_copy(*device, *other));
        }
    }

    /// Keeps the access of a token enabled for the graph.
    pub(crate) fn note_access(&self, access: &PeerAccess) {
        // Made before the contents are locked: to make and to drop a token takes the lock of the pair.
        let token = access.clone();
        let left = self.contents().add_access(token);
        drop(left);
    }

    /// Keeps a grant that is held for the graph.
    pub(crate) fn note_grant(&self, grant: &Granted<'_>) {
        // As above: it takes the lock of the pool.
        let kept = grant.keep();
        let left = self.contents().add_grant(kept);
        drop(left);
    }

    /// Notes a copy of memory of a pool between two devices.
    pub(crate) fn note_pool(&self, pool: &MemPool) {
        self.contents().add_pool(pool);
    }

    /// Keeps an access that is on, and locked, enabled for the graph.
    pub(crate) fn note_locked_access(&self, pair: &'static Pair, access: &mut PairAccess) {
        let mut contents = self.contents();
        if !contents.has_access(pair) {
            contents.add_access(PeerAccess::of_locked(pair, access));
        }
    }
}

impl fmt::Debug for CaptureState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CaptureState").finish_non_exhaustive()
    }
}
