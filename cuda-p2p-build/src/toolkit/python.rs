//! Where Python packages may be installed: the prefixes under which pip puts `lib/python3*/site-packages`. Reads folders and links,
//! runs nothing.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use super::places::on_path;

/// The variables that are read here.
pub(super) const VARIABLES: [&str; 5] =
    ["CONDA_PREFIX", "VIRTUAL_ENV", "PYENV_VERSION", "PYTHONUSERBASE", "HOME"];

/// Each with what led there, in the order of the search: the environment that is active, the `python3` of `PATH`, the user's own
/// packages.
pub(super) fn prefixes(var: &dyn Fn(&str) -> Option<OsString>) -> Vec<(&'static str, PathBuf)> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let mut prefixes = Vec::new();
    prefixes.extend(set("VIRTUAL_ENV").map(|prefix| ("VIRTUAL_ENV", prefix)));
    if let Some(python) = on_path(var, OsStr::new("python3")) {
        let of_path = match pyenv(&python, var) {
            Some(versions) => versions,
            None => around(&python),
        };
        prefixes.extend(of_path.into_iter().map(|prefix| ("python3 on PATH", prefix)));
    }
    let user = set("PYTHONUSERBASE").or_else(|| set("HOME").map(|home| home.join(".local")));
    // Few have it: not worth a line in every list of what was tried.
    let user = user.filter(|prefix| prefix.join("lib").is_dir());
    prefixes.extend(user.map(|prefix| ("the user's own packages", prefix)));
    prefixes
}

/// Python's prefix by the rules of its own start-up, roughly: a virtual environment's link first, then what it leads to. Debian's own
/// packages use another folder name, and pip there installs below /usr/local.
fn around(python: &Path) -> Vec<PathBuf> {
    let real = fs::canonicalize(python).unwrap_or_else(|_| python.to_owned());
    let mut prefixes = Vec::new();
    for prefix in [python, &real].into_iter().filter_map(|path| path.parent()?.parent()) {
        for prefix in [prefix.to_owned(), prefix.join("local")] {
            let optional = prefix.ends_with("local") && !prefix.is_dir();
            if !optional && !prefixes.contains(&prefix) {
                prefixes.push(prefix);
            }
        }
    }
    prefixes
}

/// The versions of pyenv, if `python` is one of its shims, which are scripts that choose: those that `PYENV_VERSION` or pyenv's own
/// file names, then the others.
fn pyenv(python: &Path, var: &dyn Fn(&str) -> Option<OsString>) -> Option<Vec<PathBuf>> {
    let shims = python.parent().filter(|folder| folder.ends_with("shims"))?;
    let root = shims.parent()?;
    let versions = fs::read_dir(root.join("versions")).ok()?;
    let mut all: Vec<PathBuf> = versions.flatten().map(|entry| entry.path()).collect();
    all.sort();
    all.reverse();
    let chosen = match var("PYENV_VERSION").filter(|value| !value.is_empty()) {
        Some(value) => value.to_string_lossy().into_owned(),
        None => fs::read_to_string(root.join("version")).unwrap_or_default(),
    };
    let named = |prefix: &&PathBuf| {
        chosen.split([':', '\n']).any(|name| prefix.file_name().is_some_and(|file| file == name.trim()))
    };
    let mut found: Vec<PathBuf> = all.iter().filter(named).cloned().collect();
    found.extend(all.iter().filter(|prefix| !named(prefix)).cloned());
    Some(found)
}
