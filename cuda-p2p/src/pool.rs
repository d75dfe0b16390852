//! Memory pools: stream-ordered memory, and whom it is opened to.
//!
//! # Safety
//! This file makes and destroys pools. A pool's handle is live as long as a [`PoolState`] is, which every piece of its memory
//! keeps; one from before a reset of its device is never passed on.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

mod access;
mod alloc;
mod attributes;
mod kept;
mod known;
mod sharing;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::ffi::{
    cudaMemAllocationHandleType, cudaMemAllocationType, cudaMemLocation, cudaMemLocationType, cudaMemPool_t,
    cudaMemPoolProps,
};
use crate::seam::{Seam, cuda};
pub(crate) use access::Granted;
use access::Peers;
pub use attributes::{MemPoolReuse, MemPoolUsage};
pub(crate) use kept::{KeptGrant, LockedPools};
pub(crate) use known::Known;
use sharing::Pieces;

/// A pool of device memory, from which streams allocate and to which they free, in their order.
///
/// Clones are the same pool. Memory comes from it by [`Stream::alloc_zeroed_async`](crate::Stream::alloc_zeroed_async) and its kin,
/// as an ordinary [`DeviceBuffer`](crate::DeviceBuffer). Peer access does not cover it: each accessor is
/// [granted](Self::enable_access_from) access, pool by pool.
///
/// A pool of the program's own is destroyed with its last clone and its last piece of memory; a device's default pool never is.
///
/// C: `cudaMemPool_t`, `cudaMemPoolDestroy`.
///
#[cfg_attr(feature = "sim", doc = "```")]
#[cfg_attr(not(feature = "sim"), doc = "```no_run")]
/// use cuda_p2p::{Error, LaunchConfig, MemPoolOptions, Runtime, SimulatorPolicy, builtin};
///
/// # fn main() -> cuda_p2p::Result<()> {
/// let runtime = Runtime::builder().simulator(SimulatorPolicy::WhenNoDevice).open()?;
/// let (accessor, owner) = (runtime.device(0)?, runtime.device(1)?);
/// let (ours, theirs) = (accessor.new_stream()?, owner.new_stream()?);
/// let access = accessor.enable_peer_access(&owner)?;
///
/// let pool = owner.new_mem_pool(MemPoolOptions::default())?;
/// let x = theirs.alloc_from(&pool, &[2.0f32; 1000])?;
/// // Peer access alone does not cover a pool: said before a kernel could fault.
/// assert_eq!(access.slice(&x).unwrap_err(), Error::PoolNotGranted { accessor: 0, owner: 1 });
///
/// pool.enable_access_from(&[accessor])?;
/// let mut y = ours.alloc_zeroed_async::<f32>(&accessor.default_mem_pool()?, 1000)?;
/// let kernels = builtin::Kernels::load(&runtime)?;
/// kernels.add_f32(&ours, LaunchConfig::for_elements(1000), &mut y, access.slice(&x)?, 1000)?;
/// assert_eq!(y.to_vec()?, [2.0; 1000]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[doc(alias = "cudaMemPool_t")]
#[doc(alias = "cudaMemPoolDestroy")]
pub struct MemPool(Arc<PoolState>);

struct PoolState {
    device: Device,
    epoch: u64,
    handle: cudaMemPool_t,
    /// Whether this crate destroys it.
    owned: AtomicBool,
    peers: Mutex<Peers>,
    /// Whether it is another process's, and what of its memory is open here then.
    imported: bool,
    pieces: Pieces,
}

// SAFETY: the handle of a pool may be used from any thread, and by several at once; so says the CUDA runtime.
unsafe impl Send for PoolState {}
// SAFETY: as above.
unsafe impl Sync for PoolState {}

/// How a pool is made.
///
/// C: `cudaMemPoolProps`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[doc(alias = "cudaMemPoolProps")]
pub struct MemPoolOptions {
    /// Most bytes that the pool may take of the device, rounded up by the driver to its own steps; `None`, as 0, for as many as there are.
    pub max_size: Option<usize>,
    /// Whether the pool can be shared with other processes, by a POSIX file descriptor.
    pub shareable: bool,
}

impl Device {
    /// The device's default pool, which the runtime made and nobody destroys.
    ///
    /// C: `cudaDeviceGetDefaultMemPool`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    #[doc(alias = "cudaDeviceGetDefaultMemPool")]
    pub fn default_mem_pool(&self) -> Result<MemPool> {
        let epoch = self.epoch();
        let mut handle: cudaMemPool_t = std::ptr::null_mut();
        let ordinal = self.as_raw();
        // SAFETY: `handle` is a valid place for a handle.
        unsafe { cuda!(self.seam(), self.on(), cudaDeviceGetDefaultMemPool(&mut handle, ordinal)) }?;
        Ok(MemPool::of_handle(*self, handle, epoch, false))
    }

