//! What the parent hears of one ordered pair's proof, held against what there is to hear.

use super::cases::cases;
use super::path::Path;
use super::report::{PairReport, StepOutcome, StepReport};
use super::step::Step;
use crate::child::Outcome;
use crate::options::OrderedPair;
use crate::worker::{Message, Unexpected};

/// Every step of a proof of these paths, data-moving ones once for each case, in order. A child that is well reports exactly these,
/// but for those of paths that cannot be had, of which it reports the first.
pub(super) fn due(paths: &[Path], sizes: &[u64], seed: u64) -> Vec<StepReport> {
    let cases = cases(sizes, seed);
    let mut due = Vec::new();
    for step in Step::ALL.into_iter().filter(|step| step.is_of(paths)) {
        if step.moves_data() {
            due.extend(cases.iter().map(|case| StepReport::unfinished(step, Some(*case))));
        } else {
            due.push(StepReport::unfinished(step, None));
        }
    }
    due
}

/// The course of a proof so far.
pub(super) struct Course {
    due: Vec<StepReport>,
    steps: Vec<StepReport>,
}

impl Course {
    /// Nothing was heard yet of what is `due`.
    pub(super) fn new(due: Vec<StepReport>) -> Self {
        Self { due, steps: Vec::new() }
    }

    /// Takes a message.
    ///
    /// # Errors
    /// [`Unexpected`] if it is not one that can follow on what was heard before; nothing that was heard is forgotten over it.
    pub(super) fn hear(&mut self, message: Message) -> Result<(), Unexpected> {
        match message {
            Message::Began(step) => self.began(step),
            Message::Ended(step) => self.end(step),
            _ => Err(Unexpected),
        }
    }

    fn began(&mut self, step: StepReport) -> Result<(), Unexpected> {
        let idle = self.steps.len() == self.ended();
        let next = self.due.get(self.steps.len());
        if !idle || next != Some(&step) {
            return Err(Unexpected);
        }
        self.steps.push(step);
        Ok(())
    }

    fn end(&mut self, step: StepReport) -> Result<(), Unexpected> {
        let last = self.steps.last_mut().ok_or(Unexpected)?;
        let unfinished = last.outcome == StepOutcome::Unfinished;
        if !unfinished || !last.is_about(&step) || step.outcome == StepOutcome::Unfinished {
            return Err(Unexpected);
        }
        if let StepOutcome::Skipped { .. } = step.outcome {
            if !step.step.may_be_skipped() {
                return Err(Unexpected);
            }
            let path = step.step.path();
            self.due.retain(|due| due.step == step.step || due.step.path() != path);
        }
        *last = step;
        Ok(())
    }

    /// The step that was begun and has not ended.
    pub(super) fn under_way(&self) -> Option<&StepReport> {
        self.steps.last().filter(|step| step.outcome == StepOutcome::Unfinished)
    }

    /// Whether no other step of the path is due behind the one that ended last.
    pub(super) fn was_last_of_path(&self) -> bool {
        let path = self.steps.last().and_then(|step| step.step.path());
        !self.due.iter().skip(self.ended()).any(|due| due.step.path() == path)
    }

    /// Whether all that is due has ended.
    pub(super) fn is_complete(&self) -> bool {
        self.ended() == self.due.len()
    }

    /// How many steps have ended.
    pub(super) fn ended(&self) -> usize {
        self.steps.iter().filter(|step| step.outcome != StepOutcome::Unfinished).count()
    }

