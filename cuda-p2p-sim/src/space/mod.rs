//! The one virtual address space of a simulated machine.
//!
//! # What is modelled
//! Addresses are reserved once, so every allocation, of whichever device or of pinned host memory, has an address of its
//! own, and a pointer alone tells what it points at. [`Space::check`] answers whether a device may touch a range: the
//! device's own memory, pinned host memory, memory that `cudaMalloc` gave of a device whose peer access is enabled, and
//! memory of a pool that was granted to it.
//!
//! # Stricter than hardware
//! Bounds are exact to the byte, where a GPU checks pages of 2 MiB or more. Freed addresses are not handed out again until
//! all others have been, so that a use after free is seen. New memory is filled with [`POISON`]: all of it up to 2 MiB, of
//! larger allocations the first and the last MiB (the rest reads as zeros, which costs nothing until it is touched).

mod allocation;
mod error;
mod placement;
mod reserve;
mod rights;
mod sharing;
mod state;
mod virtual_range;

use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::ipc::board::{self, Board};
use crate::link::Links;
pub use allocation::{Allocation, Owner, PoolId};
pub use error::{AccessError, SpaceError};
use reserve::Reservation;
pub(crate) use reserve::page_bytes;
pub(crate) use sharing::Exported;
use state::State;
pub(crate) use virtual_range::Backing;

/// Byte that new memory is filled with.
pub const POISON: u8 = 0xa7;
/// Bytes at either end of a large allocation that are filled with [`POISON`].
const POISONED_EDGE: usize = 1 << 20;
/// Bytes that a machine asks for; a system that has fewer gives fewer.
const WANTED: usize = 1 << 40;

/// The address space of one simulated machine: what is allocated, whose it is, and who may touch it.
#[derive(Debug)]
pub struct Space {
    reservation: Reservation,
    state: RwLock<State>,
    epoch: AtomicU64,
    links: Links,
    board: Arc<Board>,
}

impl Space {
    /// Reserves the addresses of a machine: 1 TiB, or as much as the system grants.
    ///
    /// # Errors
    /// [`SpaceError::Reserve`] if not even 1 GiB can be had.
    pub fn new() -> Result<Space, SpaceError> {
        Space::with_links(Links::default())
    }

    /// As [`Space::new`], for a machine with such links.
    pub(crate) fn with_links(links: Links) -> Result<Space, SpaceError> {
        let reservation = Reservation::new(WANTED)?;
        let board = Board::new(reservation.file())
            .map_err(|error| SpaceError::Reserve { bytes: board::BYTES, error: error.to_string() })?;
        // The board is the first piece of the file.
        let first = reservation.base() + board::BYTES.next_multiple_of(reservation.page());
        let state = State::new(first, reservation.end(), reservation.page());
        Ok(Space { reservation, state: RwLock::new(state), epoch: AtomicU64::new(0), links, board })
    }

    /// What is wrong with the links between the devices.
    pub(crate) fn links(&self) -> &Links {
        &self.links
    }

    /// Calls `touch` while `allocation` cannot be freed. `None` if it has been.
    pub(crate) fn while_live<T>(&self, allocation: &Allocation, touch: impl FnOnce() -> T) -> Option<T> {
        let state = self.read();
        let (live, _) = state.live.get(&allocation.base)?;
        (live.id == allocation.id).then(touch)
    }

    /// Allocates `bytes` bytes for `owner` and returns their first address, which is page-aligned.
    ///
    /// # Errors
    /// [`SpaceError::Empty`] for no bytes, [`SpaceError::OutOfMemory`] if the space or the system has no room.
    pub fn allocate(&self, owner: Owner, bytes: usize) -> Result<usize, SpaceError> {
        if bytes == 0 {
            return Err(SpaceError::Empty);
        }
        let mut state = self.write();
        let pages = state.placement.pages(bytes).ok_or(SpaceError::OutOfMemory { bytes })?;
        let span = state.placement.place(bytes).ok_or(SpaceError::OutOfMemory { bytes })?;
        if self.reservation.commit(span.base, pages).is_err() {
            state.placement.cancel(span);
            return Err(SpaceError::OutOfMemory { bytes });
        }
        poison(span.base, pages);
        state.insert(span.base, bytes, owner, Some(span));
        Ok(span.base)
    }

    /// Frees the allocation that begins at `base`, or gives back one of another process. Its addresses fault from then on.
    ///
    /// # Errors
    /// [`SpaceError::NotABase`] if no live allocation begins there.
    pub fn free(&self, base: usize) -> Result<Allocation, SpaceError> {
        let mut state = self.write();
        let Some((allocation, Some(span))) = state.live.get(&base).copied() else {
            return Err(SpaceError::NotABase { address: base });
        };
        state.live.remove(&base);
        // Those who have it open see that it is gone before its bytes are.
        state.exports.remove(&base);
        let imported = state.imports.remove(&base).is_some();
        state.apart.remove(&base);
        self.bump();
        let pages = state.placement.pages(allocation.bytes).unwrap_or(span.bytes);
        let given_back = match imported {
            true => self.reservation.hide(base, pages),
            false => self.reservation.decommit(base, pages),
        };
        // If the system cannot take the pages back, their addresses are lost, not given out with old data.
        if given_back.is_ok() {
            state.placement.retire(span, allocation);
        }
        Ok(allocation)
    }

