//! The steps of a proof.

use serde::{Deserialize, Serialize};

use super::path::Path;

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
    /// The owner makes a pool, opens it to the accessor, and allocates.
    PoolGrant,
    /// As `EngineRead`, from memory of the pool.
    PoolEngineRead,
    /// As `EngineWrite`, to memory of the pool.
    PoolEngineWrite,
    /// As `KernelRead`, from memory of the pool.
    PoolKernelRead,
    /// As `KernelWrite`, to memory of the pool.
    PoolKernelWrite,
    /// As `EngineRead`, captured once and replayed, each time with other data.
    GraphEngineRead,
    /// As `EngineWrite`, captured and replayed.
    GraphEngineWrite,
    /// As `KernelRead`, captured and replayed.
    GraphKernelRead,
    /// As `KernelWrite`, captured and replayed.
    GraphKernelWrite,
    /// Access is disabled.
    Disable,
    /// The owner's memory is copied to the accessor without access: through the host.
    StagedRead,
    /// The accessor's memory is copied to the owner without access: through the host.
    StagedWrite,
    /// Pages of the owner are mapped, and both devices get access to them.
    VirtualMap,
    /// As `EngineRead`, from those pages.
    VirtualEngineRead,
    /// As `EngineWrite`, to those pages.
    VirtualEngineWrite,
    /// As `KernelRead`, from those pages.
    VirtualKernelRead,
    /// As `KernelWrite`, to those pages.
    VirtualKernelWrite,
    /// Another process allocates memory of the owner and sends it, and the accessor opens it.
    IpcOpen,
    /// As `EngineRead`, from that process's memory.
    IpcEngineRead,
    /// As `EngineWrite`, to that process's memory.
    IpcEngineWrite,
    /// As `KernelRead`, from that process's memory.
    IpcKernelRead,
    /// As `KernelWrite`, to that process's memory.
    IpcKernelWrite,
    /// The accessor closes that memory, and its owner frees it.
    IpcClose,
    /// Another process makes a pool of the owner, exports it, and sends memory of it, and the accessor opens that.
    IpcPoolOpen,
    /// As `EngineRead`, from that pool's memory.
    IpcPoolEngineRead,
    /// As `EngineWrite`, to that pool's memory.
    IpcPoolEngineWrite,
    /// As `KernelRead`, from that pool's memory.
    IpcPoolKernelRead,
    /// As `KernelWrite`, to that pool's memory.
    IpcPoolKernelWrite,
    /// The accessor closes that memory, and its owner frees it.
    IpcPoolClose,
}

/// What moves the data of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Means {
    /// A copy engine, or several.
    Engine,
    /// A kernel of the accessor.
    Kernel,
}

/// How a step moves data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Movement {
    /// By what.
    pub(super) means: Means,
    /// Whether from the owner to the accessor.
    pub(super) reads: bool,
}

impl Step {
    /// Every step, in order.
    pub(crate) const ALL: [Self; 37] = [
        Self::Prepare,
        Self::Query,
        Self::Enable,
        Self::EngineRead,
        Self::EngineWrite,
        Self::KernelRead,
        Self::KernelWrite,
        Self::Flags,
        Self::PoolGrant,
        Self::PoolEngineRead,
        Self::PoolEngineWrite,
        Self::PoolKernelRead,
        Self::PoolKernelWrite,
        Self::GraphEngineRead,
        Self::GraphEngineWrite,
        Self::GraphKernelRead,
        Self::GraphKernelWrite,
        Self::Disable,
        Self::StagedRead,
        Self::StagedWrite,
        Self::VirtualMap,
        Self::VirtualEngineRead,
        Self::VirtualEngineWrite,
        Self::VirtualKernelRead,
        Self::VirtualKernelWrite,
        Self::IpcOpen,
        Self::IpcEngineRead,
        Self::IpcEngineWrite,
        Self::IpcKernelRead,
        Self::IpcKernelWrite,
        Self::IpcClose,
        Self::IpcPoolOpen,
        Self::IpcPoolEngineRead,
        Self::IpcPoolEngineWrite,
        Self::IpcPoolKernelRead,
        Self::IpcPoolKernelWrite,
        Self::IpcPoolClose,
    ];

    /// The path that it is a step of; `None` for what several paths need.
    pub(crate) fn path(self) -> Option<Path> {
        Some(match self {
            Self::Prepare | Self::Query | Self::Enable | Self::Disable => return None,
            Self::EngineRead | Self::EngineWrite => Path::Engine,
            Self::KernelRead | Self::KernelWrite => Path::Kernel,
            Self::Flags => Path::Flags,
            Self::PoolGrant
            | Self::PoolEngineRead
            | Self::PoolEngineWrite
            | Self::PoolKernelRead
            | Self::PoolKernelWrite => Path::Pool,
            Self::GraphEngineRead
            | Self::GraphEngineWrite
            | Self::GraphKernelRead
            | Self::GraphKernelWrite => Path::Graph,
            Self::StagedRead | Self::StagedWrite => Path::Staged,
            Self::VirtualMap
            | Self::VirtualEngineRead
            | Self::VirtualEngineWrite
            | Self::VirtualKernelRead
            | Self::VirtualKernelWrite => Path::Virtual,
            Self::IpcOpen
            | Self::IpcEngineRead
            | Self::IpcEngineWrite
            | Self::IpcKernelRead
            | Self::IpcKernelWrite
            | Self::IpcClose => Path::Ipc,
            Self::IpcPoolOpen
            | Self::IpcPoolEngineRead
            | Self::IpcPoolEngineWrite
            | Self::IpcPoolKernelRead
            | Self::IpcPoolKernelWrite
            | Self::IpcPoolClose => Path::IpcPool,
        })
    }

