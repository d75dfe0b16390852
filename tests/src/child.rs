//! The process of one case, or of the question what the machine has.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use crate::arm::{self, Arm};
use crate::capabilities::Capabilities;
use crate::context::Cx;
use crate::divergences;
use crate::report::Line;
use crate::run::Suite;

/// What a child process is for: its hidden arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Say what the machine has.
    Capabilities,
    /// Run the case of that name.
    Case(String),
}

/// The hidden argument that makes a process a child.
pub(crate) const FLAG: &str = "--child";

impl Task {
    /// The arguments that give a child this task on that arm.
    pub(crate) fn arguments(&self, arm: Arm) -> Vec<String> {
        let mut arguments = vec![FLAG.to_owned(), arm.word().to_owned()];
        if let Self::Case(name) = self {
            arguments.push(name.clone());
        }
        arguments
    }

    /// Reads them back; `None` if this process is no child.
    pub(crate) fn of(arguments: &[String]) -> Option<(Arm, Self)> {
        match arguments {
            [flag, arm] if flag == FLAG => Some((Arm::from_word(arm)?, Self::Capabilities)),
            [flag, arm, name] if flag == FLAG => Some((Arm::from_word(arm)?, Self::Case(name.clone()))),
            _ => None,
        }
    }
}

/// Does the task and reports.
pub(crate) fn main(suite: &Suite, arm: Arm, task: &Task) -> ExitCode {
    match do_task(suite, arm, task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            Line::Fail(problem).print();
            ExitCode::FAILURE
        }
    }
}

fn do_task(suite: &Suite, arm: Arm, task: &Task) -> Result<(), String> {
    let opened = arm::open(arm, suite.simulator)?;
    let checks = match task {
        Task::Capabilities => {
            let found = Capabilities::ask(&opened)?;
            found.lines().into_iter().for_each(|line| Line::Fact(line).print());
            found.devices.len()
        }
        Task::Case(name) => {
            let case = suite
                .cases
                .iter()
                .find(|case| case.name() == *name)
                .ok_or_else(|| format!("no case is called {name}"))?;
            let expected = match opened.arm {
                Arm::Simulator => divergences::of_case(suite.divergences, name),
                Arm::Real => Vec::new(),
            };
            let cx = Cx::new(opened.arm, opened.table, expected);
            // A stopped case (a failed set-up, say) has printed why on standard error, which the parent keeps.
            let body = catch_unwind(AssertUnwindSafe(|| (case.body)(&cx)));
            if body.is_err() {
                return Err("the case was stopped; what it said stands below".to_owned());
            }
            cx.verify_end(case.ends);
            cx.checks()
        }
    };
    Line::End(checks).print();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_read_back_from_its_arguments() {
        for task in [Task::Capabilities, Task::Case("query::some".to_owned())] {
            let arguments = task.arguments(Arm::Simulator);
            assert_eq!(Task::of(&arguments), Some((Arm::Simulator, task)));
        }
        assert_eq!(Task::of(&["--list".to_owned()]), None);
    }
}
