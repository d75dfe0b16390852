//! Writes the C header of the library: into the folder that `PEER_EMBED_HEADER_DIR` names, or cargo's own.

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=cbindgen.toml");
    println!("cargo::rerun-if-env-changed=PEER_EMBED_HEADER_DIR");
    let folder = std::env::var_os("PEER_EMBED_HEADER_DIR").or_else(|| std::env::var_os("OUT_DIR"));
    let folder = PathBuf::from(folder.expect("cargo sets OUT_DIR"));
    match cbindgen::generate(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR")) {
        Ok(header) => {
            // Left alone if it is the same, so that nothing is compiled anew.
            header.write_to_file(folder.join("peer_embed.h"));
        }
        Err(error) => {
            eprintln!("peer-embed: no header: {error}");
            std::process::exit(1);
        }
    }
}
