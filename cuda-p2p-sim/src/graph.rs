//! Graphs that a capture made: looked at, instantiated, launched.

use std::ffi::c_ulonglong;
use std::sync::Arc;

use cuda_p2p_sys::{
    cudaError_t, cudaGraph_t, cudaGraphExec_t, cudaGraphNode_t, cudaGraphNodeType, cudaStream_t,
};

use crate::call::{Out, call};
use crate::capture;
use crate::error::{Answer, code};
use crate::handle::{self, Kind};
use crate::machine::{Machine, State};
use crate::queue::{OpId, Work};
use crate::stream;

/// One operation of a graph.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) handle: u64,
    pub(crate) device: usize,
    pub(crate) work: Work,
    /// Nodes that it follows, by their place in the graph; all of them come before it.
    pub(crate) after: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

#[derive(Debug)]
pub(crate) struct GraphExec {
    pub(crate) nodes: Arc<[Node]>,
    /// The end of its latest launch: launches of one executable graph never overlap.
    last: Option<OpId>,
}

/// `cudaGraphInstantiateFlagAutoFreeOnLaunch`, `...Upload` and `...UseNodePriority`: nothing to do for any of them.
const HARMLESS_FLAGS: c_ulonglong = 1 | 2 | 8;
/// `cudaGraphInstantiateFlagDeviceLaunch`
const DEVICE_LAUNCH: c_ulonglong = 4;

pub(crate) fn find(state: &State, graph: cudaGraph_t) -> Answer<(u64, &Graph)> {
    let id = handle::id(Kind::Graph, graph).ok_or(code::INVALID_VALUE)?;
    Ok((id, state.graphs.get(&id).ok_or(code::INVALID_VALUE)?))
}

pub(crate) fn find_exec(state: &State, exec: cudaGraphExec_t) -> Answer<(u64, &GraphExec)> {
    let id = handle::id(Kind::GraphExec, exec).ok_or(code::INVALID_VALUE)?;
    Ok((id, state.execs.get(&id).ok_or(code::INVALID_VALUE)?))
}

