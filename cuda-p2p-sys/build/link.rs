//! Links the CUDA runtime into the program, for the features `link-shared` and `link-static`.
//!
//! Writes `linked.rs`: the addresses of those bound functions that the library has, under their names. Functions that it lacks
//! are left out there, so that a release older than the headers still links.

use std::path::{Path, PathBuf};

use crate::{functions, symbols};

/// A folder that holds the library, before all others.
const FOLDER: &str = "CUDA_P2P_LIB_DIR";
const SYSTEM_FOLDERS: [&str; 3] = if cfg!(target_arch = "aarch64") {
    ["/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib"]
} else {
    ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/lib"]
};

/// How the runtime comes into the program. Where both features are on, the shared library is linked: a program that holds the
/// static one, and is in a process with the shared one, has two runtimes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    Loaded,
    Shared,
    Static,
}

impl Link {
    fn chosen() -> Self {
        if std::env::var_os("CARGO_FEATURE_LINK_SHARED").is_some() {
            Self::Shared
        } else if std::env::var_os("CARGO_FEATURE_LINK_STATIC").is_some() {
            Self::Static
        } else {
            Self::Loaded
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Loaded => "loaded",
            Self::Shared => "shared",
            Self::Static => "static",
        }
    }

    /// A shared library carries its major in its name; a static one does not say.
    fn file(self, major: u32) -> String {
        match self {
            Self::Static => "libcudart_static.a".to_owned(),
            _ => format!("libcudart.so.{major}"),
        }
    }
}

/// Whether a feature asks for linking.
#[cfg(feature = "bindgen")]
pub(crate) fn is_linked() -> bool {
    Link::chosen() != Link::Loaded
}

