//! The plain host model: what every call must do, if each took effect at once.

mod choose;
mod choose_copy;
mod choose_launch;
mod choose_pool;
mod choose_range;
mod copies;
mod graphs;
mod launches;
mod objects;
mod peers;
mod pools;
mod range_copies;
mod range_graphs;
mod ranges;

use std::collections::{BTreeMap, BTreeSet};

use cuda_p2p::Error;

use crate::action::{Action, Part};
use crate::answer::{Answer, Predicted, Want};
use crate::machine::Machine;

pub(crate) use choose::Choice;
use graphs::Graph;
use ranges::{Physical, Range};

/// Slots of each kind of object.
pub(crate) const BUFFERS: usize = 8;
pub(crate) const STREAMS: usize = 7;
pub(crate) const EVENTS: usize = 4;
pub(crate) const TOKENS: usize = 6;
pub(crate) const PINNED: usize = 3;
pub(crate) const GRAPHS: usize = 3;
pub(crate) const POOLS: usize = 3;
pub(crate) const RANGES: usize = 2;
pub(crate) const PHYSICAL: usize = 3;

/// Memory, of a device or pinned.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// Unique in the program.
    pub(crate) id: u64,
    pub(crate) device: usize,
    pub(crate) bytes: Vec<u8>,
    /// The number of the pool that it came from.
    pub(crate) pool: Option<usize>,
    /// Whether it is the host's.
    pub(crate) pinned: bool,
}

/// A pool, which its memory keeps.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pub(crate) device: usize,
    pub(crate) grants: BTreeSet<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) device: usize,
    pub(crate) timed: bool,
    pub(crate) recorded: bool,
}

/// An ordered pair of devices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pair {
    /// What the runtime knows.
    pub(crate) enabled: bool,
    /// Whether the crate did it.
    pub(crate) here: bool,
    pub(crate) tokens: usize,
}

impl Pair {
    /// Whether the crate knows that it is enabled.
    fn is_on(self) -> bool {
        self.here || self.tokens > 0
    }
}

/// The state that a program has reached.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) machine: Machine,
    pub(crate) cast: Vec<usize>,
    pub(crate) buffers: [Option<Memory>; BUFFERS],
    pub(crate) pinned: [Option<Memory>; PINNED],
    pub(crate) graphs: [Option<Graph>; GRAPHS],
    /// Memory of buffers, pinned ones too, that were dropped, and which graphs use.
    pub(crate) kept: Vec<Memory>,
    /// The same of what is mapped in ranges.
    pub(crate) kept_physical: Vec<Physical>,
    next_id: u64,
    pub(crate) ranges: [Option<Range>; RANGES],
    /// Physical memory that is not mapped.
    pub(crate) physical: [Option<Physical>; PHYSICAL],
    /// The number of each.
    pub(crate) pools: [Option<usize>; POOLS],
    /// All pools that there were, by number.
    pub(crate) all_pools: Vec<Pool>,
    /// The device of each.
    pub(crate) streams: [Option<usize>; STREAMS],
    pub(crate) events: [Option<Event>; EVENTS],
    /// Accessor and owner of each.
    pub(crate) tokens: [Option<(usize, usize)>; TOKENS],
    pub(crate) pairs: BTreeMap<(usize, usize), Pair>,
    /// Devices on which the crate has a stream of its own, for zeroing new memory and for copies that wait.
    pub(crate) zeroing: BTreeSet<usize>,
    pub(crate) copying: BTreeSet<usize>,
    /// Devices of pools that gave memory: the crate may have a stream there, for freeing what several streams used.
    pub(crate) freeing: BTreeSet<usize>,
    /// Current device of the thread, and its pending error.
    pub(crate) current: usize,
    pub(crate) pending: u32,
}

