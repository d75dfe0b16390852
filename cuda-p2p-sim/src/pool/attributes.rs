//! What pools keep and count.

use std::ffi::{c_int, c_void};

use cuda_p2p_sys::{cudaError_t, cudaMemPool_t, cudaMemPoolAttr};

use super::find;
use crate::call::{Out, call};
use crate::error::code;

pub(crate) unsafe extern "C" fn pool_trim_to(pool: cudaMemPool_t, keep: usize) -> cudaError_t {
    call("cudaMemPoolTrimTo", |machine| {
        let mut state = machine.lock();
        let id = find(&state, pool)?;
        state.pools.get_mut(&id).into_iter().for_each(|pool| pool.keep(keep as u64));
        Ok(())
    })
}

/// Divergence from hardware: what a pool keeps in reserve is counted alone: others can have the memory. There, pools take
/// memory in large steps.
pub(crate) unsafe extern "C" fn pool_get_attribute(
    pool: cudaMemPool_t,
    attribute: cudaMemPoolAttr,
    value: *mut c_void,
) -> cudaError_t {
    call("cudaMemPoolGetAttribute", |machine| {
        let state = machine.lock();
        let pool = &state.pools[&find(&state, pool)?];
        // SAFETY: the C contract: null, or a place for an int or a 64-bit number, whichever the attribute has.
        let (int, long) = unsafe { (Out::new(value.cast::<c_int>())?, Out::new(value.cast::<u64>())?) };
        match attribute.0 {
            index @ 1..=3 => int.set(pool.reuse[index as usize - 1]),
            4 => long.set(pool.release_threshold),
            5 => long.set(pool.reserved),
            6 => long.set(pool.reserved_high),
            7 => long.set(pool.used),
            8 => long.set(pool.used_high),
            _ => return Err(code::INVALID_VALUE),
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn pool_set_attribute(
    pool: cudaMemPool_t,
    attribute: cudaMemPoolAttr,
    value: *mut c_void,
) -> cudaError_t {
    call("cudaMemPoolSetAttribute", |machine| {
        let mut state = machine.lock();
        let id = find(&state, pool)?;
        if value.is_null() {
            return Err(code::INVALID_VALUE);
        }
        let pool = state.pools.get_mut(&id).filter(|pool| pool.import.is_none());
        let Some(pool) = pool else { return Err(code::INVALID_VALUE) };
        // SAFETY: the C contract: an int for the three policies, a 64-bit number for the others.
        let read = || unsafe { value.cast::<u64>().read() };
        match attribute.0 {
            index @ 1..=3 => {
                // SAFETY: as above.
                pool.reuse[index as usize - 1] = unsafe { value.cast::<c_int>().read() != 0 }.into();
            }
            4 => pool.release_threshold = read(),
            // High-water marks can be set back, to 0 alone.
            6 if read() == 0 => pool.reserved_high = pool.reserved,
            8 if read() == 0 => pool.used_high = pool.used,
            _ => return Err(code::INVALID_VALUE),
        }
        Ok(())
    })
}
