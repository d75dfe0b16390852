//! The command from the outside: what each verb prints, and how it exits.
//!
//! Needs nothing: a test that assumes a machine simulates it, and one that assumes no GPU hides those that there are. Not
//! asserted: what real devices answer.

use crate::run::{Run, SMALL, command, run, run_on, simulators_library, skip};

#[test]
fn on_a_machine_without_a_gpu_it_simulates_and_says_so() {
    // An empty list hides what GPUs there are.
    let run =
        |arguments: &[&str]| Run::from(command(arguments).env("CUDA_VISIBLE_DEVICES", "").output().unwrap());
    let topo = run(&["topo"]);
    if topo.complaint().contains("this machine has an NVIDIA driver") {
        skip(
            "this machine has a GPU driver and no CUDA runtime, which is an error and no reason to simulate",
        );
        return;
    }
    let topo = topo.expect(0);
    assert!(topo.out.starts_with("SIMULATED: "), "{}", topo.out);
    let verify = run(&["verify", "--seed", "7"]).expect(0);
    assert!(verify.out.starts_with("SIMULATED: "), "{}", verify.out);
    assert!(verify.out.contains("\n2 of 2 ordered pairs proven"), "{}", verify.out);
    assert!(verify.out.contains("1 MiB"), "{}", verify.out);
}

#[test]
fn two_islands_by_the_variable_are_four_proven_pairs_and_eight_listed_ones() {
    let output = command(SMALL).env("CUDA_P2P_SIM", "devices=4 islands=2").output().unwrap();
    let run = Run::from(output).expect(0);
    let flat = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("4 proven, 8 unreachable: 0->2, 0->3, 1->2, 1->3, 2->0, 2->1, 3->0, 3->1 (SIMULATED"),
        "{}",
        run.out
    );
    assert_eq!(run.out.lines().filter(|line| line.ends_with(" proven")).count(), 4, "{}", run.out);
    assert_eq!(run.out.lines().filter(|line| line.ends_with(" unreachable")).count(), 8, "{}", run.out);
}

#[test]
fn an_asymmetric_pair_is_proven_in_the_direction_that_it_has() {
    let run = run_on("peers=0>1", SMALL).expect(0);
    assert!(run.out.contains("1 proven, 1 unreachable: 1->0"), "{}", run.out);
}

#[test]
fn one_device_is_nothing_to_test_and_shows_its_matrix() {
    let verify = run_on("devices=1", SMALL).expect(3);
    assert!(verify.out.contains("from  0\n   0  X\n"), "{}", verify.out);
    assert!(verify.out.contains("there is one device, and peer access takes two"), "{}", verify.out);
    let topo = run_on("devices=1", &["topo"]).expect(0);
    assert!(topo.out.contains("from  0\n   0  X\n"), "{}", topo.out);
    assert!(topo.out.contains("Nothing to test: there is one device"), "{}", topo.out);
}

#[test]
fn devices_without_peers_are_nothing_to_test() {
    let run = run_on("devices=2 peers=none", SMALL).expect(3);
    assert!(run.out.contains("nothing to test, 2 unreachable: 0->1, 1->0"), "{}", run.out);
}

#[test]
fn only_the_pairs_that_were_asked_for_are_verified() {
    let run = run_on("devices=3", &[SMALL, &["--pairs", "2:0"]].concat()).expect(0);
    assert!(run.out.contains("1 of 1 ordered pairs proven"), "{}", run.out);
    assert!(run.out.contains("2->0") && !run.out.contains("0->2"), "{}", run.out);
}

#[test]
fn a_pair_that_was_asked_for_and_has_no_access_is_no_success() {
    let some = run_on("peers=0>1", &[SMALL, &["--pairs", "0:1,1:0"]].concat()).expect(3);
    assert!(some.out.contains("1 proven, 1 unreachable, though asked for: 1->0"), "{}", some.out);
    let none = run_on("peers=0>1", &[SMALL, &["--pairs", "1:0"]].concat()).expect(3);
    assert!(none.out.contains("nothing to test, 1 unreachable: 1->0"), "{}", none.out);
}

#[test]
fn one_seed_moves_the_same_bytes_and_the_seed_is_printed() {
    let run = run_on("on", SMALL).expect(0);
    assert!(run.out.contains("seed 7"), "{}", run.out);
}

