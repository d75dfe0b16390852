//! Starting: before there is a machine, the same one twice, another one, and the environment variable. One test, because all of
//! it is about the one machine of the process.

#[macro_use]
mod common;

use std::env;

use common::Latch;
use cuda_p2p_sim::{
    ConfigError, Counters, ENVIRONMENT_VARIABLE, MachineConfig, StartError, counters, restart, running, start,
};

#[test]
fn a_process_has_one_machine() {
    assert_eq!(running(), None);
    assert_eq!(counters(), Counters::default());
    let config = MachineConfig::pair().quiet(true);
    let first = start(config.clone()).expect("a machine");
    let again = start(config.clone()).expect("the same machine");
    assert!(std::ptr::eq(first, again));
    assert_eq!(running(), Some(config));
    let error = start(MachineConfig::devices(4)).expect_err("another machine");
    assert!(matches!(error, StartError::AlreadyStarted { .. }));
    let text = error.to_string();
    assert!(text.contains("devices=2 quiet") && text.contains("devices=4"), "{text}");
    assert!(matches!(
        start(MachineConfig::devices(0)),
        Err(StartError::Config(ConfigError::Devices { devices: 0 }))
    ));

    let s = common::pair();
    let held = s.hold(common::LEGACY, Latch::leaked());
    // SAFETY: no slice of the old machine's pinned memory is kept.
    assert!(matches!(unsafe { restart(MachineConfig::pair()) }, Err(StartError::Busy { operations: 1 })));
    held.open();
    s.synchronize();
    let place = s.malloc(0, 64);
    // SAFETY: no slice of the old machine's pinned memory is kept.
    unsafe { restart(MachineConfig::devices(3)) }.expect("nothing is in flight");
    assert_eq!(cuda!(s, cudaFree(place)), 1, "memory of the machine before");
    let mut count = 0;
    assert_eq!(cuda!(s, cudaGetDeviceCount(&mut count)), 0);
    assert_eq!(count, 3);

    for (value, asked) in [("", None), ("0", None), ("off", None), ("1", Some(MachineConfig::pair()))] {
        // SAFETY: this process has no other thread that reads or writes the environment.
        unsafe { env::set_var(ENVIRONMENT_VARIABLE, value) };
        assert_eq!(MachineConfig::from_env(), Ok(asked));
    }
    // SAFETY: as above.
    unsafe { env::set_var(ENVIRONMENT_VARIABLE, "devices=4 pears=all") };
    let error = MachineConfig::from_env().expect_err("junk").to_string();
    assert!(error.contains("`pears=all`") && error.contains("devices=N"), "{error}");
    // SAFETY: as above.
    unsafe { env::remove_var(ENVIRONMENT_VARIABLE) };
    assert_eq!(MachineConfig::from_env(), Ok(None));
}
