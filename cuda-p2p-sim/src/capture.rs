//! Stream capture: calls on a captured stream become nodes of a graph.

use std::collections::BTreeSet;

use cuda_p2p_sys::{cudaError_t, cudaGraph_t, cudaStream_t, cudaStreamCaptureMode, cudaStreamCaptureStatus};

use crate::call::{Out, call};
use crate::context;
use crate::error::{Answer, code};
use crate::graph::{Graph, Node};
use crate::handle::{self, Kind};
use crate::machine::State;
use crate::queue::Work;
use crate::stream::{self, StreamKind};

const GLOBAL: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeGlobal;
const THREAD_LOCAL: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeThreadLocal;
const RELAXED: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed;

/// A capture between its begin and its end.
#[derive(Debug)]
pub(crate) struct Capture {
    origin: u64,
    mode: cudaStreamCaptureMode,
    thread: u64,
    nodes: Vec<Node>,
    invalid: bool,
}

/// How a stream takes part in a capture.
#[derive(Clone, Debug)]
pub(crate) struct Participation {
    pub(crate) capture: u64,
    /// Nodes that the stream's next one follows.
    frontier: Vec<usize>,
}

/// Marks a capture as failed: all that is left is to end it, with error 901.
pub(crate) fn invalidate(state: &mut State, capture: u64) {
    if let Some(capture) = state.captures.get_mut(&capture) {
        capture.invalid = true;
    }
}

/// A stream that takes part in a capture is going away. Without its origin, a capture cannot be ended any more.
pub(crate) fn abandon(state: &mut State, stream: u64, capture: u64) {
    match state.captures.get_mut(&capture) {
        Some(it) if it.origin != stream => it.invalid = true,
        _ => {
            state.captures.remove(&capture);
            state.streams.values_mut().for_each(|it| it.leave(capture));
        }
    }
}

/// Invalidates the capture of `stream`, if it has one, and fails with `code`.
pub(crate) fn fail(state: &mut State, stream: u64, code: cudaError_t) -> Answer {
    if let Some(Participation { capture, .. }) = state.streams[&stream].capture {
        invalidate(state, capture);
    }
    Err(code)
}

/// Refuses a call that may not be made while streams are captured, and invalidates the captures that forbid it: those of
/// this thread, and those of any in global mode; neither if they, or the thread, are in relaxed mode.
pub(crate) fn forbid(state: &mut State) -> Answer {
    let (mode, thread) = (context::capture_mode(), context::thread_id());
    let mut forbidden = false;
    for capture in state.captures.values_mut() {
        let own = capture.thread == thread && capture.mode != RELAXED;
        if mode != RELAXED && (own || mode != THREAD_LOCAL && capture.mode == GLOBAL) {
            capture.invalid = true;
            forbidden = true;
        }
    }
    if forbidden { Err(code::CAPTURE_UNSUPPORTED) } else { Ok(()) }
}

/// Refuses to wait for a device of which a stream is captured, in whatever modes: that stream's work would never be done.
pub(crate) fn refuse_to_wait(state: &mut State, device: usize) -> Answer {
    let captured: Vec<u64> = state
        .streams
        .values()
        .filter(|it| it.device == device)
        .filter_map(|it| Some(it.capture.as_ref()?.capture))
        .collect();
    captured.iter().for_each(|&capture| invalidate(state, capture));
    if captured.is_empty() { Ok(()) } else { Err(code::CAPTURE_UNSUPPORTED) }
}

/// Refuses to make the legacy stream wait for a blocking stream that is captured.
pub(crate) fn refuse_implicit(state: &mut State, stream: u64) -> Answer {
    let this = &state.streams[&stream];
    if state.captures.is_empty() || this.kind != StreamKind::Legacy {
        return Ok(());
    }
    let device = this.device;
    let captured: Vec<u64> = state
        .streams
        .values()
        .filter(|it| it.device == device && it.kind == StreamKind::Blocking)
        .filter_map(|it| Some(it.capture.as_ref()?.capture))
        .collect();
    captured.iter().for_each(|&capture| invalidate(state, capture));
    if captured.is_empty() { Ok(()) } else { Err(code::CAPTURE_IMPLICIT) }
}

/// Where a captured stream stands; `None` if the stream is not captured.
pub(crate) fn point(state: &State, stream: u64) -> Answer<Option<(u64, Vec<usize>)>> {
    let Some(Participation { capture, frontier }) = &state.streams[&stream].capture else { return Ok(None) };
    match state.captures.get(capture) {
        Some(it) if !it.invalid => Ok(Some((*capture, frontier.clone()))),
        _ => Err(code::CAPTURE_INVALIDATED),
    }
}

/// Adds a node to the capture of a stream.
pub(crate) fn add_node(state: &mut State, stream: u64, work: Work) -> Answer {
    let Some((capture, after)) = point(state, stream)? else { return Err(code::ILLEGAL_STATE) };
    let handle = state.handles.next();
    let Some(this) = state.streams.get_mut(&stream) else { return Err(code::INVALID_HANDLE) };
    let Some(capture) = state.captures.get_mut(&capture) else { return Err(code::CAPTURE_INVALIDATED) };
    this.capture.iter_mut().for_each(|it| it.frontier = vec![capture.nodes.len()]);
    capture.nodes.push(Node { handle, device: this.device, work, after });
    Ok(())
}

