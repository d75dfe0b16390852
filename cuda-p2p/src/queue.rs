//! A stream's queue as this crate remembers it: for the order between streams, and for memory that may still be in use.
//!
//! A [`Stream`](crate::Stream) that a program holds is a lease of a queue. Memory remembers queues, without a lease: when the last
//! lease of a *borrowed* queue ends, whoever owns the stream may destroy it, so an event of this crate's own is recorded in it
//! then, and stands for its work from there on.
//!
//! While this crate captures a stream, what is put in does not run: to whoever asks for its work, an event stands for it that was
//! recorded just before.
//!
//! # Safety
//! This file calls functions that take the handle of a stream. Whoever has a lease may use it. Without one it is used under the
//! lock of `life`, and only while that says `Live`: a lease that ends waits for the lock. An owned stream lives as long as its
//! queue is remembered.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

mod captured;
mod work;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crate::capture::CaptureState;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::EventHandle;
use crate::ffi::{cudaError, cudaStream_t};
use crate::gate::Gate;
use crate::seam::{On, Seam, cuda};
use crate::twins::Twins;
pub(crate) use captured::Entered;

/// The handle that stands for the device's null stream by another name; null itself is the other.
const LEGACY: usize = 1;

/// One stream's queue. Clones are the same queue.
#[derive(Clone)]
pub(crate) struct Queue(Arc<QueueState>);

/// What each call looks at stands together, in one line of the cache.
#[repr(C, align(64))]
struct QueueState {
    gate: Gate,
    /// Whether this crate destroys the stream.
    owned: AtomicBool,
    handle: cudaStream_t,
    device: Device,
    epoch: u64,
    /// `None` for a null stream too, which is that of the current device.
    twins: Option<&'static Twins>,
    life: Mutex<Life>,
    /// Recorded, inside a capture, when another stream of it has to wait for this one. Made the first time.
    captured_fence: OnceLock<Arc<EventHandle>>,
    /// Recorded when another stream has to wait for this one, and at the end of the last lease. Made the first time.
    fence: OnceLock<Arc<EventHandle>>,
}

/// Whether the handle may still be used.
enum Life {
    Live,
    /// Yes, and what is put in goes into the graph; `before` is reached when all that was put in earlier is done.
    Captured {
        capture: Arc<CaptureState>,
        before: Arc<EventHandle>,
    },
    /// No: `fence` stands for all that was put in.
    Ended,
    /// No, and the fence could not be recorded: nobody knows when the work is done.
    Lost(Error),
}

/// A queue that is known of, and not kept.
pub(crate) struct WeakQueue(Weak<QueueState>);

// SAFETY: a stream handle may be used from any thread, and by several at once; so says the CUDA runtime.
unsafe impl Send for QueueState {}
// SAFETY: as above.
unsafe impl Sync for QueueState {}

impl WeakQueue {
    pub(crate) fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }

    pub(crate) fn upgrade(&self) -> Option<Queue> {
        self.0.upgrade().map(Queue)
    }

    /// As [`Queue::address`].
    pub(crate) fn address(&self) -> usize {
        self.0.as_ptr().addr()
    }

    /// Whether it is `queue`.
    pub(crate) fn is(&self, queue: &Queue) -> bool {
        // The address is not used again while this is alive.
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&queue.0))
    }
}

impl Queue {
    pub(crate) fn new(device: Device, handle: cudaStream_t, epoch: u64, owned: bool) -> Self {
        let twins = if handle.addr() <= LEGACY { None } else { device.seam().twins() };
        let queue = Self(Arc::new(QueueState {
            device,
            handle,
            epoch,
            twins,
            owned: AtomicBool::new(owned),
            gate: Gate::default(),
            life: Mutex::new(Life::Live),
            captured_fence: OnceLock::new(),
            fence: OnceLock::new(),
        }));
        device.note_queue(WeakQueue(Arc::downgrade(&queue.0)));
        queue
    }

    pub(crate) fn device(&self) -> Device {
        self.0.device
    }

    pub(crate) fn raw(&self) -> cudaStream_t {
        self.0.handle
    }

