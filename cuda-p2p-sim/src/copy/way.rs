//! The way of a copy between two devices.
//!
//! A copy takes the way that is open when it runs. One of a graph takes the way that was open when the graph was instantiated,
//! for good: if that is closed afterwards, a launch ends in error 719, although the bytes could go another way (seen on
//! H200). Peer access that is enabled again helps there in some runs, and not in others; here it does not. A grant of a pool, and access
//! to a mapping, that are given again do.
//!
//! Memory of a pool, and virtual memory, counts for a graph's copy as memory of the node's own device if that has access to it, wherever
//! it is (seen on H200, on each pair of kinds of memory, in streams of both devices). Not seen there: that a grant is asked for at both
//! ends, and beside pinned memory. Nothing speaks for bytes that arrive without access.
//!
//! Of virtual memory it is not known what comes of a mapping that is replaced by another, or to which the node's device has no access.
//! Here it must have access to all of it, and to the same mappings as at the instantiation. What is mapped no more is error 700.

use super::{Copy, Layout, Place, Stopped};
use crate::space::{Allocation, Owner, Space};

/// How the way is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// When the copy runs.
    Open,
    /// Through the host, or inside one device.
    Host,
    /// By one device, for which both ends are as its own.
    Within { device: usize },
    /// Over the link, by a device that pushes to the other end, or pulls from there. By peer access, if that is what opens it, that had
    /// been taken away so many times.
    Link { accessor: usize, pushes: bool, closings: Option<u64> },
}

pub(super) fn owner(at: Option<&Allocation>) -> Option<usize> {
    at?.owner.device()
}

/// Whether access to it is not that to its device.
fn has_access_of_its_own(at: &Allocation) -> bool {
    matches!(at.owner, Owner::Device { pool: Some(_), .. } | Owner::Virtual { .. })
}

/// The way that is open from `src` to `dst`, which count as memory of these devices. What pushes comes first.
fn between(space: &Space, (dst, to): (&Allocation, usize), (src, from): (&Allocation, usize)) -> Way {
    let link = |accessor, pushes, end: &Allocation| {
        let of = owner(Some(end)).filter(|_| !has_access_of_its_own(end));
        Way::Link { accessor, pushes, closings: of.map(|owner| space.closings(accessor, owner)) }
    };
    if space.may_access(from, dst) {
        link(from, true, dst)
    } else if space.may_access(to, src) {
        link(to, false, src)
    } else {
        Way::Host
    }
}

/// The way that is open from `src` to `dst`.
pub(super) fn open(space: &Space, dst: &Allocation, src: &Allocation) -> Way {
    match (owner(Some(dst)), owner(Some(src))) {
        (Some(to), Some(from)) if from != to => between(space, (dst, to), (src, from)),
        _ => Way::Host,
    }
}

/// The way for good of a copy that `device` does.
fn chosen(space: &Space, device: usize, dst: &Allocation, src: &Allocation) -> Way {
    let counts_as = |at: &Allocation| match has_access_of_its_own(at) && space.may_access(device, at) {
        true => Some(device),
        false => owner(Some(at)),
    };
    match (counts_as(dst), counts_as(src)) {
        (Some(to), Some(from)) if from != to => between(space, (dst, to), (src, from)),
        // The other end may be the host's.
        (to, from) if to.or(from) == Some(device) && [dst, src].into_iter().any(has_access_of_its_own) => {
            Way::Within { device }
        }
        _ => Way::Host,
    }
}

impl Way {
    /// Checks that it is as open as when it was chosen.
    pub(super) fn check(self, space: &Space, dst: &Allocation, src: &Allocation) -> Result<(), Stopped> {
        let closed = |accessor, end: &Allocation| {
            Err(Stopped::WayClosed { accessor, owner: owner(Some(end)).unwrap_or(accessor) })
        };
        let (Way::Within { device: accessor } | Way::Link { accessor, .. }) = self else { return Ok(()) };
        // What is as the accessor's own may be so by a grant.
        if let Some(end) = [dst, src].into_iter().find(|end| !space.may_access(accessor, end)) {
            return closed(accessor, end);
        }
        if let Way::Link { pushes, closings: Some(closings), .. } = self {
            let end = if pushes { dst } else { src };
            if owner(Some(end)).is_some_and(|owner| space.closings(accessor, owner) != closings) {
                return closed(accessor, end);
            }
        }
        Ok(())
    }
}

/// What a copy of virtual memory in a graph relies on.
#[derive(Clone, Debug)]
pub(super) struct Reliance {
    device: usize,
    mappings: Vec<u64>,
}

impl Copy {
    /// Chooses the way for good, of a copy that `device` does.
    pub(crate) fn choose_way(&mut self, space: &Space, device: usize) {
        let mapped = self.mapped(space, device);
        if !mapped.is_empty() {
            let mappings = mapped.into_iter().map(|(mapping, _)| mapping).collect();
            self.relies_on = Some(Reliance { device, mappings });
        }
        let find = |place: &Place, address: usize| match place {
            Place::Machine => space.find_range(address, 1).ok(),
            Place::Pageable | Place::Staged(_) => None,
        };
        let ends = (find(&self.dst_place, self.dst.address), find(&self.src_place, self.src.address));
        self.way = match ends {
            (Some(dst), Some(src)) => chosen(space, device, &dst, &src),
            _ => Way::Host,
        };
    }

