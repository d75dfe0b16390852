//! What a step about virtual memory means.

use std::ops::Range;

use super::choose::{Choice, TOUCHED};
use super::choose_copy::route;
use super::ranges::PART;
use super::{GRAPHS, Model, PHYSICAL, RANGES};
use crate::action::{Action, Part, View};
use crate::step::{Flaw, Kind, Step};
use crate::virtual_action::{End, Means, Spot, Virtual};

/// Parts of the longest range.
const PARTS: usize = 3;

impl Model {
    pub(super) fn choose_virtual(&self, step: &Step) -> Option<Choice> {
        let action = match step.kind {
            Kind::NewPhysical => {
                let bytes = match step.below(2, 12) {
                    0 => step.below(4, 5),
                    1..3 => 2 * PART,
                    _ => PART,
                };
                Virtual::NewPhysical {
                    physical: step.below(0, PHYSICAL),
                    device: self.device(step, 1),
                    bytes,
                }
            }
            Kind::DropPhysical => {
                Virtual::DropPhysical { physical: step.pick(0, &Self::live(&self.physical))? }
            }
            Kind::Reserve => {
                let odd = usize::from(step.n[2].is_multiple_of(12));
                Virtual::Reserve {
                    range: step.below(0, RANGES),
                    bytes: (1 + step.below(3, PARTS)) * PART + odd,
                }
            }
            _ => {
                let Some(range) = step.pick(0, &Self::live(&self.ranges)) else {
                    let bytes = (2 + step.below(3, PARTS - 1)) * PART;
                    return first(Virtual::Reserve { range: step.below(0, RANGES), bytes });
                };
                match step.kind {
                    Kind::DropRange => Virtual::DropRange { range },
                    Kind::Map => return self.choose_map(step, range),
                    Kind::Unmap => {
                        let places: Vec<usize> = self.range(range).mapped.keys().copied().collect();
                        let offset = match step.pick(1, &places) {
                            Some(offset) if !step.n[2].is_multiple_of(8) => offset,
                            _ => step.below(3, PARTS * PART),
                        };
                        Virtual::Unmap { range, physical: step.below(4, PHYSICAL), offset }
                    }
                    Kind::GrantRange => Virtual::Grant { range, accessor: self.device(step, 1) },
                    Kind::UngrantRange => Virtual::Ungrant { range, accessor: self.device(step, 1) },
                    Kind::AskRange => Virtual::Ask { range, accessor: self.device(step, 1) },
                    _ => return self.choose_use(step, range),
                }
            }
        };
        Some(Choice::Do(Action::Virtual(action)))
    }

    /// Reads of both ends of all that is mapped, by a device that has access.
    pub(crate) fn last_looks(&self) -> Vec<Action> {
        let mut looks = Vec::new();
        for range in Self::live(&self.ranges) {
            let space = self.range(range);
            let stream =
                Self::live(&self.streams).into_iter().find(|&it| space.accessors.contains(&self.stream(it)));
            let Some(stream) = stream else { continue };
            for (&start, memory) in &space.mapped {
                let end = start + memory.bytes.len();
                looks.extend([start..start + 2 * TOUCHED, end - 2 * TOUCHED..end].map(|bytes| {
                    let from = Spot { range, device: self.stream(stream), token: None, bytes };
                    Action::Virtual(Virtual::Read { from, stream })
                }));
            }
        }
        looks
    }

    /// Memory that is not mapped, to a place that is mostly free.
    fn choose_map(&self, step: &Step, range: usize) -> Option<Choice> {
        let Some(physical) = step.pick(1, &Self::live(&self.physical)) else {
            let device = self.device(step, 2);
            return first(Virtual::NewPhysical { physical: step.below(1, PHYSICAL), device, bytes: PART });
        };
        let bytes = self.physical[physical].as_ref()?.bytes.len();
        let free = |&offset: &usize| {
            let end = offset + bytes;
            let is_taken = |(&other, memory): (&usize, &super::ranges::Physical)| {
                other < end && offset < other + memory.bytes.len()
            };
            end <= self.range(range).bytes && !self.range(range).mapped.iter().any(is_taken)
        };
        let places: Vec<usize> = (0..PARTS).map(|part| part * PART).filter(free).collect();
        let offset = match step.pick(2, &places) {
            Some(place) if step.flaw == Flaw::None => place,
            _ if step.flaw == Flaw::Alignment => 4 * step.below(3, PART),
            _ => PART * step.below(3, PARTS + 1),
        };
        Some(Choice::Do(Action::Virtual(Virtual::Map { range, physical, offset })))
    }

