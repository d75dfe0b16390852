//! The reserved address range itself: pages that are nobody's until they are committed.
//!
//! Behind it is one file in memory, as long as the range and empty: so another process can map a piece of it, and sees the same
//! bytes.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr;

use super::SpaceError;

/// Fewest bytes that are worth reserving: below this the machine could hold nothing of use.
const SMALLEST: usize = 1 << 30;

/// A range of addresses of this process that nothing else will be given, without memory behind it.
#[derive(Debug)]
pub(super) struct Reservation {
    base: usize,
    bytes: usize,
    page: usize,
    file: File,
}

impl Reservation {
    /// Reserves `wanted` bytes, or the largest halving of it that the system grants.
    pub(super) fn new(wanted: usize) -> Result<Reservation, SpaceError> {
        let page = page_bytes();
        let mut bytes = wanted.min(longest_file()).max(SMALLEST).next_multiple_of(page);
        let refused =
            |bytes: usize, error: io::Error| SpaceError::Reserve { bytes, error: error.to_string() };
        // SAFETY: the name is a string that ends with NUL.
        let file = match unsafe { libc::memfd_create(c"cuda-p2p-sim".as_ptr(), libc::MFD_CLOEXEC) } {
            -1 => return Err(refused(bytes, io::Error::last_os_error())),
            // SAFETY: the descriptor is new, and nobody else's.
            file => unsafe { File::from_raw_fd(file) },
        };
        loop {
            let mapped = file
                .set_len(bytes as u64)
                .and_then(|()| map_inaccessible(ptr::null_mut(), bytes, &file, 0, 0));
            match mapped {
                Ok(base) => return Ok(Reservation { base: base as usize, bytes, page, file }),
                Err(_) if bytes / 2 >= SMALLEST => bytes = (bytes / 2).next_multiple_of(page),
                Err(error) => return Err(refused(bytes, error)),
            }
        }
    }

    /// The file behind it: the byte at an address is the byte of the file at that distance from [`base`](Self::base).
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn base(&self) -> usize {
        self.base
    }

    pub(super) fn end(&self) -> usize {
        self.base + self.bytes
    }

    pub(super) fn page(&self) -> usize {
        self.page
    }

    /// Gives the pages `[base, base + bytes)` memory that may be read and written. `base` and `bytes` are multiples of
    /// the page size and lie inside the reservation.
    pub(super) fn commit(&self, base: usize, bytes: usize) -> io::Result<()> {
        debug_assert!(base >= self.base && base + bytes <= self.end());
        let pages = ptr::with_exposed_provenance_mut(base);
        // SAFETY: the range lies inside this reservation, which nothing else in the process uses.
        match unsafe { libc::mprotect(pages, bytes, libc::PROT_READ | libc::PROT_WRITE) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Takes the memory behind the pages away again; touching them is from then on a fault. Other processes that have them
    /// mapped read zeros.
    pub(super) fn decommit(&self, base: usize, bytes: usize) -> io::Result<()> {
        self.hide(base, bytes)?;
        let (from, length) = ((base - self.base) as libc::off_t, bytes as libc::off_t);
        let punch = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: the call takes numbers; the range of the file is that of the caller's pages.
        match unsafe { libc::fallocate(self.file.as_raw_fd(), punch, from, length) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Puts pages of another file in the place of the pages `[base, base + bytes)`, as [`commit`](Self::commit) does its own.
    pub(super) fn lend(&self, base: usize, bytes: usize, file: &File, offset: u64) -> io::Result<()> {
        debug_assert!(base >= self.base && base + bytes <= self.end());
        let at = ptr::with_exposed_provenance_mut(base);
        map_inaccessible(at, bytes, file, offset, libc::MAP_FIXED)?;
        self.commit(base, bytes).inspect_err(|_| drop(self.hide(base, bytes)))
    }

    /// Puts the pages of the file that are behind the committed pages `[base, base + bytes)`, or were lent there, in their place once
    /// more. `apart`: nobody else sees what is written to them, and what others write is seen until a page is written.
    pub(super) fn map_again(
        &self,
        base: usize,
        bytes: usize,
        (file, offset): (&File, u64),
        apart: bool,
    ) -> io::Result<()> {
        debug_assert!(base >= self.base && base + bytes <= self.end());
        let sharing = if apart { libc::MAP_PRIVATE } else { libc::MAP_SHARED };
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        map(ptr::with_exposed_provenance_mut(base), bytes, (file, offset), libc::MAP_FIXED | sharing, rights)
            .map(drop)
    }

    /// Makes the pages `[base, base + bytes)` those of the reservation's own file again, inaccessible.
    pub(super) fn hide(&self, base: usize, bytes: usize) -> io::Result<()> {
        debug_assert!(base >= self.base && base + bytes <= self.end());
        let (at, offset) = (ptr::with_exposed_provenance_mut(base), (base - self.base) as u64);
        map_inaccessible(at, bytes, &self.file, offset, libc::MAP_FIXED).map(drop)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` and is owned by this value alone.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(self.base), self.bytes) };
    }
}

/// Size of a page of this system, in bytes.
pub(crate) fn page_bytes() -> usize {
    // SAFETY: sysconf has no precondition.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Bytes that a file of this process may have.
fn longest_file() -> usize {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a valid place for two numbers.
    match unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } {
        // More would end the process by a signal.
        0 if limit.rlim_cur != libc::RLIM_INFINITY => usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX),
        _ => usize::MAX,
    }
}

/// Maps inaccessible pages of a file: anywhere, or with MAP_FIXED over the caller's own pages at `at`.
fn map_inaccessible(
    at: *mut libc::c_void,
    bytes: usize,
    file: &File,
    offset: u64,
    fixed: libc::c_int,
) -> io::Result<*mut libc::c_void> {
    map(at, bytes, (file, offset), libc::MAP_SHARED | fixed, libc::PROT_NONE)
}

fn map(
    at: *mut libc::c_void,
    bytes: usize,
    (file, offset): (&File, u64),
    flags: libc::c_int,
    rights: libc::c_int,
) -> io::Result<*mut libc::c_void> {
    let flags = flags | libc::MAP_NORESERVE;
    let offset = libc::off_t::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: without MAP_FIXED no existing mapping is touched; with it the callers pass pages of their reservation.
    let base = unsafe { libc::mmap(at, bytes, rights, flags, file.as_raw_fd(), offset) };
    if base == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(base) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_that_cannot_be_granted_is_halved() {
        let reservation = Reservation::new(1 << 47).expect("some halving of the address space is free");
        assert!(reservation.end() - reservation.base() >= SMALLEST);
        assert!(reservation.end() - reservation.base() < 1 << 47);
    }

    #[test]
    fn committed_pages_hold_data_and_are_zero_after_a_decommit() {
        let reservation = Reservation::new(SMALLEST).expect("1 GiB of addresses");
        let (base, page) = (reservation.base(), reservation.page());
        reservation.commit(base, page).expect("one page");
        let cell = ptr::with_exposed_provenance_mut::<u8>(base);
        // SAFETY: the page has just been committed and is used by this test alone.
        unsafe { cell.write_volatile(7) };
        reservation.decommit(base, page).expect("one page");
        reservation.commit(base, page).expect("one page");
        // SAFETY: committed again.
        assert_eq!(unsafe { cell.read_volatile() }, 0, "a decommit must give the memory back");
    }
}
