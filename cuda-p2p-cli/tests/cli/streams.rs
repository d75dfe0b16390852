//! Standard streams that are closed or full, and a system that starts no more processes.
//!
//! Needs nothing: the machine is simulated.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::run::{Run, SMALL, command, run};

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

#[test]
fn a_result_that_has_nowhere_to_go_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let snapshot = folder.path().join("snapshot.json");
    let snapshot = snapshot.to_str().unwrap();
    let topo = folder.path().join("topo.json");
    std::fs::write(&topo, run(&["topo", "--sim", "on", "--json"]).expect(0).out).unwrap();
    let small = &["verify", "--sim", "on", "--sizes", "1", "--pairs", "0:1", "--paths", "engine"][..];
    let of_file = ["report", "--from", topo.to_str().unwrap(), "--out", page.to_str().unwrap()];
    for (arguments, status) in [
        (&["topo", "--sim", "on"][..], 5),
        (&["topo", "--sim", "on", "--json"], 5),
        (&["topo", "--sim", "on", "--quiet"], 5),
        (small, 5),
        (&[small, &["--minutes", "0.001"]].concat(), 5),
        (&["bench", "--sim", "on", "--pairs", "0:1", "--bytes", "1", "--samples", "1"], 5),
        (&["doctor", "--sim", "on", "--look-only", "--save", snapshot], 5),
        (&of_file, 5),
        (&["completions", "bash"], 5),
        (&["man"], 5),
        (&["--help"], 5),
        (&["--version"], 5),
        (&["verify", "--help"], 5),
        // A verdict that is no success is not covered up, nor is another mistake.
        (&["verify", "--sizes", "1", "--sim", "peers=none"], 3),
        (&["verify", "--sizes", "0"], 2),
        (&["nonsense"], 2),
    ] {
        let closed = ["-c", "exec \"$0\" \"$@\" >&-", env!("CARGO_BIN_EXE_cuda-p2p")];
        let mut shell = Command::new("sh");
        shell.args(closed).args(arguments).env_remove("CUDA_P2P_SIM").env_remove("CUDA_P2P_CUDART");
        let run = Run::from(shell.output().unwrap()).expect(status);
        assert!(run.err.starts_with("cuda-p2p: ") || status == 2, "{arguments:?}: {}", run.err);
        assert_eq!(run.complaint().contains("cannot write the result (Bad file descriptor"), status != 2);
        // The null device is open, and takes everything: that was asked for.
        let null = command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert_eq!(null.code(), Some(if status == 5 { 0 } else { status }), "{arguments:?}");
    }
    let full = File::options().write(true).open("/dev/full").unwrap();
    let help = command(&["--help"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert!(Run::from(help).expect(5).complaint().contains("cannot write the result"));
}
