//! What the arguments mean, checked as far as it can be without asking the machine.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cli::{BenchArguments, DoctorArguments, MachineArguments, VerifyArguments};
use crate::error::UsageError;
use crate::verify::Path;

/// The smallest mistake is found before any process starts; a larger size than this has to be one.
const LARGEST_SIZE: u64 = 1 << 40;

/// Which machine to use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MachineChoice {
    /// What `CUDA_P2P_SIM` says; else the real one; else, if that has no device, a simulated one.
    Auto,
    /// The real one, or none.
    Real,
    /// A simulated one, so configured.
    Simulated(String),
}

/// Where the work is done, and how long a step of it may take.
#[derive(Clone, Debug)]
pub(crate) struct MachineOptions {
    /// Which machine.
    pub(crate) machine: MachineChoice,
    /// How long a child may be silent before it counts as hung.
    pub(crate) deadline: Duration,
}

impl TryFrom<&MachineArguments> for MachineOptions {
    type Error = UsageError;

    fn try_from(arguments: &MachineArguments) -> Result<Self, UsageError> {
        let machine = match (&arguments.sim, arguments.real) {
            (Some(spec), _) if matches!(spec.trim(), "" | "0" | "off") => {
                return Err(UsageError::NoMachine { given: spec.clone() });
            }
            (Some(spec), _) => MachineChoice::Simulated(spec.clone()),
            (None, true) => MachineChoice::Real,
            (None, false) => MachineChoice::Auto,
        };
        // What rounds to no time at all is no time either: every process would count as hung before it began.
        let deadline = Duration::try_from_secs_f64(arguments.deadline)
            .ok()
            .filter(|deadline| !deadline.is_zero())
            .ok_or(UsageError::Deadline { given: arguments.deadline })?;
        Ok(Self { machine, deadline })
    }
}

/// What is verified, on whatever machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VerifyOptions {
    /// Sizes in bytes, ascending, each once; `None` means the usual ones.
    pub(crate) sizes: Option<Vec<u64>>,
    /// The ordered pairs asked for; `None` means all.
    pub(crate) pairs: Option<Vec<OrderedPair>>,
    /// Seed of the data; `None` means: draw one.
    pub(crate) seed: Option<u64>,
    /// The paths asked for, each once and in the order in which they run; `None` means all.
    pub(crate) paths: Option<Vec<Path>>,
}

/// An accessor and the owner of the memory that it accesses, by CUDA ordinal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OrderedPair {
    /// The device that accesses.
    pub(crate) accessor: u32,
    /// The device whose memory it is.
    pub(crate) owner: u32,
}

impl std::fmt::Display for OrderedPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}->{}", self.accessor, self.owner)
    }
}

impl TryFrom<&VerifyArguments> for VerifyOptions {
    type Error = UsageError;

    fn try_from(arguments: &VerifyArguments) -> Result<Self, UsageError> {
        Ok(Self {
            sizes: match arguments.sizes.is_empty() {
                true => None,
                false => Some(parse_sizes(&arguments.sizes)?),
            },
            pairs: parse_pairs(&arguments.pairs)?,
            seed: arguments.seed,
            paths: (!arguments.paths.is_empty())
                .then(|| Path::ALL.into_iter().filter(|path| arguments.paths.contains(path)).collect()),
        })
    }
}

/// How long a soak is to take; `None` if none was asked for.
///
/// # Errors
/// [`UsageError::Minutes`].
pub(crate) fn soak_time(arguments: &VerifyArguments) -> Result<Option<Duration>, UsageError> {
    let Some(given) = arguments.minutes else { return Ok(None) };
    let time = Duration::try_from_secs_f64(given * 60.0).ok().filter(|time| !time.is_zero());
    time.map(Some).ok_or(UsageError::Minutes { given })
}

/// What is measured, on whatever machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BenchOptions {
    /// Bytes of a large copy.
    pub(crate) bytes: u64,
    /// Other sizes in bytes, ascending, each once.
    pub(crate) sizes: Vec<u64>,
    /// The ordered pairs asked for; `None` means all.
    pub(crate) pairs: Option<Vec<OrderedPair>>,
    /// Samples of each measurement.
    pub(crate) samples: u32,
    /// Seed of the data; `None` means: draw one.
    pub(crate) seed: Option<u64>,
}

