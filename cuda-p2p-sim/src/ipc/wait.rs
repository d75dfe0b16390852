//! Waiting for what another process tells on its board: nobody wakes this one, so it looks again and again.

use std::sync::PoisonError;
use std::time::Duration;

use crate::error::Answer;
use crate::machine::{Guard, Machine};

/// Between two looks.
const LOOK: Duration = Duration::from_micros(200);

impl Machine {
    /// Body of a thread that looks for what other processes tell, while an operation waits for it.
    pub(crate) fn look_for_signals(&self) {
        let mut state = self.lock();
        while !state.stopping {
            state = if state.queue.is_awaiting() {
                self.settle(&mut state);
                self.done.wait_timeout(state, LOOK).map_or_else(|e| e.into_inner().0, |(state, _)| state)
            } else {
                self.done.wait(state).unwrap_or_else(PoisonError::into_inner)
            };
        }
    }

    /// As [`wait`](Machine::wait), for what another process does.
    pub(crate) fn wait_outside<'a>(
        &'a self,
        mut state: Guard<'a>,
        is_done: impl Fn() -> bool,
    ) -> Answer<Guard<'a>> {
        while !is_done() {
            if let Some(failure) = state.failure {
                return Err(failure);
            }
            state.queue.demand();
            self.wake_lanes();
            state = self.done.wait_timeout(state, LOOK).map_or_else(|e| e.into_inner().0, |(state, _)| state);
        }
        state.queue.demand_ends();
        self.done.notify_all();
        Ok(state)
    }
}
