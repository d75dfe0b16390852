//! The documents that a report is made of: what `--json` prints, of this machine or of another.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::bench::{Place, Test, Unit};
use crate::error::{CliError, UsageError};
use crate::options::OrderedPair;
use crate::topo::Machine;

/// What a file is to be.
const EXPECTED: &str = "give what 'cuda-p2p topo', 'verify', 'bench' or 'doctor' printed with --json";

/// Everything that there is to show.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    pub(super) topo: Option<Topo>,
    pub(super) verify: Option<Verify>,
    pub(super) bench: Option<Bench>,
    pub(super) doctor: Option<Doctor>,
}

/// Of `topo`.
#[derive(Debug, Deserialize)]
pub(super) struct Topo {
    pub(super) machine: Machine,
}

/// Of `verify`.
#[derive(Debug, Deserialize)]
pub(super) struct Verify {
    pub(super) machine: Machine,
    pub(super) pairs: Vec<Verified>,
    #[serde(default)]
    pub(super) verdict: Verdict,
}

/// What it came to, of that what the pairs do not tell.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Verdict {
    /// Paths that could not be had, counted on each pair; the first versions did not skip any.
    #[serde(default)]
    pub(super) skipped: usize,
}

/// A pair that was to be verified.
#[derive(Debug, Deserialize)]
pub(super) struct Verified {
    #[serde(flatten)]
    pub(super) pair: OrderedPair,
    /// "proven" and so on.
    pub(super) outcome: String,
}

/// Of `bench`.
#[derive(Debug, Deserialize)]
pub(super) struct Bench {
    pub(super) machine: Machine,
    pub(super) bytes: u64,
    pub(super) samples: u32,
    pub(super) results: Vec<Measured>,
    #[serde(default)]
    pub(super) comparisons: Vec<Comparison>,
}

/// A measurement.
#[derive(Debug, Deserialize)]
pub(super) struct Measured {
    pub(super) test: Test,
    pub(super) place: Place,
    pub(super) bytes: u64,
    /// "measured", "wrong_data" and so on.
    pub(super) outcome: String,
    #[serde(default)]
    pub(super) median: Option<f64>,
}

/// Another tool's figures.
#[derive(Debug, Deserialize)]
pub(super) struct Comparison {
    pub(super) tool: String,
    pub(super) problem: Option<String>,
    pub(super) figures: Vec<Beside>,
}

/// One of them, beside ours.
#[derive(Debug, Deserialize)]
pub(super) struct Beside {
    pub(super) test: Test,
    pub(super) place: Place,
    /// Bytes of each of our copies; the first versions did not tell.
    #[serde(default)]
    pub(super) bytes: u64,
    pub(super) unit: Unit,
    pub(super) theirs: f64,
    pub(super) ours: f64,
    pub(super) ratio: f64,
}

/// Of `doctor`.
#[derive(Debug, Deserialize)]
pub(super) struct Doctor {
    pub(super) findings: Vec<Finding>,
    #[serde(default)]
    pub(super) gaps: Vec<String>,
}

/// What the doctor found.
#[derive(Debug, Deserialize)]
pub(super) struct Finding {
    pub(super) condition: String,
    pub(super) effect: String,
    pub(super) certainty: String,
    pub(super) pairs: Option<Vec<OrderedPair>>,
    pub(super) evidence: Vec<Evidence>,
    pub(super) meaning: String,
    pub(super) remedy: String,
}

/// What it was found by.
#[derive(Debug, Deserialize)]
pub(super) struct Evidence {
    pub(super) source: String,
    pub(super) read: String,
}

