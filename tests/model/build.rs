//! Compiles the one kernel that the programs need and `cuda-p2p-sys` does not have: atomic additions.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    cuda_p2p_build::Kernels::new("cuda_p2p_model_kernels")
        .file("../kernels/count.cu")
        .simulator(true)
        .compile_or_exit();
}
