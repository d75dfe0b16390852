//! The text form of a [`MachineConfig`].

use std::fmt;
use std::str::FromStr;

use super::{ConfigError, MachineConfig, PeerLink, Peers, defect};

/// What error texts say of the language.
pub(super) const ALLOWED: &str = "allowed are 0 or off, 1 or on, and the words devices=N, peers=all|none|0-1,2>3, \
     islands=N, limit=N, memory=SIZE, atomics=on|off, runtime=N.N, seed=N, visible=1,0, quiet, and for defects drop=0>1, mirror=0>1, flip=0>1, hang=0>1, \
     enable=0>1:CODE, fail=FUNCTION:USE:CODE, reset=DEVICE:FUNCTION:USE, lost=DEVICE:OPERATION, divided by spaces or `;`";

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == ';').filter(|word| !word.is_empty())
}

/// Whether a setting says that no simulated machine is wanted.
pub(super) fn asks_for_none(text: &str) -> bool {
    let mut words = words(text);
    matches!((words.next(), words.next()), (None | Some("0" | "off"), None))
}

impl FromStr for MachineConfig {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        if asks_for_none(text) {
            return Err(ConfigError::Off);
        }
        let mut config = MachineConfig::pair();
        let mut seen: Vec<&str> = Vec::new();
        for (index, word) in words(text).enumerate() {
            let (key, value) = match word.split_once('=') {
                Some((key, value)) => (key, Some(value)),
                None => (word, None),
            };
            // `peers` and `islands` say the same thing in two ways.
            let slot = if key == "islands" { "peers" } else { key };
            if seen.contains(&slot) {
                return Err(ConfigError::Repeated { word: word.to_owned() });
            }
            seen.push(slot);
            match (key, value) {
                ("1" | "on", None) if index == 0 => {}
                ("quiet", None) => config.quiet = true,
                ("devices", Some(value)) => config.devices = number(word, value)?,
                ("islands", Some(value)) => config.peers = Peers::Islands(number(word, value)?),
                ("peers", Some(value)) => config.peers = peers(word, value)?,
                ("limit", Some(value)) => config.peer_limit = number(word, value)?,
                ("memory", Some(value)) => config.memory_bytes = size(word, value)?,
                ("visible", Some(value)) => {
                    config.visible =
                        Some(value.split(',').map(|gpu| number(word, gpu)).collect::<Result<_, _>>()?);
                }
                ("runtime", Some(value)) => config = runtime(config, word, value)?,
                ("seed", Some(value)) => config.seed = Some(number(word, value)?),
                ("atomics", Some("on")) => config.native_atomics = true,
                ("atomics", Some("off")) => config.native_atomics = false,
                ("atomics", Some(_)) => {
                    return Err(ConfigError::BadValue {
                        word: word.to_owned(),
                        expected: "must be on or off",
                    });
                }
                (_, Some(value)) => match defect::parse(key, word, value) {
                    Some(list) => config.defects.extend(list?),
                    None => return Err(ConfigError::UnknownWord { word: word.to_owned() }),
                },
                _ => return Err(ConfigError::UnknownWord { word: word.to_owned() }),
            }
        }
        config.validate()?;
        Ok(config)
    }
}

/// Reads a whole number.
pub(super) fn number<T: FromStr>(word: &str, value: &str) -> Result<T, ConfigError> {
    // `parse` takes a plus sign, which is no part of this language.
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let bad = || ConfigError::BadValue { word: word.to_owned(), expected: "must be a whole number" };
    if digits { value.parse().map_err(|_| bad()) } else { Err(bad()) }
}

/// Reads a pair of devices, as `0>1`.
pub(super) fn pairs_of(
    word: &str,
    text: &str,
    expected: &'static str,
) -> Result<(usize, usize), ConfigError> {
    let bad = || ConfigError::BadValue { word: word.to_owned(), expected };
    let (accessor, owner) = text.split_once('>').ok_or_else(bad)?;
    Ok((number(word, accessor).map_err(|_| bad())?, number(word, owner).map_err(|_| bad())?))
}

fn runtime(config: MachineConfig, word: &str, value: &str) -> Result<MachineConfig, ConfigError> {
    let bad = || ConfigError::BadValue { word: word.to_owned(), expected: "must be a release, as 12.4" };
    let (major, minor) = value.split_once('.').ok_or_else(bad)?;
    Ok(config.runtime(number(word, major).map_err(|_| bad())?, number(word, minor).map_err(|_| bad())?))
}

