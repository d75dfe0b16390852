//! Pages of documents like those that the verbs print.

use serde_json::json;

use super::super::charts::charts;
use super::super::figure::Figure;
use super::*;

fn machine(devices: u32, simulated: bool) -> serde_json::Value {
    let pairs: Vec<_> = (0..devices)
        .flat_map(|accessor| (0..devices).map(move |owner| (accessor, owner)))
        .filter(|(accessor, owner)| accessor != owner)
        .map(|(accessor, owner)| {
            json!({"accessor": accessor, "owner": owner, "can_access": true, "link": {"kind": "nvlink", "links": 18},
                   "performance_rank": 0, "native_atomics": true, "array_access": true})
        })
        .collect();
    let devices: Vec<_> = (0..devices)
        .map(|ordinal| {
            json!({"ordinal": ordinal, "name": "A GPU with <a> name", "uuid": "GPU-x", "bus_id": format!("0000:{ordinal:02x}:00.0"),
                   "nvml_index": ordinal, "compute_capability": [9, 0], "memory_bytes": 150_000_000_000u64, "numa_node": 0,
                   "nvlinks": {"up": 18, "down": 0, "link_bytes_per_second": 26_562_000_000u64}})
        })
        .collect();
    json!({"simulated": simulated, "simulated_because": null, "simulated_config": null, "runtime_version": "13.0",
           "runtime_library": null, "driver_cuda_version": "13.0", "driver_version": "580.0", "nvml_missing_because": null,
           "devices": devices, "pairs": pairs})
}

/// Documents of a machine of so many devices.
pub(in crate::report) fn documents(devices: u32, simulated: bool, outcome: &str) -> Documents {
    let mut documents = Documents::default();
    let machine = machine(devices, simulated);
    let pairs = machine["pairs"].as_array().unwrap().clone();
    let of = |test: &str, unit: &str, bytes: u64, median: f64| {
        pairs
            .iter()
            .map(|pair| {
                let place = json!({"pair": {"accessor": pair["accessor"], "owner": pair["owner"]}});
                let median = if simulated { None } else { Some(median * (1.0 + pair["owner"].as_f64().unwrap() / 50.0)) };
                json!({"test": test, "place": place, "bytes": bytes, "unit": unit, "outcome": "measured", "median": median,
                       "low": median, "high": median, "checked_bytes": bytes, "path": null})
            })
            .collect::<Vec<_>>()
    };
    let mut results = Vec::new();
    for (test, rate) in [("driver_staged_read", 38.0), ("staged_read", 52.0), ("engine_both", 781.0)] {
        results.extend(of(test, "GB/s", 1 << 30, rate));
    }
    for (test, most, start) in [
        ("engine_read", 396.0, 2.3),
        ("engine_write", 394.0, 2.2),
        ("kernel_read", 374.0, 2.5),
        ("kernel_write", 370.0, 2.2),
    ] {
        for shift in [12, 16, 20, 24, 30] {
            let bytes = 1u64 << shift;
            results.extend(of(
                test,
                "GB/s",
                bytes,
                bytes as f64 / 1e3 / (start + bytes as f64 / (most * 1e3)),
            ));
        }
    }
    results.extend(of("chase", "ns", 0, 829.0));
    for value in [
        json!({"schema": "cuda-p2p.bench/1", "machine": machine.clone(), "bytes": 1u64 << 30, "samples": 9, "results": results,
               "comparisons": [{"tool": "nvbandwidth", "problem": null, "figures": [
                   {"test": "engine_read", "place": {"pair": {"accessor": 0, "owner": 1}}, "unit": "GB/s", "theirs": 394.0,
                    "ours": 396.0, "ratio": 1.005}]}, {"tool": "raw_peer", "problem": null, "figures": [
                   {"test": "small_kernel_read", "place": {"pair": {"accessor": 0, "owner": 1}}, "bytes": 4096,
                    "their_test": "small_engine_read", "unit": "us", "theirs": 13.3, "ours": 2.9, "ratio": 0.218}]}]}),
        json!({"schema": "cuda-p2p.verify/1", "machine": machine, "pairs": pairs.iter().map(|pair| {
            json!({"accessor": pair["accessor"], "owner": pair["owner"], "outcome": outcome})
        }).collect::<Vec<_>>()}),
        json!({"schema": "cuda-p2p.doctor/1", "gaps": ["access control (ACS) of PCIe bridges: takes root"], "findings": [{
            "condition": "links_down", "effect": "slows", "certainty": "certain", "pairs": [{"accessor": 0, "owner": 1}],
            "evidence": [{"source": "NVML", "read": "device 0: 15 of 18 links up"}],
            "meaning": "Three of eighteen NVLinks are down; the pair works at five sixths of its rate.",
            "remedy": "Look at 'nvidia-smi nvlink -s', and reseat or replace."}]}),
    ] {
        documents.take(value).unwrap();
    }
    documents
}

