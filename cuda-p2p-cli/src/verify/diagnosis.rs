//! What wrong bytes are instead: each way in which a path breaks leaves bytes of its own behind.

use serde::{Deserialize, Serialize};

use super::pattern::Pattern;

/// Bytes that are looked at, from the first wrong one on.
pub(super) const WINDOW: usize = 4 << 10;

/// How far data is looked for on either side of where it should be, in bytes.
const REACH: u64 = 4 << 10;

/// So many bytes in a row are not alike by chance.
const CREDIBLE: usize = 8;

/// So many bytes, each of which is that of one of many patterns, are not alike by chance.
const CREDIBLE_OF_SEVERAL: usize = 64;

/// So many bits of a byte change where bits flip; of two random bytes it is four.
const FEW_BITS: u32 = 2;

/// What became of data that did not arrive as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub(crate) enum Kind {
    /// What was there before is still there.
    Dropped,
    /// As `Dropped` to the owner, and the accessor reads back what it wrote.
    Mirrored,
    /// What the memory held at an earlier step.
    Stale,
    /// The right bytes in the wrong place.
    Shifted {
        /// How far behind their place, in bytes; negative: in front of it.
        by: i64,
    },
    /// Single bits of bytes are wrong.
    Flipped,
    /// Bytes from nowhere that the proof knows of.
    Unknown,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Dropped => f.write_str("dropped: what was there before is still there"),
            Self::Mirrored => {
                f.write_str("mirrored: the accessor reads back what it wrote, and the owner sees none of it")
            }
            Self::Stale => f.write_str("stale: these bytes are of an earlier step"),
            Self::Shifted { by } if *by < 0 => write!(f, "shifted: {} bytes in front of their place", -by),
            Self::Shifted { by } => write!(f, "shifted: {by} bytes behind their place"),
            Self::Flipped => f.write_str("flipped: single bits differ"),
            Self::Unknown => f.write_str("of no origin that is known here"),
        }
    }
}

/// What lay at the destination before the data was to arrive.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Poison {
    /// Each byte the complement of what is to arrive.
    Complement,
    /// One value everywhere.
    Value(u8),
}

/// A pattern that memory held once; its first byte lay `start` bytes past the place that is now the data's first. Wraps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Earlier {
    pub(super) pattern: Pattern,
    pub(super) start: u64,
}

/// Names `got`, the bytes from offset `first` on, of which the first is wrong. Not [`Kind::Mirrored`], which takes another look.
pub(super) fn kind_of(
    got: &[u8],
    first: u64,
    expected: Pattern,
    poison: Poison,
    earlier: &[Earlier],
) -> Kind {
    let offsets = || (first..).zip(got.iter().copied());
    let wrong = || offsets().filter(|(offset, byte)| expected.byte(*offset) != *byte);
    let before = |offset| match poison {
        Poison::Complement => !expected.byte(offset),
        Poison::Value(value) => value,
    };
    if wrong().all(|(offset, byte)| byte == before(offset)) {
        return Kind::Dropped;
    }
    let count = wrong().count();
    let is_of = |old: &Earlier, offset: u64, byte| byte == old.pattern.byte(offset.wrapping_sub(old.start));
    let was = |old: &Earlier| wrong().all(|(offset, byte)| is_of(old, offset, byte));
    // Several steps may have left something, each at bytes of its own.
    let was_of_several = || wrong().all(|(offset, byte)| earlier.iter().any(|old| is_of(old, offset, byte)));
    if count >= CREDIBLE && earlier.iter().any(was) || count >= CREDIBLE_OF_SEVERAL && was_of_several() {
        return Kind::Stale;
    }
    // Where most bytes are wrong they have to be many to be no chance.
    if wrong().all(|(offset, byte)| (expected.byte(offset) ^ byte).count_ones() <= FEW_BITS)
        && (count == 1 || 2 * count <= got.len() || count >= CREDIBLE)
    {
        return Kind::Flipped;
    }
    // What moved backwards left what was there before in front of it.
    let left = offsets().take_while(|(offset, byte)| *byte == before(*offset)).count();
    match shift(&got[left..], first + left as u64, expected) {
        Some(by) => Kind::Shifted { by },
        None => Kind::Unknown,
    }
}

/// How far the first bytes of `got` lie behind their place.
fn shift(got: &[u8], first: u64, expected: Pattern) -> Option<i64> {
    let (head, reach) = (got.get(..CREDIBLE)?, REACH as i64);
    let found_at = |by: i64| {
        let origin = first.checked_add_signed(-by)?;
        (origin..).zip(head).all(|(offset, byte)| expected.byte(offset) == *byte).then_some(by)
    };
    // The nearest place first.
    (1..=reach).flat_map(|by| [by, -by]).find_map(found_at)
}

#[cfg(test)]
#[path = "diagnosis_tests.rs"]
mod tests;
