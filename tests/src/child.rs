//! The process of one case, or of the question what the machine has.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use crate::arm::{self, Arm};
use crate::capabilities::Capabilities;
use crate::context::Cx;
use crate::divergences;
use crate::partner;
use crate::report::Line;
use crate::run::Suite;

/// What a child process is for: its hidden arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Say what the machine has.
    Capabilities,
    /// Run the case of that name.
    Case(String),
    /// Be the second process of the case of that name.
    Partner(String),
}

/// The hidden argument that makes a process a child.
pub(crate) const FLAG: &str = "--child";
/// And this one, the second process of a case.
const PARTNER: &str = "--partner";

impl Task {
    /// The arguments that give a child this task on that arm.
    pub(crate) fn arguments(&self, arm: Arm) -> Vec<String> {
        let mut arguments = vec![FLAG.to_owned(), arm.word().to_owned()];
        match self {
            Self::Capabilities => {}
            Self::Case(name) => arguments.push(name.clone()),
            Self::Partner(name) => arguments.extend([name.clone(), PARTNER.to_owned()]),
        }
        arguments
    }

    /// Reads them back; `None` if this process is no child.
    pub(crate) fn of(arguments: &[String]) -> Option<(Arm, Self)> {
        match arguments {
            [flag, arm] if flag == FLAG => Some((Arm::from_word(arm)?, Self::Capabilities)),
            [flag, arm, name] if flag == FLAG => Some((Arm::from_word(arm)?, Self::Case(name.clone()))),
            [flag, arm, name, partner] if flag == FLAG && partner == PARTNER => {
                Some((Arm::from_word(arm)?, Self::Partner(name.clone())))
            }
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
        Task::Case(name) | Task::Partner(name) => {
            let case = suite
                .cases
                .iter()
                .find(|case| case.name() == *name)
                .ok_or_else(|| format!("no case is called {name}"))?;
            let partner = matches!(task, Task::Partner(_));
            let expected = match opened.arm {
                Arm::Simulator if !partner => divergences::of_case(suite.divergences, name),
                _ => Vec::new(),
            };
            let cx = Cx::new(opened.arm, opened.table, name, partner, expected);
            // A stopped case (a failed set-up, say) has printed why on standard error, which the parent keeps.
            let body = catch_unwind(AssertUnwindSafe(|| match partner {
                true => partner::play(&cx, case),
                false => {
                    (case.body)(&cx);
                    Ok(())
                }
            }));
            match body {
                Ok(played) => played?,
                Err(_) => return Err("the case was stopped; what it said stands below".to_owned()),
            }
            cx.verify_end(case.ends);
            if partner {
                return Ok(());
            }
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
        let name = || "query::some".to_owned();
        for task in [Task::Capabilities, Task::Case(name()), Task::Partner(name())] {
            let arguments = task.arguments(Arm::Simulator);
            assert_eq!(Task::of(&arguments), Some((Arm::Simulator, task)));
        }
        assert_eq!(Task::of(&["--list".to_owned()]), None);
    }
}
