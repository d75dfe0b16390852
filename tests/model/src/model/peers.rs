//! Peer access: who has it, by whom, and how many tokens say so.

use cuda_p2p::{Disabled, Error};

use super::{DONE, Model, Pair, ordinal};
use crate::action::Action;
use crate::answer::{Answer, Predicted, Want};

/// `cudaErrorTooManyPeers`, `cudaErrorPeerAccessUnsupported`, `cudaErrorPeerAccessAlreadyEnabled`
const TOO_MANY: u32 = 711;
const UNSUPPORTED: u32 = 217;
const ALREADY_ENABLED: u32 = 704;

impl Model {
    pub(crate) fn pair(&self, accessor: usize, owner: usize) -> Pair {
        self.pairs.get(&(accessor, owner)).copied().unwrap_or_default()
    }

    pub(super) fn pair_mut(&mut self, accessor: usize, owner: usize) -> &mut Pair {
        self.pairs.entry((accessor, owner)).or_default()
    }

    /// Whether one more peer can be enabled for the accessor.
    pub(crate) fn has_room(&self, accessor: usize) -> bool {
        let enabled = self.pairs.iter().filter(|((from, _), pair)| *from == accessor && pair.enabled);
        enabled.count() < self.machine.limit
    }

    /// What `cudaDeviceEnablePeerAccess` answers for two different devices.
    pub(crate) fn status_of_enabling(&self, accessor: usize, owner: usize) -> u32 {
        if self.pair(accessor, owner).enabled {
            ALREADY_ENABLED
        } else if !self.machine.reaches(accessor, owner) {
            UNSUPPORTED
        } else if !self.has_room(accessor) {
            TOO_MANY
        } else {
            0
        }
    }

    /// Somebody enabled access around the crate.
    pub(crate) fn note_enabled(&mut self, accessor: usize, owner: usize) {
        self.pair_mut(accessor, owner).enabled = true;
    }

    /// The crate enables access, or finds it enabled.
    fn enable(&mut self, accessor: usize, owner: usize) -> Result<(), Want> {
        let (from, to) = (ordinal(accessor), ordinal(owner));
        if accessor == owner {
            return Err(Error::SameDevice { device: from }.into());
        }
        match self.status_of_enabling(accessor, owner) {
            0 => {
                let pair = self.pair_mut(accessor, owner);
                (pair.enabled, pair.here) = (true, true);
                Ok(())
            }
            ALREADY_ENABLED => Ok(()),
            TOO_MANY => Err(Error::TooManyPeers { accessor: from, owner: to }.into()),
            _ => Err(Error::PeerUnreachable { accessor: from, owner: to }.into()),
        }
    }

    fn put_token(&mut self, token: usize, accessor: usize, owner: usize) {
        self.pair_mut(accessor, owner).tokens += 1;
        self.drop_token(token);
        self.tokens[token] = Some((accessor, owner));
    }

    fn drop_token(&mut self, token: usize) {
        if let Some((accessor, owner)) = self.tokens[token].take() {
            self.pair_mut(accessor, owner).tokens -= 1;
        }
    }

    pub(super) fn predict_peers(&mut self, action: &Action) -> Predicted {
        match *action {
            Action::Enable { token, accessor, owner } => {
                self.enable(accessor, owner)?;
                self.put_token(token, accessor, owner);
            }
            Action::EnableBoth { there, back, a, b } => {
                let known_before = self.pair(a, b).is_on();
                self.enable(a, b)?;
                if let Err(want) = self.enable(b, a) {
                    let pair = self.pair_mut(a, b);
                    // What was there before stays, and so does what others enabled.
                    if !known_before && pair.here {
                        (pair.enabled, pair.here) = (false, false);
                    }
                    return Err(want);
                }
                self.put_token(there, a, b);
                self.put_token(back, b, a);
            }
            Action::CloneToken { token, of } => {
                if let Some((accessor, owner)) = self.tokens[of] {
                    self.put_token(token, accessor, owner);
                }
            }
            Action::DropToken { token } => self.drop_token(token),
            Action::Disable { token } => return self.predict_disable(token),
            Action::OthersEnable { accessor, owner } => {
                let status = self.status_of_enabling(accessor, owner);
                if status == 0 {
                    self.note_enabled(accessor, owner);
                } else {
                    self.pending = status;
                }
                return Ok(Answer::Status(status));
            }
            Action::Ask { accessor, owner } => {
                let reaches = self.machine.reaches(accessor, owner);
                if accessor == owner {
                    return Err(Error::SameDevice { device: ordinal(owner) }.into());
                }
                return Ok(Answer::Yes(vec![reaches, reaches, reaches && self.machine.atomics]));
            }
            _ => unreachable!("an action of another file"),
        }
        DONE
    }

    fn predict_disable(&mut self, token: usize) -> Predicted {
        let Some((accessor, owner)) = self.tokens[token] else { return DONE };
        let pair = self.pair_mut(accessor, owner);
        if pair.tokens > 1 {
            let others = pair.tokens - 1;
            let (accessor, owner) = (ordinal(accessor), ordinal(owner));
            return Err(Error::PeerAccessInUse { accessor, owner, others }.into());
        }
        let disabled = if pair.here { Disabled::Disabled } else { Disabled::LeftToOthers };
        if pair.here {
            (pair.enabled, pair.here) = (false, false);
        }
        self.drop_token(token);
        Ok(Answer::Disabled(disabled))
    }
}
