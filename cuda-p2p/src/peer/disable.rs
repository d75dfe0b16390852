//! Taking peer access away.

use std::fmt;
use std::sync::MutexGuard;

use super::PeerAccess;
use crate::error::{Error, Result};
use crate::pair::{Access, Disabled};

/// Access that was not disabled, and why. The token is given back.
#[derive(Debug)]
pub struct DisableError {
    /// The token, as good as before.
    pub access: PeerAccess,
    /// Why the access was not disabled.
    pub error: Error,
}

impl fmt::Display for DisableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl std::error::Error for DisableError {}

impl From<DisableError> for Error {
    fn from(error: DisableError) -> Self {
        error.error
    }
}

impl PeerAccess {
    /// Disables the access, if this crate enabled it: waits for all work of both devices first, because work that was
    /// queued with a view of this token may still run. Other threads can use the pair meanwhile; a token that they make
    /// keeps the access enabled, and copies between the devices go through the host.
    ///
    /// C: `cudaDeviceDisablePeerAccess`.
    ///
    /// # Errors
    /// [`DisableError`], which gives the token back, with
    /// - [`Error::PeerAccessInUse`] while other tokens of the pair are alive (a token that was leaked by
    ///   `mem::forget` counts, and so does a [`Graph`](crate::Graph) or a [`GraphExec`](crate::GraphExec) that relies on the access),
    /// - [`Error::StaleToken`] after a reset of either device,
    /// - [`Error::Cuda`] if waiting or disabling failed.
    #[doc(alias = "cudaDeviceDisablePeerAccess")]
    pub fn disable(self) -> Result<Disabled, DisableError> {
        let outcome = self.try_disable();
        match outcome {
            Ok(disabled) => Ok(disabled),
            Err(error) => Err(DisableError { access: self, error }),
        }
    }

    fn try_disable(&self) -> Result<Disabled> {
        self.accessor().seam().check_process()?;
        loop {
            {
                let mut access = self.lock_as_last()?;
                if !access.enabled_here {
                    return Ok(Disabled::LeftToOthers);
                }
                access.disabling = true;
            }
            // Not under the lock: the work may wait for something that needs the pair, a copy or a new token.
            let waited = self.pair.wait_for_work();
            let mut access = self.lock_as_last()?;
            // A token that came up meanwhile, and is gone, may have left work behind.
            let undisturbed = std::mem::take(&mut access.disabling);
            waited?;
            if undisturbed {
                return self.pair.disable(&mut access);
            }
        }
    }

    /// The pair's state, if this is its only token.
    fn lock_as_last(&self) -> Result<MutexGuard<'_, Access>> {
        let access = self.pair.lock();
        self.check_generation()?;
        if access.tokens > 1 {
            let (accessor, owner) = (self.accessor().ordinal(), self.owner().ordinal());
            return Err(Error::PeerAccessInUse { accessor, owner, others: access.tokens - 1 });
        }
        Ok(access)
    }
}
