//! Which defects a machine can have, and which go together.

use std::collections::BTreeSet;

use super::{Defect, Means};
use crate::config::{ConfigError, MachineConfig};
use crate::error;

/// Functions that cannot fail: they only tell.
const TELLERS: [&str; 4] =
    ["cudaGetErrorName", "cudaGetErrorString", "cudaGetLastError", "cudaPeekAtLastError"];

fn check_call(call: &str) -> Result<(), ConfigError> {
    let bound = cuda_p2p_sys::functions::FUNCTIONS.iter().any(|function| function.name == call);
    let known = bound && !TELLERS.contains(&call) || crate::driver::knows(call);
    if known { Ok(()) } else { Err(ConfigError::NoSuchFunction { call: call.to_owned() }) }
}

/// Checks the defects of a machine.
pub(in crate::config) fn validate(config: &MachineConfig) -> Result<(), ConfigError> {
    let there = |device: usize| {
        if device < config.devices {
            Ok(())
        } else {
            Err(ConfigError::NoSuchDevice { device, devices: config.devices })
        }
    };
    let link = |accessor: usize, owner: usize| {
        there(accessor)?;
        there(owner)?;
        if accessor == owner { Err(ConfigError::OwnPeer { device: owner }) } else { Ok(()) }
    };
    let code_is_known = |code: u32| {
        if error::is_failure(code) { Ok(()) } else { Err(ConfigError::NoSuchCode { code }) }
    };
    let (mut links, mut seen) = (Vec::new(), BTreeSet::new());
    for defect in &config.defects {
        let repeated = || ConfigError::Repeated { word: format!("{}={defect}", defect.word()) };
        let mut once = |key: String| if seen.insert(key) { Ok(()) } else { Err(repeated()) };
        if let Some((accessor, owner, by)) = defect.link() {
            link(accessor, owner)?;
            let same =
                |&(a, o, other): &(usize, usize, Means)| (a, o) == (accessor, owner) && by.meets(other);
            if links.iter().any(same) {
                return Err(repeated());
            }
            links.push((accessor, owner, by));
        }
        let nth = match defect {
            Defect::BitFlips { every, .. } => *every,
            Defect::EnableFails { accessor, owner, code } => {
                link(*accessor, *owner)?;
                code_is_known(*code)?;
                once(format!("enable {accessor} {owner}"))?;
                1
            }
            Defect::CallFails { call, nth, code } => {
                check_call(call)?;
                code_is_known(*code)?;
                once(format!("fail {call} {nth}"))?;
                *nth
            }
            Defect::Reset { device, call, nth } => {
                there(*device)?;
                check_call(call)?;
                once(format!("reset {device} {call} {nth}"))?;
                *nth
            }
            Defect::Lost { device, nth } => {
                there(*device)?;
                once(format!("lost {device}"))?;
                *nth
            }
            _ => 1,
        };
        if nth == 0 {
            let word = format!("{}={defect}", defect.word());
            return Err(ConfigError::BadValue { word, expected: "must count from 1" });
        }
    }
    Ok(())
}
