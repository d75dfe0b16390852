//! Compares one file of bindings with one header. All rows are compared before anything is said.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::bindings::Bindings;
use crate::header::Header;
use crate::list::{Entry, exposed};
use crate::rows::{Question, Row, expand};
use crate::{Error, probe};

/// Something that the two sides do not agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What it is about.
    pub row: String,
    /// What the bindings say.
    pub bindings: String,
    /// What the header says, or the list.
    pub other: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | bindings: {} | {}", self.row, self.bindings, self.other)
    }
}

/// The outcome of a comparison.
#[derive(Debug)]
pub struct Outcome {
    /// Functions in the table.
    pub bound: usize,
    /// Every row that was compared, with what the bindings say.
    pub rows: BTreeMap<String, String>,
    /// What differs, in the order of the list.
    pub mismatches: Vec<Mismatch>,
}

impl Outcome {
    /// What a newer release of the same major changed under an old name: a program bound to this one runs on that one's library.
    /// What headers keep for such changes is passed over: reserved fields, and the counts at the end of enumerations.
    pub fn changed_in(&self, newer: &Self) -> Vec<Mismatch> {
        let changed = |(row, old): (&String, &String)| {
            let new = newer.rows.get(row).filter(|new| *new != old && !may_change(row))?;
            Some(Mismatch {
                row: row.clone(),
                bindings: old.clone(),
                other: format!("newer bindings: {new}"),
            })
        };
        self.rows.iter().filter_map(changed).collect()
    }
}

/// What `source`, a file of bindings, says to the rows of `entries`. The header tells what is a tag in C.
///
/// # Errors
/// Any of [`Error`], if it could not be asked.
pub fn answers(
    source: &str,
    entries: &BTreeSet<Entry>,
    header: &Header,
) -> Result<BTreeMap<String, String>, Error> {
    let rows = expand(entries, &Bindings::parse(source)?, header)?;
    let scratch = tempfile::tempdir().map_err(Error::file(std::env::temp_dir()))?;
    let rust = probe::ask_rust(&rows, source, scratch.path())?;
    let none = probe::CAnswers::default();
    Ok(rows
        .iter()
        .enumerate()
        .map(|(index, row)| (row.name.clone(), sides(index, row, &none, &rust).0))
        .collect())
}

fn may_change(row: &str) -> bool {
    let name = row.rsplit([' ', '.']).next().unwrap_or(row);
    let count = row.starts_with("value ") && (name.ends_with("Max") || name.ends_with("Count"));
    count || name.starts_with("reserved") || ["CUDART_VERSION", "cudaDeviceMask"].contains(&name)
}

/// Compares `source`, a file of bindings, with a header and with `listed`.
///
/// # Errors
/// Any of [`Error`], if the comparison could not be made.
pub fn check(source: &str, header: &Header, listed: &BTreeSet<Entry>) -> Result<Outcome, Error> {
    let bindings = Bindings::parse(source)?;
    let exposed = exposed(&bindings);
    let mut mismatches = Vec::new();
    for entry in listed.union(&exposed) {
        let (bindings, list) = match (exposed.contains(entry), listed.contains(entry)) {
            (true, false) => ("have it", "list: does not have it"),
            (false, true) => ("do not have it", "list: has it"),
            _ => continue,
        };
        mismatches.push(Mismatch {
            row: entry.to_string(),
            bindings: bindings.to_owned(),
            other: list.to_owned(),
        });
    }
    let rows = expand(listed.intersection(&exposed), &bindings, header)?;
    let scratch = tempfile::tempdir().map_err(Error::file(std::env::temp_dir()))?;
    let (c, rust) = std::thread::scope(|scope| {
        let rust = scope.spawn(|| probe::ask_rust(&rows, source, scratch.path()));
        let c = probe::ask_c(&rows, header, scratch.path());
        (c, rust.join())
    });
    let rust =
        rust.map_err(|_| Error::Probe { language: "Rust", output: "its thread panicked".to_owned() })?;
    let (c, rust) = (c?, rust?);
    let mut compared = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        let (bindings, header) = sides(index, row, &c, &rust);
        if bindings != header {
            let other = format!("header: {header}");
            mismatches.push(Mismatch { row: row.name.clone(), bindings: bindings.clone(), other });
        }
        compared.insert(row.name.clone(), bindings);
    }
    Ok(Outcome { bound: bindings.functions.len(), rows: compared, mismatches })
}

/// What the bindings and the header say to a row: equal text if they agree.
fn sides(index: usize, row: &Row, c: &probe::CAnswers, rust: &BTreeMap<usize, String>) -> (String, String) {
    let absent = || "absent".to_owned();
    let header = |value: Option<String>| {
        if c.absent.contains(&index) { absent() } else { value.unwrap_or_else(|| "no answer".to_owned()) }
    };
    match &row.question {
        Question::Number { .. } => {
            let bindings = rust.get(&index).cloned().unwrap_or_else(|| "not asked".to_owned());
            (bindings, header(c.values.get(&index).cloned()))
        }
        Question::Symbol { rust, .. } => (rust.clone(), header(c.values.get(&index).cloned())),
        Question::SameType { rust, header: declared, .. } => {
            let rust = rust.replace("__typeof__", "");
            let same = !c.other_type.contains(&index);
            let declared = if same { rust.clone() } else { declared.clone() };
            (rust, header(Some(declared)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_a_newer_release_changed_is_told() {
        let outcome = |rows: &[(&str, &str)]| Outcome {
            bound: 0,
            rows: rows.iter().map(|(row, value)| ((*row).to_owned(), (*value).to_owned())).collect(),
            mismatches: Vec::new(),
        };
        let older = outcome(&[
            ("constant CUDART_VERSION", "12000"),
            ("offset a.b", "8"),
            ("offset a.reserved", "16"),
            ("signature gone", "(void (*)(void))"),
            ("size a", "24"),
            ("value e::Max", "4"),
        ]);
        let newer = outcome(&[
            ("constant CUDART_VERSION", "12010"),
            ("offset a.b", "12"),
            ("offset a.reserved", "20"),
            ("size a", "24"),
            ("value e::Max", "5"),
        ]);
        let changed: Vec<String> = older.changed_in(&newer).iter().map(ToString::to_string).collect();
        assert_eq!(changed, ["offset a.b | bindings: 8 | newer bindings: 12"]);
    }
}
