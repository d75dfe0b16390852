//! A runtime library that has what is required and nothing else: what it lacks is named, with the release that brought it, by the call
//! that needs it and not before; and one that says of itself that it simulates. Needs a C compiler.

mod common;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use common::{in_child, isolated};
use cuda_p2p::sys::{BOUND_VERSION, cudaDeviceAttr, functions};
use cuda_p2p::{Error, Kernel, KernelModule, Origin, Runtime, SimulatorPolicy};

/// Every required function answers 0; there is one device.
fn source() -> String {
    let mut source = String::new();
    for function in functions::FUNCTIONS.iter().filter(|function| function.required) {
        let body = match function.name {
            "cudaRuntimeGetVersion" => {
                format!("(int *v) {{ *v = {}; return 0; }}", BOUND_VERSION.0 * 1000 + BOUND_VERSION.1 * 10)
            }
            "cudaGetDeviceCount" => "(int *count) { *count = 1; return 0; }".to_owned(),
            "cudaGetDevice" => "(int *device) { *device = 0; return 0; }".to_owned(),
            "cudaDeviceGetAttribute" => "(int *value) { *value = 7; return 0; }".to_owned(),
            _ => "(void) { return 0; }".to_owned(),
        };
        writeln!(source, "int {}{body}", function.name).expect("a string takes it");
    }
    source
}

/// A folder with the library, which a child has already.
fn library(name: &str, source: &str) -> (PathBuf, PathBuf) {
    let folder = std::env::temp_dir().join(format!("cuda-p2p-{name}-{}", std::process::id()));
    let library = folder.join("libcudart.so");
    if !in_child() {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("runtime.c"), source).unwrap();
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let mut command = Command::new(compiler);
        command.args(["-shared", "-fPIC", "-o"]).args([&library, &folder.join("runtime.c")]);
        assert!(command.status().expect("a C compiler").success());
    }
    (folder, library)
}

#[test]
fn a_library_that_simulates_is_told_for_what_it_is() {
    let mark = "const char *cuda_p2p_simulated_machine(void) { return \"devices=1\"; }";
    let (folder, library) = library("simulates", &(source() + mark));
    let named = library.to_str().unwrap();
    isolated("a_library_that_simulates_is_told_for_what_it_is", &[("CUDA_P2P_CUDART", named)], || {
        for runtime in [
            Runtime::load().expect("it has what is required"),
            Runtime::builder().simulator(SimulatorPolicy::Never).open().expect("it was put there"),
        ] {
            assert!(runtime.is_simulated());
            let Origin::SimulatorLibrary { path, config, .. } = runtime.origin() else {
                panic!("{:?}", runtime.origin())
            };
            assert_eq!(
                (path.to_str(), config.as_str()),
                (std::env::var("CUDA_P2P_CUDART").ok().as_deref(), "devices=1")
            );
            let text = runtime.origin().to_string();
            assert!(
                text.starts_with("SIMULATED machine (devices=1), because ") && text.contains("libcudart.so"),
                "{text}"
            );
        }
    });
    if !in_child() {
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn what_the_library_lacks_is_named_by_the_call_that_needs_it() {
    let (folder, library) = library("missing", &source());
    let name = "what_the_library_lacks_is_named_by_the_call_that_needs_it";
    isolated(name, &[("CUDA_P2P_CUDART", library.to_str().unwrap())], || {
        let runtime = Runtime::load().expect("it has what is required");
        assert!(!runtime.is_simulated(), "{}", runtime.origin());
        let device = runtime.device(0).unwrap();
        assert_eq!(device.attribute(cudaDeviceAttr::cudaDevAttrMultiProcessorCount), Ok(7));

        let error = device.pci_bus_id().unwrap_err();
        assert_eq!(error, Error::MissingFunction { symbol: "cudaDeviceGetPCIBusId", since: (12, 0) });
        assert!(error.to_string().contains("which came with CUDA 12.0"), "{error}");

        // SAFETY: no fatbin, and nothing that could look into it is there.
        let module = unsafe { KernelModule::from_parts(("none", Some(&[0; 8]), None)) };
        let error = Kernel::load(&runtime, &module, "kernel", &[]).unwrap_err();
        assert_eq!(error, Error::MissingFunction { symbol: "cudaGetDriverEntryPoint", since: (12, 0) });
    });
    if !in_child() {
        std::fs::remove_dir_all(folder).unwrap();
    }
}
