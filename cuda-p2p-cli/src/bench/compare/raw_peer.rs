//! raw_peer of this project's tests: the same work by plain calls and kernels in C++.

use super::super::plan::{Due, Place};
use super::super::report::Report;
use super::super::test::Test;
use super::{Theirs, Tool};
use crate::options::OrderedPair;

pub(super) const TOOL: Tool = Tool { name: "raw_peer", variable: "CUDA_P2P_RAW_PEER", ask, read };

/// What it prints, and which of ours are beside it: a small copy of a user's own is by engine or by kernel.
const TESTS: [(&str, &[Test]); 8] = [
    ("engine_read", &[Test::EngineRead]),
    ("engine_write", &[Test::EngineWrite]),
    ("engine_both", &[Test::EngineBoth]),
    ("flag_round_trip", &[Test::FlagRoundTrip]),
    ("flag_ordered", &[Test::FlagOrdered]),
    ("small_engine_write", &[Test::SmallEngineWrite, Test::SmallKernelWrite]),
    ("small_engine_read", &[Test::SmallEngineRead, Test::SmallKernelRead]),
    ("issue_copy", &[Test::IssueCopy]),
];

fn ask(report: &Report) -> Result<Vec<String>, String> {
    Ok(vec![report.bytes.to_string(), report.samples.to_string()])
}

fn read(text: &str, _: u64) -> Vec<Theirs> {
    text.lines().filter_map(line).flatten().collect()
}

/// "TEST ACCESSOR OWNER BYTES MEDIAN LOW HIGH".
fn line(line: &str) -> Option<impl Iterator<Item = Theirs>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, accessor, owner, bytes, median, _, _] = words[..] else { return None };
    let (their_test, ours) = TESTS.into_iter().find(|(test, _)| *test == name)?;
    let pair = OrderedPair { accessor: accessor.parse().ok()?, owner: owner.parse().ok()? };
    let bytes: u64 = bytes.parse().ok()?;
    let value: f64 = median.parse().ok().filter(|value: &f64| value.is_normal())?;
    Some(ours.iter().map(move |test| Theirs {
        due: Due { test: *test, bytes },
        place: Place::Pair(pair),
        their_test,
        value,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::pair;
    use super::*;

    #[test]
    fn a_small_copy_is_beside_engine_and_kernel_and_everything_else_beside_its_own_kind() {
        let text = "\
# test accessor owner bytes median low high
engine_both 0 1 1073741824 782.815 781.920 783.404
flag_round_trip 0 1 0 1284.512 1279.104 1290.272
small_engine_read 1 0 4096 13.331 13.318 13.480
";
        let found: Vec<_> = read(text, 1 << 30)
            .into_iter()
            .map(|theirs| (theirs.their_test, theirs.due.test, theirs.due.bytes, theirs.place, theirs.value))
            .collect();
        assert_eq!(
            found,
            [
                ("engine_both", Test::EngineBoth, 1 << 30, pair(0, 1), 782.815),
                ("flag_round_trip", Test::FlagRoundTrip, 0, pair(0, 1), 1284.512),
                ("small_engine_read", Test::SmallEngineRead, 4096, pair(1, 0), 13.331),
                ("small_engine_read", Test::SmallKernelRead, 4096, pair(1, 0), 13.331),
            ]
        );
    }
}
