//! Large copies: by engines, by kernels, through the host; one way and both ways at once.

use cuda_p2p::{CopyRoute, KernelCopyOptions, KernelCopySide, LaunchConfig, Stream};

use super::data::Fault;
use super::lab::{Lab, Side};
use super::plan::Due;
use super::report::Figures;
use super::test::Test;
use super::timing::Timer;

/// Bytes that one sample moves each way at least, where the link is fast: so that its ends do not count.
const MOVED: u64 = 2 << 30;
/// The same through the host.
const MOVED_STAGED: u64 = 256 << 20;
/// Most copies of a sample.
const MOST: u64 = 64;

/// Which way the bytes go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// From owner to accessor.
    Read,
    /// From accessor to owner.
    Write,
    /// Both at once.
    Both,
}

fn way(test: Test) -> Way {
    match test {
        Test::DriverStagedBoth | Test::StagedBoth | Test::EngineBoth | Test::KernelBoth => Way::Both,
        Test::EngineWrite | Test::KernelWrite => Way::Write,
        _ => Way::Read,
    }
}

pub(super) fn measure(lab: &mut Lab, due: Due) -> Result<Figures, Fault> {
    let bytes = usize::try_from(due.bytes).unwrap_or(usize::MAX);
    let way = way(due.test);
    // Each direction has a pattern of its own, and the destinations begin with neither.
    let seeds = [lab.seed, lab.seed ^ 1];
    for (side, seed) in [(&mut lab.accessor, seeds[0]), (&mut lab.owner, seeds[1])] {
        lab.patterns.fill(&side.stream, side.source.slice_mut(..bytes)?, seed)?;
        lab.patterns.fill(&side.stream, side.destination.slice_mut(..bytes)?, lab.seed ^ 2)?;
    }
    // Warm-up: what is made and asked once, and the order with the fills.
    let path = queue(lab, due.test, way, bytes)?;
    for side in [&lab.accessor, &lab.owner] {
        side.stream.synchronize()?;
    }
    let moved = if due.test.is_without_access() { MOVED_STAGED } else { MOVED };
    let loops = if lab.simulated { 1 } else { (moved / due.bytes.max(1)).clamp(1, MOST) };
    let directions = if way == Way::Both { 2 } else { 1 };
    let by_driver = matches!(due.test, Test::DriverStagedRead | Test::DriverStagedBoth);
    let mut samples = Vec::new();
    let streams = (lab.accessor.stream.clone(), lab.owner.stream.clone());
    for _ in 0..lab.samples {
        let kernels = lab.patterns.kernels;
        let others: &[&Stream] = if way == Way::Both { &[&streams.1] } else { &[] };
        let may_be_late = lab.simulated || by_driver;
        let timer = Timer { kernels: &kernels, first: &streams.0, others, may_be_late };
        let took = timer.time(directions * loops * pieces(due), || {
            (0..loops).try_for_each(|_| queue(lab, due.test, way, bytes).map(|_| ()))
        })?;
        samples.push((directions * loops * due.bytes) as f64 / took.as_secs_f64() / 1e9);
    }
    let mut checked = 0;
    if way != Way::Write {
        let side = &lab.accessor;
        checked += lab.patterns.check(&side.stream, side.destination.slice(..bytes)?, seeds[1])?;
    }
    if way != Way::Read {
        let side = &lab.owner;
        checked += lab.patterns.check(&side.stream, side.destination.slice(..bytes)?, seeds[0])?;
    }
    Ok(lab.figures(samples, checked, path))
}

/// Calls that a copy takes to be queued, roughly.
fn pieces(due: Due) -> u64 {
    if due.test.is_without_access() { due.bytes.div_ceil(1 << 20) } else { 1 }
}

/// Puts one copy into the accessor's stream, and one into the owner's if both ways. Says how it goes.
fn queue(lab: &mut Lab, test: Test, way: Way, bytes: usize) -> Result<Option<String>, Fault> {
    let Lab { accessor, owner, copier, access, patterns, simulated, .. } = lab;
    let access = access.as_ref().map(|(there, _)| there);
    let denied = || Fault::Said("no access".to_owned());
    let route = match test {
        Test::DriverStagedRead | Test::DriverStagedBoth => CopyRoute::Driver,
        Test::StagedRead | Test::StagedBoth => CopyRoute::Staged,
        _ => CopyRoute::Direct,
    };
    let path = match test {
        Test::KernelRead => {
            let from = access.ok_or_else(denied)?.slice(owner.source.slice(..bytes)?)?;
            let to = accessor.destination.slice_mut(..bytes)?;
            let copied = copier.copy_async(&accessor.stream, to, from, KernelCopyOptions::default())?;
            format!(
                "{} blocks, {}",
                copied.blocks,
                if copied.bulk { "bulk copies" } else { "16-byte accesses" }
            )
        }
        Test::KernelReadPlain => {
            let from = access.ok_or_else(denied)?.slice(owner.source.slice(..bytes)?)?;
            let to = accessor.destination.slice_mut(..bytes)?;
            let shape = if *simulated { LaunchConfig::new(4, 32) } else { LaunchConfig::new(264, 512) };
            patterns.kernels.copy(&accessor.stream, shape, to, from, bytes as u64)?;
            "16-byte accesses".to_owned()
        }
        Test::KernelWrite => {
            let to = access.ok_or_else(denied)?.slice_mut(owner.destination.slice_mut(..bytes)?)?;
            let from = accessor.source.slice(..bytes)?;
            let copied = copier.copy_async(&accessor.stream, to, from, KernelCopyOptions::default())?;
            format!(
                "{} blocks, {}",
                copied.blocks,
                if copied.bulk { "bulk copies" } else { "16-byte accesses" }
            )
        }
        Test::KernelBoth => {
            let options = KernelCopyOptions { side: KernelCopySide::Either, max_blocks: None };
            let mut last = None;
            for (stream, to, from) in both(accessor, owner) {
                let copied =
                    copier.copy_peer_async(stream, to.slice_mut(..bytes)?, from.slice(..bytes)?, options)?;
                last = Some(format!("{:?}", copied.direction).to_lowercase());
            }
            last.unwrap_or_default()
        }
        _ => match way {
            Way::Read => {
                let (to, from) = (accessor.destination.slice_mut(..bytes)?, owner.source.slice(..bytes)?);
                accessor.stream.copy_peer_async_by(route, to, from)?.to_string()
            }
            Way::Write => {
                let (to, from) = (owner.destination.slice_mut(..bytes)?, accessor.source.slice(..bytes)?);
                accessor.stream.copy_peer_async_by(route, to, from)?.to_string()
            }
            Way::Both => {
                let mut last = String::new();
                for (stream, to, from) in both(accessor, owner) {
                    let (to, from) = (to.slice_mut(..bytes)?, from.slice(..bytes)?);
                    last = stream.copy_peer_async_by(route, to, from)?.to_string();
                }
                last
            }
        },
    };
    Ok(Some(path))
}

type Ends<'s> = (&'s Stream, &'s mut cuda_p2p::DeviceBuffer<u8>, &'s cuda_p2p::DeviceBuffer<u8>);

/// Stream, destination and source of the two directions: each device writes, in a stream of its own.
fn both<'s>(accessor: &'s mut Side, owner: &'s mut Side) -> [Ends<'s>; 2] {
    [
        (&accessor.stream, &mut owner.destination, &accessor.source),
        (&owner.stream, &mut accessor.destination, &owner.source),
    ]
}
