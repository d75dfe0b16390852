//! What the 64 bytes of a handle hold: where to find the maker's memory, and which entry of its board is meant.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;

/// Marks a handle of this layout.
const MAGIC: [u8; 6] = *b"p2psim";

/// What a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Memory = 1,
    Event = 2,
    /// A pool.
    Pool = 3,
    /// Memory of a pool.
    Pooled = 4,
}

/// A handle for other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle {
    pub(crate) sort: Sort,
    /// The process that made it.
    pub(crate) process: u32,
    /// The number of its machine's file there.
    pub(crate) file: u32,
    pub(crate) nonce: u64,
    /// Its entry of the board.
    pub(crate) place: u32,
    pub(crate) number: u64,
    /// The GPU, by its number in the machine.
    pub(crate) gpu: u32,
    /// Where the allocation begins in the file.
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl Handle {
    pub(crate) fn to_bytes(self) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes[..6].copy_from_slice(&MAGIC);
        bytes[6] = self.sort as u8;
        bytes[8..12].copy_from_slice(&self.process.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.file.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.nonce.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.place.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.gpu.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.number.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.offset.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.bytes.to_le_bytes());
        bytes
    }

    /// `None` if it is none of that sort.
    pub(crate) fn from_bytes(bytes: &[u8; 64], sort: Sort) -> Option<Handle> {
        let short = |at: usize| Some(u32::from_le_bytes(bytes[at..at + 4].try_into().ok()?));
        let long = |at: usize| Some(u64::from_le_bytes(bytes[at..at + 8].try_into().ok()?));
        let handle = Handle {
            sort,
            process: short(8)?,
            file: short(12)?,
            nonce: long(16)?,
            place: short(24)?,
            gpu: short(28)?,
            number: long(32)?,
            offset: long(40)?,
            bytes: long(48)?,
        };
        (handle.to_bytes() == *bytes).then_some(handle)
    }

    /// Opens the maker's file.
    pub(crate) fn open(&self) -> io::Result<File> {
        let path = format!("/proc/{}/fd/{}", self.process, self.file);
        // Whatever else the number may be by now must not be waited for.
        File::options().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_read_back_and_anything_else_is_none() {
        let handle = Handle {
            sort: Sort::Memory,
            process: 7,
            file: 3,
            nonce: u64::MAX,
            place: 5,
            number: 9,
            gpu: 1,
            offset: 1 << 20,
            bytes: 100,
        };
        let bytes = handle.to_bytes();
        assert_eq!(Handle::from_bytes(&bytes, Sort::Memory), Some(handle));
        assert_eq!(Handle::from_bytes(&bytes, Sort::Event), None);
        assert_eq!(Handle::from_bytes(&[7; 64], Sort::Memory), None);
        for at in [0, 6, 7, 56, 63] {
            let mut wrong = bytes;
            wrong[at] ^= 1;
            assert_eq!(Handle::from_bytes(&wrong, Sort::Memory), None, "byte {at}");
        }
    }
}
