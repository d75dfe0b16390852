//! Libraries of kernels.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_uint, c_void};

use cuda_p2p_sys::cudaError_t;
use cuda_p2p_sys::host_abi::HostKernel;

use crate::call::{Out, call};
use crate::error::{Answer, code};
use crate::exec::KernelRef;
use crate::handle::{self, Kind};
use crate::image::{self, Image};
use crate::kernel::Kernel;
use crate::machine::{Machine, State};

/// A loaded library.
#[derive(Debug)]
pub(crate) struct Library {
    image: Image,
    /// Kernels that were asked for, by their place in the module.
    kernels: BTreeMap<usize, u64>,
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
    state.kernels.entry(id).or_insert_with(|| {
        // SAFETY: an entry of a host module, to whose contract these obligations belong; `load` has bound the hooks.
        let kernel = unsafe { KernelRef::new(entry) };
        Kernel::new(kernel, image::name(entry).to_owned(), devices)
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
