//! Texts for C.

use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::ptr::null_mut;

use cuda_p2p::Result;

/// Null for success, and the error's text otherwise.
pub(crate) fn of(body: impl FnOnce() -> Result<()>) -> *mut c_char {
    match body() {
        Ok(()) => null_mut(),
        Err(error) => new(&error),
    }
}

pub(crate) fn new(text: &impl Display) -> *mut c_char {
    // A text ends at its first NUL, to C.
    let text: String = text.to_string().chars().take_while(|c| *c != '\0').collect();
    CString::new(text).map_or(null_mut(), CString::into_raw)
}

/// Frees a text that a function of this library gave.
///
/// # Safety
/// - `text` is null or such a text, and not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn p2p_free_text(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: it came from `CString::into_raw`.
        drop(unsafe { CString::from_raw(text) });
    }
}
