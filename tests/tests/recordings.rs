//! The simulator against each file in `recordings`. Any difference that is not meant fails. Does not run on hardware; there,
//! `conformance --against` does the same.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    cuda_p2p_tests::recordings(&Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings"))
}
