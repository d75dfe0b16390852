//! Copies and fills as the devices carry them out, piece by piece.
//!
//! # Safety
//! This file reads and writes memory by address. Memory of the simulated machine is looked up in its address space just before
//! each piece, under the lock that keeps it from being freed meanwhile, and nothing in this crate holds references into it.
//! Other memory is the program's: by the contract of the copy calls it stays valid until the copy is done, and the
//! machine lets no call that waits return before. Programs that touch the same bytes at the same time race as they
//! would on hardware.

pub(crate) mod check;
mod cross;
mod fill;
pub(crate) mod submit;
pub(crate) mod way;

use std::ptr;
use std::sync::Arc;

use cuda_p2p_sys::cudaMemcpyKind;

use crate::space::{AccessError, Allocation, Owner, Space};
use cross::{Hung, Piece};
pub(crate) use fill::Fill;
use way::Reliance;
pub(crate) use way::Way;

/// Extent of a copy or a fill: bytes of a row, rows, slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

impl Shape {
    pub(crate) fn line(bytes: usize) -> Shape {
        Shape { width: bytes, height: 1, depth: 1 }
    }

    pub(crate) fn is_line(&self) -> bool {
        self.height == 1 && self.depth == 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }
}

/// Where the rows of a shape lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) address: usize,
    pub(crate) row_pitch: usize,
    pub(crate) slice_pitch: usize,
}

impl Layout {
    pub(crate) fn line(address: usize) -> Layout {
        Layout { address, row_pitch: 0, slice_pitch: 0 }
    }

    /// Bytes from the first to behind the last; `None` if no address space holds them.
    pub(crate) fn span(&self, shape: Shape) -> Option<usize> {
        let slices = self.slice_pitch.checked_mul(shape.depth.checked_sub(1)?)?;
        let rows = self.row_pitch.checked_mul(shape.height.checked_sub(1)?)?;
        slices.checked_add(rows)?.checked_add(shape.width)
    }

    fn at(&self, shape: Shape, row: usize, column: usize) -> usize {
        self.address + row / shape.height * self.slice_pitch + row % shape.height * self.row_pitch + column
    }
}

/// What kind of memory one side of a copy is.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// Of the simulated machine: a device's, or pinned.
    Machine,
    /// The program's own.
    Pageable,
    /// A private copy of the program's bytes, made when the copy was submitted; the layout's address counts from its
    /// start.
    Staged(Arc<[u8]>),
}

/// How far a copy or a fill has come.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    row: usize,
    column: usize,
}

impl Cursor {
    /// Calls `piece(row, column, bytes)` for the next bytes, at most `most`; returns whether all are done.
    fn advance<E>(
        &mut self,
        shape: Shape,
        mut most: usize,
        mut piece: impl FnMut(usize, usize, usize) -> Result<(), E>,
    ) -> Result<bool, E> {
        let rows = shape.height * shape.depth;
        while most > 0 && self.row < rows {
            let bytes = most.min(shape.width - self.column);
            piece(self.row, self.column, bytes)?;
            most -= bytes;
            self.column += bytes;
            if self.column == shape.width {
                *self = Cursor { row: self.row + 1, column: 0 };
            }
        }
        Ok(self.row == rows)
    }
}

/// A copy. Its shape is not empty, and both spans have been checked.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub(crate) shape: Shape,
    pub(crate) dst: Layout,
    pub(crate) dst_place: Place,
    pub(crate) src: Layout,
    pub(crate) src_place: Place,
    /// What the call said of it, if it said something.
    pub(crate) kind: Option<cudaMemcpyKind>,
    way: Way,
    relies_on: Option<Reliance>,
    cursor: Cursor,
}

/// Why a copy or a fill could not go on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stopped {
    /// An access that is not allowed.
    Access { write: bool, address: usize, bytes: usize, reason: AccessError },
    /// The access is disabled by which a graph's copy goes.
    WayClosed { accessor: usize, owner: usize },
}

/// How far a copy or a fill came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    Done,
    /// It will never get further.
    Hung,
}

/// Why a piece was not moved.
enum Halt {
    Stopped(Stopped),
    Hung,
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Halt {
        Halt::Stopped(stopped)
    }
}

impl From<Hung> for Halt {
    fn from(_: Hung) -> Halt {
        Halt::Hung
    }
}

fn look_up(space: &Space, write: bool, address: usize, bytes: usize) -> Result<Allocation, Stopped> {
    space.find_range(address, bytes).map_err(|reason| Stopped::Access { write, address, bytes, reason })
}

/// As many of `bytes` bytes at `address` as lie in one mapping of virtual memory; all of them in other memory.
fn in_one_mapping(space: &Space, address: usize, bytes: usize) -> usize {
    match space.find(address) {
        Some(at) if matches!(at.owner, Owner::Virtual { .. }) => bytes.min(at.base + at.bytes - address),
        _ => bytes,
    }
}

impl Copy {
    pub(crate) fn new(shape: Shape, dst: (Layout, Place), src: (Layout, Place)) -> Copy {
        let ((dst, dst_place), (src, src_place)) = (dst, src);
        let (kind, way, relies_on, cursor) = (None, Way::Open, None, Cursor::default());
        Copy { shape, dst, dst_place, src, src_place, kind, way, relies_on, cursor }
    }

