//! The parent's side of a child process: starts it, listens, and ends it if it falls silent.
//!
//! Peer access that does not work hangs the first transfer, kills the process, or poisons it for good. So whatever touches a
//! device does it in a child, and a child that does not come back is a result like any other.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// How long a killed child may take to go. One that hangs inside the kernel driver takes for ever, and is left behind.
const PATIENCE_AFTER_KILL: Duration = Duration::from_secs(2);

/// How often an exit that is not accompanied by a closed pipe is looked for.
const POLL: Duration = Duration::from_millis(2);

/// How many bytes of what the child complained are kept: the end of it.
const COMPLAINT: usize = 2000;

/// What a child did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "how")]
pub(crate) enum Ending {
    /// It said that it was done, and exited with status 0.
    Done,
    /// It exited with a status, or with 0 before it was done.
    Exited {
        /// The status.
        status: i32,
    },
    /// A signal killed it.
    Killed {
        /// The signal's number.
        signal: i32,
    },
    /// It was silent past the deadline and was killed.
    Hung {
        /// The deadline, in milliseconds.
        deadline_ms: u64,
        /// Whether it went when killed. One that did not hangs inside the driver, and still holds its devices.
        gone: bool,
    },
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Done => f.write_str("done"),
            Self::Exited { status } => write!(f, "the process ended early, with status {status}"),
            Self::Killed { signal } => {
                write!(f, "the process was killed by signal {signal}{}", signal_name(*signal))
            }
            Self::Hung { deadline_ms, gone } => {
                write!(f, "no answer within {} s, the process was killed", *deadline_ms as f64 / 1000.0)?;
                if !gone {
                    f.write_str(" but does not go: it hangs inside the driver and still holds its devices")?;
                }
                Ok(())
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

/// How a child ended, and what it wrote to standard error: the end of that.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// How it ended.
    pub(crate) ending: Ending,
    /// What it complained.
    pub(crate) complaint: String,
}

/// What arrives on the child's standard output.
enum Heard {
    Line(String),
    Closed,
}

/// Runs `command` to its end and hands each line of its output to `on_line`, which says whether the child is done with it.
///
/// The child may be silent for `deadline`; every line starts the time anew.
///
/// # Errors
/// The process could not be started.
pub(crate) fn run(
    mut command: Command,
    deadline: Duration,
    mut on_line: impl FnMut(&str) -> bool,
) -> std::io::Result<Outcome> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let lines = listen(&mut child);
    let complaint = collect_complaint(&mut child);
    let mut done = false;
    let mut closed = false;
    let mut heard_at = Instant::now();
    let ending = loop {
        // The pipe closes shortly before the process has gone; a process may also close it and stay, which is a hang.
        let left = deadline.saturating_sub(heard_at.elapsed());
        match lines.recv_timeout(if closed { POLL.min(left) } else { left }) {
            Ok(Heard::Line(line)) => {
                heard_at = Instant::now();
                done |= on_line(&line);
                continue;
            }
            Ok(Heard::Closed) | Err(RecvTimeoutError::Disconnected) => closed = true,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if closed && let Some(status) = child.try_wait()? {
            break ending_of(status, done);
        }
        if heard_at.elapsed() >= deadline {
            break end(&mut child, deadline)?;
        }
        if closed {
            std::thread::sleep(POLL);
        }
    };
    let gone = !matches!(ending, Ending::Hung { gone: false, .. });
    // A child that does not go keeps its pipes open: then there is nothing to wait for.
    let complaint = if gone { complaint.join().unwrap_or_default() } else { String::new() };
    Ok(Outcome { ending, complaint })
}

fn ending_of(status: ExitStatus, done: bool) -> Ending {
    match (status.signal(), status.code()) {
        (Some(signal), _) => Ending::Killed { signal },
        (None, Some(0)) if done => Ending::Done,
        (None, code) => Ending::Exited { status: code.unwrap_or(0) },
    }
}

fn end(child: &mut Child, deadline: Duration) -> std::io::Result<Ending> {
    child.kill()?;
    let killed_at = Instant::now();
    let mut gone = child.try_wait()?.is_some();
    while !gone && killed_at.elapsed() < PATIENCE_AFTER_KILL {
        std::thread::sleep(POLL);
        gone = child.try_wait()?.is_some();
    }
    Ok(Ending::Hung { deadline_ms: u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX), gone })
}

fn listen(child: &mut Child) -> Receiver<Heard> {
    let (sender, receiver) = channel();
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || forward(output, &sender));
    }
    receiver
}

fn forward(output: impl Read, sender: &Sender<Heard>) {
    for line in BufReader::new(output).lines() {
        let Ok(line) = line else { break };
        if sender.send(Heard::Line(line)).is_err() {
            return;
        }
    }
    // The receiver is gone when the child was given up: nobody is left to tell.
    let _ = sender.send(Heard::Closed);
}

fn collect_complaint(child: &mut Child) -> JoinHandle<String> {
    let errors = child.stderr.take();
    std::thread::spawn(move || {
        let mut all = Vec::new();
        if let Some(mut errors) = errors {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = errors.read(&mut chunk) {
                all.extend_from_slice(&chunk[..count]);
                all.drain(..all.len().saturating_sub(COMPLAINT));
            }
        }
        String::from_utf8_lossy(&all).trim().to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, deadline: Duration) -> (Outcome, Vec<String>) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let mut lines = Vec::new();
        let outcome = run(command, deadline, |line| {
            lines.push(line.to_owned());
            line == "done"
        })
        .unwrap();
        (outcome, lines)
    }

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn a_child_that_says_so_and_exits_is_done() {
        let (outcome, lines) = shell("echo one; echo done", LONG);
        assert_eq!(outcome.ending, Ending::Done);
        assert_eq!(lines, ["one", "done"]);
    }

    #[test]
    fn status_0_before_it_was_done_is_an_early_end() {
        assert_eq!(shell("echo one", LONG).0.ending, Ending::Exited { status: 0 });
    }

    #[test]
    fn status_and_complaint_are_kept() {
        let (outcome, _) = shell("echo sad >&2; exit 7", LONG);
        assert_eq!(outcome.ending, Ending::Exited { status: 7 });
        assert_eq!(outcome.complaint, "sad");
    }

    #[test]
    fn a_signal_is_named() {
        let (outcome, _) = shell("kill -SEGV $$", LONG);
        assert_eq!(outcome.ending, Ending::Killed { signal: 11 });
        assert!(outcome.ending.to_string().contains("SIGSEGV"));
    }

    #[test]
    fn silence_past_the_deadline_is_a_hang_and_the_child_is_killed() {
        let started = Instant::now();
        let (outcome, lines) = shell("echo one; exec sleep 60", Duration::from_millis(300));
        assert_eq!(outcome.ending, Ending::Hung { deadline_ms: 300, gone: true });
        assert_eq!(lines, ["one"]);
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_line_starts_the_time_anew() {
        let (outcome, lines) =
            shell("for i in 1 2 3 4 5 6; do sleep 0.1; echo $i; done; echo done", Duration::from_millis(450));
        assert_eq!(outcome.ending, Ending::Done);
        assert_eq!(lines.len(), 7);
    }

    #[test]
    fn a_child_that_closes_its_output_and_stays_is_a_hang() {
        let (outcome, _) = shell("echo done; exec >&- 2>&-; exec sleep 60", Duration::from_millis(300));
        assert_eq!(outcome.ending, Ending::Hung { deadline_ms: 300, gone: true });
    }
}
