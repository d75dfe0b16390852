//! Copies between devices through the host, in lanes: pipelines of pinned buffers.
//!
//! A lane has a stream that brings chunks down from the owner, and one that brings them up to the accessor: while one chunk
//! goes down, those before go up. All of it is asynchronous: the order is made on the devices, by events.
//!
//! A lane is taken by the stream that had it last, or if its work is done. So copies of streams that have nothing to do with
//! each other do not wait for each other, as long as the pinned memory suffices; beyond that they share a lane, and go
//! through it one after the other.

mod lane;
mod limit;
mod shape;

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::pair::Pair;
use crate::stream::Stream;

use lane::Lane;
pub(crate) use limit::Limit;
use shape::Shape;

/// The lanes of an ordered pair, the one that was taken last at the end.
#[derive(Default)]
pub(crate) struct Lanes(Mutex<Vec<Lane>>);

impl Lanes {
    /// Gives back what they have, as soon as the work in them is done.
    pub(crate) fn clear(&self) {
        drop(std::mem::take(&mut *self.lock()));
    }

    /// Pinned bytes that they have.
    fn pinned_bytes(&self) -> usize {
        self.lock().iter().map(Lane::pinned_bytes).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Lane>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the limit leaves room for a lane.
pub(crate) fn is_on(pair: &Pair) -> bool {
    pair.accessor.runtime().state().staging.shape().is_some()
}

/// Copies `bytes` bytes from memory of the pair's owner to memory of its accessor, in the order of `stream`, which is of
/// either device.
///
/// `stream` is already ordered behind the uses of both ends, and both ends are held for it.
pub(crate) fn copy(
    pair: &Pair,
    stream: &Stream,
    destination: *mut u8,
    source: *const u8,
    bytes: usize,
) -> Result<()> {
    stream.check_can_wait()?;
    let limit = &pair.accessor.runtime().state().staging;
    let shape = limit.shape().ok_or_else(|| limit.too_low())?;
    // Held while the copy is queued: a lane is filled by one copy after the other.
    let mut lanes = pair.lanes.lock();
    let lane = take(&mut lanes, pair, stream, shape)?;
    lane.copy(stream, destination, source, bytes)
}

/// The lane for a copy of `stream`, now at the end.
fn take<'l>(lanes: &'l mut Vec<Lane>, pair: &Pair, stream: &Stream, shape: Shape) -> Result<&'l mut Lane> {
    // Lanes of another shape are from before the limit was changed.
    lanes.retain(|lane| lane.shape() == shape);
    let index = match lanes.iter().position(|lane| lane.was_last_of(stream)) {
        Some(index) => Some(index),
        None => find(lanes, Lane::is_idle)?,
    };
    let lane = match index {
        Some(index) => lanes.remove(index),
        None if lanes.len() < shape.lanes => Lane::new(pair, shape)?,
        None => lanes.remove(0),
    };
    lanes.push(lane);
    let last = lanes.len() - 1;
    Ok(&mut lanes[last])
}

/// The first of `lanes` that `is_it`.
fn find(lanes: &[Lane], is_it: impl Fn(&Lane) -> Result<bool>) -> Result<Option<usize>> {
    for (index, lane) in lanes.iter().enumerate() {
        if is_it(lane)? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}
