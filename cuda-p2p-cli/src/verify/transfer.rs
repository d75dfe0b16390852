//! One move of data between the accessor and an owner, checked by the device that it moves to.

use std::ops::Range as Bytes;

use cuda_p2p::{CopyPath, GraphExec, KernelSlice, KernelSliceMut, PeerAccess, Result};

use super::cases::Case;
use super::diagnosis::{Earlier, Kind, Poison, WINDOW, kind_of};
use super::guarded::{Place, Side};
use super::kernels::ProofKernels;
use super::memory::{End, Owner};
use super::path::Path;
use super::pattern::Pattern;
use super::record::Fault;
use super::report::{Finding, Range};
use super::step::{Means, Movement, Step};

/// How often what a graph recorded is run, each time with other data.
const REPLAYS: u64 = 3;

/// What a move takes.
pub(super) struct Transfer<'a> {
    pub(super) accessor: &'a mut Side,
    pub(super) owner: &'a mut dyn Owner,
    pub(super) kernels: &'a ProofKernels,
    /// If it is enabled, and the move relies on it.
    pub(super) access: Option<&'a PeerAccess>,
    pub(super) seed: u64,
    /// What a test has go wrong.
    #[cfg(test)]
    pub(super) tamper: Option<Tamper>,
}

/// What a test has go wrong, whatever the path: each as the data would be after it.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tamper {
    /// Nothing arrives.
    Dropped,
    /// Nothing arrives, and the accessor finds what it wrote.
    Mirrored,
    /// Of moves of so many bytes nothing arrives, and the destination has what it had before it was poisoned.
    Stale(usize),
    /// The bytes arrive so many bytes behind their place.
    Shifted(usize),
    /// One bit is another.
    Flipped,
    /// From the second launch of a graph on nothing arrives.
    DroppedLater,
}

/// The two places of a move, and what it needs to know of the step.
#[derive(Clone, Copy)]
struct Course {
    step: Step,
    movement: Movement,
    source: Place,
    destination: Place,
}

