//! The ways of a copy between two devices: whose access it goes by, and what keeps that.

use std::sync::MutexGuard;

use crate::copy_path::StagedReason;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::pair::{Access as PairAccess, Pair};
use crate::pool::Granted;
use crate::slice::View;

/// What keeps a device's access to another's memory in place while a copy is put into a stream: whoever takes the access away
/// comes after the copy, and waits for it.
pub(super) enum Way<'w> {
    Peers(&'static Pair, MutexGuard<'w, PairAccess>),
    Pool(Granted<'w>),
    /// Nobody takes access to a range away while it is borrowed, nor to pages of other code, by its word.
    Range,
    /// The driver needs none.
    Driver,
}

/// Whether peer access covers the memory.
pub(super) fn is_covered(view: &View<'_>) -> bool {
    let memory = view.allocation;
    !view.is_virtual() && memory.pool().is_none() && !memory.is_mapped() && memory.opened().is_none()
}

/// The states of both pairs, that of `reads` first. Everybody locks the one of the lower accessor first.
pub(super) fn both_locked(
    reads: &'static Pair,
    writes: &'static Pair,
) -> (MutexGuard<'static, PairAccess>, MutexGuard<'static, PairAccess>) {
    if reads.accessor.ordinal() < writes.accessor.ordinal() {
        let first = reads.lock();
        (first, writes.lock())
    } else {
        let second = writes.lock();
        (reads.lock(), second)
    }
}

/// Holds the access of the pair's accessor to `reached`, which is the owner's; `None` if it has none.
pub(super) fn hold_way<'w>(pair: &'static Pair, reached: &View<'w>) -> Result<Option<Way<'w>>> {
    if let Some(pool) = reached.allocation.pool() {
        return match pool.hold_grant(pair.accessor) {
            Ok(grant) => Ok(Some(Way::Pool(grant))),
            Err(Error::PoolNotGranted { .. }) => Ok(None),
            Err(error) => Err(error),
        };
    }
    if reached.is_virtual() {
        return match reached.check_opened_to(&pair.accessor) {
            Ok(()) => Ok(Some(Way::Range)),
            Err(Error::RangeNotGranted { .. }) => Ok(None),
            Err(error) => Err(error),
        };
    }
    if reached.allocation.is_mapped() {
        return Ok(is_mapped_for(&pair.accessor, reached)?.then_some(Way::Range));
    }
    let mut access = pair.lock();
    if !access.is_on() {
        return Ok(None);
    }
    pair.enable(&mut access)?;
    match reached.check_opened_to(&pair.accessor) {
        Ok(()) => Ok(Some(Way::Peers(pair, access))),
        // Another process's, which one device opened.
        Err(Error::Ipc(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the device can access memory, as far as that is a matter of who other code mapped it for.
pub(super) fn is_mapped_for(device: &Device, view: &View<'_>) -> Result<bool> {
    if !view.allocation.is_mapped() {
        return Ok(true);
    }
    match view.check_opened_to(device) {
        Ok(()) => Ok(true),
        Err(Error::NotAccessible { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Why neither end of a copy can be reached from the other. `reads` is the pair whose accessor is the destination's device.
pub(crate) fn why_not(reads: &Pair, [source, destination]: [&View<'_>; 2]) -> Result<StagedReason> {
    let reachable =
        reads.accessor.can_access_peer(&reads.owner)? || reads.owner.can_access_peer(&reads.accessor)?;
    let pools = [source, destination].map(|view| view.allocation.pool().is_some());
    // With one end in a pool, enabling peer access to the other end would do, unless it goes the other way already.
    let enabled = || {
        let writes = reads.accessor.runtime().pair(reads.owner, reads.accessor);
        reads.lock().is_on() || writes.lock().is_on()
    };
    Ok(match (reachable, pools) {
        (false, _) => StagedReason::NotReachable,
        (true, [true, true]) => StagedReason::PoolNotGranted,
        (true, [false, false]) if enabled() => StagedReason::NotMapped,
        (true, [false, false]) => StagedReason::NotEnabled,
        (true, _) if enabled() => StagedReason::PoolNotGranted,
        (true, _) => StagedReason::NotEnabled,
    })
}
