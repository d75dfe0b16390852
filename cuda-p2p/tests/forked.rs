//! In a forked child every call is refused before it reaches CUDA, and dropping does nothing.

mod common;

use std::ffi::{c_int, c_uint};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::raw::changed_table;
use common::{isolated, machine, pair};
use cuda_p2p::sys::cudaError;
use cuda_p2p::{Error, PeerAccess};

#[test]
fn a_forked_child_gets_a_typed_error() {
    isolated("a_forked_child_gets_a_typed_error", &[], || {
        let (runtime, a, b) = pair();
        let opened = std::process::id();
        let memory = a.alloc_zeroed::<u8>(16).unwrap();
        let mut pinned = a.alloc_pinned_zeroed::<u8>(16).unwrap();
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
                    pinned.read().map(|_| ()).is_err_and(refused),
                    pinned.write().map(|_| ()).is_err_and(refused),
                    PeerAccess::enable_both(&a, &b).map(|_| ()).is_err_and(refused),
                ]
                .iter()
                .all(|good| *good);
                drop((memory, pinned, stream));
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

/// Whether enabling takes its time.
static SLOW: AtomicBool = AtomicBool::new(false);
static ENABLE: OnceLock<unsafe extern "C" fn(c_int, c_uint) -> cudaError> = OnceLock::new();

unsafe extern "C" fn enable(owner: c_int, flags: c_uint) -> cudaError {
    if SLOW.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(500));
    }
    // SAFETY: the function that this one stands for, with its arguments.
    unsafe { ENABLE.get().expect("it was set")(owner, flags) }
}

#[test]
fn a_forked_child_takes_no_lock_that_another_thread_held() {
    isolated("a_forked_child_takes_no_lock_that_another_thread_held", &[], || {
        let runtime = changed_table(&machine("devices=2 quiet"), |table| {
            ENABLE.set(table.cudaDeviceEnablePeerAccess.unwrap()).unwrap();
            table.cudaDeviceEnablePeerAccess = Some(enable);
        });
        let (a, b) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        SLOW.store(true, Ordering::SeqCst);
        let status = std::thread::scope(|scope| {
            // Holds what is known of the pair meanwhile.
            scope.spawn(|| a.enable_peer_access(&b).map(drop));
            std::thread::sleep(Duration::from_millis(100));
            // SAFETY: the child only makes calls that are refused, and leaves by _exit, or by the alarm if it hangs.
            match unsafe { libc::fork() } {
                0 => {
                    // SAFETY: takes a number.
                    unsafe { libc::alarm(5) };
                    let good = !access.enabled_here() && PeerAccess::enable_both(&a, &b).is_err();
                    drop(access.clone());
                    let good = good && runtime.deferred_errors().is_empty() && access.disable().is_err();
                    // SAFETY: ends the child without the destructors of the parent's threads.
                    unsafe { libc::_exit(if good { 0 } else { 1 }) }
                }
                child => {
                    let mut status = 0;
                    // SAFETY: waits for the child that was just made.
                    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
                    status
                }
            }
        });
        assert_eq!(status, 0);
    });
}