    /// A new pool of the device's memory. What it is opened to is what [`MemPool::is_accessible_from`] says: nobody else, on the
    /// drivers that this was tried on.
    ///
    /// C: `cudaMemPoolCreate`.
    ///
    /// # Errors
    /// [`Error::Cuda`]; [`Error::MissingFunction`] for a `max_size` if the bindings are of a CUDA release that has none.
    #[doc(alias = "cudaMemPoolCreate")]
    pub fn new_mem_pool(&self, options: MemPoolOptions) -> Result<MemPool> {
        let epoch = self.epoch();
        // SAFETY: the type is made of integers and pointers, for which zero is a value: zeros ask for the defaults.
        let mut properties: cudaMemPoolProps = unsafe { std::mem::zeroed() };
        properties.allocType = cudaMemAllocationType::cudaMemAllocationTypePinned;
        properties.location = location(self);
        if options.shareable {
            properties.handleTypes = cudaMemAllocationHandleType::cudaMemHandleTypePosixFileDescriptor;
        }
        if let Some(bytes) = options.max_size
            && !properties.set_max_size(bytes)
        {
            return Err(Error::MissingFunction { symbol: "cudaMemPoolProps::maxSize", since: (12, 2) });
        }
        let mut handle: cudaMemPool_t = std::ptr::null_mut();
        // SAFETY: `handle` is a valid place for a handle, and the properties are read.
        unsafe { cuda!(relaxed: self.seam(), self.on(), cudaMemPoolCreate(&mut handle, &properties)) }?;
        Ok(MemPool::of_handle(*self, handle, epoch, true))
    }
}

impl MemPool {
    /// The device whose memory it gives.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// The C handle. It lives as long as a clone of this pool or memory from it.
    ///
    /// C: `cudaMemPool_t`.
    #[doc(alias = "cudaMemPool_t")]
    pub fn as_raw(&self) -> cudaMemPool_t {
        self.0.handle
    }

    /// A number of its own, by which pools are put in an order.
    pub(crate) fn key(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Gives up the duty to destroy it.
    pub(crate) fn disown(&self) {
        self.0.owned.store(false, Ordering::SeqCst);
    }

    fn seam(&self) -> &'static Seam {
        self.0.device.seam()
    }

    /// Refuses a pool from before a reset of its device.
    pub(crate) fn check(&self) -> Result<()> {
        self.seam().check_process()?;
        self.0.device.check_epoch(self.0.epoch, "the memory pool")
    }
}

impl PoolState {
    fn new(device: Device, handle: cudaMemPool_t, epoch: u64, owned: bool) -> Self {
        let owned = AtomicBool::new(owned);
        Self {
            device,
            epoch,
            handle,
            owned,
            peers: Mutex::default(),
            imported: false,
            pieces: Pieces::default(),
        }
    }

    /// Of another process's pool.
    fn of_import(device: Device, handle: cudaMemPool_t, epoch: u64) -> Self {
        let mut state = Self::new(device, handle, epoch, true);
        state.imported = true;
        state
    }
}

/// A device as the runtime names places.
fn location(device: &Device) -> cudaMemLocation {
    cudaMemLocation::new(cudaMemLocationType::cudaMemLocationTypeDevice, device.as_raw())
}

impl Drop for PoolState {
    fn drop(&mut self) {
        let seam = self.device.seam();
        if !*self.owned.get_mut() || self.device.epoch() != self.epoch || seam.check_process().is_err() {
            return;
        }
        let pools = &self.device.0.pools;
        let _importing = self.imported.then(|| pools.importing());
        if self.imported && pools.has(self.handle, self.epoch) {
            // It was imported again meanwhile, and is that one's.
            return;
        }
        // SAFETY: the handle is live and nobody else's: this is its last owner, and memory of the pool keeps it.
        let outcome = unsafe { cuda!(relaxed: seam, self.device.on(), cudaMemPoolDestroy(self.handle)) };
        if let Err(error) = outcome {
            seam.deferred
                .push(format!("destroying a memory pool of device {}", self.device.ordinal()), error);
        }
    }
}

impl PartialEq for MemPool {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for MemPool {}

impl fmt::Debug for MemPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemPool({:p} of {:?})", self.0.handle, self.0.device)
    }
}
