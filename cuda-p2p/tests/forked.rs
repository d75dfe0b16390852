//! In a forked child every call is refused before it reaches CUDA, and dropping does nothing.

mod common;

use common::{isolated, pair};
use cuda_p2p::Error;

#[test]
fn a_forked_child_gets_a_typed_error() {
    isolated("a_forked_child_gets_a_typed_error", &[], || {
        let (runtime, a, b) = pair();
        let opened = std::process::id();
        let memory = a.alloc_zeroed::<u8>(16).unwrap();
        let stream = a.new_stream().unwrap();
        // SAFETY: the child only makes calls that are refused, and leaves by _exit.
        match unsafe { libc::fork() } {
            0 => {
                let refused = |error: Error| matches!(error, Error::Forked { opened: by, now } if by == opened && now != by);
                let good = [
                    runtime.device_count().is_err_and(refused),
                    a.enable_peer_access(&b).map(|_| ()).is_err_and(refused),
                    a.alloc_zeroed::<u8>(16).map(|_| ()).is_err_and(refused),
                    stream.synchronize().is_err_and(refused),
                    a.set_current().is_err_and(refused),
                ]
                .iter()
                .all(|good| *good);
                drop((memory, stream));
                // SAFETY: ends the child without the destructors of the parent's threads.
                unsafe { libc::_exit(if good { 0 } else { 1 }) }
            }
            child => {
                let mut status = 0;
                // SAFETY: waits for the child that was just made.
                assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
                assert_eq!(status, 0);
                // The parent is as it was.
                assert_eq!(memory.to_vec(), Ok(vec![0; 16]));
            }
        }
    });
}
