//! Things that threads take out to look at, and put back.

use std::sync::PoisonError;

use crate::sync::{Condvar, Mutex, MutexGuard};

/// A list of them.
pub(super) struct Kept<T> {
    list: Mutex<List<T>>,
    /// Somebody put back what is left of those that they had taken.
    back: Condvar,
}

struct List<T> {
    things: Vec<T>,
    /// Threads that have taken things out, to look at them.
    looking: usize,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { list: Mutex::new(List { things: Vec::new(), looking: 0 }), back: Condvar::new() }
    }
}

impl<T> Kept<T> {
    pub(super) fn add(&self, thing: T) {
        self.lock().things.push(thing);
    }

    /// The sum of a number of each that nobody has taken out.
    pub(super) fn sum(&self, of: impl Fn(&T) -> usize) -> usize {
        self.lock().things.iter().map(of).sum()
    }

    /// Takes out what nobody else has, and keeps what `look` gives back, which runs no code of others: who waits for all of it waits for
    /// that. Whether there was any.
    pub(super) fn look(&self, look: impl FnMut(T) -> Option<T>) -> bool {
        self.look_at(self.lock(), look)
    }

    /// As [`look`](Self::look), at all of it: waits first until others have put back what they took out.
    pub(super) fn look_at_all(&self, look: impl FnMut(T) -> Option<T>) -> bool {
        let mut list = self.lock();
        let others = list.looking > 0;
        while list.looking > 0 {
            list = self.back.wait(list).unwrap_or_else(PoisonError::into_inner);
        }
        // Under the lock under which nobody else had any: what others put back is not missed.
        self.look_at(list, look) || others
    }

    fn look_at(&self, mut list: MutexGuard<'_, List<T>>, look: impl FnMut(T) -> Option<T>) -> bool {
        if list.things.is_empty() {
            return false;
        }
        list.looking += 1;
        let things = std::mem::take(&mut list.things);
        // To look may take long, and must not hold up other threads.
        drop(list);
        let mut kept: Vec<T> = things.into_iter().filter_map(look).collect();
        let mut list = self.lock();
        list.things.append(&mut kept);
        list.looking -= 1;
        drop(list);
        self.back.notify_all();
        true
    }

    fn lock(&self) -> MutexGuard<'_, List<T>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
