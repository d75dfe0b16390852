//! Compiles the kernels that only tests need: those that trap, meet at barriers, wait for flags.

/// One file a topic.
const KERNELS: [&str; 9] =
    ["trap", "store", "block", "flag", "count", "parameters", "access", "rounds", "registers"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    cuda_p2p_build::Kernels::new("cuda_p2p_test_kernels")
        .files(KERNELS.map(|name| format!("kernels/{name}.cu")))
        .simulator(true)
        .compile_or_exit();
}
