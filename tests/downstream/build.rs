// Compiles this crate's kernel for GPUs and for the simulator.

fn main() {
    cuda_p2p_build::Kernels::new("saxpy").file("kernels/saxpy_peer.cu").compile_or_exit();
}
