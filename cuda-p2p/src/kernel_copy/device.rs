//! What is asked of a device once, and set on it once.
//!
//! # Safety
//! This file sets an attribute of a loaded kernel, by its handle.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::sync::{Mutex, PoisonError};

use crate::device::Device;
use crate::error::Result;
use crate::ffi::{cudaDeviceAttr, cudaFuncAttribute};
use crate::kernel::Kernel;
use crate::library::KernelHandle;
use crate::seam::cuda;

use super::plan::{SHARED, Traits};

/// The devices that copies were made on.
#[derive(Debug, Default)]
pub(super) struct Devices(Mutex<Vec<Known>>);

#[derive(Clone, Copy, Debug)]
struct Known {
    device: Device,
    /// A reset takes back what was set.
    epoch: u64,
    traits: Traits,
}

impl Devices {
    /// The traits of `device`, where blocks of `bulk` may have their shared memory from then on.
    pub(super) fn of(&self, device: Device, bulk: &Kernel) -> Result<Traits> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let epoch = device.epoch();
        if let Some(known) = known.iter().find(|known| known.device == device && known.epoch == epoch) {
            return Ok(known.traits);
        }
        let traits = ask(device, bulk)?;
        known.retain(|known| known.device != device);
        known.push(Known { device, epoch, traits });
        Ok(traits)
    }
}

fn ask(device: Device, bulk: &Kernel) -> Result<Traits> {
    let number = |attribute| -> Result<u32> { Ok(u32::try_from(device.attribute(attribute)?).unwrap_or(0)) };
    let multiprocessors = number(cudaDeviceAttr::cudaDevAttrMultiProcessorCount)?.max(1);
    let most = number(cudaDeviceAttr::cudaDevAttrMaxSharedMemoryPerBlockOptin)?;
    let bulk = device.compute_capability()? >= (9, 0) && most >= SHARED && allow_shared(device, bulk)?;
    Ok(Traits { multiprocessors, bulk })
}

/// Allows the kernel's blocks as much shared memory as they need; `false` where a runtime before 12.8 has no way to.
fn allow_shared(device: Device, kernel: &Kernel) -> Result<bool> {
    let KernelHandle::Runtime(handle) = kernel.handle() else { return Ok(false) };
    let attribute = cudaFuncAttribute::cudaFuncAttributeMaxDynamicSharedMemorySize;
    let (function, bytes) = (handle.cast_const().cast(), SHARED.cast_signed());
    // SAFETY: the kernel's handle is live for good, and stands for a function's; the rest are numbers, which the call judges.
    unsafe { cuda!(device.seam(), device.on(), cudaFuncSetAttribute(function, attribute, bytes)) }?;
    Ok(true)
}
