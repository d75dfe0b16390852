//! What is wrong with a machine, and the words that say so.

use std::collections::BTreeSet;
use std::fmt;

use super::text::{number, pairs_of};
use super::{ConfigError, MachineConfig};
use crate::error;

/// How one device reaches another's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Means {
    /// Either way.
    #[default]
    Any,
    /// By the loads, stores and atomics of kernels.
    Kernel,
    /// By copies and fills. A copy from memory of the accessor to memory of the owner, or back, goes over their link if one of them may
    /// access the other's side of it; otherwise it goes through the host, and no defect of the link touches it.
    ///
    /// Memory of another process is read and written by the device that opened it, over the link to the GPU that it is on, whatever
    /// the other side is and wherever the rest of the way goes: a copy from the host to it is a write of that device.
    Copy,
}

impl Means {
    /// Whether the two have a means in common.
    pub(crate) fn meets(self, other: Means) -> bool {
        self == other || self == Means::Any || other == Means::Any
    }
}

/// Something that is wrong with a simulated machine. No call tells of it but where that is said.
///
/// Devices are told in the numbers of the machine, whatever a process sees of it ([`MachineConfig::visible`]). The owner is the GPU that
/// memory is on: memory of another process, which counts as memory of the device that opened it, is on the GPU on which the other
/// process made it, whether this one sees that or not.
///
/// In the text form each is a word with a list of such defects, divided by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Writes of the accessor to the owner's memory are lost: `drop=0>1`, `drop=0>1:kernel`, `drop=0>1:copy`.
    ///
    /// An atomic answers with the value that it found. So it is where an IOMMU or a switch swallows the traffic.
    DroppedWrites {
        /// The device that writes.
        accessor: usize,
        /// The device whose memory it is.
        owner: usize,
        /// What writes.
        by: Means,
    },
    /// Writes of the accessor go to a copy of the owner's memory which the accessor alone sees: it reads back what it wrote, and the
    /// owner finds the old bytes. `mirror=0>1`, with `:kernel` or `:copy` as for `drop`.
    PrivateMirror {
        /// The device that writes.
        accessor: usize,
        /// The device whose memory it is.
        owner: usize,
        /// What writes and reads back.
        by: Means,
    },
    /// One bit of every so many writes of the accessor to the owner's memory arrives wrong: `flip=0>1`, `flip=0>1:copy`,
    /// `flip=0>1:kernel:3`. Each store of a kernel is a write, each copy and each fill.
    BitFlips {
        /// The device that writes.
        accessor: usize,
        /// The device whose memory it is.
        owner: usize,
        /// What writes.
        by: Means,
        /// 1 for every write, 2 for every other one, and so on.
        every: u64,
    },
    /// A transfer from the accessor's memory to the owner's never ends, nor does an access of the accessor's kernels to it:
    /// `hang=0>1`, with `:kernel` or `:copy` as for `drop`.
    Hang {
        /// The device that writes.
        accessor: usize,
        /// The device whose memory it is.
        owner: usize,
        /// What hangs.
        by: Means,
    },
    /// `cudaDeviceEnablePeerAccess` answers with this code where it would have succeeded: `enable=0>1:205`.
    EnableFails {
        /// The device that is current.
        accessor: usize,
        /// The device that is asked for.
        owner: usize,
        /// The code: 205 where a window to the memory cannot be mapped, 802 where the fabric is not ready.
        code: u32,
    },
    /// A function answers with a code at one of its uses, and does nothing: `fail=cudaMalloc:3:2`. Uses are counted from 1, over
    /// all threads. A code such as 700 is told once; it does not poison the machine.
    CallFails {
        /// Name of the function.
        call: String,
        /// Which use.
        nth: u64,
        /// The code.
        code: u32,
    },
    /// Some other part of the program resets a device just before one of the uses of a function: `reset=1:cudaMemcpyPeer:2`. As
    /// after `cudaDeviceReset`, all that the device held is gone.
    Reset {
        /// The device.
        device: usize,
        /// Name of the function.
        call: String,
        /// Which use.
        nth: u64,
    },
    /// The device is lost at its so many-th kernel, copy or fill: that ends with error 719, and the machine is poisoned.
    /// `lost=1:3`.
    Lost {
        /// The device.
        device: usize,
        /// Which of its operations, counted from 1 in the order in which they start.
        nth: u64,
    },
}

