//! The threads of the devices: they take ready operations and carry them out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use crate::context;
use crate::copy::{Copy, Fill, Progress, Stopped};
use crate::engine::{Engine, Run, Turn};
use crate::error::code;
use crate::fault::Fault;
use crate::machine::{Guard, Machine};
use crate::queue::{Choice, Lane, OpId, Work};

/// Bytes that a copy moves between two looks at whether the machine has failed.
const PIECE: usize = 4 << 20;
/// How long a device sleeps when all its kernels wait for something outside.
const NAP: Duration = Duration::from_micros(50);
/// How long a lane sleeps at most while the machine has work, so that a missed change cannot stop it.
const LOOK: Duration = Duration::from_millis(2);

/// Body of a lane's thread.
pub(crate) fn run(machine: &Arc<Machine>, lane: Lane) {
    let body = || if lane.host { host_lane(machine, lane) } else { device_lane(machine, lane) };
    if catch_unwind(AssertUnwindSafe(body)).is_err() {
        // A bug of this crate. Callers must not wait for a thread that is gone.
        let text = format!(
            "the simulator's own thread for device {} panicked; this is a bug of cuda-p2p-sim",
            lane.device
        );
        let fault = Fault { code: code::UNKNOWN.0, device: lane.device, kernel: None, text, seed: None };
        let mut state = machine.lock();
        state.queue.abandon(lane);
        machine.fail(&mut state, fault);
    }
}

/// What a device is at.
enum Active {
    Kernel(Box<Run>),
    Copy(Box<Copy>),
    Fill(Fill),
}

fn host_lane(machine: &Arc<Machine>, lane: Lane) {
    context::set_in_host_function();
    let mut state = machine.lock();
    while !state.stopping {
        let choice = state.queue.choose(lane);
        let (Choice::Start(id), None) = (choice, state.failure) else {
            state = sleep(machine, state, lane, choice);
            continue;
        };
        let Some(Work::Host(call)) = state.queue.start(id) else { continue };
        machine.wake_all();
        drop(state);
        call.call();
        state = machine.lock();
        machine.finish(&mut state, id);
    }
}

fn device_lane(machine: &Arc<Machine>, lane: Lane) {
    let engine = Engine::new(machine, lane.device);
    let mut active: Vec<(OpId, Active)> = Vec::new();
    let mut state = machine.lock();
    loop {
        if state.stopping || state.failure.is_some() {
            for (id, ended) in active.drain(..) {
                // Kernels end here, on the thread that they live on.
                drop(ended);
                machine.finish(&mut state, id);
            }
            if state.stopping {
                return;
            }
            state = sleep(machine, state, lane, Choice::StepAll);
            continue;
        }
        let choice = state.queue.choose(lane);
        let turn = match choice {
            Choice::Start(id) => {
                let Some(work) = state.queue.start(id) else { continue };
                if state.script.is_lost(lane.device) {
                    machine.finish(&mut state, id);
                    machine.fail(&mut state, lost(lane.device));
                    continue;
                }
                match begin(&engine, id, work) {
                    Ok(started) => active.push((id, started)),
                    Err(fault) => {
                        machine.fail(&mut state, fault);
                        continue;
                    }
                }
                // In order, a copy ends before the next operation starts, and kernels run side by side.
                let copies = !matches!(active.last(), Some((_, Active::Kernel(_))));
                if !copies && !state.queue.is_adversarial() {
                    continue;
                }
                Some(id)
            }
            Choice::Step(id) => Some(id),
            Choice::StepAll | Choice::Yield | Choice::Pause(_) => None,
        };
        let adversarial = state.queue.is_adversarial();
        let turns: Vec<OpId> = active
            .iter()
            .filter(|_| !matches!(choice, Choice::Pause(_)))
            .filter(|(id, it)| match it {
                Active::Kernel(_) if !adversarial => true,
                Active::Kernel(_) => turn == Some(*id) || state.queue.is_yielding(*id),
                Active::Copy(_) | Active::Fill(_) => turn == Some(*id),
            })
            .map(|(id, _)| *id)
            .collect();
        if turns.is_empty() {
            state = sleep(machine, state, lane, choice);
            continue;
        }
        let copies = active.iter().any(|(id, it)| turns.contains(id) && !matches!(it, Active::Kernel(_)));
        let piece = if copies { state.queue.piece(PIECE) } else { None };
        drop(state);
        let mut ended = Vec::new();
        let mut stepped = Vec::new();
        let mut progress = false;
        let mut fault = None;
        active.retain_mut(|(id, it)| {
            if fault.is_some() || !turns.contains(id) {
                return true;
            }
            match step(machine, lane.device, it, piece) {
                Ok(Turn::Done) => {
                    ended.push(*id);
                    progress = true;
                    return false;
                }
                Ok(Turn::More) => {
                    stepped.push((*id, false));
                    progress = true;
                }
                Ok(Turn::Waiting) => stepped.push((*id, true)),
                Err(stopped) => fault = Some(stopped),
            }
            true
        });
        state = machine.lock();
        for (id, waiting) in stepped {
            state.queue.stepped(id, waiting);
        }
        for id in ended {
            machine.finish(&mut state, id);
        }
        if let Some(fault) = fault {
            machine.fail(&mut state, fault);
        } else if adversarial {
            machine.wake_all();
        }
        if !progress && matches!(state.queue.choose(lane), Choice::StepAll | Choice::Yield) {
            state = nap(machine, state, lane, NAP);
        }
    }
}

