//! A device's kernels and the links that something is wrong with.
//!
//! A hook comes before its access, and of the few that come before one copy of a struct all come before it. So what an access did
//! is settled at the hooks that follow, more than once, and for good at the end of the thread's turn. Until then no other
//! device runs, see [`crate::link`].
//!
//! # Safety
//! This file touches memory by address, always inside [`Space::while_live`], at places that the kernel was allowed to touch.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::config::Means;
use crate::link::{Fate, Gpu, Pair};
use crate::space::{Allocation, Space};

/// Writes that may not have happened yet when a later hook is called. Two are the most that compilers make.
const UNSETTLED: usize = 8;

/// A write over a link that has been announced.
#[derive(Debug)]
enum Write {
    /// It is lost: these bytes come back.
    Dropped { at: Allocation, address: usize, old: Vec<u8> },
    /// This bit of it flips once it has happened.
    Flipped { at: Allocation, address: usize, bit: u8 },
}

/// Whether an access gets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passage {
    Open,
    Hung,
    /// The system has no pages to keep from other processes what they are not to see.
    NoPages,
}

/// What the hooks of one kernel run know of its device's links.
#[derive(Debug)]
pub(super) struct Wire {
    gpu: Gpu,
    space: Arc<Space>,
    writes: RefCell<VecDeque<Write>>,
}

impl Write {
    /// Takes back what a lost write may have done. Does no harm before it and after it.
    fn settle(&self, space: &Space) {
        if let Write::Dropped { at, address, old } = self {
            // SAFETY: see the head of this file.
            let undo = || unsafe {
                ptr::with_exposed_provenance_mut::<u8>(*address)
                    .copy_from_nonoverlapping(old.as_ptr(), old.len());
            };
            // Memory that is gone needs nothing taken back.
            let _ = space.while_live(at, undo);
        }
    }

    /// To be called once, when the write has happened.
    fn end(&self, space: &Space) {
        self.settle(space);
        if let Write::Flipped { at, address, bit } = self {
            // Other processes may write there at the same time.
            // SAFETY: see the head of this file.
            let byte = || unsafe { AtomicU8::from_ptr(ptr::with_exposed_provenance_mut(*address)) };
            let flip = || byte().fetch_xor(1 << bit, Ordering::Relaxed);
            let _ = space.while_live(at, flip);
        }
    }
}

impl Wire {
    /// `None` if every link of the device is sound.
    pub(super) fn new(device: usize, space: &Arc<Space>) -> Option<Wire> {
        let gpu = space.links().gpu(device);
        let troubled = space.links().troubles_kernels_of(gpu);
        troubled.then(|| Wire { gpu, space: Arc::clone(space), writes: RefCell::default() })
    }

    /// What becomes of an access to this memory, and on which link.
    fn fate(&self, at: &Allocation) -> Option<(Fate, Pair)> {
        let pair = (self.gpu, self.space.links().home(at)?);
        Some((self.space.links().fate(pair, Means::Kernel)?, pair))
    }

    /// Whether each access to this memory must be told to [`Wire::pass`].
    pub(super) fn leads_to(&self, at: &Allocation) -> bool {
        self.fate(at).is_some()
    }

    /// Announces an access to so many bytes at an address.
    pub(super) fn pass(&self, at: &Allocation, (address, bytes): (usize, usize), writes: bool) -> Passage {
        let Some((fate, pair)) = self.fate(at) else { return Passage::Open };
        let hidden = fate == Fate::Mirrored || fate == Fate::Dropped && writes;
        if hidden && self.space.set_apart(at).is_err() {
            return Passage::NoPages;
        }
        match fate {
            Fate::Hung => {
                self.space.links().hang();
                return Passage::Hung;
            }
            Fate::Mirrored => self.space.links().show(&self.space, pair, at, (address, bytes), writes),
            Fate::Dropped if writes => {
                let mut old = vec![0; bytes];
                // SAFETY: see the head of this file.
                let keep = || unsafe {
                    ptr::with_exposed_provenance::<u8>(address)
                        .copy_to_nonoverlapping(old.as_mut_ptr(), bytes);
                };
                if self.space.while_live(at, keep).is_some() {
                    self.announce(Write::Dropped { at: *at, address, old });
                }
            }
            Fate::Flipped(every) if writes => {
                if let Some(bit) = self.space.links().flips(pair, every, bytes) {
                    let (address, bit) = (address + bit / 8, (bit % 8) as u8);
                    self.announce(Write::Flipped { at: *at, address, bit });
                }
            }
            Fate::Dropped | Fate::Flipped(_) => {}
        }
        Passage::Open
    }

    fn announce(&self, write: Write) {
        let mut writes = self.writes.borrow_mut();
        writes.push_back(write);
        if writes.len() > UNSETTLED
            && let Some(oldest) = writes.pop_front()
        {
            oldest.end(&self.space);
        }
    }

    /// Before the next access: settles what came before.
    pub(super) fn settle(&self) {
        // The newest first: of two writes to one place, the bytes before the first come back.
        self.writes.borrow().iter().rev().for_each(|write| write.settle(&self.space));
    }

    /// The running thread has stopped or ended.
    pub(super) fn end_turn(&self) {
        self.writes.borrow_mut().drain(..).rev().for_each(|write| write.end(&self.space));
    }
}
