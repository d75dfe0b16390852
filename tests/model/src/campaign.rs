//! Many programs, each with a number: plays them, and shrinks the one that fails.

use std::env;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::play::{DONE_SO_FAR, play};
use crate::program::{Program, programs};

/// How long one program may take; they take some milliseconds.
const KILL_AFTER: Duration = Duration::from_secs(60);
/// How long a program is shrunk.
const SHRINK_FOR: Duration = Duration::from_secs(60);
/// Schedules that a shrunk program is tried under: one that has lost steps meets another schedule under the same seed.
const TRIES: u64 = 12;

/// Plays the programs of these numbers, in this process. Ends it with a text if one does not end.
///
/// # Errors
/// The first program that differs from the model, shrunk, with its number.
pub fn play_all(numbers: Range<u64>) -> Result<(), String> {
    let now = std::sync::Arc::new(AtomicU64::new(numbers.start));
    watch(now.clone());
    for number in numbers {
        now.store(number, Ordering::Relaxed);
        let mut tree = tree_of(number);
        let program = tree.current();
        if let Err(difference) = play(&program, program.seed) {
            // A shrunk program may end in a deadlock that the full one does not have; it is watched all the same.
            return Err(shrink(number, tree.as_mut(), program, difference, &now));
        }
    }
    Ok(())
}

/// Plays one program, and gives what it did.
///
/// # Errors
/// How it differs from the model, shrunk.
pub fn play_one(number: u64) -> Result<String, String> {
    play_all(number..number + 1)?;
    let program = tree_of(number).current();
    Ok(told(&program, program.seed))
}

/// The program of a number. The same one each time, as long as the strategy is the same.
fn tree_of(number: u64) -> Box<dyn ValueTree<Value = Program>> {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    Box::new(programs().new_tree(&mut runner).expect("the strategy rejects nothing"))
}

/// Makes the program smaller for as long as it fails, and tells of what is left.
fn shrink(
    number: u64,
    tree: &mut dyn ValueTree<Value = Program>,
    first: Program,
    difference: String,
    now: &AtomicU64,
) -> String {
    let started = Instant::now();
    let mut smallest = (first.seed, told(&first, first.seed), difference.clone());
    let mut tried = 0u64;
    let mut more = tree.simplify();
    while more && started.elapsed() < SHRINK_FOR {
        // Each try is a program of its own to the watch.
        now.fetch_xor(1 << 63, Ordering::Relaxed);
        let program = tree.current();
        let seeds = (0..TRIES).map(|more| program.seed.map(|seed| seed.wrapping_add(more)));
        let failed = seeds.into_iter().find_map(|seed| play(&program, seed).err().map(|why| (seed, why)));
        tried += 1;
        more = match failed {
            Some((seed, why)) => {
                smallest = (seed, told(&program, seed), why);
                tree.simplify()
            }
            None => tree.complicate(),
        };
    }
    let (seed, actions, why) = smallest;
    let schedule = seed.map_or_else(|| "the schedule in order".to_owned(), |seed| format!("seed {seed}"));
    format!(
        "program {number} differs from the model: {difference}\n\
         shrunk in {tried} tries, under {schedule}: {why}\n{actions}\
         again: CUDA_P2P_MODEL_PROGRAM={number} cargo test -p cuda-p2p-model --test programs -- --nocapture"
    )
}

/// The machine, and what was done on it last. To be asked after the program was played.
fn told(program: &Program, seed: Option<u64>) -> String {
    let mut text = format!("  on `{}`:\n", program.machine.config(seed));
    for action in DONE_SO_FAR.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let _ = writeln!(text, "  {action}");
    }
    text
}

/// Ends the process if the same program is played for too long.
fn watch(now: std::sync::Arc<AtomicU64>) {
    std::thread::spawn(move || {
        let mut last = (now.load(Ordering::Relaxed), Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let number = now.load(Ordering::Relaxed);
            if number != last.0 {
                last = (number, Instant::now());
            } else if last.1.elapsed() > KILL_AFTER {
                let actions = DONE_SO_FAR.lock().unwrap_or_else(PoisonError::into_inner).join("\n  ");
                eprintln!("program {} does not end. So far:\n  {actions}", number & !(1 << 63));
                std::process::exit(70);
            }
        }
    });
}

/// A number from the environment.
///
/// # Panics
/// If it is set to anything else.
pub fn variable(name: &str) -> Option<u64> {
    let value = env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name}={value:?} is no whole number")))
}
