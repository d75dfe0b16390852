//! One piece of a copy or a fill, and the link that it crosses.
//!
//! # Safety
//! As in the file above.

use std::ptr;

use super::way::{self, Way};
use super::{Halt, Stopped};
use crate::config::Means;
use crate::link::Fate;
use crate::space::{Allocation, Space};

/// Bytes that are to be moved. The allocations are those of the machine's memory; other memory is the program's.
pub(super) struct Piece {
    pub(super) to: usize,
    pub(super) from: *const u8,
    pub(super) bytes: usize,
    pub(super) dst: Option<Allocation>,
    pub(super) src: Option<Allocation>,
    pub(super) way: Way,
    /// The first of its copy.
    pub(super) first: bool,
}

/// The copy never ends.
pub(super) struct Hung;

impl Piece {
    /// The two devices whose link it crosses, from and to. `None` inside one device, and where it goes through the host.
    fn link(&self, space: &Space) -> Result<Option<(usize, usize)>, Halt> {
        let (Some(dst), Some(src)) = (&self.dst, &self.src) else { return Ok(None) };
        let way = match self.way {
            Way::Open => way::open(space, dst, src),
            chosen => chosen,
        };
        let Way::Link { accessor, owner, closings } = way else { return Ok(None) };
        let theirs = if way::owner(Some(dst)) == Some(owner) { dst } else { src };
        if !space.may_access(accessor, theirs) || space.closings(accessor, owner) != closings {
            return Err(Stopped::WayClosed { accessor, owner }.into());
        }
        Ok(way::owner(Some(src)).zip(way::owner(Some(dst))))
    }

    fn bytes_over(&self, space: &Space, reader: usize, read: usize) -> Vec<u8> {
        let mut all = vec![0; self.bytes];
        // SAFETY: see the head of this file.
        unsafe { self.from.copy_to_nonoverlapping(all.as_mut_ptr(), self.bytes) };
        if let Some(at) = &self.src
            && space.links().fate(reader, read, Means::Copy) == Some(Fate::Mirrored)
        {
            space.links().read_mirror((reader, read), at, self.from.addr(), &mut all);
        }
        all
    }

    /// Moves the bytes, as far as the link lets them through.
    pub(super) fn cross(&self, space: &Space) -> Result<(), Halt> {
        let Some((writer, owner)) = self.link(space)? else {
            let to: *mut u8 = ptr::with_exposed_provenance_mut(self.to);
            // SAFETY: see the head of this file; `copy` allows that the two overlap.
            unsafe { self.from.copy_to(to, self.bytes) };
            return Ok(());
        };
        let Some(at) = &self.dst else { return Ok(()) };
        let bytes = self.bytes_over(space, owner, writer);
        Ok(write(space, (writer, owner), at, (self.to, self.first), &bytes)?)
    }
}

/// Writes to the memory of `owner`, as far as its link from `writer` lets it through.
fn write(
    space: &Space,
    (writer, owner): (usize, usize),
    at: &Allocation,
    (address, first): (usize, bool),
    bytes: &[u8],
) -> Result<(), Hung> {
    let links = space.links();
    let fate = links.fate(writer, owner, Means::Copy);
    match fate {
        Some(Fate::Dropped) => return Ok(()),
        Some(Fate::Hung) => {
            links.hang();
            return Err(Hung);
        }
        Some(Fate::Mirrored) => {
            links.write_mirror((writer, owner), at, address, bytes);
            return Ok(());
        }
        Some(Fate::Flipped(_)) | None => {}
    }
    let to: *mut u8 = ptr::with_exposed_provenance_mut(address);
    // SAFETY: see the head of this file.
    unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    if let (Some(Fate::Flipped(every)), true) = (fate, first)
        && let Some(bit) = links.flips((writer, owner), every, bytes.len())
    {
        // SAFETY: the bit lies in the bytes just written.
        unsafe { *to.add(bit / 8) ^= 1 << (bit % 8) };
    }
    Ok(())
}

/// Fills bytes at an address with a value. The device does so itself, over its link if the memory is another's.
pub(super) fn fill(
    space: &Space,
    (address, bytes, value): (usize, usize, u8),
    at: &Allocation,
    (device, first): (usize, bool),
) -> Result<(), Hung> {
    match way::owner(Some(at)) {
        Some(owner) if owner != device && space.links().fate(device, owner, Means::Copy).is_some() => {
            write(space, (device, owner), at, (address, first), &vec![value; bytes])
        }
        _ => {
            // SAFETY: see the head of this file.
            unsafe { ptr::with_exposed_provenance_mut::<u8>(address).write_bytes(value, bytes) };
            Ok(())
        }
    }
}
