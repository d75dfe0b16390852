//! Events: points in a stream that others wait for.

use std::ffi::c_uint;
use std::sync::Arc;
use std::time::Instant;

use cuda_p2p_sys::{cudaError_t, cudaEvent_t, cudaStream_t};

use crate::call::{Out, call};
use crate::capture;
use crate::context;
use crate::error::{Answer, code};
use crate::handle::{self, Kind};
use crate::ipc::{board::Entry, event::Signal};
use crate::machine::{Guard, Machine, State};
use crate::queue::{OpId, Work};
use crate::stream;

/// `cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess`
const FLAGS: c_uint = 7;
const DISABLE_TIMING: c_uint = 2;
const INTERPROCESS: c_uint = 4;
/// `cudaEventRecordExternal` and `cudaEventWaitExternal`
const EXTERNAL: c_uint = 1;

/// What an event last marked.
#[derive(Debug)]
enum Mark {
    /// It was never recorded.
    Never,
    /// A point of a stream; the time once that was reached.
    Point { op: OpId, at: Option<Instant> },
    /// A point of a capture: nodes of its graph.
    Captured { capture: u64, frontier: Vec<usize> },
}

#[derive(Debug)]
pub(crate) struct Event {
    device: usize,
    flags: c_uint,
    mark: Mark,
    /// Where other processes see it, if it is for them or of one.
    shared: Option<Arc<Entry>>,
}

impl Event {
    /// The operation that marks the event was reached. An event that was recorded again since marks a later one.
    pub(crate) fn happened(&mut self, id: OpId, now: Instant) {
        if let Mark::Point { op, at } = &mut self.mark
            && *op == id
        {
            *at = Some(now);
        }
    }

    pub(crate) fn device(&self) -> usize {
        self.device
    }

    /// One of another process, which has no handle here for a third.
    pub(crate) fn opened(device: usize, entry: Arc<Entry>) -> Event {
        Event { device, flags: DISABLE_TIMING, mark: Mark::Never, shared: Some(entry) }
    }

    /// Its entry of this process's board, if it was made for other processes.
    pub(crate) fn own_entry(&self) -> Option<&Entry> {
        self.shared.as_deref().filter(|_| self.flags & INTERPROCESS != 0)
    }
}

fn create(event: *mut cudaEvent_t, flags: c_uint, machine: &Machine) -> Answer {
    // SAFETY: the C contract: null, or a place for one handle.
    let out = unsafe { Out::new(event) }?;
    if flags & !FLAGS != 0 || flags & INTERPROCESS != 0 && flags & DISABLE_TIMING == 0 {
        return Err(code::INVALID_VALUE);
    }
    let shared = match flags & INTERPROCESS {
        0 => None,
        _ => Some(Arc::new(machine.space.board().claim().ok_or(code::OUT_OF_MEMORY)?)),
    };
    let mut state = machine.lock();
    let id = state.handles.next();
    let device = context::current_device();
    state.events.insert(id, Event { device, flags, mark: Mark::Never, shared });
    out.set(handle::to_pointer(Kind::Event, id));
    Ok(())
}

pub(crate) fn find(state: &State, event: cudaEvent_t) -> Answer<(u64, &Event)> {
    let id = handle::id(Kind::Event, event).ok_or(code::INVALID_HANDLE)?;
    Ok((id, state.events.get(&id).ok_or(code::INVALID_HANDLE)?))
}

pub(crate) unsafe extern "C" fn event_create(event: *mut cudaEvent_t) -> cudaError_t {
    call("cudaEventCreate", |machine| create(event, 0, machine))
}

pub(crate) unsafe extern "C" fn event_create_with_flags(
    event: *mut cudaEvent_t,
    flags: c_uint,
) -> cudaError_t {
    call("cudaEventCreateWithFlags", |machine| create(event, flags, machine))
}

/// Streams that were told to wait for the event go on to wait.
pub(crate) unsafe extern "C" fn event_destroy(event: cudaEvent_t) -> cudaError_t {
    call("cudaEventDestroy", |machine| {
        let mut state = machine.lock();
        let (id, _) = find(&state, event)?;
        state.events.remove(&id);
        Ok(())
    })
}

pub(crate) fn record(
    event: cudaEvent_t,
    stream: cudaStream_t,
    flags: c_uint,
    machine: &Arc<Machine>,
) -> Answer {
    let mut state = machine.lock();
    let (id, it) = find(&state, event)?;
    let (device, shared) = (it.device, it.shared.clone());
    let stream = stream::resolve(&state, stream)?;
    if flags > EXTERNAL {
        return Err(code::INVALID_VALUE);
    }
    if device != stream::device_of(&state, stream) {
        return Err(code::INVALID_HANDLE);
    }
    if flags == EXTERNAL {
        // An event node of a graph, which is not modelled; outside of a capture there is no graph.
        let captured = state.streams[&stream].capture.is_some();
        return Err(if captured { code::NOT_SUPPORTED } else { code::ILLEGAL_STATE });
    }
    if shared.is_some() && state.streams[&stream].capture.is_some() {
        // No graph holds a record for another process; the capture goes on.
        return Err(code::CAPTURE_UNSUPPORTED);
    }
    let mark = match capture::point(&state, stream)? {
        Some((capture, frontier)) => Mark::Captured { capture, frontier },
        None => {
            let signal = shared.as_ref().map(Signal::new);
            let work = Work::Record { event: id, signal: signal.clone() };
            let Some(op) = (match stream::enqueue(machine, &mut state, stream, &[], work) {
                Ok(op) => op,
                Err(code) => {
                    signal.iter().for_each(Signal::withdraw);
                    return Err(code);
                }
            }) else {
                return Err(code::CAPTURE_INVALIDATED);
            };
            // A stream with nothing in it has reached the point already.
            let at = (!state.queue.is_live(op)).then(Instant::now);
            Mark::Point { op, at }
        }
    };
    if let Some(event) = state.events.get_mut(&id) {
        event.mark = mark;
    }
    Ok(())
}

