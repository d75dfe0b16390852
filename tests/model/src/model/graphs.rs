//! Graphs: what is recorded now, and done at each launch.

use std::ops::Range;

use cuda_p2p::{CaptureError, CopyPath, Error, GraphError};

use super::choose::span;
use super::{DONE, GRAPHS, Memory, Model, ordinal, same_device, same_length};
use crate::action::{Action, Host, Part, Pinned};
use crate::answer::{Answer, Predicted, Want};
use crate::step::{Flaw, Step};

/// An executable graph.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(super) work: Vec<Work>,
    /// Accessor and owner of the tokens that it holds.
    pub(super) tokens: Vec<(usize, usize)>,
    /// Number of the pool and accessor of the grants that it holds.
    pub(super) grants: Vec<(usize, usize)>,
}

/// A part of memory, whichever buffer it is of, or was, or wherever it is mapped.
pub(super) type Place = (u64, Range<usize>);

#[derive(Clone, Debug)]
pub(super) enum Work {
    /// From some places, one behind the other, to others.
    Copy {
        to: Vec<Place>,
        from: Vec<Place>,
    },
    Write {
        to: Vec<Place>,
        bytes: Vec<u8>,
    },
}

impl Graph {
    fn uses(&self, memory: u64) -> bool {
        let reads = |work: &Work| match work {
            Work::Copy { from, .. } => from.iter().any(|place| place.0 == memory),
            Work::Write { .. } => false,
        };
        self.writes(memory) || self.work.iter().any(reads)
    }

    fn writes(&self, memory: u64) -> bool {
        self.work.iter().any(|work| match work {
            Work::Copy { to, .. } | Work::Write { to, .. } => to.iter().any(|place| place.0 == memory),
        })
    }
}

impl Model {
    pub(super) fn choose_graph(&self, step: &Step) -> Option<Action> {
        let graph = step.pick(1, &Self::live(&self.graphs));
        Some(match step.kind {
            crate::step::Kind::Capture => {
                let all = Self::live(&self.buffers);
                let buffer = step.pick(0, &all)?;
                let others: Vec<usize> = all.into_iter().filter(|&it| it != buffer).collect();
                let (to, from) = self.two_parts(step, buffer, step.pick(2, &others)?);
                let fill = Part { buffer, range: span(step, self.buffer(buffer).bytes.len(), 4) };
                let device = self.buffer(buffer).device;
                let stream = self.stream_on(device, step, 1, step.flaw == Flaw::Device)?;
                Action::Capture {
                    graph: step.below(5, GRAPHS),
                    up: self.choose_pinned(step, 0, buffer),
                    to,
                    from,
                    fill,
                    down: self.choose_pinned(step, 1, buffer),
                    stream,
                    value: step.n[4] as u8,
                }
            }
            crate::step::Kind::LaunchGraph => {
                let host = match step.below(2, 4) {
                    0 => step.pick(3, &Self::live(&self.pinned)),
                    _ => None,
                };
                let host = host.map(|pinned| Host { pinned, writes: step.n[4].is_multiple_of(2) });
                Action::LaunchGraph { graph: graph?, stream: step.pick(0, &Self::live(&self.streams))?, host }
            }
            crate::step::Kind::DropGraph => Action::DropGraph { graph: graph? },
            _ => return None,
        })
    }

    /// Pinned memory that fits into a buffer, and where; none, one time in three.
    fn choose_pinned(&self, step: &Step, index: usize, buffer: usize) -> Option<Pinned> {
        let room = self.buffer(buffer).bytes.len();
        let number = |index: usize| usize::from(step.n[index] / 8);
        let fits = |&pinned: &usize| step.flaw == Flaw::Bounds || self.pinned_bytes(pinned).len() <= room;
        let fitting: Vec<usize> = Self::live(&self.pinned).into_iter().filter(fits).collect();
        let pinned = *fitting.get(number(2 + index) % fitting.len().max(1))?;
        let bytes = self.pinned_bytes(pinned).len();
        let start = number(4) % (room + 1).saturating_sub(bytes).max(1);
        let part = Part { buffer, range: start..start + bytes };
        (!number(index).is_multiple_of(3)).then_some(Pinned { pinned, part })
    }

