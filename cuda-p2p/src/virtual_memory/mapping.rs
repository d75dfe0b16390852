//! What is mapped in a range, and the addresses there: kept by the range, and by the graphs that use it.
//!
//! # Safety
//! Memory is unmapped, and addresses are given back, when nothing has them any more: then no slice is alive, since one borrows the
//! range, and no graph. The [graveyard](crate::graveyard) does so when the work on them is done.
#![allow(unsafe_code, reason = "calls of the CUDA driver; see the paragraph on safety above")]

use std::ffi::c_void;
use std::sync::Arc;

use super::{Functions, PhysicalMemory};
use crate::allocation::Allocation;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::runtime::Runtime;

/// A part of a range where memory is mapped.
pub(crate) struct Mapping {
    /// From the start of the range, in bytes.
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
    /// The device whose memory it is.
    pub(crate) owner: Device,
    /// What graphs share.
    pub(crate) memory: Allocation,
}

/// Memory at its place in a range, and the addresses there.
#[derive(Debug)]
pub(crate) struct Mapped {
    // Given back before the addresses, in this order.
    memory: PhysicalMemory,
    address: u64,
    _addresses: Arc<Addresses>,
}

/// Reserved addresses, which are given back when nothing is mapped there any more, and the range has gone.
#[derive(Debug)]
pub(super) struct Addresses {
    runtime: Runtime,
    address: u64,
    bytes: usize,
}

impl Mapping {
    pub(super) fn new(offset: usize, mapped: Mapped) -> Self {
        let (owner, bytes) = (mapped.device(), mapped.bytes());
        Self { offset, bytes, owner, memory: Allocation::of_mapping(mapped) }
    }

    /// Refuses to change what a graph relies on.
    pub(super) fn check_unused(&self) -> Result<()> {
        if self.memory.is_shared() {
            return Err(Error::RangeInUse { start: self.offset, end: self.offset + self.bytes });
        }
        Ok(())
    }

    /// The memory, after it was unmapped.
    pub(super) fn into_physical(self) -> Option<PhysicalMemory> {
        self.memory.into_mapped().map(|mapped| mapped.memory)
    }
}

impl Mapped {
    pub(super) fn new(memory: PhysicalMemory, address: u64, addresses: Arc<Addresses>) -> Self {
        Self { memory, address, _addresses: addresses }
    }

    pub(crate) fn device(&self) -> Device {
        self.memory.device()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.memory.size_bytes()
    }

    pub(crate) fn pointer(&self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.address as usize)
    }

    /// Takes the memory out. Addresses and memory follow with this value.
    pub(crate) fn unmap(&self) -> Result<()> {
        let functions = Functions::of(self.device().runtime())?;
        functions.call(self.device().seam(), functions.unmap, |function| {
            // SAFETY: it is mapped there, and nothing uses it any more: this is the end of its last owner.
            unsafe { function(self.address, self.bytes()) }
        })
    }
}

impl Addresses {
    pub(super) fn new(runtime: Runtime, address: u64, bytes: usize) -> Self {
        Self { runtime, address, bytes }
    }
}

impl Drop for Addresses {
    fn drop(&mut self) {
        let seam = self.runtime.seam();
        if seam.check_process().is_err() {
            return;
        }
        let freed = Functions::of(&self.runtime).and_then(|functions| {
            functions.call(seam, functions.free, |function| {
                // SAFETY: the addresses were reserved with this size, and all that was mapped there has been taken out: what is mapped
                // keeps this value.
                unsafe { function(self.address, self.bytes) }
            })
        });
        if let Err(error) = freed {
            seam.deferred.push("giving back the addresses of a range of virtual memory".to_owned(), error);
        }
    }
}
