// Compiles the kernels that this project's are held against.

fn main() {
    cuda_p2p_build::Kernels::new("rounds").file("kernels/rounds.cu").compile_or_exit();
}
