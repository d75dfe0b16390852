//! The steps of one ordered pair's proof. Runs in a child.

use cuda_p2p::{CopyPath, Device, Disabled, PeerAccess, Runtime, Stream};

use super::PairJob;
use super::cases::{Case, cases};
use super::diagnosis::{Kind, WINDOW, kind_of};
use super::guarded::{Place, Side};
use super::kernels::ProofKernels;
use super::pattern::Pattern;
use super::record::{Fault, Recorder, Stop};
use super::report::Range;
use super::step::Step;
use crate::machine::{MachineError, open};
use crate::options::MachineChoice;
use crate::worker::Send;

/// Runs every step, until one fails, and reports each.
pub(crate) fn prove(choice: &MachineChoice, job: &PairJob, send: Send<'_>) {
    // Where it stopped, and why, has been reported by then.
    let open = || {
        let runtime = open(choice)?;
        let kernels = ProofKernels::load(&runtime)?;
        Ok((runtime, kernels))
    };
    let (Ok(()) | Err(Stop)) = prove_all(open, job, &mut Recorder::new(send));
}

fn prove_all(
    open: impl FnOnce() -> Result<(Runtime, ProofKernels), Fault>,
    job: &PairJob,
    recorder: &mut Recorder<'_>,
) -> Result<(), Stop> {
    let cases = cases(&job.sizes, job.seed);
    let mut bench = recorder.required(Step::Prepare, || Bench::new(open, job))?;
    recorder.required(Step::Query, || bench.query())?;
    let access = recorder.required(Step::Enable, || bench.enable())?;
    for step in [Step::EngineRead, Step::EngineWrite, Step::KernelRead, Step::KernelWrite] {
        for case in &cases {
            recorder.observed(step, Some(*case), || bench.transfer(step, *case, Some(&access)))?;
        }
    }
    recorder.observed(Step::Flags, None, || super::flags::play(&bench, &access).map(|()| None))?;
    recorder.required(Step::Disable, || disable(access))?;
    for step in [Step::StagedRead, Step::StagedWrite] {
        for case in &cases {
            recorder.observed(step, Some(*case), || bench.transfer(step, *case, None))?;
        }
    }
    Ok(())
}

/// What every step needs.
pub(super) struct Bench {
    pub(super) accessor: Side,
    pub(super) owner: Side,
    pub(super) kernels: ProofKernels,
    seed: u64,
}

impl Bench {
    fn new(
        open: impl FnOnce() -> Result<(Runtime, ProofKernels), Fault>,
        job: &PairJob,
    ) -> Result<Self, Fault> {
        let (runtime, kernels) = open()?;
        if runtime.is_simulated() != job.simulated {
            return Err(MachineError::Changed.into());
        }
        let largest =
            job.sizes.iter().map(|size| usize::try_from(*size).unwrap_or(usize::MAX)).max().unwrap_or(0);
        let side =
            |ordinal| -> Result<Side, Fault> { Ok(Side::new(runtime.device(ordinal)?, largest, job.seed)?) };
        let (mut accessor, mut owner) = (side(job.pair.accessor)?, side(job.pair.owner)?);
        accessor.self_test(&kernels)?;
        owner.self_test(&kernels)?;
        Ok(Self { accessor, owner, kernels, seed: job.seed })
    }

    fn devices(&self) -> (&Device, &Device) {
        (&self.accessor.device, &self.owner.device)
    }

    fn query(&self) -> Result<(), Fault> {
        let (accessor, owner) = self.devices();
        if accessor.can_access_peer(owner)? {
            return Ok(());
        }
        Err(Fault::Failed(
            "the runtime now says that there is no access, and said that there is before".to_owned(),
        ))
    }

    fn enable(&self) -> Result<PeerAccess, Fault> {
        let (accessor, owner) = self.devices();
        Ok(accessor.enable_peer_access(owner)?)
    }

