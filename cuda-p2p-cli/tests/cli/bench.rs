//! `bench` from the outside, on simulated machines: that every measurement is carried out and checked, that no time is shown, and
//! that bytes which do not arrive are not counted. Not asserted: how fast anything is.

use serde_json::Value;

use crate::run::run_on;

const SMALL: &[&str] = &["bench", "--bytes", "64KiB", "--seed", "7"];

#[test]
fn a_simulated_machine_is_marked_and_shows_no_figure() {
    let run = run_on("devices=3", SMALL).expect(0);
    assert!(run.out.starts_with("SIMULATED: "), "{}", run.out);
    let last = run.last_line();
    assert!(last.contains("carried out and checked (SIMULATED"), "{last}");
    let figures: Vec<_> = run.out.split_whitespace().filter(|word| word.parse::<f64>().is_ok()).collect();
    // What numbers there are, are devices, sizes and counts.
    assert!(figures.iter().all(|word| !word.contains('.') || *word == "13.0"), "{figures:?}");
    assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
}

#[test]
fn the_json_of_bench_has_what_it_documents() {
    let run = run_on("devices=2", &[SMALL, &["--json", "--sizes", "4KiB"]].concat()).expect(0);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["schema"], "cuda-p2p.bench/1");
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["machine"]["simulated"], true);
    assert_eq!((report["bytes"].as_u64(), report["samples"].as_u64()), (Some(64 << 10), Some(1)));
    assert_eq!(report["comparisons"], serde_json::json!([]));
    assert_eq!(report["verdict"], "proven");
    let results = report["results"].as_array().unwrap();
    let tests: Vec<_> = results.iter().map(|result| result["test"].as_str().unwrap()).collect();
    for name in [
        "driver_staged_read",
        "driver_staged_both",
        "staged_read",
        "staged_both",
        "engine_read",
        "engine_write",
        "engine_both",
        "kernel_read",
        "kernel_read_plain",
        "kernel_write",
        "kernel_both",
        "chase",
        "flag_round_trip",
        "flag_ordered",
        "small_engine_write",
        "small_kernel_write",
        "small_engine_read",
        "small_kernel_read",
        "issue_copy",
        "issue_asked_copy",
        "issue_launch",
    ] {
        assert_eq!(tests.iter().filter(|test| **test == name).count() % 2, 0, "{name}: once a pair");
        assert!(tests.contains(&name), "{name} is missing in {tests:?}");
    }
    for result in results {
        assert_eq!(result["outcome"], "measured", "{result}");
        assert!(
            result["median"].is_null() && result["low"].is_null() && result["high"].is_null(),
            "{result}"
        );
        assert!(result["checked_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{result}");
        assert!(["GB/s", "us", "ns"].contains(&result["unit"].as_str().unwrap()), "{result}");
        assert!(result["place"]["pair"]["accessor"].is_u64(), "{result}");
    }
    let path = |test: &str| {
        let result = results.iter().find(|result| result["test"] == test).unwrap();
        result["path"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(path("engine_read"), "direct");
    assert!(path("staged_read").starts_with("staged through the host: "));
    assert!(path("driver_staged_read").starts_with("staged through the host by the driver: "));
}

#[test]
fn other_tools_are_not_run_beside_a_simulated_machine_and_that_is_said() {
    let arguments = &["--compare", "--pairs", "0:1", "--bytes", "1"];
    let run = run_on("devices=2", &[SMALL[..1].to_vec(), arguments.to_vec()].concat()).expect(0);
    for tool in ["nvbandwidth", "p2pBandwidthLatencyTest", "sendrecv_perf", "raw_peer"] {
        let words = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains(&format!("Beside {tool} not run: a simulated machine has no figures")),
            "{}",
            run.out
        );
    }
}

#[test]
fn copies_on_a_simulated_machine_are_of_one_mebibyte_at_most() {
    let run = run_on("devices=2", &["bench", "--json", "--sizes", "4KiB,2MiB,64MiB"]).expect(0);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let bytes: Vec<_> =
        report["results"].as_array().unwrap().iter().map(|due| due["bytes"].as_u64().unwrap()).collect();
    assert_eq!((bytes.iter().max(), bytes.contains(&4096)), (Some(&(1 << 20)), true), "{bytes:?}");
}

#[test]
fn pairs_without_access_are_only_staged() {
    let run = run_on("devices=2 peers=none", &[SMALL, &["--json"]].concat()).expect(0);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 2 * 4);
    assert!(results.iter().all(|result| result["test"].as_str().unwrap().contains("staged")));
}

#[test]
fn all_at_once_is_skipped_with_the_reason_where_there_is_no_such_thing() {
    for (machine, test, reason, places) in [
        ("devices=3 peers=none", "all_to_one", "no other device has access to it", 3),
        ("devices=3 peers=none", "one_to_all", "it has access to no other device", 3),
        ("devices=3 peers=0>1", "one_to_all", "it has access to no other device", 2),
        ("devices=4 limit=2", "one_to_all", "has reached its limit of peers", 4),
    ] {
        let run = run_on(machine, &[SMALL, &["--json"]].concat()).expect(0);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        let skipped = |result: &&Value| result["outcome"] == "skipped" && result["test"] == test;
        let skipped: Vec<_> = report["results"].as_array().unwrap().iter().filter(skipped).collect();
        assert_eq!(skipped.len(), places, "{machine}: {skipped:?}");
        assert!(skipped.iter().all(|it| it["reason"].as_str().unwrap().contains(reason)), "{skipped:?}");
    }
    let screen = run_on("devices=3 peers=0>1", SMALL).expect(0);
    assert!(
        screen.out.contains("\nNot measured\ndevice 0: ") && screen.out.contains("skipped: "),
        "{}",
        screen.out
    );
}

#[test]
fn bytes_that_do_not_arrive_are_not_counted() {
    let run = run_on("devices=2 drop=0>1:copy", &[SMALL, &["--json"]].concat()).expect(1);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["verdict"], "wrong_data");
    let results = report["results"].as_array().unwrap();
    let wrong = |result: &&Value| result["outcome"] == "wrong_data";
    assert!(results.iter().filter(wrong).count() >= 1);
    assert!(
        results
            .iter()
            .filter(wrong)
            .all(|result| result["median"].is_null() && result["wrong"].as_u64() > Some(0))
    );
}

#[test]
fn one_device_has_nothing_to_measure() {
    let run = run_on("devices=1", SMALL).expect(3);
    assert!(run.last_line().starts_with("0 of 0"), "{}", run.out);
}

#[test]
fn arguments_that_make_no_sense_are_named() {
    for (arguments, named) in [
        (["--bytes", "1KB"], "'1KB' is no size"),
        (["--pairs", "0:9"], "there is no device 9"),
        (["--samples", "0"], "--samples"),
    ] {
        let run = run_on("devices=2", &[&SMALL[..1], &arguments].concat());
        assert_eq!(run.status, 2, "{}{}", run.out, run.err);
        assert!(run.complaint().contains(named), "{}", run.err);
    }
}
