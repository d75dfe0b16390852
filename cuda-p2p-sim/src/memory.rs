//! Device memory: what is allocated where, and the calls that give and take it.

use std::collections::BTreeMap;
use std::ffi::{c_uint, c_void};
use std::ptr;
use std::sync::PoisonError;

use cuda_p2p_sys::{cudaError_t, cudaExtent, cudaPitchedPtr};

use crate::call::{Out, call};
use crate::context;
use crate::error::{Answer, code};
use crate::machine::{Machine, State};
use crate::space::{Owner, PoolId, SpaceError};
use crate::virtual_memory;

/// Device memory is charged in units of so many bytes.
const UNIT: usize = 512;
/// Rows of `cudaMallocPitch` begin at multiples of so many bytes.
const PITCH: usize = 512;

/// What an allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// `cudaMalloc`
    Plain,
    /// From a pool. Once `cudaFreeAsync` was called, no call takes it any more.
    Pooled { pool: u64, freed: bool },
    /// Mapped in a range of virtual memory.
    Mapped { physical: u64, mapping: u64 },
    /// `cudaHostAlloc` and its kin.
    Pinned { flags: c_uint },
    /// Of another process, opened by its handle.
    Imported,
    /// The program's own, made known by `cudaHostRegister`.
    Registered { flags: c_uint },
}

/// One live allocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) sort: Sort,
    /// Whose memory it is; for host memory the device that was current.
    pub(crate) device: usize,
    pub(crate) bytes: usize,
}

/// All live allocations, by first address.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    records: BTreeMap<usize, Record>,
}

impl Memory {
    pub(crate) fn insert(&mut self, base: usize, record: Record) {
        self.records.insert(base, record);
    }

    pub(crate) fn remove(&mut self, base: usize) -> Option<Record> {
        self.records.remove(&base)
    }

    /// The allocation that begins there.
    pub(crate) fn at(&self, base: usize) -> Option<&Record> {
        self.records.get(&base)
    }

    pub(crate) fn at_mut(&mut self, base: usize) -> Option<&mut Record> {
        self.records.get_mut(&base)
    }

    /// The allocation that the address lies in, with its base.
    pub(crate) fn containing(&self, address: usize) -> Option<(usize, &Record)> {
        let (&base, record) = self.records.range(..=address).next_back()?;
        (address - base < record.bytes).then_some((base, record))
    }

    /// First addresses of what goes with a reset of a device. Memory of pools and virtual memory stay.
    pub(crate) fn of_device(&self, device: usize) -> Vec<usize> {
        let stays = |it: &Record| matches!(it.sort, Sort::Pooled { .. } | Sort::Mapped { .. });
        let goes = |it: &Record| it.device == device && !stays(it);
        self.records.iter().filter(|(_, it)| goes(it)).map(|(&base, _)| base).collect()
    }

    /// What lies in `[start, end)`, or partly.
    pub(crate) fn within(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, &Record)> {
        let first = self.containing(start).map_or(start, |(base, _)| base);
        self.records.range(first..end).map(|(&base, record)| (base, record))
    }

    /// Number of allocations of device memory, without virtual memory, and of pinned and registered host memory.
    pub(crate) fn count(&self) -> (usize, usize) {
        let host = |it: &&Record| matches!(it.sort, Sort::Pinned { .. } | Sort::Registered { .. });
        let device = |it: &&Record| matches!(it.sort, Sort::Plain | Sort::Pooled { .. });
        (self.records.values().filter(device).count(), self.records.values().filter(host).count())
    }
}

/// What an allocation of so many bytes takes of its device.
pub(crate) fn charge(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(UNIT)
}

/// Base and size of the allocation that an address lies in, if the current device may access it: its own memory, that of a device
/// whose access is enabled, that of a pool or a mapping which is open to it, and host memory.
pub(crate) fn range(machine: &Machine, address: usize) -> Option<(usize, usize)> {
    let accessor = context::current_device();
    let state = machine.lock();
    let (base, record) = state.memory.containing(address)?;
    let reached = match record.sort {
        Sort::Pinned { .. } | Sort::Registered { .. } => true,
        Sort::Pooled { freed: true, .. } => false,
        // Peers that could use it do not find it.
        Sort::Imported => record.device == accessor,
        _ => machine.space.check(accessor, base, 1).is_ok(),
    };
    reached.then_some((base, record.bytes))
}

impl Machine {
    /// Allocates memory of a device, from a pool if one is named.
    pub(crate) fn allocate(
        &self,
        state: &mut State,
        device: usize,
        pool: Option<u64>,
        bytes: usize,
    ) -> Answer<usize> {
        let used = state.devices[device].used;
        let charged = charge(bytes).filter(|&charged| charged <= self.config.memory_bytes - used);
        let charged = charged.ok_or(code::OUT_OF_MEMORY)?;
        let owner = Owner::Device { ordinal: device, pool: pool.map(PoolId) };
        let base = self.space.allocate(owner, bytes).map_err(|error| match error {
            SpaceError::Empty => code::INVALID_VALUE,
            _ => code::OUT_OF_MEMORY,
        })?;
        state.devices[device].used += charged;
        let sort = match pool {
            Some(pool) => Sort::Pooled { pool, freed: false },
            None => Sort::Plain,
        };
        state.memory.insert(base, Record { sort, device, bytes });
        Ok(base)
    }

