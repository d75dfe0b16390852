//! Devices: which there are, which is current, and what one holds.

use std::collections::BTreeSet;
use std::ffi::{c_int, c_uint};

use cuda_p2p_sys::{CUDART_VERSION, cudaError_t, cudaLimit};

use crate::call::{Out, call, told};
use crate::error::{Answer, code};
use crate::handle;
use crate::machine::{Machine, State};
use crate::pool::Pool;
use crate::queue::OpId;
use crate::start;
use crate::stream::{self, Stream};
use crate::{capture, context};

/// Sizes that `cudaDeviceGetLimit` tells before any is set: stack, printf, heap, sync depth, pending launches, L2 fetch,
/// persisting L2.
const LIMITS: [Option<usize>; 7] =
    [Some(1024), Some(7 << 20), Some(8 << 20), None, Some(2048), Some(64), Some(0)];
/// `cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops`
const FLAGS: c_uint = 7 | 8 | 16 | 128;
/// `cudaDeviceMapHost`, which is always on.
const MAP_HOST: c_uint = 8;

/// What one device holds.
#[derive(Debug)]
pub(crate) struct Device {
    /// Its legacy stream.
    pub(crate) legacy: u64,
    /// Last operations of blocking streams that were destroyed before those were done.
    pub(crate) orphans: Vec<OpId>,
    /// Bytes allocated.
    pub(crate) used: usize,
    /// Devices whose memory it was given access to.
    pub(crate) peers: BTreeSet<usize>,
    pub(crate) default_pool: u64,
    pub(crate) pool: u64,
    /// The process has a context of it: made by the first call that needs one.
    pub(crate) has_context: bool,
    flags: c_uint,
    limits: [Option<usize>; 7],
}

impl Device {
    /// A fresh device; its streams and pools go into `state`.
    pub(crate) fn new(state: &mut State, ordinal: usize) -> Device {
        let (legacy, pool) = (state.handles.next(), state.handles.next());
        state.streams.insert(legacy, Stream::legacy(ordinal));
        state.pools.insert(pool, Pool::new(ordinal));
        Device {
            legacy,
            orphans: Vec::new(),
            used: 0,
            peers: BTreeSet::new(),
            default_pool: pool,
            pool,
            has_context: false,
            flags: 0,
            limits: LIMITS,
        }
    }
}

/// Checks an ordinal.
pub(crate) fn ordinal(machine: &Machine, device: c_int) -> Answer<usize> {
    match usize::try_from(device) {
        Ok(ordinal) if ordinal < machine.config.devices => Ok(ordinal),
        _ => Err(code::INVALID_DEVICE),
    }
}

fn put<T>(place: *mut T, value: T) -> Answer {
    // SAFETY: the C contract of the callers' out-parameters: null, or a place for one value.
    unsafe { Out::new(place) }?.set(value);
    Ok(())
}

/// Answers in a forked child too, with what the parent had.
pub(crate) unsafe extern "C" fn get_device_count(count: *mut c_int) -> cudaError_t {
    if let Some((devices, _)) = start::inherited() {
        return told(put(count, devices as c_int));
    }
    call("cudaGetDeviceCount", |machine| put(count, machine.config.devices as c_int))
}

pub(crate) unsafe extern "C" fn get_device(device: *mut c_int) -> cudaError_t {
    call("cudaGetDevice", |_| put(device, context::current_device() as c_int))
}

