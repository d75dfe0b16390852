//! The soak: the pairs in turn, round after round with other data and other sizes, until the time is up.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::course::Course;
use super::report::PairOutcome;
use super::tally::{BUCKET, PairTally, milliseconds};
use super::verdict::{Asked, Verdict};
use super::{PairJob, Path, Plan, StepOutcome, Turn, choice_for};
use crate::child::{Ending, Outcome};
use crate::error::CliError;
use crate::exit::Exit;
use crate::options::{MachineChoice, MachineOptions};
use crate::output::Progress;
use crate::topo::Machine;
use crate::worker::{Message, Unexpected, Work, delegate_until};

/// Version of the JSON's shape.
const SCHEMA: &str = "cuda-p2p.soak/1";

/// Turns that each pair gets in the whole time, so far as the next two allow.
const TURNS: u32 = 4;

/// A turn is not shorter, since each begins with a new process, nor longer, so that each pair comes often.
const SHORTEST_TURN: Duration = Duration::from_secs(2);
const LONGEST_TURN: Duration = Duration::from_secs(15);

/// What a soak found, as `--json` prints it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SoakReport {
    /// Name and version of this shape.
    pub(crate) schema: &'static str,
    /// Version of the command.
    pub(crate) version: &'static str,
    /// The machine, and what its runtime says of each pair.
    pub(crate) machine: Machine,
    /// Seed that the rounds' seeds and sizes follow from.
    pub(crate) seed: u64,
    /// The smallest and the largest size that could be drawn, in bytes.
    pub(crate) sizes: Vec<u64>,
    /// The paths that were to be proven.
    pub(crate) paths: Vec<Path>,
    /// How long it was to take, in milliseconds.
    pub(crate) asked_ms: u64,
    /// How long it took.
    pub(crate) took_ms: u64,
    /// Whether it was interrupted before that.
    pub(crate) interrupted: bool,
    /// Length of the buckets of `errors_per_bucket`, in milliseconds.
    pub(crate) bucket_ms: u64,
    /// Every ordered pair.
    pub(crate) pairs: Vec<PairTally>,
    /// What it comes to.
    pub(crate) verdict: Verdict,
}

/// Soaks for `time`, or until `stop` says so. Each pair has at least one turn, whatever the time.
///
/// # Errors
/// A child could not be started. What a child could not do is counted.
pub(crate) fn soak(
    machine: Machine,
    plan: &Plan,
    time: Duration,
    options: &MachineOptions,
    progress: &Progress,
    stop: &dyn Fn() -> bool,
) -> Result<SoakReport, CliError> {
    let choice = choice_for(&machine, options);
    let mut asked = plan.asked.clone();
    asked.sizes = bounds(&asked.sizes);
    let mut pairs: Vec<PairTally> =
        plan.pairs.iter().map(|(pair, _)| PairTally::new(*pair, &asked.paths)).collect();
    let reachable: Vec<usize> = (0..pairs.len()).filter(|index| plan.pairs[*index].1).collect();
    let clock = Clock { started: Instant::now(), time };
    let turn_time = turn_time(time, reachable.len());
    let soaking = Soaking { choice, options, progress, stop, clock };
    // Each pair has its first turn soon, and then as many as the time allows.
    'time: for turn in 0.. {
        for index in &reachable {
            if stop() || turn > 0 && clock.is_over() {
                break 'time;
            }
            let job = PairJob { sizes: asked.sizes.clone(), ..plan.job(pairs[*index].pair, &machine) };
            let turn_time = if turn == 0 { SHORTEST_TURN } else { turn_time };
            soaking.turn(job, turn_time.min(clock.left()), &mut pairs[*index])?;
        }
        if reachable.is_empty() {
            break;
        }
    }
    let took = clock.started.elapsed();
    for (index, pair) in pairs.iter_mut().enumerate() {
        pair.conclude(took);
        if !plan.pairs[index].1 {
            pair.outcome = PairOutcome::Unreachable;
        }
    }
    let interrupted = stop() && took < time;
    Ok(SoakReport::new(machine, asked, pairs, time, took, interrupted))
}

impl SoakReport {
    /// Adds the verdict to what was counted.
    pub(crate) fn new(
        machine: Machine,
        asked: Asked,
        pairs: Vec<PairTally>,
        time: Duration,
        took: Duration,
        interrupted: bool,
    ) -> Self {
        let skipped =
            |pair: &PairTally| pair.paths.iter().filter(|path| path.tally.skipped.is_some()).count();
        let outcomes: Vec<PairOutcome> = pairs.iter().map(|pair| pair.outcome).collect();
        let verdict = Verdict::of(&outcomes, pairs.iter().map(skipped).sum(), &asked);
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            machine,
            seed: asked.seed,
            sizes: asked.sizes,
            paths: asked.paths,
            asked_ms: milliseconds(time),
            took_ms: milliseconds(took),
            interrupted,
            bucket_ms: milliseconds(BUCKET),
            pairs,
            verdict,
        }
    }

    /// The exit status.
    pub(crate) fn exit(&self) -> Exit {
        self.verdict.exit
    }
}

