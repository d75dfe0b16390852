//! Memory that several processes have: the maker's file, of which others map a piece.

use std::fs::File;
use std::io;
use std::sync::Arc;

use super::state::State;
use super::{Allocation, Owner, Space, SpaceError};
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

/// What this process has of another one's.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) entry: Entry,
    /// The maker's file, and where it begins there, in bytes. `None` if every link is sound: then nothing is set apart.
    source: Option<(File, u64)>,
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
        file: File,
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
        if self.reservation.lend(span.base, pages, &file, from.offset).is_err() {
            state.placement.cancel(span);
            return Err(no_room);
        }
        state.insert(span.base, bytes, owner, Some(span));
        let source = (!self.links.are_sound()).then_some((file, from.offset));
        state.imports.insert(span.base, Import { entry, source });
        Ok(span.base)
    }

    /// Keeps from the other processes what is written to this memory, if they have it too, or may, until [`Space::rejoin`]. The caller
    /// has the turn.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn set_apart(&self, at: &Allocation) -> io::Result<()> {
        let state = &mut *self.write();
        let known = matches!(state.live.get(&at.base), Some((live, Some(_))) if live.id == at.id);
        if known && !state.apart.contains(&at.base) {
            self.map_again(state, at, true)?;
            state.apart.insert(at.base);
        }
        Ok(())
    }

    /// Forgets what was written to memory that was set apart, and makes it one with that of the other processes again.
    pub(crate) fn rejoin(&self) {
        if self.read().apart.is_empty() {
            return;
        }
        let state = &mut *self.write();
        let apart = std::mem::take(&mut state.apart);
        // Where the system refuses, the next turn asks again; until then too much is lost, and nothing gets through.
        state.apart = apart
            .into_iter()
            .filter(|base| {
                state.live.get(base).is_some_and(|(at, _)| self.map_again(state, at, false).is_err())
            })
            .collect();
    }

    fn map_again(&self, state: &State, at: &Allocation, apart: bool) -> io::Result<()> {
        let pages = state.placement.pages(at.bytes).unwrap_or(at.bytes);
        let source = match state.imports.get(&at.base) {
            Some(Import { source: Some((file, offset)), .. }) => (file, *offset),
            // Nothing is set apart where every link is sound.
            Some(Import { source: None, .. }) => return Ok(()),
            None => (self.file(), (at.base - self.reservation.base()) as u64),
        };
        self.reservation.map_again(at.base, pages, source, apart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Defect, Means};
    use crate::link::Links;

    const OWN: Owner = Owner::Device { ordinal: 0, pool: None };
    const OPENED: Owner = Owner::Imported { ordinal: 0, gpu: 1 };

    fn byte(address: usize) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(address)
    }

    #[test]
    fn what_is_set_apart_is_seen_here_alone_until_it_is_forgotten() {
        let drop = Defect::DroppedWrites { accessor: 0, owner: 1, by: Means::Any };
        let theirs = Space::new().expect("address space");
        let ours = Space::with_links(Links::new(&[drop], &[0])).expect("address space");
        let page = ours.reservation.page();
        let made = theirs.allocate(OWN, page + 1).expect("two pages");
        let from = theirs.export(made).expect("room on the board");
        let board = Board::open(theirs.file(), theirs.board().nonce()).expect("it is there");
        let entry = board.entry(from.place, from.number).expect("live");
        let file = theirs.file().try_clone().expect("a descriptor");
        let opened = ours.import(OPENED, file, from, entry).expect("room");
        let at = ours.find(opened).expect("live");
        // SAFETY: all of it is live, and used by this test alone.
        unsafe {
            byte(made).write_volatile(1);
            ours.set_apart(&at).and_then(|()| ours.set_apart(&at)).expect("pages");
            byte(opened).write_volatile(2);
            byte(made + page).write_volatile(3);
            assert_eq!((byte(made).read_volatile(), byte(opened).read_volatile()), (1, 2));
            assert_eq!(byte(opened + page).read_volatile(), 3, "what its maker writes is seen");
            ours.rejoin();
            assert_eq!(byte(opened).read_volatile(), 1);
            byte(opened).write_volatile(4);
            assert_eq!(byte(made).read_volatile(), 4, "it is one again");
            theirs.set_apart(&theirs.find(made).expect("live")).expect("pages");
            byte(made).write_volatile(5);
            assert_eq!(byte(opened).read_volatile(), 4, "nor does anybody see what its maker keeps");
            theirs.rejoin();
            ours.set_apart(&at).expect("pages");
            byte(opened).write_volatile(6);
            ours.free(opened).expect("live");
            ours.rejoin();
            assert_eq!(byte(made).read_volatile(), 4);
        }
        assert!(ours.find(opened).is_none() && ours.set_apart(&at).is_ok(), "gone is gone");
    }
}
