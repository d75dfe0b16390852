//! Completions and the manual page.
//!
//! Needs nothing; bash, where there is one, checks its own script.

use std::process::Command;

use crate::run::{run, skip};

#[test]
fn completions_know_every_verb_and_hide_what_is_hidden() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = run(&["completions", shell]).expect(0);
        for word in ["topo", "verify", "doctor", "completions", "look-only"] {
            assert!(run.out.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn bash_completes_a_verb() {
    let script = run(&["completions", "bash"]).expect(0).out;
    let ask =
        "COMP_WORDS=(cuda-p2p do); COMP_CWORD=1; _cuda__p2p cuda-p2p do cuda-p2p; echo \"${COMPREPLY[@]}\"";
    match Command::new("bash").args(["-c", &format!("{script}\n{ask}")]).output() {
        Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "doctor"),
        Err(error) => skip(&format!("bash does not start ({error})")),
    }
}

#[test]
fn the_manual_has_every_verb_its_options_and_the_exit_statuses() {
    let page = run(&["man"]).expect(0).out;
    assert!(page.contains(".TH"), "{page}");
    for part in ["topo", "verify", "doctor", "look\\-only", "SYNOPSIS", "6  doctor"] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    assert!(!page.contains("__child"), "{page}");
    // Verbs are on this page, and no other is named; lines of the exit statuses are not run together.
    assert!(page.contains("cuda\\-p2p verify") && !page.contains("(1)"), "{page}");
    assert!(page.contains(".SH \"EXIT STATUS\"\n.nf\n") && page.contains(".fi\n.SH VERSION"), "{page}");
}
