//! In a forked child every call is refused before it reaches CUDA, and dropping does nothing.

mod common;

use std::ffi::{c_int, c_uint, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::raw::changed_table;
use common::{isolated, machine, pair};
use cuda_p2p::sys::{cudaError, cudaEvent_t, cudaGraphExec_t, cudaStream_t};
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

type Fill = unsafe extern "C" fn(*mut c_void, c_int, usize, cudaStream_t) -> cudaError;
type Launch = unsafe extern "C" fn(cudaGraphExec_t, cudaStream_t) -> cudaError;
type Record = unsafe extern "C" fn(cudaEvent_t, cudaStream_t) -> cudaError;

static FILL: OnceLock<Fill> = OnceLock::new();
static LAUNCH: OnceLock<Launch> = OnceLock::new();
static RECORD: OnceLock<Record> = OnceLock::new();

fn take_time() {
    if SLOW.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(500));
    }
}

unsafe extern "C" fn fill(to: *mut c_void, value: c_int, bytes: usize, stream: cudaStream_t) -> cudaError {
    take_time();
    // SAFETY: the function that this one stands for, with its arguments.
    unsafe { FILL.get().expect("it was set")(to, value, bytes, stream) }
}

unsafe extern "C" fn launch(exec: cudaGraphExec_t, stream: cudaStream_t) -> cudaError {
    take_time();
    // SAFETY: as above.
    unsafe { LAUNCH.get().expect("it was set")(exec, stream) }
}

unsafe extern "C" fn record(event: cudaEvent_t, stream: cudaStream_t) -> cudaError {
    take_time();
    // SAFETY: as above.
    unsafe { RECORD.get().expect("it was set")(event, stream) }
}

/// The child comes back from a capture, asks an event and gives memory away, while threads that it has not were just at these.
#[test]
fn a_forked_child_waits_for_no_thread_that_it_has_not() {
    isolated("a_forked_child_waits_for_no_thread_that_it_has_not", &[], || {
        let runtime = changed_table(&machine("devices=1 quiet"), |table| {
            FILL.set(table.cudaMemsetAsync.unwrap()).unwrap();
            LAUNCH.set(table.cudaGraphLaunch.unwrap()).unwrap();
            RECORD.set(table.cudaEventRecord.unwrap()).unwrap();
            table.cudaMemsetAsync = Some(fill);
            table.cudaGraphLaunch = Some(launch);
            table.cudaEventRecord = Some(record);
            // Records by the driver would go around it.
            (table.cudaGetDriverEntryPoint, table.cudaGetDriverEntryPointByVersion) = (None, None);
        });
        let device = runtime.device(0).unwrap();
        let [captured, other, third] = [(); 3].map(|()| device.new_stream().unwrap());
        let [mut memory, mut filled] = [(); 2].map(|()| device.alloc_zeroed::<u8>(16).unwrap());
        let event = device.new_event_untimed().unwrap();
        let graph = other.capture(|_| other.fill_bytes_async(&mut memory, 1)).unwrap();
        let exec = graph.instantiate().unwrap();
        exec.launch(&other).unwrap();
        let refused = |error: Error| matches!(error, Error::Forked { .. });
        std::thread::scope(|scope| {
            let mut child = 0;
            let outcome = captured.capture(|_| {
                SLOW.store(true, Ordering::SeqCst);
                scope.spawn(|| captured.fill_bytes_async(&mut filled, 2));
                scope.spawn(|| exec.launch(&other));
                scope.spawn(|| third.record(&event));
                std::thread::sleep(Duration::from_millis(100));
                // SAFETY: the child only makes calls that are refused, and leaves by _exit, or by the alarm if it hangs.
                child = unsafe { libc::fork() };
                if child == 0 {
                    // SAFETY: takes a number.
                    unsafe { libc::alarm(5) };
                }
                Ok(())
            });
            if child == 0 {
                let good = outcome.map(drop).is_err_and(refused)
                    && event.is_done().is_err_and(refused)
                    && event.synchronize().is_err_and(refused)
                    && !memory.into_raw().is_null();
                // SAFETY: ends the child without the destructors of the parent's threads.
                unsafe { libc::_exit(if good { 0 } else { 1 }) }
            }
            outcome.unwrap();
            let mut status = 0;
            // SAFETY: waits for the child that was just made.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            assert_eq!(status, 0);
        });
    });
}
