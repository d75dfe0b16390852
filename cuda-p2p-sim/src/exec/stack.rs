//! Stacks of device threads, and what lies on top of each: the thread's description and its arguments.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use corosensei::stack::{MIN_STACK_SIZE, Stack, StackPointer};
use cuda_p2p_sys::host_abi::HostThread;

use super::access::Range;
use super::launch::ArgBlock;
use crate::space::page_bytes;

/// Inaccessible bytes below a stack: a frame that is no larger than this cannot step over them.
const GUARD: usize = 16 << 10;
/// Alignment of the parameters.
const PARAM_ALIGN: usize = 128;
/// Bytes that must be left when a hook does more than its fast path.
pub(super) const RESERVE: usize = 16 << 10;
/// Bytes of the smallest stack: the most arguments that a launch can have, and as much again for frames.
const LEAST: usize = 2 * ArgBlock::MOST_ON_STACK;
const _: () = assert!(LEAST >= ArgBlock::MOST_ON_STACK + RESERVE + MIN_STACK_SIZE);
/// Stacks of the whole process up to which more blocks are started. Each takes two mappings, of which Linux allows a
/// process 65 530 by default.
const PLENTY: usize = 24_576;
/// Idle stacks that an executor keeps.
const KEPT: usize = 2048;

static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// Where on a stack a kernel finds its thread and its arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Furnishing {
    pub(super) thread: *const HostThread,
    pub(super) args: *const *mut c_void,
}

/// The stack of one device thread, with a guard below it.
#[derive(Debug)]
pub(super) struct ThreadStack {
    map: usize,
    bytes: usize,
    guard: usize,
    base: StackPointer,
}

impl ThreadStack {
    fn map(bytes: usize) -> Option<ThreadStack> {
        let page = page_bytes();
        let guard = GUARD.next_multiple_of(page);
        let bytes = guard + bytes.max(LEAST).next_multiple_of(page);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping, at an address of the system's choice.
        let map =
            unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if map == libc::MAP_FAILED {
            return None;
        }
        MAPPED.fetch_add(1, Ordering::Relaxed);
        let map = map.expose_provenance();
        let stack = ThreadStack { map, bytes, guard, base: StackPointer::new(map + bytes)? };
        // SAFETY: the lowest pages of the mapping just made.
        let guarded =
            unsafe { libc::mprotect(ptr::with_exposed_provenance_mut(map), guard, libc::PROT_NONE) } == 0;
        guarded.then_some(stack)
    }

    /// Addresses that the thread may touch as its own: the whole stack without the guard.
    pub(super) fn range(&self) -> Range {
        Range { base: self.map + self.guard, bytes: self.bytes - self.guard }
    }

    /// Writes what a kernel is given to the top of the stack; the thread's frames then begin below.
    pub(super) fn furnish(&mut self, thread: HostThread, args: &ArgBlock) -> Furnishing {
        let top = self.map + self.bytes;
        let params = (top - args.bytes.len()) & !(PARAM_ALIGN - 1);
        let pointers = (params - args.offsets.len() * size_of::<usize>()) & !15;
        let described = (pointers - size_of::<HostThread>()) & !15;
        let params_at = ptr::with_exposed_provenance_mut::<u8>(params);
        let pointers_at = ptr::with_exposed_provenance_mut::<*mut c_void>(pointers);
        let thread_at = ptr::with_exposed_provenance_mut::<HostThread>(described);
        // SAFETY: the three places follow each other downwards from the top of this stack, on which no thread runs
        // now. Together they take no more than ArgBlock::MOST_ON_STACK bytes, half of the smallest stack.
        unsafe {
            params_at.copy_from_nonoverlapping(args.bytes.as_ptr(), args.bytes.len());
            for (index, &offset) in args.offsets.iter().enumerate() {
                pointers_at.add(index).write(params_at.add(offset as usize).cast());
            }
            thread_at.write(thread);
        }
        self.base = StackPointer::new(described).unwrap_or(self.base);
        Furnishing { thread: thread_at, args: pointers_at }
    }
}

// SAFETY: the lowest pages are a guard, `map` makes at least MIN_STACK_SIZE usable bytes, and `furnish` leaves as many
// (see LEAST). `base` is a multiple of 16.
unsafe impl Stack for ThreadStack {
    fn base(&self) -> StackPointer {
        self.base
    }

    fn limit(&self) -> StackPointer {
        StackPointer::new(self.map).unwrap_or(self.base)
    }
}

impl Drop for ThreadStack {
    fn drop(&mut self) {
        MAPPED.fetch_sub(1, Ordering::Relaxed);
        // SAFETY: the mapping is this value's own, and no thread runs on it any more.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(self.map), self.bytes) };
    }
}

/// Number of thread stacks of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackCount {
    /// Made and not given back to the system.
    pub mapped: usize,
    /// Of these, under a thread that has begun and not ended.
    pub in_use: usize,
}

/// The stacks of one executor. Made when they are needed, used again and again.
#[derive(Debug)]
pub(super) struct StackPool {
    bytes: usize,
    idle: RefCell<Vec<ThreadStack>>,
    in_use: Cell<usize>,
}

impl StackPool {
    pub(super) fn new(bytes: usize) -> StackPool {
        StackPool { bytes, idle: RefCell::new(Vec::new()), in_use: Cell::new(0) }
    }

    /// Size of each stack, in bytes.
    pub(super) fn stack_bytes(&self) -> usize {
        self.bytes
    }

    /// An idle stack or a new one; `None` if the system gives none.
    pub(super) fn take(&self) -> Option<ThreadStack> {
        let idle = self.idle.borrow_mut().pop();
        let stack = idle.or_else(|| ThreadStack::map(self.bytes))?;
        self.in_use.set(self.in_use.get() + 1);
        Some(stack)
    }

    pub(super) fn give(&self, stack: ThreadStack) {
        self.in_use.set(self.in_use.get() - 1);
        let mut idle = self.idle.borrow_mut();
        if idle.len() < KEPT {
            idle.push(stack);
        }
    }

    /// Whether the process can well have so many stacks more.
    pub(super) fn has_room_for(&self, threads: usize) -> bool {
        let missing = threads.saturating_sub(self.idle.borrow().len());
        MAPPED.load(Ordering::Relaxed) + missing <= PLENTY
    }

    pub(super) fn count(&self) -> StackCount {
        let in_use = self.in_use.get();
        StackCount { mapped: in_use + self.idle.borrow().len(), in_use }
    }
}
