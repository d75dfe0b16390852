//! Allocations: made, remembered with their uses, and freed when nothing uses them any more.
//!
//! # Safety
//! This file says of addresses that threads may share them: nothing here dereferences one. What frees memory is a [`Block`], which
//! [`Memory`] gives away once, at its end; never what is borrowed.
#![allow(unsafe_code, reason = "declares what threads may share; see the paragraph on safety above")]

mod block;
mod opened;

use std::ffi::c_void;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::keeper::Keeper;
use crate::pool::MemPool;
use crate::status::ErrorClass;
use crate::stream::Stream;
use crate::uses::Uses;
use crate::virtual_memory::Mapped;

pub(crate) use block::Block;
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
    /// Physical memory that is mapped in a range of virtual memory.
    Virtual(Arc<Mapped>),
    /// On the host, pinned, by `cudaHostAlloc`.
    Pinned,
    /// Another process's, by `cudaIpcOpenMemHandle`: the device that opened it alone can access it.
    Opened(Arc<Opened>),
}

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

// SAFETY: the pointer is an address for calls of the CUDA runtime, which may be made from any thread. For pinned
// memory, which the host reads and writes, `PinnedBuffer` keeps Rust's own rules.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

/// Makes what takes memory of `device`; if there is too little, once more, after what was dropped while in use has been freed.
pub(crate) fn with_room<T>(device: Device, make: impl Fn() -> Result<T>) -> Result<T> {
    let graveyard = &device.runtime().state().graveyard;
    graveyard.make_room();
    match make() {
        Err(error) if error.class() == Some(ErrorClass::OutOfMemory) => {
            let waited = [graveyard.wait_and_reap(), device.wait_for_freed()?];
            if waited.contains(&true) { make() } else { Err(error) }
        }
        outcome => outcome,
    }
}

impl Deref for Allocation {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.0
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
        let block = match bytes {
            0 => None,
            _ => Some(with_room(device, || Block::new(device, bytes, kind.clone(), stream))?),
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
        let block =
            (!pointer.is_null()).then(|| Block::of_address(device, pointer, bytes, kind.clone(), None));
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
        let block = Block::of_address(device, pointer, bytes, kind.clone(), Some(keeper));
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
        // In a forked child not even a lock is taken, and nothing is freed.
        if self.device.seam().check_process().is_ok() {
            self.uses.close();
            self.block.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        self.pointer
    }

    /// Of physical memory that is mapped.
    pub(crate) fn of_mapping(mapped: Mapped) -> Self {
        let (device, bytes, pointer) = (mapped.device(), mapped.bytes(), mapped.pointer());
        Self::foreign(device, pointer, bytes, Kind::Virtual(Arc::new(mapped)), false)
    }

    /// What is mapped, without the duty to unmap it.
    pub(crate) fn into_mapped(self) -> Option<Mapped> {
        let block = self.block.lock().unwrap_or_else(PoisonError::into_inner).take();
        block.and_then(Block::into_mapped)
    }

    /// Whether a graph has it too. If not, none gets it while the owner does not use it.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
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
        match &self.sort {
            Sort::Plain | Sort::Mapped | Sort::Virtual | Sort::Pinned => None,
            Sort::Pool(pool) if pool.is_imported() => Some("the use of another process's memory"),
            Sort::Pool(_) => None,
            Sort::Opened(_) => Some("the use of another process's memory"),
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

    /// Whether it is pinned memory of the host.
    pub(crate) fn is_on_host(&self) -> bool {
        matches!(self.sort, Sort::Pinned)
    }

    /// Whether other code mapped it, so that which devices can access it has to be asked by address.
    pub(crate) fn is_mapped(&self) -> bool {
        matches!(self.sort, Sort::Mapped)
    }

    /// Refuses memory from before a reset of its device, which leaves virtual memory.
    pub(crate) fn check(&self, what: &'static str) -> Result<()> {
        match self.sort {
            Sort::Virtual => Ok(()),
            _ => self.device.check_epoch(self.epoch, what),
        }
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
