//! The paths by which an accessor gets at an owner's memory.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A path from accessor to owner. What `--paths` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Path {
    /// Copy engines
    Engine,
    /// Loads and stores of the accessor's kernels
    Kernel,
    /// A flag to and fro between two kernels
    Flags,
    /// Memory of a pool that is opened to the accessor
    Pool,
    /// A copy and a launch in a graph, replayed
    Graph,
    /// Copies without access, through the host
    Staged,
    /// Virtual memory that is mapped for the accessor
    Virtual,
    /// Memory of another process
    Ipc,
    /// Memory of another process's pool
    #[serde(rename = "ipc-pool")]
    IpcPool,
}

impl Path {
    /// Every path, in the order in which they run.
    pub(crate) const ALL: [Self; 9] = [
        Self::Engine,
        Self::Kernel,
        Self::Flags,
        Self::Pool,
        Self::Graph,
        Self::Staged,
        Self::Virtual,
        Self::Ipc,
        Self::IpcPool,
    ];

    /// Those that every runtime has for every pair with access, by memory of `cudaMalloc` in one process.
    pub(crate) const PLAIN: [Self; 4] = [Self::Engine, Self::Kernel, Self::Flags, Self::Staged];

    /// Whether peer access has to be enabled for it.
    pub(crate) fn takes_access(self) -> bool {
        matches!(self, Self::Engine | Self::Kernel | Self::Flags | Self::Pool | Self::Graph)
    }

    /// As it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Kernel => "kernel",
            Self::Flags => "flags",
            Self::Pool => "pool",
            Self::Graph => "graph",
            Self::Staged => "staged",
            Self::Virtual => "virtual",
            Self::Ipc => "ipc",
            Self::IpcPool => "ipc-pool",
        }
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
