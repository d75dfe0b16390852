//! Pools and their memory for other processes: by a descriptor of the system's, and piece by piece.
//!
//! A pool that was imported serves one piece of memory, and lives as long as that: nobody but its [`IpcBuffer`](crate::IpcBuffer) has it.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety in pool.rs")]

use std::ffi::c_void;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use super::{MemPool, PoolState};
use crate::device::Device;
use crate::error::{IpcError, Result};
use crate::ffi::{cudaError, cudaMemAllocationHandleType, cudaMemPool_t, cudaMemPoolPtrExportData};
use crate::seam::{On, Seam, cuda};

const DESCRIPTOR: cudaMemAllocationHandleType =
    cudaMemAllocationHandleType::cudaMemHandleTypePosixFileDescriptor;

impl MemPool {
    /// The pool, for another process to import; and what it needs to import the memory at `address`, which is the pool's.
    pub(crate) fn export(&self, address: *mut c_void) -> Result<(OwnedFd, [u8; 64])> {
        self.check()?;
        let (seam, on, pool) = (self.seam(), self.device().on(), self.as_raw());
        let mut data = cudaMemPoolPtrExportData { reserved: [0; 64] };
        // SAFETY: `data` is a valid place; the address is a live allocation's.
        let status = unsafe { cuda!(status: seam, on, cudaMemPoolExportPointer(&mut data, address)) }?;
        judge(seam, "cudaMemPoolExportPointer", status, on, IpcError::NotExportable)?;
        let mut number: RawFd = -1;
        let place: *mut c_void = (&raw mut number).cast();
        // SAFETY: a valid place for a descriptor; the pool is live.
        let status = unsafe {
            cuda!(status: seam, on, cudaMemPoolExportToShareableHandle(place, pool, DESCRIPTOR, 0))
        }?;
        judge(seam, "cudaMemPoolExportToShareableHandle", status, on, IpcError::NotExportable)?;
        // SAFETY: the descriptor is new, and nobody else's.
        Ok((unsafe { OwnedFd::from_raw_fd(number) }, data.reserved))
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
        let mut handle: cudaMemPool_t = std::ptr::null_mut();
        let number = std::ptr::without_provenance_mut(descriptor.as_raw_fd().cast_unsigned() as usize);
        // SAFETY: `handle` is a valid place; the descriptor is open, and the runtime judges it.
        let status = unsafe {
            cuda!(status: seam, on, cudaMemPoolImportFromShareableHandle(&mut handle, number, DESCRIPTOR, 0))
        }?;
        judge(seam, "cudaMemPoolImportFromShareableHandle", status, on, not_opened(status.0))?;
        let mut state = PoolState::new(device, handle, epoch, true);
        state.import = Some(lease);
        let pool = Self(Arc::new(state));
        let mut data = cudaMemPoolPtrExportData { reserved: data };
        let mut pointer: *mut c_void = std::ptr::null_mut();
        // SAFETY: valid places; the pool is live, and the runtime judges the data.
        let status =
            unsafe { cuda!(status: seam, on, cudaMemPoolImportPointer(&mut pointer, handle, &mut data)) }?;
        judge(seam, "cudaMemPoolImportPointer", status, on, not_opened(status.0))?;
        Ok((pool, pointer))
    }

    /// Whether it is another process's.
    pub(crate) fn is_imported(&self) -> bool {
        self.0.import.is_some()
    }
}

fn judge(seam: &Seam, call: &'static str, status: cudaError, on: On, refused: IpcError) -> Result<()> {
    match status {
        cudaError::cudaSuccess => Ok(()),
        cudaError::cudaErrorInvalidValue | cudaError::cudaErrorUnknown => Err(refused.into()),
        status => Err(seam.error(call, status, on)),
    }
}
