//! Kernels through real compilers: the C++ ones for the simulator (each access must reach the hook), nvcc for GPUs.
//!
//! Needs a C++ compiler. clang++ and nvcc are used if they are there; else their trials are listed as ignored, and the
//! reason is in their name. Asserts nothing about running on a GPU.

mod accesses;
mod build;
mod device;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let arguments = Arguments::from_args();
    // It would override the architectures that the trials ask for.
    // SAFETY: no other thread runs yet.
    unsafe { std::env::remove_var("CUDA_P2P_ARCHS") };
    let mut trials = Vec::new();
    for compiler in build::compilers() {
        trials.extend(accesses::trials(&compiler));
    }
    trials.extend(device::trials());
    libtest_mimic::run(&arguments, trials).exit();
}

/// A trial that runs if `missing` is `None`, and else is listed as ignored with what is missing.
fn trial(
    name: String,
    missing: Option<&str>,
    body: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Trial {
    let name = missing.map_or(name.clone(), |what| format!("{name} (skipped: {what})"));
    Trial::test(name, move || Ok(body()?)).with_ignored_flag(missing.is_some())
}
