//! The links between devices, as far as something is wrong with them.
//!
//! Kernels touch memory by real addresses, in one address space, so what is wrong with a link is made by changing memory around
//! their accesses: what a store wrote is taken back, or lives in the owner's place for as long as the accessor runs. So that
//! nobody sees what is only there meanwhile, a machine with such links lets one device at a time run: each step of a kernel,
//! and each piece of a copy, holds the [`Turn`], and leaves memory as the owners are to see it. What is there meanwhile
//! other processes do not see either, whose devices wait for no turn of this one's: the memory is set apart ([`Space::set_apart`]).

mod mirror;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::config::{Defect, Means};
use crate::rng::Rng;
use crate::space::{Allocation, Owner, Space};
use mirror::Mirror;

/// What is wrong with writes over a link, or with the link as such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// They are lost.
    Dropped,
    /// They go to a copy that the accessor alone sees.
    Mirrored,
    /// A bit of every so many flips.
    Flipped(u64),
    /// Nothing ever arrives, and nobody is told.
    Hung,
}

/// A GPU, by the machine's number: not by the ordinal that a device has in this process, which may not see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Gpu(usize);

/// From the accessor to the owner, or from the GPU that bytes come from to the one that they go to.
pub(crate) type Pair = (Gpu, Gpu);

/// All links of a machine that something is wrong with.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// By ordinal.
    gpus: Vec<Gpu>,
    fates: Vec<(Pair, Means, Fate)>,
    turn: Mutex<()>,
    state: Mutex<State>,
    hung: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    mirrors: BTreeMap<Pair, Mirror>,
    /// Writes over links that flip bits.
    writes: BTreeMap<Pair, u64>,
}

/// While it lives, no other device runs, unless every link is sound.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    _held: Option<MutexGuard<'a, ()>>,
}

impl Links {
    /// The links of a machine with these defects, told in the machine's numbers, of whose GPUs this process sees some.
    pub(crate) fn new(defects: &[Defect], gpus: &[usize]) -> Links {
        let fate = |defect: &Defect| match defect {
            Defect::DroppedWrites { .. } => Some(Fate::Dropped),
            Defect::PrivateMirror { .. } => Some(Fate::Mirrored),
            Defect::BitFlips { every, .. } => Some(Fate::Flipped(*every)),
            Defect::Hang { .. } => Some(Fate::Hung),
            _ => None,
        };
        let link = |defect: &Defect| {
            let (accessor, owner, by) = defect.link()?;
            // Of two that this process does not see it has nothing.
            let met = gpus.contains(&accessor) || gpus.contains(&owner);
            Some(((Gpu(accessor), Gpu(owner)), by, fate(defect).filter(|_| met)?))
        };
        let fates = defects.iter().filter_map(link).collect();
        Links { gpus: gpus.iter().copied().map(Gpu).collect(), fates, ..Links::default() }
    }

    /// The GPU behind an ordinal. A space without a machine has them in order.
    pub(crate) fn gpu(&self, ordinal: usize) -> Gpu {
        self.gpus.get(ordinal).copied().unwrap_or(Gpu(ordinal))
    }

    /// The GPU that memory is on; `None` for the host's.
    pub(crate) fn home(&self, at: &Allocation) -> Option<Gpu> {
        match at.owner {
            Owner::Imported { gpu, .. } => Some(Gpu(gpu)),
            Owner::Device { ordinal, .. } | Owner::Virtual { ordinal, .. } => Some(self.gpu(ordinal)),
            Owner::Host => None,
        }
    }

    /// Of memory that is on another GPU than that of the device it counts as: that device's, which alone reaches it, and the one that
    /// it is on.
    pub(crate) fn detour(&self, at: &Allocation) -> Option<Pair> {
        let Owner::Imported { ordinal, gpu } = at.owner else { return None };
        let pair = (self.gpu(ordinal), Gpu(gpu));
        (pair.0 != pair.1).then_some(pair)
    }

    /// Whether nothing is wrong with any of them.
    pub(crate) fn are_sound(&self) -> bool {
        self.fates.is_empty()
    }

    /// What becomes of what the first does to the memory of the second by these means.
    pub(crate) fn fate(&self, crossed: Pair, by: Means) -> Option<Fate> {
        let it = |(pair, means, _): &&(Pair, Means, Fate)| *pair == crossed && means.meets(by);
        self.fates.iter().find(it).map(|(_, _, fate)| *fate)
    }

    /// Whether something is wrong with any link of an accessor's kernels.
    pub(crate) fn troubles_kernels_of(&self, accessor: Gpu) -> bool {
        self.fates.iter().any(|((it, _), means, _)| *it == accessor && means.meets(Means::Kernel))
    }

