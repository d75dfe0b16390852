//! The steps of a proof.

use serde::{Deserialize, Serialize};

/// A step of the proof, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    /// Opening the runtime, loading the kernels, allocating, and showing that each side's check can fail: what every other step
    /// needs.
    Prepare,
    /// The runtime is asked whether the accessor can access the owner.
    Query,
    /// Access is enabled.
    Enable,
    /// The copy engine copies the owner's memory to the accessor.
    EngineRead,
    /// The copy engine copies the accessor's memory to the owner.
    EngineWrite,
    /// A kernel of the accessor reads the owner's memory.
    KernelRead,
    /// A kernel of the accessor writes the owner's memory.
    KernelWrite,
    /// A kernel on each side: they pass a flag to and fro through the owner's memory.
    Flags,
    /// Access is disabled.
    Disable,
    /// The owner's memory is copied to the accessor without access: through the host.
    StagedRead,
    /// The accessor's memory is copied to the owner without access: through the host.
    StagedWrite,
}

impl Step {
    /// Every step, in order.
    pub(crate) const ALL: [Self; 11] = [
        Self::Prepare,
        Self::Query,
        Self::Enable,
        Self::EngineRead,
        Self::EngineWrite,
        Self::KernelRead,
        Self::KernelWrite,
        Self::Flags,
        Self::Disable,
        Self::StagedRead,
        Self::StagedWrite,
    ];

    /// Whether it moves data, once for each size.
    pub(crate) fn moves_data(self) -> bool {
        use Step::{EngineRead, EngineWrite, KernelRead, KernelWrite, StagedRead, StagedWrite};
        matches!(self, EngineRead | EngineWrite | KernelRead | KernelWrite | StagedRead | StagedWrite)
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Prepare => "preparation",
            Self::Query => "query",
            Self::Enable => "enabling access",
            Self::EngineRead => "copy engine, owner to accessor",
            Self::EngineWrite => "copy engine, accessor to owner",
            Self::KernelRead => "kernel of the accessor reads the owner",
            Self::KernelWrite => "kernel of the accessor writes the owner",
            Self::Flags => "flag ping-pong",
            Self::Disable => "disabling access",
            Self::StagedRead => "copy without access, owner to accessor",
            Self::StagedWrite => "copy without access, accessor to owner",
        })
    }
}
