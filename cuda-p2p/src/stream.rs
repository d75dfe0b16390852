//! Streams: queues of work of one device.
//!
//! # Safety
//! This file calls functions that take stream and event handles. A stream's handle is made here, or vouched for by whoever gives
//! it, and is live as long as a [`Stream`] is; one from before a reset of its device is never passed on.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::c_int;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::device::Device;
use crate::error::{CaptureError, Result};
use crate::event::{Event, EventHandle, Recorded};
use crate::ffi::{cudaError, cudaStream_t, cudaStreamDefault, cudaStreamNonBlocking};
use crate::keeper::Keeper;
use crate::queue::{Entered, Queue};
use crate::seam::{On, Seam, cuda};

/// A queue of work of one device, done in the order in which it was put in.
///
/// Clones are the same queue. Work on memory that another stream used last waits for that work by itself (see the
/// [crate's text](crate)). The queue is destroyed when the last clone is dropped *and* no memory remembers it; work
/// that is in it is done all the same. A stream of C or C++ code's can be [borrowed](Self::borrow_raw), or
/// [taken over](Self::from_raw).
///
/// C: `cudaStreamDestroy`.
#[derive(Clone)]
#[doc(alias = "cudaStreamDestroy")]
pub struct Stream(Arc<Lease>);

/// The right to use a queue's handle.
struct Lease {
    queue: Queue,
    /// What keeps the stream, if it is other code's.
    keeper: Option<Keeper>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.queue.end();
        // In a forked child the stream is the parent's, and after a reset it is gone.
        if let Some(keeper) = self.keeper.take()
            && !self.queue.is_stale()
            && self.queue.seam().check_process().is_ok()
        {
            keeper.release(self.queue.device(), "a stream");
        }
    }
}

/// How a stream is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamOptions {
    /// Whether the stream and the device's legacy null stream wait for each other: for sharing a device with code
    /// that uses the null stream. Off by default.
    pub blocking: bool,
    /// Priority, lower numbers first, as `cudaDeviceGetStreamPriorityRange` gives them; the lowest priority if
    /// `None`.
    pub priority: Option<i32>,
}

impl Device {
    /// A new stream, which does not wait for the null stream nor make it wait.
    ///
    /// C: `cudaStreamCreateWithFlags`.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaStreamCreateWithFlags")]
    pub fn new_stream(&self) -> Result<Stream> {
        self.new_stream_with(StreamOptions::default())
    }

    /// A new stream, made as `options` say.
    ///
    /// C: `cudaStreamCreateWithPriority`.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaStreamCreateWithPriority")]
    pub fn new_stream_with(&self, options: StreamOptions) -> Result<Stream> {
        let flags = if options.blocking { cudaStreamDefault } else { cudaStreamNonBlocking };
        let epoch = self.epoch();
        let mut handle: cudaStream_t = std::ptr::null_mut();
        match options.priority {
            // SAFETY: `handle` is a valid place for a handle.
            None => unsafe { cuda!(self.seam(), self.on(), cudaStreamCreateWithFlags(&mut handle, flags)) },
            Some(priority) => {
                let priority: c_int = priority;
                // SAFETY: as above.
                unsafe {
                    cuda!(self.seam(), self.on(), cudaStreamCreateWithPriority(&mut handle, flags, priority))
                }
            }
        }?;
        Ok(Stream::new(Queue::new(*self, handle, epoch, true)))
    }
}

impl Stream {
    pub(crate) fn new(queue: Queue) -> Self {
        Self(Arc::new(Lease { queue, keeper: None }))
    }

    /// A stream that `keeper` keeps for as long as the lease of its queue.
    pub(crate) fn kept(queue: Queue, keeper: Keeper) -> Self {
        Self(Arc::new(Lease { queue, keeper: Some(keeper) }))
    }

    /// The device whose work this is.
    pub fn device(&self) -> Device {
        self.queue().device()
    }

