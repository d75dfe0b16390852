//! Pieces of memory as they are got and given back.
//!
//! # Safety
//! This file frees memory. A [`Block`] is freed once, by value, and only where its uses are known to be done: at the end of
//! [`Memory`](super::Memory) if no stream has work on it, or by the [graveyard](crate::graveyard) once that work is done.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::c_void;
use std::sync::Arc;

use super::Kind;
use crate::device::Device;
use crate::error::Result;
use crate::ffi::cudaHostAllocPortable;
use crate::keeper::Keeper;
use crate::queue::Queue;
use crate::seam::cuda;
use crate::status::ErrorClass;
use crate::stream::Stream;
use crate::virtual_memory::Mapped;

/// A piece of memory, and how it is freed.
#[derive(Debug)]
pub(crate) struct Block {
    device: Device,
    epoch: u64,
    pub(super) pointer: *mut c_void,
    bytes: usize,
    pub(super) kind: Kind,
    /// What frees it, if this crate does not.
    pub(super) keeper: Option<Keeper>,
}

// SAFETY: the pointer is an address for calls of the CUDA runtime, which may be made from any thread. For pinned
// memory, which the host reads and writes, `PinnedBuffer` keeps Rust's own rules.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// New memory; of a pool in the order of `stream`.
    pub(super) fn new(device: Device, bytes: usize, kind: Kind, stream: Option<&Stream>) -> Result<Self> {
        let epoch = device.epoch();
        let mut pointer: *mut c_void = std::ptr::null_mut();
        let (seam, on) = (device.seam(), device.on());
        match &kind {
            // SAFETY: `pointer` is a valid place for an address.
            Kind::Device | Kind::Mapped => unsafe {
                cuda!(relaxed: seam, on, cudaMalloc(&mut pointer, bytes))
            },
            // SAFETY: as above. Portable: every device of the process sees it as pinned.
            Kind::Pinned => unsafe {
                cuda!(relaxed: seam, on, cudaHostAlloc(&mut pointer, bytes, cudaHostAllocPortable))
            },
            Kind::Pool(pool) => {
                let (pool, stream) = (pool.as_raw(), stream.map_or(std::ptr::null_mut(), Stream::as_raw));
                // SAFETY: as above; pool and stream are live, and of this device.
                unsafe {
                    cuda!(relaxed: seam, on, cudaMallocFromPoolAsync(&mut pointer, bytes, pool, stream))
                }
            }
            Kind::Virtual(_) | Kind::Opened(_) => Ok(()),
        }?;
        Ok(Self { device, epoch, pointer, bytes, kind, keeper: None })
    }

    /// What is at an address, which `keeper` frees if there is one.
    pub(super) fn of_address(
        device: Device,
        pointer: *mut c_void,
        bytes: usize,
        kind: Kind,
        keeper: Option<Keeper>,
    ) -> Self {
        Self { device, epoch: device.epoch(), pointer, bytes, kind, keeper }
    }

    /// What is mapped, if it is virtual memory. It is not unmapped by this.
    pub(super) fn into_mapped(self) -> Option<Mapped> {
        match self.kind {
            Kind::Virtual(mapped) => Arc::into_inner(mapped),
            _ => None,
        }
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a value of other code's frees it.
    pub(crate) fn has_owner(&self) -> bool {
        self.keeper.is_some()
    }

    /// Gives the memory back. May wait for the device. Nothing uses it any more. The block, if the runtime will not take it
    /// now, but may later: while somebody captures a stream.
    pub(crate) fn free(mut self) -> Option<Self> {
        // A reset freed it, and the address may be somebody else's by now. Virtual memory it leaves.
        if self.device.epoch() != self.epoch && !matches!(self.kind, Kind::Virtual(_)) {
            return None;
        }
        if let Some(keeper) = self.keeper.take() {
            keeper.release(self.device, "memory");
            return None;
        }
        let (seam, on) = (self.device.seam(), self.device.on());
        let outcome = match &self.kind {
            // SAFETY: the address came from cudaMalloc, is freed here only, and no work uses it.
            Kind::Device | Kind::Mapped => unsafe { cuda!(relaxed: seam, on, cudaFree(self.pointer)) },
            // SAFETY: the address came from cudaHostAlloc, is freed here only, and no work uses it.
            Kind::Pinned => unsafe { cuda!(relaxed: seam, on, cudaFreeHost(self.pointer)) },
            Kind::Pool(pool) => self.device.freeing_stream().and_then(|stream| {
                // SAFETY: the address came from a pool, is freed here only, and no work uses it.
                pool.close_piece(self.pointer, || unsafe { self.free_in(&stream) })
            }),
            Kind::Virtual(mapped) => mapped.unmap(),
            // SAFETY: the address came from cudaIpcOpenMemHandle, and is closed once; no work uses it.
            Kind::Opened(_) => unsafe { cuda!(relaxed: seam, on, cudaIpcCloseMemHandle(self.pointer)) },
        };
        self.judge(outcome)
    }

    /// Frees memory of a pool behind the work of `queues`, without waiting. The block, if that cannot be done now.
    pub(crate) fn free_behind(self, queues: &[Queue]) -> Option<Self> {
        // Of another process's pool the lease ends with the memory: so that waits for the work.
        if self.keeper.is_some() || !matches!(&self.kind, Kind::Pool(pool) if !pool.is_imported()) {
            return Some(self);
        }
        if self.device.epoch() != self.epoch {
            return None;
        }
        // Where its only user is: what comes next there can have the memory at once, and nobody waits for anybody.
        if let [queue] = queues
            && queue.device() == self.device
        {
            let freed = queue.while_live(|stream| {
                // SAFETY: as in `free`; the work that uses the memory stands before this in the stream, which is live.
                unsafe {
                    cuda!(relaxed: self.device.seam(), self.device.on(), cudaFreeAsync(self.pointer, stream))
                }
            });
            if let Some(outcome) = freed {
                self.device.note_freed(queue);
                return self.judge(outcome);
            }
        }
        // In a stream of this crate's own: one of the program's must not wait for the others because memory was dropped.
        let freed = self.device.freeing_stream().and_then(|stream| {
            for queue in queues {
                if let Some(event) = queue.mark()? {
                    stream.wait_handle(&event)?;
                }
            }
            // SAFETY: as above; the stream waits for all work that uses the memory.
            unsafe { self.free_in(&stream) }
        });
        match freed {
            // What cannot be asked or waited for now: the graveyard tries again.
            Err(error) if error.class() == Some(ErrorClass::Capture) => Some(self),
            outcome => self.judge(outcome),
        }
    }

    /// # Safety
    /// - The memory is a pool's, is not freed again, and all work that uses it is done or before what is put into `stream` next.
    unsafe fn free_in(&self, stream: &Stream) -> Result<()> {
        // SAFETY: by the caller; the stream is live.
        unsafe {
            cuda!(relaxed: stream.seam(), self.device.on(), cudaFreeAsync(self.pointer, stream.as_raw()))
        }
    }

    /// The block again, if the runtime did not take it now, but may later.
    fn judge(self, outcome: Result<()>) -> Option<Self> {
        match outcome {
            Ok(()) => None,
            Err(error) if error.class() == Some(ErrorClass::Capture) => Some(self),
            Err(error) => {
                let what = format!("freeing memory of device {}", self.device.ordinal());
                self.device.seam().deferred.push(what, error);
                None
            }
        }
    }

    /// Whether freeing it waits for nothing but its own uses.
    pub(crate) fn frees_in_order(&self) -> bool {
        self.keeper.is_some() || matches!(self.kind, Kind::Pool(_) | Kind::Virtual(_))
    }
}
