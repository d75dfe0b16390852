//! Events: marks in a stream, to wait for and to measure time by.
//!
//! # Safety
//! This file calls functions that take event handles. A handle is made here, kept by the value that owns it, and
//! destroyed when the last owner is dropped, or vouched for by whoever lends it; one from before a reset of its device is never
//! passed on.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::c_uint;
use std::fmt;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use crate::capture::CaptureState;
use crate::device::Device;
use crate::error::{CaptureError, Error, IpcError, Result};
use crate::ffi::{cudaError, cudaEvent_t, cudaEventDefault, cudaEventDisableTiming, cudaEventInterprocess};
use crate::seam::{On, cuda};

/// A mark that a stream of its own device sets when it gets there. Clones are the same mark.
///
/// An event of C or C++ code's can be [borrowed](Self::borrow_raw), or [taken over](Self::from_raw).
///
/// C: `cudaEventDestroy`.
#[derive(Clone)]
#[doc(alias = "cudaEventDestroy")]
pub struct Event(Arc<EventHandle>);

/// A raw event and, if it is owned, the duty to destroy it.
pub(crate) struct EventHandle {
    device: Device,
    handle: cudaEvent_t,
    epoch: u64,
    timed: bool,
    owned: AtomicBool,
    /// Whether several processes may have it.
    interprocess: bool,
    recorded: Mutex<Recorded>,
    /// Closed last of all: so the maker learns that the event is gone here.
    _lease: Option<OwnedFd>,
}

/// Where an event was recorded last, by this crate.
#[derive(Debug)]
pub(crate) enum Recorded {
    /// Among work that runs, or nowhere yet.
    Live,
    /// Into a graph: it is never reached by itself.
    InCapture(Weak<CaptureState>),
}

// SAFETY: an event handle may be used from any thread, and by several at once; so says the CUDA runtime.
unsafe impl Send for EventHandle {}
// SAFETY: as above.
unsafe impl Sync for EventHandle {}

impl Device {
    /// A new event that keeps the time at which it was reached.
    ///
    /// C: `cudaEventCreate`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    #[doc(alias = "cudaEventCreate")]
    pub fn new_event(&self) -> Result<Event> {
        Ok(Event::new(EventHandle::new(*self, true)?))
    }

    /// A new event without time: cheaper to record and to wait for.
    ///
    /// C: `cudaEventCreateWithFlags`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    #[doc(alias = "cudaEventCreateWithFlags")]
    pub fn new_event_untimed(&self) -> Result<Event> {
        Ok(Event::new(EventHandle::new(*self, false)?))
    }
}

impl Event {
    pub(crate) fn new(handle: EventHandle) -> Self {
        Self(Arc::new(handle))
    }

    /// The device on whose streams it can be recorded.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Waits on the host until the event is reached. At once if it was never recorded.
    ///
    /// C: `cudaEventSynchronize`.
    ///
    /// # Errors
    /// [`Error::Cuda`], of the class [`Poisoned`](crate::ErrorClass::Poisoned) if work before it failed;
    /// [`Error::StaleHandle`]; [`Error::Capture`] if it was last recorded inside a capture.
    #[doc(alias = "cudaEventSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        self.0.check()?;
        self.0.check_runs()?;
        self.0.synchronize()
    }

    /// Whether the event is reached, without waiting. True if it was never recorded.
    ///
    /// C: `cudaEventQuery`.
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize).
    #[doc(alias = "cudaEventQuery")]
    pub fn is_done(&self) -> Result<bool> {
        self.0.check()?;
        self.0.check_runs()?;
        self.0.is_done()
    }

    /// The time on the device from `start` to this event, to about half a microsecond. Both must be reached.
    ///
    /// C: `cudaEventElapsedTime`.
    ///
    /// # Errors
    /// - [`Error::WrongDevice`] if the two are of different devices: they have no common clock.
    /// - [`Error::EventWithoutTiming`] if either keeps no time.
    /// - [`Error::Cuda`] with code 400 if either was never recorded, with 600 (class
    ///   [`NotReady`](crate::ErrorClass::NotReady)) if either is not reached yet.
    #[doc(alias = "cudaEventElapsedTime")]
    pub fn elapsed_since(&self, start: &Event) -> Result<Duration> {
        self.0.check()?;
        start.0.check()?;
        self.0.device.check_same(&start.device(), "the start event")?;
        self.0.check_runs()?;
        start.0.check_runs()?;
        if !(self.0.timed && start.0.timed) {
            return Err(Error::EventWithoutTiming);
        }
        let mut milliseconds = 0f32;
        let (start, end) = (start.0.handle, self.0.handle);
        // SAFETY: both handles are live, and `milliseconds` is a valid place for a float.
        unsafe { cuda!(self.0.device.seam(), On::Any, cudaEventElapsedTime(&mut milliseconds, start, end)) }?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
    }

    pub(crate) fn handle(&self) -> &EventHandle {
        &self.0
    }
}

