//! The simulator against the recordings of hardware: all cases once, then each recording in a trial of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, thread};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::arm::Arm;
use crate::case::Case;
use crate::child::{self, Task};
use crate::divergences::{self, Divergence};
use crate::process;
use crate::run::{Suite, ask};
use crate::transcript::{Compared, Transcript};

/// The machine that recordings are held against, whatever the environment says.
const PAIR: &str = "devices=2 quiet";
/// How long one case may take.
const KILL_AFTER: Duration = Duration::from_secs(60);
/// Fewer calls in common are no recording of a whole run.
const CALLS_AT_LEAST: usize = 1_500;

/// The lines of every case on the simulator, by name.
type Answers = BTreeMap<String, Vec<String>>;

/// The `main` of the recordings' test program.
pub(crate) fn main(suite: &Suite, folder: &Path) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((arm, task)) = child::Task::of(&arguments) {
        return child::main(suite, arm, &task);
    }
    match run(suite, folder) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

/// Whether no recording differs.
fn run(suite: &Suite, folder: &Path) -> Result<bool, String> {
    let files = recordings_in(folder)?;
    let mimic = Arguments::from_args();
    let answers = if mimic.list || files.is_empty() { Answers::new() } else { answers(suite)? };
    let answers = Arc::new(answers);
    let expected = suite.divergences;
    let trials = files.into_iter().map(|file| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let answers = Arc::clone(&answers);
        Trial::test(name, move || hold(&answers, &file, expected))
    });
    Ok(!libtest_mimic::run(&mimic, trials.collect()).has_failed())
}

fn recordings_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    Ok(files)
}

/// Compares all that the recording has.
fn hold(answers: &Answers, file: &Path, expected: &[Divergence]) -> Result<(), Failed> {
    let recording = Transcript::read(file).map_err(|error| error.to_string())?;
    let mut total = Compared::default();
    let mut differences = Vec::new();
    for (name, lines) in answers {
        match recording.compare(name, lines, &divergences::of_case(expected, name)) {
            None => {}
            Some(Ok(compared)) => {
                total.calls += compared.calls;
                total.divergences += compared.divergences;
            }
            Some(Err(difference)) => differences.push(format!("{name}\n{difference}")),
        }
    }
    let gone = recording.names().filter(|name| !answers.contains_key(*name)).count();
    println!(
        "compared {} calls with {}: {} lines differ as expected, {} cases differ otherwise, {gone} are of older cases",
        total.calls,
        recording.machine(),
        total.divergences,
        differences.len(),
    );
    if differences.is_empty() && total.calls < CALLS_AT_LEAST {
        differences.push(format!("{} calls were compared: fewer than {CALLS_AT_LEAST}", total.calls));
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n").into()) }
}

/// Runs every case that the simulated pair can run.
fn answers(suite: &Suite) -> Result<Answers, String> {
    let machine = ask(Arm::Simulator)?.map_err(|why| format!("there is no simulator: {why}"))?;
    let can_run = |case: &&Case| case.needs.unmet(Arm::Simulator, &machine).is_none();
    let cases: Vec<&Case> = suite.cases.iter().filter(can_run).collect();
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Answers::new());
    let work = || -> Result<(), String> {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = case.name();
            let config = case.needs.config().unwrap_or(PAIR);
            let outcome = process::run(Arm::Simulator, &Task::Case(name.clone()), Some(config), KILL_AFTER)
                .map_err(|error| format!("this program could not be started again: {error}"))?;
            let mut answers = answers.lock().map_err(|_| "another thread panicked")?;
            answers.insert(name, outcome.report.records);
        }
        Ok(())
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err("a thread that ran cases panicked".to_owned()))
        })
    })?;
    answers.into_inner().map_err(|_| "a thread panicked while it held the answers".to_owned())
}
