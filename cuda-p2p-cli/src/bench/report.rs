//! What was measured, as `bench --json` prints it. Times and rates are in the unit that stands beside them.

use serde::{Deserialize, Serialize};

use super::compare::Comparison;
use super::plan::{Due, Place};
use super::test::{Test, Unit};
use crate::exit::Exit;
use crate::topo::Machine;

/// Version of the JSON's shape. A field that goes, or changes its meaning, makes a new one.
pub(crate) const SCHEMA: &str = "cuda-p2p.bench/1";

/// What `bench --json` prints.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// Name and version of this shape.
    pub(crate) schema: &'static str,
    /// Version of the command.
    pub(crate) version: &'static str,
    /// The machine.
    pub(crate) machine: Machine,
    /// Bytes of a large copy.
    pub(crate) bytes: u64,
    /// How many samples each figure is the median of.
    pub(crate) samples: u32,
    /// Everything that was due, in order.
    pub(crate) results: Vec<BenchResult>,
    /// Other tools' figures of the same run, beside ours.
    pub(crate) comparisons: Vec<Comparison>,
    /// What to say of it in one word.
    pub(crate) verdict: Exit,
}

/// What came of one measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BenchResult {
    /// What.
    pub(crate) test: Test,
    /// Where.
    pub(crate) place: Place,
    /// Bytes that each copy moved, or 0.
    pub(crate) bytes: u64,
    /// What the figures count.
    pub(crate) unit: Unit,
    /// What came of it.
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
}

/// What came of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub(crate) enum Outcome {
    /// It was measured, and what it moved is right.
    Measured(Figures),
    /// Bytes did not arrive, so nothing was counted.
    WrongData {
        /// How many are wrong.
        wrong: u64,
        /// The offset of the first.
        first: u64,
    },
    /// A call failed.
    Failed {
        /// What the library says.
        error: String,
    },
    /// This machine does not have what is to be measured.
    Skipped {
        /// Why not.
        reason: String,
    },
    /// Its process hung or died before or during it.
    NotMeasured {
        /// How the process ended.
        because: String,
    },
}

/// The figures of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// The median of the samples; of a load, the mean of the multiprocessors' medians. Absent on a simulated machine, whose times
    /// mean nothing.
    pub(crate) median: Option<f64>,
    /// The lowest sample; of a load, the nearest multiprocessor's median.
    pub(crate) low: Option<f64>,
    /// The highest sample; of a load, the farthest multiprocessor's median.
    pub(crate) high: Option<f64>,
    /// Bytes that were compared with what they should be.
    pub(crate) checked_bytes: u64,
    /// The way that the copies took, in the library's words.
    pub(crate) path: Option<String>,
}

impl BenchResult {
    /// `due`, so come to.
    pub(crate) fn new(place: Place, due: Due, outcome: Outcome) -> Self {
        Self { test: due.test, place, bytes: due.bytes, unit: due.test.unit(), outcome }
    }

    /// Whether it is about `due`.
    pub(crate) fn is_about(&self, place: Place, due: Due) -> bool {
        self.place == place && self.test == due.test && self.bytes == due.bytes
    }

    /// The median, if it was measured on a real machine.
    pub(crate) fn median(&self) -> Option<f64> {
        match &self.outcome {
            Outcome::Measured(figures) => figures.median,
            _ => None,
        }
    }
}

impl Report {
    /// All of it.
    pub(crate) fn new(
        machine: Machine,
        bytes: u64,
        samples: u32,
        results: Vec<BenchResult>,
        comparisons: Vec<Comparison>,
    ) -> Self {
        let any = |is: fn(&Outcome) -> bool| results.iter().any(|result| is(&result.outcome));
        let verdict = if any(|outcome| matches!(outcome, Outcome::WrongData { .. })) {
            Exit::WrongData
        } else if any(|outcome| !matches!(outcome, Outcome::Measured(_) | Outcome::Skipped { .. })) {
            Exit::CudaFailed
        } else if results.is_empty() {
            Exit::NothingToTest
        } else {
            Exit::Proven
        };
        let version = env!("CARGO_PKG_VERSION");
        Self { schema: SCHEMA, version, machine, bytes, samples, results, comparisons, verdict }
    }

    /// The result of a test at a place, of so many bytes.
    pub(crate) fn result(&self, place: Place, due: Due) -> Option<&BenchResult> {
        self.results.iter().find(|result| result.is_about(place, due))
    }
}
