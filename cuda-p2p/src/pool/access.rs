//! Whom a pool is opened to, and who of them uses its memory just now.
//!
//! The runtime is asked each time. What is kept is what it cannot tell: submissions of work that relies on a grant. A grant is taken
//! away only between two of them, after the work of the device that it was given to and of the owner.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety in pool.rs")]

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use super::{MemPool, location};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::EventHandle;
use crate::ffi::{cudaMemAccessDesc, cudaMemAccessFlags};
use crate::seam::cuda;

/// What is known of the uses of a pool by devices that it is opened to, by their ordinals.
pub(super) type Peers = BTreeMap<u32, Uses>;

/// Uses of one device.
#[derive(Default)]
pub(super) struct Uses {
    /// Work that is being put into a stream.
    submitting: usize,
    /// Counts work that was put in.
    pub(super) submitted: u64,
    /// Graphs that rely on the grant.
    pub(super) kept: usize,
    /// Reached when launches of graphs that are gone are done.
    pub(super) left: Vec<Arc<EventHandle>>,
}

/// The right to put work into a stream that relies on a grant. The grant stays while this is held.
#[derive(Debug)]
#[must_use = "the grant may be taken away when this is dropped"]
pub(crate) struct Granted<'p> {
    pub(super) pool: &'p MemPool,
    pub(super) accessor: Device,
}

impl Drop for Granted<'_> {
    fn drop(&mut self) {
        if let Some(uses) = self.pool.peers().get_mut(&self.accessor.ordinal()) {
            uses.submitting -= 1;
        }
    }
}

impl MemPool {
    /// Opens the pool to kernels and copies of `accessors`, for reading and writing: memory that it gave already and all that it
    /// will give. Peer access between the devices is not needed for that, and does not do it.
    ///
    /// All of them, or none if one is refused.
    ///
    /// C: `cudaMemPoolSetAccess`.
    ///
    /// # Errors
    /// - [`Error::SameDevice`] for the pool's own device, which has access without a grant.
    /// - [`Error::PeerUnreachable`] for a device that cannot access the owner's memory. The runtime takes such a grant as long as the
    ///   pool is empty, and then fails each allocation.
    /// - [`Error::OtherRuntime`], [`Error::StaleHandle`], [`Error::Cuda`].
    #[doc(alias = "cudaMemPoolSetAccess")]
    pub fn enable_access_from(&self, accessors: &[Device]) -> Result<()> {
        self.check_accessors(accessors)?;
        for accessor in accessors {
            if !accessor.can_access_peer(&self.device())? {
                let (accessor, owner) = (accessor.ordinal(), self.device().ordinal());
                return Err(Error::PeerUnreachable { accessor, owner });
            }
        }
        // Not while the driver chooses the ways of a graph's copies.
        let _peers = self.peers();
        self.set_access(accessors, cudaMemAccessFlags::cudaMemAccessFlagsProtReadWrite)
    }

    /// Closes the pool to `accessors`. Waits for all work of theirs and of the owner first, because work that was put in with a view
    /// of the pool's memory may still run. A [`PeerSlice`](crate::PeerSlice) that is there stays, and is refused where it is used.
    ///
    /// A device that has no access is left without. The wait does not go with a stream of these devices being captured.
    ///
    /// C: `cudaMemPoolSetAccess`.
    ///
    /// # Errors
    /// [`Error::SameDevice`] for the pool's own device, whose access cannot be taken away; [`Error::GrantInUse`] while a
    /// [`Graph`](crate::Graph) or a [`GraphExec`](crate::GraphExec) relies on one of the grants: then all stay, unless it came up
    /// meanwhile; [`Error::OtherRuntime`], [`Error::StaleHandle`]; [`Error::Cuda`] if waiting or closing failed.
    #[doc(alias = "cudaMemPoolSetAccess")]
    pub fn disable_access_from(&self, accessors: &[Device]) -> Result<()> {
        self.check_accessors(accessors)?;
        for accessor in accessors {
            self.check_not_kept(self.peers().get(&accessor.ordinal()), accessor)?;
        }
        accessors.iter().try_for_each(|accessor| self.close(accessor))
    }

