//! Asks the runtime what the machine is. Runs in a child.

use cuda_p2p::{Device, Origin, Runtime};

use super::{BusId, DeviceInfo, Link, Machine, PairInfo, PciPlace, links};
use crate::machine::{MachineError, open, simulated_because};
use crate::options::{MachineChoice, OrderedPair};

/// Describes the machine that was chosen.
///
/// # Errors
/// It cannot be opened, or does not answer.
pub(crate) fn survey(choice: &MachineChoice) -> Result<Machine, MachineError> {
    let runtime = open(choice)?;
    let devices = runtime.devices()?;
    let (runtime_library, simulated_config) = match runtime.origin() {
        Origin::Library { path, .. } => (Some(path.display().to_string()), None),
        Origin::Simulator { config, .. } => (None, Some(config.clone())),
        Origin::SimulatorLibrary { path, config, .. } => {
            (Some(path.display().to_string()), Some(config.clone()))
        }
        _ => (None, None),
    };
    let mut machine = Machine {
        simulated: runtime.is_simulated(),
        simulated_because: simulated_because(runtime.origin()),
        simulated_config,
        runtime_version: runtime.version()?.to_string(),
        runtime_library,
        driver_cuda_version: runtime.driver_version()?.to_string(),
        driver_version: None,
        nvml_missing_because: None,
        devices: devices.iter().map(device).collect::<Result<_, _>>()?,
        pairs: pairs(&runtime, &devices)?,
    };
    // NVML and sysfs tell of real devices, which a simulated machine has none of.
    if !machine.simulated {
        add_places(&mut machine);
        links::add(&mut machine);
    }
    Ok(machine)
}

/// Adds what sysfs tells: NUMA nodes and the paths over PCIe.
fn add_places(machine: &mut Machine) {
    let place = |info: &DeviceInfo| BusId::parse(&info.bus_id).and_then(PciPlace::of);
    let places: Vec<(u32, Option<PciPlace>)> =
        machine.devices.iter().map(|info| (info.ordinal, place(info))).collect();
    let find = |ordinal: u32| places.iter().find(|(other, _)| *other == ordinal)?.1.as_ref();
    for info in &mut machine.devices {
        info.numa_node = find(info.ordinal).and_then(|place| place.numa_node);
    }
    for info in &mut machine.pairs {
        if let (Some(accessor), Some(owner)) = (find(info.pair.accessor), find(info.pair.owner)) {
            let path: Link = accessor.path_to(owner);
            info.pcie_path = Some(path);
            // NVML, which knows of NVLinks as well, has the last word.
            info.link = Some(path);
        }
    }
}

fn device(device: &Device) -> Result<DeviceInfo, cuda_p2p::Error> {
    Ok(DeviceInfo {
        ordinal: device.ordinal(),
        name: device.name()?,
        uuid: device.uuid()?.to_string(),
        bus_id: device.pci_bus_id()?,
        nvml_index: None,
        numa_node: None,
        nvlinks: None,
        compute_capability: device.compute_capability()?,
        // Needs a context, which a device in exclusive use by another process does not give.
        memory_bytes: device.memory_info().ok().map(|info| info.total as u64),
    })
}

fn pairs(runtime: &Runtime, devices: &[Device]) -> Result<Vec<PairInfo>, cuda_p2p::Error> {
    let matrix = runtime.peer_matrix()?;
    let find = |ordinal: u32| devices.iter().find(|device| device.ordinal() == ordinal);
    let mut pairs = Vec::new();
    for peer in matrix.pairs() {
        let (Some(accessor), Some(owner)) = (find(peer.accessor), find(peer.owner)) else { continue };
        let attributes = accessor.p2p_attributes(owner)?;
        pairs.push(PairInfo {
            pair: OrderedPair { accessor: peer.accessor, owner: peer.owner },
            can_access: peer.reachable,
            link: None,
            pcie_path: None,
            performance_rank: attributes.performance_rank,
            native_atomics: attributes.native_atomics_supported,
            array_access: attributes.cuda_array_access_supported,
        });
    }
    Ok(pairs)
}
