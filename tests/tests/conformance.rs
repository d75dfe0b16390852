//! Every case of this crate, on the simulator or on the GPUs of this machine. See README.md for the arguments.

use std::process::ExitCode;

fn main() -> ExitCode {
    cuda_p2p_tests::conformance()
}