/// Tells cargo what to link, and the crates that depend on this one of it (`DEP_CUDA_P2P_LINK`, `DEP_CUDA_P2P_LIB_DIR`), and of
/// the release of the bindings, which are in the output folder already (`DEP_CUDA_P2P_CUDA_VERSION`).
pub(crate) fn link() -> Result<(), String> {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: cargo sets it")?);
    let version = bound_version(&out)?;
    let major = version / 1000;
    println!("cargo::metadata=CUDA_VERSION={major}.{}", version % 1000 / 10);
    let link = Link::chosen();
    println!("cargo::metadata=LINK={}", link.name());
    if link == Link::Loaded {
        return Ok(());
    }
    println!("cargo::rerun-if-env-changed={FOLDER}");
    println!("cargo::rerun-if-env-changed=DOCS_RS");
    // docs.rs has no CUDA and no network, and links nothing.
    let found = match std::env::var_os("DOCS_RS") {
        Some(_) => Vec::new(),
        None => link_library(link, major)?,
    };
    let source = listing(&found);
    let path = out.join("linked.rs");
    std::fs::write(&path, source).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn link_library(link: Link, major: u32) -> Result<Vec<String>, String> {
    let file = link.file(major);
    let folder = find(link, &file, major)?;
    let path = folder.join(&file);
    println!("cargo::rerun-if-changed={}", path.display());
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::metadata=LIB_DIR={}", folder.display());
    let bytes = std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let symbols = match link {
        Link::Static => {
            // Not bundled into this crate's rlib: in a static library for a C++ program, the C++ side links the one runtime.
            println!("cargo::rustc-link-lib=static:-bundle=cudart_static");
            for needed in ["dl", "rt", "pthread"] {
                println!("cargo::rustc-link-lib={needed}");
            }
            symbols::of_archive(&bytes)
        }
        _ => {
            println!("cargo::rustc-link-lib=dylib:+verbatim={file}");
            // For this crate's own tests. A program that depends on this crate sets its own, by DEP_CUDA_P2P_LIB_DIR.
            // Not by -Wl, which would end the folder at a comma.
            println!("cargo::rustc-link-arg-tests=-Xlinker");
            println!("cargo::rustc-link-arg-tests=-rpath={}", folder.display());
            symbols::of_shared_library(&bytes)
        }
    }
    .ok_or_else(|| format!("{} has no list of symbols: it is no library of this machine", path.display()))?;
    let bound: Vec<String> = symbols.into_iter().filter(|symbol| is_bound(symbol)).collect();
    for function in functions::FUNCTIONS.iter().filter(|function| function.required) {
        if !bound.iter().any(|symbol| symbol == function.name) {
            return Err(format!(
                "{} lacks {}, which every CUDA runtime since 12.0 has: it is no CUDA runtime, or a broken one",
                path.display(),
                function.name
            ));
        }
    }
    Ok(bound)
}

fn find(link: Link, file: &str, major: u32) -> Result<PathBuf, String> {
    for variable in cuda_p2p_build::Toolkit::ENV_VARS {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let toolkit = cuda_p2p_build::Toolkit::find().ok();
    let mut folders: Vec<PathBuf> = Vec::new();
    if let Some(folder) = std::env::var_os(FOLDER).filter(|value| !value.is_empty()).map(PathBuf::from) {
        if !folder.join(file).is_file() {
            return Err(format!(
                "{FOLDER} is {}, and there is no {file}: name the folder that has it, or unset {FOLDER} to have it looked for",
                folder.display()
            ));
        }
        return Ok(folder);
    }
    if let Some(toolkit) = &toolkit {
        // The static library's name does not tell its release; the headers beside it do.
        let other = toolkit.version().map(|(found, _)| found).filter(|found| *found != major);
        match (link, other) {
            (Link::Static, Some(other)) => {
                return Err(format!(
                    "the feature link-static finds the toolkit of CUDA {other} in {}, and the bindings are of CUDA {major}: the \
                     layouts differ; name a toolkit of that major by CUDA_HOME, or set CUDA_P2P_CUDA_MAJOR={other}",
                    toolkit.root().display()
                ));
            }
            _ => folders.extend(toolkit.lib_dir().map(Path::to_owned)),
        }
    }
    folders.extend(SYSTEM_FOLDERS.map(PathBuf::from));
    folders.iter().find(|folder| folder.join(file).is_file()).cloned().ok_or_else(|| {
        let looked: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        format!(
            "the feature link-{} needs {file}, and none of {} has it. Install the CUDA toolkit (PyPI: nvidia-cuda-runtime), or set \
             CUDA_HOME to one or {FOLDER} to the library's folder; without the feature, the library is opened when the program \
             runs",
            link.name(),
            looked.join(", ")
        )
    })
}

/// `cudaFoo`, or `cudaFoo_v2` where a header renames it.
fn is_bound(symbol: &str) -> bool {
    let stem = match symbol.rsplit_once("_v") {
        Some((stem, version)) if version.parse::<u32>().is_ok() => stem,
        _ => symbol,
    };
    functions::FUNCTIONS.iter().any(|function| function.name == stem)
}

/// The release of the bindings that were just written, as `CUDART_VERSION` has it.
fn bound_version(out: &Path) -> Result<u32, String> {
    let path = out.join("bindings.rs");
    let source = std::fs::read_to_string(&path)
        .map_err(|error| format!("cannot read the bindings in {}: {error}", path.display()))?;
    source
        .split_once("pub const CUDART_VERSION: u32 = ")
        .and_then(|(_, rest)| rest.split_once(';'))
        .and_then(|(number, _)| number.trim().parse::<u32>().ok())
        .ok_or_else(|| "the bindings do not say of which CUDA release they are (CUDART_VERSION)".to_owned())
}

/// Rust source with each symbol's address under its name. Only the addresses are taken: the table gives them their types.
fn listing(symbols: &[String]) -> String {
    let mut source = String::from("unsafe extern \"C\" {\n");
    for symbol in symbols {
        source.push_str(&format!("    fn {symbol}();\n"));
    }
    source.push_str("}\nconst SYMBOLS: &[(&CStr, unsafe extern \"C\" fn())] = &[\n");
    for symbol in symbols {
        source.push_str(&format!("    (c\"{symbol}\", {symbol}),\n"));
    }
    source.push_str("];\n");
    source
}
