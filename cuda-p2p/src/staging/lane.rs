//! One pipeline of pinned buffers.
//!
//! # Safety
//! This file copies between device memory that its caller keeps and orders, and pinned buffers that are kept, by their uses,
//! until the work of both streams is done. The caller's stream waits for the last copy; if that cannot be arranged, the host
//! waits.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use crate::allocation::{Allocation, Kind};
use crate::device::Device;
use crate::error::Result;
use crate::event::EventHandle;
use crate::ffi::cudaMemcpyKind;
use crate::pair::Pair;
use crate::queue::WeakQueue;
use crate::stream::Stream;
use crate::uses::Access;
use crate::view::View;

use super::shape::Shape;

/// What a copy needs.
pub(super) struct Lane {
    /// Brings chunks down, on the owner's device.
    down: Stream,
    /// Brings chunks up, on the accessor's device.
    up: Stream,
    /// As many as the copies needed so far.
    slots: Vec<Slot>,
    shape: Shape,
    /// The stream whose copy went through it last.
    last: Option<WeakQueue>,
}

struct Slot {
    buffer: Allocation,
    /// The buffer holds its chunk. Of the owner's device.
    filled: EventHandle,
    /// The buffer may be filled again. Of the accessor's device.
    emptied: EventHandle,
}

impl Lane {
    pub(super) fn new(pair: &Pair, shape: Shape) -> Result<Self> {
        let (down, up) = (pair.owner.new_stream()?, pair.accessor.new_stream()?);
        Ok(Self { down, up, slots: Vec::new(), shape, last: None })
    }

    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    pub(super) fn pinned_bytes(&self) -> usize {
        self.slots.len() * self.shape.slot
    }

    pub(super) fn was_last_of(&self, stream: &Stream) -> bool {
        self.last.as_ref().is_some_and(|last| last.is(stream.queue()))
    }

    /// Whether all that went through it has arrived, without waiting.
    pub(super) fn is_idle(&self) -> Result<bool> {
        self.up.is_done()
    }

    /// See [`copy`](super::copy).
    pub(super) fn copy(
        &mut self,
        stream: &Stream,
        destination: *mut u8,
        source: *const u8,
        bytes: usize,
    ) -> Result<()> {
        let chunk = self.shape.chunk(bytes);
        self.reserve(bytes.div_ceil(chunk).min(self.shape.slots))?;
        self.last = Some(stream.queue().downgrade());
        let queued = self.queue(stream, destination, source, bytes, chunk);
        // The last chunk goes up last of all that was queued, and the caller's stream goes on behind it: its order keeps both
        // ends alive.
        let joined = stream.wait_for(self.up.queue());
        if queued.is_err() || joined.is_err() {
            // The order may be broken, so the host waits until nothing of it runs any more.
            let (down, up) = (self.down.finish(), self.up.finish());
            return queued.and(joined).and(down).and(up);
        }
        Ok(())
    }

    /// Makes buffers until there are so many.
    fn reserve(&mut self, slots: usize) -> Result<()> {
        while self.slots.len() < slots {
            let (owner, accessor) = (self.down.device(), self.up.device());
            let slot = Slot::new(owner, accessor, self.shape.slot)?;
            // Both streams use it for the whole of its life, in an order of their own.
            for stream in [&self.down, &self.up] {
                drop(View::new(&slot.buffer).ordered_by_hand().acquire(stream, Access::Write)?);
            }
            self.slots.push(slot);
        }
        Ok(())
    }

    fn queue(
        &self,
        stream: &Stream,
        destination: *mut u8,
        source: *const u8,
        bytes: usize,
        chunk: usize,
    ) -> Result<()> {
        // The way up waits for the way down, chunk by chunk, and so for this too.
        self.down.wait_for(stream.queue())?;
        let mut done = 0;
        for slot in self.slots.iter().take(self.shape.slots).cycle() {
            if done == bytes {
                break;
            }
            let part = chunk.min(bytes - done);
            let buffer = slot.buffer.pointer();
            // An event that was never recorded counts as reached: the first round does not wait.
            self.down.wait_handle(&slot.emptied)?;
            // SAFETY: the source has `bytes` bytes, `done` of them behind this chunk; the buffer has as many as a chunk, is
            // kept by its uses, and what it held was taken away, by the wait above.
            unsafe {
                self.down.memcpy(
                    buffer,
                    source.wrapping_add(done),
                    part,
                    cudaMemcpyKind::cudaMemcpyDeviceToHost,
                    self.down.device(),
                )
            }?;
            self.down.record_handle(&slot.filled)?;
            self.up.wait_handle(&slot.filled)?;
            // SAFETY: as above for the destination; the buffer holds the chunk, by the wait above.
            unsafe {
                self.up.memcpy(
                    destination.wrapping_add(done),
                    buffer,
                    part,
                    cudaMemcpyKind::cudaMemcpyHostToDevice,
                    self.up.device(),
                )
            }?;
            self.up.record_handle(&slot.emptied)?;
            done += part;
        }
        Ok(())
    }
}

impl Slot {
    fn new(owner: Device, accessor: Device, bytes: usize) -> Result<Self> {
        Ok(Self {
            buffer: Allocation::new::<u8>(owner, bytes, Kind::Pinned, None)?,
            filled: EventHandle::new(owner, false)?,
            emptied: EventHandle::new(accessor, false)?,
        })
    }
}
