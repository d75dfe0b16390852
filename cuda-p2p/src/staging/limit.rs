//! How much pinned memory staging may take, and taking it back.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};
use crate::runtime::Runtime;

use super::shape::Shape;

/// Pinned bytes that each direction of a pair may take unless a program says otherwise.
const DEFAULT: usize = 64 << 20;

/// The limit of one runtime.
pub(crate) struct Limit(AtomicUsize);

impl Default for Limit {
    fn default() -> Self {
        Self(AtomicUsize::new(DEFAULT))
    }
}

impl Limit {
    pub(super) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// What fits; `None` if that is nothing.
    pub(crate) fn shape(&self) -> Option<Shape> {
        Shape::within(self.bytes())
    }

    /// Why nothing fits.
    pub(super) fn too_low(&self) -> Error {
        Error::StagingOff { limit: self.bytes(), minimum: Shape::LEAST }
    }
}

impl Runtime {
    /// How many bytes of pinned memory copies between devices that go through the host may take, for each direction of each
    /// pair. 64 MiB unless set.
    pub fn staging_limit(&self) -> usize {
        self.state().staging.bytes()
    }

    /// Sets the [limit](Self::staging_limit) of every pair, for copies from now on. Buffers that exist are kept or freed at the
    /// next copy of their pair, or by [`free_staging`](Self::free_staging).
    ///
    /// 12 MiB serve one stream a direction at full speed, and as many more another stream that copies at the same time. With
    /// less than 768 KiB nothing is pinned: the driver then does the staging, slower.
    pub fn set_staging_limit(&self, bytes: usize) {
        self.state().staging.0.store(bytes, Ordering::Relaxed);
    }

    /// Pinned bytes that staging has now, of all pairs together.
    ///
    /// # Errors
    /// [`Error::Forked`](crate::Error::Forked).
    pub fn staging_bytes(&self) -> Result<usize> {
        self.seam().check_process()?;
        Ok(self.known_pairs().iter().map(|pair| pair.lanes.pinned_bytes()).sum())
    }

    /// Frees the pinned memory of staging, without waiting: what copies still go through is freed when they are done, by a
    /// later allocation, drop or [`Device::synchronize`](crate::Device::synchronize). The next copy that needs some pins it
    /// anew, which takes milliseconds.
    ///
    /// # Errors
    /// [`Error::Forked`](crate::Error::Forked).
    pub fn free_staging(&self) -> Result<()> {
        self.seam().check_process()?;
        for pair in self.known_pairs() {
            pair.lanes.clear();
        }
        Ok(())
    }
}