pub(crate) unsafe extern "C" fn event_record(event: cudaEvent_t, stream: cudaStream_t) -> cudaError_t {
    call("cudaEventRecord", |machine| record(event, stream, 0, machine))
}

pub(crate) unsafe extern "C" fn event_record_with_flags(
    event: cudaEvent_t,
    stream: cudaStream_t,
    flags: c_uint,
) -> cudaError_t {
    call("cudaEventRecordWithFlags", |machine| record(event, stream, flags, machine))
}

pub(crate) unsafe extern "C" fn stream_wait_event(
    stream: cudaStream_t,
    event: cudaEvent_t,
    flags: c_uint,
) -> cudaError_t {
    call("cudaStreamWaitEvent", |machine| {
        if flags > EXTERNAL {
            return Err(code::INVALID_VALUE);
        }
        let mut state = machine.lock();
        let stream = stream::resolve(&state, stream)?;
        let (_, it) = find(&state, event)?;
        if flags == EXTERNAL {
            return Err(code::NOT_SUPPORTED);
        }
        if let Some(entry) = &it.shared {
            let signal = Signal::last(entry);
            if it.device != stream::device_of(&state, stream) {
                // Hardware's library ends the process here.
                return Err(code::INVALID_HANDLE);
            }
            if state.streams[&stream].capture.is_some() {
                return capture::fail(&mut state, stream, code::CAPTURE_UNSUPPORTED);
            }
            // Whichever process recorded last.
            return match signal.is_sent() {
                true => Ok(()),
                false => stream::enqueue(machine, &mut state, stream, &[], Work::Await(signal)).map(drop),
            };
        }
        match &it.mark {
            Mark::Captured { capture, frontier } => {
                let (capture, frontier) = (*capture, frontier.clone());
                capture::join(&mut state, stream, capture, &frontier)
            }
            Mark::Never => Ok(()),
            Mark::Point { .. } if state.streams[&stream].capture.is_some() => {
                capture::fail(&mut state, stream, code::CAPTURE_ISOLATION)
            }
            Mark::Point { op, .. } => {
                let op = *op;
                stream::enqueue(machine, &mut state, stream, &[op], Work::Marker).map(drop)
            }
        }
    })
}

/// What an event marks, if it is not reached yet.
enum Pending {
    /// An operation of this process.
    Op(OpId),
    /// A record of an event that several processes have.
    Signal(Signal),
}

/// To ask so of a captured event invalidates the capture (907), and of any other those that forbid it (900).
fn pending(state: &mut State, event: cudaEvent_t) -> Answer<Option<Pending>> {
    let it = find(state, event)?.1;
    let mark = match (&it.mark, &it.shared) {
        (Mark::Captured { capture, .. }, _) => {
            let capture = *capture;
            capture::invalidate(state, capture);
            return Err(code::CAPTURED_EVENT);
        }
        (_, Some(entry)) => Some(Pending::Signal(Signal::last(entry))),
        (Mark::Never, None) => None,
        (Mark::Point { op, .. }, None) => Some(Pending::Op(*op)),
    };
    capture::forbid(state)?;
    Ok(mark.filter(|mark| match mark {
        Pending::Op(op) => state.queue.is_live(*op),
        Pending::Signal(signal) => !signal.is_sent(),
    }))
}

pub(crate) unsafe extern "C" fn event_query(event: cudaEvent_t) -> cudaError_t {
    call("cudaEventQuery", |machine| {
        let mut state = machine.lock();
        if pending(&mut state, event)?.is_some() {
            state.queue.pressed();
            return Err(code::NOT_READY);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn event_synchronize(event: cudaEvent_t) -> cudaError_t {
    call("cudaEventSynchronize", |machine| {
        let mut state: Guard<'_> = machine.lock();
        match pending(&mut state, event)? {
            Some(Pending::Op(op)) => machine.wait_for(state, op).map(drop),
            Some(Pending::Signal(signal)) => machine.wait_outside(state, || signal.is_sent()).map(drop),
            None => Ok(()),
        }
    })
}

/// The times are those of the host's processor: they tell an order, and nothing of a GPU.
pub(crate) unsafe extern "C" fn event_elapsed_time(
    ms: *mut f32,
    start: cudaEvent_t,
    end: cudaEvent_t,
) -> cudaError_t {
    call("cudaEventElapsedTime", |machine| {
        // SAFETY: the C contract: null, or a place for one value.
        let out = unsafe { Out::new(ms) }?;
        let state = machine.lock();
        let time = |event: cudaEvent_t| {
            let it = find(&state, event)?.1;
            match it.mark {
                _ if it.flags & DISABLE_TIMING != 0 => Err(code::INVALID_HANDLE),
                Mark::Never => Err(code::INVALID_HANDLE),
                Mark::Captured { .. } => Err(code::CAPTURED_EVENT),
                Mark::Point { at, .. } => Ok((it.device, at)),
            }
        };
        let ((start_device, start), (end_device, end)) = (time(start)?, time(end)?);
        if start_device != end_device {
            return Err(code::INVALID_HANDLE);
        }
        let (start, end) = (start.ok_or(code::NOT_READY)?, end.ok_or(code::NOT_READY)?);
        let seconds = match end.checked_duration_since(start) {
            Some(later) => later.as_secs_f32(),
            None => -start.duration_since(end).as_secs_f32(),
        };
        out.set(seconds * 1000.0);
        Ok(())
    })
}
