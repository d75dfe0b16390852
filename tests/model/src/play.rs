//! Plays a program: on the simulated machine and on the model, side by side.

use std::sync::Mutex;

use cuda_p2p_sim::Counters;

use crate::action::Action;
use crate::answer::{agree, difference};
use crate::model::Choice;
use crate::model::Model;
use crate::program::Program;
use crate::real::Real;
use crate::world::{self, World, on_machine};

/// How often a step may need something else done first.
const ATTEMPTS: usize = 7;

/// What the program that plays now has done, for whoever finds that it does not end.
pub(crate) static DONE_SO_FAR: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// How a program differs from the model.
pub(crate) type Played = Result<(), String>;

/// Plays `program` under `seed`. A panic is a difference.
pub(crate) fn play(program: &Program, seed: Option<u64>) -> Played {
    forget();
    let config = program.machine.config(seed);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        on_machine(&config, |world| Play::new(world, program)?.carry_on(program))
    }));
    outcome.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("of no text");
        Err(format!("a panic: {text}"))
    })
}

fn note(action: &Action) {
    DONE_SO_FAR.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(action.to_string());
}

fn forget() {
    DONE_SO_FAR.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
}

struct Play<'w> {
    world: &'w World,
    model: Model,
    real: Real<'w>,
    /// What lived on the machine before.
    before: Counters,
}

impl<'w> Play<'w> {
    fn new(world: &'w World, program: &Program) -> Result<Self, String> {
        Ok(Self {
            world,
            model: Model::new(program.machine.clone(), program.cast.clone()),
            real: Real::new(world).map_err(|error| format!("the devices: {error}"))?,
            before: cuda_p2p_sim::counters(),
        })
    }

    fn carry_on(mut self, program: &Program) -> Played {
        for step in &program.steps {
            for _ in 0..ATTEMPTS {
                match self.model.choose(step) {
                    Some(Choice::First(action)) => self.act(&action)?,
                    Some(Choice::Do(action)) => {
                        self.act(&action)?;
                        break;
                    }
                    None => break,
                }
            }
        }
        if program.reads_at_end {
            for buffer in 0..self.model.buffers.len() {
                if self.model.buffers[buffer].is_some() {
                    self.act(&Action::ReadAll { buffer })?;
                }
            }
            for pinned in 0..self.model.pinned.len() {
                if self.model.pinned[pinned].is_some() {
                    self.act(&Action::ReadPinned { pinned })?;
                }
            }
        }
        if program.reads_at_end {
            for action in self.model.last_looks() {
                self.act(&action)?;
            }
        }
        self.real.drop_all(program.steps.len());
        let freed = self.world.runtime.free_staging();
        freed.map_err(|error| format!("freeing what copies went through: {error}"))?;
        for device in self.real.devices() {
            device.synchronize().map_err(|error| format!("synchronizing {device:?} at the end: {error}"))?;
        }
        self.thread_is_as_expected("at the end")?;
        self.nothing_is_left()?;
        self.access_is_as_expected()
    }

    /// One action, by both.
    fn act(&mut self, action: &Action) -> Played {
        note(action);
        let predicted = self.model.predict(action);
        let found = self.real.carry_out(action);
        if !agree(&predicted, &found) {
            let fault = cuda_p2p_sim::last_fault().map_or_else(String::new, |fault| format!("; {fault}"));
            return Err(format!("{action}: {}{fault}", difference(&predicted, &found)));
        }
        self.thread_is_as_expected(action)
    }

    fn thread_is_as_expected(&self, when: impl std::fmt::Display) -> Played {
        let runtime = &self.world.runtime;
        let found = (world::current_device(runtime), world::pending_error(runtime));
        let expected = (self.model.current, self.model.pending);
        if found == expected {
            return Ok(());
        }
        Err(format!("{when}: current device and pending error are {found:?} afterwards, not {expected:?}"))
    }

    /// What the crate keeps for good, and no more: for each device a stream for zeroing and one for copies that wait, if there
    /// were any, and perhaps one for freeing memory of pools. Each of those streams can have an event, to be waited for.
    fn nothing_is_left(&self) -> Played {
        let kept = self.model.zeroing.len() + self.model.copying.len();
        let found = cuda_p2p_sim::counters();
        let events = found.events;
        // Whether several streams had used memory when it was dropped is not the model's business.
        let streams = found.streams.clamp(kept, kept + self.model.freeing.len());
        let expected = Counters { streams, pinned: 0, events, operations: 0, ..self.before };
        if found != expected {
            return Err(format!("at the end there are {found:?}, and should be {expected:?}"));
        }
        if events > streams {
            return Err(format!("at the end there are {events} events, for {streams} streams"));
        }
        if let Some(fault) = cuda_p2p_sim::last_fault() {
            return Err(format!("a fault: {fault}"));
        }
        let deferred = self.world.runtime.deferred_errors();
        if deferred.is_empty() { Ok(()) } else { Err(format!("deferred errors: {deferred:?}")) }
    }

    /// Asks the runtime which access is enabled. That enables what is not, so it comes last.
    fn access_is_as_expected(&mut self) -> Played {
        world::take_error(&self.world.runtime);
        let pairs: Vec<(usize, usize)> = self.model.pairs.keys().copied().collect();
        for (accessor, owner) in pairs.into_iter().filter(|(accessor, owner)| accessor != owner) {
            let expected = self.model.status_of_enabling(accessor, owner);
            let found = world::others_enable(&self.world.runtime, accessor, owner);
            if found != expected {
                return Err(format!(
                    "at the end, enabling access of device {accessor} to {owner} answers {found}, not {expected}"
                ));
            }
            if found == 0 {
                self.model.note_enabled(accessor, owner);
            }
        }
        Ok(())
    }
}
