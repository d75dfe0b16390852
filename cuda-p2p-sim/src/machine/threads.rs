//! The threads of a machine.

use std::sync::{Arc, PoisonError};
use std::{io, thread};

use super::Machine;
use crate::queue::Lane;
use crate::worker;

impl Machine {
    pub(super) fn start_thread(self: &Arc<Self>, lane: Lane) -> io::Result<()> {
        let machine = Arc::clone(self);
        let kind = if lane.host { "host" } else { "gpu" };
        self.start(format!("sim-{kind}-{}", lane.device), move || worker::run(&machine, lane))
    }

    pub(super) fn start(&self, name: String, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let thread = thread::Builder::new().name(name).spawn(body)?;
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }

    /// Ends the machine's threads. Waits for host functions that are under way.
    pub(crate) fn stop(&self) {
        self.lock().stopping = true;
        self.wake_all();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // A thread that panicked has told so, and there is nothing left of it to end.
            let _ = thread.join();
        }
    }
}
