//! Ranges of virtual memory.

use cuda_p2p::{
    DeviceBuffer, DeviceSlice, DeviceSliceMut, KernelSlice, KernelSliceMut, LaunchConfig, PeerAccess, Result,
    VirtualRange,
};

use super::{DONE, Real, present, present_mut, slice, slice_mut};
use crate::answer::Answer;
use crate::virtual_action::{End, Means, Spot, Virtual};

/// Memory out of its slot, for as long as it is lent to be written.
enum Taken {
    Range(VirtualRange),
    Buffer(DeviceBuffer<u8>),
}

impl Real<'_> {
    pub(super) fn virtual_memory(&mut self, action: &Virtual) -> Result<Answer> {
        match action {
            Virtual::NewPhysical { physical, device, bytes } => {
                self.physical[*physical] = Some(self.devices[*device].alloc_physical_zeroed(*bytes)?);
            }
            Virtual::DropPhysical { physical } => self.physical[*physical] = None,
            Virtual::Reserve { range, bytes } => {
                self.ranges[*range] = Some(self.world.runtime.reserve_virtual_range(*bytes)?);
            }
            Virtual::DropRange { range } => self.ranges[*range] = None,
            Virtual::Map { range, physical, offset } => {
                let Some(memory) = self.physical[*physical].take() else { return DONE };
                if let Err(refused) = present_mut(&mut self.ranges, *range).map(*offset, memory) {
                    self.physical[*physical] = Some(refused.memory);
                    return Err(refused.error);
                }
            }
            Virtual::Unmap { range, physical, offset } => {
                self.physical[*physical] = Some(present_mut(&mut self.ranges, *range).unmap(*offset)?);
            }
            Virtual::Grant { range, accessor } => {
                present_mut(&mut self.ranges, *range).enable_access_from(&[self.devices[*accessor]])?;
            }
            Virtual::Ungrant { range, accessor } => {
                present_mut(&mut self.ranges, *range).disable_access_from(&[self.devices[*accessor]])?;
            }
            Virtual::Ask { range, accessor } => {
                let can = present(&self.ranges, *range).is_accessible_from(&self.devices[*accessor])?;
                return Ok(Answer::Yes(vec![can]));
            }
            Virtual::Copy { to, from, stream, means } => return self.copy_virtual(to, from, *stream, *means),
            Virtual::Capture { graph, stream, work } => return self.capture_virtual(*graph, *stream, work),
            _ => return self.use_virtual(action),
        }
        DONE
    }

    fn use_virtual(&mut self, action: &Virtual) -> Result<Answer> {
        let Self { world, devices, ranges, streams, tokens, .. } = self;
        match action {
            Virtual::Fill { to, stream, value } => {
                let bytes = to.bytes.clone();
                let memory = present_mut(ranges, to.range).slice_mut::<u8>(&devices[to.device], bytes)?;
                present(streams, *stream).fill_bytes_async(memory, *value)?;
            }
            Virtual::Read { from, stream } => {
                let memory =
                    present(ranges, from.range).slice::<u8>(&devices[from.device], from.bytes.clone())?;
                let mut found = vec![0xee; memory.len()];
                present(streams, *stream).copy_to_host(memory, &mut found)?;
                return Ok(Answer::Bytes(found));
            }
            Virtual::Store { to, stream, value, ns } => {
                let bytes = to.bytes.clone();
                let memory = present_mut(ranges, to.range).slice_mut::<u8>(&devices[to.device], bytes)?;
                let words = memory.cast::<u32>()?;
                let words = match to.token {
                    Some(token) => KernelSliceMut::Peer(present(tokens, token).slice_mut(words)?),
                    None => KernelSliceMut::Device(words),
                };
                let one = LaunchConfig::new(1, 1);
                world.kernels.delayed_store(present(streams, *stream), one, words, *value, *ns)?;
            }
            Virtual::CopyWithin { both, stream } => {
                let bytes = both.bytes.clone();
                let memory = present_mut(ranges, both.range).slice_mut::<u8>(&devices[both.device], bytes)?;
                let middle = memory.len() / 2;
                let (before, after) = memory.split_at_mut(middle)?;
                present(streams, *stream).copy_async(after, &before)?;
            }
            _ => unreachable!("an action of the function above"),
        }
        DONE
    }

    fn capture_virtual(&mut self, graph: usize, stream: usize, work: &[Virtual]) -> Result<Answer> {
        let (captured, mut answer) = (present(&self.streams, stream).clone(), Answer::Done);
        let recorded = captured.capture(|_| {
            for action in work {
                answer = self.virtual_memory(action)?;
            }
            Ok(())
        })?;
        self.graphs[graph] = Some(recorded.instantiate()?);
        Ok(answer)
    }

    fn copy_virtual(&mut self, to: &End, from: &End, stream: usize, means: Means) -> Result<Answer> {
        let mut taken = match to {
            End::Range(spot) => Taken::Range(self.ranges[spot.range].take().expect("a range in the slot")),
            End::Buffer(view) => {
                Taken::Buffer(self.buffers[view.part.buffer].take().expect("a buffer in the slot"))
            }
        };
        let answer = self.copy_into(&mut taken, to, from, stream, means);
        match (to, taken) {
            (End::Range(spot), Taken::Range(range)) => self.ranges[spot.range] = Some(range),
            (End::Buffer(view), Taken::Buffer(buffer)) => self.buffers[view.part.buffer] = Some(buffer),
            _ => unreachable!("it was taken from there"),
        }
        answer
    }

    fn copy_into(
        &self,
        taken: &mut Taken,
        to: &End,
        from: &End,
        stream: usize,
        means: Means,
    ) -> Result<Answer> {
        let destination = match (taken, to) {
            (Taken::Range(range), End::Range(spot)) => self.spot_mut(range, spot)?,
            (Taken::Buffer(buffer), End::Buffer(view)) => slice_mut(buffer, &view.part)?,
            _ => unreachable!("what was taken is of the kind of the end"),
        };
        let stream = present(&self.streams, stream);
        if means == Means::Kernel {
            let destination = match to.token() {
                Some(token) => KernelSliceMut::Peer(self.access(token).slice_mut(destination)?),
                None => KernelSliceMut::Device(destination),
            };
            let source = match from.token() {
                Some(token) => KernelSlice::Peer(self.access(token).slice(self.end(from)?)?),
                None => KernelSlice::Device(self.end(from)?),
            };
            let (one, bytes) = (LaunchConfig::new(1, 3), source.len() as u64);
            self.world.kernels.copy(stream, one, destination, source, bytes)?;
            return DONE;
        }
        let source = self.end(from)?;
        match means {
            Means::Peer(route) => stream.copy_peer_async_by(route, destination, source).map(Answer::Path),
            _ => stream.copy_async(destination, source).map(|()| Answer::Done),
        }
    }

    fn spot_mut<'r>(&self, range: &'r mut VirtualRange, spot: &Spot) -> Result<DeviceSliceMut<'r, u8>> {
        range.slice_mut(&self.devices[spot.device], spot.bytes.clone())
    }

    fn end(&self, end: &End) -> Result<DeviceSlice<'_, u8>> {
        match end {
            End::Range(spot) => {
                present(&self.ranges, spot.range).slice(&self.devices[spot.device], spot.bytes.clone())
            }
            End::Buffer(view) => slice(present(&self.buffers, view.part.buffer), &view.part),
        }
    }

    fn access(&self, token: usize) -> &PeerAccess {
        present(&self.tokens, token)
    }
}

impl End {
    fn token(&self) -> Option<usize> {
        match self {
            End::Range(spot) => spot.token,
            End::Buffer(view) => view.token,
        }
    }
}
