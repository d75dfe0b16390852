//! y = a * x + y on one device, with x in the memory of another: the whole of what a user writes.

use cuda_p2p::{DeviceSliceMut, LaunchConfig, PeerSlice, Runtime, SimulatorPolicy};

cuda_p2p::kernels! {
    /// The kernels of `kernels/saxpy_peer.cu`.
    pub struct Kernels = cuda_p2p::include_module!("saxpy");
    // SAFETY: the signature is that of the .cu file; the kernel stays below `n`, and the conditions keep `n` inside both slices.
    unsafe extern "CUDA" {
        /// `y[i] = a * x[i] + y[i]` for each `i` below `n`.
        safe fn saxpy_peer<'a>(a: f32, x: PeerSlice<'a, f32>, y: DeviceSliceMut<'a, f32>, n: u64)
        where n <= x.len() as u64, n <= y.len() as u64;
    }
}

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run() -> cuda_p2p::Result<()> {
    let runtime = Runtime::builder().simulator(SimulatorPolicy::WhenNoDevice).open()?;
    println!("{}", runtime.origin()); // says SIMULATED where there is no GPU
    let (accessor, owner) = (runtime.device(0)?, runtime.device(1)?);
    let access = accessor.enable_peer_access(&owner)?;

    let n = 100_003;
    let x = owner.alloc_from(&(0..n).map(|i| i as f32).collect::<Vec<_>>())?;
    let mut y = accessor.alloc_from(&vec![1.0f32; n])?;
    let stream = accessor.new_stream()?;
    let kernels = Kernels::load(&runtime)?;
    kernels.saxpy_peer(&stream, LaunchConfig::for_elements(n), 2.0, access.slice(&x)?, &mut y, n as u64)?;

    let wrong = y.to_vec()?.iter().enumerate().filter(|&(i, y)| *y != 2.0 * i as f32 + 1.0).count();
    println!("{n} elements, {wrong} wrong");
    std::process::exit(i32::from(wrong != 0));
}
