//! Pools of one process in another: `cudaMemPoolExportToShareableHandle` and its kin.
//!
//! What is exported is a file in memory that holds a handle, by its descriptor; what is imported is a pool from which nothing is allocated,
//! and into which memory of the maker's is imported piece by piece. It counts as memory of the GPU that owns it.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint, c_void};
use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd, IntoRawFd, RawFd};
use std::os::unix::fs::FileExt;

use cuda_p2p_sys::{cudaError_t, cudaMemAllocationHandleType, cudaMemPool_t, cudaMemPoolPtrExportData};

use super::board::Board;
use super::handle::{Handle, Sort as HandleSort};
use crate::call::{Out, call};
use crate::device::pool_handle;
use crate::error::{Answer, code};
use crate::machine::{Machine, State};
use crate::memory::{Record, Sort, pointer};
use crate::pool::{Pool, find};
use crate::space::{Exported, Owner, PoolId};

/// What an imported pool knows of its maker.
#[derive(Debug)]
pub(crate) struct Import {
    nonce: u64,
    /// The maker's number of the pool.
    number: u64,
    /// What was imported into it, by the number of its entry: where it is here.
    places: BTreeMap<u64, usize>,
}

fn is_descriptor(kind: cudaMemAllocationHandleType, flags: c_uint) -> Answer {
    let descriptor = cudaMemAllocationHandleType::cudaMemHandleTypePosixFileDescriptor;
    if kind == descriptor && flags == 0 { Ok(()) } else { Err(code::INVALID_VALUE) }
}

/// Only a pool that was made for it is exported, and none that was imported.
pub(crate) unsafe extern "C" fn export_pool(
    place: *mut c_void,
    pool: cudaMemPool_t,
    kind: cudaMemAllocationHandleType,
    flags: c_uint,
) -> cudaError_t {
    call("cudaMemPoolExportToShareableHandle", |machine| {
        // SAFETY: the C contract: null, or a place for one descriptor.
        let out = unsafe { Out::new(place.cast::<c_int>()) }?;
        let mut state = machine.lock();
        let id = find(&state, pool)?;
        is_descriptor(kind, flags)?;
        if !state.pools[&id].shareable {
            return Err(code::INVALID_VALUE);
        }
        let at = Exported { place: 0, number: id, offset: 0, bytes: 0 };
        let handle = machine.handle(HandleSort::Pool, state.pools[&id].device(), at);
        // SAFETY: the name is a string that ends with NUL.
        let file = match unsafe { libc::memfd_create(c"cuda-p2p-sim pool".as_ptr(), libc::MFD_CLOEXEC) } {
            -1 => return Err(code::OUT_OF_MEMORY),
            // SAFETY: the descriptor is new, and nobody else's.
            file => unsafe { File::from_raw_fd(file) },
        };
        (&file).write_all(&handle.to_bytes()).map_err(|_| code::OUT_OF_MEMORY)?;
        state.pools.get_mut(&id).into_iter().for_each(|pool| pool.exported = true);
        out.set(file.into_raw_fd());
        Ok(())
    })
}

/// The descriptor stays the caller's.
pub(crate) unsafe extern "C" fn import_pool(
    place: *mut cudaMemPool_t,
    descriptor: *mut c_void,
    kind: cudaMemAllocationHandleType,
    flags: c_uint,
) -> cudaError_t {
    call("cudaMemPoolImportFromShareableHandle", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(place) }?;
        is_descriptor(kind, flags)?;
        let number = RawFd::try_from(descriptor.addr()).map_err(|_| code::UNKNOWN)?;
        // SAFETY: not dropped, so the descriptor is only read; whatever it is, if it is open at all.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(number.max(0)) });
        let mut bytes = [0; 64];
        file.read_exact_at(&mut bytes, 0).map_err(|_| code::UNKNOWN)?;
        let handle = Handle::from_bytes(&bytes, HandleSort::Pool).ok_or(code::UNKNOWN)?;
        // Hardware was not asked for the pool of a GPU that the process does not see.
        let theirs = handle.gpu as usize;
        let device = machine.gpus.iter().position(|&gpu| gpu == theirs).ok_or(code::NOT_SUPPORTED)?;
        let mut state = machine.lock();
        let same = |pool: &Pool| {
            pool.import.as_ref().is_some_and(|it| (it.nonce, it.number) == (handle.nonce, handle.number))
        };
        // One handle, however often it is imported.
        if let Some((id, _)) = state.pools.iter().find(|(_, pool)| same(pool) && !pool.is_destroyed()) {
            out.set(pool_handle(*id));
            return Ok(());
        }
        let id = state.handles.next();
        let import = Import { nonce: handle.nonce, number: handle.number, places: BTreeMap::new() };
        state.pools.insert(id, Pool::imported(device, import));
        out.set(pool_handle(id));
        Ok(())
    })
}