    /// Whether kernels of `accessor` can use the pool's memory now. The runtime is asked.
    ///
    /// C: `cudaMemPoolGetAccess`.
    ///
    /// # Errors
    /// [`Error::OtherRuntime`], [`Error::StaleHandle`], [`Error::Cuda`].
    #[doc(alias = "cudaMemPoolGetAccess")]
    pub fn is_accessible_from(&self, accessor: &Device) -> Result<bool> {
        self.check()?;
        self.device().check_runtime(accessor, "the accessor")?;
        let mut flags = cudaMemAccessFlags::cudaMemAccessFlagsProtNone;
        let (mut place, pool) = (location(accessor), self.as_raw());
        // SAFETY: the pool is live; `flags` is a valid place, and the location is read.
        unsafe {
            cuda!(relaxed: self.seam(), self.device().on(), cudaMemPoolGetAccess(&mut flags, pool, &mut place))
        }?;
        Ok(flags == cudaMemAccessFlags::cudaMemAccessFlagsProtReadWrite)
    }

    /// Refuses a view by a device that the pool is not opened to.
    pub(crate) fn check_granted(&self, accessor: &Device) -> Result<()> {
        if self.is_accessible_from(accessor)? {
            return Ok(());
        }
        Err(Error::PoolNotGranted { accessor: accessor.ordinal(), owner: self.device().ordinal() })
    }

    /// As [`check_granted`](Self::check_granted), for work that is put into a stream next.
    pub(crate) fn hold_grant(&self, accessor: Device) -> Result<Granted<'_>> {
        let granted = {
            let mut peers = self.peers();
            let uses = peers.entry(accessor.ordinal()).or_default();
            uses.submitting += 1;
            uses.submitted += 1;
            Granted { pool: self, accessor }
        };
        // Noted first: whoever closes the pool from now on waits for this work, and if they came before, the answer is no.
        self.check_granted(&accessor)?;
        Ok(granted)
    }

    fn close(&self, accessor: &Device) -> Result<()> {
        loop {
            let before = match self.peers().get(&accessor.ordinal()) {
                Some(uses) if uses.submitting > 0 => None,
                uses => Some(uses.map_or(0, |uses| uses.submitted)),
            };
            let Some(before) = before else {
                std::thread::sleep(Duration::from_micros(20));
                continue;
            };
            // Not under the lock: the work may wait for something that is put in with a view of this pool.
            accessor.synchronize()?;
            self.device().synchronize()?;
            self.wait_for_left_work(accessor)?;
            let peers = self.peers();
            self.check_not_kept(peers.get(&accessor.ordinal()), accessor)?;
            let undisturbed = match peers.get(&accessor.ordinal()) {
                Some(uses) => uses.submitting == 0 && uses.submitted == before,
                None => before == 0,
            };
            if undisturbed {
                // Under the lock: whoever comes next asks after this.
                return self.set_access(&[*accessor], cudaMemAccessFlags::cudaMemAccessFlagsProtNone);
            }
        }
    }

    /// Refuses to take away what a graph relies on.
    fn check_not_kept(&self, uses: Option<&Uses>, accessor: &Device) -> Result<()> {
        if uses.is_none_or(|uses| uses.kept == 0) {
            return Ok(());
        }
        Err(Error::GrantInUse { accessor: accessor.ordinal(), owner: self.device().ordinal() })
    }

    /// Work of a graph is waited for with the device of the stream that it was launched in alone.
    fn wait_for_left_work(&self, accessor: &Device) -> Result<()> {
        let left = self.peers().get(&accessor.ordinal()).map_or_else(Vec::new, |uses| uses.left.clone());
        left.iter().filter(|mark| !mark.is_stale()).try_for_each(|mark| mark.synchronize())
    }

    fn check_accessors(&self, accessors: &[Device]) -> Result<()> {
        self.check()?;
        for accessor in accessors {
            self.device().check_runtime(accessor, "the accessor")?;
            if *accessor == self.device() {
                return Err(Error::SameDevice { device: accessor.ordinal() });
            }
        }
        Ok(())
    }

    fn set_access(&self, accessors: &[Device], flags: cudaMemAccessFlags) -> Result<()> {
        let list: Vec<cudaMemAccessDesc> =
            accessors.iter().map(|device| cudaMemAccessDesc { location: location(device), flags }).collect();
        let (seam, on, pool) = (self.seam(), self.device().on(), self.as_raw());
        if list.is_empty() {
            return Ok(());
        }
        // SAFETY: the pool is live and the list has so many entries. Access is taken away only where no work relies on it.
        unsafe { cuda!(relaxed: seam, on, cudaMemPoolSetAccess(pool, list.as_ptr(), list.len())) }
    }

    pub(super) fn peers(&self) -> MutexGuard<'_, Peers> {
        self.0.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
