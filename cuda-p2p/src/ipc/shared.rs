//! The maker's side of shared memory.
//!
//! # Safety
//! This file asks for a handle, and keeps the memory that it stands for from being freed while others may have it open: a
//! [`SharedBuffer`] gives its buffer out by [`take_back`](SharedBuffer::take_back) alone, and leaks it where that may be.
#![allow(unsafe_code, reason = "a call of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::c_void;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, RangeBounds};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use bytemuck::Pod;

use super::descriptor::{Element, IpcMemHandle, Maker};
use super::lease::Leases;
use crate::buffer::DeviceBuffer;
use crate::device::Device;
use crate::error::{Error, IpcError, Result};
use crate::ffi::{cudaError, cudaIpcMemHandle_t};
use crate::seam::cuda;
use crate::slice::{DeviceSlice, DeviceSliceMut};

/// A buffer that other processes may have open. It is read as the [`DeviceBuffer`] that it is, and written by
/// [`as_slice_mut`](Self::as_slice_mut); what other processes do with it meanwhile is for the program to order.
///
/// Dropped while others have it open, or may have, the memory stays allocated until the process ends.
pub struct SharedBuffer<T: Pod> {
    buffer: ManuallyDrop<DeviceBuffer<T>>,
    handle: IpcMemHandle,
    pool: Option<OwnedFd>,
    leases: Leases,
}

/// A buffer that was not shared, and why. It is given back.
pub struct ShareError<T> {
    /// The buffer, as good as before.
    pub buffer: Box<DeviceBuffer<T>>,
    /// Why it was not shared.
    pub error: Error,
}

/// A buffer that was not taken back, and why.
pub struct TakeBackError<T: Pod> {
    /// The buffer, shared as before.
    pub shared: Box<SharedBuffer<T>>,
    /// Why it was not taken back.
    pub error: Error,
}

impl<T: Pod> DeviceBuffer<T> {
    /// Makes the buffer one that other processes can open.
    ///
    /// C: `cudaIpcGetMemHandle`, `cudaMemPoolExportPointer`, `cudaMemPoolExportToShareableHandle`.
    ///
    /// # Errors
    /// [`ShareError`], which gives the buffer back, with [`Error::Ipc`] and [`IpcError::Empty`]; [`IpcError::NotExportable`] for memory of a
    /// pool that was not made [shareable](crate::MemPoolOptions::shareable), and for other memory that is not `cudaMalloc`'s; [`IpcError::UnknownBase`] for borrowed memory where the driver does not say where its
    /// allocation begins; [`Error::StaleHandle`]; [`Error::Cuda`].
    #[doc(alias = "cudaIpcGetMemHandle")]
    #[doc(alias = "cudaMemPoolExportPointer")]
    #[doc(alias = "cudaMemPoolExportToShareableHandle")]
    pub fn share(self) -> Result<SharedBuffer<T>, ShareError<T>> {
        match export(&self) {
            Ok((handle, pool)) => {
                Ok(SharedBuffer { buffer: ManuallyDrop::new(self), handle, pool, leases: Leases::default() })
            }
            Err(error) => Err(ShareError { buffer: Box::new(self), error }),
        }
    }
}

/// The descriptor of a buffer, and the pool that it comes from.
fn export<T: Pod>(buffer: &DeviceBuffer<T>) -> Result<(IpcMemHandle, Option<OwnedFd>)> {
    let allocation = buffer.as_slice().view.allocation;
    let (device, pointer) = (buffer.device(), allocation.pointer().cast());
    device.seam().check_process()?;
    allocation.check("the memory")?;
    if buffer.size_bytes() == 0 {
        return Err(IpcError::Empty.into());
    }
    let (pool, raw, (offset, size)) = match allocation.pool() {
        Some(pool) => {
            let (descriptor, data) = pool.export(pointer)?;
            (Some(descriptor), data, (0, allocation.bytes()))
        }
        None => (None, mem_handle(device, pointer)?, allocation.range().ok_or(IpcError::UnknownBase)?),
    };
    let handle = IpcMemHandle {
        raw,
        uuid: device.uuid()?,
        maker: Maker::this(),
        allocation: size as u64,
        offset: offset as u64,
        len: buffer.len() as u64,
        element: Element::of::<T>(),
        pooled: pool.is_some(),
    };
    Ok((handle, pool))
}

fn mem_handle(device: Device, pointer: *mut c_void) -> Result<[u8; 64]> {
    let mut raw = cudaIpcMemHandle_t { reserved: [0; 64] };
    // SAFETY: `raw` is a valid place for a handle; the address is a live allocation's.
    let status =
        unsafe { cuda!(relaxed status: device.seam(), device.on(), cudaIpcGetMemHandle(&mut raw, pointer)) }?;
    match status {
        cudaError::cudaSuccess => Ok(raw.reserved.map(|byte| byte as u8)),
        cudaError::cudaErrorInvalidValue => Err(IpcError::NotExportable.into()),
        status => Err(device.seam().error("cudaIpcGetMemHandle", status, device.on())),
    }
}

