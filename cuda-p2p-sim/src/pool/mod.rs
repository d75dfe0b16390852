//! Memory pools: made, granted, measured.
//!
//! Peer access does not cover a pool's memory; `cudaMemPoolSetAccess` does, pool by pool and device by device.

pub(crate) mod access;
pub(crate) mod alloc;
pub(crate) mod attributes;

use std::collections::BTreeSet;
use std::ffi::c_int;

use cuda_p2p_sys::{
    cudaError_t, cudaMemAllocationHandleType, cudaMemAllocationType, cudaMemLocationType, cudaMemPool_t,
    cudaMemPoolProps,
};

use crate::call::{Out, call};
use crate::device::{ordinal, pool_handle};
use crate::error::{Answer, code};
use crate::handle::{self, Kind};
use crate::ipc::pool::Import;
use crate::machine::{Machine, State};
use crate::space::PoolId;

/// Handle types that there are on Linux: none, file descriptors, and those of a fabric.
const HANDLE_TYPES: [u32; 3] = [0, 1, 8];
/// The most that a pool may take is rounded up to a multiple of so many bytes.
const STEP: usize = 32 << 20;

#[derive(Debug)]
pub(crate) struct Pool {
    device: usize,
    /// Devices that it was opened to, its own left out.
    grants: BTreeSet<usize>,
    /// The three reuse policies. Kept and told again; addresses are never reused while others are left.
    reuse: [c_int; 3],
    release_threshold: u64,
    used: u64,
    used_high: u64,
    /// What it took of its device: what is used, and what it keeps of what was freed.
    reserved: u64,
    reserved_high: u64,
    /// Most bytes that it may take of its device.
    max_size: u64,
    /// Live allocations.
    allocations: usize,
    /// It was destroyed, and goes away with its last allocation.
    destroyed: bool,
    /// Whether other processes may have it.
    pub(crate) shareable: bool,
    /// Whether they may have its memory: that is exported after the pool.
    pub(crate) exported: bool,
    /// Of another process, whose memory it takes no bytes of its device for.
    pub(crate) import: Option<Import>,
}

impl Pool {
    pub(crate) fn new(device: usize) -> Pool {
        Pool {
            device,
            grants: BTreeSet::new(),
            reuse: [1; 3],
            release_threshold: 0,
            used: 0,
            used_high: 0,
            reserved: 0,
            reserved_high: 0,
            max_size: u64::MAX,
            allocations: 0,
            destroyed: false,
            shareable: false,
            exported: false,
            import: None,
        }
    }

    pub(crate) fn is_destroyed(&self) -> bool {
        self.destroyed
    }

    /// One of another process.
    pub(crate) fn imported(device: usize, import: Import) -> Pool {
        Pool { import: Some(import), ..Pool::new(device) }
    }

    pub(crate) fn device(&self) -> usize {
        self.device
    }

    /// An allocation was made.
    pub(crate) fn took(&mut self, bytes: u64) {
        self.allocations += 1;
        self.used += bytes;
        self.used_high = self.used_high.max(self.used);
        self.reserved = self.reserved.max(self.used);
        self.reserved_high = self.reserved_high.max(self.reserved);
    }

    /// Whether it may take so many bytes more.
    fn has_room(&self, bytes: u64) -> bool {
        self.used.checked_add(bytes).is_some_and(|used| used <= self.max_size)
    }

    /// Keeps no more than so many bytes beyond what is used.
    fn keep(&mut self, bytes: u64) {
        self.reserved = self.used.max(self.reserved.min(bytes));
    }
}

/// The number behind a handle of a pool that was not destroyed.
pub(crate) fn find(state: &State, pool: cudaMemPool_t) -> Answer<u64> {
    let id = handle::id(Kind::Pool, pool).ok_or(code::INVALID_VALUE)?;
    match state.pools.get(&id) {
        Some(pool) if !pool.destroyed => Ok(id),
        _ => Err(code::INVALID_VALUE),
    }
}

