//! Uses that need no note, because the memory has only one stream, and it is noted already.
//!
//! Beside the list of streams is a word: which stream the list names, if it names only one, and whether as a writer. Who uses the
//! memory on that stream looks at the word, puts its work in, and looks again. Nothing is locked and nothing counted.
//!
//! Why that is enough. Between the two looks other streams may come, on other parts of the memory: nothing that touches the same
//! bytes and writes can, as long as this call has its borrow. They change the word before they record an event on this stream, or ask
//! whether it is done.
//! - If our work went in first, the event stands behind it, and whoever recorded it waits for us; and the stream is not done.
//! - If theirs went first, our second look finds the word changed. Each side does two things in one order, with a fence of both kinds
//!   between them: they change the word and then look at the stream; we put work into the stream and then look at the word. One of the
//!   two sees what the other did. (An event alone would need no more than a fence of one kind, since the runtime puts one thing
//!   behind the other in a queue; a question may be answered without that.) Then the use is noted late: the stream is on the list
//!   again, and a write counts, so that those who came in between are ordered behind us when they come again.
//! - If the word says the same again after it said something else, the list is again of this stream alone: whoever else was on it
//!   is done, or waited for, and off the list. So whoever comes from now on waits for all that is in this stream.
//!
//! While the list is changed the word names nobody. So it never names a queue that is gone, whose address may be another's.
//!
//! Memory that graphs use has no such word: launches come without a borrow.

use std::ops::{Deref, DerefMut};

use super::{Access, Entry, State, Uses};
use crate::queue::{Entered, Queue};
use crate::stream::Stream;
use crate::sync::MutexGuard;
use crate::sync::atomic::{AtomicUsize, Ordering, fence};

/// The address of the only queue on the list, with a mark if it is a writer; zero if there is none, or others matter.
#[derive(Debug, Default)]
pub(super) struct Word(AtomicUsize);

/// Queues are aligned to more.
const WRITES: usize = 1;
const NOBODY: usize = 0;

impl Word {
    /// Whether the list names `queue` alone, and as one that does this.
    #[inline]
    pub(super) fn covers(&self, queue: &Queue, access: Access) -> bool {
        // Acquire: what the stream was told to wait for by others was told before our work.
        let word = self.0.load(Ordering::Acquire);
        let writes = queue.address() | WRITES;
        match access {
            Access::Read => word | WRITES == writes,
            Access::Write => word == writes,
        }
    }

    fn of(state: &State) -> usize {
        match &state.entries[..] {
            [only] if !state.closed && !state.shared => {
                only.queue.address() | if only.writes { WRITES } else { 0 }
            }
            _ => NOBODY,
        }
    }
}

/// The state while it is changed, with a word that names nobody.
pub(super) struct Changing<'u> {
    word: &'u Word,
    state: MutexGuard<'u, State>,
}

impl<'u> Changing<'u> {
    pub(super) fn new(word: &'u Word, state: MutexGuard<'u, State>) -> Self {
        if word.0.load(Ordering::Relaxed) != NOBODY {
            word.0.store(NOBODY, Ordering::Relaxed);
            // Before any event is recorded, and any stream asked whether it is done.
            fence(Ordering::SeqCst);
        }
        Self { word, state }
    }
}

impl Deref for Changing<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Changing<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        let word = Word::of(&self.state);
        if word != NOBODY {
            self.word.0.store(word, Ordering::Release);
        }
    }
}

/// What an argument has behind it, for [`Sole`].
#[derive(Clone, Copy)]
pub struct Behind<'h>(What<'h>);

#[derive(Clone, Copy)]
enum What<'h> {
    Nothing,
    Memory(&'h Uses, Access),
    /// What only [`Held`](super::Held) can deal with.
    Other,
}

impl<'h> Behind<'h> {
    /// A plain value.
    pub const NOTHING: Self = Self(What::Nothing);
    /// Memory whose uses are noted each time.
    pub const OTHER: Self = Self(What::Other);

    #[inline]
    pub(crate) fn memory(uses: &'h Uses, access: Access) -> Self {
        Self(What::Memory(uses, access))
    }

    #[inline]
    fn is_covered(&self, queue: &Queue) -> bool {
        match self.0 {
            What::Nothing => true,
            What::Memory(uses, access) => uses.sole.covers(queue, access),
            What::Other => false,
        }
    }
}

/// Uses of memory that only this stream has work on. To be held while the work is put in.
#[must_use = "the uses end when this is dropped"]
pub struct Sole<'h, const N: usize> {
    behind: [Behind<'h>; N],
    entered: Entered<'h>,
}

impl<'h, const N: usize> Sole<'h, N> {
    /// `None` if any of them has to be noted, or the stream is being captured. The stream was checked.
    #[inline]
    pub fn of(stream: &'h Stream, behind: [Behind<'h>; N]) -> Option<Self> {
        let queue = stream.queue();
        let entered = queue.enter();
        if entered.capture().is_none() && behind.iter().all(|it| it.is_covered(queue)) {
            Some(Self { behind, entered })
        } else {
            None
        }
    }
}

impl<const N: usize> Drop for Sole<'_, N> {
    #[inline]
    fn drop(&mut self) {
        // The work before the look: see the text at the top.
        fence(Ordering::SeqCst);
        let queue = self.entered.queue();
        for behind in &self.behind {
            if let What::Memory(uses, access) = behind.0
                && !uses.sole.covers(queue, access)
            {
                uses.note_late(queue, access);
            }
        }
    }
}

impl Uses {
    /// Notes a use whose work is in the stream already.
    #[cold]
    pub(super) fn note_late(&self, stream: &Queue, access: Access) {
        let mut state = self.lock();
        let writes = access == Access::Write;
        match state.count(stream, access) {
            Some(entry) => entry.writes |= writes,
            None => {
                let queue = stream.clone();
                state.entries.push(Entry { queue, writes, submitting: 0, launching: 0, seen: None });
            }
        }
    }
}