fn page_of(documents: &Documents) -> String {
    page(documents, &charts(documents))
}

#[test]
fn a_page_has_every_part_and_asks_for_nothing() {
    let html = page_of(&documents(2, false, "proven"));
    for part in [
        "2 of 2 ordered pairs proven.",
        "A GPU with &lt;a&gt; name",
        "Copy engine, accessor reads: owner -&gt; accessor, 1 GiB: GB/s",
        "18 NVLinks carry 26.6 GB/s each",
        "links down",
        "15 of 18 links up",
        "1.005",
        "<td>Small copy owner -&gt; accessor by a kernel, in a stream, 4 KiB</td>",
    ] {
        assert!(html.contains(part), "{part:?} is missing");
    }
    for foreign in ["http://", "https://", "<script", "@import", "url("] {
        assert!(!html.contains(foreign), "{foreign:?} is in it");
    }
    assert!(!html.contains("SIMULATED"));
}

#[test]
fn a_simulated_machine_says_so_and_shows_no_speed() {
    let documents = documents(4, true, "proven");
    assert!(charts(&documents).is_empty());
    let html = page_of(&documents);
    assert!(html.contains("SIMULATED") && !html.contains("<svg") && !html.contains("GB/s<"));
}

#[test]
fn what_is_wrong_is_counted() {
    let verdict = |outcome| sections::verdict(&documents(3, false, outcome));
    assert_eq!(verdict("proven").0, "good");
    assert_eq!(
        verdict("unreachable"),
        ("plain", "0 of 6 ordered pairs proven; 6 have no peer access.".to_owned())
    );
    assert_eq!(
        verdict("wrong_data"),
        ("bad", "0 of 6 ordered pairs proven; 6 with WRONG DATA, 0 FAILED.".to_owned())
    );
    assert_eq!(verdict("failed"), ("bad", "0 of 6 ordered pairs proven; 6 FAILED.".to_owned()));
    assert_eq!(verdict("untested"), ("plain", "0 of 6 ordered pairs proven; 6 not tested.".to_owned()));
    let mut skipping = documents(2, false, "proven");
    for (skipped, told) in [(1, "; 1 path skipped."), (4, "; 4 paths skipped.")] {
        skipping.verify.as_mut().unwrap().verdict.skipped = skipped;
        assert_eq!(sections::verdict(&skipping), ("good", format!("2 of 2 ordered pairs proven{told}")));
    }
}

#[test]
fn a_picture_stands_alone_as_well() {
    let documents = documents(2, false, "proven");
    let charts = charts(&documents);
    let names: Vec<&str> = charts.iter().map(|chart| chart.name.as_str()).collect();
    assert_eq!(names[0], "sizes");
    assert!(names.contains(&"engine_read-1073741824") && names.contains(&"chase-0"), "{names:?}");
    assert!(
        charts
            .iter()
            .map(Figure::standalone)
            .all(|svg| svg.starts_with("<svg xmlns=") && svg.contains("--ink:#"))
    );
}

/// Writes pages to look at into the folder that the variable names.
#[test]
fn pages_to_look_at() {
    let Some(folder) = std::env::var_os("CUDA_P2P_REPORT_PAGES") else { return };
    for devices in [2, 8, 16] {
        let path = std::path::Path::new(&folder).join(format!("{devices}.html"));
        std::fs::write(path, page_of(&documents(devices, false, "proven"))).unwrap();
    }
}
