//! Which streams have work on a piece of memory, and the order between them.
//!
//! The rule: a read waits for the writes of other streams, a write waits for all work of other streams; work of the
//! same stream is in order anyway. It is kept lazily. Using memory on one stream costs a look at a word ([`sole`]) and no
//! call of CUDA; only when another stream takes the memory is an event recorded on the streams that had it and waited
//! for on the one that takes it.
//!
//! Two threads may submit work on disjoint parts of one allocation at the same moment. An entry therefore counts the
//! submissions that are under way on its stream: a fence that was recorded meanwhile may stand before them, so such
//! an entry stays, and is waited for again the next time.
//!
//! Work that is captured does not run now. It is noted with the capture, by the same rule, and the launch of the graph is
//! then a use of all that the graph uses. Nothing is borrowed for that, so a launch and other work on the same bytes may be put
//! in at the same moment by two threads, where events say nothing of work that is still to come: whoever begins second waits
//! until the other's work is in its stream. The launch waits with nothing held, so that nobody waits in a circle. Others give way to
//! it for a while: among many threads it would hardly ever find a moment in which none of them has work under way.
//!
//! For the same reason a launch is refused while the host has a reference to pinned memory that it would race with: to wait for the end
//! of that could be to wait for oneself. Who takes such a reference waits for the launches that began before.

mod held;
mod host;
#[cfg(all(test, loom))]
mod models;
mod sole;
#[cfg(all(test, not(loom)))]
mod tests;

use std::sync::PoisonError;
use std::time::Duration;

use crate::error::{GraphError, Result};
use crate::gate::pause;
use crate::queue::Queue;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Mutex, sleep, tries};
pub use held::Held;
use host::Lent;
pub use sole::{Behind, Sole};
use sole::{Changing, Word};

/// What a piece of work does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Only loads.
    Read,
    /// Stores, or may store.
    Write,
}

/// Who orders a use behind those of other streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// This crate.
    Automatic,
    /// The caller, who said so in unsafe code.
    ByHand,
}

/// Who uses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// Whoever has a borrow of it until the work is put in.
    Borrower,
    /// The launch of a graph.
    Graph,
}

/// As many entries, and those whose work is done are looked for before another is added: a program that reads the same memory on
/// ever new streams would fill the list.
const CROWDED: usize = 16;

/// So often a launch that waits is looked for before its way is taken: for about a millisecond.
const PATIENCE: u32 = tries(80);

/// The uses of one allocation.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    sole: Word,
    /// The launch of a graph waits for a moment in which nobody has work under way that is in its way.
    wanted: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Counts finished submissions of writes.
    version: u64,
    /// The memory is no longer its owner's to lend: only graphs could use it.
    closed: bool,
    /// Graphs use the memory, or may come to.
    shared: bool,
    /// What of pinned memory the host has references to.
    lent: Lent,
    entries: Vec<Entry>,
}

/// All work of one stream on the allocation, from its first use until another stream's write was ordered behind it.
#[derive(Debug)]
struct Entry {
    queue: Queue,
    writes: bool,
    /// Submissions under way. Not to be filled by counting, one at a time.
    submitting: u64,
    /// Those of them that are launches of graphs.
    launching: u64,
    /// The `version` up to which this stream is ordered behind the writes of others; `None` if it never was.
    seen: Option<u64>,
}

impl Entry {
    /// Whether work in another stream than its own has to come behind it.
    fn is_ahead_of(&self, stream: &Queue, access: Access) -> bool {
        !self.queue.is(stream) && (access == Access::Write || self.writes)
    }

    /// Whether nobody has to wait for it any more. What cannot be known is not done.
    fn is_done(&self) -> bool {
        self.queue.is_stale() || self.queue.is_done() == Ok(true)
    }
}

impl State {
    /// Whether work on the same bytes is just being put into another stream: before it, as far as events go.
    fn is_in_the_way(&self, stream: &Queue, access: Access, who: Who) -> bool {
        self.shared
            && self.entries.iter().any(|entry| {
                let under_way = match who {
                    Who::Borrower => entry.launching,
                    Who::Graph => entry.submitting,
                };
                under_way > 0 && entry.is_ahead_of(stream, access)
            })
    }

