//! One block: its threads, their turns, and their barriers.

use std::rc::Rc;

use cuda_p2p_sys::host_abi::{HostDim3, HostThread};

use super::context::Context;
use super::launch::LaunchSpec;
use super::order::Schedule;
use super::shared::SharedMemory;
use super::stack::StackPool;
use super::thread::{DeviceThread, Pause, Turn, Wrong};

/// Threads of a warp.
const WARP: usize = 32;

enum Slot {
    Unstarted,
    Ready(DeviceThread),
    AtBlock(DeviceThread),
    AtWarp(u32, DeviceThread),
    Exited,
}

/// What all blocks of a run work with.
pub(super) struct Workplace {
    pub(super) launch: LaunchSpec,
    pub(super) device: usize,
    pub(super) pool: Rc<StackPool>,
    /// In a place of its own: the threads hold its address.
    pub(super) context: Rc<Context>,
}

/// What went wrong, and with which thread of the block.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) thread: usize,
    pub(super) what: Ended,
}

#[derive(Debug)]
pub(super) enum Ended {
    Wrong(Wrong),
    Panicked(String),
    Stuck,
    NoStack,
}

/// How far a block got.
#[derive(Debug)]
pub(super) enum Advance {
    /// The turns that were granted are used up in the middle of a round.
    OutOfTurns,
    /// Each thread that could has had its turn; whether anyone of them got further.
    Round(bool),
    /// All threads have exited.
    Done,
    Failed(Failure),
}

/// A resident block.
pub(super) struct Block {
    pub(super) index: [u32; 3],
    slots: Vec<Slot>,
    live: usize,
    at_block: usize,
    pub(super) shared: SharedMemory,
    /// The threads of this round in the order of their turns, and how many have had theirs.
    round: Vec<u32>,
    place: usize,
    moved: bool,
}

impl Block {
    pub(super) fn new(threads: usize, shared: SharedMemory) -> Block {
        let slots = std::iter::repeat_with(|| Slot::Unstarted).take(threads).collect();
        let round = (0..).take(threads).collect();
        Block { index: [0; 3], slots, live: threads, at_block: 0, shared, round, place: 0, moved: false }
    }

    /// Makes a block whose threads have all exited, or that is new, the block of this index.
    pub(super) fn begin(&mut self, index: [u32; 3], schedule: &mut Schedule) {
        self.index = index;
        self.slots.iter_mut().for_each(|slot| *slot = Slot::Unstarted);
        self.live = self.slots.len();
        self.at_block = 0;
        self.shared.renew();
        self.begin_round(schedule);
    }

    fn begin_round(&mut self, schedule: &mut Schedule) {
        self.place = 0;
        self.moved = false;
        schedule.arrange(&mut self.round);
    }

    /// Goes on with the round, for at most `turns` turns, which are counted down.
    pub(super) fn advance(&mut self, at: &Workplace, schedule: &mut Schedule, turns: &mut u32) -> Advance {
        at.context.set_shared(&self.shared);
        while let Some(&thread) = self.round.get(self.place) {
            if *turns == 0 {
                return Advance::OutOfTurns;
            }
            self.place += 1;
            let thread = thread as usize;
            if matches!(self.slots[thread], Slot::Unstarted | Slot::Ready(_)) {
                *turns -= 1;
                at.context.pace.begin(schedule.turn());
                if let Err(what) = self.turn(thread, at) {
                    return Advance::Failed(Failure { thread, what });
                }
            }
        }
        let moved = self.moved;
        self.begin_round(schedule);
        if self.live == 0 {
            return Advance::Done;
        }
        let stuck = self.slots.iter().position(|slot| matches!(slot, Slot::AtBlock(_) | Slot::AtWarp(..)));
        match stuck {
            Some(thread)
                if !self.slots.iter().any(|slot| matches!(slot, Slot::Unstarted | Slot::Ready(_))) =>
            {
                Advance::Failed(Failure { thread, what: Ended::Stuck })
            }
            _ => Advance::Round(moved),
        }
    }

