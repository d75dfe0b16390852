//! What a step that copies or fills means.

use cuda_p2p::CopyRoute;

use super::Model;
use super::choose::{TOUCHED, span};
use crate::action::{Action, Part};
use crate::step::{Flaw, Kind, Step};

impl Model {
    pub(super) fn choose_copy(&self, step: &Step) -> Option<Action> {
        let all = Self::live(&self.buffers);
        let buffer = step.pick(0, &all)?;
        let Self { pinned, .. } = self;
        let (device, len) = (self.buffer(buffer).device, self.buffer(buffer).bytes.len());
        let stream = self.stream_on(device, step, 1, step.flaw == Flaw::Device);
        let part = |range| Part { buffer, range };
        let seed = u64::from(step.n[4]);
        Some(match step.kind {
            Kind::Upload | Kind::Download => {
                let range = span(step, len, 2);
                let bytes = range.len() + usize::from(step.flaw == Flaw::Length);
                let (part, stream) = (part(range), stream?);
                if step.kind == Kind::Upload {
                    Action::Upload { to: part, stream, bytes, seed }
                } else {
                    Action::Download { from: part, stream, bytes }
                }
            }
            Kind::ReadAll => Action::ReadAll { buffer },
            Kind::FromPinned | Kind::ToPinned => {
                let number = step.pick(2, &Self::live(pinned))?;
                let bytes = pinned[number].as_ref()?.bytes.len();
                // If it does not fit, that is one more length that differs.
                let start = step.below(3, (len + 1).saturating_sub(bytes));
                let end = (start + bytes).min(len + usize::from(step.flaw == Flaw::Bounds));
                let end = end.saturating_sub(usize::from(step.flaw == Flaw::Length)).max(start);
                let (part, stream) = (part(start..end), stream?);
                if step.kind == Kind::FromPinned {
                    Action::FromPinned { to: part, stream, pinned: number }
                } else {
                    Action::ToPinned { from: part, stream, pinned: number }
                }
            }
            Kind::FillBytes => {
                Action::FillBytes { to: part(span(step, len, 2)), stream: stream?, value: step.n[4] as u8 }
            }
            Kind::CopyWithin => {
                let middle = step.below(2, len + 1);
                let bytes = middle.min(len - middle).min(TOUCHED);
                Action::CopyWithin { buffer, middle, bytes, stream: stream? }
            }
            Kind::Copy | Kind::CopyPeer => return self.choose_two(step, &all, buffer),
            _ => return None,
        })
    }

    /// A copy between two buffers.
    fn choose_two(&self, step: &Step, all: &[usize], buffer: usize) -> Option<Action> {
        let device = self.buffer(buffer).device;
        // Either may be anywhere; mostly they are where the kind of copy wants them.
        let anywhere = step.n[5].is_multiple_of(16);
        let fits =
            |other: usize| anywhere || (self.buffer(other).device == device) == (step.kind == Kind::Copy);
        let others: Vec<usize> = all.iter().copied().filter(|&it| it != buffer && fits(it)).collect();
        let other = step.pick(2, &others)?;
        let (to, from) = self.two_parts(step, buffer, other);
        // A stream of either device, or of a third one.
        let either = if step.n[5].is_multiple_of(2) { device } else { self.buffer(other).device };
        let stream = self.stream_on(either, step, 1, step.flaw == Flaw::Device)?;
        Some(if step.kind == Kind::Copy {
            Action::Copy { to, from, stream }
        } else {
            Action::CopyPeer { to, from, stream, route: route(step) }
        })
    }

    /// Parts of two buffers, of equal length unless that is the step's mistake.
    pub(super) fn two_parts(&self, step: &Step, to: usize, from: usize) -> (Part, Part) {
        let (to_len, from_len) = (self.buffer(to).bytes.len(), self.buffer(from).bytes.len());
        let mut to_range = span(step, to_len.min(from_len), 3);
        let bytes = to_range.len();
        let start = step.below(5, (from_len + 1).saturating_sub(bytes));
        let from_range = start..start + bytes;
        if step.flaw == Flaw::Length {
            to_range.end = if to_range.is_empty() { to_range.end + 1 } else { to_range.end - 1 };
        }
        (Part { buffer: to, range: to_range }, Part { buffer: from, range: from_range })
    }
}

/// The way that a copy between devices is to take; mostly the best.
pub(super) fn route(step: &Step) -> CopyRoute {
    match step.below(2, 8) {
        0 => CopyRoute::Direct,
        1 => CopyRoute::Staged,
        2 => CopyRoute::Driver,
        _ => CopyRoute::Best,
    }
}
