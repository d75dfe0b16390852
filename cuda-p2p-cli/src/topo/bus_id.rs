//! PCI addresses: CUDA and NVML write the same one differently.

use std::fmt;

/// A PCI address, without the differences in spelling. Its text is the one that sysfs uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BusId {
    domain: u32,
    bus: u8,
    device: u8,
    function: u8,
}

impl BusId {
    /// Reads "0000:1B:00.0" (CUDA) as well as "00000000:1b:00.0" (NVML), and CUDA's without a function.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().splitn(3, ':');
        let (domain, bus, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let (device, function) = rest.split_once('.').unwrap_or((rest, "0"));
        Some(Self {
            domain: u32::from_str_radix(domain, 16).ok()?,
            bus: u8::from_str_radix(bus, 16).ok()?,
            device: u8::from_str_radix(device, 16).ok()?,
            function: u8::from_str_radix(function, 16).ok()?,
        })
    }
}

impl fmt::Display for BusId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { domain, bus, device, function } = self;
        write!(f, "{domain:04x}:{bus:02x}:{device:02x}.{function:x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuda_and_nvml_spell_one_address() {
        let cuda = BusId::parse("0000:1B:00.0").unwrap();
        assert_eq!(BusId::parse("00000000:1b:00.0"), Some(cuda));
        assert_eq!(BusId::parse("0000:1b:00"), Some(cuda));
        assert_eq!(cuda.to_string(), "0000:1b:00.0");
    }

    #[test]
    fn every_part_tells_devices_apart() {
        let first = BusId::parse("0000:1B:00.0");
        for other in ["0001:1B:00.0", "0000:1C:00.0", "0000:1B:01.0", "0000:1B:00.1"] {
            assert_ne!(BusId::parse(other), first, "{other}");
        }
    }

    #[test]
    fn junk_is_no_address() {
        for junk in ["", "1B:00.0", "0000:1B", "0000:GG:00.0", "0000:1B:00.x", "0000:1FF:00.0"] {
            assert_eq!(BusId::parse(junk), None, "{junk:?}");
        }
    }
}
