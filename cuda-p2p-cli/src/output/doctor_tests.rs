use super::super::fixtures::assert_snapshot;
use super::*;
use crate::doctor::Snapshot;
use crate::doctor::fixtures::{does_not_start, hgx, pcie, real_vm, tried, with_iommu};
use crate::exit::Exit;
use crate::verify::Step;

fn screen(snapshot: Snapshot) -> (Exit, String) {
    let report = Report::new(snapshot);
    (report.exit, doctor(&report, Style::plain()))
}

#[test]
fn a_healthy_machine_is_told_so() {
    let (exit, text) = screen(real_vm());
    assert_eq!(exit, Exit::Proven);
    assert_snapshot("healthy", include_str!("snapshots/doctor_healthy.txt"), &text);
}

#[test]
fn the_worst_comes_first() {
    let mut machine = pcie();
    with_iommu(&mut machine);
    tried(&mut machine, 0, 1, &TrialOutcome::Hung { step: Some(Step::EngineRead) });
    machine.nvml.gpus[2].slowdowns = vec!["hw_thermal".to_owned()];
    machine.nvml.gpus[3].persistence = Some(false);
    let (exit, text) = screen(machine);
    assert_eq!(exit, Exit::ProblemFound);
    assert_snapshot("several", include_str!("snapshots/doctor_several.txt"), &text);
}

#[test]
fn a_machine_on_which_cuda_does_not_start() {
    let text = "cudaGetDeviceCount failed with 802 (cudaErrorSystemNotReady): system not yet initialized";
    let (exit, text) = screen(does_not_start(hgx(), text));
    assert_eq!(exit, Exit::ProblemFound);
    assert_snapshot("802", include_str!("snapshots/doctor_does_not_start.txt"), &text);
}

#[test]
fn what_could_not_be_read_is_said() {
    let mut machine = pcie();
    machine.nvml =
        crate::doctor::Nvml { missing_because: Some("not found".to_owned()), ..Default::default() };
    machine.system.pci.iter_mut().for_each(|device| device.acs = crate::doctor::Acs::Unreadable);
    machine.cuda.trials.clear();
    machine.cuda.untried_because = Some("--look-only".to_owned());
    let (exit, text) = screen(machine);
    assert_eq!(exit, Exit::Proven);
    assert_snapshot("gaps", include_str!("snapshots/doctor_gaps.txt"), &text);
}

#[test]
fn many_pairs_are_named_in_ranges_and_one_line_says_it_all() {
    let mut machine = hgx();
    machine.nvml.gpus[5].nvlinks.as_mut().unwrap().down = 3;
    let report = Report::new(machine);
    assert!(
        doctor(&report, Style::plain()).contains("pairs: 0->5 1->5 2->5 3->5 4->5 5->0-4,6,7 6->5 7->5\n")
    );
    assert_eq!(doctor_last_line(&report, Style::plain()), "1 condition that slows them down\n");
}
