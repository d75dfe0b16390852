//! The operations that streams hold: what waits for what, what is ready, what runs.
//!
//! Plain bookkeeping under the machine's lock. Streams are only tails here: an operation knows the operations that must end
//! first, and nothing else orders it.

mod schedule;
mod work;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::ipc::event::Signal;
use crate::rng::Rng;
use schedule::Adversary;
pub(crate) use schedule::Choice;
pub(crate) use work::{HostCall, Launch, Work};

/// Number of an operation: counts up, so a smaller one was submitted earlier.
pub(crate) type OpId = u64;

/// One thread of the machine: each device has one for kernels and copies, and one for host functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) device: usize,
    pub(crate) host: bool,
}

impl Lane {
    pub(crate) fn index(self) -> usize {
        2 * self.device + usize::from(self.host)
    }
}

#[derive(Debug)]
struct Op {
    lane: Lane,
    /// Devices whose synchronisation waits for this operation.
    devices: Vec<usize>,
    stream: u64,
    waits_for: usize,
    dependents: Vec<OpId>,
    work: Option<Work>,
}

#[derive(Debug)]
struct Running {
    lane: Lane,
    stream: u64,
    /// Others need not wait for it: a kernel that spins, a host function.
    yielding: bool,
    steps: u32,
    copies: bool,
}

/// All operations that are not done.
#[derive(Debug)]
pub(crate) struct Queue {
    ops: BTreeMap<OpId, Op>,
    next: OpId,
    /// By lane.
    ready: Vec<BTreeSet<OpId>>,
    /// Ready, and in need of no thread.
    instant: VecDeque<OpId>,
    /// Ready, but for a signal of another process.
    awaiting: Vec<(OpId, Signal)>,
    /// By device.
    live: Vec<BTreeSet<OpId>>,
    running: BTreeMap<OpId, Running>,
    adversary: Option<Adversary>,
}

impl Queue {
    pub(crate) fn new(devices: usize, seed: Option<u64>) -> Queue {
        Queue {
            ops: BTreeMap::new(),
            next: 1,
            ready: vec![BTreeSet::new(); 2 * devices],
            instant: VecDeque::new(),
            awaiting: Vec::new(),
            live: vec![BTreeSet::new(); devices],
            running: BTreeMap::new(),
            adversary: seed.map(|seed| Adversary::new(Rng::new(seed))),
        }
    }

    /// Adds an operation that `by` does, and that starts when all of `after` are done. It counts as work of `devices`.
    pub(crate) fn submit(
        &mut self,
        (by, devices): (usize, &[usize]),
        stream: u64,
        after: &[OpId],
        work: Work,
    ) -> OpId {
        let id = self.next;
        self.next += 1;
        let after: BTreeSet<OpId> = after.iter().copied().filter(|op| self.ops.contains_key(op)).collect();
        for earlier in &after {
            if let Some(earlier) = self.ops.get_mut(earlier) {
                earlier.dependents.push(id);
            }
        }
        for &device in devices {
            self.live[device].insert(id);
        }
        let lane = Lane { device: by, host: matches!(work, Work::Host(_)) };
        if let Some(adversary) = &mut self.adversary {
            adversary.submitted(stream);
        }
        let waits_for = after.len();
        let devices = devices.to_vec();
        let op = Op { lane, devices, stream, waits_for, dependents: Vec::new(), work: Some(work) };
        self.ops.insert(id, op);
        if waits_for == 0 {
            self.make_ready(id);
        }
        id
    }

    fn make_ready(&mut self, id: OpId) {
        let Some(op) = self.ops.get(&id) else { return };
        if let Some(Work::Await(signal)) = &op.work
            && !signal.is_sent()
        {
            self.awaiting.push((id, signal.clone()));
        } else if op.work.as_ref().is_some_and(Work::is_instant) {
            self.instant.push_back(id);
        } else {
            self.ready[op.lane.index()].insert(id);
        }
    }

