//! All the ways in which one thread's use without a note and two noted uses of another can meet, step by step, on the code itself:
//! whoever comes afterwards is ordered behind all of them. One thread runs all of it, so a step is seen by the next, as it is where
//! one call of the runtime has seen what another left; what a machine does with less than that is for `models.rs`.

#![allow(unsafe_code, reason = "makes a runtime without functions")]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ptr::without_provenance_mut;

use super::{Access, Order, Uses, Who};
use crate::device::{Device, DeviceState};
use crate::ffi::CudaRuntime;
use crate::queue::Queue;
use crate::runtime::Runtime;

const EITHER: [Access; 2] = [Access::Read, Access::Write];
/// Points in time at which the thread without notes can take a step: around the six steps of the other, and inside the first of
/// each three, before and after the event is recorded.
const TIMES: usize = 11;

fn queues() -> [Queue; 3] {
    // SAFETY: no function of it is called, because it has none.
    let runtime = unsafe { Runtime::from_table(Box::leak(Box::new(CudaRuntime::EMPTY))) };
    let device = Device(Box::leak(Box::new(DeviceState::new(runtime, 0))));
    [0x100, 0x200, 0x300].map(|handle| Queue::new(device, without_provenance_mut(handle), 0, false))
}

/// What is in the streams, by number, and what each piece of work is behind.
#[derive(Default)]
struct Streams {
    work: [Vec<usize>; 3],
    waited_for: [BTreeSet<usize>; 3],
    behind: [BTreeSet<usize>; 6],
}

impl Streams {
    fn put(&mut self, stream: usize, work: usize) {
        self.behind[work] = self.waited_for[stream].clone();
        self.behind[work].extend(&self.work[stream]);
        self.work[stream].push(work);
    }

    fn wait(&mut self, stream: usize, other: usize) {
        let mut more = self.waited_for[other].clone();
        more.extend(&self.work[other]);
        self.waited_for[stream].append(&mut more);
    }
}

struct World<'w> {
    uses: Uses,
    queues: &'w [Queue; 3],
    streams: RefCell<Streams>,
}

impl World<'_> {
    /// Begins a use. `meanwhile` is called before and after an event is recorded.
    fn begin(&self, stream: usize, access: Access, meanwhile: impl Fn(bool)) {
        let wait = |queue: &Queue| {
            let other = self.queues.iter().position(|known| known.is(queue)).expect("one of them");
            meanwhile(false);
            self.streams.borrow_mut().wait(stream, other);
            meanwhile(true);
            Ok(())
        };
        let began = self.uses.begin(&self.queues[stream], access, Order::Automatic, Who::Borrower, wait);
        assert_eq!(began, Ok(true));
    }

    fn put(&self, stream: usize, work: usize) {
        self.streams.borrow_mut().put(stream, work);
    }

    fn end(&self, stream: usize, access: Access) {
        self.uses.end(&self.queues[stream], access, Who::Borrower);
    }

    /// A whole use, with a note or without.
    fn use_once(&self, stream: usize, access: Access, work: usize) {
        let mut one = Unnoted::new(stream, access, work, [0; 3]);
        one.go_on(self, 0, true);
        assert!(one.is_over());
    }

    fn is_covered(&self, stream: usize, access: Access) -> bool {
        self.uses.sole.covers(&self.queues[stream], access)
    }
}

/// A use as [`Sole`](super::Sole) makes it, in three steps, each at its time: a look, the work, another look. If the first says no,
/// it is a noted one.
struct Unnoted {
    stream: usize,
    access: Access,
    work: usize,
    times: [usize; 3],
    step: usize,
    noted: bool,
    /// What the second look said.
    late: Option<bool>,
}

impl Unnoted {
    fn new(stream: usize, access: Access, work: usize, times: [usize; 3]) -> Self {
        Self { stream, access, work, times, step: 0, noted: false, late: None }
    }

    fn is_over(&self) -> bool {
        self.step == 3
    }

    /// Takes the steps whose time has come, as far as they need no lock that somebody has.
    fn go_on(&mut self, world: &World<'_>, now: usize, unlocked: bool) {
        let (stream, access) = (self.stream, self.access);
        while !self.is_over() && self.times[self.step] <= now {
            match self.step {
                0 if world.is_covered(stream, access) => {}
                0 if !unlocked => return,
                0 => {
                    world.begin(stream, access, |_| ());
                    self.noted = true;
                }
                1 => world.put(stream, self.work),
                _ if self.noted => {
                    if !unlocked {
                        return;
                    }
                    world.end(stream, access);
                }
                _ => {
                    if *self.late.get_or_insert_with(|| !world.is_covered(stream, access)) {
                        if !unlocked {
                            return;
                        }
                        world.uses.note_late(&world.queues[stream], access);
                    }
                }
            }
            self.step += 1;
        }
    }
}

/// Work 0 is there, of the first stream on all of the memory. Work 1 is the first stream's, on one part; 2 and 3 are another thread's,
/// on the other part, or on all of it if 1 is over. Then come the last two, on all of it.
fn meet(
    queues: &[Queue; 3],
    times: [usize; 3],
    accesses: [Access; 4],
    streams: [usize; 2],
    last: [(usize, Access); 2],
) {
    let world = World { uses: Uses::default(), queues, streams: RefCell::default() };
    world.use_once(0, accesses[0], 0);
    let first = RefCell::new(Unnoted::new(0, accesses[1], 1, times));
    let mut is_behind_first = false;
    for (round, stream) in streams.into_iter().enumerate() {
        let (start, work) = (5 * round, 2 + round);
        let access = accesses[work];
        first.borrow_mut().go_on(&world, start, true);
        is_behind_first = first.borrow().is_over();
        world.begin(stream, access, |after| {
            first.borrow_mut().go_on(&world, start + 1 + usize::from(after), false);
        });
        first.borrow_mut().go_on(&world, start + 3, true);
        world.put(stream, work);
        first.borrow_mut().go_on(&world, start + 4, true);
        world.end(stream, access);
    }
    first.borrow_mut().go_on(&world, TIMES, true);
    let conflict = |one, other| one == Access::Write || other == Access::Write;
    let told = format!("at {times:?}, {accesses:?} in {streams:?}, then {last:?}");
    if is_behind_first && conflict(accesses[1], accesses[3]) {
        assert!(world.streams.borrow().behind[3].contains(&1), "the second use comes first, {told}");
    }
    let mut before: Vec<(usize, Access)> = accesses.into_iter().enumerate().collect();
    for (index, (stream, access)) in last.into_iter().enumerate() {
        world.use_once(stream, access, 4 + index);
        let behind = world.streams.borrow().behind[4 + index].clone();
        for (work, its) in &before {
            assert!(
                !conflict(*its, access) || behind.contains(work),
                "{} comes before {work}, {told}",
                4 + index
            );
        }
        before.push((4 + index, access));
    }
}

#[test]
fn whoever_comes_last_is_behind_all() {
    let queues = queues();
    let either = |bits: usize, bit: usize| EITHER[bits >> bit & 1];
    let mut met = 0;
    for look in 0..TIMES {
        for put in look..TIMES {
            for again in put..TIMES {
                for bits in 0..1 << 6 {
                    let accesses = [0, 1, 2, 3].map(|bit| either(bits, bit));
                    for streams in [[1, 1], [1, 0], [0, 1]] {
                        for [one, other] in [[0, 2], [1, 2], [2, 0], [2, 1]] {
                            let last = [(one, either(bits, 4)), (other, either(bits, 5))];
                            meet(&queues, [look, put, again], accesses, streams, last);
                            met += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(met, 286 * 64 * 3 * 4);
}
