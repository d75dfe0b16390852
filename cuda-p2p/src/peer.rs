//! Peer access: the proof that one device may use another's memory.

mod disable;

use std::fmt;

use bytemuck::Pod;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::pair::{Access, Pair};
use crate::peer_slice::{PeerAtomicSlice, PeerSlice, PeerSliceMut};
use crate::slice::{DeviceSlice, DeviceSliceMut, View};
use crate::stream::Stream;

pub use disable::DisableError;

/// A token that proves that kernels of one device, the *accessor*, may use the memory of another, the *owner*.
///
/// Clones count. Dropping a token leaves the access enabled: nothing is disabled behind anyone's back. Only
/// [`disable`](Self::disable) does that, and only with the last token, after the work of both devices.
///
/// Access has a direction. That device 0 reaches device 1 says nothing of device 1 reaching device 0;
/// [`enable_both`](Self::enable_both) enables the two.
///
/// A token cannot be used after it was given to `disable`:
/// ```compile_fail,E0382
/// fn stale(access: cuda_p2p::PeerAccess, memory: &cuda_p2p::DeviceBuffer<f32>) {
///     access.disable().unwrap();
///     access.slice(memory).unwrap();
/// }
/// ```
/// nor while a view that it made is alive:
/// ```compile_fail,E0505
/// fn in_use(access: cuda_p2p::PeerAccess, memory: &cuda_p2p::DeviceBuffer<f32>) -> usize {
///     let view = access.slice(memory).unwrap();
///     access.disable().unwrap();
///     view.len()
/// }
/// ```
pub struct PeerAccess {
    pair: &'static Pair,
    generation: u64,
}

impl Device {
    /// Enables the access of this device to the memory of `owner`, or finds it enabled.
    ///
    /// The runtime is asked each time. It covers memory that `owner` has already, and what it allocates later, by
    /// `cudaMalloc`; not memory of pools. The first time takes some milliseconds.
    ///
    /// C: `cudaDeviceEnablePeerAccess`.
    ///
    /// # Errors
    /// - [`Error::SameDevice`], [`Error::OtherRuntime`].
    /// - [`Error::PeerUnreachable`] if the pair has no access in this direction.
    /// - [`Error::TooManyPeers`] at the hardware's limit; pairs enabled before still work.
    /// - [`Error::Cuda`].
    #[doc(alias = "cudaDeviceEnablePeerAccess")]
    pub fn enable_peer_access(&self, owner: &Device) -> Result<PeerAccess> {
        self.check_runtime(owner, "the owner")?;
        if self == owner {
            return Err(Error::SameDevice { device: self.ordinal() });
        }
        if !self.can_access_peer(owner)? {
            return Err(Error::PeerUnreachable { accessor: self.ordinal(), owner: owner.ordinal() });
        }
        let pair = self.runtime().pair(*self, *owner);
        let mut access = pair.lock();
        pair.enable(&mut access)?;
        access.tokens += 1;
        access.disabling = false;
        Ok(PeerAccess { pair, generation: pair.generation() })
    }
}

impl PeerAccess {
    /// Enables access of `a` to `b` and of `b` to `a`. If the second cannot be, the first is as it was before.
    ///
    /// # Errors
    /// As [`Device::enable_peer_access`]. If the half that worked cannot be undone, that is among
    /// [`Runtime::deferred_errors`](crate::Runtime::deferred_errors).
    pub fn enable_both(a: &Device, b: &Device) -> Result<(PeerAccess, PeerAccess)> {
        a.seam().check_process()?;
        let there_before =
            a.check_runtime(b, "the owner").is_ok() && a != b && a.runtime().pair(*a, *b).lock().is_on();
        let there = a.enable_peer_access(b)?;
        match b.enable_peer_access(a) {
            Ok(back) => Ok((there, back)),
            Err(error) => {
                if !there_before && let Err(undo) = there.disable() {
                    let what = format!(
                        "disabling the access of device {} to device {} again",
                        a.ordinal(),
                        b.ordinal()
                    );
                    a.seam().deferred.push(what, undo.error);
                }
                Err(error)
            }
        }
    }

    /// A token for a graph that relies on the access, which is on and locked.
    pub(crate) fn of_locked(pair: &'static Pair, access: &mut Access) -> Self {
        access.tokens += 1;
        Self { pair, generation: pair.generation() }
    }

