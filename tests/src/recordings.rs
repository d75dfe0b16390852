//! The simulator against the recordings of hardware: each in a trial of its own, on a simulated pair with a runtime of the
//! release that was recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, thread};

use cuda_p2p_sim::MachineConfig;
use libtest_mimic::{Arguments, Completion, Failed, Trial};

use crate::arm::Arm;
use crate::case::Case;
use crate::child::{self, Task};
use crate::divergences;
use crate::process;
use crate::run::{Suite, ask};
use crate::transcript::{Compared, Transcript};

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
    let mut mimic = Arguments::from_args();
    // A trial uses all processors by itself.
    mimic.test_threads = Some(1);
    let suite = Arc::new(suite.clone());
    let trials = files.into_iter().map(|file| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let suite = Arc::clone(&suite);
        Trial::ignorable_test(name, move || hold(&suite, &file))
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
fn hold(suite: &Suite, file: &Path) -> Result<Completion, Failed> {
    let recording = Transcript::read(file).map_err(|error| error.to_string())?;
    let (major, minor) =
        recording.release().ok_or("its second line does not name the release of a runtime")?;
    let config = format!("devices=2 quiet runtime={major}.{minor}");
    if let Err(error) = config.parse::<MachineConfig>() {
        return Ok(Completion::ignored_with(error.to_string()));
    }
    let answers = answers(suite, &config, &recording)?;
    let mut total = Compared::default();
    let mut differences = Vec::new();
    for (name, lines) in &answers {
        match recording.compare(name, lines, &divergences::of_case(suite.divergences, name)) {
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
        "compared {} calls with {}: {} lines differ as expected, {} cases differ otherwise, {gone} were not run here",
        total.calls,
        recording.machine(),
        total.divergences,
        differences.len(),
    );
    if differences.is_empty() && total.calls < CALLS_AT_LEAST {
        differences.push(format!("{} calls were compared: fewer than {CALLS_AT_LEAST}", total.calls));
    }
    if differences.is_empty() { Ok(Completion::Completed) } else { Err(differences.join("\n").into()) }
}

/// Runs every case of the recording that the simulated machine can run.
fn answers(suite: &Suite, config: &str, recording: &Transcript) -> Result<Answers, String> {
    let machine =
        ask(Arm::Simulator, Some(config))?.map_err(|why| format!("there is no simulator: {why}"))?;
    let recorded: BTreeSet<&str> = recording.names().collect();
    let can_run = |case: &&Case| {
        recorded.contains(&case.name()[..]) && case.needs.unmet(Arm::Simulator, &machine).is_none()
    };
    let cases: Vec<&Case> = suite.cases.iter().filter(can_run).collect();
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Answers::new());
    let work = || -> Result<(), String> {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = case.name();
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