#[test]
fn junk_is_one_message_and_status_2() {
    let junk: &[(&[&str], &str)] = &[
        (&["verify", "--sizes", "1,x"], "--sizes: 'x'"),
        (&["verify", "--sizes", "0"], "--sizes: '0'"),
        (
            &["bench", "--bytes", "0"],
            "--bytes: '0' is no size; give bytes from 1 on, plain or with KiB, MiB or GiB, e.g. 1GiB",
        ),
        (&["bench", "--sizes", "4KB"], "--sizes: '4KB' is no size"),
        (&["verify", "--pairs", "0-1"], "--pairs: '0-1'"),
        (&["verify", "--pairs", "1:1"], "--pairs: 1:1"),
        (&["verify", "--sim", "on", "--pairs", "0:5"], "there is no device 5"),
        (&["verify", "--deadline", "-1"], "--deadline"),
        (&["verify", "--deadline", "0"], "--deadline: 0 is no time"),
        (&["topo", "--deadline", "1e-12"], "--deadline"),
        (&["verify", "--sim", "devices=many"], "devices=many"),
        (&["topo", "--sim", "nonsense"], "nonsense"),
        (&["topo", "--sim", ""], "--sim: '' describes no machine; give 'on'"),
        (&["verify", "--sim", "off"], "--sim: 'off' describes no machine"),
        (&["verify", "--paths", "engine,x"], "possible values: engine"),
        (&["verify", "--minutes", "0"], "--minutes: 0 is no time"),
        (&["verify", "--minutes", "-1"], "--minutes: -1 is no time"),
        (&["verify", "--minutes", "1e99"], "--minutes: 1e99 is no time"),
        (&["topo", "--real", "--sim", "on"], "--sim"),
        (&["doctor", "--from", "/no/such/file"], "--from /no/such/file: "),
        (&["doctor", "--from", "/dev/null"], "no snapshot of 'doctor --save'"),
        (&["doctor", "--from", "a", "--save", "b"], "--save"),
        (&["doctor", "--from", "a", "--deadline", "9"], "--deadline"),
        (&["report", "--from", "a", "--deadline", "9"], "--deadline"),
        (&["doctor", "--bench", "/dev/null", "--look-only", "--sim", "on"], "--bench /dev/null: "),
        (&["completions", "cmd.exe"], "cmd.exe"),
        (&["__child", "junk"], "own use"),
        (&["frobnicate"], "frobnicate"),
        (&[], "Usage"),
    ];
    for (arguments, part) in junk {
        let run = run(arguments).expect(2);
        assert!(run.complaint().contains(part), "{arguments:?}: {}", run.err);
        assert!(!run.err.contains("panicked"), "{arguments:?}: {}", run.err);
        assert!(run.err.lines().all(|line| line.chars().count() <= 80), "{arguments:?}: {}", run.err);
        assert_eq!(run.out, "", "{arguments:?}");
    }
}

#[test]
fn a_junk_variable_is_named_with_its_word_and_what_is_allowed() {
    for verb in ["topo", "verify"] {
        let output = command(&[verb]).env("CUDA_P2P_SIM", "devices=2 isles=1").output().unwrap();
        let run = Run::from(output).expect(2);
        assert!(
            run.complaint().contains("CUDA_P2P_SIM")
                && run.complaint().contains("isles=1")
                && run.complaint().contains("islands=N"),
            "{}",
            run.err
        );
        assert_eq!(run.err.matches("cuda-p2p:").count(), 1, "{}", run.err);
    }
}

#[test]
fn a_variable_that_forbids_the_simulator_is_named_where_there_is_nothing_else() {
    for value in ["0", "off"] {
        let mut command = command(&["topo"]);
        let command = command.env("CUDA_VISIBLE_DEVICES", "").env("CUDA_P2P_SIM", value);
        let run = Run::from(command.output().unwrap()).expect(4);
        let part = format!("CUDA_P2P_SIM='{value}' forbids a simulated machine; unset it");
        assert!(run.complaint().contains(&part), "{}", run.err);
        assert!(run.complaint().contains("'devices=4 islands=2'"), "{}", run.err);
    }
    // It is no reason where it is not what forbids.
    let mut real = command(&["topo", "--real"]);
    let real = real.env("CUDA_VISIBLE_DEVICES", "").env("CUDA_P2P_SIM", "0").output().unwrap();
    assert!(!Run::from(real).expect(4).err.contains("forbids"));
    let mut broken = command(&["topo"]);
    let broken = broken.env("CUDA_P2P_CUDART", "/etc/passwd").env("CUDA_P2P_SIM", "0").output().unwrap();
    assert!(!Run::from(broken).expect(4).err.contains("forbids"));
    for value in ["yes", "ON", "2", "devices=0", "devices:4"] {
        let run = Run::from(command(&["topo"]).env("CUDA_P2P_SIM", value).output().unwrap()).expect(2);
        assert!(run.complaint().contains(&format!("CUDA_P2P_SIM='{value}': ")), "{}", run.err);
        assert!(
            run.complaint().contains("allowed are") || run.complaint().contains("ask for 1 to 64"),
            "{}",
            run.err
        );
    }
}

