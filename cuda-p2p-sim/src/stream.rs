//! Streams: which there are, and who waits for whom.

mod calls;

use std::ffi::c_int;
use std::sync::Arc;

use cuda_p2p_sys::cudaStream_t;

use crate::capture::{self, Participation};
use crate::context;
use crate::error::{Answer, code};
use crate::handle::{self, Kind};
use crate::machine::{Machine, State};
use crate::queue::{OpId, Work};
pub(crate) use calls::{
    launch_host_func, priority_range, stream_create, stream_create_with_flags, stream_create_with_priority,
    stream_destroy, stream_get_device, stream_get_flags, stream_get_id, stream_get_priority, stream_query,
    stream_synchronize,
};

/// `cudaStreamLegacy`
const LEGACY: usize = 1;
/// `cudaStreamPerThread`
pub(crate) const PER_THREAD: usize = 2;
/// How a stream stands to the legacy stream of its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamKind {
    /// The legacy stream itself: waits for the blocking ones, and they for it.
    Legacy,
    Blocking,
    NonBlocking,
}

#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) device: usize,
    pub(crate) kind: StreamKind,
    priority: c_int,
    tail: Option<OpId>,
    pub(crate) capture: Option<Participation>,
}

impl Stream {
    pub(crate) fn legacy(device: usize) -> Stream {
        Stream { device, kind: StreamKind::Legacy, priority: 0, tail: None, capture: None }
    }

    /// Takes part in that capture no more.
    pub(crate) fn leave(&mut self, capture: u64) {
        self.capture.take_if(|it| it.capture == capture);
    }
}

/// The stream behind a handle. Null and `cudaStreamLegacy` are the current device's legacy stream.
///
/// # Errors
/// 400 for a handle that is none; the code of the fault for a good one of a poisoned machine.
pub(crate) fn resolve(state: &State, stream: cudaStream_t) -> Answer<u64> {
    let id = match stream.addr() {
        0 | LEGACY => state.devices[context::current_device()].legacy,
        PER_THREAD => return Err(code::NOT_SUPPORTED),
        _ => find(state, stream)?,
    };
    match state.failure_here() {
        Some(failure) => Err(failure),
        None => Ok(id),
    }
}

/// The number behind the handle of a stream that a program made.
fn find(state: &State, stream: cudaStream_t) -> Answer<u64> {
    let id = handle::id(Kind::Stream, stream).ok_or(code::INVALID_HANDLE)?;
    if state.streams.contains_key(&id) { Ok(id) } else { Err(code::INVALID_HANDLE) }
}

/// The device that a stream belongs to.
pub(crate) fn device_of(state: &State, stream: u64) -> usize {
    state.streams[&stream].device
}

/// What the next operation of a stream waits for, before any event.
fn predecessors(state: &State, stream: u64) -> Vec<OpId> {
    let this = &state.streams[&stream];
    let device = &state.devices[this.device];
    let mut before: Vec<OpId> = this.tail.into_iter().collect();
    match this.kind {
        StreamKind::NonBlocking => {}
        StreamKind::Blocking => before.extend(state.streams[&device.legacy].tail),
        StreamKind::Legacy => {
            let blocking = |it: &&Stream| it.device == this.device && it.kind == StreamKind::Blocking;
            before.extend(state.streams.values().filter(blocking).filter_map(|it| it.tail));
            before.extend(&device.orphans);
        }
    }
    before.retain(|&op| state.queue.is_live(op));
    before
}

/// Adds an operation to a stream, behind `after` too; or a node to the graph, if the stream is being captured: then there is
/// no operation to wait for.
pub(crate) fn enqueue(
    machine: &Arc<Machine>,
    state: &mut State,
    stream: u64,
    after: &[OpId],
    work: Work,
) -> Answer<Option<OpId>> {
    let device = device_of(state, stream);
    if state.streams[&stream].capture.is_some() {
        capture::add_node(state, stream, work)?;
        return Ok(None);
    }
    capture::refuse_implicit(state, stream)?;
    let mut before = predecessors(state, stream);
    before.extend(after);
    let id = machine.submit(state, (device, &[device]), stream, &before, work)?;
    if let Some(stream) = state.streams.get_mut(&stream) {
        stream.tail = Some(id);
    }
    Ok(Some(id))
}

/// Adds an operation that belongs to the legacy streams of several devices at once; the first of them does it.
pub(crate) fn enqueue_joint(
    machine: &Arc<Machine>,
    state: &mut State,
    devices: &[usize],
    work: Work,
) -> Answer<OpId> {
    let legacy: Vec<u64> = devices.iter().map(|&device| state.devices[device].legacy).collect();
    let mut before = Vec::new();
    for &stream in &legacy {
        capture::refuse_implicit(state, stream)?;
        before.extend(predecessors(state, stream));
    }
    let id = machine.submit(state, (devices[0], devices), legacy[0], &before, work)?;
    for stream in legacy {
        if let Some(stream) = state.streams.get_mut(&stream) {
            stream.tail = Some(id);
        }
    }
    Ok(id)
}

/// The operations that must be done for a stream to be idle. What a blocking stream's next operation would wait for in the
/// legacy stream is none of them.
fn unfinished(state: &State, stream: u64) -> Vec<OpId> {
    let this = &state.streams[&stream];
    if this.kind == StreamKind::Legacy {
        return predecessors(state, stream);
    }
    this.tail.into_iter().filter(|&op| state.queue.is_live(op)).collect()
}

/// Takes away all streams of a device.
pub(crate) fn forget_device(state: &mut State, device: usize) {
    let own: Vec<u64> =
        state.streams.iter().filter(|(_, it)| it.device == device).map(|(&id, _)| id).collect();
    for id in own {
        if let Some(Stream { capture: Some(Participation { capture, .. }), .. }) = state.streams.remove(&id) {
            capture::abandon(state, id, capture);
        }
    }
}
