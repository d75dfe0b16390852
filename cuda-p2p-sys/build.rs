//! Makes the bindings (from the CUDA headers of this machine, or the pre-generated ones) and compiles the kernels.
//!
//! `build/` holds one file a job; this one only chooses.

#[path = "build/bindings.rs"]
mod bindings;
#[cfg(feature = "bindgen")]
#[path = "build/complete.rs"]
mod complete;
#[path = "build/facts.rs"]
mod facts;
#[path = "src/functions.rs"]
#[expect(unreachable_pub, reason = "the file is also a public module of the crate")]
mod functions;
#[cfg(feature = "bindgen")]
#[path = "build/generate.rs"]
mod generate;
#[cfg(feature = "bindgen")]
#[path = "build/libclang.rs"]
mod libclang;
#[path = "build/link.rs"]
mod link;
#[cfg(feature = "bindgen")]
#[path = "build/location.rs"]
mod location;
#[path = "build/symbols.rs"]
mod symbols;
#[cfg(feature = "bindgen")]
#[path = "build/table.rs"]
mod table;

/// The crate's own kernels, one file a topic.
const KERNELS: &[&str] = &["fill", "check", "copy", "copy_bulk", "ping_pong", "add", "chase", "delay"];

fn main() {
    if let Err(error) = run() {
        eprintln!("cuda-p2p-sys: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/functions.rs");
    bindings::write()?;
    link::link()?;
    cuda_p2p_build::Kernels::new("cuda_p2p_kernels")
        .files(KERNELS.iter().map(|name| format!("kernels/{name}.cu")))
        .simulator(std::env::var_os("CARGO_FEATURE_HOST_KERNELS").is_some())
        .compile()
        .map_err(|error| error.to_string())?;
    Ok(())
}
