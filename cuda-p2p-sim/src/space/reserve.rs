//! The reserved address range itself: pages that are nobody's until they are committed.

use std::io;
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
}

impl Reservation {
    /// Reserves `wanted` bytes, or the largest halving of it that the system grants.
    pub(super) fn new(wanted: usize) -> Result<Reservation, SpaceError> {
        let page = page_bytes();
        let mut bytes = wanted.max(SMALLEST).next_multiple_of(page);
        loop {
            match map_inaccessible(ptr::null_mut(), bytes, 0) {
                Ok(base) => return Ok(Reservation { base: base as usize, bytes, page }),
                Err(_) if bytes / 2 >= SMALLEST => bytes = (bytes / 2).next_multiple_of(page),
                Err(error) => return Err(SpaceError::Reserve { bytes, error: error.to_string() }),
            }
        }
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

    /// Takes the memory behind the pages away again; touching them is from then on a fault.
    pub(super) fn decommit(&self, base: usize, bytes: usize) -> io::Result<()> {
        debug_assert!(base >= self.base && base + bytes <= self.end());
        map_inaccessible(ptr::with_exposed_provenance_mut(base), bytes, libc::MAP_FIXED).map(drop)
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

/// Maps inaccessible pages: anywhere, or with MAP_FIXED over the caller's own pages at `at`.
fn map_inaccessible(
    at: *mut libc::c_void,
    bytes: usize,
    fixed: libc::c_int,
) -> io::Result<*mut libc::c_void> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    // SAFETY: without MAP_FIXED no existing mapping is touched; with it the callers pass pages of their reservation.
    let base = unsafe { libc::mmap(at, bytes, libc::PROT_NONE, flags, -1, 0) };
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