    /// Waits on the host until all work that is in the queue now is done. A capture of this stream that another thread begins just when
    /// the wait does, the runtime may break (900).
    ///
    /// C: `cudaStreamSynchronize`.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda), of the class [`Poisoned`](crate::ErrorClass::Poisoned) if any of it
    /// failed; [`Error::StaleHandle`](crate::Error::StaleHandle); [`Error::Capture`](crate::Error::Capture) while the stream is
    /// being captured.
    #[doc(alias = "cudaStreamSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        self.enter()?.refuse_capture("waiting for the stream")?;
        // SAFETY: the handle is a live stream's.
        unsafe { cuda!(relaxed: self.seam(), self.on(), cudaStreamSynchronize(self.as_raw())) }
    }

    /// As [`synchronize`](Self::synchronize), and does not give up: when it returns, nothing that was in the queue runs any
    /// more. For work that uses memory which nothing else keeps.
    pub(crate) fn finish(&self) -> Result<()> {
        loop {
            match self.synchronize() {
                Err(error) if !error.ends_all_work() => std::thread::sleep(Duration::from_millis(1)),
                // With a context that is lost, or reset, its work is gone.
                outcome => return outcome,
            }
        }
    }

    /// Whether all work of the queue is done, without waiting.
    ///
    /// C: `cudaStreamQuery`.
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize).
    #[doc(alias = "cudaStreamQuery")]
    pub fn is_done(&self) -> Result<bool> {
        let entered = self.enter()?;
        entered.refuse_capture("asking the stream whether it is done")?;
        // SAFETY: the handle is a live stream's.
        let status =
            unsafe { cuda!(relaxed status: self.seam(), self.on(), cudaStreamQuery(self.as_raw())) }?;
        match status {
            cudaError::cudaSuccess => Ok(true),
            cudaError::cudaErrorNotReady => Ok(false),
            status => Err(self.seam().error("cudaStreamQuery", status, self.on())),
        }
    }

    /// Records `event`: it is done when all work that is in the queue now is done. Asynchronous. While the stream is being
    /// captured, the event marks a point of the graph, for other streams of the capture to wait for.
    ///
    /// C: `cudaEventRecord`.
    ///
    /// # Errors
    /// [`Error::WrongDevice`](crate::Error::WrongDevice) if the event is of another device (the runtime answers 400
    /// to that); make *this* device's streams wait for an event of the other's instead.
    #[doc(alias = "cudaEventRecord")]
    pub fn record(&self, event: &Event) -> Result<()> {
        self.check()?;
        self.device().check_same(&event.device(), "the event")?;
        event.handle().check()?;
        // Before the stream is entered: whoever takes the stream into a capture by a wait for this event has it locked, and
        // waits until nobody is inside.
        let mut recorded = event.handle().recorded();
        let entered = self.enter()?;
        if event.handle().is_interprocess() {
            entered.refuse_capture("an event that processes share")?;
        }
        if entered.capture().is_some() || !self.queue().record_by_driver(event.handle()) {
            self.record_handle(event.handle())?;
        }
        *recorded = match entered.capture() {
            Some(capture) => Recorded::InCapture(Arc::downgrade(capture)),
            None => Recorded::Live,
        };
        Ok(())
    }

    /// Lets all work that is put into the queue from now on wait until `event` is done. Asynchronous; the event may
    /// be of any device. An event that was never recorded counts as done.
    ///
    /// An event that was recorded inside a [capture](Self::capture) takes this stream into the capture, as CUDA does: what is put
    /// in afterwards is recorded into the graph.
    ///
    /// C: `cudaStreamWaitEvent`.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda), [`Error::StaleHandle`](crate::Error::StaleHandle),
    /// [`Error::OtherRuntime`](crate::Error::OtherRuntime); [`Error::Ipc`](crate::Error::Ipc) for an event that processes share
    /// and that is another device's; [`Error::Capture`](crate::Error::Capture) if the stream is being captured and the event is of
    /// work outside, or of another capture, and if the event is of a capture that has ended.
    #[doc(alias = "cudaStreamWaitEvent")]
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        self.check()?;
        self.device().check_runtime(&event.device(), "the event")?;
        event.handle().check()?;
        event.handle().check_waiter(&self.device())?;
        // Held over the call, so that the event is what it is said to be.
        let recorded = event.handle().recorded();
        match &*recorded {
            Recorded::InCapture(capture) => match capture.upgrade() {
                Some(capture) => capture.wait_event(self, event.handle()),
                None => Err(CaptureError::EndedEvent.into()),
            },
            Recorded::Live => {
                let entered = self.enter()?;
                if entered.capture().is_some() {
                    return Err(CaptureError::OutsideEvent.into());
                }
                self.wait_handle(event.handle())
            }
        }
    }

    /// Inside a capture: lets the queue wait for all that was put into `other`, of the same capture, so far. The caller has
    /// entered the stream.
    pub(crate) fn wait_captured(&self, other: &Queue) -> Result<()> {
        if self.queue().is(other) {
            return Ok(());
        }
        self.wait_handle(&*other.captured_fence()?)
    }

    /// Lets the queue wait for all work that is in `other` now. Asynchronous.
    pub(crate) fn wait_for(&self, other: &Queue) -> Result<()> {
        // Work of a device that was reset since is gone.
        if self.queue().is(other) || other.is_stale() {
            return Ok(());
        }
        self.wait_handle(&*other.fence()?)
    }

    /// `event` is of this stream's device, and neither is stale.
    pub(crate) fn record_handle(&self, event: &EventHandle) -> Result<()> {
        self.queue().record(event)
    }

    pub(crate) fn wait_handle(&self, event: &EventHandle) -> Result<()> {
        // SAFETY: both handles are live; zero is the only flag outside of capture.
        unsafe { cuda!(self.seam(), self.on(), cudaStreamWaitEvent(self.as_raw(), event.raw(), 0)) }
    }

    /// The queue, to be remembered. A clone of it is no right to use the handle.
    pub(crate) fn queue(&self) -> &Queue {
        &self.0.queue
    }

    /// What a call with the handle needs of the thread.
    pub(crate) fn on(&self) -> On {
        self.queue().on()
    }

    /// Refuses a stream from before a reset, and to work in a forked child, where even this crate's locks may be held
    /// for good.
    pub(crate) fn check(&self) -> Result<()> {
        self.seam().check_process()?;
        self.queue().check()
    }

    /// Begins to put work in, or to ask for it: until the end of what this gives, no capture of the stream begins or ends.
    pub(crate) fn enter(&self) -> Result<Entered<'_>> {
        self.check()?;
        Ok(self.queue().enter())
    }

    pub(crate) fn seam(&self) -> &'static Seam {
        self.queue().seam()
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream(device {}, {:p})", self.device().ordinal(), self.as_raw())
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        self.queue().is(other.queue())
    }
}

impl Eq for Stream {}
