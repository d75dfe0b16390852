//! Streams: queues of work of one device.
//!
//! # Safety
//! This file calls functions that take stream and event handles. A handle is made here, kept by the value that owns
//! it, and destroyed when the last owner is dropped; one from before a reset of its device is never passed on.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::c_int;
use std::fmt;
use std::sync::{Arc, OnceLock, Weak};

use crate::device::Device;
use crate::error::Result;
use crate::event::{Event, EventHandle};
use crate::ffi::{cudaError, cudaStream_t, cudaStreamDefault, cudaStreamNonBlocking};
use crate::seam::{On, Seam, cuda};

/// A queue of work of one device, done in the order in which it was put in.
///
/// Clones are the same queue. Work on memory that another stream used last waits for that work by itself (see the
/// [crate's text](crate)). The queue is destroyed when the last clone is dropped *and* no memory remembers it; work
/// that is in it is done all the same.
#[derive(Clone)]
pub struct Stream(Arc<StreamHandle>);

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

struct StreamHandle {
    device: Device,
    handle: cudaStream_t,
    epoch: u64,
    /// Recorded when another stream has to wait for this one. Made the first time.
    fence: OnceLock<EventHandle>,
}

/// A stream that is known of, and not kept.
pub(crate) struct WeakStream(Weak<StreamHandle>);

impl WeakStream {
    pub(crate) fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }

    pub(crate) fn upgrade(&self) -> Option<Stream> {
        self.0.upgrade().map(Stream)
    }
}

// SAFETY: a stream handle may be used from any thread, and by several at once; so says the CUDA runtime.
unsafe impl Send for StreamHandle {}
// SAFETY: as above.
unsafe impl Sync for StreamHandle {}

impl Device {
    /// A new stream, which does not wait for the null stream nor make it wait.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaStreamCreateWithFlags")]
    pub fn new_stream(&self) -> Result<Stream> {
        self.new_stream_with(StreamOptions::default())
    }

    /// A new stream, made as `options` say.
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
        let stream = Stream(Arc::new(StreamHandle { device: *self, handle, epoch, fence: OnceLock::new() }));
        self.note_stream(WeakStream(Arc::downgrade(&stream.0)));
        Ok(stream)
    }
}

impl Stream {
    /// The device whose work this is.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// The raw handle. It lives as long as this value or a clone of it.
    ///
    /// This crate does not see work that is put in through it: order that work by events.
    pub fn as_raw(&self) -> cudaStream_t {
        self.0.handle
    }

    /// Waits on the host until all work that is in the queue now is done.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda), of the class [`Poisoned`](crate::ErrorClass::Poisoned) if any of it
    /// failed; [`Error::StaleHandle`](crate::Error::StaleHandle).
    #[doc(alias = "cudaStreamSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        self.check()?;
        // SAFETY: the handle is a live stream's.
        unsafe { cuda!(self.seam(), On::Any, cudaStreamSynchronize(self.0.handle)) }
    }

    /// Whether all work of the queue is done, without waiting.
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize).
    #[doc(alias = "cudaStreamQuery")]
    pub fn is_done(&self) -> Result<bool> {
        self.check()?;
        // SAFETY: the handle is a live stream's.
        let status = unsafe { cuda!(status: self.seam(), On::Any, cudaStreamQuery(self.0.handle)) }?;
        match status {
            cudaError::cudaSuccess => Ok(true),
            cudaError::cudaErrorNotReady => Ok(false),
            status => Err(self.seam().error("cudaStreamQuery", status, On::Any)),
        }
    }

    /// Records `event`: it is done when all work that is in the queue now is done. Asynchronous.
    ///
    /// # Errors
    /// [`Error::WrongDevice`](crate::Error::WrongDevice) if the event is of another device (the runtime answers 400
    /// to that); make *this* device's streams wait for an event of the other's instead.
    #[doc(alias = "cudaEventRecord")]
    pub fn record(&self, event: &Event) -> Result<()> {
        self.check()?;
        self.0.device.check_same(&event.device(), "the event")?;
        event.handle().check()?;
        self.record_handle(event.handle())
    }

    /// Lets all work that is put into the queue from now on wait until `event` is done. Asynchronous; the event may
    /// be of any device. An event that was never recorded counts as done.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda), [`Error::StaleHandle`](crate::Error::StaleHandle),
    /// [`Error::OtherRuntime`](crate::Error::OtherRuntime).
    #[doc(alias = "cudaStreamWaitEvent")]
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        self.check()?;
        self.0.device.check_runtime(&event.device(), "the event")?;
        event.handle().check()?;
        self.wait_handle(event.handle())
    }

    /// Lets the queue wait for all work that is in `other`'s now. Asynchronous.
    pub(crate) fn wait_for(&self, other: &Stream) -> Result<()> {
        // Work of a device that was reset since is gone.
        if self.is(other) || other.is_stale() {
            return Ok(());
        }
        // One event a stream is enough: recorded again, it stands for more of the same queue, never for less.
        let fence = match other.0.fence.get() {
            Some(fence) => fence,
            None => {
                let made = EventHandle::new(other.0.device, false)?;
                other.0.fence.get_or_init(|| made)
            }
        };
        other.record_handle(fence)?;
        self.wait_handle(fence)
    }

    /// `event` is of this stream's device, and neither is stale.
    pub(crate) fn record_handle(&self, event: &EventHandle) -> Result<()> {
        // SAFETY: both handles are live, and of one device.
        unsafe { cuda!(self.seam(), On::Any, cudaEventRecord(event.raw(), self.0.handle)) }
    }

    pub(crate) fn wait_handle(&self, event: &EventHandle) -> Result<()> {
        // SAFETY: both handles are live; zero is the only flag outside of capture.
        unsafe { cuda!(self.seam(), On::Any, cudaStreamWaitEvent(self.0.handle, event.raw(), 0)) }
    }

    /// Whether both are the same queue.
    pub(crate) fn is(&self, other: &Stream) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.0.device.epoch() != self.0.epoch
    }

    /// Refuses a stream from before a reset, and to work in a forked child, where even this crate's locks may be held
    /// for good.
    pub(crate) fn check(&self) -> Result<()> {
        self.seam().check_process()?;
        self.0.device.check_epoch(self.0.epoch, "the stream")
    }

    pub(crate) fn seam(&self) -> &'static Seam {
        self.0.device.seam()
    }
}

impl Drop for StreamHandle {
    fn drop(&mut self) {
        let seam = self.device.seam();
        if self.device.epoch() != self.epoch || seam.check_process().is_err() {
            return;
        }
        // SAFETY: the handle is live and nobody else's: this is its last owner. Work that is in the queue is done all
        // the same.
        let outcome = unsafe { cuda!(seam, self.device.on(), cudaStreamDestroy(self.handle)) };
        if let Err(error) = outcome {
            seam.deferred.push(format!("destroying a stream of device {}", self.device.ordinal()), error);
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream(device {}, {:p})", self.0.device.ordinal(), self.0.handle)
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}

impl Eq for Stream {}
