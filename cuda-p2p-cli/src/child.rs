//! The parent's side of a child process: starts it, listens, and ends it if it falls silent.
//!
//! Peer access that does not work hangs the first transfer, kills the process, or poisons it for good. So whatever touches a
//! device does it in a child, and a child that does not come back is a result like any other.
//!
//! The child speaks on a pipe that it gets as standard input, where no library writes. What it, or a library in it, writes to
//! standard output or error is a complaint.

use std::io::{BufRead, BufReader, PipeReader, Read, pipe};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(crate) use ending::Ending;

mod ending;

/// How long a killed child may take to go. One that hangs inside the kernel driver takes for ever, and is left behind.
const PATIENCE_AFTER_KILL: Duration = Duration::from_secs(2);

/// How long the pipes of a child that has gone may stay open. They do where a process that it started holds them.
const PATIENCE_AFTER_EXIT: Duration = Duration::from_secs(2);

/// How often it is looked whether the child is still there.
const POLL: Duration = Duration::from_millis(20);

/// The same once its pipe is closed, which happens shortly before it goes.
const POLL_CLOSED: Duration = Duration::from_millis(2);

/// How many bytes of what the child complained are kept: the end of it.
const COMPLAINT: usize = 2000;

/// How many bytes of a line that makes no sense are shown.
const SHOWN: usize = 200;

/// How a child ended, and what it wrote to standard output and error: the end of that.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// How it ended.
    pub(crate) ending: Ending,
    /// What it complained.
    pub(crate) complaint: String,
}

/// What a line of the child's means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// It is at work: its time starts anew.
    Progress,
    /// It is done: nothing more will come.
    Last,
    /// None. What it says after that is not to be relied on.
    Nonsense,
}

/// What arrives from the child.
enum Heard {
    Line(Vec<u8>),
    Closed,
}

/// Runs `command` to its end and hands each line that it writes to its standard input's pipe to `on_line`.
///
/// The child may be silent for `deadline`; every line that means something starts the time anew. A line that means nothing
/// ends it, and so does `stop`.
///
/// # Errors
/// The process could not be started.
pub(crate) fn run(
    mut command: Command,
    deadline: Duration,
    stop: &dyn Fn() -> bool,
    mut on_line: impl FnMut(&[u8]) -> Meaning,
) -> std::io::Result<Outcome> {
    let (answers, speaks) = pipe()?;
    let (complaints, complains) = pipe()?;
    command.stdin(OwnedFd::from(speaks)).stdout(complains.try_clone()?).stderr(complains);
    let mut child = command.spawn()?;
    // It holds this process's copies of the pipes' ends, which would keep them open.
    drop(command);
    let lines = listen(answers);
    let complaint = Complaint::collect(complaints);
    let mut done = false;
    let mut closed = false;
    let mut gone: Option<(ExitStatus, Instant)> = None;
    let mut heard_at = Instant::now();
    let ending = loop {
        let left = match gone {
            None => deadline.saturating_sub(heard_at.elapsed()),
            Some((_, since)) => PATIENCE_AFTER_EXIT.saturating_sub(since.elapsed()),
        };
        if !closed {
            match lines.recv_timeout(POLL.min(left)) {
                Ok(Heard::Line(line)) => match on_line(&line) {
                    Meaning::Progress => heard_at = Instant::now(),
                    Meaning::Last => {
                        heard_at = Instant::now();
                        done = true;
                    }
                    Meaning::Nonsense => {
                        end(&mut child)?;
                        break Ending::Garbled { said: shown(&line) };
                    }
                },
                Ok(Heard::Closed) | Err(RecvTimeoutError::Disconnected) => closed = true,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        if stop() {
            end(&mut child)?;
            break Ending::Stopped;
        }
        if gone.is_none() {
            gone = child.try_wait()?.map(|status| (status, Instant::now()));
        }
        match gone {
            // What it said last may still be on the way, unless somebody else holds the pipe.
            Some((status, since)) if closed || since.elapsed() >= PATIENCE_AFTER_EXIT => {
                break Ending::of(status, done);
            }
            Some(_) => {}
            None if heard_at.elapsed() >= deadline => {
                break Ending::hung(deadline, end(&mut child)?);
            }
            None if closed => std::thread::sleep(POLL_CLOSED),
            None => {}
        }
    };
    let patience = match ending {
        // It keeps its pipes open: there is nothing to wait for.
        Ending::Hung { gone: false, .. } => Duration::ZERO,
        _ => PATIENCE_AFTER_EXIT,
    };
    Ok(Outcome { ending, complaint: complaint.wait(patience) })
}

/// Kills the child; gives whether it has gone.
fn end(child: &mut Child) -> std::io::Result<bool> {
    child.kill()?;
    let killed_at = Instant::now();
    let mut gone = child.try_wait()?.is_some();
    while !gone && killed_at.elapsed() < PATIENCE_AFTER_KILL {
        std::thread::sleep(POLL_CLOSED);
        gone = child.try_wait()?.is_some();
    }
    Ok(gone)
}

fn shown(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(SHOWN)]).into_owned()
}

fn listen(answers: PipeReader) -> Receiver<Heard> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || forward(answers, &sender));
    receiver
}

fn forward(answers: PipeReader, sender: &Sender<Heard>) {
    let mut answers = BufReader::new(answers);
    let mut line = Vec::new();
    // A line without an end is one that its writer died over.
    while answers.read_until(b'\n', &mut line).is_ok() && line.pop() == Some(b'\n') {
        if sender.send(Heard::Line(std::mem::take(&mut line))).is_err() {
            return;
        }
    }
    // The receiver is gone when the child was given up: nobody is left to tell.
    let _ = sender.send(Heard::Closed);
}

/// What the child complains, as far as it has been read.
struct Complaint {
    text: Arc<Mutex<Vec<u8>>>,
    closed: Receiver<()>,
}

impl Complaint {
    fn collect(mut complaints: PipeReader) -> Self {
        let (sender, closed) = channel();
        let text = Arc::new(Mutex::new(Vec::new()));
        let collected = Arc::clone(&text);
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = complaints.read(&mut chunk) {
                let mut text = collected.lock().unwrap_or_else(PoisonError::into_inner);
                text.extend_from_slice(&chunk[..count]);
                let surplus = text.len().saturating_sub(COMPLAINT);
                text.drain(..surplus);
            }
            // Nobody waits any more if that took too long.
            let _ = sender.send(());
        });
        Self { text, closed }
    }

    /// All of it; or, if the pipe is still open after `patience`, what there is.
    fn wait(&self, patience: Duration) -> String {
        let (Ok(()) | Err(_)) = self.closed.recv_timeout(patience);
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).trim().to_owned()
    }
}

#[cfg(test)]
#[path = "child_tests.rs"]
mod tests;