    /// Fills the source, poisons the destination, moves, and lets the destination's own device look.
    fn transfer(
        &mut self,
        step: Step,
        case: Case,
        access: Option<&PeerAccess>,
    ) -> Result<Option<String>, Fault> {
        let Self { accessor, owner, kernels, seed } = self;
        let reads = matches!(step, Step::EngineRead | Step::KernelRead | Step::StagedRead);
        let source_place = Place::new(case.source_offset, case.bytes);
        let destination_place = Place::new(case.destination_offset, case.bytes);
        // Each step and case has bytes of its own: what an earlier one left behind is not taken for the later one's.
        let pattern = Pattern::derived(
            *seed,
            &[step as u64, case.bytes as u64, case.source_offset as u64, case.destination_offset as u64],
        );
        let by = accessor.stream.clone();
        let (source, destination) = if reads { (owner, accessor) } else { (accessor, owner) };
        let mut earlier = source.held(source_place);
        earlier.extend(destination.held(destination_place));
        source.fill(kernels, source_place, pattern)?;
        let poison = destination.poison(destination_place, pattern)?;
        destination.hold(destination_place, pattern);

        let from = source.buffer.slice(source_place.data())?;
        let to = destination.buffer.slice_mut(destination_place.data())?;
        let path = match (step, access) {
            (Step::KernelRead, Some(access)) => {
                kernels.copy(&by, to, access.slice(from)?, case.bytes)?;
                None
            }
            (Step::KernelWrite, Some(access)) => {
                kernels.copy(&by, access.slice_mut(to)?, from, case.bytes)?;
                None
            }
            _ => Some(by.copy_peer_async(to, from)?),
        };
        by.synchronize()?;
        if let Some(path) = &path {
            check_path(path, access.is_some())?;
        }

        let mut findings = destination.findings(kernels, destination_place, Range::Destination, pattern)?;
        for finding in findings.iter_mut().filter(|finding| finding.range == Range::Destination) {
            let data = destination_place.data();
            let start = data.start + usize::try_from(finding.first).unwrap_or(0);
            let got = destination.read(start..data.end.min(start + WINDOW))?;
            let mut kind = kind_of(&got, finding.first, pattern, poison, &earlier);
            if kind == Kind::Dropped
                && !reads
                && let Some(access) = access
            {
                let by_kernel = step == Step::KernelWrite;
                let back = read_back(by_kernel, access, &by, kernels, destination, start..start + got.len())?;
                if (finding.first..).zip(&back).all(|(offset, byte)| pattern.byte(offset) == *byte) {
                    kind = Kind::Mirrored;
                }
            }
            finding.kind = Some(kind);
        }
        findings.extend(source.findings(kernels, source_place, Range::Source, pattern)?);
        match findings.is_empty() {
            true => Ok(path.map(|path| path.to_string())),
            false => Err(Fault::Wrong { findings, note: path.map(|path| format!("path: {path}")) }),
        }
    }
}

/// What the accessor, whose stream is `by`, reads at these bytes of the owner's buffer, by the means that it wrote them with.
fn read_back(
    by_kernel: bool,
    access: &PeerAccess,
    by: &Stream,
    kernels: &ProofKernels,
    owner: &Side,
    bytes: std::ops::Range<usize>,
) -> Result<Vec<u8>, Fault> {
    let mut back = vec![0; bytes.len()];
    let mut scratch = by.device().alloc_zeroed::<u8>(back.len())?;
    let theirs = owner.buffer.slice(bytes)?;
    if by_kernel {
        kernels.copy(by, &mut scratch, access.slice(theirs)?, back.len())?;
    } else {
        by.copy_peer_async(&mut scratch, theirs)?;
    }
    by.copy_to_host(&scratch, &mut back)?;
    Ok(back)
}

/// A copy that is slower than it need be has arrived all the same, but the step claims a path.
fn check_path(path: &CopyPath, with_access: bool) -> Result<(), Fault> {
    match path {
        CopyPath::Direct if with_access => Ok(()),
        CopyPath::Staged { .. } | CopyPath::StagedByDriver { .. } if !with_access => Ok(()),
        other => {
            let state = if with_access { "enabled" } else { "disabled" };
            Err(Fault::Failed(format!("access is {state}, and yet the copy took this path: {other}")))
        }
    }
}

fn disable(access: PeerAccess) -> Result<(), Fault> {
    match access.disable() {
        Ok(Disabled::Disabled) => Ok(()),
        Ok(other) => Err(Fault::Failed(format!(
            "this process enabled the access, and disabling it found something else ({other:?})"
        ))),
        Err(failure) => Err(failure.error.into()),
    }
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
