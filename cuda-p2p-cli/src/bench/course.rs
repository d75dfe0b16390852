//! What the parent hears of one place's measurements, held against what there is to hear.

use super::plan::BenchJob;
use super::report::{BenchResult, Outcome};
use crate::child;
use crate::worker::{Message, Unexpected};

/// The course of one child's measurements so far.
pub(super) struct Course<'j> {
    job: &'j BenchJob,
    begun: usize,
    results: Vec<BenchResult>,
}

impl<'j> Course<'j> {
    pub(super) fn new(job: &'j BenchJob) -> Self {
        Self { job, begun: 0, results: Vec::new() }
    }

    /// Takes a message.
    ///
    /// # Errors
    /// [`Unexpected`] if it is not one that can follow on what was heard before.
    pub(super) fn hear(&mut self, message: Message) -> Result<(), Unexpected> {
        match message {
            Message::Measuring(due) => {
                let idle = self.begun == self.results.len();
                if !idle || self.job.due.get(self.begun) != Some(&due) {
                    return Err(Unexpected);
                }
                self.begun += 1;
                Ok(())
            }
            Message::Measured(result) => {
                let due = self.job.due.get(self.results.len()).ok_or(Unexpected)?;
                if self.begun != self.results.len() + 1 || !result.is_about(self.job.place, *due) {
                    return Err(Unexpected);
                }
                self.results.push(*result);
                Ok(())
            }
            _ => Err(Unexpected),
        }
    }

    /// A result for everything that was due, after the process ended so.
    pub(super) fn concluded(self, outcome: &child::Outcome) -> Vec<BenchResult> {
        let mut results = self.results;
        let ending = if outcome.complaint.is_empty() {
            outcome.ending.to_string()
        } else {
            format!("{}: {}", outcome.ending, outcome.complaint)
        };
        for due in &self.job.due[results.len()..] {
            let outcome = Outcome::NotMeasured { because: ending.clone() };
            results.push(BenchResult::new(self.job.place, *due, outcome));
        }
        results
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::{Due, Place};
    use super::super::report::Figures;
    use super::super::test::Test;
    use super::*;
    use crate::child::Ending;
    use crate::options::OrderedPair;

    fn job() -> BenchJob {
        let due = Test::BANDWIDTH.map(|test| Due { test, bytes: 8 }).to_vec();
        let place = Place::Pair(OrderedPair { accessor: 0, owner: 1 });
        BenchJob { place, due, samples: 1, seed: 7, simulated: true }
    }

    fn measured(job: &BenchJob, index: usize) -> Message {
        let figures = Figures { median: None, low: None, high: None, checked_bytes: 8, path: None };
        Message::Measured(Box::new(BenchResult::new(job.place, job.due[index], Outcome::Measured(figures))))
    }

    #[test]
    fn a_child_that_dies_leaves_the_rest_unmeasured() {
        let job = job();
        let mut course = Course::new(&job);
        course.hear(Message::Measuring(job.due[0])).unwrap();
        course.hear(measured(&job, 0)).unwrap();
        course.hear(Message::Measuring(job.due[1])).unwrap();
        let outcome = child::Outcome { ending: Ending::Done, complaint: "no".to_owned() };
        let results = course.concluded(&outcome);
        assert_eq!(results.len(), job.due.len());
        assert!(matches!(results[0].outcome, Outcome::Measured(_)));
        assert!(results[1..].iter().all(|result| matches!(result.outcome, Outcome::NotMeasured { .. })));
    }

    #[test]
    fn messages_out_of_turn_are_unexpected() {
        let job = job();
        for messages in [
            vec![measured(&job, 0)],
            vec![Message::Measuring(job.due[1])],
            vec![Message::Measuring(job.due[0]), Message::Measuring(job.due[1])],
            vec![Message::Measuring(job.due[0]), measured(&job, 1)],
            vec![Message::Done],
        ] {
            let mut course = Course::new(&job);
            let mut heard: Vec<_> = messages.into_iter().map(|message| course.hear(message)).collect();
            assert_eq!(heard.pop(), Some(Err(Unexpected)));
        }
    }
}
