//! The driver's twins of the calls that are made most: a copy, a launch, the record of an event.
//!
//! Seen on two H200, CUDA 13.0: they return some 110, 130 and 40 nanoseconds earlier than the runtime's. They leave the thread's
//! last error alone, so it need not be looked at first, which takes 30 more.
//!
//! The answer of the runtime is the one that counts. A twin that does not succeed has put nothing in: then the runtime is asked
//! for the same, which says what it says; an error that is not of this call but of earlier work is told by both. The null streams,
//! which are those of the current device, are left to the runtime altogether, and so is what goes into a graph. Any other stream
//! has its context: which one is current on the thread, if any, is all the same (cases `driver_twins` of the harness).
//!
//! # Safety
//! This file turns addresses that the driver gives into functions of the types that `cuda_p2p_sys::driver` declares for them.
#![allow(unsafe_code, reason = "calls of the CUDA driver; see the paragraph on safety above")]

use crate::ffi::driver::{self, CuResult, CuStream};
use crate::library::function;
use crate::queue::Queue;
use crate::seam::Seam;

/// The functions, of a runtime whose driver has all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Twins {
    pub(crate) copy: driver::MemcpyAsync,
    pub(crate) launch: driver::LaunchKernel,
    pub(crate) record: driver::EventRecord,
}

impl Twins {
    /// Those of the runtime's driver; `None` where one is missing, or the runtime's own, which would be asked next.
    pub(crate) fn ask(seam: &Seam) -> Option<Self> {
        let table = seam.table();
        if table.cudaMemcpyAsync.is_none() || table.cudaEventRecord.is_none() {
            return None;
        }
        // SAFETY: the type of each field is that of the entry's function.
        unsafe {
            Some(Self {
                copy: function(seam, &driver::MEMCPY_ASYNC).ok()?,
                launch: function(seam, &driver::LAUNCH_KERNEL).ok()?,
                record: function(seam, &driver::EVENT_RECORD).ok()?,
            })
        }
    }
}

impl Queue {
    /// Puts something in by the driver. False if it did not take it, or is not to be asked: then nothing was put in. For a queue
    /// that was checked and entered, and is not being captured.
    #[inline]
    pub(crate) fn put_by_driver(&self, put: impl FnOnce(&Twins, CuStream) -> CuResult) -> bool {
        match self.twins() {
            Some(twins) => put(twins, CuStream(self.raw().cast())) == CuResult::SUCCESS,
            None => false,
        }
    }
}
