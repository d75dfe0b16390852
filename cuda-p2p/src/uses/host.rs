//! Accesses of the host to pinned memory: behind the work of the devices, and with no launch of a graph beside them.

use super::{Access, Entry, Uses};
use crate::error::Result;
use crate::gate::pause;
use crate::queue::Queue;

/// How many references the host has to memory: to read it, and to write it.
#[derive(Debug, Default)]
pub(super) struct Lent {
    reads: u64,
    writes: u64,
}

impl Lent {
    /// Whether a launch that does this would race with the host.
    pub(super) fn excludes(&self, access: Access) -> bool {
        self.writes > 0 || access == Access::Write && self.reads > 0
    }

    fn count(&mut self, access: Access) -> &mut u64 {
        match access {
            Access::Read => &mut self.reads,
            Access::Write => &mut self.writes,
        }
    }
}

/// Whether the work of an entry races with an access of the host.
fn races(entry: &Entry, access: Access) -> bool {
    access == Access::Write || entry.writes
}

impl Uses {
    /// Waits until nothing races with an access of the host, and refuses launches that would, until it is
    /// [taken back](Self::take_back). On an error nothing is lent.
    pub(crate) fn lend(&self, access: Access) -> Result<()> {
        *self.lock().lent.count(access) += 1;
        // Launches that begin from now on are refused. Of those before, the event below must stand behind the work.
        self.wait_for_launches(access);
        self.wait_on_host(access).inspect_err(|_| self.take_back(access))
    }

    /// The host's reference is gone.
    pub(crate) fn take_back(&self, access: Access) {
        *self.lock().lent.count(access) -= 1;
    }

    /// Waits until the launches that are being made, which wait for nobody, are in their streams.
    fn wait_for_launches(&self, access: Access) {
        let mut tries = 0;
        while self.lock().entries.iter().any(|entry| entry.launching > 0 && races(entry, access)) {
            pause(&mut tries);
        }
    }

    /// Waits on the host until no work is left that a host access of this kind would race with. The caller has a borrow of all of the
    /// memory, for this access, and no launch that races with it begins: other work that was put in while this waits would be forgotten.
    pub(crate) fn wait_on_host(&self, access: Access) -> Result<()> {
        let queues: Vec<Queue> = {
            let state = self.lock();
            state
                .entries
                .iter()
                .filter(|entry| races(entry, access))
                .map(|entry| entry.queue.clone())
                .collect()
        };
        for queue in queues.iter().filter(|queue| !queue.is_stale()) {
            queue.synchronize()?;
        }
        let waited_for = |entry: &Entry| queues.iter().any(|queue| queue.is(&entry.queue));
        let mut state = self.lock();
        for entry in &mut state.entries {
            if entry.submitting == 0 && waited_for(entry) {
                entry.writes = false;
            }
        }
        if access == Access::Write {
            state.entries.retain(|entry| entry.submitting > 0 || !waited_for(entry));
        }
        Ok(())
    }
}