    /// Gives an allocation back. Nothing may use it any more. If another thread was faster, it is error 1.
    pub(crate) fn release(&self, state: &mut State, base: usize) -> Answer {
        let record = state.memory.remove(base).ok_or(code::INVALID_VALUE)?;
        let pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        let freed = match record.sort {
            Sort::Registered { .. } => self.space.unregister_host(base).is_ok(),
            Sort::Mapped { .. } => self.space.unmap(base).is_ok(),
            _ => self.space.free(base).is_ok(),
        };
        drop(pages);
        debug_assert!(freed, "the space knows every allocation that has a record");
        let charged = charge(record.bytes).unwrap_or(record.bytes);
        match record.sort {
            Sort::Plain => state.devices[record.device].used -= charged,
            Sort::Pooled { pool, .. } => {
                let imported = state.pools.get(&pool).is_some_and(|pool| pool.import.is_some());
                if !imported {
                    state.devices[record.device].used -= charged;
                }
                crate::pool::gave_back(self, state, pool, charged);
            }
            Sort::Mapped { physical, .. } => virtual_memory::unmapped(state, physical),
            Sort::Imported => state.imports.forget(base),
            Sort::Pinned { .. } | Sort::Registered { .. } => {}
        }
        Ok(())
    }
}

/// Bytes as the pointer that C callers see.
pub(crate) fn pointer(address: usize) -> *mut c_void {
    ptr::with_exposed_provenance_mut(address)
}

pub(crate) unsafe extern "C" fn malloc(place: *mut *mut c_void, size: usize) -> cudaError_t {
    call("cudaMalloc", |machine| {
        // SAFETY: the C contract: null, or a place for one pointer.
        let out = unsafe { Out::new(place) }?;
        let mut state = machine.usable()?;
        if size == 0 {
            out.set(ptr::null_mut());
            return Ok(());
        }
        let base = machine.allocate(&mut state, context::current_device(), None, size);
        out.set(base.map_or(ptr::null_mut(), pointer));
        base.map(drop)
    })
}

/// Waits for the work of the device whose memory it is, and for no other: what a peer still does with the memory then faults.
pub(crate) unsafe extern "C" fn free(place: *mut c_void) -> cudaError_t {
    call("cudaFree", |machine| {
        if place.is_null() {
            return Ok(());
        }
        let state = machine.lock();
        let device = match state.memory.at(place.addr()) {
            Some(Record { sort: Sort::Plain | Sort::Pooled { freed: false, .. }, device, .. }) => *device,
            _ => return Err(code::INVALID_VALUE),
        };
        let mut state = machine.wait_for_device(state, device)?;
        machine.release(&mut state, place.addr())
    })
}

pub(crate) unsafe extern "C" fn mem_get_info(free: *mut usize, total: *mut usize) -> cudaError_t {
    call("cudaMemGetInfo", |machine| {
        // SAFETY: the C contract: each is null, if it is not wanted, or a place for one number.
        let (free, total) = unsafe { (Out::optional(free), Out::optional(total)) };
        let state = machine.lock();
        let all = machine.config.memory_bytes;
        free.into_iter().for_each(|out| out.set(all - state.devices[context::current_device()].used));
        total.into_iter().for_each(|out| out.set(all));
        Ok(())
    })
}

/// Allocates rows; returns their first address and their pitch.
fn allocate_rows(machine: &Machine, width: usize, rows: Option<usize>) -> Answer<(usize, usize)> {
    let pitch = width.checked_next_multiple_of(PITCH).ok_or(code::OUT_OF_MEMORY)?;
    let bytes = rows.and_then(|rows| pitch.checked_mul(rows)).ok_or(code::OUT_OF_MEMORY)?;
    if bytes == 0 {
        return Ok((0, pitch));
    }
    let base = machine.allocate(&mut machine.lock(), context::current_device(), None, bytes)?;
    Ok((base, pitch))
}

pub(crate) unsafe extern "C" fn malloc_pitch(
    place: *mut *mut c_void,
    pitch: *mut usize,
    width: usize,
    height: usize,
) -> cudaError_t {
    call("cudaMallocPitch", |machine| {
        // SAFETY: the C contract: each is null or a place for one value.
        let (place, pitch) = unsafe { (Out::new(place)?, Out::new(pitch)?) };
        let (base, bytes) = allocate_rows(machine, width, Some(height))?;
        place.set(pointer(base));
        pitch.set(bytes);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn malloc_3d(place: *mut cudaPitchedPtr, extent: cudaExtent) -> cudaError_t {
    call("cudaMalloc3D", |machine| {
        // SAFETY: the C contract: null, or a place for one pitched pointer.
        let out = unsafe { Out::new(place) }?;
        let cudaExtent { width, height, depth } = extent;
        let (base, pitch) = allocate_rows(machine, width, height.checked_mul(depth))?;
        out.set(cudaPitchedPtr { ptr: pointer(base), pitch, xsize: width, ysize: height });
        Ok(())
    })
}
