//! What an operation does.

use std::ffi::c_void;

use crate::copy::{Copy, Fill};
use crate::exec::{ArgBlock, KernelRef};
use crate::ipc::event::Signal;

/// A kernel launch, checked and with its arguments copied.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) kernel: KernelRef,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_shared: usize,
    pub(crate) args: ArgBlock,
}

/// A function of the program, called on a thread of the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostCall {
    pub(crate) function: unsafe extern "C" fn(*mut c_void),
    /// Its argument, as an address.
    pub(crate) data: usize,
}

impl HostCall {
    /// Calls it.
    pub(crate) fn call(self) {
        // SAFETY: cudaLaunchHostFunc's caller gives a function that may be called once with this argument, from another
        // thread, when the stream comes to it.
        unsafe { (self.function)(std::ptr::with_exposed_provenance_mut(self.data)) }
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Nothing: joins the operations that it waits for.
    Marker,
    /// `cudaEventRecord`
    Record {
        event: u64,
        /// Told to other processes.
        signal: Option<Signal>,
    },
    /// A wait for a record of an event that several processes have.
    Await(Signal),
    /// `cudaFreeAsync` of the allocation that begins there.
    Release {
        base: usize,
    },
    Copy(Box<Copy>),
    Fill(Fill),
    Kernel(Box<Launch>),
    Host(HostCall),
}

impl Work {
    /// Whether it is done by whoever finds it ready, and needs no thread.
    pub(super) fn is_instant(&self) -> bool {
        matches!(self, Work::Marker | Work::Record { .. } | Work::Release { .. } | Work::Await(_))
    }

    /// Whether it touches memory for a bounded time.
    pub(super) fn touches_memory(&self) -> bool {
        matches!(self, Work::Copy(_) | Work::Fill(_))
    }
}