    /// Whether it runs where these paths are to be proven.
    pub(crate) fn is_of(self, paths: &[Path]) -> bool {
        match (self, self.path()) {
            (Self::Enable | Self::Disable, _) => paths.iter().any(|path| path.takes_access()),
            (_, None) => true,
            (_, Some(path)) => paths.contains(&path),
        }
    }

    /// Whether it makes the memory of its path, which some runtimes and devices do not have: then the path is skipped.
    pub(crate) fn may_be_skipped(self) -> bool {
        matches!(self, Self::PoolGrant | Self::VirtualMap | Self::IpcOpen | Self::IpcPoolOpen)
    }

    /// Whether it moves data, once for each size.
    pub(crate) fn moves_data(self) -> bool {
        self.movement().is_some()
    }

    /// How it moves data, if it does.
    pub(super) fn movement(self) -> Option<Movement> {
        use Means::{Engine, Kernel};
        let (means, reads) = match self {
            Self::EngineRead
            | Self::PoolEngineRead
            | Self::GraphEngineRead
            | Self::StagedRead
            | Self::VirtualEngineRead
            | Self::IpcEngineRead
            | Self::IpcPoolEngineRead => (Engine, true),
            Self::EngineWrite
            | Self::PoolEngineWrite
            | Self::GraphEngineWrite
            | Self::StagedWrite
            | Self::VirtualEngineWrite
            | Self::IpcEngineWrite
            | Self::IpcPoolEngineWrite => (Engine, false),
            Self::KernelRead
            | Self::PoolKernelRead
            | Self::GraphKernelRead
            | Self::VirtualKernelRead
            | Self::IpcKernelRead
            | Self::IpcPoolKernelRead => (Kernel, true),
            Self::KernelWrite
            | Self::PoolKernelWrite
            | Self::GraphKernelWrite
            | Self::VirtualKernelWrite
            | Self::IpcKernelWrite
            | Self::IpcPoolKernelWrite => (Kernel, false),
            Self::Prepare
            | Self::Query
            | Self::Enable
            | Self::Flags
            | Self::PoolGrant
            | Self::Disable
            | Self::VirtualMap
            | Self::IpcOpen
            | Self::IpcClose
            | Self::IpcPoolOpen
            | Self::IpcPoolClose => return None,
        };
        Some(Movement { means, reads })
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
            Self::PoolGrant => "opening a pool to the accessor",
            Self::PoolEngineRead => "pool: copy engine, owner to accessor",
            Self::PoolEngineWrite => "pool: copy engine, accessor to owner",
            Self::PoolKernelRead => "pool: kernel of the accessor reads the owner",
            Self::PoolKernelWrite => "pool: kernel of the accessor writes the owner",
            Self::GraphEngineRead => "graph: copy engine, owner to accessor",
            Self::GraphEngineWrite => "graph: copy engine, accessor to owner",
            Self::GraphKernelRead => "graph: kernel of the accessor reads the owner",
            Self::GraphKernelWrite => "graph: kernel of the accessor writes the owner",
            Self::Disable => "disabling access",
            Self::StagedRead => "copy without access, owner to accessor",
            Self::StagedWrite => "copy without access, accessor to owner",
            Self::VirtualMap => "mapping virtual memory for the accessor",
            Self::VirtualEngineRead => "virtual memory: copy engine, owner to accessor",
            Self::VirtualEngineWrite => "virtual memory: copy engine, accessor to owner",
            Self::VirtualKernelRead => "virtual memory: kernel of the accessor reads the owner",
            Self::VirtualKernelWrite => "virtual memory: kernel of the accessor writes the owner",
            Self::IpcOpen => "opening another process's memory",
            Self::IpcEngineRead => "other process: copy engine, owner to accessor",
            Self::IpcEngineWrite => "other process: copy engine, accessor to owner",
            Self::IpcKernelRead => "other process: kernel of the accessor reads the owner",
            Self::IpcKernelWrite => "other process: kernel of the accessor writes the owner",
            Self::IpcClose => "closing another process's memory",
            Self::IpcPoolOpen => "opening memory of another process's pool",
            Self::IpcPoolEngineRead => "other process's pool: copy engine, owner to accessor",
            Self::IpcPoolEngineWrite => "other process's pool: copy engine, accessor to owner",
            Self::IpcPoolKernelRead => "other process's pool: kernel of the accessor reads the owner",
            Self::IpcPoolKernelWrite => "other process's pool: kernel of the accessor writes the owner",
            Self::IpcPoolClose => "closing memory of another process's pool",
        })
    }
}

#[cfg(test)]
#[path = "step_tests.rs"]
mod tests;
