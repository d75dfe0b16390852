//! Allocations: made, remembered with their uses, and freed when nothing uses them any more.
//!
//! # Safety
//! This file frees memory. A [`Block`] is freed once, by value, and only where its uses are known to be done: at the
//! end of [`Memory`] if no stream has work on it, or by the [graveyard](crate::graveyard) once that work is done. What is
//! borrowed is never freed here.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

mod opened;

use std::ffi::c_void;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::ffi::cudaHostAllocPortable;
use crate::keeper::Keeper;
use crate::pool::MemPool;
use crate::queue::Queue;
use crate::seam::cuda;
use crate::status::ErrorClass;
use crate::stream::Stream;
use crate::uses::Uses;
use crate::virtual_memory::Reserved;

pub(crate) use opened::Opened;

/// Where memory is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// On the device, by `cudaMalloc`: enabled peers can access it.
    Device,
    /// On the device, pages that other code mapped: which devices can access them is asked by address.
    Mapped,
    /// On the device, from a pool: devices that the pool was opened to can access it.
    Pool(MemPool),
    /// A range of virtual memory, with what is mapped there.
    Virtual(Arc<Reserved>),
    /// On the host, pinned, by `cudaHostAlloc`.
    Pinned,
    /// Another process's, by `cudaIpcOpenMemHandle`: the device that opened it alone can access it.
    Opened(Arc<Opened>),
}

/// A piece of memory, and how it is freed.
#[derive(Debug)]
pub(crate) struct Block {
    device: Device,
    epoch: u64,
    pointer: *mut c_void,
    bytes: usize,
    kind: Kind,
    /// What frees it, if this crate does not.
    keeper: Option<Keeper>,
}

// SAFETY: the pointer is an address for calls of the CUDA runtime, which may be made from any thread. For pinned
// memory, which the host reads and writes, `PinnedBuffer` keeps Rust's own rules.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

/// What is remembered of where memory is: what can be done with it depends on that.
#[derive(Debug)]
enum Sort {
    Plain,
    Mapped,
    Pool(MemPool),
    Virtual,
    Opened(Arc<Opened>),
    Pinned,
}

/// A piece of memory, as its owner has it: a buffer. Graphs share the memory, and keep it.
#[derive(Debug)]
pub(crate) struct Allocation(Arc<Memory>);

/// A piece of memory and what the streams do with it. Freed when nobody has it any more.
#[derive(Debug)]
pub(crate) struct Memory {
    /// `None` for no bytes, and after it was given away.
    block: Mutex<Option<Block>>,
    pointer: *mut u8,
    sort: Sort,
    /// Whether somebody else frees it.
    borrowed: bool,
    device: Device,
    epoch: u64,
    bytes: usize,
    pub(crate) uses: Uses,
}

// SAFETY: as for `Block`.
unsafe impl Send for Memory {}
// SAFETY: as for `Block`.
unsafe impl Sync for Memory {}

impl Deref for Allocation {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.0
    }
}

