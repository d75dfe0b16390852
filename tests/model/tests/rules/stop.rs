//! Stops a thread inside a call of the runtime, so that others come just then.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cuda_p2p::sys::cudaError_t;

/// Stops a thread inside its next call.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    inside: AtomicBool,
    go: AtomicBool,
    over: AtomicBool,
}

thread_local! {
    static STOP: Cell<Option<&'static Stop>> = const { Cell::new(None) };
}

impl Stop {
    pub(crate) fn new() -> &'static Self {
        Box::leak(Box::default())
    }

    /// For this thread's next call.
    pub(crate) fn arm(&'static self) {
        STOP.set(Some(self));
    }

    pub(crate) fn wait_until_inside(&self) {
        wait_for(&self.inside);
    }

    pub(crate) fn go(&self) {
        self.go.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }
}

fn wait_for(flag: &AtomicBool) {
    let start = Instant::now();
    while !flag.load(Ordering::SeqCst) {
        assert!(start.elapsed() < Duration::from_secs(20), "a thread waits for ever");
        std::thread::yield_now();
    }
}

/// Makes a call, if need be after a stop.
pub(crate) fn stopped(call: impl FnOnce() -> cudaError_t) -> cudaError_t {
    let stop = STOP.take();
    if let Some(stop) = stop {
        stop.inside.store(true, Ordering::SeqCst);
        wait_for(&stop.go);
    }
    let status = call();
    if let Some(stop) = stop {
        stop.over.store(true, Ordering::SeqCst);
    }
    status
}
