//! Every path of `verify` on machines that have something wrong: each fault that can touch a path is found on it, and named. And a
//! machine that has nothing wrong raises no alarm.
//!
//! Needs nothing. Not asserted: what is wrong with memory that another process made, other than by its link; that is asserted in the
//! command's own tests.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::run::{Run, run_on};

const PATHS: [&str; 9] =
    ["engine", "kernel", "flags", "pool", "graph", "staged", "virtual", "ipc", "ipc-pool"];

/// Paths whose data goes over the simulator's links, by means of these.
const BY_COPY: [&str; 6] =
    ["engine", "pool_engine", "graph_engine", "virtual_engine", "ipc_engine", "ipc_pool_engine"];
const BY_KERNEL: [&str; 6] =
    ["kernel", "pool_kernel", "graph_kernel", "virtual_kernel", "ipc_kernel", "ipc_pool_kernel"];

/// What the names of a path's steps begin with.
fn steps_of(path: &str) -> String {
    path.replace('-', "_")
}

/// Verifies the pair 0->1 of a machine.
fn verify(machine: &str, options: &[&str]) -> Run {
    let usual = ["verify", "--pairs", "0:1", "--sizes", "4097", "--seed", "7", "--json"];
    run_on(machine, &[&usual, options].concat())
}

fn steps(run: &Run) -> Vec<Value> {
    let report: Value = serde_json::from_str(&run.out).unwrap();
    report["pairs"][0]["steps"].as_array().unwrap().clone()
}

/// What did not pass: "pool_kernel_write mirrored", "enable failed", each once.
fn troubles(run: &Run) -> BTreeSet<String> {
    let faulty = steps(run).into_iter().filter(|step| step["outcome"] != "passed");
    faulty
        .flat_map(|step| {
            let name = step["step"].as_str().unwrap().to_owned();
            let kinds: Vec<String> = match step["findings"].as_array() {
                Some(findings) if !findings.is_empty() => findings
                    .iter()
                    .map(|finding| finding["kind"]["kind"].as_str().unwrap_or("touched").to_owned())
                    .collect(),
                _ => vec![step["outcome"].as_str().unwrap().to_owned()],
            };
            kinds.into_iter().map(move |kind| format!("{name} {kind}"))
        })
        .collect()
}

fn set(troubles: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    troubles.into_iter().collect()
}

fn each(paths: &[&str], what: &str) -> Vec<String> {
    paths.iter().map(|path| format!("{path}_{what}")).collect()
}

#[test]
fn what_is_lost_or_altered_is_found_on_each_path_and_named() {
    for (word, kind) in [("drop", "dropped"), ("flip", "flipped")] {
        let copies = each(&BY_COPY, &format!("write {kind}"));
        let kernels = each(&BY_KERNEL, &format!("write {kind}"));
        let flags = "flags wrong".to_owned();
        let of_copies = verify(&format!("{word}=0>1:copy"), &[]).expect(1);
        assert_eq!(troubles(&of_copies), set(copies.clone()), "{word}");
        let of_kernels = verify(&format!("{word}=0>1:kernel"), &[]).expect(1);
        let mut due = set(kernels.clone());
        due.insert(flags);
        assert_eq!(troubles(&of_kernels), due, "{word}");
        due.extend(copies);
        assert_eq!(troubles(&verify(&format!("{word}=0>1"), &[]).expect(1)), due, "{word}");
        // What the owner sends crosses its own link, and the accessor's engine reads over that one too.
        let of_other = verify(&format!("{word}=1>0:copy"), &[]).expect(1);
        assert_eq!(troubles(&of_other), set(each(&BY_COPY, &format!("read {kind}"))), "{word}");
    }
}

#[test]
fn what_the_accessor_alone_sees_is_mirrored_and_what_it_reads_after_that_is_stale() {
    for (means, paths) in [("copy", &BY_COPY), ("kernel", &BY_KERNEL)] {
        let run = verify(&format!("mirror=0>1:{means}"), &[]).expect(1);
        let found = troubles(&run);
        for due in each(paths, "write mirrored") {
            assert!(found.contains(&due), "{due} is not in {found:?}");
        }
        for trouble in &found {
            let named = trouble.ends_with("_write mirrored") || trouble.ends_with("_read stale");
            assert!(named || trouble == "flags wrong", "{trouble} in {found:?}");
        }
    }
}

