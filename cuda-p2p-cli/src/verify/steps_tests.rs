//! Whole proofs on simulated devices, with kernels that never run though every launch succeeds, and with data that is made wrong on
//! each path. None is proven, and what is wrong is named.

use std::collections::BTreeSet;

use cuda_p2p::sim::MachineConfig;

use super::super::course::{Course, due};
use super::super::diagnosis::Kind;
use super::super::kernels::Kernel::{self, Check, Copy, Fill, PingPong};
use super::super::report::{PairOutcome, PairReport, Range, StepOutcome, StepReport};
use super::super::transfer::Tamper;
use super::*;
use crate::child::{Ending, Outcome};
use crate::options::OrderedPair;

/// Small enough that the host looks at all of it, and so large that it does not.
const SIZES: [u64; 2] = [1, 1 << 20];

/// What a parent would say of the pair if its child ended well.
fn proof(
    paths: &[Path],
    sizes: &[u64],
    idle: &'static [Kernel],
    tamper: Option<Tamper>,
    partner: Option<Partner>,
) -> PairReport {
    let pair = OrderedPair { accessor: 0, owner: 1 };
    let (paths, sizes) = (paths.to_vec(), sizes.to_vec());
    let job = PairJob { pair, paths, sizes, seed: 7, simulated: true, turn: None };
    let mut course = Course::new(due(&job.paths, &job.sizes, job.seed));
    let mut send = |message: &crate::worker::Message| {
        let line = serde_json::to_string(message).unwrap();
        course.hear(serde_json::from_str(&line).unwrap()).unwrap();
    };
    let load = || {
        let runtime = Runtime::simulated(MachineConfig::pair()).unwrap();
        let mut kernels = ProofKernels::load(&runtime)?;
        kernels.idle = idle;
        Ok((runtime, kernels))
    };
    let mut session = Session::new(&MachineChoice::Real, &load);
    session.tamper = tamper;
    session.partner = partner;
    let (Ok(()) | Err(Stop)) = prove_all(&mut session, &job, &mut Recorder::new(&mut send));
    course.concluded(pair, Outcome { ending: Ending::Done, complaint: String::new() })
}

/// The first step that did not pass, and why.
fn fault(report: &PairReport) -> (Step, String) {
    let fault = report.steps.iter().find_map(|step| match &step.outcome {
        StepOutcome::Passed => None,
        StepOutcome::Failed { error } => Some((step.step, error.clone())),
        other => Some((step.step, format!("{other:?}"))),
    });
    fault.unwrap_or_else(|| panic!("{report:?}"))
}

/// All but those that take another process.
fn of_one_process() -> Vec<Path> {
    Path::ALL.into_iter().filter(|path| !matches!(path, Path::Ipc | Path::IpcPool)).collect()
}

/// Each step of the path that moves data has to find just this.
fn expect_kind(report: &PairReport, path: Path, kind: impl Fn(Step) -> Kind) {
    let mut moved = BTreeSet::new();
    for step in report.steps.iter().filter(|step| step.step.path() == Some(path) && step.step.moves_data()) {
        let StepOutcome::Wrong { findings, .. } = &step.outcome else { panic!("{step:?}") };
        let [finding] = findings[..] else { panic!("{step:?}") };
        assert_eq!((finding.range, finding.kind), (Range::Destination, Some(kind(step.step))), "{step:?}");
        moved.insert(step.step);
    }
    let all = Step::ALL.iter().filter(|step| step.path() == Some(path) && step.moves_data());
    assert_eq!(moved.len(), all.count(), "{path}: {report:?}");
}