/// Lets a stream wait for a point of a capture: it takes part from there on.
pub(crate) fn join(state: &mut State, stream: u64, capture: u64, frontier: &[usize]) -> Answer {
    match state.captures.get(&capture) {
        Some(it) if it.invalid => return Err(code::CAPTURE_INVALIDATED),
        Some(_) => {}
        // The capture that the event belongs to is over: its point lies in no stream.
        None => return fail(state, stream, code::CAPTURED_EVENT),
    }
    let this = &state.streams[&stream];
    let joined = match &this.capture {
        None if this.kind == StreamKind::Legacy => {
            invalidate(state, capture);
            return Err(code::CAPTURE_IMPLICIT);
        }
        None => frontier.iter().copied().collect(),
        Some(own) if own.capture == capture => own.frontier.iter().chain(frontier).copied().collect(),
        Some(_) => {
            invalidate(state, capture);
            return fail(state, stream, code::CAPTURE_MERGE);
        }
    };
    let joined: BTreeSet<usize> = joined;
    let frontier = joined.into_iter().collect();
    if let Some(this) = state.streams.get_mut(&stream) {
        this.capture = Some(Participation { capture, frontier });
    }
    Ok(())
}

pub(crate) unsafe extern "C" fn stream_begin_capture(
    stream: cudaStream_t,
    mode: cudaStreamCaptureMode,
) -> cudaError_t {
    call("cudaStreamBeginCapture", |machine| {
        let mut state = machine.lock();
        let id = stream::resolve(&state, stream)?;
        if ![GLOBAL, THREAD_LOCAL, RELAXED].contains(&mode) {
            return Err(code::INVALID_VALUE);
        }
        let number = state.handles.next();
        let State { streams, captures, .. } = &mut *state;
        let Some(stream) = streams.get_mut(&id) else { return Err(code::INVALID_HANDLE) };
        if stream.kind == StreamKind::Legacy {
            return Err(code::CAPTURE_UNSUPPORTED);
        }
        if stream.capture.is_some() {
            return Err(code::ILLEGAL_STATE);
        }
        stream.capture = Some(Participation { capture: number, frontier: Vec::new() });
        let thread = context::thread_id();
        captures.insert(number, Capture { origin: id, mode, thread, nodes: Vec::new(), invalid: false });
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn stream_end_capture(
    stream: cudaStream_t,
    graph: *mut cudaGraph_t,
) -> cudaError_t {
    call("cudaStreamEndCapture", |machine| {
        let mut state = machine.lock();
        let id = stream::resolve(&state, stream)?;
        // SAFETY: the C contract: null, if it is not wanted, or a place for one handle.
        let out = unsafe { Out::optional(graph) };
        let Some(number) = state.streams[&id].capture.as_ref().map(|it| it.capture) else {
            return Err(code::ILLEGAL_STATE);
        };
        let Some(capture) = state.captures.get_mut(&number) else { return Err(code::ILLEGAL_STATE) };
        if capture.origin != id {
            capture.invalid = true;
            return Err(code::CAPTURE_UNMATCHED);
        }
        let foreign = capture.mode != RELAXED && capture.thread != context::thread_id();
        out.into_iter().for_each(|out| out.set(std::ptr::null_mut()));
        let joined = all_joined(&state, number);
        let Some(capture) = state.captures.remove(&number) else { return Err(code::ILLEGAL_STATE) };
        state.streams.values_mut().for_each(|it| it.leave(number));
        if foreign {
            return Err(code::CAPTURE_WRONG_THREAD);
        }
        if capture.invalid {
            return Err(code::CAPTURE_INVALIDATED);
        }
        if !joined {
            return Err(code::CAPTURE_UNJOINED);
        }
        // Without a place for it, the graph is lost.
        if let Some(out) = out {
            let graph = state.handles.next();
            state.graphs.insert(graph, Graph { nodes: capture.nodes });
            out.set(handle::to_pointer(Kind::Graph, graph));
        }
        Ok(())
    })
}

/// Whether the origin of a capture waits for all that other streams put into it.
fn all_joined(state: &State, number: u64) -> bool {
    let Some(capture) = state.captures.get(&number) else { return false };
    let taking_part = |it: &Participation| it.capture == number;
    let frontier_of = |stream: u64| state.streams[&stream].capture.iter().flat_map(|it| it.frontier.clone());
    let mut reached: BTreeSet<usize> = BTreeSet::new();
    let mut open: Vec<usize> = frontier_of(capture.origin).collect();
    while let Some(node) = open.pop() {
        if reached.insert(node) {
            open.extend(&capture.nodes[node].after);
        }
    }
    let mut others = state.streams.values().filter_map(|it| it.capture.as_ref()).filter(|it| taking_part(it));
    others.all(|it| it.frontier.iter().all(|node| reached.contains(node)))
}

pub(crate) unsafe extern "C" fn stream_is_capturing(
    stream: cudaStream_t,
    status: *mut cudaStreamCaptureStatus,
) -> cudaError_t {
    call("cudaStreamIsCapturing", |machine| {
        let mut state = machine.lock();
        let id = stream::resolve(&state, stream)?;
        // SAFETY: the C contract: null, or a place for one value.
        let out = unsafe { Out::new(status) }?;
        refuse_implicit(&mut state, id)?;
        out.set(match &state.streams[&id].capture {
            None => cudaStreamCaptureStatus::cudaStreamCaptureStatusNone,
            Some(it) if state.captures.get(&it.capture).is_some_and(|capture| !capture.invalid) => {
                cudaStreamCaptureStatus::cudaStreamCaptureStatusActive
            }
            Some(_) => cudaStreamCaptureStatus::cudaStreamCaptureStatusInvalidated,
        });
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn thread_exchange_mode(mode: *mut cudaStreamCaptureMode) -> cudaError_t {
    call("cudaThreadExchangeStreamCaptureMode", |_| {
        // SAFETY: the C contract: null, or the place of one mode, which is read and then written.
        let (out, wanted) = unsafe { (Out::new(mode)?, *mode) };
        // Any number is taken, as on hardware; one that is no mode allows what the strictest does.
        out.set(context::exchange_capture_mode(wanted));
        Ok(())
    })
}