#[test]
fn real_without_a_gpu_fails_with_what_to_do() {
    for verb in ["topo", "verify"] {
        let mut command = command(&[verb, "--real"]);
        let output = command.env("CUDA_VISIBLE_DEVICES", "").env("CUDA_P2P_SIM", "on").output().unwrap();
        let run = Run::from(output).expect(4);
        assert!(run.err.starts_with("cuda-p2p: "), "{}", run.err);
        assert!(run.complaint().contains("CUDA_P2P_"), "no way out is named: {}", run.err);
        assert_eq!(run.out, "");
    }
}

#[test]
fn a_simulators_library_is_not_real() {
    let library = simulators_library("not-real");
    for verb in ["topo", "verify"] {
        let output = command(&[verb, "--real"]).env("CUDA_P2P_CUDART", &library).output().unwrap();
        let run = Run::from(output).expect(4);
        for part in [library.to_str().unwrap(), "simulates its devices", "unset CUDA_P2P_CUDART"] {
            assert!(run.complaint().contains(part), "{part:?} is not in {}", run.err);
        }
        assert_eq!(run.out, "");
    }
}

#[test]
fn a_library_that_is_none_is_not_replaced_by_the_simulator() {
    let output = command(&["topo"]).env("CUDA_P2P_CUDART", "/etc/passwd").output().unwrap();
    let run = Run::from(output).expect(4);
    assert!(run.complaint().contains("/etc/passwd"), "{}", run.err);
}

#[test]
fn every_screen_fits_80_columns_and_has_no_colours_in_a_pipe() {
    let pairs: Vec<String> = (1..9).flat_map(|other| [format!("0>{other}"), format!("{other}>0")]).collect();
    let listed = format!("devices=9 peers={}", pairs.join(","));
    for machine in ["devices=1", "devices=2", "devices=16 islands=4", &listed] {
        for arguments in [&["topo"][..], &["doctor", "--look-only"]] {
            let run = run_on(machine, arguments);
            for line in run.out.lines() {
                assert!(line.chars().count() <= 80, "{machine}: {line}");
            }
            assert!(!run.out.contains('\x1b'));
            assert_eq!(run.err, "", "a progress bar or a warning in a pipe");
        }
    }
}

#[test]
fn quiet_prints_one_line_that_still_says_simulated() {
    let run = run_on("on", &[SMALL, &["--quiet"]].concat()).expect(0);
    assert_eq!(run.out.lines().count(), 1, "{}", run.out);
    assert_eq!(run.last_line(), "2 of 2 ordered pairs proven (SIMULATED: --sim asks for it)");
}

#[test]
fn a_simulated_machine_shows_no_speeds_and_no_times() {
    for arguments in [&["topo"][..], &["doctor"], SMALL] {
        let run = run_on("on", arguments).expect(0);
        for unit in ["/s", " ms", " us", " ns", "seconds"] {
            assert!(!run.out.contains(unit), "{unit:?} in\n{}", run.out);
        }
    }
}

#[test]
fn every_screen_names_versions_and_devices() {
    let run = run_on("on", SMALL).expect(0);
    for part in ["CUDA runtime 1", "driver for CUDA 1", "devices 0, 1: "] {
        assert!(run.out.lines().any(|line| line.starts_with(part)), "{part:?} in\n{}", run.out);
    }
}

#[test]
fn help_lists_every_verb_with_a_line() {
    for arguments in [&["--help"][..], &["-h"], &["help"]] {
        let help = run(arguments).expect(0).out;
        for verb in ["topo", "verify", "bench", "doctor", "report", "completions", "man"] {
            let line = help.lines().find(|line| line.trim_start().starts_with(&format!("{verb} ")));
            assert!(line.is_some_and(|line| line.split_whitespace().count() > 3), "{verb}: {help}");
            assert!(run(&[verb, "--help"]).expect(0).out.contains("Usage: cuda-p2p "), "{verb}");
        }
    }
}

#[test]
fn without_a_verb_it_complains_by_the_help() {
    let without = run(&[]).expect(2);
    assert!(without.out.is_empty(), "{}", without.out);
    assert_eq!(without.err, run(&["-h"]).expect(0).out);
}

#[test]
fn help_lists_the_exit_statuses() {
    for arguments in [
        &["--help"][..],
        &["verify", "--help"],
        &["topo", "--help"],
        &["doctor", "--help"],
        &["bench", "--help"],
        &["report", "--help"],
        &["verify", "-h"],
        &["report", "-h"],
    ] {
        let run = run(arguments).expect(0);
        for status in [
            "0  every",
            "1  wrong data",
            "2  bad arguments",
            "3  nothing",
            "4  a CUDA call",
            "5  no result",
            "6  doctor",
        ] {
            assert!(run.out.contains(status), "{arguments:?}: {status:?} missing in\n{}", run.out);
        }
        assert!(!run.out.contains("__child"), "{}", run.out);
        assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
    }
}
