//! One test for each rule of the safe crate's soundness, each under 50 adversarial schedules, or as many as
//! `CUDA_P2P_RULES_SEEDS` says. The list in `mutations` names for each rule the test that fails when the rule is taken out
//! of the crate.

mod borrowed;
mod circles;
mod graph_pinned;
mod graph_pools;
mod graph_ranges;
mod graphs;
mod ipc;
mod kinds;
mod memory;
mod order;
mod peers;
mod pinned;
mod pools;
#[path = "../../../../cuda-p2p/tests/common/processes.rs"]
mod processes;
mod ranges;
mod refusals;
mod sole;
mod staging;
mod stale;
mod stop;
mod thread_state;
mod threads;
mod twins;
mod types;

use cuda_p2p::LaunchConfig;

/// One thread.
const ONE: LaunchConfig = LaunchConfig::new(1, 1);
/// Nanoseconds of a kernel that others have time to overtake.
const SLOW: u64 = 50_000;
/// A peer pair.
const PAIR: &str = "devices=2";
/// Two devices that are no peers.
const STRANGERS: &str = "devices=2 peers=none";
