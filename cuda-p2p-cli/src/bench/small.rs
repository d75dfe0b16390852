//! Small copies, one behind the other in a stream of the accessor.

use cuda_p2p::KernelCopyOptions;

use super::data::Fault;
use super::lab::Lab;
use super::plan::Due;
use super::report::Figures;
use super::test::Test;
use super::timing::Timer;

/// Copies of one sample: fewer than a stream takes before it makes the host wait.
const COPIES: u64 = 200;

pub(super) fn measure(lab: &mut Lab, due: Due) -> Result<Figures, Fault> {
    let bytes = usize::try_from(due.bytes).unwrap_or(usize::MAX);
    let copies = if lab.simulated { 2 } else { COPIES };
    let writes = matches!(due.test, Test::SmallEngineWrite | Test::SmallKernelWrite);
    let by_kernel = matches!(due.test, Test::SmallKernelWrite | Test::SmallKernelRead);
    let (sender, receiver) = match writes {
        true => (&mut lab.accessor, &mut lab.owner),
        false => (&mut lab.owner, &mut lab.accessor),
    };
    lab.patterns.fill(&sender.stream, sender.source.slice_mut(..bytes)?, lab.seed)?;
    lab.patterns.fill(&receiver.stream, receiver.destination.slice_mut(..bytes)?, lab.seed ^ 2)?;
    let Lab { accessor, owner, access, copier, patterns, simulated, .. } = lab;
    let (there, _) = access.as_ref().ok_or_else(|| Fault::Said("no access".to_owned()))?;
    let stream = accessor.stream.clone();
    let options = KernelCopyOptions::default();
    let mut samples = Vec::new();
    {
        let (mut theirs, mut ours) = (None, None);
        if writes {
            theirs = Some(there.slice_mut(owner.destination.slice_mut(..bytes)?)?);
        } else {
            ours =
                Some((accessor.destination.slice_mut(..bytes)?, there.slice(owner.source.slice(..bytes)?)?));
        }
        let source = if writes { Some(accessor.source.slice(..bytes)?) } else { None };
        let mut put = || -> Result<(), Fault> {
            if let (Some(to), Some(from)) = (&mut theirs, source) {
                match by_kernel {
                    true => drop(copier.copy_async(&stream, to.reborrow(), from, options)?),
                    false => stream.copy_to_peer_async(to.reborrow(), from)?,
                }
            }
            if let Some((to, from)) = &mut ours {
                match by_kernel {
                    true => drop(copier.copy_async(&stream, to.reborrow(), *from, options)?),
                    false => stream.copy_from_peer_async(to.reborrow(), *from)?,
                }
            }
            Ok(())
        };
        put()?;
        stream.synchronize()?;
        let timer =
            Timer { kernels: &patterns.kernels, first: &stream, others: &[], may_be_late: *simulated };
        for _ in 0..lab.samples {
            let took = timer.time(copies, || (0..copies).try_for_each(|_| put()))?;
            samples.push(took.as_secs_f64() * 1e6 / copies as f64);
        }
    }
    let receiver = if writes { &lab.owner } else { &lab.accessor };
    let checked = lab.patterns.check(&receiver.stream, receiver.destination.slice(..bytes)?, lab.seed)?;
    Ok(lab.figures(samples, checked, Some(if by_kernel { "kernel" } else { "engine" }.to_owned())))
}
