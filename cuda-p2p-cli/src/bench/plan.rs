//! What is to be measured on a machine that is known by now.

use serde::{Deserialize, Serialize};

use super::test::Test;
use crate::error::UsageError;
use crate::options::{BenchOptions, OrderedPair};
use crate::topo::Machine;
use crate::verify::pattern::drawn_seed;

/// Sizes of small copies, in bytes.
const SMALL: [u64; 7] = [4, 16, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10];

/// One measurement that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Due {
    /// What.
    pub(crate) test: Test,
    /// Bytes that each copy moves, or 0.
    pub(crate) bytes: u64,
}

/// What one child measures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BenchJob {
    /// On which devices.
    pub(crate) place: Place,
    /// What, in order.
    pub(crate) due: Vec<Due>,
    /// How many samples of each.
    pub(crate) samples: u32,
    /// Seed of the data.
    pub(crate) seed: u64,
    /// Whether the machine was a simulated one when it was looked at: real figures must not come from a simulated machine.
    pub(crate) simulated: bool,
}

/// On which devices something is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Place {
    /// An ordered pair.
    Pair(OrderedPair),
    /// One device, with every device that can write to it and that it can write to.
    One {
        /// Its ordinal.
        device: u32,
    },
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pair(pair) => write!(f, "{pair}"),
            Self::One { device } => write!(f, "device {device}"),
        }
    }
}

/// Everything that is to be measured.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// One child each.
    pub(crate) jobs: Vec<BenchJob>,
    /// Bytes of a large copy.
    pub(crate) bytes: u64,
    /// How many samples of each.
    pub(crate) samples: u32,
}

impl Plan {
    /// Joins what was asked for with what there is.
    ///
    /// # Errors
    /// A pair was asked for that names a device that is not there.
    pub(crate) fn new(machine: &Machine, options: &BenchOptions) -> Result<Self, UsageError> {
        let count = machine.devices.len();
        let chosen = match &options.pairs {
            None => machine.pairs.iter().map(|info| info.pair).collect(),
            Some(pairs) => pairs.clone(),
        };
        // A simulated machine is slow, and its times mean nothing.
        let most = if machine.simulated { 1 << 20 } else { u64::MAX };
        let bytes = options.bytes.min(most);
        let mut sizes: Vec<u64> = options.sizes.iter().map(|&size| size.min(most)).collect();
        sizes.dedup();
        let samples = if machine.simulated { 1 } else { options.samples };
        let seed = options.seed.unwrap_or_else(drawn_seed);
        let job = |place, due| BenchJob { place, due, samples, seed, simulated: machine.simulated };
        let mut jobs = Vec::new();
        for pair in chosen {
            let info = machine
                .pair(pair)
                .ok_or(UsageError::NoSuchDevice { device: pair.accessor.max(pair.owner), count })?;
            let back = OrderedPair { accessor: pair.owner, owner: pair.accessor };
            let both = info.can_access && machine.pair(back).is_some_and(|info| info.can_access);
            jobs.push(job(Place::Pair(pair), pair_due(bytes, &sizes, info.can_access, both)));
        }
        if options.pairs.is_none() && count > 2 {
            jobs.extend(machine.devices.iter().map(|device| {
                let due = Test::MANY.map(|test| Due { test, bytes }).to_vec();
                job(Place::One { device: device.ordinal }, due)
            }));
        }
        Ok(Self { jobs, bytes, samples })
    }

    /// How many measurements that is, for the progress bar.
    pub(crate) fn count(&self) -> usize {
        self.jobs.iter().map(|job| job.due.len()).sum()
    }
}

/// What is measured of a pair that has access, or access both ways.
fn pair_due(bytes: u64, sizes: &[u64], access: bool, both: bool) -> Vec<Due> {
    let large = |test| Due { test, bytes };
    let mut due: Vec<Due> = Test::WITHOUT_ACCESS.map(large).to_vec();
    if !access {
        return due;
    }
    let needs_both = |test: &Test| {
        matches!(test, Test::EngineBoth | Test::KernelBoth | Test::FlagRoundTrip | Test::FlagOrdered)
    };
    due.extend(Test::BANDWIDTH.into_iter().filter(|test| both || !needs_both(test)).map(large));
    due.extend(
        Test::LATENCY.into_iter().filter(|test| both || !needs_both(test)).map(|test| Due { test, bytes: 0 }),
    );
    for bytes in SMALL {
        due.extend(Test::SMALL.map(|test| Due { test, bytes }));
    }
    for bytes in sizes.iter().copied().filter(|size| *size != bytes) {
        due.extend(Test::SWEPT.map(|test| Due { test, bytes }));
    }
    due
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_without_access_is_only_staged() {
        let due = pair_due(1 << 20, &[4096], false, false);
        assert_eq!(due.len(), 4);
        assert!(due.iter().all(|due| due.test.is_without_access()));
    }

    #[test]
    fn one_direction_leaves_out_what_needs_two() {
        let (one, two) = (pair_due(1 << 20, &[], true, false), pair_due(1 << 20, &[], true, true));
        assert_eq!(two.len() - one.len(), 4);
        assert!(one.iter().all(|due| due.test != Test::EngineBoth));
    }

    #[test]
    fn a_sweep_repeats_each_size_once() {
        let plain = pair_due(1 << 20, &[], true, true).len();
        let swept = pair_due(1 << 20, &[4096, 1 << 20], true, true);
        assert_eq!(swept.len(), plain + Test::SWEPT.len());
        for (index, due) in swept.iter().enumerate() {
            assert!(!swept[..index].contains(due), "{due:?} twice");
        }
    }
}
