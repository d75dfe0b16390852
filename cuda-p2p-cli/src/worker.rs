//! The child's side: one job, its results as numbered lines of JSON on a pipe of its own.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode};
use std::time::Duration;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};
use rustix::stdio::dup2_stdin;
use serde::{Deserialize, Serialize};

use crate::bench::{self, BenchJob, BenchResult, Due};
use crate::child::{self, Meaning, Outcome};
use crate::doctor::{Nvml, read_nvml};
use crate::error::{CliError, complain};
use crate::exit::Exit;
use crate::options::MachineChoice;
use crate::topo::{self, Machine};
use crate::verify::{LendJob, PairJob, StepReport, lend, prove};

/// The hidden verb that makes this program a child.
pub(crate) const VERB: &str = "__child";

/// What a child is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    /// Which machine to use.
    pub(crate) machine: MachineChoice,
    /// What to do on it.
    pub(crate) work: Work,
    /// The process that waits for the result; without it the work is pointless.
    parent: u32,
}

/// What to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Work {
    /// Describe the machine.
    Survey,
    /// Ask NVML, for the doctor.
    Nvml,
    /// Prove one ordered pair.
    Pair(PairJob),
    /// Lend memory to the process that proves a pair. What it gets as standard input is a socket, and no pipe.
    Lend(LendJob),
    /// Measure one place.
    Bench(BenchJob),
}

/// What a child says to its parent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Message {
    /// The machine's description.
    Machine(Box<Machine>),
    /// What NVML tells.
    Nvml(Box<Nvml>),
    /// A round of a soak has begun.
    Round(u64),
    /// A step has begun; its outcome says unfinished.
    Began(StepReport),
    /// The step that began last has ended.
    Ended(StepReport),
    /// A measurement has begun.
    Measuring(Due),
    /// The measurement that began last has ended.
    Measured(Box<BenchResult>),
    /// The work cannot be done.
    Failed {
        /// What the library says.
        error: String,
    },
    /// Nothing more will come.
    Done,
}

/// One line from child to parent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<M> {
    /// Counted from 0, so that none is missing unseen.
    number: u64,
    message: M,
}

/// A message that was not to come, or not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unexpected;

/// Sends a message to the parent.
pub(crate) type Send<'a> = &'a mut dyn FnMut(&Message);

/// Runs `work` in a child of this process and hands over what it says, until it ends or falls silent. A line that is no message,
/// is out of turn, or is unexpected to `on_message` ends the child: a result from which something is missing is none.
///
/// # Errors
/// [`CliError::Spawn`] if the child could not be started.
pub(crate) fn delegate(
    machine: &MachineChoice,
    work: &Work,
    deadline: Duration,
    on_message: impl FnMut(Message) -> Result<(), Unexpected>,
) -> Result<Outcome, CliError> {
    delegate_until(machine, work, deadline, &|| false, on_message)
}

/// As [`delegate`], and ends the child as soon as `stop` says so.
///
/// # Errors
/// As [`delegate`].
pub(crate) fn delegate_until(
    machine: &MachineChoice,
    work: &Work,
    deadline: Duration,
    stop: &dyn Fn() -> bool,
    on_message: impl FnMut(Message) -> Result<(), Unexpected>,
) -> Result<Outcome, CliError> {
    let command = command_for(machine, work).map_err(CliError::Spawn)?;
    child::run(command, deadline, stop, listener(on_message)).map_err(CliError::Spawn)
}

/// This program again, as a child of this process that does `work`.
pub(crate) fn command_for(machine: &MachineChoice, work: &Work) -> std::io::Result<Command> {
    let job = Job { machine: machine.clone(), work: work.clone(), parent: std::process::id() };
    let mut command = Command::new(std::env::current_exe()?);
    command.args([VERB, &serde_json::to_string(&job)?]);
    Ok(command)
}

/// Takes lines in their order, and nothing after the last.
fn listener(mut on_message: impl FnMut(Message) -> Result<(), Unexpected>) -> impl FnMut(&[u8]) -> Meaning {
    let mut next = Some(0);
    move |line| match serde_json::from_slice(line) {
        Ok(Line { number, message }) if Some(number) == next => {
            next = number.checked_add(1);
            match message {
                Message::Done => {
                    next = None;
                    Meaning::Last
                }
                message => on_message(message).map_or(Meaning::Nonsense, |()| Meaning::Progress),
            }
        }
        Ok(_) | Err(_) => Meaning::Nonsense,
    }
}

/// Does the job. The exit status only says whether it was understood; results, failures among them, are messages.
pub(crate) fn run(job: &str) -> ExitCode {
    let Ok(job) = serde_json::from_str::<Job>(job) else {
        complain(&format!("'{VERB}' is for this program's own use; see 'cuda-p2p --help'"));
        return Exit::BadArguments.into();
    };
    // Ctrl-C, or any other end of the parent, ends this process too: a kernel or a transfer that hangs would keep its
    // devices. The check catches a parent that went before the signal was set.
    let watched = set_parent_process_death_signal(Some(Signal::KILL)).is_ok();
    let parent = getppid().map(|pid| pid.as_raw_nonzero().get().unsigned_abs());
    if watched && parent != Some(job.parent) {
        return ExitCode::SUCCESS;
    }
    let mut pipe = match take_pipe() {
        Ok(pipe) => pipe,
        Err(error) => {
            complain(&format!("cannot speak to the process that waits for the result ({error})"));
            return Exit::NoResult.into();
        }
    };
    if let Work::Lend(lent) = job.work {
        lend(&job.machine, lent, &UnixStream::from(OwnedFd::from(pipe)));
        return ExitCode::SUCCESS;
    }
    let mut number = 0;
    let mut send = |message: &Message| {
        let mut line = serde_json::to_vec(&Line { number, message }).unwrap_or_default();
        line.push(b'\n');
        number += 1;
        if pipe.write_all(&line).is_err() {
            // Nobody listens.
            std::process::exit(0);
        }
    };
    match job.work {
        Work::Survey => match topo::survey(&job.machine) {
            Ok(machine) => send(&Message::Machine(Box::new(machine))),
            Err(error) => send(&Message::Failed { error: error.to_string() }),
        },
        Work::Nvml => send(&Message::Nvml(Box::new(read_nvml()))),
        Work::Pair(pair) => prove(&job.machine, &pair, &mut send),
        // Done above: what it speaks on is no pipe.
        Work::Lend(_) => {}
        Work::Bench(bench) => bench::measure(&job.machine, &bench, &mut send),
    }
    send(&Message::Done);
    ExitCode::SUCCESS
}

/// Takes the pipe that this process gets as standard input, and leaves the null device there: the pipe then has a number that no
/// library knows, and no process inherits it.
fn take_pipe() -> std::io::Result<File> {
    let pipe = std::io::stdin().as_fd().try_clone_to_owned()?;
    dup2_stdin(File::open("/dev/null")?)?;
    Ok(File::from(pipe))
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;
