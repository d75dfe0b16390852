//! A GPU's registration with an NVSwitch fabric, which nvml-wrapper has no function for.
//!
//! # Safety
//! One call of NVML's C API, through the table of functions that nvml-wrapper loaded. The danger is a handle that is no longer
//! valid, and a structure of another shape than the library fills.
#![allow(unsafe_code)]

use nvml_wrapper::Device;
use nvml_wrapper_sys::bindings::{
    NVML_GPU_FABRIC_STATE_COMPLETED, NVML_GPU_FABRIC_STATE_IN_PROGRESS, NVML_GPU_FABRIC_STATE_NOT_STARTED,
    NVML_GPU_FABRIC_STATE_NOT_SUPPORTED, nvmlGpuFabricInfo_t,
};

use super::super::snapshot::Fabric;

/// The registration; `None` if the driver has no such question, or does not answer it.
pub(super) fn of(device: &Device<'_>) -> Option<Fabric> {
    let ask = device.nvml().lib().nvmlDeviceGetGpuFabricInfo.as_ref().ok()?;
    let mut info = nvmlGpuFabricInfo_t { clusterUuid: [0; 16], status: 0, cliqueId: 0, state: 0 };
    // SAFETY: the handle belongs to `device`, whose library stays initialised while it is borrowed; the structure is the one
    // that this function fills in every release that has it (those with a version field have functions of their own).
    let status = unsafe { ask(device.handle(), &raw mut info) };
    if status != 0 {
        return None;
    }
    let state = match u32::from(info.state) {
        NVML_GPU_FABRIC_STATE_NOT_SUPPORTED => "not_supported",
        NVML_GPU_FABRIC_STATE_NOT_STARTED => "not_started",
        NVML_GPU_FABRIC_STATE_IN_PROGRESS => "in_progress",
        NVML_GPU_FABRIC_STATE_COMPLETED => "completed",
        _ => return None,
    };
    Some(Fabric { state: state.to_owned(), status: info.status })
}
