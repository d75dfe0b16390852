//! Other people's tools in the same run: their figures beside ours.

use std::time::Duration;

use serde::Serialize;

use super::plan::{Due, Place};
use super::report::Report;
use super::test::{Test, Unit};
use super::tool;
use crate::options::OrderedPair;

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
    /// What the figures count.
    pub(crate) unit: Unit,
    /// The tool's figure.
    pub(crate) theirs: f64,
    /// Ours.
    pub(crate) ours: f64,
    /// Ours as a part of theirs.
    pub(crate) ratio: f64,
}

/// A matrix in a tool's output, by its title, and what it is beside.
struct Matrix {
    title: &'static str,
    test: Test,
}

/// nvbandwidth's tests, in the order that it is given them; the title of the matrix that each prints.
const NVBANDWIDTH: [(&str, &str, Test); 7] = [
    ("device_to_device_memcpy_read_ce", "memcpy CE GPU(row)", Test::EngineRead),
    ("device_to_device_memcpy_write_ce", "memcpy CE GPU(row)", Test::EngineWrite),
    ("device_to_device_bidirectional_memcpy_write_ce", "Total bandwidth", Test::EngineBoth),
    ("device_to_device_memcpy_read_sm", "memcpy SM GPU(row)", Test::KernelRead),
    ("device_to_device_memcpy_write_sm", "memcpy SM GPU(row)", Test::KernelWrite),
    ("device_to_device_bidirectional_memcpy_read_sm", "Total bandwidth", Test::KernelBoth),
    ("device_to_device_latency_sm", "Latency SM", Test::Chase),
];

/// Those of p2pBandwidthLatencyTest.
const P2P_TEST: [Matrix; 3] = [
    Matrix { title: "Unidirectional P2P=Disabled Bandwidth", test: Test::StagedRead },
    Matrix { title: "Unidirectional P2P=Enabled Bandwidth", test: Test::EngineWrite },
    Matrix { title: "Bidirectional P2P=Enabled Bandwidth", test: Test::EngineBoth },
];

/// Runs every tool that there is, one after the other.
pub(super) fn run(report: &Report, deadline: Duration) -> Vec<Comparison> {
    let mib = (report.bytes >> 20).max(1).to_string();
    let bytes = report.bytes.to_string();
    let gpus = report.machine.devices.len().to_string();
    let mut nvbandwidth = vec!["-b", &mib, "-t"];
    nvbandwidth.extend(NVBANDWIDTH.iter().map(|(name, _, _)| *name));
    let run = |name, variable, arguments: &[&str], read: fn(&str) -> Vec<(Test, Place, f64)>| {
        let Some(program) = tool::find(name, variable) else {
            let problem = format!("not found in PATH, nor named by {variable}");
            return Comparison { tool: name, problem: Some(problem), figures: Vec::new() };
        };
        match tool::output(&program, arguments, deadline * PATIENCE) {
            Ok(text) => beside(report, name, read(&text)),
            Err(problem) => Comparison { tool: name, problem: Some(problem), figures: Vec::new() },
        }
    };
    vec![
        run("nvbandwidth", "CUDA_P2P_NVBANDWIDTH", &nvbandwidth, read_nvbandwidth),
        run("p2pBandwidthLatencyTest", "CUDA_P2P_P2PBANDWIDTHLATENCYTEST", &[], read_p2p_test),
        run(
            "sendrecv_perf",
            "CUDA_P2P_SENDRECV_PERF",
            &["-b", &bytes, "-e", &bytes, "-g", &gpus],
            read_sendrecv,
        ),
    ]
}

/// Their figures beside ours, where we have one.
fn beside(report: &Report, tool: &'static str, theirs: Vec<(Test, Place, f64)>) -> Comparison {
    let ours = |test: Test, place| {
        let bytes = if Test::LATENCY.contains(&test) { 0 } else { report.bytes };
        report.result(place, Due { test, bytes }).and_then(super::BenchResult::median)
    };
    let figures: Vec<Beside> = theirs
        .into_iter()
        .filter_map(|(test, place, theirs)| {
            let ours = ours(test, place)?;
            Some(Beside { test, place, unit: test.unit(), theirs, ours, ratio: ours / theirs })
        })
        .collect();
    let problem = figures.is_empty().then(|| "printed nothing that could be read".to_owned());
    Comparison { tool, problem, figures }
}

fn read_nvbandwidth(text: &str) -> Vec<(Test, Place, f64)> {
    let mut found = Vec::new();
    for (name, title, test) in NVBANDWIDTH {
        // "Running NAME." begins each test, and "SUM NAME" ends it.
        let begin = format!("Running {name}.");
        if let Some(start) = text.find(&begin) {
            let rest = &text[start + begin.len()..];
            let end = rest.find("Running ").unwrap_or(rest.len());
            found.extend(
                read_matrix(&rest[..end], title).into_iter().map(|(place, value)| (test, place, value)),
            );
        }
    }
    found
}

