//! The pools of a device that are in use: whoever names one by its handle shares what is known of it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::{MemPool, PoolState};
use crate::device::Device;
use crate::ffi::cudaMemPool_t;

/// Of one device.
#[derive(Default)]
pub(crate) struct Known {
    pools: Mutex<Vec<Weak<PoolState>>>,
    /// Held while a pool of another process is imported or its handle destroyed: the runtime gives one handle for one pool, however
    /// often it is imported.
    importing: Mutex<()>,
}

impl Known {
    pub(super) fn importing(&self) -> MutexGuard<'_, ()> {
        self.importing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a live pool has this handle.
    pub(super) fn has(&self, handle: cudaMemPool_t, epoch: u64) -> bool {
        let pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.iter().filter_map(Weak::upgrade).any(|pool| pool.handle == handle && pool.epoch == epoch)
    }
}

impl MemPool {
    /// `handle` is a live pool of `device`, made or asked for under `epoch`. If `owned`, it is destroyed here from now on.
    pub(crate) fn of_handle(device: Device, handle: cudaMemPool_t, epoch: u64, owned: bool) -> Self {
        Self::shared(PoolState::new(device, handle, epoch, owned))
    }

    /// What is known of the pool that `new` is, or `new`, if that is nothing.
    pub(super) fn shared(new: PoolState) -> Self {
        let device = new.device;
        let mut known = device.0.pools.pools.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|pool| pool.strong_count() > 0);
        let same = |pool: &Arc<PoolState>| pool.handle == new.handle && pool.epoch == new.epoch;
        if let Some(pool) = known.iter().filter_map(Weak::upgrade).find(same) {
            // It is the other's from now on to destroy it.
            pool.owned.fetch_or(new.owned.swap(false, Ordering::SeqCst), Ordering::SeqCst);
            return Self(pool);
        }
        let pool = Arc::new(new);
        known.push(Arc::downgrade(&pool));
        Self(pool)
    }
}