    /// A use of a range by a device, which mostly has access to what is mapped.
    fn choose_use(&self, step: &Step, range: usize) -> Option<Choice> {
        let space = self.range(range);
        // Two parts side by side are what work can lie across.
        let wanted = if step.n[5].is_multiple_of(2) { 2 } else { 1 };
        if space.mapped.len() < wanted.min(space.bytes / PART) && self.has_room_for_part(range) {
            return self.choose_map(step, range).map(|choice| match choice {
                Choice::Do(action) | Choice::First(action) => Choice::First(action),
            });
        }
        // One time in four as another device's memory, by a token.
        let tokens = Self::live(&self.tokens);
        let token = step.pick(1, &tokens).filter(|_| {
            let kinds = [Kind::StoreRange, Kind::KernelCopyRange];
            kinds.contains(&step.kind) && step.n[5].is_multiple_of(4)
        });
        let (launching, device) = token
            .and_then(|token| self.tokens[token])
            .unwrap_or_else(|| (self.device(step, 1), self.device(step, 1)));
        for accessor in [device, launching] {
            let missing = !self.range(range).accessors.contains(&accessor);
            if missing && !step.n[3].is_multiple_of(6) {
                return first(Virtual::Grant { range, accessor });
            }
        }
        let stream = self.stream_on(launching, step, 5, step.flaw == Flaw::Device)?;
        let spot = |bytes: Range<usize>| Spot { range, device, token, bytes };
        let bytes = self.choose_bytes(step, range);
        Some(Choice::Do(Action::Virtual(match step.kind {
            Kind::FillRange => Virtual::Fill { to: spot(bytes), stream, value: step.n[4] as u8 },
            Kind::ReadRange => Virtual::Read { from: spot(bytes), stream },
            Kind::StoreRange => {
                let value = u32::from(step.n[4]) | 0xa500_0000;
                let start = bytes.start;
                let to = spot(start..start + 4 * bytes.len().div_ceil(4));
                Virtual::Store { to, stream, value, ns: u64::from(step.n[4] % 4) * 15_000 }
            }
            Kind::CopyRangeWithin => {
                let end = bytes.start + bytes.len() / 2 * 2;
                Virtual::CopyWithin { both: spot(bytes.start..end), stream }
            }
            Kind::CaptureRange => {
                let fill = Virtual::Fill { to: spot(bytes.clone()), stream, value: step.n[4] as u8 };
                let copy = |means| self.choose_copy_of(step, spot(bytes.clone()), stream, means);
                let more = match step.n[0] / 8 % 6 {
                    0 => {
                        let to = spot(bytes.start..bytes.start + 4 * bytes.len().div_ceil(4));
                        Some(Virtual::Store { to, stream, value: u32::from(step.n[4]), ns: 15_000 })
                    }
                    1 => {
                        let end = bytes.start + bytes.len() / 2 * 2;
                        Some(Virtual::CopyWithin { both: spot(bytes.start..end), stream })
                    }
                    2 => copy(Means::Kernel),
                    3 => copy(Means::Engine),
                    _ => copy(Means::Peer(route(step))),
                };
                let work = [Some(fill), more].into_iter().flatten().collect();
                Virtual::Capture { graph: step.below(5, GRAPHS), stream, work }
            }
            Kind::KernelCopyRange => self.choose_copy_of(step, spot(bytes), stream, Means::Kernel)?,
            Kind::CopyRange if step.n[4].is_multiple_of(3) => {
                self.choose_copy_of(step, spot(bytes), stream, Means::Engine)?
            }
            Kind::CopyRange => self.choose_copy_of(step, spot(bytes), stream, Means::Peer(route(step)))?,
            _ => return None,
        })))
    }

