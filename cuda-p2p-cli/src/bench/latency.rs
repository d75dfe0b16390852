//! Latencies: of a load, and of the host's own calls.
//!
//! # Safety
//! The kernel that follows addresses is given a ring of them that lies in the owner's buffer, which the accessor has access to.
#![allow(unsafe_code, reason = "addresses for a kernel; see the paragraph on safety above")]

use std::time::Instant;

use cuda_p2p::{DeviceBuffer, LaunchConfig};

use super::data::Fault;
use super::flags;
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
/// Calls of one sample: far fewer than a stream takes before it makes the host wait.
const CALLS: u32 = 32;

pub(super) fn measure(lab: &mut Lab, due: Due) -> Result<Figures, Fault> {
    match due.test {
        Test::Chase => chase(lab),
        Test::FlagRoundTrip => flags::measure(lab, false),
        Test::FlagOrdered => flags::measure(lab, true),
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
