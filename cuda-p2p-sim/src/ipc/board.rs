//! The board: the first pages of a machine's file, on which processes tell each other what is still there, and how far it is.
//!
//! Each entry stands for an allocation or an event that was made for other processes. The process that made the machine writes and
//! clears entries; every process that opened one reads it, and counts the records of an event up.

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of the board, at the start of the file.
pub(crate) const BYTES: usize = 1 << 20;
/// Entries of a board.
const ENTRIES: usize = 16_384;
/// Marks a board of this layout.
const MAGIC: u64 = u64::from_ne_bytes(*b"p2pboard");

/// What is at the start of the file. All zeros is a board without entries.
#[repr(C)]
struct Layout {
    magic: AtomicU64,
    /// Differs from machine to machine.
    nonce: AtomicU64,
    entries: [Cell; ENTRIES],
}

#[repr(C)]
struct Cell {
    /// Number of what it stands for; 0 for nothing.
    number: AtomicU64,
    /// How often the event was recorded.
    recorded: AtomicU64,
    /// The latest record that was reached.
    reached: AtomicU64,
}

const _: () = assert!(size_of::<Layout>() <= BYTES);

/// A board, mapped.
#[derive(Debug)]
pub(crate) struct Board {
    layout: NonNull<Layout>,
    nonce: u64,
    /// Entries that are free, and the next number: of the process that made the board.
    free: Mutex<(Vec<u32>, u64)>,
}

// SAFETY: the layout is made of atomics, and stays mapped as long as the board.
unsafe impl Send for Board {}
// SAFETY: as above.
unsafe impl Sync for Board {}

impl Board {
    /// Makes the board of a new file.
    pub(crate) fn new(file: &File) -> io::Result<Arc<Board>> {
        let nonce = RandomState::new().build_hasher().finish();
        let board = Self::map(file, nonce)?;
        board.layout().nonce.store(nonce, Ordering::SeqCst);
        board.layout().magic.store(MAGIC, Ordering::SeqCst);
        Ok(Arc::new(board))
    }

