//! Uses that nobody notes beside those that are noted, in every order of their steps, and with all that the machine may do with them.
//!
//! A stream is two sets of pieces of work, which threads reach without any order but that of the fences: what is in it, and what it was
//! told to wait for. That is the least that a runtime could do. A real one puts one call behind the other in a queue.

#![allow(unsafe_code, reason = "makes a runtime without functions; shares what only notes keep apart")]

use std::ptr::without_provenance_mut;
use std::sync::{Arc, OnceLock};

use loom::cell::Cell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::{Access, Behind, Order, Sole, Uses, Who};
use crate::device::{Device, DeviceState};
use crate::error::GraphError;
use crate::ffi::CudaRuntime;
use crate::queue::Queue;
use crate::runtime::Runtime;
use crate::stream::Stream;
use crate::sync::{model, spin_loop};

const EITHER: [Access; 2] = [Access::Read, Access::Write];

/// One for all models: there is nothing of loom's in it.
fn device() -> Device {
    static DEVICE: OnceLock<&'static DeviceState> = OnceLock::new();
    Device(DEVICE.get_or_init(|| {
        // SAFETY: no function of it is called, because it has none.
        let runtime = unsafe { Runtime::from_table(Box::leak(Box::new(CudaRuntime::EMPTY))) };
        Box::leak(Box::new(DeviceState::new(runtime, 0)))
    }))
}

/// Pieces of work, each a bit.
#[derive(Default)]
struct Works(AtomicUsize);

impl Works {
    fn add(&self, works: usize) {
        self.0.fetch_or(works, Ordering::Relaxed);
    }

    fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a stream does, as far as others see it.
#[derive(Default)]
struct Model {
    inside: Works,
    waits_for: Works,
}

struct World {
    uses: Uses,
    streams: [Stream; 3],
    models: [Model; 3],
}

impl World {
    fn new() -> Arc<Self> {
        let stream = |handle| Stream::new(Queue::new(device(), without_provenance_mut(handle), 0, false));
        let streams = [0x100, 0x200, 0x300].map(stream);
        Arc::new(Self { uses: Uses::default(), streams, models: Default::default() })
    }

    /// Puts a piece of work into a stream. What it comes behind, itself included.
    fn put(&self, stream: usize, work: usize) -> usize {
        let model = &self.models[stream];
        model.inside.add(work);
        model.waits_for.get() | model.inside.get()
    }

    /// A use that is noted.
    fn noted(&self, stream: usize, access: Access, work: usize) -> usize {
        let queue = |stream: usize| self.streams[stream].queue();
        let wait = |ahead: &Queue| {
            let ahead = (0..3).find(|&known| queue(known).is(ahead)).expect("one of them");
            let model = &self.models[ahead];
            self.models[stream].waits_for.add(model.inside.get() | model.waits_for.get());
            Ok(())
        };
        let began = self.uses.begin(queue(stream), access, Order::Automatic, Who::Borrower, wait);
        assert_eq!(began, Ok(true));
        let behind = self.put(stream, work);
        self.uses.end(queue(stream), access, Who::Borrower);
        behind
    }