fn size(word: &str, value: &str) -> Result<usize, ConfigError> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)];
    let unit = units.iter().find_map(|(name, shift)| Some((value.strip_suffix(name)?, *shift)));
    let (digits, shift) = unit.unwrap_or((value, 0));
    let bad = ConfigError::BadValue {
        word: word.to_owned(),
        expected: "must be a number of bytes, as 1048576, 1024KiB, 512MiB or 16GiB",
    };
    let count: usize = number(word, digits).map_err(|_| bad.clone())?;
    count.checked_mul(1 << shift).ok_or(bad)
}

fn peers(word: &str, value: &str) -> Result<Peers, ConfigError> {
    match value {
        "all" => return Ok(Peers::All),
        "none" => return Ok(Peers::None),
        _ => {}
    }
    let bad = || ConfigError::BadValue {
        word: word.to_owned(),
        expected: "must be all, none, or pairs as 0-1 (both ways) and 0>1 (0 may access 1) divided by commas",
    };
    let link = |text: &str| {
        let two = |(a, b): (&str, &str)| -> Result<(usize, usize), ConfigError> {
            Ok((number(word, a).map_err(|_| bad())?, number(word, b).map_err(|_| bad())?))
        };
        if let Some(pair) = text.split_once('-') {
            two(pair).map(|(a, b)| PeerLink::Both(a, b))
        } else if let Some(pair) = text.split_once('>') {
            two(pair).map(|(accessor, owner)| PeerLink::OneWay { accessor, owner })
        } else {
            Err(bad())
        }
    };
    value.split(',').map(link).collect::<Result<_, _>>().map(Peers::Links)
}

