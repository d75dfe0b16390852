//! One allocation, and whose memory it is.

use std::fmt;

/// Number of a memory pool, unique in a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolId(pub u64);

/// Whose memory an allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Memory of a device.
    Device {
        /// Its ordinal.
        ordinal: usize,
        /// The pool that it came from; `None` for `cudaMalloc`.
        pool: Option<PoolId>,
    },
    /// Memory of another process, opened on a device: only that one may touch it.
    Imported {
        /// The ordinal of the device that was current, whose memory it counts as.
        ordinal: usize,
        /// The machine's number of the GPU that it is on, which this process may not see.
        gpu: usize,
    },
    /// Memory of a device that is mapped in a range of virtual memory.
    Virtual {
        /// The device's ordinal.
        ordinal: usize,
        /// The mapping, by whose number rights are given as to a pool; its own device has none without.
        mapping: PoolId,
    },
    /// Pinned host memory, which every device may touch.
    Host,
}

impl Owner {
    /// The device whose memory it counts as.
    #[must_use]
    pub fn device(&self) -> Option<usize> {
        match *self {
            Owner::Device { ordinal, .. }
            | Owner::Virtual { ordinal, .. }
            | Owner::Imported { ordinal, .. } => Some(ordinal),
            Owner::Host => None,
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Device { ordinal, pool: None } => write!(f, "memory of device {ordinal}"),
            Owner::Device { ordinal, pool: Some(pool) } => {
                write!(f, "memory of pool {} of device {ordinal}", pool.0)
            }
            Owner::Imported { ordinal, .. } => {
                write!(f, "memory of another process, opened on device {ordinal}")
            }
            Owner::Virtual { ordinal, .. } => write!(f, "virtual memory mapped to device {ordinal}"),
            Owner::Host => f.write_str("pinned host memory"),
        }
    }
}

/// One allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Its first address.
    pub base: usize,
    /// Its size as it was asked for, in bytes.
    pub bytes: usize,
    /// Whose it is.
    pub owner: Owner,
    /// Unique in the space; never used again.
    pub id: u64,
}

impl Allocation {
    /// Whether `address` points at one of its bytes.
    #[must_use]
    pub fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.base) < self.bytes
    }
}
