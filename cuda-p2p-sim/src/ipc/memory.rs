//! `cudaIpcGetMemHandle`, `cudaIpcOpenMemHandle`, `cudaIpcCloseMemHandle`.
//!
//! As on hardware, memory that was opened counts as memory of the device that was current then, whoever's it is: that device reaches
//! it without enabled access, and no other one does. An access still crosses the link to the GPU that the memory is on, if that is
//! another, and meets what is wrong with it: see [`Defect`](crate::Defect).

use std::collections::BTreeMap;
use std::ffi::{c_uint, c_void};

use cuda_p2p_sys::{cudaError_t, cudaIpcMemHandle_t};

use super::board::Board;
use super::handle::{Handle, Sort as HandleSort};
use crate::call::{Out, call};
use crate::context;
use crate::error::{Answer, code};
use crate::machine::{Machine, State};
use crate::memory::{Record, Sort, pointer};
use crate::space::{Exported, Owner};

/// `cudaIpcMemLazyEnablePeerAccess`; other bits are not looked at.
const LAZY_ENABLE_PEER_ACCESS: c_uint = 1;

/// What this process has open, by first address.
#[derive(Debug, Default)]
pub(crate) struct Imports(BTreeMap<usize, Import>);

#[derive(Debug)]
struct Import {
    handle: Handle,
    device: usize,
    /// How often it was opened and not closed.
    opens: usize,
}

impl Imports {
    /// Forgets what went with its device.
    pub(crate) fn forget(&mut self, base: usize) {
        self.0.remove(&base);
    }

    /// GPUs that the device reaches by what it has open.
    fn gpus(&self, device: usize) -> impl Iterator<Item = usize> {
        self.0.values().filter(move |it| it.device == device).map(|it| it.handle.gpu as usize)
    }
}

impl Machine {
    /// This machine's number of the GPU behind an ordinal.
    pub(super) fn gpu(&self, device: usize) -> u32 {
        self.gpus[device] as u32
    }

    /// A handle of this process's, for an entry of its board.
    pub(super) fn handle(&self, sort: HandleSort, device: usize, at: Exported) -> Handle {
        use std::os::fd::AsRawFd;
        Handle {
            sort,
            process: std::process::id(),
            file: self.space.file().as_raw_fd().cast_unsigned(),
            nonce: self.space.board().nonce(),
            place: at.place,
            number: at.number,
            gpu: self.gpu(device),
            offset: at.offset,
            bytes: at.bytes,
        }
    }
}

/// The bytes of a handle as C has them.
pub(super) fn bytes(reserved: [std::ffi::c_char; 64]) -> [u8; 64] {
    reserved.map(|byte| byte as u8)
}

/// What is no memory of `cudaMalloc` of this process has no handle: error 1. An interior pointer has that of its allocation.
pub(crate) unsafe extern "C" fn get_mem_handle(
    handle: *mut cudaIpcMemHandle_t,
    place: *mut c_void,
) -> cudaError_t {
    call("cudaIpcGetMemHandle", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(handle) }?;
        let state = machine.lock();
        let Some((base, Record { sort: Sort::Plain, device, .. })) = state.memory.containing(place.addr())
        else {
            return Err(code::INVALID_VALUE);
        };
        let at = machine.space.export(base).map_err(|_| code::OUT_OF_MEMORY)?;
        let reserved = machine.handle(HandleSort::Memory, *device, at).to_bytes();
        out.set(cudaIpcMemHandle_t { reserved: reserved.map(|byte| byte as std::ffi::c_char) });
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn open_mem_handle(
    place: *mut *mut c_void,
    handle: cudaIpcMemHandle_t,
    flags: c_uint,
) -> cudaError_t {
    call("cudaIpcOpenMemHandle", |machine| {
        // SAFETY: the C contract: null, or a place for one pointer.
        let out = unsafe { Out::new(place) }?;
        if flags & LAZY_ENABLE_PEER_ACCESS == 0 {
            return Err(code::INVALID_VALUE);
        }
        let handle =
            Handle::from_bytes(&bytes(handle.reserved), HandleSort::Memory).ok_or(code::INVALID_VALUE)?;
        if handle.nonce == machine.space.board().nonce() {
            return Err(code::NO_CONTEXT);
        }
        let mut state = machine.usable()?;
        out.set(pointer(open(machine, &mut state, handle)?));
        Ok(())
    })
}

/// Opens a handle of another process on the current device. The same handle on the same device is the same memory.
fn open(machine: &Machine, state: &mut State, handle: Handle) -> Answer<usize> {
    let device = context::current_device();
    let same = |it: &Import| it.device == device && it.handle == handle;
    if let Some((&base, import)) = state.imports.0.iter_mut().find(|(_, import)| same(import)) {
        import.opens += 1;
        return Ok(base);
    }
    let (own, theirs) = (machine.gpus[device], handle.gpu as usize);
    if own != theirs && !machine.described.can_access(own, theirs) {
        return Err(code::PEER_UNSUPPORTED);
    }
    let enabled = state.devices[device].peers.iter().map(|&peer| machine.gpus[peer]);
    let mut reached: Vec<usize> = enabled.chain(state.imports.gpus(device)).collect();
    reached.push(theirs);
    reached.sort_unstable();
    reached.dedup();
    if reached.iter().filter(|&&gpu| gpu != own).count() > machine.config.peer_limit {
        return Err(code::TOO_MANY_PEERS);
    }
    // A process that is gone, or that this one may not look into.
    let file = handle.open().map_err(|_| code::INVALID_VALUE)?;
    let board = Board::open(&file, handle.nonce).map_err(|_| code::INVALID_VALUE)?;
    let entry = board.entry(handle.place, handle.number).ok_or(code::INVALID_VALUE)?;
    let Handle { place, number, offset, bytes, .. } = handle;
    let owner = Owner::Imported { ordinal: device, gpu: theirs };
    let from = Exported { place, number, offset, bytes };
    let base = machine.space.import(owner, file, from, entry).map_err(|_| code::OUT_OF_MEMORY)?;
    state.memory.insert(base, Record { sort: Sort::Imported, device, bytes: bytes as usize });
    state.imports.0.insert(base, Import { handle, device, opens: 1 });
    Ok(base)
}

/// Waits for the device that the memory was opened on.
pub(crate) unsafe extern "C" fn close_mem_handle(place: *mut c_void) -> cudaError_t {
    call("cudaIpcCloseMemHandle", |machine| {
        let mut state = machine.lock();
        let import = state.imports.0.get_mut(&place.addr()).ok_or(code::INVALID_VALUE)?;
        if import.opens > 1 {
            import.opens -= 1;
            return Ok(());
        }
        let device = import.device;
        let mut state = machine.wait_for_device(state, device)?;
        machine.release(&mut state, place.addr())
    })
}
