//! Ranges of virtual memory: what is mapped in them, and who may use it.

use std::collections::BTreeMap;

use cuda_p2p::Error;

use super::{DONE, Model, check_range, ordinal, same_device};
use crate::answer::{Answer, Predicted, Want};
use crate::virtual_action::{Spot, Virtual};

/// What sizes and places are multiples of, in bytes.
pub(crate) const PART: usize = 2 << 20;
/// Bytes of a word.
const WORD: usize = 4;

/// Physical memory.
#[derive(Clone, Debug)]
pub(crate) struct Physical {
    /// Unique in the program.
    pub(crate) id: u64,
    pub(crate) device: usize,
    pub(crate) bytes: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) bytes: usize,
    /// By place.
    pub(crate) mapped: BTreeMap<usize, Physical>,
    /// In the order in which they were let in.
    pub(crate) accessors: Vec<usize>,
}

impl Range {
    /// Places, sizes and devices of what any of the bytes lie in.
    fn parts(&self, bytes: &std::ops::Range<usize>) -> impl Iterator<Item = (usize, usize, usize)> {
        let (start, end) = (bytes.start, bytes.end);
        let parts = self.mapped.iter().map(|(&offset, memory)| (offset, memory.bytes.len(), memory.device));
        parts.filter(move |&(offset, len, _)| offset < end && start < offset + len)
    }

    /// The error of bytes that are not mapped, or not opened to the device.
    pub(crate) fn check_access(&self, bytes: &std::ops::Range<usize>, accessor: usize) -> Result<(), Want> {
        let mut at = bytes.start;
        for (offset, len, owner) in self.parts(bytes) {
            if offset > at {
                return Err(Error::NotMapped { start: at, end: offset }.into());
            }
            if !self.accessors.contains(&accessor) {
                let (accessor, owner) = (ordinal(accessor), ordinal(owner));
                return Err(Error::RangeNotGranted { accessor, owner }.into());
            }
            at = offset + len;
        }
        if at < bytes.end {
            return Err(Error::NotMapped { start: at, end: bytes.end }.into());
        }
        Ok(())
    }

    /// Each part that any of the bytes lie in: the number of the memory, which bytes of it, and whose it is. All are mapped.
    pub(crate) fn places(&self, bytes: &std::ops::Range<usize>) -> Vec<(u64, std::ops::Range<usize>, usize)> {
        let place = |(offset, len, owner): (usize, usize, usize)| {
            let start = bytes.start.max(offset) - offset;
            (self.mapped[&offset].id, start..bytes.end.min(offset + len) - offset, owner)
        };
        self.parts(bytes).map(place).collect()
    }

    /// All of the bytes are mapped.
    fn read(&self, bytes: &std::ops::Range<usize>) -> Vec<u8> {
        let byte = |at: usize| {
            let (offset, memory) = self.mapped.range(..=at).next_back().expect("the bytes are mapped");
            memory.bytes[at - offset]
        };
        bytes.clone().map(byte).collect()
    }

    fn write(&mut self, start: usize, bytes: &[u8]) {
        for (at, byte) in (start..).zip(bytes) {
            let (offset, memory) = self.mapped.range_mut(..=at).next_back().expect("the bytes are mapped");
            memory.bytes[at - offset] = *byte;
        }
    }
}

impl Model {
    pub(crate) fn range(&self, range: usize) -> &Range {
        self.ranges[range].as_ref().expect("actions name objects that there are")
    }

    fn range_mut(&mut self, range: usize) -> &mut Range {
        self.ranges[range].as_mut().expect("actions name objects that there are")
    }

    pub(super) fn predict_virtual(&mut self, action: &Virtual) -> Predicted {
        match action {
            Virtual::NewPhysical { physical, device, bytes } => {
                check_size("the size of physical memory", *bytes)?;
                self.check_room(*device, *bytes)?;
                // It is zeroed there.
                self.copying.insert(*device);
                let id = self.new_id();
                self.physical[*physical] = Some(Physical { id, device: *device, bytes: vec![0; *bytes] });
            }
            Virtual::DropPhysical { physical } => self.physical[*physical] = None,
            Virtual::Reserve { range, bytes } => {
                check_size("the size of a range", *bytes)?;
                self.drop_range(*range);
                self.ranges[*range] =
                    Some(Range { bytes: *bytes, mapped: BTreeMap::new(), accessors: Vec::new() });
            }
            Virtual::DropRange { range } => self.drop_range(*range),
            Virtual::Map { range, physical, offset } => self.map(*range, *physical, *offset)?,
            Virtual::Unmap { range, physical, offset } => self.unmap(*range, *physical, *offset)?,
            Virtual::Grant { range, accessor } => {
                for memory in self.range(*range).mapped.values() {
                    self.check_reaches(*accessor, memory.device)?;
                }
                let accessors = &mut self.range_mut(*range).accessors;
                if !accessors.contains(accessor) {
                    accessors.push(*accessor);
                }
            }
            Virtual::Ungrant { range, accessor } => {
                self.range(*range).mapped.keys().try_for_each(|&offset| self.check_unused(*range, offset))?;
                self.range_mut(*range).accessors.retain(|known| known != accessor);
            }
            Virtual::Ask { range, accessor } => {
                let range = self.range(*range);
                let can = !range.mapped.is_empty() && range.accessors.contains(accessor);
                return Ok(Answer::Yes(vec![can]));
            }
            Virtual::Fill { to, stream, value } => {
                self.check_spot(to)?;
                self.check_spot_on(to, *stream)?;
                self.write_spot(to, &vec![*value; to.bytes.len()]);
            }
            Virtual::Read { from, stream } => {
                self.check_spot(from)?;
                self.check_spot_on(from, *stream)?;
                return Ok(Answer::Bytes(self.read_spot(from)));
            }
            Virtual::Store { to, stream, value, .. } => {
                self.check_spot(to)?;
                if to.bytes.len() < WORD {
                    return Err(Want::Precondition);
                }
                self.check_spot_on(to, *stream)?;
                self.range_mut(to.range).write(to.bytes.start, &value.to_le_bytes());
            }
            Virtual::Copy { to, from, stream, means } => {
                return self.predict_virtual_copy(to, from, *stream, *means);
            }
            Virtual::CopyWithin { both, stream } => {
                self.check_spot(both)?;
                self.check_spot_on(both, *stream)?;
                let bytes = self.read_spot(both);
                let middle = both.bytes.start + bytes.len() / 2;
                self.range_mut(both.range).write(middle, &bytes[..bytes.len() / 2]);
            }
            Virtual::Capture { graph, stream, work } => {
                return self.predict_virtual_capture(*graph, *stream, work);
            }
        }
        DONE
    }

