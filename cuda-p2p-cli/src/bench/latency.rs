//! Latencies: of a load, of a flag, and of the host's own calls.
//!
//! # Safety
//! The kernel that follows addresses is given a ring of them that lies in the owner's buffer, which the accessor has access to. The
//! kernels that pass a flag share it while they run, by whole words in system scope, so the library's order between streams is left
//! out.
#![allow(unsafe_code, reason = "addresses and flags for kernels; see the paragraph on safety above")]

use std::time::Instant;

use cuda_p2p::{DeviceBuffer, LaunchConfig, Stream};

use super::data::Fault;
use super::lab::Lab;
use super::plan::Due;
use super::report::Figures;
use super::test::Test;

/// One thread.
const ONE: LaunchConfig = LaunchConfig::new(1, 1);
/// Words of the ring, a cache line apart; and how many of them one sample follows more than another.
const RING: usize = 4096;
const LINE: usize = 16;
const HOPS: u64 = 2000;
/// Rounds that one sample plays more than another.
const ROUNDS: u32 = 1000;
/// How long a kernel waits for a flag.
const BOUND_NS: u64 = 5_000_000_000;
/// Calls of one sample: far fewer than a stream takes before it makes the host wait.
const CALLS: u32 = 32;

pub(super) fn measure(lab: &mut Lab, due: Due) -> Result<Figures, Fault> {
    match due.test {
        Test::Chase => chase(lab),
        Test::FlagRoundTrip => flags(lab, false),
        Test::FlagOrdered => flags(lab, true),
        test => issue(lab, test),
    }
}

/// The time of a load, from the difference between a long and a short chase.
fn chase(lab: &Lab) -> Result<Figures, Fault> {
    let mut ring: DeviceBuffer<u64> = lab.owner.device.alloc_zeroed(RING * LINE)?;
    let base = ring.as_raw().addr() as u64;
    // 1021 has no factor in common with the length, so every word is met before the first comes again.
    let word = |index: usize| index * 1021 % RING * LINE;
    let address = |index: usize| base + 8 * word(index % RING) as u64;
    let mut words = vec![0; RING * LINE];
    for index in 0..RING {
        words[word(index)] = address(index + 1);
    }
    lab.owner.stream.copy_from_host(&mut ring, &words)?;
    let stream = &lab.accessor.stream;
    let mut last: DeviceBuffer<u64> = lab.accessor.device.alloc_zeroed(1)?;
    let start = lab.there()?.slice(&ring)?;
    let timer = lab.timer(&[]);
    let mut follow = |hops: u64| -> Result<f64, Fault> {
        let took = timer.time(1, || {
            // SAFETY: from the first word on, each is the address of the next, in memory that the accessor may read.
            unsafe { lab.patterns.kernels.chase(stream, ONE, start, hops, &mut last) }?;
            Ok(())
        })?;
        let (arrived, expected) = (last.to_vec()?[0], address(usize::try_from(hops).unwrap_or(usize::MAX)));
        if arrived != expected {
            return Err(Fault::Said(format!("the chase arrived at {arrived:#x}, not at {expected:#x}")));
        }
        Ok(took.as_secs_f64() * 1e9)
    };
    let hops = if lab.simulated { 10 } else { HOPS };
    follow(hops)?;
    let mut samples = Vec::new();
    for _ in 0..lab.samples {
        samples.push((follow(2 * hops)? - follow(hops)?) / hops as f64);
    }
    Ok(lab.figures(samples, 8 * 3 * hops, None))
}