    /// The driver's functions that take the handle.
    #[inline]
    pub(crate) fn twins(&self) -> Option<&'static Twins> {
        self.0.twins
    }

    /// What a call with the handle needs: the null stream is that of the current device, every other has its device.
    #[inline]
    pub(crate) fn on(&self) -> On {
        if self.0.handle.addr() <= LEGACY { self.0.device.on() } else { On::Any }
    }

    /// Where it is remembered: an even address, which no other queue has as long as this one is remembered.
    #[inline]
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Whether both are the same queue.
    pub(crate) fn is(&self, other: &Queue) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.0.device.epoch() != self.0.epoch
    }

    /// Refuses a queue from before a reset.
    pub(crate) fn check(&self) -> Result<()> {
        self.0.device.check_epoch(self.0.epoch, "the stream")
    }

    /// Gives up the duty to destroy the stream. The caller has a lease.
    pub(crate) fn disown(&self) {
        self.0.owned.store(false, Ordering::SeqCst);
    }

    /// Calls `put` with the handle, to put something into the queue; `None` if the handle may not be used any more, or somebody
    /// captures the stream.
    pub(crate) fn while_live<R>(&self, put: impl FnOnce(cudaStream_t) -> R) -> Option<R> {
        let life = self.life();
        let usable = matches!(*life, Life::Live) && !self.is_stale() && self.is_capturing() == Ok(false);
        usable.then(|| put(self.0.handle))
    }

    pub(crate) fn downgrade(&self) -> WeakQueue {
        WeakQueue(Arc::downgrade(&self.0))
    }

    /// Ends the last lease. A borrowed stream is not touched afterwards.
    pub(crate) fn end(&self) {
        if self.0.owned.load(Ordering::SeqCst) || self.is_stale() || self.seam().check_process().is_err() {
            return;
        }
        let mut life = self.life();
        // What goes into a graph does not run now, and to ask for it would break the capture.
        let capturing = self.is_capturing() == Ok(true);
        // If nobody else remembers the queue, nobody will ask for its part of a graph.
        if capturing && Arc::strong_count(&self.0) == 1 {
            *life = Life::Ended;
            return;
        }
        *life = match self.record_fence() {
            Ok(fence) => {
                if !capturing {
                    self.0.device.note_left_work(fence);
                }
                Life::Ended
            }
            Err(_) => self.wait_for_all().map_or_else(Life::Lost, |()| Life::Ended),
        };
    }

    /// What is left where no event can be recorded. Afterwards a fence that stands for less is as good as one for all.
    fn wait_for_all(&self) -> Result<()> {
        // SAFETY: the handle is a live stream's: its last lease is only just ending.
        unsafe { cuda!(relaxed: self.seam(), self.on(), cudaStreamSynchronize(self.0.handle)) }
    }

    pub(crate) fn seam(&self) -> &'static Seam {
        self.0.device.seam()
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.0.life.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    /// An event that is reached when the work is done that an owned stream still has; `None` if it has none, or that cannot
    /// be told.
    fn left_work(&self) -> Option<Arc<EventHandle>> {
        let seam = self.device.seam();
        // SAFETY: the handle is live: it is destroyed later.
        let status = unsafe { cuda!(relaxed status: seam, self.device.on(), cudaStreamQuery(self.handle)) };
        if status != Ok(cudaError::cudaErrorNotReady) {
            return None;
        }
        let event = EventHandle::new(self.device, false).ok()?;
        // SAFETY: both handles are live, and of one device.
        unsafe { cuda!(seam, self.device.on(), cudaEventRecord(event.raw(), self.handle)) }.ok()?;
        Some(Arc::new(event))
    }

    /// Destroys the stream, if that is this crate's to do.
    fn destroy(&mut self) {
        let seam = self.device.seam();
        if !*self.owned.get_mut() || self.device.epoch() != self.epoch {
            return;
        }
        if let Some(event) = self.left_work() {
            self.device.note_left_work(event);
        }
        // SAFETY: the handle is live and nobody else's: this is its last owner. Work that is in the queue is done all
        // the same.
        let outcome = unsafe { cuda!(seam, self.device.on(), cudaStreamDestroy(self.handle)) };
        if let Err(error) = outcome {
            seam.deferred.push(format!("destroying a stream of device {}", self.device.ordinal()), error);
        }
    }
}

impl Drop for QueueState {
    fn drop(&mut self) {
        // In a forked child not even a lock is taken.
        if self.device.seam().check_process().is_err() {
            return;
        }
        self.destroy();
        // Only now that its work is noted: as long as the device knows of it, nobody takes it for idle.
        self.device.forget_queue(std::ptr::from_ref(self).addr());
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Queue(device {}, {:p})", self.0.device.ordinal(), self.0.handle)
    }
}
