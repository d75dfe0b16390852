//! Handles: numbers in the shape of pointers, never dereferenced and never used twice, so that a stale, foreign or wrong one
//! is told apart from a good one.

use std::ptr;

/// What a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Stream = 1,
    Event = 2,
    Pool = 3,
    Graph = 4,
    GraphExec = 5,
    Node = 6,
    Library = 7,
    Kernel = 8,
    Physical = 9,
}

/// Where the kind lies: above every address that a program of today can have.
const KIND_SHIFT: u32 = 56;
/// Low bits that stay 0, so that no handle looks like the small numbers of the legacy streams.
const ALIGN_SHIFT: u32 = 4;
/// Numbers that one machine can give.
const PER_MACHINE: u32 = 40;

/// Gives the numbers of one machine.
#[derive(Debug)]
pub(crate) struct Handles {
    next: u64,
}

impl Handles {
    /// The numbers of the machine of this number, which no other machine of the process gives.
    pub(crate) fn new(machine: u64) -> Handles {
        Handles { next: ((machine & 0xfff) << PER_MACHINE) + 1 }
    }

    pub(crate) fn next(&mut self) -> u64 {
        let id = self.next;
        self.next += 1;
        id
    }
}

/// The handle of an object.
pub(crate) fn to_pointer<T>(kind: Kind, id: u64) -> *mut T {
    let bits = (kind as u64) << KIND_SHIFT | id << ALIGN_SHIFT;
    ptr::without_provenance_mut(bits as usize)
}

/// The number behind a handle of this kind; `None` for anything else.
pub(crate) fn id<T>(kind: Kind, handle: *const T) -> Option<u64> {
    let bits = handle.addr() as u64;
    let id = (bits & ((1 << KIND_SHIFT) - 1)) >> ALIGN_SHIFT;
    (to_pointer::<T>(kind, id).addr() as u64 == bits).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_kind_is_recognised() {
        let (mut first, mut second) = (Handles::new(1), Handles::new(2));
        let id_of_first = first.next();
        assert_ne!(id_of_first, second.next());
        let handle: *mut u8 = to_pointer(Kind::Event, id_of_first);
        assert_eq!(id(Kind::Event, handle), Some(id_of_first));
        assert_eq!(id(Kind::Stream, handle), None);
        for junk in [0_usize, 1, 2, 0x7fff_1234_5678, handle.addr() + 1] {
            assert_eq!(id(Kind::Event, ptr::without_provenance::<u8>(junk)), None, "{junk:#x}");
        }
    }
}
