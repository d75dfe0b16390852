//! Small copies, one behind the other in a stream of the accessor.
//!
//! What one takes depends on where in the devices' caches its ends lie, by a tenth: each copy of a sample has a place of its own.

use cuda_p2p::KernelCopyOptions;

use super::data::Fault;
use super::lab::Lab;
use super::plan::Due;
use super::report::Figures;
use super::test::Test;
use super::timing::Timer;

/// Copies of one sample: fewer than a stream takes before it makes the host wait.
const COPIES: usize = 200;
/// Bytes from one place to the next: an odd number of cache lines.
const APART: usize = 17 * 128;

pub(super) fn measure(lab: &mut Lab, due: Due) -> Result<Figures, Fault> {
    let bytes = usize::try_from(due.bytes).unwrap_or(usize::MAX);
    let copies = if lab.simulated { 2 } else { COPIES };
    let writes = matches!(due.test, Test::SmallEngineWrite | Test::SmallKernelWrite);
    let by_kernel = matches!(due.test, Test::SmallKernelWrite | Test::SmallKernelRead);
    let (sender, receiver) = match writes {
        true => (&mut lab.accessor, &mut lab.owner),
        false => (&mut lab.owner, &mut lab.accessor),
    };
    let places = (sender.source.len().saturating_sub(bytes) / APART + 1).min(copies);
    let place = |index: usize| index % places * APART..index % places * APART + bytes;
    let span = ..place(places - 1).end;
    lab.patterns.fill(&sender.stream, sender.source.slice_mut(span)?, lab.seed)?;
    // What is between the places is right already, and what is in them is not.
    lab.patterns.fill(&receiver.stream, receiver.destination.slice_mut(span)?, lab.seed)?;
    for index in 0..places {
        receiver.stream.fill_bytes_async(receiver.destination.slice_mut(place(index))?, 0)?;
    }
    let Lab { accessor, owner, access, copier, patterns, simulated, .. } = lab;
    let (there, _) = access.as_ref().ok_or_else(|| Fault::Said("no access".to_owned()))?;
    let stream = accessor.stream.clone();
    let options = KernelCopyOptions::default();
    let mut samples = Vec::new();
    {
        let mut put = |index: usize| -> Result<(), Fault> {
            let place = place(index);
            if writes {
                let to = there.slice_mut(owner.destination.slice_mut(place.clone())?)?;
                let from = accessor.source.slice(place)?;
                match by_kernel {
                    true => drop(copier.copy_async(&stream, to, from, options)?),
                    false => stream.copy_to_peer_async(to, from)?,
                }
            } else {
                let to = accessor.destination.slice_mut(place.clone())?;
                let from = there.slice(owner.source.slice(place)?)?;
                match by_kernel {
                    true => drop(copier.copy_async(&stream, to, from, options)?),
                    false => stream.copy_from_peer_async(to, from)?,
                }
            }
            Ok(())
        };
        put(0)?;
        stream.synchronize()?;
        let timer =
            Timer { kernels: &patterns.kernels, first: &stream, others: &[], may_be_late: *simulated };
        for _ in 0..lab.samples {
            let took = timer.time(copies as u64, || (0..copies).try_for_each(&mut put))?;
            samples.push(took.as_secs_f64() * 1e6 / copies as f64);
        }
    }
    let receiver = if writes { &lab.owner } else { &lab.accessor };
    let checked = lab.patterns.check(&receiver.stream, receiver.destination.slice(span)?, lab.seed)?;
    let checked = checked.min((places * bytes) as u64);
    Ok(lab.figures(samples, checked, Some(if by_kernel { "kernel" } else { "engine" }.to_owned())))
}
