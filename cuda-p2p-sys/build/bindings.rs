//! Chooses between bindings generated from this machine's headers and the pre-generated ones, and writes them.

use std::path::{Path, PathBuf};

/// `headers`: bindings come from the headers of this machine, and it is an error if they cannot. `pregenerated`: the
/// headers are not even looked for. Unset: headers if they can be had, the pre-generated file otherwise.
const MODE: &str = "CUDA_P2P_BINDINGS";
/// Major release of the pre-generated file: 12 or 13 (the default).
const MAJOR: &str = "CUDA_P2P_CUDA_MAJOR";
const DEFAULT_MAJOR: &str = "13";

enum Mode {
    HeadersOnly,
    Pregenerated,
    HeadersIfFound,
}

/// Writes `bindings.rs` into the output folder and says in `CUDA_P2P_BINDINGS_ORIGIN` what it was made from.
pub(crate) fn write() -> Result<(), String> {
    println!("cargo::rerun-if-env-changed={MODE}");
    println!("cargo::rerun-if-env-changed={MAJOR}");
    println!("cargo::rerun-if-changed=bindings");
    println!("cargo::rerun-if-changed=wrapper.h");
    let (source, origin) = match mode()? {
        Mode::Pregenerated => pregenerated()?,
        Mode::HeadersOnly => from_headers()
            .map_err(|why| format!("{MODE}=headers, but the bindings cannot be made from headers: {why}"))?,
        Mode::HeadersIfFound if cfg!(feature = "bindgen") => match from_headers() {
            Ok(made) => made,
            Err(why) => {
                let (source, origin) = pregenerated()?;
                println!("cargo::warning=bindings are the {origin}: {}", why.replace('\n', " "));
                (source, origin)
            }
        },
        Mode::HeadersIfFound => pregenerated()?,
    };
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: cargo sets it")?);
    let path = out.join("bindings.rs");
    std::fs::write(&path, &source).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    println!("cargo::rustc-env=CUDA_P2P_BINDINGS_ORIGIN={origin}");
    println!("cargo::metadata=BINDINGS={origin}");
    println!("cargo::metadata=BINDINGS_FILE={}", path.display());
    tell_facts(&source);
    Ok(())
}

/// As `cfg` for this crate, and for those that depend on it as `DEP_CUDA_P2P_CFGS`, the names of the facts that hold, and
/// `DEP_CUDA_P2P_KNOWN_CFGS`, those of all, each with commas between.
fn tell_facts(source: &str) {
    let facts: Vec<(&str, bool)> = super::facts::of(source).collect();
    for (name, holds) in &facts {
        println!("cargo::rustc-check-cfg=cfg({name})");
        if *holds {
            println!("cargo::rustc-cfg={name}");
        }
    }
    let names = |which: &dyn Fn(bool) -> bool| {
        facts.iter().filter(|(_, holds)| which(*holds)).map(|(name, _)| *name).collect::<Vec<_>>().join(",")
    };
    println!("cargo::metadata=CFGS={}", names(&|holds| holds));
    println!("cargo::metadata=KNOWN_CFGS={}", names(&|_| true));
}

fn mode() -> Result<Mode, String> {
    match std::env::var(MODE) {
        Err(std::env::VarError::NotPresent) => Ok(Mode::HeadersIfFound),
        Ok(value) if value.is_empty() => Ok(Mode::HeadersIfFound),
        Ok(value) if value == "headers" => Ok(Mode::HeadersOnly),
        Ok(value) if value == "pregenerated" => Ok(Mode::Pregenerated),
        Ok(value) => Err(format!("{MODE} is {value:?}: set it to `headers` or `pregenerated`, or unset it")),
        Err(error) => Err(format!("{MODE}: {error}: set it to `headers` or `pregenerated`, or unset it")),
    }
}

fn pregenerated() -> Result<(String, String), String> {
    let major = std::env::var(MAJOR).unwrap_or_else(|_| DEFAULT_MAJOR.to_owned());
    if !["12", "13"].contains(&major.as_str()) {
        return Err(format!("{MAJOR} is {major:?}: there are pre-generated bindings for 12 and 13"));
    }
    Ok((read(&major)?, format!("pre-generated bindings for CUDA {major}")))
}

fn read(major: &str) -> Result<String, String> {
    let path = Path::new("bindings").join(format!("cuda{major}.rs"));
    std::fs::read_to_string(&path)
        .map_err(|error| format!("cannot read the pre-generated {}: {error}", path.display()))
}

#[cfg(not(feature = "bindgen"))]
fn from_headers() -> Result<(String, String), String> {
    Err("this build of cuda-p2p-sys is without the feature `bindgen`: turn it on".to_owned())
}

#[cfg(feature = "bindgen")]
fn from_headers() -> Result<(String, String), String> {
    for variable in cuda_p2p_build::Toolkit::ENV_VARS {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let toolkit = cuda_p2p_build::Toolkit::find().map_err(|error| error.to_string())?;
    let include = toolkit
        .include()
        .ok_or_else(|| format!("the toolkit in {} has no headers", toolkit.root().display()))?;
    let version = toolkit.version().ok_or_else(|| {
        format!("the headers in {} do not say of which release they are", include.display())
    })?;
    if !(12..14).contains(&version.0) {
        return Err(format!(
            "the headers in {} are of CUDA {}; 12 and 13 are supported",
            include.display(),
            version.0
        ));
    }
    for tried in toolkit.passed_over() {
        println!("cargo::warning=passed over {tried}; bindings are made from {}", include.display());
    }
    crate::libclang::find(toolkit.root())?;
    println!("cargo::rerun-if-changed={}", include.join("cuda_runtime_api.h").display());
    println!("cargo::rerun-if-changed={}", include.join("driver_types.h").display());
    let compiler_include = crate::generate::compiler_include();
    let mut made = crate::generate::generate(Path::new("wrapper.h"), include, compiler_include.as_deref())?;
    let taken = made.complete(&crate::table::Bindings::read(&read(&version.0.to_string())?)?);
    let mut origin = format!("headers of CUDA {}.{}", version.0, version.1);
    if taken > 0 {
        origin +=
            &format!(", with {taken} newer functions from the pre-generated bindings for CUDA {}", version.0);
    }
    println!("cargo::metadata=INCLUDE={}", include.display());
    println!("cargo::metadata=ROOT={}", toolkit.root().display());
    // What is linked tells of its own folder.
    if let Some(folder) = toolkit.lib_dir().filter(|_| !crate::link::is_linked()) {
        println!("cargo::metadata=LIB_DIR={}", folder.display());
    }
    Ok((made.source()?, origin))
}
