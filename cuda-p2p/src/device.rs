//! A device, and what can be asked of it.
//!
//! # Safety
//! This file calls functions that write what they are asked for into places given to them, and `cudaDeviceReset`,
//! whose consequences its caller takes over.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::ffi::{cudaDeviceAttr, cudaDeviceProp};
use crate::housekeeping::Housekeeping;
use crate::pair::Pair;
use crate::pool::Known;
use crate::runtime::Runtime;
use crate::seam::{On, Seam, cuda};
use crate::uuid::Uuid;

/// One GPU, real or simulated. A handle of one word.
#[derive(Clone, Copy)]
pub struct Device(pub(crate) &'static DeviceState);

/// What this crate keeps of a device. Never freed, like the runtime.
pub(crate) struct DeviceState {
    runtime: Runtime,
    ordinal: u32,
    /// Counts resets. Handles remember the count that they were made under.
    epoch: AtomicU64,
    pub(crate) housekeeping: Housekeeping,
    pub(crate) pools: Known,
}

impl DeviceState {
    pub(crate) fn new(runtime: Runtime, ordinal: u32) -> Self {
        Self {
            runtime,
            ordinal,
            epoch: AtomicU64::new(0),
            housekeeping: Housekeeping::default(),
            pools: Known::default(),
        }
    }
}

/// Memory of a device, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Free now, for all processes together.
    pub free: usize,
    /// In all.
    pub total: usize,
}

impl Device {
    /// Its number, from 0, in CUDA's order.
    pub fn ordinal(&self) -> u32 {
        self.0.ordinal
    }

