//! Libraries of kernels.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};

use cuda_p2p_sys::host_abi::HostKernel;
use cuda_p2p_sys::{cudaError_t, cudaFuncAttribute, cudaFuncAttributes};

use crate::call::{Out, call};
use crate::device::ordinal;
use crate::error::{Answer, code};
use crate::exec::KernelRef;
use crate::handle::{self, Kind};
use crate::image::{self, Image};
use crate::machine::{Machine, State};

/// Dynamic shared memory that a launch may ask for unless the kernel was told otherwise, in bytes.
pub(crate) const DYNAMIC_SHARED: usize = 48 << 10;

/// `cudaFuncAttributeMaxDynamicSharedMemorySize`
const FIRST_ATTRIBUTE: u32 = 8;
/// `cudaFuncAttributeClusterSchedulingPolicyPreference`, behind the last of those for clusters.
const LAST_ATTRIBUTE: u32 = 15;

/// A loaded library.
#[derive(Debug)]
pub(crate) struct Library {
    image: Image,
    /// Kernels that were asked for, by their place in the module.
    kernels: BTreeMap<usize, u64>,
}

/// One kernel of a library.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) kernel: KernelRef,
    name: CString,
    /// Most dynamic shared memory of a launch, by device.
    pub(crate) dynamic_shared: Vec<usize>,
}

/// Takes what `cudaLibraryLoadData` was given.
///
/// # Safety
/// As [`Image::new`].
pub(crate) unsafe fn load(machine: &Machine, code: *const c_void) -> Answer<u64> {
    // SAFETY: the caller's contract.
    let image = unsafe { Image::new(code) }?;
    let mut state = machine.lock();
    let id = state.handles.next();
    state.libraries.insert(id, Library { image, kernels: BTreeMap::new() });
    Ok(id)
}

pub(crate) fn unload(machine: &Machine, library: *const c_void) -> Answer {
    let mut state = machine.lock();
    let id = handle::id(Kind::Library, library).ok_or(code::INVALID_HANDLE)?;
    let library = state.libraries.remove(&id).ok_or(code::INVALID_HANDLE)?;
    library.kernels.values().for_each(|kernel| {
        state.kernels.remove(kernel);
    });
    Ok(())
}

/// The handle of the kernel at that place of a module; the same each time.
fn kernel_at(state: &mut State, library: u64, index: usize, entry: &'static HostKernel) -> Answer<u64> {
    let devices = state.devices.len();
    let next = state.handles.next();
    let library = state.libraries.get_mut(&library).ok_or(code::INVALID_HANDLE)?;
    let id = *library.kernels.entry(index).or_insert(next);
    state.kernels.entry(id).or_insert_with(|| Kernel {
        // SAFETY: an entry of a host module, to whose contract these obligations belong; `load` has bound the hooks.
        kernel: unsafe { KernelRef::new(entry) },
        name: image::name(entry).to_owned(),
        dynamic_shared: vec![DYNAMIC_SHARED; devices],
    });
    Ok(id)
}

/// What a library was made from.
fn image(state: &State, library: *const c_void) -> Answer<(u64, Image)> {
    let id = handle::id(Kind::Library, library).ok_or(code::INVALID_HANDLE)?;
    let library = state.libraries.get(&id).ok_or(code::INVALID_HANDLE)?;
    Ok((id, library.image))
}

pub(crate) fn get_kernel(machine: &Machine, library: *const c_void, name: *const c_char) -> Answer<u64> {
    if name.is_null() {
        return Err(code::INVALID_VALUE);
    }
    // SAFETY: the C contract: a string that ends with NUL.
    let name = unsafe { CStr::from_ptr(name) };
    let mut state = machine.lock();
    let (id, image) = image(&state, library)?;
    let mut kernels = image.kernels(code::INVALID_IMAGE)?.iter().enumerate();
    let found = kernels.find(|(_, entry)| image::name(entry) == name);
    let (index, entry) = found.ok_or(code::SYMBOL_NOT_FOUND)?;
    kernel_at(&mut state, id, index, entry)
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

pub(crate) unsafe extern "C" fn library_load_data(
    library: *mut *mut c_void,
    code: *const c_void,
    _jit_options: *mut c_uint,
    _jit_values: *mut *mut c_void,
    _jit_count: c_uint,
    _options: *mut c_uint,
    _values: *mut *mut c_void,
    _count: c_uint,
) -> cudaError_t {
    call("cudaLibraryLoadData", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(library) }?;
        // SAFETY: the C contract: `code` points at a whole image.
        let library = unsafe { load(machine, code) }?;
        out.set(handle::to_pointer(Kind::Library, library));
        Ok(())
    })
}

/// Launches under way go on: the code of a host module stays.
pub(crate) unsafe extern "C" fn library_unload(library: *mut c_void) -> cudaError_t {
    call("cudaLibraryUnload", |machine| unload(machine, library))
}

pub(crate) unsafe extern "C" fn library_get_kernel(
    kernel: *mut *mut c_void,
    library: *mut c_void,
    name: *const c_char,
) -> cudaError_t {
    call("cudaLibraryGetKernel", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(kernel) }?;
        out.set(handle::to_pointer(Kind::Kernel, get_kernel(machine, library, name)?));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn library_get_kernel_count(
    count: *mut c_uint,
    library: *mut c_void,
) -> cudaError_t {
    call("cudaLibraryGetKernelCount", |machine| {
        // SAFETY: the C contract: null, or a place for one number.
        let out = unsafe { Out::new(count) }?;
        let (_, image) = image(&machine.lock(), library)?;
        // Garbage is looked into when a kernel is asked for, and has none until then.
        let count = if let Image::Garbage = image { 0 } else { image.kernels(code::INVALID_IMAGE)?.len() };
        out.set(count as c_uint);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn library_enumerate_kernels(
    kernels: *mut *mut c_void,
    room: c_uint,
    library: *mut c_void,
) -> cudaError_t {
    call("cudaLibraryEnumerateKernels", |machine| {
        if kernels.is_null() {
            return Err(code::INVALID_VALUE);
        }
        let mut state = machine.lock();
        let (id, image) = image(&state, library)?;
        let entries = image.kernels(code::INVALID_IMAGE)?;
        for (index, entry) in entries.iter().enumerate().take(room as usize) {
            let kernel = kernel_at(&mut state, id, index, entry)?;
            // SAFETY: the C contract: there is room for as many handles as `room` says.
            unsafe { kernels.add(index).write(handle::to_pointer(Kind::Kernel, kernel)) };
        }
        Ok(())
    })
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
        answer.maxDynamicSharedSizeBytes = kernel.dynamic_shared[crate::context::current_device()] as c_int;
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
        set_attribute(machine, function, attribute, value, crate::context::current_device())
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
