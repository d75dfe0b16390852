//! Memory, streams and events, and the thread's state.

use cuda_p2p::{Error, ErrorClass};

use super::{DONE, Event, Memory, Model, ordinal, same_device};
use crate::action::Action;
use crate::answer::{Answer, Predicted, Want};
use crate::pattern::pattern;

/// Device memory is charged in units of so many bytes.
const UNIT: usize = 512;
/// `cudaErrorInvalidResourceHandle`: a time is asked of an event that was never recorded.
const INVALID_HANDLE: u32 = 400;
/// `cudaErrorInvalidDevice`: what others leave pending.
pub(crate) const OTHERS_ERROR: u32 = 101;

impl Model {
    /// Bytes of a device that are taken; what was dropped does not count, since a new allocation waits for it.
    fn used(&self, device: usize) -> usize {
        let own = self.buffers.iter().flatten().chain(&self.kept);
        let own = own.filter(|it| it.device == device && !it.pinned);
        let used: usize = own.map(|it| it.bytes.len().next_multiple_of(UNIT)).sum();
        let mapped = self.ranges.iter().flatten().flat_map(|range| range.mapped.values());
        let physical = self
            .physical
            .iter()
            .flatten()
            .chain(mapped)
            .chain(&self.kept_physical)
            .filter(|it| it.device == device);
        used + physical.map(|it| it.bytes.len()).sum::<usize>()
    }

    /// The error of an allocation that a device has no room for.
    pub(super) fn check_room(&self, device: usize, bytes: usize) -> Result<(), Want> {
        if self.used(device) + bytes.next_multiple_of(UNIT) > self.machine.memory {
            return Err(Want::Class(ErrorClass::OutOfMemory));
        }
        Ok(())
    }

    pub(super) fn predict_objects(&mut self, action: &Action) -> Predicted {
        match *action {
            Action::Allocate { buffer, device, bytes, seed } => {
                self.check_room(device, bytes)?;
                let own = if seed.is_some() { &mut self.copying } else { &mut self.zeroing };
                own.insert(device);
                let bytes = seed.map_or_else(|| vec![0; bytes], |seed| pattern(seed, bytes));
                self.drop_buffer(buffer);
                let id = self.new_id();
                self.buffers[buffer] = Some(Memory { id, device, bytes, pool: None, pinned: false });
            }
            Action::AllocateTooLarge { .. } => {
                return Err(Error::TooLarge { len: usize::MAX / 4, size: 8 }.into());
            }
            Action::DropBuffer { buffer } => self.drop_buffer(buffer),
            Action::NewPinned { pinned, device, bytes, seed } => {
                self.drop_pinned(pinned);
                let (id, bytes) = (self.new_id(), pattern(seed, bytes));
                self.pinned[pinned] = Some(Memory { id, device, bytes, pool: None, pinned: true });
            }
            Action::DropPinned { pinned } => self.drop_pinned(pinned),
            Action::WritePinned { pinned, seed } => {
                if let Some(memory) = &mut self.pinned[pinned] {
                    memory.bytes = pattern(seed, memory.bytes.len());
                }
            }
            Action::ReadPinned { pinned } => {
                return Ok(Answer::Bytes(
                    self.pinned[pinned].as_ref().map_or_else(Vec::new, |it| it.bytes.clone()),
                ));
            }
            Action::NewStream { stream, device, .. } => self.streams[stream] = Some(device),
            Action::CloneStream { stream, of } => self.streams[stream] = self.streams[of],
            Action::DropStream { stream } => self.streams[stream] = None,
            Action::Synchronize { .. } | Action::SynchronizeEvent { .. } => {
                return Ok(Answer::Yes(vec![true]));
            }
            Action::NewEvent { event, device, timed } => {
                self.events[event] = Some(Event { device, timed, recorded: false });
            }
            Action::DropEvent { event } => self.events[event] = None,
            Action::Record { event, stream } => {
                let device = self.stream(stream);
                if let Some(event) = &mut self.events[event] {
                    same_device("the event", device, event.device)?;
                    event.recorded = true;
                }
            }
            Action::WaitEvent { .. } | Action::Delay { .. } => {}
            Action::Elapsed { start, end } => return self.predict_elapsed(start, end),
            Action::SynchronizeDevice { device } => {
                return Ok(Answer::Yes(vec![true; self.streams_of(&[device])]));
            }
            Action::NoSuchDevice { ordinal: number } => {
                let count = ordinal(self.machine.devices);
                return Err(Error::NoSuchDevice { ordinal: number, count }.into());
            }
            Action::MakeCurrent { device } => self.current = device,
            Action::OthersFail => {
                self.pending = OTHERS_ERROR;
                return Ok(Answer::Status(OTHERS_ERROR));
            }
            // The bytes arrive all the same.
            Action::FreeStaging => {}
            Action::OthersTakeError => {
                return Ok(Answer::Status(std::mem::take(&mut self.pending)));
            }
            _ => unreachable!("an action of another file"),
        }
        DONE
    }

    fn predict_elapsed(&self, start: usize, end: usize) -> Predicted {
        let (Some(start), Some(end)) = (self.events[start], self.events[end]) else { return DONE };
        same_device("the start event", end.device, start.device)?;
        if !(start.timed && end.timed) {
            return Err(Error::EventWithoutTiming.into());
        }
        if start.recorded && end.recorded { DONE } else { Err(Want::Code(INVALID_HANDLE)) }
    }

    /// How many streams of these devices the program has.
    pub(super) fn streams_of(&self, devices: &[usize]) -> usize {
        self.streams.iter().flatten().filter(|device| devices.contains(device)).count()
    }
}
