//! Pools.

use cuda_p2p::{MemPoolOptions, Result};

use super::{DONE, Real, present};
use crate::action::Action;
use crate::answer::Answer;
use crate::pattern::pattern;

impl Real<'_> {
    pub(super) fn pools(&mut self, action: &Action) -> Result<Answer> {
        match *action {
            Action::NewPool { pool, device } => {
                self.pools[pool] = Some(self.devices[device].new_mem_pool(MemPoolOptions::default())?);
            }
            Action::DropPool { pool } => self.pools[pool] = None,
            Action::AllocateFrom { buffer, pool, stream, bytes, seed } => {
                let (pool, stream) = (present(&self.pools, pool), present(&self.streams, stream));
                self.buffers[buffer] = Some(match seed {
                    Some(seed) => stream.alloc_from(pool, &pattern(seed, bytes))?,
                    None => stream.alloc_zeroed_async(pool, bytes)?,
                });
            }
            Action::Grant { pool, accessor } => {
                present(&self.pools, pool).enable_access_from(&[self.devices[accessor]])?;
            }
            Action::Ungrant { pool, accessor } => {
                let (pool, accessor) = (present(&self.pools, pool), self.devices[accessor]);
                pool.disable_access_from(&[accessor])?;
                let done = self.are_done(&[pool.device(), accessor])?;
                assert!(!done.contains(&false), "a pool was closed while streams of its users had work");
            }
            Action::AskGrant { pool, accessor } => {
                let granted = present(&self.pools, pool).is_accessible_from(&self.devices[accessor])?;
                return Ok(Answer::Yes(vec![granted]));
            }
            _ => unreachable!("an action of another file"),
        }
        DONE
    }
}