#[test]
fn a_path_alone_finds_what_is_wrong_on_it() {
    for (path, machine, trouble) in [
        ("pool", "mirror=0>1:kernel", "pool_kernel_write mirrored"),
        ("graph", "drop=0>1:copy", "graph_engine_write dropped"),
        ("virtual", "flip=0>1:kernel:50", "virtual_kernel_write flipped"),
        ("ipc", "drop=0>1:kernel", "ipc_kernel_write dropped"),
        ("ipc", "drop=0>1:copy", "ipc_engine_write dropped"),
        ("ipc", "drop=1>0:copy", "ipc_engine_read dropped"),
        ("ipc", "mirror=0>1:kernel", "ipc_kernel_write mirrored"),
        ("ipc", "mirror=0>1:copy", "ipc_engine_write mirrored"),
        ("ipc", "flip=0>1:kernel:50", "ipc_kernel_write flipped"),
        ("ipc", "flip=0>1:copy", "ipc_engine_write flipped"),
        ("ipc-pool", "drop=0>1:kernel", "ipc_pool_kernel_write dropped"),
        ("ipc-pool", "drop=0>1:copy", "ipc_pool_engine_write dropped"),
        ("ipc-pool", "drop=1>0:copy", "ipc_pool_engine_read dropped"),
        ("ipc-pool", "mirror=0>1:kernel", "ipc_pool_kernel_write mirrored"),
        ("ipc-pool", "mirror=0>1:copy", "ipc_pool_engine_write mirrored"),
        ("ipc-pool", "flip=0>1:kernel:50", "ipc_pool_kernel_write flipped"),
        ("ipc-pool", "flip=0>1:copy", "ipc_pool_engine_write flipped"),
    ] {
        let found = troubles(&verify(machine, &["--paths", path]).expect(1));
        let of_path = steps_of(path);
        assert!(
            found.contains(trouble) && found.iter().all(|other| other.starts_with(&of_path)),
            "{found:?}"
        );
    }
}

#[test]
fn a_transfer_that_never_ends_is_hung_on_each_path_and_is_not_waited_for() {
    for (path, means, step) in [
        ("engine", "copy", "engine_write"),
        ("kernel", "kernel", "kernel_read"),
        ("flags", "kernel", "flags"),
        ("pool", "copy", "pool_engine_write"),
        ("pool", "kernel", "pool_kernel_read"),
        ("graph", "copy", "graph_engine_write"),
        ("graph", "kernel", "graph_kernel_read"),
        ("virtual", "copy", "virtual_engine_write"),
        ("virtual", "kernel", "virtual_kernel_read"),
        ("ipc", "copy", "ipc_engine_write"),
        ("ipc", "kernel", "ipc_kernel_read"),
        ("ipc-pool", "copy", "ipc_pool_engine_write"),
        ("ipc-pool", "kernel", "ipc_pool_kernel_read"),
    ] {
        let options = ["--paths", path, "--deadline", "4"];
        let run = verify(&format!("hang=0>1:{means}"), &options).expect(4);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(report["pairs"][0]["ending"]["how"], "hung", "{path} {means}");
        assert_eq!(troubles(&run), set([format!("{step} unfinished")]), "{path} {means}");
    }
}

