//! A look at a library file before the system's linker maps it: the linker maps a truncated file without complaint, and the
//! process dies of SIGBUS when it touches what is not there.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// `e_machine` of this processor, and its name.
#[cfg(target_arch = "aarch64")]
const MACHINE: (u16, &str) = (183, "aarch64");
#[cfg(not(target_arch = "aarch64"))]
const MACHINE: (u16, &str) = (62, "x86-64");

const HEADER_BYTES: usize = 64;
const SEGMENT_BYTES: usize = 56;
const PT_LOAD: u32 = 1;

/// Says what is wrong with the file, if something is that the linker would not say itself.
pub(super) fn check(path: &Path) -> Result<(), String> {
    // Before it is opened: that alone would wait for ever on a pipe.
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("not a file".to_owned());
    }
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let length = metadata.len();
    let mut header = [0; HEADER_BYTES];
    if file.read_exact(&mut header).is_err() || header[..4] != *b"\x7fELF" {
        return Err("not a shared library (no ELF header)".to_owned());
    }
    let machine = u16::from_le_bytes([header[18], header[19]]);
    // Class 2 is 64-bit, data 1 is little endian.
    if header[4] != 2 || header[5] != 1 || machine != MACHINE.0 {
        return Err(format!(
            "for another processor (ELF machine {machine}); this is {} ({})",
            MACHINE.1, MACHINE.0
        ));
    }
    let table = u64_at(&header, 32);
    let count = u16::from_le_bytes([header[56], header[57]]);
    let truncated = |needed: u64| format!("truncated: {length} bytes of at least {needed}");
    let table_end = table.saturating_add(u64::from(count) * SEGMENT_BYTES as u64);
    if table_end > length {
        return Err(truncated(table_end));
    }
    file.seek(SeekFrom::Start(table)).map_err(|error| error.to_string())?;
    for _ in 0..count {
        let mut segment = [0; SEGMENT_BYTES];
        file.read_exact(&mut segment).map_err(|error| error.to_string())?;
        let kind = u32::from_le_bytes([segment[0], segment[1], segment[2], segment[3]]);
        let end = u64_at(&segment, 8).saturating_add(u64_at(&segment, 32));
        if kind == PT_LOAD && end > length {
            return Err(truncated(end));
        }
    }
    Ok(())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}
