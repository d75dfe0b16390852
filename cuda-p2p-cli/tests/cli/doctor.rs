//! The doctor from the outside: on simulated machines, and from files.
//!
//! Needs nothing. Not asserted: what the doctor reads of the machine that the tests run on.

use std::fs;

use serde_json::Value;

use crate::run::{Run, command, run, run_on};

/// Conditions that the doctor finds on a simulated machine, with the pairs.
fn conditions(machine: &str, status: i32) -> Vec<String> {
    let run = run_on(machine, &["doctor", "--json", "--deadline", "10"]).expect(status);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["exit_status"], status);
    assert_eq!(report["snapshot"]["cuda"]["machine"]["simulated"], true);
    let findings = report["findings"].as_array().unwrap();
    let named = findings.iter().map(|finding| {
        let pairs = finding["pairs"].as_array().into_iter().flatten();
        let pairs: Vec<String> =
            pairs.map(|pair| format!("{}->{}", pair["accessor"], pair["owner"])).collect();
        format!("{} {}", finding["condition"].as_str().unwrap(), pairs.join(" "))
    });
    named.collect()
}

#[test]
fn a_healthy_simulated_machine_has_nothing() {
    for machine in ["on", "devices=1", "devices=16"] {
        let arguments: &[&str] =
            if machine == "devices=16" { &["doctor", "--look-only"] } else { &["doctor"] };
        let run = run_on(machine, arguments).expect(0);
        assert!(run.out.starts_with("SIMULATED: "), "{}", run.out);
        assert_eq!(run.last_line(), "no problem found (SIMULATED: --sim asks for it)");
        assert!(run.out.contains("Not read\n   this machine: a simulated one was looked at"), "{}", run.out);
    }
}

#[test]
fn each_fault_of_a_simulated_machine_has_its_finding_and_no_other() {
    for (machine, expected) in [
        ("drop=0>1:kernel", "writes_lost 0->1"),
        ("mirror=0>1:kernel", "writes_lost 0->1"),
        ("flip=1>0:kernel:100", "wrong_data 1->0"),
        ("hang=0>1:kernel", "transfer_hangs 0->1"),
        ("enable=0>1:205", "bar1_too_small 0->1"),
        ("enable=0>1:802", "fabric_not_ready 0->1"),
        ("enable=1>0:711", "too_many_peers 1->0"),
        ("peers=0>1", "no_access 1->0"),
        ("peers=none", "no_access 0->1 1->0"),
    ] {
        assert_eq!(conditions(machine, 6), [expected], "{machine}");
    }
}

#[test]
fn what_was_saved_is_diagnosed_as_it_was_and_holds_nothing_private() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snapshot.json");
    let path = file.to_str().unwrap();
    let machine = "devices=2 drop=0>1:kernel";
    let saved = run_on(machine, &["doctor", "--save", path]).expect(6);
    let read = run(&["doctor", "--from", path]).expect(6);
    assert_eq!(read.out, saved.out);
    let text = fs::read_to_string(&file).unwrap();
    let snapshot: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(snapshot["schema"], "cuda-p2p.snapshot/1");
    let topo: Value = serde_json::from_str(&run_on(machine, &["topo", "--json"]).out).unwrap();
    for device in topo["machine"]["devices"].as_array().unwrap() {
        let uuid = device["uuid"].as_str().unwrap();
        assert!(!text.contains(uuid), "{uuid}");
    }
    let uuids: Vec<_> = snapshot["cuda"]["machine"]["devices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|device| &device["uuid"])
        .collect();
    assert_eq!(uuids[0], "GPU-00000000-0000-0000-0000-000000000000");
    assert_ne!(uuids[0], uuids[1]);
}

#[test]
fn the_environment_is_looked_at_and_masked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snapshot.json");
    let output = command(&["doctor", "--real", "--look-only", "--save", file.to_str().unwrap()])
        .env("NCCL_P2P_DISABLE", "1")
        .env("CUDA_VISIBLE_DEVICES", "GPU-ba793fbf-0ad7-3ef2-2606-91ae096064e1")
        .env("CUDA_INJECTION64_PATH", "/home/ann/secret/libtool.so")
        .env("USER", "ann")
        .output()
        .unwrap();
    let run = Run::from(output);
    assert!(run.out.contains("a variable tells a library not to use it"), "{}", run.out);
    assert!(run.out.contains("a tool watches CUDA"), "{}", run.out);
    let text = fs::read_to_string(&file).unwrap();
    for private in ["ba793fbf", "secret", "/home", "\"ann\"", " ann "] {
        assert!(!text.contains(private) && !run.out.contains(private), "{private}: {text}");
    }
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let whole_word =
        |word: &str| text.split(|c: char| !c.is_alphanumeric() && c != '-').any(|part| part == word);
    assert!(host.trim().len() < 4 || !whole_word(host.trim()), "{text}");
}

