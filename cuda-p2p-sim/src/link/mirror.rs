//! What an accessor wrote to an owner's memory and the owner never sees.
//!
//! # Safety
//! This file touches memory by address, always inside [`Space::while_live`], which keeps the allocation from being freed
//! meanwhile, and while its caller has the turn, so that no device runs.

use std::collections::BTreeMap;
use std::ptr;

use crate::space::{Allocation, Space};

/// Bytes of a chunk. Allocations begin at multiples of it and take whole pages, so a chunk belongs to one of them.
const CHUNK: usize = 4096;

/// The private copy of one pair of devices.
#[derive(Debug, Default)]
pub(super) struct Mirror {
    /// By first address.
    chunks: BTreeMap<usize, Chunk>,
}

#[derive(Debug)]
struct Chunk {
    at: Allocation,
    /// What the accessor wrote, where `written` says so.
    data: Box<[u8; CHUNK]>,
    written: Box<[bool; CHUNK]>,
    /// While the accessor's bytes are in their place: the owner's.
    hidden: Option<Box<[u8; CHUNK]>>,
}

impl Chunk {
    fn new(at: &Allocation) -> Chunk {
        Chunk { at: *at, data: Box::new([0; CHUNK]), written: Box::new([false; CHUNK]), hidden: None }
    }

    /// Puts the accessor's bytes into their place.
    fn show(&mut self, space: &Space, base: usize) {
        if self.hidden.is_some() {
            return;
        }
        self.hidden = space.while_live(&self.at, || {
            let place: *mut u8 = ptr::with_exposed_provenance_mut(base);
            let mut owners = Box::new([0; CHUNK]);
            // SAFETY: see the head of this file; the chunk lies in the allocation's pages.
            unsafe { place.copy_to_nonoverlapping(owners.as_mut_ptr(), CHUNK) };
            for index in (0..CHUNK).filter(|&index| self.written[index]) {
                // SAFETY: as above.
                unsafe { place.add(index).write(self.data[index]) };
            }
            owners
        });
    }

    /// Takes the accessor's bytes away again. Returns whether the memory is still there.
    fn put_back(&mut self, space: &Space, base: usize) -> bool {
        let Some(owners) = self.hidden.take() else { return true };
        let done = space.while_live(&self.at, || {
            let place: *mut u8 = ptr::with_exposed_provenance_mut(base);
            for index in (0..CHUNK).filter(|&index| self.written[index]) {
                // SAFETY: see the head of this file; the chunk lies in the allocation's pages.
                unsafe {
                    self.data[index] = place.add(index).read();
                    place.add(index).write(owners[index]);
                }
            }
        });
        done.is_some()
    }
}

/// The parts of a range that lie in one chunk each: the chunk's first address, offset in it, offset in the range, bytes.
fn parts(address: usize, bytes: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = address + done;
        let (base, offset) = (at / CHUNK * CHUNK, at % CHUNK);
        let part = (CHUNK - offset).min(bytes - done);
        let whole = (base, offset, done, part);
        done += part;
        (part > 0).then_some(whole)
    })
}

impl Mirror {
    /// The chunk at `base`, made anew if it was another allocation's.
    fn chunk(&mut self, at: &Allocation, base: usize) -> &mut Chunk {
        let chunk = self.chunks.entry(base).or_insert_with(|| Chunk::new(at));
        if chunk.at.id != at.id {
            *chunk = Chunk::new(at);
        }
        chunk
    }

    pub(super) fn show(
        &mut self,
        space: &Space,
        at: &Allocation,
        (address, bytes): (usize, usize),
        writes: bool,
    ) {
        for (base, offset, _, part) in parts(address, bytes) {
            if !writes && !self.chunks.contains_key(&base) {
                continue;
            }
            let chunk = self.chunk(at, base);
            chunk.show(space, base);
            if writes {
                chunk.written[offset..offset + part].fill(true);
            }
        }
    }

    pub(super) fn put_back(&mut self, space: &Space) {
        self.chunks.retain(|&base, chunk| chunk.put_back(space, base));
    }

    pub(super) fn write(&mut self, at: &Allocation, address: usize, bytes: &[u8]) {
        for (base, offset, done, part) in parts(address, bytes.len()) {
            let chunk = self.chunk(at, base);
            chunk.data[offset..offset + part].copy_from_slice(&bytes[done..done + part]);
            chunk.written[offset..offset + part].fill(true);
        }
    }

    pub(super) fn read(&self, at: &Allocation, address: usize, bytes: &mut [u8]) {
        for (base, offset, done, part) in parts(address, bytes.len()) {
            let Some(chunk) = self.chunks.get(&base).filter(|chunk| chunk.at.id == at.id) else { continue };
            for index in (0..part).filter(|index| chunk.written[offset + index]) {
                bytes[done + index] = chunk.data[offset + index];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Owner;

    fn byte(address: usize) -> u8 {
        // SAFETY: the tests pass addresses of their own live allocations.
        unsafe { ptr::with_exposed_provenance::<u8>(address).read_volatile() }
    }

    fn set(address: usize, value: u8) {
        // SAFETY: as above.
        unsafe { ptr::with_exposed_provenance_mut::<u8>(address).write_volatile(value) };
    }

    #[test]
    fn each_sees_its_own_bytes() {
        let space = Space::new().expect("address space");
        let base = space.allocate(Owner::Device { ordinal: 1, pool: None }, 2 * CHUNK).expect("two chunks");
        let at = space.find(base).expect("live");
        (base..base + 2 * CHUNK).for_each(|address| set(address, 1));
        let (mut mirror, edge) = (Mirror::default(), base + CHUNK - 1);
        mirror.show(&space, &at, (edge, 2), true);
        (edge..edge + 2).for_each(|address| set(address, 9));
        mirror.put_back(&space);
        assert_eq!([byte(edge - 1), byte(edge), byte(edge + 1)], [1; 3], "the owner's view");
        set(edge - 1, 5);
        set(edge, 5);
        mirror.show(&space, &at, (edge - 1, 4), false);
        assert_eq!([byte(edge - 1), byte(edge), byte(edge + 1)], [5, 9, 9], "the accessor's view");
        mirror.put_back(&space);
        assert_eq!(byte(edge), 5, "what the owner wrote is still there");
        let mut read = [byte(edge - 1), byte(edge), byte(edge + 1)];
        mirror.read(&at, edge - 1, &mut read);
        assert_eq!(read, [5, 9, 9]);
        mirror.write(&at, edge - 1, &[7]);
        mirror.read(&at, edge - 1, &mut read);
        assert_eq!(read, [7, 9, 9]);
    }

    #[test]
    fn memory_that_is_gone_is_forgotten() {
        let space = Space::new().expect("address space");
        let base = space.allocate(Owner::Device { ordinal: 1, pool: None }, 16).expect("16 bytes");
        let at = space.find(base).expect("live");
        let mut mirror = Mirror::default();
        mirror.show(&space, &at, (base, 4), true);
        space.free(base).expect("live");
        mirror.put_back(&space);
        assert!(mirror.chunks.is_empty());
        mirror.show(&space, &at, (base, 4), true);
        assert!(mirror.chunks.values().all(|chunk| chunk.hidden.is_none()));
    }
}
