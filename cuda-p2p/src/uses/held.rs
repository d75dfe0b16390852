//! Uses that are noted: ordered when they begin, and under way until the work was put into its stream.

use std::sync::Arc;

use super::{Access, Order, Uses, Who};
use crate::allocation::Memory;
use crate::error::Result;
use crate::gate::pause;
use crate::pool::Granted;
use crate::queue::Entered;
use crate::stream::Stream;

/// A use between its ordering and the end of its submission. To be held while the work is put into the stream.
#[must_use = "the use ends when this is dropped"]
pub struct Held<'h> {
    uses: Noted<'h>,
    access: Access,
    who: Who,
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
    Nothing,
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
        let Some(capture) = entered.capture() else {
            return Self::of_uses(&memory.uses, stream, access, order, entered);
        };
        let uses = capture.note_memory(memory, access, order)?;
        let wait = |queue: &_| stream.wait_captured(queue);
        uses.begin(stream.queue(), access, order, Who::Borrower, wait)?;
        Ok(Self::noted(Noted::Capture(uses), access, Who::Borrower, entered))
    }

    /// A use of no bytes.
    pub(crate) fn of_nothing(stream: &'h Stream) -> Result<Self> {
        Ok(Self::noted(Noted::Nothing, Access::Read, Who::Borrower, stream.enter()?))
    }

    fn of_uses(
        uses: &'h Uses,
        stream: &'h Stream,
        access: Access,
        order: Order,
        entered: Entered<'h>,
    ) -> Result<Self> {
        if order == Order::Automatic {
            uses.give_way();
        }
        let mut tries = 0;
        while !uses.begin(stream.queue(), access, order, Who::Borrower, |queue| stream.wait_for(queue))? {
            // Until the launch of a graph is put in, which waits for nobody.
            pause(&mut tries);
        }
        Ok(Self::noted(Noted::Memory(uses), access, Who::Borrower, entered))
    }

    /// As [`new`](Self::new), for the launch of a graph, which has no borrow of the memory. `None` if others are just putting in
    /// work that it has to be in order with: it begins anew, with nothing held, when they have.
    pub(crate) fn for_launch(
        memory: &'h Arc<Memory>,
        stream: &'h Stream,
        access: Access,
        order: Order,
    ) -> Result<Option<Self>> {
        let entered = stream.enter()?;
        let (uses, who) = (&memory.uses, Who::Graph);
        let began = uses.begin(stream.queue(), access, order, who, |queue| stream.wait_for(queue))?;
        Ok(began.then(|| Self::noted(Noted::Memory(uses), access, who, entered)))
    }

    fn noted(uses: Noted<'h>, access: Access, who: Who, entered: Entered<'h>) -> Self {
        Self { uses, access, who, entered, grant: None, also: Vec::new() }
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

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let uses = match &self.uses {
            Noted::Memory(uses) => uses,
            Noted::Capture(uses) => &**uses,
            Noted::Nothing => return,
        };
        uses.end(self.entered.queue(), self.access, self.who);
    }
}