/// The time of a round, from the difference between a long and a short game. Each flag is in the memory of who waits for it.
fn flags(lab: &Lab, ordered: bool) -> Result<Figures, Fault> {
    let (there, back) = match &lab.access {
        Some((there, Some(back))) => (there, back),
        _ => return Err(Fault::Said("no access both ways".to_owned())),
    };
    let streams = [&lab.accessor.stream, &lab.owner.stream];
    let play = |rounds: u32| -> Result<f64, Fault> {
        let word = |stream: &Stream, value: u32| stream.device().alloc_from(&[value]);
        let mut polled = [word(streams[0], 0)?, word(streams[1], 0)?];
        let mut status = [word(streams[0], u32::MAX)?, word(streams[1], u32::MAX)?];
        let others = [streams[1]];
        let timer = lab.timer(&others);
        let took = timer.time(2, || {
            let [mine, theirs] = &mut polled;
            let [my_status, their_status] = &mut status;
            let kernels = &lab.patterns.kernels;
            {
                // SAFETY: the two kernels meet on the flags by whole words in system scope, and on nothing else.
                let (mine, theirs) = unsafe {
                    (mine.as_slice_mut().unordered(), there.slice_mut(theirs.as_slice_mut())?.unordered())
                };
                match ordered {
                    true => kernels.ping_pong(streams[0], ONE, mine, theirs, rounds, 0, BOUND_NS, my_status),
                    false => {
                        kernels.flag_rounds(streams[0], ONE, mine, theirs, rounds, 0, BOUND_NS, my_status)
                    }
                }?;
            }
            // SAFETY: as above.
            let (mine, theirs) = unsafe {
                (theirs.as_slice_mut().unordered(), back.slice_mut(mine.as_slice_mut())?.unordered())
            };
            match ordered {
                true => kernels.ping_pong(streams[1], ONE, mine, theirs, rounds, 1, BOUND_NS, their_status),
                false => {
                    kernels.flag_rounds(streams[1], ONE, mine, theirs, rounds, 1, BOUND_NS, their_status)
                }
            }?;
            Ok(())
        })?;
        for (name, words, expected) in [("status", &status, 0), ("flag", &polled, rounds)] {
            for found in words {
                let found = found.to_vec()?[0];
                if found != expected {
                    return Err(Fault::Said(format!("after {rounds} rounds a {name} is {found}")));
                }
            }
        }
        Ok(took.as_secs_f64() * 1e9)
    };
    let rounds = if lab.simulated { 5 } else { ROUNDS };
    play(1)?;
    let mut samples = Vec::new();
    for _ in 0..lab.samples {
        samples.push((play(2 * rounds)? - play(rounds)?) / f64::from(rounds));
    }
    Ok(lab.figures(samples, 4 * 2 * 3 * u64::from(rounds), None))
}

/// The time until a call returns, with an idle device before each sample.
fn issue(lab: &mut Lab, test: Test) -> Result<Figures, Fault> {
    let simulated = lab.simulated;
    let (there, _) = lab.access.as_ref().ok_or_else(|| Fault::Said("no access".to_owned()))?;
    let stream = lab.accessor.stream.clone();
    let theirs: DeviceBuffer<u8> = lab.owner.device.alloc_from(&[7; 4])?;
    let mut ours: DeviceBuffer<u8> = lab.accessor.device.alloc_zeroed(4)?;
    let view = there.slice(&theirs)?;
    let kernels = lab.patterns.kernels;
    let mut call = || -> Result<(), Fault> {
        match test {
            Test::IssueCopy => stream.copy_from_peer_async(&mut ours, view)?,
            Test::IssueAskedCopy => drop(stream.copy_peer_async(&mut ours, &theirs)?),
            _ => kernels.copy(&stream, ONE, &mut ours, view, 4)?,
        }
        Ok(())
    };
    let calls = if simulated { 2 } else { CALLS };
    let mut samples = Vec::new();
    // The first is the warm-up; many, because the host's time varies.
    for _ in 0..=10 * lab.samples {
        stream.synchronize()?;
        let start = Instant::now();
        for _ in 0..calls {
            call()?;
        }
        samples.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(calls));
    }
    samples.remove(0);
    if ours.to_vec()? != [7; 4] {
        return Err(Fault::Said("the bytes did not arrive".to_owned()));
    }
    Ok(lab.figures(samples, 4, None))
}
