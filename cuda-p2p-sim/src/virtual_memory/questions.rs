//! What the driver tells of an address.

use std::ffi::{c_ulonglong, c_void};

use cuda_p2p_sys::driver::{
    CuDevicePtr, CuMemAccessFlags, CuMemLocation, CuMemLocationType, CuPointerAttribute, CuResult,
};

use crate::call::{Out, driver_call};
use crate::device::{ordinal, pool_handle};
use crate::error::code;
use crate::memory::{Record, Sort};

/// Whether the host is meant; `CU_MEM_LOCATION_TYPE_HOST`.
const HOST: u32 = 2;

/// Of memory that is not virtual the answer is no access, whatever may be: so it is on hardware.
pub(super) unsafe extern "C" fn get_access(
    flags: *mut c_ulonglong,
    location: *const CuMemLocation,
    address: CuDevicePtr,
) -> CuResult {
    driver_call("cuMemGetAccess", |machine| {
        // SAFETY: the C contract: null, or a place for one number.
        let out = unsafe { Out::new(flags) }?;
        // SAFETY: the C contract: null, or a location to read.
        let location = unsafe { location.as_ref() }.ok_or(code::INVALID_VALUE)?;
        let state = machine.lock();
        let Some((base, record)) = state.memory.containing(address as usize) else {
            return Err(code::INVALID_VALUE);
        };
        let open = match location.type_ {
            CuMemLocationType::DEVICE => {
                let device = ordinal(machine, location.id)?;
                matches!(record.sort, Sort::Mapped { .. }) && machine.space.check(device, base, 1).is_ok()
            }
            CuMemLocationType(HOST) => false,
            _ => return Err(code::INVALID_VALUE),
        };
        let told = if open { CuMemAccessFlags::READ_WRITE } else { CuMemAccessFlags::NONE };
        out.set(told.0.into());
        Ok(())
    })
}

/// Attributes by their numbers, with the type that each is written as.
mod attribute {
    /// `unsigned int`: 1 for the host's memory, 2 for a device's.
    pub(super) const MEMORY_TYPE: u32 = 2;
    /// `unsigned int`
    pub(super) const IS_MANAGED: u32 = 8;
    /// `int`
    pub(super) const DEVICE_ORDINAL: u32 = 9;
    /// `CUdeviceptr` and `size_t`: of virtual memory, the whole range.
    pub(super) const RANGE_START_ADDR: u32 = 11;
    pub(super) const RANGE_SIZE: u32 = 12;
    /// `unsigned int`
    pub(super) const MAPPED: u32 = 13;
    /// `CUmemoryPool`
    pub(super) const MEMPOOL_HANDLE: u32 = 17;
}

/// An address that CUDA does not know is error 1. Attributes other than these are error 801 here.
pub(super) unsafe extern "C" fn pointer_get_attribute(
    value: *mut c_void,
    attribute: CuPointerAttribute,
    address: CuDevicePtr,
) -> CuResult {
    driver_call("cuPointerGetAttribute", |machine| {
        // SAFETY: the C contract: null, or a place for a value of the attribute's type.
        let (word, long) = unsafe { (Out::new(value.cast::<u32>())?, Out::new(value.cast::<u64>())?) };
        let state = machine.lock();
        let (base, record) = match state.memory.containing(address as usize) {
            None | Some((_, Record { sort: Sort::Pooled { freed: true, .. }, .. })) => {
                return Err(code::INVALID_VALUE);
            }
            Some(known) => known,
        };
        let host = matches!(record.sort, Sort::Pinned { .. } | Sort::Registered { .. });
        let (start, size) = match record.sort {
            Sort::Mapped { .. } => machine.space.range(base).unwrap_or((base, record.bytes)),
            _ => (base, record.bytes),
        };
        match attribute.0 {
            attribute::MEMORY_TYPE => word.set(if host { 1 } else { 2 }),
            attribute::IS_MANAGED => word.set(0),
            attribute::DEVICE_ORDINAL => word.set(record.device as u32),
            attribute::RANGE_START_ADDR => long.set(start as u64),
            attribute::RANGE_SIZE => long.set(size as u64),
            attribute::MAPPED => word.set(1),
            attribute::MEMPOOL_HANDLE => long.set(match record.sort {
                Sort::Pooled { pool, .. } => pool_handle::<c_void>(pool).addr() as u64,
                _ => 0,
            }),
            _ => return Err(code::NOT_SUPPORTED),
        }
        Ok(())
    })
}
