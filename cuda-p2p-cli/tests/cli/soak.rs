//! `verify --minutes`: that it goes on until the time is up, counts, and ends when it is told to.
//!
//! Needs nothing: the machine is simulated.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::children::{find_within_patience, is_alive, processes, send, send_to_group, status_field};
use crate::run::{Run, command, run_on};

/// A soak of so many minutes.
fn soak(machine: &str, minutes: &str, options: &[&str]) -> Run {
    let usual = ["verify", "--minutes", minutes, "--sizes", "1,20000", "--seed", "7", "--json"];
    run_on(machine, &[&usual, options].concat())
}

fn report(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap()
}

/// What was counted of a path of a pair.
fn path<'a>(report: &'a Value, pair: usize, name: &str) -> &'a Value {
    let paths = report["pairs"][pair]["paths"].as_array().unwrap();
    paths.iter().find(|path| path["path"] == name).unwrap()
}

#[test]
fn it_goes_on_until_the_time_is_up_and_counts_every_path_of_every_pair() {
    let started = Instant::now();
    let run = soak("devices=3", "0.1", &[]).expect(0);
    assert!(started.elapsed() >= Duration::from_secs(6));
    let report = report(&run);
    assert_eq!(report["schema"], "cuda-p2p.soak/1");
    assert_eq!((&report["asked_ms"], &report["interrupted"]), (&Value::from(6000), &Value::from(false)));
    assert_eq!(report["verdict"]["proven"], 6);
    for (index, pair) in report["pairs"].as_array().unwrap().iter().enumerate() {
        assert!(pair["rounds"].as_u64() > Some(0), "{pair}");
        for name in ["engine", "kernel", "flags", "pool", "graph", "staged", "virtual", "ipc", "ipc-pool"] {
            let counted = path(&report, index, name);
            assert_eq!(counted["rounds"], pair["rounds"], "{counted}");
            assert_eq!(counted["bytes"].as_u64() > Some(0), name != "flags", "{counted}");
            assert_eq!(counted["errors"], serde_json::json!({}));
            assert_eq!(counted["first_error"], Value::Null);
            assert_eq!(counted["errors_per_bucket"], serde_json::json!([0]));
        }
    }
}

