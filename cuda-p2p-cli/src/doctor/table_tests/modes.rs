//! CASE 32: what keeps access from being granted, each its own diagnosis.

use super::*;

/// Machines on which the runtime says no, or a call fails.
pub(super) fn modes() -> Vec<Row> {
    let not_mapped =
        "cudaDeviceEnablePeerAccess on device 0 failed with 205 (cudaErrorMapBufferObjectFailed): mapping";
    let small_bar = |bar1: u64| {
        change(pcie(), |snapshot| {
            snapshot.nvml.gpus[1].bar1_bytes = Some(bar1);
            tried(snapshot, 0, 1, &failed(Step::Enable, not_mapped));
        })
    };
    let no_clique = |readable: bool| {
        change(without_access(pcie_vm(), "chipset_not_supported"), |snapshot| {
            for device in &mut snapshot.system.pci {
                device.p2p_clique = None;
                device.config_readable = readable;
            }
        })
    };
    vec![
        (
            "32: MIG on one of eight",
            change(without_access(hgx(), "ok"), |snapshot| {
                snapshot.nvml.gpus[3].mig = Some(true);
                for pair in &mut snapshot.cuda.machine.as_mut().unwrap().pairs {
                    pair.can_access = pair.pair.accessor != 3 && pair.pair.owner != 3;
                }
            }),
            vec![(C::Mig, Blocks, Certain, Some(14))],
        ),
        (
            "32: MIG on all, so that CUDA lists one instance",
            change(hgx(), |snapshot| {
                snapshot.nvml.gpus.iter_mut().for_each(|gpu| gpu.mig = Some(true));
                let machine = snapshot.cuda.machine.as_mut().unwrap();
                machine.devices.truncate(1);
                machine.pairs.clear();
                snapshot.cuda.trials.clear();
            }),
            vec![(C::Mig, Blocks, Certain, None)],
        ),
        (
            "32: confidential computing",
            change(without_access(real_vm(), "not_supported"), |snapshot| {
                snapshot.nvml.confidential = Some(Confidential { enabled: true, multi_gpu: false });
                snapshot.nvml.gpus.iter_mut().for_each(|gpu| gpu.nvlinks = None);
            }),
            vec![(C::ConfidentialComputing, Blocks, Certain, Some(2))],
        ),
        (
            "32: protected PCIe, with access",
            change(real_vm(), |snapshot| {
                snapshot.nvml.confidential = Some(Confidential { enabled: true, multi_gpu: true });
            }),
            vec![],
        ),
        (
            "32: 802 on the metal, GPUs not registered",
            change(does_not_start(hgx(), NOT_READY), |snapshot| {
                for gpu in &mut snapshot.nvml.gpus {
                    gpu.fabric = Some(Fabric { state: "in_progress".to_owned(), status: 0 });
                }
            }),
            vec![(C::FabricNotReady, Blocks, Certain, None)],
        ),
        (
            "32: 802 in a virtual machine that sees no switch",
            change(does_not_start(real_vm(), NOT_READY), |snapshot| {
                snapshot.nvml.gpus.iter_mut().for_each(|gpu| gpu.fabric = None);
            }),
            vec![(C::FabricNotReady, Blocks, Likely, None)],
        ),
        (
            "32: CUDA starts, and the GPUs are not registered and no peers",
            change(without_access(hgx(), "not_supported"), |snapshot| {
                for gpu in &mut snapshot.nvml.gpus {
                    gpu.fabric = Some(Fabric { state: "not_started".to_owned(), status: 0 });
                }
            }),
            vec![(C::FabricNotReady, Blocks, Likely, Some(56))],
        ),
        (
            "32: 205 with a small BAR1",
            small_bar(256 << 20),
            vec![(C::Bar1TooSmall, Blocks, Certain, Some(1))],
        ),
        ("32: 205 with a large BAR1", small_bar(1 << 40), vec![(C::Bar1TooSmall, Blocks, Likely, Some(1))]),
        (
            "32: a virtual machine without a clique",
            no_clique(true),
            vec![(C::VmWithoutClique, Blocks, Likely, Some(2))],
        ),
        ("32: the same, not root", no_clique(false), vec![(C::VmWithoutClique, Blocks, Possible, Some(2))]),
        (
            "32: two cliques",
            change(without_access(pcie_vm(), "not_supported"), |s| s.system.pci[1].p2p_clique = Some(1)),
            vec![(C::VmWithoutClique, Blocks, Likely, Some(2))],
        ),
        ("32: GeForce", geforce(), vec![(C::ProductWithoutP2p, Blocks, Likely, Some(2))]),
        (
            "32: GeForce in a virtual machine",
            change(geforce(), |snapshot| snapshot.system.hypervisor = Some(true)),
            vec![(C::ProductWithoutP2p, Blocks, Likely, Some(2))],
        ),
        (
            "32: a chipset",
            without_access(pcie(), "topology_not_supported"),
            vec![(C::ChipsetWithoutP2p, Blocks, Likely, Some(12))],
        ),
        (
            "32: the driver's registry",
            without_access(pcie(), "disabled_by_registry"),
            vec![(C::DisabledInDriver, Blocks, Likely, Some(12))],
        ),
        (
            "32: NVLinks switched off in the driver",
            change(pcie(), |snapshot| {
                snapshot.system.driver_options.insert("NvLinkDisable".to_owned(), "1".to_owned());
            }),
            vec![(C::DisabledInDriver, Slows, Certain, None)],
        ),
        (
            "32: WSL",
            change(without_access(geforce(), "unknown"), |snapshot| {
                snapshot.system.wsl = true;
                snapshot.system.kernel = Some("5.15.153.1-microsoft-standard-WSL2".to_owned());
                snapshot.system.hypervisor = Some(true);
                snapshot.system.pci.clear();
            }),
            vec![(C::Wsl, Blocks, Likely, Some(2))],
        ),
        (
            "no access, and nothing to see",
            without_access(pcie(), "not_supported"),
            vec![(C::NoAccess, Blocks, Certain, Some(12))],
        ),
        (
            "the compute mode lets nobody in",
            change(
                does_not_start(hgx(), "cudaGetDeviceCount failed with 100 (cudaErrorNoDevice)"),
                |snapshot| {
                    for gpu in &mut snapshot.nvml.gpus {
                        gpu.compute_mode = Some("prohibited".to_owned());
                    }
                },
            ),
            vec![(C::ComputeMode, Blocks, Certain, None)],
        ),
        (
            "the compute mode lets one in, who is there",
            change(hgx(), |snapshot| {
                let busy = "cudaSetDevice failed with 46 (cudaErrorDevicesUnavailable): busy";
                snapshot.nvml.gpus[0].compute_mode = Some("exclusive_process".to_owned());
                both(snapshot, &failed(Step::Prepare, busy));
            }),
            vec![(C::ComputeMode, Blocks, Likely, Some(14))],
        ),
        (
            "the compute mode lets one in",
            change(hgx(), |s| s.nvml.gpus[0].compute_mode = Some("exclusive_process".to_owned())),
            vec![(C::ComputeMode, Notice, Certain, Some(14))],
        ),
        (
            "more than eight peers",
            change(pcie(), |snapshot| {
                let text = "device 0 has reached its limit of peers (cudaErrorTooManyPeers, 711; eight)";
                tried(snapshot, 0, 3, &failed(Step::Enable, text));
            }),
            vec![(C::TooManyPeers, Blocks, Certain, Some(1))],
        ),
        (
            "a call that fails, and nothing to see",
            change(pcie(), |s| {
                both(s, &failed(Step::Prepare, "cudaMalloc failed with 2 (cudaErrorMemoryAllocation)"))
            }),
            vec![(C::CallFails, Blocks, Certain, Some(2))],
        ),
    ]
}