fn read_p2p_test(text: &str) -> Vec<(Test, Place, f64)> {
    let read = |matrix: &Matrix| {
        let test = matrix.test;
        read_matrix(text, matrix.title).into_iter().map(move |(place, value)| (test, place, value))
    };
    P2P_TEST.iter().flat_map(read).collect()
}

/// NCCL's: each device sends to the next and receives from the one before. Of two, that is both ways at once.
fn read_sendrecv(text: &str) -> Vec<(Test, Place, f64)> {
    let rows = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let Some(columns) =
        rows.map(|line| line.split_whitespace().collect::<Vec<_>>()).find(|row| row.len() >= 8)
    else {
        return Vec::new();
    };
    // Size, count, type, reduction, root, time, algorithm's and bus's bandwidth, one way.
    let Ok(bus) = columns[7].parse::<f64>() else { return Vec::new() };
    let pair = |accessor, owner| Place::Pair(OrderedPair { accessor, owner });
    [pair(0, 1), pair(1, 0)].map(|place| (Test::EngineBoth, place, 2.0 * bus)).to_vec()
}

/// The cells of the first matrix under a line that has `title`, but for the diagonal: accessor by row, owner by column.
fn read_matrix(text: &str, title: &str) -> Vec<(Place, f64)> {
    let mut lines = text.lines().skip_while(|line| !line.contains(title)).skip(1);
    let mut cells = Vec::new();
    // The line of the columns' numbers.
    let Some(_) = lines.next() else { return cells };
    for line in lines {
        let mut words = line.split_whitespace();
        let Some(accessor) = words.next().and_then(|word| word.parse::<u32>().ok()) else { break };
        for (owner, word) in (0..).zip(words) {
            if let Ok(value) = word.parse::<f64>()
                && owner != accessor
            {
                cells.push((Place::Pair(OrderedPair { accessor, owner }), value));
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(accessor: u32, owner: u32) -> Place {
        Place::Pair(OrderedPair { accessor, owner })
    }

    #[test]
    fn nvbandwidth_is_read_test_by_test() {
        let text = "\
nvbandwidth Version: v0.8

Running device_to_device_memcpy_read_ce.
memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0       N/A    394.01
 1    393.97       N/A

SUM device_to_device_memcpy_read_ce 787.98

Running device_to_device_bidirectional_memcpy_write_ce.
memcpy CE GPU(row) <-> GPU(column) Write1 bandwidth (GB/s)
           0         1
 0       N/A    391.80
 1    391.83       N/A

SUM device_to_device_bidirectional_memcpy_write_ce_write1 783.63

memcpy CE GPU(row) <-> GPU(column) Total bandwidth (GB/s)
           0         1
 0       N/A    783.60
 1    783.76       N/A

SUM device_to_device_bidirectional_memcpy_write_ce_total 1567.36
";
        assert_eq!(
            read_nvbandwidth(text),
            [
                (Test::EngineRead, pair(0, 1), 394.01),
                (Test::EngineRead, pair(1, 0), 393.97),
                (Test::EngineBoth, pair(0, 1), 783.60),
                (Test::EngineBoth, pair(1, 0), 783.76),
            ]
        );
    }

    #[test]
    fn the_sample_of_the_toolkit_is_read_by_its_titles() {
        let text = "\
Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)
   D\\D     0      1
     0 2509.40  37.61
     1  37.55 2516.11
Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
   D\\D     0      1
     0 2510.11 391.77
     1 391.82 2517.06
";
        assert_eq!(
            read_p2p_test(text),
            [
                (Test::StagedRead, pair(0, 1), 37.61),
                (Test::StagedRead, pair(1, 0), 37.55),
                (Test::EngineWrite, pair(0, 1), 391.77),
                (Test::EngineWrite, pair(1, 0), 391.82),
            ]
        );
    }

    #[test]
    fn nccls_row_is_both_ways() {
        let text = "\
#       size         count      type   redop    root     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)
   536870912     134217728     float    none      -1   1454.1  369.21  369.21      0
# Avg bus bandwidth    : 369.2
";
        assert_eq!(read_sendrecv(text)[0], (Test::EngineBoth, pair(0, 1), 738.42));
    }

    #[test]
    fn what_cannot_be_read_gives_nothing() {
        for text in ["", "nonsense", "Running device_to_device_memcpy_read_ce.\nWAIVED\n", "1 2 3 4 5 6 7 x"]
        {
            assert_eq!(
                (read_nvbandwidth(text), read_p2p_test(text), read_sendrecv(text)),
                (vec![], vec![], vec![])
            );
        }
    }
}
