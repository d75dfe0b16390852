//! Memory that was dropped, until it can be freed.
//!
//! Dropping a buffer never waits. If a stream still has work on it, an event is recorded there, and the memory is
//! kept here until that is reached. It is kept as well while any stream of this crate has work on the device, because
//! `cudaFree` waits for the whole device (a drop beside a kernel of 0.2 s took 0.2 s, measured on H200): two kernels
//! that wait for each other would never meet.
//!
//! Memory of a pool is not kept: it is freed in a stream, behind its uses; only what cannot be put into one comes here.
//!
//! Allocations, drops and [`Device::synchronize`](crate::Device::synchronize) free what has become free. Where more
//! than [`ENOUGH`] is kept, an allocation frees what no work uses even if that waits; one that finds no memory waits
//! for all of it. What cannot be asked or freed now, because somebody captures a stream, say, is kept for the next time.
//! Memory whose context is lost is never freed: the loss is recorded.

mod kept;
#[cfg(all(test, loom))]
mod models;

use std::sync::Arc;

use crate::allocation::Block;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::EventHandle;
use crate::queue::Queue;
use kept::Kept;

/// Bytes that may be kept for the sake of not waiting.
const ENOUGH: usize = 1 << 30;

/// The kept memory of one runtime.
#[derive(Default)]
pub(crate) struct Graveyard {
    graves: Kept<Grave>,
}

struct Grave {
    block: Block,
    /// What has to be done first.
    work: Vec<Work>,
}

/// Work on the memory.
enum Work {
    /// Done when this is reached.
    Until(Arc<EventHandle>),
    /// All that is in there, because no event could be recorded.
    AllOf(Queue),
}

impl Graveyard {
    /// Takes `block`, and frees it as soon as that waits for nothing.
    pub(crate) fn bury(&self, block: Block, queues: Vec<Queue>) {
        let Some(block) = block.free_behind(&queues) else { return };
        let work = |queue: Queue| match queue.mark() {
            Ok(event) => event.map(Work::Until),
            Err(_) => Some(Work::AllOf(queue)),
        };
        let work = queues.into_iter().filter_map(work).collect();
        self.graves.add(Grave { block, work });
        self.reap();
    }

    /// Frees what can be freed without waiting.
    pub(crate) fn reap(&self) {
        let mut idle = Idle::default();
        self.free_if(|grave| {
            Ok(grave.is_done()? && (grave.block.frees_in_order() || idle.ask(grave.block.device())?))
        });
    }

    /// As [`reap`](Self::reap), for a new allocation: frees all that no work uses if much is kept.
    pub(crate) fn make_room(&self) {
        if self.graves.sum(|grave| grave.block.bytes()) > ENOUGH {
            self.free_if(Grave::is_done);
        } else {
            self.reap();
        }
    }

    /// Waits for all of it, that which other threads look at too, and frees it. Whether there was any.
    ///
    /// Owners that others are just dropping are not waited for: that may wait for this thread.
    pub(crate) fn wait_and_reap(&self) -> bool {
        let mut owned = Vec::new();
        let done = |grave: &Grave| grave.wait().map(|()| true);
        let any = self.graves.look_at_all(|grave| grave.free_if(done, &mut owned));
        drop_owners(owned);
        any
    }

    /// Whether there was any.
    fn free_if(&self, mut may_go: impl FnMut(&Grave) -> Result<bool>) -> bool {
        let mut owned = Vec::new();
        let any = self.graves.look(|grave| grave.free_if(&mut may_go, &mut owned));
        drop_owners(owned);
        any
    }
}

/// Frees what other code's values keep. When nothing is taken out to be looked at: to drop them may allocate, and be here again, or
/// wait for threads that do.
fn drop_owners(owned: Vec<Block>) {
    // None comes back: only what the runtime frees may be refused.
    owned.into_iter().for_each(|block| drop(block.free()));
}

/// Which devices are idle, each asked once.
#[derive(Default)]
struct Idle(Vec<(Device, bool)>);

impl Idle {
    fn ask(&mut self, device: Device) -> Result<bool> {
        if let Some((_, idle)) = self.0.iter().find(|(known, _)| *known == device) {
            return Ok(*idle);
        }
        let idle = device.is_idle()?;
        self.0.push((device, idle));
        Ok(idle)
    }
}

impl Grave {
    /// Frees it if it may go; what has an owner is left in `owned` then. What has to be kept.
    fn free_if(self, may_go: impl FnOnce(&Self) -> Result<bool>, owned: &mut Vec<Block>) -> Option<Self> {
        match may_go(&self) {
            Ok(true) if self.block.has_owner() => {
                owned.push(self.block);
                None
            }
            Ok(true) => self.block.free().map(|block| Self { block, work: Vec::new() }),
            Err(error) if error.ends_all_work() => {
                abandon(self.block, error);
                None
            }
            Ok(false) | Err(_) => Some(self),
        }
    }

    fn is_done(&self) -> Result<bool> {
        for work in &self.work {
            if !work.is_done()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn wait(&self) -> Result<()> {
        self.work.iter().try_for_each(Work::wait)
    }
}

impl Work {
    fn is_done(&self) -> Result<bool> {
        match self {
            Self::Until(event) => {
                if event.is_stale() {
                    Ok(true)
                } else {
                    event.is_done()
                }
            }
            Self::AllOf(queue) => {
                if queue.is_stale() {
                    Ok(true)
                } else {
                    queue.is_done()
                }
            }
        }
    }

    fn wait(&self) -> Result<()> {
        match self {
            Self::Until(event) => {
                if event.is_stale() {
                    Ok(())
                } else {
                    event.synchronize()
                }
            }
            Self::AllOf(queue) => {
                if queue.is_stale() {
                    Ok(())
                } else {
                    queue.synchronize()
                }
            }
        }
    }
}

/// Leaves memory allocated for the rest of the process: work that nobody can wait for may still use it.
fn abandon(block: Block, error: Error) {
    let device = block.device();
    device
        .seam()
        .deferred
        .push(format!("freeing memory of device {} that work may still use", device.ordinal()), error);
    // What frees at its end stays, too.
    std::mem::forget(block);
}
