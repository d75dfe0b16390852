use super::*;
use crate::exit::Exit;

const PAIR: OrderedPair = OrderedPair { accessor: 0, owner: 1 };

fn asked(named_pairs: bool, named_paths: bool) -> Asked {
    Asked { seed: 1, sizes: vec![1], paths: Path::ALL.to_vec(), named_pairs, named_paths }
}

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
    let exit = |pairs: &[&PairReport], named_pairs| {
        let outcomes: Vec<_> = pairs.iter().map(|pair| pair.outcome).collect();
        Verdict::of(&outcomes, 0, &asked(named_pairs, false)).exit
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

#[test]
fn a_path_that_cannot_be_had_is_counted_and_is_no_success_if_it_was_asked_for() {
    let mut steps = all_passed();
    let place = steps.iter().position(|step| step.step == Step::PoolGrant).unwrap();
    steps[place].outcome = StepOutcome::Skipped { reason: "no pools".to_owned() };
    let pair = concluded(steps, Ending::Done);
    assert_eq!(pair.outcome, PairOutcome::Proven);
    assert_eq!(pair.skipped().collect::<Vec<_>>(), [(Path::Pool, "no pools")]);
    for (named, exit) in [(false, Exit::Proven), (true, Exit::NothingToTest)] {
        let verdict = Verdict::of(&[pair.outcome], pair.skipped().count(), &asked(false, named));
        assert_eq!((verdict.skipped, verdict.exit), (1, exit));
    }
    // A pair on which nothing was proven is none that was, whatever was asked for.
    let untested = Verdict::of(&[PairOutcome::Proven, PairOutcome::Untested], 1, &asked(false, false));
    assert_eq!(untested.exit, Exit::NothingToTest);
    // What is not skippable is not fine if it was skipped.
    let mut steps = all_passed();
    steps[3].outcome = StepOutcome::Skipped { reason: String::new() };
    assert_eq!(outcome(steps, Ending::Done), PairOutcome::Failed);
}
