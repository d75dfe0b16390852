//! The child's side: one job, its results as lines of JSON on standard output.

use std::io::Write;
use std::process::{Command, ExitCode};
use std::time::Duration;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};
use serde::{Deserialize, Serialize};

use crate::child::{self, Outcome};
use crate::error::CliError;
use crate::exit::Exit;
use crate::options::MachineChoice;
use crate::topo::{self, Machine};
use crate::verify::{PairJob, StepReport, prove};

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
    /// Prove one ordered pair.
    Pair(PairJob),
}

/// One line from child to parent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Message {
    /// The machine's description.
    Machine(Box<Machine>),
    /// A step has begun; its outcome says unfinished.
    Began(StepReport),
    /// The step that began last has ended.
    Ended(StepReport),
    /// The work cannot be done.
    Failed {
        /// What the library says.
        error: String,
    },
    /// Nothing more will come.
    Done,
}

/// Sends a message to the parent.
pub(crate) type Send<'a> = &'a mut dyn FnMut(&Message);

/// Runs `work` in a child of this process and hands over what it says, until it ends or falls silent.
///
/// # Errors
/// [`CliError::Spawn`] if the child could not be started.
pub(crate) fn delegate(
    machine: &MachineChoice,
    work: &Work,
    deadline: Duration,
    mut on_message: impl FnMut(Message),
) -> Result<Outcome, CliError> {
    let job = Job { machine: machine.clone(), work: work.clone(), parent: std::process::id() };
    let job = serde_json::to_string(&job).map_err(|error| CliError::Spawn(error.into()))?;
    let program = std::env::current_exe().map_err(CliError::Spawn)?;
    let mut command = Command::new(program);
    command.args([VERB, &job]);
    let outcome = child::run(command, deadline, |line| match serde_json::from_str(line) {
        Ok(Message::Done) => true,
        Ok(message) => {
            on_message(message);
            false
        }
        // Not ours: a library that writes to standard output.
        Err(_) => false,
    });
    outcome.map_err(CliError::Spawn)
}

/// Does the job. The exit status only says whether it was understood; results, failures among them, are messages.
pub(crate) fn run(job: &str) -> ExitCode {
    let Ok(job) = serde_json::from_str::<Job>(job) else {
        eprintln!("cuda-p2p: '{VERB}' is for this program's own use; see 'cuda-p2p --help'");
        return Exit::BadArguments.into();
    };
    // Ctrl-C, or any other end of the parent, ends this process too: a kernel or a transfer that hangs would keep its
    // devices. The check catches a parent that went before the signal was set.
    let watched = set_parent_process_death_signal(Some(Signal::KILL)).is_ok();
    let parent = getppid().map(|pid| pid.as_raw_nonzero().get().unsigned_abs());
    if watched && parent != Some(job.parent) {
        return ExitCode::SUCCESS;
    }
    let mut send = |message: &Message| {
        let mut line = serde_json::to_string(message).unwrap_or_default();
        line.push('\n');
        let mut output = std::io::stdout().lock();
        if output.write_all(line.as_bytes()).and_then(|()| output.flush()).is_err() {
            // Nobody listens.
            std::process::exit(0);
        }
    };
    match job.work {
        Work::Survey => match topo::survey(&job.machine) {
            Ok(machine) => send(&Message::Machine(Box::new(machine))),
            Err(error) => send(&Message::Failed { error: error.to_string() }),
        },
        Work::Pair(pair) => prove(&job.machine, &pair, &mut send),
    }
    send(&Message::Done);
    ExitCode::SUCCESS
}
