//! What differs between the releases of the runtime, as recordings of them on one driver show.

use std::ffi::c_int;

use cuda_p2p_sys::functions::FUNCTIONS;
use cuda_p2p_sys::{BOUND_VERSION, cudaError_t};

use crate::error::code;

/// A release of the runtime: major and minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Release(u32, u32);

/// The oldest one that is simulated.
pub(crate) const OLDEST: Release = Release(12, 0);
/// That of the bindings, and the newest one that is simulated.
pub(crate) const NEWEST: Release = Release(BOUND_VERSION.0, BOUND_VERSION.1);

impl Release {
    /// Any number; [`is_simulated`](Self::is_simulated) tells whether it can be had.
    pub(crate) fn unchecked(major: u32, minor: u32) -> Self {
        Release(major, minor)
    }

    /// Whether a machine can have a runtime of it.
    pub(crate) fn is_simulated(self) -> bool {
        OLDEST <= self && self <= NEWEST
    }

    /// As `cudaRuntimeGetVersion` writes it.
    pub(crate) fn version(self) -> c_int {
        let Release(major, minor) = self;
        (major * 1000 + minor * 10) as c_int
    }

    /// Whether it has that function.
    pub(crate) fn has(self, name: &str) -> bool {
        FUNCTIONS.iter().all(|it| it.name != name || Release(it.since.0, it.since.1) <= self)
    }

    /// Before 12.8 the runtime knows no kernels but those that are linked into the program.
    pub(crate) fn takes_kernel_handles(self) -> bool {
        self >= Release(12, 8)
    }

    /// What a launch answers whose grid or block cannot be.
    pub(crate) fn invalid_configuration(self) -> cudaError_t {
        if self >= Release(13, 0) { code::INVALID_VALUE } else { code::INVALID_CONFIGURATION }
    }

    /// Whether the runtime launches a kernel on a stream of a device that is not the current one.
    pub(crate) fn launches_on_streams_of_other_devices(self) -> bool {
        self >= Release(13, 0)
    }
}

impl std::fmt::Display for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_those_since_12_0_up_to_the_bindings() {
        assert_eq!(NEWEST.version(), cuda_p2p_sys::CUDART_VERSION as c_int);
        for (major, minor, there) in [(11, 8, false), (12, 0, true), (12, 4, true), (99, 0, false)] {
            assert_eq!(Release(major, minor).is_simulated(), there, "{major}.{minor}");
        }
        assert_eq!((Release(12, 4).to_string(), Release(12, 4).version()), ("12.4".to_owned(), 12_040));
    }

    #[test]
    fn functions_come_with_their_release() {
        let old = Release(12, 4);
        for (name, there) in
            [("cudaMalloc", true), ("cudaFuncGetParamInfo", true), ("cudaLibraryLoadData", false)]
        {
            assert_eq!(old.has(name), there, "{name}");
        }
        assert!(Release(12, 8).has("cudaLibraryLoadData"));
    }
}
