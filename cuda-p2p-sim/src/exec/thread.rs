//! One CUDA thread as a coroutine.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use cuda_p2p_sys::host_abi::HostThread;

use super::access::Range;
use super::context::Context;
use super::fault::AccessKind;
use super::launch::LaunchSpec;
use super::stack::{StackPool, ThreadStack};

/// Why a thread stopped in a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// It waits for somebody else, as far as can be told.
    Spin,
    /// It has had its turn.
    Preempt,
    /// At `__syncthreads`.
    Block,
    /// At `__syncwarp` with this mask.
    Warp(u32),
    /// It may not go on; what is wrong is in the context.
    Fault,
}

/// What went wrong in a thread, as noted where little may be done: in a hook or a signal handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    Access { address: usize, bytes: usize, access: AccessKind },
    NotGlobal { address: usize, bytes: usize, access: AccessKind },
    Misaligned { address: usize, bytes: usize, access: AccessKind },
    Trap,
    Assertion,
    StackOverflow,
    SharedMemory { needed: usize },
    Mask,
    Signal(&'static str),
}

/// How a thread's turn ended.
#[derive(Debug)]
pub(super) enum Turn {
    Exited,
    Paused(Pause),
    Wrong(Wrong),
    Panicked(String),
}

/// The link of a coroutine to whoever resumed it.
pub(super) type Link = Yielder<(), Pause>;

/// A thread that has begun and not yet ended.
pub(super) struct DeviceThread {
    /// `None` only within `drop`.
    coroutine: Option<Coroutine<(), Pause, (), ThreadStack>>,
    pool: Rc<StackPool>,
    running: Running,
}

/// What the context must know of the thread that runs.
#[derive(Clone, Copy)]
pub(super) struct Running {
    pub(super) thread: *const HostThread,
    pub(super) stack: Range,
    /// Null until the thread has run for the first time.
    pub(super) link: *const Link,
    pub(super) trap: CoroutineTrapHandler<()>,
}

impl DeviceThread {
    /// A thread that will run the launch's kernel; `None` if there is no stack for it. The context must outlive it.
    pub(super) fn new(
        host: HostThread,
        launch: &LaunchSpec,
        context: &Context,
        pool: &Rc<StackPool>,
    ) -> Option<Self> {
        let mut stack = pool.take()?;
        let furnishing = stack.furnish(host, &launch.args);
        let range = stack.range();
        let invoke = launch.kernel.invoke();
        let context: *const Context = context;
        let coroutine = Coroutine::with_stack(stack, move |link: &Link, ()| {
            // SAFETY: the context outlives the thread, by the contract of `new`.
            unsafe { (*context).set_link(link) };
            // SAFETY: `KernelRef::new` vouches for the entry, `ArgBlock` for the arguments.
            unsafe { invoke(furnishing.args) };
        });
        let running = Running {
            thread: furnishing.thread,
            stack: range,
            link: std::ptr::null(),
            trap: coroutine.trap_handler(),
        };
        Some(DeviceThread { coroutine: Some(coroutine), pool: Rc::clone(pool), running })
    }

    /// Lets the thread run until it pauses or ends. Not to be called again after anything but a pause.
    pub(super) fn run(&mut self, context: &Context) -> Turn {
        let Some(coroutine) = &mut self.coroutine else { return Turn::Exited };
        context.enter(self.running);
        let result = catch_unwind(AssertUnwindSafe(|| coroutine.resume(())));
        self.running.link = context.leave();
        match (result, context.take_wrong()) {
            (Ok(_), Some(wrong)) => Turn::Wrong(wrong),
            (Ok(CoroutineResult::Yield(pause)), None) => Turn::Paused(pause),
            (Ok(CoroutineResult::Return(())), None) => Turn::Exited,
            (Err(panic), _) => Turn::Panicked(message(panic.as_ref())),
        }
    }

    /// The thread's stack.
    pub(super) fn stack(&self) -> Range {
        self.running.stack
    }
}

impl Drop for DeviceThread {
    fn drop(&mut self) {
        if let Some(mut coroutine) = self.coroutine.take() {
            // SAFETY: a thread pauses in hooks alone. Their frames and the kernel's own nothing that must be dropped
            // (`KernelRef::new`), nor does the closure of `new`, so the stack may be abandoned as it is.
            unsafe { coroutine.force_reset() };
            self.pool.give(coroutine.into_stack());
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("let a panic escape: {}", text.unwrap_or("no message"))
}
