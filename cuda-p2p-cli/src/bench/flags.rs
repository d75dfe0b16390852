//! Flags between two running kernels: how long one there and one back take.
//!
//! That depends on where in its device's cache a flag lies, by a tenth: each sample is the mean over many places, and each has others.
//!
//! # Safety
//! The kernels that pass a flag share it while they run, by whole words in system scope, so the library's order between streams is left
//! out.
#![allow(unsafe_code, reason = "flags for kernels; see the paragraph on safety above")]

use std::ops::Range;
use std::time::{Duration, Instant};

use cuda_p2p::builtin::Kernels;
use cuda_p2p::{DeviceBuffer, LaunchConfig, PeerAccess, Stream};

use super::data::Fault;
use super::lab::Lab;
use super::report::Figures;

/// One thread.
const ONE: LaunchConfig = LaunchConfig::new(1, 1);
/// How long a kernel waits for a flag.
const BOUND_NS: u64 = 5_000_000_000;
/// Rounds that one game has more than another, at each of the places of a sample.
const ROUNDS: u32 = 200;
const PLACES: usize = 32;
/// How long games are played before any counts: they become faster in the first tenths of a second.
const WARM: Duration = Duration::from_millis(500);
/// Words from one place to the next, an odd number of cache lines; and how many there are.
const APART: usize = 17 * 32;
const ALL_PLACES: usize = 480;

/// The words of one side: it waits for flags in its own memory.
struct Words {
    polled: DeviceBuffer<u32>,
    status: DeviceBuffer<u32>,
}

pub(super) fn measure(lab: &Lab, ordered: bool) -> Result<Figures, Fault> {
    let (there, back) = match &lab.access {
        Some((there, Some(back))) => (there, back),
        _ => return Err(Fault::Said("no access both ways".to_owned())),
    };
    let streams = [&lab.accessor.stream, &lab.owner.stream];
    let words = |stream: &Stream| -> Result<Words, Fault> {
        let device = stream.device();
        Ok(Words { polled: device.alloc_zeroed(APART * ALL_PLACES)?, status: device.alloc_zeroed(1)? })
    };
    let sides = [words(streams[0])?, words(streams[1])?];
    let mut game = Game { lab, ordered, streams, access: [there, back], sides };
    let (rounds, places) = if lab.simulated { (5, 1) } else { (ROUNDS, PLACES) };
    game.play(1, 0)?;
    let start = Instant::now();
    while !lab.simulated && start.elapsed() < WARM {
        game.play(rounds, 0)?;
    }
    let mut samples = Vec::new();
    for sample in 0..lab.samples as usize {
        let mut sum = 0.0;
        for place in (0..places).map(|place| (sample * places + place) % ALL_PLACES) {
            sum += (game.play(2 * rounds, place)? - game.play(rounds, place)?) / f64::from(rounds);
        }
        samples.push(sum / places as f64);
    }
    let words = 2 * 3 * u64::from(rounds) * places as u64;
    Ok(lab.figures(samples, 4 * words, None))
}

/// Two kernels and what they share.
struct Game<'l> {
    lab: &'l Lab,
    /// By release and acquire.
    ordered: bool,
    /// Of the accessor, which begins, and of the owner.
    streams: [&'l Stream; 2],
    /// From each to the other.
    access: [&'l PeerAccess; 2],
    sides: [Words; 2],
}

impl Game<'_> {
    /// How long so many rounds take, in nanoseconds, with the flags at this place.
    fn play(&mut self, rounds: u32, place: usize) -> Result<f64, Fault> {
        let at = place * APART..place * APART + 1;
        let Self { lab, ordered, streams, access, sides } = self;
        let others = [streams[1]];
        let kernels = &lab.patterns.kernels;
        let ready = |sides: &mut [Words; 2]| {
            for (side, stream) in sides.iter_mut().zip(*streams) {
                stream.copy_from_host(side.polled.slice_mut(at.clone())?, &[0])?;
                stream.copy_from_host(&mut side.status, &[u32::MAX])?;
            }
            Ok(())
        };
        let took = lab.timer(&others).time_again(2, sides, ready, |[first, second]| {
            let hand = |side| Hand { kernels, ordered: *ordered, side, rounds, at: at.clone() };
            hand(0).launch(streams[0], access[0], first, second)?;
            hand(1).launch(streams[1], access[1], second, first)
        })?;
        for (side, stream) in self.sides.iter().zip(self.streams) {
            let mut flag = [0];
            stream.copy_to_host(side.polled.slice(at.clone())?, &mut flag)?;
            for (name, found, expected) in
                [("status", side.status.to_vec()?[0], 0), ("flag", flag[0], rounds)]
            {
                if found != expected {
                    return Err(Fault::Said(format!("after {rounds} rounds a {name} is {found}")));
                }
            }
        }
        Ok(took.as_secs_f64() * 1e9)
    }
}

/// What one side's kernel plays.
struct Hand<'k> {
    kernels: &'k Kernels,
    ordered: bool,
    /// 0 begins.
    side: u32,
    rounds: u32,
    /// The flag's word on either side.
    at: Range<usize>,
}

impl Hand<'_> {
    fn launch(
        self,
        stream: &Stream,
        access: &PeerAccess,
        own: &mut Words,
        other: &mut Words,
    ) -> Result<(), Fault> {
        let Self { kernels, ordered, side, rounds, at } = self;
        // SAFETY: the two kernels meet on the flags by whole words in system scope, and on nothing else.
        let (mine, theirs) = unsafe {
            (
                own.polled.slice_mut(at.clone())?.unordered(),
                access.slice_mut(other.polled.slice_mut(at)?)?.unordered(),
            )
        };
        let status = &mut own.status;
        match ordered {
            true => kernels.ping_pong(stream, ONE, mine, theirs, rounds, side, BOUND_NS, status)?,
            false => kernels.flag_rounds(stream, ONE, mine, theirs, rounds, side, BOUND_NS, status)?,
        }
        Ok(())
    }
}
