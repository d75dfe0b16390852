//! NVIDIA's nvbandwidth. Its rows are the accessors.

use super::super::plan::{Due, Place};
use super::super::report::Report;
use super::super::test::Test;
use super::matrix::cells;
use super::{Theirs, Tool};

pub(super) const TOOL: Tool = Tool { name: "nvbandwidth", variable: "CUDA_P2P_NVBANDWIDTH", ask, read };

/// Its tests, in the order that it is given them; the title of the matrix that each prints; what it is beside.
const TESTS: [(&str, &str, Test); 7] = [
    ("device_to_device_memcpy_read_ce", "memcpy CE GPU(row)", Test::EngineRead),
    ("device_to_device_memcpy_write_ce", "memcpy CE GPU(row)", Test::EngineWrite),
    ("device_to_device_bidirectional_memcpy_write_ce", "Total bandwidth", Test::EngineBoth),
    ("device_to_device_memcpy_read_sm", "memcpy SM GPU(row)", Test::KernelRead),
    ("device_to_device_memcpy_write_sm", "memcpy SM GPU(row)", Test::KernelWrite),
    ("device_to_device_bidirectional_memcpy_read_sm", "Total bandwidth", Test::KernelBoth),
    ("device_to_device_latency_sm", "Latency SM", Test::Chase),
];

fn ask(report: &Report) -> Result<Vec<String>, String> {
    if !report.bytes.is_multiple_of(1 << 20) {
        return Err("takes whole MiB: give --bytes so".to_owned());
    }
    let mut arguments = vec!["-b".to_owned(), (report.bytes >> 20).to_string(), "-t".to_owned()];
    arguments.extend(TESTS.map(|(name, _, _)| name.to_owned()));
    Ok(arguments)
}

fn read(text: &str, bytes: u64) -> Vec<Theirs> {
    let mut found = Vec::new();
    for (name, title, test) in TESTS {
        // "Running NAME." begins each test.
        let begin = format!("Running {name}.");
        let Some(start) = text.find(&begin) else { continue };
        let rest = &text[start + begin.len()..];
        let end = rest.find("Running ").unwrap_or(rest.len());
        let bytes = if Test::LATENCY.contains(&test) { 0 } else { bytes };
        found.extend(cells(&rest[..end], title).into_iter().map(|(pair, value)| Theirs {
            due: Due { test, bytes },
            place: Place::Pair(pair),
            their_test: name,
            value,
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::pair;
    use super::*;

    #[test]
    fn each_test_is_read_between_its_own_lines() {
        let read: Vec<_> = read(include_str!("printed/nvbandwidth.txt"), 1 << 30)
            .into_iter()
            .map(|theirs| (theirs.their_test, theirs.due.test, theirs.due.bytes, theirs.place, theirs.value))
            .collect();
        let (large, none) = (1 << 30, 0);
        let expected = [
            ("device_to_device_memcpy_read_ce", Test::EngineRead, large, [395.83, 395.60]),
            ("device_to_device_memcpy_write_ce", Test::EngineWrite, large, [396.99, 397.02]),
            ("device_to_device_bidirectional_memcpy_write_ce", Test::EngineBoth, large, [784.74, 784.86]),
            ("device_to_device_memcpy_read_sm", Test::KernelRead, large, [376.39, 376.27]),
            ("device_to_device_memcpy_write_sm", Test::KernelWrite, large, [369.81, 369.93]),
            ("device_to_device_bidirectional_memcpy_read_sm", Test::KernelBoth, large, [677.27, 677.40]),
            ("device_to_device_latency_sm", Test::Chase, none, [829.00, 828.89]),
        ];
        let both = |(name, test, bytes, [there, back]): (_, _, _, [f64; 2])| {
            [(name, test, bytes, pair(0, 1), there), (name, test, bytes, pair(1, 0), back)]
        };
        assert_eq!(read, expected.into_iter().flat_map(both).collect::<Vec<_>>());
    }
}
