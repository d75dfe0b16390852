//! Standard streams that are closed or full, and a system that starts no more processes.
//!
//! Needs nothing: the machine is simulated.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::run::{Run, SMALL, command};

#[test]
fn a_closed_standard_error_changes_no_status() {
    for (arguments, status) in [(&["verify", "--sizes", "0"][..], 2), (&["__child", "junk"], 2)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(arguments).stdin(Stdio::null()).stderr(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
    }
}

#[test]
fn a_result_that_cannot_be_written_is_none() {
    let run_to_full = |arguments: &[&str], machine: &str| {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = command(arguments);
        Run::from(command.args(["--sim", machine]).stdout(full).stderr(Stdio::piped()).output().unwrap())
    };
    for arguments in [&["topo"][..], SMALL] {
        let run = run_to_full(arguments, "on").expect(5);
        assert!(run.complaint().contains("cannot write the result"), "{}", run.err);
    }
    // A verdict that is no success is not covered up.
    for (arguments, status) in [(SMALL, 3), (&["doctor"], 6)] {
        let run = run_to_full(arguments, "peers=none").expect(status);
        assert!(run.complaint().contains("cannot write the result"), "{}", run.err);
    }
}

#[test]
fn a_result_that_nobody_reads_is_none_and_needs_no_words() {
    let bench = &["bench", "--bytes", "4KiB", "--sim", "devices=2"];
    let worse = &["verify", "--sizes", "1", "--sim", "peers=none"];
    for (arguments, status) in [(&["topo", "--sim", "on"][..], 5), (bench, 5), (worse, 3)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let run = Run::from(output).expect(status);
        assert_eq!(run.err, "", "{arguments:?}");
    }
}

#[test]
fn a_process_that_cannot_be_started_is_no_cuda_failure() {
    // No file descriptor is left for a pipe to it.
    let script = "ulimit -n 4; exec \"$0\" topo --sim on";
    let output = Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_cuda-p2p")]).output().unwrap();
    let run = Run::from(output).expect(5);
    assert!(run.complaint().contains("cannot start a process of this program"), "{}", run.err);
}
