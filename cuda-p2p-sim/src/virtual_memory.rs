//! Virtual memory, by the functions of the driver: ranges of addresses, memory without addresses, and the mapping of one into the
//! other with rights for each device. None of them needs a context, and none disturbs a capture.

mod access;
mod questions;

use std::ffi::{c_ulonglong, c_void};
use std::sync::Arc;

use cuda_p2p_sys::driver::{
    self, CuDevicePtr, CuMemAllocationGranularityFlags, CuMemAllocationHandleType, CuMemAllocationProp,
    CuMemAllocationType, CuMemGenericAllocationHandle, CuMemLocationType, CuResult, Entry, MemAddressFree,
    MemAddressReserve, MemCreate, MemGetAccess, MemGetAllocationGranularity, MemMap, MemRelease,
    MemRetainAllocationHandle, MemSetAccess, MemUnmap, PointerGetAttribute,
};

use crate::call::{Out, driver_call};
use crate::device::ordinal;
use crate::error::{Answer, code};
use crate::handle::{self, Kind};
use crate::machine::{Machine, State};
use crate::memory::{Record, Sort, charge};
use crate::space::{Backing, PoolId};

/// Sizes and addresses are multiples of so many bytes.
const GRANULARITY: usize = 2 << 20;

/// Memory without addresses.
#[derive(Debug)]
pub(crate) struct Physical {
    device: usize,
    /// Times that the handle is to be released.
    handles: usize,
    /// Places where it is mapped.
    mappings: usize,
    backing: Arc<Backing>,
}

/// The number behind a handle that was not released as often as it was given.
fn find(state: &State, handle: CuMemGenericAllocationHandle) -> Answer<u64> {
    let pointer = std::ptr::without_provenance::<c_void>(handle as usize);
    let id = handle::id(Kind::Physical, pointer).ok_or(code::INVALID_VALUE)?;
    match state.physical.get(&id) {
        Some(physical) if physical.handles > 0 => Ok(id),
        _ => Err(code::INVALID_VALUE),
    }
}

fn handle_of(id: u64) -> CuMemGenericAllocationHandle {
    handle::to_pointer::<c_void>(Kind::Physical, id).addr() as u64
}

/// Takes the memory away when nobody has a handle of it and it is mapped nowhere.
fn end_unused(state: &mut State, id: u64) {
    if let Some(it) = state.physical.get(&id)
        && it.handles == 0
        && it.mappings == 0
        && let Some(gone) = state.physical.remove(&id)
    {
        state.devices[gone.device].used -= charge(gone.backing.bytes()).unwrap_or(0);
    }
}

/// One mapping of physical memory is gone.
pub(crate) fn unmapped(state: &mut State, physical: u64) {
    if let Some(it) = state.physical.get_mut(&physical) {
        it.mappings -= 1;
    }
    end_unused(state, physical);
}

/// A size, or an address, that is a multiple of the granularity.
fn whole(number: usize) -> Answer<usize> {
    if number > 0 && number.is_multiple_of(GRANULARITY) { Ok(number) } else { Err(code::INVALID_VALUE) }
}

fn span(address: CuDevicePtr, size: usize) -> Answer<(usize, usize)> {
    let start = whole(address as usize)?;
    Ok((start, start.checked_add(whole(size)?).ok_or(code::INVALID_VALUE)?))
}

/// Does not look at whose memory it is asked about, as the driver does not.
unsafe extern "C" fn get_granularity(
    granularity: *mut usize,
    prop: *const CuMemAllocationProp,
    option: CuMemAllocationGranularityFlags,
) -> CuResult {
    driver_call("cuMemGetAllocationGranularity", |_| {
        // SAFETY: the C contract: null, or a place for one number.
        let out = unsafe { Out::new(granularity) }?;
        if prop.is_null() || option.0 > CuMemAllocationGranularityFlags::RECOMMENDED.0 {
            return Err(code::INVALID_VALUE);
        }
        out.set(GRANULARITY);
        Ok(())
    })
}

