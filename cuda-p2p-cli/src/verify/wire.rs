//! What the accessor's process and the owner's say to each other: the former asks, the latter does it and answers.
//!
//! Each message is its length and so many bytes of JSON, read to the last byte and no further: descriptors of memory go over the same
//! socket.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::unix::net::UnixStream;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::diagnosis::Poison;
use super::guarded::Place;
use super::pattern::Pattern;
use super::record::Fault;
use super::report::{Finding, Range};

/// Most bytes of a message.
const LONGEST: u32 = 1 << 20;

/// What the owner's process is to do.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// Allocate memory for data of up to so many bytes, of a pool or not, show that it can be checked, and, behind the answer, send it.
    Share { largest: usize, seed: u64, pooled: bool },
    /// Something with that memory.
    On(Operation),
    /// Wait until the memory is closed over there, and free it.
    TakeBack,
}

/// What an end of a transfer does with its memory; see [`End`](super::memory::End).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Operation {
    Fill { place: Place, pattern: Pattern },
    Poison { place: Place, expected: Pattern },
    Findings { place: Place, range: Range, expected: Pattern },
    Read { start: usize, end: usize },
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    Done,
    Poisoned(Poison),
    Found(Vec<Finding>),
    Bytes(Vec<u8>),
    /// A call failed.
    Failed(String),
    /// What was asked for cannot be had on this system.
    Unsupported(String),
}

impl Answer {
    /// That of something that went wrong.
    pub(super) fn of(fault: Fault) -> Self {
        match fault {
            Fault::Failed(text) => Self::Failed(text),
            Fault::Unsupported(text) => Self::Unsupported(text),
            // Whoever looks at memory answers with what it finds; nothing else finds any.
            Fault::Wrong { findings, .. } => Self::Found(findings),
        }
    }
}

/// Sends a message.
pub(super) fn send(mut socket: &UnixStream, message: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec(message)?;
    let length = u32::try_from(text.len()).ok().filter(|length| *length <= LONGEST);
    let length = length.ok_or_else(|| Error::from(ErrorKind::InvalidInput))?;
    socket.write_all(&[&length.to_le_bytes()[..], &text].concat())
}

/// Waits for a message; `None` if the other side has gone.
pub(super) fn receive<T: DeserializeOwned>(mut socket: &UnixStream) -> Result<Option<T>> {
    let mut length = [0; 4];
    match socket.read_exact(&mut length) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut text = vec![0; length as usize];
    socket.read_exact(&mut text)?;
    Ok(Some(serde_json::from_slice(&text)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_one_by_one_and_the_end_is_no_message() {
        let (one, other) = UnixStream::pair().unwrap();
        let place = Place::new(3, 5);
        let poison = Operation::Poison { place, expected: Pattern { seed: u64::MAX } };
        send(&one, &Request::On(poison)).unwrap();
        send(&one, &Request::TakeBack).unwrap();
        let first = receive::<Request>(&other).unwrap().unwrap();
        let Request::On(Operation::Poison { place: arrived, expected }) = first else { panic!("{first:?}") };
        assert_eq!((arrived.data(), expected.seed), (place.data(), u64::MAX));
        assert!(matches!(receive::<Request>(&other), Ok(Some(Request::TakeBack))));
        drop(one);
        assert!(matches!(receive::<Request>(&other), Ok(None)));
    }

    #[test]
    fn nonsense_is_refused() {
        for bytes in [&[255; 4][..], &[2, 0, 0, 0, b'{', b'}']] {
            let (mut one, other) = UnixStream::pair().unwrap();
            one.write_all(bytes).unwrap();
            assert!(receive::<Request>(&other).is_err(), "{bytes:?}");
        }
    }
}
