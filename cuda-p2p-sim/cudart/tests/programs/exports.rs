//! The symbols of the library, and the list in the README of what is not modelled.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::path::Path;
use std::process::Command;

use cuda_p2p_sys::{CudaRuntime, loaded, simulated};
use libloading::os::unix::Library;
use libtest_mimic::Failed;

use crate::library::{Kit, built, output};

const README: &str = include_str!("../../README.md");

/// The names in the indented blocks of the README between two texts.
fn readme_names(from: &str, to: &str) -> Result<BTreeSet<String>, Failed> {
    let (_, rest) = README.split_once(from).ok_or_else(|| format!("the README lacks {from:?}"))?;
    let (part, _) = rest.split_once(to).ok_or_else(|| format!("the README lacks {to:?}"))?;
    let blocks = part.lines().filter(|line| line.starts_with("    "));
    Ok(blocks.flat_map(str::split_whitespace).map(str::to_owned).collect())
}

fn absent() -> Result<BTreeSet<String>, Failed> {
    readme_names("These are absent", "That is NVIDIA's library")
}

/// Defined dynamic symbols with their versions.
fn dynamic_symbols(library: &Path) -> Result<BTreeSet<String>, Failed> {
    let text = output(Command::new("nm").args(["-D", "--defined-only"]).arg(library))?;
    let names = text.lines().filter_map(|line| line.split_whitespace().last());
    Ok(names.filter(|name| name.contains("cuda")).map(str::to_owned).collect())
}

pub(crate) fn soname() -> Result<(), Failed> {
    let text = output(Command::new("readelf").arg("-d").arg(built()?))?;
    let expected = format!("Library soname: [libcudart.so.{}]", cuda_p2p_sys::BOUND_VERSION.0);
    if text.contains(&expected) { Ok(()) } else { Err(format!("no {expected:?} in:\n{text}").into()) }
}

/// Those who open the library see what it is.
pub(crate) fn marked() -> Result<(), Failed> {
    let library = loaded::load_from(&built()?)?;
    match library.simulated_machine() {
        Some("devices=2") => Ok(()),
        other => Err(format!("it says that its machine is {other:?}").into()),
    }
}

pub(crate) fn symbols(kit: &Kit) -> Result<(), Failed> {
    let real: BTreeSet<String> = dynamic_symbols(&kit.library)?;
    let ours: BTreeSet<String> = dynamic_symbols(&built()?)?;
    let version = format!("@@{}", cuda_p2p_cudart_sim::SONAME);
    // The mark by which programs of this project tell the two apart.
    let mark = format!("{}{version}", simulated::MACHINE_SYMBOL.to_string_lossy());
    let only_ours: Vec<_> = ours.difference(&real).collect();
    if only_ours != [&mark] {
        return Err(format!("NVIDIA's library does not have {only_ours:?}").into());
    }
    let only_real: BTreeSet<String> =
        real.difference(&ours).map(|name| name.trim_end_matches(&version).to_owned()).collect();
    if only_real == absent()? {
        return Ok(());
    }
    Err(format!("the README says that {:?} are absent; absent are {only_real:?}", absent()?).into())
}

/// Calls each exported function with nothing but zeros: those that the README lists answer 801, and no other does.
pub(crate) fn not_modelled() -> Result<(), Failed> {
    type Any = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> u32;
    type LastError = unsafe extern "C" fn() -> u32;
    let listed = readme_names("These always answer 801", "These are absent")?;
    // SAFETY: the library's initialisers are those of Rust's standard library.
    let library = unsafe { Library::new(built()?) }?;
    // SAFETY: the C signature of that function.
    let last_error = *unsafe { library.get::<LastError>(b"cudaGetLastError\0") }?;
    let (mut answers, mut silent) = (BTreeSet::new(), Vec::new());
    let bound = CudaRuntime::ENTRIES.iter().map(|(name, _)| *name);
    for name in bound.chain(cuda_p2p_cudart_sim::UNMODELLED.iter().copied()) {
        let symbol = CString::new(name)?;
        // SAFETY: a function of the C ABI, for whose parameters there are integers enough; in bindings of 12 a symbol may
        // have another name than the entry.
        let Ok(function) = (unsafe { library.get::<Any>(symbol.as_bytes_with_nul()) }) else {
            continue;
        };
        // SAFETY: the simulator refuses null pointers and unknown handles before it uses them.
        if unsafe { function(0, 0, 0, 0, 0, 0) } != 801 {
            continue;
        }
        answers.insert(name.to_owned());
        // SAFETY: takes nothing.
        if unsafe { last_error() } != 801 {
            silent.push(name);
        }
    }
    let missing: Vec<_> = listed.difference(&answers).collect();
    // A later release has functions that the list, which is that of 13.0, does not know.
    let unlisted: Vec<_> =
        answers.difference(&listed).filter(|_| cuda_p2p_sys::BOUND_VERSION == (13, 0)).collect();
    if (missing.is_empty() || cuda_p2p_sys::BOUND_VERSION.0 != 13) && unlisted.is_empty() && silent.is_empty()
    {
        return Ok(());
    }
    Err(format!(
        "listed, but not 801: {missing:?}; 801, but not listed: {unlisted:?}; no last error: {silent:?}"
    )
    .into())
}