/// The wish for an address is no more than that, here never fulfilled.
unsafe extern "C" fn address_reserve(
    address: *mut CuDevicePtr,
    size: usize,
    alignment: usize,
    _wish: CuDevicePtr,
    flags: c_ulonglong,
) -> CuResult {
    driver_call("cuMemAddressReserve", |machine| {
        // SAFETY: the C contract: null, or a place for one address.
        let out = unsafe { Out::new(address) }?;
        let size = whole(size)?;
        if flags != 0 || alignment != 0 && !alignment.is_power_of_two() {
            return Err(code::INVALID_VALUE);
        }
        let base =
            machine.space.reserve(size, alignment.max(GRANULARITY)).map_err(|_| code::OUT_OF_MEMORY)?;
        out.set(base as u64);
        Ok(())
    })
}

unsafe extern "C" fn address_free(address: CuDevicePtr, size: usize) -> CuResult {
    driver_call("cuMemAddressFree", |machine| {
        let (start, end) = span(address, size)?;
        let state = machine.lock();
        let empty = state.memory.within(start, end).next().is_none();
        if empty && machine.space.unreserve(start, size) { Ok(()) } else { Err(code::INVALID_VALUE) }
    })
}

/// Divergence from hardware: memory of the host, and handle types for other processes than a file descriptor, are error 801.
unsafe extern "C" fn create(
    handle: *mut CuMemGenericAllocationHandle,
    size: usize,
    prop: *const CuMemAllocationProp,
    flags: c_ulonglong,
) -> CuResult {
    driver_call("cuMemCreate", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(handle) }?;
        // SAFETY: the C contract: null, or the properties to read.
        let prop = unsafe { prop.as_ref() }.ok_or(code::INVALID_VALUE)?;
        let size = whole(size)?;
        if flags != 0 || prop.type_ != CuMemAllocationType::PINNED || prop.location.type_.0 == 0 {
            return Err(code::INVALID_VALUE);
        }
        let shareable = [CuMemAllocationHandleType::NONE, CuMemAllocationHandleType::POSIX_FILE_DESCRIPTOR];
        if prop.location.type_ != CuMemLocationType::DEVICE
            || !shareable.contains(&prop.requested_handle_types)
        {
            return Err(code::NOT_SUPPORTED);
        }
        let device = ordinal(machine, prop.location.id)?;
        let mut state = machine.lock();
        let room = machine.config.memory_bytes - state.devices[device].used;
        let charged = charge(size).filter(|&charged| charged <= room).ok_or(code::OUT_OF_MEMORY)?;
        let backing = Arc::new(Backing::new(size).map_err(|_| code::OUT_OF_MEMORY)?);
        state.devices[device].used += charged;
        let id = state.handles.next();
        state.physical.insert(id, Physical { device, handles: 1, mappings: 0, backing });
        out.set(handle_of(id));
        Ok(())
    })
}

/// The memory stays as long as it is mapped.
unsafe extern "C" fn release(handle: CuMemGenericAllocationHandle) -> CuResult {
    driver_call("cuMemRelease", |machine| {
        let mut state = machine.lock();
        let id = find(&state, handle)?;
        if let Some(physical) = state.physical.get_mut(&id) {
            physical.handles -= 1;
        }
        end_unused(&mut state, id);
        Ok(())
    })
}

unsafe extern "C" fn retain(handle: *mut CuMemGenericAllocationHandle, address: *mut c_void) -> CuResult {
    driver_call("cuMemRetainAllocationHandle", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(handle) }?;
        let mut state = machine.lock();
        let Some((_, &Record { sort: Sort::Mapped { physical, .. }, .. })) =
            state.memory.containing(address.addr())
        else {
            return Err(code::INVALID_VALUE);
        };
        if let Some(it) = state.physical.get_mut(&physical) {
            it.handles += 1;
        }
        out.set(handle_of(physical));
        Ok(())
    })
}