    /// Makes `bytes` bytes of the program's own memory at `base` known as pinned (`cudaHostRegister`).
    ///
    /// # Errors
    /// [`SpaceError::Empty`] for no bytes, [`SpaceError::Overlap`] if any of them is known already.
    pub fn register_host(&self, base: usize, bytes: usize) -> Result<(), SpaceError> {
        let last = match bytes.checked_sub(1) {
            Some(more) => base.checked_add(more).ok_or(SpaceError::Overlap { address: base })?,
            None => return Err(SpaceError::Empty),
        };
        let reserved = base < self.reservation.end() && last >= self.reservation.base();
        let mut state = self.write();
        if reserved || state.at_or_below(last).is_some_and(|it| it.base + it.bytes > base) {
            return Err(SpaceError::Overlap { address: base });
        }
        state.insert(base, bytes, Owner::Host, None);
        Ok(())
    }

    /// Forgets memory that [`Space::register_host`] made known (`cudaHostUnregister`).
    ///
    /// # Errors
    /// [`SpaceError::NotABase`] if no registered range begins at `base`.
    pub fn unregister_host(&self, base: usize) -> Result<(), SpaceError> {
        let mut state = self.write();
        match state.live.get(&base) {
            Some((_, None)) => {
                state.live.remove(&base);
                self.bump();
                Ok(())
            }
            _ => Err(SpaceError::NotABase { address: base }),
        }
    }

    /// The live allocation that `address` points into.
    #[must_use]
    pub fn find(&self, address: usize) -> Option<Allocation> {
        self.read().at_or_below(address).filter(|allocation| allocation.contains(address))
    }

    /// The live allocation that holds all of `bytes` bytes at `address`. No bytes fit wherever `address` points into
    /// an allocation or at its end.
    ///
    /// # Errors
    /// [`AccessError::Unknown`], [`AccessError::Freed`] or [`AccessError::OutOfBounds`].
    pub fn find_range(&self, address: usize, bytes: usize) -> Result<Allocation, AccessError> {
        self.read().find_range(address, bytes)
    }

    /// The live allocation that holds all of `bytes` bytes at `address`, if `device` may touch it.
    ///
    /// # Errors
    /// As [`Space::find_range`], and [`AccessError::NoAccess`].
    pub fn check(&self, device: usize, address: usize, bytes: usize) -> Result<Allocation, AccessError> {
        let state = self.read();
        let allocation = state.find_range(address, bytes)?;
        if state.rights.may_access(device, &allocation) {
            Ok(allocation)
        } else {
            Err(AccessError::NoAccess { allocation, offset: address - allocation.base, device })
        }
    }

    /// Whether a kernel of `device` may touch `allocation`.
    #[must_use]
    pub fn may_access(&self, device: usize, allocation: &Allocation) -> bool {
        self.read().rights.may_access(device, allocation)
    }

    /// How often the access of `accessor` to the memory of `owner` was taken away so far.
    #[must_use]
    pub fn closings(&self, accessor: usize, owner: usize) -> u64 {
        self.read().rights.closings(accessor, owner)
    }

    /// Opens the `cudaMalloc` memory of `owner` to `accessor`, or closes it.
    pub fn set_peer(&self, accessor: usize, owner: usize, allowed: bool) {
        if self.write().rights.set_peer(accessor, owner, allowed) {
            self.bump();
        }
    }

    /// Opens the memory of `pool` to `device`, or closes it. The pool's own device needs no grant.
    pub fn set_pool_grant(&self, pool: PoolId, device: usize, allowed: bool) {
        if self.write().rights.set_pool_grant(pool, device, allowed) {
            self.bump();
        }
    }

    /// Drops every grant of `pool`.
    pub fn forget_pool(&self, pool: PoolId) {
        if self.write().rights.forget_pool(pool) {
            self.bump();
        }
    }

    /// Grows whenever memory is freed or a right is taken away: an answer of [`Space::check`] that allowed something
    /// holds as long as this number stays.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    fn bump(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fills fresh memory with a pattern, so that nobody comes to rely on zeros, which CUDA does not promise.
fn poison(base: usize, bytes: usize) {
    let edge = bytes.min(POISONED_EDGE);
    for start in [base, base + bytes - edge] {
        // SAFETY: both ranges lie in the pages that the caller has just committed and given to nobody yet.
        unsafe { ptr::with_exposed_provenance_mut::<u8>(start).write_bytes(POISON, edge) };
    }
}

#[cfg(test)]
mod tests;