    pub(crate) fn pair(&self) -> &'static Pair {
        self.pair
    }

    /// Whether it is a token of the pair's access as it is now.
    pub(crate) fn is_of(&self, pair: &'static Pair) -> bool {
        std::ptr::eq(self.pair, pair) && self.generation == pair.generation()
    }

    /// The device that accesses.
    pub fn accessor(&self) -> Device {
        self.pair.accessor
    }

    /// The device whose memory it is.
    pub fn owner(&self) -> Device {
        self.pair.owner
    }

    /// Whether this crate enabled the access. If not, somebody else in the process had, and
    /// [`disable`](Self::disable) leaves it enabled.
    ///
    /// The runtime does not tell who enabled what. If somebody else disabled an access of this crate's and enabled it
    /// again, it is still taken for this crate's. False in a forked child.
    pub fn enabled_here(&self) -> bool {
        self.accessor().seam().check_process().is_ok() && self.pair.lock().enabled_here
    }

    /// A view of the owner's memory that kernels of the accessor may read.
    ///
    /// Asks the runtime whether the access is still enabled (2 microseconds). If somebody else in the process has
    /// disabled it meanwhile, it is enabled again. What is disabled later, by others, while the view is alive, is not
    /// noticed: kernels that use it then fault.
    ///
    /// Peer access does not cover memory of a [`MemPool`](crate::MemPool). For that the pool is asked, now and when the view is used,
    /// whether it is opened to the accessor. Nor does it cover pages that other code mapped, and lent
    /// ([`DeviceBuffer::borrow_raw`](crate::DeviceBuffer::borrow_raw)): the runtime is asked now whether they are mapped for the accessor.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] if the memory is not the owner's; [`Error::PoolNotGranted`] if it comes from a pool that is not opened
    /// to the accessor; [`Error::NotAccessible`] if it is mapped by other code, and not for the accessor; [`Error::Ipc`] if it is another
    /// process's, which the owner opened; [`Error::StaleToken`], [`Error::StaleHandle`] after a reset; as
    /// [`Device::enable_peer_access`] if the access had to be enabled again and could not be.
    pub fn slice<'a, T: Pod>(&'a self, memory: impl Into<DeviceSlice<'a, T>>) -> Result<PeerSlice<'a, T>> {
        let memory = memory.into();
        self.check_memory(&memory.view)?;
        Ok(PeerSlice::new(self, memory))
    }

    /// A view of the owner's memory that kernels of the accessor may read and write.
    ///
    /// # Errors
    /// As [`slice`](Self::slice).
    pub fn slice_mut<'a, T: Pod>(
        &'a self,
        memory: impl Into<DeviceSliceMut<'a, T>>,
    ) -> Result<PeerSliceMut<'a, T>> {
        let memory = memory.into();
        self.check_memory(&memory.view)?;
        Ok(PeerSliceMut::new(self, memory))
    }

    /// A view of the owner's memory on which kernels of the accessor may do atomic read-modify-write.
    ///
    /// A kernel that does so declares its parameter as [`PeerAtomicSlice`], and so can be given no other kind of
    /// view.
    ///
    /// # Errors
    /// [`Error::NoNativeAtomics`] if the pair does not carry them: updates would be lost. As [`slice`](Self::slice).
    pub fn slice_atomic<'a, T: Pod>(
        &'a self,
        memory: impl Into<DeviceSliceMut<'a, T>>,
    ) -> Result<PeerAtomicSlice<'a, T>> {
        let (accessor, owner) = (self.accessor(), self.owner());
        if !accessor.p2p_attributes(&owner)?.native_atomics_supported {
            return Err(Error::NoNativeAtomics { accessor: accessor.ordinal(), owner: owner.ordinal() });
        }
        Ok(PeerAtomicSlice::new(self.slice_mut(memory)?))
    }

    fn check_memory(&self, memory: &View<'_>) -> Result<()> {
        self.pair.owner.check_same(&memory.device(), "the memory to view")?;
        self.accessor().seam().check_process()?;
        let mut access = self.pair.lock();
        self.check_generation()?;
        self.pair.enable(&mut access)?;
        drop(access);
        memory.check_opened_to(&self.accessor())
    }

    /// Refuses work with a view on another device than the accessor, and a view from before a reset of either device. While
    /// the token is alive nothing else of this crate disables the access.
    pub(crate) fn check_use(&self, stream: &Stream) -> Result<()> {
        stream.device().check_same(&self.accessor(), "the peer slice's accessor")?;
        self.check_generation()
    }

    /// As [`check_use`](Self::check_use), for a copy engine, which a stream of either device may ask: between the owner and `own`
    /// memory.
    pub(crate) fn check_copy(&self, stream: &Stream, own: &Device, what: &'static str) -> Result<()> {
        self.accessor().check_same(own, what)?;
        let device = stream.device();
        if device != self.owner() {
            device.check_same(own, what)?;
        }
        self.check_generation()
    }

    pub(crate) fn check_generation(&self) -> Result<()> {
        if self.generation == self.pair.generation() {
            return Ok(());
        }
        Err(Error::StaleToken { accessor: self.accessor().ordinal(), owner: self.owner().ordinal() })
    }
}

impl Clone for PeerAccess {
    fn clone(&self) -> Self {
        // In a forked child no lock is taken, and no drop counts.
        if self.accessor().seam().check_process().is_ok() {
            let mut access = self.pair.lock();
            // A stale token's clone is as stale, and does not count.
            if self.pair.generation() == self.generation {
                access.tokens += 1;
            }
        }
        Self { pair: self.pair, generation: self.generation }
    }
}

impl Drop for PeerAccess {
    fn drop(&mut self) {
        if self.accessor().seam().check_process().is_err() {
            return;
        }
        let mut access = self.pair.lock();
        if self.pair.generation() == self.generation {
            access.tokens -= 1;
        }
    }
}

impl fmt::Debug for PeerAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeerAccess({:?} accesses {:?})", self.accessor(), self.owner())
    }
}
