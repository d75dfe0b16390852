//! Takes out of a snapshot what is nobody else's business: UUIDs, paths, names of hosts and people, addresses.
//!
//! PCI addresses stay: the findings are about them, and they are the same on every machine of a make.

use serde_json::Value;

/// Beginnings of the paths that are the same everywhere.
const PUBLIC_PATHS: [&str; 6] = ["/proc/", "/sys/", "/dev/nvidia", "/dev/shm", "/dev/dxg", "/etc/nvidia"];

/// Letters of "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx".
const UUID: usize = 36;

/// What has been taken out so far, so that the same thing gets the same mask.
pub(super) struct Masks {
    /// Names of this host, of its user.
    names: Vec<String>,
    /// UUIDs in the order in which they were met.
    uuids: Vec<String>,
}

impl Masks {
    /// Masks of a machine where these names are private.
    pub(super) fn new(names: Vec<String>) -> Self {
        let names = names.into_iter().filter(|name| name.len() > 1 && name != "root").collect();
        Self { names, uuids: Vec::new() }
    }

    /// Masks for this machine and its user.
    pub(super) fn of_this_machine() -> Self {
        let mut names: Vec<String> =
            ["USER", "LOGNAME", "SUDO_USER"].iter().filter_map(|name| std::env::var(name).ok()).collect();
        if let Ok(host) = std::fs::read_to_string("/proc/sys/kernel/hostname") {
            let host = host.trim();
            names.extend(host.split_once('.').map(|(short, _)| short.to_owned()));
            names.push(host.to_owned());
        }
        Self::new(names)
    }