/// A machine on which a call fails in the middle of a path, and the path.
const FAILING: [(&str, &str, &str); 16] = [
    ("fail=cudaMemcpyPeerAsync:1:719", "engine", "engine_read"),
    ("fail=cudaLaunchKernel:12:719", "kernel", ""),
    ("fail=cudaMemPoolCreate:1:2", "pool", "pool_grant"),
    ("fail=cudaMemPoolSetAccess:1:1", "pool", "pool_grant"),
    ("fail=cudaStreamBeginCapture:1:900", "graph", "graph_engine_read"),
    ("fail=cudaGraphInstantiateWithFlags:2:2", "graph", ""),
    ("fail=cudaGraphLaunch:2:719", "graph", "graph_engine_read"),
    ("fail=cuMemCreate:1:2", "virtual", "virtual_map"),
    ("fail=cuMemSetAccess:2:1", "virtual", ""),
    ("fail=cudaIpcOpenMemHandle:1:205", "ipc", "ipc_open"),
    ("fail=cudaIpcGetMemHandle:1:2", "ipc", "ipc_open"),
    ("fail=cudaMemPoolCreate:1:2", "ipc-pool", "ipc_pool_open"),
    ("fail=cudaMemPoolExportToShareableHandle:1:1", "ipc-pool", "ipc_pool_open"),
    ("fail=cudaMemPoolExportPointer:1:1", "ipc-pool", "ipc_pool_open"),
    ("fail=cudaMemPoolImportFromShareableHandle:1:999", "ipc-pool", "ipc_pool_open"),
    ("fail=cudaMemPoolImportPointer:1:1", "ipc-pool", "ipc_pool_open"),
];

#[test]
fn a_call_that_fails_is_named_on_its_path() {
    for (machine, path, step) in FAILING {
        let run = verify(machine, &["--paths", path]).expect(4);
        let found = troubles(&run);
        assert_eq!(found.len(), 1, "{machine}: {found:?}");
        let due = if step.is_empty() { steps_of(path) } else { step.to_owned() };
        assert!(
            found.iter().all(|it| it.starts_with(&due) && it.ends_with(" failed")),
            "{machine}: {found:?}"
        );
    }
}

#[test]
fn what_every_path_needs_and_does_not_get_is_named_as_that() {
    for (machine, step) in
        [("enable=0>1:205", "enable"), ("enable=0>1:802", "enable"), ("fail=cudaMalloc:1:2", "prepare")]
    {
        let run = verify(machine, &[]).expect(4);
        assert_eq!(troubles(&run), set([format!("{step} failed")]), "{machine}");
    }
    // The one path that needs no access enabled is proven all the same.
    for path in ["staged", "virtual", "ipc", "ipc-pool"] {
        verify("enable=0>1:205", &["--paths", path]).expect(0);
    }
}

#[test]
fn a_device_that_is_lost_or_reset_proves_no_path() {
    for path in PATHS {
        for machine in ["lost=1:6", "lost=0:6", "lost=1:12"] {
            let run = verify(machine, &["--paths", path]).expect(4);
            let found = troubles(&run);
            assert!(found.len() == 1 && found.iter().all(|it| it.ends_with(" failed")), "{path}: {found:?}");
        }
        for device in [0, 1] {
            let machine = format!("reset={device}:cudaStreamSynchronize:14");
            let found = troubles(&verify(&machine, &["--paths", path]).expect(4));
            assert!(found.len() == 1 && found.iter().all(|it| it.ends_with(" failed")), "{path}: {found:?}");
        }
    }
}

#[test]
fn what_cannot_be_had_is_skipped_with_the_reason_and_counted() {
    for (machine, path, step) in [
        ("fail=cudaMemPoolSetAccess:1:801", "pool", "pool_grant"),
        ("fail=cuMemCreate:1:801", "virtual", "virtual_map"),
        ("fail=cudaIpcGetMemHandle:1:801", "ipc", "ipc_open"),
        ("fail=cudaMemPoolExportToShareableHandle:1:801", "ipc-pool", "ipc_pool_open"),
    ] {
        let run = verify(machine, &[]).expect(0);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(report["verdict"]["skipped"], 1, "{machine}");
        assert_eq!(troubles(&run), set([format!("{step} skipped")]), "{machine}");
        let named = |it: &Value| {
            let name = it["step"].as_str().unwrap().to_owned();
            name.starts_with(&steps_of(path)) && (path != "ipc" || !name.starts_with("ipc_pool"))
        };
        let of_path: Vec<Value> = steps(&run).into_iter().filter(named).collect();
        assert!(of_path.len() == 1 && of_path[0]["reason"].as_str().unwrap().contains("801"), "{of_path:?}");
        // Asked for by name, it is no success.
        verify(machine, &["--paths", &format!("engine,{path}")]).expect(3);
        let alone: Value = serde_json::from_str(&verify(machine, &["--paths", path]).expect(3).out).unwrap();
        assert_eq!(alone["pairs"][0]["outcome"], "untested");
        let screen = run_on(machine, &["verify", "--pairs", "0:1", "--sizes", "1"]).expect(0);
        assert!(screen.out.contains(&format!("Skipped: {path} of 0->1: ")), "{}", screen.out);
        assert!(screen.out.contains("; 1 path skipped"), "{}", screen.out);
    }
}