/// The device that the data moves to looks at its own memory, and says what became of it: on each path.
fn expect_every_kind(path: Path, partner: &dyn Fn() -> Option<Partner>) {
    let reads = |step: Step| step.movement().is_some_and(|movement| movement.reads);
    let prove = |tamper| proof(&[path], &[4097], &[], Some(tamper), partner());
    assert_eq!(proof(&[path], &[4097], &[], None, partner()).outcome, PairOutcome::Proven, "{path}");
    // What the larger move before it left there.
    let stale = proof(&[path], &[8192, 4097], &[], Some(Tamper::Stale(4097)), partner());
    let aligned = |step: &&StepReport| step.bytes == Some(4097) && step.offsets == Some((0, 0));
    for step in stale.steps.iter().filter(aligned) {
        let StepOutcome::Wrong { findings, .. } = &step.outcome else { panic!("{step:?}") };
        assert_eq!(findings[0].kind, Some(Kind::Stale), "{step:?}");
    }
    expect_kind(&prove(Tamper::Dropped), path, |_| Kind::Dropped);
    expect_kind(&prove(Tamper::Flipped), path, |_| Kind::Flipped);
    expect_kind(&prove(Tamper::Shifted(3)), path, |_| Kind::Shifted { by: 3 });
    // The memory of a read's destination is the accessor's own; without access there is no window.
    expect_kind(&prove(Tamper::Mirrored), path, |step| {
        if reads(step) || path == Path::Staged { Kind::Dropped } else { Kind::Mirrored }
    });
}

// One test, since the cases share the pair's access, which each enables and disables.
#[test]
fn kernels_that_do_not_run_prove_nothing_and_wrong_data_is_named_on_each_path() {
    let plain = |idle| proof(&of_one_process(), &SIZES, idle, None, None);
    assert_eq!(plain(&[]).outcome, PairOutcome::Proven);
    let cases: [(&'static [Kernel], PairOutcome, Step, &str); 5] = [
        (&[Fill, Check, Copy, PingPong], PairOutcome::Failed, Step::Prepare, "4097 bytes did not run"),
        (&[Check], PairOutcome::Failed, Step::Prepare, "4097 bytes did not run"),
        (&[Fill], PairOutcome::Failed, Step::Prepare, "cannot tell right bytes from wrong ones"),
        (&[Copy], PairOutcome::WrongData, Step::KernelRead, "Destination"),
        (&[PingPong], PairOutcome::Failed, Step::Flags, "left no result"),
    ];
    for (idle, outcome, step, text) in cases {
        let report = plain(idle);
        assert_eq!(report.outcome, outcome, "{idle:?}: {report:?}");
        let (faulty, said) = fault(&report);
        assert!(faulty == step && said.contains(text), "{idle:?}: {faulty}: {said}");
    }
    // What goes wrong at a later launch only.
    let later = proof(&[Path::Graph], &[4097], &[], Some(Tamper::DroppedLater), None);
    expect_kind(&later, Path::Graph, |_| Kind::Dropped);
    assert!(fault(&later).1.contains("launch 2 of the graph"), "{later:?}");
    for path in of_one_process().into_iter().filter(|path| *path != Path::Flags) {
        expect_every_kind(path, &|| None);
    }
}

/// The other process: this test's program again, which does nothing but lend.
fn partner() -> Partner {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let name = "verify::steps::tests::what_another_process_lends";
    command.args(["--exact", name, "--nocapture"]).env(LENDS, "1").stdout(std::process::Stdio::null());
    Partner::of(command).unwrap()
}

/// Set where the test is the other process.
const LENDS: &str = "CUDA_P2P_TEST_LENDS";

#[test]
fn what_another_process_lends() {
    use std::os::fd::AsFd;
    if std::env::var_os(LENDS).is_some() {
        let socket = std::io::stdin().as_fd().try_clone_to_owned().unwrap().into();
        let choice = MachineChoice::Simulated("devices=2".to_owned());
        super::super::lend(&choice, LendJob { owner: 1, simulated: true }, &socket);
        return;
    }
    for path in [Path::Ipc, Path::IpcPool] {
        expect_every_kind(path, &|| Some(partner()));
    }
}
