//! One run: which arm, which cases, what came out.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Completion, Trial};

use crate::arm::{Arm, StartSimulator};
use crate::capabilities::Capabilities;
use crate::case::Case;
use crate::child::{self, Task};
use crate::divergences::{self, Divergence};
use crate::needs::Unmet;
use crate::options::{ARM_VARIABLE, HELP, Options};
use crate::process::{self, End, Outcome};
use crate::results::{CaseResult, Fate, Results};
use crate::transcript::{Compared, Transcript};

/// A set of cases, and the simulator that they run on where there is no hardware.
#[derive(Clone, Debug)]
pub(crate) struct Suite {
    pub(crate) cases: Vec<Case>,
    pub(crate) simulator: StartSimulator,
    /// Where that simulator answers otherwise than hardware on purpose.
    pub(crate) divergences: &'static [Divergence],
    /// Whatever the arguments say, it is the simulator that they run on.
    pub(crate) only_simulated: bool,
}

/// What the trials of a run share.
struct Run {
    arm: Arm,
    machine: Capabilities,
    require_gpus: usize,
    kill_after: Duration,
    against: Option<Transcript>,
    /// Differences that are expected: none on hardware.
    expected: &'static [Divergence],
    tally: Mutex<Tally>,
}

/// What came out, beyond what libtest-mimic counts.
struct Tally {
    results: Vec<CaseResult>,
    transcript: Transcript,
    compared: Compared,
    unrecorded: usize,
}

/// The `main` of a harness program.
pub(crate) fn main(suite: &Suite) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((arm, task)) = child::Task::of(&arguments) {
        return child::main(suite, arm, &task);
    }
    match run(suite, &arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

/// Whether no case failed.
fn run(suite: &Suite, arguments: &[String]) -> Result<bool, String> {
    let mut options = Options::parse(arguments, std::env::var(ARM_VARIABLE).ok().as_deref())
        .map_err(|error| error.to_string())?;
    if suite.only_simulated {
        options.arm = Some(Arm::Simulator);
    }
    if options.rest.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{HELP}");
    }
    let program = std::env::args().next().unwrap_or_default();
    let mut mimic = Arguments::from_iter(std::iter::once(program).chain(options.rest.iter().cloned()));
    if mimic.list {
        let trials = suite.cases.iter().map(|case| Trial::test(case.name(), || Ok(()))).collect();
        let _ = libtest_mimic::run(&mimic, trials);
        return Ok(true);
    }
    let against = match &options.against {
        Some(path) => Some(Transcript::read(path).map_err(|error| error.to_string())?),
        None => None,
    };
    let (arm, machine) = choose(&options)?;
    if arm == Arm::Real && mimic.test_threads.is_none() {
        // One process at a time on a GPU: others would share its time, and a device in exclusive mode refuses them.
        mimic.test_threads = Some(1);
    }
    let run = Arc::new(Run {
        arm,
        tally: Mutex::new(Tally {
            results: Vec::new(),
            transcript: Transcript::of(&machine),
            compared: Compared::default(),
            unrecorded: 0,
        }),
        machine,
        require_gpus: options.require_gpus,
        kill_after: options.kill_after,
        against,
        expected: match arm {
            Arm::Simulator => suite.divergences,
            Arm::Real => &[],
        },
    });
    let trials = suite.cases.iter().map(|case| trial(Arc::clone(&run), *case)).collect();
    let conclusion = libtest_mimic::run(&mimic, trials);

    let mut tally = run.tally.lock().map_err(|_| "a trial panicked while it held the results".to_owned())?;
    let results = Results::of(&run.machine, std::mem::take(&mut tally.results));
    write(options.transcript.as_deref(), || tally.transcript.text())?;
    write(options.json.as_deref(), || results.json())?;
    write(options.junit.as_deref(), || results.junit())?;
    if let Some(recording) = &run.against {
        let Compared { calls, divergences } = tally.compared;
        println!("compared {calls} calls with: {}", recording.machine());
        println!(
            "{divergences} lines differ as expected; {} cases are not in that recording",
            tally.unrecorded
        );
    }
    let skipped: Vec<_> = results.skipped().collect();
    if !skipped.is_empty() {
        println!("skipped:");
        for (name, reason) in skipped {
            println!("    {name}: {reason}");
        }
    }
    println!(
        "{} passed, {} failed, {} skipped",
        conclusion.num_passed, conclusion.num_failed, conclusion.num_ignored
    );
    Ok(!conclusion.has_failed())
}

/// Writes a file that was asked for.
fn write(path: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), String> {
    let Some(path) = path else { return Ok(()) };
    std::fs::write(path, text()).map_err(|error| format!("{}: {error}", path.display()))
}

