//! What NVML tells of the devices that CUDA sees: nvidia-smi's index, and the links.
//!
//! NVML knows every GPU of the machine in an order of its own; the two views are joined by bus id, never by number.

use nvml_wrapper::enum_wrappers::device::{P2pCapabilitiesIndex, P2pStatus, TopologyLevel};
use nvml_wrapper::enums::device::SampleValue;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::structs::device::FieldId;
use nvml_wrapper::sys_exports::field_id::{
    NVML_FI_DEV_NVLINK_GET_SPEED, NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON,
};
use nvml_wrapper::{Device, Nvml};
use serde::{Deserialize, Serialize};

use super::bus_id::BusId;
use super::{DeviceInfo, Link, Machine};

/// Links that any GPU may have; asking for one that it has not is an error, and means that there are no more.
const MAX_NVLINKS: u32 = 64;

/// NVML's fields that have the speed of a link, in units of 10^6 bytes a second and direction: newer devices answer to the first.
const LINK_SPEED: [FieldId; 2] =
    [FieldId(NVML_FI_DEV_NVLINK_GET_SPEED), FieldId(NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON)];

/// A device's NVLinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Nvlinks {
    /// Links that are up.
    pub(crate) up: u32,
    /// Links that it has and that are down.
    pub(crate) down: u32,
    /// Bytes a second that one link carries in one direction.
    pub(crate) link_bytes_per_second: Option<u64>,
}

/// Adds to `machine` what NVML knows, or why it knows nothing.
pub(super) fn add(machine: &mut Machine) {
    let nvml = match Nvml::init() {
        Ok(nvml) => nvml,
        Err(error) => {
            machine.nvml_missing_because = Some(nvml_reason(&error));
            return;
        }
    };
    machine.driver_version = nvml.sys_driver_version().ok();
    let handles = handles(&nvml);
    let find = |info: &DeviceInfo| {
        let wanted = BusId::parse(&info.bus_id)?;
        handles.iter().find(|(_, bus_id, _)| *bus_id == wanted)
    };
    for info in &mut machine.devices {
        let handle = find(info);
        info.nvml_index = handle.map(|(index, _, _)| *index);
        info.nvlinks = handle.and_then(|(_, _, device)| nvlinks(device));
    }
    for pair in &mut machine.pairs {
        let device =
            |ordinal: u32| machine.devices.iter().find(|info| info.ordinal == ordinal).and_then(find);
        if let (Some(accessor), Some(owner)) = (device(pair.pair.accessor), device(pair.pair.owner)) {
            pair.link = link(accessor, owner, &handles).or(pair.link);
        }
    }
    machine.nvml_missing_because = unjoined(&machine.devices);
}

/// Which devices NVML does not list, if there are such.
fn unjoined(devices: &[DeviceInfo]) -> Option<String> {
    let missing: Vec<String> = devices
        .iter()
        .filter(|info| info.nvml_index.is_none())
        .map(|info| format!("{} ({})", info.ordinal, info.bus_id))
        .collect();
    let word = if missing.len() == 1 { "device" } else { "devices" };
    (!missing.is_empty()).then(|| format!("NVML does not list {word} {}", missing.join(", ")))
}

/// A device as NVML sees it.
type Handle<'nvml> = (u32, BusId, Device<'nvml>);

fn handles(nvml: &Nvml) -> Vec<Handle<'_>> {
    let count = nvml.device_count().unwrap_or(0);
    // A GPU that has fallen off the bus, or that this container may not see, gives an error: the others remain.
    (0..count)
        .filter_map(|index| {
            let device = nvml.device_by_index(index).ok()?;
            let bus_id = BusId::parse(&device.pci_info().ok()?.bus_id)?;
            Some((index, bus_id, device))
        })
        .collect()
}

