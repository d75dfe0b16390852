//! The way of a copy between two devices.
//!
//! A copy takes the way that is open when it runs. One of a graph takes the way that was open when the graph was instantiated,
//! for good: if that is closed afterwards, a launch ends in error 719, although the bytes could go through the host (seen on
//! H200). Opening it again helps there in some runs, and not in others; here it does not.
//!
//! Of virtual memory it is not known which way a graph's copy takes, and whose access that needs. Here the device of the node needs
//! access to all of it, to the same mappings as at the instantiation, and without a break.

use super::{Copy, Layout, Place, Stopped};
use crate::space::{Allocation, Owner, Space};

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

/// What a copy of virtual memory in a graph relies on.
#[derive(Clone, Debug)]
pub(super) struct Reliance {
    device: usize,
    mapped: Vec<(u64, Option<u64>)>,
}

impl Copy {
    /// Chooses the way for good, of a copy that `device` does.
    pub(crate) fn choose_way(&mut self, space: &Space, device: usize) {
        let mapped = self.mapped(space, device);
        if !mapped.is_empty() {
            self.relies_on = Some(Reliance { device, mapped });
            return;
        }
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

    /// The virtual memory of both ends, with the rights of a device to it.
    fn mapped(&self, space: &Space, device: usize) -> Vec<(u64, Option<u64>)> {
        let of = |place: &Place, layout: &Layout| match place {
            Place::Machine => space.mapped(layout.address, layout.span(self.shape).unwrap_or(0), device),
            Place::Pageable | Place::Staged(_) => Vec::new(),
        };
        let mut all = of(&self.dst_place, &self.dst);
        all.extend(of(&self.src_place, &self.src));
        all
    }

    /// Stops a copy of virtual memory that is not as it was when the way was chosen, or that the device has no access to.
    pub(super) fn check_reliance(&self, space: &Space) -> Result<(), Stopped> {
        let Some(Reliance { device, mapped }) = &self.relies_on else { return Ok(()) };
        let open = mapped.iter().all(|(_, right)| right.is_some());
        if open && self.mapped(space, *device) == *mapped {
            return Ok(());
        }
        let owner = |at: &Layout| match space.find(at.address)?.owner {
            Owner::Virtual { ordinal, .. } => Some(ordinal),
            _ => None,
        };
        let owner = owner(&self.dst).or(owner(&self.src));
        Err(Stopped::WayClosed { accessor: *device, owner: owner.unwrap_or(*device) })
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
        // Given again, it is another access.
        space.set_pool_grant(MAPPING, 0, true);
        assert!(!runs(&space, &copy));
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
