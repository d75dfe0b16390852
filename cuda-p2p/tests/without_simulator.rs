//! A program without the feature `sim`: asking for simulated devices is an error that says so. Compiled only without
//! it.
#![cfg(not(feature = "sim"))]

use std::process::Command;

use cuda_p2p::{Error, Runtime, SimulatorPolicy};

#[test]
fn asking_for_the_simulator_says_that_it_was_not_built() {
    if std::env::var_os("TEST_CHILD").is_some() {
        let error = Runtime::builder().simulator(SimulatorPolicy::WhenNoDevice).open().unwrap_err();
        assert_eq!(error, Error::SimulatorNotBuilt { asked_by: "CUDA_P2P_SIM" });
        assert!(error.to_string().contains("feature `sim`"), "{error}");
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "asking_for_the_simulator_says_that_it_was_not_built", "--nocapture"])
        .envs([("TEST_CHILD", "1"), ("CUDA_P2P_SIM", "devices=2")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
