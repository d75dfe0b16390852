//! What the hooks find when a kernel calls them: the running thread, and what it may touch.

use std::cell::Cell;
use std::hint::black_box;
use std::ptr;
use std::sync::Arc;

use corosensei::trap::CoroutineTrapHandler;
use cuda_p2p_sys::host_abi::{
    ACCESS_ATOMIC, ACCESS_GLOBAL, ACCESS_MISALIGNED, ACCESS_READ, ACCESS_WRITE, HostThread,
};

use super::access::{Allowed, Range};
use super::fault::AccessKind;
use super::pace::Pace;
use super::shared::SharedMemory;
use super::stack::RESERVE;
use super::thread::{Link, Pause, Running, Wrong};
use super::wire::{Passage, Wire};
use crate::space::{Allocation, Space};

thread_local! {
    /// Read in signal handlers too: constant, without a destructor.
    static CURRENT: Cell<*const Context> = const { Cell::new(ptr::null()) };
}

/// The state of one kernel run that its threads' hooks work on. Stays where it is while threads live.
pub(super) struct Context {
    device: usize,
    space: Arc<Space>,
    pub(super) pace: Pace,
    allowed: Allowed,
    /// If something is wrong with a link of the device.
    wire: Option<Wire>,
    shared_hit: Cell<Range>,
    shared: Cell<*const SharedMemory>,
    stack: Cell<Range>,
    thread: Cell<*const HostThread>,
    link: Cell<*const Link>,
    trap: Cell<Option<CoroutineTrapHandler<()>>>,
    wrong: Cell<Option<Wrong>>,
    in_hook: Cell<bool>,
}

const NO_PAGES: &str =
    "wrote over a link that loses it, and the system has no pages to keep that from other processes";

fn access_of(kind: u32) -> AccessKind {
    match kind & !(ACCESS_MISALIGNED | ACCESS_GLOBAL) {
        ACCESS_ATOMIC => AccessKind::Atomic,
        ACCESS_WRITE => AccessKind::Write,
        _ => AccessKind::Read,
    }
}

/// How the running thread gets to memory that it asks for.
enum Way<'a> {
    /// It may not.
    None,
    Sound,
    /// Over a link that something is wrong with.
    Troubled(&'a Wire, Allocation),
}

/// While it lives, the hooks of this OS thread work on one context.
#[derive(Debug)]
pub(super) struct Current(*const Context);

impl Drop for Current {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

impl Context {
    pub(super) fn new(device: usize, space: Arc<Space>) -> Context {
        Context {
            device,
            wire: Wire::new(device, &space),
            space,
            pace: Pace::new(),
            allowed: Allowed::default(),
            shared_hit: Cell::default(),
            shared: Cell::new(ptr::null()),
            stack: Cell::default(),
            thread: Cell::new(ptr::null()),
            link: Cell::new(ptr::null()),
            trap: Cell::new(None),
            wrong: Cell::new(None),
            in_hook: Cell::new(false),
        }
    }

    /// Makes this the context of the OS thread until the value is dropped, which must come before the context's end.
    pub(super) fn make_current(&self) -> Current {
        Current(CURRENT.replace(self))
    }

    /// The context of this OS thread while one of its kernels runs.
    #[inline]
    pub(super) fn current<'a>() -> Option<&'a Context> {
        // SAFETY: `make_current` set it, and its guard removes it before the context ends.
        unsafe { CURRENT.get().as_ref() }
    }

    /// The block whose threads run next.
    pub(super) fn set_shared(&self, shared: &SharedMemory) {
        if !ptr::eq(self.shared.replace(shared), shared) {
            self.shared_hit.set(Range::default());
        }
    }

    pub(super) fn enter(&self, running: Running) {
        self.stack.set(running.stack);
        self.thread.set(running.thread);
        self.link.set(running.link);
        self.in_hook.set(false);
        self.trap.set(Some(running.trap));
    }

    pub(super) fn leave(&self) -> *const Link {
        if let Some(wire) = &self.wire {
            wire.end_turn();
        }
        self.trap.set(None);
        self.stack.set(Range::default());
        self.thread.set(ptr::null());
        self.link.replace(ptr::null())
    }

    pub(super) fn set_link(&self, link: &Link) {
        self.link.set(link);
    }

    pub(super) fn take_wrong(&self) -> Option<Wrong> {
        self.wrong.take()
    }

    /// Notes what is wrong; the first note counts.
    pub(super) fn note(&self, wrong: Wrong) {
        if self.wrong.get().is_none() {
            self.wrong.set(Some(wrong));
        }
    }

