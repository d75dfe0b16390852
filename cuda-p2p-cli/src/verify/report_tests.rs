use super::*;

const PAIR: OrderedPair = OrderedPair { accessor: 0, owner: 1 };

fn due() -> Vec<StepReport> {
    Step::ALL.map(|step| StepReport::unfinished(step, None)).to_vec()
}

fn all_passed() -> Vec<StepReport> {
    due().into_iter().map(|step| StepReport { outcome: StepOutcome::Passed, ..step }).collect()
}

fn concluded(steps: Vec<StepReport>, ending: Ending) -> PairReport {
    PairReport::concluded(PAIR, steps, &due(), Outcome { ending, complaint: String::new() })
}

fn outcome(steps: Vec<StepReport>, ending: Ending) -> PairOutcome {
    concluded(steps, ending).outcome
}

#[test]
fn proven_takes_every_step_once() {
    assert_eq!(outcome(all_passed(), Ending::Done), PairOutcome::Proven);
    for (index, missing) in Step::ALL.into_iter().enumerate() {
        let mut steps = all_passed();
        let removed = steps.remove(index);
        let report = concluded(steps.clone(), Ending::Done);
        assert_eq!((report.outcome, report.not_run), (PairOutcome::Failed, vec![missing]));
        // Another one twice makes up the number, and no more.
        steps.push(StepReport { step: Step::ALL[(index + 1) % Step::ALL.len()], ..removed });
        assert_eq!(outcome(steps, Ending::Done), PairOutcome::Failed, "without {missing}");
    }
}

#[test]
fn a_process_that_did_not_end_well_proves_nothing() {
    for ending in [
        Ending::Killed { signal: 11 },
        Ending::Exited { status: 0 },
        Ending::Hung { deadline_ms: 1, gone: true },
        Ending::Garbled { said: "x".to_owned() },
    ] {
        assert_eq!(outcome(all_passed(), ending.clone()), PairOutcome::Failed, "{ending:?}");
    }
}

#[test]
fn wrong_data_outranks_failures() {
    let mut steps = all_passed();
    steps[3].outcome = StepOutcome::Wrong { findings: Vec::new(), note: None };
    steps[4].outcome = StepOutcome::Failed { error: "700".to_owned() };
    assert_eq!(outcome(steps, Ending::Killed { signal: 9 }), PairOutcome::WrongData);
}

#[test]
fn the_exit_status_follows_the_worst_pair() {
    let proven = concluded(all_passed(), Ending::Done);
    let unreachable = PairReport::unreachable(PAIR);
    let failed = concluded(Vec::new(), Ending::Done);
    let exit = |pairs: &[&PairReport], named| {
        Verdict::of(&pairs.iter().map(|&pair| pair.clone()).collect::<Vec<_>>(), named).exit
    };
    for named in [false, true] {
        assert_eq!(exit(&[], named), Exit::NothingToTest);
        assert_eq!(exit(&[&unreachable], named), Exit::NothingToTest);
        assert_eq!(exit(&[&proven], named), Exit::Proven);
        assert_eq!(exit(&[&proven, &failed, &unreachable], named), Exit::CudaFailed);
    }
    assert_eq!(exit(&[&unreachable, &proven], false), Exit::Proven);
    assert_eq!(exit(&[&unreachable, &proven], true), Exit::NothingToTest);
}
