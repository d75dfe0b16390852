//! What a rule finds: what was read, what it means, what to do, and how sure that is.

use serde::Serialize;

use crate::options::OrderedPair;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// Which condition.
    pub(crate) condition: Condition,
    /// What it does to the pairs.
    pub(crate) effect: Effect,
    /// How sure it is that this condition is there and does that.
    pub(crate) certainty: Certainty,
    /// The ordered pairs that it concerns; absent if it concerns the machine.
    pub(crate) pairs: Option<Vec<OrderedPair>>,
    /// What was read, and where.
    pub(crate) evidence: Vec<Evidence>,
    /// What it means.
    pub(crate) meaning: String,
    /// What to do.
    pub(crate) remedy: String,
}

impl Finding {
    /// A finding about the machine, without evidence yet.
    pub(super) fn new(condition: Condition, effect: Effect, certainty: Certainty) -> Self {
        let (pairs, evidence) = (None, Vec::new());
        Self { condition, effect, certainty, pairs, evidence, meaning: String::new(), remedy: String::new() }
    }

    /// The same, about these pairs.
    pub(super) fn pairs(mut self, pairs: impl IntoIterator<Item = OrderedPair>) -> Self {
        self.pairs = Some(pairs.into_iter().collect());
        self
    }

    /// The same, with what was read at a place.
    pub(super) fn read(mut self, source: impl Into<String>, read: impl Into<String>) -> Self {
        self.evidence.push(Evidence { source: source.into(), read: read.into() });
        self
    }

    /// The same, with what it means.
    pub(super) fn means(mut self, text: impl Into<String>) -> Self {
        self.meaning = text.into();
        self
    }

    /// The same, with what to do.
    pub(super) fn remedy(mut self, text: impl Into<String>) -> Self {
        self.remedy = text.into();
        self
    }

    /// Whether it explains why the pair does not work.
    pub(super) fn blocks(&self, pair: OrderedPair) -> bool {
        self.effect == Effect::Blocks && self.pairs.as_ref().is_none_or(|pairs| pairs.contains(&pair))
    }
}

/// Something that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Evidence {
    /// Where: a file, NVML, the CUDA runtime, a trial.
    pub(crate) source: String,
    /// What.
    pub(crate) read: String,
}

/// What a condition does to peer access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Effect {
    /// It does not work, or not rightly.
    Blocks,
    /// It works, slower than it could.
    Slows,
    /// It works; what is said is good to know.
    Notice,
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Certainty {
    /// It was read as such.
    Certain,
    /// What was read fits this and little else.
    Likely,
    /// What was read allows this; look.
    Possible,
}

macro_rules! conditions {
    ($($(#[doc = $doc:literal])* $name:ident => $title:literal,)*) => {
        /// A condition of a machine that keeps peer access from working well.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub(crate) enum Condition {
            $($(#[doc = $doc])* $name,)*
        }

        impl Condition {
            /// Every condition.
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];

            /// In a few words.
            pub(crate) fn title(self) -> &'static str {
                match self {
                    $(Self::$name => $title,)*
                }
            }
        }
    };
}

conditions! {
    /// An IOMMU translates what GPUs send each other.
    IommuTranslates => "an IOMMU translates peer traffic",
    /// Bridges send peer traffic up to the root.
    AcsRedirects => "PCIe bridges redirect peer traffic (ACS)",
    /// What an accessor writes does not reach the owner.
    WritesLost => "writes do not reach the owner",
    /// Bytes are wrong and nothing says why.
    WrongData => "the data is wrong",
    /// A transfer does not end and nothing says why.
    TransferHangs => "a transfer hangs",
    /// A process died in a step.
    TransferDies => "a process dies while it uses the pair",
    /// MIG instances are never peers.
    Mig => "MIG is on",
    /// Confidential computing has no peer access.
    ConfidentialComputing => "confidential computing is on",
    /// The NVSwitch fabric is not set up.
    FabricNotReady => "the NVSwitch fabric is not ready",
    /// BAR1 does not hold the peer's memory.
    Bar1TooSmall => "BAR1 is too small",
    /// A virtual machine whose hypervisor allows no peer access.
    VmWithoutClique => "the virtual machine has no GPUDirect clique",
    /// The product has no peer access.
    ProductWithoutP2p => "the product has no peer access",
    /// The chipset or the topology has none.
    ChipsetWithoutP2p => "the chipset does not carry peer access",
    /// The driver was told to have none.
    DisabledInDriver => "the driver was told to switch it off",
    /// Process ids or shared memory are this container's own.
    ContainerNamespaces => "the container has namespaces of its own",
    /// Little shared memory.
    SmallShm => "/dev/shm is small",
    /// NVLinks are down.
    LinksDown => "NVLinks are down: degraded",
    /// A PCIe link has fewer lanes than it could.
    PcieNarrow => "a PCIe link has lost lanes",
    /// nvidia-smi numbers the GPUs otherwise than CUDA.
    OrderDiffers => "nvidia-smi's index is not CUDA's ordinal",
    /// A variable hides or reorders GPUs.
    VisibleDevices => "CUDA_VISIBLE_DEVICES changes what CUDA sees",
    /// NVML and CUDA list other GPUs, and nothing says why.
    ListsDisagree => "NVML and CUDA list different GPUs",
    /// A GPU does not answer.
    GpuLost => "a GPU does not answer",
    /// A library's setting switches peer access off.
    LibrarySetting => "a variable tells a library not to use it",
    /// A variable holds what its library cannot read.
    SettingUnreadable => "a variable cannot be read",
    /// A GPU's compute mode keeps processes out.
    ComputeMode => "the compute mode keeps processes out",
    /// The driver is older than the runtime.
    DriverTooOld => "the driver is older than the runtime",
    /// Kernel part and library of the driver are of different releases.
    DriverMismatch => "the driver's two halves differ",
    /// The driver has no device to speak to, or is not loaded.
    DriverMissing => "the driver does not run",
    /// There is a driver, and no runtime library that can be used.
    RuntimeMissing => "no CUDA runtime library can be used",
    /// Windows' subsystem for Linux.
    Wsl => "this is WSL",
    /// A tool watches every CUDA call.
    Instrumented => "a tool watches CUDA",
    /// A fault holds the clocks down.
    Throttled => "clocks are held down by a fault",
    /// The driver is unloaded between processes.
    PersistenceOff => "persistence mode is off",
    /// Peer access is measured slower than the way through the host.
    SlowerThanStaging => "peer access is slower than staging",
    /// More peers than the hardware allows.
    TooManyPeers => "too many peers",
    /// The runtime says no, and nothing says why.
    NoAccess => "the runtime says that there is no access",
    /// A call fails, and nothing says why.
    CallFails => "a CUDA call fails",
}
