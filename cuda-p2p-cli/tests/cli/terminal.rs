//! Colours and the progress bar: on a terminal, and nowhere else.
//!
//! Needs a pseudo-terminal, which every Linux has.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::run::command;

/// A terminal: the end that sees what is written, and the one that a program is given.
fn terminal() -> (File, OwnedFd) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    (File::from(master), slave.into())
}

/// What a command writes to the terminal that it was given.
fn seen(mut command: Command, mut master: File) -> String {
    let mut child = command.stdin(Stdio::null()).spawn().unwrap();
    // It holds this process's end of the terminal, which would keep it open.
    drop(command);
    let mut bytes = Vec::new();
    // The terminal's last user gone is an error to its reader, not an end.
    let _ = master.read_to_end(&mut bytes);
    assert!(child.wait().unwrap().success());
    String::from_utf8(bytes).unwrap()
}

/// What the command writes to standard output, if that is a terminal, with this variable set.
fn on_terminal(arguments: &[&str], variable: (&str, &str)) -> String {
    let (master, slave) = terminal();
    let mut command = command(arguments);
    command.env("TERM", "xterm").env(variable.0, variable.1).stdout(slave).stderr(Stdio::null());
    seen(command, master)
}

#[test]
fn long_work_shows_how_far_it_is_and_what_time_is_left() {
    for verb in ["verify", "doctor"] {
        let (master, slave) = terminal();
        let mut command = command(&[verb, "--sim", "on"]);
        command.env("TERM", "xterm").stdout(Stdio::null()).stderr(slave);
        let text = seen(command, master);
        assert!(text.contains(" left  0->1: ") && text.contains(" left  1->0: "), "{verb}: {text}");
        let (master, slave) = terminal();
        let mut command = crate::run::command(&[verb, "--sim", "on", "--no-progress"]);
        command.env("TERM", "xterm").stdout(Stdio::null()).stderr(slave);
        assert_eq!(seen(command, master), "");
    }
}

#[test]
fn what_is_being_measured_fits_beside_the_bar() {
    let (master, slave) = terminal();
    let pairs = ["bench", "--sim", "devices=16", "--bytes", "1", "--pairs", "0:1,15:14"];
    let mut command = command(&pairs);
    command.env("TERM", "xterm").stdout(Stdio::null()).stderr(slave);
    let text = seen(command, master);
    // The terminal has 80 columns if nobody says otherwise.
    assert!(text.contains(" left  0->1: driver staged read"), "{text}");
}

#[test]
fn a_soak_shows_how_much_of_its_time_has_gone_and_what_is_left() {
    let (master, slave) = terminal();
    let mut command = command(&["verify", "--sim", "on", "--sizes", "1", "--minutes", "0.05"]);
    command.env("TERM", "xterm").stdout(Stdio::null()).stderr(slave);
    let text = seen(command, master);
    assert!(text.contains(" gone, ") && text.contains(" left  0->1: "), "{text}");
}

#[test]
fn colours_on_a_terminal_unless_they_are_not_wanted() {
    for arguments in [&["topo", "--sim", "on"][..], &["doctor", "--look-only", "--sim", "on"]] {
        assert!(on_terminal(arguments, ("LANG", "C")).contains("\x1b[33m"));
        for plain in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let text = on_terminal(arguments, plain);
            assert!(text.contains("SIMULATED") && !text.contains('\x1b'), "{plain:?}: {text}");
        }
    }
    assert!(on_terminal(&["topo", "--sim", "on"], ("NO_COLOR", "")).contains('\x1b'));
    assert!(!on_terminal(&["topo", "--sim", "on", "--json"], ("LANG", "C")).contains('\x1b'));
}
