//! Copies from and to ranges of virtual memory.

use cuda_p2p::{CopyPath, CopyRoute, Error, StagedReason};

use super::{DONE, Model, same_device, same_length};
use crate::answer::{Answer, Predicted, Want};
use crate::virtual_action::{End, Means};

impl Model {
    pub(super) fn predict_virtual_copy(
        &mut self,
        to: &End,
        from: &End,
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
            let path = self.peer_path(to, from, stream, route)?;
            self.carry(to, from);
            return Ok(Answer::Path(path));
        }
        for end in [to, from] {
            match end {
                End::Range(spot) => self.check_spot_on(spot, stream)?,
                End::Buffer(view) => self.check_for(view, stream)?,
            }
        }
        self.carry(to, from);
        DONE
    }

    fn carry(&mut self, to: &End, from: &End) {
        let bytes = match from {
            End::Range(spot) => self.read_spot(spot),
            End::Buffer(view) => self.bytes_of(&view.part).to_vec(),
        };
        match to {
            End::Range(spot) => self.write_spot(spot, &bytes),
            End::Buffer(view) => self.bytes_of(&view.part).copy_from_slice(&bytes),
        }
    }

    fn peer_path(&self, to: &End, from: &End, stream: usize, route: CopyRoute) -> Result<CopyPath, Want> {
        let (destination, source) = (self.device_of(to), self.device_of(from));
        if destination == source {
            same_device("the slice", self.stream(stream), destination)?;
            // Whose memory it is, is another matter.
            return Ok(CopyPath::Direct);
        }
        if self.stream(stream) != source {
            same_device("the destination", self.stream(stream), destination)?;
        }
        let direct = self.reaches_end(destination, from) || self.reaches_end(source, to);
        match route {
            CopyRoute::Staged => Ok(CopyPath::Staged { reason: StagedReason::Asked }),
            _ if direct => Ok(CopyPath::Direct),
            CopyRoute::Direct => {
                let [source_device, destination_device] = [source, destination].map(super::ordinal);
                Err(Error::NoDirectPath { source_device, destination_device }.into())
            }
            // The driver does not stage mapped pages.
            _ => Ok(CopyPath::Staged { reason: self.why_staged(to, from) }),
        }
    }

    pub(super) fn why_staged(&self, to: &End, from: &End) -> StagedReason {
        let (destination, source) = (self.device_of(to), self.device_of(from));
        let on = self.pair(destination, source).is_on() || self.pair(source, destination).is_on();
        let reachable =
            self.machine.reaches(destination, source) || self.machine.reaches(source, destination);
        let pooled = [to, from]
            .into_iter()
            .any(|end| matches!(end, End::Buffer(view) if self.buffer(view.part.buffer).pool.is_some()));
        match (reachable, on, pooled) {
            (false, ..) => StagedReason::NotReachable,
            (true, true, true) => StagedReason::PoolNotGranted,
            (true, true, false) => StagedReason::NotMapped,
            (true, false, _) => StagedReason::NotEnabled,
        }
    }

    pub(super) fn device_of(&self, end: &End) -> usize {
        match end {
            End::Range(spot) => spot.device,
            End::Buffer(view) => self.buffer(view.part.buffer).device,
        }
    }

    pub(super) fn reaches_end(&self, accessor: usize, end: &End) -> bool {
        match end {
            End::Range(spot) => self.range(spot.range).check_access(&spot.bytes, accessor).is_ok(),
            End::Buffer(view) => self.reaches_buffer(accessor, view.part.buffer),
        }
    }
}

impl End {
    pub(super) fn len(&self) -> usize {
        match self {
            End::Range(spot) => spot.bytes.len(),
            End::Buffer(view) => view.part.range.len(),
        }
    }
}