    /// Waits until no other device runs.
    pub(crate) fn turn(&self) -> Turn<'_> {
        Turn { _held: (!self.are_sound()).then(|| self.turn.lock().unwrap_or_else(PoisonError::into_inner)) }
    }

    /// Counts one write over a link where one in `every` flips a bit. If it is this one: which bit of so many bytes.
    pub(crate) fn flips(&self, crossed: Pair, every: u64, bytes: usize) -> Option<usize> {
        let mut state = self.state();
        let writes = state.writes.entry(crossed).or_default();
        *writes += 1;
        let bits = 8 * bytes as u64;
        let due = bits > 0 && writes.is_multiple_of(every);
        due.then(|| usize::try_from(Rng::new(*writes).below(bits)).unwrap_or(0))
    }

    /// Notes that something will never end.
    pub(crate) fn hang(&self) {
        self.hung.store(true, Ordering::Relaxed);
    }

    /// Whether something will never end.
    pub(crate) fn is_hung(&self) -> bool {
        self.hung.load(Ordering::Relaxed)
    }

    /// Puts what `accessor` has in its private copy into the place of the bytes at `address`, until [`Links::put_back`], and notes
    /// that it writes there if it does.
    pub(crate) fn show(
        &self,
        space: &Space,
        pair: Pair,
        at: &Allocation,
        place: (usize, usize),
        writes: bool,
    ) {
        self.state().mirrors.entry(pair).or_default().show(space, at, place, writes);
    }

    /// Makes all memory again what its owners are to see.
    pub(crate) fn put_back(&self, space: &Space, accessor: Gpu) {
        if self.are_sound() {
            return;
        }
        for (pair, mirror) in &mut self.state().mirrors {
            if pair.0 == accessor {
                mirror.put_back(space);
            }
        }
        space.rejoin();
    }

    /// Writes bytes into the private copy that an accessor has of an owner's memory.
    pub(crate) fn write_mirror(&self, pair: Pair, at: &Allocation, address: usize, bytes: &[u8]) {
        self.state().mirrors.entry(pair).or_default().write(at, address, bytes);
    }

    /// Lays what an accessor has in its private copy over bytes that were read at `address`.
    pub(crate) fn read_mirror(&self, pair: Pair, at: &Allocation, address: usize, bytes: &mut [u8]) {
        if let Some(mirror) = self.state().mirrors.get(&pair) {
            mirror.read(at, address, bytes);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fate_has_a_direction_and_means() {
        let drop = Defect::DroppedWrites { accessor: 0, owner: 1, by: Means::Copy };
        let hang = Defect::Hang { accessor: 1, owner: 0, by: Means::Any };
        let links = Links::new(&[drop, hang], &[0, 1]);
        let [there, back] = [(Gpu(0), Gpu(1)), (Gpu(1), Gpu(0))];
        assert_eq!(links.fate(there, Means::Copy), Some(Fate::Dropped));
        assert_eq!(links.fate(there, Means::Kernel), None);
        assert_eq!(links.fate(back, Means::Kernel), Some(Fate::Hung));
        assert_eq!([0, 1].map(|accessor| links.troubles_kernels_of(Gpu(accessor))), [false, true]);
    }

    #[test]
    fn memory_of_another_process_is_on_its_gpu_whether_that_is_seen_or_not() {
        let drop = |accessor, owner| Defect::DroppedWrites { accessor, owner, by: Means::Any };
        let links = Links::new(&[drop(3, 1), drop(0, 1)], &[3, 2]);
        let at = |owner| Allocation { base: 4096, bytes: 16, owner, id: 1 };
        let opened = at(Owner::Imported { ordinal: 0, gpu: 1 });
        assert_eq!((links.home(&opened), links.detour(&opened)), (Some(Gpu(1)), Some((Gpu(3), Gpu(1)))));
        assert_eq!(links.fate((links.gpu(0), Gpu(1)), Means::Copy), Some(Fate::Dropped));
        let own = [Owner::Imported { ordinal: 1, gpu: 2 }, Owner::Device { ordinal: 1, pool: None }];
        for owner in own {
            assert_eq!((links.home(&at(owner)), links.detour(&at(owner))), (Some(Gpu(2)), None));
        }
        assert_eq!(links.home(&at(Owner::Host)), None);
        assert!(Links::new(&[drop(0, 1)], &[2, 3]).are_sound(), "both are out of sight");
    }

    #[test]
    fn every_third_write_flips() {
        let links = Links::default();
        let flips: Vec<bool> = (0..6).map(|_| links.flips((Gpu(0), Gpu(1)), 3, 4).is_some()).collect();
        assert_eq!(flips, [false, false, true, false, false, true]);
        assert!((0..100).all(|_| links.flips((Gpu(1), Gpu(0)), 1, 2).is_some_and(|bit| bit < 16)));
        assert_eq!(links.flips((Gpu(1), Gpu(0)), 1, 0), None);
    }
}
