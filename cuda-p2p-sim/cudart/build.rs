//! Writes the exported functions from the very bindings that the simulator is compiled against, and tells the linker
//! what NVIDIA's library looks like from outside.

use std::path::{Path, PathBuf};

#[path = "build/exports.rs"]
mod exports;
#[path = "../../cuda-p2p-sys/src/functions.rs"]
#[expect(unreachable_pub, reason = "the file is also a public module of a crate")]
mod functions;

/// Where cuda-p2p-sys says which file its bindings are.
const BINDINGS_VARIABLE: &str = "DEP_CUDA_P2P_BINDINGS_FILE";

fn main() {
    if let Err(error) = run() {
        eprintln!("cuda-p2p-cudart-sim: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=../../cuda-p2p-sys/src/functions.rs");
    println!("cargo::rerun-if-changed=unmodelled");
    let path = bindings_file()?;
    println!("cargo::rerun-if-changed={}", path.display());
    let bindings = exports::Bindings::parse(&read(&path)?)?;
    let unmodelled = match Path::new("unmodelled").join(format!("cuda{}.txt", bindings.major)) {
        path if path.is_file() => read(&path)?,
        // A list is kept for the current major; for an older one these functions are absent.
        _ => String::new(),
    };
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: cargo sets it")?);
    write(&out.join("exports.rs"), &bindings.forwarders())?;
    write(&out.join("unmodelled.rs"), &bindings.unmodelled(&unmodelled)?)?;

    // GNU ld's default version node is the SONAME, which is how NVIDIA's library is versioned too: a program that was
    // linked against the one starts on the other without a warning. lld has no such option.
    let soname = format!("libcudart.so.{}", bindings.major);
    println!("cargo::rustc-env=CUDA_P2P_CUDART_SONAME={soname}");
    for argument in
        ["-fuse-ld=bfd", &format!("-Wl,-soname,{soname}"), "-Wl,--default-symver", "-Wl,-z,nodelete"]
    {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
    Ok(())
}

/// The source of the bindings: the file that cuda-p2p-sys made.
fn bindings_file() -> Result<PathBuf, String> {
    println!("cargo::rerun-if-env-changed={BINDINGS_VARIABLE}");
    std::env::var_os(BINDINGS_VARIABLE)
        .map(PathBuf::from)
        .ok_or_else(|| format!("{BINDINGS_VARIABLE} is not set: cuda-p2p-sys sets it"))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