#[test]
fn without_pools_there_are_none_of_other_processes_either() {
    let run = verify("fail=cudaMemPoolCreate:1:801", &[]).expect(0);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&report["verdict"]["proven"], &report["verdict"]["skipped"]), (&1.into(), &2.into()));
    assert_eq!(troubles(&run), set(["pool_grant skipped", "ipc_pool_open skipped"].map(str::to_owned)));
}

/// A healthy machine, from its number.
fn healthy(number: u64) -> String {
    let devices = 1 + number % 10;
    let peers = match number / 10 % 4 {
        1 if devices.is_multiple_of(2) => format!(" islands={}", devices / 2),
        2 if devices > 1 => " peers=0>1".to_owned(),
        _ => String::new(),
    };
    let atomics = if number.is_multiple_of(7) { " atomics=off" } else { "" };
    let runtime = ["", " runtime=13.0"][usize::from(number.is_multiple_of(5))];
    // A seed makes the schedule adversarial.
    let seed = if number.is_multiple_of(8) { String::new() } else { format!(" seed={number}") };
    format!("devices={devices}{peers}{atomics}{runtime}{seed}")
}

/// Runs one of the healthy machines; at most four of its pairs, so that ten devices take no longer than three.
fn expect_no_alarm(number: u64) {
    let machine = healthy(number);
    let devices = 1 + number % 10;
    let mut arguments = vec!["verify".to_owned(), "--json".to_owned(), "--no-progress".to_owned()];
    arguments.extend(["--seed".to_owned(), number.to_string()]);
    let size = 1 + number.wrapping_mul(2_654_435_761) % 20_000;
    arguments.extend(["--sizes".to_owned(), format!("1,{size}")]);
    let run = match devices {
        4.. if !machine.contains("islands") && !machine.contains("peers") => {
            let other = |by: u64| (number / 10 + by) % devices;
            let pairs: BTreeSet<String> = (0..4)
                .map(|which| (other(which), other(which + 1 + number % (devices - 1))))
                .filter(|(accessor, owner)| accessor != owner)
                .map(|(accessor, owner)| format!("{accessor}:{owner}"))
                .collect();
            arguments.extend(["--pairs".to_owned(), pairs.into_iter().collect::<Vec<_>>().join(",")]);
            0
        }
        1 => 3,
        _ => 0,
    };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = run_on(&machine, &arguments).expect(run);
    let report: Value = serde_json::from_str(&outcome.out).unwrap();
    for count in ["wrong", "failed", "skipped", "untested"] {
        assert_eq!(report["verdict"][count], 0, "{machine}: {}", outcome.out);
    }
    assert_eq!(report["verdict"]["proven"].as_u64() > Some(0), devices > 1, "{machine}");
}

#[test]
fn a_healthy_machine_raises_no_alarm() {
    (0..24).for_each(expect_no_alarm);
}

/// `cargo test --release -p cuda-p2p-cli --test cli -- --ignored a_thousand` : a quarter of an hour or so.
#[test]
#[ignore = "takes a quarter of an hour in release; its name says how often it runs the command"]
fn a_thousand_healthy_machines_raise_no_alarm() {
    for number in 0..1000 {
        expect_no_alarm(number);
    }
    println!("1000 runs on healthy machines, no alarm");
}
