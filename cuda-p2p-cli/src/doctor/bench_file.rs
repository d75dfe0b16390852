//! Speeds from what `bench --json` printed: of it, what compares peer access with the ways through the host.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::snapshot::PairSpeed;
use crate::error::UsageError;
use crate::options::OrderedPair;
use crate::topo::Machine;

/// The schema of bench's JSON that is read.
const SCHEMA: &str = "cuda-p2p.bench/1";

/// The measurement with peer access, and those through the host: copies from owner to accessor.
const DIRECT: &str = "engine_read";
const STAGED: [&str; 2] = ["driver_staged_read", "staged_read"];

#[derive(Deserialize)]
struct Head {
    schema: String,
}

#[derive(Deserialize)]
struct Bench {
    machine: Machine,
    bytes: u64,
    results: Vec<Measurement>,
}

#[derive(Deserialize)]
struct Measurement {
    test: String,
    place: Place,
    bytes: u64,
    unit: String,
    #[serde(default)]
    median: Option<f64>,
}

#[derive(Deserialize)]
struct Place {
    #[serde(default)]
    pair: Option<OrderedPair>,
}

/// What a file says of the large copies, pair by pair, and of which machine.
pub(super) struct Measured {
    path: PathBuf,
    machine: Machine,
    speeds: Vec<PairSpeed>,
}

fn error(path: &Path, problem: String) -> UsageError {
    UsageError::File { option: "--bench", path: path.to_owned(), problem }
}

/// Reads a file.
///
/// # Errors
/// It cannot be read, is not of bench, is of a simulated machine, or has no pair that was measured both ways.
pub(super) fn read(path: &Path) -> Result<Measured, UsageError> {
    let problem = |problem: String| error(path, problem);
    let text = fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    let wrong = |error: serde_json::Error| problem(format!("it is not what 'bench --json' prints ({error})"));
    // Another verb's result lacks other fields too, which would be no help.
    let head: Head = serde_json::from_str(&text).map_err(wrong)?;
    if head.schema != SCHEMA {
        return Err(problem(format!(
            "its schema is '{}', and this version reads '{SCHEMA}'; give what 'cuda-p2p bench --json' printed",
            head.schema
        )));
    }
    let bench: Bench = serde_json::from_str(&text).map_err(wrong)?;
    if bench.machine.simulated {
        return Err(problem("it is of a simulated machine, which has no speeds".to_owned()));
    }
    let speeds = speeds(&bench);
    if speeds.is_empty() {
        return Err(problem(
            "it has no pair that was measured with peer access and through the host".to_owned(),
        ));
    }
    Ok(Measured { path: path.to_owned(), machine: bench.machine, speeds })
}

impl Measured {
    /// The speeds, if they are those of `machine`.
    ///
    /// # Errors
    /// They are another one's, or nothing shows whose.
    pub(super) fn speeds_of(self, machine: Option<&Machine>) -> Result<Vec<PairSpeed>, UsageError> {
        let problem = match machine.map(|machine| self.machine.differs_from(machine)) {
            Some(None) => return Ok(self.speeds),
            Some(Some(difference)) => format!(
                "it was measured on another machine than the one that is diagnosed, and is no evidence of this one: {difference}"
            ),
            None => "CUDA does not start, so nothing shows that it was measured on this machine; leave --bench out".to_owned(),
        };
        Err(error(&self.path, problem))
    }
}

fn speeds(bench: &Bench) -> Vec<PairSpeed> {
    let large = |measured: &&Measurement| measured.bytes == bench.bytes && measured.unit == "GB/s";
    let of = |pair: OrderedPair, tests: &[&str]| {
        let those = bench.results.iter().filter(large).filter(|measured| measured.place.pair == Some(pair));
        let medians =
            those.filter(|measured| tests.contains(&measured.test.as_str())).filter_map(|it| it.median);
        // The best of several ways is what a copy would take.
        medians.reduce(f64::max).map(|gigabytes| gigabytes * 1e9)
    };
    let direct = bench.results.iter().filter(|measured| measured.test == DIRECT).filter(large);
    direct
        .filter_map(|measured| {
            let pair = measured.place.pair?;
            Some(PairSpeed { pair, direct: of(pair, &[DIRECT])?, staged: of(pair, &STAGED)? })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(results: serde_json::Value) -> Bench {
        let value = serde_json::json!({ "schema": SCHEMA, "machine": crate::output::fixtures::machine(2, 2, None),
            "bytes": 1024, "results": results });
        serde_json::from_value(value).unwrap()
    }

    fn measured(test: &str, bytes: u64, unit: &str, median: Option<f64>) -> serde_json::Value {
        let place = serde_json::json!({ "pair": { "accessor": 0, "owner": 1 } });
        serde_json::json!({ "test": test, "place": place, "bytes": bytes, "unit": unit, "outcome": "measured",
            "median": median })
    }

    #[test]
    fn the_best_way_through_the_host_is_compared() {
        let results = serde_json::json!([
            measured("driver_staged_read", 1024, "GB/s", Some(37.0)),
            measured("staged_read", 1024, "GB/s", Some(52.0)),
            measured("engine_read", 1024, "GB/s", Some(396.0)),
            // Another size, another unit, another place.
            measured("staged_read", 64, "GB/s", Some(999.0)),
            measured("staged_read", 1024, "us", Some(999.0)),
            { "test": "one_to_all", "place": { "one": { "device": 0 } }, "bytes": 1024, "unit": "GB/s" },
        ]);
        let speeds = speeds(&bench(results));
        let pair = OrderedPair { accessor: 0, owner: 1 };
        assert_eq!(speeds, [PairSpeed { pair, direct: 396e9, staged: 52e9 }]);
    }

    #[test]
    fn what_was_measured_one_way_or_simulated_compares_nothing() {
        let one_way = serde_json::json!([measured("engine_read", 1024, "GB/s", Some(396.0))]);
        assert!(speeds(&bench(one_way)).is_empty());
        let simulated = serde_json::json!([
            measured("engine_read", 1024, "GB/s", None),
            measured("staged_read", 1024, "GB/s", None),
        ]);
        assert!(speeds(&bench(simulated)).is_empty());
    }
}
