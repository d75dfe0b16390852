//! Opening what another process made.
//!
//! # Safety
//! This file opens handles at the word of whoever carries them: the unsafe function says what has to be true.
#![allow(unsafe_code, reason = "a call of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::{c_char, c_void};
use std::os::fd::OwnedFd;

use bytemuck::Pod;

use super::buffer::IpcBuffer;
use super::descriptor::{IpcMemHandle, Maker};
use super::lease::LeasedMemHandle;
use crate::allocation::{Allocation, Kind};
use crate::device::Device;
use crate::error::{Error, ForeignError, IpcError, Result};
use crate::ffi::{cudaError, cudaIpcMemHandle_t, cudaIpcMemLazyEnablePeerAccess};
use crate::pool::MemPool;
use crate::runtime::Runtime;
use crate::seam::{On, cuda};
use crate::uuid::Uuid;

/// Memory to open: a descriptor, with its lease if it has one, and whether its GPU may be one that this process does not see.
#[derive(Debug)]
pub struct IpcSource {
    handle: IpcMemHandle,
    lease: Option<OwnedFd>,
    pool: Option<OwnedFd>,
    hidden: bool,
}

impl From<&IpcMemHandle> for IpcSource {
    fn from(handle: &IpcMemHandle) -> Self {
        Self { handle: handle.clone(), lease: None, pool: None, hidden: false }
    }
}

impl From<LeasedMemHandle> for IpcSource {
    fn from(leased: LeasedMemHandle) -> Self {
        Self { handle: leased.handle, lease: Some(leased.lease), pool: leased.pool, hidden: false }
    }
}

impl IpcMemHandle {
    /// To be opened also if its GPU is none of this process's devices. Nobody then checks that the two GPUs are peers but the runtime.
    pub fn even_if_hidden(&self) -> IpcSource {
        IpcSource { hidden: true, ..self.into() }
    }
}

impl LeasedMemHandle {
    /// As [`IpcMemHandle::even_if_hidden`].
    pub fn even_if_hidden(self) -> IpcSource {
        IpcSource { hidden: true, ..self.into() }
    }
}

impl Runtime {
    /// The device that is this GPU, whatever its ordinal.
    ///
    /// # Errors
    /// [`Error::Ipc`] with [`IpcError::HiddenDevice`] if this process does not see it; [`Error::Cuda`].
    pub fn device_by_uuid(&self, uuid: Uuid) -> Result<Device> {
        let devices = self.devices()?;
        for device in &devices {
            if device.uuid()? == uuid {
                return Ok(*device);
            }
        }
        Err(IpcError::HiddenDevice { uuid, visible: devices.len() as u32 }.into())
    }
}

/// Refuses what this process made itself.
pub(super) fn check_maker(maker: Maker) -> Result<()> {
    if maker == Maker::this() {
        return Err(IpcError::SameProcess { process: maker.process }.into());
    }
    Ok(())
}

