//! Copies and fills.

use cuda_p2p::{CopyPath, CopyRoute, Error, StagedReason};

use super::{DONE, Model, same_device, same_length};
use crate::action::{Action, Part};
use crate::answer::{Answer, Predicted, Want};
use crate::pattern::pattern;

impl Model {
    pub(super) fn predict_copy(&mut self, action: &Action) -> Predicted {
        match action {
            Action::Upload { to, stream, bytes, seed } => {
                self.check_part(to)?;
                same_length(to.range.len(), *bytes)?;
                self.check_own(to, *stream)?;
                self.bytes_of(to).copy_from_slice(&pattern(*seed, *bytes));
            }
            Action::Download { from, stream, bytes } => {
                self.check_part(from)?;
                same_length(*bytes, from.range.len())?;
                self.check_own(from, *stream)?;
                return Ok(Answer::Bytes(self.bytes_of(from).to_vec()));
            }
            Action::ReadAll { buffer } => {
                let memory = self.buffer(*buffer);
                let (device, bytes) = (memory.device, memory.bytes.clone());
                self.copying.insert(device);
                return Ok(Answer::Bytes(bytes));
            }
            Action::FromPinned { to, stream, pinned } => {
                self.check_part(to)?;
                let source = self.pinned_bytes(*pinned);
                same_length(to.range.len(), source.len())?;
                self.check_own(to, *stream)?;
                self.bytes_of(to).copy_from_slice(&source);
            }
            Action::ToPinned { from, stream, pinned } => {
                self.check_part(from)?;
                same_length(self.pinned_bytes(*pinned).len(), from.range.len())?;
                self.check_own(from, *stream)?;
                let bytes = self.bytes_of(from).to_vec();
                if let Some(memory) = &mut self.pinned[*pinned] {
                    memory.bytes = bytes;
                }
            }
            Action::FillBytes { to, stream, value } => {
                self.check_part(to)?;
                self.check_own(to, *stream)?;
                self.bytes_of(to).fill(*value);
            }
            Action::Copy { to, from, stream } => {
                self.check_parts(to, from)?;
                self.check_own(to, *stream)?;
                self.check_own(from, *stream)?;
                self.copy(to, from);
            }
            Action::CopyWithin { buffer, middle, bytes, stream } => {
                self.check_own(&Part { buffer: *buffer, range: 0..*bytes }, *stream)?;
                if let Some(memory) = &mut self.buffers[*buffer] {
                    memory.bytes.copy_within(..*bytes, *middle);
                }
            }
            Action::CopyPeer { to, from, stream, route } => {
                return self.predict_peer_copy(to, from, *stream, *route);
            }
            _ => unreachable!("an action of another file"),
        }
        DONE
    }

    fn predict_peer_copy(&mut self, to: &Part, from: &Part, stream: usize, route: CopyRoute) -> Predicted {
        self.check_parts(to, from)?;
        let (destination, source) = (self.buffer(to.buffer).device, self.buffer(from.buffer).device);
        let path = if destination == source {
            self.check_own(to, stream)?;
            CopyPath::SameDevice
        } else {
            if self.stream(stream) != source {
                same_device("the destination", self.stream(stream), destination)?;
            }
            let direct =
                self.reaches_buffer(destination, from.buffer) || self.reaches_buffer(source, to.buffer);
            let reason = self.staged_reason(to, from);
            match (route, direct) {
                (CopyRoute::Staged, _) => CopyPath::Staged { reason: StagedReason::Asked },
                (_, true) => CopyPath::Direct,
                (CopyRoute::Direct, false) => {
                    let [source_device, destination_device] = [source, destination].map(|it| it as u32);
                    return Err(Error::NoDirectPath { source_device, destination_device }.into());
                }
                (CopyRoute::Driver, false) => CopyPath::StagedByDriver { reason },
                (_, false) => CopyPath::Staged { reason },
            }
        };
        self.copy(to, from);
        Ok(Answer::Path(path))
    }

    /// Why a copy between two devices is not direct, if it is not.
    pub(super) fn staged_reason(&self, to: &Part, from: &Part) -> StagedReason {
        let (destination, source) = (self.buffer(to.buffer).device, self.buffer(from.buffer).device);
        let on = self.pair(destination, source).is_on() || self.pair(source, destination).is_on();
        let machine = &self.machine;
        let reachable = machine.reaches(destination, source) || machine.reaches(source, destination);
        let pools = [to, from].map(|part| self.buffer(part.buffer).pool.is_some());
        match (reachable, pools) {
            (false, _) => StagedReason::NotReachable,
            (true, [false, false]) => StagedReason::NotEnabled,
            (true, [true, true]) => StagedReason::PoolNotGranted,
            // Peer access is there, and does not cover the end that it leads to.
            _ if on => StagedReason::PoolNotGranted,
            _ => StagedReason::NotEnabled,
        }
    }

    pub(super) fn check_parts(&self, to: &Part, from: &Part) -> Result<(), Want> {
        self.check_part(to)?;
        self.check_part(from)?;
        same_length(to.range.len(), from.range.len())
    }

    pub(super) fn copy(&mut self, to: &Part, from: &Part) {
        let bytes = self.bytes_of(from).to_vec();
        self.bytes_of(to).copy_from_slice(&bytes);
    }

    pub(super) fn pinned_bytes(&self, pinned: usize) -> Vec<u8> {
        self.pinned[pinned].as_ref().map_or_else(Vec::new, |it| it.bytes.clone())
    }
}
