//! Which copies are allowed, and what is on either side.

use cuda_p2p_sys::cudaMemcpyKind;

use super::{Layout, Place, Shape};
use crate::error::{Answer, code};
use crate::machine::{Machine, State};
use crate::memory::{Record, Sort};

/// What a pointer of a copy points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Memory of the device of this ordinal.
    Device(usize),
    /// Pinned or registered host memory.
    Pinned,
    /// Any other host memory.
    Pageable,
}

impl Side {
    pub(crate) fn place(self) -> Place {
        match self {
            Side::Device(_) | Side::Pinned => Place::Machine,
            Side::Pageable => Place::Pageable,
        }
    }

    /// The machine can reach it without the program's help.
    pub(crate) fn is_known(self) -> bool {
        self != Side::Pageable
    }

    pub(crate) fn device(self) -> Option<usize> {
        match self {
            Side::Device(device) => Some(device),
            _ => None,
        }
    }
}

/// Tells what `shape` at `layout` lies in. A null pointer, memory that was freed, and a shape that leaves its allocation are
/// error 1.
pub(crate) fn classify(machine: &Machine, state: &State, layout: Layout, shape: Shape) -> Answer<Side> {
    let span = layout.span(shape).ok_or(code::INVALID_VALUE)?;
    if layout.address == 0 {
        return Err(code::INVALID_VALUE);
    }
    let Some((base, record)) = state.memory.containing(layout.address) else {
        // Freed memory and the space behind an allocation are not the program's own.
        return match machine.space.find_range(layout.address, 1) {
            Err(crate::space::AccessError::Unknown) => Ok(Side::Pageable),
            _ => Err(code::INVALID_VALUE),
        };
    };
    if layout.address - base + span > record.bytes && !is_mapped(state, layout.address, span) {
        return Err(code::INVALID_VALUE);
    }
    match *record {
        Record { sort: Sort::Mapped { .. }, device, .. } => Ok(Side::Device(device)),
        Record { sort: Sort::Pooled { freed: true, .. }, .. } => Err(code::INVALID_VALUE),
        Record { sort: Sort::Plain | Sort::Imported | Sort::Pooled { .. }, device, .. } => {
            Ok(Side::Device(device))
        }
        Record { sort: Sort::Pinned { .. } | Sort::Registered { .. }, .. } => Ok(Side::Pinned),
    }
}

/// Whether virtual memory is mapped there.
pub(crate) fn is_virtual(state: &State, address: usize) -> bool {
    let found = state.memory.containing(address);
    found.is_some_and(|(_, record)| matches!(record.sort, Sort::Mapped { .. }))
}

/// Whether all of it is virtual memory, in mappings side by side.
fn is_mapped(state: &State, address: usize, bytes: usize) -> bool {
    let Some(end) = address.checked_add(bytes) else { return false };
    let mut at = address;
    for (base, record) in state.memory.within(address, end) {
        if base > at || !matches!(record.sort, Sort::Mapped { .. }) {
            return false;
        }
        at = base + record.bytes;
    }
    at >= end
}

/// Virtual memory is copied and filled by devices that have access to it, and by no others: error 1.
pub(crate) fn reaches(
    machine: &Machine,
    state: &State,
    device: usize,
    layout: Layout,
    shape: Shape,
) -> Answer {
    let end = layout.address + layout.span(shape).ok_or(code::INVALID_VALUE)?;
    let mapped = |record: &Record| matches!(record.sort, Sort::Mapped { .. });
    for (base, _) in state.memory.within(layout.address, end).filter(|(_, record)| mapped(record)) {
        machine.space.check(device, base, 1).map_err(|_| code::INVALID_VALUE)?;
    }
    Ok(())
}

/// Whether the kind of a copy fits its pointers: where it says that memory is a device's, pageable memory is refused. Nothing is
/// where it says that memory is the host's, as addresses are unified.
pub(crate) fn fits(kind: cudaMemcpyKind, dst: Side, src: Side) -> Answer {
    let good = match kind {
        cudaMemcpyKind::cudaMemcpyHostToHost | cudaMemcpyKind::cudaMemcpyDefault => true,
        cudaMemcpyKind::cudaMemcpyHostToDevice => dst.is_known(),
        cudaMemcpyKind::cudaMemcpyDeviceToHost => src.is_known(),
        cudaMemcpyKind::cudaMemcpyDeviceToDevice => dst.is_known() && src.is_known(),
        _ => return Err(code::INVALID_DIRECTION),
    };
    if good { Ok(()) } else { Err(code::INVALID_VALUE) }
}

/// Whether the number is a kind at all, which is checked before the pointers.
pub(crate) fn known(kind: cudaMemcpyKind) -> Answer {
    if kind.0 <= cudaMemcpyKind::cudaMemcpyDefault.0 { Ok(()) } else { Err(code::INVALID_DIRECTION) }
}

/// A copy on a stream takes virtual memory that the *current* device has access to, and no other, whichever device the stream is
/// of; and memory of a pool if the pool is opened to the current device, whatever peer access there is: else error 1. Memory of
/// `cudaMalloc` it always takes.
pub(crate) fn seen_by(
    machine: &Machine,
    state: &State,
    current: usize,
    layout: Layout,
    shape: Shape,
) -> Answer {
    let end = layout.address + layout.span(shape).ok_or(code::INVALID_VALUE)?;
    for (base, record) in state.memory.within(layout.address, end) {
        let seen = match record.sort {
            Sort::Mapped { .. } | Sort::Pooled { .. } => machine.space.check(current, base, 1).is_ok(),
            _ => true,
        };
        if !seen {
            return Err(code::INVALID_VALUE);
        }
    }
    Ok(())
}