    /// Masks every text in `value`.
    pub(super) fn mask(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.mask(value)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.mask(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Words between blanks and punctuation, each masked or left.
    fn text(&mut self, text: &str) -> String {
        let sentence = text.contains(char::is_whitespace);
        let mut masked = String::new();
        let mut word = String::new();
        for letter in text.chars() {
            if letter.is_whitespace() || "\"'`()[]{},;=<>|".contains(letter) {
                masked += &self.word(&std::mem::take(&mut word), sentence);
                masked.push(letter);
            } else {
                word.push(letter);
            }
        }
        masked + &self.word(&word, sentence)
    }

    fn word(&mut self, word: &str, sentence: bool) -> String {
        let bare = word.trim_end_matches(['.', ':', '?', '!']);
        let tail = &word[bare.len()..];
        if let Some(start) = path_start(bare) {
            let path = &bare[start..];
            let public = PUBLIC_PATHS.iter().any(|public| path.starts_with(public));
            return if public { word.to_owned() } else { format!("{}<path>{tail}", &bare[..start]) };
        }
        if bare.contains('@') || (sentence && self.names.iter().any(|name| name == bare)) {
            return format!("<name>{tail}");
        }
        if is_address(bare) {
            return format!("<address>{tail}");
        }
        format!("{}{tail}", self.without_uuids(bare))
    }

    fn without_uuids(&mut self, word: &str) -> String {
        if let Some(start) = (0..word.len()).find(|start| word.get(*start..start + UUID).is_some_and(is_uuid))
        {
            let masked = self.number(&word[start..start + UUID].to_ascii_lowercase());
            return format!("{}{masked}{}", &word[..start], self.without_uuids(&word[start + UUID..]));
        }
        // CUDA_VISIBLE_DEVICES takes the beginning of a UUID.
        for kind in ["GPU-", "MIG-"] {
            let Some(start) = word.strip_prefix(kind).filter(|start| !start.is_empty()) else { continue };
            let known = self.uuids.iter().position(|uuid| uuid.starts_with(&start.to_ascii_lowercase()));
            return known.map_or(format!("{kind}masked"), |index| format!("{kind}{}", mask(index)));
        }
        word.to_owned()
    }

    fn number(&mut self, uuid: &str) -> String {
        let index = self.uuids.iter().position(|known| known == uuid).unwrap_or_else(|| {
            self.uuids.push(uuid.to_owned());
            self.uuids.len() - 1
        });
        mask(index)
    }
}

/// What the UUIDs that stand for others begin with.
const MASK: &str = "00000000-0000-0000-0000-";

fn mask(index: usize) -> String {
    format!("{MASK}{index:012}")
}

/// Whether a device's UUID is a number that stands for it.
pub(crate) fn is_masked(uuid: &str) -> bool {
    uuid.split_once('-').is_some_and(|(_, uuid)| uuid.starts_with(MASK))
}

fn is_uuid(text: &str) -> bool {
    text.bytes().enumerate().all(|(index, byte)| match index {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

/// Where a path begins in a word: at its start, or after a colon.
fn path_start(word: &str) -> Option<usize> {
    if word.starts_with('/') && word.len() > 1 || word.starts_with("~/") {
        return Some(0);
    }
    word.find(":/").map(|colon| colon + 1)
}

/// Addresses of networks, of network cards, and of memory.
fn is_address(word: &str) -> bool {
    let hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let groups: Vec<&str> = word.split(':').collect();
    let dotted: Vec<&str> = word.split(':').next().unwrap_or_default().split('.').collect();
    let memory = word.strip_prefix("0x").is_some_and(|digits| digits.len() >= 8 && hexadecimal(digits));
    memory
        || dotted.len() == 4 && dotted.iter().all(|part| part.parse::<u8>().is_ok())
        || groups.len() > 4 && groups.iter().all(|group| hexadecimal(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        Masks::new(vec!["ann".to_owned(), "hal9000".to_owned(), "root".to_owned()]).text(text)
    }

    #[test]
    fn private_things_go() {
        for (text, expected) in [
            ("/home/ann/lib/libcudart.so.13", "<path>"),
            ("cannot open '/opt/x/y': no", "cannot open '<path>': no"),
            ("file:/srv/a ~/b", "file:<path> <path>"),
            ("LD_PRELOAD=/home/ann/x.so", "LD_PRELOAD=<path>"),
            ("ann@hal9000 says no", "<name> says no"),
            ("user ann on hal9000.", "user <name> on <name>."),
            ("connect to 10.1.2.3:80 failed", "connect to <address> failed"),
            ("card 00:1a:2b:3c:4d:5e", "card <address>"),
            ("host fe80:0:0:0:1::2", "host <address>"),
            ("fault at 0x7f12a8a00000", "fault at <address>"),
        ] {
            assert_eq!(masked(text), expected);
        }
    }

    #[test]
    fn what_the_rules_need_stays() {
        for text in [
            "0000:1b:00.0",
            "580.159.04",
            "cudaErrorSystemNotReady",
            "/sys/class/iommu holds dmar0",
            "/proc/driver/nvidia/version",
            "DMA-FQ",
            "NVIDIA H200",
            "6.8.0-52-generic",
            "0,1",
            "intel_iommu=on",
            "nvidia",
            "0x1f",
            "read/write",
            "root",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn one_uuid_has_one_mask_and_another_another() {
        let (one, other) = ("ba793fbf-0ad7-3ef2-2606-91ae096064e1", "2d8b0b0e-6f33-3ca9-8054-a032ed846708");
        let mut masks = Masks::new(Vec::new());
        let first = masks.text(&format!("GPU-{one}"));
        assert_eq!(first, "GPU-00000000-0000-0000-0000-000000000000");
        let list = masks.text(&format!("GPU-{other},GPU-{}", one.to_uppercase()));
        assert_eq!(list, format!("GPU-00000000-0000-0000-0000-000000000001,{first}"));
        assert_eq!(masks.text("GPU-ba793"), first);
        assert_eq!(masks.text("GPU-77777,MIG-0"), "GPU-masked,MIG-masked");
    }

    /// Puts `secrets` behind every text of a value.
    fn tell(value: &mut Value, secrets: &str) {
        match value {
            Value::String(text) => *text = format!("{text} {secrets}"),
            Value::Array(values) => values.iter_mut().for_each(|value| tell(value, secrets)),
            Value::Object(fields) => fields.values_mut().for_each(|value| tell(value, secrets)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    #[test]
    fn no_text_of_a_snapshot_keeps_a_secret_and_the_snapshot_stays_one() {
        let secrets = "/home/ann/x hal9000 ann@corp.example 10.1.2.3 00:1a:2b:3c:4d:5e \
                       GPU-ba793fbf-0ad7-3ef2-2606-91ae096064e1 0x7f12a8a00000";
        let mut value = serde_json::to_value(super::super::fixtures::hgx()).unwrap();
        tell(&mut value, secrets);
        Masks::new(vec!["ann".to_owned(), "hal9000".to_owned()]).mask(&mut value);
        let text = value.to_string();
        for secret in ["/home", "hal9000", "ann", "corp", "10.1.2.3", "1a:2b", "ba793fbf", "7f12a8a"] {
            assert!(!text.contains(secret), "{secret}");
        }
    }

    #[test]
    fn what_was_masked_is_read_back_as_it_was() {
        let snapshot = serde_json::to_value(super::super::fixtures::real_vm()).unwrap();
        let mut masked = snapshot.clone();
        Masks::new(vec!["ann".to_owned()]).mask(&mut masked);
        assert_eq!(masked, snapshot);
    }

    #[test]
    fn every_text_of_a_value_is_masked() {
        let mut value = serde_json::json!({ "a": ["/home/ann"], "b": { "c": "ann x" }, "d": 7, "e": null });
        Masks::new(vec!["ann".to_owned()]).mask(&mut value);
        assert_eq!(
            value,
            serde_json::json!({ "a": ["<path>"], "b": { "c": "<name> x" }, "d": 7, "e": null })
        );
    }
}
