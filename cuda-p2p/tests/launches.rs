//! What is refused before a launch, and before that when kernels are loaded.

mod common;

use common::pair;
use cuda_p2p::builtin::Kernels;
use cuda_p2p::{DeviceSliceMut, Error, ErrorClass, KernelSlice, LaunchConfig};

cuda_p2p::kernels! {
    /// One kernel too short.
    struct TooFew = *cuda_p2p::sys::kernels();
    // SAFETY: never launched: loading refuses it.
    unsafe extern "CUDA" { safe fn fill<'a>(destination: DeviceSliceMut<'a, u8>, bytes: u64) = "cuda_p2p_fill"; }
}

cuda_p2p::kernels! {
    /// One parameter of another size.
    struct WrongSize = *cuda_p2p::sys::kernels();
    // SAFETY: never launched: loading refuses it.
    unsafe extern "CUDA" { safe fn delay(ns: u32) = "cuda_p2p_delay"; }
}

cuda_p2p::kernels! {
    /// A name that does not exist.
    struct Unknown = *cuda_p2p::sys::kernels();
    // SAFETY: never launched: loading refuses it.
    unsafe extern "CUDA" { safe fn nowhere<'a>(source: KernelSlice<'a, u8>); }
}

#[test]
fn a_declaration_that_does_not_fit_is_refused_when_loaded() {
    let (runtime, _, _) = pair();
    let count = Error::ParameterCount { kernel: "cuda_p2p_fill", declared: 2, compiled: 3 };
    assert_eq!(TooFew::load(&runtime).map(|_| ()), Err(count));
    let size = Error::ParameterSize { kernel: "cuda_p2p_delay", index: 0, declared: 4, compiled: 8 };
    assert_eq!(WrongSize::load(&runtime).map(|_| ()), Err(size));
    let unknown = Unknown::load(&runtime).unwrap_err();
    assert_eq!(unknown, Error::UnknownKernel { module: "cuda_p2p_kernels", kernel: "nowhere" });
    assert_eq!(unknown.code(), Some(500));
}

#[test]
fn memory_that_the_device_may_not_touch_is_refused_before_the_launch() {
    let (runtime, a, b) = pair();
    let kernels = Kernels::load(&runtime).unwrap();
    let (on_a, on_b) = (a.new_stream().unwrap(), b.new_stream().unwrap());
    let config = LaunchConfig::new(1, 32);
    let mut theirs = b.alloc_zeroed::<u8>(64).unwrap();
    let error = kernels.fill(&on_a, config, &mut theirs, 64, 1).unwrap_err();
    assert_eq!(error, Error::WrongDevice { what: "the slice", expected: 0, found: 1 });
    assert!(error.to_string().contains("PeerSlice"), "{error}");

    let access = a.enable_peer_access(&b).unwrap();
    let error = kernels.fill(&on_b, config, access.slice_mut(&mut theirs).unwrap(), 64, 1).unwrap_err();
    assert_eq!(error, Error::WrongDevice { what: "the peer slice's accessor", expected: 1, found: 0 });
    // Nothing was launched.
    assert_eq!(theirs.to_vec().unwrap(), [0; 64]);
    access.disable().unwrap();
}

#[test]
fn a_condition_of_the_declaration_is_checked() {
    let (runtime, a, _) = pair();
    let kernels = Kernels::load(&runtime).unwrap();
    let stream = a.new_stream().unwrap();
    let mut memory = a.alloc_zeroed::<u8>(64).unwrap();
    let error = kernels.fill(&stream, LaunchConfig::new(1, 32), &mut memory, 65, 1).unwrap_err();
    assert!(matches!(error, Error::Precondition { kernel: "fill", .. }), "{error:?}");
    assert!(error.to_string().contains("bytes <= destination.len()"), "{error}");
}

#[test]
fn a_shape_that_no_device_has_is_the_runtimes_to_refuse() {
    let (runtime, a, _) = pair();
    let kernels = Kernels::load(&runtime).unwrap();
    let stream = a.new_stream().unwrap();
    for config in [LaunchConfig::new(0, 32), LaunchConfig::new(1, 4096)] {
        let error = kernels.delay(&stream, config, 1).unwrap_err();
        assert_eq!(error.class(), Some(ErrorClass::InvalidArgument), "{error:?}");
    }
    assert_eq!(common::take_last_error(&runtime), 0);
    stream.synchronize().unwrap();
}

#[test]
fn the_current_device_does_not_matter_to_a_launch() {
    let (runtime, a, b) = pair();
    let kernels = Kernels::load(&runtime).unwrap();
    a.set_current().unwrap();
    let mut memory = b.alloc_zeroed::<u32>(1).unwrap();
    kernels.delayed_store(&b.new_stream().unwrap(), LaunchConfig::new(1, 1), &mut memory, 9, 1000).unwrap();
    assert_eq!(memory.to_vec().unwrap(), [9]);
    assert_eq!(common::current_device(&runtime), 0);
}