#[test]
fn errors_are_counted_by_kind_and_the_first_can_be_tried_again() {
    let run = soak("mirror=0>1:kernel", "0.05", &["--pairs", "0:1", "--paths", "engine,pool"]).expect(1);
    let report = report(&run);
    let pool = path(&report, 0, "pool");
    let mirrored = pool["errors"]["mirrored"].as_u64().unwrap();
    assert!(mirrored > 0);
    let all: u64 = pool["errors"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!(pool["errors_per_bucket"], serde_json::json!([all]));
    assert_eq!(path(&report, 0, "engine")["errors"], serde_json::json!({}));
    let first = &pool["first_error"];
    assert_eq!(first["step"]["step"], "pool_kernel_write");
    let sizes: Vec<String> = first["sizes"].as_array().unwrap().iter().map(Value::to_string).collect();
    let (seed, sizes) = (first["seed"].to_string(), sizes.join(","));
    let again = ["verify", "--json", "--pairs", "0:1", "--paths", "pool", "--seed", &seed, "--sizes", &sizes];
    let again: Value = serde_json::from_str(&run_on("mirror=0>1:kernel", &again).expect(1).out).unwrap();
    let steps = again["pairs"][0]["steps"].as_array().unwrap();
    assert!(steps.contains(&first["step"]), "{first} is not in {again}");
}

#[test]
fn a_path_that_hangs_is_counted_and_the_soak_goes_on() {
    let options = ["--pairs", "0:1", "--paths", "engine,virtual", "--deadline", "1.5"];
    let run = soak("hang=0>1:copy", "0.1", &options).expect(4);
    let report = report(&run);
    let hung = path(&report, 0, "engine")["errors"]["hung"].as_u64().unwrap();
    assert!(hung >= 2, "{report}");
    assert_eq!(report["pairs"][0]["turns"], hung);
    assert_eq!(path(&report, 0, "engine")["first_error"]["ending"]["how"], "hung");
    assert_eq!(report["pairs"][0]["outcome"], "failed");
}

#[test]
fn what_cannot_be_enabled_is_counted_apart_from_the_paths() {
    let run = soak("enable=0>1:802", "0.03", &["--pairs", "0:1"]).expect(4);
    let report = report(&run);
    assert!(report["pairs"][0]["setup"]["errors"]["failed"].as_u64() > Some(0), "{report}");
    assert!(report["pairs"][0]["setup"]["first_error"]["step"]["error"].as_str().unwrap().contains("802"));
}

#[test]
fn a_machine_without_pairs_is_nothing_to_soak() {
    let started = Instant::now();
    for machine in ["devices=1", "peers=none"] {
        soak(machine, "10", &[]).expect(3);
    }
    assert!(started.elapsed() < Duration::from_secs(60));
}

/// A soak that is long enough to be disturbed, in a group of its own, and where its result goes.
fn start(machine: &str) -> (Child, tempfile::NamedTempFile) {
    let result = tempfile::NamedTempFile::new().unwrap();
    let arguments = ["verify", "--minutes", "10", "--sizes", "1,20000", "--json", "--sim", machine];
    let mut command = command(&arguments);
    let out = File::create(result.path()).unwrap();
    let child = command.process_group(0).stdout(out).stderr(Stdio::null()).spawn().unwrap();
    (child, result)
}

/// Processes below one, as far down as they go.
fn below(pid: u32) -> Vec<u32> {
    let children: Vec<u32> = processes()
        .into_iter()
        .filter(|child| status_field(*child, "PPid:") == Some(pid.to_string()))
        .collect();
    children.iter().flat_map(|child| [vec![*child], below(*child)].concat()).collect()
}

/// Waits until the process of the pair and the one that lends memory are there.
fn all_below(pid: u32) -> Vec<u32> {
    find_within_patience(|| Some(below(pid)).filter(|all| all.len() >= 2))
}

#[test]
fn ctrl_c_ends_it_with_what_was_counted_and_leaves_nobody_behind() {
    for to_group in [true, false] {
        let (mut parent, result) = start("on");
        // Past the first round of both pairs.
        std::thread::sleep(Duration::from_secs(12));
        let children = all_below(parent.id());
        let asked = Instant::now();
        if to_group {
            send_to_group("-INT", parent.id())
        } else {
            send("-INT", parent.id())
        };
        assert_eq!(parent.wait().unwrap().code(), Some(0), "{to_group}");
        assert!(asked.elapsed() < Duration::from_secs(10));
        let text = std::fs::read_to_string(result.path()).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["interrupted"], true);
        assert_eq!((&report["verdict"]["proven"], &report["verdict"]["failed"]), (&2.into(), &0.into()));
        for child in children {
            find_within_patience(|| (!is_alive(child)).then_some(()));
        }
    }
}

#[test]
fn a_soak_that_is_ended_before_every_pair_had_a_round_is_no_success() {
    let (mut parent, result) = start("hang=0>1:copy");
    let children = all_below_or_one(parent.id());
    send("-TERM", parent.id());
    assert_eq!(parent.wait().unwrap().code(), Some(3));
    let report: Value = serde_json::from_str(&std::fs::read_to_string(result.path()).unwrap()).unwrap();
    assert_eq!(report["interrupted"], true);
    assert_eq!((&report["verdict"]["untested"], &report["verdict"]["failed"]), (&2.into(), &0.into()));
    for child in children {
        find_within_patience(|| (!is_alive(child)).then_some(()));
    }
}

fn all_below_or_one(pid: u32) -> Vec<u32> {
    find_within_patience(|| Some(below(pid)).filter(|all| !all.is_empty()))
}

#[test]
fn nobody_outlives_a_soak_that_is_killed() {
    let (mut parent, _result) = start("on");
    let children = all_below(parent.id());
    send("-KILL", parent.id());
    parent.wait().unwrap();
    for child in children {
        find_within_patience(|| (!is_alive(child)).then_some(()));
    }
}

#[test]
fn the_process_that_lends_memory_dies_with_the_one_that_borrows_it() {
    let (mut parent, _result) = start("on");
    let [borrower, lender] = all_below(parent.id())[..] else { panic!("two processes") };
    send("-KILL", borrower);
    find_within_patience(|| (!is_alive(lender)).then_some(()));
    send("-KILL", parent.id());
    parent.wait().unwrap();
}

#[test]
fn the_lender_that_dies_is_named() {
    let arguments = ["verify", "--sim", "on", "--pairs", "0:1", "--paths", "ipc", "--sizes", "64MiB"];
    let parent = command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let [_, lender] = all_below(parent.id())[..] else { panic!("two processes") };
    assert!(Command::new("kill").args(["-KILL", &lender.to_string()]).status().unwrap().success());
    let run = Run::from(parent.wait_with_output().unwrap()).expect(4);
    let flat = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("the process that lends the owner's memory ended too early (signal: 9"), "{flat}");
}
