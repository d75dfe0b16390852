//! What `--json` prints, field by field as docs/json.md documents it.
//!
//! Needs nothing: the machine is simulated.

use serde_json::Value;

use crate::run::{SMALL, run_on};

#[test]
fn the_json_of_verify_has_what_it_documents() {
    let run = run_on("devices=2", &[SMALL, &["--json"]].concat()).expect(0);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["schema"], "cuda-p2p.verify/1");
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["machine"]["simulated"], true);
    assert_eq!(report["machine"]["simulated_because"], "--sim asks for it");
    assert_eq!(report["machine"]["devices"].as_array().unwrap().len(), 2);
    for field in ["runtime_version", "driver_cuda_version"] {
        assert!(report["machine"][field].as_str().is_some_and(|text| text.starts_with('1')), "{field}");
    }
    assert!(report["machine"]["devices"][1]["name"].is_string());
    assert_eq!(report["seed"], 7);
    assert_eq!(report["sizes"], serde_json::json!([1, 4097]));
    assert_eq!(report["verdict"]["proven"], 2);
    assert_eq!(report["verdict"]["exit"], "proven");
    assert_eq!(report["verdict"]["exit_status"], 0);
    let pair = &report["pairs"][0];
    assert_eq!((pair["accessor"].as_u64(), pair["owner"].as_u64()), (Some(0), Some(1)));
    assert_eq!(pair["outcome"], "proven");
    assert_eq!(pair["ending"]["how"], "done");
    assert_eq!(pair["not_run"], serde_json::json!([]));
    let steps = pair["steps"].as_array().unwrap();
    let names: Vec<_> = steps.iter().map(|step| step["step"].as_str().unwrap()).collect();
    for name in [
        "prepare",
        "query",
        "enable",
        "engine_read",
        "engine_write",
        "kernel_read",
        "kernel_write",
        "flags",
        "disable",
        "staged_read",
        "staged_write",
    ] {
        assert!(names.contains(&name), "{name} is missing in {names:?}");
    }
    assert!(steps.iter().all(|step| step["outcome"] == "passed"));
    // Two sizes, each aligned, equally misaligned and unequally.
    assert_eq!(names.iter().filter(|name| **name == "kernel_write").count(), 6);
}

#[test]
fn the_json_of_topo_has_what_it_documents() {
    let run = run_on("devices=4 islands=2", &["topo", "--json"]).expect(0);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["schema"], "cuda-p2p.topo/1");
    let machine = &report["machine"];
    assert_eq!(machine["simulated"], true);
    assert_eq!(machine["devices"][3]["ordinal"], 3);
    for field in ["name", "uuid", "bus_id", "compute_capability", "memory_bytes"] {
        assert!(!machine["devices"][0][field].is_null(), "{field}");
    }
    let pairs = machine["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 12);
    let reachable = pairs.iter().filter(|pair| pair["can_access"] == true);
    let reachable: Vec<_> =
        reachable.map(|pair| (pair["accessor"].as_u64(), pair["owner"].as_u64())).collect();
    assert_eq!(reachable, [(0, 1), (1, 0), (2, 3), (3, 2)].map(|(a, b)| (Some(a), Some(b))));
}

/// The part of docs/json.md about a verb, and the parts that every verb shares.
fn documented(verb: &str) -> String {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/json.md")).unwrap();
    let mut sections = text.split("\n## ");
    let introduction = sections.next().unwrap();
    let sections: Vec<&str> =
        sections.filter(|section| section.starts_with("machine\n") || section.starts_with(verb)).collect();
    assert_eq!(sections.len(), 2, "{verb} has no section");
    format!("{introduction}{}{}", sections[0], sections[1])
}

/// Every field's name in a JSON value. `free` ones have names that are not the schema's.
fn fields(value: &Value, free: &[&str], found: &mut std::collections::BTreeSet<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| fields(value, free, found)),
        Value::Object(object) => {
            for (name, value) in object {
                found.insert(name.clone());
                if !free.contains(&name.as_str()) {
                    fields(value, free, found);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_field_is_documented_in_the_section_of_its_verb() {
    let snapshot = concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctor/fixtures/two_h200_vm.json");
    let page = concat!(env!("CARGO_TARGET_TMPDIR"), "/documented.html");
    let measured = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/performance/h200-x2.bench.json");
    let soak =
        ["verify", "--json", "--minutes", "0.02", "--sizes", "1,4097", "--sim", "drop=0>1 hang=1>0:kernel"];
    let soak = [&soak[..], &["--deadline", "3"]].concat();
    let runs: [(&str, Vec<&str>, i32); 7] = [
        ("topo", vec!["topo", "--json", "--sim", "on"], 0),
        ("verify", vec!["verify", "--json", "--sizes", "1,4097", "--sim", "drop=0>1 enable=1>0:205"], 1),
        ("verify", soak, 1),
        ("doctor", vec!["doctor", "--json", "--sim", "drop=0>1"], 6),
        ("doctor", vec!["doctor", "--json", "--from", snapshot], 0),
        ("bench", vec!["bench", "--json", "--bytes", "64KiB", "--sim", "drop=0>1:copy"], 1),
        ("report", vec!["report", "--json", "--from", measured, "--out", page], 0),
    ];
    for (verb, arguments, status) in runs {
        let report: Value = serde_json::from_str(&crate::run::run(&arguments).expect(status).out).unwrap();
        let mut names = std::collections::BTreeSet::new();
        fields(&report, &["environment", "driver_options"], &mut names);
        let text = documented(verb);
        let missing: Vec<_> = names.iter().filter(|name| !text.contains(&format!("`{name}`"))).collect();
        let listed = |name: &&&String| !text.contains(&format!("`{name}[]`"));
        let missing: Vec<_> = missing.iter().filter(listed).collect();
        assert!(missing.is_empty(), "{verb}: {missing:?}");
        assert!(text.contains(report["schema"].as_str().unwrap()), "{verb}");
    }
}
