//! Peer access that the driver chooses to use, or not, by itself: for copies that it carries out between two devices.
//!
//! Seen on H200: a graph's copy takes the way that is open when the graph is instantiated, also where nobody spoke of access, and
//! if the access is disabled afterwards its launch ends in error 719. So whatever leaves the choice to the driver does so here:
//! with the access of both directions locked, and, if it is to last, with tokens for what is enabled.

use std::sync::MutexGuard;

use crate::capture::CaptureState;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::pair::{Access, Pair};
use crate::peer::PeerAccess;
use crate::pool::Granted;
use crate::slice::View;

/// Both directions between two devices, in an order that is the same for all.
pub(crate) fn between(a: Device, b: Device) -> [&'static Pair; 2] {
    let runtime = a.runtime();
    let mut pairs = [runtime.pair(a, b), runtime.pair(b, a)];
    pairs.sort_by_key(|pair| order(pair));
    pairs
}

/// Notes a copy in a captured stream of `device` by which virtual memory is read or written, whoever takes it as its own: the driver may
/// go by the access of any device that has to do with it, and by the grant of a pool that the other end is of.
pub(crate) fn note_virtual(capture: &CaptureState, device: Device, ends: [&View<'_>; 2]) {
    if ends.iter().any(|end| end.is_virtual()) {
        let mut devices = vec![device];
        for end in ends {
            devices.extend(end.owners());
            if let Some(pool) = end.allocation.pool() {
                capture.note_pool(pool);
            }
            if end.is_virtual() {
                devices.push(end.device());
            }
        }
        capture.note_virtual_copy(&devices);
    }
}

/// The key of the order in which several are locked.
pub(crate) fn order(pair: &Pair) -> (u32, u32) {
    (pair.accessor.ordinal(), pair.owner.ordinal())
}

/// The access of several pairs, locked: nobody enables or disables any of it.
pub(crate) struct Locked<'p>(Vec<(&'static Pair, MutexGuard<'p, Access>)>);

impl Locked<'_> {
    /// Locks the access of `pairs`, which are in [order](order).
    pub(crate) fn new(pairs: impl Iterator<Item = &'static Pair>) -> Self {
        Self(pairs.map(|pair| (pair, pair.lock())).collect())
    }

    /// Whether `accessor` reaches the memory of a view: by peer access that is on, by the runtime's word, or by the grant of a pool,
    /// which is then held in `grants`.
    pub(crate) fn reaches<'v>(
        &mut self,
        accessor: Device,
        view: &View<'v>,
        grants: &mut Vec<Granted<'v>>,
    ) -> Result<bool> {
        let answer = match view.allocation.pool() {
            Some(pool) => pool.hold_grant(accessor).map(|grant| grants.push(grant)),
            None => {
                let is_this = |pair: &Pair| pair.accessor == accessor && pair.owner == view.device();
                let Some((pair, access)) =
                    self.0.iter_mut().find(|(pair, access)| is_this(pair) && access.is_on())
                else {
                    return Ok(false);
                };
                pair.enable(access)?;
                view.check_opened_to(&accessor)
            }
        };
        match answer {
            Ok(()) => Ok(true),
            Err(Error::PoolNotGranted { .. } | Error::NotAccessible { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Keeps what is on enabled for the graph of a capture.
    pub(crate) fn note(&mut self, capture: &CaptureState) {
        for (pair, access) in &mut self.0 {
            if access.is_on() {
                capture.note_locked_access(pair, access);
            }
        }
    }

    /// Tells whoever waits for work in order to disable one of them that there is more: work has been put in.
    pub(crate) fn disturb(&mut self) {
        self.0.iter_mut().for_each(|(_, access)| access.disabling = false);
    }

    /// Tokens for those that this crate has enabled, as far as it knows; also if somebody is about to disable them.
    pub(crate) fn hold(&mut self) -> Vec<PeerAccess> {
        let enabled = self.0.iter_mut().filter(|(_, access)| access.tokens > 0 || access.enabled_here);
        enabled
            .map(|(pair, access)| {
                access.disabling = false;
                PeerAccess::of_locked(pair, access)
            })
            .collect()
    }
}
