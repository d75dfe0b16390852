//! Kernels: what is asked of one, and set for its launches.

use std::ffi::{CString, c_char, c_int, c_void};

use cuda_p2p_sys::{cudaError_t, cudaFuncAttribute, cudaFuncAttributes};

use crate::call::{Out, call};
use crate::context;
use crate::device::ordinal;
use crate::error::{Answer, code};
use crate::exec::KernelRef;
use crate::handle::{self, Kind};
use crate::machine::{Machine, State};

/// Dynamic shared memory that a launch may ask for unless the kernel was told otherwise, in bytes.
pub(crate) const DYNAMIC_SHARED: usize = 48 << 10;

/// `cudaFuncAttributeMaxDynamicSharedMemorySize`
const FIRST_ATTRIBUTE: u32 = 8;
/// `cudaFuncAttributeClusterSchedulingPolicyPreference`, behind the last of those for clusters.
const LAST_ATTRIBUTE: u32 = 15;

/// One kernel of a library.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) kernel: KernelRef,
    name: CString,
    /// Most dynamic shared memory of a launch, by device.
    pub(crate) dynamic_shared: Vec<usize>,
}

impl Kernel {
    /// As it is before anything is set for it, on a machine of so many devices.
    pub(crate) fn new(kernel: KernelRef, name: CString, devices: usize) -> Kernel {
        Kernel { kernel, name, dynamic_shared: vec![DYNAMIC_SHARED; devices] }
    }
}

/// The kernel that a launch or a query names: error 98 for null, 400 for what is no kernel.
pub(crate) fn find_kernel(state: &State, function: *const c_void) -> Answer<u64> {
    if !state.release.takes_kernel_handles() {
        return Err(code::INVALID_FUNCTION);
    }
    kernel_of_handle(state, function)
}

/// The kernel of a handle, whatever the runtime thinks of such handles.
pub(crate) fn kernel_of_handle(state: &State, function: *const c_void) -> Answer<u64> {
    if function.is_null() {
        return Err(code::INVALID_FUNCTION);
    }
    let id = handle::id(Kind::Kernel, function).ok_or(code::INVALID_HANDLE)?;
    if state.kernels.contains_key(&id) { Ok(id) } else { Err(code::INVALID_HANDLE) }
}

pub(crate) unsafe extern "C" fn func_get_name(
    name: *mut *const c_char,
    function: *const c_void,
) -> cudaError_t {
    call("cudaFuncGetName", |machine| {
        // SAFETY: the C contract: null, or a place for one pointer.
        let out = unsafe { Out::new(name) }?;
        let state = machine.lock();
        out.set(state.kernels[&find_kernel(&state, function)?].name.as_ptr());
        Ok(())
    })
}

/// Place of one parameter; error 1 behind the last.
pub(crate) fn param_info(
    machine: &Machine,
    function: *const c_void,
    index: usize,
    (offset, size): (Out<usize>, Option<Out<usize>>),
) -> Answer {
    let state = machine.lock();
    let kernel = state.kernels[&find_kernel(&state, function)?].kernel;
    let param = kernel.params().get(index).ok_or(code::INVALID_VALUE)?;
    offset.set(param.offset as usize);
    size.into_iter().for_each(|out| out.set(param.size as usize));
    Ok(())
}

pub(crate) unsafe extern "C" fn func_get_param_info(
    function: *const c_void,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> cudaError_t {
    call("cudaFuncGetParamInfo", |machine| {
        // SAFETY: the C contract: null, or a place for one number; the size may be left out.
        let places = unsafe { (Out::new(offset)?, Out::optional(size)) };
        param_info(machine, function, index, places)
    })
}

/// Divergence from hardware: registers, local and constant memory are those of no real code.
pub(crate) unsafe extern "C" fn func_get_attributes(
    attributes: *mut cudaFuncAttributes,
    function: *const c_void,
) -> cudaError_t {
    call("cudaFuncGetAttributes", |machine| {
        // SAFETY: the C contract: null, or a place for one struct.
        let out = unsafe { Out::new(attributes) }?;
        let state = machine.lock();
        let kernel = &state.kernels[&find_kernel(&state, function)?];
        // SAFETY: a struct of numbers, for which zeros are a value. Its later fields differ by release.
        let mut answer: cudaFuncAttributes = unsafe { std::mem::zeroed() };
        let bound = kernel.kernel.max_threads();
        let threads = if bound == 0 { machine.limits.threads_per_block } else { bound };
        answer.maxThreadsPerBlock = threads as c_int;
        answer.numRegs = 32;
        answer.ptxVersion = 90;
        answer.binaryVersion = 90;
        answer.maxDynamicSharedSizeBytes = kernel.dynamic_shared[context::current_device()] as c_int;
        answer.preferredShmemCarveout = -1;
        out.set(answer);
        Ok(())
    })
}

fn set_attribute(
    machine: &Machine,
    function: *const c_void,
    attribute: cudaFuncAttribute,
    value: c_int,
    device: usize,
) -> Answer {
    if attribute.0 < FIRST_ATTRIBUTE || attribute.0 > LAST_ATTRIBUTE {
        return Err(code::INVALID_VALUE);
    }
    let mut state = machine.lock();
    let id = find_kernel(&state, function)?;
    match attribute {
        cudaFuncAttribute::cudaFuncAttributeMaxDynamicSharedMemorySize => {
            let bytes = usize::try_from(value).map_err(|_| code::INVALID_VALUE)?;
            if bytes > machine.limits.shared_per_block {
                return Err(code::INVALID_VALUE);
            }
            if let Some(kernel) = state.kernels.get_mut(&id) {
                kernel.dynamic_shared[device] = bytes;
            }
            Ok(())
        }
        // A wish; any split of the memory serves.
        cudaFuncAttribute::cudaFuncAttributePreferredSharedMemoryCarveout if (-1..=100).contains(&value) => {
            Ok(())
        }
        cudaFuncAttribute::cudaFuncAttributePreferredSharedMemoryCarveout => Err(code::INVALID_VALUE),
        _ => Err(code::NOT_SUPPORTED),
    }
}

pub(crate) unsafe extern "C" fn func_set_attribute(
    function: *const c_void,
    attribute: cudaFuncAttribute,
    value: c_int,
) -> cudaError_t {
    call("cudaFuncSetAttribute", |machine| {
        set_attribute(machine, function, attribute, value, context::current_device())
    })
}

pub(crate) unsafe extern "C" fn kernel_set_attribute_for_device(
    kernel: *mut c_void,
    attribute: cudaFuncAttribute,
    value: c_int,
    device: c_int,
) -> cudaError_t {
    call("cudaKernelSetAttributeForDevice", |machine| {
        let device = ordinal(machine, device)?;
        set_attribute(machine, kernel, attribute, value, device)
    })
}
