//! What can be wrong with an allocation, and with an access.

use std::fmt;

use super::{Allocation, Owner};

/// Why memory could not be given or taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpaceError {
    /// The system refused even the smallest useful reservation.
    Reserve {
        /// Bytes asked for last.
        bytes: usize,
        /// What the system said.
        error: String,
    },
    /// An allocation of no bytes.
    Empty,
    /// No room for so many bytes.
    OutOfMemory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// The address is not the first of a live allocation.
    NotABase {
        /// The address.
        address: usize,
    },
    /// The range overlaps memory that the space knows already.
    Overlap {
        /// First address of the range.
        address: usize,
    },
}

impl fmt::Display for SpaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpaceError::Reserve { bytes, error } => write!(
                f,
                "cannot reserve {bytes} bytes of addresses for the simulated machine: {error}; raise the limit on virtual memory (ulimit -v)"
            ),
            SpaceError::Empty => f.write_str("an allocation needs at least one byte"),
            SpaceError::OutOfMemory { bytes } => {
                write!(f, "no room for {bytes} bytes; free other allocations of the simulated machine")
            }
            SpaceError::NotABase { address } => {
                write!(
                    f,
                    "{address:#x} is not the start of a live allocation; pass the pointer that was given"
                )
            }
            SpaceError::Overlap { address } => {
                write!(f, "memory at {address:#x} is registered already, or is a device's")
            }
        }
    }
}

impl std::error::Error for SpaceError {}

/// Why a range of addresses may not be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessError {
    /// The address lies in no allocation, live or freed lately.
    Unknown,
    /// The address lies in a range of virtual memory, where nothing is mapped.
    Unmapped,
    /// The address lies in memory that has been freed.
    Freed {
        /// The allocation that was.
        allocation: Allocation,
        /// Bytes between its start and the address.
        offset: usize,
    },
    /// The range begins in or shortly behind an allocation and leaves it.
    OutOfBounds {
        /// The allocation.
        allocation: Allocation,
        /// Bytes between the allocation's start and the range's.
        offset: usize,
        /// Bytes between the allocation's end and the range's.
        past: usize,
    },
    /// The range begins shortly before an allocation.
    Before {
        /// The allocation.
        allocation: Allocation,
        /// Bytes between the address and the allocation's start.
        by: usize,
    },
    /// The device has no right to this memory.
    NoAccess {
        /// The allocation.
        allocation: Allocation,
        /// Bytes between its start and the address.
        offset: usize,
        /// The device that asked.
        device: usize,
    },
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AccessError::Unknown => f.write_str("neither memory of a device nor pinned host memory"),
            AccessError::Unmapped => {
                f.write_str("a reserved range of virtual memory, where nothing is mapped")
            }
            AccessError::Freed { allocation, offset } => {
                write!(
                    f,
                    "{} that has been freed (offset {offset} of {} bytes)",
                    allocation.owner, allocation.bytes
                )
            }
            AccessError::OutOfBounds { allocation, offset, past } => write!(
                f,
                "offset {offset} of an allocation of {} bytes, {}, past its end by {past} byte{}",
                allocation.bytes,
                allocation.owner,
                plural(*past)
            ),
            AccessError::Before { allocation, by } => {
                write!(
                    f,
                    "{by} byte{} before an allocation of {} bytes, {}",
                    plural(*by),
                    allocation.bytes,
                    allocation.owner
                )
            }
            AccessError::NoAccess { allocation, device, .. } => match allocation.owner {
                Owner::Device { pool: Some(_), .. } | Owner::Virtual { .. } => {
                    write!(f, "{}, which is not granted to device {device}", allocation.owner)
                }
                Owner::Imported { .. } => {
                    write!(f, "{}, which device {device} does not reach by that", allocation.owner)
                }
                _ => write!(f, "{}, to which device {device} has no peer access", allocation.owner),
            },
        }
    }
}

impl std::error::Error for AccessError {}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