impl TryFrom<&BenchArguments> for BenchOptions {
    type Error = UsageError;

    fn try_from(arguments: &BenchArguments) -> Result<Self, UsageError> {
        Ok(Self {
            bytes: parse_size("--bytes", &arguments.bytes)?,
            sizes: parse_sizes(&arguments.sizes)?,
            pairs: parse_pairs(&arguments.pairs)?,
            samples: arguments.samples,
            seed: arguments.seed,
        })
    }
}

/// Ascending, each once.
fn parse_sizes(texts: &[String]) -> Result<Vec<u64>, UsageError> {
    let mut sizes = texts.iter().map(|text| parse_size("--sizes", text)).collect::<Result<Vec<_>, _>>()?;
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

/// Each once; `None` if there is none.
fn parse_pairs(texts: &[String]) -> Result<Option<Vec<OrderedPair>>, UsageError> {
    let mut pairs: Vec<OrderedPair> = Vec::new();
    for text in texts {
        let pair = parse_pair(text)?;
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    Ok((!pairs.is_empty()).then_some(pairs))
}

/// What the doctor is to look at.
#[derive(Clone, Debug)]
pub(crate) struct DoctorOptions {
    /// The machine, if no file is given.
    pub(crate) machine: MachineOptions,
    /// Whether each pair is tried.
    pub(crate) trials: bool,
    /// A snapshot to read instead.
    pub(crate) from: Option<PathBuf>,
    /// Where to write the snapshot.
    pub(crate) save: Option<PathBuf>,
    /// What bench printed.
    pub(crate) bench: Option<PathBuf>,
}

impl TryFrom<(&DoctorArguments, &MachineArguments)> for DoctorOptions {
    type Error = UsageError;

    fn try_from((arguments, machine): (&DoctorArguments, &MachineArguments)) -> Result<Self, UsageError> {
        let DoctorArguments { save, from, bench, look_only } = arguments.clone();
        Ok(Self { machine: machine.try_into()?, trials: !look_only, from, save, bench })
    }
}

fn parse_size(option: &'static str, text: &str) -> Result<u64, UsageError> {
    let error = || UsageError::Size { option, given: text.to_owned() };
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let scale = match unit.trim() {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err(error()),
    };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(scale)).ok_or_else(error)?;
    if (1..=LARGEST_SIZE).contains(&bytes) { Ok(bytes) } else { Err(error()) }
}

fn parse_pair(text: &str) -> Result<OrderedPair, UsageError> {
    let error = || UsageError::Pair { given: text.to_owned() };
    let (accessor, owner) = text.trim().split_once(':').ok_or_else(error)?;
    let ordinal = |text: &str| text.parse::<u32>().map_err(|_| error());
    let pair = OrderedPair { accessor: ordinal(accessor)?, owner: ordinal(owner)? };
    if pair.accessor == pair.owner {
        return Err(UsageError::PairOfOne { device: pair.owner });
    }
    Ok(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_take_binary_units_and_nothing_else() {
        let parse_size = |text| parse_size("--bytes", text);
        assert_eq!(parse_size("1").unwrap(), 1);
        assert_eq!(parse_size("4097").unwrap(), 4097);
        assert_eq!(parse_size("4KiB").unwrap(), 4096);
        assert_eq!(parse_size(" 64 MiB ").unwrap(), 64 << 20);
        for junk in
            ["", "0", "0KiB", "-1", "1.5MiB", "4KB", "MiB", "4kib", "99999999999999999999", "17179869184GiB"]
        {
            assert!(parse_size(junk).is_err(), "{junk:?} was taken for a size");
        }
    }

    #[test]
    fn pairs_name_accessor_then_owner() {
        assert_eq!(parse_pair("0:1").unwrap(), OrderedPair { accessor: 0, owner: 1 });
        for junk in ["", "0", "0:", ":1", "0-1", "a:b", "-1:0", "1:1", "0:1:2"] {
            assert!(parse_pair(junk).is_err(), "{junk:?} was taken for a pair");
        }
    }
}
