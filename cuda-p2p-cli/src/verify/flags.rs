//! A kernel on each side, and two flags in the owner's memory that they pass to and fro.
//!
//! This shows what copies cannot: that a store of the accessor is seen by a running kernel of the owner, and a store of the owner by
//! a running kernel of the accessor. Both flags are the owner's, so access in the one direction that is being proven suffices.
//!
//! # Safety
//! The library orders work of two streams on the same memory one behind the other; here the two must meet, so that order is
//! left out. The kernels order their accesses by release and acquire, which is what they are for.
#![allow(unsafe_code, reason = "two kernels share memory while they run; see the paragraph on safety above")]

use std::time::Duration;

use cuda_p2p::{Device, DeviceBuffer, PeerAccess, Result};

use super::guarded::Side;
use super::kernels::Part;
use super::record::Fault;
use super::steps::Bench;

/// Rounds of each game: enough to meet a stale value, few enough for the simulator.
const ROUNDS: u32 = 200;

/// How long each side waits for the other in one round. A round takes microseconds on a link that works.
const BOUND: Duration = Duration::from_secs(5);

/// What a status is before the game, and stays if there is none: no round has this number.
const NOT_PLAYED: u32 = u32::MAX;

/// Plays twice; each side begins once.
pub(super) fn play(bench: &Bench, access: &PeerAccess) -> Result<(), Fault> {
    let mut game = Game::new(bench)?;
    // Loads the kernel on both devices, which must not have to wait for a kernel that runs.
    game.play(bench, access, 0, true)?;
    for accessor_begins in [true, false] {
        game.play(bench, access, ROUNDS, accessor_begins)?;
    }
    Ok(())
}

/// The flags, both in the owner's memory, and each side's own result.
struct Game {
    accessor_polls: DeviceBuffer<u32>,
    owner_polls: DeviceBuffer<u32>,
    accessor_status: DeviceBuffer<u32>,
    owner_status: DeviceBuffer<u32>,
}

impl Game {
    fn new(bench: &Bench) -> Result<Self> {
        let word = |device: &Device| device.alloc_zeroed::<u32>(1);
        Ok(Self {
            accessor_polls: word(&bench.owner.device)?,
            owner_polls: word(&bench.owner.device)?,
            accessor_status: word(&bench.accessor.device)?,
            owner_status: word(&bench.owner.device)?,
        })
    }

    /// Plays `rounds` rounds.
    ///
    /// # Errors
    /// A side waited in vain, a flag did not end where it should, or a kernel did not run.
    fn play(
        &mut self,
        bench: &Bench,
        access: &PeerAccess,
        rounds: u32,
        accessor_begins: bool,
    ) -> Result<(), Fault> {
        let Bench { accessor, owner, kernels, .. } = bench;
        // Blocks until all are set: what follows does not wait for it otherwise.
        owner.stream.copy_from_host(&mut self.accessor_polls, &[0])?;
        owner.stream.copy_from_host(&mut self.owner_polls, &[0])?;
        accessor.stream.copy_from_host(&mut self.accessor_status, &[NOT_PLAYED])?;
        owner.stream.copy_from_host(&mut self.owner_status, &[NOT_PLAYED])?;
        let (accessor_side, owner_side) = if accessor_begins { (0, 1) } else { (1, 0) };
        let part = |side| Part { rounds, side, bound: BOUND };

        let mine = access.slice_mut(&mut self.accessor_polls)?;
        let theirs = access.slice_mut(&mut self.owner_polls)?;
        // SAFETY: the flags were set above, and that has ended; the two kernels store to them with release and load with acquire,
        // in the scope of the system, and nothing else uses them until both have ended.
        let (mine, theirs) = unsafe { (mine.unordered(), theirs.unordered()) };
        kernels.ping_pong(&accessor.stream, mine, theirs, part(accessor_side), &mut self.accessor_status)?;

        let mine = self.owner_polls.as_slice_mut();
        let theirs = self.accessor_polls.as_slice_mut();
        // SAFETY: as for the other side.
        let (mine, theirs) = unsafe { (mine.unordered(), theirs.unordered()) };
        kernels.ping_pong(&owner.stream, mine, theirs, part(owner_side), &mut self.owner_status)?;

        accessor.stream.synchronize()?;
        owner.stream.synchronize()?;
        self.result(accessor, owner, rounds)
    }

    /// What the game came to, by both sides' word and by the flags.
    fn result(&self, accessor: &Side, owner: &Side, rounds: u32) -> Result<(), Fault> {
        let mut missing = Vec::new();
        for (status, flag, waiting, sender) in [
            (&self.accessor_status, &self.accessor_polls, accessor, owner),
            (&self.owner_status, &self.owner_polls, owner, accessor),
        ] {
            match word(waiting, status)? {
                0 => {}
                NOT_PLAYED => {
                    let device = waiting.device.ordinal();
                    return Err(Fault::Failed(format!(
                        "the kernel of device {device} left no result, though its launch succeeded: it did not run"
                    )));
                }
                round => missing.push(waited_in_vain(round, rounds, waiting, sender)),
            }
            // Both flags lie in the owner's memory, which the owner reads.
            let reached = word(owner, flag)?;
            if reached != rounds {
                let sender = sender.device.ordinal();
                missing
                    .push(format!("the flag that device {sender} sets ended at {reached}, not at {rounds}"));
            }
        }
        match missing.is_empty() {
            true => Ok(()),
            false => Err(Fault::Wrong { findings: Vec::new(), note: Some(missing.join("\n")) }),
        }
    }
}

/// The one word of a buffer, as `side` reads it.
fn word(side: &Side, buffer: &DeviceBuffer<u32>) -> Result<u32> {
    let mut word = [0];
    side.stream.copy_to_host(buffer, &mut word)?;
    Ok(word[0])
}

fn waited_in_vain(round: u32, rounds: u32, waiting: &Side, sender: &Side) -> String {
    format!(
        "round {round} of {rounds}: a kernel of device {} waited {} s for the flag of device {}",
        waiting.device.ordinal(),
        BOUND.as_secs(),
        sender.device.ordinal()
    )
}