    /// Its runtime.
    pub fn runtime(&self) -> &'static Runtime {
        &self.0.runtime
    }

    /// Its name, as the driver gives it.
    ///
    /// C: `cudaGetDeviceProperties`.
    ///
    /// # Errors
    /// [`Error::Cuda`], [`Error::MissingFunction`].
    #[doc(alias = "cudaGetDeviceProperties")]
    pub fn name(&self) -> Result<String> {
        let properties = self.properties()?;
        let bytes = properties.name.map(|character| character.cast_unsigned());
        Ok(match CStr::from_bytes_until_nul(&bytes) {
            Ok(name) => name.to_string_lossy().into_owned(),
            Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
        })
    }

    /// Its UUID: the same in every process, while ordinals differ.
    ///
    /// C: `cudaGetDeviceProperties`.
    ///
    /// # Errors
    /// [`Error::Cuda`], [`Error::MissingFunction`].
    #[doc(alias = "cudaGetDeviceProperties")]
    pub fn uuid(&self) -> Result<Uuid> {
        Ok(Uuid(self.properties()?.uuid.bytes.map(|byte| byte.cast_unsigned())))
    }

    /// Name and UUID are the first two fields of the properties in every release; the rest moved between 12 and 13,
    /// so it is asked for by [`attribute`](Self::attribute).
    fn properties(&self) -> Result<Box<cudaDeviceProp>> {
        // SAFETY: the type is made of integers and arrays of them, for which zero is a value.
        let mut properties: Box<cudaDeviceProp> = Box::new(unsafe { std::mem::zeroed() });
        let ordinal = self.ordinal() as c_int;
        // SAFETY: the place has the layout of the library's major, which the loader checked.
        unsafe { cuda!(self.seam(), On::Any, cudaGetDeviceProperties(&raw mut *properties, ordinal)) }?;
        Ok(properties)
    }

    /// Its PCI address: domain, bus, device, function, as in `0000:3b:00.0`.
    ///
    /// C: `cudaDeviceGetPCIBusId`.
    ///
    /// # Errors
    /// [`Error::Cuda`], [`Error::MissingFunction`].
    #[doc(alias = "cudaDeviceGetPCIBusId")]
    pub fn pci_bus_id(&self) -> Result<String> {
        let mut text = [0u8; 32];
        let (place, room) = (text.as_mut_ptr().cast::<c_char>(), text.len() as c_int);
        // SAFETY: the place has room for as many characters as the call is told.
        unsafe { cuda!(self.seam(), On::Any, cudaDeviceGetPCIBusId(place, room, self.ordinal() as c_int)) }?;
        Ok(CStr::from_bytes_until_nul(&text)
            .map_or_else(|_| String::new(), |id| id.to_string_lossy().into_owned()))
    }

    /// One attribute, in its own unit.
    ///
    /// C: `cudaDeviceGetAttribute`.
    ///
    /// # Errors
    /// [`Error::Cuda`] with code 1 for an attribute that this runtime does not know.
    #[doc(alias = "cudaDeviceGetAttribute")]
    pub fn attribute(&self, attribute: cudaDeviceAttr) -> Result<i32> {
        let mut value: c_int = 0;
        let ordinal = self.ordinal() as c_int;
        // SAFETY: `value` is a valid place for an int.
        unsafe { cuda!(self.seam(), On::Any, cudaDeviceGetAttribute(&mut value, attribute, ordinal)) }?;
        Ok(value)
    }

    /// Its architecture, as `(major, minor)`: (9, 0) is sm_90.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn compute_capability(&self) -> Result<(u32, u32)> {
        let major = self.attribute(cudaDeviceAttr::cudaDevAttrComputeCapabilityMajor)?;
        let minor = self.attribute(cudaDeviceAttr::cudaDevAttrComputeCapabilityMinor)?;
        Ok((u32::try_from(major).unwrap_or(0), u32::try_from(minor).unwrap_or(0)))
    }

    /// Its memory, free and in all.
    ///
    /// C: `cudaMemGetInfo`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    #[doc(alias = "cudaMemGetInfo")]
    pub fn memory_info(&self) -> Result<MemoryInfo> {
        let mut info = MemoryInfo { free: 0, total: 0 };
        // SAFETY: both are valid places for a size.
        unsafe { cuda!(self.seam(), self.on(), cudaMemGetInfo(&mut info.free, &mut info.total)) }?;
        Ok(info)
    }

    /// Waits for all work of the device, that of other libraries too.
    ///
    /// That does not go with a stream of the device being captured: to wait for a [`Stream`](crate::Stream) or an
    /// [`Event`](crate::Event) does. A capture by this crate is not harmed, unless another thread begins it just when the wait does;
    /// that one, and one by others, the runtime may break (900). What a [`GraphExec`](crate::GraphExec) does here that was launched in
    /// a stream of another device is not waited for.
    ///
    /// C: `cudaDeviceSynchronize`.
    ///
    /// # Errors
    /// [`Error::Capture`] while a stream of the device is being [captured](crate::Stream::capture);
    /// [`Error::Cuda`]; of the class [`Poisoned`](crate::ErrorClass::Poisoned) if any of that work failed.
    #[doc(alias = "cudaDeviceSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        self.seam().check_process()?;
        self.refuse_capture("waiting for the whole device")?;
        // SAFETY: the call takes nothing.
        unsafe { cuda!(relaxed: self.seam(), self.on(), cudaDeviceSynchronize()) }?;
        self.0.runtime.state().graveyard.reap();
        self.forget_done_work();
        self.0.runtime.known_pairs().into_iter().for_each(Pair::forget_done_work);
        Ok(())
    }

    /// Makes it the thread's current device, for code that goes by that. This crate does not: each of its calls names
    /// a device.
    ///
    /// Where the current device is never used, name another one here: this crate's calls put the current device back
    /// by `cudaSetDevice`, which creates a context on it.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    #[doc(alias = "cudaSetDevice")]
    pub fn set_current(&self) -> Result<()> {
        self.seam().make_current(self.ordinal())
    }

    /// Destroys what this process has on the device: memory, streams, events, peer access in both directions. What
    /// [`MemPool`](crate::MemPool)s gave stays allocated, and the pools stay, on the drivers that this was tried on; this crate lets go of both.
    /// [Virtual memory](crate::VirtualRange) stays, and can be used.
    ///
    /// Objects of this crate from before are stale afterwards: using one is [`Error::StaleHandle`] or
    /// [`Error::StaleToken`], dropping one does nothing.
    ///
    /// C: `cudaDeviceReset`.
    ///
    /// # Safety
    /// - No other thread uses the device, or memory of it, while this runs.
    /// - No slice of host memory that [`PinnedBuffer`](crate::PinnedBuffer) gave is alive.
    /// - Nothing outside this crate goes on using what it had on the device.
    /// - No work of other devices that reaches this device's memory is unfinished, nor work that graphs launched in this device's streams
    ///   put on other devices: nobody could wait for it any more.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    #[doc(alias = "cudaDeviceReset")]
    pub unsafe fn reset(&self) -> Result<()> {
        self.seam().check_process()?;
        // Before the call: from here on no handle of the device is used, whatever comes of it.
        self.0.epoch.fetch_add(1, Ordering::SeqCst);
        self.0.housekeeping.forget();
        for pair in self.0.runtime.known_pairs() {
            pair.forget_if_of(*self);
        }
        // SAFETY: the caller answers for everything that this destroys and this crate does not know of.
        unsafe { cuda!(self.seam(), self.on(), cudaDeviceReset()) }
    }

    pub(crate) fn seam(&self) -> &'static Seam {
        self.0.runtime.seam()
    }

    pub(crate) fn on(&self) -> On {
        On::Device(self.ordinal())
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.0.epoch.load(Ordering::SeqCst)
    }

    /// Refuses a handle from before a reset.
    pub(crate) fn check_epoch(&self, epoch: u64, what: &'static str) -> Result<()> {
        if self.epoch() == epoch { Ok(()) } else { Err(Error::StaleHandle { what, device: self.ordinal() }) }
    }

    /// Refuses a device of another runtime.
    pub(crate) fn check_runtime(&self, other: &Device, what: &'static str) -> Result<()> {
        if self.0.runtime.is(&other.0.runtime) { Ok(()) } else { Err(Error::OtherRuntime { what }) }
    }

    /// Refuses something that belongs to another device than this one.
    pub(crate) fn check_same(&self, found: &Device, what: &'static str) -> Result<()> {
        if self == found {
            return Ok(());
        }
        self.check_runtime(found, what)?;
        Err(Error::WrongDevice { what, expected: self.ordinal(), found: found.ordinal() })
    }
}

/// `device 0`
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device {}", self.ordinal())
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.ordinal())
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Device {}
