//! What a child can do to its parent: say too little, too much, the wrong thing, or leave somebody behind. Here a shell plays the
//! child. Not asserted: a child that hangs inside a driver, which no signal ends.

use super::*;

const LONG: Duration = Duration::from_secs(30);

/// Longer than any of this takes on a busy machine, and shorter than what the scripts sleep.
const SOON: Duration = Duration::from_secs(25);

/// Runs a script that speaks by `say`. "done" is the last line, "junk" means nothing.
fn shell(script: &str, deadline: Duration) -> (Outcome, Vec<String>) {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("say() {{ echo \"$@\" >&0; }}; {script}")]);
    let mut lines = Vec::new();
    let outcome = run(command, deadline, &|| false, |line| {
        lines.push(String::from_utf8(line.to_vec()).unwrap());
        match line {
            b"done" => Meaning::Last,
            b"junk" => Meaning::Nonsense,
            _ => Meaning::Progress,
        }
    })
    .unwrap();
    (outcome, lines)
}

#[test]
fn a_child_that_says_so_and_exits_is_done() {
    let (outcome, lines) = shell("say one; say done", LONG);
    assert_eq!(outcome.ending, Ending::Done);
    assert_eq!(lines, ["one", "done"]);
}

#[test]
fn status_0_before_it_was_done_is_an_early_end() {
    assert_eq!(shell("say one", LONG).0.ending, Ending::Exited { status: 0 });
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
fn what_a_library_writes_to_standard_output_is_no_line() {
    let (outcome, lines) = shell("printf x; say one; echo done; exit 3", LONG);
    assert_eq!(outcome.ending, Ending::Exited { status: 3 });
    assert_eq!(lines, ["one"]);
    assert_eq!(outcome.complaint, "xdone");
}

#[test]
fn a_line_that_means_nothing_ends_the_child() {
    let started = Instant::now();
    let (outcome, lines) = shell("say one; say junk; exec sleep 60", LONG);
    assert_eq!(outcome.ending, Ending::Garbled { said: "junk".to_owned() });
    assert_eq!(lines, ["one", "junk"]);
    assert!(started.elapsed() < SOON);
}

#[test]
fn a_line_that_was_not_finished_was_not_said() {
    let (outcome, lines) = shell("say one; printf done >&0", LONG);
    assert_eq!(outcome.ending, Ending::Exited { status: 0 });
    assert_eq!(lines, ["one"]);
}

#[test]
fn silence_past_the_deadline_is_a_hang_and_the_child_is_killed() {
    let started = Instant::now();
    let (outcome, lines) = shell("say one; exec sleep 60", Duration::from_millis(300));
    assert_eq!(outcome.ending, Ending::Hung { deadline_ms: 300, gone: true });
    assert_eq!(lines, ["one"]);
    assert!(started.elapsed() < SOON);
}

#[test]
fn a_child_that_is_not_wanted_any_more_is_ended_at_once() {
    let started = Instant::now();
    let mut command = Command::new("sh");
    command.args(["-c", "exec sleep 60"]);
    let stop = || started.elapsed() > Duration::from_millis(200);
    let outcome = run(command, LONG, &stop, |_| Meaning::Progress).unwrap();
    assert_eq!(outcome.ending, Ending::Stopped);
    assert!(started.elapsed() < SOON);
}

#[test]
fn a_line_starts_the_time_anew() {
    let (outcome, lines) =
        shell("for i in 1 2 3 4 5 6; do sleep 0.5; say $i; done; say done", Duration::from_millis(2500));
    assert_eq!(outcome.ending, Ending::Done);
    assert_eq!(lines.len(), 7);
}

#[test]
fn noise_does_not_start_the_time_anew() {
    let started = Instant::now();
    let script = "say one; i=0; while [ $i -lt 600 ]; do echo noise; sleep 0.1; i=$((i + 1)); done";
    let (outcome, _) = shell(script, Duration::from_millis(500));
    assert_eq!(outcome.ending, Ending::Hung { deadline_ms: 500, gone: true });
    assert!(started.elapsed() < SOON);
}

#[test]
fn a_child_that_closes_its_pipe_and_stays_is_a_hang() {
    let (outcome, _) = shell("say done; exec <&- >&- 2>&-; exec sleep 60", Duration::from_millis(300));
    assert_eq!(outcome.ending, Ending::Hung { deadline_ms: 300, gone: true });
}

#[test]
fn a_grandchild_that_holds_the_pipes_holds_up_nothing() {
    let started = Instant::now();
    let (outcome, lines) = shell("echo sad; say one; exec 3>&0; sleep 60 & say done", LONG);
    assert_eq!(outcome.ending, Ending::Done);
    assert_eq!(lines, ["one", "done"]);
    assert_eq!(outcome.complaint, "sad");
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());

    let started = Instant::now();
    let (outcome, _) = shell("echo sad; exec 3>&0; sleep 60 & sleep 60", Duration::from_millis(300));
    assert_eq!(outcome.ending, Ending::Hung { deadline_ms: 300, gone: true });
    assert_eq!(outcome.complaint, "sad");
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}