    /// One turn of one thread.
    fn turn(&mut self, thread: usize, at: &Workplace) -> Result<(), Ended> {
        let slot = &mut self.slots[thread];
        let mut running = match std::mem::replace(slot, Slot::Exited) {
            Slot::Ready(running) => running,
            _ => {
                let host = describe(thread, self.index, at);
                DeviceThread::new(host, &at.launch, &at.context, &at.pool).ok_or(Ended::NoStack)?
            }
        };
        let turn = running.run(&at.context);
        self.moved |= !matches!(turn, Turn::Paused(Pause::Spin));
        match turn {
            Turn::Paused(Pause::Spin | Pause::Preempt) => *slot = Slot::Ready(running),
            Turn::Paused(Pause::Block) => {
                *slot = Slot::AtBlock(running);
                self.at_block += 1;
                self.open_block();
            }
            Turn::Paused(Pause::Warp(mask)) => {
                *slot = Slot::AtWarp(mask, running);
                if mask >> (thread % WARP) & 1 == 0 {
                    return Err(Ended::Wrong(Wrong::Mask));
                }
                self.open_warp(thread / WARP, mask);
            }
            Turn::Exited => {
                self.live -= 1;
                self.open_block();
                self.open_warps(thread / WARP);
            }
            Turn::Paused(Pause::Fault) => return Err(Ended::Wrong(Wrong::Trap)),
            Turn::Wrong(wrong) => return Err(Ended::Wrong(wrong)),
            Turn::Panicked(message) => return Err(Ended::Panicked(message)),
        }
        Ok(())
    }

    /// Opens `__syncthreads` if all live threads have come.
    fn open_block(&mut self) {
        if self.at_block == 0 || self.at_block < self.live {
            return;
        }
        self.at_block = 0;
        for slot in &mut self.slots {
            if let Slot::AtBlock(_) = slot
                && let Slot::AtBlock(running) = std::mem::replace(slot, Slot::Exited)
            {
                *slot = Slot::Ready(running);
            }
        }
    }

    /// Opens what an exit opens in a warp.
    fn open_warps(&mut self, warp: usize) {
        let lanes = warp * WARP..self.slots.len().min((warp + 1) * WARP);
        for lane in lanes {
            if let Slot::AtWarp(mask, _) = self.slots[lane] {
                self.open_warp(warp, mask);
            }
        }
    }

    /// Opens `__syncwarp(mask)` if each lane of the mask has come with the same mask or has exited.
    fn open_warp(&mut self, warp: usize, mask: u32) {
        let first = warp * WARP;
        let last = self.slots.len().min(first + WARP);
        let named = |lane: usize| mask >> (lane - first) & 1 == 1;
        let come = |slot: &Slot| match slot {
            Slot::AtWarp(other, _) => *other == mask,
            Slot::Exited => true,
            _ => false,
        };
        if !(first..last).filter(|&lane| named(lane)).all(|lane| come(&self.slots[lane])) {
            return;
        }
        for lane in (first..last).filter(|&lane| named(lane)) {
            let slot = &mut self.slots[lane];
            *slot = match std::mem::replace(slot, Slot::Exited) {
                Slot::AtWarp(_, running) => Slot::Ready(running),
                other => other,
            };
        }
    }

    /// Whether `address` lies on the stack of one of the block's threads.
    pub(super) fn has_stack_at(&self, address: usize) -> bool {
        self.slots.iter().any(|slot| match slot {
            Slot::Ready(it) | Slot::AtBlock(it) | Slot::AtWarp(_, it) => it.stack().holds(address, 1),
            Slot::Unstarted | Slot::Exited => false,
        })
    }
}

/// The thread of this number as the kernel sees it.
fn describe(thread: usize, block: [u32; 3], at: &Workplace) -> HostThread {
    let dim3 = |[x, y, z]: [u32; 3]| HostDim3 { x, y, z };
    HostThread {
        thread_idx: dim3(unravel(thread as u64, at.launch.block)),
        block_idx: dim3(block),
        block_dim: dim3(at.launch.block),
        grid_dim: dim3(at.launch.grid),
        device: i32::try_from(at.device).unwrap_or(i32::MAX),
        reserved: 0,
    }
}

/// The index in a shape of what has this number when x varies fastest.
pub(super) fn unravel(number: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [number % x, number / x % y, number / x / y].map(|part| u32::try_from(part).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::unravel;

    #[test]
    fn x_varies_fastest() {
        let shape = [3, 2, 4];
        assert_eq!(
            [0, 1, 3, 6, 23].map(|number| unravel(number, shape)),
            [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 1, 3],]
        );
    }
}
