//! With a pending error of somebody else's each call is made on a thread of its own. Where the process can have no more threads, it
//! is made all the same, and a copy is not left behind.

mod common;

use std::sync::atomic::{AtomicI32, Ordering};

use common::{isolated, pair, take_last_error};
use cuda_p2p::LaunchConfig;
use cuda_p2p::builtin::Kernels;

/// How many threads can still be made; negative for no limit.
static THREADS: AtomicI32 = AtomicI32::new(-1);

type Start = extern "C" fn(*mut libc::c_void) -> *mut libc::c_void;
type Create = unsafe extern "C" fn(
    *mut libc::pthread_t,
    *const libc::pthread_attr_t,
    Start,
    *mut libc::c_void,
) -> libc::c_int;

/// Stands before the system's, and refuses as that does at the limit of threads.
///
/// # Safety
/// - As for the system's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut libc::c_void,
) -> libc::c_int {
    match THREADS.load(Ordering::SeqCst) {
        0 => return libc::EAGAIN,
        left if left > 0 => THREADS.store(left - 1, Ordering::SeqCst),
        _ => {}
    }
    // SAFETY: the name is NUL-terminated.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, c"pthread_create".as_ptr()) };
    assert!(!next.is_null(), "the C library has it");
    // SAFETY: the function of that name has this type.
    let create: Create = unsafe { std::mem::transmute(next) };
    // SAFETY: the caller's arguments.
    unsafe { create(thread, attributes, start, argument) }
}

#[test]
fn a_copy_is_waited_for_without_a_thread_to_wait_on() {
    isolated("a_copy_is_waited_for_without_a_thread_to_wait_on", &[], || {
        let (runtime, a, _) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let stream = a.new_stream().unwrap();
        let mut memory = a.alloc_zeroed::<u32>(1).unwrap();
        let mut pinned = a.alloc_pinned_zeroed::<u32>(1).unwrap();
        // The threads give out at each of the calls that the copy is made of.
        for threads in 0..8 {
            kernels
                .delayed_store(&stream, LaunchConfig::new(1, 1), &mut memory, threads + 1, 50_000_000)
                .unwrap();
            let mut host = pinned.write().unwrap();
            let set_device = runtime.table().cudaSetDevice.unwrap();
            // SAFETY: a number, of no device: 101 is pending from here on.
            unsafe { set_device(99) };
            THREADS.store(threads as i32, Ordering::SeqCst);
            let outcome = stream.copy_to_host(&memory, &mut host);
            THREADS.store(-1, Ordering::SeqCst);
            assert_eq!(outcome, Ok(()));
            assert_eq!(*host, [threads + 1], "the copy is over");
            assert_eq!(take_last_error(&runtime), 101, "and the pending error is still there");
        }
    });
}