    /// Whether a part can be mapped somewhere.
    fn has_room_for_part(&self, range: usize) -> bool {
        let space = self.range(range);
        let taken: usize = space.mapped.values().map(|memory| memory.bytes.len()).sum();
        let used = |device: usize| self.check_room(device, PART).is_ok();
        taken + PART <= space.bytes && self.cast.iter().any(|&device| used(device))
    }

    /// A copy between a spot and a buffer, or a spot of another range.
    fn choose_copy_of(&self, step: &Step, spot: Spot, stream: usize, means: Means) -> Option<Virtual> {
        let len = spot.bytes.len();
        let others: Vec<usize> =
            Self::live(&self.ranges).into_iter().filter(|&it| it != spot.range).collect();
        let peer = matches!(means, Means::Peer(_));
        let other = match step.pick(4, &others) {
            Some(range) if step.n[5].is_multiple_of(3) => {
                let device = if peer { self.device(step, 4) } else { self.stream(stream) };
                // Mostly where something is mapped.
                let places: Vec<usize> = self.range(range).mapped.keys().copied().collect();
                let start = step.pick(4, &places).unwrap_or(0);
                End::Range(Spot { range, device, token: None, bytes: start..start + len })
            }
            _ => {
                let fits = |&buffer: &usize| peer || self.buffer(buffer).device == self.stream(stream);
                let buffers: Vec<usize> = Self::live(&self.buffers).into_iter().filter(fits).collect();
                let buffer = step.pick(4, &buffers)?;
                let room = self.buffer(buffer).bytes.len();
                let start = step.below(5, (room + 1).saturating_sub(len));
                let end = start + len - usize::from(step.flaw == Flaw::Length && len > 0);
                End::Buffer(View { part: Part { buffer, range: start..end }, token: None })
            }
        };
        let (to, from) = match step.n[2].is_multiple_of(2) {
            true => (End::Range(spot), other),
            false => (other, End::Range(spot)),
        };
        // A kernel that copies more than there is, is not launched; that is tried with buffers.
        let lens = |end: &End| match end {
            End::Range(spot) => spot.bytes.len(),
            End::Buffer(view) => view.part.range.len(),
        };
        (means != Means::Kernel || lens(&to) == lens(&from)).then_some(Virtual::Copy {
            to,
            from,
            stream,
            means,
        })
    }

    /// Some bytes where something is mapped: at its start, at its end, or across the end. Their place is a whole number of words.
    fn choose_bytes(&self, step: &Step, range: usize) -> Range<usize> {
        let space = self.range(range);
        let len = match step.n[3].is_multiple_of(5) {
            true => step.below(3, TOUCHED + 1),
            false => 64,
        };
        if step.flaw == Flaw::Bounds {
            return space.bytes - len / 4 * 4..space.bytes + 1 + step.below(3, 9);
        }
        let places: Vec<usize> = space.mapped.keys().copied().collect();
        let at = step.pick(2, &places).unwrap_or(0);
        let end = at + space.mapped.get(&at).map_or(PART, |memory| memory.bytes.len());
        let crossing = space.mapped.contains_key(&end) && step.n[4].is_multiple_of(2);
        let start = match step.n[2] % 7 {
            _ if crossing => end - (len / 2).next_multiple_of(4),
            0..4 => at,
            4 => end - len.next_multiple_of(4),
            5 => (end - (len / 2).next_multiple_of(4)).min(space.bytes - len.next_multiple_of(4)),
            _ => 4 * step.below(3, (space.bytes - TOUCHED - 4) / 4),
        };
        start..start + len
    }
}

fn first(action: Virtual) -> Option<Choice> {
    Some(Choice::First(Action::Virtual(action)))
}