impl Block {
    fn new(device: Device, bytes: usize, kind: Kind, stream: Option<&Stream>) -> Result<Self> {
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

    /// A range of virtual memory, which ends here.
    pub(crate) fn of_range(device: Device, reserved: Reserved) -> Self {
        let (epoch, bytes) = (device.epoch(), reserved.bytes());
        let kind = Kind::Virtual(Arc::new(reserved));
        Self { device, epoch, pointer: std::ptr::null_mut(), bytes, kind, keeper: None }
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Gives the memory back. May wait for the device. Nothing uses it any more. The block, if the runtime will not take it
    /// now, but may later: while somebody captures a stream.
    pub(crate) fn free(mut self) -> Option<Self> {
        // A reset freed it, and the address may be somebody else's by now.
        if self.device.epoch() != self.epoch {
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
            Kind::Virtual(reserved) => reserved.end(),
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

impl Allocation {
    /// Allocates for `len` elements of `T`; memory of a pool in the order of `stream`. The contents are whatever they are.
    pub(crate) fn new<T>(device: Device, len: usize, kind: Kind, stream: Option<&Stream>) -> Result<Self> {
        // In a forked child not even a lock is taken.
        device.seam().check_process()?;
        let (size, align) = (size_of::<T>(), align_of::<T>());
        let bytes = len
            .checked_mul(size)
            .filter(|bytes| isize::try_from(*bytes).is_ok())
            .ok_or(Error::TooLarge { len, size })?;
        let epoch = device.epoch();
        let graveyard = &device.runtime().state().graveyard;
        graveyard.make_room();
        let block = match bytes {
            0 => None,
            _ => match Block::new(device, bytes, kind.clone(), stream) {
                // Memory that was dropped while in use may be all that is missing.
                Err(error) if error.class() == Some(ErrorClass::OutOfMemory) => {
                    let waited = [graveyard.wait_and_reap(), device.wait_for_freed()?];
                    if !waited.contains(&true) {
                        return Err(error);
                    }
                    Some(Block::new(device, bytes, kind.clone(), stream)?)
                }
                outcome => Some(outcome?),
            },
        };
        let this = Self::of_block(block, &kind, false, (device, epoch, bytes));
        match this.pointer().addr() % align {
            0 => Ok(this),
            misalignment => Err(Error::Misaligned { misalignment, align }),
        }
    }

    /// Of memory that somebody else allocated, and frees if it is `borrowed`. Null has no bytes.
    pub(crate) fn foreign(
        device: Device,
        pointer: *mut c_void,
        bytes: usize,
        kind: Kind,
        borrowed: bool,
    ) -> Self {
        let epoch = device.epoch();
        let block = Block { device, epoch, pointer, bytes, kind: kind.clone(), keeper: None };
        let block = (!pointer.is_null()).then_some(block);
        Self::of_block(block, &kind, borrowed, (device, epoch, bytes))
    }

    /// Of memory that `keeper` frees, once nothing uses it.
    pub(crate) fn kept(
        device: Device,
        pointer: *mut c_void,
        bytes: usize,
        kind: Kind,
        keeper: Keeper,
    ) -> Self {
        let epoch = device.epoch();
        let block = Block { device, epoch, pointer, bytes, kind: kind.clone(), keeper: Some(keeper) };
        Self::of_block(Some(block), &kind, false, (device, epoch, bytes))
    }

    fn of_block(
        block: Option<Block>,
        kind: &Kind,
        borrowed: bool,
        (device, epoch, bytes): (Device, u64, usize),
    ) -> Self {
        let pointer = block.as_ref().map_or(std::ptr::null_mut(), |block| block.pointer.cast());
        let sort = match kind {
            // No bytes are of nobody's.
            _ if block.is_none() => Sort::Plain,
            Kind::Device => Sort::Plain,
            Kind::Mapped => Sort::Mapped,
            Kind::Pool(pool) => Sort::Pool(pool.clone()),
            Kind::Virtual(_) => Sort::Virtual,
            Kind::Opened(opened) => Sort::Opened(opened.clone()),
            Kind::Pinned => Sort::Pinned,
        };
        let (block, uses) = (Mutex::new(block), Uses::default());
        Self(Arc::new(Memory { block, pointer, sort, borrowed, device, epoch, bytes, uses }))
    }

    /// Its address, without the duty to free it. Graphs that use it can be launched no more.
    pub(crate) fn into_pointer(self) -> *mut u8 {
        self.uses.close();
        self.block.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.pointer
    }

    /// The memory, to be kept by a graph.
    pub(crate) fn memory(&self) -> &Arc<Memory> {
        &self.0
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // Whoever lent it was told that it is used no more. In a forked child not even a lock is taken.
        if self.borrowed && self.device.seam().check_process().is_ok() {
            self.uses.close();
        }
    }
}

impl Memory {
    /// Its address; null if it has no bytes.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.pointer
    }

    /// Why no graph can keep it as it is for launches to come; `None` if one can.
    pub(crate) fn is_for_no_graph(&self) -> Option<&'static str> {
        match self.sort {
            Sort::Plain | Sort::Mapped => None,
            Sort::Pool(_) => Some("the use of memory of a pool"),
            Sort::Virtual => Some("the use of virtual memory"),
            Sort::Opened(_) => Some("the use of another process's memory"),
            // The host reads and writes it by reference, for as long as it likes; a launch could not wait for the end of that.
            Sort::Pinned => Some("a copy from or to pinned memory"),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// The pool that it came from.
    pub(crate) fn pool(&self) -> Option<&MemPool> {
        match &self.sort {
            Sort::Pool(pool) => Some(pool),
            Sort::Plain | Sort::Mapped | Sort::Virtual | Sort::Opened(_) | Sort::Pinned => None,
        }
    }

    /// Whether it is memory of `cudaMalloc` or pinned, whose addresses the runtime takes whatever device is current.
    pub(crate) fn is_known_everywhere(&self) -> bool {
        matches!(self.sort, Sort::Plain | Sort::Pinned)
    }

    /// Whether other code mapped it, so that which devices can access it has to be asked by address.
    pub(crate) fn is_mapped(&self) -> bool {
        matches!(self.sort, Sort::Mapped)
    }

    /// Refuses memory from before a reset of its device.
    pub(crate) fn check(&self, what: &'static str) -> Result<()> {
        self.device.check_epoch(self.epoch, what)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.borrowed {
            return;
        }
        // In a forked child the memory is the parent's.
        if self.device.seam().check_process().is_err() {
            return;
        }
        if let Some(block) = self.block.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            self.device.runtime().state().graveyard.bury(block, self.uses.take_queues());
        }
    }
}