/// When it began, and how long it is to take.
#[derive(Clone, Copy)]
struct Clock {
    started: Instant,
    time: Duration,
}

impl Clock {
    fn left(self) -> Duration {
        self.time.saturating_sub(self.started.elapsed())
    }

    fn is_over(self) -> bool {
        self.left().is_zero()
    }
}

struct Soaking<'a> {
    choice: &'a MachineChoice,
    options: &'a MachineOptions,
    progress: &'a Progress,
    stop: &'a dyn Fn() -> bool,
    clock: Clock,
}

impl Soaking<'_> {
    /// One turn of a pair, in a process of its own.
    fn turn(&self, job: PairJob, time: Duration, tally: &mut PairTally) -> Result<(), CliError> {
        let job = PairJob {
            turn: Some(Turn { first_round: tally.next_round, time_ms: milliseconds(time) }),
            ..job
        };
        tally.turns += 1;
        let mut rounds = Rounds { job: &job, current: None, failed: false };
        let outcome = delegate_until(
            self.choice,
            &Work::Pair(job.clone()),
            self.options.deadline,
            self.stop,
            |message| {
                let elapsed = self.clock.started.elapsed();
                self.progress.reach(elapsed);
                if let Message::Began(step) = &message {
                    self.progress.begin(format!("{}: {}", job.pair, step.step));
                }
                rounds.hear(message, elapsed, tally)
            },
        )?;
        rounds.conclude(outcome, self.clock.started.elapsed(), (self.stop)(), tally);
        Ok(())
    }
}

/// What is heard of one turn.
struct Rounds<'a> {
    job: &'a PairJob,
    current: Option<(PairJob, Course)>,
    /// A call failed, after which nothing more comes.
    failed: bool,
}

impl Rounds<'_> {
    fn hear(&mut self, message: Message, at: Duration, tally: &mut PairTally) -> Result<(), Unexpected> {
        if let Message::Round(number) = message {
            if number != tally.next_round || self.failed || !self.is_between_rounds() {
                return Err(Unexpected);
            }
            self.end_round(tally);
            let round = self.job.of_round(number);
            let course = Course::new(round.due());
            self.current = Some((round, course));
            tally.next_round += 1;
            return Ok(());
        }
        let (round, course) = self.current.as_mut().ok_or(Unexpected)?;
        let ended = match &message {
            Message::Ended(step) => Some(step.clone()),
            _ => None,
        };
        course.hear(message)?;
        if let Some(step) = ended {
            tally.note(round, &step, at, course.was_last_of_path());
            self.failed |= matches!(step.outcome, StepOutcome::Failed { .. });
        }
        Ok(())
    }

    fn is_between_rounds(&self) -> bool {
        self.current.as_ref().is_none_or(|(_, course)| course.is_complete())
    }

    fn end_round(&mut self, tally: &mut PairTally) {
        if self.current.take().is_some() {
            tally.rounds += 1;
        }
    }

    /// Counts how the process ended. What an interruption cut off is no error.
    fn conclude(mut self, outcome: Outcome, at: Duration, stopped: bool, tally: &mut PairTally) {
        let complete = self.is_between_rounds();
        if complete {
            self.end_round(tally);
        }
        if stopped || self.failed || complete && outcome.ending == Ending::Done {
            return;
        }
        let (round, step) = match &self.current {
            Some((round, course)) => (round, course.under_way().cloned()),
            None => (self.job, None),
        };
        tally.note_end(round, step.as_ref(), outcome.ending, at);
    }
}

/// How long a turn is, if there are so many pairs.
fn turn_time(time: Duration, pairs: usize) -> Duration {
    let turns = u32::try_from(pairs.max(1)).unwrap_or(u32::MAX).saturating_mul(TURNS);
    (time / turns).clamp(SHORTEST_TURN, LONGEST_TURN)
}

/// The smallest and the largest size.
fn bounds(sizes: &[u64]) -> Vec<u64> {
    [sizes.iter().min(), sizes.iter().max()].into_iter().flatten().copied().collect()
}

/// Two sizes between the bounds, ascending: one of any magnitude, and one of the largest.
pub(super) fn sizes(bounds: &[u64], drawn: [u64; 2]) -> Vec<u64> {
    let least = bounds.iter().min().copied().unwrap_or(1);
    let most = bounds.iter().max().copied().unwrap_or(1);
    let magnitudes = u64::from(most.ilog2() - least.ilog2()) + 1;
    // A power of two, and something below the next one.
    let any = least.max(1) << (drawn[0] % magnitudes);
    let any = any + (drawn[0] / magnitudes) % any;
    let large = most - (drawn[1] % (most / 8 + 1));
    let mut sizes = vec![any.clamp(least, most), large.clamp(least, most)];
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

#[cfg(test)]
#[path = "soak_tests.rs"]
mod tests;
