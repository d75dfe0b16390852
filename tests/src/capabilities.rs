//! What the machine has: asked once, in a process of its own, before any case starts.

use std::ffi::CStr;

use cuda_p2p_sys::{CudaRuntime, cudaDeviceAttr, cudaDeviceP2PAttr, cudaError, cudaError_t, kernels};

use crate::arm::{Arm, Opened};
use crate::driver::Driver;
use crate::test_kernels::test_kernels;

/// What the machine has.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Capabilities {
    /// The library, or the simulated machine.
    pub(crate) source: String,
    /// `cudaRuntimeGetVersion`
    pub(crate) runtime: i32,
    /// `cudaDriverGetVersion`
    pub(crate) driver: i32,
    /// Names, by ordinal.
    pub(crate) devices: Vec<String>,
    /// Ordered pairs: the first can access the second.
    pub(crate) peers: Vec<(usize, usize)>,
    /// Native atomics from device 0 to device 1.
    pub(crate) native_atomics: bool,
    /// This crate's kernels are there in the form that the arm runs.
    pub(crate) kernels: bool,
    /// Device 0 has memory pools.
    pub(crate) pools: bool,
    /// Device 0 has managed memory.
    pub(crate) managed: bool,
    /// Device 0 gives handles of its memory and events for other processes.
    pub(crate) ipc: bool,
}

impl Capabilities {
    /// Asks the runtime.
    ///
    /// # Errors
    /// The call that failed, and its code. No device at all is an error too: there is nothing to run a case on.
    pub(crate) fn ask(opened: &Opened) -> Result<Self, String> {
        let table = opened.table;
        let mut found = Self {
            source: opened.source.clone(),
            kernels: match opened.arm {
                Arm::Real => {
                    kernels().fatbin().is_some()
                        && test_kernels().fatbin().is_some()
                        && (table.cudaLibraryLoadData.is_some() || Driver::of(table).is_some())
                }
                Arm::Simulator => kernels().host().is_some() && test_kernels().host().is_some(),
            },
            ..Self::default()
        };
        found.runtime = integer("cudaRuntimeGetVersion", |place| {
            // SAFETY: `place` is a valid place for an int.
            table.cudaRuntimeGetVersion.map(|function| unsafe { function(place) })
        })?;
        found.driver = integer("cudaDriverGetVersion", |place| {
            // SAFETY: as above.
            table.cudaDriverGetVersion.map(|function| unsafe { function(place) })
        })?;
        let count = integer("cudaGetDeviceCount", |place| {
            // SAFETY: as above.
            table.cudaGetDeviceCount.map(|function| unsafe { function(place) })
        })?;
        if count == 0 {
            return Err("cudaGetDeviceCount says 0 devices".to_owned());
        }
        found.devices = (0..count).map(|device| name_of(table, device)).collect();
        for a in 0..count {
            for b in (0..count).filter(|b| *b != a) {
                let can_access = integer("cudaDeviceCanAccessPeer", |place| {
                    // SAFETY: as above.
                    table.cudaDeviceCanAccessPeer.map(|function| unsafe { function(place, a, b) })
                })?;
                if can_access == 1 {
                    found.peers.push((a as usize, b as usize));
                }
            }
        }
        found.native_atomics = count > 1
            && integer("cudaDeviceGetP2PAttribute", |place| {
                let attribute = cudaDeviceP2PAttr::cudaDevP2PAttrNativeAtomicSupported;
                // SAFETY: as above.
                table.cudaDeviceGetP2PAttribute.map(|function| unsafe { function(place, attribute, 0, 1) })
            })? == 1;
        let has = |attribute| {
            integer("cudaDeviceGetAttribute", |place| {
                // SAFETY: as above.
                table.cudaDeviceGetAttribute.map(|function| unsafe { function(place, attribute, 0) })
            })
            .is_ok_and(|value| value == 1)
        };
        found.pools = has(cudaDeviceAttr::cudaDevAttrMemoryPoolsSupported);
        found.managed = has(cudaDeviceAttr::cudaDevAttrManagedMemory);
        found.ipc = has(cudaDeviceAttr::cudaDevAttrIpcEventSupport);
        Ok(found)
    }