/// The words, in the order in which they are printed.
pub(super) const WORDS: [&str; 8] = ["drop", "mirror", "flip", "hang", "enable", "fail", "reset", "lost"];

impl Defect {
    fn word(&self) -> &'static str {
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

    /// Accessor, owner and means, if it is a defect of their link.
    pub(crate) fn link(&self) -> Option<(usize, usize, Means)> {
        match *self {
            Defect::DroppedWrites { accessor, owner, by }
            | Defect::PrivateMirror { accessor, owner, by }
            | Defect::BitFlips { accessor, owner, by, .. }
            | Defect::Hang { accessor, owner, by } => Some((accessor, owner, by)),
            _ => None,
        }
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
pub(super) fn parse(key: &str, word: &str, value: &str) -> Option<Result<Vec<Defect>, ConfigError>> {
    WORDS.contains(&key).then(|| value.split(',').map(|entry| Defect::parse(key, word, entry)).collect())
}

/// Writes the words of all `defects`, each after a space.
pub(super) fn print(defects: &[Defect], f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// Functions that cannot fail: they only tell.
const TELLERS: [&str; 4] =
    ["cudaGetErrorName", "cudaGetErrorString", "cudaGetLastError", "cudaPeekAtLastError"];

fn check_call(call: &str) -> Result<(), ConfigError> {
    let bound = cuda_p2p_sys::functions::FUNCTIONS.iter().any(|function| function.name == call);
    let known = bound && !TELLERS.contains(&call) || crate::driver::knows(call);
    if known { Ok(()) } else { Err(ConfigError::NoSuchFunction { call: call.to_owned() }) }
}

/// Checks the defects of a machine.
pub(super) fn validate(config: &MachineConfig) -> Result<(), ConfigError> {
    let there = |device: usize| {
        if device < config.devices {
            Ok(())
        } else {
            Err(ConfigError::NoSuchDevice { device, devices: config.devices })
        }
    };
    let link = |accessor: usize, owner: usize| {
        there(accessor)?;
        there(owner)?;
        if accessor == owner { Err(ConfigError::OwnPeer { device: owner }) } else { Ok(()) }
    };
    let code_is_known = |code: u32| {
        if error::is_failure(code) { Ok(()) } else { Err(ConfigError::NoSuchCode { code }) }
    };
    let (mut links, mut seen) = (Vec::new(), BTreeSet::new());
    for defect in &config.defects {
        let repeated = || ConfigError::Repeated { word: format!("{}={defect}", defect.word()) };
        let mut once = |key: String| if seen.insert(key) { Ok(()) } else { Err(repeated()) };
        if let Some((accessor, owner, by)) = defect.link() {
            link(accessor, owner)?;
            let same =
                |&(a, o, other): &(usize, usize, Means)| (a, o) == (accessor, owner) && by.meets(other);
            if links.iter().any(same) {
                return Err(repeated());
            }
            links.push((accessor, owner, by));
        }
        let nth = match defect {
            Defect::BitFlips { every, .. } => *every,
            Defect::EnableFails { accessor, owner, code } => {
                link(*accessor, *owner)?;
                code_is_known(*code)?;
                once(format!("enable {accessor} {owner}"))?;
                1
            }
            Defect::CallFails { call, nth, code } => {
                check_call(call)?;
                code_is_known(*code)?;
                once(format!("fail {call} {nth}"))?;
                *nth
            }
            Defect::Reset { device, call, nth } => {
                there(*device)?;
                check_call(call)?;
                once(format!("reset {device} {call} {nth}"))?;
                *nth
            }
            Defect::Lost { device, nth } => {
                there(*device)?;
                once(format!("lost {device}"))?;
                *nth
            }
            _ => 1,
        };
        if nth == 0 {
            let word = format!("{}={defect}", defect.word());
            return Err(ConfigError::BadValue { word, expected: "must count from 1" });
        }
    }
    Ok(())
}
