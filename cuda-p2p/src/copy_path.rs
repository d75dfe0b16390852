//! The ways of a copy between devices: which it took, and which it is to take.

use std::fmt;

/// The way that a copy between devices went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CopyPath {
    /// Source and destination are on one device.
    SameDevice,
    /// From device to device, over NVLink or PCIe: one of the two can access the other end, and the runtime was asked so just
    /// before the copy was queued.
    Direct,
    /// Through pinned host memory: by this crate, or, in a graph, by the driver. About a tenth of the speed of NVLink.
    Staged {
        /// Why it did not go direct.
        reason: StagedReason,
    },
    /// Through host memory, by the driver: slower than this crate's staging. (Unless another library of the process has
    /// enabled the access, which cannot be asked.)
    StagedByDriver {
        /// Why it did not go direct.
        reason: StagedReason,
    },
}

/// Why a copy went through the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StagedReason {
    /// The runtime says that neither device can access the other.
    NotReachable,
    /// The pair could have peer access, and this program has not enabled it. (Access that another library of the
    /// process enabled does not count: the runtime has no way to ask for it that does not also enable it.)
    NotEnabled,
    /// The memory comes from a pool that is not opened to the other device; peer access does not cover pools.
    PoolNotGranted,
    /// The memory was mapped by other code, and not for the other device, or it is another process's and was opened on one device;
    /// peer access does not cover either.
    NotMapped,
    /// The caller wanted it, by [`CopyRoute::Staged`].
    Asked,
}

/// The way that a copy between devices is to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CopyRoute {
    /// Direct where access is enabled; otherwise staged by this crate, or by the driver where this crate may pin no memory.
    #[default]
    Best,
    /// Direct, or not at all.
    Direct,
    /// Through this crate's pinned buffers, also where access is enabled. Not into a graph.
    Staged,
    /// As `cudaMemcpyPeerAsync` does it: direct where access is enabled, otherwise through the driver's own buffers.
    Driver,
}

impl fmt::Display for CopyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameDevice => f.write_str("within the device"),
            Self::Direct => f.write_str("direct"),
            Self::Staged { reason } => write!(f, "staged through the host: {reason}"),
            Self::StagedByDriver { reason } => write!(f, "staged through the host by the driver: {reason}"),
        }
    }
}

impl fmt::Display for StagedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotReachable => "the pair has no peer access",
            Self::NotEnabled => "peer access is not enabled",
            Self::PoolNotGranted => "a pool is not opened to the other device (MemPool::enable_access_from)",
            Self::NotMapped => "other code mapped the memory, and not for the other device",
            Self::Asked => "as asked",
        })
    }
}
