//! What this crate keeps of a device's work: the streams for its own, and what tells whether the device is idle.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::device::Device;
use crate::error::Result;
use crate::event::EventHandle;
use crate::ffi::cudaError;
use crate::queue::{Queue, WeakQueue};
use crate::stream::Stream;

/// Streams without work that are kept for copies.
const KEPT: usize = 4;

/// Of one device.
#[derive(Default)]
pub(crate) struct Housekeeping {
    own: Mutex<Own>,
    /// The queues of the device, until the work that they have left is noted below.
    queues: Mutex<Vec<WeakQueue>>,
    /// Reached when the work of queues is done that are gone.
    left: Mutex<Vec<Arc<EventHandle>>>,
}

/// Streams for what is put into no stream of the program's. Nothing of theirs stands behind work of the program's, so that
/// whoever waits for it does not wait for something else.
#[derive(Default)]
struct Own {
    /// Zeroes new memory, which no other work uses.
    zeroing: Option<Stream>,
    /// Frees memory of pools behind the work of several streams, for which it waits.
    freeing: Option<Stream>,
    /// Without work. Lent to one copy at a time, which waits.
    copying: Vec<Stream>,
    /// Queues of the program's in which memory of pools was freed.
    freed: Vec<WeakQueue>,
    /// For work of this device that belongs into a stream of another, each with the queue that it was lent to last.
    side: Vec<(Stream, WeakQueue)>,
}

impl Housekeeping {
    /// After a reset of the device everything is gone.
    pub(crate) fn forget(&self) {
        drop(std::mem::take(&mut *locked(&self.own)));
        drop(std::mem::take(&mut *locked(&self.left)));
    }
}

impl Device {
    /// The stream on which new memory of the device is zeroed. Its users order behind it, like behind any other.
    pub(crate) fn zeroing_stream(&self) -> Result<Stream> {
        let mut own = locked(&self.0.housekeeping.own);
        if let Some(stream) = &own.zeroing {
            return Ok(stream.clone());
        }
        let stream = self.new_stream()?;
        own.zeroing = Some(stream.clone());
        Ok(stream)
    }

    /// The stream in which memory of pools is freed that several streams have used.
    pub(crate) fn freeing_stream(&self) -> Result<Stream> {
        let mut own = locked(&self.0.housekeeping.own);
        if let Some(stream) = &own.freeing {
            return Ok(stream.clone());
        }
        let stream = self.new_stream()?;
        own.freeing = Some(stream.clone());
        Ok(stream)
    }

    /// A stream of this device for work that belongs into `queue`, of another device: the one that it had last, or one without
    /// work, so that it waits for nobody else's.
    pub(crate) fn side_stream(&self, queue: &Queue) -> Result<Stream> {
        let mut own = locked(&self.0.housekeeping.own);
        if let Some((stream, _)) = own.side.iter().find(|(_, lent_to)| lent_to.is(queue)) {
            return Ok(stream.clone());
        }
        for (stream, lent_to) in &mut own.side {
            if stream.is_done()? {
                *lent_to = queue.downgrade();
                return Ok(stream.clone());
            }
        }
        let stream = self.new_stream()?;
        own.side.push((stream.clone(), queue.downgrade()));
        Ok(stream)
    }

    /// Notes that memory was freed in a queue, for [`wait_for_freed`](Self::wait_for_freed).
    pub(crate) fn note_freed(&self, queue: &Queue) {
        let mut own = locked(&self.0.housekeeping.own);
        own.freed.retain(WeakQueue::is_alive);
        if !own.freed.iter().filter_map(WeakQueue::upgrade).any(|known| known.is(queue)) {
            own.freed.push(queue.downgrade());
        }
    }

    /// Waits for the streams in which memory was freed, for an allocation that finds none. Whether there were any.
    pub(crate) fn wait_for_freed(&self) -> Result<bool> {
        let queues: Vec<Queue> = {
            let mut own = locked(&self.0.housekeeping.own);
            let freed = std::mem::take(&mut own.freed);
            let freeing = own.freeing.iter().map(|stream| stream.queue().clone());
            freed.iter().filter_map(WeakQueue::upgrade).chain(freeing).filter(|it| !it.is_stale()).collect()
        };
        for queue in &queues {
            queue.synchronize()?;
        }
        Ok(!queues.is_empty())
    }

    /// Does a copy that waits, on a stream that nobody else has. If it succeeds, the stream is without work again.
    pub(crate) fn copy_on_a_stream<R>(&self, copy: impl FnOnce(&Stream) -> Result<R>) -> Result<R> {
        self.seam().check_process()?;
        let idle = locked(&self.0.housekeeping.own).copying.pop();
        let stream = match idle {
            Some(stream) => stream,
            None => self.new_stream()?,
        };
        let result = copy(&stream)?;
        let mut own = locked(&self.0.housekeeping.own);
        if own.copying.len() < KEPT {
            own.copying.push(stream);
        }
        Ok(result)
    }

    /// Whether no stream of this crate has work on the device, without waiting.
    pub(crate) fn is_idle(&self) -> Result<bool> {
        // Let go of after the lock: who lets go of the last one takes it.
        let queues: Vec<Option<Queue>> =
            locked(&self.0.housekeeping.queues).iter().map(WeakQueue::upgrade).collect();
        for queue in queues {
            // One that is just going has work that is not noted yet.
            let Some(queue) = queue else { return Ok(false) };
            if !queue.is_stale() && !queue.is_done()? {
                return Ok(false);
            }
        }
        let left = locked(&self.0.housekeeping.left).clone();
        for event in &left {
            if !is_over(event)? {
                return Ok(false);
            }
        }
        locked(&self.0.housekeeping.left).retain(|event| !left.iter().any(|done| Arc::ptr_eq(done, event)));
        Ok(true)
    }

    /// Refuses what breaks the capture of any stream of the device.
    pub(crate) fn refuse_capture(&self, what: &'static str) -> Result<()> {
        let queues: Vec<Queue> =
            locked(&self.0.housekeeping.queues).iter().filter_map(WeakQueue::upgrade).collect();
        queues.iter().try_for_each(|queue| queue.enter().refuse_capture(what))
    }

    /// Notes a queue for [`is_idle`](Self::is_idle).
    pub(crate) fn note_queue(&self, queue: WeakQueue) {
        locked(&self.0.housekeeping.queues).push(queue);
    }

    /// Forgets a queue that is gone.
    pub(crate) fn forget_queue(&self, address: usize) {
        locked(&self.0.housekeeping.queues).retain(|queue| queue.address() != address);
    }

    /// Notes the work of a queue that is going away, for [`is_idle`](Self::is_idle).
    pub(crate) fn note_left_work(&self, event: Arc<EventHandle>) {
        self.forget_done_work();
        locked(&self.0.housekeeping.left).push(event);
    }

    /// Forgets what is done of the work of queues that are gone.
    pub(crate) fn forget_done_work(&self) {
        locked(&self.0.housekeeping.left).retain(|event| is_over(event) != Ok(true));
    }
}

/// Whether the work before a mark is done. One that was recorded into a graph says nothing of work.
fn is_over(event: &EventHandle) -> Result<bool> {
    if event.is_stale() {
        return Ok(true);
    }
    match event.is_done() {
        Err(error) if error.code() == Some(cudaError::cudaErrorCapturedEvent.0) => Ok(true),
        outcome => outcome,
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
