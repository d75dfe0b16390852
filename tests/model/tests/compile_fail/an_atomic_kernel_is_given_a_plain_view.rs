use cuda_p2p::{LaunchConfig, PeerAtomicSlice, PeerSliceMut, Result, Stream};

cuda_p2p::kernels! {
    struct Kernels = *cuda_p2p::sys::kernels();
    // SAFETY: never launched.
    unsafe extern "CUDA" {
        safe fn count<'a>(word: PeerAtomicSlice<'a, u32>, times: u32);
    }
}

fn main() {}

fn launch(kernels: Kernels, stream: &Stream, word: PeerSliceMut<'_, u32>) -> Result<()> {
    kernels.count(stream, LaunchConfig::new(1, 1), word, 1u32)
}
