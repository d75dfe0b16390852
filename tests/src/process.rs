//! A child process with a kill time: peer access, last errors and error 700 are the process's, and a bad peer access can hang.

use std::fmt;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use crate::arm::Arm;
use crate::child::Task;
use crate::report::Report;

/// How long a killed process may take to be gone, and a gone one to hand over its output.
const GRACE: Duration = Duration::from_secs(5);
/// Between two looks at a running process.
const POLL: Duration = Duration::from_millis(3);

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself.
    Exit(i32),
    /// By a signal that nobody here sent.
    Signal(i32),
    /// It was killed after that long.
    Killed(Duration),
    /// It was killed and did not go: a process inside a driver call can be like that.
    Unkillable(Duration),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "killed by signal {signal}{}", signal_name(*signal)),
            Self::Killed(time) => write!(f, "still running after {} s, killed", time.as_secs_f32()),
            Self::Unkillable(time) => {
                write!(f, "still running after {} s, and not to be killed", time.as_secs_f32())
            }
        }
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// What came of a process.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) end: End,
    pub(crate) report: Report,
    /// Its standard error.
    pub(crate) errors: String,
}

/// Starts this very program as a child with that task, waits for it, and kills it after `kill_after`.
///
/// `config` replaces `CUDA_P2P_SIM` for it.
///
/// # Errors
/// If the program cannot be started again.
pub(crate) fn run(arm: Arm, task: &Task, config: Option<&str>, kill_after: Duration) -> io::Result<Outcome> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(task.arguments(arm)).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(config) = config {
        command.env(cuda_p2p_sim::ENVIRONMENT_VARIABLE, config);
    }
    let mut child = command.spawn()?;
    let output = collect(child.stdout.take());
    let errors = collect(child.stderr.take());
    let end = wait(&mut child, kill_after)?;
    Ok(Outcome { end, report: Report::parse(&received(&output)), errors: received(&errors) })
}

fn wait(child: &mut Child, kill_after: Duration) -> io::Result<End> {
    if let Some(status) = wait_until(child, Instant::now() + kill_after)? {
        return Ok(end_of(status));
    }
    child.kill()?;
    match wait_until(child, Instant::now() + GRACE)? {
        Some(_) => Ok(End::Killed(kill_after)),
        None => Ok(End::Unkillable(kill_after)),
    }
}

fn wait_until(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(Some(status)),
            None if Instant::now() >= deadline => return Ok(None),
            None => thread::sleep(POLL),
        }
    }
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    }
}

/// Reads a pipe in a thread of its own, so that a child with much to say is not held up. The thread is left alone if a
/// process that the child started keeps the pipe open.
fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut pipe) = pipe {
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = pipe.read(&mut chunk) {
                if sender.send(chunk[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

fn received(chunks: &Receiver<Vec<u8>>) -> String {
    let deadline = Instant::now() + GRACE;
    let mut bytes = Vec::new();
    while let Ok(chunk) = chunks.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        bytes.extend(chunk);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