impl EventHandle {
    pub(crate) fn new(device: Device, timed: bool) -> Result<Self> {
        Self::with_flags(device, if timed { cudaEventDefault } else { cudaEventDisableTiming })
    }

    /// For other processes.
    pub(crate) fn new_interprocess(device: Device) -> Result<Self> {
        Self::with_flags(device, cudaEventInterprocess | cudaEventDisableTiming)
    }

    fn with_flags(device: Device, flags: c_uint) -> Result<Self> {
        let epoch = device.epoch();
        let timed = flags & cudaEventDisableTiming == 0;
        let interprocess = flags & cudaEventInterprocess != 0;
        let mut handle: cudaEvent_t = std::ptr::null_mut();
        // SAFETY: `handle` is a valid place for a handle.
        unsafe { cuda!(device.seam(), device.on(), cudaEventCreateWithFlags(&mut handle, flags)) }?;
        let (owned, recorded) = (AtomicBool::new(true), Mutex::new(Recorded::Live));
        Ok(Self { device, handle, epoch, timed, owned, interprocess, recorded, _lease: None })
    }

    /// Another process's, which `device` opened.
    pub(crate) fn opened(device: Device, epoch: u64, handle: cudaEvent_t, lease: Option<OwnedFd>) -> Self {
        let (owned, recorded) = (AtomicBool::new(true), Mutex::new(Recorded::Live));
        Self { device, handle, epoch, timed: false, owned, interprocess: true, recorded, _lease: lease }
    }

    /// Whether several processes may have it.
    pub(crate) fn is_interprocess(&self) -> bool {
        self.interprocess
    }

    /// Refuses a wait of another device's stream for an event that several processes may have: the driver ends the process.
    pub(crate) fn check_waiter(&self, stream: &Device) -> Result<()> {
        if self.interprocess && self.device != *stream {
            let (event, stream) = (self.device.ordinal(), stream.ordinal());
            return Err(IpcError::EventOfOtherDevice { event, stream }.into());
        }
        Ok(())
    }

    /// Of somebody else's event, which may keep time or not: the runtime answers 400 if it is asked for one that was not kept.
    pub(crate) fn foreign(device: Device, handle: cudaEvent_t, owned: bool) -> Self {
        let (epoch, owned, recorded) = (device.epoch(), AtomicBool::new(owned), Mutex::new(Recorded::Live));
        Self { device, handle, epoch, timed: true, owned, interprocess: false, recorded, _lease: None }
    }

    /// Gives up the duty to destroy it.
    pub(crate) fn disown(&self) {
        self.owned.store(false, Ordering::SeqCst);
    }

    pub(crate) fn raw(&self) -> cudaEvent_t {
        self.handle
    }

    /// Refuses an event from before a reset, and to work in a forked child.
    pub(crate) fn check(&self) -> Result<()> {
        self.device.seam().check_process()?;
        self.device.check_epoch(self.epoch, "the event")
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.device.epoch() != self.epoch
    }

    /// Where it was recorded last, locked.
    pub(crate) fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses to ask an event that marks a point of a graph: the runtime answers 907, and breaks the capture.
    fn check_runs(&self) -> Result<()> {
        match *self.recorded() {
            Recorded::Live => Ok(()),
            Recorded::InCapture(_) => {
                Err(CaptureError::Refused { what: "asking an event of the graph" }.into())
            }
        }
    }

    /// Not to be called on a stale one.
    pub(crate) fn synchronize(&self) -> Result<()> {
        // SAFETY: the handle is a live event's.
        unsafe { cuda!(relaxed: self.device.seam(), On::Any, cudaEventSynchronize(self.handle)) }
    }

    /// Not to be called on a stale one.
    pub(crate) fn is_done(&self) -> Result<bool> {
        let seam = self.device.seam();
        // SAFETY: the handle is a live event's.
        let status = unsafe { cuda!(relaxed status: seam, On::Any, cudaEventQuery(self.handle)) }?;
        match status {
            cudaError::cudaSuccess => Ok(true),
            cudaError::cudaErrorNotReady => Ok(false),
            status => Err(seam.error("cudaEventQuery", status, On::Any)),
        }
    }
}

impl Drop for EventHandle {
    fn drop(&mut self) {
        let seam = self.device.seam();
        if !*self.owned.get_mut() || self.is_stale() || seam.check_process().is_err() {
            return;
        }
        // SAFETY: the handle is live and nobody else's: this is its last owner. Streams that wait for it go on to do
        // so.
        if let Err(error) = unsafe { cuda!(seam, self.device.on(), cudaEventDestroy(self.handle)) } {
            seam.deferred.push(format!("destroying an event of device {}", self.device.ordinal()), error);
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event(device {}, {:p})", self.0.device.ordinal(), self.0.handle)
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Event {}
