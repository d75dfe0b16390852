//! Rights of devices to what is mapped.

use cuda_p2p_sys::driver::{CuDevicePtr, CuMemAccessDesc, CuMemAccessFlags, CuMemLocationType, CuResult};

use super::{mappings, span};
use crate::call::driver_call;
use crate::device::ordinal;
use crate::error::code;
use crate::memory::Sort;
use crate::space::PoolId;

/// Checks the whole list before it changes anything.
///
/// Divergence from hardware: a right to read alone is error 801.
pub(super) unsafe extern "C" fn set_access(
    address: CuDevicePtr,
    size: usize,
    list: *const CuMemAccessDesc,
    count: usize,
) -> CuResult {
    driver_call("cuMemSetAccess", |machine| {
        let (start, end) = span(address, size)?;
        if list.is_null() || count == 0 {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: the C contract: the list has `count` entries.
        let list = unsafe { std::slice::from_raw_parts(list, count) };
        let state = machine.lock();
        let places = mappings(machine, &state, start, end, true)?;
        let mut changes = Vec::with_capacity(count);
        for entry in list {
            if entry.location.type_ != CuMemLocationType::DEVICE {
                return Err(code::NOT_SUPPORTED);
            }
            let device = ordinal(machine, entry.location.id).map_err(|_| code::INVALID_VALUE)?;
            let open = match entry.flags {
                CuMemAccessFlags::NONE => false,
                CuMemAccessFlags::READ_WRITE => true,
                CuMemAccessFlags::READ => return Err(code::NOT_SUPPORTED),
                _ => return Err(code::INVALID_VALUE),
            };
            for base in &places {
                let owner = state.memory.at(*base).map_or(device, |record| record.device);
                if open && device != owner && !machine.config.can_access(device, owner) {
                    return Err(code::INVALID_DEVICE);
                }
            }
            changes.push((device, open));
        }
        for record in places.iter().filter_map(|base| state.memory.at(*base)) {
            if let Sort::Mapped { mapping, .. } = record.sort {
                for &(device, open) in &changes {
                    machine.space.set_pool_grant(PoolId(mapping), device, open);
                }
            }
        }
        Ok(())
    })
}
