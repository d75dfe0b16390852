//! One launch from its first block to its last.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::Executor;
use super::block::{Advance, Block, Ended, Failure, Workplace, unravel};
use super::context::Context;
use super::fault::{Denied, Fault, FaultKind};
use super::launch::{DeviceLimits, LaunchRefused, LaunchSpec};
use super::order::Schedule;
use super::shared::SharedMemory;
use super::signal;
use super::thread::Wrong;
use crate::space::{AccessError, Space};

/// How far a step came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is more to do.
    Progress,
    /// Every live thread spins or waits, and no further block may be started: something outside must happen first.
    /// A guess: it may be wrong both ways for a while, so step again before long.
    Waiting,
    /// All threads have exited.
    Done,
    /// The launch has ended by a fault.
    Fault(Box<Fault>),
}

/// A running launch. Made, stepped and dropped on the OS thread of its device; may be dropped at any time.
pub struct KernelRun {
    // Before the workplace: the threads of the blocks hold the context's address.
    resident: Vec<Block>,
    spare: Vec<Block>,
    at: Workplace,
    space: Arc<Space>,
    limits: DeviceLimits,
    schedule: Schedule,
    threads: u32,
    blocks: u64,
    started: u64,
    turn: usize,
    /// Rounds in a row in which nobody got further.
    idle: usize,
    over: Option<Step>,
}

impl fmt::Debug for KernelRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelRun")
            .field("launch", &self.at.launch)
            .field("blocks", &self.blocks)
            .field("started", &self.started)
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}

impl KernelRun {
    /// Prepares a launch; nothing runs yet.
    ///
    /// # Errors
    /// As [`LaunchSpec::check`].
    pub fn new(launch: LaunchSpec, executor: &Executor) -> Result<KernelRun, LaunchRefused> {
        launch.check(&executor.limits)?;
        signal::install();
        let blocks = launch.grid.iter().map(|&n| u64::from(n)).product();
        let threads = launch.block.iter().product();
        let context = Rc::new(Context::new(executor.device, Arc::clone(&executor.space)));
        Ok(KernelRun {
            resident: Vec::new(),
            spare: Vec::new(),
            schedule: Schedule::new(executor.order, launch.id, blocks),
            at: Workplace { launch, device: executor.device, pool: Rc::clone(&executor.stacks), context },
            space: Arc::clone(&executor.space),
            limits: executor.limits,
            threads,
            blocks,
            started: 0,
            turn: 0,
            idle: 0,
            over: None,
        })
    }

    /// The launch.
    #[must_use]
    pub fn launch(&self) -> &LaunchSpec {
        &self.at.launch
    }

    /// Runs for at most `turns` turns of a thread. A turn is short for a thread that waits, and at most some
    /// 40 000 accesses of memory for one that works. After [`Step::Done`] and [`Step::Fault`] it says the same again.
    pub fn step(&mut self, turns: u32) -> Step {
        if let Some(over) = &self.over {
            return over.clone();
        }
        signal::prepare_os_thread();
        let context = Rc::clone(&self.at.context);
        let space = Arc::clone(&self.space);
        let turn = space.links().turn();
        let current = context.make_current();
        let step = self.go_on(turns.max(1));
        drop(current);
        space.links().put_back(&space, space.links().gpu(self.at.device));
        drop(turn);
        if matches!(step, Step::Done | Step::Fault(_)) {
            self.resident.clear();
            self.over = Some(step.clone());
        }
        step
    }

