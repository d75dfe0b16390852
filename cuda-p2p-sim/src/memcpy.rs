//! The calls that copy and fill lines of bytes.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use cuda_p2p_sys::{cudaError_t, cudaMemcpyKind, cudaStream_t};

use crate::call::call;
use crate::capture;
use crate::context;
use crate::copy::check::{self, Side, classify};
use crate::copy::submit::{self, Request};
use crate::copy::{Fill, Layout, Shape};
use crate::device::ordinal;
use crate::error::{Answer, code};
use crate::machine::{Machine, State};
use crate::queue::Work;
use crate::stream;

/// The address of a C pointer whose memory the machine will use.
pub(crate) fn address(place: *const c_void) -> usize {
    place.expose_provenance()
}

fn line(dst: *mut c_void, src: *const c_void, count: usize) -> Request {
    let (dst, src) = (Layout::line(address(dst)), Layout::line(address(src)));
    Request { dst, src, shape: Shape::line(count), devices: None }
}

pub(crate) unsafe extern "C" fn memcpy(
    dst: *mut c_void,
    src: *const c_void,
    count: usize,
    kind: cudaMemcpyKind,
) -> cudaError_t {
    call("cudaMemcpy", |machine| {
        if count == 0 {
            return Ok(());
        }
        check::known(kind)?;
        submit::blocking(machine, line(dst, src, count), Some(kind))
    })
}

pub(crate) unsafe extern "C" fn memcpy_async(
    dst: *mut c_void,
    src: *const c_void,
    count: usize,
    kind: cudaMemcpyKind,
    stream: cudaStream_t,
) -> cudaError_t {
    call("cudaMemcpyAsync", |machine| {
        if count == 0 {
            return stream::resolve(&machine.lock(), stream).map(drop);
        }
        check::known(kind)?;
        submit::on_stream(machine, line(dst, src, count), Some(kind), stream)
    })
}

/// `cuMemcpyAsync`, of memory that the machine knows.
pub(crate) fn by_driver(
    machine: &Arc<Machine>,
    to: usize,
    from: usize,
    bytes: usize,
    stream: cudaStream_t,
) -> Answer {
    let (dst, src, shape) = (Layout::line(to), Layout::line(from), Shape::line(bytes));
    {
        let state = machine.lock();
        if bytes == 0 {
            return stream::resolve(&state, stream).map(drop);
        }
        for side in [dst, src] {
            if !classify(machine, &state, side, shape)?.is_known() {
                return Err(code::INVALID_VALUE);
            }
        }
    }
    let request = Request { dst, src, shape, devices: None };
    submit::on_stream(machine, request, Some(cudaMemcpyKind::cudaMemcpyDefault), stream)
}

/// Checks the device numbers of a peer copy. The pointers tell whose memory it is; these, who must have access to memory of pools and
/// to virtual memory.
pub(crate) fn check_devices(machine: &Machine, dst: c_int, src: c_int) -> Answer<[usize; 2]> {
    Ok([ordinal(machine, dst)?, ordinal(machine, src)?])
}

pub(crate) unsafe extern "C" fn memcpy_peer(
    dst: *mut c_void,
    dst_device: c_int,
    src: *const c_void,
    src_device: c_int,
    count: usize,
) -> cudaError_t {
    call("cudaMemcpyPeer", |machine| {
        if count == 0 {
            return Ok(());
        }
        let devices = Some(check_devices(machine, dst_device, src_device)?);
        submit::blocking(machine, Request { devices, ..line(dst, src, count) }, None)
    })
}

/// Into a captured stream it is error 900, and the capture is invalid, as on hardware.
pub(crate) unsafe extern "C" fn memcpy_peer_async(
    dst: *mut c_void,
    dst_device: c_int,
    src: *const c_void,
    src_device: c_int,
    count: usize,
    stream: cudaStream_t,
) -> cudaError_t {
    call("cudaMemcpyPeerAsync", |machine| {
        refuse_captured(machine, stream)?;
        if count == 0 {
            return Ok(());
        }
        let devices = Some(check_devices(machine, dst_device, src_device)?);
        submit::on_stream(machine, Request { devices, ..line(dst, src, count) }, None, stream)
    })
}

/// Refuses what a captured stream does not take.
pub(crate) fn refuse_captured(machine: &Machine, stream: cudaStream_t) -> Answer {
    let mut state = machine.lock();
    let id = stream::resolve(&state, stream)?;
    match state.streams[&id].capture {
        Some(_) => capture::fail(&mut state, id, code::CAPTURE_UNSUPPORTED),
        None => Ok(()),
    }
}

/// Fills on the legacy streams of the current device and the owner; returns before it is done, unless the memory is the
/// host's.
pub(crate) fn fill_blocking(machine: &Arc<Machine>, dst: Layout, shape: Shape, value: c_int) -> Answer {
    let mut state = machine.lock();
    let current = context::current_device();
    let side = fillable(machine, &state, dst, shape, current)?;
    let mut devices = vec![current];
    devices.extend(side.device().filter(|device| !devices.contains(device)));
    let work = Work::Fill(Fill::new(shape, dst, value as u8, current));
    let id = stream::enqueue_joint(machine, &mut state, &devices, work)?;
    match side {
        Side::Device(_) => Ok(()),
        _ => machine.wait_for(state, id).map(drop),
    }
}

/// Fills on one stream.
pub(crate) fn fill_on_stream(
    machine: &Arc<Machine>,
    dst: Layout,
    shape: Shape,
    value: c_int,
    stream: cudaStream_t,
) -> Answer {
    let mut state = machine.lock();
    let stream = stream::resolve(&state, stream)?;
    if shape.is_empty() {
        return Ok(());
    }
    let device = stream::device_of(&state, stream);
    let virtual_in_a_graph =
        state.streams[&stream].capture.is_some() && check::is_virtual(&state, dst.address);
    // Nobody asks who has access to virtual memory before a graph is launched.
    if virtual_in_a_graph {
        check::classify(machine, &state, dst, shape)?;
    } else {
        fillable(machine, &state, dst, shape, device)?;
    }
    let work = Work::Fill(Fill::new(shape, dst, value as u8, device));
    stream::enqueue(machine, &mut state, stream, &[], work).map(drop)
}

/// What `device` is to fill. It must be able to access it, as it does so itself.
fn fillable(machine: &Machine, state: &State, dst: Layout, shape: Shape, device: usize) -> Answer<Side> {
    let side = classify(machine, state, dst, shape)?;
    check::reaches(machine, state, device, dst, shape)?;
    let reaches = side.is_known() && machine.space.check(device, dst.address, 1).is_ok();
    if reaches { Ok(side) } else { Err(code::INVALID_VALUE) }
}

pub(crate) unsafe extern "C" fn memset(place: *mut c_void, value: c_int, count: usize) -> cudaError_t {
    call("cudaMemset", |machine| {
        if count == 0 {
            return Ok(());
        }
        fill_blocking(machine, Layout::line(address(place)), Shape::line(count), value)
    })
}

pub(crate) unsafe extern "C" fn memset_async(
    place: *mut c_void,
    value: c_int,
    count: usize,
    stream: cudaStream_t,
) -> cudaError_t {
    call("cudaMemsetAsync", |machine| {
        fill_on_stream(machine, Layout::line(address(place)), Shape::line(count), value, stream)
    })
}
