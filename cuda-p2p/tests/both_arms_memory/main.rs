//! Memory pools, virtual memory and questions about pointers where they are used: on GPUs if there are two, on a simulated pair
//! otherwise. As in `both_arms.rs`, one test runs at a time, and the machine has to have a pair of peers.

#[path = "../common/pair.rs"]
mod pair;
mod pointers;
mod pools;
mod ranges;

use pair::{Pair, pair};

use cuda_p2p::{LaunchConfig, VirtualRange};

const ONE: LaunchConfig = LaunchConfig::new(1, 1);
const MANY: LaunchConfig = LaunchConfig::new(8, 64);
/// Long enough for whatever does not wait to be over first.
const SLOW_NS: u64 = 50_000_000;

fn bytes(len: usize, seed: u8) -> Vec<u8> {
    (0..len).map(|i| (i as u8).wrapping_mul(31) ^ (i >> 8) as u8 ^ seed).collect()
}

impl Pair {
    /// Nothing that could not be done in a destructor.
    fn ends_clean(&self) {
        assert_eq!(self.runtime.deferred_errors(), []);
    }
}

/// Bytes of one part of the ranges.
fn part_of(pair: &Pair) -> usize {
    pair.a.virtual_memory_granularity().unwrap()
}

/// A range of two parts, the first in the memory of device 0, the second in that of device 1; both have access.
fn shared_range(pair: &Pair) -> VirtualRange {
    let part = part_of(pair);
    let mut range = pair.runtime.reserve_virtual_range(2 * part).unwrap();
    range.map(part, pair.b.alloc_physical_zeroed(part).unwrap()).unwrap();
    range.map(0, pair.a.alloc_physical_zeroed(part).unwrap()).unwrap();
    range.enable_access_from(&[pair.a, pair.b]).unwrap();
    range
}