impl fmt::Display for MachineConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let standard = MachineConfig::pair();
        write!(f, "devices={}", self.devices)?;
        match &self.peers {
            Peers::All => {}
            Peers::None => f.write_str(" peers=none")?,
            Peers::Islands(count) => write!(f, " islands={count}")?,
            Peers::Links(links) if links.is_empty() => f.write_str(" peers=none")?,
            Peers::Links(links) => {
                for (index, link) in links.iter().enumerate() {
                    f.write_str(if index == 0 { " peers=" } else { "," })?;
                    match link {
                        PeerLink::Both(a, b) => write!(f, "{a}-{b}")?,
                        PeerLink::OneWay { accessor, owner } => write!(f, "{accessor}>{owner}")?,
                    }
                }
            }
        }
        if self.peer_limit != standard.peer_limit {
            write!(f, " limit={}", self.peer_limit)?;
        }
        if self.memory_bytes != standard.memory_bytes {
            let units = [("GiB", 30), ("MiB", 20), ("KiB", 10), ("", 0)];
            let whole = units.iter().find(|(_, shift)| self.memory_bytes.is_multiple_of(1 << shift));
            let (unit, shift) = whole.unwrap_or(&("", 0));
            write!(f, " memory={}{unit}", self.memory_bytes >> shift)?;
        }
        if !self.native_atomics {
            f.write_str(" atomics=off")?;
        }
        if self.runtime != standard.runtime {
            write!(f, " runtime={}", self.runtime)?;
        }
        if let Some(seed) = self.seed {
            write!(f, " seed={seed}")?;
        }
        if self.quiet {
            f.write_str(" quiet")?;
        }
        defect::print(&self.defects, f)?;
        if let Some(gpus) = &self.visible {
            let gpus: Vec<String> = gpus.iter().map(usize::to_string).collect();
            write!(f, " visible={}", gpus.join(","))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_printed_back() {
        for text in [
            "devices=2",
            "devices=4 peers=0-1,2-3 limit=3 seed=7",
            "devices=4 islands=2",
            "devices=3 peers=0>1,1>0,2-0 memory=512MiB atomics=off quiet",
            "devices=1 peers=none",
            "devices=2 runtime=12.4 seed=1",
            "devices=2 drop=0>1 flip=1>0:copy:2",
            "devices=3 seed=3 quiet drop=0>1:kernel,1>0 mirror=0>1:copy hang=2>0:kernel",
            "devices=2 flip=0>1,1>0:3 enable=0>1:205,1>0:802",
            "devices=2 fail=cudaMalloc:3:2,cuLaunchKernel:1:719 reset=1:cudaMemcpyPeer:2 lost=0:7,1:1",
        ] {
            let config: MachineConfig = text.parse().expect(text);
            assert_eq!(config.to_string(), text);
        }
    }

    #[test]
    fn separators_and_the_short_forms() {
        let config: MachineConfig = " on;;seed=9 ".parse().expect("on");
        assert_eq!(config, MachineConfig::pair().seed(9));
        assert_eq!("1".parse(), Ok(MachineConfig::pair()));
        for off in ["", "0", " off ", ";"] {
            assert!(asks_for_none(off), "{off:?}");
            assert_eq!(off.parse::<MachineConfig>(), Err(ConfigError::Off));
        }
        assert!(!asks_for_none("0 devices=2"));
    }

    #[test]
    fn junk_is_named() {
        for (text, word) in [
            ("yes", "yes"),
            ("2", "2"),
            ("devices=2 0", "0"),
            ("devices=two", "devices=two"),
            ("devices=+2", "devices=+2"),
            ("devices", "devices"),
            ("memory=1TB", "memory=1TB"),
            ("peers=0/1", "peers=0/1"),
            ("peers=0-1,", "peers=0-1,"),
            ("atomics=yes", "atomics=yes"),
            ("runtime=12", "runtime=12"),
            ("runtime=12.x", "runtime=12.x"),
            ("quiet=1", "quiet=1"),
            ("devices=2 devices=2", "devices=2"),
            ("devices=4 peers=0-1 islands=2", "islands=2"),
            ("seed=18446744073709551616", "seed=18446744073709551616"),
            ("drop", "drop"),
            ("drop=0-1", "drop=0-1"),
            ("drop=0>1:disk", "drop=0>1:disk"),
            ("drop=0>1,", "drop=0>1,"),
            ("mirror=0>1:copy:2", "mirror=0>1:copy:2"),
            ("flip=0>1:copy:x", "flip=0>1:copy:x"),
            ("flip=0>1:0", "flip=0>1:0"),
            ("hang=>1", "hang=>1"),
            ("enable=0>1", "enable=0>1"),
            ("fail=cudaMalloc:3", "fail=cudaMalloc:3"),
            ("fail=cudaMalloc:0:2", "fail=cudaMalloc:0:2"),
            ("fail=cudaMalloc:1:2,cudaMalloc:1:3", "fail=cudaMalloc:1:3"),
            ("reset=1", "reset=1"),
            ("lost=1:2,1:3", "lost=1:3"),
            ("drop=0>1 hang=0>1:copy", "hang=0>1:copy"),
        ] {
            let error = text.parse::<MachineConfig>().expect_err(text).to_string();
            assert!(error.contains(&format!("`{word}`")), "{text}: {error}");
        }
        for (text, part) in [
            ("devices=0", "0 devices"),
            ("devices=65", "65 devices"),
            ("devices=3 islands=2", "2 islands"),
            ("peers=0-2", "device 2"),
            ("peers=1-1", "itself"),
            ("memory=4", "4 bytes"),
            ("runtime=11.8", "release 11.8"),
            ("runtime=99.0", "release 99.0"),
            ("drop=0>2", "device 2"),
            ("drop=1>1", "itself"),
            ("lost=2:1", "device 2"),
            ("enable=0>1:0", "0 is no error"),
            ("fail=cudaMalloc:1:12345", "12345 is no error"),
            ("fail=cudaNoSuch:1:2", "`cudaNoSuch`"),
            ("fail=cudaGetLastError:1:2", "`cudaGetLastError`"),
            ("reset=1:cudaNoSuch:1", "`cudaNoSuch`"),
        ] {
            let error = text.parse::<MachineConfig>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn who_can_access_whom() {
        let islands: MachineConfig = "devices=4 islands=2".parse().expect("islands");
        let pairs = |config: &MachineConfig| {
            let all = (0..4).flat_map(|a| (0..4).map(move |b| (a, b)));
            all.filter(|&(a, b)| config.can_access(a, b)).collect::<Vec<_>>()
        };
        assert_eq!(pairs(&islands), [(0, 1), (1, 0), (2, 3), (3, 2)]);
        let one_way: MachineConfig = "devices=3 peers=0>1,1-2".parse().expect("links");
        assert_eq!(pairs(&one_way), [(0, 1), (1, 2), (2, 1)]);
    }
}
