//! A flag there and back between two running kernels: this project's beside the plainest ones, in turns.

use std::cell::RefCell;

use cuda_p2p::{Device, DeviceBuffer, KernelSliceMut, LaunchConfig, PeerAccess, Runtime, Stream, builtin};

use super::report::Report;
use super::turns::{Outcome, Work, compare, timed_again};

cuda_p2p::kernels! {
    /// The kernels of `tests/raw/rounds.cuh`.
    struct Plain = cuda_p2p::include_module!("rounds");
    // SAFETY: the signatures are those of the file, and each kernel uses the first word of either slice, which there is.
    unsafe extern "CUDA" {
        safe fn rounds_plain<'a>(
            mine: KernelSliceMut<'a, u32>, theirs: KernelSliceMut<'a, u32>, rounds: u32, begins: u32,
        )
        where !mine.is_empty(), !theirs.is_empty();

        safe fn rounds_ordered<'a>(
            mine: KernelSliceMut<'a, u32>, theirs: KernelSliceMut<'a, u32>, rounds: u32, begins: u32,
        )
        where !mine.is_empty(), !theirs.is_empty();
    }
}

/// One thread.
const ONE: LaunchConfig = LaunchConfig::new(1, 1);
const TURNS: usize = 480;
/// Rounds that a long game has more than a short one.
const ROUNDS: u32 = 200;
/// Words from one place to the next, an odd number of cache lines.
const APART: usize = 17 * 32;
/// How long a kernel of this project's waits for a flag, in nanoseconds.
const BOUND_NS: u64 = 5_000_000_000;

/// Which kernel plays.
#[derive(Clone, Copy)]
enum Player {
    Plain,
    PlainOrdered,
    Ours,
    OursOrdered,
}

/// What the two kernels share.
struct Table<'t> {
    plain: Plain,
    kernels: builtin::Kernels,
    streams: [Stream; 2],
    /// Each waits in its own memory.
    polled: [DeviceBuffer<u32>; 2],
    status: [DeviceBuffer<u32>; 2],
    access: [&'t PeerAccess; 2],
}

pub(crate) fn measure(report: &mut Report, runtime: &Runtime, access: [&PeerAccess; 2]) -> Outcome {
    let devices = access.map(|to| to.accessor());
    let words = |device: &Device, len| device.alloc_zeroed::<u32>(len);
    let table = Table {
        plain: Plain::load(runtime)?,
        kernels: builtin::Kernels::load(runtime)?,
        streams: [devices[0].new_stream()?, devices[1].new_stream()?],
        polled: [words(&devices[0], APART * TURNS)?, words(&devices[1], APART * TURNS)?],
        status: [words(&devices[0], 1)?, words(&devices[1], 1)?],
        access,
    };
    let table = RefCell::new(table);
    let table = &table;
    let way = |name, player| Work {
        name,
        nanoseconds: Box::new(move |turn| table.borrow_mut().round(player, turn % TURNS)),
    };
    let mut ways = [way("raw", Player::Plain), way("ours", Player::Ours)];
    report.add("flag there and back", compare(TURNS, &mut ways)?);
    let mut ways = [way("raw", Player::PlainOrdered), way("ours", Player::OursOrdered)];
    report.add("flag there and back, by release and acquire", compare(TURNS, &mut ways)?);
    Ok(())
}

impl Table<'_> {
    /// How long a round takes: the difference between a long and a short game, so that launches are not in it.
    fn round(&mut self, player: Player, place: usize) -> Outcome<f64> {
        let long = self.game(player, 2 * ROUNDS, place)?;
        Ok((long - self.game(player, ROUNDS, place)?) / f64::from(ROUNDS))
    }

    fn game(&mut self, player: Player, rounds: u32, place: usize) -> Outcome<f64> {
        let at = place * APART..place * APART + 1;
        let Self { plain, kernels, streams, polled, status, access } = self;
        let ready = |polled: &mut [DeviceBuffer<u32>; 2]| {
            for (flags, stream) in polled.iter_mut().zip(&*streams) {
                stream.copy_from_host(flags.slice_mut(at.clone())?, &[0])?;
            }
            Ok(())
        };
        let both = (&streams[0], Some(&streams[1]));
        let took = timed_again(kernels, both, 2, polled, ready, |polled| {
            for side in 0..2 {
                let [first, second] = &mut *polled;
                let (own, other) = if side == 0 { (first, second) } else { (second, first) };
                // SAFETY: the two kernels meet on the flags by whole words in system scope, and on nothing else.
                let (mine, theirs) = unsafe {
                    let theirs = access[side].slice_mut(other.slice_mut(at.clone())?)?.unordered();
                    let mine = own.slice_mut(at.clone())?.unordered();
                    (KernelSliceMut::Device(mine), KernelSliceMut::Peer(theirs))
                };
                let (stream, begins, number) = (&streams[side], u32::from(side == 0), side as u32);
                let status = &mut status[side];
                match player {
                    Player::Plain => plain.rounds_plain(stream, ONE, mine, theirs, rounds, begins)?,
                    Player::PlainOrdered => {
                        plain.rounds_ordered(stream, ONE, mine, theirs, rounds, begins)?
                    }
                    Player::Ours => {
                        kernels.flag_rounds(stream, ONE, mine, theirs, rounds, number, BOUND_NS, status)?;
                    }
                    Player::OursOrdered => {
                        kernels.ping_pong(stream, ONE, mine, theirs, rounds, number, BOUND_NS, status)?;
                    }
                }
            }
            Ok(())
        })?;
        for side in 0..2 {
            if matches!(player, Player::Ours | Player::OursOrdered) && status[side].to_vec()? != [0] {
                return Err(format!("of {rounds} rounds one took too long").into());
            }
            let mut flag = [0];
            streams[side].copy_to_host(polled[side].slice(at.clone())?, &mut flag)?;
            if flag[0] != rounds {
                return Err(format!("after {rounds} rounds a flag is {}", flag[0]).into());
            }
        }
        Ok(took)
    }
}
