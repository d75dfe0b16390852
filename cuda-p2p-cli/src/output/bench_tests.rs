use super::super::fixtures::{machine, simulated};
use super::*;
use crate::bench::Figures;
use crate::topo::{Link, Machine};

const BYTES: u64 = 1 << 30;

/// Everything that is measured of a machine with access everywhere, each with `outcome`.
fn report(machine: Machine, outcome: impl Fn(Place, Test) -> Outcome) -> Report {
    let mut results = Vec::new();
    for info in &machine.pairs {
        let place = Place::Pair(info.pair);
        let mut add = |test: Test, bytes| {
            results.push(BenchResult::new(place, Due { test, bytes }, outcome(place, test)));
        };
        for test in large_tests() {
            add(test, if Test::LATENCY.contains(&test) { 0 } else { BYTES });
        }
        for test in Test::SMALL {
            add(test, 4096);
        }
        for test in Test::SWEPT {
            add(test, 1 << 20);
        }
    }
    for device in &machine.devices {
        let place = Place::One { device: device.ordinal };
        for test in Test::MANY {
            results.push(BenchResult::new(place, Due { test, bytes: BYTES }, outcome(place, test)));
        }
    }
    Report::new(machine, BYTES, 7, results, Vec::new())
}

fn measured(median: Option<f64>) -> Outcome {
    Outcome::Measured(Figures { median, low: median, high: median, checked_bytes: BYTES, path: None })
}

#[test]
fn every_screen_of_sixteen_devices_fits_and_can_be_read() {
    let report = report(machine(16, 16, Some(Link::Nvlink { links: 18 })), |_, _| measured(Some(1234.5678)));
    let text = bench(&report, Style::plain());
    let wide: Vec<_> = text.lines().filter(|line| line.chars().count() > super::super::WIDTH).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    let rates = large_tests().filter(|test| test.unit() == Unit::GigabytesPerSecond).count();
    let cells = text.split_whitespace().filter(|word| *word == "1234.6").count();
    // The matrices; lowest, median and highest of the sweep with the large size; and the devices with all others.
    assert_eq!(cells, 240 * rates + 4 * 2 * 3 + 32);
    // A table for each of 240 pairs would be thousands of lines.
    assert!(text.lines().count() < 1000, "{}", text.lines().count());
    assert!(text.contains("Copy engine, accessor reads: owner -> accessor, GB/s"), "{text}");
}

#[test]
fn a_simulated_machine_shows_no_figure() {
    let report = report(simulated(2, 2), |_, _| measured(None));
    let text = bench(&report, Style::plain());
    assert!(text.starts_with("SIMULATED"), "{text}");
    assert!(text.contains("ok") && !text.contains("-1"), "{text}");
}

#[test]
fn what_went_wrong_is_in_its_cell_and_told_once() {
    let pair = Place::Pair(OrderedPair { accessor: 1, owner: 0 });
    let report = report(machine(2, 2, None), |place, test| match (place == pair, test) {
        (true, Test::EngineWrite) => Outcome::WrongData { wrong: 7, first: 42 },
        (true, Test::KernelWrite | Test::KernelBoth) => Outcome::Failed { error: "no luck".to_owned() },
        _ => measured(Some(390.0)),
    });
    let text = bench(&report, Style::plain());
    assert_eq!(report.verdict, Exit::WrongData);
    assert_eq!(text.matches("WRONG").count(), 3, "its matrix, and both sizes of the sweep: {text}");
    assert!(
        text.contains("1->0: Copy engine, accessor writes: accessor -> owner: 7 bytes are wrong"),
        "{text}"
    );
    assert_eq!(text.matches("no luck").count(), 1, "{text}");
}

#[test]
fn other_tools_stand_beside() {
    let mut report = report(machine(2, 2, None), |_, _| measured(Some(396.0)));
    let place = Place::Pair(OrderedPair { accessor: 0, owner: 1 });
    let beside = crate::bench::Beside {
        test: Test::EngineWrite,
        place,
        bytes: BYTES,
        their_test: "device_to_device_memcpy_write_ce",
        unit: Unit::GigabytesPerSecond,
        theirs: 396.4,
        ours: 396.0,
        ratio: 396.0 / 396.4,
    };
    let small = crate::bench::Beside {
        test: Test::SmallKernelRead,
        bytes: 4096,
        unit: Unit::Microseconds,
        theirs: 13.33,
        ours: 2.91,
        ratio: 2.91 / 13.33,
        ..beside.clone()
    };
    report.comparisons = vec![
        Comparison { tool: "nvbandwidth", problem: None, figures: vec![beside] },
        Comparison { tool: "raw_peer", problem: None, figures: vec![small] },
        Comparison { tool: "sendrecv_perf", problem: Some("not found".to_owned()), figures: Vec::new() },
    ];
    let text = bench(&report, Style::plain());
    let row = text.lines().find(|line| line.contains("0.999")).unwrap();
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>(),
        ["0->1", "GB/s", "396.0", "396.4", "0.999", "engine", "write"]
    );
    assert!(text.contains("Beside sendrecv_perf\n  not found"), "{text}");
    let row = text.lines().find(|line| line.contains("0.218")).unwrap();
    assert!(row.ends_with("small kernel read, 4 KiB"), "{row}");
    assert_eq!(text.matches("a ratio below 1").count(), 1, "{text}");
}

#[test]
fn devices_that_nothing_was_measured_of_are_in_no_matrix() {
    let mut report = report(machine(16, 16, None), |_, _| measured(Some(5.0)));
    let wanted = [(2, 11), (11, 2)].map(|(accessor, owner)| Place::Pair(OrderedPair { accessor, owner }));
    report.results.retain(|result| wanted.contains(&result.place));
    let text = bench(&report, Style::plain());
    assert!(text.contains("GB/s\nfrom     2    11\n   2     X  5.00\n  11  5.00     X\n"), "{text}");
}
