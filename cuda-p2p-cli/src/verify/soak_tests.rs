//! What the parent of a soak hears, held against what there is to hear; sizes; times.

use super::super::report::StepReport;
use super::super::step::Step;
use super::super::trouble::Trouble;
use super::*;
use crate::options::OrderedPair;

const AT: Duration = Duration::from_secs(1);

fn job() -> PairJob {
    let pair = OrderedPair { accessor: 0, owner: 1 };
    PairJob { pair, paths: Path::ALL.to_vec(), sizes: vec![1, 4096], seed: 5, simulated: true, turn: None }
}

/// All that a child says in a round in which `at` comes to `outcome`, and the rest passes.
fn round(number: u64, at: usize, outcome: &StepOutcome) -> Vec<Message> {
    let due = job().of_round(number).due();
    let steps = due.into_iter().enumerate().flat_map(|(index, step)| {
        let outcome = if index == at { outcome.clone() } else { StepOutcome::Passed };
        let ended = StepReport { outcome, ..step.clone() };
        [Message::Began(step), Message::Ended(ended)]
    });
    std::iter::once(Message::Round(number)).chain(steps).collect()
}

/// What a turn comes to whose child says this and ends so.
fn turn(messages: Vec<Message>, ending: Ending, stopped: bool) -> PairTally {
    let job = job();
    let mut tally = PairTally::new(job.pair, &job.paths);
    let mut rounds = Rounds { job: &job, current: None, failed: false };
    let mut ending = ending;
    for message in messages {
        if rounds.hear(message, AT, &mut tally).is_err() {
            ending = Ending::Garbled { said: String::new() };
            break;
        }
    }
    let outcome = Outcome { ending, complaint: String::new() };
    rounds.conclude(outcome, AT, stopped, &mut tally);
    tally.conclude(AT);
    tally
}

fn all_errors(tally: &PairTally) -> u64 {
    tally.tallies().map(|(_, tally)| tally.error_count()).sum()
}

fn passing(rounds: u64) -> Vec<Message> {
    (0..rounds).flat_map(|number| round(number, 0, &StepOutcome::Passed)).collect()
}

#[test]
fn rounds_that_pass_are_counted_on_every_path() {
    let tally = turn(passing(3), Ending::Done, false);
    assert_eq!((tally.rounds, tally.next_round, all_errors(&tally)), (3, 3, 0));
    assert_eq!(tally.outcome, PairOutcome::Proven);
    for path in &tally.paths {
        assert_eq!(path.tally.rounds, 3, "{}", path.path);
        assert_eq!(path.tally.bytes > 0, path.path != Path::Flags, "{}", path.path);
    }
}

#[test]
fn a_lost_message_is_an_error_and_never_a_round() {
    let due = 1 + 2 * job().of_round(0).due().len();
    for lost in 0..due {
        let mut messages = passing(1);
        messages.remove(lost);
        let tally = turn(messages, Ending::Done, false);
        assert_eq!((tally.rounds, all_errors(&tally)), (0, 1), "{lost}");
        assert_eq!(tally.outcome, PairOutcome::Failed, "{lost}");
    }
    // A round out of turn.
    let mut messages = passing(1);
    messages.extend(round(2, 0, &StepOutcome::Passed));
    assert_eq!(all_errors(&turn(messages, Ending::Done, false)), 1);
}

#[test]
fn a_hang_is_counted_where_it_hung_and_an_interruption_is_not() {
    let due = job().of_round(0).due();
    let place = due.iter().position(|step| step.step == Step::VirtualKernelRead).unwrap();
    // The round, both messages of each step before, and the beginning of this one.
    let messages = || passing(1).into_iter().take(2 * place + 2).collect::<Vec<_>>();
    let hung = || Ending::Hung { deadline_ms: 1, gone: true };
    let tally = turn(messages(), hung(), false);
    let path = tally.paths.iter().find(|path| path.path == Path::Virtual).unwrap();
    assert_eq!(path.tally.errors.get(&Trouble::Hung), Some(&1));
    assert_eq!(all_errors(&tally), 1);
    for ending in [Ending::Stopped, Ending::Killed { signal: 2 }, Ending::Exited { status: 0 }] {
        let tally = turn(messages(), ending, true);
        assert_eq!((all_errors(&tally), tally.rounds), (0, 0));
        assert_eq!(tally.outcome, PairOutcome::Untested);
    }
}

#[test]
fn a_call_that_failed_is_counted_once_and_nothing_follows() {
    let place = 4;
    let failed = StepOutcome::Failed { error: "700".to_owned() };
    let messages = || round(0, place, &failed).into_iter().take(2 * place + 3);
    let tally = turn(messages().collect(), Ending::Done, false);
    assert_eq!((all_errors(&tally), tally.rounds), (1, 0));
    let more = messages().chain([Message::Round(1)]).collect();
    assert_eq!(all_errors(&turn(more, Ending::Done, false)), 1);
}

#[test]
fn sizes_are_new_in_every_round_and_within_the_bounds() {
    let mut seen = std::collections::BTreeSet::new();
    for number in 0..500 {
        let round = PairJob { sizes: vec![3, 1 << 20], ..job() }.of_round(number);
        assert!(round.sizes.iter().all(|size| (3..=1 << 20).contains(size)), "{:?}", round.sizes);
        // One of them is large.
        assert!(round.sizes.iter().any(|size| *size >= 7 << 17), "{:?}", round.sizes);
        seen.extend(round.sizes);
    }
    assert!(seen.len() > 600, "{}", seen.len());
    // Every magnitude.
    for magnitude in 1..20 {
        assert!(seen.iter().any(|size| size.ilog2() == magnitude), "{magnitude}");
    }
    let all = |bounds: &[u64]| (0..50).flat_map(|drawn| sizes(bounds, [drawn, drawn])).max();
    assert_eq!((all(&[7]), all(&[1])), (Some(7), Some(1)));
    assert!(all(&[1 << 40, 1 << 40]) == Some(1 << 40));
}

#[test]
fn a_turn_is_neither_too_short_nor_too_long() {
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    assert_eq!(turn_time(minutes(600), 2), LONGEST_TURN);
    assert_eq!(turn_time(minutes(1), 240), SHORTEST_TURN);
    assert_eq!(turn_time(minutes(1), 2), Duration::from_millis(7500));
}