impl Device {
    /// Opens another process's memory, so that this device reaches it. Opening the same again is another value for the same
    /// memory, and the two are not ordered among each other.
    ///
    /// C: `cudaIpcOpenMemHandle`, `cudaMemPoolImportFromShareableHandle`, `cudaMemPoolImportPointer`.
    ///
    /// # Safety
    /// - Until the value is dropped *and* the work that was put in with it is done, the memory stays allocated in the process that made it,
    ///   and that process does not end. A lease sees to the first by itself.
    /// - Its elements are initialised.
    /// - Work of other processes on the memory does not race with work that is put in with this value: it is ordered by events that
    ///   both have, or by waiting and sending word. While a mutable slice of it is used, no other process reads it; while any is,
    ///   none writes. So is work that is put in with another value for the same memory.
    ///
    /// # Errors
    /// - [`Error::Ipc`] with [`IpcError::SameProcess`], [`IpcError::ElementType`], [`IpcError::HiddenDevice`] (unless
    ///   [`even_if_hidden`](IpcMemHandle::even_if_hidden), which memory of a pool is not opened by), [`IpcError::PoolMissing`],
    ///   [`IpcError::NotOpened`].
    /// - [`Error::PeerUnreachable`] if the GPU is another one, and this device has no peer access to it.
    /// - [`Error::TooManyPeers`] at the hardware's limit; [`Error::Foreign`] if the driver says that there is less memory than the
    ///   descriptor; [`Error::Cuda`].
    #[doc(alias = "cudaIpcOpenMemHandle")]
    #[doc(alias = "cudaMemPoolImportFromShareableHandle")]
    #[doc(alias = "cudaMemPoolImportPointer")]
    pub unsafe fn open_ipc<T: Pod>(&self, source: impl Into<IpcSource>) -> Result<IpcBuffer<T>> {
        self.seam().check_process()?;
        let IpcSource { handle, lease, pool, hidden } = source.into();
        check_maker(handle.maker)?;
        handle.check_element::<T>()?;
        let owner = match self.runtime().device_by_uuid(handle.uuid) {
            Ok(owner) => Some(owner),
            Err(Error::Ipc(IpcError::HiddenDevice { .. })) if hidden && !handle.pooled => None,
            Err(error) => return Err(error),
        };
        if let Some(owner) = owner
            && owner != *self
            && !self.can_access_peer(&owner)?
        {
            return Err(Error::PeerUnreachable { accessor: self.ordinal(), owner: owner.ordinal() });
        }
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let (len, offset) = (number(handle.len), number(handle.offset));
        let bytes = number(handle.offset.saturating_add(handle.size_bytes()));
        let allocation = match owner {
            // SAFETY: by the caller.
            Some(owner) if handle.pooled => unsafe { self.import_pooled(&handle, owner, bytes, pool, lease) },
            _ => self.open_plain(&handle, owner, bytes, lease),
        }?;
        if let Some((_, available)) = allocation.range()
            && available < bytes
        {
            return Err(ForeignError::BeyondAllocation { bytes, available }.into());
        }
        match (allocation.pointer().addr() + offset) % align_of::<T>() {
            0 => Ok(IpcBuffer::new(allocation, *self, offset, len, handle.uuid, owner)),
            misalignment => Err(Error::Misaligned { misalignment, align: align_of::<T>() }),
        }
    }

    fn open_plain(
        &self,
        handle: &IpcMemHandle,
        owner: Option<Device>,
        bytes: usize,
        lease: Option<OwnedFd>,
    ) -> Result<Allocation> {
        let mut pointer: *mut c_void = std::ptr::null_mut();
        let raw = cudaIpcMemHandle_t { reserved: handle.raw.map(|byte| byte as c_char) };
        let flag = cudaIpcMemLazyEnablePeerAccess;
        // SAFETY: `pointer` is a valid place for an address; the runtime judges the handle.
        let status = unsafe {
            cuda!(relaxed status: self.seam(), self.on(), cudaIpcOpenMemHandle(&mut pointer, raw, flag))
        }?;
        self.judge_open(status, handle, owner)?;
        let remote = owner != Some(*self);
        Ok(Allocation::of_process(*self, pointer, bytes, remote, lease))
    }

    /// # Safety
    /// - As for [`open_ipc`](Self::open_ipc).
    unsafe fn import_pooled(
        &self,
        handle: &IpcMemHandle,
        owner: Device,
        bytes: usize,
        pool: Option<OwnedFd>,
        lease: Option<OwnedFd>,
    ) -> Result<Allocation> {
        let descriptor = pool.ok_or(IpcError::PoolMissing)?;
        let (uuid, process) = (handle.uuid, handle.maker.process);
        let not_opened = |code| IpcError::NotOpened { uuid, process, code };
        // SAFETY: by the caller: the piece stays until the memory is dropped, and the pool with it.
        let (pool, pointer) = unsafe { MemPool::import(owner, &descriptor, handle.raw, lease, not_opened) }?;
        let allocation = Allocation::foreign(owner, pointer, bytes, Kind::Pool(pool.clone()), false);
        if owner != *self {
            pool.enable_access_from(&[*self])?;
        }
        Ok(allocation)
    }

    fn judge_open(&self, status: cudaError, handle: &IpcMemHandle, owner: Option<Device>) -> Result<()> {
        let accessor = self.ordinal();
        match (status, owner) {
            (cudaError::cudaSuccess, _) => Ok(()),
            (cudaError::cudaErrorTooManyPeers, Some(owner)) => {
                Err(Error::TooManyPeers { accessor, owner: owner.ordinal() })
            }
            (cudaError::cudaErrorInvalidValue | cudaError::cudaErrorMapBufferObjectFailed, _) => {
                Err(IpcError::NotOpened { uuid: handle.uuid, process: handle.maker.process, code: status.0 }
                    .into())
            }
            (status, _) => Err(self.seam().error("cudaIpcOpenMemHandle", status, On::Device(accessor))),
        }
    }
}
