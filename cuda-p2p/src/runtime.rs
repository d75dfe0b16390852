//! The runtime: a function table, opened once, and what this crate keeps beside it.
//!
//! # Safety
//! This file calls functions that take a place for a number and write one there.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::deferred::DeferredError;
use crate::device::{Device, DeviceState};
use crate::error::{Error, Result};
#[cfg(any(feature = "link-shared", feature = "link-static"))]
use crate::ffi::linked;
use crate::ffi::{CudaRuntime, loaded};
use crate::graveyard::Graveyard;
use crate::library::Libraries;
use crate::origin::{Origin, Version};
use crate::pair::Pair;
use crate::peer_matrix::PeerMatrix;
use crate::seam::{On, Seam, cuda};
use crate::staging::Limit;
use crate::virtual_memory;

/// An opened CUDA runtime, real or simulated.
///
/// A handle of one word. There is one runtime a process for a library, and one for the simulator: opening again gives
/// the same one, so that every part of a program sees the same tokens of peer access. It is never closed.
#[derive(Clone, Copy)]
pub struct Runtime(&'static RuntimeState);

/// What stands behind every handle of one runtime. Never freed: handles of the CUDA runtime live as long as the
/// process.
pub(crate) struct RuntimeState {
    pub(crate) seam: Seam,
    pub(crate) origin: Origin,
    pub(crate) graveyard: Graveyard,
    pub(crate) libraries: Libraries,
    pub(crate) staging: Limit,
    pub(crate) virtual_memory: OnceLock<virtual_memory::Functions>,
    devices: Mutex<BTreeMap<u32, &'static DeviceState>>,
    pairs: Mutex<BTreeMap<(u32, u32), &'static Pair>>,
}

/// Every runtime of the process, by the address of its table.
static OPEN: Mutex<Vec<Runtime>> = Mutex::new(Vec::new());
/// The one of the library. Held while the library is opened, so that two threads do not open it twice.
static LIBRARY: Mutex<Option<Runtime>> = Mutex::new(None);

impl Runtime {
    /// Opens the runtime library, and no simulator in its place. A program that is linked against it uses `Runtime::linked`.
    ///
    /// A library may itself simulate its devices, if somebody put such a one in NVIDIA's place: [`is_simulated`](Self::is_simulated).
    ///
    /// The search is that of [`cuda_p2p_sys::loaded`]; a process does it once, and keeps what it found.
    ///
    /// # Errors
    /// [`Error::Load`] if no library could be used; it lists what was tried.
    pub fn load() -> Result<Self> {
        let mut library = LIBRARY.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = *library {
            return Ok(runtime);
        }
        let loaded = loaded::load()?;
        let (major, minor) = loaded.version();
        let (path, version) = (loaded.path().to_owned(), Version { major, minor });
        let origin = match loaded.simulated_machine() {
            Some(config) => Origin::SimulatorLibrary { path, version, config: config.to_owned() },
            None => Origin::Library { path, version },
        };
        let runtime = Self::open_table(loaded.into_table(), origin, None);
        *library = Some(runtime);
        Ok(runtime)
    }

    /// The runtime library that the program is linked against, by the feature `link-shared` or `link-static`: one runtime with C++
    /// code that is linked against the same.
    ///
    /// # Errors
    /// [`Error::Link`] if it is of another major than the bindings.
    #[cfg(any(feature = "link-shared", feature = "link-static"))]
    pub fn linked() -> Result<Self> {
        let linked = linked::open()?;
        let (major, minor) = linked.version();
        let version = Version { major, minor };
        let origin = match linked.simulated_machine() {
            Some(config) => {
                let path = loaded::soname().into();
                Origin::SimulatorLibrary { path, version, config: config.to_owned() }
            }
            None => Origin::Linked { link: linked::LINK, version },
        };
        Ok(Self::open_table(linked.table(), origin, None))
    }

    /// A runtime over a table that the program brings along: a library that it opened itself.
    ///
    /// # Safety
    /// - The entries of `table` are functions of one CUDA runtime, of the major that the bindings were made for
    ///   ([`cuda_p2p_sys::BOUND_VERSION`]), or behave as such.
    /// - Nothing else of this process uses the same devices through another [`Runtime`]: tokens of peer access are
    ///   counted for each table.
    pub unsafe fn from_table(table: &'static CudaRuntime) -> Self {
        Self::open_table(table, Origin::Table, None)
    }

    /// The runtime of `table`: the open one, or a new one.
    pub(crate) fn open_table(
        table: &'static CudaRuntime,
        origin: Origin,
        fault: Option<fn() -> Option<String>>,
    ) -> Self {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = open.iter().find(|runtime| std::ptr::eq(runtime.table(), table)) {
            return *runtime;
        }
        let runtime = Self(Box::leak(Box::new(RuntimeState {
            seam: Seam::new(table, fault),
            origin,
            graveyard: Graveyard::default(),
            libraries: Libraries::default(),
            staging: Limit::default(),
            virtual_memory: OnceLock::new(),
            devices: Mutex::default(),
            pairs: Mutex::default(),
        })));
        open.push(runtime);
        runtime
    }

    /// Where the functions come from, and why they are simulated if they are.
    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// Whether the devices are simulated, by the simulator in this program or by a library. Times mean nothing then.
    pub fn is_simulated(&self) -> bool {
        self.runs_host_kernels() || matches!(self.0.origin, Origin::SimulatorLibrary { .. })
    }

    /// Whether this program's simulator runs the kernels, as host code. A simulator's library takes none from the program.
    pub(crate) fn runs_host_kernels(&self) -> bool {
        matches!(self.0.origin, Origin::Simulator { .. })
    }

    /// The release of the runtime.
    ///
    /// C: `cudaRuntimeGetVersion`.
    ///
    /// # Errors
    /// [`Error::Cuda`], [`Error::Forked`].
    #[doc(alias = "cudaRuntimeGetVersion")]
    pub fn version(&self) -> Result<Version> {
        let mut number: c_int = 0;
        // SAFETY: `number` is a valid place for an int.
        unsafe { cuda!(self.seam(), On::Any, cudaRuntimeGetVersion(&mut number)) }?;
        Ok(Version::from_number(number))
    }

    /// The newest release that the driver supports; 0.0 if there is no driver.
    ///
    /// C: `cudaDriverGetVersion`.
    ///
    /// # Errors
    /// [`Error::Cuda`], [`Error::Forked`].
    #[doc(alias = "cudaDriverGetVersion")]
    pub fn driver_version(&self) -> Result<Version> {
        let mut number: c_int = 0;
        // SAFETY: `number` is a valid place for an int.
        unsafe { cuda!(self.seam(), On::Any, cudaDriverGetVersion(&mut number)) }?;
        Ok(Version::from_number(number))
    }

    /// How many devices there are, asked now.
    ///
    /// C: `cudaGetDeviceCount`.
    ///
    /// # Errors
    /// [`Error::Cuda`] of the class [`NoDevice`](crate::ErrorClass::NoDevice) if there is no driver or no device.
    #[doc(alias = "cudaGetDeviceCount")]
    pub fn device_count(&self) -> Result<u32> {
        let mut count: c_int = 0;
        // SAFETY: `count` is a valid place for an int.
        unsafe { cuda!(self.seam(), On::Any, cudaGetDeviceCount(&mut count)) }?;
        Ok(u32::try_from(count).unwrap_or(0))
    }

    /// All devices, by ordinal.
    ///
    /// # Errors
    /// As [`device_count`](Self::device_count).
    pub fn devices(&self) -> Result<Vec<Device>> {
        Ok((0..self.device_count()?).map(|ordinal| self.device_unchecked(ordinal)).collect())
    }

    /// The device `ordinal`, from 0. CUDA's order, which is not always that of nvidia-smi.
    ///
    /// # Errors
    /// [`Error::NoSuchDevice`] if there are not that many; as [`device_count`](Self::device_count).
    pub fn device(&self, ordinal: u32) -> Result<Device> {
        let count = self.device_count()?;
        if ordinal < count {
            Ok(self.device_unchecked(ordinal))
        } else {
            Err(Error::NoSuchDevice { ordinal, count })
        }
    }

    /// Who can access whom, asked now for each ordered pair.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn peer_matrix(&self) -> Result<PeerMatrix> {
        PeerMatrix::ask(self)
    }

    /// Takes what destructors could not do since the last time: at most 64 of them, the first ones.
    pub fn deferred_errors(&self) -> Vec<DeferredError> {
        // In a forked child no lock is taken, and there is nothing of its own.
        if self.seam().check_process().is_err() {
            return Vec::new();
        }
        self.seam().deferred.take()
    }

    /// What the simulator saw when a kernel or a copy faulted; `None` on a real runtime.
    pub fn last_fault(&self) -> Option<String> {
        self.seam().last_fault()
    }

    /// The raw functions, for what this crate has no words for.
    ///
    /// What is done through them is not seen by this crate: peer access that they disable, memory that they free and
    /// devices that they reset must not be in use by objects of this crate.
    pub fn table(&self) -> &'static CudaRuntime {
        self.seam().table()
    }

    pub(crate) fn seam(&self) -> &'static Seam {
        &self.0.seam
    }

    pub(crate) fn state(&self) -> &'static RuntimeState {
        self.0
    }

    /// Whether both are the same runtime.
    pub(crate) fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }

    /// The state of a device that is known to exist.
    fn device_unchecked(&self, ordinal: u32) -> Device {
        let mut devices = self.0.devices.lock().unwrap_or_else(PoisonError::into_inner);
        Device(
            devices.entry(ordinal).or_insert_with(|| Box::leak(Box::new(DeviceState::new(*self, ordinal)))),
        )
    }

    /// What is known of an ordered pair of different devices of this runtime.
    pub(crate) fn pair(&self, accessor: Device, owner: Device) -> &'static Pair {
        let mut pairs = self.0.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        pairs
            .entry((accessor.ordinal(), owner.ordinal()))
            .or_insert_with(|| Box::leak(Box::new(Pair::new(accessor, owner))))
    }

    /// The pairs that this crate has seen, for a reset.
    pub(crate) fn known_pairs(&self) -> Vec<&'static Pair> {
        self.0.pairs.lock().unwrap_or_else(PoisonError::into_inner).values().copied().collect()
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Runtime").field(&self.0.origin).finish()
    }
}

impl PartialEq for Runtime {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}

impl Eq for Runtime {}
