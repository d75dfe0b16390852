//! Latencies: of a load, and of the host's own calls.
//!
//! # Safety
//! The kernel that follows addresses is given a ring of them that lies in the owner's buffer, which the accessor has access to.
#![allow(unsafe_code, reason = "addresses for a kernel; see the paragraph on safety above")]

use std::time::Instant;

use cuda_p2p::sys::cudaDeviceAttr;
use cuda_p2p::{Device, DeviceBuffer, LaunchConfig};

use super::data::Fault;
use super::flags;
use super::lab::Lab;
use super::plan::Due;
use super::report::Figures;
use super::test::Test;
use super::timing::spread;

/// One thread.
const ONE: LaunchConfig = LaunchConfig::new(1, 1);
/// Words of the ring, a cache line apart; and how many of them one sample follows more than another.
const RING: usize = 4096;
const LINE: usize = 16;
const HOPS: u64 = 500;
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

/// Addresses in a circle, in one device's memory.
struct Ring {
    words: DeviceBuffer<u64>,
}

impl Ring {
    /// In this device's memory.
    fn new(device: &Device) -> Result<Self, Fault> {
        let mut ring = Self { words: device.alloc_zeroed(RING * LINE)? };
        let mut words = vec![0; RING * LINE];
        for index in 0..RING {
            words[word(index)] = ring.address(index + 1);
        }
        device.new_stream()?.copy_from_host(&mut ring.words, &words)?;
        Ok(ring)
    }

    /// Where so many hops lead from the first word.
    fn address(&self, hops: usize) -> u64 {
        self.words.as_raw().addr() as u64 + 8 * word(hops % RING) as u64
    }
}

/// 1021 has no factor in common with the length, so every word is met before the first comes again.
fn word(index: usize) -> usize {
    index * 1021 % RING * LINE
}

/// The time of a load, from the difference between a long and a short chase: the mean over all multiprocessors, each with a block of
/// its own, since some are nearer to the memory than others. The lowest and the highest are of one multiprocessor each.
fn chase(lab: &Lab) -> Result<Figures, Fault> {
    let ring = Ring::new(&lab.owner.device)?;
    let stream = &lab.accessor.stream;
    let mut last: DeviceBuffer<u64> = lab.accessor.device.alloc_zeroed(2)?;
    let start = lab.there()?.slice(&ring.words)?;
    let timer = lab.timer(&[]);
    let blocks =
        lab.accessor.device.attribute(cudaDeviceAttr::cudaDevAttrMultiProcessorCount)?.max(1).cast_unsigned();
    let shape = LaunchConfig::new(blocks, 1);
    let mut follow = |hops: u64, block: u32| -> Result<f64, Fault> {
        stream.fill_bytes_async(&mut last, 0)?;
        let took = timer.time(1, || {
            // SAFETY: from the first word on, each is the address of the next, in memory that the accessor may read.
            unsafe { lab.patterns.kernels.chase(stream, shape, start, hops, block, &mut last) }?;
            Ok(())
        })?;
        let expected = [ring.address(usize::try_from(hops).unwrap_or(usize::MAX)), u64::from(block)];
        let arrived = last.to_vec()?;
        if arrived != expected {
            return Err(Fault::Said(format!(
                "the chase arrived at {arrived:x?}, not at {expected:x?} (address and block)"
            )));
        }
        Ok(took.as_secs_f64() * 1e9)
    };
    let hops = if lab.simulated { 10 } else { HOPS };
    // A simulated one has all its blocks at one distance.
    let chasing = if lab.simulated { blocks.min(2) } else { blocks };
    let mut of_blocks = Vec::new();
    for block in 0..chasing {
        follow(hops, block)?;
        let mut samples = Vec::new();
        for _ in 0..lab.samples {
            samples.push((follow(2 * hops, block)? - follow(hops, block)?) / hops as f64);
        }
        of_blocks.push(spread(samples).0);
    }
    let checked = 8 * hops * u64::from(chasing) * (1 + 3 * u64::from(lab.samples));
    Ok(lab.figures_of_parts(of_blocks, checked))
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

#[cfg(test)]
mod tests {
    use cuda_p2p::Runtime;
    use cuda_p2p::builtin::Kernels;
    use cuda_p2p::sim::MachineConfig;

    use super::*;

    #[test]
    fn the_block_that_is_asked_for_chases_and_no_other() {
        let runtime = Runtime::simulated(MachineConfig::pair()).unwrap();
        let (device, kernels) = (runtime.device(0).unwrap(), Kernels::load(&runtime).unwrap());
        let ring = Ring::new(&device).unwrap();
        let stream = device.new_stream().unwrap();
        let mut last: DeviceBuffer<u64> = device.alloc_zeroed(2).unwrap();
        let mut arrived = |shape: LaunchConfig, block| {
            stream.fill_bytes_async(&mut last, 7).unwrap();
            let start = ring.words.as_slice();
            // SAFETY: from the first word on, each is the address of the next, in memory of the launching device.
            unsafe { kernels.chase(&stream, shape, start, 5, block, &mut last) }.unwrap();
            last.to_vec().unwrap()
        };
        let cube = LaunchConfig { grid_dim: (3, 2, 2), block_dim: (2, 2, 2), shared_mem_bytes: 0 };
        for shape in [LaunchConfig::new(3, 1), LaunchConfig::new(3, 32), cube] {
            for block in 0..3 {
                assert_eq!(arrived(shape, block), [ring.address(5), u64::from(block)]);
            }
            // Blocks that there are none of, though the grid has more in y.
            for block in [3, 4, u32::MAX] {
                assert_eq!(arrived(shape, block), [u64::from_ne_bytes([7; 8]); 2], "{block}");
            }
        }
    }

    #[test]
    fn every_word_of_the_ring_is_met_once() {
        let met: std::collections::BTreeSet<usize> = (0..RING).map(word).collect();
        assert!(met.len() == RING && met.iter().all(|word| word % LINE == 0 && *word < RING * LINE));
    }
}