impl Documents {
    /// Those in the files; of two of one kind the later one counts.
    ///
    /// # Errors
    /// [`UsageError::File`] if one cannot be read, is none, or is of another machine than one before it.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, CliError> {
        let mut documents = Self::default();
        let mut first: Option<(&Path, Machine)> = None;
        for path in paths {
            let text = std::fs::read(path).map_err(|error| document(path, error.to_string()))?;
            let value: Value = serde_json::from_slice(&text)
                .map_err(|error| document(path, format!("it is no JSON ({error}); {EXPECTED}")))?;
            let machine = machine_of(&value);
            documents.take(value).map_err(|problem| document(path, problem))?;
            match (&first, machine) {
                (Some((other, theirs)), Some(machine)) => {
                    if let Some(difference) = machine.differs_from(theirs) {
                        let other = other.display();
                        return Err(document(
                            path,
                            format!(
                                "it is of another machine than {other}, and a report is of one: {difference}"
                            ),
                        ));
                    }
                }
                (None, Some(machine)) => first = Some((path, machine)),
                (_, None) => {}
            }
        }
        Ok(documents)
    }

    /// Takes a document of whatever kind.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn take(&mut self, value: Value) -> Result<(), String> {
        let schema = value.get("schema").and_then(Value::as_str).unwrap_or_default().to_owned();
        let problem = |error: serde_json::Error| format!("it says that it is {schema}, and is not: {error}");
        match schema.as_str() {
            "cuda-p2p.topo/1" => self.topo = Some(serde_json::from_value(value).map_err(problem)?),
            "cuda-p2p.verify/1" => self.verify = Some(serde_json::from_value(value).map_err(problem)?),
            "cuda-p2p.bench/1" => self.bench = Some(serde_json::from_value(value).map_err(problem)?),
            "cuda-p2p.doctor/1" => self.doctor = Some(serde_json::from_value(value).map_err(problem)?),
            "" => return Err(format!("it has no field 'schema'; {EXPECTED}")),
            "cuda-p2p.snapshot/1" => {
                return Err("it is what 'doctor --save' wrote; diagnose it first, by 'cuda-p2p doctor --from FILE --json', and \
                            show what that prints"
                    .to_owned());
            }
            "cuda-p2p.soak/1" => {
                return Err(format!(
                    "it is of a soak ('verify --minutes'), which no report shows; {EXPECTED}"
                ));
            }
            other => {
                return Err(format!("its schema is '{other}', which this version does not show; {EXPECTED}"));
            }
        }
        Ok(())
    }

    /// The machine that they are about: the one that was measured before the others.
    pub(super) fn machine(&self) -> Option<&Machine> {
        let measured = self.bench.as_ref().map(|bench| &bench.machine);
        let verified = || self.verify.as_ref().map(|verify| &verify.machine);
        measured.or_else(verified).or_else(|| self.topo.as_ref().map(|topo| &topo.machine))
    }

    /// Whether any of them is about a simulated machine.
    pub(crate) fn is_simulated(&self) -> bool {
        let machines = [
            self.topo.as_ref().map(|topo| &topo.machine),
            self.verify.as_ref().map(|verify| &verify.machine),
            self.bench.as_ref().map(|bench| &bench.machine),
        ];
        machines.into_iter().flatten().any(|machine| machine.simulated)
    }
}

/// The machine that a document is about, if it tells.
fn machine_of(document: &Value) -> Option<Machine> {
    let machine = document.get("machine").or_else(|| document.pointer("/snapshot/cuda/machine"))?;
    Machine::deserialize(machine).ok()
}

fn document(path: &Path, problem: String) -> CliError {
    UsageError::File { option: "--from", path: path.to_owned(), problem }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_document_is_refused_with_the_reason() {
        let mut documents = Documents::default();
        for (text, part) in [
            ("{}", "no field 'schema'; give what"),
            ("[]", "no field 'schema'; give what"),
            (r#"{"schema": "cuda-p2p.bench/9"}"#, "does not show; give what"),
            (r#"{"schema": "cuda-p2p.snapshot/1"}"#, "diagnose it first"),
            (r#"{"schema": "cuda-p2p.soak/1"}"#, "a soak ('verify --minutes'), which no report shows"),
            (r#"{"schema": "cuda-p2p.bench/1"}"#, "missing field"),
        ] {
            let problem = documents.take(serde_json::from_str(text).unwrap()).unwrap_err();
            assert!(problem.contains(part), "{text}: {problem}");
        }
    }
}
