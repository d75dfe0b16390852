//! CASES 33 to 36: what slows pairs down, or confuses those who look.

use super::*;

/// Machines that work, and some whose driver does not.
pub(super) fn system() -> Vec<Row> {
    let insufficient =
        "cudaGetDeviceCount needs a driver of CUDA 13.0 or newer, and this machine's is of CUDA 12.8";
    vec![
        (
            "33: a container with namespaces of its own",
            change(hgx(), |snapshot| {
                snapshot.system.container.own_pid_namespace = Some(true);
                snapshot.system.container.own_ipc_namespace = Some(true);
            }),
            vec![(C::ContainerNamespaces, Notice, Certain, None)],
        ),
        (
            "33: little shared memory",
            change(hgx(), |snapshot| snapshot.system.container.shm_bytes = Some(64 << 20)),
            vec![(C::SmallShm, Notice, Likely, None)],
        ),
        (
            "34: three of eighteen NVLinks down",
            change(hgx(), |snapshot| {
                let links = snapshot.nvml.gpus[5].nvlinks.as_mut().unwrap();
                (links.up, links.down) = (15, 3);
            }),
            vec![(C::LinksDown, Slows, Certain, Some(14))],
        ),
        (
            "34: the same, and some of its pairs go over PCIe",
            change(hgx(), |snapshot| {
                snapshot.nvml.gpus[5].nvlinks.as_mut().unwrap().down = 3;
                for pair in &mut snapshot.cuda.machine.as_mut().unwrap().pairs {
                    if pair.pair.accessor == 0 || pair.pair.owner == 0 {
                        pair.link = pair.pcie_path;
                    }
                }
            }),
            vec![(C::LinksDown, Slows, Likely, Some(12))],
        ),
        (
            "34: the same on every GPU",
            change(real_vm(), |snapshot| {
                for links in snapshot.nvml.gpus.iter_mut().filter_map(|gpu| gpu.nvlinks.as_mut()) {
                    (links.up, links.down) = (15, 3);
                }
            }),
            vec![(C::LinksDown, Slows, Likely, Some(2))],
        ),
        (
            "35: CUDA numbers otherwise",
            change(pcie(), |snapshot| {
                for gpu in &mut snapshot.nvml.gpus {
                    gpu.index = 3 - gpu.index;
                }
            }),
            vec![(C::OrderDiffers, Notice, Certain, None)],
        ),
        (
            "35: a variable hides two GPUs and swaps the others",
            change(pcie(), |snapshot| {
                set(snapshot, "CUDA_VISIBLE_DEVICES", "1,0");
                let machine = snapshot.cuda.machine.as_mut().unwrap();
                machine.devices.truncate(2);
                machine.pairs.retain(|pair| pair.pair.accessor < 2 && pair.pair.owner < 2);
                (snapshot.nvml.gpus[0].index, snapshot.nvml.gpus[1].index) = (1, 0);
                snapshot.cuda.trials.retain(|trial| trial.pair.accessor < 2 && trial.pair.owner < 2);
            }),
            vec![(C::VisibleDevices, Notice, Certain, None)],
        ),
        (
            "35: a variable hides all",
            change(
                does_not_start(pcie(), "cudaGetDevice failed with 100 (cudaErrorNoDevice): none"),
                |snapshot| {
                    set(snapshot, "CUDA_VISIBLE_DEVICES", "");
                },
            ),
            vec![(C::VisibleDevices, Blocks, Certain, None)],
        ),
        (
            "35: NVML lists a GPU that CUDA does not",
            change(pcie(), |snapshot| {
                let machine = snapshot.cuda.machine.as_mut().unwrap();
                machine.devices.pop();
                machine.pairs.retain(|pair| pair.pair.accessor < 3 && pair.pair.owner < 3);
            }),
            vec![(C::ListsDisagree, Notice, Certain, None)],
        ),
        (
            "36: slower than staging",
            change(pcie(), |snapshot| {
                let speed = |accessor, owner, direct| PairSpeed {
                    pair: OrderedPair { accessor, owner },
                    direct,
                    staged: 20e9,
                };
                snapshot.speeds = vec![speed(0, 1, 24e9), speed(0, 2, 9e9)];
            }),
            vec![(C::SlowerThanStaging, Slows, Certain, Some(1))],
        ),
        (
            "lanes lost",
            change(pcie(), |s| s.nvml.gpus[2].pcie = Some(PcieWidth { current: 4, most: 16 })),
            vec![(C::PcieNarrow, Slows, Certain, Some(6))],
        ),
        (
            "a GPU off the bus",
            change(
                does_not_start(pcie(), "cudaGetDeviceCount failed with 999 (cudaErrorUnknown)"),
                |snapshot| {
                    snapshot.nvml.gpus.remove(1);
                    snapshot.nvml.lost.push((1, "the target GPU has fallen off the bus".to_owned()));
                },
            ),
            vec![(C::GpuLost, Blocks, Certain, None)],
        ),
        (
            "a driver older than the runtime",
            does_not_start(pcie(), insufficient),
            vec![(C::DriverTooOld, Blocks, Certain, None)],
        ),
        (
            "a driver, and no runtime",
            does_not_start(
                pcie(),
                "no usable libcudart.so.13: install the CUDA runtime\nTried:\n  <path>: no such file",
            ),
            vec![(C::RuntimeMissing, Blocks, Certain, None)],
        ),
        (
            "a driver of two halves",
            change(does_not_start(pcie(), "cudaGetDeviceCount failed with 803"), |snapshot| {
                snapshot.nvml = Nvml {
                    missing_because: Some("driver/library version mismatch".to_owned()),
                    ..Default::default()
                };
            }),
            vec![(C::DriverMismatch, Blocks, Certain, None)],
        ),
        (
            "a GPU that is set aside for a virtual machine",
            change(does_not_start(pcie(), "failed with 35 (cudaErrorInsufficientDriver)"), |snapshot| {
                snapshot.system.driver_version = None;
                snapshot.system.pci.iter_mut().for_each(|device| device.driver = Some("vfio-pci".to_owned()));
                snapshot.nvml =
                    Nvml { missing_because: Some("NVML not found".to_owned()), ..Default::default() };
            }),
            vec![(C::DriverMissing, Blocks, Certain, None)],
        ),
        (
            "a sanitizer",
            change(hgx(), |s| s.system.tools = vec!["libsanitizer-collection.so".to_owned()]),
            vec![(C::Instrumented, Slows, Certain, None)],
        ),
        (
            "an injection by a variable",
            change(hgx(), |snapshot| set(snapshot, "CUDA_INJECTION64_PATH", "set")),
            vec![(C::Instrumented, Slows, Certain, None)],
        ),
        (
            "a debugger",
            change(hgx(), |snapshot| snapshot.system.traced = true),
            vec![(C::Instrumented, Slows, Certain, None)],
        ),
        (
            "heat",
            change(hgx(), |s| {
                s.nvml.gpus[6].slowdowns = vec!["hw_slowdown".to_owned(), "hw_thermal".to_owned()]
            }),
            vec![(C::Throttled, Slows, Likely, None)],
        ),
        (
            "no persistence",
            change(pcie(), |s| s.nvml.gpus.iter_mut().for_each(|gpu| gpu.persistence = Some(false))),
            vec![(C::PersistenceOff, Notice, Certain, None)],
        ),
    ]
}
