//! Peer access: asked, enabled, taken away. One direction at a time: the current device is the one that accesses.

use std::ffi::{c_int, c_uint};

use cuda_p2p_sys::{cudaDeviceP2PAttr, cudaError_t};

use crate::call::{Out, call};
use crate::context;
use crate::device::ordinal;
use crate::error::code;

/// `cudaDevP2PAttrOnlyPartialNativeAtomicSupported`, which headers before 13.0 lack.
const ONLY_PARTIAL_ATOMICS: u32 = 5;
/// Atomic operations that `cudaDeviceGetP2PAtomicCapabilities` knows.
const ATOMIC_OPERATIONS: u32 = 13;
/// All bits of an answer of `cudaDeviceGetP2PAtomicCapabilities`: signed, unsigned, reduction, 32, 64, 128 bits, scalar and vectors.
const ALL_CAPABILITIES: c_uint = 0x7f;

pub(crate) unsafe extern "C" fn can_access_peer(
    answer: *mut c_int,
    accessor: c_int,
    owner: c_int,
) -> cudaError_t {
    call("cudaDeviceCanAccessPeer", |machine| {
        let (accessor, owner) = (ordinal(machine, accessor)?, ordinal(machine, owner)?);
        // SAFETY: the C contract: null, or a place for one value.
        let out = unsafe { Out::new(answer) }?;
        out.set(c_int::from(machine.config.can_access(accessor, owner)));
        Ok(())
    })
}

/// What hardware checks first: the device, the flags, itself, enabled already, a path, room for one peer more.
pub(crate) unsafe extern "C" fn enable_peer_access(owner: c_int, flags: c_uint) -> cudaError_t {
    call("cudaDeviceEnablePeerAccess", |machine| {
        let (owner, accessor) = (ordinal(machine, owner), context::current_device());
        let state = machine.lock();
        if let Some(here) = state.failure_here() {
            // A poisoned process has no context for a peer that it had not used before.
            let there = owner.ok().and_then(|owner| state.failure_of(owner));
            return Err(there.filter(|code| *code == code::DEVICES_UNAVAILABLE).unwrap_or(here));
        }
        drop(state);
        let owner = owner?;
        if flags != 0 {
            return Err(code::INVALID_VALUE);
        }
        if owner == accessor {
            return Err(code::PEER_UNSUPPORTED);
        }
        let mut state = machine.lock();
        let peers = &state.devices[accessor].peers;
        if peers.contains(&owner) {
            return Err(code::PEER_ALREADY_ENABLED);
        }
        if !machine.config.can_access(accessor, owner) {
            return Err(code::PEER_UNSUPPORTED);
        }
        if peers.len() >= machine.config.peer_limit {
            return Err(code::TOO_MANY_PEERS);
        }
        if let Some(code) = state.script.enable(accessor, owner) {
            return Err(code);
        }
        state.devices[accessor].peers.insert(owner);
        state.devices[owner].has_context = true;
        machine.space.set_peer(accessor, owner, true);
        Ok(())
    })
}

/// Waits for nothing: a kernel that still uses the path faults.
pub(crate) unsafe extern "C" fn disable_peer_access(owner: c_int) -> cudaError_t {
    call("cudaDeviceDisablePeerAccess", |machine| {
        let owner = ordinal(machine, owner)?;
        let accessor = context::current_device();
        if !machine.lock().devices[accessor].peers.remove(&owner) {
            return Err(code::PEER_NOT_ENABLED);
        }
        machine.space.set_peer(accessor, owner, false);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn get_p2p_attribute(
    value: *mut c_int,
    attribute: cudaDeviceP2PAttr,
    accessor: c_int,
    owner: c_int,
) -> cudaError_t {
    call("cudaDeviceGetP2PAttribute", |machine| {
        // SAFETY: the C contract: null, or a place for one value.
        let out = unsafe { Out::new(value) }?;
        let (accessor, owner) = (ordinal(machine, accessor)?, ordinal(machine, owner)?);
        if accessor == owner {
            return Err(code::INVALID_DEVICE);
        }
        let access = machine.config.can_access(accessor, owner);
        out.set(match attribute {
            cudaDeviceP2PAttr::cudaDevP2PAttrPerformanceRank => 0,
            cudaDeviceP2PAttr::cudaDevP2PAttrAccessSupported
            | cudaDeviceP2PAttr::cudaDevP2PAttrCudaArrayAccessSupported => c_int::from(access),
            cudaDeviceP2PAttr::cudaDevP2PAttrNativeAtomicSupported => {
                c_int::from(access && machine.config.native_atomics)
            }
            cudaDeviceP2PAttr(ONLY_PARTIAL_ATOMICS) => 0,
            _ => return Err(code::INVALID_VALUE),
        });
        Ok(())
    })
}

/// The operations are the numbers of `cudaAtomicOperation`, which headers before 13.0 lack.
pub(crate) unsafe extern "C" fn get_p2p_atomic_capabilities(
    capabilities: *mut c_uint,
    operations: *const c_uint,
    count: c_uint,
    accessor: c_int,
    owner: c_int,
) -> cudaError_t {
    call("cudaDeviceGetP2PAtomicCapabilities", |machine| {
        if capabilities.is_null() || operations.is_null() || count == 0 {
            return Err(code::INVALID_VALUE);
        }
        let (accessor, owner) = (ordinal(machine, accessor)?, ordinal(machine, owner)?);
        let supported = machine.config.native_atomics && machine.config.can_access(accessor, owner);
        for index in 0..count as usize {
            // SAFETY: the C contract: both arrays have `count` entries.
            unsafe {
                if *operations.add(index) >= ATOMIC_OPERATIONS {
                    return Err(code::INVALID_VALUE);
                }
                capabilities.add(index).write(if supported { ALL_CAPABILITIES } else { 0 });
            }
        }
        Ok(())
    })
}
