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
    if report.machine.simulated {
        return Err("not run: a simulated machine has no figures to stand beside its own".to_owned());
    }
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
    use super::super::report::{BenchResult, Figures, Outcome};
    use super::*;

    #[test]
    fn each_figure_stands_beside_ours_of_the_same_place_and_size() {
        let due = |test, bytes| Due { test, bytes };
        let figures = |median| {
            let checked_bytes = 4096;
            Outcome::Measured(Figures { median, low: median, high: median, checked_bytes, path: None })
        };
        let ours = |place, due, median| BenchResult::new(place, due, figures(Some(median)));
        let results = vec![
            ours(pair(0, 1), due(Test::EngineRead, 1 << 30), 396.0),
            ours(pair(0, 1), due(Test::SmallKernelRead, 64), 2.8),
            ours(pair(0, 1), due(Test::SmallKernelRead, 4096), 3.0),
        ];
        let machine = crate::output::fixtures::machine(2, 2, None);
        let report = Report::new(machine, 1 << 30, 7, results, Vec::new());
        let theirs = |place, due, value| Theirs { due, place, their_test: "x", value };
        let beside = beside(
            &report,
            vec![
                theirs(pair(0, 1), due(Test::EngineRead, 1 << 30), 394.0),
                theirs(pair(1, 0), due(Test::EngineRead, 1 << 30), 394.0),
                theirs(pair(0, 1), due(Test::EngineRead, 1 << 20), 200.0),
                theirs(pair(0, 1), due(Test::SmallKernelRead, 4096), 12.0),
            ],
        );
        let ratios: Vec<_> = beside.iter().map(|beside| (beside.bytes, beside.unit, beside.ratio)).collect();
        let expected =
            [(1 << 30, Unit::GigabytesPerSecond, 396.0 / 394.0), (4096, Unit::Microseconds, 3.0 / 12.0)];
        assert_eq!(ratios, expected);
    }

    #[test]
    fn a_tool_is_given_sizes_that_it_can_copy_or_not_run() {
        let asked = |tool: &Tool, bytes| {
            let machine = crate::output::fixtures::machine(2, 2, None);
            (tool.ask)(&Report::new(machine, bytes, 9, Vec::new(), Vec::new())).map(|words| words.join(" "))
        };
        assert!(
            asked(&nvbandwidth::TOOL, 64 << 20)
                .unwrap()
                .starts_with("-b 64 -t device_to_device_memcpy_read_ce ")
        );
        assert!(asked(&nvbandwidth::TOOL, (64 << 20) + 1).unwrap_err().contains("whole MiB"));
        assert_eq!(asked(&p2p_test::TOOL, 1 << 30).unwrap(), "--p2p_read --numElems=268435456");
        assert!(asked(&p2p_test::TOOL, 8 << 30).unwrap_err().contains("8 GiB"));
        assert_eq!(asked(&sendrecv::TOOL, 4096).unwrap(), "-b 4096 -e 4096 -g 2");
        assert!(asked(&sendrecv::TOOL, 4097).unwrap_err().contains("whole words"));
        assert_eq!(asked(&raw_peer::TOOL, 4096).unwrap(), "4096 9");
    }

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
