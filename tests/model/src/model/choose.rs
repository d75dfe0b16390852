//! What a step means in the state that the program has reached.

use std::ops::Range;

use super::{BUFFERS, EVENTS, Model, PINNED, STREAMS, TOKENS};
use crate::action::Action;
use crate::step::{Flaw, Kind, Step};

/// Most bytes that one copy or kernel of a step touches, so that a program stays short.
pub(super) const TOUCHED: usize = 300;

/// What to do for a step.
#[derive(Debug)]
pub(crate) enum Choice {
    /// This, and the step is done.
    Do(Action),
    /// This, and then the step must be looked at again.
    First(Action),
}

impl Model {
    /// `None` if the state has nothing that the step could be done with.
    pub(crate) fn choose(&self, step: &Step) -> Option<Choice> {
        match step.kind {
            Kind::LaunchFill
            | Kind::LaunchCopy
            | Kind::LaunchFetch
            | Kind::LaunchAdd
            | Kind::LaunchStore
            | Kind::LaunchCount => self.choose_launch(step),
            Kind::Allocate
            | Kind::AllocateMuch
            | Kind::AllocateTooLarge
            | Kind::DropBuffer
            | Kind::NewPinned
            | Kind::DropPinned
            | Kind::WritePinned
            | Kind::ReadPinned => self.choose_memory(step).map(Choice::Do),
            Kind::Capture | Kind::LaunchGraph | Kind::DropGraph => self.choose_graph(step).map(Choice::Do),
            Kind::NewPool
            | Kind::DropPool
            | Kind::AllocateFrom
            | Kind::Grant
            | Kind::Ungrant
            | Kind::AskGrant => self.choose_pool(step).map(Choice::Do),
            Kind::NewPhysical
            | Kind::DropPhysical
            | Kind::Reserve
            | Kind::DropRange
            | Kind::Map
            | Kind::Unmap
            | Kind::GrantRange
            | Kind::UngrantRange
            | Kind::AskRange
            | Kind::FillRange
            | Kind::ReadRange
            | Kind::StoreRange
            | Kind::CopyRange
            | Kind::CopyRangeWithin
            | Kind::KernelCopyRange
            | Kind::CaptureRange => self.choose_virtual(step),
            Kind::Enable
            | Kind::EnableBoth
            | Kind::CloneToken
            | Kind::DropToken
            | Kind::Disable
            | Kind::OthersEnable
            | Kind::Ask
            | Kind::NoSuchDevice
            | Kind::MakeCurrent
            | Kind::OthersFail
            | Kind::OthersTakeError
            | Kind::FreeStaging => self.choose_peers(step).map(Choice::Do),
            Kind::Upload
            | Kind::Download
            | Kind::ReadAll
            | Kind::FromPinned
            | Kind::ToPinned
            | Kind::FillBytes
            | Kind::Copy
            | Kind::CopyWithin
            | Kind::CopyPeer => self.choose_copy(step).map(Choice::Do),
            _ => self.choose_stream(step).map(Choice::Do),
        }
    }

    fn choose_memory(&self, step: &Step) -> Option<Action> {
        let (buffer, device) = (step.below(0, BUFFERS), self.device(step, 1));
        let (pinned, seed) = (step.below(0, PINNED), u64::from(step.n[3]));
        Some(match step.kind {
            Kind::Allocate => {
                let bytes = match step.below(2, 12) {
                    0 => step.below(4, 5),
                    1 => 4000 + step.below(4, 9000),
                    _ => 8 + step.below(4, TOUCHED),
                };
                Action::Allocate { buffer, device, bytes, seed: step.n[2].is_multiple_of(2).then_some(seed) }
            }
            Kind::AllocateMuch if self.machine.memory < 1 << 30 => {
                let bytes = (64 + step.below(2, 960)) << 10;
                Action::Allocate { buffer, device, bytes, seed: None }
            }
            // More than the device has.
            Kind::AllocateMuch => Action::Allocate {
                buffer,
                device,
                bytes: self.machine.memory + 1 + step.below(2, 5),
                seed: None,
            },
            Kind::AllocateTooLarge => Action::AllocateTooLarge { device },
            Kind::DropBuffer => Action::DropBuffer { buffer: step.pick(0, &Self::live(&self.buffers))? },
            Kind::NewPinned => Action::NewPinned { pinned, device, bytes: step.below(2, TOUCHED), seed },
            Kind::DropPinned => Action::DropPinned { pinned: step.pick(0, &Self::live(&self.pinned))? },
            Kind::WritePinned => {
                Action::WritePinned { pinned: step.pick(0, &Self::live(&self.pinned))?, seed }
            }
            Kind::ReadPinned => Action::ReadPinned { pinned: step.pick(0, &Self::live(&self.pinned))? },
            _ => return None,
        })
    }

