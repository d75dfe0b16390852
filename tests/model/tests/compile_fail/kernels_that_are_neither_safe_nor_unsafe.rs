use cuda_p2p::DeviceSliceMut;

cuda_p2p::kernels! {
    struct Kernels = *cuda_p2p::sys::kernels();
    // SAFETY: never launched.
    unsafe extern "CUDA" {
        fn fill<'a>(destination: DeviceSliceMut<'a, u8>, bytes: u64, seed: u64) = "cuda_p2p_fill";
    }
}

fn main() {}