/// In a process that a fault has poisoned there are no more contexts: a device without one becomes the current one, and is not
/// available.
pub(crate) unsafe extern "C" fn set_device(device: c_int) -> cudaError_t {
    call("cudaSetDevice", |machine| {
        let ordinal = ordinal(machine, device)?;
        context::set_current_device(ordinal);
        let mut state = machine.lock();
        if state.failure.is_some() && !state.devices[ordinal].has_context {
            return Err(code::DEVICES_UNAVAILABLE);
        }
        state.devices[ordinal].has_context = true;
        context::set_bound(true);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn init_device(
    device: c_int,
    _device_flags: c_uint,
    _flags: c_uint,
) -> cudaError_t {
    call("cudaInitDevice", |machine| ordinal(machine, device).map(drop))
}

pub(crate) unsafe extern "C" fn device_synchronize() -> cudaError_t {
    call("cudaDeviceSynchronize", |machine| {
        let (mut state, device) = (machine.lock(), context::current_device());
        capture::refuse_to_wait(&mut state, device)?;
        machine.wait_for_device(state, device).map(drop)
    })
}

/// Told in a forked child too.
pub(crate) unsafe extern "C" fn runtime_get_version(version: *mut c_int) -> cudaError_t {
    if let Some((_, runtime)) = start::inherited() {
        return told(put(version, runtime));
    }
    call("cudaRuntimeGetVersion", |machine| put(version, machine.config.runtime.version()))
}

/// The driver is of the release of the headers which the bindings came from, whatever the runtime is.
pub(crate) unsafe extern "C" fn driver_get_version(version: *mut c_int) -> cudaError_t {
    call("cudaDriverGetVersion", |_| put(version, CUDART_VERSION as c_int))
}

pub(crate) unsafe extern "C" fn get_device_flags(flags: *mut c_uint) -> cudaError_t {
    call("cudaGetDeviceFlags", |machine| {
        put(flags, machine.lock().devices[context::current_device()].flags | MAP_HOST)
    })
}

pub(crate) unsafe extern "C" fn set_device_flags(flags: c_uint) -> cudaError_t {
    call("cudaSetDeviceFlags", |machine| {
        if flags & !FLAGS != 0 || ![0, 1, 2, 4].contains(&(flags & 7)) {
            return Err(code::INVALID_VALUE);
        }
        machine.lock().devices[context::current_device()].flags = flags;
        Ok(())
    })
}

fn limit_index(limit: cudaLimit) -> Answer<usize> {
    match usize::try_from(limit.0) {
        Ok(index) if index < LIMITS.len() && LIMITS[index].is_some() => Ok(index),
        Ok(index) if index < LIMITS.len() => Err(code::UNSUPPORTED_LIMIT),
        _ => Err(code::INVALID_VALUE),
    }
}

pub(crate) unsafe extern "C" fn get_limit(value: *mut usize, limit: cudaLimit) -> cudaError_t {
    call("cudaDeviceGetLimit", |machine| {
        let index = limit_index(limit)?;
        put(value, machine.lock().devices[context::current_device()].limits[index].unwrap_or(0))
    })
}

/// The value is kept and told again; it changes nothing on the simulated device.
pub(crate) unsafe extern "C" fn set_limit(limit: cudaLimit, value: usize) -> cudaError_t {
    call("cudaDeviceSetLimit", |machine| {
        let index = limit_index(limit)?;
        machine.lock().devices[context::current_device()].limits[index] = Some(value);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn graph_mem_trim(device: c_int) -> cudaError_t {
    call("cudaDeviceGraphMemTrim", |machine| ordinal(machine, device).map(drop))
}

/// Waits for the current device, then takes from it what it holds: memory, streams, events, peer access in both directions. The
/// handles are stale from then on. Pools and virtual memory stay, as they do on hardware.
pub(crate) unsafe extern "C" fn device_reset() -> cudaError_t {
    call("cudaDeviceReset", |machine| {
        context::set_bound(false);
        let mut state = machine.lock();
        if state.failure.is_some() {
            // Hardware, too, says yes, and then has no device to offer.
            state.failure = Some(code::DEVICES_UNAVAILABLE);
            return Ok(());
        }
        drop(state);
        reset(machine, context::current_device())
    })
}

/// Takes from a device what it holds.
pub(crate) fn reset(machine: &Machine, device: usize) -> Answer {
    let mut state = machine.wait_for_device(machine.lock(), device)?;
    for base in state.memory.of_device(device) {
        machine.release(&mut state, base)?;
    }
    stream::forget_device(&mut state, device);
    state.events.retain(|_, event| event.device() != device);
    for other in 0..state.devices.len() {
        for (accessor, owner) in [(device, other), (other, device)] {
            if state.devices[accessor].peers.remove(&owner) {
                machine.space.set_peer(accessor, owner, false);
            }
        }
    }
    let legacy = state.handles.next();
    state.streams.insert(legacy, Stream::legacy(device));
    // Its pools stay, and what they gave.
    let it = &mut state.devices[device];
    (it.legacy, it.orphans, it.flags, it.limits) = (legacy, Vec::new(), 0, LIMITS);
    Ok(())
}

/// The handle of a device's pool.
pub(crate) fn pool_handle<T>(pool: u64) -> *mut T {
    handle::to_pointer(handle::Kind::Pool, pool)
}