    fn go_on(&mut self, mut turns: u32) -> Step {
        loop {
            if self.resident.is_empty() && !self.start_block() {
                return Step::Done;
            }
            self.turn = self.turn.min(self.resident.len() - 1);
            match self.resident[self.turn].advance(&self.at, &mut self.schedule, &mut turns) {
                Advance::OutOfTurns => return Step::Progress,
                Advance::Done => {
                    let block = self.resident.swap_remove(self.turn);
                    self.spare.push(block);
                    self.idle = 0;
                    self.start_block();
                    continue;
                }
                Advance::Round(true) => self.idle = 0,
                Advance::Round(false) => self.idle += 1,
                Advance::Failed(failure) => return Step::Fault(Box::new(self.fault(self.turn, failure))),
            }
            self.turn = self.schedule.next(self.turn, self.resident.len());
            if self.schedule.starts_early() {
                self.start_block();
            }
            if self.idle >= self.resident.len() {
                self.idle = 0;
                // As many again: blocks that wait for the last of a large grid do not wait for long.
                let more = (0..self.resident.len()).take_while(|_| self.start_block()).count();
                if more == 0 {
                    return Step::Waiting;
                }
            }
        }
    }

    /// Starts the next block if there is one and the device has room for it.
    fn start_block(&mut self) -> bool {
        let resident = self.resident.len();
        let full = resident >= self.limits.resident_blocks(self.threads) as usize
            || (resident > 0 && !self.at.pool.has_room_for(self.threads as usize));
        if self.started == self.blocks || full {
            return false;
        }
        let mut block = self.spare.pop().unwrap_or_else(|| {
            let shared = SharedMemory::new(self.limits.shared_per_block, self.at.launch.dynamic_shared);
            Block::new(self.threads as usize, shared)
        });
        let index = unravel(self.schedule.block(self.started), self.at.launch.grid);
        block.begin(index, &mut self.schedule);
        self.resident.push(block);
        self.started += 1;
        true
    }

    fn fault(&self, block: usize, failure: Failure) -> Fault {
        let block = &self.resident[block];
        let kind = match failure.what {
            Ended::Stuck | Ended::Wrong(Wrong::Mask) => FaultKind::Barrier,
            Ended::NoStack => FaultKind::NoStack,
            Ended::Panicked(message) => FaultKind::Exception(message),
            Ended::Wrong(Wrong::Access { address, bytes, access }) => {
                FaultKind::Access { address, bytes, access, reason: self.reason(block, address, bytes) }
            }
            Ended::Wrong(Wrong::NotGlobal { address, bytes, access }) => {
                FaultKind::Access { address, bytes, access, reason: Denied::NotGlobal }
            }
            Ended::Wrong(Wrong::Misaligned { address, bytes, access }) => {
                FaultKind::Misaligned { address, bytes, access }
            }
            Ended::Wrong(Wrong::Trap) => FaultKind::Trap,
            Ended::Wrong(Wrong::Assertion) => FaultKind::Assertion,
            Ended::Wrong(Wrong::StackOverflow) => {
                FaultKind::StackOverflow { stack: self.at.pool.stack_bytes() }
            }
            Ended::Wrong(Wrong::SharedMemory { needed }) => {
                FaultKind::SharedMemory { needed, limit: block.shared.limit() }
            }
            Ended::Wrong(Wrong::Signal(what)) => FaultKind::Exception(what.to_owned()),
        };
        Fault {
            kernel: self.at.launch.kernel.name(),
            device: self.at.device,
            block: block.index,
            thread: unravel(failure.thread as u64, self.at.launch.block),
            kind,
        }
    }

    fn reason(&self, block: &Block, address: usize, bytes: usize) -> Denied {
        if address < 4096 {
            return Denied::Null;
        }
        if block.shared.owns(address) || self.resident.iter().any(|it| it.shared.owns(address)) {
            return Denied::Shared;
        }
        if self.resident.iter().any(|it| it.has_stack_at(address)) {
            return Denied::OtherThread;
        }
        let check = self.space.check(self.at.device, address, bytes.max(1));
        Denied::Space(check.err().unwrap_or(AccessError::Unknown))
    }
}

static_assertions::assert_not_impl_any!(KernelRun: Send);
static_assertions::assert_impl_all!(LaunchSpec: Send, Sync);
