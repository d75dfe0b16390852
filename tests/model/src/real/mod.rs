//! Carries actions out, by the safe crate.

mod copies;
mod graphs;
mod launches;
mod peers;
mod pools;
mod ranges;

use cuda_p2p::{
    Device, DeviceBuffer, Event, GraphExec, LaunchConfig, MemPool, PeerAccess, PhysicalMemory, PinnedBuffer,
    Result, Stream, StreamOptions, VirtualRange,
};

use crate::action::{Action, Part};
use crate::answer::Answer;
use crate::model::{BUFFERS, EVENTS, GRAPHS, PHYSICAL, PINNED, POOLS, RANGES, STREAMS, TOKENS};
use crate::pattern::pattern;
use crate::world::{self, World};

/// The objects of a program.
pub(crate) struct Real<'w> {
    world: &'w World,
    devices: Vec<Device>,
    buffers: [Option<DeviceBuffer<u8>>; BUFFERS],
    pinned: [Option<PinnedBuffer<u8>>; PINNED],
    pools: [Option<MemPool>; POOLS],
    ranges: [Option<VirtualRange>; RANGES],
    physical: [Option<PhysicalMemory>; PHYSICAL],
    streams: [Option<Stream>; STREAMS],
    events: [Option<Event>; EVENTS],
    graphs: [Option<GraphExec>; GRAPHS],
    tokens: [Option<PeerAccess>; TOKENS],
}

const DONE: Result<Answer> = Ok(Answer::Done);

impl<'w> Real<'w> {
    pub(crate) fn new(world: &'w World) -> Result<Self> {
        Ok(Self {
            world,
            devices: world.runtime.devices()?,
            buffers: Default::default(),
            pinned: Default::default(),
            pools: Default::default(),
            ranges: Default::default(),
            physical: Default::default(),
            streams: Default::default(),
            events: Default::default(),
            graphs: Default::default(),
            tokens: Default::default(),
        })
    }

    pub(crate) fn carry_out(&mut self, action: &Action) -> Result<Answer> {
        match action {
            Action::Enable { .. }
            | Action::EnableBoth { .. }
            | Action::CloneToken { .. }
            | Action::DropToken { .. }
            | Action::Disable { .. }
            | Action::OthersEnable { .. }
            | Action::Ask { .. } => self.peers(action),
            Action::Upload { .. }
            | Action::Download { .. }
            | Action::ReadAll { .. }
            | Action::FromPinned { .. }
            | Action::ToPinned { .. }
            | Action::FillBytes { .. }
            | Action::Copy { .. }
            | Action::CopyWithin { .. }
            | Action::CopyPeer { .. } => self.copy(action),
            Action::Capture { .. } | Action::LaunchGraph { .. } | Action::DropGraph { .. } => {
                self.graph(action)
            }
            Action::NewPool { .. }
            | Action::DropPool { .. }
            | Action::AllocateFrom { .. }
            | Action::Grant { .. }
            | Action::Ungrant { .. }
            | Action::AskGrant { .. } => self.pools(action),
            Action::Virtual(action) => self.virtual_memory(action),
            Action::Launch { kernel, to, from, stream, shape } => {
                self.launch(*kernel, to, from.as_ref(), *stream, *shape)
            }
            _ => self.objects(action),
        }
    }

