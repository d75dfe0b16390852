//! Pools: what they give, and whom they are opened to.

use std::collections::BTreeSet;

use cuda_p2p::Error;

use super::{DONE, Memory, Model, Pool, ordinal, same_device};
use crate::action::Action;
use crate::answer::{Answer, Predicted, Want};
use crate::pattern::pattern;

impl Model {
    pub(super) fn predict_pools(&mut self, action: &Action) -> Predicted {
        match *action {
            Action::NewPool { pool, device } => {
                self.pools[pool] = Some(self.all_pools.len());
                self.all_pools.push(Pool { device, grants: BTreeSet::new() });
            }
            Action::DropPool { pool } => self.pools[pool] = None,
            Action::AllocateFrom { buffer, pool, stream, bytes, seed } => {
                let number = self.number(pool);
                let device = self.all_pools[number].device;
                same_device("the memory pool", self.stream(stream), device)?;
                self.check_room(device, bytes)?;
                self.freeing.insert(device);
                // No bytes are of no pool.
                let pool = (bytes > 0).then_some(number);
                let bytes = seed.map_or_else(|| vec![0; bytes], |seed| pattern(seed, bytes));
                self.drop_buffer(buffer);
                let id = self.new_id();
                self.buffers[buffer] = Some(Memory { id, device, bytes, pool, pinned: false });
            }
            Action::Grant { pool, accessor } => {
                let number = self.number(pool);
                let owner = self.check_accessor(number, accessor)?;
                if !self.machine.reaches(accessor, owner) {
                    let (accessor, owner) = (ordinal(accessor), ordinal(owner));
                    return Err(Error::PeerUnreachable { accessor, owner }.into());
                }
                self.all_pools[number].grants.insert(accessor);
            }
            Action::Ungrant { pool, accessor } => {
                let number = self.number(pool);
                let owner = self.check_accessor(number, accessor)?;
                if self.holds_grant(number, accessor) {
                    let (accessor, owner) = (ordinal(accessor), ordinal(owner));
                    return Err(Error::GrantInUse { accessor, owner }.into());
                }
                self.all_pools[number].grants.remove(&accessor);
            }
            Action::AskGrant { pool, accessor } => {
                let number = self.number(pool);
                return Ok(Answer::Yes(vec![self.is_granted(number, accessor)]));
            }
            _ => unreachable!("an action of another file"),
        }
        DONE
    }

    fn number(&self, pool: usize) -> usize {
        self.pools[pool].expect("actions name objects that there are")
    }

    /// The pool's device; it has access that nobody gives or takes.
    fn check_accessor(&self, number: usize, accessor: usize) -> Result<usize, Want> {
        let owner = self.all_pools[number].device;
        if owner == accessor { Err(Error::SameDevice { device: ordinal(owner) }.into()) } else { Ok(owner) }
    }

    pub(crate) fn is_granted(&self, number: usize, accessor: usize) -> bool {
        let pool = &self.all_pools[number];
        pool.device == accessor || pool.grants.contains(&accessor)
    }

    /// Whether peer access or a grant lets a device use a buffer of another, as far as the crate knows.
    pub(super) fn reaches_buffer(&self, accessor: usize, buffer: usize) -> bool {
        let memory = self.buffer(buffer);
        match memory.pool {
            Some(number) => self.is_granted(number, accessor),
            None => self.pair(accessor, memory.device).is_on(),
        }
    }

    /// The error of a view of a pool that is not opened to the accessor.
    pub(super) fn check_granted(&self, accessor: usize, buffer: usize) -> Result<(), Want> {
        let memory = self.buffer(buffer);
        match memory.pool {
            Some(number) if !self.is_granted(number, accessor) => {
                let (accessor, owner) = (ordinal(accessor), ordinal(memory.device));
                Err(Error::PoolNotGranted { accessor, owner }.into())
            }
            _ => Ok(()),
        }
    }
}
