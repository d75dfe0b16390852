//! How a library that stands in the place of NVIDIA's, and simulates its devices, says so: it exports one function more. Without
//! that, such a library would pass for a machine with GPUs.

use core::ffi::{CStr, c_char, c_void};
use core::ptr::NonNull;

/// The name of that function.
pub const MACHINE_SYMBOL: &CStr = c"cuda_p2p_simulated_machine";

/// Its type. It takes nothing, and gives the machine in the words of `CUDA_P2P_SIM`: a string that stays as it is for the rest of
/// the process.
pub type Machine = unsafe extern "C" fn() -> *const c_char;

/// The words that the function at `address` gives.
///
/// # Safety
/// - `address` is what a library has under [`MACHINE_SYMBOL`], and that library stays loaded during the call.
pub(crate) unsafe fn machine(address: NonNull<c_void>) -> String {
    // SAFETY: under that name libraries have a function of that type, by its documentation.
    let machine = unsafe { core::mem::transmute::<NonNull<c_void>, Machine>(address) };
    // SAFETY: it takes nothing.
    let words = unsafe { machine() };
    if words.is_null() {
        return String::new();
    }
    // SAFETY: not null, and so a string that ends with NUL, by the documentation of the type.
    unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned()
}
