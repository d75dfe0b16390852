//! Opening a runtime: the simulator when it is asked for or allowed, typed errors for what cannot be. Each case in a
//! process of its own, because a process opens its library once.

mod common;

use std::io::Write;

use common::isolated;
use cuda_p2p::sim::MachineConfig;
use cuda_p2p::{Error, LoadError, Origin, Runtime, SimulatorPolicy, SimulatorReason};

fn open(policy: SimulatorPolicy) -> Result<Runtime, Error> {
    Runtime::builder().simulator(policy).open()
}

#[test]
fn the_variable_asks_for_a_machine() {
    isolated("the_variable_asks_for_a_machine", &[("CUDA_P2P_SIM", "devices=3 peers=none")], || {
        let runtime = open(SimulatorPolicy::Never).unwrap();
        assert_eq!(runtime.device_count(), Ok(3));
        let Origin::Simulator { because, .. } = runtime.origin() else { panic!("{:?}", runtime.origin()) };
        assert_eq!(*because, SimulatorReason::AskedByVariable);
        assert!(runtime.origin().to_string().starts_with("SIMULATED"), "{}", runtime.origin());
    });
}

#[test]
fn junk_in_the_variable_is_an_error_that_names_the_word() {
    let name = "junk_in_the_variable_is_an_error_that_names_the_word";
    isolated(name, &[("CUDA_P2P_SIM", "devices=2 pears=all")], || {
        let error = open(SimulatorPolicy::WhenNoDevice).unwrap_err();
        assert!(matches!(error, Error::SimulatorConfig { .. }), "{error:?}");
        for part in ["CUDA_P2P_SIM", "`pears=all`", "peers=all"] {
            assert!(error.to_string().contains(part), "{part:?} is not in {error}");
        }
    });
}

#[test]
fn a_file_that_is_no_library_is_an_error_that_names_it() {
    let path = std::env::temp_dir().join(format!("cuda-p2p-no-library-{}.so", std::process::id()));
    if !common::in_child() {
        std::fs::File::create(&path).and_then(|mut file| file.write_all(b"no library")).unwrap();
    }
    let text = path.to_str().unwrap().to_owned();
    isolated("a_file_that_is_no_library_is_an_error_that_names_it", &[("CUDA_P2P_CUDART", &text)], || {
        // Not even where the simulator is allowed: the file was asked for.
        let error = open(SimulatorPolicy::WhenNoDevice).unwrap_err();
        let named = std::env::var("CUDA_P2P_CUDART").unwrap();
        let Error::Load(load) = &error else { panic!("{error:?}") };
        assert!(matches!(**load, LoadError::Unusable { .. }), "{load:?}");
        assert!(error.to_string().contains(&named) && error.to_string().contains("unset"), "{error}");
        assert_eq!(Runtime::load().unwrap_err(), error);
    });
    if !common::in_child() {
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_relative_path_is_refused() {
    isolated("a_relative_path_is_refused", &[("CUDA_P2P_CUDART", "libcudart.so.13")], || {
        let error = Runtime::load().unwrap_err();
        let Error::Load(load) = &error else { panic!("{error:?}") };
        assert!(matches!(**load, LoadError::RelativePath { .. }), "{load:?}");
    });
}

/// What [`SimulatorPolicy::WhenNoDevice`] does depends on the machine: with devices they are opened, and without it
/// simulates.
#[test]
fn devices_come_first_and_the_policy_decides_the_rest() {
    isolated("devices_come_first_and_the_policy_decides_the_rest", &[], || {
        match open(SimulatorPolicy::Never) {
            Ok(runtime) => {
                assert!(!runtime.is_simulated());
                assert_eq!(open(SimulatorPolicy::WhenNoDevice), Ok(runtime));
            }
            Err(error) => match open(SimulatorPolicy::WhenNoDevice) {
                Ok(runtime) => {
                    let Origin::Simulator { because, .. } = runtime.origin() else {
                        panic!("{:?}", runtime.origin())
                    };
                    let expected = match error {
                        Error::Load(load) => SimulatorReason::NoLibrary(load),
                        error => SimulatorReason::NoDevice(Box::new(error)),
                    };
                    assert_eq!(*because, expected);
                }
                Err(refused) => assert!(matches!(refused, Error::DriverWithoutLibrary { .. }), "{refused}"),
            },
        }
    });
}

#[test]
fn the_variable_can_forbid_simulating() {
    for value in ["0", "off"] {
        isolated("the_variable_can_forbid_simulating", &[("CUDA_P2P_SIM", value)], || {
            if let Ok(runtime) = open(SimulatorPolicy::WhenNoDevice) {
                assert!(!runtime.is_simulated());
            }
        });
    }
}

#[test]
fn one_process_has_one_machine() {
    isolated("one_process_has_one_machine", &[], || {
        let runtime = Runtime::simulated(MachineConfig::pair()).unwrap();
        assert_eq!(Runtime::simulated(MachineConfig::pair()), Ok(runtime));
        let error = Runtime::simulated(MachineConfig::devices(3)).unwrap_err();
        assert!(matches!(error, Error::SimulatorStart { .. }), "{error:?}");
    });
}
