//! Grants that graphs rely on, and the choice of a way by the driver where memory of pools takes part in it.

use std::sync::{Arc, MutexGuard};

use super::MemPool;
use super::access::{Granted, Peers};
use crate::device::Device;
use crate::error::Result;
use crate::event::EventHandle;

/// A grant that stays: the pool is not closed to the device while this is alive.
pub(crate) struct KeptGrant {
    pool: MemPool,
    accessor: Device,
    epoch: u64,
}

impl KeptGrant {
    /// `peers` are those of the pool, which is opened to the device.
    fn of_locked(pool: &MemPool, accessor: Device, peers: &mut Peers) -> Self {
        let uses = peers.entry(accessor.ordinal()).or_default();
        uses.kept += 1;
        // Whoever is about to close the pool begins anew: what the graph does until it is gone is to be waited for.
        uses.submitted += 1;
        Self { pool: pool.clone(), accessor, epoch: accessor.epoch() }
    }

    /// Whether it is the same grant.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.pool == other.pool && self.accessor == other.accessor
    }

    /// Refuses a grant from before a reset of either device.
    pub(crate) fn check(&self) -> Result<()> {
        self.pool.check()?;
        self.accessor.check_epoch(self.epoch, "a grant that the graph relies on")
    }

    /// Notes work that needs the grant, and that to wait for the devices may not wait for.
    pub(crate) fn note_left_work(&self, mark: Arc<EventHandle>) {
        let mut peers = self.pool.peers();
        let uses = peers.entry(self.accessor.ordinal()).or_default();
        uses.left.retain(|mark| !mark.is_stale() && mark.is_done() != Ok(true));
        uses.left.push(mark);
    }

    /// Leaves the grant for as long as the pool lives: work may need it of which nobody can tell when it is done.
    pub(crate) fn keep_for_good(&self) {
        self.pool.peers().entry(self.accessor.ordinal()).or_default().kept += 1;
    }
}

impl Drop for KeptGrant {
    fn drop(&mut self) {
        if self.pool.seam().check_process().is_err() {
            return;
        }
        if let Some(uses) = self.pool.peers().get_mut(&self.accessor.ordinal()) {
            uses.kept -= 1;
        }
    }
}

impl Granted<'_> {
    /// The same grant, for a graph.
    pub(crate) fn keep(&self) -> KeptGrant {
        KeptGrant::of_locked(self.pool, self.accessor, &mut self.pool.peers())
    }
}

/// Several pools, locked: nobody opens or closes any of them.
pub(crate) struct LockedPools<'p>(Vec<(&'p MemPool, MutexGuard<'p, Peers>)>);

impl<'p> LockedPools<'p> {
    /// `pools` are in the order of their addresses, which is the same for all, and each is there once.
    pub(crate) fn new(pools: impl Iterator<Item = &'p MemPool>) -> Self {
        Self(pools.map(|pool| (pool, pool.peers())).collect())
    }

    /// Which of `devices` have a grant, pool by pool.
    pub(crate) fn ask(&self, devices: &[Device]) -> Result<Vec<(usize, Device)>> {
        let mut found = Vec::new();
        for (index, (pool, _)) in self.0.iter().enumerate() {
            for device in devices.iter().filter(|device| **device != pool.device()) {
                if pool.is_accessible_from(device)? {
                    found.push((index, *device));
                }
            }
        }
        Ok(found)
    }

    /// Keeps the grants that were found. They are given back only after these locks.
    pub(crate) fn keep(&mut self, found: &[(usize, Device)]) -> Vec<KeptGrant> {
        let keep = |&(index, device): &(usize, Device)| {
            let (pool, peers) = &mut self.0[index];
            KeptGrant::of_locked(pool, device, peers)
        };
        found.iter().map(keep).collect()
    }
}
