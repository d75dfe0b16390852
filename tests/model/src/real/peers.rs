//! Peer access.

use cuda_p2p::{Disabled, PeerAccess, Result};

use super::{DONE, Real, present};
use crate::action::Action;
use crate::answer::Answer;
use crate::world;

impl Real<'_> {
    pub(super) fn peers(&mut self, action: &Action) -> Result<Answer> {
        match *action {
            Action::Enable { token, accessor, owner } => {
                let access = self.devices[accessor].enable_peer_access(&self.devices[owner])?;
                self.tokens[token] = Some(access);
            }
            Action::EnableBoth { there, back, a, b } => {
                let (to, from) = PeerAccess::enable_both(&self.devices[a], &self.devices[b])?;
                self.tokens[there] = Some(to);
                self.tokens[back] = Some(from);
            }
            Action::CloneToken { token, of } => self.tokens[token] = self.tokens[of].clone(),
            Action::DropToken { token } => self.tokens[token] = None,
            Action::Disable { token } => return self.disable(token),
            Action::OthersEnable { accessor, owner } => {
                return Ok(Answer::Status(world::others_enable(&self.world.runtime, accessor, owner)));
            }
            Action::Ask { accessor, owner } => {
                let (accessor, owner) = (self.devices[accessor], self.devices[owner]);
                let can = accessor.can_access_peer(&owner)?;
                let attributes = accessor.p2p_attributes(&owner)?;
                let (access, atomics) = (attributes.access_supported, attributes.native_atomics_supported);
                return Ok(Answer::Yes(vec![can, access, atomics]));
            }
            _ => unreachable!("an action of another file"),
        }
        DONE
    }

    fn disable(&mut self, token: usize) -> Result<Answer> {
        let devices = {
            let access = present(&self.tokens, token);
            [access.accessor(), access.owner()]
        };
        let Some(access) = self.tokens[token].take() else { return DONE };
        match access.disable() {
            Ok(disabled) => {
                if disabled == Disabled::Disabled {
                    let done = self.are_done(&devices)?;
                    assert!(
                        !done.contains(&false),
                        "access was disabled while streams of its devices had work"
                    );
                }
                Ok(Answer::Disabled(disabled))
            }
            Err(refused) => {
                self.tokens[token] = Some(refused.access);
                Err(refused.error)
            }
        }
    }
}