fn link(accessor: &Handle<'_>, owner: &Handle<'_>, all: &[Handle<'_>]) -> Option<Link> {
    if matches!(accessor.2.p2p_status(&owner.2, P2pCapabilitiesIndex::NvLink), Ok(P2pStatus::Ok)) {
        let remotes = active_links(&accessor.2);
        let links =
            count_towards(&remotes, owner.1, |remote| all.iter().any(|(_, bus_id, _)| *bus_id == remote));
        if links > 0 {
            return Some(Link::Nvlink { links });
        }
    }
    // NVML's call takes the other device by value, and its handle is not `Clone`: ask for it anew.
    let other = owner.2.nvml().device_by_index(owner.0).ok()?;
    Some(match accessor.2.topology_common_ancestor(other).ok()? {
        TopologyLevel::Internal => Link::Internal,
        TopologyLevel::Single => Link::PcieSwitch,
        TopologyLevel::Multiple => Link::PcieSwitches,
        TopologyLevel::HostBridge => Link::HostBridge,
        TopologyLevel::Node => Link::NumaNode,
        TopologyLevel::System => Link::System,
    })
}

/// The device's NVLinks; `None` if none of them is up, as on a card without a bridge, or if NVML does not tell.
pub(crate) fn nvlinks(device: &Device<'_>) -> Option<Nvlinks> {
    let states = || (0..MAX_NVLINKS).map_while(|number| device.link_wrapper_for(number).is_active().ok());
    let count = |wanted: bool| u32::try_from(states().filter(|up| *up == wanted).count()).unwrap_or(0);
    let up = count(true);
    let speed = || {
        let values = device.field_values_for(&LINK_SPEED).ok()?;
        let megabytes = values.into_iter().filter_map(|sample| match sample.ok()?.value.ok()? {
            SampleValue::U32(value) => Some(u64::from(value)),
            SampleValue::U64(value) => Some(value),
            SampleValue::F64(_) | SampleValue::I64(_) => None,
        });
        megabytes.filter(|megabytes| *megabytes > 0).map(|megabytes| megabytes * 1_000_000).next()
    };
    (up > 0).then(|| Nvlinks { up, down: count(false), link_bytes_per_second: speed() })
}

/// The far end of each active NVLink; `None` where NVML does not name it, as with some switches.
fn active_links(device: &Device<'_>) -> Vec<Option<BusId>> {
    (0..MAX_NVLINKS)
        .map(|number| device.link_wrapper_for(number))
        .map_while(|link| link.is_active().ok().map(|active| (link, active)))
        .filter(|(_, active)| *active)
        .map(|(link, _)| link.remote_pci_info().ok().and_then(|remote| BusId::parse(&remote.bus_id)))
        .collect()
}

/// Links that lead to `owner`: those that end at it, or, if none does, those that end at no GPU, which means at a switch.
fn count_towards(remotes: &[Option<BusId>], owner: BusId, is_gpu: impl Fn(BusId) -> bool) -> u32 {
    let direct = remotes.iter().filter(|remote| **remote == Some(owner)).count();
    let switched = remotes.iter().filter(|remote| remote.is_none_or(|remote| !is_gpu(remote))).count();
    u32::try_from(if direct > 0 { direct } else { switched }).unwrap_or(u32::MAX)
}

/// Why NVML tells nothing, in a few words.
pub(crate) fn nvml_reason(error: &NvmlError) -> String {
    match error {
        NvmlError::LibloadingError(_) => "NVML not found".to_owned(),
        other => format!("NVML does not answer ({other})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(bus: u8) -> BusId {
        BusId::parse(&format!("0000:{bus:02x}:00.0")).unwrap()
    }

    #[test]
    fn devices_that_nvml_does_not_list_are_named() {
        let mut devices = crate::output::fixtures::machine(3, 3, None).devices;
        assert_eq!(unjoined(&devices), None);
        devices[1].nvml_index = None;
        assert_eq!(unjoined(&devices).unwrap(), "NVML does not list device 1 (0000:1C:00.0)");
        devices[2].nvml_index = None;
        let both = "NVML does not list devices 1 (0000:1C:00.0), 2 (0000:1D:00.0)";
        assert_eq!(unjoined(&devices).unwrap(), both);
    }

    #[test]
    fn direct_links_are_counted_by_their_far_end() {
        let remotes = [Some(id(2)), Some(id(2)), Some(id(3))];
        assert_eq!(count_towards(&remotes, id(2), |_| true), 2);
        assert_eq!(count_towards(&remotes, id(3), |_| true), 1);
        assert_eq!(count_towards(&remotes, id(4), |_| true), 0);
    }

    #[test]
    fn links_to_a_switch_lead_to_every_gpu() {
        let remotes = [Some(id(0xa0)), Some(id(0xa1)), None];
        assert_eq!(count_towards(&remotes, id(2), |remote| remote == id(2) || remote == id(3)), 3);
    }
}