/// Decides the arm, asks what its machine has, and says both.
fn choose(options: &Options) -> Result<(Arm, Capabilities), String> {
    let (arm, machine, why_not_real) = match options.arm {
        Some(arm) => {
            let machine = ask(arm, None)?.map_err(|why| format!("there is no {} arm: {why}", arm.word()))?;
            (arm, machine, None)
        }
        None => match ask(Arm::Real, None)? {
            Ok(machine) => (Arm::Real, machine, None),
            Err(why) => {
                let machine = ask(Arm::Simulator, None)?
                    .map_err(|simulated| format!("there is no arm.\nreal: {why}\nsimulator: {simulated}"))?;
                (Arm::Simulator, machine, Some(why))
            }
        },
    };
    println!("arm: {}", machine.summary());
    if let Some(why) = why_not_real {
        // The list of places that were tried, which may follow, is what `--arm real` shows.
        let first = why.lines().next().unwrap_or_default();
        println!("no real arm: {}", first.trim_end_matches("Tried:").trim_end());
    }
    if options.require_gpus > 0 && arm == Arm::Simulator {
        return Err(format!(
            "--require-gpus {}: found none; run where there are as many, or leave the argument out",
            options.require_gpus
        ));
    }
    Ok((arm, machine))
}

/// The machine, or why the arm is not there; `config` is the simulator's, if not that of this process. A crash or a hang is an
/// error: it must not pass for "no GPU".
pub(crate) fn ask(arm: Arm, config: Option<&str>) -> Result<Result<Capabilities, String>, String> {
    let outcome = process::run(arm, &Task::Capabilities, config, Duration::from_secs(120))
        .map_err(|error| format!("this program could not be started again: {error}"))?;
    match outcome.end {
        End::Exit(0) => Ok(Ok(Capabilities::parse(outcome.report.facts.iter().map(String::as_str)))),
        End::Exit(_) if !outcome.report.failures.is_empty() => Ok(Err(outcome.report.failures.join("\n"))),
        end => Err(format!("asking what the {} arm has: {end}\n{}", arm.word(), outcome.errors)),
    }
}

fn trial(run: Arc<Run>, case: Case) -> Trial {
    Trial::ignorable_test(case.name(), move || {
        let start = Instant::now();
        let fate = run.case(&case).unwrap_or_else(Fate::Failed);
        let result =
            CaseResult { name: case.name(), fate: fate.clone(), seconds: start.elapsed().as_secs_f64() };
        run.tally.lock().map_err(|_| "another trial panicked")?.results.push(result);
        match fate {
            Fate::Passed => Ok(Completion::Completed),
            Fate::Skipped(reason) => Ok(Completion::ignored_with(reason)),
            Fate::Failed(reason) => Err(reason.into()),
        }
    })
}

impl Run {
    fn case(&self, case: &Case) -> Result<Fate, String> {
        let name = case.name();
        if let Some(unmet) = case.needs.unmet(self.arm, &self.machine) {
            return self.skip(&unmet);
        }
        let outcome = process::run(self.arm, &Task::Case(name.clone()), case.needs.config(), self.kill_after)
            .map_err(|error| format!("this program could not be started again: {error}"))?;
        let mut failures = judge(&outcome);
        let records = outcome.report.records;
        let mut tally = self.tally.lock().map_err(|_| "another trial panicked")?;
        let expected = divergences::of_case(self.expected, &name);
        match self.against.as_ref().map(|recording| recording.compare(&name, &records, &expected)) {
            Some(Some(Ok(compared))) => {
                tally.compared.calls += compared.calls;
                tally.compared.divergences += compared.divergences;
            }
            Some(Some(Err(difference))) => failures.push(difference),
            Some(None) => tally.unrecorded += 1,
            None => {}
        }
        tally.transcript.insert(name, records);
        if failures.is_empty() { Ok(Fate::Passed) } else { Err(failures.join("\n")) }
    }

    fn skip(&self, unmet: &Unmet) -> Result<Fate, String> {
        if is_required(unmet, self.require_gpus) {
            return Err(format!("--require-gpus {}: {unmet}", self.require_gpus));
        }
        Ok(Fate::Skipped(unmet.to_string()))
    }
}

/// Whether a case must not be skipped for that: the machine was said to have what it lacks.
fn is_required(unmet: &Unmet, require_gpus: usize) -> bool {
    matches!(unmet, Unmet::Devices { needed, .. } if *needed <= require_gpus)
}

/// Everything that is wrong with what a case's process did.
fn judge(outcome: &Outcome) -> Vec<String> {
    let mut failures = outcome.report.failures.clone();
    match (outcome.end, outcome.report.checks) {
        (End::Exit(0), Some(0)) => failures.push("asserts nothing".to_owned()),
        (End::Exit(0), Some(_)) => {}
        (End::Exit(0), None) => failures.push("ended before the case did".to_owned()),
        (End::Exit(_), _) if !failures.is_empty() => {}
        (end, _) => failures.push(end.to_string()),
    }
    if failures.is_empty() {
        return failures;
    }
    if let Some(call) = &outcome.report.trying {
        failures.push(format!("in {call}"));
    }
    let said: Vec<&str> =
        outcome.report.other.iter().map(String::as_str).chain(outcome.errors.lines()).collect();
    if !said.is_empty() {
        failures.push(format!("it said:\n    {}", said.join("\n    ")));
    }
    failures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_for_want_of_required_gpus_is_a_failure() {
        let two = Unmet::Devices { needed: 2, found: 1 };
        assert!(is_required(&two, 2));
        assert!(!is_required(&two, 1));
        assert!(!is_required(&two, 0));
        assert!(!is_required(&Unmet::Other("needs memory pools".to_owned()), 2));
    }
}
