//! What a graph refers to, and so keeps: memory, peer access, devices.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::allocation::Memory;
use crate::device::Device;
use crate::error::Result;
use crate::gate::pause;
use crate::links::{self, Locked};
use crate::pair::Pair;
use crate::peer::PeerAccess;
use crate::pool::{KeptGrant, LockedPools, MemPool};
use crate::stream::Stream;
use crate::uses::{Access, Held, Order, Uses};

/// All that one graph refers to.
#[derive(Default)]
pub(crate) struct Contents {
    /// By address of what is shared.
    memory: BTreeMap<usize, Used>,
    access: Vec<PeerAccess>,
    grants: Vec<KeptGrant>,
    /// Pools whose memory is copied between devices, in the order in which they are locked.
    pools: BTreeMap<usize, MemPool>,
    /// Virtual memory is copied.
    copies_virtual: bool,
    /// Directions that copies may take, in the order in which they are locked.
    links: BTreeMap<(u32, u32), &'static Pair>,
    /// With the count of resets under which their streams took part.
    devices: Vec<(Device, u64)>,
}

/// Memory, and what the graph does with it.
struct Used {
    memory: Arc<Memory>,
    /// The uses of the streams of the capture, for the order among them.
    within: Arc<Uses>,
    /// In the order of this crate.
    ordered: Option<Access>,
    /// By slices that are ordered by hand.
    by_hand: Option<Access>,
}

impl Contents {
    /// Notes a use of memory. Gives its uses in the capture.
    pub(crate) fn note_memory(&mut self, memory: &Arc<Memory>, access: Access, order: Order) -> Arc<Uses> {
        let used = self.memory.entry(Arc::as_ptr(memory).addr()).or_insert_with(|| Used {
            memory: memory.clone(),
            within: Arc::default(),
            ordered: None,
            by_hand: None,
        });
        let noted = match order {
            Order::Automatic => &mut used.ordered,
            Order::ByHand => &mut used.by_hand,
        };
        if *noted != Some(Access::Write) {
            *noted = Some(access);
        }
        used.within.clone()
    }

    pub(crate) fn has_access(&self, pair: &'static Pair) -> bool {
        self.access.iter().any(|kept| kept.is_of(pair))
    }

    /// Keeps a token, unless one for the same access is kept: then it is given back.
    pub(crate) fn add_access(&mut self, access: PeerAccess) -> Option<PeerAccess> {
        if self.has_access(access.pair()) {
            return Some(access);
        }
        self.access.push(access);
        None
    }

    pub(crate) fn access(&self) -> &[PeerAccess] {
        &self.access
    }

    /// Keeps a grant, unless the same is kept: then it is given back.
    pub(crate) fn add_grant(&mut self, grant: KeptGrant) -> Option<KeptGrant> {
        if self.grants.iter().any(|kept| kept.is(&grant)) {
            return Some(grant);
        }
        self.grants.push(grant);
        None
    }

    pub(crate) fn grants(&self) -> &[KeptGrant] {
        &self.grants
    }

    /// Memory of the pool is copied between devices.
    pub(crate) fn add_pool(&mut self, pool: &MemPool) {
        self.pools.insert(pool.key(), pool.clone());
    }

    /// Virtual memory is copied, in one device or between several.
    pub(crate) fn note_virtual_copy(&mut self) {
        self.copies_virtual = true;
    }

    /// Whether the way of a copy depends on more than on the devices between which it goes: on the grants of pools, or on what is mapped.
    pub(crate) fn has_ways_of_its_own(&self) -> bool {
        self.copies_virtual || !self.pools.is_empty()
    }

    /// The pools whose memory is copied between devices, locked: to be held while the runtime decides which way copies go.
    pub(crate) fn lock_pools(&self) -> LockedPools<'_> {
        LockedPools::new(self.pools.values())
    }

    /// The devices between which copies go.
    pub(crate) fn linked(&self) -> Vec<Device> {
        // Each pair is there in both directions.
        let mut devices: Vec<Device> = self.links.values().map(|pair| pair.accessor).collect();
        devices.dedup();
        devices
    }

    pub(crate) fn add_links(&mut self, pairs: [&'static Pair; 2]) {
        self.links.extend(pairs.map(|pair| (links::order(pair), pair)));
    }

    /// Whether copies go between all the devices between which those of `other` do.
    pub(crate) fn has_links_of(&self, other: &Contents) -> bool {
        other.links.keys().all(|link| self.links.contains_key(link))
    }

    /// The access of what copies may take, locked: to be held while the runtime decides which way they go.
    pub(crate) fn lock_links(&self) -> Locked<'static> {
        Locked::new(self.links.values().copied())
    }

    pub(crate) fn add_device(&mut self, device: Device) {
        if self.devices.iter().all(|(known, _)| *known != device) {
            self.devices.push((device, device.epoch()));
        }
    }

    /// Refuses a graph from before a reset of a device that it uses.
    pub(crate) fn check(&self) -> Result<()> {
        self.devices.iter().try_for_each(|(device, epoch)| device.check_epoch(*epoch, "the graph"))?;
        self.memory.values().try_for_each(|used| used.memory.check("memory of the graph"))?;
        self.grants.iter().try_for_each(KeptGrant::check)?;
        self.access.iter().try_for_each(PeerAccess::check_generation)
    }

    /// Orders a launch on `stream` behind other work on the memory, and holds it until the launch is put in.
    pub(crate) fn hold<'h>(&'h self, stream: &'h Stream) -> Result<Vec<Held<'h>>> {
        let mut tries = 0;
        loop {
            if let Some(held) = self.try_to_hold(stream)? {
                return Ok(held);
            }
            pause(&mut tries);
        }
    }

    fn try_to_hold<'h>(&'h self, stream: &'h Stream) -> Result<Option<Vec<Held<'h>>>> {
        let mut held = Vec::with_capacity(self.memory.len());
        for used in self.memory.values() {
            let uses = [(used.ordered, Order::Automatic), (used.by_hand, Order::ByHand)];
            for (access, order) in uses {
                if let Some(access) = access {
                    let Some(one) = Held::for_launch(&used.memory, stream, access, order)? else {
                        return Ok(None);
                    };
                    held.push(one);
                }
            }
        }
        Ok(Some(held))
    }
}
