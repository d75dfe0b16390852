//! Random programs of safe calls do what a plain host model says, on simulated machines of 1 to 10 devices, under
//! adversarial schedules: every byte read back, every error, no fault, nothing left at the end. Says nothing of programs of
//! several threads, whose schedules no seed decides: those are in `rules`.

use std::ops::Range;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use cuda_p2p_model::{play_all, play_one, variable};

/// Programs of one process: a program leaves some kilobytes behind that are never freed.
const OF_A_PROCESS: u64 = 1000;
const NAME: &str = "programs_do_what_the_model_says";
const FROM: &str = "CUDA_P2P_MODEL_CHILD_FROM";
const TO: &str = "CUDA_P2P_MODEL_CHILD_TO";

#[test]
fn programs_do_what_the_model_says() {
    if let (Some(from), Some(to)) = (variable(FROM), variable(TO)) {
        return play_all(from..to).unwrap_or_else(|text| panic!("{text}"));
    }
    if let Some(number) = variable("CUDA_P2P_MODEL_PROGRAM") {
        return println!("{}", play_one(number).unwrap_or_else(|text| panic!("{text}")));
    }
    let first = variable("CUDA_P2P_MODEL_FIRST").unwrap_or(0);
    let count = variable("CUDA_P2P_MODEL_PROGRAMS").unwrap_or(10_000);
    let started = Instant::now();
    let failures = in_children(first..first + count);
    for failure in &failures {
        eprintln!("{failure}");
    }
    assert!(failures.is_empty(), "{} processes failed; see above", failures.len());
    println!(
        "programs {first} to {}: 0 failures, {:.1} s",
        first + count - 1,
        started.elapsed().as_secs_f64()
    );
}

/// Plays the programs in as many processes at a time as the machine has use for. Gives what the failed ones printed.
fn in_children(numbers: Range<u64>) -> Vec<String> {
    // A program's threads hand over to each other, and a processor is idle meanwhile.
    let most = 2 * std::thread::available_parallelism().map_or(2, usize::from);
    let next = std::sync::Mutex::new(numbers.clone().step_by(OF_A_PROCESS as usize));
    let failures = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..most {
            scope.spawn(|| {
                loop {
                    let Some(from) = next.lock().expect("no panic here").next() else { return };
                    let to = (from + OF_A_PROCESS).min(numbers.end);
                    if let Err(text) = finish(child(from, to)) {
                        failures.lock().expect("no panic here").push(text);
                    }
                }
            });
        }
    });
    failures.into_inner().expect("no panic here")
}

fn child(from: u64, to: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program's path"));
    command.args(["--exact", NAME, "--nocapture", "--test-threads=1"]);
    command.env(FROM, from.to_string()).env(TO, to.to_string()).env_remove("CUDA_P2P_SIM");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a child process")
}

fn finish(child: Child) -> Result<(), String> {
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() && text.contains("1 passed") { Ok(()) } else { Err(text) }
}