    /// What it comes to, after the process ended so.
    pub(super) fn concluded(self, pair: OrderedPair, outcome: Outcome) -> PairReport {
        PairReport::concluded(pair, self.steps, &self.due, outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::PairOutcome;
    use super::*;
    use crate::child::Ending;

    const PAIR: OrderedPair = OrderedPair { accessor: 0, owner: 1 };

    fn wrong() -> StepOutcome {
        StepOutcome::Wrong { findings: Vec::new(), note: None }
    }

    fn with(step: &StepReport, outcome: StepOutcome) -> StepReport {
        StepReport { outcome, ..step.clone() }
    }

    /// All that a child says if `at` comes to `outcome` and the rest passes.
    fn messages(due: &[StepReport], at: usize, outcome: &StepOutcome) -> Vec<Message> {
        let come_to = |index| if index == at { outcome.clone() } else { StepOutcome::Passed };
        let both = |(index, step): (usize, &StepReport)| {
            [Message::Began(step.clone()), Message::Ended(with(step, come_to(index)))]
        };
        due.iter().enumerate().flat_map(both).collect()
    }

    /// What the parent makes of them, if the process ends well unless a message was unexpected.
    fn outcome(due: Vec<StepReport>, messages: Vec<Message>) -> PairOutcome {
        let mut course = Course::new(due);
        let garbled = messages.into_iter().any(|message| course.hear(message).is_err());
        let ending = if garbled { Ending::Garbled { said: String::new() } } else { Ending::Done };
        course.concluded(PAIR, Outcome { ending, complaint: String::new() }).outcome
    }

    fn small() -> Vec<StepReport> {
        due(&Path::ALL, &[1, 1 << 20], 7)
    }

    #[test]
    fn what_is_due_and_passes_is_proven() {
        let due = small();
        // Two sizes; the small one aligned, and misaligned in two ways.
        assert_eq!(due.iter().filter(|step| step.step == Step::KernelWrite).count(), 4);
        assert_eq!(outcome(due.clone(), messages(&due, 0, &StepOutcome::Passed)), PairOutcome::Proven);
    }

    #[test]
    fn of_a_path_that_is_skipped_nothing_more_is_due() {
        let due = small();
        let skipped = || StepOutcome::Skipped { reason: "none here".to_owned() };
        for (at, step) in due.iter().enumerate() {
            let path = step.step.path();
            let mut steps = due.clone();
            steps.retain(|other| other.step == step.step || path.is_none() || other.step.path() != path);
            let place = steps.iter().position(|other| other == step).unwrap();
            let outcome = outcome(due.clone(), messages(&steps, place, &skipped()));
            match step.step.may_be_skipped() {
                true => assert_eq!(outcome, PairOutcome::Proven, "{at}"),
                false => assert_eq!(outcome, PairOutcome::Failed, "{at}"),
            }
        }
        // All there is was skipped.
        let due = super::due(&[Path::Ipc], &[1], 7);
        let steps: Vec<_> = due[..3].to_vec();
        assert_eq!(outcome(due, messages(&steps, 2, &skipped())), PairOutcome::Untested);
    }

    #[test]
    fn a_lost_message_never_makes_a_proof() {
        let due = small();
        for wrong_at in 0..due.len() {
            for lost in 0..2 * due.len() {
                let mut messages = messages(&due, wrong_at, &wrong());
                messages.remove(lost);
                assert_ne!(outcome(due.clone(), messages), PairOutcome::Proven, "{wrong_at}, {lost}");
            }
        }
    }

    #[test]
    fn wrong_bytes_that_were_heard_of_stay() {
        let due = small();
        for wrong_at in 0..due.len() - 1 {
            // The step after the wrong one is not heard to begin, only to end.
            let mut messages = messages(&due, wrong_at, &wrong());
            messages.remove(2 * (wrong_at + 1));
            assert_eq!(outcome(due.clone(), messages), PairOutcome::WrongData, "{wrong_at}");
        }
    }

    #[test]
    fn messages_out_of_turn_are_unexpected() {
        let due = small();
        let began = |index: usize| Message::Began(due[index].clone());
        let ended = |index: usize| Message::Ended(with(&due[index], StepOutcome::Passed));
        let unfinished = Message::Ended(due[0].clone());
        let skipped = StepOutcome::Skipped { reason: "it is always there".to_owned() };
        let skipped = Message::Ended(with(&due[0], skipped));
        for messages in [
            vec![ended(0)],
            vec![began(1)],
            vec![began(0), began(0)],
            vec![began(0), began(1)],
            vec![began(0), ended(1)],
            vec![began(0), unfinished],
            vec![began(0), skipped],
            vec![began(0), ended(0), ended(0)],
            vec![began(0), ended(0), began(0)],
            vec![Message::Done],
        ] {
            let mut course = Course::new(due.clone());
            let said = format!("{messages:?}");
            let mut heard: Vec<_> = messages.into_iter().map(|message| course.hear(message)).collect();
            assert_eq!(heard.pop(), Some(Err(Unexpected)), "{said}");
            assert!(heard.iter().all(Result::is_ok), "{said}");
        }
    }

    #[test]
    fn a_step_that_ran_with_some_of_its_sizes_is_no_proof() {
        let due = small();
        let last_kernel_write = due.iter().rposition(|step| step.step == Step::KernelWrite).unwrap();
        let mut steps: Vec<_> = due.iter().map(|step| with(step, StepOutcome::Passed)).collect();
        steps.remove(last_kernel_write);
        let outcome = Outcome { ending: Ending::Done, complaint: String::new() };
        let report = PairReport::concluded(PAIR, steps, &due, outcome);
        assert_eq!(report.outcome, PairOutcome::Failed);
        assert_eq!(report.not_run, [Step::KernelWrite]);
    }
}