    /// The virtual memory of both ends, and whether a device may access it.
    fn mapped(&self, space: &Space, device: usize) -> Vec<(u64, bool)> {
        let of = |place: &Place, layout: &Layout| match place {
            Place::Machine => space.mapped(layout.address, layout.span(self.shape).unwrap_or(0), device),
            Place::Pageable | Place::Staged(_) => Vec::new(),
        };
        let mut all = of(&self.dst_place, &self.dst);
        all.extend(of(&self.src_place, &self.src));
        all
    }

    /// Stops a copy of virtual memory that is not what was mapped when the way was chosen, or that the device has no access to.
    pub(super) fn check_reliance(&self, space: &Space) -> Result<(), Stopped> {
        let Some(Reliance { device, mappings }) = &self.relies_on else { return Ok(()) };
        // What is missing is found when it is touched.
        let now = self.mapped(space, *device);
        if now.iter().all(|(mapping, open)| *open && mappings.contains(mapping)) {
            return Ok(());
        }
        let owner = |at: &Layout| match space.find(at.address)?.owner {
            Owner::Virtual { ordinal, .. } => Some(ordinal),
            _ => None,
        };
        let owner = owner(&self.dst).or(owner(&self.src));
        Err(Stopped::WayClosed { accessor: *device, owner: owner.unwrap_or(*device) })
    }

    /// For each end, of the destination first, whether access to it is not that to its device.
    pub(crate) fn ends_have_access_of_their_own(&self, space: &Space) -> [bool; 2] {
        let has = |address| space.find(address).is_some_and(|at| has_access_of_its_own(&at));
        [has(self.dst.address), has(self.src.address)]
    }

    /// The device by whose access the chosen way goes, if it goes by one.
    pub(crate) fn accessor(&self) -> Option<usize> {
        match self.way {
            Way::Within { device } => Some(device),
            Way::Link { accessor, .. } => Some(accessor),
            Way::Open | Way::Host => None,
        }
    }

    /// Goes the way of another copy.
    pub(crate) fn go_the_way_of(&mut self, other: &Copy) {
        self.way = other.way;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Fill, Layout, Progress, Shape};
    use super::*;
    use crate::space::{Backing, PoolId};

    const PART: usize = 2 << 20;
    const MAPPING: PoolId = PoolId(7);

    /// A part of device 1's memory that device 0 has access to, and a copy from there that device 0 does, with its way.
    fn mapped() -> (Space, usize, Backing, Copy) {
        let space = Space::new().expect("address space");
        let (at, backing) =
            (space.reserve(PART, PART).expect("addresses"), Backing::new(PART).expect("memory"));
        space.map(at, &backing, 1, MAPPING).expect("room");
        space.set_pool_grant(MAPPING, 0, true);
        let to = space.allocate(Owner::Device { ordinal: 0, pool: None }, 16).expect("16 bytes");
        let (dst, src) = ((Layout::line(to), Place::Machine), (Layout::line(at), Place::Machine));
        let mut copy = Copy::new(Shape::line(16), dst, src);
        copy.choose_way(&space, 0);
        (space, at, backing, copy)
    }

    fn runs(space: &Space, copy: &Copy) -> bool {
        match copy.clone().step(space, 16) {
            Ok(progress) => progress == Progress::Done,
            Err(Stopped::WayClosed { accessor: 0, owner: 1 }) => false,
            Err(stopped) => panic!("{stopped:?}"),
        }
    }

    #[test]
    fn a_copy_of_virtual_memory_relies_on_the_access_of_its_device() {
        let (space, at, _, copy) = mapped();
        assert!(runs(&space, &copy));
        // By what it does not go.
        space.set_peer(0, 1, true);
        space.set_peer(0, 1, false);
        space.set_pool_grant(MAPPING, 1, true);
        space.set_pool_grant(MAPPING, 1, false);
        assert!(runs(&space, &copy));
        space.set_pool_grant(MAPPING, 0, false);
        assert!(!runs(&space, &copy));
        let mut fill = Fill::new(Shape::line(16), Layout::line(at), 1, 0);
        assert!(matches!(fill.step(&space, 16), Err(Stopped::Access { write: true, .. })));
        space.set_pool_grant(MAPPING, 0, true);
        assert!(runs(&space, &copy));
        assert!(matches!(fill.step(&space, 16), Ok(Progress::Done)));
    }

    #[test]
    fn a_copy_of_virtual_memory_relies_on_the_mapping() {
        let (space, at, backing, copy) = mapped();
        space.unmap(at).expect("mapped");
        space.map(at, &backing, 1, PoolId(8)).expect("room");
        space.set_pool_grant(PoolId(8), 0, true);
        assert!(!runs(&space, &copy));
    }

    #[test]
    fn a_copy_of_virtual_memory_without_access_does_not_run() {
        let (space, _, _, mut copy) = mapped();
        space.set_pool_grant(MAPPING, 0, false);
        copy.choose_way(&space, 0);
        assert!(!runs(&space, &copy));
    }
}
