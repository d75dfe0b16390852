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

use cuda_p2p::{Device, DeviceBuffer, LaunchConfig, PeerAccess, Result};

use super::guarded::Side;
use super::record::Fault;
use super::steps::Bench;

/// Rounds of each game: enough to meet a stale value, few enough for the simulator.
const ROUNDS: u32 = 200;

/// How long each side waits for the other in one round. A round takes microseconds on a link that works.
const BOUND: Duration = Duration::from_secs(5);

/// One thread a side.
const SHAPE: LaunchConfig = LaunchConfig::new(1, 1);

/// Plays twice; each side begins once.
pub(super) fn play(bench: &Bench, access: &PeerAccess) -> Result<(), Fault> {
    let mut game = Game::new(bench)?;
    // Loads the kernel on both devices, which must not have to wait for a kernel that runs.
    game.play(bench, access, 0, true)?;
    for accessor_begins in [true, false] {
        let missing = game.play(bench, access, ROUNDS, accessor_begins)?;
        if !missing.is_empty() {
            return Err(Fault::Wrong { findings: Vec::new(), note: Some(missing.join("\n")) });
        }
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

    /// Plays `rounds` rounds; gives a line for each side that waited in vain.
    fn play(
        &mut self,
        bench: &Bench,
        access: &PeerAccess,
        rounds: u32,
        accessor_begins: bool,
    ) -> Result<Vec<String>> {
        let Bench { accessor, owner, kernels, .. } = bench;
        let kernels = kernels.raw();
        // Blocks until the flags are set: what follows does not wait for it otherwise.
        owner.stream.copy_from_host(&mut self.accessor_polls, &[0])?;
        owner.stream.copy_from_host(&mut self.owner_polls, &[0])?;
        let (accessor_side, owner_side) = if accessor_begins { (0, 1) } else { (1, 0) };
        let bound_ns = BOUND.as_nanos() as u64;

        let mine = access.slice_mut(&mut self.accessor_polls)?;
        let theirs = access.slice_mut(&mut self.owner_polls)?;
        // SAFETY: the flags were set above, and that has ended; the two kernels store to them with release and load with acquire,
        // in the scope of the system, and nothing else uses them until both have ended.
        let (mine, theirs) = unsafe { (mine.unordered(), theirs.unordered()) };
        kernels.ping_pong(
            &accessor.stream,
            SHAPE,
            mine,
            theirs,
            rounds,
            accessor_side,
            bound_ns,
            &mut self.accessor_status,
        )?;

        let mine = self.owner_polls.as_slice_mut();
        let theirs = self.accessor_polls.as_slice_mut();
        // SAFETY: as for the other side.
        let (mine, theirs) = unsafe { (mine.unordered(), theirs.unordered()) };
        kernels.ping_pong(
            &owner.stream,
            SHAPE,
            mine,
            theirs,
            rounds,
            owner_side,
            bound_ns,
            &mut self.owner_status,
        )?;

        accessor.stream.synchronize()?;
        owner.stream.synchronize()?;
        let mut missing = Vec::new();
        for (status, waiting, sender) in
            [(&self.accessor_status, accessor, owner), (&self.owner_status, owner, accessor)]
        {
            let mut round = [0];
            waiting.stream.copy_to_host(status, &mut round)?;
            if round != [0] {
                missing.push(waited_in_vain(round[0], rounds, waiting, sender));
            }
        }
        Ok(missing)
    }
}

fn waited_in_vain(round: u32, rounds: u32, waiting: &Side, sender: &Side) -> String {
    format!(
        "round {round} of {rounds}: a kernel of device {} waited {} s for the flag of device {}",
        waiting.device.ordinal(),
        BOUND.as_secs(),
        sender.device.ordinal()
    )
}
