//! What a proof, or a soak, comes to.

use serde::Serialize;

use super::path::Path;
use super::report::PairOutcome;
use crate::exit::Exit;

/// What was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Seed of the random data.
    pub(crate) seed: u64,
    /// Sizes in bytes.
    pub(crate) sizes: Vec<u64>,
    /// The paths.
    pub(crate) paths: Vec<Path>,
    /// Whether pairs were asked for by name, so that each has to be proven.
    pub(crate) named_pairs: bool,
    /// Whether paths were.
    pub(crate) named_paths: bool,
}

/// What it comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Verdict {
    /// Ordered pairs on which every step passed.
    pub(crate) proven: usize,
    /// Ordered pairs on which a byte was wrong.
    pub(crate) wrong: usize,
    /// Ordered pairs on which a call failed, or a step hung or died.
    pub(crate) failed: usize,
    /// Ordered pairs without access, according to the runtime.
    pub(crate) unreachable: usize,
    /// Ordered pairs on which no path could be had, so that nothing was proven.
    pub(crate) untested: usize,
    /// Paths that could not be had, counted on each ordered pair.
    pub(crate) skipped: usize,
    /// The exit status, by name.
    pub(crate) exit: Exit,
    /// The exit status, by number.
    pub(crate) exit_status: u8,
}

impl Verdict {
    /// Counts the pairs. One that was asked for by name and has no access is no success, nor is a path that was asked for and
    /// cannot be had: nothing was proven for it.
    pub(super) fn of(pairs: &[PairOutcome], skipped: usize, asked: &Asked) -> Self {
        let count = |outcome: PairOutcome| pairs.iter().filter(|pair| **pair == outcome).count();
        let proven = count(PairOutcome::Proven);
        let wrong = count(PairOutcome::WrongData);
        let failed = count(PairOutcome::Failed);
        let unreachable = count(PairOutcome::Unreachable);
        let untested = count(PairOutcome::Untested);
        let missing =
            asked.named_pairs && unreachable > 0 || asked.named_paths && skipped > 0 || untested > 0;
        let exit = match (wrong, failed, proven) {
            (1.., _, _) => Exit::WrongData,
            (0, 1.., _) => Exit::CudaFailed,
            (0, 0, 0) => Exit::NothingToTest,
            (0, 0, 1..) if missing => Exit::NothingToTest,
            (0, 0, 1..) => Exit::Proven,
        };
        Self { proven, wrong, failed, unreachable, untested, skipped, exit, exit_status: exit.status() }
    }
}