#[test]
fn a_snapshot_of_another_version_is_refused_with_both_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snapshot.json");
    fs::write(&file, r#"{ "schema": "cuda-p2p.snapshot/99" }"#).unwrap();
    let run = run(&["doctor", "--from", file.to_str().unwrap()]).expect(2);
    assert!(
        run.complaint().contains("cuda-p2p.snapshot/99") && run.complaint().contains("cuda-p2p.snapshot/1"),
        "{}",
        run.err
    );
}

#[test]
fn figures_of_bench_say_where_staging_wins() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bench.json");
    // Of two H200 in a virtual machine.
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctor/fixtures/two_h200_vm.json");
    let snapshot: Value = serde_json::from_str(&fs::read_to_string(fixture).unwrap()).unwrap();
    let machine = &snapshot["cuda"]["machine"];
    let result = |test: &str, accessor: u32, median: f64| {
        let place = serde_json::json!({ "pair": { "accessor": accessor, "owner": 1 - accessor } });
        serde_json::json!({ "test": test, "place": place, "bytes": 1 << 20, "unit": "GB/s", "outcome": "measured",
            "median": median, "checked_bytes": 1 << 20 })
    };
    let results = [
        result("staged_read", 0, 20.0),
        result("engine_read", 0, 10.0),
        result("staged_read", 1, 20.0),
        result("engine_read", 1, 30.0),
    ];
    let write = |machine: &Value| {
        let bench = serde_json::json!({ "schema": "cuda-p2p.bench/1", "machine": machine, "bytes": 1 << 20,
            "results": results });
        fs::write(&file, bench.to_string()).unwrap();
    };
    let path = file.to_str().unwrap();
    write(machine);
    let found = run(&["doctor", "--from", fixture, "--bench", path]).expect(6);
    assert!(
        found.out.contains("SLOWS: peer access is slower than staging (certain)\n   pairs: 0->1\n"),
        "{}",
        found.out
    );
    // Of another machine it is no evidence: not of a simulated one, nor of other devices.
    let refused = run_on("on", &["doctor", "--look-only", "--bench", path]).expect(2);
    let complaint = refused.complaint();
    assert!(
        complaint.contains("its devices are real and the other's simulated") && refused.out.is_empty(),
        "{complaint}"
    );
    let mut other = machine.clone();
    other["devices"][1]["bus_id"] = "0000:FF:00.0".into();
    write(&other);
    let complaint = run(&["doctor", "--from", fixture, "--bench", path]).expect(2).complaint();
    assert!(complaint.contains("its device 1 is") && complaint.contains("0000:FF:00.0"), "{complaint}");
    // What bench prints of a simulated machine has no speeds.
    let bench = ["bench", "--bytes", "1", "--samples", "1", "--pairs", "0:1", "--json"];
    fs::write(&file, run_on("on", &bench).expect(0).out).unwrap();
    for arguments in [&["doctor", "--sim", "on", "--look-only"][..], &["doctor", "--from", fixture]] {
        let complaint = run(&[arguments, &["--bench", path]].concat()).expect(2).complaint();
        assert!(complaint.contains("it is of a simulated machine, which has no speeds"), "{complaint}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_named_before_anything_is_tried() {
    let run = run_on("on", &["doctor", "--look-only", "--save", "/no/such/folder/x"]).expect(2);
    assert!(run.complaint().contains("--save /no/such/folder/x"), "{}", run.err);
    // What is read stays as it was.
    let measured = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("doctor-reads.json");
    fs::write(&measured, "kept").unwrap();
    let path = measured.to_str().unwrap();
    let run = run_on("on", &["doctor", "--look-only", "--bench", path, "--save", path]).expect(2);
    assert!(run.complaint().contains("--bench reads this file"), "{}", run.err);
    assert_eq!(fs::read_to_string(&measured).unwrap(), "kept");
    assert_eq!(run.out, "");
}
