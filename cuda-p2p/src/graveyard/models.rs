//! Threads that look at what is kept, in every order of their steps: whoever waits for all of it goes on, and only then.

use std::sync::Arc;

use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::kept::Kept;
use crate::sync::model;

/// What is kept, and how much of it is gone.
#[derive(Default)]
struct World {
    kept: Kept<usize>,
    freed: AtomicUsize,
}

impl World {
    fn with(count: usize) -> Arc<Self> {
        let world = Arc::new(Self::default());
        (0..count).for_each(|thing| world.kept.add(thing));
        world
    }

    /// Frees all, once others have put back what they look at.
    fn free_all(&self) -> bool {
        self.kept.look_at_all(|_| {
            self.freed.fetch_add(1, Ordering::Relaxed);
            None
        })
    }
}

#[test]
fn who_waits_for_all_gets_what_another_looks_at() {
    model(|| {
        let world = World::with(2);
        let looking = thread::spawn({
            let world = world.clone();
            move || world.kept.look(Some)
        });
        assert!(world.free_all(), "there was some");
        assert_eq!(world.freed.load(Ordering::Relaxed), 2, "some is still there");
        assert_eq!(world.kept.sum(|_| 1), 0);
        looking.join().unwrap();
    });
}

/// The others find nothing to look at, and so put nothing back themselves.
#[test]
fn all_who_wait_go_on() {
    model(|| {
        let world = World::with(1);
        let waiting = [(); 2].map(|()| {
            let world = world.clone();
            thread::spawn(move || world.free_all())
        });
        let looked = world.kept.look(|_| {
            world.freed.fetch_add(1, Ordering::Relaxed);
            None
        });
        let waited = waiting.map(|it| it.join().unwrap());
        assert!(looked || waited.contains(&true), "somebody had it");
        assert_eq!(world.freed.load(Ordering::Relaxed), 1);
    });
}
