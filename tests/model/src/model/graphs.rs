//! Graphs: what is recorded now, and done at each launch.

use std::ops::Range;

use cuda_p2p::{CopyPath, StagedReason};

use super::choose::span;
use super::{DONE, GRAPHS, Memory, Model, same_device};
use crate::action::{Action, Part};
use crate::answer::{Answer, Predicted};
use crate::step::{Flaw, Step};

/// An executable graph.
#[derive(Debug)]
pub(crate) struct Graph {
    work: Vec<Work>,
    /// Accessor and owner of the tokens that it holds.
    tokens: Vec<(usize, usize)>,
}

/// A part of memory, whichever buffer it is of, or was.
type Place = (u64, Range<usize>);

#[derive(Clone, Debug)]
enum Work {
    Copy { to: Place, from: Place },
    Fill { to: Place, value: u8 },
}

impl Graph {
    fn uses(&self, memory: u64) -> bool {
        self.work.iter().any(|work| match work {
            Work::Copy { to, from } => to.0 == memory || from.0 == memory,
            Work::Fill { to, .. } => to.0 == memory,
        })
    }
}

impl Model {
    pub(super) fn choose_graph(&self, step: &Step) -> Option<Action> {
        let graph = step.pick(1, &Self::live(&self.graphs));
        Some(match step.kind {
            crate::step::Kind::Capture => {
                // Memory of a pool goes into no graph.
                let mut all = Self::live(&self.buffers);
                all.retain(|&buffer| self.buffer(buffer).pool.is_none());
                let buffer = step.pick(0, &all)?;
                let others: Vec<usize> = all.into_iter().filter(|&it| it != buffer).collect();
                let (to, from) = self.two_parts(step, buffer, step.pick(2, &others)?);
                let fill = Part { buffer, range: span(step, self.buffer(buffer).bytes.len(), 4) };
                let device = self.buffer(buffer).device;
                let stream = self.stream_on(device, step, 1, step.flaw == Flaw::Device)?;
                Action::Capture {
                    graph: step.below(5, GRAPHS),
                    to,
                    from,
                    fill,
                    stream,
                    value: step.n[4] as u8,
                }
            }
            crate::step::Kind::LaunchGraph => {
                Action::LaunchGraph { graph: graph?, stream: step.pick(0, &Self::live(&self.streams))? }
            }
            crate::step::Kind::DropGraph => Action::DropGraph { graph: graph? },
            _ => return None,
        })
    }

    pub(super) fn predict_graph(&mut self, action: &Action) -> Predicted {
        match action {
            Action::Capture { graph, to, from, fill, stream, value } => {
                return self.predict_capture(*graph, (to, from), (fill, *value), *stream);
            }
            Action::LaunchGraph { graph, .. } => {
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
        (to, from): (&Part, &Part),
        (fill, value): (&Part, u8),
        stream: usize,
    ) -> Predicted {
        self.check_parts(to, from)?;
        let (destination, source) = (self.buffer(to.buffer).device, self.buffer(from.buffer).device);
        let ways = [(destination, source), (source, destination)];
        let on: Vec<(usize, usize)> = match destination == source {
            true => Vec::new(),
            false => ways.into_iter().filter(|&(a, b)| self.pair(a, b).is_on()).collect(),
        };
        let path = if destination == source {
            self.check_own(to, stream)?;
            CopyPath::SameDevice
        } else {
            if self.stream(stream) != source {
                same_device("the destination", self.stream(stream), destination)?;
            }
            let reachable = ways.into_iter().any(|(a, b)| self.machine.reaches(a, b));
            let reason = if reachable { StagedReason::NotEnabled } else { StagedReason::NotReachable };
            if on.is_empty() { CopyPath::Staged { reason } } else { CopyPath::Direct }
        };
        self.check_part(fill)?;
        self.check_own(fill, stream)?;

        let place = |part: &Part| (self.buffer(part.buffer).id, part.range.clone());
        let mut made = Graph { work: Vec::new(), tokens: Vec::new() };
        if !to.range.is_empty() {
            made.work.push(Work::Copy { to: place(to), from: place(from) });
            // What the copy relied on when it was recorded, and all that is enabled when it is instantiated.
            made.tokens = on.first().into_iter().chain(&on).copied().collect();
        }
        if !fill.range.is_empty() {
            made.work.push(Work::Fill { to: place(fill), value });
        }
        for &(accessor, owner) in &made.tokens {
            self.pair_mut(accessor, owner).tokens += 1;
        }
        self.drop_graph(graph);
        self.graphs[graph] = Some(made);
        Ok(Answer::Path(path))
    }

    fn drop_graph(&mut self, graph: usize) {
        let Some(dropped) = self.graphs[graph].take() else { return };
        for (accessor, owner) in dropped.tokens {
            self.pair_mut(accessor, owner).tokens -= 1;
        }
        let Self { kept, graphs, .. } = self;
        kept.retain(|memory| graphs.iter().flatten().any(|graph| graph.uses(memory.id)));
    }

    pub(super) fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub(super) fn drop_buffer(&mut self, buffer: usize) {
        let Some(memory) = self.buffers[buffer].take() else { return };
        if self.graphs.iter().flatten().any(|graph| graph.uses(memory.id)) {
            self.kept.push(memory);
        }
    }

    fn work(&mut self, work: &Work) {
        match work {
            Work::Copy { to, from } => {
                let bytes = self.memory(from.0).bytes[from.1.clone()].to_vec();
                self.memory(to.0).bytes[to.1.clone()].copy_from_slice(&bytes);
            }
            Work::Fill { to, value } => self.memory(to.0).bytes[to.1.clone()].fill(*value),
        }
    }

    fn memory(&mut self, id: u64) -> &mut Memory {
        let mut all = self.buffers.iter_mut().flatten().chain(&mut self.kept);
        all.find(|memory| memory.id == id).expect("graphs keep their memory")
    }
}