    fn choose_stream(&self, step: &Step) -> Option<Action> {
        let live_stream = || step.pick(0, &Self::live(&self.streams));
        let live_event = |index| step.pick(index, &Self::live(&self.events));
        let device = self.device(step, 1);
        Some(match step.kind {
            Kind::NewStream => Action::NewStream {
                stream: step.below(0, STREAMS),
                device,
                blocking: step.n[2].is_multiple_of(4),
            },
            Kind::CloneStream => Action::CloneStream { stream: step.below(2, STREAMS), of: live_stream()? },
            Kind::DropStream => Action::DropStream { stream: live_stream()? },
            Kind::Synchronize => Action::Synchronize { stream: live_stream()? },
            Kind::NewEvent => {
                Action::NewEvent { event: step.below(0, EVENTS), device, timed: !step.n[2].is_multiple_of(4) }
            }
            Kind::DropEvent => Action::DropEvent { event: live_event(0)? },
            Kind::Record => {
                let event = live_event(1)?;
                let stream =
                    self.stream_on(self.events[event]?.device, step, 0, step.n[2].is_multiple_of(16))?;
                Action::Record { event, stream }
            }
            Kind::WaitEvent => Action::WaitEvent { stream: live_stream()?, event: live_event(1)? },
            Kind::SynchronizeEvent => Action::SynchronizeEvent { event: live_event(0)? },
            Kind::Elapsed => Action::Elapsed { start: live_event(0)?, end: live_event(1)? },
            Kind::Delay => {
                Action::Delay { stream: live_stream()?, ns: 10_000 * (1 + u64::from(step.n[2] % 5)) }
            }
            Kind::SynchronizeDevice => Action::SynchronizeDevice { device },
            _ => return None,
        })
    }

    fn choose_peers(&self, step: &Step) -> Option<Action> {
        let live = || step.pick(0, &Self::live(&self.tokens));
        let token = step.below(0, TOKENS);
        // One time in five any two devices of the machine, else two of the cast.
        let (accessor, owner) = if step.n[4].is_multiple_of(5) {
            (step.below(1, self.machine.devices), step.below(2, self.machine.devices))
        } else {
            let own = step.below(1, self.cast.len());
            let more = 1 + step.below(2, self.cast.len().saturating_sub(1));
            (self.cast[own], self.cast[(own + more) % self.cast.len()])
        };
        Some(match step.kind {
            Kind::Enable => Action::Enable { token, accessor, owner },
            Kind::EnableBoth => {
                let back = (token + 1 + step.below(3, TOKENS - 1)) % TOKENS;
                Action::EnableBoth { there: token, back, a: accessor, b: owner }
            }
            Kind::CloneToken => Action::CloneToken { token: step.below(1, TOKENS), of: live()? },
            Kind::DropToken => Action::DropToken { token: live()? },
            Kind::Disable => Action::Disable { token: live()? },
            Kind::OthersEnable if accessor != owner => Action::OthersEnable { accessor, owner },
            Kind::Ask => Action::Ask { accessor, owner },
            Kind::NoSuchDevice => {
                Action::NoSuchDevice { ordinal: super::ordinal(self.machine.devices + step.below(1, 100)) }
            }
            Kind::MakeCurrent => Action::MakeCurrent { device: step.below(1, self.machine.devices) },
            Kind::OthersFail => Action::OthersFail,
            Kind::OthersTakeError => Action::OthersTakeError,
            Kind::FreeStaging => Action::FreeStaging,
            _ => return None,
        })
    }

    /// One of the cast.
    pub(super) fn device(&self, step: &Step, index: usize) -> usize {
        self.cast[step.below(index, self.cast.len())]
    }

    /// A stream of the device, or of another one.
    pub(super) fn stream_on(&self, device: usize, step: &Step, index: usize, other: bool) -> Option<usize> {
        let fits = |&stream: &usize| (self.streams[stream] == Some(device)) != other;
        let candidates: Vec<usize> = Self::live(&self.streams).into_iter().filter(fits).collect();
        step.pick(index, &candidates)
    }
}

/// A range of so many bytes; numbers `index` and the next decide.
pub(super) fn span(step: &Step, len: usize, index: usize) -> Range<usize> {
    if step.flaw == Flaw::Bounds {
        let start = step.below(index, len + 2);
        return start..len + 1 + step.below(index + 1, 7);
    }
    // One time in three from the start, as far as it goes: most of what meets does so there.
    let start = if step.n[index].is_multiple_of(3) { 0 } else { step.below(index, len + 1) };
    let most = (len - start).min(TOUCHED);
    let bytes = if step.n[index + 1].is_multiple_of(3) { most } else { step.below(index + 1, most + 1) };
    start..start + bytes
}
