//! A runtime before 12.8, which loads and launches kernels through functions of the driver: those of the simulator, on threads
//! that have no context yet.

mod common;

use common::{pair, raw};
use cuda_p2p::sys::host_abi::HostModule;
use cuda_p2p::{DeviceSliceMut, Error, KernelModule, LaunchConfig, Runtime};

/// The crate's own kernels, with their host code in the place of machine code: only the simulator looks into it.
fn module() -> KernelModule {
    let host = cuda_p2p::sys::kernels().host().expect("built with the simulator");
    let start = std::ptr::from_ref::<HostModule>(host).cast::<u8>();
    // SAFETY: the module's own bytes, which live as long as the program.
    let bytes = unsafe { std::slice::from_raw_parts(start, size_of::<HostModule>()) };
    // SAFETY: the runtime that it goes to tells a host module by its first bytes.
    unsafe { KernelModule::from_parts(("by the driver", Some(bytes), None)) }
}

cuda_p2p::kernels! {
    struct Stores = module();
    // SAFETY: the parameters are those of delay.cu, which stores one word.
    unsafe extern "CUDA" {
        safe fn delayed_store<'a>(destination: DeviceSliceMut<'a, u32>, value: u32, ns: u64) = "cuda_p2p_delayed_store"
        where !destination.is_empty();
        safe fn delay(ns: u64) = "cuda_p2p_delay";
    }
}

cuda_p2p::kernels! {
    struct Wrong = module();
    // SAFETY: never launched: the sizes are refused.
    unsafe extern "CUDA" {
        safe fn delayed_store<'a>(destination: DeviceSliceMut<'a, u32>, value: u64, ns: u64) = "cuda_p2p_delayed_store";
    }
}

/// 12.4: neither the library functions nor the versioned question for entry points.
fn before_12_8(runtime: &Runtime) -> Runtime {
    raw::changed_table(runtime, |table| {
        table.cudaLibraryLoadData = None;
        table.cudaLibraryGetKernel = None;
        table.cudaGetDriverEntryPointByVersion = None;
    })
}

fn on_a_new_thread<T: Send>(body: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(body).join().expect("it does not panic"))
}

#[test]
fn kernels_are_launched_by_the_driver_from_any_thread() {
    let (runtime, ..) = pair();
    let old = before_12_8(&runtime);
    for ordinal in [0, 1] {
        let device = old.device(ordinal).unwrap();
        let mut word = device.alloc_zeroed::<u32>(1).unwrap();
        let stream = device.new_stream().unwrap();
        let kernels = on_a_new_thread(|| Stores::load(&old)).unwrap();
        // Nothing on this thread has asked the runtime for a context before.
        on_a_new_thread(|| kernels.delay(&stream, LaunchConfig::new(1, 1), 0)).unwrap();
        on_a_new_thread(|| kernels.delayed_store(&stream, LaunchConfig::new(1, 1), &mut word, 8, 0)).unwrap();
        assert_eq!(word.to_vec().unwrap(), [8]);
    }
}

/// `cuKernelGetParamInfo` answers 201 on a thread without a context: that must not pass for "cannot tell".
#[test]
fn a_declaration_is_checked_on_a_thread_without_a_context() {
    let (runtime, ..) = pair();
    let old = before_12_8(&runtime);
    let error = on_a_new_thread(|| Wrong::load(&old)).unwrap_err();
    let expected =
        Error::ParameterSize { kernel: "cuda_p2p_delayed_store", index: 1, declared: 8, compiled: 4 };
    assert_eq!(error, expected);
}
