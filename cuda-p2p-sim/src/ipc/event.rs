//! Events that several processes have: each record is counted on the maker's board, and told there when it is reached.

use std::ffi::c_char;
use std::sync::Arc;

use cuda_p2p_sys::{cudaError_t, cudaEvent_t, cudaIpcEventHandle_t};

use super::board::{Board, Entry};
use super::handle::{Handle, Sort};
use super::memory::bytes;
use crate::call::{Out, call};
use crate::context;
use crate::error::code;
use crate::event::{self, Event};
use crate::handle::{self, Kind};
use crate::space::Exported;

/// One record of an event that several processes have.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    entry: Arc<Entry>,
    record: u64,
}

impl Signal {
    /// Counts a new record, which whoever asks from now on waits for.
    pub(crate) fn new(entry: &Arc<Entry>) -> Signal {
        Signal { entry: Arc::clone(entry), record: entry.record() }
    }

    /// The last record, of whichever process.
    pub(crate) fn last(entry: &Arc<Entry>) -> Signal {
        Signal { entry: Arc::clone(entry), record: entry.last() }
    }

    /// Says that the work before it is done.
    pub(crate) fn send(&self) {
        self.entry.reach(self.record);
    }

    /// Takes it back: nothing will reach it.
    pub(crate) fn withdraw(&self) {
        self.entry.withdraw(self.record);
    }

    pub(crate) fn is_sent(&self) -> bool {
        self.entry.has_reached(self.record)
    }
}

pub(crate) unsafe extern "C" fn get_event_handle(
    handle: *mut cudaIpcEventHandle_t,
    event: cudaEvent_t,
) -> cudaError_t {
    call("cudaIpcGetEventHandle", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(handle) }?;
        let state = machine.lock();
        let (_, it) = event::find(&state, event)?;
        let entry = it.own_entry().ok_or(code::INVALID_HANDLE)?;
        let at = Exported { place: entry.place, number: entry.number, offset: 0, bytes: 0 };
        let reserved = machine.handle(Sort::Event, it.device(), at).to_bytes();
        out.set(cudaIpcEventHandle_t { reserved: reserved.map(|byte| byte as c_char) });
        Ok(())
    })
}

/// A new event of the current device each time.
pub(crate) unsafe extern "C" fn open_event_handle(
    event: *mut cudaEvent_t,
    handle: cudaIpcEventHandle_t,
) -> cudaError_t {
    call("cudaIpcOpenEventHandle", |machine| {
        // SAFETY: the C contract: null, or a place for one handle.
        let out = unsafe { Out::new(event) }?;
        let handle = Handle::from_bytes(&bytes(handle.reserved), Sort::Event).ok_or(code::MAP_FAILED)?;
        if handle.nonce == machine.space.board().nonce() {
            return Err(code::NO_CONTEXT);
        }
        let file = handle.open().map_err(|_| code::MAP_FAILED)?;
        let board = Board::open(&file, handle.nonce).map_err(|_| code::MAP_FAILED)?;
        let entry = board.entry(handle.place, handle.number).ok_or(code::MAP_FAILED)?;
        let mut state = machine.lock();
        let id = state.handles.next();
        state.events.insert(id, Event::opened(context::current_device(), Arc::new(entry)));
        out.set(handle::to_pointer(Kind::Event, id));
        Ok(())
    })
}
