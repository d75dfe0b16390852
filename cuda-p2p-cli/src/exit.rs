//! What the exit status of the command says.

use std::process::ExitCode;

use serde::Serialize;

/// The exit status, which scripts rely on: a meaning keeps its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Exit {
    /// Every pair that can be reached, and every pair that `--pairs` names, was proven; or, for `topo`, it was shown, and for
    /// `bench` measured.
    Proven,
    /// Some byte was wrong. Outranks every other status.
    WrongData,
    /// The arguments, or `CUDA_P2P_SIM`, make no sense. The argument parser uses the same number.
    BadArguments,
    /// There is no ordered pair with access; or a pair, or a path, that was asked for by name cannot be had; or a soak was ended before
    /// each pair had a round.
    NothingToTest,
    /// A CUDA call failed, or a step hung or died.
    CudaFailed,
    /// This program could not start a process of its own, or not write its result.
    NoResult,
    /// `doctor` found a condition that keeps a pair from working, or slows it down.
    ProblemFound,
}

impl Exit {
    /// The number that the shell sees.
    pub(crate) fn status(self) -> u8 {
        match self {
            Self::Proven => 0,
            Self::WrongData => 1,
            Self::BadArguments => 2,
            Self::NothingToTest => 3,
            Self::CudaFailed => 4,
            Self::NoResult => 5,
            Self::ProblemFound => 6,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.status())
    }
}

/// The list that `--help` ends with.
pub(crate) const EXIT_CODES: &str = "\
Exit status:
  0  every reachable pair, and every pair of --pairs, proven (topo: shown;
     bench: measured; doctor: no problem found)
  1  wrong data: some byte did not arrive, or arrived elsewhere
  2  bad arguments, or a CUDA_P2P_SIM that cannot be read
  3  nothing to test: no pair has peer access, or a pair of --pairs or a path of
     --paths cannot be had; or a soak was ended before each pair had a round
  4  a CUDA call failed, or a step hung or died
  5  no result: a process could not be started, or the result not be written
  6  doctor: found what keeps a pair from working (wrong data is that), or
     slows it down";
