//! What the code that nvcc writes into a program calls: before `main`, to tell of its kernels, and at each `<<<...>>>`.
//!
//! A kernel in a program's own fat binary has no host code, so no simulated device can run it. Such a launch asks the
//! simulator for the kernel of that fat binary, and the simulator's answer, 209, is the launch's.
#![allow(non_snake_case, reason = "names of functions and parameters are those of the C headers")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_p2p_sys::{CudaRuntime, cudaError, cudaError_t, cudaKernel_t, cudaStream_t, dim3};

use crate::machine::table;

/// `magic` of a [`FatBinary`].
const FAT_BINARY_MAGIC: c_int = 0x466243b1;
/// `cudaErrorMissingConfiguration`
const MISSING_CONFIGURATION: cudaError_t = cudaError(52);

/// The kernels of the program, by the address of their host halves.
static REGISTERED: Mutex<Option<HashMap<usize, Registered>>> = Mutex::new(None);

/// A kernel of one of the program's fat binaries.
#[derive(Debug)]
struct Registered {
    /// Handle of the fat binary that it came with.
    binary: usize,
    /// Address of its machine code.
    code: usize,
    name: CString,
}

/// What nvcc writes into the program for each fat binary: `__fatBinC_Wrapper_t`.
#[repr(C)]
struct FatBinary {
    magic: c_int,
    version: c_int,
    data: *const c_void,
    file_name: *mut c_void,
}

type Registry = MutexGuard<'static, Option<HashMap<usize, Registered>>>;

fn registry() -> Registry {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What to give to the simulator for `func`: the kernel that it has for a host function of the program, or its refusal;
/// anything else as it is. So is a host function where the simulated release has no libraries: the simulator answers 98 to it.
pub(crate) fn kernel(table: &CudaRuntime, func: *const c_void) -> Result<*const c_void, cudaError_t> {
    let (code, name) = match registry().as_ref().and_then(|kernels| kernels.get(&func.addr())) {
        Some(Registered { code, name, .. }) => (*code as *const c_void, name.clone()),
        None => return Ok(func),
    };
    let (Some(load), Some(get), Some(unload)) =
        (table.cudaLibraryLoadData, table.cudaLibraryGetKernel, table.cudaLibraryUnload)
    else {
        return Ok(func);
    };
    let mut library = null_mut();
    // SAFETY: the code is a whole fat binary of the program's image, which registered it and has not taken it back; there
    // are no options.
    check(unsafe { load(&mut library, code, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0) })?;
    let mut kernel: cudaKernel_t = null_mut();
    // SAFETY: the library was loaded just now, and the name ends with NUL.
    let found = check(unsafe { get(&mut kernel, library, name.as_ptr()) });
    if found.is_err() {
        // SAFETY: the library was loaded just now, and nothing of it is used.
        unsafe { unload(library) };
    }
    found.map(|()| kernel.cast_const().cast())
}

fn check(status: cudaError_t) -> Result<(), cudaError_t> {
    if status == cudaError::cudaSuccess { Ok(()) } else { Err(status) }
}

/// Takes a fat binary of the program; gives its handle. Null, which no other function here takes for one, if it is
/// something else.
///
/// # Safety
/// `binary` points at what nvcc made, which stays until [`__cudaUnregisterFatBinary`].
#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaRegisterFatBinary(binary: *mut c_void) -> *mut *mut c_void {
    // SAFETY: by the contract, such a structure is there; it is only read.
    let known = !binary.is_null() && unsafe { (*binary.cast::<FatBinary>()).magic } == FAT_BINARY_MAGIC;
    if known { binary.cast() } else { null_mut() }
}

/// All kernels of a fat binary have been registered.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterFatBinaryEnd(_handle: *mut *mut c_void) {}

/// Forgets a fat binary and its kernels.
#[unsafe(no_mangle)]
extern "C" fn __cudaUnregisterFatBinary(handle: *mut *mut c_void) {
    if let Some(kernels) = registry().as_mut() {
        kernels.retain(|_, kernel| kernel.binary != handle.addr());
    }
}

/// Notes that a host function of the program stands for a kernel of a fat binary.
///
/// # Safety
/// `handle` is null or came from [`__cudaRegisterFatBinary`]; `device_name` is a string that ends with NUL.
#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaRegisterFunction(
    handle: *mut *mut c_void,
    host_function: *const c_char,
    _device_function: *mut c_char,
    device_name: *const c_char,
    _thread_limit: c_int,
    _thread_index: *mut c_void,
    _block_index: *mut c_void,
    _block_dim: *mut dim3,
    _grid_dim: *mut dim3,
    _warp_size: *mut c_int,
) {
    if handle.is_null() || device_name.is_null() {
        return;
    }
    // SAFETY: a handle is the address of what was registered.
    let code = unsafe { (*handle.cast::<FatBinary>()).data };
    // SAFETY: by the contract, it ends with NUL.
    let name = unsafe { CStr::from_ptr(device_name) }.to_owned();
    let kernel = Registered { binary: handle.addr(), code: code.expose_provenance(), name };
    registry().get_or_insert_default().insert(host_function.addr(), kernel);
}

