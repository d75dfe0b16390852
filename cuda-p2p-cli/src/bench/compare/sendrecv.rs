//! sendrecv_perf of NCCL's tests: each device sends to the next and receives from the one before. Of two, that is both ways at once.

use super::super::plan::{Due, Place};
use super::super::report::Report;
use super::super::test::Test;
use super::{Theirs, Tool};
use crate::options::OrderedPair;

pub(super) const TOOL: Tool = Tool { name: "sendrecv_perf", variable: "CUDA_P2P_SENDRECV_PERF", ask, read };

/// On the first two devices, whatever their number: of more, it would be a ring.
fn ask(report: &Report) -> Result<Vec<String>, String> {
    if !report.bytes.is_multiple_of(4) {
        return Err("takes whole words: give --bytes so".to_owned());
    }
    let bytes = report.bytes.to_string();
    Ok(["-b", &bytes, "-e", &bytes, "-g", "2"].map(str::to_owned).to_vec())
}

fn read(text: &str, bytes: u64) -> Vec<Theirs> {
    let rows = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    // Size, count, type, reduction, root, time, algorithm's and bus's bandwidth, errors; then the last four again, in place.
    let columns = |line: &str| {
        let row: Vec<&str> = line.split_whitespace().collect();
        let counts = row.first()?.parse::<u64>().ok()? == bytes && row.len() >= 9;
        counts.then(|| row[7].parse::<f64>().ok().filter(|rate| rate.is_normal())).flatten()
    };
    let Some(one_way) = rows.into_iter().find_map(columns) else { return Vec::new() };
    let pair = |accessor, owner| Place::Pair(OrderedPair { accessor, owner });
    // Its copies are a kernel's; ours by engines are what a user has for the same purpose.
    let both = |test| {
        [pair(0, 1), pair(1, 0)].map(|place| Theirs {
            due: Due { test, bytes },
            place,
            their_test: "SendRecv, both directions",
            value: 2.0 * one_way,
        })
    };
    [Test::KernelBoth, Test::EngineBoth].into_iter().flat_map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::super::pair;
    use super::*;

    #[test]
    fn a_row_is_both_ways_and_beside_kernels_and_engines() {
        let text = include_str!("printed/sendrecv.txt");
        let found: Vec<_> = read(text, 1 << 30)
            .into_iter()
            .map(|theirs| (theirs.due.test, theirs.due.bytes, theirs.place, theirs.value))
            .collect();
        let rate = 2.0 * 361.15;
        let expected = [Test::KernelBoth, Test::EngineBoth]
            .into_iter()
            .flat_map(|test| [(test, 1 << 30, pair(0, 1), rate), (test, 1 << 30, pair(1, 0), rate)]);
        assert_eq!(found, expected.collect::<Vec<_>>());
        assert_eq!(read(text, 1 << 20), [], "a row of another size is not what was asked for");
    }
}
