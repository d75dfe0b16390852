//! Allocations: made, remembered with their uses, and freed when nothing uses them any more.
//!
//! # Safety
//! This file frees memory. A [`Block`] is freed once, by value, and only where its uses are known to be done: at the
//! end of [`Allocation`] if no stream has work on it, or by the [graveyard](crate::graveyard) once that work is done.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::c_void;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::ffi::cudaHostAllocPortable;
use crate::seam::cuda;
use crate::status::ErrorClass;
use crate::uses::Uses;

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// On the device, by `cudaMalloc`: enabled peers can access it.
    Device,
    /// On the host, pinned, by `cudaHostAlloc`.
    Pinned,
}

/// A piece of memory that has to be freed.
#[derive(Debug)]
pub(crate) struct Block {
    device: Device,
    epoch: u64,
    pointer: *mut c_void,
    bytes: usize,
    kind: Kind,
}

// SAFETY: the pointer is an address for calls of the CUDA runtime, which may be made from any thread. For pinned
// memory, which the host reads and writes, `PinnedBuffer` keeps Rust's own rules.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

/// A piece of memory and what the streams do with it.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// `None` for no bytes, and after the end.
    block: Option<Block>,
    device: Device,
    epoch: u64,
    bytes: usize,
    pub(crate) uses: Uses,
}

impl Block {
    fn new(device: Device, bytes: usize, kind: Kind) -> Result<Self> {
        let epoch = device.epoch();
        let mut pointer: *mut c_void = std::ptr::null_mut();
        let (seam, on) = (device.seam(), device.on());
        match kind {
            // SAFETY: `pointer` is a valid place for an address.
            Kind::Device => unsafe { cuda!(seam, on, cudaMalloc(&mut pointer, bytes)) },
            // SAFETY: as above. Portable: every device of the process sees it as pinned.
            Kind::Pinned => unsafe {
                cuda!(seam, on, cudaHostAlloc(&mut pointer, bytes, cudaHostAllocPortable))
            },
        }?;
        Ok(Self { device, epoch, pointer, bytes, kind })
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Gives the memory back. May wait for the device. Nothing uses it any more.
    pub(crate) fn free(self) {
        // A reset freed it, and the address may be somebody else's by now.
        if self.device.epoch() != self.epoch {
            return;
        }
        let (seam, on) = (self.device.seam(), self.device.on());
        let outcome = match self.kind {
            // SAFETY: the address came from cudaMalloc, is freed here only, and no work uses it.
            Kind::Device => unsafe { cuda!(seam, on, cudaFree(self.pointer)) },
            // SAFETY: the address came from cudaHostAlloc, is freed here only, and no work uses it.
            Kind::Pinned => unsafe { cuda!(seam, on, cudaFreeHost(self.pointer)) },
        };
        if let Err(error) = outcome {
            seam.deferred.push(format!("freeing memory of device {}", self.device.ordinal()), error);
        }
    }
}

impl Allocation {
    /// Allocates for `len` elements of `size` bytes. The contents are whatever they are.
    pub(crate) fn new(device: Device, len: usize, size: usize, kind: Kind) -> Result<Self> {
        let bytes = len
            .checked_mul(size)
            .filter(|bytes| isize::try_from(*bytes).is_ok())
            .ok_or(Error::TooLarge { len, size })?;
        let epoch = device.epoch();
        let graveyard = &device.runtime().state().graveyard;
        graveyard.make_room();
        let block = match bytes {
            0 => None,
            _ => match Block::new(device, bytes, kind) {
                // Memory that was dropped while in use may be all that is missing.
                Err(error) if error.class() == Some(ErrorClass::OutOfMemory) && graveyard.wait_and_reap() => {
                    Some(Block::new(device, bytes, kind)?)
                }
                outcome => Some(outcome?),
            },
        };
        Ok(Self { block, device, epoch, bytes, uses: Uses::default() })
    }

    /// Its address; null if it has no bytes.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.block.as_ref().map_or(std::ptr::null_mut(), |block| block.pointer.cast())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// Refuses memory from before a reset of its device.
    pub(crate) fn check(&self, what: &'static str) -> Result<()> {
        self.device.check_epoch(self.epoch, what)
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // In a forked child the memory is the parent's.
        if self.device.seam().check_process().is_err() {
            return;
        }
        if let Some(block) = self.block.take() {
            self.device.runtime().state().graveyard.bury(block, self.uses.take_streams());
        }
    }
}