    fn objects(&mut self, action: &Action) -> Result<Answer> {
        match *action {
            Action::Allocate { buffer, device, bytes, seed } => {
                let device = self.devices[device];
                self.buffers[buffer] = Some(match seed {
                    Some(seed) => device.alloc_from(&pattern(seed, bytes))?,
                    None => device.alloc_zeroed(bytes)?,
                });
            }
            Action::AllocateTooLarge { device } => {
                self.devices[device].alloc_zeroed::<u64>(usize::MAX / 4)?;
            }
            Action::DropBuffer { buffer } => self.buffers[buffer] = None,
            Action::NewPinned { pinned, device, bytes, seed } => {
                self.pinned[pinned] = Some(self.devices[device].alloc_pinned_from(&pattern(seed, bytes))?);
            }
            Action::DropPinned { pinned } => self.pinned[pinned] = None,
            Action::WritePinned { pinned, seed } => {
                let mut memory = present_mut(&mut self.pinned, pinned).write()?;
                let bytes = pattern(seed, memory.len());
                memory.copy_from_slice(&bytes);
            }
            Action::ReadPinned { pinned } => {
                return Ok(Answer::Bytes(present(&self.pinned, pinned).read()?.to_vec()));
            }
            Action::NewStream { stream, device, blocking } => {
                let options = StreamOptions { blocking, priority: None };
                self.streams[stream] = Some(self.devices[device].new_stream_with(options)?);
            }
            Action::CloneStream { stream, of } => self.streams[stream] = self.streams[of].clone(),
            Action::DropStream { stream } => self.streams[stream] = None,
            Action::Synchronize { stream } => {
                let stream = present(&self.streams, stream);
                stream.synchronize()?;
                return Ok(Answer::Yes(vec![stream.is_done()?]));
            }
            Action::NewEvent { event, device, timed } => {
                let device = self.devices[device];
                let made = if timed { device.new_event()? } else { device.new_event_untimed()? };
                self.events[event] = Some(made);
            }
            Action::DropEvent { event } => self.events[event] = None,
            Action::Record { event, stream } => {
                present(&self.streams, stream).record(present(&self.events, event))?;
            }
            Action::WaitEvent { stream, event } => {
                present(&self.streams, stream).wait_event(present(&self.events, event))?;
            }
            Action::Delay { stream, ns } => {
                self.world.kernels.delay(present(&self.streams, stream), LaunchConfig::new(1, 1), ns)?;
            }
            Action::SynchronizeEvent { event } => {
                let event = present(&self.events, event);
                event.synchronize()?;
                return Ok(Answer::Yes(vec![event.is_done()?]));
            }
            Action::Elapsed { start, end } => {
                let (start, end) = (present(&self.events, start), present(&self.events, end));
                start.synchronize()?;
                end.synchronize()?;
                end.elapsed_since(start)?;
            }
            Action::SynchronizeDevice { device } => {
                self.devices[device].synchronize()?;
                return Ok(Answer::Yes(self.are_done(&[self.devices[device]])?));
            }
            Action::NoSuchDevice { ordinal } => drop(self.world.runtime.device(ordinal)?),
            Action::MakeCurrent { device } => self.devices[device].set_current()?,
            Action::OthersFail => return Ok(Answer::Status(world::leave_error(&self.world.runtime))),
            Action::FreeStaging => self.world.runtime.free_staging()?,
            Action::OthersTakeError => return Ok(Answer::Status(world::take_error(&self.world.runtime))),
            _ => unreachable!("an action of another file"),
        }
        DONE
    }

    /// Whether the program's streams of these devices are done.
    fn are_done(&self, devices: &[Device]) -> Result<Vec<bool>> {
        let streams = self.streams.iter().flatten().filter(|stream| devices.contains(&stream.device()));
        streams.map(Stream::is_done).collect()
    }

    /// Drops everything, in an order that `turn` decides.
    pub(crate) fn drop_all(&mut self, turn: usize) {
        for kind in 0..9 {
            match (kind + turn) % 9 {
                0 => self.buffers = Default::default(),
                1 => self.pinned = Default::default(),
                2 => self.streams = Default::default(),
                3 => self.events = Default::default(),
                4 => self.pools = Default::default(),
                5 => self.graphs = Default::default(),
                6 => self.ranges = Default::default(),
                7 => self.physical = Default::default(),
                _ => self.tokens = Default::default(),
            }
        }
    }

    pub(crate) fn devices(&self) -> &[Device] {
        &self.devices
    }
}

/// The object in a slot. Actions name objects that there are.
fn present<T>(slots: &[Option<T>], slot: usize) -> &T {
    slots[slot].as_ref().expect("an object in the slot")
}

fn present_mut<T>(slots: &mut [Option<T>], slot: usize) -> &mut T {
    slots[slot].as_mut().expect("an object in the slot")
}

/// Part of a buffer, to read from.
fn slice<'b>(buffer: &'b DeviceBuffer<u8>, part: &Part) -> Result<cuda_p2p::DeviceSlice<'b, u8>> {
    buffer.slice(part.range.clone())
}

/// Part of a buffer, to write to.
fn slice_mut<'b>(buffer: &'b mut DeviceBuffer<u8>, part: &Part) -> Result<cuda_p2p::DeviceSliceMut<'b, u8>> {
    buffer.slice_mut(part.range.clone())
}
