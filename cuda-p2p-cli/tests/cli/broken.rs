//! Simulated machines on which every call succeeds and the data is wrong. Each is found, and the step that shows it is named.
//!
//! Needs nothing. Not asserted: how real hardware gets data wrong.

use serde_json::Value;

use crate::run::{Run, SMALL, run_on};

/// Memory of `cudaMalloc` in one process; the other paths are in `paths`.
const PLAIN: &str = "engine,kernel,flags,staged";

/// The steps that found wrong bytes, once each, by pair: "0->1 kernel_write".
fn wrong_steps(run: &Run) -> Vec<String> {
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let mut wrong = Vec::new();
    for pair in report["pairs"].as_array().unwrap() {
        for step in pair["steps"].as_array().unwrap().iter().filter(|step| step["outcome"] == "wrong") {
            wrong.push(format!("{}->{} {}", pair["accessor"], pair["owner"], step["step"].as_str().unwrap()));
        }
    }
    wrong.dedup();
    wrong
}

/// What wrong data is called, at each of the steps that found some: "kernel_write dropped".
fn kinds(machine: &str, sizes: &str) -> Vec<String> {
    let run =
        run_on(machine, &["verify", "--sizes", sizes, "--seed", "7", "--paths", PLAIN, "--json"]).expect(1);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let pairs = report["pairs"].as_array().unwrap().iter();
    let steps = pairs.flat_map(|pair| pair["steps"].as_array().unwrap());
    let mut kinds: Vec<_> = steps
        .flat_map(|step| {
            let findings = step["findings"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
            findings.map(|finding| {
                let kind = finding["kind"]["kind"].as_str().unwrap_or("no kind");
                format!("{} {kind}", step["step"].as_str().unwrap())
            })
        })
        .collect();
    kinds.dedup();
    kinds
}

#[test]
fn each_fault_is_called_by_its_name() {
    for sizes in ["4097", "1MiB"] {
        assert_eq!(kinds("drop=0>1:kernel", sizes), ["kernel_write dropped"], "{sizes}");
        assert_eq!(kinds("mirror=0>1:kernel", sizes), ["kernel_write mirrored"], "{sizes}");
        assert_eq!(kinds("flip=0>1:kernel:100", sizes), ["kernel_write flipped"], "{sizes}");
        assert_eq!(kinds("drop=0>1:copy", sizes), ["engine_write dropped", "engine_read dropped"], "{sizes}");
        assert_eq!(kinds("flip=0>1:copy", sizes), ["engine_write flipped", "engine_read flipped"], "{sizes}");
        let mirrored = kinds("mirror=0>1:copy", sizes);
        assert_eq!(mirrored[0], "engine_write mirrored", "{sizes}: {mirrored:?}");
    }
}

/// Verifies a broken machine; what is wrong there has to be exactly these steps.
fn expect_wrong(machine: &str, steps: &[&str]) {
    let run = run_on(machine, &[SMALL, &["--paths", PLAIN, "--json"]].concat()).expect(1);
    assert_eq!(wrong_steps(&run), steps, "{machine}");
}

#[test]
fn what_kernels_write_and_the_owner_never_sees_is_found() {
    for defect in ["drop", "mirror"] {
        expect_wrong(&format!("{defect}=0>1:kernel"), &["0->1 kernel_write", "0->1 flags"]);
    }
}

#[test]
fn what_copies_write_and_the_owner_never_sees_is_found() {
    // The engine that reads the memory of 0 for 1 takes the same link as the one that writes the memory of 1 for 0.
    let written = ["0->1 engine_write", "1->0 engine_read"];
    for defect in ["drop", "flip"] {
        expect_wrong(&format!("{defect}=0>1:copy"), &written);
    }
    // What 1 sends after that is read over the link as well, from the mirror that the former step left.
    expect_wrong("mirror=0>1:copy", &[&written[..], &["1->0 engine_write"]].concat());
}

#[test]
fn one_flipped_bit_of_a_store_is_found() {
    expect_wrong("flip=1>0:kernel:100", &["1->0 kernel_write"]);
}

#[test]
fn large_data_is_checked_like_small_data() {
    let run = run_on("drop=0>1:kernel", &["verify", "--sizes", "1MiB", "--seed", "7", "--pairs", "0:1"]);
    let run = run.expect(1);
    assert!(run.out.contains("wrong bytes: kernel of the accessor writes the owner, 1 MiB"), "{}", run.out);
}

#[test]
fn the_screen_names_the_path_and_the_pair() {
    let run = run_on("mirror=0>1", SMALL).expect(1);
    for part in [
        "0->1: wrong bytes: copy engine, accessor to owner, 1 byte",
        "0->1: wrong bytes: kernel of the accessor writes the owner, 1 byte",
        "wrong as well: ",
        "destination on device 1: ",
        "1->0: wrong bytes: copy engine, owner to accessor, 1 byte",
        "2 WRONG DATA: 0->1, 1->0",
    ] {
        assert!(run.out.contains(part), "{part:?} in\n{}", run.out);
    }
}

#[test]
fn a_transfer_that_never_ends_is_a_step_that_hung() {
    let run = run_on("hang=0>1:copy", &[SMALL, &["--pairs", "0:1", "--deadline", "10"]].concat()).expect(4);
    assert!(run.out.contains("0->1: not finished: copy engine, accessor to owner"), "{}", run.out);
}

#[test]
fn access_that_cannot_be_enabled_is_a_failure() {
    let run = run_on("enable=0>1:205", &[SMALL, &["--pairs", "0:1"]].concat()).expect(4);
    assert!(run.out.contains("0->1: failed: enabling access"), "{}", run.out);
}

#[test]
fn wrong_data_keeps_its_status_where_the_result_cannot_be_written() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = crate::run::command(SMALL);
    let output = command.args(["--sim", "drop=0>1:copy"]).stdout(full).stderr(std::process::Stdio::piped());
    Run::from(output.output().unwrap()).expect(1);
}
