//! Who is putting work into a stream, so that a capture of it begins and ends between two pieces of work.
//!
//! A piece of work is checked and ordered, and then put in. Whether it is captured must not change in between: it would be
//! put into a graph that does not keep its memory, or run now in the order that holds for a graph. So whoever puts work in
//! enters first, and a capture begins and ends when nobody is inside.

#[cfg(all(test, loom))]
mod models;

use std::time::Duration;

use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::{sleep, spin_loop, tries};

/// The number of those inside, and three marks.
#[derive(Debug, Default)]
pub(crate) struct Gate(AtomicU32);

/// Nobody is inside, and nobody may enter: a capture is beginning or ending.
const LOCKED: u32 = 1 << 31;
/// The stream is being captured.
const CAPTURED: u32 = 1 << 30;
/// Somebody waits for a moment in which nobody is inside: there might never be one.
const WANTED: u32 = 1 << 29;

/// How often a lock is tried for before it is slept.
const SPINS: u32 = tries(64);
/// So often a newcomer looks whether it is still wanted before it enters all the same, after some milliseconds: it may be inside
/// already, or hold what somebody inside waits for.
const PATIENCE: u32 = 2 * SPINS;

impl Gate {
    /// Enters, and says whether the stream is being captured, which does not change before [`leave`](Self::leave). Who is
    /// inside may enter again: nobody locks meanwhile.
    #[inline]
    pub(crate) fn enter(&self) -> bool {
        let word = self.0.fetch_add(1, Ordering::Acquire);
        if word & (LOCKED | WANTED) != 0 { self.enter_late() } else { word & CAPTURED != 0 }
    }

    /// Enters after whoever has it locked, or wants to. Counted in already, which counts for nothing then.
    #[cold]
    fn enter_late(&self) -> bool {
        let mut tries = 0;
        loop {
            self.leave();
            let in_the_way = |tries| if tries < PATIENCE { LOCKED | WANTED } else { LOCKED };
            while self.0.load(Ordering::Relaxed) & in_the_way(tries) != 0 {
                pause(&mut tries);
            }
            let word = self.0.fetch_add(1, Ordering::Acquire);
            if word & in_the_way(tries) == 0 {
                return word & CAPTURED != 0;
            }
        }
    }

    #[inline]
    pub(crate) fn leave(&self) {
        self.0.fetch_sub(1, Ordering::Release);
    }

    /// Waits until nobody is inside, and keeps others out.
    pub(crate) fn lock(&self) {
        let mut tries = 0;
        while !self.try_lock() {
            pause(&mut tries);
        }
    }

    /// Keeps others out, if nobody is inside; if not, newcomers give way for a while. To be tried until it succeeds.
    pub(crate) fn try_lock(&self) -> bool {
        let word = self.0.load(Ordering::Relaxed);
        let locked = word & CAPTURED | LOCKED;
        let free = word & !(CAPTURED | WANTED) == 0;
        if free && self.0.compare_exchange(word, locked, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            return true;
        }
        if word & WANTED == 0 {
            self.0.fetch_or(WANTED, Ordering::Relaxed);
        }
        false
    }

    /// Lets others in again, into a stream that is being captured or not.
    pub(crate) fn unlock(&self, captured: bool) {
        // Not by a store: somebody may just be counted in, and find that it is locked.
        if captured {
            self.0.fetch_or(CAPTURED, Ordering::Relaxed);
        } else {
            self.0.fetch_and(!CAPTURED, Ordering::Relaxed);
        }
        self.0.fetch_and(!LOCKED, Ordering::Release);
    }
}

/// Waits a little, the longer the more often.
pub(crate) fn pause(tries: &mut u32) {
    *tries += 1;
    if *tries < SPINS {
        spin_loop();
    } else {
        sleep(Duration::from_micros(20));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn who_is_inside_may_enter_again_and_keeps_a_capture_out() {
        let (gate, locked) = (Gate::default(), AtomicBool::new(false));
        assert!(!gate.enter());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                gate.lock();
                locked.store(true, Ordering::SeqCst);
                gate.unlock(true);
            });
            std::thread::sleep(Duration::from_millis(20));
            assert!(!gate.enter(), "nothing changes while somebody is inside");
            gate.leave();
            assert!(!locked.load(Ordering::SeqCst));
            gate.leave();
        });
        assert!(gate.enter());
        gate.leave();
    }

    #[test]
    fn a_moment_in_which_nobody_is_inside_is_found_among_many() {
        let (gate, locked) = (Gate::default(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    while !locked.load(Ordering::SeqCst) {
                        gate.enter();
                        std::thread::sleep(Duration::from_micros(200));
                        gate.leave();
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(5));
            gate.lock();
            locked.store(true, Ordering::SeqCst);
            gate.unlock(false);
        });
    }

    #[test]
    fn who_is_just_counted_in_when_it_is_unlocked_stays_counted() {
        for captured in [false, true] {
            let gate = Gate::default();
            gate.lock();
            // The first step of entering, and the next after the lock has gone.
            assert_eq!(gate.0.fetch_add(1, Ordering::Acquire), LOCKED);
            gate.unlock(captured);
            assert_eq!(gate.enter_late(), captured);
            assert!(!gate.try_lock(), "somebody is inside");
            gate.leave();
            assert!(gate.try_lock(), "nobody is inside");
        }
    }
}
