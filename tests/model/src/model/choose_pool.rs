//! What a step about pools means.

use super::choose::TOUCHED;
use super::{BUFFERS, Model, POOLS};
use crate::action::Action;
use crate::step::{Flaw, Kind, Step};

impl Model {
    pub(super) fn choose_pool(&self, step: &Step) -> Option<Action> {
        if step.kind == Kind::NewPool {
            return Some(Action::NewPool { pool: step.below(0, POOLS), device: self.device(step, 1) });
        }
        let pool = step.pick(0, &Self::live(&self.pools))?;
        let device = self.all_pools[self.pools[pool]?].device;
        // Mostly another device of the cast.
        let others: Vec<usize> = self.cast.iter().copied().filter(|&it| it != device).collect();
        let accessor = match step.pick(1, &others) {
            Some(other) if !step.n[4].is_multiple_of(8) => other,
            _ => step.below(1, self.machine.devices),
        };
        Some(match step.kind {
            Kind::DropPool => Action::DropPool { pool },
            Kind::AllocateFrom => {
                let stream = self.stream_on(device, step, 1, step.flaw == Flaw::Device)?;
                let bytes = match step.below(2, 12) {
                    0 => step.below(4, 5),
                    1 if self.machine.memory < 1 << 30 => (64 + step.below(4, 960)) << 10,
                    _ => 8 + step.below(4, TOUCHED),
                };
                let seed = step.n[2].is_multiple_of(2).then_some(u64::from(step.n[3]));
                Action::AllocateFrom { buffer: step.below(5, BUFFERS), pool, stream, bytes, seed }
            }
            Kind::Grant => Action::Grant { pool, accessor },
            Kind::Ungrant => Action::Ungrant { pool, accessor },
            Kind::AskGrant => Action::AskGrant { pool, accessor },
            _ => return None,
        })
    }
}