/// Sleeps until the lane is woken.
fn sleep<'a>(machine: &'a Machine, state: Guard<'a>, lane: Lane, choice: Choice) -> Guard<'a> {
    if state.stopping {
        return state;
    }
    match choice {
        Choice::Pause(limit) if state.queue.len() > 0 => nap(machine, state, lane, limit),
        Choice::Yield if state.queue.len() > 0 => nap(machine, state, lane, LOOK),
        _ => machine.lane_condition(lane).wait(state).unwrap_or_else(PoisonError::into_inner),
    }
}

/// Sleeps until the lane is woken, or so long.
fn nap<'a>(machine: &'a Machine, state: Guard<'a>, lane: Lane, limit: Duration) -> Guard<'a> {
    let condition = machine.lane_condition(lane);
    condition.wait_timeout(state, limit).map_or_else(|e| e.into_inner().0, |(state, _)| state)
}

fn begin(engine: &Engine, id: OpId, work: Work) -> Result<Active, Fault> {
    match work {
        Work::Copy(copy) => Ok(Active::Copy(copy)),
        Work::Fill(fill) => Ok(Active::Fill(fill)),
        Work::Kernel(launch) => engine.start(id, &launch).map(Box::new).map(Active::Kernel),
        Work::Marker | Work::Record { .. } | Work::Release { .. } | Work::Await(_) | Work::Host(_) => {
            unreachable!("work that no device lane is given")
        }
    }
}

/// Gives `it` one turn; without a piece size, copies go on to their end.
fn step(machine: &Machine, device: usize, it: &mut Active, piece: Option<usize>) -> Result<Turn, Fault> {
    let most = piece.unwrap_or(PIECE);
    let once = |what: &str, turn: &mut dyn FnMut() -> Result<Progress, Stopped>| {
        loop {
            let pages = machine.pages.read().unwrap_or_else(PoisonError::into_inner);
            let done = turn().map_err(|stopped| stopped_fault(device, what, stopped))?;
            drop(pages);
            match done {
                Progress::Done => return Ok(Turn::Done),
                Progress::Hung => return Ok(Turn::Waiting),
                Progress::More if piece.is_some() => return Ok(Turn::More),
                Progress::More => {}
            }
        }
    };
    match it {
        Active::Kernel(run) => run.step(),
        Active::Copy(copy) => once("copy", &mut || copy.step(&machine.space, most)),
        Active::Fill(fill) => once("fill", &mut || fill.step(&machine.space, most)),
    }
}

fn lost(device: usize) -> Fault {
    let text = format!("device {device} was lost, as its script says");
    Fault { code: code::LAUNCH_FAILURE.0, device, kernel: None, text, seed: None }
}

fn stopped_fault(device: usize, what: &str, stopped: Stopped) -> Fault {
    let (code, text) = match stopped {
        Stopped::Access { write, address, bytes, reason } => {
            let verb = if write { "wrote" } else { "read" };
            let text = format!("{what} on device {device} {verb} {bytes} bytes at {address:#x}: {reason}");
            (code::ILLEGAL_ADDRESS.0, text)
        }
        Stopped::WayClosed { accessor, owner } => {
            let text = format!(
                "{what} of a graph goes by the access of device {accessor} to device {owner}, as when the graph was instantiated, \
                 and that has been disabled since"
            );
            (code::LAUNCH_FAILURE.0, text)
        }
    };
    Fault { code, device, kernel: None, text, seed: None }
}
