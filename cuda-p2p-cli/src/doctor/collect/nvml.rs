//! Asks NVML. Runs in a child.

use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{ComputeMode, P2pCapabilitiesIndex, P2pStatus};
use nvml_wrapper::{Device, Nvml as Library};

use super::super::snapshot::{Confidential, Nvml, NvmlGpu, NvmlPair, PcieWidth};
use super::fabric;
use crate::topo::{BusId, nvlinks, nvml_reason};

/// Everything that NVML tells, or why it tells nothing.
pub(crate) fn read() -> Nvml {
    let library = match Library::init() {
        Ok(library) => library,
        Err(error) => return Nvml { missing_because: Some(nvml_reason(&error)), ..Nvml::default() },
    };
    let mut nvml = Nvml {
        driver_version: library.sys_driver_version().ok(),
        cuda_version: library.sys_cuda_driver_version().ok().map(|version| {
            let (major, minor) = (version / 1000, version % 1000 / 10);
            format!("{major}.{minor}")
        }),
        ..Nvml::default()
    };
    let mut devices = Vec::new();
    match library.device_count() {
        Ok(count) => {
            for index in 0..count {
                match library.device_by_index(index) {
                    Ok(device) => devices.push((index, device)),
                    Err(error) => nvml.lost.push((index, error.to_string())),
                }
            }
        }
        Err(error) => nvml.missing_because = Some(nvml_reason(&error)),
    }
    nvml.confidential = devices.first().and_then(|(_, device)| {
        let enabled = device.is_cc_enabled().ok()?;
        let multi_gpu = device.is_multi_gpu_protected_pcie_enabled().unwrap_or(false);
        Some(Confidential { enabled, multi_gpu })
    });
    let mut known = Vec::new();
    for (index, device) in &devices {
        match bus_id(device) {
            Some(bus_id) => {
                nvml.gpus.push(gpu(*index, &bus_id, device));
                known.push((bus_id, device));
            }
            None => nvml.lost.push((*index, "it does not tell its PCI address".to_owned())),
        }
    }
    for (accessor, device) in &known {
        for (owner, other) in known.iter().filter(|(other, _)| other != accessor) {
            let ask = |what| word(device.p2p_status(other, what).ok());
            nvml.pairs.push(NvmlPair {
                accessor: accessor.clone(),
                owner: owner.clone(),
                read: ask(P2pCapabilitiesIndex::Read),
                write: ask(P2pCapabilitiesIndex::Write),
            });
        }
    }
    nvml
}

fn bus_id(device: &Device<'_>) -> Option<String> {
    Some(BusId::parse(&device.pci_info().ok()?.bus_id)?.to_string())
}

fn gpu(index: u32, bus_id: &str, device: &Device<'_>) -> NvmlGpu {
    NvmlGpu {
        index,
        bus_id: bus_id.to_owned(),
        name: device.name().ok(),
        mig: device.mig_mode().ok().map(|mode| mode.current != 0),
        compute_mode: device.compute_mode().ok().map(|mode| {
            match mode {
                ComputeMode::Default => "default",
                ComputeMode::ExclusiveThread => "exclusive_thread",
                ComputeMode::Prohibited => "prohibited",
                ComputeMode::ExclusiveProcess => "exclusive_process",
            }
            .to_owned()
        }),
        persistence: device.is_in_persistent_mode().ok(),
        performance_state: device.performance_state().ok().map(|state| state.as_c()),
        slowdowns: device.current_throttle_reasons().map(slowdowns).unwrap_or_default(),
        bar1_bytes: device.bar1_memory_info().ok().map(|info| info.total),
        memory_bytes: device.memory_info().ok().map(|info| info.total),
        fabric: fabric::of(device),
        nvlinks: nvlinks(device),
        pcie: device
            .current_pcie_link_width()
            .ok()
            .and_then(|current| Some(PcieWidth { current, most: device.max_pcie_link_width().ok()? })),
        virtualization: device.virtualization_mode().ok().map(|mode| snake(&format!("{mode:?}"))),
    }
}

/// Those that are faults: heat, power supply, board. A power cap is how a GPU under load is meant to run.
fn slowdowns(reasons: ThrottleReasons) -> Vec<String> {
    let faults = [
        (ThrottleReasons::HW_SLOWDOWN, "hw_slowdown"),
        (ThrottleReasons::HW_THERMAL_SLOWDOWN, "hw_thermal"),
        (ThrottleReasons::SW_THERMAL_SLOWDOWN, "sw_thermal"),
        (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, "hw_power_brake"),
    ];
    faults.iter().filter(|(bit, _)| reasons.contains(*bit)).map(|(_, name)| (*name).to_owned()).collect()
}

fn word(status: Option<P2pStatus>) -> String {
    match status {
        Some(P2pStatus::Ok) => "ok",
        Some(P2pStatus::ChipsetNotSupported) => "chipset_not_supported",
        Some(P2pStatus::GpuNotSupported) => "gpu_not_supported",
        Some(P2pStatus::IohTopologyNotSupported) => "topology_not_supported",
        Some(P2pStatus::DisabledByRegkey) => "disabled_by_registry",
        Some(P2pStatus::NotSupported) => "not_supported",
        Some(P2pStatus::Unknown) | None => "unknown",
    }
    .to_owned()
}

/// "PassThrough" as "pass_through".
fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_cap_and_an_idle_gpu_are_no_faults() {
        assert!(slowdowns(ThrottleReasons::SW_POWER_CAP | ThrottleReasons::GPU_IDLE).is_empty());
        assert_eq!(
            slowdowns(ThrottleReasons::HW_SLOWDOWN | ThrottleReasons::HW_THERMAL_SLOWDOWN),
            ["hw_slowdown", "hw_thermal"]
        );
    }

    #[test]
    fn names_are_in_one_spelling() {
        assert_eq!(snake("PassThrough"), "pass_through");
    }
}
