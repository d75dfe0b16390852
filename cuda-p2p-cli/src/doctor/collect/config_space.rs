//! Two capabilities in a PCI device's configuration: access control of bridges, and the clique for peer access.

use super::super::snapshot::Acs;

/// What everybody may read of a configuration; the rest takes root.
const PUBLIC: usize = 64;

/// Where the extended capabilities begin.
const EXTENDED: usize = 0x100;

/// Number of the extended capability "Access Control Services".
const ACS: u16 = 0x000d;

/// Number of the capability that is the maker's own.
const VENDOR_SPECIFIC: u8 = 0x09;

/// Whether more could be read than everybody may.
pub(super) fn is_whole(config: &[u8]) -> bool {
    config.len() > PUBLIC
}

/// Access control of a bridge.
pub(super) fn acs(config: &[u8]) -> Acs {
    if !is_whole(config) {
        return Acs::Unreadable;
    }
    // A device whose configuration is short has no extended capabilities.
    let found = extended(config, ACS).and_then(|at| half(config, at + 6));
    found.map_or(Acs::Absent, |control| Acs::Present { control })
}

/// The clique that a hypervisor writes for NVIDIA's driver: the letters "P2P", then the number in bits 3 to 6.
pub(super) fn p2p_clique(config: &[u8]) -> Option<u8> {
    let at = capabilities(config).into_iter().find(|at| {
        config.get(*at) == Some(&VENDOR_SPECIFIC) && config.get(at + 3..at + 6) == Some(b"P2P".as_slice())
    })?;
    config.get(at + 6).map(|byte| byte >> 3 & 0x0f)
}

fn half(config: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(config.get(at..at + 2)?.try_into().ok()?))
}

/// Places of the plain capabilities. The list is the device's own, and a broken one may go in circles.
fn capabilities(config: &[u8]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut next = config.get(0x34).copied().unwrap_or(0);
    while next >= 0x40 && places.len() < 48 {
        let at = usize::from(next & 0xfc);
        places.push(at);
        next = config.get(at + 1).copied().unwrap_or(0);
    }
    places
}

/// Place of an extended capability.
fn extended(config: &[u8], wanted: u16) -> Option<usize> {
    let mut at = EXTENDED;
    for _ in 0..1024 {
        let number = half(config, at)?;
        if number == wanted {
            return Some(at);
        }
        at = usize::from(half(config, at + 2)? >> 4) & !3;
        if at < EXTENDED {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A configuration with the extended capability 1 first, then access control.
    fn bridge(control: u16) -> Vec<u8> {
        let mut config = vec![0; 4096];
        config[0x100..0x104].copy_from_slice(&[0x01, 0x00, 0x01, 0x14]);
        config[0x140..0x144].copy_from_slice(&[0x0d, 0x00, 0x01, 0x00]);
        config[0x146..0x148].copy_from_slice(&control.to_le_bytes());
        config
    }

    /// The first bytes of a passed-through H200, and a hypervisor's capability at 0xc8 if it names a clique.
    fn gpu(clique: Option<u8>) -> Vec<u8> {
        let mut config = vec![0; 256];
        config[0x34] = 0x40;
        config[0x40..0x44].copy_from_slice(&[0x01, 0x48, 0x13, 0x00]);
        config[0x48..0x4c].copy_from_slice(&[0x05, 0x60, 0x88, 0x03]);
        config[0x60..0x64].copy_from_slice(&[0x10, 0xb0, 0x02, 0x00]);
        config[0xb0..0xb4].copy_from_slice(&[0x11, if clique.is_some() { 0xc8 } else { 0 }, 0x08, 0x80]);
        if let Some(clique) = clique {
            config[0xc8..0xd0].copy_from_slice(&[0x09, 0, 8, b'P', b'2', b'P', clique << 3, 0]);
        }
        config
    }

    #[test]
    fn access_control_is_found_behind_other_capabilities() {
        assert_eq!(acs(&bridge(0x1d)), Acs::Present { control: 0x1d });
        assert_eq!(acs(&bridge(0x1d)).redirects(), Some(true));
        assert_eq!(acs(&bridge(0x11)).redirects(), Some(false));
    }

    #[test]
    fn unreadable_is_not_absent() {
        assert_eq!(acs(&bridge(0x1d)[..64]), Acs::Unreadable);
        assert_eq!(acs(&[0; 4096]), Acs::Absent);
        assert_eq!(acs(&[0; 256]), Acs::Absent);
        assert_eq!(Acs::Unreadable.redirects(), None);
    }

    #[test]
    fn the_clique_is_read_where_a_hypervisor_writes_it() {
        assert_eq!(p2p_clique(&gpu(Some(0))), Some(0));
        assert_eq!(p2p_clique(&gpu(Some(5))), Some(5));
        assert_eq!(p2p_clique(&gpu(None)), None);
        assert_eq!(p2p_clique(&gpu(Some(5))[..64]), None);
    }

    #[test]
    fn a_list_that_goes_in_circles_ends() {
        let mut config = gpu(None);
        config[0xb1] = 0x40;
        assert_eq!(p2p_clique(&config), None);
        let mut config = vec![0; 4096];
        config[0x100..0x104].copy_from_slice(&[0x01, 0x00, 0x01, 0x10]);
        assert_eq!(acs(&config), Acs::Absent);
    }
}
