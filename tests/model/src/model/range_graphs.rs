//! Virtual memory in graphs.

use std::collections::BTreeSet;

use cuda_p2p::{CaptureError, CopyPath, CopyRoute, Error, StagedReason};

use super::graphs::{Graph, Place, Work};
use super::{Model, ordinal, same_device, same_length};
use crate::answer::{Answer, Predicted, Want};
use crate::virtual_action::{End, Means, Spot, Virtual};

/// What a capture has come to.
#[derive(Default)]
struct Recorded {
    graph: Graph,
    /// Accessor and owner of the access that a copy was direct by.
    relied_on: BTreeSet<(usize, usize)>,
    /// Pairs of devices between which copies may go.
    linked: BTreeSet<(usize, usize)>,
    /// Pools whose memory is copied.
    pools: BTreeSet<usize>,
}

impl Model {
    pub(super) fn predict_virtual_capture(
        &mut self,
        graph: usize,
        stream: usize,
        work: &[Virtual],
    ) -> Predicted {
        let (mut recorded, mut answer) = (Recorded::default(), Answer::Done);
        for action in work {
            answer = self.record_virtual(&mut recorded, action, stream)?;
        }
        let Recorded { graph: mut made, relied_on, linked, pools } = recorded;
        // What is there when it is instantiated.
        let on = linked.iter().copied().filter(|&(accessor, owner)| self.pair(accessor, owner).is_on());
        made.tokens = relied_on.iter().copied().chain(on).collect();
        let devices: BTreeSet<usize> = linked.iter().map(|&(accessor, _)| accessor).collect();
        for pool in pools {
            let others = devices.iter().filter(|&&device| device != self.all_pools[pool].device);
            made.grants.extend(others.filter(|&&it| self.is_granted(pool, it)).map(|&it| (pool, it)));
        }
        self.put_graph(graph, made);
        Ok(answer)
    }

    fn record_virtual(&self, recorded: &mut Recorded, action: &Virtual, stream: usize) -> Predicted {
        match action {
            Virtual::Fill { to, value, .. } => {
                self.check_spot(to)?;
                self.check_spot_on(to, stream)?;
                recorded.write(self.spot_places(to), vec![*value; to.bytes.len()]);
            }
            Virtual::Store { to, value, .. } => {
                self.check_spot(to)?;
                let bytes = value.to_le_bytes();
                if to.bytes.len() < bytes.len() {
                    return Err(Want::Precondition);
                }
                self.check_spot_on(to, stream)?;
                let word = Spot { bytes: to.bytes.start..to.bytes.start + bytes.len(), ..to.clone() };
                recorded.write(self.spot_places(&word), bytes.to_vec());
            }
            Virtual::CopyWithin { both, .. } => {
                self.check_spot(both)?;
                self.check_spot_on(both, stream)?;
                let middle = both.bytes.start + both.bytes.len() / 2;
                let half = |bytes| End::Range(Spot { bytes, ..both.clone() });
                let (from, to) = (half(both.bytes.start..middle), half(middle..both.bytes.end));
                self.record_copy(recorded, &to, &from, Some(stream));
            }
            Virtual::Copy { to, from, means, .. } => {
                return self.record_virtual_copy(recorded, (to, from), stream, *means);
            }
            _ => unreachable!("what goes into no graph"),
        }
        Ok(Answer::Done)
    }

    fn record_virtual_copy(
        &self,
        recorded: &mut Recorded,
        (to, from): (&End, &End),
        stream: usize,
        means: Means,
    ) -> Predicted {
        for end in [to, from] {
            match end {
                End::Range(spot) => self.check_spot(spot)?,
                End::Buffer(view) => self.check_view(view, false, false)?,
            }
        }
        same_length(to.len(), from.len())?;
        if let Means::Peer(route) = means {
            let path = self.captured_path(recorded, (to, from), stream, route)?;
            self.record_copy(recorded, to, from, Some(stream));
            return Ok(Answer::Path(path));
        }
        for end in [to, from] {
            match end {
                End::Range(spot) => self.check_spot_on(spot, stream)?,
                End::Buffer(view) => self.check_for(view, stream)?,
            }
        }
        // A kernel goes by what is mapped, and by no other way.
        let engine = (means == Means::Engine).then_some(stream);
        self.record_copy(recorded, to, from, engine);
        Ok(Answer::Done)
    }

