//! What happens at certain uses of functions and at certain operations, because the machine was made so.

use std::collections::BTreeMap;

use cuda_p2p_sys::{cudaError, cudaError_t};

use crate::config::Defect;

/// What is to happen at this use of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cue {
    Nothing,
    /// It answers with this code and does nothing.
    Fail(cudaError_t),
    /// These devices are reset before it begins.
    Reset(Vec<usize>),
}

/// The script, and how far it has come.
#[derive(Debug)]
pub(crate) struct Script {
    defects: Vec<Defect>,
    /// Uses of the functions that the script names.
    uses: BTreeMap<String, u64>,
    /// Operations that each device has started.
    operations: BTreeMap<usize, u64>,
}

impl Script {
    pub(crate) fn new(defects: &[Defect]) -> Script {
        let call = |defect: &Defect| match defect {
            Defect::CallFails { call, .. } | Defect::Reset { call, .. } => Some((call.clone(), 0)),
            _ => None,
        };
        let uses = defects.iter().filter_map(call).collect();
        Script { defects: defects.to_vec(), uses, operations: BTreeMap::new() }
    }

    /// Counts one use of a function.
    pub(crate) fn next(&mut self, name: &str) -> Cue {
        let Some(uses) = self.uses.get_mut(name) else { return Cue::Nothing };
        *uses += 1;
        let now = |call: &str, nth: u64| call == name && nth == *uses;
        let failure = self.defects.iter().find_map(|defect| match defect {
            Defect::CallFails { call, nth, code } if now(call, *nth) => Some(cudaError(*code)),
            _ => None,
        });
        let reset = self.defects.iter().filter_map(|defect| match defect {
            Defect::Reset { device, call, nth } if now(call, *nth) => Some(*device),
            _ => None,
        });
        match (failure, reset.collect::<Vec<_>>()) {
            (Some(code), _) => Cue::Fail(code),
            (None, devices) if devices.is_empty() => Cue::Nothing,
            (None, devices) => Cue::Reset(devices),
        }
    }

    /// Counts one operation of a device. Whether it is the one at which the device is lost.
    pub(crate) fn is_lost(&mut self, device: usize) -> bool {
        let last = self.defects.iter().find_map(|defect| match defect {
            Defect::Lost { device: it, nth } if *it == device => Some(*nth),
            _ => None,
        });
        let Some(last) = last else { return false };
        let operations = self.operations.entry(device).or_default();
        *operations += 1;
        *operations == last
    }

    /// What enabling access answers where it would succeed.
    pub(crate) fn enable(&self, accessor: usize, owner: usize) -> Option<cudaError_t> {
        self.defects.iter().find_map(|defect| match defect {
            Defect::EnableFails { accessor: a, owner: o, code } if (*a, *o) == (accessor, owner) => {
                Some(cudaError(*code))
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_happens_once_and_at_its_time() {
        let config: crate::MachineConfig =
            "devices=3 fail=cudaMalloc:2:2 reset=2:cudaFree:1,1:cudaFree:1 lost=1:2 enable=0>1:802"
                .parse()
                .expect("a script");
        let mut script = Script::new(&config.defects);
        let uses: Vec<Cue> = (0..3).map(|_| script.next("cudaMalloc")).collect();
        assert_eq!(uses, [Cue::Nothing, Cue::Fail(cudaError(2)), Cue::Nothing]);
        assert_eq!(script.next("cudaFree"), Cue::Reset(vec![2, 1]));
        assert_eq!([script.next("cudaFree"), script.next("cudaMemset")], [Cue::Nothing, Cue::Nothing]);
        assert_eq!([1, 1, 1, 0, 0].map(|device| script.is_lost(device)), [false, true, false, false, false]);
        assert_eq!([script.enable(0, 1), script.enable(1, 0)], [Some(cudaError(802)), None]);
    }
}