/// An allocation of `pool` is gone.
pub(crate) fn gave_back(machine: &Machine, state: &mut State, pool: u64, charged: usize) {
    let Some(it) = state.pools.get_mut(&pool) else { return };
    if it.import.is_none() {
        it.used -= charged as u64;
    }
    it.allocations -= 1;
    it.keep(it.release_threshold);
    if it.destroyed && it.allocations == 0 {
        state.pools.remove(&pool);
        machine.space.forget_pool(PoolId(pool));
    }
}

pub(crate) unsafe extern "C" fn get_default_pool(place: *mut cudaMemPool_t, device: c_int) -> cudaError_t {
    call("cudaDeviceGetDefaultMemPool", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(place) }?;
        let device = ordinal(machine, device)?;
        out.set(pool_handle(machine.lock().devices[device].default_pool));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn get_pool(place: *mut cudaMemPool_t, device: c_int) -> cudaError_t {
    call("cudaDeviceGetMemPool", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(place) }?;
        let device = ordinal(machine, device)?;
        out.set(pool_handle(machine.lock().devices[device].pool));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn set_pool(device: c_int, pool: cudaMemPool_t) -> cudaError_t {
    call("cudaDeviceSetMemPool", |machine| {
        let device = ordinal(machine, device)?;
        let mut state = machine.lock();
        let pool = find(&state, pool)?;
        if state.pools[&pool].device != device {
            return Err(code::INVALID_VALUE);
        }
        state.devices[device].pool = pool;
        Ok(())
    })
}

/// Divergence from hardware: pools of host memory, and pools that can be exported other than by file descriptor, are error 801.
pub(crate) unsafe extern "C" fn pool_create(
    place: *mut cudaMemPool_t,
    props: *const cudaMemPoolProps,
) -> cudaError_t {
    call("cudaMemPoolCreate", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(place) }?;
        // SAFETY: the C contract: null, or the properties of the pool.
        let props = unsafe { props.as_ref() }.ok_or(code::INVALID_VALUE)?;
        if props.allocType != cudaMemAllocationType::cudaMemAllocationTypePinned {
            return Err(code::INVALID_VALUE);
        }
        if !HANDLE_TYPES.contains(&props.handleTypes.0) {
            return Err(code::INVALID_VALUE);
        }
        let shareable = [
            cudaMemAllocationHandleType::cudaMemHandleTypeNone,
            cudaMemAllocationHandleType::cudaMemHandleTypePosixFileDescriptor,
        ];
        if props.location.type_ != cudaMemLocationType::cudaMemLocationTypeDevice
            || !shareable.contains(&props.handleTypes)
        {
            return Err(code::NOT_SUPPORTED);
        }
        let max_size = props.max_size();
        if max_size > machine.config.memory_bytes {
            return Err(code::OUT_OF_MEMORY);
        }
        let device = ordinal(machine, props.location.id()).map_err(|_| code::INVALID_VALUE)?;
        let mut state = machine.lock();
        let id = state.handles.next();
        let mut pool = Pool::new(device);
        pool.shareable = props.handleTypes != cudaMemAllocationHandleType::cudaMemHandleTypeNone;
        if max_size > 0 {
            pool.max_size = max_size.next_multiple_of(STEP) as u64;
        }
        state.pools.insert(id, pool);
        out.set(pool_handle(id));
        Ok(())
    })
}

/// The pool's memory stays until it is freed; the handle is stale at once.
pub(crate) unsafe extern "C" fn pool_destroy(pool: cudaMemPool_t) -> cudaError_t {
    call("cudaMemPoolDestroy", |machine| {
        let mut state = machine.lock();
        let id = find(&state, pool)?;
        if state.devices.iter().any(|device| device.default_pool == id) {
            return Err(code::INVALID_VALUE);
        }
        for device in &mut state.devices {
            if device.pool == id {
                device.pool = device.default_pool;
            }
        }
        match state.pools.get_mut(&id) {
            Some(pool) if pool.allocations > 0 => pool.destroyed = true,
            _ => {
                state.pools.remove(&id);
                machine.space.forget_pool(PoolId(id));
            }
        }
        Ok(())
    })
}
