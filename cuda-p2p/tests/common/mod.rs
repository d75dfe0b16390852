//! What the tests share: a simulated machine, and running a test's body in a process of its own.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod raw;
pub(crate) mod tensor;

use std::process::Command;

use cuda_p2p::builtin::Kernels;
use cuda_p2p::{Device, Runtime};

/// The simulated machine of this test process, in the words of `CUDA_P2P_SIM`.
pub(crate) fn machine(words: &str) -> Runtime {
    Runtime::simulated(words.parse().expect("a machine")).expect("the simulator")
}

/// A simulated pair of peers.
pub(crate) fn pair() -> (Runtime, Device, Device) {
    let runtime = machine("devices=2 quiet");
    (runtime, runtime.device(0).expect("device 0"), runtime.device(1).expect("device 1"))
}

/// Takes the thread's pending error, as code that goes around this crate would.
pub(crate) fn take_last_error(runtime: &Runtime) -> u32 {
    let get = runtime.table().cudaGetLastError.expect("cudaGetLastError");
    // SAFETY: the call takes nothing.
    unsafe { get() }.0
}

/// The thread's current device, as code that goes around this crate would ask for it.
pub(crate) fn current_device(runtime: &Runtime) -> i32 {
    let mut device = -1;
    let get = runtime.table().cudaGetDevice.expect("cudaGetDevice");
    // SAFETY: `device` is a valid place for an int.
    assert_eq!(unsafe { get(&mut device) }.0, 0);
    device
}

/// Runs `body` in a process of its own, with `variables` and none of the project's others, and gives what it printed.
///
/// `name` is the test's own name: the child is this program with that one test, which then finds itself to be the
/// child.
pub(crate) fn isolated(name: &str, variables: &[(&str, &str)], body: impl FnOnce()) -> String {
    const CHILD: &str = "TEST_CHILD";
    if std::env::var_os(CHILD).is_some_and(|child| child == name) {
        body();
        return String::new();
    }
    let mut command = Command::new(std::env::current_exe().expect("this program's path"));
    command.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(CHILD, name);
    for (key, _) in std::env::vars_os() {
        if key.to_string_lossy().starts_with("CUDA_P2P_") {
            command.env_remove(key);
        }
    }
    let output = command.envs(variables.iter().copied()).output().expect("a child process");
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("1 passed"), "the child failed:\n{text}");
    text
}

/// Whether this process is a child of [`isolated`].
pub(crate) fn in_child() -> bool {
    std::env::var_os("TEST_CHILD").is_some()
}

/// A simulated pair whose schedule tries not to keep any order that nothing demands; see [`under_seeds`].
pub(crate) fn seeded() -> (Runtime, Kernels) {
    let seed = std::env::var("TEST_SEED").unwrap_or_else(|_| "0".to_owned());
    let runtime = machine(&format!("devices=2 quiet seed={seed}"));
    (runtime, Kernels::load(&runtime).unwrap())
}

/// Runs `body` under each seed, in a process each. Gives what they printed.
pub(crate) fn under_seeds(name: &str, body: impl Fn()) -> Vec<String> {
    const SEEDS: u64 = 12;
    if in_child() {
        body();
        return Vec::new();
    }
    (0..SEEDS).map(|seed| isolated(name, &[("TEST_SEED", &seed.to_string())], || {})).collect()
}
