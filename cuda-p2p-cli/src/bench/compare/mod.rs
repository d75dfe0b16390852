//! Other people's tools in the same run: their figures beside ours.

mod matrix;
mod nvbandwidth;
mod p2p_test;
mod raw_peer;
mod sendrecv;
mod tool;

use std::time::Duration;

use serde::Serialize;

use super::plan::{Due, Place};
use super::report::Report;
use super::test::{Test, Unit};

/// How much longer than one step of ours a whole tool may take.
const PATIENCE: u32 = 5;

/// What came of one tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Comparison {
    /// Its name.
    pub(crate) tool: &'static str,
    /// Why there are no figures, if there are none.
    pub(crate) problem: Option<String>,
    /// Its figures, each beside ours of the same run.
    pub(crate) figures: Vec<Beside>,
}

/// One figure of a tool beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Beside {
    /// Which of our measurements it is beside.
    pub(crate) test: Test,
    /// Where.
    pub(crate) place: Place,
    /// Bytes of each of our copies, or 0.
    pub(crate) bytes: u64,
    /// What the tool calls it.
    pub(crate) their_test: &'static str,
    /// What the figures count.
    pub(crate) unit: Unit,
    /// The tool's figure.
    pub(crate) theirs: f64,
    /// Ours.
    pub(crate) ours: f64,
    /// Ours as a part of theirs.
    pub(crate) ratio: f64,
}

/// One figure that a tool printed, in the unit of the measurement that it is beside.
#[derive(Clone, Debug, PartialEq)]
struct Theirs {
    /// Which of our measurements it is beside, and of how many bytes.
    due: Due,
    place: Place,
    their_test: &'static str,
    value: f64,
}

/// A tool: how it is found and asked, and what its output means.
struct Tool {
    name: &'static str,
    /// The variable that names it where it is not in `PATH`.
    variable: &'static str,
    /// Its arguments for large copies of so many bytes.
    ask: fn(&Report) -> Result<Vec<String>, String>,
    /// What it printed, when asked for copies of so many bytes.
    read: fn(&str, u64) -> Vec<Theirs>,
}

const TOOLS: [Tool; 4] = [nvbandwidth::TOOL, p2p_test::TOOL, sendrecv::TOOL, raw_peer::TOOL];

/// Runs every tool that there is, one after the other.
pub(super) fn run(report: &Report, deadline: Duration) -> Vec<Comparison> {
    let one = |tool: &Tool| {
        let comparison = |problem, figures| Comparison { tool: tool.name, problem, figures };
        match ask(tool, report, deadline) {
            Ok(text) => {
                let figures = beside(report, (tool.read)(&text, report.bytes));
                let problem = figures.is_empty().then(|| "printed nothing that could be read".to_owned());
                comparison(problem, figures)
            }
            Err(problem) => comparison(Some(problem), Vec::new()),
        }
    };
    TOOLS.iter().map(one).collect()
}

/// What the tool prints.
///
/// # Errors
/// Why it prints nothing, in a few words.
fn ask(tool: &Tool, report: &Report, deadline: Duration) -> Result<String, String> {
    let program = tool::find(tool.name, tool.variable)
        .ok_or_else(|| format!("not found in PATH, nor named by {}", tool.variable))?;
    let arguments = (tool.ask)(report)?;
    tool::output(&program, &arguments, deadline * PATIENCE)
}

/// Their figures beside ours, where we have one.
fn beside(report: &Report, theirs: Vec<Theirs>) -> Vec<Beside> {
    let one = |theirs: Theirs| {
        let Theirs { due, place, their_test, value } = theirs;
        let ours = report.result(place, due)?.median()?;
        let Due { test, bytes } = due;
        Some(Beside {
            test,
            place,
            bytes,
            their_test,
            unit: test.unit(),
            theirs: value,
            ours,
            ratio: ours / value,
        })
    };
    theirs.into_iter().filter_map(one).collect()
}

#[cfg(test)]
fn pair(accessor: u32, owner: u32) -> Place {
    Place::Pair(crate::options::OrderedPair { accessor, owner })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_gives_nothing() {
        let broken = [
            "",
            "nonsense",
            "Running device_to_device_memcpy_read_ce.\nWAIVED\n",
            "1 2 3 4 5 6 7 x",
            "P2P=Enabled Latency (P2P Writes) Matrix (us)\n",
            "engine_read 0 1",
            "no_such_test 0 1 4 1.0 1.0 1.0",
            "engine_read 0 1 4 NaN 1.0 1.0",
        ];
        for text in broken {
            for tool in &TOOLS {
                assert_eq!((tool.read)(text, 1 << 30), [], "{}: {text:?}", tool.name);
            }
        }
    }
}
