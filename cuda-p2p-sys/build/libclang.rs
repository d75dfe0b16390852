//! Finds libclang before bindgen does: bindgen panics without it, and does not say where it looked.

use std::path::{Path, PathBuf};

const VARIABLE: &str = "LIBCLANG_PATH";

/// Finds a libclang and leaves its folder in `LIBCLANG_PATH`, where bindgen reads it.
///
/// Looked for in this order: `LIBCLANG_PATH` (a file or a folder); the `clang/native` that the PyPI package `libclang`
/// puts beside a CUDA toolkit from PyPI; the usual folders of distributions.
pub(crate) fn find(toolkit_root: &Path) -> Result<(), String> {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let mut tried = Vec::new();
    for candidate in candidates(toolkit_root) {
        let folder = if candidate.is_file() {
            candidate.parent().map(Path::to_owned)
        } else {
            Some(candidate.clone())
        };
        match folder.filter(|folder| holds_libclang(folder)) {
            Some(folder) => {
                if let Some(named) = named().filter(|named| tried.contains(&named.display().to_string())) {
                    println!(
                        "cargo::warning={VARIABLE} is {}, where there is no libclang; that in {} is used",
                        named.display(),
                        folder.display()
                    );
                }
                // SAFETY: the build script has one thread here.
                unsafe { std::env::set_var(VARIABLE, folder) };
                return Ok(());
            }
            None => tried.push(candidate.display().to_string()),
        }
    }
    Err(format!(
        "bindgen needs libclang, and none is in any of: {}. Install it (Debian: libclang-dev; Fedora: clang-libs; \
         PyPI: libclang) or set {VARIABLE} to its folder",
        tried.join(", ")
    ))
}

fn named() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn candidates(toolkit_root: &Path) -> Vec<PathBuf> {
    let mut candidates = Vec::new();
    candidates.extend(named());
    // <site>/nvidia/cu13 is the toolkit's root there, <site>/clang/native the folder of the package libclang.
    candidates.extend(toolkit_root.ancestors().skip(1).take(2).map(|site| site.join("clang/native")));
    let mut versioned: Vec<PathBuf> = std::fs::read_dir("/usr/lib")
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("llvm"))
        .map(|entry| entry.path().join("lib"))
        .collect();
    // The newest first: a longer number is a greater one.
    versioned.sort_by_key(|path| std::cmp::Reverse((path.as_os_str().len(), path.clone())));
    candidates.extend(versioned);
    let arch = std::env::var("HOST").unwrap_or_default();
    let multiarch = if arch.starts_with("aarch64") { "aarch64-linux-gnu" } else { "x86_64-linux-gnu" };
    candidates.push(Path::new("/usr/lib").join(multiarch));
    candidates.extend(["/usr/lib64", "/usr/local/lib", "/usr/lib"].map(PathBuf::from));
    candidates
}

/// `libclang.so`, `libclang.so.18`, `libclang-18.so.1`; not `libclang-cpp.so`, which is another library.
fn holds_libclang(folder: &Path) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let versioned =
            name.strip_prefix("libclang-").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        name.starts_with("libclang.so") || (versioned && name.contains(".so"))
    })
}
