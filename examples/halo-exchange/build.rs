//! Compiles this crate's kernel for GPUs and for the simulator.

fn main() {
    cuda_p2p_build::Kernels::new("relax").file("kernels/relax.cu").compile_or_exit();
}
