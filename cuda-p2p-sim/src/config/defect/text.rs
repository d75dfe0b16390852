//! The words that say what is wrong with a machine: read, and written.

use std::fmt;

use super::{Defect, Means};
use crate::config::ConfigError;
use crate::config::text::{number, pairs_of};

/// The words, in the order in which they are printed.
const WORDS: [&str; 8] = ["drop", "mirror", "flip", "hang", "enable", "fail", "reset", "lost"];

impl Defect {
    pub(super) fn word(&self) -> &'static str {
        WORDS[match self {
            Defect::DroppedWrites { .. } => 0,
            Defect::PrivateMirror { .. } => 1,
            Defect::BitFlips { .. } => 2,
            Defect::Hang { .. } => 3,
            Defect::EnableFails { .. } => 4,
            Defect::CallFails { .. } => 5,
            Defect::Reset { .. } => 6,
            Defect::Lost { .. } => 7,
        }]
    }

    /// Reads one entry of a word's list.
    fn parse(key: &str, word: &str, entry: &str) -> Result<Defect, ConfigError> {
        let expected = match key {
            "drop" | "mirror" | "hang" => "must be pairs as 0>1, 0>1:kernel or 0>1:copy divided by commas",
            "flip" => "must be pairs as 0>1, 0>1:copy or 0>1:kernel:3 (every third write) divided by commas",
            "enable" => "must be pairs with an error code, as 0>1:205, divided by commas",
            "fail" => "must be FUNCTION:USE:CODE, as cudaMalloc:3:2, divided by commas",
            "reset" => "must be DEVICE:FUNCTION:USE, as 1:cudaMemcpyPeer:2, divided by commas",
            _ => "must be DEVICE:OPERATION, as 1:3, divided by commas",
        };
        let bad = || ConfigError::BadValue { word: word.to_owned(), expected };
        let int = |text: &str| number::<u64>(word, text).map_err(|_| bad());
        let device = |text: &str| number::<usize>(word, text).map_err(|_| bad());
        let parts: Vec<&str> = entry.split(':').collect();
        let pair = |text: &str| pairs_of(word, text, expected);
        let means = |text: &str| match text {
            "kernel" => Ok(Means::Kernel),
            "copy" => Ok(Means::Copy),
            _ => Err(bad()),
        };
        let code = |text: &str| number::<u32>(word, text).map_err(|_| bad());
        Ok(match (key, parts.as_slice()) {
            ("flip", [link, rest @ ..]) => {
                let (accessor, owner) = pair(link)?;
                let (by, every) = match rest {
                    [] => (Means::Any, 1),
                    [one] => match means(one) {
                        Ok(by) => (by, 1),
                        Err(_) => (Means::Any, int(one)?),
                    },
                    [by, every] => (means(by)?, int(every)?),
                    _ => return Err(bad()),
                };
                Defect::BitFlips { accessor, owner, by, every }
            }
            ("drop" | "mirror" | "hang", [link, rest @ ..]) => {
                let (accessor, owner) = pair(link)?;
                let by = match rest {
                    [] => Means::Any,
                    [by] => means(by)?,
                    _ => return Err(bad()),
                };
                match key {
                    "drop" => Defect::DroppedWrites { accessor, owner, by },
                    "mirror" => Defect::PrivateMirror { accessor, owner, by },
                    _ => Defect::Hang { accessor, owner, by },
                }
            }
            ("enable", [link, status]) => {
                let (accessor, owner) = pair(link)?;
                Defect::EnableFails { accessor, owner, code: code(status)? }
            }
            ("fail", [call, nth, status]) => {
                Defect::CallFails { call: (*call).to_owned(), nth: int(nth)?, code: code(status)? }
            }
            ("reset", [at, call, nth]) => {
                Defect::Reset { device: device(at)?, call: (*call).to_owned(), nth: int(nth)? }
            }
            ("lost", [at, nth]) => Defect::Lost { device: device(at)?, nth: int(nth)? },
            _ => return Err(bad()),
        })
    }
}

/// The list of a word; `None` if the word names no defect.
pub(in crate::config) fn parse(
    key: &str,
    word: &str,
    value: &str,
) -> Option<Result<Vec<Defect>, ConfigError>> {
    WORDS.contains(&key).then(|| value.split(',').map(|entry| Defect::parse(key, word, entry)).collect())
}

/// Writes the words of all `defects`, each after a space.
pub(in crate::config) fn print(defects: &[Defect], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for word in WORDS {
        let mut before = format!(" {word}=");
        for defect in defects.iter().filter(|defect| defect.word() == word) {
            write!(f, "{before}{defect}")?;
            before = ",".to_owned();
        }
    }
    Ok(())
}

/// Writes the entry of its word's list.
impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((accessor, owner, by)) = self.link() {
            write!(f, "{accessor}>{owner}")?;
            f.write_str(match by {
                Means::Any => "",
                Means::Kernel => ":kernel",
                Means::Copy => ":copy",
            })?;
        }
        match self {
            Defect::BitFlips { every: 1, .. } => Ok(()),
            Defect::BitFlips { every, .. } => write!(f, ":{every}"),
            Defect::EnableFails { accessor, owner, code } => write!(f, "{accessor}>{owner}:{code}"),
            Defect::CallFails { call, nth, code } => write!(f, "{call}:{nth}:{code}"),
            Defect::Reset { device, call, nth } => write!(f, "{device}:{call}:{nth}"),
            Defect::Lost { device, nth } => write!(f, "{device}:{nth}"),
            Defect::DroppedWrites { .. } | Defect::PrivateMirror { .. } | Defect::Hang { .. } => Ok(()),
        }
    }
}
