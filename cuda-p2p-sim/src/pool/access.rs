//! Whom a pool is opened to.

use cuda_p2p_sys::{
    cudaError_t, cudaMemAccessDesc, cudaMemAccessFlags, cudaMemLocation, cudaMemLocationType, cudaMemPool_t,
};

use super::find;
use crate::call::{Out, call};
use crate::device::ordinal;
use crate::error::code;
use crate::space::PoolId;

/// Checks the whole list before it changes anything, as hardware does. A grant to a device without a path to the memory is
/// taken while the pool is empty, and makes its next allocation fail.
///
/// A grant to read alone is error 801, and so is one to anything but a device; both are on hardware.
pub(crate) unsafe extern "C" fn pool_set_access(
    pool: cudaMemPool_t,
    list: *const cudaMemAccessDesc,
    count: usize,
) -> cudaError_t {
    call("cudaMemPoolSetAccess", |machine| {
        let mut state = machine.lock();
        let id = find(&state, pool)?;
        if count == 0 {
            return Ok(());
        }
        if list.is_null() {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: the C contract: the list has `count` entries.
        let list = unsafe { std::slice::from_raw_parts(list, count) };
        let Some(pool) = state.pools.get_mut(&id) else { return Err(code::INVALID_VALUE) };
        let mut changes = Vec::with_capacity(count);
        for entry in list {
            if entry.location.type_ != cudaMemLocationType::cudaMemLocationTypeDevice {
                return Err(code::NOT_SUPPORTED);
            }
            let device = ordinal(machine, entry.location.id())?;
            let open = match entry.flags {
                cudaMemAccessFlags::cudaMemAccessFlagsProtNone => false,
                cudaMemAccessFlags::cudaMemAccessFlagsProtReadWrite => true,
                cudaMemAccessFlags::cudaMemAccessFlagsProtRead => return Err(code::NOT_SUPPORTED),
                _ => return Err(code::INVALID_VALUE),
            };
            if device == pool.device && !open {
                return Err(code::INVALID_DEVICE);
            }
            let reaches = device == pool.device || machine.config.can_access(device, pool.device);
            if open && !reaches && pool.allocations > 0 {
                return Err(code::PEER_UNSUPPORTED);
            }
            changes.push((device, open));
        }
        for (device, open) in changes {
            if device == pool.device {
                continue;
            }
            if open {
                pool.grants.insert(device);
            } else {
                pool.grants.remove(&device);
            }
            machine.space.set_pool_grant(PoolId(id), device, open);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn pool_get_access(
    flags: *mut cudaMemAccessFlags,
    pool: cudaMemPool_t,
    location: *mut cudaMemLocation,
) -> cudaError_t {
    call("cudaMemPoolGetAccess", |machine| {
        // SAFETY: the C contract: null, or a place for one value.
        let out = unsafe { Out::new(flags) }?;
        // SAFETY: the C contract: null, or a location to read.
        let location = unsafe { location.as_ref() }.ok_or(code::INVALID_VALUE)?;
        let state = machine.lock();
        let pool = &state.pools[&find(&state, pool)?];
        let open = match location.type_ {
            // The host reaches no pool of a device.
            cudaMemLocationType::cudaMemLocationTypeHost => false,
            cudaMemLocationType::cudaMemLocationTypeDevice => {
                let device = ordinal(machine, location.id()).map_err(|_| code::INVALID_VALUE)?;
                device == pool.device || pool.grants.contains(&device)
            }
            _ => return Err(code::INVALID_VALUE),
        };
        out.set(if open {
            cudaMemAccessFlags::cudaMemAccessFlagsProtReadWrite
        } else {
            cudaMemAccessFlags::cudaMemAccessFlagsProtNone
        });
        Ok(())
    })
}
