//! Copies between devices through the host: a pipeline of pinned buffers.
//!
//! While one chunk goes down from the source, the one before goes up to the destination. All of it is asynchronous:
//! the reuse of a buffer waits, on the devices, for the copy that last read it.
//!
//! # Safety
//! This file copies between device memory that its caller keeps and orders, and pinned buffers that live in the pair
//! for the rest of the process. The caller's stream waits for the last copy; if that cannot be arranged, the host
//! waits.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::sync::PoisonError;

use crate::allocation::{Allocation, Kind};
use crate::error::Result;
use crate::event::EventHandle;
use crate::ffi::cudaMemcpyKind;
use crate::pair::Pair;
use crate::stream::Stream;

/// Bytes of one chunk. With [`SLOTS`] of them the pipeline reaches what the two PCIe links give.
pub(crate) const CHUNK: usize = 8 << 20;
/// Chunks under way at once.
const SLOTS: usize = 4;

/// What a pair needs to stage. Made at its first staged copy, kept for the next.
pub(crate) struct Stage {
    /// Brings chunks down, on the owner's device.
    down: Stream,
    /// Brings chunks up, on the accessor's device.
    up: Stream,
    slots: Vec<Slot>,
}

struct Slot {
    buffer: Allocation,
    /// The buffer holds its chunk. Of the owner's device.
    filled: EventHandle,
    /// The buffer may be filled again. Of the accessor's device.
    emptied: EventHandle,
}

impl Stage {
    fn new(pair: &Pair) -> Result<Self> {
        let slot = |_| -> Result<Slot> {
            Ok(Slot {
                buffer: Allocation::new::<u8>(pair.owner, CHUNK, Kind::Pinned, None)?,
                filled: EventHandle::new(pair.owner, false)?,
                emptied: EventHandle::new(pair.accessor, false)?,
            })
        };
        let slots = (0..SLOTS).map(slot).collect::<Result<_>>()?;
        Ok(Self { down: pair.owner.new_stream()?, up: pair.accessor.new_stream()?, slots })
    }
}

/// Copies `bytes` from memory of the pair's owner to memory of its accessor, in the order of `stream`, which is of
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
    // Held while the copy is queued: two copies of a pair go through the buffers one after the other.
    let mut slot = pair.stage.lock().unwrap_or_else(PoisonError::into_inner);
    let stage = match &mut *slot {
        Some(stage) => stage,
        empty => empty.insert(Stage::new(pair)?),
    };
    let queued = queue(stage, stream, destination, source, bytes);
    // Whatever was queued must be done before the caller's stream goes on: its order keeps both ends alive.
    let joined = stream.wait_for(stage.up.queue()).and_then(|()| stream.wait_for(stage.down.queue()));
    if queued.is_err() || joined.is_err() {
        // The order may be broken, so the host waits until nothing of it runs any more.
        let (down, up) = (stage.down.finish(), stage.up.finish());
        return queued.and(joined).and(down).and(up);
    }
    Ok(())
}

fn queue(
    stage: &Stage,
    stream: &Stream,
    destination: *mut u8,
    source: *const u8,
    bytes: usize,
) -> Result<()> {
    stage.down.wait_for(stream.queue())?;
    stage.up.wait_for(stream.queue())?;
    let mut done = 0;
    for slot in stage.slots.iter().cycle() {
        if done == bytes {
            break;
        }
        let chunk = CHUNK.min(bytes - done);
        let buffer = slot.buffer.pointer();
        // An event that was never recorded counts as reached: the first round does not wait.
        stage.down.wait_handle(&slot.emptied)?;
        // SAFETY: the source has `bytes` bytes, `done` of them behind this chunk; the buffer has CHUNK, is in the
        // pair for good, and what it held was taken away, by the wait above.
        unsafe {
            stage.down.memcpy(
                buffer,
                source.wrapping_add(done),
                chunk,
                cudaMemcpyKind::cudaMemcpyDeviceToHost,
            )
        }?;
        stage.down.record_handle(&slot.filled)?;
        stage.up.wait_handle(&slot.filled)?;
        // SAFETY: as above for the destination; the buffer holds the chunk, by the wait above.
        unsafe {
            stage.up.memcpy(
                destination.wrapping_add(done),
                buffer,
                chunk,
                cudaMemcpyKind::cudaMemcpyHostToDevice,
            )
        }?;
        stage.up.record_handle(&slot.emptied)?;
        done += chunk;
    }
    Ok(())
}
