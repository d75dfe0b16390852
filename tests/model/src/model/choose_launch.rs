//! What a step that launches a kernel means.

use super::choose::{Choice, span};
use super::{Model, TOKENS};
use crate::action::{Action, Kernel, Part, Shape, View};
use crate::step::{Flaw, Kind, Step};

impl Model {
    pub(super) fn choose_launch(&self, step: &Step) -> Option<Choice> {
        let stream = step.pick(0, &Self::live(&self.streams))?;
        let all = Self::live(&self.buffers);
        let to = step.pick(1, &all)?;
        let to_view = match self.token_for(step, stream, to)? {
            Found::View(token) => token,
            Found::Enable(action) => return Some(Choice::First(action)),
        };
        let words = !matches!(step.kind, Kind::LaunchFill | Kind::LaunchCopy | Kind::LaunchFetch);
        let shape = match step.flaw {
            Flaw::Shape if step.n[5].is_multiple_of(2) => Shape { blocks: 0, threads: 1 },
            Flaw::Shape => Shape { blocks: 1, threads: 1025 },
            _ => Shape { blocks: 1 + u32::from(step.n[5] % 2), threads: 1 + u32::from(step.n[5] % 5) },
        };
        if matches!(step.kind, Kind::LaunchCopy | Kind::LaunchFetch | Kind::LaunchAdd) {
            let others: Vec<usize> = all.into_iter().filter(|&it| it != to).collect();
            let from = step.pick(2, &others)?;
            let from_view = match self.token_for(step, stream, from)? {
                Found::View(token) => token,
                Found::Enable(action) => return Some(Choice::First(action)),
            };
            let (to, from) = self.two_parts(step, to, from);
            let (mut to, mut from) =
                (View { part: to, token: to_view }, View { part: from, token: from_view });
            if words {
                self.align(step, &mut to);
                self.align(step, &mut from);
            }
            let kernel = self.kernel_of_two(step, &to, &from)?;
            return Some(Choice::Do(Action::Launch { kernel, to, from: Some(from), stream, shape }));
        }
        let range = span(step, self.buffer(to).bytes.len(), 3);
        let mut to = View { part: Part { buffer: to, range }, token: to_view };
        if words {
            self.align(step, &mut to);
        }
        let kernel = match step.kind {
            Kind::LaunchFill => {
                let amount = (to.part.range.len() + usize::from(step.flaw == Flaw::Length)) as u64;
                Kernel::Fill { amount, seed: u64::from(step.n[2]) }
            }
            Kind::LaunchStore => Kernel::Store {
                value: u32::from(step.n[2]) | 0x5a00_0000,
                ns: u64::from(step.n[4] % 4) * 15_000,
            },
            Kind::LaunchCount if to.token.is_some() => Kernel::Count { times: 1 + u32::from(step.n[2] % 3) },
            Kind::LaunchCount => Kernel::CountHere { times: 1 + u32::from(step.n[2] % 3) },
            _ => return None,
        };
        Some(Choice::Do(Action::Launch { kernel, to, from: None, stream, shape }))
    }

    fn kernel_of_two(&self, step: &Step, to: &View, from: &View) -> Option<Kernel> {
        let size = if step.kind == Kind::LaunchAdd { 4 } else { 1 };
        let fewer = to.part.range.len().min(from.part.range.len()) / size;
        let amount = (fewer + usize::from(step.flaw == Flaw::Length)) as u64;
        Some(match step.kind {
            Kind::LaunchCopy => Kernel::Copy { amount },
            // It takes no other memory: the types say so.
            Kind::LaunchFetch if to.token.is_none() && from.token.is_some() => Kernel::Fetch { amount },
            Kind::LaunchFetch => Kernel::Copy { amount },
            // Of two NaNs it is not said which one the sum is.
            Kind::LaunchAdd if self.has_nan(to, from) => return None,
            _ => Kernel::Add { amount },
        })
    }

    fn has_nan(&self, to: &View, from: &View) -> bool {
        let within = |view: &View| view.part.range.end <= self.buffer(view.part.buffer).bytes.len();
        let sums = |a: &View, b: &View| self.sums(&a.part, &b.part);
        let nan = |bytes: Vec<u8>| {
            bytes.chunks_exact(4).any(|it| f32::from_le_bytes([it[0], it[1], it[2], it[3]]).is_nan())
        };
        within(to) && within(from) && nan(sums(to, from))
    }

    /// Moves a view to whole words, unless that is the step's mistake.
    fn align(&self, step: &Step, view: &mut View) {
        if step.flaw == Flaw::Alignment {
            return;
        }
        let range = &mut view.part.range;
        let start = range.start / 4 * 4;
        let bytes = range.len() / 4 * 4;
        *range = start..start + bytes;
    }

    /// How kernels of the stream's device reach a buffer. `None` if they do not.
    fn token_for(&self, step: &Step, stream: usize, buffer: usize) -> Option<Found> {
        let (accessor, owner) = (self.stream(stream), self.buffer(buffer).device);
        if step.flaw == Flaw::Device {
            // Any token, or none: whatever comes of it.
            return Some(Found::View(step.pick(4, &Self::live(&self.tokens))));
        }
        if accessor == owner {
            return Some(Found::View(None));
        }
        let fits = |&token: &usize| self.tokens[token] == Some((accessor, owner));
        let tokens: Vec<usize> = Self::live(&self.tokens).into_iter().filter(fits).collect();
        if let Some(token) = step.pick(4, &tokens) {
            return Some(self.grant_for(step, accessor, buffer).unwrap_or(Found::View(Some(token))));
        }
        let possible = matches!(self.status_of_enabling(accessor, owner), 0 | 704);
        let token = step.below(3, TOKENS);
        possible.then_some(Found::Enable(Action::Enable { token, accessor, owner }))
    }
}

impl Model {
    /// The grant that a view needs first, one time in three not given.
    fn grant_for(&self, step: &Step, accessor: usize, buffer: usize) -> Option<Found> {
        let number = self.buffer(buffer).pool?;
        let pool = self.pools.iter().position(|pool| *pool == Some(number))?;
        let missing = !self.is_granted(number, accessor) && !step.n[3].is_multiple_of(3);
        missing.then_some(Found::Enable(Action::Grant { pool, accessor }))
    }
}

/// What [`Model::token_for`] finds.
enum Found {
    /// The memory is the device's own, or this token's.
    View(Option<usize>),
    /// A token must be had first.
    Enable(Action),
}
