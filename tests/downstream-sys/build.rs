//! Reads what cuda-p2p-sys tells its dependents (`DEP_CUDA_P2P_*`), compiles `sizes.cpp` against the headers that the bindings came
//! from, and sets the program's run path if the runtime is linked as a shared library.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/sizes.cpp");
    println!("cargo::rustc-check-cfg=cfg(has_headers)");
    // Not there in every build: see `docs/embedding.md`.
    let told = |name: &str| env::var(format!("DEP_CUDA_P2P_{name}")).ok();
    for name in ["BINDINGS", "CUDA_VERSION", "LINK", "ROOT", "INCLUDE", "LIB_DIR"] {
        println!("cargo::rustc-env=TOLD_{name}={}", told(name).unwrap_or_default());
    }
    if let Some(include) = told("INCLUDE") {
        println!("cargo::rustc-cfg=has_headers");
        cc::Build::new().cpp(true).std("c++17").file("src/sizes.cpp").include(include).compile("sizes");
    }
    if told("LINK").as_deref() == Some("shared")
        && let Some(folder) = told("LIB_DIR")
    {
        println!("cargo::rustc-link-arg-bins=-Xlinker");
        println!("cargo::rustc-link-arg-bins=-rpath={folder}");
    }
}
