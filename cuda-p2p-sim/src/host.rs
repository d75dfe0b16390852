//! Pinned host memory, and pointers of every kind.

use std::ffi::{c_int, c_uint, c_void};
use std::mem;
use std::ptr;

use cuda_p2p_sys::{cudaError_t, cudaMemoryType, cudaPointerAttributes};

use crate::call::{Out, call};
use crate::context;
use crate::error::{Answer, code};
use crate::machine::Machine;
use crate::memory::{Record, Sort, pointer};
use crate::space::{Owner, SpaceError};

/// `cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined`
const ALLOC_FLAGS: c_uint = 7;
/// `cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly`
const REGISTER_FLAGS: c_uint = 1 | 2 | 8;
/// Memory of a device is unified with the host's: every pinned byte is mapped, whatever was asked.
const ALWAYS_MAPPED: c_uint = 2;
/// `cudaInvalidDeviceId`: the device of memory that the runtime does not know.
const NO_DEVICE: c_int = -2;

fn allocate(place: *mut *mut c_void, size: usize, flags: c_uint, machine: &Machine) -> Answer {
    // SAFETY: the C contract: null, or a place for one pointer.
    let out = unsafe { Out::new(place) }?;
    if flags & !ALLOC_FLAGS != 0 {
        return Err(code::INVALID_VALUE);
    }
    if size == 0 {
        out.set(ptr::null_mut());
        return Ok(());
    }
    let mut state = machine.lock();
    let base = machine.space.allocate(Owner::Host, size).map_err(|_| code::OUT_OF_MEMORY)?;
    let sort = Sort::Pinned { flags: flags | ALWAYS_MAPPED };
    state.memory.insert(base, Record { sort, device: context::current_device(), bytes: size });
    out.set(pointer(base));
    Ok(())
}

pub(crate) unsafe extern "C" fn host_alloc(
    place: *mut *mut c_void,
    size: usize,
    flags: c_uint,
) -> cudaError_t {
    call("cudaHostAlloc", |machine| allocate(place, size, flags, machine))
}

pub(crate) unsafe extern "C" fn malloc_host(place: *mut *mut c_void, size: usize) -> cudaError_t {
    call("cudaMallocHost", |machine| allocate(place, size, 0, machine))
}

/// Waits for the device that was current when the memory was given.
pub(crate) unsafe extern "C" fn free_host(place: *mut c_void) -> cudaError_t {
    call("cudaFreeHost", |machine| {
        if place.is_null() {
            return Ok(());
        }
        let state = machine.lock();
        let device = match state.memory.at(place.addr()) {
            Some(Record { sort: Sort::Pinned { .. }, device, .. }) => *device,
            _ => return Err(code::INVALID_VALUE),
        };
        let mut state = machine.wait_for_device(state, device)?;
        machine.release(&mut state, place.addr())
    })
}

pub(crate) unsafe extern "C" fn host_register(place: *mut c_void, size: usize, flags: c_uint) -> cudaError_t {
    call("cudaHostRegister", |machine| {
        if place.is_null() || size == 0 || flags & !REGISTER_FLAGS != 0 {
            return Err(code::INVALID_VALUE);
        }
        let mut state = machine.lock();
        let base = place.expose_provenance();
        // Only what was registered is told for that.
        match state.memory.containing(base) {
            None | Some((_, Record { sort: Sort::Registered { .. }, .. })) => {}
            Some(_) => return Err(code::INVALID_VALUE),
        }
        machine.space.register_host(base, size).map_err(|error| match error {
            SpaceError::Overlap { .. } => code::ALREADY_REGISTERED,
            _ => code::INVALID_VALUE,
        })?;
        let sort = Sort::Registered { flags: flags | ALWAYS_MAPPED };
        state.memory.insert(base, Record { sort, device: context::current_device(), bytes: size });
        Ok(())
    })
}

