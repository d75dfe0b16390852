//! Conformance harness of cuda-p2p: the same cases on the simulator and on GPUs.
//!
//! # Architecture
//! - A [`case`] is one function over the raw function table. It says what it [`needs`] of the machine.
//! - An [`arm`] gives the table: the runtime library of this machine, or the simulator. The cases do not know which.
//! - [`run`] asks once what the machine has ([`capabilities`]), skips what it cannot run, and starts a process for each case
//!   ([`process`]), because peer access, the last error and error 700 belong to the process.
//! - In that process ([`child`]) the case talks through a [`context`]: it makes the calls, compares the answers, and reports
//!   both ([`report`]). The parent keeps the answers as a [`transcript`] and can compare them with an older one; [`results`]
//!   are for other programs.
//! - [`driver`] loads and launches kernels where the runtime has no functions for that.
//! - [`recordings`] holds the simulator against what hardware answered; [`divergences`] lists where it differs on purpose.
//!
//! # Who validates what
//! Nobody but the runtime: a case calls the C functions with whatever arguments it is about. What keeps a wrong one from doing
//! harm is that its process ends with it.

#![allow(rustdoc::private_intra_doc_links, reason = "the list is for those who work on the harness")]

mod arm;
mod broken;
mod calls;
mod capabilities;
mod case;
mod cases;
mod child;
mod context;
mod divergences;
mod driver;
mod kernels;
mod needs;
mod options;
mod partner;
mod process;
mod recordings;
mod report;
mod results;
mod run;
mod setup;
mod test_kernels;
mod transcript;
mod virtual_memory;

use std::process::ExitCode;

/// Runs the conformance cases as the arguments of this process say, and prints what came out.
///
/// The exit code is 0 if no case failed, 1 if one did, and 2 if the run could not be made (bad arguments, no such arm).
pub fn conformance() -> ExitCode {
    run::main(&suite())
}

/// Runs the cases that must fail, on a table of their own: what the harness says of them is what its own tests check.
pub fn broken_cases() -> ExitCode {
    run::main(&run::Suite {
        cases: broken::CASES.to_vec(),
        simulator: broken::table,
        divergences: broken::DIVERGENCES,
        only_simulated: false,
    })
}

/// Runs the conformance cases on the simulator as a runtime of CUDA 12.4, which has fewer functions.
pub fn older_runtime() -> ExitCode {
    run::main(&run::Suite { simulator: arm::older_simulator, only_simulated: true, ..suite() })
}

/// Holds the simulator, with a runtime of its release, against every recording in `folder`: a case whose calls are answered otherwise than hardware answered
/// them fails, unless the difference is one of the list of those that are meant.
pub fn recordings(folder: &std::path::Path) -> ExitCode {
    recordings::main(&suite(), folder)
}

fn suite() -> run::Suite {
    run::Suite {
        cases: cases::all(),
        simulator: arm::simulator,
        divergences: divergences::DIVERGENCES,
        only_simulated: false,
    }
}
