//! Pools and their memory for other processes: by a descriptor of the system's, and piece by piece.
//!
//! A pool that was imported serves one piece of memory, and lives as long as that: nobody but its [`IpcBuffer`](crate::IpcBuffer) has it.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety in pool.rs")]

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{MemPool, PoolState};
use crate::device::Device;
use crate::error::{IpcError, Result};
use crate::ffi::{cudaError, cudaMemAllocationHandleType, cudaMemPool_t, cudaMemPoolPtrExportData};
use crate::seam::{On, Seam, cuda};

/// Pieces of another process's pool that are open here, by address, with a lease for each time: by its end the maker learns that it was
/// closed.
pub(super) type Pieces = Mutex<BTreeMap<usize, Vec<Option<OwnedFd>>>>;

const DESCRIPTOR: cudaMemAllocationHandleType =
    cudaMemAllocationHandleType::cudaMemHandleTypePosixFileDescriptor;

impl MemPool {
    /// The pool, for another process to import; and what it needs to import the memory at `address`, which is the pool's.
    pub(crate) fn export(&self, address: *mut c_void) -> Result<(OwnedFd, [u8; 64])> {
        self.check()?;
        let (seam, on, pool) = (self.seam(), self.device().on(), self.as_raw());
        let mut number: RawFd = -1;
        let place: *mut c_void = (&raw mut number).cast();
        // SAFETY: a valid place for a descriptor; the pool is live.
        let status = unsafe {
            cuda!(status: seam, on, cudaMemPoolExportToShareableHandle(place, pool, DESCRIPTOR, 0))
        }?;
        judge(seam, "cudaMemPoolExportToShareableHandle", status, on, IpcError::NotExportable)?;
        // SAFETY: the descriptor is new, and nobody else's.
        let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
        let mut data = cudaMemPoolPtrExportData { reserved: [0; 64] };
        // Afterwards: of a pool that was never exported the runtime exports no memory (1).
        // SAFETY: `data` is a valid place; the address is a live allocation's.
        let status = unsafe { cuda!(status: seam, on, cudaMemPoolExportPointer(&mut data, address)) }?;
        judge(seam, "cudaMemPoolExportPointer", status, on, IpcError::NotExportable)?;
        Ok((descriptor, data.reserved))
    }

    /// Another process's pool, of `device`'s memory, and the piece of it that `data` is of; freed here once. The lease ends with both.
    ///
    /// `not_opened` is the error for what the runtime does not import.
    ///
    /// # Safety
    /// - The piece is not freed over there until this pool is dropped.
    pub(crate) unsafe fn import(
        device: Device,
        descriptor: &OwnedFd,
        data: [u8; 64],
        lease: Option<OwnedFd>,
        not_opened: impl Fn(u32) -> IpcError,
    ) -> Result<(Self, *mut c_void)> {
        let (seam, on, epoch) = (device.seam(), device.on(), device.epoch());
        let number = std::ptr::without_provenance_mut(descriptor.as_raw_fd().cast_unsigned() as usize);
        // The lock ends before the pool may, whose end takes it.
        let (pool, imported) = {
            let _importing = device.0.pools.importing();
            let mut handle: cudaMemPool_t = std::ptr::null_mut();
            // SAFETY: `handle` is a valid place; the descriptor is open, and the runtime judges it.
            let status = unsafe {
                cuda!(status: seam, on, cudaMemPoolImportFromShareableHandle(&mut handle, number, DESCRIPTOR, 0))
            }?;
            judge(seam, "cudaMemPoolImportFromShareableHandle", status, on, not_opened(status.0))?;
            let pool = Self::shared(PoolState::of_import(device, handle, epoch));
            let mut data = cudaMemPoolPtrExportData { reserved: data };
            let mut pointer: *mut c_void = std::ptr::null_mut();
            let status = {
                // A piece that is just being freed here is given again afterwards.
                let mut pieces = pool.pieces();
                // SAFETY: valid places; the pool is live, and the runtime judges the data.
                let status = unsafe {
                    cuda!(status: seam, on, cudaMemPoolImportPointer(&mut pointer, handle, &mut data))
                };
                if status == Ok(cudaError::cudaSuccess) {
                    pieces.entry(pointer.addr()).or_default().push(lease);
                }
                status
            };
            (pool, status.map(|status| (status, pointer)))
        };
        let (status, pointer) = imported?;
        judge(seam, "cudaMemPoolImportPointer", status, on, not_opened(status.0))?;
        Ok((pool, pointer))
    }

    /// Closes a piece that was opened here, by `free` if nobody else has it open: the runtime gives one address for one piece, however
    /// often it is imported, and does not count how often. Its lease ends afterwards.
    pub(crate) fn close_piece(&self, pointer: *mut c_void, free: impl FnOnce() -> Result<()>) -> Result<()> {
        let mut pieces = self.pieces();
        let Some(leases) = pieces.get_mut(&pointer.addr()) else { return free() };
        if leases.len() < 2 {
            free()?;
            pieces.remove(&pointer.addr());
        } else {
            leases.pop();
        }
        Ok(())
    }

    fn pieces(&self) -> MutexGuard<'_, BTreeMap<usize, Vec<Option<OwnedFd>>>> {
        self.0.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is another process's.
    pub(crate) fn is_imported(&self) -> bool {
        self.0.imported
    }
}

fn judge(seam: &Seam, call: &'static str, status: cudaError, on: On, refused: IpcError) -> Result<()> {
    match status {
        cudaError::cudaSuccess => Ok(()),
        cudaError::cudaErrorInvalidValue | cudaError::cudaErrorUnknown => Err(refused.into()),
        status => Err(seam.error(call, status, on)),
    }
}