/// Waits for the device that was current when the memory was registered.
pub(crate) unsafe extern "C" fn host_unregister(place: *mut c_void) -> cudaError_t {
    call("cudaHostUnregister", |machine| {
        if place.is_null() {
            return Err(code::INVALID_VALUE);
        }
        let state = machine.lock();
        let device = match state.memory.containing(place.addr()) {
            Some((base, Record { sort: Sort::Registered { .. }, device, .. })) if base == place.addr() => {
                *device
            }
            Some((_, Record { sort: Sort::Registered { .. } | Sort::Pinned { .. }, .. })) => {
                return Err(code::INVALID_VALUE);
            }
            _ => return Err(code::NOT_REGISTERED),
        };
        let mut state = machine.wait_for_device(state, device)?;
        machine.release(&mut state, place.addr())
    })
}

/// Flags of the pinned memory that an address lies in.
fn flags_of(machine: &Machine, address: usize) -> Answer<c_uint> {
    match machine.lock().memory.containing(address) {
        Some((_, Record { sort: Sort::Pinned { flags } | Sort::Registered { flags }, .. })) => Ok(*flags),
        _ => Err(code::INVALID_VALUE),
    }
}

pub(crate) unsafe extern "C" fn host_get_device_pointer(
    device: *mut *mut c_void,
    host: *mut c_void,
    flags: c_uint,
) -> cudaError_t {
    call("cudaHostGetDevicePointer", |machine| {
        // SAFETY: the C contract: null, or a place for one pointer.
        let out = unsafe { Out::new(device) }?;
        if flags != 0 {
            return Err(code::INVALID_VALUE);
        }
        flags_of(machine, host.addr())?;
        out.set(host);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn host_get_flags(flags: *mut c_uint, host: *mut c_void) -> cudaError_t {
    call("cudaHostGetFlags", |machine| {
        // SAFETY: the C contract: null, or a place for one value.
        let out = unsafe { Out::new(flags) }?;
        out.set(flags_of(machine, host.addr())?);
        Ok(())
    })
}

/// Tells what kind of memory a pointer points into, and whose. The device pointer is null if a kernel of the current device could
/// not dereference it.
///
/// Divergence from hardware: the address just behind an allocation is no device's here; there it is, as allocations lie in
/// larger pieces.
pub(crate) unsafe extern "C" fn pointer_get_attributes(
    attributes: *mut cudaPointerAttributes,
    place: *const c_void,
) -> cudaError_t {
    call("cudaPointerGetAttributes", |machine| {
        // SAFETY: the C contract: null, or a place for one struct.
        let out = unsafe { Out::new(attributes) }?;
        let state = machine.lock();
        let known = state.memory.containing(place.addr()).map(|(_, record)| *record);
        let place = place.cast_mut();
        let (kind, device, device_pointer, host_pointer) = match known {
            Some(Record {
                sort: Sort::Plain | Sort::Imported | Sort::Pooled { freed: false, .. } | Sort::Mapped { .. },
                device,
                ..
            }) => {
                let reaches = machine.space.check(context::current_device(), place.addr(), 1).is_ok();
                let seen = if reaches { place } else { ptr::null_mut() };
                (cudaMemoryType::cudaMemoryTypeDevice, device as c_int, seen, ptr::null_mut())
            }
            Some(Record { sort: Sort::Pinned { .. } | Sort::Registered { .. }, device, .. }) => {
                (cudaMemoryType::cudaMemoryTypeHost, device as c_int, place, place)
            }
            _ => (cudaMemoryType::cudaMemoryTypeUnregistered, NO_DEVICE, ptr::null_mut(), place),
        };
        // SAFETY: a struct of numbers and pointers, for which zeros are a value. Its reserved fields differ by release.
        let mut answer: cudaPointerAttributes = unsafe { mem::zeroed() };
        answer.type_ = kind;
        answer.device = device;
        answer.devicePointer = device_pointer;
        answer.hostPointer = host_pointer;
        out.set(answer);
        Ok(())
    })
}