    fn map(&mut self, range: usize, physical: usize, offset: usize) -> Result<(), Want> {
        let (space, Some(memory)) = (self.range(range), &self.physical[physical]) else { return Ok(()) };
        if !offset.is_multiple_of(PART) {
            let what = "the place of a mapping";
            return Err(Error::Granularity { what, bytes: offset, granularity: PART }.into());
        }
        let (end, len) = (offset + memory.bytes.len(), space.bytes);
        if end > len {
            return Err(Error::OutOfBounds { start: offset, end, len }.into());
        }
        if let Some((start, len, _)) = space.parts(&(offset..end)).next() {
            return Err(Error::AlreadyMapped { start, end: start + len }.into());
        }
        for accessor in &space.accessors {
            self.check_reaches(*accessor, memory.device)?;
        }
        if let Some(memory) = self.physical[physical].take() {
            self.range_mut(range).mapped.insert(offset, memory);
        }
        Ok(())
    }

    /// The error of taking away what a graph relies on.
    fn check_unused(&self, range: usize, offset: usize) -> Result<(), Want> {
        match self.range(range).mapped.get(&offset) {
            Some(memory) if self.is_in_a_graph(memory.id) => {
                Err(Error::RangeInUse { start: offset, end: offset + memory.bytes.len() }.into())
            }
            _ => Ok(()),
        }
    }

    fn unmap(&mut self, range: usize, physical: usize, offset: usize) -> Result<(), Want> {
        self.check_unused(range, offset)?;
        if let Some(memory) = self.range_mut(range).mapped.remove(&offset) {
            self.physical[physical] = Some(memory);
            return Ok(());
        }
        Err(match self.range(range).parts(&(offset..offset + 1)).next() {
            Some((start, len, _)) => Error::InsideMapping { offset, start, end: start + len },
            None => Error::NotMapped { start: offset, end: offset },
        }
        .into())
    }

    fn check_reaches(&self, accessor: usize, owner: usize) -> Result<(), Want> {
        if accessor == owner || self.machine.reaches(accessor, owner) {
            return Ok(());
        }
        Err(Error::PeerUnreachable { accessor: ordinal(accessor), owner: ordinal(owner) }.into())
    }

    /// The errors of slicing, and of asking for a peer slice.
    pub(super) fn check_spot(&self, spot: &Spot) -> Result<(), Want> {
        let range = self.range(spot.range);
        check_range(&spot.bytes, range.bytes)?;
        range.check_access(&spot.bytes, spot.device)?;
        let Some((accessor, owner)) = spot.token.and_then(|token| self.tokens[token]) else { return Ok(()) };
        same_device("the memory to view", owner, spot.device)?;
        range.check_access(&spot.bytes, accessor)
    }

    /// The error of a spot that the stream's device may not use.
    pub(super) fn check_spot_on(&self, spot: &Spot, stream: usize) -> Result<(), Want> {
        match spot.token.and_then(|token| self.tokens[token]) {
            Some((accessor, _)) => same_device("the peer slice's accessor", self.stream(stream), accessor),
            None => same_device("the slice", self.stream(stream), spot.device),
        }
    }

    pub(super) fn read_spot(&self, spot: &Spot) -> Vec<u8> {
        self.range(spot.range).read(&spot.bytes)
    }

    pub(super) fn write_spot(&mut self, spot: &Spot, bytes: &[u8]) {
        self.range_mut(spot.range).write(spot.bytes.start, bytes);
    }
}

fn check_size(what: &'static str, bytes: usize) -> Result<(), Want> {
    if bytes > 0 && bytes.is_multiple_of(PART) {
        return Ok(());
    }
    Err(Error::Granularity { what, bytes, granularity: PART }.into())
}
