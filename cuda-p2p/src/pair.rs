//! What is known of an ordered pair of devices: who holds tokens, and who enabled the access.
//!
//! The runtime can say whether a pair *could* have access, and not whether it has: there is only the answer 704 to
//! enabling once more (2 microseconds). So that is asked each time; what is remembered is what the runtime cannot
//! tell, namely who did it.
//!
//! # Safety
//! This file calls `cudaDeviceEnablePeerAccess` and `cudaDeviceDisablePeerAccess`, which take numbers. Disabling
//! takes the mappings away from work that uses them: it is done only with no token alive and after both devices have
//! finished.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::EventHandle;
use crate::ffi::cudaError;
use crate::seam::cuda;
use crate::staging::Lanes;

/// One ordered pair of different devices. Never freed, like the runtime.
pub(crate) struct Pair {
    pub(crate) accessor: Device,
    pub(crate) owner: Device,
    /// Counts resets of either device. Tokens remember the count that they were made under. Changes under the lock of
    /// `access`.
    generation: AtomicU64,
    access: Mutex<Access>,
    /// Reached when work is done that needs the access, and that to wait for the devices may not wait for.
    left: Mutex<Vec<Arc<EventHandle>>>,
    /// For copies from `owner` to `accessor` that go through the host.
    pub(crate) lanes: Lanes,
}

/// The state of a pair's access, as far as this crate made it.
#[derive(Debug, Default)]
pub(crate) struct Access {
    /// Tokens alive.
    pub(crate) tokens: usize,
    /// Whether this crate enabled it, and has not disabled it since.
    pub(crate) enabled_here: bool,
    /// Whether somebody waits for the work of both devices to disable it then. A new token ends that.
    pub(crate) disabling: bool,
}

impl Access {
    /// Whether access is enabled and stays so, as far as this crate knows without asking.
    pub(crate) fn is_on(&self) -> bool {
        (self.tokens > 0 || self.enabled_here) && !self.disabling
    }
}

/// What disabling found and did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Disabled {
    /// The access was enabled by this crate, and is now disabled. That somebody else disabled it and enabled it again, and so
    /// has it as their own, the runtime does not tell: it is disabled for them too.
    Disabled,
    /// Somebody else in the process had enabled it, so it was left enabled.
    LeftToOthers,
    /// This crate had enabled it, and somebody else had disabled it already (705).
    WasDisabled,
}

impl Pair {
    pub(crate) fn new(accessor: Device, owner: Device) -> Self {
        Self {
            accessor,
            owner,
            generation: AtomicU64::new(0),
            access: Mutex::default(),
            left: Mutex::default(),
            lanes: Lanes::default(),
        }
    }

    /// How often one of the devices was reset.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// The state, locked: access does not change while it is held.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Access> {
        self.access.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the runtime to enable the access, which is how one learns that it is enabled; notes who did it.
    pub(crate) fn enable(&self, access: &mut Access) -> Result<()> {
        let owner = self.owner.ordinal() as c_int;
        // SAFETY: the call takes a number and the flags zero, and judges them.
        let status = unsafe {
            cuda!(relaxed status: self.accessor.seam(), self.accessor.on(), cudaDeviceEnablePeerAccess(owner, 0))
        }?;
        self.judge(status, access)
    }

    fn judge(&self, status: cudaError, access: &mut Access) -> Result<()> {
        let seam = self.accessor.seam();
        let (accessor, owner) = (self.accessor.ordinal(), self.owner.ordinal());
        match status {
            cudaError::cudaSuccess => {
                access.enabled_here = true;
                Ok(())
            }
            cudaError::cudaErrorPeerAccessAlreadyEnabled => Ok(()),
            cudaError::cudaErrorTooManyPeers => Err(Error::TooManyPeers { accessor, owner }),
            cudaError::cudaErrorPeerAccessUnsupported => Err(Error::PeerUnreachable { accessor, owner }),
            status => Err(seam.error("cudaDeviceEnablePeerAccess", status, self.accessor.on())),
        }
    }

    /// Waits for the work of both devices: what was queued with a view may still run, on the accessor by kernels, on either
    /// by copy engines.
    pub(crate) fn wait_for_work(&self) -> Result<()> {
        self.accessor.synchronize()?;
        self.owner.synchronize()?;
        let left = self.left().clone();
        left.iter().filter(|mark| !mark.is_stale()).try_for_each(|mark| mark.synchronize())?;
        self.left().retain(|mark| !left.iter().any(|done| Arc::ptr_eq(done, mark)));
        Ok(())
    }

    /// Notes work that needs the access, for [`wait_for_work`](Self::wait_for_work).
    pub(crate) fn note_left_work(&self, mark: Arc<EventHandle>) {
        self.forget_done_work();
        self.left().push(mark);
    }

    /// Forgets what is done of the work that was noted.
    pub(crate) fn forget_done_work(&self) {
        self.left().retain(|mark| !mark.is_stale() && mark.is_done() != Ok(true));
    }

    /// Leaves the access enabled until the device is reset: work may need it of which nobody can tell when it is done.
    pub(crate) fn keep_enabled(&self) {
        self.lock().tokens += 1;
    }

    fn left(&self) -> MutexGuard<'_, Vec<Arc<EventHandle>>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Disables the access. `access` has one token, the caller's, and no work is under way that needs it.
    pub(crate) fn disable(&self, access: &mut Access) -> Result<Disabled> {
        let seam = self.accessor.seam();
        let owner = self.owner.ordinal() as c_int;
        // SAFETY: no token but the caller's is alive, so no view is, and the work of both devices is done.
        let status =
            unsafe { cuda!(relaxed status: seam, self.accessor.on(), cudaDeviceDisablePeerAccess(owner)) }?;
        let disabled = match status {
            cudaError::cudaSuccess => Disabled::Disabled,
            cudaError::cudaErrorPeerAccessNotEnabled => Disabled::WasDisabled,
            status => return Err(seam.error("cudaDeviceDisablePeerAccess", status, self.accessor.on())),
        };
        access.enabled_here = false;
        Ok(disabled)
    }

    /// After a reset of one of its devices nothing is enabled, and staging buffers and streams are gone.
    pub(crate) fn forget_if_of(&self, device: Device) {
        if self.accessor == device || self.owner == device {
            let mut access = self.lock();
            *access = Access::default();
            self.generation.fetch_add(1, Ordering::SeqCst);
            drop(access);
            self.lanes.clear();
        }
    }
}
