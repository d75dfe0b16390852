//! The gate between threads, in every order of their steps.

#![allow(unsafe_code, reason = "shares what only the gate keeps apart")]

use std::sync::Arc;

use loom::cell::Cell;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;

use super::Gate;
use crate::sync::model;

/// What a gate stands before. To loom it is an error if one thread reads the cell while another writes, or in no order with that.
#[derive(Default)]
struct Guarded {
    gate: Gate,
    captured: Cell<bool>,
}

// SAFETY: the gate keeps the threads apart; where it does not, loom ends the test before they meet.
unsafe impl Sync for Guarded {}
// SAFETY: as above.
unsafe impl Send for Guarded {}

impl Guarded {
    /// Puts a piece of work in.
    fn work(&self) {
        let captured = self.gate.enter();
        assert_eq!(captured, self.captured.get(), "what it is told is not what it finds");
        self.gate.leave();
    }

    /// A capture begins or ends.
    fn change(&self, captured: bool) {
        self.gate.lock();
        self.captured.set(captured);
        self.gate.unlock(captured);
    }

    /// The other of the two, if it can be at once.
    fn try_change(&self) {
        if self.gate.try_lock() {
            let captured = !self.captured.get();
            self.captured.set(captured);
            self.gate.unlock(captured);
        }
    }
}

#[test]
fn nobody_is_inside_while_a_capture_begins_or_ends() {
    model(|| {
        let guarded = Arc::new(Guarded::default());
        let worker = guarded.clone();
        let worker = thread::spawn(move || {
            worker.work();
            worker.work();
        });
        guarded.change(true);
        guarded.change(false);
        worker.join().unwrap();
        assert!(guarded.gate.try_lock(), "nobody is inside");
    });
}

/// Of two that try, one after the other or one of them, each finds what was left, and nobody is counted out who had not entered. (They
/// try once: two that wait for a third, loom may let wait for ever.)
#[test]
fn captures_come_one_after_the_other() {
    model(|| {
        let guarded = Arc::new(Guarded::default());
        let [worker, other] = [guarded.clone(), guarded.clone()];
        let worker = thread::spawn(move || worker.work());
        let other = thread::spawn(move || other.try_change());
        guarded.try_change();
        worker.join().unwrap();
        other.join().unwrap();
        assert!(guarded.gate.try_lock(), "nobody is inside");
    });
}

#[test]
fn two_that_wait_both_have_their_turn() {
    model(|| {
        let guarded = Arc::new(Guarded::default());
        let other = guarded.clone();
        let other = thread::spawn(move || other.change(true));
        guarded.change(false);
        other.join().unwrap();
        guarded.work();
    });
}

/// While somebody waits, whoever was inside does not come in again before him.
#[test]
fn newcomers_give_way_to_whoever_waits() {
    model(|| {
        let guarded = Arc::new(Guarded::default());
        let waits = Arc::new(AtomicBool::new(false));
        guarded.gate.enter();
        let waiter = thread::spawn({
            let (guarded, waits) = (guarded.clone(), waits.clone());
            move || {
                let locked = guarded.gate.try_lock();
                waits.store(!locked, Ordering::Release);
                if !locked {
                    guarded.gate.lock();
                }
                guarded.captured.set(true);
                guarded.gate.unlock(true);
            }
        });
        let somebody_waits = waits.load(Ordering::Acquire);
        guarded.gate.leave();
        let captured = guarded.gate.enter();
        assert!(captured || !somebody_waits, "he would never have his turn among many");
        guarded.gate.leave();
        waiter.join().unwrap();
    });
}

/// Who is inside may come in again though somebody waits: both come to an end.
#[test]
fn who_is_inside_comes_in_again_although_somebody_waits() {
    model(|| {
        let guarded = Arc::new(Guarded::default());
        let waiter = guarded.clone();
        assert!(!guarded.gate.enter());
        let waiter = thread::spawn(move || waiter.change(true));
        assert!(!guarded.gate.enter(), "nothing changes while somebody is inside");
        guarded.gate.leave();
        guarded.gate.leave();
        waiter.join().unwrap();
    });
}
