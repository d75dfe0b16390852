//! The child's side: two devices, or one and all others, and one measurement after another.

use cuda_p2p::{Device, DeviceBuffer, KernelCopy, PeerAccess, Runtime, Stream};

use super::data::{Fault, Patterns};
use super::plan::{BenchJob, Due, Place};
use super::report::{BenchResult, Figures, Outcome};
use super::test::Test;
use super::timing::{Timer, spread};
use super::{copies, latency, many, small};
use crate::machine::{MachineError, open};
use crate::options::{MachineChoice, OrderedPair};
use crate::worker::{Message, Send};

/// Measures what is due, and reports each.
pub(crate) fn measure(choice: &MachineChoice, job: &BenchJob, send: Send<'_>) {
    let mut lab = Lab::open(choice, job);
    for due in &job.due {
        send(&Message::Measuring(*due));
        let outcome = match &mut lab {
            Ok(lab) => lab.measure(job.place, *due).unwrap_or_else(Outcome::from),
            Err(error) => Outcome::Failed { error: error.clone() },
        };
        send(&Message::Measured(Box::new(BenchResult::new(job.place, *due, outcome))));
    }
}

/// One device of a pair: what it sends from, what it receives in, and a stream.
pub(super) struct Side {
    pub(super) device: Device,
    pub(super) stream: Stream,
    pub(super) source: DeviceBuffer<u8>,
    pub(super) destination: DeviceBuffer<u8>,
}

/// A pair, and what is measured with.
pub(super) struct Lab {
    pub(super) accessor: Side,
    pub(super) owner: Side,
    pub(super) patterns: Patterns,
    pub(super) copier: KernelCopy,
    /// Of the accessor to the owner, and back if there is that.
    pub(super) access: Option<(PeerAccess, Option<PeerAccess>)>,
    pub(super) samples: u32,
    pub(super) seed: u64,
    pub(super) simulated: bool,
}

impl Side {
    fn new(device: Device, bytes: usize) -> Result<Self, Fault> {
        let (source, destination) = (device.alloc_zeroed(bytes)?, device.alloc_zeroed(bytes)?);
        Ok(Self { device, stream: device.new_stream()?, source, destination })
    }
}

impl Lab {
    fn open(choice: &MachineChoice, job: &BenchJob) -> Result<Self, String> {
        let runtime = open(choice).map_err(|error| error.to_string())?;
        if runtime.is_simulated() != job.simulated {
            return Err(MachineError::Changed.to_string());
        }
        Self::new(&runtime, job).map_err(|fault| match Outcome::from(fault) {
            Outcome::Failed { error } => error,
            outcome => format!("{outcome:?}"),
        })
    }

    fn new(runtime: &Runtime, job: &BenchJob) -> Result<Self, Fault> {
        let largest = |places: &[Test]| {
            let of = job.due.iter().filter(|due| places.is_empty() || places.contains(&due.test));
            usize::try_from(of.map(|due| due.bytes).max().unwrap_or(0)).unwrap_or(usize::MAX)
        };
        let (pair, bytes) = match job.place {
            Place::Pair(pair) => (pair, largest(&[])),
            // That measurement brings its own memory.
            Place::One { device } => (OrderedPair { accessor: device, owner: device }, 0),
        };
        let (accessor, owner) = (runtime.device(pair.accessor)?, runtime.device(pair.owner)?);
        accessor.set_current()?;
        Ok(Self {
            accessor: Side::new(accessor, bytes)?,
            owner: Side::new(owner, bytes)?,
            patterns: Patterns::load(runtime)?,
            copier: KernelCopy::load(runtime)?,
            access: None,
            samples: job.samples,
            seed: job.seed,
            simulated: job.simulated,
        })
    }

    fn measure(&mut self, place: Place, due: Due) -> Result<Outcome, Fault> {
        if let Place::One { .. } = place {
            return many::measure(self, due).map(Outcome::Measured);
        }
        if due.test.is_without_access() {
            self.disable()?;
        } else {
            self.enable()?;
        }
        let figures = if Test::LATENCY.contains(&due.test) {
            latency::measure(self, due)
        } else if Test::SMALL.contains(&due.test) {
            small::measure(self, due)
        } else {
            copies::measure(self, due)
        };
        figures.map(Outcome::Measured)
    }

    fn enable(&mut self) -> Result<(), Fault> {
        if self.access.is_none() {
            let there = self.accessor.device.enable_peer_access(&self.owner.device)?;
            let back = match self.owner.device.can_access_peer(&self.accessor.device)? {
                true => Some(self.owner.device.enable_peer_access(&self.accessor.device)?),
                false => None,
            };
            self.access = Some((there, back));
        }
        Ok(())
    }

    fn disable(&mut self) -> Result<(), Fault> {
        if let Some((there, back)) = self.access.take() {
            there.disable().map_err(|error| error.error)?;
            if let Some(back) = back {
                back.disable().map_err(|error| error.error)?;
            }
        }
        Ok(())
    }

    /// The access of the accessor to the owner.
    pub(super) fn there(&self) -> Result<&PeerAccess, Fault> {
        self.access.as_ref().map(|(there, _)| there).ok_or_else(|| Fault::Said("no access".to_owned()))
    }

    /// The accessor's stream, and the owner's if `both`.
    pub(super) fn timer<'t>(&'t self, others: &'t [&'t Stream]) -> Timer<'t> {
        let kernels = &self.patterns.kernels;
        Timer { kernels, first: &self.accessor.stream, others, may_be_late: self.simulated }
    }

    /// The figures of samples in their unit.
    pub(super) fn figures(&self, samples: Vec<f64>, checked_bytes: u64, path: Option<String>) -> Figures {
        self.real(spread(samples), checked_bytes, path)
    }

    /// The figures of the parts of a device, of which each has its median: their mean stands for all.
    pub(super) fn figures_of_parts(&self, parts: Vec<f64>, checked_bytes: u64) -> Figures {
        let mean = parts.iter().sum::<f64>() / parts.len() as f64;
        let (_, low, high) = spread(parts);
        self.real((mean, low, high), checked_bytes, None)
    }

    fn real(
        &self,
        (middle, low, high): (f64, f64, f64),
        checked_bytes: u64,
        path: Option<String>,
    ) -> Figures {
        let real = |value| (!self.simulated).then_some(value);
        Figures { median: real(middle), low: real(low), high: real(high), checked_bytes, path }
    }
}
