//! Which streams have work on a piece of memory, and the order between them.
//!
//! The rule: a read waits for the writes of other streams, a write waits for all work of other streams; work of the
//! same stream is in order anyway. It is kept lazily. Using memory on one stream costs two uncontended locks and no
//! call of CUDA; only when another stream takes the memory is an event recorded on the streams that had it and waited
//! for on the one that takes it.
//!
//! Two threads may submit work on disjoint parts of one allocation at the same moment. An entry therefore counts the
//! submissions that are under way on its stream: a fence that was recorded meanwhile may stand before them, so such
//! an entry stays, and is waited for again the next time.
//!
//! Work that is captured does not run now. It is noted with the capture, by the same rule, and the launch of the graph is
//! then a use of all that the graph uses.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::allocation::Memory;
use crate::error::{GraphError, Result};
use crate::pool::Granted;
use crate::queue::{Entered, Queue};
use crate::stream::Stream;

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

/// As many entries, and those whose work is done are looked for before another is added: a program that reads the same memory on
/// ever new streams would fill the list.
const CROWDED: usize = 16;

/// The uses of one allocation.
#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Counts finished submissions of writes.
    version: u64,
    /// The memory is no longer its owner's to lend: only graphs could use it.
    closed: bool,
    entries: Vec<Entry>,
}

/// All work of one stream on the allocation, from its first use until another stream's write was ordered behind it.
#[derive(Debug)]
struct Entry {
    queue: Queue,
    writes: bool,
    /// Submissions under way. Not to be filled by counting, one at a time.
    submitting: u64,
    /// The `version` up to which this stream is ordered behind the writes of others; `None` if it never was.
    seen: Option<u64>,
}

impl Entry {
    /// Whether nobody has to wait for it any more. What cannot be known is not done.
    fn is_done(&self) -> bool {
        self.queue.is_stale() || self.queue.is_done() == Ok(true)
    }
}

/// A use between its ordering and the end of its submission. To be held while the work is put into the stream.
#[must_use = "the use ends when this is dropped"]
pub struct Held<'h> {
    uses: Noted<'h>,
    access: Access,
    entered: Entered<'h>,
    /// The grant that the work relies on.
    grant: Option<Granted<'h>>,
    /// Uses of other memory by the same work.
    also: Vec<Held<'h>>,
}

/// Where a use is noted.
enum Noted<'h> {
    Memory(&'h Uses),
    Capture(Arc<Uses>),
}

impl<'h> Held<'h> {
    /// Orders work that is about to be put into `stream` behind that of others on `memory`, and notes it: there, or with the
    /// capture if the stream is being captured.
    pub(crate) fn new(
        memory: &'h Arc<Memory>,
        stream: &'h Stream,
        access: Access,
        order: Order,
    ) -> Result<Self> {
        let entered = stream.enter()?;
        let uses = match entered.capture() {
            None => {
                memory.uses.begin(stream.queue(), access, order, |queue| stream.wait_for(queue))?;
                Noted::Memory(&memory.uses)
            }
            Some(capture) => {
                let uses = capture.note_memory(memory, access, order)?;
                uses.begin(stream.queue(), access, order, |queue| stream.wait_captured(queue))?;
                Noted::Capture(uses)
            }
        };
        Ok(Self { uses, access, entered, grant: None, also: Vec::new() })
    }

    /// All of them as one; `None` if there are none.
    pub(crate) fn together(mut all: Vec<Held<'h>>) -> Option<Self> {
        let mut first = all.pop()?;
        first.also = all;
        Some(first)
    }

    /// The same, which holds a grant as well.
    pub(crate) fn with_grant(self, grant: Option<Granted<'h>>) -> Self {
        // Not by a struct of the rest: what is held is given back once.
        let mut held = self;
        held.grant = grant;
        held
    }

    /// What keeps the state of the stream's capture as it is, and tells it.
    pub(crate) fn entered(&self) -> &Entered<'h> {
        &self.entered
    }
}

impl Uses {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`Held::new`], for memory that no graph can keep.
    pub(crate) fn acquire<'h>(
        &'h self,
        stream: &'h Stream,
        access: Access,
        order: Order,
    ) -> Result<Held<'h>> {
        let entered = stream.enter()?;
        entered.refuse_capture("the use of virtual memory")?;
        self.begin(stream.queue(), access, order, |queue| stream.wait_for(queue))?;
        Ok(Held { uses: Noted::Memory(self), access, entered, grant: None, also: Vec::new() })
    }

    /// Orders work that is about to be put into a stream behind that of others, by `wait`, and notes it. To be followed by
    /// [`end`](Self::end).
    fn begin(
        &self,
        stream: &Queue,
        access: Access,
        order: Order,
        wait: impl Fn(&Queue) -> Result<()>,
    ) -> Result<()> {
        let mut guard = self.lock();
        let state = &mut *guard;
        if state.closed {
            return Err(GraphError::MemoryGone.into());
        }
        let own = state.entries.iter().position(|entry| entry.queue.is(stream));
        let mut seen = own.and_then(|index| state.entries[index].seen);
        if order == Order::Automatic {
            if access == Access::Write || seen != Some(state.version) {
                for entry in &state.entries {
                    if !entry.queue.is(stream) && (access == Access::Write || entry.writes) {
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
        match state.entries.iter_mut().find(|entry| entry.queue.is(stream)) {
            Some(entry) => {
                entry.submitting += 1;
                entry.writes |= access == Access::Write;
                entry.seen = seen;
            }
            None => {
                if state.entries.len() >= CROWDED {
                    state.entries.retain(|entry| entry.submitting > 0 || !entry.is_done());
                }
                state.entries.push(Entry {
                    queue: stream.clone(),
                    writes: access == Access::Write,
                    submitting: 1,
                    seen,
                });
            }
        }
        Ok(())
    }

    /// The work was put in, or will not be.
    fn end(&self, stream: &Queue, access: Access) {
        let mut guard = self.lock();
        let state = &mut *guard;
        let before = state.version;
        if access == Access::Write {
            state.version += 1;
        }
        if let Some(entry) = state.entries.iter_mut().find(|entry| entry.queue.is(stream)) {
            entry.submitting -= 1;
            // Its own write does not put it behind itself.
            if entry.seen == Some(before) {
                entry.seen = Some(state.version);
            }
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
            std::thread::sleep(Duration::from_micros(20));
        }
    }

    /// Waits on the host until no work is left that a host access of this kind would race with.
    pub(crate) fn wait_on_host(&self, access: Access) -> Result<()> {
        let queues: Vec<Queue> = {
            let state = self.lock();
            let counts = |entry: &&Entry| access == Access::Write || entry.writes;
            state.entries.iter().filter(counts).map(|entry| entry.queue.clone()).collect()
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

    /// Forgets the work of a queue that is done with all that was put into it, and that nobody else puts work into meanwhile.
    pub(crate) fn settle(&self, queue: &Queue) {
        self.lock().entries.retain(|entry| !entry.queue.is(queue));
    }

    /// The queues that may have unfinished work on the memory, for the end of its life.
    pub(crate) fn take_queues(&mut self) -> Vec<Queue> {
        let state = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.entries.drain(..).map(|entry| entry.queue).filter(|queue| !queue.is_stale()).collect()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let uses = match &self.uses {
            Noted::Memory(uses) => uses,
            Noted::Capture(uses) => &**uses,
        };
        uses.end(self.entered.queue(), self.access);
    }
}
