//! A whole proof on simulated devices some of whose kernels never run, though every launch succeeds. None is proven.

use cuda_p2p::sim::MachineConfig;

use super::super::course::{Course, due};
use super::super::kernels::Kernel::{self, Check, Copy, Fill, PingPong};
use super::super::report::{PairOutcome, PairReport, StepOutcome};
use super::*;
use crate::child::{Ending, Outcome};
use crate::options::OrderedPair;

/// Small enough that the host looks at all of it, and so large that it does not.
const SIZES: [u64; 2] = [1, 1 << 20];

/// What a parent would say of the pair if its child ended well.
fn proof(idle: &'static [Kernel]) -> PairReport {
    let pair = OrderedPair { accessor: 0, owner: 1 };
    let job = PairJob { pair, sizes: SIZES.to_vec(), seed: 7, simulated: true };
    let mut course = Course::new(due(&job.sizes, job.seed));
    let mut send = |message: &crate::worker::Message| {
        let line = serde_json::to_string(message).unwrap();
        course.hear(serde_json::from_str(&line).unwrap()).unwrap();
    };
    let open = || {
        let runtime = Runtime::simulated(MachineConfig::pair()).unwrap();
        let mut kernels = ProofKernels::load(&runtime)?;
        kernels.idle = idle;
        Ok((runtime, kernels))
    };
    let (Ok(()) | Err(Stop)) = prove_all(open, &job, &mut Recorder::new(&mut send));
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

// One test, since the cases share the pair's access, which each enables and disables.
#[test]
fn kernels_that_do_not_run_prove_nothing() {
    assert_eq!(proof(&[]).outcome, PairOutcome::Proven);
    let cases: [(&'static [Kernel], PairOutcome, Step, &str); 5] = [
        (&[Fill, Check, Copy, PingPong], PairOutcome::Failed, Step::Prepare, "4097 bytes did not run"),
        (&[Check], PairOutcome::Failed, Step::Prepare, "4097 bytes did not run"),
        (&[Fill], PairOutcome::Failed, Step::Prepare, "cannot tell right bytes from wrong ones"),
        (&[Copy], PairOutcome::WrongData, Step::KernelRead, "Destination"),
        (&[PingPong], PairOutcome::Failed, Step::Flags, "left no result"),
    ];
    for (idle, outcome, step, text) in cases {
        let report = proof(idle);
        assert_eq!(report.outcome, outcome, "{idle:?}: {report:?}");
        let (faulty, said) = fault(&report);
        assert!(faulty == step && said.contains(text), "{idle:?}: {faulty}: {said}");
    }
}