    /// Takes the program's bytes along, so that the program may change them while the copy waits for its turn.
    pub(crate) fn stage(&mut self) {
        let Shape { width, height, depth } = self.shape;
        let mut bytes: Vec<u8> = Vec::with_capacity(width * height * depth);
        for row in 0..height * depth {
            let from: *const u8 = ptr::with_exposed_provenance(self.src.at(self.shape, row, 0));
            // SAFETY: the caller of the copy call vouches for the whole source; the room was reserved above.
            unsafe {
                let end = bytes.as_mut_ptr().add(bytes.len());
                ptr::copy_nonoverlapping(from, end, width);
                bytes.set_len(bytes.len() + width);
            }
        }
        self.src = Layout { address: 0, row_pitch: width, slice_pitch: width * height };
        self.src_place = Place::Staged(bytes.into());
    }

    /// Moves at most `most` bytes.
    pub(crate) fn step(&mut self, space: &Space, most: usize) -> Result<Progress, Stopped> {
        let _turn = space.links().turn();
        self.check_reliance(space)?;
        let Copy { shape, dst, dst_place, src, src_place, way, cursor, .. } = self;
        let moved = cursor.advance(*shape, most, |row, mut column, mut left| {
            while left > 0 {
                let to = dst.at(*shape, row, column);
                let from = src.at(*shape, row, column);
                let mut bytes = left;
                if matches!(dst_place, Place::Machine) {
                    bytes = in_one_mapping(space, to, bytes);
                }
                if matches!(src_place, Place::Machine) {
                    bytes = in_one_mapping(space, from, bytes);
                }
                let (way, first) = (*way, (row, column) == (0, 0));
                let mut piece = Piece { to, from: ptr::null(), bytes, dst: None, src: None, way, first };
                if matches!(dst_place, Place::Machine) {
                    piece.dst = Some(look_up(space, true, to, bytes)?);
                }
                piece.from = match src_place {
                    Place::Machine => {
                        piece.src = Some(look_up(space, false, from, bytes)?);
                        ptr::with_exposed_provenance(from)
                    }
                    Place::Pageable => ptr::with_exposed_provenance(from),
                    Place::Staged(staged) => staged[from..from + bytes].as_ptr(),
                };
                piece.cross(space)?;
                (column, left) = (column + bytes, left - bytes);
            }
            Ok(())
        });
        progress(moved)
    }
}

fn progress(moved: Result<bool, Halt>) -> Result<Progress, Stopped> {
    match moved {
        Ok(true) => Ok(Progress::Done),
        Ok(false) => Ok(Progress::More),
        Err(Halt::Hung) => Ok(Progress::Hung),
        Err(Halt::Stopped(stopped)) => Err(stopped),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Owner;

    #[test]
    fn a_cursor_visits_every_byte_once_whatever_the_pieces() {
        let shape = Shape { width: 5, height: 3, depth: 2 };
        for most in 1..40 {
            let (mut cursor, mut seen) = (Cursor::default(), Vec::new());
            let mut turn = || {
                cursor.advance(shape, most, |row, column, bytes| {
                    seen.extend((column..column + bytes).map(|column| row * 5 + column));
                    Ok::<(), ()>(())
                })
            };
            while turn() == Ok(false) {}
            assert_eq!(seen, (0..30).collect::<Vec<_>>(), "pieces of {most}");
        }
    }

    #[test]
    fn a_pitched_copy_moves_its_rows_alone() {
        let space = Space::new().expect("address space");
        let owner = Owner::Device { ordinal: 0, pool: None };
        let to = space.allocate(owner, 64).expect("64 bytes");
        let dst = Layout { address: to, row_pitch: 16, slice_pitch: 32 };
        let shape = Shape { width: 3, height: 2, depth: 2 };
        Fill::new(Shape::line(64), Layout::line(to), 0, 0).step(&space, 64).expect("in bounds");
        let bytes: Vec<u8> = (1..=12).collect();
        let src = Layout { address: bytes.as_ptr().expose_provenance(), row_pitch: 3, slice_pitch: 6 };
        let mut copy = Copy::new(shape, (dst, Place::Machine), (src, Place::Pageable));
        copy.stage();
        drop(bytes);
        while copy.step(&space, 2).expect("in bounds") == Progress::More {}
        let mut all = vec![0_u8; 64];
        let back = (Layout::line(all.as_mut_ptr().expose_provenance()), Place::Pageable);
        Copy::new(Shape::line(64), back, (Layout::line(to), Place::Machine))
            .step(&space, 64)
            .expect("in bounds");
        let rows: Vec<&[u8]> = [0, 16, 32, 48].iter().map(|&at| &all[at..at + 4]).collect();
        assert_eq!(rows, [[1, 2, 3, 0], [4, 5, 6, 0], [7, 8, 9, 0], [10, 11, 12, 0]]);
    }

    #[test]
    fn a_copy_whose_memory_is_gone_stops() {
        let space = Space::new().expect("address space");
        let to = space.allocate(Owner::Host, 16).expect("16 bytes");
        space.free(to).expect("live");
        let mut fill = Fill::new(Shape::line(16), Layout::line(to), 1, 0);
        let stopped = fill.step(&space, 16).expect_err("the memory was freed");
        assert!(matches!(stopped, Stopped::Access { write: true, address, .. } if address == to));
    }
}
