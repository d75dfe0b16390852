//! Fills as the devices carry them out, piece by piece.

use super::{Cursor, Halt, Layout, Progress, Shape, Stopped, cross, in_one_mapping, look_up, progress};
use crate::space::{AccessError, Owner, Space};

/// A fill of memory of the machine with one byte value, by one device. Its shape is not empty, and its span has been checked.
#[derive(Clone, Debug)]
pub(crate) struct Fill {
    pub(crate) shape: Shape,
    pub(crate) dst: Layout,
    value: u8,
    device: usize,
    cursor: Cursor,
}

impl Fill {
    pub(crate) fn new(shape: Shape, dst: Layout, value: u8, device: usize) -> Fill {
        Fill { shape, dst, value, device, cursor: Cursor::default() }
    }

    /// Whether the two fill boxes of one shape and one pitch.
    pub(crate) fn is_as_shaped_as(&self, other: &Fill) -> bool {
        let pitches = |it: &Fill| (it.dst.row_pitch, it.dst.slice_pitch);
        self.shape == other.shape && pitches(self) == pitches(other)
    }

    /// Fills at most `most` bytes.
    pub(crate) fn step(&mut self, space: &Space, most: usize) -> Result<Progress, Stopped> {
        let _turn = space.links().turn();
        let Fill { shape, dst, value, device, cursor } = self;
        let filled = cursor.advance(*shape, most, |row, mut column, mut left| {
            while left > 0 {
                let to = dst.at(*shape, row, column);
                let bytes = in_one_mapping(space, to, left);
                let at = look_up(space, true, to, bytes)?;
                if matches!(at.owner, Owner::Virtual { .. }) && !space.may_access(*device, &at) {
                    let (offset, device) = (to - at.base, *device);
                    let reason = AccessError::NoAccess { allocation: at, offset, device };
                    return Err(Stopped::Access { write: true, address: to, bytes, reason }.into());
                }
                let first = (row, column) == (0, 0);
                cross::fill(space, (to, bytes, *value), &at, (*device, first)).map_err(Halt::from)?;
                (column, left) = (column + bytes, left - bytes);
            }
            Ok(())
        });
        progress(filled)
    }
}