impl Model {
    pub(crate) fn new(machine: Machine, cast: Vec<usize>) -> Self {
        Self {
            machine,
            cast,
            buffers: Default::default(),
            pinned: Default::default(),
            graphs: Default::default(),
            kept: Vec::new(),
            kept_physical: Vec::new(),
            next_id: 0,
            ranges: Default::default(),
            physical: Default::default(),
            pools: Default::default(),
            all_pools: Vec::new(),
            streams: Default::default(),
            events: Default::default(),
            tokens: Default::default(),
            pairs: BTreeMap::new(),
            zeroing: BTreeSet::new(),
            copying: BTreeSet::new(),
            freeing: BTreeSet::new(),
            current: 0,
            pending: 0,
        }
    }

    /// Takes `action` as done, and says what it must answer.
    pub(crate) fn predict(&mut self, action: &Action) -> Predicted {
        match action {
            Action::Enable { .. }
            | Action::EnableBoth { .. }
            | Action::CloneToken { .. }
            | Action::DropToken { .. }
            | Action::Disable { .. }
            | Action::OthersEnable { .. }
            | Action::Ask { .. } => self.predict_peers(action),
            Action::Upload { .. }
            | Action::Download { .. }
            | Action::ReadAll { .. }
            | Action::FromPinned { .. }
            | Action::ToPinned { .. }
            | Action::FillBytes { .. }
            | Action::Copy { .. }
            | Action::CopyWithin { .. }
            | Action::CopyPeer { .. } => self.predict_copy(action),
            Action::Capture { .. } | Action::LaunchGraph { .. } | Action::DropGraph { .. } => {
                self.predict_graph(action)
            }
            Action::NewPool { .. }
            | Action::DropPool { .. }
            | Action::AllocateFrom { .. }
            | Action::Grant { .. }
            | Action::Ungrant { .. }
            | Action::AskGrant { .. } => self.predict_pools(action),
            Action::Virtual(action) => self.predict_virtual(action),
            Action::Launch { kernel, to, from, stream, shape } => {
                self.predict_launch(*kernel, to, from.as_ref(), *stream, *shape)
            }
            _ => self.predict_objects(action),
        }
    }

    fn buffer(&self, buffer: usize) -> &Memory {
        self.buffers[buffer].as_ref().expect("actions name objects that there are")
    }

    fn bytes_of(&mut self, part: &Part) -> &mut [u8] {
        let memory = self.buffers[part.buffer].as_mut().expect("actions name objects that there are");
        &mut memory.bytes[part.range.clone()]
    }

    /// The device of a stream.
    fn stream(&self, stream: usize) -> usize {
        self.streams[stream].expect("actions name objects that there are")
    }

    /// The error of a range that is not within its buffer.
    fn check_part(&self, part: &Part) -> Result<(), Want> {
        check_range(&part.range, self.buffer(part.buffer).bytes.len())
    }

    /// The error of memory that is not of the stream's device.
    fn check_own(&self, part: &Part, stream: usize) -> Result<(), Want> {
        same_device("the slice", self.stream(stream), self.buffer(part.buffer).device)
    }

    /// Live slots.
    fn live<T>(slots: &[Option<T>]) -> Vec<usize> {
        (0..slots.len()).filter(|&slot| slots[slot].is_some()).collect()
    }
}

fn check_range(range: &std::ops::Range<usize>, len: usize) -> Result<(), Want> {
    if range.start <= range.end && range.end <= len {
        return Ok(());
    }
    Err(Error::OutOfBounds { start: range.start, end: range.end, len }.into())
}

fn same_length(destination: usize, source_len: usize) -> Result<(), Want> {
    if destination == source_len {
        return Ok(());
    }
    Err(Error::SizeMismatch { destination, source_len }.into())
}

fn same_device(what: &'static str, expected: usize, found: usize) -> Result<(), Want> {
    if expected == found {
        return Ok(());
    }
    Err(Error::WrongDevice { what, expected: ordinal(expected), found: ordinal(found) }.into())
}

fn ordinal(device: usize) -> u32 {
    u32::try_from(device).expect("machines have few devices")
}

const DONE: Predicted = Ok(Answer::Done);
