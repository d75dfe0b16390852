//! One device and all others: who can write to it at once, and whom it can write to.

use cuda_p2p::{CopyRoute, Device, DeviceBuffer, Error, PeerAccess, Stream};

use super::data::Fault;
use super::lab::Lab;
use super::plan::Due;
use super::report::Figures;
use super::test::Test;
use super::timing::Timer;

/// Copies of each pair in one sample.
const LOOPS: u64 = 4;

/// One of the copies that run at once.
struct Lane {
    stream: Stream,
    source: DeviceBuffer<u8>,
    destination: DeviceBuffer<u8>,
    seed: u64,
    /// What makes it direct.
    _access: PeerAccess,
}

pub(super) fn measure(lab: &Lab, due: Due) -> Result<Figures, Fault> {
    let bytes = usize::try_from(due.bytes).unwrap_or(usize::MAX);
    let one = lab.accessor.device;
    let mut lanes = Vec::new();
    for other in one.runtime().devices()?.into_iter().filter(|other| *other != one) {
        let (from, to) = if due.test == Test::OneToAll { (one, other) } else { (other, one) };
        if from.can_access_peer(&to)? {
            lanes.push(lane(lab, from, to, bytes)?);
        }
    }
    if lanes.is_empty() {
        return Err(Fault::Absent(match due.test {
            Test::OneToAll => "it has access to no other device".to_owned(),
            _ => "no other device has access to it".to_owned(),
        }));
    }
    let streams: Vec<Stream> = lanes.iter().map(|lane| lane.stream.clone()).collect();
    let streams: Vec<&Stream> = streams.iter().collect();
    let kernels = lab.patterns.kernels;
    // The clock is that of a stream of the one device, which all of them wait for.
    let timer = Timer {
        kernels: &kernels,
        first: &lab.accessor.stream,
        others: &streams,
        may_be_late: lab.simulated,
    };
    let loops = if lab.simulated { 1 } else { LOOPS };
    let (mut samples, count) = (Vec::new(), lanes.len() as u64);
    let mut path = None;
    for _ in 0..=lab.samples {
        let took = timer.time(count * loops, || {
            for _ in 0..loops {
                for Lane { stream, source, destination, .. } in &mut lanes {
                    let copied = stream.copy_peer_async_by(CopyRoute::Direct, destination, &*source)?;
                    path = Some(copied.to_string());
                }
            }
            Ok(())
        })?;
        samples.push((count * loops * due.bytes) as f64 / took.as_secs_f64() / 1e9);
    }
    // The first is the warm-up.
    samples.remove(0);
    let mut checked = 0;
    for lane in &lanes {
        let stream = lane.destination.device().new_stream()?;
        checked += lab.patterns.check(&stream, lane.destination.as_slice(), lane.seed)?;
    }
    Ok(lab.figures(samples, checked, path))
}

fn lane(lab: &Lab, from: Device, to: Device, bytes: usize) -> Result<Lane, Fault> {
    let access = from.enable_peer_access(&to).map_err(|error| match error {
        // More peers than a device without NVSwitch has at once: all at once is not to be had.
        Error::TooManyPeers { .. } => Fault::Absent(error.to_string()),
        error => error.into(),
    })?;
    let mut source = from.alloc_zeroed(bytes)?;
    let seed = lab.seed ^ u64::from(from.ordinal()) << 32 ^ u64::from(to.ordinal()) << 40;
    let stream = from.new_stream()?;
    lab.patterns.fill(&stream, source.as_slice_mut(), seed)?;
    Ok(Lane { stream, source, destination: to.alloc_zeroed(bytes)?, seed, _access: access })
}