    /// Counts a submission that is over. Gives the stream's entry, if it has one.
    fn count(&mut self, stream: &Queue, access: Access) -> Option<&mut Entry> {
        let before = self.version;
        if access == Access::Write {
            self.version += 1;
        }
        let own = self.entries.iter_mut().find(|entry| entry.queue.is(stream))?;
        // Its own write does not put it behind itself.
        if own.seen == Some(before) {
            own.seen = Some(self.version);
        }
        Some(own)
    }
}

impl Uses {
    /// The state, to be changed.
    fn lock(&self) -> Changing<'_> {
        Changing::new(&self.sole, self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Graphs will use the memory.
    pub(crate) fn share(&self) {
        self.lock().shared = true;
    }

    /// Orders work that is about to be put into a stream behind that of others, by `wait`, and notes it. To be followed by
    /// [`end`](Self::end). False, and nothing was done, if others are just putting in what only time puts in order with it.
    fn begin(
        &self,
        stream: &Queue,
        access: Access,
        order: Order,
        who: Who,
        wait: impl Fn(&Queue) -> Result<()>,
    ) -> Result<bool> {
        let mut guard = self.lock();
        let state = &mut *guard;
        if state.closed {
            return Err(GraphError::MemoryGone.into());
        }
        if who == Who::Graph && state.lent.excludes(access) {
            return Err(GraphError::MemoryLent.into());
        }
        let in_the_way = order == Order::Automatic && state.is_in_the_way(stream, access, who);
        if who == Who::Graph {
            self.wanted.store(in_the_way, Ordering::Relaxed);
        }
        if in_the_way {
            return Ok(false);
        }
        let own = state.entries.iter().position(|entry| entry.queue.is(stream));
        let mut seen = own.and_then(|index| state.entries[index].seen);
        if order == Order::Automatic {
            if access == Access::Write || seen != Some(state.version) {
                for entry in &state.entries {
                    if entry.is_ahead_of(stream, access) {
                        wait(&entry.queue)?;
                    }
                }
                seen = Some(state.version);
            }
            if access == Access::Write {
                // Whoever waits for this stream from now on waits for those too.
                state.entries.retain(|entry| entry.queue.is(stream) || entry.submitting > 0);
            }
        }
        let launching = u64::from(who == Who::Graph);
        match state.entries.iter_mut().find(|entry| entry.queue.is(stream)) {
            Some(entry) => {
                entry.submitting += 1;
                entry.launching += launching;
                entry.writes |= access == Access::Write;
                entry.seen = seen;
            }
            None => {
                if state.entries.len() >= CROWDED {
                    state.entries.retain(|entry| entry.submitting > 0 || !entry.is_done());
                }
                let writes = access == Access::Write;
                let queue = stream.clone();
                state.entries.push(Entry { queue, writes, submitting: 1, launching, seen });
            }
        }
        Ok(true)
    }

    /// Lets a launch go first that waits, but not for long: it may wait for something that is held here.
    fn give_way(&self) {
        let mut tries = 0;
        while self.wanted.load(Ordering::Relaxed) {
            if tries == PATIENCE {
                self.wanted.store(false, Ordering::Relaxed);
            }
            pause(&mut tries);
        }
    }

    /// The work was put in, or will not be.
    fn end(&self, stream: &Queue, access: Access, who: Who) {
        if let Some(entry) = self.lock().count(stream, access) {
            entry.submitting -= 1;
            entry.launching -= u64::from(who == Who::Graph);
        }
    }

    /// No graph may use the memory from now on. Its owner does not use it meanwhile; launches that are being made are waited
    /// for.
    pub(crate) fn close(&self) {
        loop {
            let mut state = self.lock();
            state.closed = true;
            if state.entries.iter().all(|entry| entry.submitting == 0) {
                return;
            }
            drop(state);
            sleep(Duration::from_micros(20));
        }
    }

    /// Forgets the work of a queue that is done with all that was put into it, and that nobody else puts work into meanwhile.
    pub(crate) fn settle(&self, queue: &Queue) {
        self.lock().entries.retain(|entry| !entry.queue.is(queue));
    }

    /// The queues that may have unfinished work on the memory, for the end of its life.
    pub(crate) fn take_queues(&mut self) -> Vec<Queue> {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.entries.drain(..).map(|entry| entry.queue).filter(|queue| !queue.is_stale()).collect()
    }
}
