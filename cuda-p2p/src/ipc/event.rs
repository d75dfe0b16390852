//! Events that several processes have.
//!
//! # Safety
//! This file asks for the handle of an event and opens that of another process. CUDA leaves undefined what an opened event does once
//! its maker has destroyed it: a [`SharedEvent`] keeps it, and leaks it where others may have it open.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::c_char;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::descriptor::{IpcEventHandle, Maker};
use super::lease::{LeasedEventHandle, Leases};
use super::open::check_maker;
use crate::device::Device;
use crate::error::{IpcError, Result};
use crate::event::{Event, EventHandle};
use crate::ffi::{cudaError, cudaEvent_t, cudaIpcEventHandle_t};
use crate::seam::{On, cuda};

/// An event that other processes may have open. Dropped while they do, it stays until the process ends.
#[derive(Debug)]
pub struct SharedEvent {
    event: Event,
    handle: IpcEventHandle,
    leases: Leases,
}

impl Device {
    /// A new event for other processes, without time: to be [shared](Event::share).
    ///
    /// C: `cudaEventInterprocess`.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaEventInterprocess")]
    pub fn new_event_interprocess(&self) -> Result<Event> {
        Ok(Event::new(EventHandle::new_interprocess(*self)?))
    }

    /// Opens another process's event as one of this device, whether this process sees the maker's or not.
    ///
    /// Only streams of this device record it and wait for it: at a wait of another's, the driver (580) ends the process. An event that no process
    /// has recorded yet counts as reached: so whoever records sends word before the other waits. What was recorded by a process that ends before its
    /// work is done is never reached: wait for that by [`is_done`](Event::is_done), and with a limit.
    ///
    /// A bare [`IpcEventHandle`] has no lease: [`open_ipc_event_bare`](Self::open_ipc_event_bare) opens that.
    ///
    /// C: `cudaIpcOpenEventHandle`.
    ///
    /// # Errors
    /// [`Error::Ipc`](crate::Error::Ipc) with [`IpcError::SameProcess`], [`IpcError::NotOpened`]. [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaIpcOpenEventHandle")]
    pub fn open_ipc_event(&self, leased: LeasedEventHandle) -> Result<Event> {
        self.open_event(&leased.handle, Some(leased.lease))
    }

    /// As [`open_ipc_event`](Self::open_ipc_event), without a lease.
    ///
    /// # Safety
    /// - The maker keeps its event until the last clone of this one is dropped. A [`SharedEvent`] whose handle was given out does so
    ///   as long as its process lives.
    ///
    /// # Errors
    /// As [`open_ipc_event`](Self::open_ipc_event).
    pub unsafe fn open_ipc_event_bare(&self, handle: &IpcEventHandle) -> Result<Event> {
        self.open_event(handle, None)
    }

    fn open_event(&self, handle: &IpcEventHandle, lease: Option<OwnedFd>) -> Result<Event> {
        self.seam().check_process()?;
        check_maker(handle.maker)?;
        let raw = cudaIpcEventHandle_t { reserved: handle.raw.map(|byte| byte as c_char) };
        let epoch = self.epoch();
        let mut event: cudaEvent_t = std::ptr::null_mut();
        // SAFETY: `event` is a valid place for a handle; the runtime judges the other.
        let status =
            unsafe { cuda!(status: self.seam(), self.on(), cudaIpcOpenEventHandle(&mut event, raw)) }?;
        match status {
            cudaError::cudaSuccess => Ok(Event::new(EventHandle::opened(*self, epoch, event, lease))),
            cudaError::cudaErrorInvalidValue | cudaError::cudaErrorMapBufferObjectFailed => {
                Err(IpcError::NotOpened { uuid: handle.uuid, process: handle.maker.process, code: status.0 }
                    .into())
            }
            status => Err(self.seam().error("cudaIpcOpenEventHandle", status, self.on())),
        }
    }
}

impl Event {
    /// Makes the event one that other processes can open.
    ///
    /// C: `cudaIpcGetEventHandle`.
    ///
    /// # Errors
    /// [`Error::Ipc`](crate::Error::Ipc) with [`IpcError::EventNotShareable`] if it was not made by
    /// [`Device::new_event_interprocess`], or is another process's. [`Error::StaleHandle`](crate::Error::StaleHandle);
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaIpcGetEventHandle")]
    pub fn share(&self) -> Result<SharedEvent> {
        let (device, event) = (self.device(), self.handle());
        device.seam().check_process()?;
        event.check()?;
        let mut raw = cudaIpcEventHandle_t { reserved: [0; 64] };
        // SAFETY: `raw` is a valid place for a handle; the event is live.
        let status =
            unsafe { cuda!(status: device.seam(), On::Any, cudaIpcGetEventHandle(&mut raw, event.raw())) }?;
        match status {
            cudaError::cudaSuccess => {}
            cudaError::cudaErrorInvalidResourceHandle => return Err(IpcError::EventNotShareable.into()),
            status => return Err(device.seam().error("cudaIpcGetEventHandle", status, On::Any)),
        }
        let handle = IpcEventHandle {
            raw: raw.reserved.map(|byte| byte as u8),
            uuid: device.uuid()?,
            maker: Maker::this(),
        };
        Ok(SharedEvent { event: self.clone(), handle, leases: Leases::default() })
    }
}

impl SharedEvent {
    /// The event.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Sends it to the process at the other end of `socket`, which receives it by
    /// [`LeasedEventHandle::receive`](super::Leased::receive).
    ///
    /// # Errors
    /// [`Error::Ipc`](crate::Error::Ipc) with [`IpcError::Socket`].
    pub fn send(&self, socket: &UnixStream) -> Result<()> {
        self.leases.send(socket, &self.handle.to_bytes(), None)
    }

    /// The descriptor, to be carried by other means. Nobody then learns when it is closed, so the event stays until the process ends.
    pub fn give_out_handle(&self) -> IpcEventHandle {
        self.leases.give_out();
        self.handle.clone()
    }

    /// How many processes may have it open. One that has ended has not.
    pub fn open_count(&self) -> usize {
        self.leases.count()
    }

    /// Waits on the host until every process that it was sent to has dropped it.
    ///
    /// # Errors
    /// [`Error::Ipc`](crate::Error::Ipc) with [`IpcError::StillOpen`] after `timeout`.
    pub fn wait_until_closed(&self, timeout: Duration) -> Result<()> {
        self.leases.wait(timeout)
    }
}

impl Drop for SharedEvent {
    fn drop(&mut self) {
        let device = self.event.device();
        // In a forked child no lock is taken, and the event is the parent's.
        if device.seam().check_process().is_err() {
            return;
        }
        if let Err(error) = self.leases.check() {
            device.seam().deferred.push(
                format!(
                    "destroying an event of device {} that other processes may have open",
                    device.ordinal()
                ),
                error,
            );
            std::mem::forget(self.event.clone());
        }
    }
}
