//! Children that hang, die, or lose their parent. The signals come from here: SIGSTOP is a hang, SIGKILL a crash.
//!
//! Needs nothing: the machine is simulated. Not asserted: a child that hangs inside a driver, which no signal ends.

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::run::{Run, command, run_on};

/// A child that is not there after this long is not coming.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a verification that takes long enough to be disturbed.
fn start(deadline: &str) -> Child {
    let arguments = ["verify", "--sim", "on", "--pairs", "0:1", "--sizes", "64MiB", "--deadline", deadline];
    command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for the child that works on the pair, and gives its process id.
fn pair_child(parent: &Child) -> u32 {
    find_within_patience(|| {
        let own = |pid: &u32| status_field(*pid, "PPid:") == Some(parent.id().to_string());
        let works_on_pair = |pid: &u32| {
            let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            arguments.windows(6).any(|window| window == b"\"pair\"")
        };
        processes().into_iter().find(|pid| own(pid) && works_on_pair(pid))
    })
}

pub(crate) fn find_within_patience<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "not seen within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub(crate) fn processes() -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

pub(crate) fn status_field(pid: u32, name: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1).map(str::to_owned)
}

/// Whether the process is there and not merely waiting to be collected.
pub(crate) fn is_alive(pid: u32) -> bool {
    status_field(pid, "State:").is_some_and(|state| state != "Z" && state != "X")
}

pub(crate) fn send(signal: &str, pid: u32) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

/// Sends it to every process of the group, as a terminal does on Ctrl-C.
pub(crate) fn send_to_group(signal: &str, group: u32) {
    assert!(Command::new("kill").args([signal, "--", &format!("-{group}")]).status().unwrap().success());
}

/// Waits until the process holds the memory of both devices, so that it is in the middle of its work.
fn wait_until_busy(pid: u32) {
    let resident_kib = || status_field(pid, "VmRSS:").and_then(|text| text.parse::<u64>().ok());
    find_within_patience(|| resident_kib().filter(|kib| *kib > 100 << 10));
}

#[test]
fn a_child_that_hangs_is_killed_at_the_deadline_and_reported() {
    let parent = start("2");
    let child = pair_child(&parent);
    wait_until_busy(child);
    send("-STOP", child);
    let run = Run::from(parent.wait_with_output().unwrap()).expect(4);
    assert!(run.out.contains("0->1: not finished: "), "{}", run.out);
    assert!(run.out.contains("0->1: no answer within 2 s"), "{}", run.out);
    assert!(run.out.contains("0 proven, 1 FAILED: 0->1"), "{}", run.out);
    assert!(!is_alive(child));
}

#[test]
fn a_child_that_hangs_before_it_says_anything_is_reported_as_that() {
    let parent = start("2");
    send("-STOP", pair_child(&parent));
    let run = Run::from(parent.wait_with_output().unwrap()).expect(4);
    assert!(run.out.contains("no answer within 2 s"), "{}", run.out);
    assert!(run.out.contains("0 proven, 1 FAILED: 0->1"), "{}", run.out);
}

#[test]
fn a_child_that_dies_is_reported_with_the_signal() {
    let parent = start("60");
    let child = pair_child(&parent);
    wait_until_busy(child);
    send("-KILL", child);
    let run = Run::from(parent.wait_with_output().unwrap()).expect(4);
    assert!(run.out.contains("0->1: the process was killed by signal 9 (SIGKILL)"), "{}", run.out);
    assert!(run.out.contains("0 proven, 1 FAILED: 0->1"), "{}", run.out);
}

#[test]
fn no_child_outlives_its_parent() {
    for signal in ["-INT", "-TERM", "-KILL"] {
        let mut parent = start("60");
        let child = pair_child(&parent);
        send(signal, parent.id());
        assert!(!parent.wait().unwrap().success());
        find_within_patience(|| (!is_alive(child)).then_some(()));
    }
}

#[test]
fn ctrl_c_at_a_terminal_leaves_no_child_behind() {
    for verb in ["verify", "doctor"] {
        let mut command = command(&[verb, "--sim", "hang=0>1:copy"]);
        // A group of its own, as a shell gives it, so that the signal does not reach the tests.
        let mut parent =
            command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let child = pair_child(&parent);
        send_to_group("-INT", parent.id());
        assert_eq!(parent.wait().unwrap().signal(), Some(2), "{verb}");
        find_within_patience(|| (!is_alive(child)).then_some(()));
    }
}

#[test]
fn what_libraries_write_to_standard_output_goes_to_standard_error() {
    let mut parent = start("60");
    let child = pair_child(&parent);
    wait_until_busy(child);
    let place = |fd: u32| fs::read_link(format!("/proc/{child}/fd/{fd}")).unwrap();
    assert_eq!(place(0).to_str(), Some("/dev/null"));
    assert_eq!(place(1), place(2));
    assert_ne!(place(1), fs::read_link(format!("/proc/{}/fd/1", parent.id())).unwrap());
    // What it speaks on is another pipe, which only it and its parent have.
    let open = fs::read_dir(format!("/proc/{child}/fd")).unwrap().flatten();
    let pipes = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    let pipes: Vec<_> = pipes.filter(|path| path.to_string_lossy().starts_with("pipe:")).collect();
    assert!(pipes.iter().any(|pipe| *pipe != place(1)), "{pipes:?}");
    send("-KILL", child);
    parent.wait().unwrap();
}

#[test]
fn a_deadline_that_nothing_can_meet_is_met_by_nothing() {
    let run = run_on("on", &["verify", "--deadline", "0.000001"]).expect(4);
    let said = run.out + &run.err;
    assert!(said.contains("no answer within 0 s"), "{said}");
}
