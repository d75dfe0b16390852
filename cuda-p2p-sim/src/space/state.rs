//! What a space knows: the allocations by address, and the rights.

use std::collections::{BTreeMap, BTreeSet};

use super::placement::{GUARD, Placement, Span};
use super::rights::Rights;
use super::sharing::Import;
use super::{AccessError, Allocation, Owner};
use crate::ipc::board::Entry;

/// How near before an allocation an address must be to be reported as before it, in bytes.
const NEAR: usize = 4096;

#[derive(Debug)]
pub(super) struct State {
    /// By first address. `None` in place of a span: the memory is the program's own, only registered here.
    pub(super) live: BTreeMap<usize, (Allocation, Option<Span>)>,
    pub(super) placement: Placement,
    pub(super) rights: Rights,
    /// Ranges of virtual memory by first address: their size, and the addresses that were taken for them.
    pub(super) ranges: BTreeMap<usize, (usize, Span)>,
    /// By first address: what other processes were told of, and what is theirs.
    pub(super) exports: BTreeMap<usize, Entry>,
    pub(super) imports: BTreeMap<usize, Import>,
    /// By first address: what has pages of its own for now, which nobody else sees.
    pub(super) apart: BTreeSet<usize>,
    next_id: u64,
}

impl State {
    pub(super) fn new(base: usize, end: usize, page: usize) -> State {
        let placement = Placement::new(base, end, page);
        State {
            live: BTreeMap::new(),
            placement,
            rights: Rights::default(),
            ranges: BTreeMap::new(),
            exports: BTreeMap::new(),
            imports: BTreeMap::new(),
            apart: BTreeSet::new(),
            next_id: 1,
        }
    }

    pub(super) fn insert(&mut self, base: usize, bytes: usize, owner: Owner, span: Option<Span>) {
        let id = self.next_id;
        self.next_id += 1;
        self.live.insert(base, (Allocation { base, bytes, owner, id }, span));
    }

    /// The live allocation with the highest base that is not above `address`.
    pub(super) fn at_or_below(&self, address: usize) -> Option<Allocation> {
        self.live.range(..=address).next_back().map(|(_, &(allocation, _))| allocation)
    }

    pub(super) fn find_range(&self, address: usize, bytes: usize) -> Result<Allocation, AccessError> {
        let Some(allocation) = self.at_or_below(address) else {
            return Err(self.miss(address));
        };
        let offset = address - allocation.base;
        if offset <= allocation.bytes && bytes <= allocation.bytes - offset {
            match self.is_gone(&allocation) {
                true => Err(AccessError::Freed { allocation, offset }),
                false => Ok(allocation),
            }
        } else if offset < allocation.bytes
            || (offset < allocation.bytes.saturating_add(GUARD) && self.before(address).is_none())
        {
            let past = offset.saturating_add(bytes) - allocation.bytes;
            Err(AccessError::OutOfBounds { allocation, offset, past })
        } else {
            Err(self.miss(address))
        }
    }

    /// Whether the allocation is another process's, and that has freed it.
    pub(super) fn is_gone(&self, allocation: &Allocation) -> bool {
        self.imports.get(&allocation.base).is_some_and(|import| !import.entry.is_live())
    }

    /// What to say of an address that lies in no live allocation.
    fn miss(&self, address: usize) -> AccessError {
        if self.range(address).is_some() {
            return AccessError::Unmapped;
        }
        if let Some(allocation) = self.placement.freed(address) {
            AccessError::Freed { allocation, offset: address - allocation.base }
        } else {
            self.before(address).unwrap_or(AccessError::Unknown)
        }
    }

    /// First address and size of the range of virtual memory that `address` lies in.
    pub(super) fn range(&self, address: usize) -> Option<(usize, usize)> {
        let (&base, &(bytes, _)) = self.ranges.range(..=address).next_back()?;
        (address - base < bytes).then_some((base, bytes))
    }

    fn before(&self, address: usize) -> Option<AccessError> {
        let (&base, &(allocation, _)) = self.live.range(address.checked_add(1)?..).next()?;
        let by = base - address;
        (by <= NEAR).then_some(AccessError::Before { allocation, by })
    }
}
