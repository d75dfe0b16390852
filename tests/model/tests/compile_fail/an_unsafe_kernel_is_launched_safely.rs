use cuda_p2p::{DeviceSliceMut, LaunchConfig, Stream};

cuda_p2p::kernels! {
    struct Kernels = *cuda_p2p::sys::kernels();
    // SAFETY: never launched.
    unsafe extern "CUDA" {
        unsafe fn fill<'a>(destination: DeviceSliceMut<'a, u8>, bytes: u64, seed: u64) = "cuda_p2p_fill";
    }
}

fn main() {}

fn launch(kernels: Kernels, stream: &Stream, memory: DeviceSliceMut<'_, u8>) {
    kernels.fill(stream, LaunchConfig::new(1, 1), memory, 4, 1).unwrap();
}
