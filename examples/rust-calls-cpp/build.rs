//! Compiles the C++ half, and links the shared runtime that it calls.

use std::error::Error;

use cuda_p2p_build::Toolkit;

fn main() {
    if let Err(error) = run() {
        eprintln!("rust-calls-cpp: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=cpp");
    for variable in Toolkit::ENV_VARS {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let toolkit = Toolkit::find()?;
    let mut build = cc::Build::new();
    if std::env::var_os("CARGO_FEATURE_KERNELS").is_some() {
        // Objects of nvcc's ask for a runtime; it is linked below, once. cc's own flags are the host compiler's, not nvcc's.
        build.cuda(true).cudart("none").compiler(toolkit.nvcc().ok_or("the toolkit has no nvcc")?);
        build.warnings(false).no_default_flags(true);
        build.flags(["-O3", "-Xcompiler=-fPIC", "-arch=sm_90"]).file("cpp/take.cu");
    } else {
        build.cpp(true).file("cpp/take.cpp");
    }
    build
        .flag("-std=c++17")
        .include(toolkit.include().ok_or("the toolkit has no headers")?)
        .try_compile("take")?;

    let folder = toolkit.lib_dir().ok_or("the toolkit has no libcudart")?;
    println!("cargo::rustc-link-search=native={}", folder.display());
    let major = toolkit.version().map_or(13, |(major, _)| major);
    // By its whole name: the packages of PyPI have no libcudart.so. Behind the objects that need it.
    println!("cargo::rustc-link-arg=-l:libcudart.so.{major}");
    Ok(())
}
