//! A pair of peers: two GPUs if there are two, simulated devices otherwise. One test runs at a time.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_p2p::builtin::Kernels;
use cuda_p2p::{Device, Runtime, SimulatorPolicy};

pub(crate) struct Pair {
    pub(crate) runtime: Runtime,
    pub(crate) kernels: Kernels,
    pub(crate) a: Device,
    pub(crate) b: Device,
    _alone: MutexGuard<'static, ()>,
}

pub(crate) fn pair() -> Pair {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let (runtime, a, b) = open();
    Pair { runtime, kernels: Kernels::load(&runtime).expect("the kernels"), a, b, _alone: alone }
}

/// The devices alone, of which nothing was asked but whether they are peers.
pub(crate) fn open() -> (Runtime, Device, Device) {
    // A run that is to be on hardware must not pass on the simulator.
    let policy = match std::env::var("CUDA_P2P_TEST_ARM").as_deref() {
        Ok("real") => SimulatorPolicy::Never,
        _ => SimulatorPolicy::WhenNoDevice,
    };
    let runtime = Runtime::builder().simulator(policy).open().expect("a runtime");
    assert!(policy != SimulatorPolicy::Never || !runtime.is_simulated(), "{}", runtime.origin());
    let (a, b) = (runtime.device(0).expect("device 0"), runtime.device(1).expect("device 1"));
    assert!(a.can_access_peer(&b).expect("asked"), "these tests are for a pair of peers");
    (runtime, a, b)
}
