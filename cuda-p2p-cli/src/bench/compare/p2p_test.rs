//! p2pBandwidthLatencyTest of NVIDIA's samples: each row copies to, or reads from, its columns, in a stream of its own.

use super::super::plan::{Due, Place};
use super::super::report::Report;
use super::super::test::Test;
use super::matrix::cells;
use super::{Theirs, Tool};
use crate::options::OrderedPair;

pub(super) const TOOL: Tool =
    Tool { name: "p2pBandwidthLatencyTest", variable: "CUDA_P2P_P2PBANDWIDTHLATENCYTEST", ask, read };

/// Bytes of each of its small copies.
const SMALL: u64 = 16;

/// Titles of its matrices; what each is beside; and whether its row is the owner, as where the copy is from row to column and ours is
/// from owner to accessor.
const MATRICES: [(&str, Test, bool); 7] = [
    ("Unidirectional P2P=Disabled Bandwidth", Test::StagedRead, true),
    ("Unidirectional P2P=Enabled Bandwidth (P2P Writes)", Test::EngineWrite, false),
    ("Unidirectional P2P=Enabled Bandwidth (P2P Reads)", Test::EngineRead, false),
    ("Bidirectional P2P=Disabled Bandwidth", Test::StagedBoth, false),
    ("Bidirectional P2P=Enabled Bandwidth", Test::EngineBoth, false),
    ("P2P=Enabled Latency (P2P Writes)", Test::SmallEngineWrite, false),
    ("P2P=Enabled Latency (P2P Reads)", Test::SmallEngineRead, false),
];

fn ask(report: &Report) -> Result<Vec<String>, String> {
    let elements = report.bytes / 4;
    if !report.bytes.is_multiple_of(4) || i32::try_from(elements).is_err() {
        return Err("takes copies of whole words, less than 8 GiB: give --bytes so".to_owned());
    }
    Ok(vec!["--p2p_read".to_owned(), format!("--numElems={elements}")])
}

fn read(text: &str, bytes: u64) -> Vec<Theirs> {
    let one = |(title, test, from_owner): (&'static str, Test, bool)| {
        let bytes = if Test::SMALL.contains(&test) { SMALL } else { bytes };
        let place = move |pair: OrderedPair| match from_owner {
            true => OrderedPair { accessor: pair.owner, owner: pair.accessor },
            false => pair,
        };
        cells(text, title).into_iter().map(move |(pair, value)| Theirs {
            due: Due { test, bytes },
            place: Place::Pair(place(pair)),
            their_test: title,
            value,
        })
    };
    MATRICES.into_iter().flat_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::pair;
    use super::*;

    #[test]
    fn each_matrix_is_read_by_its_title_and_turned_where_its_rows_are_owners() {
        let large = 1 << 30;
        let theirs = read(include_str!("printed/p2p_test.txt"), large);
        let value = |test, bytes, place| {
            let of = |theirs: &&Theirs| theirs.due == Due { test, bytes } && theirs.place == place;
            theirs.iter().find(of).map(|theirs| theirs.value)
        };
        for (test, bytes, there, back) in [
            (Test::StagedRead, large, 37.49, 37.62),
            (Test::EngineWrite, large, 391.63, 396.71),
            (Test::EngineRead, large, 393.27, 393.07),
            (Test::StagedBoth, large, 39.21, 39.20),
            (Test::EngineBoth, large, 774.94, 780.01),
            (Test::SmallEngineWrite, SMALL, 2.26, 2.21),
            (Test::SmallEngineRead, SMALL, 13.29, 13.29),
        ] {
            let found = (value(test, bytes, pair(0, 1)), value(test, bytes, pair(1, 0)));
            assert_eq!(found, (Some(there), Some(back)), "{test:?}");
        }
        assert_eq!(theirs.len(), 2 * MATRICES.len());
    }
}
