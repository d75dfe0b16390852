//! The steps of one ordered pair's proof. Runs in a child.

use std::rc::Rc;
use std::time::Instant;

use cuda_p2p::{Device, Disabled, MemPoolOptions, PeerAccess, Runtime};

use super::PairJob;
use super::borrowed::{Borrowed, Partner};
use super::cases::{Case, cases};
use super::guarded::Side;
use super::kernels::ProofKernels;
use super::lend::LendJob;
use super::memory::{Memory, Owner};
use super::path::Path;
use super::record::{Fault, Recorder, Stop};
use super::step::Step;
use super::transfer::Transfer;
use crate::machine::{MachineError, open};
use crate::options::MachineChoice;
use crate::worker::{Message, Send};

/// Runs every step, until one fails, and reports each; in a soak round after round, until the time is up.
pub(crate) fn prove(choice: &MachineChoice, job: &PairJob, send: Send<'_>) {
    let load = || {
        let runtime = open(choice)?;
        let kernels = ProofKernels::load(&runtime)?;
        Ok((runtime, kernels))
    };
    let mut session = Session::new(choice, &load);
    // Where it stopped, and why, has been reported by then.
    let Some(turn) = job.turn else {
        let (Ok(()) | Err(Stop)) = prove_all(&mut session, job, &mut Recorder::new(send));
        return;
    };
    let started = Instant::now();
    for round in turn.first_round.. {
        send(&Message::Round(round));
        let outcome = prove_all(&mut session, &job.of_round(round), &mut Recorder::new(send));
        if outcome.is_err() || started.elapsed() >= turn.time() {
            return;
        }
    }
}

/// Opens the runtime, and loads the kernels.
type Load<'a> = &'a dyn Fn() -> Result<(Runtime, ProofKernels), Fault>;

/// What outlasts a round.
struct Session<'a> {
    choice: &'a MachineChoice,
    load: Load<'a>,
    loaded: Option<(Runtime, Rc<ProofKernels>)>,
    partner: Option<Partner>,
    #[cfg(test)]
    tamper: Option<super::transfer::Tamper>,
}

impl<'a> Session<'a> {
    fn new(choice: &'a MachineChoice, load: Load<'a>) -> Self {
        Self {
            choice,
            load,
            loaded: None,
            partner: None,
            #[cfg(test)]
            tamper: None,
        }
    }

    fn bench(&mut self, job: &PairJob) -> Result<Bench, Fault> {
        let (runtime, kernels) = match &self.loaded {
            Some(loaded) => loaded.clone(),
            None => {
                let (runtime, kernels) = (self.load)()?;
                self.loaded.insert((runtime, Rc::new(kernels))).clone()
            }
        };
        let bench = Bench::new(&runtime, kernels, job)?;
        #[cfg(test)]
        let bench = Bench { tamper: self.tamper, ..bench };
        Ok(bench)
    }

    fn partner(&mut self, job: LendJob) -> Result<&mut Partner, Fault> {
        match &mut self.partner {
            Some(partner) => Ok(partner),
            place => Ok(place.insert(Partner::start(self.choice, job)?)),
        }
    }
}

/// The steps of each path in turn.
fn prove_all(session: &mut Session<'_>, job: &PairJob, recorder: &mut Recorder<'_>) -> Result<(), Stop> {
    let has = |path| job.paths.contains(&path);
    let cases = cases(&job.sizes, job.seed);
    let mut bench = recorder.required(Step::Prepare, || session.bench(job))?;
    recorder.required(Step::Query, || bench.query())?;
    if job.paths.iter().any(|path| path.takes_access()) {
        let access = recorder.required(Step::Enable, || bench.enable())?;
        for path in [Path::Engine, Path::Kernel].into_iter().filter(|path| has(*path)) {
            bench.transfers(recorder, path, &cases, None, Some(&access))?;
        }
        if has(Path::Flags) {
            recorder.observed(Step::Flags, None, || super::flags::play(&bench, &access).map(|()| None))?;
        }
        if has(Path::Pool)
            && let Some(mut pooled) = recorder.made(Step::PoolGrant, || bench.pooled())?
        {
            bench.transfers(recorder, Path::Pool, &cases, Some(&mut pooled), Some(&access))?;
        }
        if has(Path::Graph) {
            bench.transfers(recorder, Path::Graph, &cases, None, Some(&access))?;
        }
        recorder.required(Step::Disable, || disable(access))?;
    }
    if has(Path::Staged) {
        bench.transfers(recorder, Path::Staged, &cases, None, None)?;
    }
    if has(Path::Virtual)
        && let Some(mut mapped) = recorder.made(Step::VirtualMap, || bench.mapped())?
    {
        bench.transfers(recorder, Path::Virtual, &cases, Some(&mut mapped), None)?;
    }
    let lend = LendJob { owner: job.pair.owner, simulated: job.simulated };
    for (path, open, close) in
        [(Path::Ipc, Step::IpcOpen, Step::IpcClose), (Path::IpcPool, Step::IpcPoolOpen, Step::IpcPoolClose)]
    {
        if !has(path) {
            continue;
        }
        let (accessor, what) = (bench.accessor.device, (bench.largest, job.seed));
        let borrowed = recorder
            .made(open, || Borrowed::open(session.partner(lend)?, &accessor, what, path == Path::IpcPool))?;
        if let Some(mut borrowed) = borrowed {
            bench.transfers(recorder, path, &cases, Some(&mut borrowed), None)?;
            recorder.required(close, || borrowed.close())?;
        }
    }
    Ok(())
}