/// Only of the start of memory that this process allocated from a pool that it exported before.
pub(crate) unsafe extern "C" fn export_pointer(
    data: *mut cudaMemPoolPtrExportData,
    place: *mut c_void,
) -> cudaError_t {
    call("cudaMemPoolExportPointer", |machine| {
        // SAFETY: the C contract: null, or a place for the data.
        let out = unsafe { Out::new(data) }?;
        let state = machine.lock();
        let (pool, device) = match state.memory.at(place.addr()) {
            Some(Record { sort: Sort::Pooled { pool, freed: false }, device, .. }) => (*pool, *device),
            _ => return Err(code::INVALID_VALUE),
        };
        if !state.pools.get(&pool).is_some_and(|pool| pool.exported) {
            return Err(code::INVALID_VALUE);
        }
        let at = machine.space.export(place.addr()).map_err(|_| code::OUT_OF_MEMORY)?;
        let reserved = machine.handle(HandleSort::Pooled, device, at).to_bytes();
        out.set(cudaMemPoolPtrExportData { reserved });
        Ok(())
    })
}

/// The same data again is the same memory, until that is freed here: it is not counted how often.
pub(crate) unsafe extern "C" fn import_pointer(
    place: *mut *mut c_void,
    pool: cudaMemPool_t,
    data: *mut cudaMemPoolPtrExportData,
) -> cudaError_t {
    call("cudaMemPoolImportPointer", |machine| {
        // SAFETY: the C contract: null, or a place for one pointer.
        let out = unsafe { Out::new(place) }?;
        // SAFETY: the C contract: null, or the data.
        let data = unsafe { data.as_ref() }.ok_or(code::INVALID_VALUE)?;
        let handle = Handle::from_bytes(&data.reserved, HandleSort::Pooled).ok_or(code::INVALID_VALUE)?;
        let mut state = machine.lock();
        let id = find(&state, pool)?;
        out.set(pointer(import(machine, &mut state, id, handle)?));
        Ok(())
    })
}

fn import(machine: &Machine, state: &mut State, id: u64, handle: Handle) -> Answer<usize> {
    let pool = &state.pools[&id];
    let device = pool.device();
    let known = pool.import.as_ref().filter(|import| import.nonce == handle.nonce);
    let known = known.ok_or(code::INVALID_VALUE)?.places.get(&handle.number).copied();
    let live = |base: &usize| {
        let record = state.memory.at(*base);
        matches!(record, Some(Record { sort: Sort::Pooled { pool, freed: false }, .. }) if *pool == id)
    };
    if let Some(base) = known.filter(live) {
        return Ok(base);
    }
    let file = handle.open().map_err(|_| code::INVALID_VALUE)?;
    let board = Board::open(&file, handle.nonce).map_err(|_| code::INVALID_VALUE)?;
    let entry = board.entry(handle.place, handle.number).ok_or(code::INVALID_VALUE)?;
    let Handle { place, number, offset, bytes, .. } = handle;
    let owner = Owner::Device { ordinal: device, pool: Some(PoolId(id)) };
    let from = Exported { place, number, offset, bytes };
    let base = machine.space.import(owner, file, from, entry).map_err(|_| code::OUT_OF_MEMORY)?;
    let sort = Sort::Pooled { pool: id, freed: false };
    state.memory.insert(base, Record { sort, device, bytes: bytes as usize });
    if let Some(pool) = state.pools.get_mut(&id) {
        pool.took(0);
        pool.import.iter_mut().for_each(|import| import.places.extend([(number, base)]));
    }
    Ok(base)
}
