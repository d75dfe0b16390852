//! Who may touch whose memory: plain data, changed by the calls that enable, grant and take away.

use std::collections::{BTreeMap, BTreeSet};

use super::{Allocation, Owner, PoolId};

/// The rights of all devices of one machine.
#[derive(Debug, Default)]
pub(super) struct Rights {
    /// `(accessor, owner)`: `cudaDeviceEnablePeerAccess` was called on the accessor.
    peers: BTreeSet<(usize, usize)>,
    /// How often the access of `(accessor, owner)` was taken away.
    closings: BTreeMap<(usize, usize), u64>,
    /// Devices that a pool was opened to by `cudaMemPoolSetAccess`, and a mapping by `cuMemSetAccess`.
    pools: BTreeMap<PoolId, BTreeSet<usize>>,
}

impl Rights {
    /// Whether `device` may touch `allocation`.
    pub(super) fn may_access(&self, device: usize, allocation: &Allocation) -> bool {
        match allocation.owner {
            Owner::Host => true,
            Owner::Device { ordinal, .. } | Owner::Imported { ordinal, .. } if ordinal == device => true,
            Owner::Imported { .. } => false,
            Owner::Device { ordinal, pool: None } => self.peers.contains(&(device, ordinal)),
            Owner::Device { pool: Some(pool), .. } | Owner::Virtual { mapping: pool, .. } => {
                self.pools.get(&pool).is_some_and(|devices| devices.contains(&device))
            }
        }
    }

    /// Returns whether a right was taken away.
    pub(super) fn set_peer(&mut self, accessor: usize, owner: usize, allowed: bool) -> bool {
        if allowed {
            self.peers.insert((accessor, owner));
            false
        } else {
            let had = self.peers.remove(&(accessor, owner));
            *self.closings.entry((accessor, owner)).or_default() += u64::from(had);
            had
        }
    }

    /// How often the access was taken away so far.
    pub(super) fn closings(&self, accessor: usize, owner: usize) -> u64 {
        self.closings.get(&(accessor, owner)).copied().unwrap_or(0)
    }

    /// Returns whether a right was taken away.
    pub(super) fn set_pool_grant(&mut self, pool: PoolId, device: usize, allowed: bool) -> bool {
        if allowed {
            self.pools.entry(pool).or_default().insert(device);
            false
        } else {
            self.pools.get_mut(&pool).is_some_and(|devices| devices.remove(&device))
        }
    }

    /// Returns whether a right was taken away.
    pub(super) fn forget_pool(&mut self, pool: PoolId) -> bool {
        self.pools.remove(&pool).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(ordinal: usize, pool: Option<PoolId>) -> Allocation {
        Allocation { base: 4096, bytes: 16, owner: Owner::Device { ordinal, pool }, id: 1 }
    }

    #[test]
    fn peer_access_has_a_direction_and_does_not_cover_pools() {
        let mut rights = Rights::default();
        let pool = PoolId(7);
        rights.set_peer(0, 1, true);
        assert!(rights.may_access(0, &memory(1, None)));
        assert!(!rights.may_access(1, &memory(0, None)));
        assert!(!rights.may_access(0, &memory(1, Some(pool))));
        assert!(rights.may_access(1, &memory(1, Some(pool))), "the owner needs no grant");
        rights.set_pool_grant(pool, 0, true);
        assert!(rights.may_access(0, &memory(1, Some(pool))));
        assert!(!rights.may_access(0, &memory(1, Some(PoolId(8)))));
    }

    #[test]
    fn taking_away_tells_whether_there_was_something_to_take() {
        let mut rights = Rights::default();
        assert!(!rights.set_peer(0, 1, false));
        rights.set_peer(0, 1, true);
        assert!(rights.set_peer(0, 1, false));
        assert!(!rights.may_access(0, &memory(1, None)));
        rights.set_pool_grant(PoolId(1), 0, true);
        assert!(rights.forget_pool(PoolId(1)));
        assert!(!rights.may_access(0, &memory(1, Some(PoolId(1)))));
    }
}