/// What every step needs.
pub(super) struct Bench {
    pub(super) accessor: Side,
    pub(super) owner: Side,
    pub(super) kernels: Rc<ProofKernels>,
    largest: usize,
    seed: u64,
    #[cfg(test)]
    tamper: Option<super::transfer::Tamper>,
}

impl Bench {
    fn new(runtime: &Runtime, kernels: Rc<ProofKernels>, job: &PairJob) -> Result<Self, Fault> {
        if runtime.is_simulated() != job.simulated {
            return Err(MachineError::Changed.into());
        }
        let largest =
            job.sizes.iter().map(|size| usize::try_from(*size).unwrap_or(usize::MAX)).max().unwrap_or(0);
        let side = |ordinal| -> Result<Side, Fault> {
            let mut side = Side::new(runtime.device(ordinal)?, largest, job.seed)?;
            side.self_test(&kernels)?;
            Ok(side)
        };
        let (accessor, owner) = (side(job.pair.accessor)?, side(job.pair.owner)?);
        Ok(Self {
            accessor,
            owner,
            kernels,
            largest,
            seed: job.seed,
            #[cfg(test)]
            tamper: None,
        })
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

    /// Memory of a pool of the owner's that is opened to the accessor.
    fn pooled(&self) -> Result<Side, Fault> {
        let (accessor, owner) = self.devices();
        let allocate = || {
            let pool = owner.new_mem_pool(MemPoolOptions::default())?;
            pool.enable_access_from(&[*accessor])?;
            self.owner.stream.alloc_zeroed_async::<u8>(&pool, Side::length(self.largest))
        };
        self.side_of(Memory::Buffer(allocate().map_err(Fault::unless_unsupported)?))
    }

    /// Pages of the owner's that both devices have access to.
    fn mapped(&self) -> Result<Side, Fault> {
        let (accessor, owner) = self.devices();
        let map = || {
            let runtime = owner.runtime();
            let granularity = owner.virtual_memory_granularity()?;
            let of_ranges = runtime.device(0)?.virtual_memory_granularity()?;
            let length = Side::length(self.largest).next_multiple_of(granularity.max(of_ranges));
            let mut range = runtime.reserve_virtual_range(length)?;
            range.map(0, owner.alloc_physical_zeroed(length)?)?;
            range.enable_access_from(&[*accessor, *owner])?;
            Ok(range)
        };
        self.side_of(Memory::Range(map().map_err(Fault::unless_unsupported)?))
    }

    fn side_of(&self, memory: Memory) -> Result<Side, Fault> {
        let mut side = Side::of(self.owner.device, memory, self.seed)?;
        side.self_test(&self.kernels)?;
        Ok(side)
    }

    /// Every move of a path; between the accessor and `theirs`, or else the owner's plain memory.
    fn transfers(
        &mut self,
        recorder: &mut Recorder<'_>,
        path: Path,
        cases: &[Case],
        theirs: Option<&mut dyn Owner>,
        access: Option<&PeerAccess>,
    ) -> Result<(), Stop> {
        let mut transfer = Transfer {
            accessor: &mut self.accessor,
            owner: theirs.unwrap_or(&mut self.owner),
            kernels: &self.kernels,
            access,
            seed: self.seed,
            #[cfg(test)]
            tamper: self.tamper,
        };
        for step in Step::ALL.into_iter().filter(|step| step.path() == Some(path)) {
            let Some(movement) = step.movement() else { continue };
            for case in cases {
                recorder.observed(step, Some(*case), || transfer.run(step, movement, *case))?;
            }
        }
        Ok(())
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