/// A device variable: there is no device code that could use it, and calls that name it are not modelled.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterVar(
    _handle: *mut *mut c_void,
    _host_variable: *mut c_char,
    _device_address: *mut c_char,
    _device_name: *const c_char,
    _external: c_int,
    _size: usize,
    _constant: c_int,
    _global: c_int,
) {
}

/// A managed variable: it stays null, since managed memory is not modelled.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterManagedVar(
    _handle: *mut *mut c_void,
    _host_variable_address: *mut *mut c_void,
    _device_address: *mut c_char,
    _device_name: *const c_char,
    _external: c_int,
    _size: usize,
    _constant: c_int,
    _global: c_int,
) {
}

/// A variable of the host that device code reads: there is no device code that could.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterHostVar(
    _handle: *mut *mut c_void,
    _device_name: *const c_char,
    _host_variable: *mut c_char,
    _size: usize,
) {
}

/// Would load the module of a managed variable that is about to be used. There is none.
#[unsafe(no_mangle)]
extern "C" fn __cudaInitModule(_handle: *mut *mut c_void) -> c_char {
    0
}

/// The shape of a launch, between `<<<...>>>` and the host half of the kernel.
#[derive(Clone, Copy)]
struct Configuration {
    grid_dim: dim3,
    block_dim: dim3,
    shared_mem: usize,
    stream: cudaStream_t,
}

thread_local! {
    static CONFIGURATIONS: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the shape of the launch that comes next on this thread. 0: the launch goes on.
#[unsafe(no_mangle)]
extern "C" fn __cudaPushCallConfiguration(
    grid_dim: dim3,
    block_dim: dim3,
    shared_mem: usize,
    stream: cudaStream_t,
) -> c_uint {
    let configuration = Configuration { grid_dim, block_dim, shared_mem, stream };
    CONFIGURATIONS.with_borrow_mut(|configurations| configurations.push(configuration));
    0
}

/// Gives what [`__cudaPushCallConfiguration`] kept.
///
/// # Safety
/// Each pointer may be written; `stream` is a place for a stream.
#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaPopCallConfiguration(
    grid_dim: *mut dim3,
    block_dim: *mut dim3,
    shared_mem: *mut usize,
    stream: *mut c_void,
) -> cudaError_t {
    let Some(configuration) = CONFIGURATIONS.with_borrow_mut(Vec::pop) else {
        return MISSING_CONFIGURATION;
    };
    // SAFETY: by the contract, these are places for such values.
    unsafe {
        grid_dim.write(configuration.grid_dim);
        block_dim.write(configuration.block_dim);
        shared_mem.write(configuration.shared_mem);
        stream.cast::<cudaStream_t>().write(configuration.stream);
    }
    cudaError::cudaSuccess
}

/// Gives the host function itself as the kernel's handle: whether there is a kernel is asked at the launch, whose answer
/// the program looks at.
///
/// # Safety
/// `kernel` is null or may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaGetKernel(kernel: *mut cudaKernel_t, host_function: *const c_void) -> cudaError_t {
    if kernel.is_null() {
        return cudaError::cudaErrorInvalidValue;
    }
    // SAFETY: not null, and so a place for a handle.
    unsafe { kernel.write(host_function.cast_mut().cast()) };
    cudaError::cudaSuccess
}

/// As `cudaLaunchKernel`, with what [`__cudaGetKernel`] gave.
///
/// # Safety
/// The contract of `cudaLaunchKernel`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaLaunchKernel(
    handle: cudaKernel_t,
    grid_dim: dim3,
    block_dim: dim3,
    arguments: *mut *mut c_void,
    shared_mem: usize,
    stream: cudaStream_t,
) -> cudaError_t {
    match table().map(|table| (table.cudaLaunchKernel, kernel(table, handle.cast_const().cast()))) {
        // SAFETY: the caller keeps the contract; the kernel is one of the simulator's, or its host function.
        Ok((Some(launch), Ok(kernel))) => unsafe {
            launch(kernel, grid_dim, block_dim, arguments, shared_mem, stream)
        },
        Ok((Some(_), Err(status))) | Err(status) => status,
        Ok((None, _)) => crate::machine::not_supported(),
    }
}