impl<T: Pod> SharedBuffer<T> {
    /// Sends the whole buffer to the process at the other end of `socket`, which receives it by
    /// [`LeasedMemHandle::receive`](super::Leased::receive). With it goes the lease by which this one learns when it is closed.
    ///
    /// Waits while the socket takes no more; its write timeout ends that, with [`IpcError::Socket`].
    ///
    /// # Errors
    /// [`Error::Ipc`] with [`IpcError::Socket`].
    pub fn send(&self, socket: &UnixStream) -> Result<()> {
        self.send_slice(socket, ..)
    }

    /// As [`send`](Self::send), of the elements of `range` alone. It is no protection: the other process gets at the whole
    /// allocation.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`]; as [`send`](Self::send).
    pub fn send_slice(&self, socket: &UnixStream, range: impl RangeBounds<usize>) -> Result<()> {
        let pool = self.pool.as_ref().map(AsFd::as_fd);
        self.leases.send(socket, &self.handle.slice(range)?.to_bytes(), pool)
    }

    /// The descriptor, to be carried by other means. Nobody then learns when it is closed: the buffer is not taken back any more but by
    /// [`take_back_unchecked`](Self::take_back_unchecked), and stays allocated if it is dropped.
    pub fn give_out_handle(&self) -> IpcMemHandle {
        self.leases.give_out();
        self.handle.clone()
    }

    /// All elements, to write to.
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        self.buffer.as_slice_mut()
    }

    /// How many processes may have it open, of those that it was sent to. One that has ended has not.
    pub fn open_count(&self) -> usize {
        self.leases.count()
    }

    /// Waits on the host until every process that it was sent to has closed it.
    ///
    /// # Errors
    /// [`Error::Ipc`] with [`IpcError::StillOpen`] after `timeout`, with [`IpcError::HandleGivenOut`] if that cannot be known.
    pub fn wait_until_closed(&self, timeout: Duration) -> Result<()> {
        self.leases.wait(timeout)
    }

    /// The buffer, which no other process has open.
    ///
    /// # Errors
    /// [`TakeBackError`], which gives it back as it was, with the errors of [`wait_until_closed`](Self::wait_until_closed).
    pub fn take_back(self) -> Result<DeviceBuffer<T>, TakeBackError<T>> {
        match self.leases.check() {
            // SAFETY: all that were told of it have closed it, and nobody else was.
            Ok(()) => Ok(unsafe { self.take_back_unchecked() }),
            Err(error) => Err(TakeBackError { shared: Box::new(self), error }),
        }
    }

    /// The buffer, at the caller's word.
    ///
    /// # Safety
    /// - No other process has it open, or opens it later.
    pub unsafe fn take_back_unchecked(self) -> DeviceBuffer<T> {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: the value is not dropped, and none of its fields is used again.
        unsafe {
            std::ptr::drop_in_place(&mut this.handle);
            std::ptr::drop_in_place(&mut this.pool);
            std::ptr::drop_in_place(&mut this.leases);
            ManuallyDrop::take(&mut this.buffer)
        }
    }
}

impl<T: Pod> Deref for SharedBuffer<T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.buffer
    }
}

impl<T: Pod> Drop for SharedBuffer<T> {
    fn drop(&mut self) {
        // SAFETY: this is the end of the value: the buffer is taken once.
        let buffer = unsafe { ManuallyDrop::take(&mut self.buffer) };
        let seam = buffer.device().seam();
        // In a forked child no lock is taken, and the memory is the parent's.
        if seam.check_process().is_err() {
            return;
        }
        match self.leases.check() {
            Ok(()) => drop(buffer),
            Err(error) => {
                let device = buffer.device().ordinal();
                seam.deferred.push(
                    format!("freeing memory of device {device} that other processes may have open"),
                    error,
                );
                std::mem::forget(buffer);
            }
        }
    }
}

impl<'a, T: Pod> From<&'a SharedBuffer<T>> for DeviceSlice<'a, T> {
    fn from(shared: &'a SharedBuffer<T>) -> Self {
        shared.buffer.as_slice()
    }
}

impl<'a, T: Pod> From<&'a mut SharedBuffer<T>> for DeviceSliceMut<'a, T> {
    fn from(shared: &'a mut SharedBuffer<T>) -> Self {
        shared.as_slice_mut()
    }
}

impl<T: Pod> fmt::Debug for SharedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBuffer({:?}, open in {} processes)", *self.buffer, self.open_count())
    }
}

macro_rules! gives_back {
    ($($name:ident: $bound:tt),*) => {$(
        impl<T: $bound> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.error).finish()
            }
        }

        impl<T: $bound> fmt::Display for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.error, f)
            }
        }

        impl<T: $bound> std::error::Error for $name<T> {}

        impl<T: $bound> From<$name<T>> for Error {
            fn from(error: $name<T>) -> Self {
                error.error.clone()
            }
        }
    )*};
}
gives_back!(ShareError: Pod, TakeBackError: Pod);
