//! From a checked copy to an operation: which streams it belongs to, and whether the caller waits for it.

use std::sync::Arc;

use cuda_p2p_sys::{cudaMemcpyKind, cudaStream_t};

use super::check::{self, Side};
use super::{Copy, Layout, Shape};
use crate::context;
use crate::error::Answer;
use crate::machine::Machine;
use crate::queue::Work;
use crate::stream;

/// One side of a copy that is asked for, and the other, and how much.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) dst: Layout,
    pub(crate) src: Layout,
    pub(crate) shape: Shape,
    /// The devices that a peer copy names, of the destination and of the source.
    pub(crate) devices: Option<[usize; 2]>,
}

/// A copy on the legacy streams of the current device and of those whose memory it touches.
///
/// As on hardware, a copy between devices, or inside one, returns before it is done; any other has been done when this
/// returns.
pub(crate) fn blocking(machine: &Arc<Machine>, request: Request, kind: Option<cudaMemcpyKind>) -> Answer {
    let Request { dst, src, shape, .. } = request;
    let mut state = machine.lock();
    let (to, from) = sides(machine, &state, request, kind)?;
    let mut devices = vec![context::current_device()];
    for device in [from, to].into_iter().filter_map(Side::device) {
        if !devices.contains(&device) {
            devices.push(device);
        }
    }
    let copy = Copy::new(shape, (dst, to.place()), (src, from.place()));
    let id = stream::enqueue_joint(machine, &mut state, &devices, Work::Copy(Box::new(copy)))?;
    if to.device().is_some() && from.device().is_some() {
        return Ok(());
    }
    machine.wait_for(state, id).map(drop)
}

/// A copy on one stream.
///
/// Returns before it is done, unless it writes pageable memory, or reads pageable memory into the host's. Pageable memory that
/// a device is to have is read before this returns, so the program may change it at once.
pub(crate) fn on_stream(
    machine: &Arc<Machine>,
    request: Request,
    kind: Option<cudaMemcpyKind>,
    stream: cudaStream_t,
) -> Answer {
    let Request { dst, src, shape, .. } = request;
    let mut state = machine.lock();
    let stream = stream::resolve(&state, stream)?;
    let (to, from) = sides(machine, &state, request, kind)?;
    let captured = state.streams[&stream].capture.is_some();
    if kind.is_some() {
        let current = context::current_device();
        for layout in [dst, src] {
            check::seen_by(machine, &state, current, layout, shape)?;
        }
    }
    let mut copy = Copy { kind, ..Copy::new(shape, (dst, to.place()), (src, from.place())) };
    let waits = !captured && (to == Side::Pageable || from == Side::Pageable && to == Side::Pinned);
    if from == Side::Pageable && !captured && !waits {
        copy.stage();
    }
    let id = stream::enqueue(machine, &mut state, stream, &[], Work::Copy(Box::new(copy)))?;
    match id {
        Some(id) if waits => machine.wait_for(state, id).map(drop),
        _ => Ok(()),
    }
}

/// What a copy goes between. Without a kind it is a peer copy, which takes no pageable memory.
fn sides(
    machine: &Machine,
    state: &crate::machine::State,
    request: Request,
    kind: Option<cudaMemcpyKind>,
) -> Answer<(Side, Side)> {
    let to = check::classify(machine, state, request.dst, request.shape)?;
    let from = check::classify(machine, state, request.src, request.shape)?;
    // Whoever's the stream is: what counts is the current device, or what a peer copy names.
    let devices = request.devices.unwrap_or([context::current_device(); 2]);
    for (device, layout) in devices.into_iter().zip([request.dst, request.src]) {
        check::reaches(machine, state, device, layout, request.shape)?;
    }
    check::fits(kind.unwrap_or(cudaMemcpyKind::cudaMemcpyDeviceToDevice), to, from)?;
    Ok((to, from))
}