impl Transfer<'_> {
    /// Fills the source, poisons the destination, moves, and lets the destination's own device look; in a graph several times. Gives
    /// the path that a copy took.
    pub(super) fn run(
        &mut self,
        step: Step,
        movement: Movement,
        case: Case,
    ) -> Result<Option<String>, Fault> {
        let course = Course {
            step,
            movement,
            source: Place::new(case.source_offset, case.bytes),
            destination: Place::new(case.destination_offset, case.bytes),
        };
        if step.path() != Some(Path::Graph) {
            return self.once(course, case, 0, &mut |transfer| transfer.go(course));
        }
        // Captured when its data is there for the first time, and replayed with other data.
        let mut recorded: Option<(GraphExec, Option<CopyPath>)> = None;
        let mut path = None;
        for replay in 0..REPLAYS {
            path = self.once(course, case, replay, &mut |transfer| {
                let (exec, taken) = match &mut recorded {
                    Some(recorded) => recorded,
                    None => recorded.insert(transfer.record(course)?),
                };
                exec.launch(&transfer.accessor.stream)?;
                Ok(*taken)
            })?;
        }
        Ok(path)
    }

    fn once(
        &mut self,
        course: Course,
        case: Case,
        replay: u64,
        go: &mut dyn FnMut(&mut Self) -> Result<Option<CopyPath>>,
    ) -> Result<Option<String>, Fault> {
        let Course { step, movement, source, destination } = course;
        // Each step and case has bytes of its own: what an earlier one left behind is not taken for the later one's.
        let purpose = [case.bytes, case.source_offset, case.destination_offset].map(|part| part as u64);
        let pattern = Pattern::derived(self.seed, &[&[step as u64][..], &purpose, &[replay]].concat());
        let kernels = self.kernels;
        let mut earlier = self.source(movement).held(source);
        earlier.extend(self.destination(movement).held(destination));
        self.source(movement).fill(kernels, source, pattern)?;
        #[cfg(test)]
        let before = self.destination(movement).read(destination.data())?;
        let poison = self.destination(movement).poison(destination, pattern)?;
        self.destination(movement).hold(destination, pattern);

        let path = go(self)?;
        self.accessor.stream.synchronize()?;
        #[cfg(test)]
        self.tamper_with(course, pattern, replay, &before)?;
        if let Some(path) = &path {
            check_path(path, step)?;
        }

        let to = self.destination(movement);
        let mut findings = to.findings(kernels, destination, Range::Destination, pattern)?;
        for finding in findings.iter_mut().filter(|finding| finding.range == Range::Destination) {
            finding.kind = Some(self.kind(*finding, course, pattern, poison, &earlier)?);
        }
        findings.extend(self.source(movement).findings(kernels, source, Range::Source, pattern)?);
        if findings.is_empty() {
            return Ok(path.map(|path| path.to_string()));
        }
        let replayed = (replay > 0).then(|| format!("launch {} of the graph", replay + 1));
        let path = path.map(|path| format!("path: {path}"));
        let notes: Vec<String> = path.into_iter().chain(replayed).collect();
        Err(Fault::Wrong { findings, note: (!notes.is_empty()).then(|| notes.join("; ")) })
    }

    fn source(&mut self, movement: Movement) -> &mut dyn End {
        if movement.reads { self.owner } else { self.accessor }
    }

    fn destination(&mut self, movement: Movement) -> &mut dyn End {
        if movement.reads { self.accessor } else { self.owner }
    }

    /// Makes of the data what it would be if that had gone wrong which the test has go wrong.
    #[cfg(test)]
    fn tamper_with(
        &mut self,
        course: Course,
        pattern: Pattern,
        replay: u64,
        before: &[u8],
    ) -> Result<(), Fault> {
        let place = course.destination.data();
        let right = pattern.bytes(place.len());
        let data = match self.tamper {
            None => return Ok(()),
            Some(Tamper::DroppedLater) if replay == 0 => return Ok(()),
            Some(Tamper::Dropped | Tamper::Mirrored | Tamper::DroppedLater) => {
                right.iter().map(|byte| !byte).collect()
            }
            Some(Tamper::Stale(bytes)) if bytes != place.len() => return Ok(()),
            Some(Tamper::Stale(_)) => before.to_vec(),
            Some(Tamper::Shifted(by)) => {
                let left: Vec<u8> = right[..by].iter().map(|byte| !byte).collect();
                [&left[..], &right[..right.len() - by]].concat()
            }
            Some(Tamper::Flipped) => {
                let mut data = right;
                data[place.len() / 2] ^= 4;
                data
            }
        };
        let Self { accessor, owner, .. } = self;
        let (by, device) = (&accessor.stream, accessor.device);
        let scratch = device.alloc_from(&data)?;
        if course.movement.reads {
            by.copy_async(accessor.memory.slice_mut(&device, place)?, &scratch)?;
        } else {
            by.copy_peer_async(owner.for_engine_mut(&device, place)?, &scratch)?;
        }
        Ok(by.synchronize()?)
    }

    /// What wrong bytes at the destination are.
    fn kind(
        &mut self,
        finding: Finding,
        course: Course,
        pattern: Pattern,
        poison: Poison,
        earlier: &[Earlier],
    ) -> Result<Kind, Fault> {
        let data = course.destination.data();
        let start = data.start + usize::try_from(finding.first).unwrap_or(0);
        let bytes = start..data.end.min(start + WINDOW);
        let got = self.destination(course.movement).read(bytes.clone())?;
        let kind = kind_of(&got, finding.first, pattern, poison, earlier);
        // Without access nothing is written through a window that could be read back through.
        if kind != Kind::Dropped || course.movement.reads || course.step.path() == Some(Path::Staged) {
            return Ok(kind);
        }
        let back = self.read_back(course.movement.means, bytes)?;
        #[cfg(test)]
        let back = match self.tamper {
            Some(Tamper::Mirrored) => pattern.bytes(data.len()).split_off(start - data.start),
            _ => back,
        };
        let mirrored = (finding.first..).zip(&back).all(|(offset, byte)| pattern.byte(offset) == *byte);
        Ok(if mirrored { Kind::Mirrored } else { kind })
    }

    /// What the accessor reads at these bytes of the owner's memory, by the means that it wrote them with.
    fn read_back(&self, means: Means, bytes: Bytes<usize>) -> Result<Vec<u8>> {
        let Self { accessor, owner, kernels, access, .. } = self;
        let by = &accessor.stream;
        let mut back = vec![0; bytes.len()];
        let mut scratch = accessor.device.alloc_zeroed::<u8>(back.len())?;
        match means {
            Means::Kernel => {
                let theirs = owner.for_kernel(&accessor.device, *access, bytes)?;
                kernels.copy(by, &mut scratch, theirs, back.len())?;
            }
            Means::Engine => {
                by.copy_peer_async(&mut scratch, owner.for_engine(&accessor.device, bytes)?)?;
            }
        }
        by.copy_to_host(&scratch, &mut back)?;
        Ok(back)
    }

    /// Puts the move into the accessor's stream.
    fn go(&mut self, course: Course) -> Result<Option<CopyPath>> {
        let Course { movement: Movement { means, reads }, source, destination, .. } = course;
        let (from, to) = (source.data(), destination.data());
        let Self { accessor, owner, kernels, access, .. } = self;
        let (by, device, bytes) = (accessor.stream.clone(), accessor.device, from.len());
        match (means, reads) {
            (Means::Engine, true) => {
                let from = owner.for_engine(&device, from)?;
                by.copy_peer_async(accessor.memory.slice_mut(&device, to)?, from).map(Some)
            }
            (Means::Engine, false) => {
                let to = owner.for_engine_mut(&device, to)?;
                by.copy_peer_async(to, accessor.memory.slice(&device, from)?).map(Some)
            }
            (Means::Kernel, true) => {
                let from = owner.for_kernel(&device, *access, from)?;
                let to = KernelSliceMut::Device(accessor.memory.slice_mut(&device, to)?);
                kernels.copy(&by, to, from, bytes).map(|()| None)
            }
            (Means::Kernel, false) => {
                let from = KernelSlice::Device(accessor.memory.slice(&device, from)?);
                let launch = &mut |to: KernelSliceMut<'_, u8>| kernels.copy(&by, to, from, bytes);
                owner.for_kernel_mut(&device, *access, to, launch).map(|()| None)
            }
        }
    }

    /// Records the move into a graph. Gives the path that a copy is to take too.
    fn record(&mut self, course: Course) -> Result<(GraphExec, Option<CopyPath>)> {
        let mut path = None;
        let stream = self.accessor.stream.clone();
        let graph = stream.capture(|_| {
            path = self.go(course)?;
            Ok(())
        })?;
        Ok((graph.instantiate()?, path))
    }
}

/// A copy that is slower than it need be has arrived all the same, but the step claims a path.
fn check_path(path: &CopyPath, step: Step) -> Result<(), Fault> {
    let staged = step.path() == Some(Path::Staged);
    match path {
        CopyPath::Direct if !staged => Ok(()),
        CopyPath::Staged { .. } | CopyPath::StagedByDriver { .. } if staged => Ok(()),
        other => {
            let state = if staged { "without access" } else { "that has access" };
            Err(Fault::Failed(format!("a copy {state} took this path: {other}")))
        }
    }
}