    pub(super) fn thread(&self) -> *const HostThread {
        self.thread.get()
    }

    /// The running thread's stack, and the way to end it from a signal handler; `None` while no kernel's own code runs.
    pub(super) fn in_kernel(&self) -> Option<(CoroutineTrapHandler<()>, Range)> {
        if self.in_hook.get() { None } else { self.trap.get().map(|trap| (trap, self.stack.get())) }
    }

    /// The running block's shared memory.
    pub(super) fn shared(&self) -> Option<&SharedMemory> {
        // SAFETY: the run sets it before each turn of the block, which owns it and outlives the turn.
        unsafe { self.shared.get().as_ref() }
    }

    /// Checks one access, and gives way if it is time.
    #[inline]
    pub(super) fn access(&self, address: usize, bytes: usize, kind: u32) {
        if kind & ACCESS_GLOBAL != 0 {
            return self.must_be_global(address, bytes, kind);
        }
        if self.stack.get().holds(address, bytes) {
            return;
        }
        if let Some(wire) = &self.wire {
            self.work(|| wire.settle());
        }
        let aligned = kind & ACCESS_MISALIGNED == 0;
        let known = self.shared_hit.get().holds(address, bytes)
            || self.allowed.knows(self.space.epoch(), address, bytes);
        if !(aligned && known && self.pace.spend()) {
            self.access_slowly(address, bytes, kind);
        }
    }

    /// Whether it may be accessed at all is asked when it is.
    fn must_be_global(&self, address: usize, bytes: usize, kind: u32) {
        let shared = || self.shared().is_some_and(|shared| shared.owns(address));
        if self.stack.get().holds(address, bytes) || shared() {
            self.work(|| self.fail(Wrong::NotGlobal { address, bytes, access: access_of(kind) }));
        }
    }

    #[cold]
    fn access_slowly(&self, address: usize, bytes: usize, kind: u32) {
        self.work(|| {
            if !self.pace.spend()
                && let Some(pause) = self.pace.look(address)
            {
                self.pause(pause);
            }
            // First, as mostly on hardware.
            if kind & ACCESS_MISALIGNED != 0 {
                self.fail(Wrong::Misaligned { address, bytes, access: access_of(kind) });
            }
            // Asked after the pause: what was allowed before it may have been freed meanwhile.
            match self.way_to(address, bytes) {
                Way::None => self.fail(Wrong::Access { address, bytes, access: access_of(kind) }),
                Way::Sound => {}
                Way::Troubled(wire, at) => {
                    let pass = || wire.pass(&at, (address, bytes), kind != ACCESS_READ);
                    loop {
                        match pass() {
                            Passage::Open => break,
                            Passage::Hung => self.pause(Pause::Spin),
                            Passage::NoPages => self.fail(Wrong::Signal(NO_PAGES)),
                        }
                    }
                }
            }
        });
    }

    fn way_to(&self, address: usize, bytes: usize) -> Way<'_> {
        if bytes == 0 {
            return Way::Sound;
        }
        if let Some(range) = self.shared().and_then(|shared| shared.range_of(address, bytes)) {
            self.shared_hit.set(range);
            return Way::Sound;
        }
        let epoch = self.space.epoch();
        match (self.space.check(self.device, address, bytes), &self.wire) {
            (Err(_), _) => Way::None,
            (Ok(at), Some(wire)) if wire.leads_to(&at) => Way::Troubled(wire, at),
            (Ok(at), _) => {
                self.allowed.remember(epoch, Range { base: at.base, bytes: at.bytes });
                Way::Sound
            }
        }
    }

    /// Does a hook's work, out of reach of the signal handlers and with enough stack left.
    pub(super) fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        let mark = 0u8;
        let left = black_box(&raw const mark).addr().wrapping_sub(self.stack.get().base);
        self.in_hook.set(true);
        if left < RESERVE {
            self.fail(Wrong::StackOverflow);
        }
        let result = work();
        self.in_hook.set(false);
        result
    }

    /// Stops the running thread until its next turn.
    pub(super) fn pause(&self, pause: Pause) {
        // SAFETY: hooks run on a device thread's stack, whose link `set_link` or `enter` set; it stays in place as long
        // as the thread lives.
        let Some(link) = (unsafe { self.link.get().as_ref() }) else { return };
        link.suspend(pause);
        self.in_hook.set(true);
    }

    /// Ends the running thread: does not come back.
    pub(super) fn fail(&self, wrong: Wrong) {
        self.note(wrong);
        self.pause(Pause::Fault);
        // Only a thread without a link gets here, and no kernel runs on one.
        std::process::abort();
    }
}
