//! What threads meet at in the files whose order no lock keeps: the standard library's, and in a model loom's in its place.
//!
//! A model is a test in a module called `models`, of two or three threads. loom runs it again and again, each time with another order
//! of their steps, and with another of the values that a load may find by the memory model. That shows what no run on an x86 shows:
//! a fence that is missing, or an order that is too weak. `ci/models` runs them, with `--cfg loom`; without it they are not there,
//! and nor is loom.
//!
//! What loom does not do, and so no model here binds:
//! - It takes a `SeqCst` load, store or exchange for one that acquires and releases. No file that has this in place of `std::sync`
//!   relies on more: what needs one order for all has a fence of `SeqCst`, which loom does.
//! - It finds no value that is stored only later (load buffering).
//! - It makes each fence of `SeqCst` see all that stands before the earlier ones, which C++ does not promise of what is not atomic.
//! - It takes no thread away from its work more than `PREEMPTIONS` times, apart from where it waits.

#[cfg(all(test, loom))]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard, atomic};
#[cfg(not(all(test, loom)))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, atomic};

use std::time::Duration;

/// How often to try before something else is done: as often as it is given, and in a model, where each time is a branch, twice.
pub(crate) const fn tries(often: u32) -> u32 {
    if cfg!(all(test, loom)) { 2 } else { often }
}

/// Looks again at once.
#[cfg(not(all(test, loom)))]
pub(crate) use std::hint::spin_loop;

/// Looks again after a while.
#[cfg(not(all(test, loom)))]
pub(crate) fn sleep(duration: Duration) {
    std::thread::sleep(duration);
}

/// In a model: when the other threads have done what they can.
#[cfg(all(test, loom))]
pub(crate) fn spin_loop() {
    loom::thread::yield_now();
}

/// In a model, which has no time, as [`spin_loop`].
#[cfg(all(test, loom))]
pub(crate) fn sleep(_: Duration) {
    loom::thread::yield_now();
}

/// How often loom takes a thread away from its work, unless `LOOM_MAX_PREEMPTIONS` says otherwise.
#[cfg(all(test, loom))]
const PREEMPTIONS: usize = 3;

/// Runs a model, in all orders.
#[cfg(all(test, loom))]
pub(crate) fn model(run: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(PREEMPTIONS);
    builder.check(run);
}
