//! Results as a machine might give them, for the tests of the screens.

use crate::child::{Ending, Outcome};
use crate::exit::Exit;
use crate::options::OrderedPair;
use crate::topo::{DeviceInfo, Link, Machine, Nvlinks, PairInfo};
use crate::verify::{Asked, PairReport, Path, Report, Step, StepOutcome, StepReport};

/// A machine of `count` devices in groups of `island` neighbours, which are peers over `link`.
pub(crate) fn machine(count: u32, island: u32, link: Option<Link>) -> Machine {
    let ordinals = || 0..count;
    Machine {
        simulated: false,
        simulated_because: None,
        simulated_config: None,
        runtime_version: "13.0".to_owned(),
        runtime_library: Some("/usr/local/cuda/lib64/libcudart.so.13".to_owned()),
        driver_cuda_version: "13.0".to_owned(),
        driver_version: Some("580.159.03".to_owned()),
        nvml_missing_because: None,
        devices: ordinals()
            .map(|ordinal| DeviceInfo {
                ordinal,
                name: "NVIDIA H200".to_owned(),
                uuid: format!("GPU-{ordinal:08x}-1111-2222-3333-444444444444"),
                bus_id: format!("0000:{:02X}:00.0", 0x1b + ordinal),
                nvml_index: Some(count - 1 - ordinal),
                numa_node: Some(ordinal / 4),
                nvlinks: matches!(link, Some(Link::Nvlink { .. })).then_some(Nvlinks {
                    up: 18,
                    down: 0,
                    link_bytes_per_second: Some(26_562_000_000),
                }),
                compute_capability: (9, 0),
                memory_bytes: Some(150_121_545_728),
            })
            .collect(),
        pairs: ordinals()
            .flat_map(|accessor| ordinals().map(move |owner| OrderedPair { accessor, owner }))
            .filter(|pair| pair.accessor != pair.owner)
            .map(|pair| {
                let can_access = pair.accessor / island == pair.owner / island;
                PairInfo {
                    pair,
                    can_access,
                    link: if can_access { link } else { link.map(|_| Link::System) },
                    pcie_path: Some(if can_access { Link::NumaNode } else { Link::System }),
                    performance_rank: 0,
                    native_atomics: can_access,
                    array_access: can_access,
                }
            })
            .collect(),
    }
}

/// The same, simulated.
pub(super) fn simulated(count: u32, island: u32) -> Machine {
    let real = machine(count, island, None);
    Machine {
        simulated: true,
        simulated_because: Some("no libcudart.so.13 was found".to_owned()),
        simulated_config: Some(format!("devices={count} islands={}", count / island)),
        runtime_library: None,
        driver_version: None,
        devices: real
            .devices
            .iter()
            .map(|device| DeviceInfo { nvml_index: None, numa_node: None, ..device.clone() })
            .collect(),
        pairs: real.pairs.iter().map(|pair| PairInfo { pcie_path: None, ..pair.clone() }).collect(),
        ..real
    }
}

/// A step of one size.
fn step(step: Step, outcome: StepOutcome) -> StepReport {
    StepReport {
        step,
        bytes: step.moves_data().then_some(4097),
        offsets: step.moves_data().then_some((0, 0)),
        path: None,
        outcome,
    }
}

/// A step that passed.
pub(super) fn passed(which: Step) -> StepReport {
    step(which, StepOutcome::Passed)
}

/// A pair whose process reported these steps and ended so.
pub(super) fn concluded(
    pair: OrderedPair,
    steps: Vec<StepReport>,
    ending: Ending,
    complaint: &str,
) -> PairReport {
    let due = Step::ALL.map(|which| step(which, StepOutcome::Unfinished));
    PairReport::concluded(pair, steps, &due, Outcome { ending, complaint: complaint.to_owned() })
}

/// A pair whose process reported all that it could have, and ended well.
pub(super) fn skipped(pair: OrderedPair, steps: Vec<StepReport>) -> PairReport {
    let due: Vec<StepReport> =
        steps.iter().map(|report| step(report.step, StepOutcome::Unfinished)).collect();
    let outcome = Outcome { ending: Ending::Done, complaint: String::new() };
    PairReport::concluded(pair, steps, &due, outcome)
}

/// Every step passed.
pub(super) fn proven(pair: OrderedPair) -> PairReport {
    concluded(pair, Step::ALL.map(passed).to_vec(), Ending::Done, "")
}

/// What is asked for where nothing is said.
pub(super) fn asked(named_pairs: bool) -> Asked {
    let (seed, sizes) = (42, vec![1, 4097, 4096, 64 << 20]);
    Asked { seed, sizes, paths: Path::ALL.to_vec(), named_pairs, named_paths: false }
}

/// A report in which every pair with access is proven, except as `change` has it.
pub(super) fn report(machine: Machine, change: impl Fn(PairReport) -> PairReport) -> Report {
    let pairs = machine
        .pairs
        .iter()
        .map(
            |info| {
                if info.can_access { change(proven(info.pair)) } else { PairReport::unreachable(info.pair) }
            },
        )
        .collect();
    Report::new(machine, &asked(false), pairs)
}

/// The same, if its pairs had been asked for by name.
pub(super) fn named(report: Report) -> Report {
    Report::new(report.machine, &asked(true), report.pairs)
}

/// What the report's exit status is called.
pub(super) fn exit(report: &Report) -> Exit {
    report.verdict.exit
}

/// Compares with the file, and shows the text as it is if they differ.
pub(super) fn assert_snapshot(name: &str, expected: &str, text: &str) {
    let too_wide: Vec<_> = text.lines().filter(|line| line.chars().count() > super::WIDTH).collect();
    assert!(too_wide.is_empty(), "{name}: wider than {} columns: {too_wide:#?}", super::WIDTH);
    assert!(text == expected, "{name} differs; it is now:\n{text}");
}
