//! The answers of a run as a text file: what a runtime and a machine said to every call of every case. Recordings of real
//! hardware are such files.
//!
//! ```text
//! # cuda-p2p transcript 1
//! # library libcudart.so.13, CUDA 13.0, driver 13.0, 2 devices: …
//! # peers 0 1
//!
//! case query::an_unknown_device_is_an_error
//!   cudaDeviceCanAccessPeer(&mut answer, 0, 99) -> 101
//! ```
//! Arguments stand as the case wrote them, so pointers are the names of variables and two runs can be compared line by line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use crate::capabilities::Capabilities;
use crate::divergences::{Divergence, split};

/// First line of the file.
const TITLE: &str = "# cuda-p2p transcript 1";

/// The lines of every case that ran, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Transcript {
    /// The machine, as comment lines.
    header: Vec<String>,
    cases: BTreeMap<String, Vec<String>>,
}

/// A file that is no transcript.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("{path}: {source}")]
    File { path: String, source: io::Error },
    #[error("{path} is no transcript: its first line must be {TITLE:?}; write one with --transcript")]
    Title { path: String },
    #[error("{path}:{line}: a line outside any case")]
    Stray { path: String, line: usize },
}

impl Transcript {
    /// An empty one of that machine.
    pub(crate) fn of(machine: &Capabilities) -> Self {
        // A file that others get: of a library its name, and not where it lay.
        let summary = machine.summary();
        let named = summary.split_once(", ").and_then(|(source, rest)| {
            let (_, name) = source.strip_prefix("library ")?.rsplit_once('/')?;
            Some(format!("library {name}, {rest}"))
        });
        let mut header = vec![named.unwrap_or(summary)];
        header.extend(machine.peers.iter().map(|(a, b)| format!("peers {a} {b}")));
        Self { header, cases: BTreeMap::new() }
    }

    /// Adds the lines of a case.
    pub(crate) fn insert(&mut self, name: String, lines: Vec<String>) {
        self.cases.insert(name, lines);
    }

    /// The machine that it was written on.
    pub(crate) fn machine(&self) -> &str {
        self.header.first().map_or("an unknown machine", String::as_str)
    }

    /// The release of the runtime that it was written with: major and minor.
    pub(crate) fn release(&self) -> Option<(u32, u32)> {
        let (_, rest) = self.machine().split_once(", CUDA ")?;
        let (major, minor) = rest.split(',').next()?.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    }

    /// Calls in it: lines with an answer.
    #[cfg(test)]
    fn calls(&self) -> usize {
        self.cases.values().map(|lines| calls(lines)).sum()
    }

    /// The names of the cases in it.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.cases.keys().map(String::as_str)
    }

    /// Compares a case with what stands here; `expected` are the divergences that the case may show. `None` if the case is
    /// not here.
    ///
    /// # Errors
    /// The first difference, in words.
    pub(crate) fn compare(
        &self,
        name: &str,
        lines: &[String],
        expected: &[Divergence],
    ) -> Option<Result<Compared, String>> {
        let recorded = self.cases.get(name)?;
        let mut compared = Compared { calls: calls(lines), divergences: 0 };
        let mut after_a_divergence = false;
        for index in 0..recorded.len().max(lines.len()) {
            let (ours, theirs) = (lines.get(index), recorded.get(index));
            if ours == theirs {
                after_a_divergence = false;
            } else if explained(ours, theirs, expected, after_a_divergence) {
                compared.divergences += 1;
                after_a_divergence = true;
            } else {
                let shown = |line: Option<&String>| line.map_or("(no more calls)", String::as_str).to_owned();
                return Some(Err(format!(
                    "differs from the recording at line {} of the case\n       got {}\n  recorded {}",
                    index + 1,
                    shown(ours),
                    shown(theirs)
                )));
            }
        }
        Some(Ok(compared))
    }

    /// The file's text.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{TITLE}\n");
        for line in &self.header {
            let _ = writeln!(text, "# {line}");
        }
        for (name, lines) in &self.cases {
            let _ = writeln!(text, "\ncase {name}");
            for line in lines {
                let _ = writeln!(text, "  {}", line.replace('\n', " "));
            }
        }
        text
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`ReadError`]
    pub(crate) fn read(path: &Path) -> Result<Self, ReadError> {
        let named = path.display().to_string();
        let text =
            fs::read_to_string(path).map_err(|source| ReadError::File { path: named.clone(), source })?;
        Self::parse(&text, &named)
    }

    fn parse(text: &str, path: &str) -> Result<Self, ReadError> {
        let mut lines = text.lines().enumerate();
        if lines.next().is_none_or(|(_, first)| first != TITLE) {
            return Err(ReadError::Title { path: path.to_owned() });
        }
        let mut transcript = Self::default();
        let mut current: Option<&mut Vec<String>> = None;
        for (index, line) in lines {
            if let Some(comment) = line.strip_prefix("# ") {
                transcript.header.push(comment.to_owned());
            } else if let Some(name) = line.strip_prefix("case ") {
                current = Some(transcript.cases.entry(name.to_owned()).or_default());
            } else if !line.trim().is_empty() {
                match &mut current {
                    Some(case) => case.push(line.trim_start().to_owned()),
                    None => return Err(ReadError::Stray { path: path.to_owned(), line: index + 1 }),
                }
            }
        }
        Ok(transcript)
    }
}