    /// A use as the crate makes it: noted only if it has to be.
    fn used(&self, stream: usize, access: Access, work: usize) -> usize {
        match Sole::of(&self.streams[stream], [Behind::memory(&self.uses, access)]) {
            Some(sole) => {
                let behind = self.put(stream, work);
                drop(sole);
                behind
            }
            None => self.noted(stream, access, work),
        }
    }
}

/// The memory is the first stream's alone. While that has it once more, unnoted, another takes a part of it: whoever has all of it
/// afterwards comes behind both, be it the other stream again or a third.
#[test]
fn no_two_streams_both_believe_that_they_are_alone() {
    for [first, other] in [[0, 0], [0, 1], [1, 0], [1, 1]].map(|pair| pair.map(|it: usize| EITHER[it])) {
        for last in [1, 2] {
            model(move || {
                let world = World::new();
                world.used(0, Access::Write, 1);
                let unnoted = thread::spawn({
                    let world = world.clone();
                    move || world.used(0, first, 2)
                });
                assert_eq!(world.used(1, other, 4) & 1, 1, "before what was there");
                assert_eq!(unnoted.join().unwrap() & 1, 1, "before what was there");
                assert_eq!(world.used(last, Access::Write, 8), 15, "{first:?} and {other:?}, then {last}");
            });
        }
    }
}

/// As above, where two others come: when the second does, the word names nobody any more.
#[test]
fn a_third_stream_is_seen_as_well() {
    for second in EITHER {
        model(move || {
            let world = World::new();
            world.used(0, Access::Write, 1);
            let unnoted = thread::spawn({
                let world = world.clone();
                move || world.used(0, Access::Write, 2)
            });
            world.used(1, Access::Read, 4);
            world.used(2, second, 8);
            unnoted.join().unwrap();
            assert_eq!(world.used(1, Access::Write, 16), 31, "the second did {second:?}");
        });
    }
}

/// The memory is the first stream's alone, and that writes to a part of it unnoted: who reads it afterwards comes behind that.
#[test]
fn a_reader_comes_behind_what_was_written_unnoted() {
    for other in EITHER {
        model(move || {
            let world = World::new();
            world.used(0, Access::Write, 1);
            let unnoted = thread::spawn({
                let world = world.clone();
                move || world.used(0, Access::Write, 2)
            });
            world.used(1, other, 4);
            unnoted.join().unwrap();
            assert_eq!(world.used(1, Access::Read, 8), 15, "the other did {other:?}");
        });
    }
}

/// The memory was another stream's. Once the word names the first alone, that stream has been told to wait, and whoever goes by the word
/// puts his work behind that.
#[test]
fn the_word_names_a_stream_that_has_been_told_to_wait() {
    model(|| {
        let world = World::new();
        world.used(1, Access::Write, 1);
        let other = thread::spawn({
            let world = world.clone();
            move || world.used(0, Access::Write, 2)
        });
        assert_eq!(world.used(0, Access::Write, 4) & 1, 1, "before what was there");
        other.join().unwrap();
    });
}

/// Between the two looks of the first the memory becomes another's, and the first's again: the same word, and all in order.
#[test]
fn the_same_word_may_come_again() {
    model(|| {
        let world = World::new();
        world.used(0, Access::Write, 1);
        let unnoted = thread::spawn({
            let world = world.clone();
            move || world.used(0, Access::Write, 2)
        });
        world.used(1, Access::Write, 4);
        world.used(0, Access::Write, 8);
        unnoted.join().unwrap();
        assert_eq!(world.used(2, Access::Read, 16), 31);
    });
}

/// Memory with uses that are noted, and what work does to it just when it is put in. To loom it is an error if that happens in no order.
#[derive(Default)]
struct Memory {
    uses: Uses,
    bytes: Cell<usize>,
}

// SAFETY: the notes keep the threads apart; where they do not, loom ends the test before they meet.
unsafe impl Sync for Memory {}
// SAFETY: as above.
unsafe impl Send for Memory {}

impl Memory {
    /// Work on all of it, whoever else is at it. False if it is not its owner's to lend any more.
    fn write(&self, stream: &Stream, who: Who) -> bool {
        let (queue, access) = (stream.queue(), Access::Write);
        loop {
            match self.uses.begin(queue, access, Order::Automatic, who, |_| Ok(())) {
                Ok(true) => break,
                Ok(false) => spin_loop(),
                Err(error) => {
                    assert_eq!(error, GraphError::MemoryGone.into());
                    return false;
                }
            }
        }
        self.bytes.set(self.bytes.get() + 1);
        self.uses.end(queue, access, who);
        true
    }
}

/// A launch has no borrow: it is put in before other work on the same bytes, or afterwards.
#[test]
fn a_launch_and_other_work_are_put_in_one_after_the_other() {
    model(|| {
        let (memory, world) = (Arc::new(Memory::default()), World::new());
        memory.uses.share();
        let launch = thread::spawn({
            let (memory, world) = (memory.clone(), world.clone());
            move || memory.write(&world.streams[1], Who::Graph)
        });
        assert!(memory.write(&world.streams[0], Who::Borrower));
        assert!(launch.join().unwrap());
        assert_eq!(memory.bytes.get(), 2);
    });
}

/// Its owner gives memory away, or frees it, after the launches that are being made, and none comes afterwards.
#[test]
fn no_launch_uses_memory_that_is_gone() {
    model(|| {
        let (memory, world) = (Arc::new(Memory::default()), World::new());
        memory.uses.share();
        let launch = thread::spawn({
            let (memory, world) = (memory.clone(), world.clone());
            move || {
                let launched = memory.write(&world.streams[1], Who::Graph);
                assert!(launched || !memory.write(&world.streams[1], Who::Graph), "it is back");
            }
        });
        memory.uses.close();
        memory.bytes.set(0);
        launch.join().unwrap();
    });
}
