//! The whole comparison, for each release in a folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::bindings::Bindings;
use crate::check::{Mismatch, Outcome, check};
use crate::functions::FUNCTIONS;
use crate::header::Header;
use crate::list::{Entry, Kind, List, Release, exposed, release};
use crate::{Error, bindings_of, facts, parallel, table};

/// The headers of one release, and the bindings made from them.
#[derive(Debug)]
pub struct Headers {
    /// Which it is, by `CUDART_VERSION`.
    pub release: Release,
    /// What they declare.
    pub header: Header,
    /// The source that is generated from them alone.
    pub source: String,
    /// What it exposes.
    pub exposed: BTreeSet<Entry>,
    /// The source that users of these headers get: with what the headers lack, from the pre-generated bindings of their major.
    pub completed: String,
    /// Whether the pre-generated bindings of the major are of this very release.
    pub is_pregenerated: bool,
}

/// The repository's root, from which the project's own files are named.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The checked-in list.
pub fn list_path() -> PathBuf {
    root().join("tests/abi/list.txt")
}

impl Headers {
    /// Makes the bindings of the headers in `include`.
    ///
    /// # Errors
    /// [`Error::NoHeader`], [`Error::Generate`], [`Error::Bindings`].
    pub fn read(include: &Path) -> Result<Self, Error> {
        let release = cudart_version(include).ok_or_else(|| Error::NoHeader { path: include.to_owned() })?;
        let mut bindings = bindings_of(include)?;
        let source = bindings.source().map_err(Error::Generate)?;
        let exposed = exposed(&Bindings::parse(&source)?);
        let header = Header::read(&root().join("cuda-p2p-sys/wrapper.h"), include)?;
        let newest = table::Bindings::read(&pregenerated(release.0)?.1).map_err(Error::Generate)?;
        let is_pregenerated = bindings.version() == newest.version();
        bindings.complete(&newest);
        let completed = bindings.source().map_err(Error::Generate)?;
        Ok(Self { release, header, source, exposed, completed, is_pregenerated })
    }

    /// Compares the bindings with the headers, with the list, and with what is said of each bound function.
    ///
    /// # Errors
    /// As [`check`].
    pub fn compare(&self, list: &List) -> Result<Outcome, Error> {
        let mut outcome = check(&self.source, &self.header, &list.at(self.release))?;
        outcome.mismatches.extend(self.since());
        outcome.mismatches.extend(self.pregenerated()?);
        Ok(outcome)
    }

    /// Functions that the release lacks.
    pub fn absent(&self) -> usize {
        FUNCTIONS.iter().filter(|function| !self.has(function.name)).count()
    }

    fn has(&self, function: &str) -> bool {
        self.exposed.contains(&Entry { kind: Kind::Function, name: function.to_owned() })
    }

    /// Whether the header declares the function, under its own name or as a version of it.
    pub fn declares(&self, function: &str) -> bool {
        let versioned = format!("{function}_v");
        self.header.functions.contains_key(function)
            || self.header.functions.keys().any(|symbol| symbol.starts_with(&versioned))
    }

    /// `since` in the list of functions, against the header.
    fn since(&self) -> Vec<Mismatch> {
        let wrong =
            FUNCTIONS.iter().filter(|function| self.has(function.name) != (function.since <= self.release));
        let mismatch = |function: &crate::functions::Function| Mismatch {
            row: format!("since {}", function.name),
            bindings: format!("{}.{}", function.since.0, function.since.1),
            other: format!(
                "header: {} it in {}.{}",
                if self.has(function.name) { "has" } else { "lacks" },
                self.release.0,
                self.release.1
            ),
        };
        wrong.map(mismatch).collect()
    }

    /// The pre-generated file made from this very release, if one was, is what the generator gives.
    fn pregenerated(&self) -> Result<Option<Mismatch>, Error> {
        let (file, kept) = pregenerated(self.release.0)?;
        let stale = self.is_pregenerated && kept != self.source;
        Ok(stale.then(|| Mismatch {
            row: file,
            bindings: "are not what the generator gives".to_owned(),
            other: "to be made anew: ci/bindings".to_owned(),
        }))
    }
}

/// The pre-generated bindings of a major: the file's name, and what is in it.
fn pregenerated(major: u32) -> Result<(String, String), Error> {
    let file = format!("cuda-p2p-sys/bindings/cuda{major}.rs");
    let path = root().join(&file);
    let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    Ok((file, text))
}

/// Facts (`cuda-p2p-sys/build/facts.rs`) that hold for every release here or for none: there is no telling whether such a one is
/// misspelt.
pub fn idle_facts(all: &[Headers]) -> Vec<&'static str> {
    let holds: Vec<Vec<(&str, bool)>> =
        all.iter().map(|headers| facts::of(&headers.completed).collect()).collect();
    let Some(first) = holds.first() else { return Vec::new() };
    let idle = |fact: &(&'static str, bool)| holds.iter().all(|release| release.contains(fact));
    first.iter().filter(|fact| idle(fact)).map(|(name, _)| *name).collect()
}

/// The releases whose headers lie in `folder`, each as `<release>/include`, from the oldest to the newest.
///
/// # Errors
/// [`Error::File`], and as [`Headers::read`].
pub fn read_all(folder: &Path) -> Result<Vec<Headers>, Error> {
    let entries = std::fs::read_dir(folder).map_err(Error::file(folder))?;
    let of_releases =
        entries.flatten().filter(|entry| release(&entry.file_name().to_string_lossy()).is_some());
    let folders: Vec<_> = of_releases.map(|entry| entry.path().join("include")).collect();
    let read = parallel::map(&folders, |folder| Headers::read(folder));
    let mut all = read.into_iter().collect::<Result<Vec<_>, _>>()?;
    all.sort_by_key(|headers| headers.release);
    Ok(all)
}

/// `#define CUDART_VERSION  13000` is 13.0.
fn cudart_version(include: &Path) -> Option<Release> {
    let text = std::fs::read_to_string(include.join("cuda_runtime_api.h")).ok()?;
    let line = text.lines().find(|line| line.starts_with("#define CUDART_VERSION"))?;
    let number: u32 = line.split_whitespace().nth(2)?.parse().ok()?;
    Some((number / 1000, number % 1000 / 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two files that are compared with no headers at hand; `ci/abi` looks at every release.
    #[test]
    fn facts_are_found_in_the_bindings() {
        let holding = |major: u32| -> Vec<&str> {
            let path = root().join(format!("cuda-p2p-sys/bindings/cuda{major}.rs"));
            let source = std::fs::read_to_string(path).expect("it is there");
            facts::of(&source).filter(|(_, holds)| *holds).map(|(name, _)| name).collect()
        };
        let both = ["cuda_mem_location_is_flat"];
        let in_12 = ["cuda_batch_copies_tell_failure", "cuda_device_prop_has_clock_rate"];
        let in_13 =
            ["cuda_has_atomic_capabilities", "cuda_pointer_attributes_reserve", "cuda_graph_edges_have_data"];
        let (twelve, thirteen) = (holding(12), holding(13));
        for fact in both {
            assert!(twelve.contains(&fact) && thirteen.contains(&fact), "{fact}: {twelve:?} {thirteen:?}");
        }
        for fact in in_12 {
            assert!(twelve.contains(&fact) && !thirteen.contains(&fact), "{fact}: {twelve:?} {thirteen:?}");
        }
        for fact in in_13 {
            assert!(!twelve.contains(&fact) && thirteen.contains(&fact), "{fact}: {twelve:?} {thirteen:?}");
        }
    }
}
