//! Virtual memory: ranges of addresses that memory is mapped into, and taken out of again.
//!
//! # Safety
//! Memory that is mapped is a file without a name, so that its bytes stay when it is mapped elsewhere, or twice. Mapping replaces pages
//! of this space's own reservation, which nothing refers to: nothing was mapped there before.

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

use super::{Owner, POISON, POISONED_EDGE, PoolId, Space, SpaceError};

/// Memory that has no address of its own.
#[derive(Debug)]
pub(crate) struct Backing {
    file: OwnedFd,
    bytes: usize,
}

impl Backing {
    /// New memory, filled with [`POISON`] at both ends.
    pub(crate) fn new(bytes: usize) -> io::Result<Backing> {
        // SAFETY: the name ends with NUL.
        let file = unsafe { libc::memfd_create(c"cuda-p2p-sim".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor has just been opened, and is nobody else's.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        let size = libc::off_t::try_from(bytes).map_err(io::Error::other)?;
        // SAFETY: the descriptor is that of a file.
        if unsafe { libc::ftruncate(file.as_raw_fd(), size) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let backing = Backing { file, bytes };
        let place = backing.map_at(ptr::null_mut(), 0)?;
        let edge = bytes.min(POISONED_EDGE);
        // SAFETY: the pages have just been mapped, for this function alone.
        unsafe {
            place.cast::<u8>().write_bytes(POISON, edge);
            place.cast::<u8>().add(bytes - edge).write_bytes(POISON, edge);
            libc::munmap(place, bytes);
        }
        Ok(backing)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn map_at(&self, at: *mut libc::c_void, fixed: c_int) -> io::Result<*mut libc::c_void> {
        let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | fixed);
        // SAFETY: without MAP_FIXED no mapping is touched; with it the caller gives pages of a reserved range.
        let place = unsafe { libc::mmap(at, self.bytes, rights, flags, self.file.as_raw_fd(), 0) };
        if place == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(place) }
    }
}

impl Space {
    /// Takes addresses for `bytes` bytes at a multiple of `align`, with nothing behind them.
    ///
    /// # Errors
    /// [`SpaceError::OutOfMemory`] if there are not so many.
    pub(crate) fn reserve(&self, bytes: usize, align: usize) -> Result<usize, SpaceError> {
        let too_many = SpaceError::OutOfMemory { bytes };
        let mut state = self.write();
        let all = bytes.checked_add(align).ok_or(too_many.clone())?;
        let span = state.placement.place(all).ok_or(too_many)?;
        let base = span.base.next_multiple_of(align);
        state.ranges.insert(base, (bytes, span));
        Ok(base)
    }

    /// Gives addresses back. Nothing is mapped there. Whether a range of that size begins there.
    pub(crate) fn unreserve(&self, base: usize, bytes: usize) -> bool {
        let mut state = self.write();
        match state.ranges.get(&base) {
            Some(&(size, span)) if size == bytes => {
                state.ranges.remove(&base);
                state.placement.cancel(span);
                true
            }
            _ => false,
        }
    }

    /// First address and size of the range that `address` lies in.
    pub(crate) fn range(&self, address: usize) -> Option<(usize, usize)> {
        self.read().range(address)
    }

    /// How many ranges there are.
    pub(crate) fn ranges(&self) -> usize {
        self.read().ranges.len()
    }

    /// Maps memory of a device at `base`, which lies in a range, with room for it. Nobody may touch it yet.
    ///
    /// # Errors
    /// [`SpaceError::OutOfMemory`] if the system refuses.
    pub(crate) fn map(
        &self,
        base: usize,
        backing: &Backing,
        ordinal: usize,
        mapping: PoolId,
    ) -> Result<(), SpaceError> {
        let mut state = self.write();
        let place = ptr::with_exposed_provenance_mut(base);
        backing
            .map_at(place, libc::MAP_FIXED)
            .map_err(|_| SpaceError::OutOfMemory { bytes: backing.bytes })?;
        state.insert(base, backing.bytes, Owner::Virtual { ordinal, mapping }, None);
        Ok(())
    }

    /// Takes out what is mapped at `base`. Touching it is a fault from then on.
    ///
    /// # Errors
    /// [`SpaceError::NotABase`] if nothing is mapped there.
    pub(crate) fn unmap(&self, base: usize) -> Result<(), SpaceError> {
        let mut state = self.write();
        let Some((allocation, None)) = state.live.get(&base).copied() else {
            return Err(SpaceError::NotABase { address: base });
        };
        let Owner::Virtual { mapping, .. } = allocation.owner else {
            return Err(SpaceError::NotABase { address: base });
        };
        state.live.remove(&base);
        state.rights.forget_pool(mapping);
        self.bump();
        self.reservation
            .decommit(base, allocation.bytes)
            .map_err(|_| SpaceError::OutOfMemory { bytes: allocation.bytes })
    }

    /// The mappings that any of `bytes` bytes at `address` lie in, each with its number, which no other has, and whether `device` may
    /// touch it.
    pub(crate) fn mapped(&self, address: usize, bytes: usize, device: usize) -> Vec<(u64, bool)> {
        let state = self.read();
        let end = address.saturating_add(bytes);
        let below = state.live.range(..=address).next_back().map_or(address, |(&base, _)| base);
        let touched =
            state.live.range(below..end).map(|(_, (it, _))| it).filter(|it| it.base + it.bytes > address);
        touched
            .filter(|it| matches!(it.owner, Owner::Virtual { .. }))
            .map(|it| (it.id, state.rights.may_access(device, it)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::AccessError;
    use super::*;

    const PAGE: usize = 2 << 20;

    fn byte(address: usize) -> *mut u8 {
        ptr::with_exposed_provenance_mut(address)
    }

    #[test]
    fn memory_is_one_wherever_it_is_mapped() {
        let space = Space::new().expect("addresses for a machine");
        let base = space.reserve(4 * PAGE, PAGE).expect("addresses");
        assert_eq!(base % PAGE, 0);
        assert_eq!(space.check(0, base, 1), Err(AccessError::Unmapped));
        let backing = Backing::new(PAGE).expect("memory");
        for (place, mapping) in [(base, 7), (base + 2 * PAGE, 8)] {
            space.map(place, &backing, 1, PoolId(mapping)).expect("room");
        }
        // Not even its own device may touch it without a right.
        assert!(matches!(space.check(1, base, 4), Err(AccessError::NoAccess { .. })));
        space.set_pool_grant(PoolId(7), 0, true);
        assert!(space.check(0, base + PAGE - 4, 4).is_ok());
        assert!(space.check(0, base + 2 * PAGE, 4).is_err(), "another mapping has other rights");
        // SAFETY: both are mapped, and used by this test alone.
        unsafe {
            assert_eq!(byte(base).read_volatile(), POISON);
            byte(base).write_volatile(3);
            assert_eq!(byte(base + 2 * PAGE).read_volatile(), 3);
        }
        let epoch = space.epoch();
        space.unmap(base).expect("mapped");
        assert_ne!(space.epoch(), epoch);
        assert_eq!(space.check(0, base, 4), Err(AccessError::Unmapped));
        space.map(base + PAGE, &backing, 1, PoolId(9)).expect("room");
        // SAFETY: as above.
        assert_eq!(unsafe { byte(base + PAGE).read_volatile() }, 3, "its bytes stay");
        for place in [base + PAGE, base + 2 * PAGE] {
            space.unmap(place).expect("mapped");
        }
        assert!(!space.unreserve(base, PAGE) && space.unreserve(base, 4 * PAGE));
        assert_eq!(space.check(0, base, 1), Err(AccessError::Unknown));
    }
}