    pub(super) fn predict_graph(&mut self, action: &Action) -> Predicted {
        match action {
            Action::Capture { graph, up, to, from, fill, down, stream, value } => {
                let pinned = [up.as_ref(), down.as_ref()];
                return self.predict_capture(*graph, pinned, (to, from), (fill, *value), *stream);
            }
            Action::LaunchGraph { graph, host, .. } => {
                if let (Some(graph), Some(host)) = (&self.graphs[*graph], host) {
                    let lent = self.pinned_id(host.pinned);
                    if if host.writes { graph.uses(lent) } else { graph.writes(lent) } {
                        return Err(Error::from(GraphError::MemoryLent).into());
                    }
                }
                let work = self.graphs[*graph].as_ref().map_or_else(Vec::new, |graph| graph.work.clone());
                work.iter().for_each(|work| self.work(work));
            }
            Action::DropGraph { graph } => self.drop_graph(*graph),
            _ => unreachable!("an action of another file"),
        }
        DONE
    }

    fn predict_capture(
        &mut self,
        graph: usize,
        [up, down]: [Option<&Pinned>; 2],
        (to, from): (&Part, &Part),
        (fill, value): (&Part, u8),
        stream: usize,
    ) -> Predicted {
        self.check_pinned(up, stream)?;
        self.check_parts(to, from)?;
        let (destination, source) = (self.buffer(to.buffer).device, self.buffer(from.buffer).device);
        let mut made = Graph::default();
        let path = if destination == source {
            self.check_own(to, stream)?;
            CopyPath::SameDevice
        } else {
            if self.stream(stream) != source {
                same_device("the destination", self.stream(stream), destination)?;
            }
            self.capture_between(&mut made, (to, from), stream)?
        };
        self.check_part(fill)?;
        self.check_own(fill, stream)?;
        self.check_pinned(down, stream)?;

        let place = |part: &Part| (self.buffer(part.buffer).id, part.range.clone());
        let whole = |it: &Pinned| (self.pinned_id(it.pinned), 0..it.part.range.len());
        if let Some(up) = up.filter(|it| !it.part.range.is_empty()) {
            made.work.push(Work::Copy { to: vec![place(&up.part)], from: vec![whole(up)] });
        }
        if !to.range.is_empty() {
            made.work.push(Work::Copy { to: vec![place(to)], from: vec![place(from)] });
        }
        if !fill.range.is_empty() {
            made.work.push(Work::Write { to: vec![place(fill)], bytes: vec![value; fill.range.len()] });
        }
        if let Some(down) = down.filter(|it| !it.part.range.is_empty()) {
            made.work.push(Work::Copy { to: vec![whole(down)], from: vec![place(&down.part)] });
        }
        self.put_graph(graph, made);
        Ok(Answer::Path(path))
    }

    pub(super) fn put_graph(&mut self, graph: usize, made: Graph) {
        for &(accessor, owner) in &made.tokens {
            self.pair_mut(accessor, owner).tokens += 1;
        }
        self.drop_graph(graph);
        self.graphs[graph] = Some(made);
    }

    /// The errors of a copy from pinned memory, or to it.
    fn check_pinned(&self, copy: Option<&Pinned>, stream: usize) -> Result<(), Want> {
        let Some(Pinned { pinned, part }) = copy else { return Ok(()) };
        self.check_part(part)?;
        same_length(part.range.len(), self.pinned_bytes(*pinned).len())?;
        self.check_own(part, stream)
    }

    fn pinned_id(&self, pinned: usize) -> u64 {
        self.pinned[pinned].as_ref().expect("actions name objects that there are").id
    }

