//! A declaration of kernels means the same whatever names there are around it.

#![allow(dead_code, non_camel_case_types, reason = "names that stand in the way of others")]

mod common;

/// A module with names of its own for nearly everything.
mod crowded {
    use cuda_p2p::{KernelSlice, KernelSliceMut};

    pub(crate) enum Option {
        None,
    }
    pub(crate) enum Result {
        Ok,
        Err,
    }
    pub(crate) struct Some;
    pub(crate) struct Ok;
    pub(crate) struct Err;
    pub(crate) struct Clone;
    pub(crate) struct Copy;
    pub(crate) struct Debug;
    pub(crate) struct usize;
    pub(crate) struct str;
    pub(crate) mod core {}
    /// The program's own limit.
    pub(crate) const COUNT: u64 = 1000;

    cuda_p2p::kernels! {
        pub(crate) struct Limited = *cuda_p2p::sys::kernels();
        // SAFETY: the parameters are those of the .cu file, and the kernel stays below `n`.
        unsafe extern "CUDA" {
            safe fn add<'a>(y: KernelSliceMut<'a, f32>, x: KernelSlice<'a, f32>, n: u64) = "cuda_p2p_add_f32"
            where n <= y.len() as u64, n <= x.len() as u64, n >= COUNT;
            safe fn delay(stream: u64) = "cuda_p2p_delay";
        }
    }
}

use cuda_p2p::{Error, LaunchConfig};

#[test]
fn a_condition_means_the_names_around_the_declaration() {
    let (runtime, a, _) = common::pair();
    let kernels = crowded::Limited::load(&runtime).unwrap();
    let stream = a.new_stream().unwrap();
    let mut y = a.alloc_zeroed::<f32>(10).unwrap();
    let x = a.alloc_zeroed::<f32>(10).unwrap();
    assert_eq!(
        kernels.add(&stream, LaunchConfig::new(1, 1), &mut y, &x, 10),
        Err(Error::Precondition { kernel: "add", condition: "n >= COUNT" })
    );
    kernels.delay(&stream, LaunchConfig::new(1, 1), 1).unwrap();
    assert_eq!(kernels.kernel_named("cuda_p2p_delay").map(|kernel| kernel.name()), Some("cuda_p2p_delay"));
}
