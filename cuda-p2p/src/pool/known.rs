//! The pools of a device that are in use: whoever names one by its handle shares what is known of it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{MemPool, PoolState};
use crate::device::Device;
use crate::ffi::cudaMemPool_t;

/// Of one device.
#[derive(Default)]
pub(crate) struct Known(Mutex<Vec<Weak<PoolState>>>);

impl MemPool {
    /// `handle` is a live pool of `device`, made or asked for under `epoch`. If `owned`, it is destroyed here from now on.
    pub(crate) fn of_handle(device: Device, handle: cudaMemPool_t, epoch: u64, owned: bool) -> Self {
        let mut known = device.0.pools.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|pool| pool.strong_count() > 0);
        let same = |pool: &Arc<PoolState>| pool.handle == handle && pool.epoch == epoch;
        if let Some(pool) = known.iter().filter_map(Weak::upgrade).find(same) {
            pool.owned.fetch_or(owned, Ordering::SeqCst);
            return Self(pool);
        }
        let pool = Arc::new(PoolState::new(device, handle, epoch, owned));
        known.push(Arc::downgrade(&pool));
        Self(pool)
    }
}