/// Maps all of the memory: a part of it is error 801, as on hardware.
///
/// Divergence from hardware: beyond the end of its range nothing can be mapped; there it can.
unsafe extern "C" fn map(
    address: CuDevicePtr,
    size: usize,
    offset: usize,
    handle: CuMemGenericAllocationHandle,
    flags: c_ulonglong,
) -> CuResult {
    driver_call("cuMemMap", |machine| {
        let (start, end) = span(address, size)?;
        let mut state = machine.lock();
        let id = find(&state, handle)?;
        let physical = &state.physical[&id];
        if flags != 0 || !offset.is_multiple_of(GRANULARITY) {
            return Err(code::INVALID_VALUE);
        }
        if offset != 0 || size != physical.backing.bytes() {
            return Err(code::NOT_SUPPORTED);
        }
        let inside = machine.space.range(start).is_some_and(|(base, bytes)| end <= base + bytes);
        if !inside || state.memory.within(start, end).next().is_some() {
            return Err(code::INVALID_VALUE);
        }
        let (device, backing) = (physical.device, Arc::clone(&physical.backing));
        let mapping = state.handles.next();
        machine.space.map(start, &backing, device, PoolId(mapping)).map_err(|_| code::OUT_OF_MEMORY)?;
        if let Some(physical) = state.physical.get_mut(&id) {
            physical.mappings += 1;
        }
        let sort = Sort::Mapped { physical: id, mapping };
        state.memory.insert(start, Record { sort, device, bytes: size });
        Ok(())
    })
}

/// Takes out what is mapped in a part of a range. Waits for nothing: work that still uses it faults.
unsafe extern "C" fn unmap(address: CuDevicePtr, size: usize) -> CuResult {
    driver_call("cuMemUnmap", |machine| {
        let (start, end) = span(address, size)?;
        let mut state = machine.lock();
        for base in mappings(machine, &state, start, end, false)? {
            machine.release(&mut state, base)?;
        }
        Ok(())
    })
}

/// First addresses of the mappings in `[start, end)`, none of which may be cut. `full`: side by side, from end to end.
fn mappings(machine: &Machine, state: &State, start: usize, end: usize, full: bool) -> Answer<Vec<usize>> {
    let reserved = machine.space.range(start).is_some_and(|(base, bytes)| end <= base + bytes);
    let (mut found, mut at) = (Vec::new(), start);
    for (base, record) in state.memory.within(start, end) {
        let whole = base >= start && base + record.bytes <= end;
        if !whole || (full && base != at) {
            return Err(code::INVALID_VALUE);
        }
        found.push(base);
        at = base + record.bytes;
    }
    if reserved && (!full || at == end) { Ok(found) } else { Err(code::INVALID_VALUE) }
}

/// The functions, by the names and releases that they are asked for by.
pub(crate) fn entries() -> [(Entry, *mut c_void); 11] {
    [
        (
            driver::MEM_GET_ALLOCATION_GRANULARITY,
            get_granularity as MemGetAllocationGranularity as *mut c_void,
        ),
        (driver::MEM_ADDRESS_RESERVE, address_reserve as MemAddressReserve as *mut c_void),
        (driver::MEM_ADDRESS_FREE, address_free as MemAddressFree as *mut c_void),
        (driver::MEM_CREATE, create as MemCreate as *mut c_void),
        (driver::MEM_RELEASE, release as MemRelease as *mut c_void),
        (driver::MEM_RETAIN_ALLOCATION_HANDLE, retain as MemRetainAllocationHandle as *mut c_void),
        (driver::MEM_MAP, map as MemMap as *mut c_void),
        (driver::MEM_UNMAP, unmap as MemUnmap as *mut c_void),
        (driver::MEM_SET_ACCESS, access::set_access as MemSetAccess as *mut c_void),
        (driver::MEM_GET_ACCESS, questions::get_access as MemGetAccess as *mut c_void),
        (
            driver::POINTER_GET_ATTRIBUTE,
            questions::pointer_get_attribute as PointerGetAttribute as *mut c_void,
        ),
    ]
}
