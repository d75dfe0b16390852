//! Memory that several processes have: the maker's file, of which others map a piece.

use std::fs::File;
use std::sync::Arc;

use super::{Owner, Space, SpaceError};
use crate::ipc::board::{self, Board, Entry};

/// Where other processes find an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exported {
    /// Its entry of the board, and the entry's number.
    pub(crate) place: u32,
    pub(crate) number: u64,
    /// Where it begins in the file, and its length, in bytes.
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl Space {
    /// The board of this machine.
    pub(crate) fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// The file behind the space.
    pub(crate) fn file(&self) -> &File {
        self.reservation.file()
    }

    /// Makes the allocation that begins at `base` known to other processes; the same each time.
    ///
    /// # Errors
    /// [`SpaceError::NotABase`] if there is none, [`SpaceError::OutOfMemory`] if the board is full.
    pub(crate) fn export(&self, base: usize) -> Result<Exported, SpaceError> {
        let mut state = self.write();
        let Some(&(allocation, Some(_))) = state.live.get(&base) else {
            return Err(SpaceError::NotABase { address: base });
        };
        let offset = (base - self.reservation.base()) as u64;
        let exported = |entry: &Entry| Exported {
            place: entry.place,
            number: entry.number,
            offset,
            bytes: allocation.bytes as u64,
        };
        if let Some(entry) = state.exports.get(&base) {
            return Ok(exported(entry));
        }
        let entry = self.board.claim().ok_or(SpaceError::OutOfMemory { bytes: allocation.bytes })?;
        let answer = exported(&entry);
        state.exports.insert(base, entry);
        Ok(answer)
    }

    /// Maps an allocation of another process, and returns its first address here. To be given back by [`Space::free`].
    ///
    /// # Errors
    /// [`SpaceError::OutOfMemory`] if there is no room, or the file has no such piece.
    pub(crate) fn import(
        &self,
        owner: Owner,
        file: &File,
        from: Exported,
        entry: Entry,
    ) -> Result<usize, SpaceError> {
        let bytes = usize::try_from(from.bytes).unwrap_or(usize::MAX);
        let no_room = SpaceError::OutOfMemory { bytes };
        let length = file.metadata().map_or(0, |file| file.len());
        let inside = from.offset.checked_add(from.bytes).is_some_and(|end| end <= length);
        if bytes == 0 || !inside || from.offset < board::BYTES as u64 {
            return Err(no_room);
        }
        let mut state = self.write();
        let pages = state.placement.pages(bytes).ok_or(no_room.clone())?;
        let span = state.placement.place(bytes).ok_or(no_room.clone())?;
        if self.reservation.lend(span.base, pages, file, from.offset).is_err() {
            state.placement.cancel(span);
            return Err(no_room);
        }
        state.insert(span.base, bytes, owner, Some(span));
        state.imports.insert(span.base, entry);
        Ok(span.base)
    }
}
