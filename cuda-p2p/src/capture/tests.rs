//! Captures of which no graph comes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{CaptureError, Result};
use crate::runtime::Runtime;

/// A thread that is just leaving a stream of the capture may be the last to have its state, and hold the lock of a pair of which the
/// capture has a token: it must find nothing to drop there.
#[test]
fn what_a_failed_capture_refers_to_is_dropped_by_who_ends_it() -> Result<()> {
    let runtime = Runtime::simulated("devices=2 quiet".parse().expect("a machine"))?;
    let (a, b) = (runtime.device(0)?, runtime.device(1)?);
    let (stream, other) = (a.new_stream()?, b.new_stream()?);
    let access = b.enable_peer_access(&a)?;
    let mut theirs = b.alloc_zeroed::<u8>(64)?;
    let ours = a.alloc_zeroed::<u8>(64)?;
    for panics in [false, true] {
        let mut inside = None;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let unjoined = stream.capture(|capture| {
                capture.fork(&other)?;
                other.copy_peer_async(&mut theirs, &ours)?;
                inside = other.enter()?.capture().cloned();
                assert!(!panics, "as told");
                Ok(())
            });
            assert_eq!(unjoined.map(drop), Err(CaptureError::Unjoined.into()));
        }));
        assert_eq!(outcome.is_err(), panics);
        assert!(inside.is_some());
        assert!(!theirs.allocation().is_shared() && !ours.allocation().is_shared(), "panics: {panics}");
    }
    access.disable()?;
    Ok(())
}
