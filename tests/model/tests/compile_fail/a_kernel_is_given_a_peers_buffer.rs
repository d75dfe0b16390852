use cuda_p2p::{DeviceBuffer, LaunchConfig, PeerSlice, Result, Stream};

cuda_p2p::kernels! {
    struct Kernels = *cuda_p2p::sys::kernels();
    // SAFETY: never launched.
    unsafe extern "CUDA" {
        safe fn read<'a>(theirs: PeerSlice<'a, u32>, n: u64);
    }
}

fn main() {}

fn launch(kernels: Kernels, stream: &Stream, theirs: &DeviceBuffer<u32>) -> Result<()> {
    kernels.read(stream, LaunchConfig::new(1, 1), theirs, 1u64)
}
