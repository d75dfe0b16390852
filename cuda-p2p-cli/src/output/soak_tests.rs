use std::time::Duration;

use super::super::fixtures::{asked, assert_snapshot, machine, simulated};
use super::*;
use crate::options::OrderedPair;
use crate::topo::Machine;
use crate::verify::{Asked, Finding, Kind, Path, Range, Step, StepReport};

/// A soak of an hour, in which each pair comes to what `change` has it.
fn report(machine: Machine, interrupted: bool, change: impl Fn(&mut PairTally)) -> SoakReport {
    let pairs = machine.pairs.iter().map(|info| {
        let mut pair = PairTally::new(info.pair, &Path::ALL);
        pair.outcome = PairOutcome::Unreachable;
        if info.can_access {
            (pair.outcome, pair.turns, pair.rounds) = (PairOutcome::Proven, 120, 4321);
            for path in &mut pair.paths {
                path.tally.rounds = 4321;
                if path.path != Path::Flags {
                    (path.tally.moves, path.tally.bytes) = (51_852, 987_654_321_000);
                }
            }
            change(&mut pair);
        }
        pair
    });
    let (pairs, hour) = (pairs.collect(), Duration::from_secs(3600));
    let took = if interrupted { Duration::from_millis(83_450) } else { hour };
    SoakReport::new(
        machine,
        Asked { sizes: vec![1, 64 << 20], ..asked(false) },
        pairs,
        hour,
        took,
        interrupted,
    )
}

fn screen(report: &SoakReport) -> String {
    soak(report, Style::plain())
}

#[test]
fn a_soak_without_errors() {
    let report = report(machine(2, 2, None), false, |_| {});
    assert_snapshot("proven", include_str!("snapshots/soak_proven.txt"), &screen(&report));
}

#[test]
fn errors_are_counted_by_path_and_the_first_of_each_is_shown() {
    let report = report(machine(4, 2, None), true, |pair| {
        if pair.pair != (OrderedPair { accessor: 0, owner: 1 }) {
            return;
        }
        pair.outcome = PairOutcome::WrongData;
        let finding = Finding {
            device: 1,
            range: Range::Destination,
            bytes: 4097,
            wrong: 4096,
            first: 1,
            expected: 0x0a,
            got: 0xf5,
            kind: Some(Kind::Mirrored),
        };
        for (place, path) in pair.paths.iter_mut().enumerate().skip(3).take(2) {
            path.tally.errors.insert(Trouble::Mirrored, 17);
            path.tally.errors.insert(Trouble::Hung, 1);
            path.tally.first_error = Some(FirstError {
                at_ms: 70_000 - 1000 * place as u64,
                round: 12,
                seed: 4_000_000_000,
                sizes: vec![4097, 60_000_000],
                step: Some(StepReport {
                    step: Step::PoolKernelWrite,
                    bytes: Some(4097),
                    offsets: Some((3, 14)),
                    path: None,
                    outcome: StepOutcome::Wrong { findings: vec![finding], note: None },
                }),
                ending: None,
            });
        }
        pair.paths[7].tally.skipped = Some("cudaIpcGetMemHandle: not supported".to_owned());
        pair.setup.errors.insert(Trouble::Died, 1);
    });
    assert_snapshot("wrong", include_str!("snapshots/soak_wrong.txt"), &screen(&report));
}

#[test]
fn a_soak_of_sixteen_devices_fits() {
    let report = report(simulated(16, 4), false, |pair| {
        if pair.pair.accessor == 15 {
            pair.outcome = PairOutcome::Failed;
            for path in &mut pair.paths {
                path.tally.errors.insert(Trouble::FlagMissed, 123_456);
            }
        }
    });
    assert_snapshot("sixteen", include_str!("snapshots/soak_sixteen.txt"), &screen(&report));
}

#[test]
fn times_and_volumes_are_readable() {
    let times = [0, 999, 59_900, 60_000, 3_599_000, 3_600_000, 86_400_000].map(time);
    assert_eq!(times, ["0.0 s", "0.9 s", "59.9 s", "1 min 0 s", "59 min 59 s", "1 h 0 min", "24 h 0 min"]);
    let counts = [0, 9999, 10_000, 9_999_999, 12_345_678].map(short);
    assert_eq!(counts, ["0", "9999", "10k", "9999k", "12M"]);
    assert_eq!([1, 1023, 1536, 5 << 30].map(volume), ["1 byte", "1023 bytes", "1.5 KiB", "5.0 GiB"]);
}