    /// Whether an operation waits for nothing but a signal.
    pub(crate) fn is_awaiting(&self) -> bool {
        !self.awaiting.is_empty()
    }

    /// Looks which signals have come.
    fn look_for_signals(&mut self) {
        let instant = &mut self.instant;
        self.awaiting.retain(|(id, signal)| {
            let sent = signal.is_sent();
            if sent {
                instant.push_back(*id);
            }
            !sent
        });
    }

    /// The next operation that is ready and needs no thread. To be followed by [`Queue::finish`].
    pub(crate) fn take_instant(&mut self) -> Option<(OpId, Work)> {
        self.look_for_signals();
        let id = self.instant.pop_front()?;
        let work = self.ops.get_mut(&id)?.work.take()?;
        Some((id, work))
    }

    /// Takes a ready operation to run it. To be followed by [`Queue::finish`].
    pub(crate) fn start(&mut self, id: OpId) -> Option<Work> {
        let op = self.ops.get_mut(&id)?;
        let work = op.work.take()?;
        self.ready[op.lane.index()].remove(&id);
        let copies = work.touches_memory();
        let yielding = matches!(work, Work::Host(_));
        self.running.insert(id, Running { lane: op.lane, stream: op.stream, yielding, steps: 0, copies });
        Some(work)
    }

    /// Notes one turn of a running operation.
    pub(crate) fn stepped(&mut self, id: OpId, waiting: bool) {
        let Some(running) = self.running.get_mut(&id) else { return };
        running.steps = running.steps.saturating_add(1);
        running.yielding = waiting || !running.copies && running.steps > schedule::LONG;
        let (copies, stream) = (running.copies, running.stream);
        if let Some(adversary) = &mut self.adversary {
            adversary.turn_taken();
            // The number of turns of a kernel can depend on the clock; the schedule must not.
            if copies {
                adversary.maybe_change(stream);
            }
        }
    }

    /// Whether others need not wait for this running operation.
    pub(crate) fn is_yielding(&self, id: OpId) -> bool {
        self.running.get(&id).is_none_or(|running| running.yielding)
    }

    /// Ends an operation, whatever became of it.
    pub(crate) fn finish(&mut self, id: OpId) {
        let ran = self.running.remove(&id);
        if let Some(adversary) = &mut self.adversary {
            if ran.is_some_and(|it| !it.yielding) {
                adversary.turn_taken();
            }
            adversary.settle();
        }
        let Some(op) = self.ops.remove(&id) else { return };
        for device in op.devices {
            self.live[device].remove(&id);
        }
        for later in op.dependents {
            let Some(op) = self.ops.get_mut(&later) else { continue };
            op.waits_for -= 1;
            if op.waits_for == 0 {
                self.make_ready(later);
            }
        }
    }

    /// Drops all operations. Those that run go on to their end, but count no more.
    pub(crate) fn clear(&mut self) {
        self.ops.clear();
        self.instant.clear();
        self.awaiting.clear();
        self.ready.iter_mut().chain(&mut self.live).for_each(BTreeSet::clear);
    }

    /// The thread of a lane is gone: nothing that it ran runs any more.
    pub(crate) fn abandon(&mut self, lane: Lane) {
        self.running.retain(|_, running| running.lane != lane);
    }

    /// Whether the operation is still to be done.
    pub(crate) fn is_live(&self, id: OpId) -> bool {
        self.ops.contains_key(&id)
    }

    /// The number that the next operation will have.
    pub(crate) fn next_id(&self) -> OpId {
        self.next
    }

    /// Whether the device has an operation with a smaller number than `limit`.
    pub(crate) fn busy_before(&self, device: usize, limit: OpId) -> bool {
        self.live[device].first().is_some_and(|&id| id < limit)
    }

    /// Number of operations that are not done.
    pub(crate) fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether a copy or a fill is under way, which holds addresses of the program.
    pub(crate) fn copies_running(&self) -> bool {
        self.running.values().any(|running| running.copies)
    }
}
