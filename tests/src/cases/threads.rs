//! What several threads of one process share: devices, access, memory, streams. The current device and the last error are each
//! thread's own.

use std::ptr::null_mut;
use std::thread;

use cuda_p2p_sys::{cudaError, cudaError_t};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, PEERS, TWO};
use crate::setup::NULL_STREAM;

pub(super) const CASES: &[Case] = &[
    case!(access_that_another_thread_enabled_is_enabled, PEERS.kernels()),
    case!(an_error_of_another_thread_is_not_ours, ONE),
    case!(another_threads_current_device_is_not_ours, TWO),
    case!(another_thread_frees_and_we_see_it, ONE),
    case!(two_threads_enable_at_once_and_one_is_first, PEERS),
    case!(threads_allocate_at_once, ONE),
    case!(the_null_stream_is_one_for_all_threads, ONE.kernels()),
];

/// Runs `work` in another thread and gives what it gave.
fn elsewhere<T: Send + 'static>(cx: &Cx, work: impl FnOnce() -> T + Send + 'static) -> T {
    let there = thread::spawn(work).join();
    cx.holds("the other thread came to its end", there.is_ok());
    there.unwrap_or_else(|_| panic!("the other thread panicked"))
}

/// The status of a call, or that there is none.
fn code(status: Option<cudaError_t>) -> Option<u32> {
    status.map(|status| status.0)
}

fn access_that_another_thread_enabled_is_enabled(cx: &Cx) {
    let theirs = cx.word(1, 1);
    let enable = cx.table.cudaDeviceEnablePeerAccess;
    // SAFETY: the function takes two numbers.
    let status = elsewhere(cx, move || code(enable.map(|function| unsafe { function(1, 0) })));
    cx.value("status of the other thread", status, Some(0));
    refuses!(cx.cudaDeviceEnablePeerAccess(1, 0), 704);
    cx.store(NULL_STREAM, theirs, 2, 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.value("what the owner sees", cx.read_word(1, theirs), 2);
}

fn an_error_of_another_thread_is_not_ours(cx: &Cx) {
    let table = cx.table;
    let errors = elsewhere(cx, move || {
        // SAFETY: the functions take numbers or nothing.
        unsafe { Some((table.cudaSetDevice?(99).0, table.cudaPeekAtLastError?().0)) }
    });
    cx.value("status and last error there", errors, Some((101, 101)));
    cx.last(0);
}

fn another_threads_current_device_is_not_ours(cx: &Cx) {
    let table = cx.table;
    let there = elsewhere(cx, move || {
        let mut device = -1;
        // SAFETY: a number, and a valid place for one.
        unsafe { Some((table.cudaSetDevice?(1).0, table.cudaGetDevice?(&mut device).0, device)) }
    });
    cx.value("statuses and device there", there, Some((0, 0, 1)));
    let mut device = -1;
    answers!(cx.cudaGetDevice(&mut device), 0);
    cx.value("device here", device, 0);
}

fn another_thread_frees_and_we_see_it(cx: &Cx) {
    let place = cx.malloc(0, 4096);
    let (address, free) = (place as usize, cx.table.cudaFree);
    // SAFETY: nobody uses the memory.
    let status = elsewhere(cx, move || code(free.map(|function| unsafe { function(address as _) })));
    cx.value("status of the other thread", status, Some(0));
    refuses!(cx.cudaMemset(place, 0, 4), 1);
}

fn two_threads_enable_at_once_and_one_is_first(cx: &Cx) {
    must!(cx.cudaDeviceSynchronize());
    let enable = cx.table.cudaDeviceEnablePeerAccess;
    let threads = [0, 1].map(|_| {
        // SAFETY: the function takes two numbers.
        thread::spawn(move || code(enable.map(|function| unsafe { function(1, 0) })))
    });
    let mut codes = threads.map(|thread| thread.join().ok().flatten());
    codes.sort_unstable();
    cx.value("statuses, the smaller first", codes, [Some(0), Some(704)]);
}

fn threads_allocate_at_once(cx: &Cx) {
    must!(cx.cudaDeviceSynchronize());
    let malloc = cx.table.cudaMalloc;
    let threads: Vec<_> = (0..4)
        .map(|_| {
            thread::spawn(move || {
                let mut places = Vec::new();
                for _ in 0..50 {
                    let mut place = null_mut();
                    // SAFETY: a valid place for a pointer.
                    if malloc.map(|function| unsafe { function(&mut place, 256) })
                        == Some(cudaError::cudaSuccess)
                    {
                        places.push(place as usize);
                    }
                }
                places
            })
        })
        .collect();
    let mut places: Vec<usize> =
        threads.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect();
    cx.value("allocations", places.len(), 200);
    places.sort_unstable();
    cx.holds("none overlaps another", places.windows(2).all(|pair| pair[1] - pair[0] >= 256));
}

fn the_null_stream_is_one_for_all_threads(cx: &Cx) {
    cx.delay(NULL_STREAM, 0);
    cx.synchronize(0);
    cx.delay(NULL_STREAM, 200);
    let query = cx.table.cudaStreamQuery;
    // SAFETY: the null stream always is.
    let status = elsewhere(cx, move || code(query.map(|function| unsafe { function(NULL_STREAM) })));
    cx.value("status of the other thread", status, Some(600));
    answers!(cx.cudaDeviceSynchronize(), 0);
}
