//! `docs/functions.md`: every function of `cuda_runtime_api.h`, and what this project does with it.
//!
//! The tables are made from what there is: the headers, the list of bound functions, the documentation aliases of `cuda-p2p`. By
//! hand are the sections and, for what is left out, the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::Error;
use crate::functions::FUNCTIONS;
use crate::list::{Release, release};
use crate::releases::{Headers, root};
use crate::wrappers::Wrappers;

const LEFT_OUT: &str = "left out";
const UNSORTED: &str = "## To be sorted";

/// One row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    name: String,
    since: Release,
    state: String,
    note: String,
}

impl Line {
    /// ``| `cudaMalloc` | 12.0 | wrapped | `Device::alloc` |``
    fn parse(text: &str) -> Option<Self> {
        let cells: Vec<&str> = text.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
        let [name, since, state, note] = cells[..] else { return None };
        let name = name.strip_prefix('`')?.strip_suffix('`')?.to_owned();
        Some(Self { name, since: release(since)?, state: state.to_owned(), note: note.to_owned() })
    }

    fn text(&self) -> String {
        let Self { name, since: (major, minor), state, note } = self;
        format!("| `{name}` | {major}.{minor} | {state} | {note} |").replace("|  |", "| |")
    }
}

/// Where it is.
pub fn path() -> PathBuf {
    root().join("docs/functions.md")
}

/// Every way in which the text is not what the sources, and those headers, say, or the sources are not complete.
///
/// # Errors
/// [`Error::File`], [`Error::Bindings`] if the sources of `cuda-p2p` cannot be read.
pub fn check(text: &str, headers: &[Headers]) -> Result<Vec<String>, Error> {
    let wrappers = Wrappers::read(&root().join("cuda-p2p/src"))?;
    let lines: Vec<Line> = text.lines().filter_map(Line::parse).collect();
    let mut wrong = Vec::new();
    let mut names = BTreeSet::new();
    for line in &lines {
        if !names.insert(line.name.as_str()) {
            wrong.push(format!("`{}` stands there twice", line.name));
        }
        let expected = expected(&line.name, line, &wrappers);
        if expected != *line {
            wrong.push(format!("is\n    {}\n  and should be\n    {}", line.text(), expected.text()));
        }
        if line.state == LEFT_OUT && line.note.is_empty() {
            wrong.push(format!("`{}` is left out and there is no reason", line.name));
        }
        for headers in headers {
            let (major, minor) = headers.release;
            if headers.declares(&line.name) != (line.since <= headers.release) {
                wrong.push(format!(
                    "`{}`: {}.{} is not when it came: see {major}.{minor}",
                    line.name, line.since.0, line.since.1
                ));
            }
        }
    }
    wrong.extend(
        FUNCTIONS
            .iter()
            .filter(|function| !names.contains(function.name))
            .map(|function| format!("`{}` is bound and not there", function.name)),
    );
    // The list is that of the newest major: what older ones had and it has not, it leaves out.
    let newest_major = headers.iter().map(|headers| headers.release.0).max();
    for headers in headers.iter().filter(|headers| Some(headers.release.0) == newest_major) {
        let (major, minor) = headers.release;
        let missing = declared(headers).filter(|name| !names.contains(name));
        wrong.extend(missing.map(|name| format!("`{name}`, which {major}.{minor} declares, is not there")));
    }
    let unnamed = wrappers.unnamed.iter();
    let unnamed =
        unnamed.map(|(item, name)| format!("cuda-p2p: the documentation of {item} does not name `{name}`"));
    Ok(wrong.into_iter().map(|wrong| format!("docs/functions.md: {wrong}")).chain(unnamed).collect())
}

/// The text with its tables made anew. New functions stand in a section of their own at the end, to be sorted in by hand.
///
/// # Errors
/// As [`check`].
pub fn rewrite(text: &str, all: &[Headers]) -> Result<String, Error> {
    let wrappers = Wrappers::read(&root().join("cuda-p2p/src"))?;
    let since: BTreeMap<&str, Release> = all
        .last()
        .into_iter()
        .flat_map(declared)
        .filter_map(|name| Some((name, all.iter().find(|headers| headers.declares(name))?.release)))
        .collect();
    let mut seen = BTreeSet::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        match Line::parse(line) {
            Some(mut row) => {
                // One that the newest header lacks goes.
                if let Some(since) = since.get(row.name.as_str()) {
                    row.since = *since;
                    lines.push(expected(&row.name, &row, &wrappers).text());
                    seen.insert(row.name);
                }
            }
            None => lines.push(line.to_owned()),
        }
    }
    let new: Vec<(&&str, &Release)> = since.iter().filter(|(name, _)| !seen.contains(**name)).collect();
    if !new.is_empty() {
        lines.extend(
            ["", UNSORTED, "", "| function | since | | by, or why not |", "|---|---|---|---|"]
                .map(str::to_owned),
        );
    }
    for (name, since) in new {
        let row = Line { name: (*name).to_owned(), since: *since, state: String::new(), note: String::new() };
        lines.push(expected(name, &row, &wrappers).text());
    }
    Ok(lines.join("\n") + "\n")
}

/// The functions that a header declares for users: not the type-checked helpers for C++ or what begins with underscores.
fn declared(headers: &Headers) -> impl Iterator<Item = &str> {
    headers.header.functions.keys().map(String::as_str).filter(|name| name.starts_with("cuda"))
}

/// The row as the sources have it; of `line`, the release, and the reason if the function is left out.
fn expected(name: &str, line: &Line, wrappers: &Wrappers) -> Line {
    let bound = FUNCTIONS.iter().any(|function| function.name == name);
    let (state, note) = match (bound, wrappers.items.get(name), wrappers.called.contains(name)) {
        (true, Some(items), _) => {
            ("wrapped", items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        (true, None, true) => ("wrapped", "inside".to_owned()),
        (true, None, false) => ("bound only", String::new()),
        (false, ..) => (LEFT_OUT, if line.state == LEFT_OUT { line.note.clone() } else { String::new() }),
    };
    Line { name: name.to_owned(), since: line.since, state: state.to_owned(), note }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_back() {
        for text in
            ["| `cudaMalloc` | 12.0 | wrapped | `Device::alloc` |", "| `cudaFree` | 12.8 | bound only | |"]
        {
            assert_eq!(Line::parse(text).expect("a row").text(), text);
        }
        assert_eq!(Line::parse("| function | since | | by, or why not |"), None);
        assert_eq!(Line::parse("|---|---|---|---|"), None);
    }

    #[test]
    fn stale_rows_are_told() {
        let text = "| `cudaMalloc` | 12.0 | left out | no memory |\n| `cudaNone` | 12.0 | left out | |\n\
                    | `cudaNone` | 12.0 | left out | x |\n";
        let wrong = check(text, &[]).expect("the sources are there").join("\n");
        assert!(wrong.contains("and should be\n    | `cudaMalloc` | 12.0 | wrapped |"), "{wrong}");
        assert!(wrong.contains("`cudaNone` is left out and there is no reason"), "{wrong}");
        assert!(wrong.contains("`cudaNone` stands there twice"), "{wrong}");
        assert!(wrong.contains("`cudaFree` is bound and not there"), "{wrong}");
    }
}
