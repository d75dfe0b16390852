//! The simulator as a runtime of CUDA 12.4: without the functions that came later. What is tested with it is the harness: that
//! cases say which release they need, and that kernels run by way of the driver's functions.

use std::ffi::c_int;
use std::sync::OnceLock;

use cuda_p2p_sys::{CudaRuntime, cudaError, cudaError_t};

use crate::arm;

/// As `cudaRuntimeGetVersion` writes it.
const VERSION: c_int = 12_040;

static WHOLE: OnceLock<&CudaRuntime> = OnceLock::new();

/// Starts the simulator, and takes away what 12.4 has not.
pub(crate) fn simulator() -> Result<(&'static CudaRuntime, String), String> {
    let (whole, config) = arm::simulator()?;
    let _ = WHOLE.set(whole);
    let table = Box::leak(Box::new(CudaRuntime {
        cudaRuntimeGetVersion: Some(version),
        cudaGetDriverEntryPointByVersion: None,
        cudaMemcpyBatchAsync: None,
        cudaMemcpy3DBatchAsync: None,
        cudaStreamGetDevice: None,
        cudaLibraryLoadData: None,
        cudaLibraryLoadFromFile: None,
        cudaLibraryUnload: None,
        cudaLibraryGetKernel: None,
        cudaLibraryGetKernelCount: None,
        cudaLibraryEnumerateKernels: None,
        cudaLibraryGetGlobal: None,
        cudaLibraryGetManaged: None,
        cudaLibraryGetUnifiedFunction: None,
        cudaKernelSetAttributeForDevice: None,
        ..*whole
    }));
    Ok((table, format!("{config}, without what came after CUDA 12.4")))
}

/// The simulator's own answer, and then another number.
unsafe extern "C" fn version(place: *mut c_int) -> cudaError_t {
    let Some(ask) = WHOLE.get().and_then(|whole| whole.cudaRuntimeGetVersion) else {
        return cudaError::cudaErrorInitializationError;
    };
    // SAFETY: the C contract: null, which is refused, or a place for one number.
    let status = unsafe { ask(place) };
    if status == cudaError::cudaSuccess {
        // SAFETY: it was just written.
        unsafe { *place = VERSION };
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_of_a_later_12_is_left() {
        let (table, _) = simulator().expect("a pair can be simulated");
        for (name, has) in CudaRuntime::ENTRIES {
            let known = cuda_p2p_sys::functions::FUNCTIONS.iter().find(|function| function.name == *name);
            let since = known.map_or((12, 0), |function| function.since);
            assert!(since <= (12, 4) || since >= (13, 0) || !has(table), "{name} came with {since:?}");
        }
    }
}
