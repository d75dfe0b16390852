//! The bytes of a descriptor: a mark, a version, what it is of, the parts one after the other, and a sum over all of them, so that what was cut or
//! changed on the way is refused and not opened.

use std::process;
use std::sync::OnceLock;

use super::descriptor::Maker;
use crate::error::{IpcError, Result};
use crate::uuid::Uuid;

const MARK: &[u8; 4] = b"cp2p";
/// Of the format. Another one is refused.
const VERSION: u8 = 1;
/// Most bytes of a text.
const LONGEST_TEXT: usize = 1024;

impl Maker {
    /// This process.
    pub(super) fn this() -> Self {
        use std::hash::{BuildHasher, Hasher, RandomState};
        static NONCE: OnceLock<u64> = OnceLock::new();
        let nonce = *NONCE.get_or_init(|| RandomState::new().build_hasher().finish());
        Self { process: process::id(), nonce }
    }
}

pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new(kind: u8, raw: &[u8; 64], uuid: &Uuid, maker: Maker) -> Self {
        let mut writer = Self(Vec::with_capacity(256));
        writer.0.extend_from_slice(MARK);
        writer.0.extend_from_slice(&[VERSION, kind]);
        writer.0.extend_from_slice(raw);
        writer.0.extend_from_slice(&uuid.0);
        writer.number(u64::from(maker.process));
        writer.number(maker.nonce);
        writer
    }

    pub(super) fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Cut at its limit: two types whose names begin with so many equal bytes are not told apart by them.
    pub(super) fn text(&mut self, text: &str) {
        let end = (0..=text.len().min(LONGEST_TEXT)).rev().find(|&end| text.is_char_boundary(end));
        let text = &text[..end.unwrap_or(0)];
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.number(sum(&self.0));
        self.0
    }
}

pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], kind: u8) -> Result<Self> {
        if !bytes.starts_with(MARK) {
            return Err(problem("it does not begin as one"));
        }
        match bytes.get(MARK.len()) {
            Some(&VERSION) => {}
            Some(_) => return Err(problem("it is of another version of cuda-p2p")),
            None => return Err(problem("it is cut short")),
        }
        let (body, end) = bytes.split_last_chunk::<8>().ok_or_else(|| problem("it is cut short"))?;
        if sum(body) != u64::from_le_bytes(*end) {
            return Err(problem("it was cut short or changed"));
        }
        let mut reader = Self(body);
        let [.., found] = reader.take::<6>()?;
        if found == kind { Ok(reader) } else { Err(problem("it is of the other kind, memory or event")) }
    }

    fn take<const BYTES: usize>(&mut self) -> Result<[u8; BYTES]> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(|| problem("it is cut short"))?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(super) fn head(&mut self) -> Result<([u8; 64], Uuid, Maker)> {
        let (raw, uuid) = (self.take()?, Uuid(self.take()?));
        let maker = Maker { process: self.small()?, nonce: self.number()? };
        Ok((raw, uuid, maker))
    }

    pub(super) fn number(&mut self) -> Result<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub(super) fn small(&mut self) -> Result<u32> {
        u32::try_from(self.number()?).map_err(|_| problem("a number in it is too large"))
    }

    pub(super) fn text(&mut self) -> Result<String> {
        let length = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if length > LONGEST_TEXT {
            return Err(problem("a text in it is too long"));
        }
        let (text, rest) = self.0.split_at_checked(length).ok_or_else(|| problem("it is cut short"))?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).map_err(|_| problem("a text in it is none"))
    }

    pub(super) fn finish(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(problem("it is longer than one")) }
    }
}

fn problem(problem: &'static str) -> crate::Error {
    IpcError::Descriptor { problem }.into()
}

/// FNV-1a: against accidents, not against anybody.
fn sum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

pub(super) fn to_text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn from_text(text: &str) -> Result<Vec<u8>> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16).map(|digit| digit as u8);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
    bytes.ok_or_else(|| problem("it is no row of pairs of hexadecimal digits"))
}
