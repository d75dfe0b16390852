//! Stream-ordered allocation.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use cuda_p2p_sys::{cudaError_t, cudaMemPool_t, cudaStream_t};

use super::find;
use crate::call::{Out, call};
use crate::capture;
use crate::error::{Answer, code};
use crate::machine::{Machine, State};
use crate::memory::{self, Sort, pointer};
use crate::queue::Work;
use crate::stream;

/// The stream of an allocation or a free. Inside a capture either would be a node of the graph, which is not modelled.
fn uncaptured(state: &mut State, stream: cudaStream_t) -> Answer<u64> {
    let stream = stream::resolve(state, stream)?;
    if state.streams[&stream].capture.is_some() {
        return Err(code::NOT_SUPPORTED);
    }
    if !state.captures.is_empty() {
        capture::forbid(state)?;
    }
    Ok(stream)
}

/// The memory is there at once: a use that is not ordered behind the allocation is not noticed. One that is not ordered
/// before the free faults.
fn allocate(
    machine: &Arc<Machine>,
    place: *mut *mut c_void,
    size: usize,
    stream: cudaStream_t,
    choose: impl FnOnce(&State, usize) -> Answer<u64>,
) -> Answer {
    // SAFETY: the C contract: null, or a place for one pointer.
    let out = unsafe { Out::new(place) }?;
    let mut state = machine.lock();
    let stream = uncaptured(&mut state, stream)?;
    let id = choose(&state, stream::device_of(&state, stream))?;
    if size == 0 {
        out.set(ptr::null_mut());
        return Ok(());
    }
    let pool = &state.pools[&id];
    if pool.import.is_some() {
        return Err(code::INVALID_VALUE);
    }
    let device = pool.device;
    if pool.grants.iter().any(|&grantee| !machine.config.can_access(grantee, device)) {
        return Err(code::PEER_UNSUPPORTED);
    }
    let charged = memory::charge(size).unwrap_or(size) as u64;
    if !pool.has_room(charged) {
        return Err(code::OUT_OF_MEMORY);
    }
    let base = machine.allocate(&mut state, device, Some(id), size)?;
    if let Some(pool) = state.pools.get_mut(&id) {
        pool.took(charged);
    }
    stream::enqueue(machine, &mut state, stream, &[], Work::Marker)?;
    out.set(pointer(base));
    Ok(())
}

pub(crate) unsafe extern "C" fn malloc_async(
    place: *mut *mut c_void,
    size: usize,
    stream: cudaStream_t,
) -> cudaError_t {
    call("cudaMallocAsync", |machine| {
        allocate(machine, place, size, stream, |state, device| Ok(state.devices[device].pool))
    })
}

pub(crate) unsafe extern "C" fn malloc_from_pool_async(
    place: *mut *mut c_void,
    size: usize,
    pool: cudaMemPool_t,
    stream: cudaStream_t,
) -> cudaError_t {
    call("cudaMallocFromPoolAsync", |machine| {
        allocate(machine, place, size, stream, |state, _| find(state, pool))
    })
}

/// Takes memory of `cudaMalloc` too, as hardware does.
pub(crate) unsafe extern "C" fn free_async(place: *mut c_void, stream: cudaStream_t) -> cudaError_t {
    call("cudaFreeAsync", |machine| {
        if place.is_null() {
            return Ok(());
        }
        let base = place.addr();
        let mut state = machine.lock();
        let stream = uncaptured(&mut state, stream)?;
        match state.memory.at_mut(base).map(|it| &mut it.sort) {
            Some(Sort::Pooled { freed, .. }) if !*freed => *freed = true,
            Some(Sort::Plain) => {}
            _ => return Err(code::INVALID_VALUE),
        }
        stream::enqueue(machine, &mut state, stream, &[], Work::Release { base }).map(drop)
    })
}
