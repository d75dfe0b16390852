//! The calls that make, end and ask streams, and put a host function into one.

use std::ffi::{c_int, c_uint, c_ulonglong};

use cuda_p2p_sys::{cudaError_t, cudaHostFn_t, cudaStream_t};

use super::{Stream, StreamKind, enqueue, find, resolve, unfinished};
use crate::call::{Out, call};
use crate::capture::{self, Participation};
use crate::context;
use crate::error::{Answer, code};
use crate::handle::{self, Kind};
use crate::machine::{Guard, Machine, State};
use crate::queue::{HostCall, Work};

/// `cudaStreamNonBlocking`
const NON_BLOCKING: c_uint = 1;
/// Priorities that a stream can have, lowest and highest.
const PRIORITIES: (c_int, c_int) = (0, -5);

fn create(stream: *mut cudaStream_t, flags: c_uint, priority: c_int, machine: &Machine) -> Answer {
    // SAFETY: the C contract: null, or a place for one handle.
    let out = unsafe { Out::new(stream) }?;
    let kind = match flags {
        0 => StreamKind::Blocking,
        NON_BLOCKING => StreamKind::NonBlocking,
        _ => return Err(code::INVALID_VALUE),
    };
    let priority = priority.clamp(PRIORITIES.1, PRIORITIES.0);
    let mut state = machine.lock();
    let id = state.handles.next();
    if let Some(failure) = state.failure_here() {
        // As on hardware, the place is written all the same, with a handle that is none.
        out.set(handle::to_pointer(Kind::Stream, id));
        return Err(failure);
    }
    let device = context::current_device();
    state.streams.insert(id, Stream { device, kind, priority, tail: None, capture: None });
    out.set(handle::to_pointer(Kind::Stream, id));
    Ok(())
}

pub(crate) unsafe extern "C" fn stream_create(stream: *mut cudaStream_t) -> cudaError_t {
    call("cudaStreamCreate", |machine| create(stream, 0, 0, machine))
}

pub(crate) unsafe extern "C" fn stream_create_with_flags(
    stream: *mut cudaStream_t,
    flags: c_uint,
) -> cudaError_t {
    call("cudaStreamCreateWithFlags", |machine| create(stream, flags, 0, machine))
}

pub(crate) unsafe extern "C" fn stream_create_with_priority(
    stream: *mut cudaStream_t,
    flags: c_uint,
    priority: c_int,
) -> cudaError_t {
    call("cudaStreamCreateWithPriority", |machine| create(stream, flags, priority, machine))
}

/// Returns at once; what the stream holds is still done, and the legacy stream still waits for it.
pub(crate) unsafe extern "C" fn stream_destroy(stream: cudaStream_t) -> cudaError_t {
    call("cudaStreamDestroy", |machine| {
        let id = find(&machine.lock(), stream)?;
        let mut state = machine.usable()?;
        let stream = state.streams.remove(&id).ok_or(code::INVALID_HANDLE)?;
        if let Some(Participation { capture, .. }) = stream.capture {
            capture::abandon(&mut state, id, capture);
        }
        if stream.kind == StreamKind::Blocking {
            let State { queue, devices, .. } = &mut *state;
            let orphans = &mut devices[stream.device].orphans;
            orphans.extend(stream.tail);
            orphans.retain(|&op| queue.is_live(op));
        }
        Ok(())
    })
}

/// Locks the machine and finds a stream that is not being captured, for calls that look at its work.
fn idle_or_running(machine: &Machine, stream: cudaStream_t) -> Answer<(Guard<'_>, u64)> {
    let mut state = machine.lock();
    let id = resolve(&state, stream)?;
    if let Some(Participation { capture, .. }) = state.streams[&id].capture {
        capture::invalidate(&mut state, capture);
        return Err(code::CAPTURE_UNSUPPORTED);
    }
    capture::refuse_implicit(&mut state, id)?;
    capture::forbid(&mut state)?;
    Ok((state, id))
}

pub(crate) unsafe extern "C" fn stream_query(stream: cudaStream_t) -> cudaError_t {
    call("cudaStreamQuery", |machine| {
        let (mut state, id) = idle_or_running(machine, stream)?;
        if !unfinished(&state, id).is_empty() {
            state.queue.pressed();
            return Err(code::NOT_READY);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn stream_synchronize(stream: cudaStream_t) -> cudaError_t {
    call("cudaStreamSynchronize", |machine| {
        let (state, id) = idle_or_running(machine, stream)?;
        let before = unfinished(&state, id);
        machine.wait(state, |state| !before.iter().any(|&op| state.queue.is_live(op))).map(drop)
    })
}

/// Reads a fact of a stream into an out-parameter.
fn read<T>(
    stream: cudaStream_t,
    out: *mut T,
    machine: &Machine,
    fact: impl FnOnce(u64, &Stream) -> T,
) -> Answer {
    let state = machine.lock();
    let id = resolve(&state, stream)?;
    // SAFETY: the C contract: null, or a place for one value.
    let out = unsafe { Out::new(out) }?;
    out.set(fact(id, &state.streams[&id]));
    Ok(())
}

pub(crate) unsafe extern "C" fn stream_get_device(stream: cudaStream_t, device: *mut c_int) -> cudaError_t {
    call("cudaStreamGetDevice", |machine| read(stream, device, machine, |_, it| it.device as c_int))
}

pub(crate) unsafe extern "C" fn stream_get_flags(stream: cudaStream_t, flags: *mut c_uint) -> cudaError_t {
    let flag = |it: &Stream| if it.kind == StreamKind::NonBlocking { NON_BLOCKING } else { 0 };
    call("cudaStreamGetFlags", |machine| read(stream, flags, machine, |_, it| flag(it)))
}

pub(crate) unsafe extern "C" fn stream_get_id(stream: cudaStream_t, id: *mut c_ulonglong) -> cudaError_t {
    call("cudaStreamGetId", |machine| read(stream, id, machine, |id, _| id))
}

pub(crate) unsafe extern "C" fn stream_get_priority(
    stream: cudaStream_t,
    priority: *mut c_int,
) -> cudaError_t {
    call("cudaStreamGetPriority", |machine| read(stream, priority, machine, |_, it| it.priority))
}

pub(crate) unsafe extern "C" fn priority_range(least: *mut c_int, greatest: *mut c_int) -> cudaError_t {
    call("cudaDeviceGetStreamPriorityRange", |_| {
        // SAFETY: the C contract: each is null, if it is not wanted, or a place for one value.
        let (least, greatest) = unsafe { (Out::optional(least), Out::optional(greatest)) };
        least.into_iter().for_each(|out| out.set(PRIORITIES.0));
        greatest.into_iter().for_each(|out| out.set(PRIORITIES.1));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn launch_host_func(
    stream: cudaStream_t,
    function: cudaHostFn_t,
    data: *mut std::ffi::c_void,
) -> cudaError_t {
    call("cudaLaunchHostFunc", |machine| {
        let function = function.ok_or(code::INVALID_VALUE)?;
        let mut state = machine.lock();
        let id = resolve(&state, stream)?;
        let work = Work::Host(HostCall { function, data: data.expose_provenance() });
        enqueue(machine, &mut state, id, &[], work).map(drop)
    })
}
