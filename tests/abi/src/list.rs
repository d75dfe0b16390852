//! `list.txt`: everything that the bindings expose, one name a line, for review.
//!
//! ```text
//! enum cudaError
//! field cudaDeviceProp.clockRate 12.0-12.9
//! field cudaDeviceProp.name
//! function cudaLibraryLoadData 12.8-
//! ```
//! A name that not every release has is followed by the releases that have it, from the first to the last; without a last one, to
//! the newest.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::Error;
use crate::bindings::{Bindings, Type, is_anonymous};

/// A CUDA release, as `(major, minor)`.
pub type Release = (u32, u32);

/// What an entry names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A typedef.
    Alias,
    /// A macro with a number.
    Constant,
    /// An enumeration.
    Enum,
    /// `owner.path`
    Field,
    /// An entry of the table.
    Function,
    /// A struct that the headers do not define.
    Opaque,
    /// A struct.
    Struct,
    /// A union.
    Union,
    /// `enumeration::name`
    Value,
}

const KINDS: [(Kind, &str); 9] = [
    (Kind::Alias, "alias"),
    (Kind::Constant, "constant"),
    (Kind::Enum, "enum"),
    (Kind::Field, "field"),
    (Kind::Function, "function"),
    (Kind::Opaque, "opaque"),
    (Kind::Struct, "struct"),
    (Kind::Union, "union"),
    (Kind::Value, "value"),
];

/// One name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// What it names.
    pub kind: Kind,
    /// The C name, with its owner where it has one.
    pub name: String,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = KINDS.iter().find(|(kind, _)| *kind == self.kind).map_or("", |(_, word)| word);
        write!(f, "{word} {}", self.name)
    }
}

/// The first and the last release of a run of them; `None` for a last one that is the newest there is.
type Span = (Release, Option<Release>);

/// The names, each with the releases that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List(BTreeMap<Entry, Vec<Span>>);

impl List {
    /// Reads the text. Empty lines and those that begin with `#` are passed over.
    ///
    /// # Errors
    /// [`Error::List`] with the number of the line.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut entries = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let problem = |problem: String| Error::List { line: index + 1, problem };
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            let word = words.next().unwrap_or_default();
            let kind = KINDS.iter().find(|(_, known)| *known == word).map(|(kind, _)| *kind);
            let kind = kind.ok_or_else(|| problem(format!("{word:?} is none of {}", all_kinds())))?;
            let name = words.next().ok_or_else(|| problem("a name must follow".to_owned()))?.to_owned();
            let spans = words.map(span).collect::<Option<Vec<_>>>();
            let spans = spans.ok_or_else(|| problem("releases are written 12.0-12.9 or 12.8-".to_owned()))?;
            if entries.insert(Entry { kind, name }, spans).is_some() {
                return Err(problem("the line stands there twice".to_owned()));
            }
        }
        Ok(Self(entries))
    }

    /// The list of what the bindings of several releases expose, from the oldest to the newest.
    pub fn of(releases: &[(Release, BTreeSet<Entry>)]) -> Self {
        let mut entries: BTreeMap<Entry, Vec<Span>> = BTreeMap::new();
        let names: BTreeSet<&Entry> = releases.iter().flat_map(|(_, entries)| entries).collect();
        for name in names {
            let present: Vec<bool> = releases.iter().map(|(_, entries)| entries.contains(name)).collect();
            let mut spans = Vec::new();
            if !present.iter().all(|present| *present) {
                for run in present.iter().enumerate().collect::<Vec<_>>().chunk_by(|a, b| a.1 == b.1) {
                    if let (Some((first, true)), Some((last, _))) = (run.first(), run.last()) {
                        let end = (last + 1 != releases.len()).then(|| releases[*last].0);
                        spans.push((releases[*first].0, end));
                    }
                }
            }
            entries.insert(name.clone(), spans);
        }
        Self(entries)
    }

    /// The names that a release has.
    pub fn at(&self, release: Release) -> BTreeSet<Entry> {
        let has = |spans: &Vec<Span>| {
            let within = |(first, last): &Span| *first <= release && last.is_none_or(|last| release <= last);
            spans.is_empty() || spans.iter().any(within)
        };
        self.0.iter().filter(|(_, spans)| has(spans)).map(|(entry, _)| entry.clone()).collect()
    }

    /// The release that brought a name, `oldest` for those that every one has; `None` if none has it.
    pub fn since(&self, entry: &Entry, oldest: Release) -> Option<Release> {
        self.0.get(entry).map(|spans| spans.first().map_or(oldest, |(first, _)| *first))
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (entry, spans) in &self.0 {
            write!(f, "{entry}")?;
            for ((major, minor), last) in spans {
                write!(f, " {major}.{minor}-")?;
                if let Some((major, minor)) = last {
                    write!(f, "{major}.{minor}")?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// What the bindings expose.
pub fn exposed(bindings: &Bindings) -> BTreeSet<Entry> {
    let entry = |kind, name: String| Entry { kind, name };
    let mut entries = BTreeSet::new();
    entries.extend(bindings.constants.iter().map(|name| entry(Kind::Constant, name.clone())));
    entries.extend(bindings.functions.keys().map(|name| entry(Kind::Function, name.clone())));
    for (name, ty) in bindings.types.iter().filter(|(name, _)| !is_anonymous(name)) {
        let kind = match ty {
            Type::Alias(_) => Kind::Alias,
            Type::Opaque => Kind::Opaque,
            Type::Record { union, fields } => {
                let paths = bindings.paths(fields);
                entries
                    .extend(paths.into_iter().map(|path| entry(Kind::Field, format!("{name}.{}", path.c))));
                if *union { Kind::Union } else { Kind::Struct }
            }
            Type::Enumeration { values, .. } => {
                entries.extend(values.iter().map(|value| entry(Kind::Value, format!("{name}::{value}"))));
                Kind::Enum
            }
        };
        entries.insert(entry(kind, name.clone()));
    }
    entries
}

/// `12.8`
pub fn release(text: &str) -> Option<Release> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn span(text: &str) -> Option<Span> {
    let (first, last) = text.split_once('-')?;
    let last = if last.is_empty() { None } else { Some(release(last)?) };
    Some((release(first)?, last))
}

fn all_kinds() -> String {
    KINDS.map(|(_, word)| word).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> BTreeSet<Entry> {
        List::parse(text).expect("well-formed").at((12, 0))
    }

    #[test]
    fn releases_are_told_by_runs_and_read_back() {
        let list = List::of(&[
            ((12, 0), entries("struct a\nstruct b")),
            ((12, 8), entries("struct a\nstruct c\nstruct d")),
            ((13, 0), entries("struct a\nstruct b\nstruct c")),
        ]);
        let text = list.to_string();
        assert_eq!(text, "struct a\nstruct b 12.0-12.0 13.0-\nstruct c 12.8-\nstruct d 12.8-12.8\n");
        let read = List::parse(&text).expect("well-formed");
        assert_eq!(read, list);
        assert_eq!(read.at((12, 0)), entries("struct a\nstruct b"));
        assert_eq!(read.at((13, 4)), entries("struct a\nstruct b\nstruct c"), "the last run has no end");
    }

    #[test]
    fn a_malformed_line_is_named() {
        for (text, expected) in [
            ("struct a\nthing b", "line 2 of the list: \"thing\" is none of alias"),
            ("struct", "line 1 of the list: a name must follow"),
            ("struct a 12.8", "line 1 of the list: releases are written"),
            ("# a comment\n\nstruct a\nstruct a", "line 4 of the list: the line stands there twice"),
        ] {
            let error = List::parse(text).expect_err("it is malformed").to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
