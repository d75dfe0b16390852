//! The way of a copy between two devices.
//!
//! A copy takes the way that is open when it runs. One of a graph takes the way that was open when the graph was instantiated,
//! for good: if that is closed afterwards, a launch ends in error 719, although the bytes could go through the host (seen on
//! H200). Opening it again helps there in some runs, and not in others; here it does not.

use super::{Copy, Place};
use crate::space::{Allocation, Space};

/// How the way is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// When the copy runs.
    Open,
    /// Through the host, or inside one device.
    Host,
    /// Over the link, by an access of one to the other's memory that had been taken away so many times.
    Link { accessor: usize, owner: usize, closings: u64 },
}

pub(super) fn owner(at: Option<&Allocation>) -> Option<usize> {
    at?.owner.device()
}

/// The way that is open from `src` to `dst`. What pushes comes first.
pub(super) fn open(space: &Space, dst: &Allocation, src: &Allocation) -> Way {
    match (owner(Some(src)), owner(Some(dst))) {
        (Some(from), Some(to)) if from != to => {
            let link = |accessor, owner| {
                let closings = space.closings(accessor, owner);
                Way::Link { accessor, owner, closings }
            };
            if space.may_access(from, dst) {
                link(from, to)
            } else if space.may_access(to, src) {
                link(to, from)
            } else {
                Way::Host
            }
        }
        _ => Way::Host,
    }
}

impl Copy {
    /// Chooses the way for good.
    pub(crate) fn choose_way(&mut self, space: &Space) {
        let find = |place: &Place, address: usize| match place {
            Place::Machine => space.find_range(address, 1).ok(),
            Place::Pageable | Place::Staged(_) => None,
        };
        let ends = (find(&self.dst_place, self.dst.address), find(&self.src_place, self.src.address));
        self.way = match ends {
            (Some(dst), Some(src)) => open(space, &dst, &src),
            _ => Way::Host,
        };
    }

    /// The device by whose access the chosen way goes, if it goes by one.
    pub(crate) fn accessor(&self) -> Option<usize> {
        match self.way {
            Way::Link { accessor, .. } => Some(accessor),
            Way::Open | Way::Host => None,
        }
    }

    /// Goes the way of another copy.
    pub(crate) fn go_the_way_of(&mut self, other: &Copy) {
        self.way = other.way;
    }
}
