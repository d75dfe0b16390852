//! The few functions of the driver that programs reach through `cudaGetDriverEntryPointByVersion`, on the same objects.

use std::ffi::{CStr, c_char, c_uint, c_ulonglong, c_void};
use std::ptr;

use cuda_p2p_sys::driver::{
    self, CuEvent, CuFunction, CuKernel, CuLibrary, CuResult, CuStream, Entry, EventRecord,
    KernelGetParamInfo, LaunchKernel, LibraryGetKernel, LibraryLoadData, LibraryUnload, MemGetAddressRange,
    MemcpyAsync,
};
use cuda_p2p_sys::{CUDART_VERSION, cudaDriverEntryPointQueryResult, cudaError_t};

use crate::call::{Out, call, driver_call};
use crate::context;
use crate::error::{Answer, code};
use crate::handle::{self, Kind};
use crate::launch::{self, Ask, Through};
use crate::{event, kernel, library, memcpy, memory, stream, virtual_memory};

unsafe extern "C" fn library_load_data(
    library: *mut CuLibrary,
    code: *const c_void,
    _jit_options: *mut c_uint,
    _jit_values: *mut *mut c_void,
    _jit_count: c_uint,
    _options: *mut c_uint,
    _values: *mut *mut c_void,
    _count: c_uint,
) -> CuResult {
    driver_call("cuLibraryLoadData", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(library) }?;
        // SAFETY: the C contract: `code` points at a whole image.
        let library = unsafe { library::load(machine, code) }?;
        out.set(CuLibrary(handle::to_pointer(Kind::Library, library)));
        Ok(())
    })
}

unsafe extern "C" fn library_unload(library: CuLibrary) -> CuResult {
    driver_call("cuLibraryUnload", |machine| library::unload(machine, library.0))
}

unsafe extern "C" fn library_get_kernel(
    kernel: *mut CuKernel,
    library: CuLibrary,
    name: *const c_char,
) -> CuResult {
    driver_call("cuLibraryGetKernel", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(kernel) }?;
        out.set(CuKernel(handle::to_pointer(Kind::Kernel, library::get_kernel(machine, library.0, name)?)));
        Ok(())
    })
}

