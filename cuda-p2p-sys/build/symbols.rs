//! The names that a library defines: of a shared one by its dynamic symbols, of a static one by the archive's index.
//!
//! 64-bit little-endian ELF only, which is what CUDA's libraries for Linux are.

const SECTION_DYNSYM: u32 = 11;
const SYMBOL_BYTES: usize = 24;
const ARCHIVE_MAGIC: &[u8] = b"!<arch>\n";
const MEMBER_HEADER_BYTES: usize = 60;

/// The dynamic symbols that an ELF file defines. `None` if it is no such file, or a broken one.
pub(crate) fn of_shared_library(bytes: &[u8]) -> Option<Vec<String>> {
    // Class 2 is 64-bit, data 1 is little endian.
    if bytes.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let sections = word(bytes, 40)?;
    let size = usize::from(half(bytes, 58)?);
    let section = |index: usize| bytes.get(sections.checked_add(index.checked_mul(size)?)?..);
    let dynsym = (0..usize::from(half(bytes, 60)?))
        .filter_map(section)
        .find(|header| quarter(header, 4) == Some(SECTION_DYNSYM))?;
    let names = section(quarter(dynsym, 40)? as usize)?;
    let names = bytes.get(word(names, 24)?..)?.get(..word(names, 32)?)?;
    let table = bytes.get(word(dynsym, 24)?..)?.get(..word(dynsym, 32)?)?;
    let mut symbols = Vec::new();
    for symbol in table.chunks_exact(SYMBOL_BYTES) {
        // Section 0: wanted from elsewhere, not defined here.
        if half(symbol, 6)? != 0 {
            symbols.push(text(names.get(quarter(symbol, 0)? as usize..)?)?);
        }
    }
    symbols.sort();
    symbols.dedup();
    Some(symbols)
}

/// The symbols in the index that `ar` puts in front of a static library. `None` if there is no such index.
pub(crate) fn of_archive(bytes: &[u8]) -> Option<Vec<String>> {
    let header = bytes.strip_prefix(ARCHIVE_MAGIC)?;
    let size: usize = std::str::from_utf8(header.get(48..58)?).ok()?.trim().parse().ok()?;
    let index = header.get(MEMBER_HEADER_BYTES..)?.get(..size)?;
    // The member "/" counts in 4 bytes, "/SYM64/" in 8, both big endian.
    let width = match header.get(..16)? {
        name if name.starts_with(b"/ ") => 4,
        name if name.starts_with(b"/SYM64/") => 8,
        _ => return None,
    };
    let count = index.get(..width)?.iter().fold(0usize, |count, byte| count << 8 | usize::from(*byte));
    let mut names = index.get(count.checked_add(1)?.checked_mul(width)?..)?;
    let mut symbols = Vec::new();
    for _ in 0..count {
        let symbol = text(names)?;
        names = names.get(symbol.len() + 1..)?;
        symbols.push(symbol);
    }
    symbols.sort();
    symbols.dedup();
    Some(symbols)
}

fn text(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    String::from_utf8(bytes[..end].to_vec()).ok()
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn quarter(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?)).ok()
}
