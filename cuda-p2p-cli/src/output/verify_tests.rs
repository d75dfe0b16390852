use super::super::fixtures::{
    assert_snapshot, concluded, exit, machine, named, passed, report, simulated, skipped,
};
use super::*;
use crate::topo::Link;
use crate::verify::{Finding, Kind, Range};

fn screen(report: &Report) -> String {
    verify(report, Style::plain())
}

#[test]
fn a_proven_pair() {
    let report = report(machine(2, 2, Some(Link::Nvlink { links: 18 })), |pair| pair);
    assert_eq!(exit(&report), Exit::Proven);
    assert_snapshot("proven", include_str!("snapshots/verify_proven.txt"), &screen(&report));
}

#[test]
fn two_simulated_islands() {
    let report = report(simulated(4, 2), |pair| pair);
    assert_snapshot("islands", include_str!("snapshots/verify_islands.txt"), &screen(&report));
}

#[test]
fn wrong_bytes_are_placed_counted_and_shown() {
    let report = report(machine(2, 2, None), |mut pair| {
        if pair.pair.accessor == 0 {
            let index = Step::ALL.iter().position(|step| *step == Step::KernelWrite).unwrap();
            let finding = Finding {
                device: 1,
                range: Range::Destination,
                bytes: 4097,
                wrong: 4096,
                first: 1,
                expected: 0x0a,
                got: 0xf5,
                kind: Some(Kind::Dropped),
            };
            pair.steps[index] = StepReport {
                offsets: Some((3, 14)),
                outcome: StepOutcome::Wrong { findings: vec![finding], note: None },
                ..passed(Step::KernelWrite)
            };
        }
        concluded(pair.pair, pair.steps, Ending::Done, "")
    });
    assert_eq!(exit(&report), Exit::WrongData);
    assert_snapshot("wrong", include_str!("snapshots/verify_wrong.txt"), &screen(&report));
}

#[test]
fn of_a_steps_wrong_moves_the_first_is_told_and_the_others_are_counted() {
    let report = report(machine(2, 2, None), |mut pair| {
        if pair.pair.accessor == 0 {
            let index = Step::ALL.iter().position(|step| *step == Step::KernelWrite).unwrap();
            let wrong = |size| StepReport {
                bytes: Some(size),
                outcome: StepOutcome::Wrong {
                    findings: vec![Finding {
                        device: 1,
                        range: Range::Destination,
                        bytes: size,
                        wrong: size,
                        first: 0,
                        expected: 0x0a,
                        got: 0xf5,
                        kind: None,
                    }],
                    note: None,
                },
                ..passed(Step::KernelWrite)
            };
            let sound = StepReport { bytes: Some(64), ..passed(Step::KernelWrite) };
            let moves = [sound, wrong(4096), wrong(4097), wrong(1 << 20), wrong(1 << 20)];
            pair.steps.splice(index..=index, moves);
        }
        concluded(pair.pair, pair.steps, Ending::Done, "")
    });
    let screen = screen(&report);
    assert_eq!(screen.matches("wrong bytes: ").count(), 1, "{screen}");
    assert!(screen.contains("4096 of 4096 bytes wrong"), "{screen}");
    assert!(
        screen.contains("wrong as well: 3 other moves of this step, of 5 in all (4097 bytes, 1 MiB);"),
        "{screen}"
    );
}

#[test]
fn a_child_that_hung_and_one_that_died() {
    let report = report(machine(2, 2, None), |mut pair| {
        let begun = if pair.pair.accessor == 0 { Step::EngineRead } else { Step::KernelRead };
        pair.steps.retain(|step| step.step <= begun);
        if let Some(last) = pair.steps.last_mut() {
            last.outcome = StepOutcome::Unfinished;
        }
        let ending = match pair.pair.accessor {
            0 => Ending::Hung { deadline_ms: 60_000, gone: false },
            _ => Ending::Killed { signal: 11 },
        };
        concluded(pair.pair, pair.steps, ending, "it said something")
    });
    assert_eq!(exit(&report), Exit::CudaFailed);
    assert_snapshot("hung", include_str!("snapshots/verify_hung.txt"), &screen(&report));
}

