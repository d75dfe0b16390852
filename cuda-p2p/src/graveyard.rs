//! Memory that was dropped, until it can be freed.
//!
//! Dropping a buffer never waits. If a stream still has work on it, an event is recorded there, and the memory is
//! kept here until that is reached. It is kept as well while any stream of this crate has work on the device, because
//! `cudaFree` waits for the whole device (a drop beside a kernel of 0.2 s took 0.2 s, measured on H200): two kernels
//! that wait for each other would never meet.
//!
//! Allocations, drops and [`Device::synchronize`](crate::Device::synchronize) free what has become free. Where more
//! than [`ENOUGH`] is kept, an allocation frees what no work uses even if that waits; one that finds no memory waits
//! for all of it. Memory whose work cannot be known to be done, because the runtime fails, is never freed: the loss
//! is recorded.

use std::sync::{Mutex, PoisonError};

use crate::allocation::Block;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::EventHandle;
use crate::stream::Stream;

/// Bytes that may be kept for the sake of not waiting.
const ENOUGH: usize = 1 << 30;

/// The kept memory of one runtime.
#[derive(Default)]
pub(crate) struct Graveyard(Mutex<Vec<Grave>>);

struct Grave {
    block: Block,
    /// Reached when the work is done.
    events: Vec<EventHandle>,
}

impl Graveyard {
    /// Takes `block`, and frees it as soon as that waits for nothing.
    pub(crate) fn bury(&self, block: Block, streams: Vec<Stream>) {
        let marks = || -> Result<Vec<EventHandle>> {
            let mut events = Vec::new();
            for stream in &streams {
                if !stream.is_done()? {
                    let event = EventHandle::new(stream.device(), false)?;
                    stream.record_handle(&event)?;
                    events.push(event);
                }
            }
            Ok(events)
        };
        match marks() {
            Ok(events) => self.lock().push(Grave { block, events }),
            Err(error) => abandon(block, error),
        }
        self.reap();
    }

    /// Frees what can be freed without waiting.
    pub(crate) fn reap(&self) {
        self.free_if(|grave, idle| Ok(grave.is_done()? && idle.ask(grave.block.device())?));
    }

    /// As [`reap`](Self::reap), for a new allocation: frees all that no work uses if much is kept.
    pub(crate) fn make_room(&self) {
        let kept: usize = self.lock().iter().map(|grave| grave.block.bytes()).sum();
        if kept > ENOUGH { self.free_if(|grave, _| grave.is_done()) } else { self.reap() }
    }

    /// Waits for all of it, and frees it. Whether there was any.
    pub(crate) fn wait_and_reap(&self) -> bool {
        let any = !self.lock().is_empty();
        self.free_if(|grave, _| grave.wait().map(|()| true));
        any
    }

    fn free_if(&self, may_go: impl Fn(&Grave, &mut Idle) -> Result<bool>) {
        // Moved out: freeing may wait, and must not hold up other threads' drops.
        let graves = {
            let mut list = self.lock();
            if list.is_empty() {
                return;
            }
            std::mem::take(&mut *list)
        };
        let (mut kept, mut idle) = (Vec::new(), Idle::default());
        for grave in graves {
            match may_go(&grave, &mut idle) {
                Ok(true) => grave.block.free(),
                Ok(false) => kept.push(grave),
                Err(error) => abandon(grave.block, error),
            }
        }
        self.lock().append(&mut kept);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Grave>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
    fn is_done(&self) -> Result<bool> {
        for event in self.events.iter().filter(|event| !event.is_stale()) {
            if !event.is_done()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn wait(&self) -> Result<()> {
        self.events.iter().filter(|event| !event.is_stale()).try_for_each(EventHandle::synchronize)
    }
}

/// Leaves memory allocated for the rest of the process: work that nobody can wait for may still use it.
fn abandon(block: Block, error: Error) {
    let device = block.device();
    device
        .seam()
        .deferred
        .push(format!("freeing memory of device {} that work may still use", device.ordinal()), error);
}
