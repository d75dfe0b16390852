//! Every case of this crate on the simulator with a runtime of CUDA 12.4: each case must say which release it needs, and
//! kernels run by way of the driver's functions. Always simulated: a real runtime of 12.4 is what `conformance` is for.

use std::process::ExitCode;

fn main() -> ExitCode {
    cuda_p2p_tests::older_runtime()
}
