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

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Result;
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

/// The uses of one allocation.
#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Counts finished submissions of writes.
    version: u64,
    entries: Vec<Entry>,
}

/// All work of one stream on the allocation, from its first use until another stream's write was ordered behind it.
#[derive(Debug)]
struct Entry {
    stream: Stream,
    writes: bool,
    /// Submissions under way.
    submitting: u32,
    /// The `version` up to which this stream is ordered behind the writes of others; `None` if it never was.
    seen: Option<u64>,
}

/// A use between its ordering and the end of its submission. To be held while the work is put into the stream.
#[must_use = "the use ends when this is dropped"]
pub struct Held<'h> {
    uses: &'h Uses,
    stream: &'h Stream,
    access: Access,
}

impl Uses {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Orders work that is about to be put into `stream` behind that of others, and notes it.
    pub(crate) fn acquire<'h>(
        &'h self,
        stream: &'h Stream,
        access: Access,
        order: Order,
    ) -> Result<Held<'h>> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let own = state.entries.iter().position(|entry| entry.stream.is(stream));
        let mut seen = own.and_then(|index| state.entries[index].seen);
        if order == Order::Automatic {
            if access == Access::Write || seen != Some(state.version) {
                for entry in &state.entries {
                    if !entry.stream.is(stream) && (access == Access::Write || entry.writes) {
                        stream.wait_for(&entry.stream)?;
                    }
                }
                seen = Some(state.version);
            }
            if access == Access::Write {
                // Whoever waits for this stream from now on waits for those too.
                state.entries.retain(|entry| entry.stream.is(stream) || entry.submitting > 0);
            }
        }
        match state.entries.iter_mut().find(|entry| entry.stream.is(stream)) {
            Some(entry) => {
                entry.submitting += 1;
                entry.writes |= access == Access::Write;
                entry.seen = seen;
            }
            None => state.entries.push(Entry {
                stream: stream.clone(),
                writes: access == Access::Write,
                submitting: 1,
                seen,
            }),
        }
        drop(guard);
        Ok(Held { uses: self, stream, access })
    }

    /// Waits on the host until no work is left that a host access of this kind would race with.
    pub(crate) fn wait_on_host(&self, access: Access) -> Result<()> {
        let streams: Vec<Stream> = {
            let state = self.lock();
            let counts = |entry: &&Entry| access == Access::Write || entry.writes;
            state.entries.iter().filter(counts).map(|entry| entry.stream.clone()).collect()
        };
        for stream in streams.iter().filter(|stream| !stream.is_stale()) {
            stream.synchronize()?;
        }
        let mut state = self.lock();
        for entry in &mut state.entries {
            if entry.submitting == 0 && streams.contains(&entry.stream) {
                entry.writes = false;
            }
        }
        if access == Access::Write {
            state.entries.retain(|entry| entry.submitting > 0 || !streams.contains(&entry.stream));
        }
        Ok(())
    }

    /// The streams that may have unfinished work on the memory, for the end of its life.
    pub(crate) fn take_streams(&mut self) -> Vec<Stream> {
        let state = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.entries.drain(..).map(|entry| entry.stream).filter(|stream| !stream.is_stale()).collect()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut guard = self.uses.lock();
        let state = &mut *guard;
        let before = state.version;
        if self.access == Access::Write {
            state.version += 1;
        }
        if let Some(entry) = state.entries.iter_mut().find(|entry| entry.stream.is(self.stream)) {
            entry.submitting -= 1;
            // Its own write does not put it behind itself.
            if entry.seen == Some(before) {
                entry.seen = Some(state.version);
            }
        }
    }
}