/// What a comparison found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    /// Calls looked at.
    pub(crate) calls: usize,
    /// Lines that differ as they are expected to.
    pub(crate) divergences: usize,
}

/// Whether two lines differ as they are expected to: in the answer alone, by a divergence of the list or as the last error
/// that one left.
fn explained(
    ours: Option<&String>,
    theirs: Option<&String>,
    expected: &[Divergence],
    after_a_divergence: bool,
) -> bool {
    let (Some(ours), Some(theirs)) = (ours, theirs) else { return false };
    let (Some((what, answer)), Some((same, _))) = (split(ours), split(theirs)) else { return false };
    let listed = expected.iter().any(|line| line.what == what && line.simulator == answer);
    what == same && (listed || (after_a_divergence && what == "cudaGetLastError()"))
}

fn calls(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.contains(") -> ")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Transcript {
        let machine =
            Capabilities { source: "test".to_owned(), peers: vec![(0, 1)], ..Capabilities::default() };
        let mut transcript = Transcript::of(&machine);
        let lines = ["cudaFree(a) -> 0", "a = 7", "cudaFree(a) -> 1"].map(str::to_owned);
        transcript.insert("topic::case".to_owned(), lines.to_vec());
        transcript
    }

    #[test]
    fn a_file_is_read_back_as_written() {
        let transcript = sample();
        let read = Transcript::parse(&transcript.text(), "file").expect("it was written by us");
        assert_eq!(read, transcript);
        assert_eq!(read.calls(), 2);
    }

    #[test]
    fn the_place_of_a_library_is_left_out() {
        let source = "library /some/where/libcudart.so.12".to_owned();
        let machine = Capabilities { source, runtime: 12_090, driver: 13_000, ..Capabilities::default() };
        let transcript = Transcript::of(&machine);
        assert_eq!(transcript.machine(), "library libcudart.so.12, CUDA 12.9, driver 13.0, 0 devices: ");
        assert_eq!(transcript.release(), Some((12, 9)));
        assert_eq!(Transcript::default().release(), None);
    }

    #[test]
    fn a_difference_names_both_answers() {
        let mut lines = sample().cases["topic::case"].clone();
        let all = Compared { calls: 2, divergences: 0 };
        assert_eq!(sample().compare("topic::case", &lines, &[]), Some(Ok(all)));
        assert_eq!(sample().compare("topic::other", &lines, &[]), None);
        lines[2] = "cudaFree(a) -> 0".to_owned();
        let difference =
            sample().compare("topic::case", &lines, &[]).expect("it is recorded").expect_err("it differs");
        assert!(difference.contains("line 3"), "{difference}");
        assert!(difference.contains("got cudaFree(a) -> 0"), "{difference}");
        assert!(difference.contains("recorded cudaFree(a) -> 1"), "{difference}");
        lines.truncate(2);
        let difference =
            sample().compare("topic::case", &lines, &[]).expect("it is recorded").expect_err("it is shorter");
        assert!(difference.contains("got (no more calls)"), "{difference}");
    }

    #[test]
    fn an_expected_divergence_and_its_last_error_are_no_difference() {
        let expected = Divergence {
            case: "topic::case",
            what: "cudaFree(b)",
            simulator: "801",
            reason: "so that there is one",
        };
        let case = |answer: u32, last: u32| {
            vec![format!("cudaFree(b) -> {answer}"), format!("cudaGetLastError() -> {last}")]
        };
        let mut recording = Transcript::default();
        recording.insert("topic::case".to_owned(), case(1, 1));
        let compare = |lines: &[String], expected: &[Divergence]| {
            recording.compare("topic::case", lines, expected).expect("it is recorded")
        };
        let both = Compared { calls: 2, divergences: 2 };
        assert_eq!(compare(&case(801, 801), &[expected]), Ok(both));
        assert!(compare(&case(801, 801), &[]).is_err());
        assert!(compare(&case(2, 2), &[expected]).is_err());
        assert!(compare(&case(1, 801), &[expected]).is_err());
    }

    #[test]
    fn another_file_is_refused() {
        let error = Transcript::parse("hello\n", "file").expect_err("it has no title");
        assert!(error.to_string().contains("--transcript"), "{error}");
        let error =
            Transcript::parse(&format!("{TITLE}\n  cudaFree(a) -> 0\n"), "file").expect_err("no case");
        assert_eq!(error.to_string(), "file:2: a line outside any case");
    }
}
