//! What ends a launch.

use std::fmt;

use crate::space::AccessError;

/// How memory was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An atomic read-modify-write.
    Atomic,
    /// The processor did not say.
    Unknown,
}

/// Why an access was not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// What the address space says of it.
    Space(AccessError),
    /// Shared memory of this block, but not all inside one variable; or shared memory of another block.
    Shared,
    /// Shared or local memory, by an ordered access, which takes addresses of global memory.
    NotGlobal,
    /// The stack of another thread.
    OtherThread,
    /// The first page: a null pointer, or a small offset from one.
    Null,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Memory was touched that the device may not touch: error 700.
    Access {
        /// First address.
        address: usize,
        /// Number of bytes; 0 if a signal told of the access, which does not say.
        bytes: usize,
        /// How.
        access: AccessKind,
        /// Why not.
        reason: Denied,
    },
    /// An access at an address that is no multiple of its size: error 716.
    Misaligned {
        /// The address.
        address: usize,
        /// Size of the access in bytes.
        bytes: usize,
        /// How.
        access: AccessKind,
    },
    /// `__trap()`: error 719.
    Trap,
    /// A failed `assert()`: error 710.
    Assertion,
    /// All threads of a block wait at barriers that cannot open. Hardware hangs; here it is error 719.
    Barrier,
    /// The stack of a thread is full: error 719.
    StackOverflow {
        /// Its size in bytes.
        stack: usize,
    },
    /// The block's variables do not fit its shared memory. nvcc refuses to compile that; here it is error 719.
    SharedMemory {
        /// Bytes that would be needed.
        needed: usize,
        /// Bytes of a block.
        limit: usize,
    },
    /// The host's processor or the kernel's code gave up in a way that has no twin on a GPU: error 719.
    Exception(String),
    /// No memory for a thread's stack: error 701.
    NoStack,
}

impl FaultKind {
    /// The number of the CUDA error that the launch ends with.
    #[must_use]
    pub fn code(&self) -> u32 {
        match self {
            FaultKind::Access { .. } => 700,
            FaultKind::NoStack => 701,
            FaultKind::Assertion => 710,
            FaultKind::Misaligned { .. } => 716,
            FaultKind::Trap
            | FaultKind::Barrier
            | FaultKind::StackOverflow { .. }
            | FaultKind::SharedMemory { .. }
            | FaultKind::Exception(_) => 719,
        }
    }
}

/// The fault that ended a launch, and where it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Name of the kernel.
    pub kernel: String,
    /// Ordinal of the device that ran it.
    pub device: usize,
    /// `blockIdx` of the thread.
    pub block: [u32; 3],
    /// `threadIdx` of the thread.
    pub thread: [u32; 3],
    /// What went wrong.
    pub kind: FaultKind,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [bx, by, bz] = self.block;
        let [tx, ty, tz] = self.thread;
        write!(
            f,
            "kernel `{}` on device {}: thread ({tx},{ty},{tz}) of block ({bx},{by},{bz}) {}",
            self.kernel, self.device, self.kind
        )
    }
}

impl std::error::Error for Fault {}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccessKind::Read => "read",
            AccessKind::Write => "wrote",
            AccessKind::Atomic => "updated",
            AccessKind::Unknown => "touched",
        })
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Access { address, bytes, access, reason } => {
                match bytes {
                    0 => write!(f, "{access} memory")?,
                    1 => write!(f, "{access} 1 byte")?,
                    bytes => write!(f, "{access} {bytes} bytes")?,
                }
                write!(f, " at {address:#x}: {reason}")
            }
            FaultKind::Misaligned { address, bytes, access } => {
                write!(f, "{access} {bytes} bytes at {address:#x}, which is not a multiple of {bytes}")
            }
            FaultKind::Trap => f.write_str("called __trap()"),
            FaultKind::Assertion => f.write_str("failed an assertion"),
            FaultKind::Barrier => f.write_str(
                "waits at a barrier that cannot open: the live threads of its block wait at different barriers",
            ),
            FaultKind::StackOverflow { stack } => {
                write!(f, "needs more stack than its {stack} bytes; the simulated device's limit can be raised")
            }
            FaultKind::SharedMemory { needed, limit } => {
                write!(f, "needs {needed} bytes of shared memory in its block, which has {limit}")
            }
            FaultKind::Exception(what) => f.write_str(what),
            FaultKind::NoStack => f.write_str("could not start: no memory for its stack"),
        }
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Denied::Space(error) => error.fmt(f),
            Denied::Shared => f.write_str("shared memory outside the variables of the thread's own block"),
            Denied::NotGlobal => {
                f.write_str("shared or local memory, where an ordered access takes global memory")
            }
            Denied::OtherThread => f.write_str("local memory of another thread"),
            Denied::Null => f.write_str("a null pointer"),
        }
    }
}
