//! Releases that do not go together, and drivers that do not run.

use super::super::facts::Facts;
use super::super::finding::{Certainty, Condition, Effect, Finding};

/// A driver older than the runtime, one of two halves, none, or WSL's; or no runtime.
pub(super) fn find(facts: &Facts<'_>, _: &[Finding]) -> Vec<Finding> {
    if facts.is_simulated() {
        return Vec::new();
    }
    mismatch(facts)
        .or_else(|| too_old(facts))
        .or_else(|| wsl(facts))
        .or_else(|| missing(facts))
        .or_else(|| runtime(facts))
        .into_iter()
        .collect()
}

fn mismatch(facts: &Facts<'_>) -> Option<Finding> {
    let (system, nvml) = (&facts.snapshot.system, &facts.snapshot.nvml);
    let said =
        nvml.missing_because.as_deref().filter(|text| text.to_ascii_lowercase().contains("version mismatch"));
    let differ =
        system.driver_version.as_ref().zip(nvml.driver_version.as_ref()).filter(|(one, other)| one != other);
    if said.is_none() && differ.is_none() {
        return None;
    }
    let mut finding = Finding::new(Condition::DriverMismatch, Effect::Blocks, Certainty::Certain);
    if let Some(version) = &system.driver_version {
        finding = finding.read("/proc/driver/nvidia/version", version);
    }
    match (said, &nvml.driver_version) {
        (Some(text), _) => finding = finding.read("NVML", text),
        (None, Some(version)) => finding = finding.read("NVML", version),
        (None, None) => {}
    }
    Some(
        finding
            .means("The driver's libraries were replaced while its kernel part stayed loaded: nothing new starts on the GPUs.")
            .remedy("Restart the machine, or unload the driver's modules with nobody using them, and load them anew."),
    )
}

fn too_old(facts: &Facts<'_>) -> Option<Finding> {
    let failure =
        facts.snapshot.cuda.failure.as_ref().filter(|failure| failure.is("cudaErrorInsufficientDriver"))?;
    // Without any driver the runtime says the same.
    facts.snapshot.system.driver_version.as_ref().or(facts.snapshot.nvml.driver_version.as_ref())?;
    let mut finding = Finding::new(Condition::DriverTooOld, Effect::Blocks, Certainty::Certain)
        .read("the CUDA runtime", failure.first_line());
    if let Some(version) = &facts.snapshot.nvml.driver_version {
        let cuda = facts.snapshot.nvml.cuda_version.as_deref().unwrap_or("unknown");
        finding = finding.read("NVML", format!("driver {version}, for CUDA up to {cuda}"));
    }
    Some(
        finding
            .means("The runtime is of a major release that the driver does not carry.")
            .remedy("Install a newer driver, or use a runtime library no newer than the driver (CUDA_P2P_CUDART names one)."),
    )
}

fn wsl(facts: &Facts<'_>) -> Option<Finding> {
    let system = &facts.snapshot.system;
    let without = facts.pairs.iter().filter(|pair| !pair.info.can_access).map(|pair| pair.info.pair);
    let without: Vec<_> = without.collect();
    if !system.wsl || without.is_empty() {
        return None;
    }
    Some(
        Finding::new(Condition::Wsl, Effect::Blocks, Certainty::Likely)
            .pairs(without)
            .read("/proc/sys/kernel/osrelease", system.kernel.as_deref().unwrap_or_default())
            .read("the CUDA runtime", "no access")
            .means("Under WSL the GPUs belong to Windows' driver, which grants no peer access to Linux programs.")
            .remedy("Run on Linux itself; here copies are staged through the host."),
    )
}

/// Nobody to drive the GPU, or no GPU.
fn missing(facts: &Facts<'_>) -> Option<Finding> {
    let (system, nvml) = (&facts.snapshot.system, &facts.snapshot.nvml);
    let reason = nvml.missing_because.as_deref().filter(|_| nvml.gpus.is_empty())?;
    let failure = facts.snapshot.cuda.failure.as_ref()?;
    let finding = Finding::new(Condition::DriverMissing, Effect::Blocks, Certainty::Certain)
        .read("NVML", reason)
        .read("the CUDA runtime", failure.first_line());
    let Some(gpu) = system.pci.iter().find(|device| device.class >> 16 == 0x03) else {
        return Some(finding.means("Neither an NVIDIA driver nor a GPU is seen from here.").remedy(
            "In a container, start it with the GPUs ('--gpus all'); else install a GPU and NVIDIA's driver.",
        ));
    };
    let driver = gpu.driver.as_deref().unwrap_or("none");
    Some(
        finding
            .read(format!("/sys/bus/pci/devices/{}/driver", gpu.address), driver)
            .means("There is a GPU on the bus, and NVIDIA's driver does not answer for it.")
            .remedy(match driver {
                "vfio-pci" => "The GPU is set aside for a virtual machine: give it back to the driver 'nvidia', or look from inside.",
                "nouveau" => "Another driver has it: keep 'nouveau' from loading, and install NVIDIA's.",
                _ => "Load the driver ('modprobe nvidia'), and look at 'dmesg' if that fails.",
            }),
    )
}

/// A driver, and no runtime library, or one that cannot be used.
fn runtime(facts: &Facts<'_>) -> Option<Finding> {
    let failure = facts.snapshot.cuda.failure.as_ref()?;
    if failure.name.is_some() || !failure.text.contains("libcudart") {
        return None;
    }
    let finding = Finding::new(Condition::RuntimeMissing, Effect::Blocks, Certainty::Certain)
        .read("the search for libcudart", failure.first_line());
    Some(
        finding
            .means("The driver is there, and the CUDA runtime library, which programs bring along, is not.")
            .remedy(
                "Install it ('pip install nvidia-cuda-runtime', or the CUDA toolkit), or name it by CUDA_P2P_CUDART; \
                 'cuda-p2p topo --real' lists where it was looked for.",
            ),
    )
}
