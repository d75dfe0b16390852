//! Declarations that do not fit the compiled kernel are refused when they are loaded, on GPUs if there are some and on the simulator
//! otherwise: also on a thread that has not touched a device yet, where the driver does not answer (error 201).

use cuda_p2p::{Error, KernelSliceMut, Runtime, SimulatorPolicy};

fn runtime() -> Runtime {
    // A run that is to be on hardware must not pass on the simulator.
    let policy = match std::env::var("CUDA_P2P_TEST_ARM").as_deref() {
        Ok("real") => SimulatorPolicy::Never,
        _ => SimulatorPolicy::WhenNoDevice,
    };
    let runtime = Runtime::builder().simulator(policy).open().expect("a runtime");
    assert!(policy != SimulatorPolicy::Never || !runtime.is_simulated(), "{}", runtime.origin());
    runtime
}

cuda_p2p::kernels! {
    struct OtherSize = *cuda_p2p::sys::kernels();
    // SAFETY: never launched: the declaration is refused.
    unsafe extern "CUDA" {
        safe fn add<'a>(y: KernelSliceMut<'a, f32>, x: KernelSliceMut<'a, f32>, n: u32) = "cuda_p2p_add_f32";
    }
}

cuda_p2p::kernels! {
    struct OneTooMany = *cuda_p2p::sys::kernels();
    // SAFETY: as above.
    unsafe extern "CUDA" {
        safe fn delay(ns: u64, more: u64) = "cuda_p2p_delay";
    }
}

cuda_p2p::kernels! {
    struct Unknown = *cuda_p2p::sys::kernels();
    // SAFETY: as above.
    unsafe extern "CUDA" {
        safe fn cuda_p2p_nothing();
    }
}

/// On a thread of its own, which has no context.
fn error_of<T>(load: impl FnOnce() -> cuda_p2p::Result<T> + Send) -> Error {
    let load = || load().err().expect("refused");
    std::thread::scope(|scope| scope.spawn(load).join().expect("it does not panic"))
}

#[test]
fn a_parameter_of_another_size_is_refused() {
    let runtime = runtime();
    let error = error_of(|| OtherSize::load(&runtime));
    assert_eq!(
        error,
        Error::ParameterSize { kernel: "cuda_p2p_add_f32", index: 2, declared: 4, compiled: 8 }
    );
}

#[test]
fn another_number_of_parameters_is_refused() {
    let runtime = runtime();
    let error = error_of(|| OneTooMany::load(&runtime));
    assert_eq!(error, Error::ParameterCount { kernel: "cuda_p2p_delay", declared: 2, compiled: 1 });
}

#[test]
fn a_kernel_that_is_not_there_is_named() {
    let runtime = runtime();
    let error = error_of(|| Unknown::load(&runtime));
    assert!(matches!(error, Error::UnknownKernel { kernel: "cuda_p2p_nothing", .. }), "{error:?}");
}
