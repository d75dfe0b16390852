//! Executable graphs that are changed to another graph.
//!
//! What can be changed, and what is said of what cannot, is as seen on H200.

use std::sync::Arc;

use cuda_p2p_sys::{
    cudaError_t, cudaGraph_t, cudaGraphExec_t, cudaGraphExecUpdateResult, cudaGraphExecUpdateResultInfo,
};

use crate::call::{Out, call};
use crate::copy::Copy;
use crate::error::{Answer, code};
use crate::graph::{Node, find, find_exec};
use crate::machine::State;
use crate::memory::{Record, Sort};
use crate::queue::Work;
use crate::space::Space;

const TOPOLOGY: cudaGraphExecUpdateResult =
    cudaGraphExecUpdateResult::cudaGraphExecUpdateErrorTopologyChanged;
const TYPE: cudaGraphExecUpdateResult = cudaGraphExecUpdateResult::cudaGraphExecUpdateErrorNodeTypeChanged;
const PARAMETERS: cudaGraphExecUpdateResult =
    cudaGraphExecUpdateResult::cudaGraphExecUpdateErrorParametersChanged;
const FUNCTION: cudaGraphExecUpdateResult =
    cudaGraphExecUpdateResult::cudaGraphExecUpdateErrorUnsupportedFunctionChange;

/// Which of the nodes is told as null.
pub(crate) unsafe extern "C" fn graph_exec_update(
    exec: cudaGraphExec_t,
    graph: cudaGraph_t,
    info: *mut cudaGraphExecUpdateResultInfo,
) -> cudaError_t {
    call("cudaGraphExecUpdate", |machine| {
        // SAFETY: the C contract: null, if it is not wanted, or a place for one result.
        let out = unsafe { Out::optional(info) };
        let mut state = machine.lock();
        let (id, before) = find_exec(&state, exec)?;
        let (_, after) = find(&state, graph)?;
        let outcome = changed((&state, &machine.space), &before.nodes, &after.nodes);
        let result = outcome.as_ref().err().copied();
        if let Some(out) = out {
            out.set(cudaGraphExecUpdateResultInfo {
                result: result.unwrap_or(cudaGraphExecUpdateResult::cudaGraphExecUpdateSuccess),
                errorNode: std::ptr::null_mut(),
                errorFromNode: std::ptr::null_mut(),
            });
        }
        let nodes = outcome.map_err(|_| code::UPDATE_FAILURE)?;
        if let Some(exec) = state.execs.get_mut(&id) {
            exec.nodes = Arc::from(nodes);
        }
        Answer::Ok(())
    })
}

/// The nodes of `after` as those of an executable graph that had `before`; or what keeps it from being changed.
fn changed(
    at: (&State, &Space),
    before: &[Node],
    after: &[Node],
) -> Result<Vec<Node>, cudaGraphExecUpdateResult> {
    let same_order = |(old, new): (&Node, &Node)| old.after == new.after;
    if before.len() != after.len() || !before.iter().zip(after).all(same_order) {
        return Err(TOPOLOGY);
    }
    let pairs = before.iter().zip(after);
    pairs.map(|(old, new)| Ok(Node { work: changed_work(at, old, new)?, ..new.clone() })).collect()
}

fn changed_work(
    (state, space): (&State, &Space),
    old: &Node,
    new: &Node,
) -> Result<Work, cudaGraphExecUpdateResult> {
    match (&old.work, &new.work) {
        (Work::Kernel(_), Work::Kernel(_)) if old.device != new.device => Err(FUNCTION),
        (Work::Kernel(_), Work::Kernel(_)) | (Work::Host(_), Work::Host(_)) => Ok(new.work.clone()),
        (Work::Fill(before), Work::Fill(after)) => {
            let place = end(state, before.dst.address);
            let fits = place == end(state, after.dst.address)
                && !matches!(place, End::Other(_))
                && (before.shape.is_line() && after.shape.is_line() || before.is_as_shaped_as(after));
            if fits { Ok(new.work.clone()) } else { Err(PARAMETERS) }
        }
        (Work::Copy(before), Work::Copy(after)) => {
            let mut copy = after.clone();
            copy.choose_way(space, new.device);
            changed_copy((state, space), before, &mut copy, [old.device, new.device])?;
            Ok(Work::Copy(copy))
        }
        _ => Err(TYPE),
    }
}

/// Whether a node's copy can become another one, which goes the way that it goes then. The same device must do it, by a call with the
/// same kind, and virtual memory stays virtual. Both nodes were captured in streams of those devices.
fn changed_copy(
    (state, space): (&State, &Space),
    before: &Copy,
    after: &mut Copy,
    [old, new]: [usize; 2],
) -> Result<(), cudaGraphExecUpdateResult> {
    let ends = |copy: &Copy| [end(state, copy.dst.address), end(state, copy.src.address)];
    let unknown = |copy: &Copy| ends(copy).iter().any(|end| matches!(end, End::Other(_)));
    let lines = before.shape.is_line() && after.shape.is_line();
    if !lines || before.kind != after.kind || unknown(before) || unknown(after) {
        return Err(PARAMETERS);
    }
    let alike = before.ends_have_access_of_their_own(space) == after.ends_have_access_of_their_own(space);
    if ends(before) == ends(after) && alike {
        after.go_the_way_of(before);
        return Ok(());
    }
    let virtual_ones = |copy: &Copy| ends(copy).map(|end| matches!(end, End::Virtual(_)));
    let by = |copy: &Copy, captured| match ends(copy) {
        [End::Device(to) | End::Virtual(to), End::Device(from) | End::Virtual(from)] => {
            copy.accessor().or((to == from).then_some(to))
        }
        [End::Device(device) | End::Virtual(device), End::Pinned(_)]
        | [End::Pinned(_), End::Device(device) | End::Virtual(device)] => copy.accessor().or(Some(device)),
        [End::Pinned(_), End::Pinned(_)] => Some(captured),
        _ => None,
    };
    let the_same = by(before, old).is_some() && by(before, old) == by(after, new);
    if the_same && virtual_ones(before) == virtual_ones(after) { Ok(()) } else { Err(PARAMETERS) }
}

/// What a copy goes from or to, as far as an update looks at it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Memory of a device.
    Device(usize),
    /// Virtual memory, by the device whose it is.
    Virtual(usize),
    /// Pinned memory, by the device through which it was allocated.
    Pinned(usize),
    /// What else the machine knows of, by the device. What an update makes of that is not known, so it is refused.
    Other(usize),
    /// The program's own memory.
    Pageable,
}

fn end(state: &State, address: usize) -> End {
    let Some((_, &Record { sort, device, .. })) = state.memory.containing(address) else {
        return End::Pageable;
    };
    match sort {
        Sort::Plain | Sort::Pooled { .. } => End::Device(device),
        Sort::Mapped { .. } => End::Virtual(device),
        Sort::Pinned { .. } => End::Pinned(device),
        Sort::Imported | Sort::Registered { .. } => End::Other(device),
    }
}