    /// The board of another process's file; an error if it is not that one.
    pub(crate) fn open(file: &File, nonce: u64) -> io::Result<Arc<Board>> {
        if file.metadata()?.len() < BYTES as u64 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let board = Self::map(file, nonce)?;
        let (magic, found) = (&board.layout().magic, &board.layout().nonce);
        if (magic.load(Ordering::SeqCst), found.load(Ordering::SeqCst)) != (MAGIC, nonce) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Arc::new(board))
    }

    fn map(file: &File, nonce: u64) -> io::Result<Board> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, where nothing is.
        let at = unsafe { libc::mmap(ptr::null_mut(), BYTES, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        let layout = match NonNull::new(at.cast::<Layout>()) {
            Some(layout) if at != libc::MAP_FAILED => layout,
            _ => return Err(io::Error::last_os_error()),
        };
        let free = (0..ENTRIES as u32).rev().collect();
        Ok(Board { layout, nonce, free: Mutex::new((free, 1)) })
    }

    fn layout(&self) -> &Layout {
        // SAFETY: mapped as long as the board, page-aligned, as long as the layout, and of atomics, for which all bytes are values.
        unsafe { self.layout.as_ref() }
    }

    pub(crate) fn nonce(&self) -> u64 {
        self.nonce
    }

    /// A new entry of this process's own board; `None` if it is full.
    pub(crate) fn claim(self: &Arc<Self>) -> Option<Entry> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let place = free.0.pop()?;
        let number = free.1;
        free.1 += 1;
        let cell = &self.layout().entries[place as usize];
        for count in [&cell.recorded, &cell.reached] {
            count.store(0, Ordering::SeqCst);
        }
        cell.number.store(number, Ordering::SeqCst);
        Some(Entry { board: Arc::clone(self), place, number, own: true })
    }

    /// An entry of another process's board; `None` if it stands for that no more.
    pub(crate) fn entry(self: &Arc<Self>, place: u32, number: u64) -> Option<Entry> {
        let entry = Entry { board: Arc::clone(self), place, number, own: false };
        ((place as usize) < ENTRIES && entry.is_live()).then_some(entry)
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map`, and is this value's alone.
        unsafe { libc::munmap(self.layout.as_ptr().cast(), BYTES) };
    }
}

/// One entry of a board.
#[derive(Debug)]
pub(crate) struct Entry {
    board: Arc<Board>,
    pub(crate) place: u32,
    /// Never used twice on a board, and not 0.
    pub(crate) number: u64,
    /// Whether it is of this process's own board, and is cleared at the end.
    own: bool,
}

impl Entry {
    fn cell(&self) -> &Cell {
        &self.board.layout().entries[self.place as usize]
    }

    /// Whether what it stands for is still there.
    pub(crate) fn is_live(&self) -> bool {
        self.cell().number.load(Ordering::SeqCst) == self.number
    }

    /// Counts a record of the event, and gives its number.
    pub(crate) fn record(&self) -> u64 {
        // The place may be another event's by now.
        if !self.is_live() {
            return 0;
        }
        self.cell().recorded.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Takes the last record back.
    pub(crate) fn withdraw(&self, record: u64) {
        // Where another process has recorded since, that one counts.
        let _ = record > 0
            && self
                .cell()
                .recorded
                .compare_exchange(record, record - 1, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok();
    }

    /// The number of the last record; 0 if there was none.
    pub(crate) fn last(&self) -> u64 {
        self.cell().recorded.load(Ordering::SeqCst)
    }

    /// Says that the work before a record is done.
    pub(crate) fn reach(&self, record: u64) {
        if self.is_live() {
            self.cell().reached.fetch_max(record, Ordering::SeqCst);
        }
    }

    /// Whether the work before a record is done. What a process recorded that has ended meanwhile is never reached, as on hardware.
    pub(crate) fn has_reached(&self, record: u64) -> bool {
        self.cell().reached.load(Ordering::SeqCst) >= record || !self.is_live()
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if self.own {
            self.cell().number.store(0, Ordering::SeqCst);
            self.board.free.lock().unwrap_or_else(PoisonError::into_inner).0.push(self.place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::FromRawFd;

    fn file() -> File {
        // SAFETY: the name is a string that ends with NUL; the descriptor is new.
        let file = unsafe { File::from_raw_fd(libc::memfd_create(c"board".as_ptr(), libc::MFD_CLOEXEC)) };
        file.set_len(BYTES as u64).expect("room for a board");
        file
    }

    #[test]
    fn what_one_side_writes_the_other_reads() {
        let file = file();
        let ours = Board::new(&file).expect("a new board");
        let theirs = Board::open(&file, ours.nonce()).expect("the same board");
        let own = ours.claim().expect("a board of many entries");
        let other = theirs.entry(own.place, own.number).expect("live");
        assert!(other.has_reached(other.last()), "never recorded");
        let record = own.record();
        assert!(!other.has_reached(other.last()));
        own.reach(record);
        assert!(other.has_reached(other.last()));
        assert!(!other.has_reached(other.record()));
    }

    #[test]
    fn a_cleared_entry_is_nothing_any_more_and_its_place_is_another() {
        let file = file();
        let ours = Board::new(&file).expect("a new board");
        let theirs = Board::open(&file, ours.nonce()).expect("the same board");
        let first = ours.claim().expect("a board of many entries");
        let (place, number) = (first.place, first.number);
        let seen = theirs.entry(place, number).expect("live");
        drop(first);
        assert!(!seen.is_live());
        assert!(theirs.entry(place, number).is_none());
        let second = ours.claim().expect("a board of many entries");
        assert_eq!(second.place, place);
        assert!(theirs.entry(place, number).is_none() && !seen.is_live());
    }

    #[test]
    fn the_board_of_another_machine_is_refused() {
        let file = file();
        let ours = Board::new(&file).expect("a new board");
        assert!(Board::open(&file, ours.nonce() ^ 1).is_err());
        assert!(Board::open(&File::open("/dev/null").expect("there"), 0).is_err());
    }
}