pub(crate) unsafe extern "C" fn graph_clone(clone: *mut cudaGraph_t, original: cudaGraph_t) -> cudaError_t {
    call("cudaGraphClone", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(clone) }?;
        let mut state = machine.lock();
        let mut graph = find(&state, original)?.1.clone();
        graph.nodes.iter_mut().for_each(|node| node.handle = state.handles.next());
        let id = state.handles.next();
        state.graphs.insert(id, graph);
        out.set(handle::to_pointer(Kind::Graph, id));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn graph_destroy(graph: cudaGraph_t) -> cudaError_t {
    call("cudaGraphDestroy", |machine| {
        let mut state = machine.lock();
        let (id, _) = find(&state, graph)?;
        state.graphs.remove(&id);
        Ok(())
    })
}

/// With `nodes` null the number is told; otherwise as many handles as asked for are given, null beyond the last.
pub(crate) unsafe extern "C" fn graph_get_nodes(
    graph: cudaGraph_t,
    nodes: *mut cudaGraphNode_t,
    count: *mut usize,
) -> cudaError_t {
    call("cudaGraphGetNodes", |machine| {
        // SAFETY: the C contract: null, or the place of one number, which is read and then written.
        let (out, room) = unsafe { (Out::new(count)?, *count) };
        let state = machine.lock();
        let (_, graph) = find(&state, graph)?;
        if nodes.is_null() {
            out.set(graph.nodes.len());
            return Ok(());
        }
        for index in 0..room {
            let node = graph.nodes.get(index);
            let node = node.map_or(std::ptr::null_mut(), |node| handle::to_pointer(Kind::Node, node.handle));
            // SAFETY: the C contract: `nodes` has room for as many handles as `count` said.
            unsafe { nodes.add(index).write(node) };
        }
        out.set(room.min(graph.nodes.len()));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn graph_node_get_type(
    node: cudaGraphNode_t,
    kind: *mut cudaGraphNodeType,
) -> cudaError_t {
    call("cudaGraphNodeGetType", |machine| {
        // SAFETY: the C contract: null, or a place for one value.
        let out = unsafe { Out::new(kind) }?;
        let state = machine.lock();
        let id = handle::id(Kind::Node, node).ok_or(code::INVALID_VALUE)?;
        let node = state.graphs.values().flat_map(|graph| &graph.nodes).find(|node| node.handle == id);
        out.set(match node.ok_or(code::INVALID_VALUE)?.work {
            Work::Kernel(_) => cudaGraphNodeType::cudaGraphNodeTypeKernel,
            Work::Copy(_) => cudaGraphNodeType::cudaGraphNodeTypeMemcpy,
            Work::Fill(_) => cudaGraphNodeType::cudaGraphNodeTypeMemset,
            Work::Host(_) => cudaGraphNodeType::cudaGraphNodeTypeHost,
            Work::Marker | Work::Record { .. } | Work::Release { .. } | Work::Await(_) => {
                cudaGraphNodeType::cudaGraphNodeTypeEmpty
            }
        });
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn graph_instantiate(
    exec: *mut cudaGraphExec_t,
    graph: cudaGraph_t,
    flags: c_ulonglong,
) -> cudaError_t {
    call("cudaGraphInstantiateWithFlags", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(exec) }?;
        let mut state = machine.lock();
        let mut nodes = find(&state, graph)?.1.nodes.clone();
        if flags & DEVICE_LAUNCH != 0 {
            return Err(code::NOT_SUPPORTED);
        }
        if flags & !HARMLESS_FLAGS != 0 {
            return Err(code::INVALID_VALUE);
        }
        for node in &mut nodes {
            if let Work::Copy(copy) = &mut node.work {
                copy.choose_way(&machine.space, node.device);
            }
        }
        let id = state.handles.next();
        state.execs.insert(id, GraphExec { nodes: nodes.into(), last: None });
        out.set(handle::to_pointer(Kind::GraphExec, id));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn graph_exec_destroy(exec: cudaGraphExec_t) -> cudaError_t {
    call("cudaGraphExecDestroy", |machine| {
        let mut state = machine.lock();
        let (id, _) = find_exec(&state, exec)?;
        state.execs.remove(&id);
        Ok(())
    })
}

/// There is nothing to carry anywhere; the arguments are checked.
pub(crate) unsafe extern "C" fn graph_upload(exec: cudaGraphExec_t, stream: cudaStream_t) -> cudaError_t {
    call("cudaGraphUpload", |machine| {
        let state = machine.lock();
        find_exec(&state, exec)?;
        stream::resolve(&state, stream).map(drop)
    })
}

/// Into a captured stream it is error 900, and the capture is invalid.
pub(crate) unsafe extern "C" fn graph_launch(exec: cudaGraphExec_t, stream: cudaStream_t) -> cudaError_t {
    call("cudaGraphLaunch", |machine| {
        let mut state = machine.lock();
        let (id, _) = find_exec(&state, exec)?;
        let stream = stream::resolve(&state, stream)?;
        if state.streams[&stream].capture.is_some() {
            return capture::fail(&mut state, stream, code::CAPTURE_UNSUPPORTED);
        }
        launch(machine, &mut state, id, stream)
    })
}

fn launch(machine: &Arc<Machine>, state: &mut State, exec: u64, stream: u64) -> Answer {
    let Some(GraphExec { nodes, last }) = state.execs.get(&exec) else { return Err(code::INVALID_VALUE) };
    let (nodes, last) = (Arc::clone(nodes), *last);
    let before: Vec<OpId> = last.into_iter().collect();
    let Some(begin) = stream::enqueue(machine, state, stream, &before, Work::Marker)? else {
        return Err(code::NOT_SUPPORTED);
    };
    let mut ops: Vec<OpId> = Vec::with_capacity(nodes.len());
    for node in nodes.iter() {
        let mut after: Vec<OpId> = node.after.iter().map(|&index| ops[index]).collect();
        after.push(begin);
        // Nodes that nothing orders are as free of each other as streams are: a number of its own for each.
        let lane = node.handle;
        // As on hardware, they count as work of the stream's device, by the marker behind them, and not of their own.
        ops.push(machine.submit(state, (node.device, &[]), lane, &after, node.work.clone())?);
    }
    let end = stream::enqueue(machine, state, stream, &ops, Work::Marker)?;
    if let Some(exec) = state.execs.get_mut(&exec) {
        exec.last = end;
    }
    Ok(())
}