    /// The path of a copy between devices, and the access that it is direct by.
    fn captured_path(
        &self,
        recorded: &mut Recorded,
        (to, from): (&End, &End),
        stream: usize,
        route: CopyRoute,
    ) -> Result<CopyPath, Want> {
        let (destination, source) = (self.device_of(to), self.device_of(from));
        if destination == source {
            same_device("the slice", self.stream(stream), destination)?;
            return Ok(CopyPath::Direct);
        }
        if self.stream(stream) != source {
            same_device("the destination", self.stream(stream), destination)?;
        }
        let ways = [(destination, source, from), (source, destination, to)];
        let way = ways.into_iter().find(|(accessor, _, end)| self.reaches_end(*accessor, end));
        match way {
            Some((accessor, owner, end)) if route != CopyRoute::Staged => {
                if !to.is_empty() {
                    [from, to].into_iter().try_for_each(|end| self.check_seen(end, self.stream(stream)))?;
                    if self.is_plain(end) {
                        recorded.relied_on.insert((accessor, owner));
                    }
                }
                Ok(CopyPath::Direct)
            }
            None if route == CopyRoute::Direct => {
                let [source_device, destination_device] = [source, destination].map(ordinal);
                Err(Error::NoDirectPath { source_device, destination_device }.into())
            }
            _ => {
                let reason = match route {
                    CopyRoute::Staged => StagedReason::Asked,
                    _ => self.why_staged(to, from),
                };
                let pooled = [to, from].into_iter().any(|end| self.pool_of(end).is_some());
                let what = match pooled {
                    true => "a copy through the host of memory of a pool",
                    false => "a copy through the host of virtual memory",
                };
                match to.is_empty() {
                    true => Ok(CopyPath::Staged { reason }),
                    false => Err(Error::from(CaptureError::Refused { what }).into()),
                }
            }
        }
    }

    /// The error of an end that the stream's device has no access to.
    fn check_seen(&self, end: &End, device: usize) -> Result<(), Want> {
        match end {
            End::Range(spot) => self.range(spot.range).check_access(&spot.bytes, device),
            End::Buffer(view) => self.check_granted(device, view.part.buffer),
        }
    }

    /// Notes a copy, and between which devices the engine in a stream may carry it.
    fn record_copy(&self, recorded: &mut Recorded, to: &End, from: &End, engine: Option<usize>) {
        // A kernel is told the address, whatever it makes of it.
        if to.is_empty() && engine.is_some() {
            return;
        }
        if let Some(stream) = engine {
            let ends = [to, from].into_iter().flat_map(|end| self.owners(end));
            let devices: BTreeSet<usize> = ends.chain([self.stream(stream)]).collect();
            for &accessor in &devices {
                let others = devices.iter().filter(|&&owner| owner != accessor);
                recorded.linked.extend(others.map(|&owner| (accessor, owner)));
            }
            recorded.pools.extend([to, from].into_iter().filter_map(|end| self.pool_of(end)));
        }
        let (to, from) = (self.places(to), self.places(from));
        recorded.graph.work.push(Work::Copy { to, from });
    }

    /// Whose memory it is, and who takes it as its own.
    fn owners(&self, end: &End) -> Vec<usize> {
        let mut all = vec![self.device_of(end)];
        if let End::Range(spot) = end {
            all.extend(self.range(spot.range).places(&spot.bytes).into_iter().map(|(.., owner)| owner));
        }
        all
    }

    fn pool_of(&self, end: &End) -> Option<usize> {
        match end {
            End::Range(_) => None,
            End::Buffer(view) => self.buffer(view.part.buffer).pool,
        }
    }

    /// Whether peer access is what lets others use it.
    fn is_plain(&self, end: &End) -> bool {
        matches!(end, End::Buffer(_)) && self.pool_of(end).is_none()
    }

    fn places(&self, end: &End) -> Vec<Place> {
        match end {
            End::Range(spot) => self.spot_places(spot),
            End::Buffer(view) => vec![(self.buffer(view.part.buffer).id, view.part.range.clone())],
        }
    }

    fn spot_places(&self, spot: &Spot) -> Vec<Place> {
        self.range(spot.range).places(&spot.bytes).into_iter().map(|(id, bytes, _)| (id, bytes)).collect()
    }
}

impl Recorded {
    fn write(&mut self, to: Vec<Place>, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            self.graph.work.push(Work::Write { to, bytes });
        }
    }
}

impl End {
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
