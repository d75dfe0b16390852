//! Being interrupted in the middle of work whose result so far is worth something.

use std::io::Result;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// What a shell says of a program that was interrupted.
const STATUS: i32 = 130;

/// From now on Ctrl-C, and a request to end, is only noted; a second one ends this process at once, and its children with it.
pub(crate) fn on_interrupt() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the second one finds what the first one noted.
        flag::register_conditional_shutdown(signal, STATUS, Arc::clone(&interrupted))?;
        flag::register(signal, Arc::clone(&interrupted))?;
    }
    Ok(interrupted)
}
