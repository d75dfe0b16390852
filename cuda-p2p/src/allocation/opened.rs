//! Memory that other processes have too: what one of them made and this one opened, and where an allocation begins that is to be
//! opened there.

use std::ffi::c_void;
use std::os::fd::OwnedFd;
use std::sync::{Arc, PoisonError};

use super::{Allocation, Block, Kind, Sort};
use crate::device::Device;
use crate::foreign::address;

/// What is known of another process's memory.
#[derive(Debug)]
pub(crate) struct Opened {
    /// Whether it is another GPU's, which the device that opened it reaches all the same.
    remote: bool,
    /// Closed after the memory: so the maker learns of that.
    _lease: Option<OwnedFd>,
}

impl Opened {
    pub(crate) fn is_remote(&self) -> bool {
        self.remote
    }
}

impl Allocation {
    /// Of memory of another process, which `device` opened; `remote` if it is another GPU's. The lease ends when it is closed.
    pub(crate) fn of_process(
        device: Device,
        pointer: *mut c_void,
        bytes: usize,
        remote: bool,
        lease: Option<OwnedFd>,
    ) -> Self {
        let kind = Kind::Opened(Arc::new(Opened { remote, _lease: lease }));
        Self::foreign(device, pointer, bytes, kind, false)
    }

    /// What is known of it, if it is another process's.
    pub(crate) fn opened(&self) -> Option<&Opened> {
        match &self.sort {
            Sort::Opened(opened) => Some(opened),
            _ => None,
        }
    }

    /// Where the memory that the runtime knows begins, in bytes before this, and how long that is. `None` if nobody can tell.
    pub(crate) fn range(&self) -> Option<(usize, usize)> {
        let told = address::base_and_size(self.device, self.pointer().cast());
        told.or(self.is_whole().then_some((0, self.bytes)))
    }

    /// Whether it is all of an allocation, and not a part of what others keep.
    fn is_whole(&self) -> bool {
        let block = self.block.lock().unwrap_or_else(PoisonError::into_inner);
        !self.borrowed && block.as_ref().is_none_or(|block| block.keeper.is_none())
    }

    /// Frees it now, even if that waits for its device. The caller has waited for the work on it.
    pub(crate) fn free_now(self) {
        if self.device.seam().check_process().is_err() {
            return;
        }
        let mut block = self.block.lock().unwrap_or_else(PoisonError::into_inner);
        // No graph has it. While somebody captures, what is left is tried again later.
        *block = block.take().and_then(Block::free);
    }
}
