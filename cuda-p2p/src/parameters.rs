//! Checks a kernel's declaration against the compiled kernel, where something can tell.
//!
//! # Safety
//! This file reads the parameter table of a host module, and calls `cuKernelGetParamInfo`, which writes two sizes.
#![allow(unsafe_code, reason = "reads tables of compiled kernels; see the paragraph on safety above")]

use std::ffi::CStr;

use crate::error::{Error, Result};
use crate::ffi::{KernelModule, cudaError, driver};
use crate::library::{KernelHandle, function, status};
use crate::runtime::Runtime;
use crate::seam::On;

/// Most parameters that are looked at: more than CUDA's 32764 bytes of parameters hold.
const LIMIT: usize = 1 << 15;

/// Compares the declared sizes of `kernel`'s parameters with what it was compiled with. Ok if nothing can tell.
pub(crate) fn check(
    runtime: &Runtime,
    module: &KernelModule,
    handle: KernelHandle,
    kernel: &'static str,
    name: &CStr,
    declared: &[usize],
) -> Result<()> {
    if runtime.runs_host_kernels() {
        return match host_sizes(module, name) {
            Some(compiled) => compare(kernel, declared, |index| Ok(compiled.get(index).copied())),
            None => Ok(()),
        };
    }
    let seam = runtime.seam();
    // SAFETY: the entry's type is that of this function.
    let Ok(info) = (unsafe { function::<driver::KernelGetParamInfo>(seam, &driver::KERNEL_GET_PARAM_INFO) })
    else {
        // A driver before 12.4 cannot tell.
        return Ok(());
    };
    // The driver tells only a thread that has a context.
    let on = On::Context(seam.current_device()?);
    let ask = |index| -> std::result::Result<Option<usize>, ()> {
        let (mut offset, mut size) = (0usize, 0usize);
        let answer = seam.status("cuKernelGetParamInfo", Some(info), on, |info| {
            // SAFETY: the kernel's handle is live for good; both are valid places for a size.
            status(unsafe { info(handle.driver(), index, &mut offset, &mut size) })
        });
        match answer {
            Ok(cudaError::cudaSuccess) => Ok(Some(size)),
            Ok(cudaError::cudaErrorInvalidValue) => Ok(None),
            _ => Err(()),
        }
    };
    compare(kernel, declared, ask)
}

/// `compiled` gives the size of a parameter, `None` past the last, and an error if it cannot tell.
fn compare(
    kernel: &'static str,
    declared: &[usize],
    compiled: impl Fn(usize) -> std::result::Result<Option<usize>, ()>,
) -> Result<()> {
    let mut count = 0;
    while count < LIMIT {
        match (compiled(count), declared.get(count)) {
            (Ok(Some(compiled)), Some(&declared)) if compiled != declared => {
                return Err(Error::ParameterSize { kernel, index: count, declared, compiled });
            }
            (Ok(Some(_)), _) => count += 1,
            (Ok(None), _) => break,
            (Err(()), _) => return Ok(()),
        }
    }
    if count == declared.len() {
        Ok(())
    } else {
        Err(Error::ParameterCount { kernel, declared: declared.len(), compiled: count })
    }
}

/// The sizes that the C++ compiler saw, from the module's own table.
fn host_sizes(module: &KernelModule, name: &CStr) -> Option<Vec<usize>> {
    let host = module.host()?;
    // SAFETY: a host module's table has `kernel_count` entries and lives as long as the program.
    let kernels = unsafe { std::slice::from_raw_parts(host.kernels, host.kernel_count as usize) };
    // SAFETY: the names are NUL-terminated literals of the program's image.
    let kernel = kernels.iter().find(|kernel| unsafe { CStr::from_ptr(kernel.name) } == name)?;
    if kernel.param_count == 0 {
        return Some(Vec::new());
    }
    // SAFETY: a kernel's table has `param_count` entries and lives as long as the program.
    let parameters = unsafe { std::slice::from_raw_parts(kernel.params, kernel.param_count as usize) };
    Some(parameters.iter().map(|parameter| parameter.size as usize).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against(declared: &[usize], compiled: &[usize]) -> Result<()> {
        compare("k", declared, |index| Ok(compiled.get(index).copied()))
    }

    #[test]
    fn equal_sizes_pass() {
        assert_eq!(against(&[8, 4], &[8, 4]), Ok(()));
        assert_eq!(against(&[], &[]), Ok(()));
    }

    #[test]
    fn another_size_or_number_is_named() {
        assert_eq!(
            against(&[8, 8], &[8, 4]),
            Err(Error::ParameterSize { kernel: "k", index: 1, declared: 8, compiled: 4 })
        );
        assert_eq!(
            against(&[8], &[8, 4]),
            Err(Error::ParameterCount { kernel: "k", declared: 1, compiled: 2 })
        );
        assert_eq!(
            against(&[8, 4], &[8]),
            Err(Error::ParameterCount { kernel: "k", declared: 2, compiled: 1 })
        );
    }

    #[test]
    fn what_cannot_be_told_is_not_held_against_the_declaration() {
        assert_eq!(compare("k", &[8], |_| Err(())), Ok(()));
    }
}