unsafe extern "C" fn kernel_get_param_info(
    kernel: CuKernel,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> CuResult {
    driver_call("cuKernelGetParamInfo", |machine| {
        // SAFETY: the C contract: null, or a place for one number; the size may be left out.
        let places = unsafe { (Out::new(offset)?, Out::optional(size)) };
        needs_context()?;
        kernel::param_info(machine, kernel.0, index, places).map_err(driver_code)
    })
}

unsafe extern "C" fn launch_kernel(
    function: CuFunction,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared_mem_bytes: c_uint,
    stream: CuStream,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CuResult {
    driver_call("cuLaunchKernel", |machine| {
        needs_context_for(stream)?;
        if !extra.is_null() {
            // Arguments packed by the caller, which are not modelled.
            return Err(code::NOT_SUPPORTED);
        }
        let ask = Ask {
            function: function.0,
            grid: [grid_x, grid_y, grid_z],
            block: [block_x, block_y, block_z],
            dynamic_shared: shared_mem_bytes as usize,
            args: params,
            stream: stream.0.cast(),
        };
        // SAFETY: the C contract: an argument for each parameter.
        unsafe { launch::launch(machine, ask, Through::Driver) }.map_err(driver_code)
    })
}

/// Divergence from hardware: an address that the machine does not know is error 1. There it is taken for pageable host memory, and
/// one that is not the process's either ends the process.
unsafe extern "C" fn memcpy_async(to: u64, from: u64, bytes: usize, stream: CuStream) -> CuResult {
    driver_call("cuMemcpyAsync", |machine| {
        needs_context_for(stream)?;
        let address = |address: u64| usize::try_from(address).map_err(|_| code::INVALID_VALUE);
        memcpy::by_driver(machine, address(to)?, address(from)?, bytes, stream.0.cast())
    })
}

unsafe extern "C" fn event_record(event: CuEvent, stream: CuStream) -> CuResult {
    driver_call("cuEventRecord", |machine| {
        needs_context_for(stream)?;
        event::record(event.0.cast(), stream.0.cast(), 0, machine)
    })
}

/// Nothing is found (500) where the current device could not reach it either. Whatever fails leaves zeros; without a place for an
/// answer there is no question.
unsafe extern "C" fn mem_get_address_range(base: *mut u64, size: *mut usize, address: u64) -> CuResult {
    // SAFETY: the C contract: null, or places for an address and a size.
    let places = unsafe { (Out::optional(base), Out::optional(size)) };
    let tell = |base, size| {
        if let Some(place) = places.0 {
            place.set(base);
        }
        if let Some(place) = places.1 {
            place.set(size);
        }
    };
    tell(0, 0);
    driver_call("cuMemGetAddressRange", |machine| {
        needs_context()?;
        if places.0.is_some() || places.1.is_some() {
            let address = usize::try_from(address).map_err(|_| code::SYMBOL_NOT_FOUND)?;
            let (base, size) = memory::range(machine, address).ok_or(code::SYMBOL_NOT_FOUND)?;
            tell(base as u64, size);
        }
        Ok(())
    })
}

/// Error 201 on a thread where no call of the runtime has made a context current.
fn needs_context() -> Answer {
    if context::is_bound() { Ok(()) } else { Err(code::NO_CONTEXT) }
}

/// A stream has its context; the null streams are those of the thread's.
fn needs_context_for(stream: CuStream) -> Answer {
    if stream.0.addr() <= stream::PER_THREAD { needs_context() } else { Ok(()) }
}

/// A code that the driver words otherwise than the runtime.
fn driver_code(error: cudaError_t) -> cudaError_t {
    match error {
        code::INVALID_FUNCTION => code::INVALID_HANDLE,
        other => other,
    }
}

/// The functions, by the names and releases that they are asked for by.
fn entries() -> [(Entry, *mut c_void); 8] {
    [
        (driver::LIBRARY_LOAD_DATA, library_load_data as LibraryLoadData as *mut c_void),
        (driver::LIBRARY_UNLOAD, library_unload as LibraryUnload as *mut c_void),
        (driver::LIBRARY_GET_KERNEL, library_get_kernel as LibraryGetKernel as *mut c_void),
        (driver::KERNEL_GET_PARAM_INFO, kernel_get_param_info as KernelGetParamInfo as *mut c_void),
        (driver::LAUNCH_KERNEL, launch_kernel as LaunchKernel as *mut c_void),
        (driver::MEMCPY_ASYNC, memcpy_async as MemcpyAsync as *mut c_void),
        (driver::EVENT_RECORD, event_record as EventRecord as *mut c_void),
        (driver::MEM_GET_ADDRESS_RANGE, mem_get_address_range as MemGetAddressRange as *mut c_void),
    ]
}

/// All functions of the driver that are modelled.
fn all() -> impl Iterator<Item = (Entry, *mut c_void)> {
    entries().into_iter().chain(virtual_memory::entries())
}

/// `cudaEnablePerThreadDefaultStream`, the greatest of the flags.
const PER_THREAD_STREAM: c_ulonglong = 2;

/// Whether a function of the driver of this name is modelled.
pub(crate) fn knows(name: &str) -> bool {
    all().any(|(entry, _)| entry.name.to_bytes() == name.as_bytes())
}

fn entry_point(
    symbol: *const c_char,
    place: *mut *mut c_void,
    version: c_uint,
    flags: c_ulonglong,
    status: *mut cudaDriverEntryPointQueryResult,
) -> Answer {
    // SAFETY: the C contract: null, or a place for one pointer.
    let out = unsafe { Out::new(place) }?;
    // SAFETY: the C contract: null, if it is not wanted, or a place for one value.
    let status = unsafe { Out::optional(status) };
    // A release that the driver has not heard of is refused before anything is written.
    if symbol.is_null() || flags > PER_THREAD_STREAM || version > CUDART_VERSION {
        return Err(code::INVALID_VALUE);
    }
    out.set(ptr::null_mut());
    // SAFETY: the C contract: a string that ends with NUL.
    let name = unsafe { CStr::from_ptr(symbol) };
    let told = match all().find(|(entry, _)| entry.name == name) {
        None => cudaDriverEntryPointQueryResult::cudaDriverEntryPointSymbolNotFound,
        Some((entry, _)) if entry.version > version => {
            cudaDriverEntryPointQueryResult::cudaDriverEntryPointVersionNotSufficent
        }
        Some((_, address)) => {
            out.set(address);
            cudaDriverEntryPointQueryResult::cudaDriverEntryPointSuccess
        }
    };
    match status {
        Some(status) => status.set(told),
        None if told != cudaDriverEntryPointQueryResult::cudaDriverEntryPointSuccess => {
            return Err(code::SYMBOL_NOT_FOUND);
        }
        None => {}
    }
    Ok(())
}

pub(crate) unsafe extern "C" fn get_entry_point(
    symbol: *const c_char,
    place: *mut *mut c_void,
    flags: c_ulonglong,
    status: *mut cudaDriverEntryPointQueryResult,
) -> cudaError_t {
    call("cudaGetDriverEntryPoint", |machine| {
        entry_point(symbol, place, machine.config.runtime.version() as c_uint, flags, status)
    })
}

pub(crate) unsafe extern "C" fn get_entry_point_by_version(
    symbol: *const c_char,
    place: *mut *mut c_void,
    version: c_uint,
    flags: c_ulonglong,
    status: *mut cudaDriverEntryPointQueryResult,
) -> cudaError_t {
    call("cudaGetDriverEntryPointByVersion", |_| entry_point(symbol, place, version, flags, status))
}
