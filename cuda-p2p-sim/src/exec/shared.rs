//! The shared memory of one block.

use std::cell::RefCell;

use super::access::Range;
use crate::space::POISON;

/// Strictest alignment of a variable.
const ALIGN: usize = 128;
/// Unused bytes between two variables: an index that runs over meets them, not the neighbour.
const GAP: usize = 64;
/// Variables that find room with their gaps and alignment even if together they fill the block's memory.
const VARIABLES: usize = 64;
/// Most bytes of static variables, as nvcc allows them.
const STATIC: usize = 48 << 10;

#[derive(Debug)]
struct Variable {
    /// Address that identifies a static variable; 0 for dynamic shared memory.
    key: usize,
    range: Range,
    /// Whether the present block has had it poisoned.
    fresh: bool,
}

/// Shared memory, laid out as its variables are asked for. Kept from block to block.
#[derive(Debug)]
pub(super) struct SharedMemory {
    limit: usize,
    dynamic: usize,
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Empty until the first variable is asked for. Zeros at first, so untouched pages cost nothing.
    memory: Vec<u8>,
    /// Bytes before the first aligned one.
    skip: usize,
    variables: Vec<Variable>,
    /// Bytes of variables.
    used: usize,
    /// Bytes of `memory` from `skip` on that are taken, gaps included.
    taken: usize,
}

impl SharedMemory {
    /// At most `limit` bytes, `dynamic` of them dynamic.
    pub(super) fn new(limit: usize, dynamic: usize) -> SharedMemory {
        let limit = limit.min(dynamic + STATIC);
        SharedMemory { limit, dynamic, state: RefCell::new(State { used: dynamic, ..State::default() }) }
    }

    /// Makes the memory a new block's.
    pub(super) fn renew(&self) {
        self.state.borrow_mut().variables.iter_mut().for_each(|variable| variable.fresh = true);
    }

    /// Bytes that the block has for its variables.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// The block's dynamic memory.
    pub(super) fn dynamic(&self) -> Range {
        let mut state = self.state.borrow_mut();
        match state.find(0) {
            Some(range) => range,
            None => state.add(self.limit, 0, self.dynamic, ALIGN),
        }
    }

    /// The block's instance of the static variable `key`; the bytes needed if they are more than the block has.
    pub(super) fn variable(&self, key: usize, bytes: usize, align: usize) -> Result<Range, usize> {
        let mut state = self.state.borrow_mut();
        if let Some(range) = state.find(key) {
            return Ok(range);
        }
        let needed = state.used.saturating_add(bytes);
        if needed > self.limit || state.variables.len() >= VARIABLES {
            return Err(needed);
        }
        state.used = needed;
        Ok(state.add(self.limit, key, bytes, align.clamp(1, ALIGN)))
    }

    /// The variable that holds all of `bytes` bytes at `address`.
    pub(super) fn range_of(&self, address: usize, bytes: usize) -> Option<Range> {
        let state = self.state.borrow();
        state.variables.iter().map(|variable| variable.range).find(|range| range.holds(address, bytes))
    }

    /// Whether `address` lies in or shortly behind this memory.
    pub(super) fn owns(&self, address: usize) -> bool {
        let state = self.state.borrow();
        address.wrapping_sub(state.memory.as_ptr().addr()) < state.memory.len()
    }
}

impl State {
    fn find(&mut self, key: usize) -> Option<Range> {
        let index = self.variables.iter().position(|variable| variable.key == key)?;
        let variable = &mut self.variables[index];
        let range = variable.range;
        if std::mem::take(&mut variable.fresh) {
            self.poison(range);
        }
        Some(range)
    }

    fn add(&mut self, limit: usize, key: usize, bytes: usize, align: usize) -> Range {
        if self.memory.is_empty() {
            self.memory = vec![0; limit + (VARIABLES + 2) * (GAP + ALIGN)];
            let base = self.memory.as_ptr().addr();
            self.skip = base.next_multiple_of(ALIGN) - base;
        }
        let start = self.taken.next_multiple_of(align);
        self.taken = start + bytes + GAP;
        let range = Range { base: self.memory.as_mut_ptr().expose_provenance() + self.skip + start, bytes };
        self.variables.push(Variable { key, range, fresh: false });
        self.poison(range);
        range
    }

    fn poison(&mut self, range: Range) {
        let memory = self.memory.as_mut_ptr();
        // SAFETY: `add` placed the range inside `memory`; the kernel's threads, which write there through raw pointers,
        // are suspended while a hook runs.
        unsafe { memory.add(range.base - memory.addr()).write_bytes(POISON, range.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_apart_exact_and_poisoned_for_each_block() {
        let shared = SharedMemory::new(1024, 100);
        let dynamic = shared.dynamic();
        let a = shared.variable(1, 12, 4).expect("fits");
        let b = shared.variable(2, 1, 1).expect("fits");
        assert_eq!((dynamic.bytes, a.bytes, b.bytes), (100, 12, 1));
        assert_eq!(dynamic.base % ALIGN, 0);
        assert_eq!(shared.variable(1, 12, 4), Ok(a), "one instance a block");
        assert_eq!(shared.range_of(a.base + 8, 4), Some(a));
        assert_eq!(shared.range_of(a.base + 9, 4), None);
        assert_eq!(shared.range_of(dynamic.base + 100, 1), None);
        assert!(shared.owns(dynamic.base + 100));
        let first = std::ptr::with_exposed_provenance_mut::<u8>(a.base);
        // SAFETY: the variable is live and this test's own.
        unsafe { first.write_volatile(1) };
        shared.renew();
        shared.variable(1, 12, 4).expect("fits");
        // SAFETY: as above.
        assert_eq!(unsafe { first.read_volatile() }, POISON);
    }

    #[test]
    fn more_than_the_limit_is_refused_with_what_is_needed() {
        let shared = SharedMemory::new(128, 100);
        assert!(shared.variable(1, 28, 4).is_ok());
        assert_eq!(shared.variable(2, 1, 1), Err(129));
        assert_eq!(shared.variable(3, usize::MAX, 1), Err(usize::MAX));
    }
}