    /// One `key value` a line: what [`parse`](Self::parse) reads back.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("source {}", self.source),
            format!("runtime {}", self.runtime),
            format!("driver {}", self.driver),
        ];
        lines.extend(self.devices.iter().map(|name| format!("device {name}")));
        lines.extend(self.peers.iter().map(|(a, b)| format!("peers {a} {b}")));
        for (key, value) in [
            ("native-atomics", self.native_atomics),
            ("kernels", self.kernels),
            ("pools", self.pools),
            ("managed", self.managed),
            ("ipc", self.ipc),
        ] {
            lines.push(format!("{key} {value}"));
        }
        lines
    }

    /// Reads what [`lines`](Self::lines) wrote; a line that it does not know is left out.
    pub(crate) fn parse<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut found = Self::default();
        for line in lines {
            let Some((key, value)) = line.split_once(' ') else { continue };
            match key {
                "source" => found.source = value.to_owned(),
                "runtime" => found.runtime = value.parse().unwrap_or_default(),
                "driver" => found.driver = value.parse().unwrap_or_default(),
                "device" => found.devices.push(value.to_owned()),
                "peers" => {
                    if let Some((Ok(a), Ok(b))) = value.split_once(' ').map(|(a, b)| (a.parse(), b.parse())) {
                        found.peers.push((a, b));
                    }
                }
                "native-atomics" => found.native_atomics = value == "true",
                "kernels" => found.kernels = value == "true",
                "pools" => found.pools = value == "true",
                "managed" => found.managed = value == "true",
                "ipc" => found.ipc = value == "true",
                _ => {}
            }
        }
        found
    }

    /// The machine in one line: the first line of a run.
    pub(crate) fn summary(&self) -> String {
        let plural = if self.devices.len() == 1 { "" } else { "s" };
        format!(
            "{}, CUDA {}, driver {}, {} device{plural}: {}",
            self.source,
            version(self.runtime),
            version(self.driver),
            self.devices.len(),
            self.devices.join(", "),
        )
    }
}

/// `13000` as `13.0`.
pub(crate) fn version(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

fn integer(call: &str, ask: impl FnOnce(*mut i32) -> Option<cudaError_t>) -> Result<i32, String> {
    let mut value = 0;
    match ask(&mut value) {
        Some(cudaError::cudaSuccess) => Ok(value),
        Some(status) => Err(format!("{call} -> {}", status.0)),
        None => Err(format!("{call} is not in the table")),
    }
}

fn name_of(table: &CudaRuntime, device: i32) -> String {
    let mut properties = std::mem::MaybeUninit::<cuda_p2p_sys::cudaDeviceProp>::zeroed();
    // SAFETY: `properties` is a place for the structure of the major that the table is of.
    let status =
        table.cudaGetDeviceProperties.map(|function| unsafe { function(properties.as_mut_ptr(), device) });
    if status != Some(cudaError::cudaSuccess) {
        return "unnamed device".to_owned();
    }
    // SAFETY: integers, floats and arrays of them: zeroes are a valid value, and the call wrote another.
    let properties = unsafe { properties.assume_init() };
    // SAFETY: the runtime ends the name with a NUL inside the array; the zeroes before the call did too.
    unsafe { CStr::from_ptr(properties.name.as_ptr()) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_back_as_written() {
        let found = Capabilities {
            source: "library /a path/libcudart.so.13".to_owned(),
            runtime: 13_000,
            driver: 13_010,
            devices: vec!["NVIDIA H200".to_owned(), "NVIDIA H200".to_owned()],
            peers: vec![(0, 1), (1, 0)],
            native_atomics: true,
            kernels: false,
            pools: true,
            managed: true,
            ipc: false,
        };
        let lines = found.lines();
        assert_eq!(Capabilities::parse(lines.iter().map(String::as_str)), found);
        assert_eq!(
            found.summary(),
            "library /a path/libcudart.so.13, CUDA 13.0, driver 13.1, 2 devices: NVIDIA H200, NVIDIA H200"
        );
    }
}
