//! Where Python packages may be installed: the prefixes under which pip puts `lib/python3*/site-packages`. Reads folders and links,
//! runs nothing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// In the order of the search: the environments that are active, the `python3` of `PATH`, the user's own packages.
pub(super) fn prefixes(variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let mut prefixes: Vec<PathBuf> =
        [set("VIRTUAL_ENV"), set("CONDA_PREFIX")].into_iter().flatten().collect();
    let python = std::env::split_paths(&variable("PATH").unwrap_or_default())
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("python3"))
        .find(|python| python.exists());
    if let Some(python) = python {
        prefixes.extend(pyenv(&python, variable).unwrap_or_else(|| around(&python)));
    }
    prefixes.extend(set("PYTHONUSERBASE").or_else(|| set("HOME").map(|home| home.join(".local"))));
    prefixes
}

/// Python's prefix by the rules of its own start-up, roughly: a virtual environment's link first, then what it leads to; pip of a
/// distribution installs below `local`.
fn around(python: &Path) -> Vec<PathBuf> {
    let real = std::fs::canonicalize(python).unwrap_or_else(|_| python.to_owned());
    let mut prefixes = Vec::new();
    for prefix in [python, &real].into_iter().filter_map(|path| path.parent()?.parent()) {
        for prefix in [prefix.to_owned(), prefix.join("local")] {
            if !prefixes.contains(&prefix) {
                prefixes.push(prefix);
            }
        }
    }
    prefixes
}

/// The versions of pyenv, if `python` is one of its shims, which are scripts that choose: those that `PYENV_VERSION` or pyenv's own
/// file names, then the others. What the working directory chooses is left out.
fn pyenv(python: &Path, variable: &dyn Fn(&str) -> Option<OsString>) -> Option<Vec<PathBuf>> {
    let shims = python.parent().filter(|folder| folder.ends_with("shims"))?;
    let root = shims.parent()?;
    let versions = std::fs::read_dir(root.join("versions")).ok()?;
    let mut all: Vec<PathBuf> = versions.flatten().map(|entry| entry.path()).collect();
    all.sort();
    all.reverse();
    let chosen = match variable("PYENV_VERSION").filter(|value| !value.is_empty()) {
        Some(value) => value.to_string_lossy().into_owned(),
        None => std::fs::read_to_string(root.join("version")).unwrap_or_default(),
    };
    let named = |prefix: &&PathBuf| {
        chosen.split([':', '\n']).any(|name| prefix.file_name().is_some_and(|file| file == name.trim()))
    };
    let mut found: Vec<PathBuf> = all.iter().filter(named).cloned().collect();
    found.extend(all.iter().filter(|prefix| !named(prefix)).cloned());
    Some(found)
}
