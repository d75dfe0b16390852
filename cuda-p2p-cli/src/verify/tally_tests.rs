//! What counts as which error, and what it comes to.

use super::super::diagnosis::Kind;
use super::super::report::{Finding, Range};
use super::super::step::Step;
use super::*;

const PAIR: OrderedPair = OrderedPair { accessor: 0, owner: 1 };

fn round() -> PairJob {
    let paths = Path::ALL.to_vec();
    PairJob { pair: PAIR, paths, sizes: vec![1, 5], seed: 9, simulated: true, turn: None }
}

fn step(step: Step, outcome: StepOutcome) -> StepReport {
    let bytes = step.moves_data().then_some(5);
    StepReport { step, bytes, offsets: bytes.map(|_| (0, 0)), path: None, outcome }
}

fn wrong(findings: &[(Range, Option<Kind>)]) -> StepOutcome {
    let finding = |(range, kind): &(Range, Option<Kind>)| Finding {
        device: 1,
        range: *range,
        bytes: 5,
        wrong: 1,
        first: 0,
        expected: 1,
        got: 2,
        kind: *kind,
    };
    StepOutcome::Wrong { findings: findings.iter().map(finding).collect(), note: None }
}

/// What one step adds to the tally of a pair.
fn counted(which: Step, outcome: StepOutcome) -> PairTally {
    let mut tally = PairTally::new(PAIR, &Path::ALL);
    tally.next_round = 4;
    tally.rounds = 1;
    tally.note(&round(), &step(which, outcome), Duration::from_secs(61), true);
    tally.conclude(Duration::from_secs(150));
    tally
}

fn of(tally: &PairTally, path: Path) -> &Tally {
    &tally.paths.iter().find(|other| other.path == path).unwrap().tally
}

#[test]
fn each_kind_of_wrong_data_is_counted_as_that() {
    let at = Range::Destination;
    let kinds = [
        (vec![(at, Some(Kind::Dropped))], Trouble::Dropped),
        (vec![(at, Some(Kind::Mirrored))], Trouble::Mirrored),
        (vec![(at, Some(Kind::Stale))], Trouble::Stale),
        (vec![(at, Some(Kind::Shifted { by: -3 }))], Trouble::Shifted),
        (vec![(at, Some(Kind::Flipped))], Trouble::Flipped),
        (vec![(at, Some(Kind::Unknown))], Trouble::Unknown),
        (vec![(Range::CanaryAfter, None), (Range::Source, None)], Trouble::Touched),
        (vec![], Trouble::FlagMissed),
    ];
    for (findings, trouble) in kinds {
        let tally = counted(Step::PoolKernelWrite, wrong(&findings));
        let pool = of(&tally, Path::Pool);
        assert_eq!(pool.errors, BTreeMap::from([(trouble, 1)]), "{trouble:?}");
        assert_eq!((pool.rounds, pool.moves, pool.bytes), (1, 1, 5));
        // The second of three minutes.
        assert_eq!(pool.errors_per_bucket, [0, 1, 0]);
        let first = pool.first_error.as_ref().unwrap();
        assert_eq!((first.at_ms, first.round, first.seed), (61_000, 3, 9));
        assert_eq!(tally.outcome, PairOutcome::WrongData);
        let others = tally.tallies().filter(|(name, _)| *name != "pool");
        assert!(others.into_iter().all(|(_, other)| other.error_count() == 0));
    }
}

#[test]
fn several_kinds_in_one_step_count_once_each() {
    let (at, before) = ((Range::Destination, Some(Kind::Flipped)), (Range::CanaryBefore, None));
    let tally = counted(Step::KernelWrite, wrong(&[at, before, before]));
    let errors = BTreeMap::from([(Trouble::Touched, 1), (Trouble::Flipped, 1)]);
    assert_eq!(of(&tally, Path::Kernel).errors, errors);
}

#[test]
fn what_fails_hangs_and_dies_is_no_wrong_data() {
    let failed = counted(Step::Enable, StepOutcome::Failed { error: "205".to_owned() });
    assert_eq!(failed.setup.errors, BTreeMap::from([(Trouble::Failed, 1)]));
    assert_eq!(failed.outcome, PairOutcome::Failed);
    let endings = [
        (Ending::Hung { deadline_ms: 1, gone: true }, Trouble::Hung),
        (Ending::Killed { signal: 11 }, Trouble::Died),
        (Ending::Garbled { said: String::new() }, Trouble::Died),
    ];
    for (ending, trouble) in endings {
        let mut tally = PairTally::new(PAIR, &Path::ALL);
        let under_way = step(Step::GraphEngineRead, StepOutcome::Unfinished);
        tally.note_end(&round(), Some(&under_way), ending.clone(), Duration::ZERO);
        tally.note_end(&round(), None, ending, Duration::ZERO);
        tally.conclude(Duration::from_secs(1));
        assert_eq!(of(&tally, Path::Graph).errors, BTreeMap::from([(trouble, 1)]));
        assert_eq!(tally.setup.errors, BTreeMap::from([(trouble, 1)]));
        assert_eq!(tally.outcome, PairOutcome::Failed);
    }
}

#[test]
fn a_pair_is_proven_by_a_whole_round_and_not_by_less() {
    assert_eq!(counted(Step::EngineRead, StepOutcome::Passed).outcome, PairOutcome::Proven);
    let skipped = counted(Step::IpcOpen, StepOutcome::Skipped { reason: "none".to_owned() });
    assert_eq!(of(&skipped, Path::Ipc).skipped.as_deref(), Some("none"));
    assert_eq!(skipped.outcome, PairOutcome::Untested);
    let mut begun = PairTally::new(PAIR, &Path::ALL);
    begun.note(&round(), &step(Step::EngineRead, StepOutcome::Passed), Duration::ZERO, true);
    begun.conclude(Duration::from_secs(1));
    assert_eq!(begun.outcome, PairOutcome::Untested);
}
