//! Variables and libraries of this process that change what CUDA does.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// Variables whose values matter.
const SETTINGS: [&str; 11] = [
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "NVIDIA_VISIBLE_DEVICES",
    "NCCL_P2P_DISABLE",
    "NCCL_P2P_LEVEL",
    "NCCL_SHM_DISABLE",
    "NCCL_NVLS_ENABLE",
    "NCCL_IGNORE_DISABLED_P2P",
    "NCCL_CUMEM_ENABLE",
    "UCX_TLS",
];

/// Beginnings of the names of variables by which tools load themselves into programs. Their values are paths, and not kept.
const TOOLS: [&str; 7] = [
    "CUDA_INJECTION",
    "NVTX_INJECTION",
    "NV_SANITIZER",
    "NV_NSIGHT_INJECTION",
    "NV_COMPUTE_PROFILER",
    "QUADD_INJECTION",
    "CUDBG_",
];

/// Beginnings of the names of the tools' libraries.
const LIBRARIES: [&str; 9] = [
    "libsanitizer-",
    "libInterceptorInjectionTarget",
    "libTreeLauncher",
    "libToolsInjection",
    "libcuda-injection",
    "libcuda_injection",
    "libnsys",
    "libcudadebugger",
    "libcupti",
];

/// Of these variables, the ones that matter.
pub(super) fn variables(all: impl Iterator<Item = (OsString, OsString)>) -> BTreeMap<String, String> {
    all.filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        if SETTINGS.contains(&name.as_str()) {
            Some((name, value.to_string_lossy().into_owned()))
        } else if TOOLS.iter().any(|start| name.starts_with(start)) {
            Some((name, "set".to_owned()))
        } else {
            None
        }
    })
    .collect()
}

/// Whether a variable of this name is a tool's.
pub(in crate::doctor) fn is_tools(name: &str) -> bool {
    TOOLS.iter().any(|start| name.starts_with(start))
}

/// Names of tools' libraries in the text of /proc/self/maps.
pub(super) fn tools(maps: &str) -> Vec<String> {
    let names = maps.lines().filter_map(|line| line.rsplit_once('/')).map(|(_, name)| name.trim());
    let mut found: Vec<String> = names
        .filter(|name| LIBRARIES.iter().any(|start| name.starts_with(start)))
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_keep_their_values_and_tools_only_their_names() {
        let given = [
            ("CUDA_VISIBLE_DEVICES", "1,0"),
            ("CUDA_INJECTION64_PATH", "/home/ann/libtool.so"),
            ("HOME", "/home/ann"),
        ];
        let kept = variables(given.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
        assert_eq!(kept.len(), 2);
        assert_eq!(kept["CUDA_VISIBLE_DEVICES"], "1,0");
        assert_eq!(kept["CUDA_INJECTION64_PATH"], "set");
        assert!(is_tools("CUDA_INJECTION64_PATH") && !is_tools("CUDA_VISIBLE_DEVICES"));
    }

    #[test]
    fn tools_are_known_by_their_libraries() {
        let maps = "7f00-7f01 r-xp 00 fe:00 1 /opt/nvidia/compute-sanitizer/libsanitizer-collection.so\n\
                    7f02-7f03 r--p 00 fe:00 1 /opt/nvidia/compute-sanitizer/libsanitizer-collection.so\n\
                    7f04-7f05 r-xp 00 fe:00 2 /usr/lib/x86_64-linux-gnu/libc.so.6\n";
        assert_eq!(tools(maps), ["libsanitizer-collection.so"]);
    }
}
