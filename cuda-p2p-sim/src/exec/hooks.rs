//! The hook table that compiled kernels call. Outside of a kernel the hooks allow everything and do nothing.

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;
use std::time::Instant;

use cuda_p2p_sys::host_abi::{HOST_ABI_VERSION, HostHooks, HostThread};

use super::context::Context;
use super::thread::{Pause, Wrong};

/// Stands for the clock among the addresses that tell whether a thread spins.
const CLOCK: usize = 1;

static HOOKS: HostHooks = HostHooks {
    version: HOST_ABI_VERSION,
    size: size_of::<HostHooks>() as u32,
    current,
    access,
    sync_block,
    sync_warp,
    static_shared,
    dynamic_shared,
    yield_,
    global_timer_ns,
    trap,
    failed_assertion,
};

/// The table that a host module's `bind` is to be given before its first launch.
#[must_use]
pub fn hooks() -> &'static HostHooks {
    &HOOKS
}

unsafe extern "C-unwind" fn current() -> *const HostThread {
    Context::current().map_or(ptr::null(), Context::thread)
}

unsafe extern "C-unwind" fn access(address: *const c_void, bytes: usize, kind: u32) {
    if let Some(context) = Context::current() {
        context.access(address.addr(), bytes, kind);
    }
}

unsafe extern "C-unwind" fn sync_block() {
    if let Some(context) = Context::current() {
        context.work(|| context.pause(Pause::Block));
    }
}

unsafe extern "C-unwind" fn sync_warp(mask: u32) {
    if let Some(context) = Context::current() {
        context.work(|| context.pause(Pause::Warp(mask)));
    }
}

unsafe extern "C-unwind" fn static_shared(key: *const c_void, bytes: usize, align: usize) -> *mut c_void {
    let Some(context) = Context::current() else { return ptr::null_mut() };
    context.work(|| match context.shared().map(|shared| shared.variable(key.addr(), bytes, align)) {
        Some(Ok(range)) => ptr::with_exposed_provenance_mut(range.base),
        Some(Err(needed)) => {
            context.fail(Wrong::SharedMemory { needed });
            ptr::null_mut()
        }
        None => ptr::null_mut(),
    })
}

unsafe extern "C-unwind" fn dynamic_shared(bytes: *mut usize) -> *mut c_void {
    let Some(context) = Context::current() else { return ptr::null_mut() };
    context.work(|| {
        let Some(range) = context.shared().map(|shared| shared.dynamic()) else { return ptr::null_mut() };
        if !bytes.is_null() {
            // SAFETY: by the hook's contract this points at a variable of the caller.
            unsafe { bytes.write(range.bytes) };
        }
        ptr::with_exposed_provenance_mut(range.base)
    })
}

unsafe extern "C-unwind" fn yield_() {
    if let Some(context) = Context::current() {
        context.work(|| context.pause(Pause::Spin));
    }
}

unsafe extern "C-unwind" fn global_timer_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    if let Some(context) = Context::current()
        && !context.pace.spend()
    {
        context.work(|| {
            if let Some(pause) = context.pace.look(CLOCK) {
                context.pause(pause);
            }
        });
    }
    let nanoseconds = START.get_or_init(Instant::now).elapsed().as_nanos();
    u64::try_from(nanoseconds).unwrap_or(u64::MAX)
}

unsafe extern "C-unwind" fn trap() {
    if let Some(context) = Context::current() {
        context.work(|| context.fail(Wrong::Trap));
    }
}

unsafe extern "C-unwind" fn failed_assertion() {
    if let Some(context) = Context::current() {
        context.work(|| context.fail(Wrong::Assertion));
    }
}
