//! Tells build scripts of crates that use this one whether the simulator is in (`DEP_CUDA_P2P_SAFE_SIM`), so that
//! `cuda-p2p-build` compiles their kernels for it exactly when they can run on it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let sim = std::env::var_os("CARGO_FEATURE_SIM").is_some();
    println!("cargo::metadata=SIM={}", u8::from(sim));
}
