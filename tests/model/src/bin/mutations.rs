//! Takes each rule of the safe crate out of a copy of the workspace, and shows that a test notices.
//!
//! `cargo run -p cuda-p2p-model --bin mutations [WORD...]`: those whose name has one of the words, or all. One row for each;
//! the exit code is 0 if all were caught. `CUDA_P2P_MUTATIONS` names the folder for the copy and its builds; if it is not set,
//! it is beside this program.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use cuda_p2p_model::{Mutation, SEEDS_VARIABLE, Suite, Tree, mutations, workspace};

/// How long each test may take. A rule that is missing can also show by a wait that never ends.
const KILL_AFTER: Duration = Duration::from_secs(120);
/// Schedules that a test has to notice under.
const SEEDS: &str = "200";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::from(2)
        }
    }
}

/// Whether all were caught.
fn run() -> Result<bool, String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut chosen = mutations()?;
    chosen.retain(|it| words.is_empty() || words.iter().any(|word| it.name.contains(word.as_str())));
    if chosen.is_empty() {
        return Err("no mutation has such a name".to_owned());
    }
    let tree =
        Tree::copy(&workspace(), &folder()?).map_err(|error| format!("copying the workspace: {error}"))?;
    let moved: Vec<String> = chosen.iter().filter_map(|it| it.apply(tree.root()).err()).collect();
    if !moved.is_empty() {
        return Err(moved.join("\n\n"));
    }
    for suite in [Suite::Rules, Suite::Models] {
        pass_without(&tree, suite, &chosen)?;
    }
    let mut survived = 0;
    for (index, mutation) in chosen.iter().enumerate() {
        let row = try_out(&tree, mutation)?;
        survived += usize::from(!row.caught);
        println!("{:>2}/{} {:<9} {:<42} {}", index + 1, chosen.len(), row.outcome, mutation.name, row.how);
    }
    println!("{} mutations: {} caught, {survived} not", chosen.len(), chosen.len() - survived);
    Ok(survived == 0)
}

/// Where the copy and its builds are.
fn folder() -> Result<PathBuf, String> {
    if let Some(folder) = std::env::var_os("CUDA_P2P_MUTATIONS") {
        return Ok(folder.into());
    }
    let program = std::env::current_exe().map_err(|error| format!("this program's path: {error}"))?;
    let target = program.ancestors().nth(2).ok_or("this program is in no target folder")?;
    Ok(target.join("mutations"))
}

/// With all rules in place the tests of the suite pass, and there are as many as are named.
fn pass_without(tree: &Tree, suite: Suite, chosen: &[Mutation]) -> Result<(), String> {
    let of_suite = chosen.iter().filter(|it| it.suite == suite);
    let mut cases: Vec<&str> = of_suite.map(|it| it.case.as_str()).collect();
    cases.sort_unstable();
    cases.dedup();
    if cases.is_empty() {
        return Ok(());
    }
    let test =
        tree.build(suite).map_err(|text| format!("without a mutation, the tests do not build:\n{text}"))?;
    let (status, text) = run_test(&test, &cases)?;
    if status.is_some_and(|it| it.success()) && text.contains(&format!("{} passed", cases.len())) {
        return Ok(());
    }
    Err(format!("without a mutation, not each of {} tests passes:\n{text}", cases.len()))
}

struct Row {
    caught: bool,
    outcome: &'static str,
    how: String,
}

fn try_out(tree: &Tree, mutation: &Mutation) -> Result<Row, String> {
    let path = tree.root().join(&mutation.file);
    let original = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let write =
        |text: &[u8]| std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()));
    write(mutation.apply(tree.root())?.as_bytes())?;
    let row = match tree.build(mutation.suite) {
        Ok(test) => judge(&test, mutation),
        Err(text) => Ok(Row { caught: false, outcome: "NO BUILD", how: text }),
    };
    write(&original)?;
    row
}

fn judge(test: &Path, mutation: &Mutation) -> Result<Row, String> {
    let (status, text) = run_test(test, &[&mutation.case])?;
    let seed = text.lines().find_map(|line| line.strip_prefix("broken under seed ")?.split(' ').next());
    let by = |what: &str| format!("{} {what}", mutation.case);
    Ok(match status {
        None => Row { caught: true, outcome: "caught", how: by("does not end") },
        Some(status) if status.success() => {
            Row { caught: false, outcome: "SURVIVED", how: format!("{}: {}", mutation.case, mutation.rule) }
        }
        Some(_) => {
            let seed = seed.map_or_else(String::new, |seed| format!("(seed {seed})"));
            Row { caught: true, outcome: "caught", how: by(&seed) }
        }
    })
}

/// Runs tests by their whole names. No status if they had to be ended.
fn run_test(test: &Path, cases: &[&str]) -> Result<(Option<ExitStatus>, String), String> {
    let mut command = Command::new(test);
    command.arg("--exact").args(cases).args(["--nocapture", "--test-threads=1"]);
    command
        .env_remove("CUDA_P2P_SIM")
        .env(SEEDS_VARIABLE, SEEDS)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", test.display()))?;
    let readers = [read_all(child.stdout.take()), read_all(child.stderr.take())];
    let bound = KILL_AFTER * u32::try_from(cases.len()).unwrap_or(u32::MAX);
    let status = wait(&mut child, bound)?;
    let text = readers.map(|reader| reader.join().unwrap_or_default()).concat();
    Ok((status, text))
}

/// Reads a pipe to its end meanwhile: a full one would stop the child.
fn read_all(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is all there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child, bound: Duration) -> Result<Option<ExitStatus>, String> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(Some(status));
        }
        if started.elapsed() > bound {
            child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