    /// The path of a copy between devices, and what a graph holds for it.
    fn capture_between(
        &self,
        made: &mut Graph,
        (to, from): (&Part, &Part),
        stream: usize,
    ) -> Result<CopyPath, Want> {
        let (destination, source) = (self.buffer(to.buffer).device, self.buffer(from.buffer).device);
        let ways = [(destination, source, from), (source, destination, to)];
        let way = ways.iter().find(|(accessor, _, end)| self.reaches_buffer(*accessor, end.buffer));
        let path = match way {
            Some(_) => CopyPath::Direct,
            None => CopyPath::Staged { reason: self.staged_reason(to, from) },
        };
        if to.range.is_empty() {
            return Ok(path);
        }
        let pools = [from, to].map(|end| (self.buffer(end.buffer).pool, self.buffer(end.buffer).device));
        for (pool, owner) in pools.iter().filter_map(|&(pool, owner)| Some((pool?, owner))) {
            if way.is_none() {
                let what = "a copy through the host of memory of a pool";
                return Err(Error::from(CaptureError::Refused { what }).into());
            }
            let accessor = self.stream(stream);
            if !self.is_granted(pool, accessor) {
                let (accessor, owner) = (ordinal(accessor), ordinal(owner));
                return Err(Error::PoolNotGranted { accessor, owner }.into());
            }
            // All that are there when it is instantiated.
            let others = [destination, source].into_iter().filter(|&device| device != owner);
            made.grants
                .extend(others.filter(|&device| self.is_granted(pool, device)).map(|device| (pool, device)));
        }
        // What the copy relied on when it was recorded, and all that is enabled when it is instantiated.
        let by_peers = way.filter(|(.., end)| self.buffer(end.buffer).pool.is_none());
        let on = ways.iter().filter(|&&(accessor, owner, _)| self.pair(accessor, owner).is_on());
        made.tokens = by_peers.into_iter().chain(on).map(|&(accessor, owner, _)| (accessor, owner)).collect();
        Ok(path)
    }

    /// Whether a graph relies on the grant.
    pub(super) fn holds_grant(&self, pool: usize, accessor: usize) -> bool {
        self.graphs.iter().flatten().any(|graph| graph.grants.contains(&(pool, accessor)))
    }

    fn drop_graph(&mut self, graph: usize) {
        let Some(dropped) = self.graphs[graph].take() else { return };
        for (accessor, owner) in dropped.tokens {
            self.pair_mut(accessor, owner).tokens -= 1;
        }
        let Self { kept, kept_physical, graphs, .. } = self;
        let used = |id| graphs.iter().flatten().any(|graph| graph.uses(id));
        kept.retain(|memory| used(memory.id));
        kept_physical.retain(|memory| used(memory.id));
    }

    pub(super) fn is_in_a_graph(&self, memory: u64) -> bool {
        self.graphs.iter().flatten().any(|graph| graph.uses(memory))
    }

    pub(super) fn drop_range(&mut self, range: usize) {
        let Some(dropped) = self.ranges[range].take() else { return };
        let kept = dropped.mapped.into_values().filter(|memory| self.is_in_a_graph(memory.id));
        let mut kept: Vec<_> = kept.collect();
        self.kept_physical.append(&mut kept);
    }

    pub(super) fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub(super) fn drop_buffer(&mut self, buffer: usize) {
        let dropped = self.buffers[buffer].take();
        self.keep(dropped);
    }

    pub(super) fn drop_pinned(&mut self, pinned: usize) {
        let dropped = self.pinned[pinned].take();
        self.keep(dropped);
    }

    /// Keeps memory that was dropped, if a graph uses it.
    fn keep(&mut self, dropped: Option<Memory>) {
        let Some(memory) = dropped else { return };
        if self.is_in_a_graph(memory.id) {
            self.kept.push(memory);
        }
    }

    fn work(&mut self, work: &Work) {
        let (to, bytes) = match work {
            Work::Copy { to, from } => {
                let bytes = from.iter().flat_map(|(id, range)| self.memory(*id)[range.clone()].to_vec());
                (to, bytes.collect())
            }
            Work::Write { to, bytes } => (to, bytes.clone()),
        };
        let mut rest = &bytes[..];
        for (id, range) in to {
            let (these, others) = rest.split_at(range.len());
            self.memory(*id)[range.clone()].copy_from_slice(these);
            rest = others;
        }
    }

    fn memory(&mut self, id: u64) -> &mut [u8] {
        let buffers = self.buffers.iter_mut().chain(&mut self.pinned).flatten().chain(&mut self.kept);
        let buffers = buffers.map(|it| (it.id, &mut it.bytes));
        let mapped = self.ranges.iter_mut().flatten().flat_map(|range| range.mapped.values_mut());
        let mapped = mapped.chain(&mut self.kept_physical).map(|it| (it.id, &mut it.bytes));
        let found = buffers.chain(mapped).find(|(its, _)| *its == id);
        found.expect("graphs keep their memory").1
    }
}
