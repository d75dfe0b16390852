//! Runs kernels: the threads of a grid, their barriers, and what they may touch.
//!
//! An [`Executor`] stands for the multiprocessors of one simulated device. It lives on the device's own OS thread;
//! [`KernelRun`]s are made, stepped and dropped there, as many at a time as the streams allow.
//!
//! # What is modelled
//! - Each CUDA thread has a stack of its own and can be suspended anywhere that it touches memory. `__syncthreads`
//!   holds the live threads of a block (an exited thread does not count, as since Volta), `__syncwarp` those of its mask.
//! - Blocks are resident up to the limits of [`DeviceLimits`]. A block is started when the ones before it have ended,
//!   or when none of them gets any further: so blocks may wait for each other as far as a real device would let them.
//! - A thread that spins on memory, on the clock or by `yield` gives way to the other threads, blocks and kernels.
//! - Every access that the compiled kernel reports is checked against the [`Space`]: memory of the own device, of peers
//!   with access enabled, of granted pools, and pinned host memory. The thread's own stack and parameters and the block's
//!   shared memory are open to it as well. Anything else is error 700: another thread's stack, another block's shared
//!   memory, the heap and the statics of the program. (Constant tables that a kernel names directly are not reported
//!   by compilers, and so stay readable.)
//! - A fault ends the launch, and nothing else: see [`Fault`].
//!
//! # Stricter than hardware
//! - Bounds are exact to the byte, for global memory and for each variable in shared memory; hardware checks pages.
//! - New shared memory is poisoned for every block.
//! - Threads of a block that all wait at barriers which cannot open are a fault; hardware hangs.
//!
//! # Not modelled
//! - Warps do not run in lockstep, and there is one memory order: that of the host's processor.
//! - A loop that touches no memory but its own stack never gives way; on hardware it would hang its kernel alone.
//! - Misaligned accesses are seen where the compiler takes the address for aligned by its type: scalars, vectors, atomics. Copies
//!   of whole structs are not, nor what a thread does to its own stack, whose layout is the compiler's.
//!
//! # How a launch ends early
//! On a fault or a drop the suspended threads are abandoned where they are: their stacks are used for the next thread,
//! and *no destructor of a kernel's local variable runs*, as on a GPU. They cannot be unwound instead: compilers
//! take the calls that report accesses for ones that never throw, and an exception out of one can end in
//! `std::terminate`. Kernels must therefore own nothing outside of their launch: no heap memory, no lock.
//!
//! An access that no hook reported (in uninstrumented code) or a stack overflow arrives as a signal. On Linux on
//! x86-64 and aarch64 it becomes a fault of the launch, if it came from a kernel's own stack outside the hooks; any
//! other signal goes to the handler that was there before. Code that a kernel calls and that holds a lock of the process
//! when it is hit (an allocator, say) leaves it locked.

mod access;
mod block;
mod context;
mod fault;
mod hooks;
mod launch;
mod order;
mod pace;
mod run;
mod shared;
mod signal;
mod stack;
mod thread;
mod wire;

use std::rc::Rc;
use std::sync::Arc;

use crate::space::Space;
pub use fault::{AccessKind, Denied, Fault, FaultKind};
pub use hooks::hooks;
pub use launch::{ArgBlock, DeviceLimits, KernelRef, LaunchRefused, LaunchSpec};
pub use order::Order;
pub use run::{KernelRun, Step};
pub use stack::StackCount;
use stack::StackPool;

/// The multiprocessors of one device: what its kernel runs share. Stays on one OS thread.
#[derive(Clone, Debug)]
pub struct Executor {
    device: usize,
    space: Arc<Space>,
    limits: DeviceLimits,
    order: Order,
    stacks: Rc<StackPool>,
}

impl Executor {
    /// An executor for the device of this ordinal.
    #[must_use]
    pub fn new(device: usize, space: Arc<Space>, limits: DeviceLimits, order: Order) -> Executor {
        let stacks = Rc::new(StackPool::new(limits.stack_bytes));
        Executor { device, space, limits, order, stacks }
    }

    /// Ordinal of the device.
    #[must_use]
    pub fn device(&self) -> usize {
        self.device
    }

    /// How many thread stacks this executor holds, and how many of them are in use.
    #[must_use]
    pub fn stacks(&self) -> StackCount {
        self.stacks.count()
    }
}