#[test]
fn one_device_has_nothing_to_test() {
    let report = report(simulated(1, 1), |pair| pair);
    assert_eq!(exit(&report), Exit::NothingToTest);
    assert_snapshot("one", include_str!("snapshots/verify_one_device.txt"), &screen(&report));
}

#[test]
fn every_screen_of_sixteen_devices_fits() {
    let report = report(machine(16, 4, Some(Link::Nvlink { links: 18 })), |pair| pair);
    let text = screen(&report);
    assert_snapshot("sixteen", include_str!("snapshots/verify_sixteen.txt"), &text);
}

#[test]
fn the_last_line_stands_alone_and_says_that_it_is_simulated() {
    let line = verify_last_line(&report(simulated(2, 2), |pair| pair), Style::plain());
    assert_eq!(line, "2 of 2 ordered pairs proven (SIMULATED: no libcudart.so.13 was found)\n");
}

#[test]
fn a_pair_that_was_asked_for_by_name_and_has_no_access_is_named() {
    let islands = report(simulated(4, 2), |pair| pair);
    assert_eq!(exit(&islands), Exit::Proven);
    let asked = named(islands);
    assert_eq!(exit(&asked), Exit::NothingToTest);
    let line = verify_last_line(&asked, Style::plain()).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.starts_with("4 proven, 8 unreachable, though asked for: 0->2, "), "{line}");
}

#[test]
fn a_pair_of_which_too_little_was_heard_says_what_was_not_run() {
    let report = report(machine(2, 2, None), |mut pair| {
        pair.steps.retain(|step| step.step != Step::KernelWrite);
        concluded(pair.pair, pair.steps, Ending::Done, "")
    });
    assert_eq!(exit(&report), Exit::CudaFailed);
    let text = screen(&report);
    assert!(text.contains("0->1: not run: kernel of the accessor writes the owner\n"), "{text}");
}

#[test]
fn devices_of_one_name_are_listed_together() {
    let mut machine = machine(4, 4, None);
    assert_eq!(devices(&machine), "devices 0, 1, 2, 3: NVIDIA H200");
    machine.devices[2].name = "NVIDIA A100".to_owned();
    assert_eq!(devices(&machine), "devices 0, 1, 3: NVIDIA H200; device 2: NVIDIA A100");
}

#[test]
fn what_could_not_be_had_is_listed_with_the_reason_and_counted() {
    let report = report(machine(4, 4, None), |mut pair| {
        pair.steps.retain(|step| step.step.path() != Some(Path::Ipc) || step.step == Step::IpcOpen);
        if let Some(last) = pair.steps.iter_mut().find(|step| step.step == Step::IpcOpen) {
            last.outcome = StepOutcome::Skipped { reason: "cudaIpcGetMemHandle: not supported".to_owned() };
        }
        skipped(pair.pair, pair.steps)
    });
    assert_eq!(exit(&report), Exit::Proven);
    assert_snapshot("skipped", include_str!("snapshots/verify_skipped.txt"), &screen(&report));
}

#[test]
fn only_paths_that_were_asked_for_have_a_column() {
    let mut report = report(machine(2, 2, None), |pair| pair);
    report.paths = vec![Path::Staged];
    let text = screen(&report);
    let header = text.lines().find(|line| line.starts_with("pair")).unwrap();
    assert_eq!(header.split_whitespace().collect::<Vec<_>>(), ["pair", "access", "staged", "result"]);
}

#[test]
fn the_widest_words_fit_in_every_column() {
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    let results = ["proven", "WRONG DATA", "FAILED", "unreachable", "not tested"];
    for (cell, result) in ["ok", "WRONG", "FAILED", "skipped", "HUNG", "9999k"]
        .into_iter()
        .flat_map(|cell| results.map(|result| (cell, result)))
    {
        let pairs = [(10, 11), (15, 14)].map(|(accessor, owner)| {
            let row = std::iter::repeat_n(cell, names.len()).chain([result]).map(str::to_owned).collect();
            (OrderedPair { accessor, owner }, row)
        });
        let table = pair_table(&names, pairs.to_vec());
        assert!(table.lines().all(|line| line.len() <= WIDTH), "{table}");
        // What does not pass is seen as that, however little room there is.
        let short = if cell == "FAILED" { "FAIL" } else { &cell[..cell.len().min(4)] };
        assert!(table.contains(short), "{table}");
    }
}
