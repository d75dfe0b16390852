//! One piece of a copy or a fill, and the links that it crosses.
//!
//! # Safety
//! As in the file above.

use std::ptr;

use super::Halt;
use super::way::{self, Way};
use crate::config::Means;
use crate::link::{Fate, Pair};
use crate::space::{Allocation, Owner, Space};

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
            chosen => {
                chosen.check(space, dst, src)?;
                chosen
            }
        };
        let ends = way::owner(Some(src)).zip(way::owner(Some(dst)));
        Ok(ends.filter(|(from, to)| way != Way::Host && from != to))
    }

    /// The links that it crosses, in order, each from where the bytes come to where they go. Memory of another process is reached by
    /// the engine of the device that opened it alone, wherever the bytes are to go from there.
    fn crossed(&self, space: &Space) -> Result<Vec<Pair>, Halt> {
        let links = space.links();
        let detour = |at: &Option<Allocation>| at.as_ref().and_then(|at| links.detour(at));
        let fetched = detour(&self.src).map(|(engine, home)| (home, engine));
        let between = self.link(space)?.map(|(from, to)| (links.gpu(from), links.gpu(to)));
        Ok([fetched, between, detour(&self.dst)].into_iter().flatten().collect())
    }

    /// The bytes as who reads them over a link finds them.
    fn bytes_over(&self, space: &Space, (read, reader): Pair) -> Vec<u8> {
        let mut all = vec![0; self.bytes];
        // SAFETY: see the head of this file.
        unsafe { self.from.copy_to_nonoverlapping(all.as_mut_ptr(), self.bytes) };
        if let Some(at) = &self.src
            && space.links().fate((reader, read), Means::Copy) == Some(Fate::Mirrored)
        {
            space.links().read_mirror((reader, read), at, self.from.addr(), &mut all);
        }
        all
    }

    /// Moves the bytes, as far as the links let them through.
    pub(super) fn cross(&self, space: &Space) -> Result<(), Halt> {
        let crossed = self.crossed(space)?;
        let Some(&first) = crossed.first() else {
            let to: *mut u8 = ptr::with_exposed_provenance_mut(self.to);
            // SAFETY: see the head of this file; `copy` allows that the two overlap.
            unsafe { self.from.copy_to(to, self.bytes) };
            return Ok(());
        };
        let bytes = self.bytes_over(space, first);
        Ok(write(space, &crossed, self.dst.as_ref(), (self.to, self.first), bytes)?)
    }
}

/// Writes bytes that come over some links, as far as these let them through.
fn write(
    space: &Space,
    crossed: &[Pair],
    at: Option<&Allocation>,
    (address, first): (usize, bool),
    mut bytes: Vec<u8>,
) -> Result<(), Hung> {
    let links = space.links();
    for &(from, to) in crossed {
        match links.fate((from, to), Means::Copy) {
            Some(Fate::Dropped) => return Ok(()),
            Some(Fate::Hung) => {
                links.hang();
                return Err(Hung);
            }
            // Nobody reads a copy of what is only on its way.
            Some(Fate::Mirrored) => {
                if let Some(at) = at.filter(|at| links.home(at) == Some(to)) {
                    links.write_mirror((from, to), at, address, &bytes);
                }
                return Ok(());
            }
            Some(Fate::Flipped(every)) if first => {
                if let Some(bit) = links.flips((from, to), every, bytes.len()) {
                    bytes[bit / 8] ^= 1 << (bit % 8);
                }
            }
            Some(Fate::Flipped(_)) | None => {}
        }
    }
    let to: *mut u8 = ptr::with_exposed_provenance_mut(address);
    // SAFETY: see the head of this file.
    unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Ok(())
}

/// Fills bytes at an address with a value. The device does so itself, over its link if the memory is another's. Memory of another
/// process is filled by the device that opened it.
pub(super) fn fill(
    space: &Space,
    (address, bytes, value): (usize, usize, u8),
    at: &Allocation,
    (device, first): (usize, bool),
) -> Result<(), Hung> {
    let links = space.links();
    let by = match at.owner {
        Owner::Imported { ordinal, .. } => ordinal,
        _ => device,
    };
    let crossed = links.home(at).map(|home| (links.gpu(by), home));
    match crossed.filter(|&crossed| links.fate(crossed, Means::Copy).is_some()) {
        Some(crossed) => write(space, &[crossed], Some(at), (address, first), vec![value; bytes]),
        None => {
            // SAFETY: see the head of this file.
            unsafe { ptr::with_exposed_provenance_mut::<u8>(address).write_bytes(value, bytes) };
            Ok(())
        }
    }
}
