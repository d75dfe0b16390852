//! A snapshot, joined by bus id: what the rules ask.

use super::snapshot::{Failure, NvmlGpu, PciDevice, Snapshot, Trial, TrialOutcome};
use crate::options::OrderedPair;
use crate::topo::{BusId, DeviceInfo, Link, PairInfo};
use crate::verify::Step;

/// A snapshot, joined.
pub(super) struct Facts<'a> {
    /// What was read.
    pub(super) snapshot: &'a Snapshot,
    /// CUDA's devices.
    pub(super) gpus: Vec<Gpu<'a>>,
    /// CUDA's ordered pairs.
    pub(super) pairs: Vec<Pair<'a>>,
}

/// A device of CUDA's, with what else is known of it.
#[derive(Clone, Copy)]
pub(super) struct Gpu<'a> {
    pub(super) info: &'a DeviceInfo,
    pub(super) nvml: Option<&'a NvmlGpu>,
    pub(super) pci: Option<&'a PciDevice>,
}

/// An ordered pair, with what else is known of it.
pub(super) struct Pair<'a> {
    pub(super) info: &'a PairInfo,
    pub(super) accessor: Gpu<'a>,
    pub(super) owner: Gpu<'a>,
    pub(super) trial: Option<&'a TrialOutcome>,
}

impl<'a> Facts<'a> {
    /// Joins a snapshot.
    pub(super) fn new(snapshot: &'a Snapshot) -> Self {
        let machine = snapshot.cuda.machine.as_ref();
        let devices = machine.map_or(&[][..], |machine| &machine.devices);
        let gpus: Vec<Gpu<'a>> = devices.iter().map(|info| Gpu::new(info, snapshot)).collect();
        let find = |ordinal: u32| gpus.iter().copied().find(|gpu| gpu.info.ordinal == ordinal);
        let infos = machine.map_or(&[][..], |machine| &machine.pairs);
        let pairs = infos
            .iter()
            .filter_map(|info| {
                let trial = snapshot.cuda.trials.iter().find(|trial| trial.pair == info.pair);
                let (accessor, owner) = (find(info.pair.accessor)?, find(info.pair.owner)?);
                Some(Pair { info, accessor, owner, trial: trial.map(|trial: &Trial| &trial.outcome) })
            })
            .collect();
        Self { snapshot, gpus, pairs }
    }

    /// Whether the devices are simulated, so that nothing else is known of them.
    pub(super) fn is_simulated(&self) -> bool {
        self.snapshot.cuda.machine.as_ref().is_some_and(|machine| machine.simulated)
    }

    /// Whether this is a virtual machine.
    pub(super) fn is_virtual(&self) -> bool {
        self.snapshot.system.hypervisor == Some(true)
    }

    /// Every failure of a call: of the start, then of trials.
    pub(super) fn failures(&self) -> impl Iterator<Item = (Option<OrderedPair>, &'a Failure)> {
        let start = self.snapshot.cuda.failure.iter().map(|failure| (None, failure));
        let trials = self.snapshot.cuda.trials.iter().filter_map(|trial| match &trial.outcome {
            TrialOutcome::Failed { failure, .. } => Some((Some(trial.pair), failure)),
            _ => None,
        });
        start.chain(trials)
    }

    /// The pairs of which one side is this GPU of NVML's.
    pub(super) fn pairs_of(&self, gpu: &NvmlGpu) -> Vec<OrderedPair> {
        let is = |other: Gpu<'_>| other.nvml.is_some_and(|other| other.bus_id == gpu.bus_id);
        self.pairs
            .iter()
            .filter(|pair| is(pair.accessor) || is(pair.owner))
            .map(|pair| pair.info.pair)
            .collect()
    }
}

impl<'a> Gpu<'a> {
    fn new(info: &'a DeviceInfo, snapshot: &'a Snapshot) -> Self {
        let bus_id = BusId::parse(&info.bus_id).map(|bus_id| bus_id.to_string()).unwrap_or_default();
        Self {
            info,
            nvml: snapshot.nvml.gpus.iter().find(|gpu| gpu.bus_id == bus_id),
            pci: snapshot.system.pci_device(&bus_id),
        }
    }

    /// "device 0 (0000:1b:00.0)".
    pub(super) fn name(self) -> String {
        format!("device {} ({})", self.info.ordinal, self.info.bus_id)
    }
}

impl Pair<'_> {
    /// Whether it goes over NVLink, where neither IOMMU nor bridges are on the way.
    pub(super) fn is_nvlink(&self) -> bool {
        matches!(self.info.link, Some(Link::Nvlink { .. }))
    }

    /// Whether it was tried and every call succeeded, and yet data was wrong, or never came over the pair's own path.
    pub(super) fn lies(&self) -> bool {
        match self.trial {
            Some(TrialOutcome::Wrong { .. }) => true,
            Some(TrialOutcome::Hung { step }) => {
                step.is_some_and(|step| (Step::Enable..=Step::Flags).contains(&step))
            }
            _ => false,
        }
    }

    /// Whether it was tried and did not come to an end, or to a wrong one, with no call that says why.
    pub(super) fn breaks(&self) -> bool {
        let ended = matches!(self.trial, None | Some(TrialOutcome::Proven | TrialOutcome::Failed { .. }));
        !ended
    }

    /// What came of the trial, in words.
    pub(super) fn trial_in_words(&self) -> String {
        let during = |step: &Option<Step>| {
            step.map_or("before the first step".to_owned(), |step| format!("in the step '{step}'"))
        };
        match self.trial {
            None => "not tried".to_owned(),
            Some(TrialOutcome::Proven) => "every byte arrived".to_owned(),
            Some(TrialOutcome::Wrong { steps, wrong_bytes, moved_bytes, kinds }) => {
                let steps: Vec<String> = steps.iter().map(|step| format!("'{step}'")).collect();
                let steps = steps.join(", ");
                let kinds: String = kinds.iter().map(|kind| format!("; {kind}")).collect();
                format!(
                    "every call succeeded, and {wrong_bytes} of {moved_bytes} bytes were wrong in {steps}{kinds}"
                )
            }
            Some(TrialOutcome::Failed { step, failure }) => {
                format!("failed in the step '{step}': {}", failure.text)
            }
            Some(TrialOutcome::Hung { step }) => format!("fell silent {}", during(step)),
            Some(TrialOutcome::Died { step, how }) => format!("died {}: {how}", during(step)),
        }
    }
}

/// "trial 0->1", for evidence.
pub(super) fn trial_source(pair: OrderedPair) -> String {
    format!("trial {pair}")
}
