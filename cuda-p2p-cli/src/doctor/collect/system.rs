//! The kernel's own words: release, command line, driver, processor, firmware.

use std::collections::BTreeMap;
use std::fs;

use super::super::snapshot::System;
use super::{container, environment, iommu, pci};

/// Beginnings of the words of the kernel's command line that are kept.
const COMMAND_LINE: [&str; 6] = ["iommu", "intel_iommu=", "amd_iommu=", "pci=", "pcie_", "nvidia"];

/// Options of the driver that change peer access, as /proc/driver/nvidia/params spells them.
const DRIVER_OPTIONS: [&str; 5] = [
    "NvLinkDisable",
    "DmaRemapPeerMmio",
    "EnableResizableBar",
    "GrdmaPciTopoCheckOverride",
    "RegistryDwords",
];

/// Reads /proc and /sys.
pub(super) fn read() -> System {
    let kernel = line("/proc/sys/kernel/osrelease");
    System {
        command_line: line("/proc/cmdline").map(|text| command_line(&text)),
        iommus: iommu::units(),
        hypervisor: fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| hypervisor(&text)),
        product: product(),
        wsl: kernel.as_deref().is_some_and(is_wsl),
        container: container::read(),
        pci: pci::read(),
        driver_version: fs::read_to_string("/proc/driver/nvidia/version").ok().and_then(|text| driver(&text)),
        driver_options: fs::read_to_string("/proc/driver/nvidia/params")
            .map(|text| driver_options(&text))
            .unwrap_or_default(),
        environment: environment::variables(std::env::vars_os()),
        traced: fs::read_to_string("/proc/self/status").is_ok_and(|text| is_traced(&text)),
        tools: fs::read_to_string("/proc/self/maps")
            .map(|text| environment::tools(&text))
            .unwrap_or_default(),
        kernel,
    }
}

fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn command_line(text: &str) -> Vec<String> {
    let kept = |word: &&str| COMMAND_LINE.iter().any(|start| word.starts_with(start));
    text.split_whitespace().filter(kept).map(str::to_owned).collect()
}

fn is_wsl(kernel: &str) -> bool {
    kernel.to_ascii_lowercase().contains("microsoft")
}

/// The processor's own word; x86 only, others do not say.
fn hypervisor(cpuinfo: &str) -> Option<bool> {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"))?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

fn product() -> Option<String> {
    let field = |name: &str| line(&format!("/sys/class/dmi/id/{name}"));
    let words: Vec<String> = [field("sys_vendor"), field("product_name")].into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build": the first word like a release.
fn driver(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("NVRM version"))?;
    let is_release =
        |word: &&str| word.contains('.') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    line.split_whitespace().find(is_release).map(str::to_owned)
}

fn driver_options(text: &str) -> BTreeMap<String, String> {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs
        .filter(|(name, _)| DRIVER_OPTIONS.contains(name))
        .map(|(name, value)| (name.to_owned(), value.trim().trim_matches('"').to_owned()))
        .collect()
}

fn is_traced(status: &str) -> bool {
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|pid| pid.trim() != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_concerns_the_matter_is_kept_of_the_command_line() {
        let text =
            "BOOT_IMAGE=/vmlinuz root=UUID=1b2c ro quiet intel_iommu=on iommu=pt pci=realloc=off ip=10.0.0.1";
        assert_eq!(command_line(text), ["intel_iommu=on", "iommu=pt", "pci=realloc=off"]);
    }

    #[test]
    fn the_drivers_release_is_found_in_both_flavours() {
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (builder@)\nGCC version:  gcc version 15.3.0";
        assert_eq!(driver(open).as_deref(), Some("580.159.04"));
        let closed = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12";
        assert_eq!(driver(closed).as_deref(), Some("535.183.01"));
    }

    #[test]
    fn the_kernel_of_wsl_and_a_virtual_processor_say_so() {
        assert!(is_wsl("5.15.153.1-microsoft-standard-WSL2") && !is_wsl("6.8.0-52-generic"));
        assert_eq!(hypervisor("flags\t\t: fpu vme hypervisor lahf_lm"), Some(true));
        assert_eq!(hypervisor("flags\t\t: fpu vme"), Some(false));
        assert_eq!(hypervisor("CPU implementer\t: 0x41"), None);
    }

    #[test]
    fn options_of_the_driver_and_a_debugger_are_seen() {
        let options =
            driver_options("ResmanDebugLevel: 42\nNvLinkDisable: 1\nRegistryDwords: \"ForceP2P=0x11\"\n");
        assert_eq!(options.len(), 2);
        assert_eq!(options["RegistryDwords"], "ForceP2P=0x11");
        assert!(is_traced("State:\tR\nTracerPid:\t77\n") && !is_traced("TracerPid:\t0\n"));
    }
}
