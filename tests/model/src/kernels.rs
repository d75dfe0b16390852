//! The kernels of the programs: those of `cuda-p2p-sys`, and one that counts.
//!
//! # Safety
//! This file declares kernels, and presents a host module as what a runtime that is no simulator loads.

use cuda_p2p::{DeviceSliceMut, KernelModule, KernelSlice, KernelSliceMut, PeerAtomicSlice, PeerSlice};

/// The module with its host code in both places.
///
/// Each program has a machine and a [`Runtime`](cuda_p2p::Runtime) of its own, made by `Runtime::from_table`: to
/// `cuda-p2p` that is a runtime like any other, which is given a module's machine code. The simulator tells the two kinds
/// of code apart by itself.
fn on_a_table(module: &KernelModule) -> KernelModule {
    let host = module.host();
    let code = host.map(|host| {
        let bytes = size_of_val(host);
        // SAFETY: a host module is plain data of the program's image, so many bytes of it.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(host).cast::<u8>(), bytes) }
    });
    let host = host.map(|host| std::ptr::from_ref(host).cast::<()>());
    // SAFETY: the host module is one of this program's image. The other code is for the simulator only, which every
    // table of this crate comes from.
    unsafe { KernelModule::from_parts((module.name(), code, host)) }
}

cuda_p2p::kernels! {
    /// Those of `cuda-p2p-sys`.
    pub struct Kernels = on_a_table(cuda_p2p_sys::kernels());

    // SAFETY: the parameters are those of the .cu files, and under the conditions no kernel leaves its slices.
    unsafe extern "CUDA" {
        /// Writes the pattern of `seed`.
        safe fn fill<'a>(destination: KernelSliceMut<'a, u8>, bytes: u64, seed: u64) = "cuda_p2p_fill"
        where bytes <= destination.len() as u64;

        /// Copies bytes.
        safe fn copy<'a>(destination: KernelSliceMut<'a, u8>, source: KernelSlice<'a, u8>, bytes: u64) = "cuda_p2p_copy"
        where bytes <= destination.len() as u64, bytes <= source.len() as u64;

        /// Copies bytes of a peer: takes no other memory.
        safe fn fetch<'a>(destination: DeviceSliceMut<'a, u8>, source: PeerSlice<'a, u8>, bytes: u64) = "cuda_p2p_copy"
        where bytes <= destination.len() as u64, bytes <= source.len() as u64;

        /// `y[i] += x[i]`
        safe fn add_f32<'a>(y: KernelSliceMut<'a, f32>, x: KernelSlice<'a, f32>, n: u64) = "cuda_p2p_add_f32"
        where n <= y.len() as u64, n <= x.len() as u64;

        /// Keeps its stream busy for `ns` nanoseconds.
        safe fn delay(ns: u64) = "cuda_p2p_delay";

        /// Writes `value` to the first element, after `ns` nanoseconds.
        safe fn delayed_store<'a>(destination: KernelSliceMut<'a, u32>, value: u32, ns: u64) = "cuda_p2p_delayed_store"
        where !destination.is_empty();
    }
}

cuda_p2p::kernels! {
    /// The one that counts.
    pub struct Counting =
        on_a_table(&cuda_p2p_sys::kernel_module::include_module!(concat!(env!("OUT_DIR"), "/cuda_p2p_model_kernels.rs")));

    // SAFETY: the parameters are those of count.cu, which touches one word, by atomic additions.
    unsafe extern "CUDA" {
        /// Each thread adds 1 to the first element, `times` times.
        safe fn count<'a>(word: PeerAtomicSlice<'a, u32>, times: u32) = "test_count"
        where !word.is_empty();

        /// The same in the launching device's own memory.
        safe fn count_here<'a>(word: DeviceSliceMut<'a, u32>, times: u32) = "test_count"
        where !word.is_empty();
    }
}
